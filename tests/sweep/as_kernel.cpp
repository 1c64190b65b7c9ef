// The threads of a test one after the other, each behind a branch to it, in the text that gpu/emit/thread_text.h makes of them. Lanes of
// one warp that have the same text share it.
#include "sweep/as_kernel.h"

#include <algorithm>

#include "gpu/emit/kernel.h"
#include "gpu/emit/plan.h"
#include "gpu/emit/thread_text.h"
#include "kernel/arguments.h"

namespace litmus {

namespace {

using gpu::Plan;
using gpu::PtxText;

constexpr int most_unlaunched = 8;

void refuse(bool reason, const std::string& why) {
    if (reason) throw Failure(nullptr, {}, why);
}

// Whether two threads execute one text, in which special registers say who they are.
bool have_one_text(const Thread& one, const Thread& other) {
    const auto without_places = [](const Thread& thread) {
        std::vector<Instruction> body = thread.body;
        for (Instruction& instruction : body)
            for (Operand& operand : instruction.operands)
                if (!operand.name.empty() && operand.kind == Operand::Kind::immediate) operand.value = 0;
        return body;
    };
    return one.end_labels == other.end_labels && without_places(one) == without_places(other);
}

bool are_in_one_warp(const Thread& one, const Thread& other) {
    return one.at.cta == other.at.cta && one.at.warp == other.at.warp;
}

void refuse_what_is_no_kernel(const Test& test) {
    for (const Location& location : test.locations) {
        refuse(!location.alias_of.empty(), "a second address of a location");
        refuse(location.is_tensor, "tensor memory");
        refuse(location.is_tensor_map, "a tensor map in memory");
    }
    for (const TensorMap& map : test.tensor_maps)
        refuse(map.column || gpu::copies_rows(test, map), "a tensor map for the modes im2col, or for rows");
    for (const Thread& thread : test.threads)
        for (const Thread& other : test.threads)
            refuse(&thread != &other && are_in_one_warp(thread, other) && !have_one_text(thread, other) &&
                       gpu::any_instruction(test,
                                            [](const Instruction& i) {
                                                return kind(i.op) == Traits::Kind::warp_reduction || is_barrier(i.op) ||
                                                       kind(i.op) == Traits::Kind::warp_barrier;
                                            }),
                   "lanes of one warp that meet, each in its own code");
    // one lane alone of each warp is there
    refuse(gpu::any_instruction(test, [](const Instruction& i) { return gpu::is_of_warp(i.op) || gpu::is_of_warpgroup(i.op); }),
           "instructions of a whole warp");
    refuse(gpu::any_instruction(test,
                                [](const Instruction& i) {
                                    return std::any_of(i.operands.begin(), i.operands.end(),
                                                       [](const Operand& operand) { return operand.role == Role::threads; });
                                }),
           "a barrier with a number of threads");
}

class KernelText {
public:
    KernelText(const Test& test, const Plan& plan) : test_(test), plan_(plan) {}

    std::string write() {
        size_t kept = 0;
        PtxText threads;
        threads.open();
        for (size_t t = 0; t < test_.threads.size(); ++t) {
            if (text_of(t) != t) continue;
            threads.label("$run" + std::to_string(t));
            threads.line("{");
            kept = std::max(kept, emit_bare_thread(test_, plan_, static_cast<int>(t), threads, gpu::Specials::names_of_lanes));
            threads.line("}");
            threads.line("ret;");
        }
        PtxText text;
        text.line(".version " + std::to_string(std::max(plan_.ptx, 86) / 10) + "." + std::to_string(std::max(plan_.ptx, 86) % 10));
        text.line(".target sm_" + std::to_string(plan_.sm) + (plan_.specific ? "a" : ""));
        text.line(".address_size 64");
        if (plan_.shared_bytes > 0) text.line(".shared .align 128 .b8 $shared[" + std::to_string(plan_.shared_bytes) + "];");
        text.line(".visible .entry test(" + parameters() + ")");
        text.line("{");
        text.line(".reg .pred $go, $here;");
        text.line(".reg .b32 $block, $thread;");
        text.line(".reg .b64 $value, $global<" + std::to_string(test_.locations.size() + 1) + ">, $kept<" + std::to_string(kept + 1) +
                  ">;");
        for (const std::string width : {"8", "16", "32", "64"})
            if (threads.str().find("$t" + width + "$") != std::string::npos) text.line(".reg .b" + width + " $t" + width + "$<16>;");
        for (size_t l = 0; l < test_.locations.size(); ++l)
            if (is_global(l)) text.line("ld.param.u64 $global" + std::to_string(l) + ", [global" + std::to_string(l) + "];");
        gpu::load_tensor_maps(test_, text);
        text.line("mov.u32 $block, %ctaid.x;");
        text.line("mov.u32 $thread, %tid.x;");
        const auto is_shared = [](const Location& location) { return location.space == Space::shared; };
        if (std::any_of(test_.locations.begin(), test_.locations.end(), is_shared)) begin(text);
        for (size_t t = 0; t < test_.threads.size(); ++t)
            if (text_of(t) == t) dispatch(t, text);
        text.line("ret;");
        text.append(threads);
        text.line("}");
        return text.str();
    }

private:
    // The first thread of the same warp whose text thread t executes, so that they go through it together.
    size_t text_of(size_t t) const {
        for (size_t first = 0; first < t; ++first)
            if (are_in_one_warp(test_.threads[first], test_.threads[t]) && have_one_text(test_.threads[first], test_.threads[t]))
                return first;
        return t;
    }

    bool is_global(size_t l) const { return test_.locations[l].space == Space::global; }

    std::string parameters() const {
        std::string list;
        const auto add = [&list](const std::string& parameter) { list += (list.empty() ? ".param " : ", .param ") + parameter; };
        for (size_t l = 0; l < test_.locations.size(); ++l)
            if (is_global(l)) add(".u64 global" + std::to_string(l));
        for (size_t k = 0; k < test_.tensor_maps.size(); ++k) add(".align 64 .b8 tensor" + std::to_string(k) + "[128]");
        return list;
    }

    // The first thread of each block writes what its shared memory holds at the start. The fences are for that alone.
    void begin(PtxText& text) const {
        text.line("setp.ne.u32 $go, $thread, 0;");
        text.line("@$go bra $begun;");
        for (size_t l = 0; l < test_.locations.size(); ++l) {
            const Location& location = test_.locations[l];
            if (location.space != Space::shared || (location.is_mbarrier && !location.arrivals)) continue;
            const std::string past = "$begun" + std::to_string(l);
            if (location.cta) {
                const int block = block_of(*location.cta);
                text.line("setp.ne.u32 $go, $block, " + std::to_string(block) + ";");
                text.line("@$go bra " + past + ";");
            }
            const auto at = [&](int bytes) { return "[$shared+" + std::to_string(plan_.offset[l] + bytes) + "]"; };
            const int width = bits(location.type);
            for (int e = 0; e < location.count && location.is_mbarrier; ++e)
                text.line("mbarrier.init.shared::cta.b64 " + at(e * width / 8) + ", " + std::to_string(*location.arrivals) + ";");
            for (int e = 0; e < location.count && !location.is_mbarrier; ++e)
                text.line("st.shared" + gpu::store_type(location.type) + " " + at(e * width / 8) + ", " +
                          gpu::literal(
                              width == 64 ? Type::b64 : Type::b32,
                              truncate(static_cast<size_t>(e) < location.init.size() ? location.init[static_cast<size_t>(e)] : 0, width)) +
                          ";");
            text.label(past);
        }
        text.line("fence.proxy.async.shared::cluster;");
        text.label("$begun");
        text.line("barrier.cluster.arrive;");
        text.line("barrier.cluster.wait;");
        text.line("fence.proxy.async.shared::cluster;");
    }

    const gpu::PlannedCta& planned(int cta) const {
        return *std::find_if(plan_.ctas.begin(), plan_.ctas.end(), [&](const gpu::PlannedCta& c) { return c.number == cta; });
    }
    int block_of(int cta) const { return planned(cta).unit * plan_.cluster + planned(cta).rank; }

    // All threads that have this text branch to it by one statement.
    void dispatch(size_t text_number, PtxText& text) const {
        text.line("setp.ne.u32 $go, $block, $block;");
        for (size_t t = text_number; t < test_.threads.size(); ++t) {
            if (text_of(t) != text_number) continue;
            const gpu::PlannedCta& cta = plan_.ctas[static_cast<size_t>(plan_.cta_of[t])];
            const int place = plan_.warp_of[t] * 32 + test_.threads[t].at.lane;
            text.line("setp.eq.u32 $here, $block, " + std::to_string(cta.unit * plan_.cluster + cta.rank) + ";");
            text.line("setp.eq.and.u32 $here, $thread, " + std::to_string(place) + ", $here;");
            text.line("or.pred $go, $go, $here;");
        }
        text.line("@$go bra $run" + std::to_string(text_number) + ";");
    }

    const Test& test_;
    const Plan& plan_;
};

std::vector<uint8_t> bytes_of(const Location& location) {
    const auto width = static_cast<size_t>(std::max(bits(location.type), 8) / 8);
    std::vector<uint8_t> bytes(static_cast<size_t>(location.count) * width);
    for (size_t e = 0; e < location.init.size(); ++e)
        for (size_t i = 0; i < std::min<size_t>(width, 8); ++i) bytes[e * width + i] = static_cast<uint8_t>(location.init[e] >> (8 * i));
    return bytes;
}

kernel::Launch launch_of(const Test& test, const Plan& plan) {
    kernel::Launch launch;
    launch.entry = "test";
    launch.grid[0] = static_cast<uint32_t>(plan.gpus * plan.units * plan.cluster);
    launch.cluster[0] = static_cast<uint32_t>(plan.cluster);
    // where the test does not say how many there are, there are as many as it asks for
    const bool asks = gpu::any_instruction(test, [](const Instruction& i) { return i.op == Op::try_cancel; });
    launch.unlaunched = static_cast<uint32_t>(test.unlaunched.value_or(asks ? most_unlaunched : 0));
    refuse(plan.gpus > 1 && launch.unlaunched > 0, "clusters that have not started, on one of several GPUs");
    launch.grid[0] += launch.unlaunched * launch.cluster[0];
    launch.block[0] = static_cast<uint32_t>(plan.warps * 32);
    std::map<std::string, size_t> arrays;
    for (const Location& location : test.locations) {
        if (location.space != Space::global) continue;
        arrays[location.name] = launch.arrays.size();
        launch.arguments.push_back({location.name, std::vector<uint8_t>(8), {{0, launch.arrays.size(), 0}}});
        launch.arrays.push_back({location.name, location.type, bytes_of(location), {}});
        for (const std::string& replica : location.points_to) {
            launch.arrays.back().points_to.push_back(arrays.at(replica));
            launch.arrays.back().bytes = launch.arrays[arrays.at(replica)].bytes;
        }
    }
    for (const TensorMap& map : test.tensor_maps) {
        kernel::TensorMap given{arrays.at(map.array),
                                launch.arrays[arrays.at(map.array)].type,
                                {map.dim.begin(), map.dim.end()},
                                {map.box.begin(), map.box.end()}};
        given.sizes.push_back(1);  // the emitter's dimension for the instances of a test
        given.box.push_back(1);
        launch.arguments.push_back({map.name, std::vector<uint8_t>(128), {}, {given}});
    }
    return launch;
}

// Whether the grid begins when all before are over, or may begin before the last one is.
bool is_programmatic(const Grid& grid) {
    refuse(grid.apart, "a grid of another stream");
    const bool follows = grid.number == 0 || grid.programmatic == std::vector<int>{grid.number - 1};
    refuse(!grid.programmatic.empty() && (!follows || !grid.after.empty()), "grids that are no stream");
    refuse(!grid.after.empty() && (grid.number != 1 || grid.after.front() != 0), "grids that are no stream");
    return !grid.programmatic.empty();
}

// The threads of one grid, with what they have alone and what all grids have.
Test grid_alone(const Test& test, int number) {
    Test alone = test;
    alone.grids.clear();
    alone.claim = {};
    alone.filter.reset();
    alone.observed.clear();
    std::erase_if(alone.threads, [&](const Thread& thread) { return grid_of(thread.at.cta) != number; });
    std::erase_if(alone.locations, [&](const Location& location) { return location.cta && grid_of(*location.cta) != number; });
    for (Location& location : alone.locations)
        if (location.cta) location.cta = number_in_grid(*location.cta);
    for (Thread& thread : alone.threads) {
        thread.at.cta = number_in_grid(thread.at.cta);
        thread.at.cluster = number_in_grid(thread.at.cluster);
    }
    return alone;
}

}  // namespace

std::vector<TestAsKernel> as_stream(const Test& test) {
    std::vector<TestAsKernel> kernels;
    for (const Grid& grid : grids_of(test)) {
        refuse(grid.number != static_cast<int>(kernels.size()), "grids that are no stream");
        const bool programmatic = is_programmatic(grid);
        kernels.push_back(as_kernel(grid_alone(test, grid.number)));
        kernels.back().launch.programmatic = programmatic;
    }
    return kernels;
}

TestAsKernel as_kernel(const Test& test) {
    Plan plan = gpu::make_plan(test, {}, gpu::Runner::sweep);
    plan.turns = false;
    refuse_what_is_no_kernel(test);
    std::string ptx = KernelText(test, plan).write();
    kernel::Module module = kernel::read_module(make_source(test.name + ".ptx", ptx));
    return {std::move(ptx), std::move(module), launch_of(test, plan), static_cast<uint32_t>(plan.gpus)};
}

}  // namespace litmus
