// The harness in its first form: random placement, start skew and line distance for each batch, nothing tuned.
#include "gpu/run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <random>

#include "gpu/emit.h"
#include "syntax/convert.h"

namespace litmus::gpu {

namespace {

constexpr uint64_t most_instances = uint64_t{1} << 22;  // of a launch
constexpr uint64_t most_bytes = uint64_t{1} << 29;      // of locations and results together
constexpr uint32_t widest_stride = 256;                 // two cache lines
constexpr unsigned threads_of_packed = 256;             // of a CTA
constexpr double seconds_between_readings = 0.5;        // of the histogram

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The kernels' parameters, in their order (emit.cpp).
struct Arguments {
    uint64_t memory = 0, alias = 0, results = 0, histogram = 0;
    uint32_t instances = 0, rounds = 1, stride = 4, mask = 0, scatter = 1, shift = 0, seed = 0, skew = 0, spins = 4096;

    std::array<void*, 13> pointers() {
        return {&memory, &alias, &results, &histogram, &instances, &rounds, &stride, &mask, &scatter, &shift, &seed, &skew, &spins};
    }
};

class Runner {
public:
    Runner(const Device& device, const Test& test, Emitted emitted, const RunOptions& options)
        : device_(device),
          test_(test),
          plan_(std::move(emitted.plan)),
          options_(options),
          module_(device.load(emitted.ptx, test.name)),
          init_(module_.kernel("litmus_init")),
          kernel_(module_.kernel("litmus_test")),
          tally_(module_.kernel("litmus_tally")),
          random_(options.seed) {
        choose_shape();
        allocate();
    }

    Observation run(Observation observation) {
        const double start = now();
        double kept_at = start;
        Observation kept = observation;  // with the histogram: what there is when a launch hangs
        while (!enough(observation, now() - start)) {
            const double before = now();
            vary();
            try {
                batch();
            } catch (const HungKernel&) {
                kept.hung = true;
                return kept;
            }
            observation.instances += arguments_.instances;
            ++observation.launches;
            observation.seconds = now() - start;
            lengthen(now() - before);
            if (now() - kept_at < seconds_between_readings) continue;
            kept = observation;
            read_histogram(kept);
            kept_at = now();
        }
        read_histogram(observation);
        return observation;
    }

private:
    bool packed() const { return plan_.layout == Plan::Layout::packed; }
    size_t shown() const {
        return static_cast<size_t>(std::count_if(plan_.words.begin(), plan_.words.end(), [](const Word& w) { return w.shown; }));
    }
    size_t entry_words() const { return 2 + shown(); }

    // As many CTAs as run at a time: threads of one instance wait for each other.
    void choose_shape() {
        const auto warps = static_cast<unsigned>(plan_.warps);
        const unsigned columns = packed() ? std::max(1U, threads_of_packed / 32 / warps) : 1;
        shape_.block = 32 * warps * columns;
        shape_.cluster = static_cast<unsigned>(plan_.cluster);
        const unsigned ctas = static_cast<unsigned>(plan_.units * plan_.cluster);  // of an instance
        const unsigned groups = device_.resident_blocks(kernel_, shape_) / ctas;
        if (groups == 0)
            throw std::runtime_error("the device is too small for '" + test_.name + "': it does not run " + std::to_string(ctas) +
                                     " CTAs of " + std::to_string(shape_.block) + " threads at a time; take a larger GPU");
        shape_.grid = groups * ctas;
        per_round_ = packed() ? uint64_t{groups} * columns * 32 : groups;
        if (!packed()) rounds_ = 32;  // instances come in warps, which litmus_tally counts together
    }

    uint64_t bytes_for(uint64_t slots) const {
        return slots * (static_cast<uint64_t>(plan_.regions) * std::max(widest_stride, slot_bytes()) + 8 * plan_.words.size());
    }

    uint32_t slot_bytes() const { return static_cast<uint32_t>(plan_.slot_bytes); }

    void allocate() {
        slots_ = most_instances;
        while (slots_ > 32 && bytes_for(slots_) > most_bytes) slots_ /= 2;
        if (per_round_ * rounds_ > slots_) throw std::runtime_error("'" + test_.name + "' needs more memory than one launch is given");
        memory_ =
            device_.allocate(slots_ * static_cast<uint64_t>(plan_.regions) * std::max(widest_stride, slot_bytes()), "the test's locations");
        results_ = device_.allocate(slots_ * 8 * plan_.words.size(), "the results");
        histogram_ = device_.allocate(histogram_bytes(), "the histogram");
        histogram_.fill(0);
        arguments_.memory = memory_.address();
        arguments_.alias = memory_.address();
        arguments_.results = results_.address();
        arguments_.histogram = histogram_.address();
    }

    size_t histogram_bytes() const { return 8 * (histogram_entries * entry_words() + 1); }

    bool enough(const Observation& o, double elapsed) const {
        return options_.instances > 0 ? o.instances >= options_.instances : elapsed >= options_.seconds;
    }

    // Longer launches cost less; 20 ms is short enough for a progress line and an interrupt.
    void lengthen(double seconds) {
        if (seconds < 0.01 && per_round_ * rounds_ * 2 <= slots_) rounds_ *= 2;
    }

    template <typename T>
    T pick(std::initializer_list<T> choices) {
        return *(choices.begin() + static_cast<std::ptrdiff_t>(random_() % choices.size()));
    }

    // The noise of one batch.
    void vary() {
        const auto word = [&] { return static_cast<uint32_t>(random_()); };
        arguments_.rounds = static_cast<uint32_t>(rounds_);
        arguments_.instances = static_cast<uint32_t>(per_round_ * rounds_);
        arguments_.mask = static_cast<uint32_t>(std::bit_ceil(uint64_t{arguments_.instances}) - 1);
        arguments_.stride = std::max(slot_bytes(), pick<uint32_t>({4, 4, 16, 32, 64, 128, 256}));
        arguments_.scatter = pick<uint32_t>({1, 1, 33, word() | 1});
        arguments_.shift = pick<uint32_t>({0, 1, 16, word()});
        arguments_.seed = word();
        arguments_.skew = pick<uint32_t>({0, 0, 127, 511, 2047});
    }

    void batch() {
        const auto pointers = arguments_.pointers();
        Shape walk;
        walk.grid = static_cast<unsigned>(device_.info().multiprocessors) * 4;
        walk.block = 256;
        device_.launch(init_, walk, pointers);
        device_.launch(kernel_, shape_, pointers);
        device_.launch(tally_, walk, pointers);
        device_.synchronize(std::chrono::milliseconds(static_cast<int64_t>(options_.watchdog * 1000)));
    }

    void read_histogram(Observation& o) {
        std::vector<uint64_t> words(histogram_bytes() / 8);
        histogram_.read(words.data(), histogram_bytes());
        for (size_t e = 0; e < histogram_entries; ++e) {
            const uint64_t* entry = &words[e * entry_words()];
            if (entry[0] == 0) continue;
            if (entry[0] == timeout_key) {
                o.timeouts += entry[1];
                continue;
            }
            Outcome outcome;
            outcome.values.assign(entry + 2, entry + entry_words());
            outcome.count = entry[1];
            outcome.satisfies = satisfied(test_, plan_, outcome.values);
            o.outcomes.push_back(std::move(outcome));
        }
        o.unlisted = words.back();
        std::sort(o.outcomes.begin(), o.outcomes.end(),
                  [](const Outcome& a, const Outcome& b) { return a.count != b.count ? a.count > b.count : a.values < b.values; });
    }

    const Device& device_;
    const Test& test_;
    Plan plan_;
    RunOptions options_;
    Module module_;
    Kernel init_, kernel_, tally_;
    Shape shape_;
    Arguments arguments_;
    Buffer memory_, results_, histogram_;
    std::mt19937_64 random_;
    uint64_t per_round_ = 0;  // instances
    uint64_t rounds_ = 1;
    uint64_t slots_ = 0;
};

void check_device(const Device& device, const Test& test, const Plan& plan) {
    const int sm = device.info().sm;
    const std::string needs = "'" + test.name + "' needs sm_" + std::to_string(plan.sm) + (plan.specific ? "a" : "");
    if (sm < plan.sm || (plan.specific && sm != plan.sm))
        throw std::runtime_error(needs + "; this device (" + device.info().name + ") is sm_" + std::to_string(sm) + ": take another GPU");
}

}  // namespace

RunHeader header_of(const Device& device, const RunOptions& options) {
    const DeviceInfo& d = device.info();
    return {d.name, d.sm, d.driver, CUDA_VERSION, d.multiprocessors, d.memory, options.seed};
}

Observation run_test(const Device& device, const Test& written, const std::string& file, const RunOptions& options) {
    const Test test = to_native(written);
    Emitted emitted = emit(test);
    if (!emitted.plan.hang.empty())
        throw Failure(test.source, {}, "'" + test.name + "' is not run: " + emitted.plan.hang + ", and a hung kernel cannot be ended");
    if (emitted.plan.aliased)
        throw Failure(test.source, {}, "'" + test.name + "' is not run: memory at two virtual addresses is not there yet");
    check_device(device, test, emitted.plan);
    Observation observation = describe(test, emitted.plan, file);
    // a hung kernel holds what the runner would free: it is left to the end of the process
    auto runner = std::make_unique<Runner>(device, test, std::move(emitted), options);
    observation = runner->run(std::move(observation));
    if (observation.hung) static_cast<void>(runner.release());
    return observation;
}

}  // namespace litmus::gpu
