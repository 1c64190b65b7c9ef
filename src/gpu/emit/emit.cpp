// Emission: the kernels around the threads of a test; a test of several grids has one for each.
//
// What the kernels add to the test, and why the test does not notice:
//   before    Global locations get their initial values in a kernel of their own, and a kernel's end orders them before
//             everything of the next. Shared ones are written, and mbarriers initialised, by one thread of their CTA,
//             followed by fence.mbarrier_init and fence.proxy.async (both before the test, hence for initial values
//             only) and a barrier of the whole cluster, which every thread passes before its first instruction.
//             A round of an instance has global locations that no earlier round used; its
//             shared locations hold what the round before left, or alternating words, until they are written again.
//   noise     Before its part of the test a hardware thread may access scratch memory (pre-stress), read its locations or
//             have them fetched into L2 (touch: thread_text.cpp), and wait (skew, lag). Scratch memory is no location of
//             the test, and what is read there is not used. These accesses are relaxed or volatile and come first in program
//             order: nothing that follows waits for them but the fences and barriers of the test, which then take
//             longer and order no more. In the model each is an event more, which adds edges and takes none away, so what
//             an instance shows with them it may show without them. Each kind is skipped by one predicate when it is off.
//   meeting   A test for several GPUs is one kernel on each. Before its part of an instance each warp counts itself in a word of
//             its own and waits, not for ever, until the warps of that instance on all GPUs have: they start within the time that a
//             store takes to the other GPU. An instance that waited in vain counts as timed out. The accesses are relaxed and come first in
//             program order. With a fence of the test behind them they may synchronize: but only what comes before them, which is
//             rounds that are over, with what comes after the fence.
//   within    Address arithmetic (mad, mapa, cvta) is done before the first instruction of the thread. mapa and cvta
//             compute a number and access nothing. What stands between instructions is described in thread_text.cpp.
//             What stands there with Pins::between, too.
//   after     Registers stay registers and are stored when the thread is over. The stores wait for the loads that
//             feed them, as any use would; no instruction of the test comes after them. A loaded register that the
//             condition does not mention is stored too: the assembler would leave its load out.
//             Final values in shared memory are read by their CTA after a barrier of the whole cluster, which also
//             keeps CTAs alive while others access their memory; mbarriers are invalidated then. Final values in global
//             memory are read by the third kernel.
// Where this weakens tests: all threads of a group come out of the entry barrier at nearly the same time (the start skew
// spreads them again); one thread of each CTA has the shared locations' lines and the mbarriers warm; asynchronous
// operations that nobody waits for get a pause, not a guarantee, to end before the round is over.
#include "gpu/emit/emit.h"

#include "gpu/emit/kernel.h"
#include "gpu/emit/round.h"
#include "gpu/emit/text.h"
#include "gpu/emit/thread_text.h"
#include "gpu/emit/walk.h"
#include "language/syntax/foreign/convert.h"

namespace litmus::gpu {

namespace {

// ---- the head -------------------------------------------------------------------------------------

void write_placement(const Test& test, const Plan& plan, PtxText& text) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
        std::string line = "  " + test.threads[t].name + ": ";
        if (plan.grids.size() > 1) line += test_kernel(static_cast<size_t>(cta.grid)) + ", ";
        if (plan.gpus > 1) line += "GPU " + std::to_string(cta.gpu) + " of " + std::to_string(plan.gpus) + ", ";
        if (plan.units > 1) line += "cluster " + std::to_string(cta.unit % plan.units) + " of " + std::to_string(plan.units) + ", ";
        if (plan.cluster > 1) line += "CTA " + std::to_string(cta.rank) + " of its cluster, ";
        line += "warp " + std::to_string(plan.warp_of[t]);
        if (runs_warpgroup(test.threads[t]))
            line += " and the three behind it, all lanes";
        else if (plan.layout == Plan::ThreadLayout::grouped)
            line += whole_warp(test, static_cast<int>(t)) ? ", all lanes" : ", lane " + std::to_string(test.threads[t].at.lane);
        text.comment(line);
    }
}

void write_head(const Test& test, const Plan& plan, PtxText& text) {
    text.comment("Test \"" + test.name + "\", written by `litmus emit`.");
    text.comment("");
    if (plan.layout == Plan::ThreadLayout::packed) {
        text.comment("Packed: a hardware thread runs one thread of the test in one instance, so a warp runs 32 instances.");
    } else {
        text.comment("Grouped: " + std::to_string(plan.units * plan.cluster) + " CTA(s)" + (plan.gpus > 1 ? " of each GPU" : "") +
                     " run one instance in each round.");
    }
    write_placement(test, plan, text);
    std::string kernels = "litmus_test";
    for (size_t g = 1; g < plan.grids.size(); ++g) kernels += ", " + test_kernel(g);
    text.comment("Launch litmus_init, " + kernels + " and litmus_tally in this order, all with the same arguments;");
    for (size_t g = 1; g < plan.grids.size(); ++g)
        if (plan.grids[g].programmatic)
            text.comment(test_kernel(g) + " with programmatic stream serialization: it may begin before the kernel before it has ended;");
    text.comment(
        "litmus_test in clusters of " + std::to_string(plan.cluster) + " CTA(s), a multiple of " + std::to_string(plan.units) +
        " clusters, " +
        (plan.layout == Plan::ThreadLayout::packed ? "a multiple of " + std::to_string(plan.warps * 32) : std::to_string(plan.warps * 32)) +
        " threads a CTA.");
    if (plan.gpus > 1)
        text.comment("The host waits between them. litmus_init and litmus_tally run on one GPU; litmus_test on " +
                     std::to_string(plan.gpus) + " GPUs, side by side, in the same shape, where `gpu` and `scratch` are each one's own.");
    text.comment("Observed of each instance, in this order:");
    for (const Word& w : plan.words) text.comment("  " + w.name + (w.shown ? "" : " (not part of the outcome)"));
    text.line();
    text.line(".version " + std::to_string(plan.ptx / 10) + "." + std::to_string(plan.ptx % 10));
    text.line(".target sm_" + std::to_string(plan.sm) + (plan.specific ? "a" : ""));
    text.line(".address_size 64");
    text.line();
    if (plan.shared_bytes > 0) {
        text.line(".shared .align 128 .b8 $shared[" + std::to_string(plan.shared_bytes) + "];", "the test's locations in shared memory");
        text.line();
    }
    if (plan.spoils) {
        text.line(".shared .align 4 .b32 $left_behind;", "a round has timed out");
        text.line();
    }
}

// ---- litmus_test ----------------------------------------------------------------------------------------

// Turns of waiting for the other GPUs: some 20 ms, more than what lies between their launches.
constexpr unsigned meeting_turns = 16384;

// The emitter's registers; temporaries of a width only where `body` has some.
void declare_registers(const Plan& plan, Pins pins, const std::string& body, PtxText& text) {
    text.line(".reg .pred $go, $own, $all, $spoilt;");
    if (pins == Pins::between) text.line(".reg .pred $never;", "false, which the assembler cannot know");
    text.line(".reg .pred $late, $touching, $fetching, $stressing, $store1, $store2, $alternating;", "which noise there is");
    if (plan.gpus > 1) {
        text.line(".reg .pred $alone;", "the other GPUs did not come");
        text.line(".reg .b32 $gpu, $goal;");
        text.line(".reg .b64 $memory2, $alias2, $meeting;");
    }
    if (plan.turns) text.line(".reg .b32 $rank<" + std::to_string(plan.cluster) + ">;", "where each CTA of the cluster is");
    text.line(".reg .b32 $thread, $lane, $warp, $unit, $group, $groups, $corner, $place;", "where this hardware thread stands");
    text.line(".reg .b32 $instance, $instances, $per_round, $first, $round, $rounds;");
    text.line(".reg .b32 $slot, $mask, $stride, $scatter, $shift, $spread;");
    text.line(".reg .b32 $rotation, $apart, $touch, $alternate, $before, $pattern, $lines, $distance, $left, $line, $read;");
    text.line(".reg .b32 $seed, $noise, $skew, $lag, $start, $wait, $spins, $fuel, $timeout, $told;");
    text.line(".reg .b64 $memory, $alias, $pitch, $results, $scratch, $row, $column, $at, $value, $touched;");
    for (const std::string width : {"8", "16", "32", "64"})
        if (body.find("$t" + width + "$") != std::string::npos) text.line(".reg .b" + width + " $t" + width + "$<16>;");
}

// The CTA of rank n is CTA n + rotation of the test; the test's CTA r has rank $rank<r>.
void turn_cluster(const Plan& plan, PtxText& text) {
    const std::string size = std::to_string(plan.cluster);
    text.line("rem.u32 $start, $rotation, " + size + ";");
    text.line("sub.u32 $start, " + size + ", $start;");
    for (int r = 0; r < plan.cluster; ++r) {
        const std::string rank = "$rank" + std::to_string(r);
        text.line("add.u32 " + rank + ", $start, " + std::to_string(r) + ";");
        text.line("rem.u32 " + rank + ", " + rank + ", " + size + ";");
    }
    text.line("add.u32 $corner, $corner, $rotation;");
    text.line("rem.u32 $corner, $corner, " + size + ";");
}

void find_place(const Plan& plan, PtxText& text) {
    const std::string units = std::to_string(plan.units), warps = std::to_string(plan.warps);
    const bool grouped = plan.layout == Plan::ThreadLayout::grouped;
    text.line("mov.u32 $thread, %tid.x;");
    text.line("and.b32 $lane, $thread, 31;");
    text.line("shr.u32 $warp, $thread, 5;");
    text.line("mov.u32 $group, %clusterid.x;");
    text.line("mov.u32 $groups, %nclusterid.x;");
    text.line("mov.u32 $corner, %cluster_ctarank;", "the CTA of the instance");
    if (plan.turns) turn_cluster(plan, text);
    if (plan.units > 1) {
        text.line("div.u32 $unit, $group, $apart;");
        text.line("rem.u32 $group, $group, $apart;");
        text.line("div.u32 $start, $unit, " + units + ";");
        text.line("mad.lo.u32 $group, $start, $apart, $group;", "which of those with this unit");
        text.line("add.u32 $unit, $unit, $rotation;");
        text.line("rem.u32 $unit, $unit, " + units + ";", "which of the clusters that make up an instance");
        text.line("div.u32 $groups, $groups, " + units + ";");
        text.line("mad.lo.u32 $corner, $unit, " + std::to_string(plan.cluster) + ", $corner;");
    }
    if (plan.gpus > 1) text.line("mad.lo.u32 $corner, $gpu, " + std::to_string(plan.units * plan.cluster) + ", $corner;");
    text.line("mov.u32 $place, $corner;", plan.warps > 1 ? "" : "the thread of the test");
    if (plan.warps > 1) {
        text.line(plan.turn == 1 ? "add.u32 $place, $warp, $rotation;"
                                 : "mad.lo.u32 $place, $rotation, " + std::to_string(plan.turn) + ", $warp;");
        text.line("rem.u32 $place, $place, " + warps + ";");
        text.line("mad.lo.u32 $place, $corner, " + warps + ", $place;", grouped ? "a warp of the test" : "the thread of the test");
    }
    if (grouped) {
        text.line("mov.u32 $per_round, $groups;");
        text.line("mov.u32 $first, $group;");
        if (plan.gpus > 1) text.line("mad.wide.u32 $meeting, $first, 4, $meeting;");
        return;
    }
    if (plan.warps > 1) text.line("div.u32 $warp, $warp, " + warps + ";", "32 instances for each of these");
    text.line("mov.u32 $first, %ntid.x;");
    text.line("div.u32 $first, $first, " + std::to_string(plan.warps * 32) + ";");
    text.line("mul.lo.u32 $per_round, $groups, $first;");
    text.line("shl.b32 $per_round, $per_round, 5;");
    text.line("mad.lo.u32 $first, $group, $first, $warp;");
    if (plan.gpus > 1) text.line("mad.wide.u32 $meeting, $first, 4, $meeting;");
    text.line("mad.lo.u32 $first, $first, 32, $lane;");
}

void find_noise(PtxText& text) {
    text.line("or.b32 $start, $skew, $lag;");
    text.line("setp.ne.u32 $late, $start, 0;");
    text.line("setp.ne.u32 $touching, $touch, 0;");
    text.line("setp.eq.u32 $fetching, $touch, 2;");
    text.line("setp.ne.u32 $alternating, $alternate, 0;");
    text.line("setp.ne.u32 $stressing, $before, 0;");
    text.line("and.b32 $start, $pattern, 1;");
    text.line("setp.ne.u32 $store1, $start, 0;");
    text.line("and.b32 $start, $pattern, 2;");
    text.line("setp.ne.u32 $store2, $start, 0;");
}

// Pre-stress: each pair of accesses goes to a random line, each lane to a word of its own.
void write_before(PtxText& text) {
    text.comment("pre-stress");
    text.line("@!$stressing bra $before_done;");
    text.line("mov.u32 $left, $before;");
    text.label("$before_next");
    text.line(".pragma \"nounroll\";");
    text.line("mad.lo.u32 $line, $left, 2654435769, $noise;");
    text.line("mad.lo.u32 $line, $place, 2246822519, $line;");
    text.line("mul.lo.u32 $line, $line, 3266489917;");
    text.line("shr.u32 $line, $line, 15;");
    text.line("and.b32 $line, $line, $lines;");
    text.line("mad.wide.u32 $at, $line, $distance, $scratch;");
    text.line("mad.wide.u32 $at, $lane, 4, $at;");
    for (const std::string which : {"$store1", "$store2"}) {
        text.line("@" + which + " st.relaxed.gpu.global.u32 [$at], $line;");
        text.line("@!" + which + " ld.volatile.global.u32 $read, [$at];");
    }
    text.line("sub.u32 $left, $left, 1;");
    text.line("setp.ne.u32 $go, $left, 0;");
    text.line("@$go bra $before_next;");
    text.label("$before_done");
}

// The warps of an instance wait for one another, each in its first lane. One that waited in vain waits no more in this launch.
void write_meeting(const Plan& plan, PtxText& text) {
    text.comment("the GPUs meet");
    text.line("@$alone bra $met;");
    text.line("mov.u32 $left, " + std::to_string(meeting_turns) + ";");
    text.line("setp.ne.u32 $go, $lane, 0;");
    text.line("@$go bra $counted_in;");
    text.line("red.relaxed.sys.global.add.u32 [$meeting], 1;");
    text.line("mad.lo.u32 $goal, $round, " + std::to_string(places(plan)) + ", " + std::to_string(places(plan)) + ";");
    text.label("$wait_for_all");
    text.line(".pragma \"nounroll\";");
    text.line("ld.relaxed.sys.global.u32 $read, [$meeting];");
    text.line("setp.ge.u32 $go, $read, $goal;");
    text.line("@$go bra $counted_in;");
    text.line("sub.u32 $left, $left, 1;");
    text.line("setp.ne.u32 $go, $left, 0;");
    text.line("@$go bra $wait_for_all;");
    text.label("$counted_in");
    text.line("shfl.sync.idx.b32 $left, $left, 0, 31, 0xffffffff;");
    text.line("setp.eq.u32 $alone, $left, 0;");
    text.label("$met");
}

bool is_of_grid(const Plan& plan, size_t thread, size_t grid) {
    return static_cast<size_t>(plan.ctas[static_cast<size_t>(plan.cta_of[thread])].grid) == grid;
}

void dispatch(const Test& test, const Plan& plan, size_t grid, PtxText& text) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        if (!is_of_grid(plan, t, grid)) continue;
        const bool of_warpgroup = runs_warpgroup(test.threads[t]);
        if (of_warpgroup) text.line("and.b32 $start, $place, -4;", "the four warps of a warpgroup");
        text.line("setp.eq.u32 $go, " + std::string(of_warpgroup ? "$start, " : "$place, ") + std::to_string(place_of_thread(plan, t)) +
                  ";");
        if (plan.layout == Plan::ThreadLayout::grouped && !whole_warp(test, static_cast<int>(t)))
            text.line("setp.eq.and.u32 $go, $lane, " + std::to_string(test.threads[t].at.lane) + ", $go;");
        text.line("@$go bra " + thread_label(test.threads[t]) + ";");
    }
    text.line("bra $finished;");
}

// What belongs to another grid ends at once: whole clusters, so nobody waits for it.
void leave_other_grids(const Plan& plan, size_t grid, PtxText& text) {
    for (const PlannedCta& cta : plan.ctas) {
        if (static_cast<size_t>(cta.grid) == grid || cta.rank != 0) continue;
        text.line("setp.eq.u32 $go, $unit, " + std::to_string(cta.unit) + ";", "of another grid");
        text.line("@$go exit;");
    }
}

void write_test(const Test& test, const Plan& plan, size_t grid, Pins pins, PtxText& text) {
    const bool grouped = plan.layout == Plan::ThreadLayout::grouped;
    PtxText body;
    body.open();
    for (size_t t = 0; t < test.threads.size(); ++t) {
        if (!is_of_grid(plan, t, grid)) continue;
        body.line();
        emit_thread(test, plan, static_cast<int>(t), pins, body);
    }
    text.comment(plan.grids.size() == 1 ? "The test." : "Grid " + std::to_string(plan.grids[grid].number) + " of the test.");
    write_signature(test_kernel(grid), test, text);
    text.line("{");
    text.open();
    declare_registers(plan, pins, body.str(), text);
    load_parameters(
        text, {"memory", "alias", "results", "scratch", "pitch", "instances", "rounds", "stride",  "mask",  "scatter",  "shift", "rotation",
               "apart",  "seed",  "skew",    "lag",     "touch", "alternate", "before", "pattern", "lines", "distance", "spins"});
    if (plan.gpus > 1) load_parameters(text, {"memory2", "alias2", "meeting", "gpu"});
    load_tensor_maps(test, text);
    write_regions(plan, plan.aliased, text);
    find_place(plan, text);
    leave_other_grids(plan, grid, text);
    find_noise(text);
    text.line("mul.wide.u32 $row, $instances, 8;");
    text.line("mov.u32 $round, 0;");
    if (pins == Pins::between) text.line("setp.eq.u32 $never, $rounds, 0;", "there is one round at least");
    text.line("mov.b64 $touched, 0;");
    if (plan.gpus > 1) text.line("setp.ne.u32 $alone, $round, 0;");
    if (plan.spoils) {
        text.line("setp.ne.u32 $spoilt, $round, 0;");
        text.line("st.relaxed.cta.shared.u32 [$left_behind], $round;");
    }
    text.line();
    text.label("$again");
    text.line("mad.lo.u32 $instance, $round, $per_round, $first;");
    text.line("mul.lo.u32 $spread, $instance, $scatter;");
    text.line("mad.wide.u32 $column, $instance, 8, $results;");
    text.line("shr.u32 $noise, $instance, " + std::string(grouped ? "0" : "5") + ";", grouped ? "" : "the lanes of a warp stay together");
    text.line("xor.b32 $noise, $noise, $seed;");
    if (plan.spoils) text.line("@$spoilt bra $ready;");
    if (grouped) write_entry(test, plan, text);
    write_before(text);
    if (plan.gpus > 1) write_meeting(plan, text);
    if (plan.spoils) text.label("$ready");
    dispatch(test, plan, grid, text);
    text.append(body);
    text.line();
    text.label("$finished");
    if (plan.spoils) text.line("@$spoilt bra $next;");
    if (grouped) write_exit(test, plan, text);
    if (plan.spoils) {
        text.line("ld.relaxed.cta.shared.u32 $read, [$left_behind];");
        text.line("setp.ne.u32 $spoilt, $read, 0;");
        text.label("$next");
    }
    text.line("add.u32 $round, $round, 1;");
    text.line("setp.lt.u32 $go, $round, $rounds;");
    text.line("@$go bra $again;");
    text.line("setp.eq.u64 $go, $touched, 0x9e3779b97f4a7c15U;", "uses what `touch` has read");
    text.line("@$go st.global.u64 [$scratch], $touched;");
    if (plan.spoils) {
        text.line("@!$spoilt bra $clean;");
        pause(1000000, "what was left behind ends before the CTA does", text);
        text.label("$clean");
    }
    text.line("ret;");
    text.close();
    text.line("}");
    text.line();
}

}  // namespace

Emitted emit(const Test& written, std::optional<int> sm, Pins pins) {
    const Test test = to_native(written);
    Emitted result;
    result.plan = make_plan(test, sm);
    PtxText text;
    write_head(test, result.plan, text);
    write_init(test, result.plan, text);
    for (size_t grid = 0; grid < result.plan.grids.size(); ++grid) write_test(test, result.plan, grid, pins, text);
    write_tally(test, result.plan, text);
    result.ptx = text.str();
    result.lines = text.marks();
    return result;
}

}  // namespace litmus::gpu
