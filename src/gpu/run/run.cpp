// The harness: a test's memory and kernels, and the arguments and shape of a launch as a configuration asks for them.
//
// Threads of one instance meet within a launch, so as many CTAs are launched as run at a time; `occupancy` takes less. Nothing
// needs a grid that is resident as a whole: CTAs of a cluster start together, waiting for anything else is bounded, and
// what does not fit beside the traffic starts when the traffic has ended.
//
// A test for several GPUs is launched on each of them, in the same shape; their kernels meet (emit.cpp). Locations are in the memory of
// one or two of them, results and counts in the first one's. The host waits between init, test and tally, since a stream orders one
// device's launches only.
#include "gpu/run/run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <map>
#include <optional>
#include <random>

#include "base/budget.h"
#include "gpu/emit/compiled.h"
#include "gpu/emit/emit.h"
#include "gpu/emit/stress_text.h"
#include "gpu/run/advice.h"
#include "language/syntax/foreign/convert.h"
#include "language/tensor.h"

namespace litmus::gpu {

namespace {

constexpr uint64_t most_instances = uint64_t{1} << 22;            // of a launch
constexpr uint64_t most_result_bytes = uint64_t{1} << 29;         // of the words observed
constexpr uint64_t most_location_bytes = uint64_t{1} << 30;       // of locations in global memory
constexpr uint64_t most_padding = 4096;                           // Stress::padding
constexpr double seconds_between_readings = 0.25;                 // of the histogram
constexpr double shortest_launch = 0.005, longest_launch = 0.05;  // seconds: what launches are made to take, roughly
constexpr uint64_t cycles_of_traffic = uint64_t{1} << 28;         // about 0.15 s; the stop word comes long before

// The kernels' parameters, in their order (kernel.cpp).
struct Arguments {
    uint64_t memory = 0, alias = 0, memory2 = 0, alias2 = 0, meeting = 0, results = 0, histogram = 0, scratch = 0, pitch = 0;
    uint32_t instances = 0, rounds = 1, stride = 4, mask = 0, scatter = 1, shift = 0, gpu = 0, rotation = 0, apart = 1, seed = 0, skew = 0,
             lag = 0, touch = 0, alternate = 0, before = 0, pattern = 0, lines = 0, distance = 0, spins = 16384;

    std::array<void*, 28> pointers() {
        return {&memory, &alias,  &memory2,   &alias2,  &meeting, &results, &histogram, &scratch, &pitch, &instances,
                &rounds, &stride, &mask,      &scatter, &shift,   &gpu,     &rotation,  &apart,   &seed,  &skew,
                &lag,    &touch,  &alternate, &before,  &pattern, &lines,   &distance,  &spins};
    }
};

CUtensorMapDataType data_type_of(Type type) {
    switch (type) {
        case Type::s32:
            return CU_TENSOR_MAP_DATA_TYPE_INT32;
        case Type::s64:
            return CU_TENSOR_MAP_DATA_TYPE_INT64;
        case Type::f16:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        case Type::bf16:
            return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
        case Type::f32:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        case Type::f64:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        default:  // plain bits
            break;
    }
    if (bits(type) == 8) return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    if (bits(type) == 16) return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    return bits(type) == 32 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64;
}

}  // namespace

// ---- traffic ----------------------------------------------------------------------------------------------

Traffic::Traffic(const Device& device)
    : device_(device),
      module_(device.load(stress_ptx(), "the traffic")),
      kernel_(module_.kernel(stress_kernel)),
      scratch_(device.allocate(scratch_bytes, "scratch memory")),
      stop_(device.allocate(4, "the traffic's stop word")) {
    shape_.block = stress_block;
    shape_.cluster = stress_cluster;
    resident_ = device.resident_blocks(kernel_, shape_);
    scratch_.fill(0);
    stop_.set_word_in_order(0);  // once before there is traffic: what the driver needs for it is loaded now
    device.synchronize(std::chrono::seconds(10));
}

bool Traffic::start(const Stress& stress, uint32_t seed) {
    const unsigned wanted = stress.traffic * static_cast<unsigned>(device_.info().multiprocessors);
    const unsigned room = resident_ * (100 - stress.occupancy) / 100;
    shape_.grid = std::min(wanted, room) / stress_cluster * stress_cluster;
    if (!stress.has_traffic() || shape_.grid == 0) return false;
    ++batch_;
    uint64_t scratch = scratch_.address(), stop = stop_.address(), cycles = cycles_of_traffic;
    uint32_t pattern = pattern_bits(stress.memory), lines = stress.lines - 1, distance = stress.distance, bulk = stress.bulk,
             peers = stress.peers ? 1 : 0, banks = stress.banks;
    const std::array<void*, 11> arguments = {&scratch, &stop, &batch_, &cycles, &seed, &pattern, &lines, &distance, &bulk, &peers, &banks};
    device_.launch(kernel_, shape_, arguments, Stream::side);
    return true;
}

void Traffic::end() {
    stop_.set_word_in_order(batch_);
}

// ---- several GPUs -------------------------------------------------------------------------------------------

Gpus::Gpus(int first) {
    open_.push_back(std::make_unique<Gpu>(first));
}

std::vector<Gpu*> Gpus::take(size_t count) {
    const DeviceInfo& info = first().info();
    if (count > static_cast<size_t>(info.devices))
        throw NotRun("it needs " + std::to_string(count) + " GPUs, and the driver lists " + std::to_string(info.devices) +
                     ": run it where there are more");
    while (open_.size() < count && apart_.empty()) {
        const int ordinal = (info.ordinal + static_cast<int>(open_.size())) % info.devices;
        std::unique_ptr<Gpu> next;
        try {
            next = std::make_unique<Gpu>(ordinal);
        } catch (const DriverError&) {
            throw;
        } catch (const std::runtime_error& error) {  // it is no GPU for these tests
            apart_ = error.what();
            break;
        }
        if (next->device.info().sm != info.sm)
            apart_ = "the GPUs are of different kinds (" + info.name + ", " + next->device.info().name + ")";
        for (const auto& other : open_)
            for (const auto& [from, to] : {std::pair{&other->device, &next->device}, std::pair{&next->device, &other->device}})
                if (apart_.empty()) apart_ = from->reach(*to);
        if (apart_.empty()) open_.push_back(std::move(next));
    }
    if (open_.size() < count) throw NotRun("it needs " + std::to_string(count) + " GPUs that share memory: " + apart_);
    std::vector<Gpu*> result;
    for (size_t i = 0; i < count; ++i) result.push_back(open_[i].get());
    return result;
}

// ---- one test -----------------------------------------------------------------------------------------------

class TestRun::Runner {
public:
    Runner(const std::vector<Gpu*>& gpus, const Test& test, const Emitted& emitted, const std::string& file, const RunOptions& options)
        : device_(gpus.front()->device),
          test_(test),
          plan_(emitted.plan),
          options_(options),
          observation_(describe(test, plan_, file)),
          random_(options.seed) {
        observation_.pinned = options.pins == Pins::between;
        const std::string image = assembled(emitted);
        for (Gpu* gpu : gpus) parts_.emplace_back(*gpu, gpu->device.load(image, test.name), plan_.grids.size());
        init_ = parts_.front().module.kernel("litmus_init");
        tally_ = parts_.front().module.kernel("litmus_tally");
        allocate();
        configure({});
    }

    const Observation& observation() const { return observation_; }

    Measured trial(const Stress& stress, double seconds) {
        Measured measured;
        if (observation_.hung) return measured;
        configure(stress);
        const double start = now();
        const Observation slice = measure([&](const Observation&) { return now() - start >= seconds; });
        for (const Outcome& o : slice.outcomes) measured.outcomes[o.values] = {o.count, wanted(o)};
        measured.seconds = slice.seconds;
        keep(slice, true);
        return measured;
    }

    // Each configuration has one turn at least, however short the time: otherwise a slow test would see the first one alone.
    void run(const Stresses& configurations) {
        const auto turns = static_cast<double>(configurations.size());
        const double start = now(), turn_seconds = std::min(seconds_between_readings, options_.seconds / turns);
        uint64_t instances = 0;
        for (size_t turn = 0; !observation_.hung && !options_.interrupted(); ++turn) {
            if (turn == 0 || turns > 1) configure(configurations[turn % configurations.size()]);
            const bool last_begun = turn + 1 >= configurations.size();
            const auto over = [&](const Observation& slice) {
                if (!last_begun) return false;
                return options_.instances > 0 ? instances + slice.instances >= options_.instances : now() - start >= options_.seconds;
            };
            const auto turn_over = [&](const Observation& slice) {
                return options_.instances > 0
                           ? slice.seconds >= seconds_between_readings ||
                                 (turns > 1 && static_cast<double>(slice.instances) * turns >= static_cast<double>(options_.instances))
                           : slice.seconds >= turn_seconds;
            };
            const Observation slice = measure([&](const Observation& so_far) { return over(so_far) || turn_over(so_far); });
            instances += slice.instances;
            keep(slice, false);
            options_.progress(observation_);
            if (over({})) break;
        }
        observation_.configuration = configurations;
    }

    // Launches start short, since nothing is known of how long this configuration takes, and lengthen.
    void configure(const Stress& stress) {
        stress_ = stress;
        observation_.configuration = {stress};
        rounds_ = least_rounds();
        choose_shape();
        choose_layout();
    }

private:
    // What a GPU has of the test.
    struct Part {
        Part(Gpu& on, Module loaded, size_t grids) : gpu(on), module(std::move(loaded)) {
            for (size_t grid = 0; grid < grids; ++grid) kernels.push_back(module.kernel(test_kernel(grid)));
        }
        Gpu& gpu;
        Module module;
        std::vector<Kernel> kernels;  // of each grid, in the order of their launches
        Buffer memory;                // of the locations that this GPU is home of
    };

    // What is loaded: with an assembler its code, whose order is kept, else the PTX. The driver takes PTX that the assembler does not.
    std::string assembled(const Emitted& emitted) {
        if (!options_.assembler) return emitted.ptx;
        try {
            Assembled result = assemble(test_, emitted, *options_.assembler, target_of(plan_, device_.info().sm));
            observation_.compiled = std::move(result.compiled);
            return std::move(result.cubin);
        } catch (const std::runtime_error&) {
            return emitted.ptx;
        }
    }

    bool packed() const { return plan_.layout == Plan::ThreadLayout::packed; }
    bool has_grids() const { return plan_.grids.size() > 1; }
    // litmus_tally counts the instances of a warp together: either they run in one, or in as many rounds, or, of a test of several grids,
    // which runs one round, there are so many groups (choose_shape).
    uint64_t least_rounds() const { return packed() || has_grids() ? 1 : 32; }
    size_t shown() const {
        return static_cast<size_t>(std::count_if(plan_.words.begin(), plan_.words.end(), [](const Word& w) { return w.shown; }));
    }
    size_t entry_words() const { return 2 + shown(); }
    size_t histogram_bytes() const { return 8 * (histogram_entries * entry_words() + 1); }

    bool wanted(const Outcome& o) const {
        if (test_.claim.kind == Claim::Kind::none) return true;
        return o.satisfies == (test_.claim.kind != Claim::Kind::forall);
    }

    // ---- memory

    void allocate() {
        const uint64_t regions = static_cast<uint64_t>(plan_.regions), words = std::max<size_t>(plan_.words.size(), 1);
        slots_ = std::min(most_instances, std::bit_floor(most_result_bytes / (8 * words)));
        const uint64_t locations = std::min<uint64_t>(most_location_bytes, device_.info().memory / 8);
        if (regions > 0) region_bytes_ = locations / regions / 128 * 128;
        const std::string purpose = "the test's locations";
        for (Part& p : parts_)
            p.memory = plan_.aliased ? p.gpu.device.allocate_twice(region_bytes_ * regions, purpose)
                                     : p.gpu.device.allocate(region_bytes_ * regions, purpose);
        if (parts_.size() > 1) meeting_ = device_.allocate(slots_ * 4, "the words where GPUs meet");
        results_ = device_.allocate(slots_ * 8 * words, "the results");
        histogram_ = device_.allocate(histogram_bytes(), "the histogram");
        arguments_.meeting = meeting_.address();
        arguments_.results = results_.address();
        arguments_.histogram = histogram_.address();
    }

    // ---- what a configuration makes of the launch

    unsigned resident(unsigned block) {
        const auto known = resident_.find(block);
        if (known != resident_.end()) return known->second;
        Shape shape = shape_;
        shape.block = block;
        unsigned least = ~0U;
        for (const Part& p : parts_)
            for (const Kernel& kernel : p.kernels) least = std::min(least, p.gpu.device.resident_blocks(kernel, shape));
        return resident_[block] = least;
    }

    void choose_shape() {
        const auto warps = static_cast<unsigned>(plan_.warps), ctas = static_cast<unsigned>(plan_.units * plan_.cluster);
        unsigned columns = packed() ? std::max(1U, stress_.block / 32 / warps) : 1;  // 32 instances each
        shape_.cluster = static_cast<unsigned>(plan_.cluster);
        while (columns > 1 && resident(32 * warps * columns) < ctas) columns /= 2;
        shape_.block = 32 * warps * columns;
        if (resident(shape_.block) < ctas)
            throw NotRun("the device is too small: it does not run " + std::to_string(ctas) + " CTAs of " + std::to_string(shape_.block) +
                         " threads in clusters of " + std::to_string(plan_.cluster) + " at a time; take a larger GPU");
        const uint64_t of_group = packed() ? columns * 32 : 1;
        uint64_t groups = std::max(1U, resident(shape_.block) * stress_.occupancy / 100 / ctas);
        groups = std::min(groups, slots() / least_rounds() / of_group);
        if (has_grids()) groups = groups / 32 * 32;
        if (groups == 0) throw NotRun("one launch needs more memory than there is; take a larger GPU");
        shape_.grid = static_cast<unsigned>(groups) * ctas;
        per_round_ = groups * of_group;
        arguments_.apart = stress_.spread ? static_cast<uint32_t>(groups) : 1;
        const uint64_t rounds = std::min<uint64_t>(stress_.launch, slots()) / per_round_;
        most_rounds_ = has_grids() ? 1 : std::max(least_rounds(), rounds / least_rounds() * least_rounds());
    }

    uint32_t stride() const { return std::max(static_cast<uint32_t>(plan_.slot_bytes), stress_.stride); }

    // Slots that each region has room for, and instances the results.
    uint64_t slots() const {
        if (region_bytes_ == 0) return slots_;
        return std::min(slots_, std::bit_floor((region_bytes_ - most_padding) / stride()));
    }

    void choose_layout() {
        arguments_.stride = stride();
        arguments_.rotation = stress_.rotation;
        arguments_.skew = stress_.skew == 0 ? 0 : stress_.skew - 1;
        arguments_.lag = 0;
        for (size_t r = 0; r < stress_.lag.size(); ++r) arguments_.lag |= stress_.lag[r] << (4 * r);
        const Home home = parts_.size() > 1 ? stress_.home : Home::first;
        const Buffer& first = parts_.front().memory;
        const Buffer& last = parts_.back().memory;
        const Buffer& even = home == Home::first || home == Home::second_apart ? first : last;
        const Buffer& odd = home == Home::first || home == Home::first_apart ? first : last;
        arguments_.memory = even.address();
        arguments_.alias = even.second_address();
        arguments_.memory2 = odd.address();
        arguments_.alias2 = odd.second_address();
        arguments_.touch = static_cast<uint32_t>(stress_.touch);
        arguments_.alternate = stress_.alternate ? 1 : 0;
        arguments_.before = stress_.before_pattern == Pattern::none ? 0 : stress_.before;
        arguments_.pattern = pattern_bits(stress_.before_pattern);
        arguments_.lines = stress_.lines - 1;
        arguments_.distance = stress_.distance;
    }

    // Longer launches cost less; short ones leave a chance to an interrupt and to tuning.
    void adapt(double seconds) {
        if (seconds < shortest_launch && rounds_ * 2 <= most_rounds_) rounds_ *= 2;
        if (seconds > longest_launch && rounds_ / 2 >= least_rounds()) rounds_ = rounds_ / 2 / least_rounds() * least_rounds();
    }

    // What is drawn again for each launch.
    void vary() {
        const auto word = [&] { return static_cast<uint32_t>(random_()); };
        constexpr std::array<uint32_t, 3> scatters = {1, 33, 0}, shifts = {0, 16, 0};
        arguments_.rounds = static_cast<uint32_t>(rounds_);
        arguments_.instances = static_cast<uint32_t>(per_round_ * rounds_);
        const uint64_t slots = std::bit_ceil(uint64_t{arguments_.instances});
        arguments_.mask = static_cast<uint32_t>(slots - 1);
        arguments_.pitch = slots * arguments_.stride + stress_.padding;
        arguments_.scatter = stress_.scatter == Scatter::random ? word() | 1 : scatters.at(static_cast<size_t>(stress_.scatter));
        arguments_.shift = stress_.shift == Shift::random ? word() : shifts.at(static_cast<size_t>(stress_.shift));
        arguments_.seed = word();
    }

    // ---- tensor maps of the slots of all instances (kernel.cpp)

    CUtensorMap tensor_map(const TensorMap& map) const {
        const Location& array = tensor_array(test_, map);
        const int region = plan_.region[static_cast<size_t>(location_index(test_, array.name))];
        const bool other = plan_.gpus > 1 && region % 2 == 1, alias = !array.alias_of.empty();
        const uint64_t base = other ? (alias ? arguments_.alias2 : arguments_.memory2) : (alias ? arguments_.alias : arguments_.memory);
        TensorLayout layout;
        layout.type = data_type_of(array.type);
        layout.address = base + arguments_.pitch * static_cast<uint64_t>(region);
        layout.sizes.assign(map.dim.begin(), map.dim.end());
        layout.box.assign(map.box.begin(), map.box.end());
        uint64_t distance = static_cast<uint64_t>(bits(array.type)) / 8;
        for (size_t d = 0; d + 1 < map.dim.size(); ++d) layout.strides.push_back(distance *= static_cast<uint64_t>(map.dim[d]));
        const uint64_t slots = uint64_t{arguments_.mask} + 1;
        if (map.column) {
            layout.strides.back() = arguments_.stride;
            layout.sizes.back() = slots;
            layout.lower = map.column->lower;
            layout.upper = map.column->upper;
            layout.pixels = static_cast<uint32_t>(map.column->pixels);
        } else if (copies_rows(test_, map)) {
            layout.sizes.back() = slots * (arguments_.stride / layout.strides.back());
        } else {
            layout.strides.push_back(arguments_.stride);
            layout.sizes.push_back(slots);
            layout.box.push_back(1);
        }
        return device_.tensor_map(layout, map.name);
    }

    // The kernels' arguments, tensor maps behind the others.
    std::vector<void*> arguments() {
        const auto plain = arguments_.pointers();
        std::vector<void*> all(plain.begin(), plain.end());
        for (CUtensorMap& map : tensor_maps_) all.push_back(&map);
        return all;
    }

    // ---- launches

    void launch() {
        tensor_maps_.clear();
        for (const TensorMap& map : test_.tensor_maps) tensor_maps_.push_back(tensor_map(map));
        Shape walk;
        walk.grid = static_cast<unsigned>(device_.info().multiprocessors) * 4;
        walk.block = 256;
        std::vector<Traffic*> noisy;
        for (const Part& p : parts_)
            if (p.gpu.traffic.start(stress_, arguments_.seed)) noisy.push_back(&p.gpu.traffic);
        device_.launch(init_, walk, arguments());
        if (parts_.size() > 1) device_.synchronize_main(limit());
        for (const Part& p : parts_) {
            arguments_.gpu = static_cast<uint32_t>(&p - parts_.data());
            arguments_.scratch = p.gpu.traffic.scratch();
            for (size_t grid = 0; grid < p.kernels.size(); ++grid) {
                Shape shape = shape_;
                shape.programmatic = plan_.grids[grid].programmatic;
                p.gpu.device.launch(p.kernels[grid], shape, arguments());
            }
        }
        for (Traffic* t : noisy) t->end();
        for (size_t p = 1; p < parts_.size(); ++p) parts_[p].gpu.device.synchronize(limit());
        if (parts_.size() > 1) device_.synchronize(limit());
        device_.launch(tally_, walk, arguments());
        device_.synchronize(limit());
    }

    std::chrono::milliseconds limit() const { return std::chrono::milliseconds(static_cast<int64_t>(options_.watchdog * 1000)); }

    // Launches until `over`, or an interrupt; at least once. What a launch that hangs has counted is lost, and the
    // slice with it, since the histogram cannot be read any more.
    template <typename Over>
    Observation measure(Over over) {
        Observation slice;
        const double start = now();
        histogram_.fill(0);
        do {
            const double before = now();
            vary();
            try {
                launch();
            } catch (const HungKernel&) {
                observation_.hung = true;
                return {};
            }
            slice.instances += arguments_.instances;
            ++slice.launches;
            slice.seconds = now() - start;
            adapt(now() - before);
        } while (!options_.interrupted() && !over(slice));
        read_histogram(slice);
        slice.seconds = now() - start;
        return slice;
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
    }

    void keep(const Observation& slice, bool tuning) {
        add(observation_, slice, tuning);
        if (tuning) options_.progress(observation_);
    }

    const Device& device_;  // of the first part
    const Test test_;
    Plan plan_;
    RunOptions options_;
    Observation observation_;
    std::vector<Part> parts_;
    Kernel init_, tally_;
    std::mt19937_64 random_;
    Stress stress_;
    Shape shape_;
    std::map<unsigned, unsigned> resident_;  // CTAs that fill the device, by their threads
    Arguments arguments_;
    std::vector<CUtensorMap> tensor_maps_;  // of the launch, in the order of the test
    Buffer meeting_, results_, histogram_;
    uint64_t region_bytes_ = 0;
    uint64_t slots_ = 0;      // that the results have room for
    uint64_t per_round_ = 0;  // instances
    uint64_t rounds_ = 1, most_rounds_ = 1;
};

namespace {

void check_device(const Device& device, const Plan& plan) {
    const DeviceInfo& info = device.info();
    const std::string target = "sm_" + std::to_string(plan.sm) + (plan.specific ? "a" : "");
    if (info.sm < plan.sm || (plan.specific && info.sm != plan.sm))
        throw NotRun("it needs " + target + "; this device (" + info.name + ") is sm_" + std::to_string(info.sm) + ": take another GPU");
    if (const std::string message = too_old_driver("it", plan.ptx, info.driver); !message.empty()) throw NotRun(message);
}

Emitted emit_or_refuse(const Test& test, Pins pins) {
    try {
        return emit(test, std::nullopt, pins);
    } catch (const Failure& failure) {
        const std::string& message = failure.diagnostics().at(0).message;
        const std::string known = "cannot run on the GPU: ";  // plan.cpp, which names the test first
        const size_t at = message.find(known);
        throw NotRun(at == std::string::npos ? message : message.substr(at + known.size()));
    }
}

}  // namespace

TestRun::TestRun(Gpus& gpus, const Test& written, const std::string& file, const RunOptions& options) {
    Emitted emitted = emit_or_refuse(written, options.pins);
    if (!emitted.plan.hang.empty()) throw NotRun(emitted.plan.hang + ", and a hung kernel cannot be ended");
    check_device(gpus.first(), emitted.plan);
    const std::vector<Gpu*> taken = gpus.take(static_cast<size_t>(emitted.plan.gpus));
    runner_ = std::make_unique<Runner>(taken, to_native(written), std::move(emitted), file, options);
}

TestRun::~TestRun() {
    if (runner_ && runner_->observation().hung) static_cast<void>(runner_.release());
}

Measured TestRun::trial(const Stress& stress, double seconds) {
    return runner_->trial(stress, seconds);
}

void TestRun::run(const Stresses& configurations) {
    runner_->run(configurations);
}

const Observation& TestRun::observation() const {
    return runner_->observation();
}

RunHeader header_of(const Device& device, const RunOptions& options) {
    const DeviceInfo& d = device.info();
    RunHeader header;
    header.device = d.name;
    header.sm = d.sm;
    header.driver = d.driver;
    header.toolkit = CUDA_VERSION;
    header.multiprocessors = d.multiprocessors;
    header.memory = d.memory;
    header.seed = options.seed;
    return header;
}

}  // namespace litmus::gpu
