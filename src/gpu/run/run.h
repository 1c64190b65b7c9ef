// Running a test on the device, or on several: launches of init, test and tally under a configuration, beside traffic.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/emit/stress.h"
#include "gpu/run/driver.h"
#include "gpu/run/observed.h"
#include "gpu/run/tune.h"
#include "language/test.h"

namespace litmus::gpu {

struct RunOptions {
    uint64_t instances = 0;  // at least so many; 0: as `seconds` says
    double seconds = 1;      // for each test, when `instances` is 0
    uint64_t seed = 1;
    double watchdog = 30;  // seconds that one launch may take
    Pins pins = Pins::none;
    std::optional<sass::Assembler> assembler = {};  // none: the driver compiles tests, and in which order is not known
    // Asked after each launch: true ends the run, and what was counted is kept.
    std::function<bool()> interrupted = [] { return false; };
    // Told of what there is so far, a few times a second.
    std::function<void(const Observation&)> progress = [](const Observation&) {};
};

// The test does not run on this machine; what() is the reason, one line.
class NotRun : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The kernel that runs beside tests, with its memory. One on a device, for all tests.
class Traffic {
public:
    explicit Traffic(const Device& device);

    CUdeviceptr scratch() const { return scratch_.address(); }
    // Starts it on the side stream with the CTAs that `stress` asks for and leaves room for; false: with none.
    bool start(const Stress& stress, uint32_t seed);
    // Ends it after what the main stream was given before.
    void end();

private:
    const Device& device_;
    Module module_;
    Kernel kernel_;
    Shape shape_;
    Buffer scratch_, stop_;
    unsigned resident_ = 0;  // CTAs that fill the device
    uint32_t batch_ = 0;
};

// One GPU that tests run on. Not moved: the traffic knows its device.
struct Gpu {
    explicit Gpu(int ordinal) : device(ordinal), traffic(device) {}
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    Device device;
    Traffic traffic;
};

// The GPUs of a run: the one that was asked for, and, when a test for several comes, those that follow it, the first after the last.
class Gpus {
public:
    // Throws what Device throws.
    explicit Gpus(int first);

    const Device& first() const { return open_.front()->device; }
    // So many, each of which reaches the memory of the others. Throws NotRun where there are not; DriverError.
    std::vector<Gpu*> take(size_t count);

private:
    std::vector<std::unique_ptr<Gpu>> open_;
    std::string apart_;  // why no more of them work together
};

// One test, compiled and with memory. `gpus` and `test` outlive it.
class TestRun {
public:
    // Throws NotRun; DriverError.
    TestRun(Gpus& gpus, const Test& test, const std::string& file, const RunOptions& options);
    ~TestRun();  // after a hang nothing is freed: that would wait for the kernel
    TestRun(const TestRun&) = delete;
    TestRun& operator=(const TestRun&) = delete;

    // Runs about so long; the instances count as tuning. Throws DriverError. After a hang it measures nothing.
    Measured trial(const Stress& stress, double seconds);
    // Runs as long as the options say, under each configuration in turn. Throws DriverError.
    void run(const Stresses& configurations);

    // What was counted so far. `hung`: a launch did not end; the process can do nothing more with the device and is to be
    // ended with std::_Exit.
    const Observation& observation() const;

private:
    class Runner;
    std::unique_ptr<Runner> runner_;
};

RunHeader header_of(const Device& device, const RunOptions& options);

}  // namespace litmus::gpu
