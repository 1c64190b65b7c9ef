// Emission: the three kernels around the threads of a test.
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
//   after     Registers stay registers and are stored when the thread is over. The stores wait for the loads that
//             feed them, as any use would; no instruction of the test comes after them. A loaded register that the
//             condition does not mention is stored too: the assembler would leave its load out.
//             Final values in shared memory are read by their CTA after a barrier of the whole cluster, which also
//             keeps CTAs alive while others access their memory; mbarriers are invalidated then. Final values in global
//             memory are read by the third kernel.
// Where this weakens tests: all threads of a group come out of the entry barrier at nearly the same time (the start skew
// spreads them again); one thread of each CTA has the shared locations' lines and the mbarriers warm; asynchronous
// operations that nobody waits for get a pause, not a guarantee, to end before the round is over.
#include "gpu/emit.h"

#include <algorithm>
#include <map>

#include "gpu/text.h"
#include "gpu/thread_text.h"
#include "ptx/table.h"
#include "syntax/foreign/convert.h"

namespace litmus::gpu {

namespace {

bool any_instruction(const Test& test, bool (*predicate)(const Instruction&)) {
    return std::any_of(test.threads.begin(), test.threads.end(),
                       [&](const Thread& t) { return std::any_of(t.body.begin(), t.body.end(), predicate); });
}

bool has_mbarriers(const Test& test) {
    return std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.is_mbarrier; });
}

// ---- the head -------------------------------------------------------------------------------------

void write_placement(const Test& test, const Plan& plan, PtxText& text) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
        std::string line = "  " + test.threads[t].name + ": ";
        if (plan.gpus > 1) line += "GPU " + std::to_string(cta.gpu) + " of " + std::to_string(plan.gpus) + ", ";
        if (plan.units > 1) line += "cluster " + std::to_string(cta.unit % plan.units) + " of " + std::to_string(plan.units) + ", ";
        if (plan.cluster > 1) line += "CTA " + std::to_string(cta.rank) + " of its cluster, ";
        line += "warp " + std::to_string(plan.warp_of[t]);
        if (plan.layout == Plan::Layout::grouped)
            line += whole_warp(test, static_cast<int>(t)) ? ", all lanes" : ", lane " + std::to_string(test.threads[t].at.lane);
        text.comment(line);
    }
}

void write_head(const Test& test, const Plan& plan, PtxText& text) {
    text.comment("Test \"" + test.name + "\", written by `litmus emit`.");
    text.comment("");
    if (plan.layout == Plan::Layout::packed) {
        text.comment("Packed: a hardware thread runs one thread of the test in one instance, so a warp runs 32 instances.");
    } else {
        text.comment("Grouped: " + std::to_string(plan.units * plan.cluster) + " CTA(s)" + (plan.gpus > 1 ? " of each GPU" : "") +
                     " run one instance in each round.");
    }
    write_placement(test, plan, text);
    text.comment("Launch litmus_init, litmus_test and litmus_tally in this order, all with the same arguments;");
    text.comment(
        "litmus_test in clusters of " + std::to_string(plan.cluster) + " CTA(s), a multiple of " + std::to_string(plan.units) +
        " clusters, " +
        (plan.layout == Plan::Layout::packed ? "a multiple of " + std::to_string(plan.warps * 32) : std::to_string(plan.warps * 32)) +
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

// ---- parameters -------------------------------------------------------------------------------------

struct Parameter {
    const char* name;
    int width;
    const char* meaning;
};

constexpr Parameter parameters[] = {
    {"memory", 64, "locations in global memory: for each, `mask` + 1 slots of `stride` bytes"},
    {"alias", 64, "the same memory at a second virtual address, for aliases"},
    {"memory2", 64, "several GPUs: as memory, for every second location; the same or of another GPU"},
    {"alias2", 64, "several GPUs: as alias, of memory2"},
    {"meeting", 64, "several GPUs: a word for each instance of the launch, where warps meet"},
    {"results", 64, "words observed: word w of instance i at 8 * (w * instances + i)"},
    {"histogram", 64, "what litmus_tally counts, zero at first"},
    {"scratch", 64, "memory for pre-stress"},
    {"pitch", 64, "bytes from location to location, a multiple of 128"},
    {"instances", 32, "instances of this launch, a multiple of 32"},
    {"rounds", 32, "instances that each hardware thread runs, one after the other"},
    {"stride", 32, "bytes from slot to slot, a multiple of the largest location"},
    {"mask", 32, "slots less one; a power of two of slots, at least as many as instances"},
    {"scatter", 32, "odd; instance i has slot (i * scatter + l * shift) & mask of location l"},
    {"shift", 32, "see scatter"},
    {"gpu", 32, "which of the GPUs of an instance this one is"},
    {"rotation", 32, "number n of the clusters of an instance, the CTAs of a cluster and its warps plays role n + rotation"},
    {"apart", 32, "clusters of one instance are so many apart; divides the clusters of the grid by those of an instance"},
    {"seed", 32, "of the noise"},
    {"skew", 32, "a power of two less one: each thread starts up to so many clock cycles late"},
    {"lag", 32, "four bits for each thread, the first lowest: in units of 64 cycles, how much later it starts"},
    {"touch", 32, "0; 1: threads read their locations first; 2: they have them fetched into L2"},
    {"alternate", 32, "1: alternating words are in shared memory before the initial values are"},
    {"before", 32, "pairs of accesses to scratch memory before each instance"},
    {"pattern", 32, "of them: 1, the first is a store; 2, the second is"},
    {"lines", 32, "of scratch memory, a power of two less one"},
    {"distance", 32, "bytes from line to line of scratch memory"},
    {"spins", 32, "turns of waiting loops before an instance has timed out"},
};

void write_signature(const std::string& kernel, PtxText& text) {
    text.line(".visible .entry " + kernel + "(");
    text.open();
    text.align(27);
    const size_t count = std::size(parameters);
    for (size_t p = 0; p < count; ++p) {
        const std::string declared = ".param .u" + std::to_string(parameters[p].width) + " " + parameters[p].name;
        text.line(declared + (p + 1 < count ? "," : ")"), kernel == "litmus_init" ? parameters[p].meaning : "");
    }
    text.align(64);
    text.close();
}

void load_parameters(PtxText& text, const std::vector<std::string>& names) {
    for (const Parameter& p : parameters)
        if (std::find(names.begin(), names.end(), p.name) != names.end())
            text.line("ld.param.u" + std::to_string(p.width) + " $" + p.name + ", [" + p.name + "];");
}

// $region<r> is where the slots of region r start; $second<r> its second address.
void write_regions(const Plan& plan, bool aliases, PtxText& text) {
    if (plan.regions == 0) return;
    const auto write = [&](const std::string& name, const std::string& base) {
        text.line(".reg .b64 " + name + "<" + std::to_string(plan.regions) + ">;");
        for (int r = 0; r < plan.regions; ++r)
            text.line("mad.lo.u64 " + name + std::to_string(r) + ", $pitch, " + std::to_string(r) + ", " + base +
                      (plan.gpus > 1 && r % 2 == 1 ? "2;" : ";"));
    };
    write("$region", "$memory");
    if (aliases) write("$second", "$alias");
}

// ---- walking over all instances: litmus_init and litmus_tally -----------------------------------------

void begin_walk(PtxText& text) {
    text.line("mov.u32 $instance, %ctaid.x;");
    text.line("mov.u32 $step, %ntid.x;");
    text.line("mov.u32 $thread, %tid.x;");
    text.line("mad.lo.u32 $instance, $instance, $step, $thread;");
    text.line("mov.u32 $thread, %nctaid.x;");
    text.line("mul.lo.u32 $step, $step, $thread;");
    text.line("setp.ge.u32 $go, $instance, $instances;");
    text.line("@$go bra $done;");
    text.label("$next");
    text.line("mul.lo.u32 $spread, $instance, $scatter;");
}

void end_walk(PtxText& text) {
    text.line("add.u32 $instance, $instance, $step;");
    text.line("setp.lt.u32 $go, $instance, $instances;");
    text.line("@$go bra $next;");
    text.label("$done");
    text.line("ret;");
}

constexpr const char* walk_registers = ".reg .b32 $instance, $instances, $step, $thread, $mask, $stride, $scatter, $shift, $spread, $slot;";

std::string store_type(Type type) {
    return ".b" + std::to_string(bits(type));
}

void write_init(const Test& test, const Plan& plan, PtxText& text) {
    text.comment("Initial values in global memory.");
    write_signature("litmus_init", text);
    text.line("{");
    text.open();
    text.line(".reg .pred $go;");
    text.line(walk_registers);
    text.line(".reg .b64 $memory, $memory2, $meeting, $pitch, $at;");
    load_parameters(text, {"memory", "memory2", "meeting", "pitch", "instances", "stride", "mask", "scatter", "shift"});
    write_regions(plan, false, text);
    begin_walk(text);
    if (plan.gpus > 1) {
        text.line("mad.wide.u32 $at, $instance, 4, $meeting;");
        text.line("st.global.u32 [$at], 0;", "nobody has come");
    }
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (plan.region[l] < 0 || !location.alias_of.empty()) continue;
        text.comment(location.name);
        emit_slot_address(text, plan.region[l], "$at", "$region");
        for (int e = 0; e < location.count; ++e) {
            const uint64_t value = static_cast<size_t>(e) < location.init.size() ? location.init[static_cast<size_t>(e)] : 0;
            const int width = bits(location.type);
            text.line("st.global" + store_type(location.type) + " [$at" + (e > 0 ? "+" + std::to_string(e * width / 8) : "") + "], " +
                      literal(width == 64 ? Type::b64 : Type::b32, truncate(value, width)) + ";");
        }
    }
    end_walk(text);
    text.close();
    text.line("}");
    text.line();
}

// ---- litmus_tally: a hash table of outcomes ------------------------------------------------------------

// Loads word w into $v<w>.
void load_word(const Test& test, const Plan& plan, size_t w, PtxText& text) {
    const Word& word = plan.words[w];
    const std::string target = "$v" + std::to_string(w);
    if (word.kind != Word::Kind::global) {
        text.line("mad.lo.u64 $at, $row, " + std::to_string(w) + ", $column;", word.name);
        text.line("ld.global.u64 " + target + ", [$at];");
        return;
    }
    const auto l = static_cast<size_t>(word.location);
    const int width = bits(test.locations[l].type);
    text.comment(word.name);
    emit_slot_address(text, plan.region[l], "$at", "$region");
    text.line("ld.global.u" + std::to_string(width) + " " + target + ", [$at+" + std::to_string(word.element * width / 8) + "];");
}

void write_key(const Plan& plan, PtxText& text) {
    text.comment("the outcome's key: a hash of its words, 2 or more; " + std::to_string(timeout_key) + " for a time-out");
    text.line("mov.b64 $key, 0x2545f4914f6cdd1d;");
    for (size_t w = 0; w < plan.words.size(); ++w) {
        if (!plan.words[w].shown) continue;
        text.line("xor.b64 $key, $key, $v" + std::to_string(w) + ";");
        text.line("mul.lo.u64 $key, $key, 0x9e3779b97f4a7c15U;");
        text.line("shr.u64 $mixed, $key, 29;");
        text.line("xor.b64 $key, $key, $mixed;");
    }
    text.line("or.b64 $key, $key, 2;");
    for (size_t w = 0; w < plan.words.size(); ++w) {
        if (plan.words[w].kind != Word::Kind::timeout) continue;
        text.line("setp.ne.u64 $go, $v" + std::to_string(w) + ", 0;", plan.words[w].name);
        text.line("selp.b64 $key, " + std::to_string(timeout_key) + ", $key, $go;");
    }
}

// The lanes of a warp that have the same outcome count as one, then the entry is found by linear probing.
void write_count(const Plan& plan, PtxText& text, int entry_bytes) {
    text.line("match.any.sync.b64 $peers, $key, 0xffffffff;", "lanes with the same outcome: the first counts them all");
    text.line("mov.u32 $below, %lanemask_lt;");
    text.line("and.b32 $below, $below, $peers;");
    text.line("setp.ne.u32 $go, $below, 0;");
    text.line("@$go bra $counted;");
    text.line("popc.b32 $below, $peers;");
    text.line("cvt.u64.u32 $count, $below;");
    text.line("cvt.u32.u64 $entry, $key;");
    text.line("shr.u32 $entry, $entry, 8;");
    text.line("mov.u32 $tries, 0;");
    text.label("$probe");
    text.line("and.b32 $entry, $entry, " + std::to_string(histogram_entries - 1) + ";");
    text.line("mad.wide.u32 $at, $entry, " + std::to_string(entry_bytes) + ", $histogram;");
    text.line("ld.relaxed.gpu.global.u64 $mixed, [$at];");
    text.line("setp.eq.u64 $go, $mixed, $key;");
    text.line("@$go bra $found;");
    text.line("setp.ne.u64 $go, $mixed, 0;");
    text.line("@$go bra $taken;");
    text.line("atom.relaxed.gpu.global.cas.b64 $mixed, [$at], 0, $key;");
    text.line("setp.eq.u64 $go, $mixed, 0;");
    text.line("@$go bra $claimed;");
    text.line("setp.eq.u64 $go, $mixed, $key;");
    text.line("@$go bra $found;");
    text.label("$taken");
    text.line("add.u32 $entry, $entry, 1;");
    text.line("add.u32 $tries, $tries, 1;");
    text.line("setp.lt.u32 $go, $tries, " + std::to_string(histogram_entries) + ";");
    text.line("@$go bra $probe;");
    text.line("red.relaxed.gpu.global.add.u64 [$histogram+" + std::to_string(histogram_entries * static_cast<unsigned>(entry_bytes)) +
                  "], $count;",
              "no entry left");
    text.line("bra $counted;");
    text.label("$claimed");
    int shown = 0;
    for (size_t w = 0; w < plan.words.size(); ++w)
        if (plan.words[w].shown)
            text.line("st.global.u64 [$at+" + std::to_string(16 + 8 * shown++) + "], $v" + std::to_string(w) + ";", plan.words[w].name);
    text.label("$found");
    text.line("red.relaxed.gpu.global.add.u64 [$at+8], $count;");
    text.label("$counted");
    text.line("bar.warp.sync 0xffffffff;");
}

void write_tally(const Test& test, const Plan& plan, PtxText& text) {
    const auto counts = [](const Word& w) { return w.shown || w.kind == Word::Kind::timeout; };
    const int shown = static_cast<int>(std::count_if(plan.words.begin(), plan.words.end(), [](const Word& w) { return w.shown; }));
    text.comment("Counts the instances by outcome.");
    write_signature("litmus_tally", text);
    text.line("{");
    text.open();
    text.line(".reg .pred $go;");
    text.line(walk_registers);
    text.line(".reg .b32 $peers, $below, $entry, $tries;");
    text.line(".reg .b64 $memory, $memory2, $pitch, $results, $histogram, $row, $column, $at, $key, $mixed, $count;");
    if (!plan.words.empty()) text.line(".reg .b64 $v<" + std::to_string(plan.words.size()) + ">;", "the words");
    load_parameters(text, {"memory", "memory2", "pitch", "results", "histogram", "instances", "stride", "mask", "scatter", "shift"});
    write_regions(plan, false, text);
    text.line("mul.wide.u32 $row, $instances, 8;");
    begin_walk(text);
    text.line("mad.wide.u32 $column, $instance, 8, $results;");
    for (size_t w = 0; w < plan.words.size(); ++w)
        if (counts(plan.words[w])) load_word(test, plan, w, text);
    write_key(plan, text);
    write_count(plan, text, 16 + 8 * shown);
    end_walk(text);
    text.close();
    text.line("}");
}

// ---- litmus_test ----------------------------------------------------------------------------------------

// Turns of waiting for the other GPUs: some 20 ms, more than what lies between their launches.
constexpr unsigned meeting_turns = 16384;

int place_of(const Plan& plan, int unit, int rank, int warp) {
    return (unit * plan.cluster + rank) * plan.warps + warp;
}

// Warps of one instance, on all its GPUs.
int places(const Plan& plan) {
    return plan.gpus * plan.units * plan.cluster * plan.warps;
}

int place_of_thread(const Plan& plan, size_t t) {
    const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
    return place_of(plan, cta.unit, cta.rank, plan.warp_of[t]);
}

// The emitter's registers; temporaries of a width only where `body` has some.
void declare_registers(const Plan& plan, const std::string& body, PtxText& text) {
    text.line(".reg .pred $go, $own, $all, $spoilt;");
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
    const bool grouped = plan.layout == Plan::Layout::grouped;
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
        text.line("add.u32 $place, $warp, $rotation;");
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

// Runs `write` for the thread that speaks for CTA `c`; `past` is a label of its own.
template <typename Write>
void for_cta(const Plan& plan, const PlannedCta& cta, const std::string& past, PtxText& text, Write write) {
    const std::string label = "$" + past + std::to_string(cta.number);
    text.line("setp.ne.u32 $go, $corner, " + std::to_string(cta.unit * plan.cluster + cta.rank) + ";", "cta" + std::to_string(cta.number));
    text.line("@$go bra " + label + ";");
    text.open();
    write();
    text.close();
    text.label(label);
}

bool lives_in(const Location& l, const PlannedCta& cta) {
    return l.space == Space::shared && l.alias_of.empty() && (!l.cta || *l.cta == cta.number);
}

bool has_locations(const Test& test, const PlannedCta& cta) {
    return std::any_of(test.locations.begin(), test.locations.end(), [&](const Location& l) { return lives_in(l, cta); });
}

void initialise_location(const Location& l, int offset, PtxText& text) {
    const auto at = [&](int bytes) { return "[$shared+" + std::to_string(offset + bytes) + "]"; };
    if (l.is_mbarrier) {
        if (l.arrivals) text.line("mbarrier.init.shared::cta.b64 " + at(0) + ", " + std::to_string(*l.arrivals) + ";", l.name);
        return;
    }
    const int width = bits(l.type);
    for (int e = 0; e < l.count; ++e) {
        const uint64_t value = static_cast<size_t>(e) < l.init.size() ? truncate(l.init[static_cast<size_t>(e)], width) : 0;
        text.line(
            "st.shared" + store_type(l.type) + " " + at(e * width / 8) + ", " + literal(width == 64 ? Type::b64 : Type::b32, value) + ";",
            e == 0 ? l.name : "");
    }
}

// What a round left in shared memory is often just what the next round should write. So something else is put there: 0xaa... and 0x55... in
// turn.
void write_alternating(const Test& test, const Plan& plan, const PlannedCta& cta, PtxText& text) {
    const std::string past = "$alternated" + std::to_string(cta.number);
    text.line("@!$alternating bra " + past + ";");
    text.line("and.b32 $read, $round, 1;");
    text.line("setp.ne.u32 $go, $read, 0;");
    text.line("selp.b64 $value, 0x5555555555555555, 0xaaaaaaaaaaaaaaaaU, $go;");
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!lives_in(location, cta) || location.is_mbarrier) continue;
        const int bytes = bits(location.type) / 8;
        for (int e = 0; e < location.count; ++e)
            text.line("st.volatile.shared" + store_type(location.type) + " [$shared+" + std::to_string(plan.offset[l] + e * bytes) +
                      "], $value;");
    }
    text.label(past);
}

void cluster_barrier(PtxText& text, const std::string& why) {
    text.line("barrier.cluster.arrive;", why);
    text.line("barrier.cluster.wait;");
}

void write_entry(const Test& test, const Plan& plan, PtxText& text) {
    if (plan.shared_bytes > 0) {
        text.comment("one thread of each CTA writes the initial values of its shared memory");
        text.line("setp.ne.u32 $go, $thread, 0;");
        text.line("@$go bra $initialised;");
        for (const PlannedCta& cta : plan.ctas) {
            if (!has_locations(test, cta)) continue;
            for_cta(plan, cta, "init", text, [&] {
                write_alternating(test, plan, cta, text);
                for (size_t l = 0; l < test.locations.size(); ++l)
                    if (lives_in(test.locations[l], cta)) initialise_location(test.locations[l], plan.offset[l], text);
            });
        }
        if (has_mbarriers(test)) text.line("fence.mbarrier_init.release.cluster;");
        if (any_instruction(test, [](const Instruction& i) { return is_asynchronous(i.op); })) text.line("fence.proxy.async;");
        text.label("$initialised");
    }
    text.line("bar.warp.sync 0xffffffff;");
    cluster_barrier(text, "entry");
}

// Each warp that takes part in fewer uncounted barriers than others makes up for them at its end: a thread that is over
// counts as arrived (ISA 9.7.13.1, 9.7.13.3), and its warp lives on here.
struct BarrierUses {
    std::map<uint64_t, int> uncounted;  // bar.sync, bar.red without a count, by barrier number
    int cluster = 0;                    // barrier.cluster.arrive
};

BarrierUses uses_of(const Thread& thread) {
    BarrierUses uses;
    for (const Instruction& i : thread.body) {
        const bool comes = i.op == Op::bar_sync || i.op == Op::bar_red;
        if (comes && !i.find(Role::threads)) ++uses.uncounted[i.at(Role::barrier).value];
        if (i.op == Op::cluster_arrive) ++uses.cluster;
    }
    return uses;
}

void write_missing_uses(const Test& test, const Plan& plan, PtxText& text) {
    std::map<int, BarrierUses> by_corner;  // the most in a CTA
    std::map<int, int> by_unit;            // the most in a cluster
    std::map<int, BarrierUses> own;        // by place
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const BarrierUses uses = uses_of(test.threads[t]);
        const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
        own[place_of_thread(plan, t)] = uses;
        for (const auto& [id, count] : uses.uncounted) {
            int& most = by_corner[cta.unit * plan.cluster + cta.rank].uncounted[id];
            most = std::max(most, count);
        }
        by_unit[cta.unit] = std::max(by_unit[cta.unit], uses.cluster);
    }
    for (int place = 0; place < places(plan); ++place) {
        std::vector<std::string> lines;
        for (const auto& [id, most] : by_corner[place / plan.warps].uncounted)
            for (int n = own[place].uncounted[id]; n < most; ++n) lines.push_back("bar.sync " + std::to_string(id) + ";");
        for (int n = own[place].cluster; n < by_unit[place / plan.warps / plan.cluster]; ++n) {
            lines.emplace_back("barrier.cluster.arrive.relaxed;");
            lines.emplace_back("barrier.cluster.wait;");
        }
        if (lines.empty()) continue;
        const std::string past = "$missing" + std::to_string(place);
        text.line("setp.ne.u32 $go, $place, " + std::to_string(place) + ";", "its warp would have exited: it counts as arrived");
        text.line("@$go bra " + past + ";");
        for (const std::string& line : lines) text.line(line);
        text.label(past);
    }
}

// What the instructions of a test do with an mbarrier, counted as they stand: a loop multiplies all of it.
struct MbarrierUse {
    uint64_t completed = 0;        // bytes, by asynchronous operations
    uint64_t expected = 0;         // bytes
    std::map<int, int> announced;  // by thread: instructions that expect bytes
    std::map<int, int> awaited;    // by thread: waits
    bool asynchronous = false;
};

// Whether some asynchronous operation may still be on its way when all threads are over: more bytes complete than some
// wait can be for, or more phases have bytes than any thread waits for.
bool leaves(const MbarrierUse& use) {
    const auto most = [](const std::map<int, int>& by_thread) {
        int result = 0;
        for (const auto& [thread, count] : by_thread) result = std::max(result, count);
        return result;
    };
    return use.asynchronous && (use.completed > use.expected || most(use.announced) > most(use.awaited) || use.awaited.empty());
}

uint64_t bytes_completed(const Instruction& i) {
    if (const Operand* size = i.find(Role::size)) return size->kind == Operand::Kind::immediate ? size->value : 0;
    return static_cast<uint64_t>(vector_width(i)) * static_cast<uint64_t>(bits(data_type(i))) / 8;
}

bool leaves_operations(const Test& test) {
    std::map<std::string, MbarrierUse> uses;
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (const Instruction& i : test.threads[t].body) {
            if (i.has("bulk_group") || i.op == Op::async_copy || i.op == Op::async_arrive) continue;
            for (const Operand& o : i.operands) {
                const Location* l = find_location(test, o.name);
                if (!l || !l->is_mbarrier) continue;
                MbarrierUse& use = uses[o.name];
                const Operand* expected = i.op == Op::mbarrier_complete_tx ? nullptr : i.find(Role::tx_count);
                if (is_asynchronous(i.op)) {
                    use.asynchronous = true;
                    use.completed += bytes_completed(i);
                }
                if (expected && expected->kind == Operand::Kind::immediate) use.expected += expected->value;
                if (expected) ++use.announced[static_cast<int>(t)];
                if (i.await) ++use.awaited[static_cast<int>(t)];
            }
        }
    return std::any_of(uses.begin(), uses.end(), [](const auto& entry) { return leaves(entry.second); });
}

void store_finals(const Test& test, const Plan& plan, size_t cta, PtxText& text) {
    for (size_t w = 0; w < plan.words.size(); ++w) {
        const Word& word = plan.words[w];
        if (word.kind != Word::Kind::shared || word.cta != static_cast<int>(cta)) continue;
        const auto l = static_cast<size_t>(word.location);
        const int width = bits(test.locations[l].type);
        text.line("mad.lo.u64 $at, $row, " + std::to_string(w) + ", $column;", word.name);
        text.line("ld.shared.u" + std::to_string(width) + " $value, [$shared+" + std::to_string(plan.offset[l] + word.element * width / 8) +
                  "];");
        text.line("st.global.u64 [$at], $value;");
    }
}

// The emitter invalidates what the test does not.
void invalidate(const Test& test, const Plan& plan, const PlannedCta& cta, PtxText& text) {
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!location.is_mbarrier || !lives_in(location, cta)) continue;
        const bool done = std::any_of(test.threads.begin(), test.threads.end(), [&](const Thread& t) {
            return std::any_of(t.body.begin(), t.body.end(), [&](const Instruction& i) {
                return i.op == Op::mbarrier_inval && i.at(Role::mbarrier).name == location.name;
            });
        });
        if (!done) text.line("mbarrier.inval.shared::cta.b64 [$shared+" + std::to_string(plan.offset[l]) + "];", location.name);
    }
}

// At least so many clock cycles: nanosleep may return at once. Once in a kernel for each number of cycles.
void pause(unsigned cycles, const std::string& why, PtxText& text) {
    const std::string label = "$pause" + std::to_string(cycles);
    text.line("mov.u32 $start, %clock;", why);
    text.label(label);
    text.line("mov.u32 $wait, %clock;");
    text.line("sub.u32 $wait, $wait, $start;");
    text.line("setp.lt.u32 $go, $wait, " + std::to_string(cycles) + ";");
    text.line("@$go bra " + label + ";");
}

void write_exit(const Test& test, const Plan& plan, PtxText& text) {
    text.line("bar.warp.sync 0xffffffff;");
    write_missing_uses(test, plan, text);
    if (leaves_operations(test)) pause(80000, "nobody waits for some asynchronous operation: let it end", text);
    cluster_barrier(text, "exit: nobody accesses this CTA's memory any more");
    if (plan.shared_bytes == 0) return;
    text.line("setp.ne.u32 $go, $thread, 0;");
    text.line("@$go bra $over;");
    for (size_t c = 0; c < plan.ctas.size(); ++c) {
        if (!has_locations(test, plan.ctas[c])) continue;
        for_cta(plan, plan.ctas[c], "exit", text, [&] {
            store_finals(test, plan, c, text);
            invalidate(test, plan, plan.ctas[c], text);
        });
    }
    text.label("$over");
    text.line("bar.warp.sync 0xffffffff;");
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

void dispatch(const Test& test, const Plan& plan, PtxText& text) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        text.line("setp.eq.u32 $go, $place, " + std::to_string(place_of_thread(plan, t)) + ";");
        if (plan.layout == Plan::Layout::grouped && !whole_warp(test, static_cast<int>(t)))
            text.line("setp.eq.and.u32 $go, $lane, " + std::to_string(test.threads[t].at.lane) + ", $go;");
        text.line("@$go bra " + thread_label(test.threads[t]) + ";");
    }
    text.line("bra $finished;");
}

void write_test(const Test& test, const Plan& plan, PtxText& text) {
    const bool grouped = plan.layout == Plan::Layout::grouped;
    PtxText body;
    body.open();
    for (size_t t = 0; t < test.threads.size(); ++t) {
        body.line();
        emit_thread(test, plan, static_cast<int>(t), body);
    }
    text.comment("The test.");
    write_signature("litmus_test", text);
    text.line("{");
    text.open();
    declare_registers(plan, body.str(), text);
    load_parameters(
        text, {"memory", "alias", "results", "scratch", "pitch", "instances", "rounds", "stride",  "mask",  "scatter",  "shift", "rotation",
               "apart",  "seed",  "skew",    "lag",     "touch", "alternate", "before", "pattern", "lines", "distance", "spins"});
    if (plan.gpus > 1) load_parameters(text, {"memory2", "alias2", "meeting", "gpu"});
    write_regions(plan, plan.aliased, text);
    find_place(plan, text);
    find_noise(text);
    text.line("mul.wide.u32 $row, $instances, 8;");
    text.line("mov.u32 $round, 0;");
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
    dispatch(test, plan, text);
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

Emitted emit(const Test& written, std::optional<int> sm) {
    const Test test = to_native(written);
    Emitted result;
    result.plan = make_plan(test, sm);
    PtxText text;
    write_head(test, result.plan, text);
    write_init(test, result.plan, text);
    write_test(test, result.plan, text);
    write_tally(test, result.plan, text);
    result.ptx = text.str();
    return result;
}

}  // namespace litmus::gpu
