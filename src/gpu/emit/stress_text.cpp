// Traffic: CTAs that keep caches, the copy engine, the cluster network and shared memory busy while a test runs.
//
// They access scratch memory and their own and their peer's shared memory, never a location of the test, and the test
// reads nothing of theirs: they delay and evict, they order nothing. What they race for among themselves is garbage.
//
// Every thread does turns until the word at `stop` reaches the number of this batch, which the host's stream writes when the
// test kernel is over, or until its time is over: a test kernel whose CTAs wait for room gets it then. All bulk
// copies of a CTA are over before it leaves, and peers leave together.
#include "gpu/emit/stress_text.h"

#include <iterator>

#include "gpu/emit/text.h"

namespace litmus::gpu {

namespace {

constexpr int shared_half = 4096;  // bytes: what copies read, and after it what they write; the most of Stress::bulk

constexpr int copies = 4;  // of a turn, in each direction

struct Parameter {
    const char* name;
    int width;
    const char* meaning;
};

constexpr Parameter parameters[] = {
    {"scratch", 64, "memory that nothing else reads but pre-stress"},
    {"stop", 64, "a word: the number of the last batch that is over"},
    {"batch", 32, "the number of this batch"},
    {"cycles", 64, "clock cycles after which a thread starts no further turn"},
    {"seed", 32, "of the lines chosen"},
    {"memory", 32, "0, or 4: pairs of accesses in scratch memory; 1: the first is a store; 2: the second is"},
    {"lines", 32, "of scratch memory, a power of two less one"},
    {"distance", 32, "bytes from line to line"},
    {"bulk", 32, "bytes of each bulk copy, a multiple of 16; 0: none"},
    {"peers", 32, "not 0: accesses in the peer CTA's shared memory"},
    {"banks", 32, "lanes that meet in one bank of shared memory; 0: no such accesses"},
};

void write_signature(PtxText& text) {
    text.line(std::string(".visible .entry ") + stress_kernel + "(");
    text.open();
    text.align(27);
    for (size_t p = 0; p < std::size(parameters); ++p)
        text.line(
            ".param .u" + std::to_string(parameters[p].width) + " " + parameters[p].name + (p + 1 < std::size(parameters) ? "," : ")"),
            parameters[p].meaning);
    text.align(64);
    text.close();
}

void write_start(PtxText& text) {
    text.line(".reg .pred $go, $store1, $store2, $in_memory, $in_bulk, $in_peer, $in_banks;");
    text.line(".reg .b32 $batch, $turn, $seed, $memory, $lines, $distance, $bulk, $peers, $banks;");
    text.line(".reg .b32 $thread, $lane, $own, $line, $word, $left, $shared_at, $bar, $copied, $peer, $bank, $phase, $fuel;");
    text.line(".reg .b64 $scratch, $stop, $cycles, $start, $now, $at;");
    for (const Parameter& p : parameters) text.line("ld.param.u" + std::to_string(p.width) + " $" + p.name + ", [" + p.name + "];");
    text.line("mov.u64 $start, %clock64;");
    text.line("mov.u32 $turn, 0;");
    text.line("mov.u32 $thread, %tid.x;");
    text.line("and.b32 $lane, $thread, 31;");
    text.line("shr.u32 $own, $thread, 5;");
    text.line("mov.u32 $word, %ctaid.x;");
    text.line("mad.lo.u32 $own, $word, 32, $own;", "a number for each warp");
    text.line("mad.lo.u32 $own, $own, 2246822519, $seed;");
    text.line("and.b32 $word, $memory, 1;");
    text.line("setp.ne.u32 $store1, $word, 0;");
    text.line("and.b32 $word, $memory, 2;");
    text.line("setp.ne.u32 $store2, $word, 0;");
    text.line("setp.ne.u32 $in_memory, $memory, 0;");
    text.line("setp.ne.u32 $in_bulk, $bulk, 0;");
    text.line("setp.eq.and.u32 $in_bulk, $thread, 0, $in_bulk;", "one thread copies");
    text.line("setp.ne.u32 $in_peer, $peers, 0;");
    text.line("setp.ne.u32 $in_banks, $banks, 0;");
    text.line("mov.u32 $shared_at, $shared;");
    text.line("add.u32 $copied, $shared_at, " + std::to_string(shared_half) + ";");
    text.line("mov.u32 $bar, $arrived;");
    text.line("mad.lo.u32 $peer, $thread, 4, $shared_at;");
    text.line("mov.u32 $word, %cluster_ctarank;");
    text.line("xor.b32 $word, $word, 1;");
    text.line("mapa.shared::cluster.u32 $peer, $peer, $word;");
    text.line("mul.lo.u32 $bank, $lane, $banks;");
    text.line("mad.lo.u32 $bank, $bank, 4, $shared_at;", "31 * 32 * 4 bytes further at most");
    text.line("mov.u32 $phase, 0;");
    text.line("setp.ne.u32 $go, $thread, 0;");
    text.line("@$go bra $initialised;");
    text.line("mbarrier.init.shared::cta.b64 [$bar], 1;");
    text.line("fence.mbarrier_init.release.cluster;");
    text.line("fence.proxy.async;");
    text.label("$initialised");
    text.line("bar.warp.sync 0xffffffff;");
    text.line("barrier.cluster.arrive;", "the peer's shared memory is there");
    text.line("barrier.cluster.wait;");
}

// Writes `body` in a loop of `count` that is passed over unless `predicate`.
template <typename Body>
void repeated(PtxText& text, const std::string& predicate, int count, Body body) {
    text.line("@!" + predicate + " bra " + predicate + "_done;");
    if (count > 1) {
        text.line("mov.u32 $left, " + std::to_string(count) + ";");
        text.label(predicate + "_next");
        text.line(".pragma \"nounroll\";");
    }
    body();
    if (count > 1) {
        text.line("sub.u32 $left, $left, 1;");
        text.line("setp.ne.u32 $go, $left, 0;");
        text.line("@$go bra " + predicate + "_next;");
    }
    text.label(predicate + "_done");
}

// $at = a random line's address; `salt` is a register or a number, another for each choice of a turn.
void choose_line(PtxText& text, const std::string& salt) {
    text.line("mad.lo.u32 $line, " + salt + ", 2654435769, $own;");
    text.line("mad.lo.u32 $line, $turn, 668265263, $line;");
    text.line("mul.lo.u32 $line, $line, 3266489917;");
    text.line("shr.u32 $line, $line, 15;");
    text.line("and.b32 $line, $line, $lines;");
    text.line("mad.wide.u32 $at, $line, $distance, $scratch;");
}

void write_memory(PtxText& text) {
    text.comment("pairs of accesses, each lane in a word of its own");
    repeated(text, "$in_memory", 8, [&] {
        choose_line(text, "$left");
        text.line("mad.wide.u32 $at, $lane, 4, $at;");
        for (const std::string which : {"$store1", "$store2"}) {
            text.line("@" + which + " st.relaxed.gpu.global.u32 [$at], $line;");
            text.line("@!" + which + " ld.volatile.global.u32 $word, [$at];");
        }
    });
}

void write_bulk(PtxText& text) {
    text.comment("some copies in and as many out");
    repeated(text, "$in_bulk", 1, [&] {
        text.line("mul.lo.u32 $word, $bulk, " + std::to_string(copies) + ";");
        text.line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$bar], $word;");
        for (int copy = 1; copy <= copies; ++copy) {
            choose_line(text, std::to_string(copy));
            text.line("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$copied], [$at], $bulk, [$bar];");
            text.line("cp.async.bulk.global.shared::cta.bulk_group [$at], [$shared_at], $bulk;");
        }
        text.line("cp.async.bulk.commit_group;");
        text.line("cp.async.bulk.wait_group 0;");
        text.line("mov.u32 $fuel, 1048576;");
        text.label("$copying");
        text.line("mbarrier.try_wait.parity.shared::cta.b64 $go, [$bar], $phase;");
        text.line("@$go bra $copied_in;");
        text.line("sub.u32 $fuel, $fuel, 1;");
        text.line("setp.ne.u32 $go, $fuel, 0;");
        text.line("@$go bra $copying;");
        text.line("bra $over;");
        text.label("$copied_in");
        text.line("xor.b32 $phase, $phase, 1;");
    });
}

void write_peers(PtxText& text) {
    text.comment("distributed shared memory");
    repeated(text, "$in_peer", 8, [&] {
        text.line("st.relaxed.cluster.shared::cluster.u32 [$peer], $turn;");
        text.line("ld.volatile.shared::cluster.u32 $word, [$peer];");
        text.line("atom.relaxed.cluster.shared::cluster.add.u32 $word, [$peer], 1;");
    });
}

void write_banks(PtxText& text) {
    text.comment("bank conflicts");
    repeated(text, "$in_banks", 8, [&] {
        text.line("st.relaxed.cta.shared::cta.u32 [$bank], $turn;");
        text.line("ld.volatile.shared::cta.u32 $word, [$bank];");
    });
}

}  // namespace

std::string stress_ptx() {
    PtxText text;
    text.comment("Traffic beside a test, written by litmus-gpu: see src/gpu/emit/stress_text.cpp.");
    text.line();
    text.line(".version 8.0");
    text.line(".target sm_90");
    text.line(".address_size 64");
    text.line();
    text.line(".shared .align 128 .b8 $shared[" + std::to_string(2 * shared_half) + "];");
    text.line(".shared .align 8 .b64 $arrived;", "where copies in complete");
    text.line();
    write_signature(text);
    text.line("{");
    text.open();
    write_start(text);
    text.label("$again");
    text.line("ld.relaxed.gpu.global.u32 $word, [$stop];");
    text.line("sub.u32 $word, $word, $batch;");
    text.line("setp.ge.s32 $go, $word, 0;", "numbers may wrap around");
    text.line("@$go bra $over;");
    write_memory(text);
    write_bulk(text);
    write_peers(text);
    write_banks(text);
    text.line("add.u32 $turn, $turn, 1;");
    text.line("mov.u64 $now, %clock64;");
    text.line("sub.u64 $now, $now, $start;");
    text.line("setp.lt.u64 $go, $now, $cycles;");
    text.line("@$go bra $again;");
    text.label("$over");
    text.line("bar.warp.sync 0xffffffff;");
    text.line("barrier.cluster.arrive;", "the peer has done with this CTA's shared memory");
    text.line("barrier.cluster.wait;");
    text.line("ret;");
    text.close();
    text.line("}");
    return text.str();
}

uint32_t pattern_bits(Pattern pattern) {
    switch (pattern) {
        case Pattern::none:
            return 0;
        case Pattern::ld_ld:
            return 4;
        case Pattern::ld_st:
            return 4 + 2;
        case Pattern::st_ld:
            return 4 + 1;
        case Pattern::st_st:
            return 4 + 1 + 2;
    }
    return 0;
}

}  // namespace litmus::gpu
