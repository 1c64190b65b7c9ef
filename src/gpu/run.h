// Running a test on the device: batches of init, test and tally, until there are enough instances.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/driver.h"
#include "gpu/observed.h"
#include "test/test.h"

namespace litmus::gpu {

struct RunOptions {
    uint64_t instances = 0;  // at least so many; 0: as `seconds` says
    double seconds = 1;      // for each test, when `instances` is 0
    uint64_t seed = 1;
    double watchdog = 30;  // seconds that one batch may take
};

// Runs one test. Throws Failure where it cannot be emitted, or could wait for ever; std::runtime_error with one line where
// the device does not have what it needs; DriverError. A batch that hangs ends the run with `hung` set: the process can
// then do nothing more with the device and is to be ended with std::_Exit.
Observation run_test(const Device& device, const Test& test, const std::string& file, const RunOptions& options);

RunHeader header_of(const Device& device, const RunOptions& options);

}  // namespace litmus::gpu
