// Lanes that an instruction names and that are not there, the lane that is elected, and what belongs to an asynchronous operation still.
#include <doctest/doctest.h>

#include <map>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/blocks.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

// Says what is found of a kernel of this body: findings, then conditions. %rd1 is an array of 64 words, `s` lies in shared memory.
std::string told(const std::string& body, const std::string& block = "32", const std::string& grid = "1") {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0)\n{\n.shared .align 128 .b8 s[1024];\n.reg .pred %p<10>;\n.reg .b32 %r<20>;\n"
        ".reg .b64 %rd<10>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r9, s;\n" +
        body + "\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[64]"};
    const sweep::Swept found =
        sweep::sweep_in_orders(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
    return sweep::testing::text_of(found);
}

bool tells(const std::string& text, const std::string& part) {
    return kernel::testing::has(text, part);
}

// Lanes from `first` on end.
std::string leave_from(int first) {
    return "setp.ge.u32 %p1, %r1, " + std::to_string(first) + ";\n@%p1 exit;\n";
}

}  // namespace

TEST_CASE("a lane that its mask leaves out") {
    for (const auto& [instruction, section] : std::map<std::string, std::string>{
             {"redux.sync.add.u32 %r2, %r1, 0xff", "9.7.13.12"},
             {"bar.warp.sync 0xff", "9.7.13.2"},
             {"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xff", "9.7.9.6"},
             {"vote.sync.ballot.b32 %r2, 1, 0xff", "9.7.13.9"},
             {"match.any.sync.b32 %r2, %r1, 0xff", "9.7.13.10"},
             {"elect.sync %r2|%p2, 0xff", "9.7.13.14"},
         }) {
        CAPTURE(instruction);
        CHECK(tells(told(instruction + ";"), "lane 8 executes it, and its mask leaves that lane out (ISA " + section + ")"));
        CHECK(told(leave_from(8) + instruction + ";").empty());
    }
}

TEST_CASE("the source lane decides whether a shuffle is defined, unless all lanes take part") {
    const auto shuffled = [](const std::string& mask) {
        return "atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, " + mask + ";";
    };
    CHECK(tells(told(leave_from(16) + shuffled("0xffff"), "32", "2"), "finds depends on the order, and decides"));
    CHECK(told(shuffled("-1"), "32", "2").empty());
    const std::string unknown = "ld.shared.u32 %r2, [%r9];\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, ";
    CHECK(tells(told(leave_from(16) + unknown + "0xffff;"), "not computed decides"));
    CHECK(told(unknown + "-1;").empty());
}

TEST_CASE("what depends on the order goes on through what lanes bring to each other") {
    const std::string draws =
        "mov.u32 %r2, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;\nsetp.eq.u32 %p3, %r2, 1;\n";
    const std::string of_predicate = "@%p4 fence.acq_rel.gpu;\n", of_word = "setp.eq.u32 %p4, %r3, 1;\n" + of_predicate;
    for (const std::string& decides :
         {"vote.sync.any.pred %p4, %p3, -1;\n" + of_predicate, "vote.sync.ballot.b32 %r3, %p3, -1;\n" + of_word,
          "match.any.sync.b32 %r3, %r2, -1;\n" + of_word, "match.all.sync.b32 %r3|%p4, %r2, -1;\n" + of_predicate,
          "redux.sync.add.u32 %r3, %r2, -1;\n" + of_word, "bar.red.or.pred %p4, 0, %p3;\n" + of_predicate,
          "bar.red.popc.u32 %r3, 0, %p3;\n" + of_word, "shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n" + of_word,
          // which lane it takes from
          "shfl.sync.idx.b32 %r3, %r1, %r2, 31, -1;\n" + of_word, "shfl.sync.up.b32 %r3|%p4, %r1, 1, %r2, -1;\n" + of_predicate}) {
        CAPTURE(decides);
        CHECK(tells(told(draws + decides, "32", "2"), "finds depends on the order, and decides"));
    }
    CHECK(told(draws + "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\n" + of_word, "32", "2").empty());
}

TEST_CASE("a lane that its mask leaves out has met nobody") {
    // lanes 16 and 17 change places in shared memory
    const std::string exchanged = told(
        "shl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r9;\nst.shared.u32 [%r2], %r1;\nbar.warp.sync 0xffff;\nxor.b32 %r3, %r1, 1;\n"
        "shl.b32 %r3, %r3, 2;\nadd.u32 %r3, %r3, %r9;\nld.shared.u32 %r4, [%r3];");
    CHECK(tells(exchanged, "lane 16 executes it"));
    CHECK(tells(exchanged, "race on `s` of block 0"));
}

TEST_CASE("lanes meet under one mask, and those with another one do not") {
    const auto met = [](const std::string& lower, const std::string& other) {
        return told("setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r2, " + lower + ", " + other + ", %p1;\nbar.warp.sync %r2;");
    };
    CHECK(met("0xffff", "0xffff0000").empty());
    // lane 0 is in both masks, and stands at one of them
    CHECK(tells(met("0xffffffff", "0xffff0001"), "wait for ever"));
}

TEST_CASE("lanes meet in two branches, by instructions of the same name, qualifiers and mask") {
    const auto met = [](const std::string& lower, const std::string& upper, const std::string& behind = "") {
        return told("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra $lower;\n" + upper + ";\nbra $on;\n$lower:\n" + lower + ";\n$on:\n" + behind);
    };
    for (const std::string instruction :
         {"redux.sync.add.u32 %r2, %r1, 0xffffffff", "bar.warp.sync 0xffffffff", "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff",
          "vote.sync.ballot.b32 %r2, 1, 0xffffffff", "match.any.sync.b32 %r2, %r1, 0xffffffff", "elect.sync %r2|%p2, 0xffffffff"}) {
        CAPTURE(instruction);
        CHECK(met(instruction, instruction).empty());
    }
    CHECK(tells(met("bar.warp.sync 0xffffffff", "bar.warp.sync 0x7fffffff"), "wait for ever"));
    CHECK(tells(met("redux.sync.add.u32 %r2, %r1, 0xffffffff", "redux.sync.min.u32 %r2, %r1, 0xffffffff"), "wait for ever"));
    CHECK(tells(met("bar.sync 0", "bar.sync 0"), "other lanes of its warp do not come"));  // `.aligned`: the same instruction
    // memory is ordered: lane 20 writes in its branch what lane 0 reads behind its own
    const std::string write = "st.shared.u32 [%r9], %r1;\n";
    const std::string one = "setp.eq.u32 %p2, %r1, 20;\n@%p2 ", other = "setp.eq.u32 %p2, %r1, 0;\n@%p2 ";
    CHECK(met("bar.warp.sync 0xffffffff;\n" + other + "ld.shared.u32 %r4, [%r9]", one + write + "bar.warp.sync 0xffffffff").empty());
    CHECK(
        tells(met(other + "ld.shared.u32 %r4, [%r9];\nbar.warp.sync 0xffffffff", one + write + "bar.warp.sync 0xffffffff"), "race on `s`"));
    // each brings the register of its own statement: lane 20 gets 2 of lane 0, and word 1000 is not in the array
    const std::string store =
        "cvt.u64.u32 %rd2, %r2;\nshl.b64 %rd2, %rd2, 2;\nadd.s64 %rd2, %rd2, %rd1;\nsetp.eq.u32 %p3, %r1, 20;\n"
        "@%p3 st.global.u32 [%rd2], %r1;\n";
    CHECK(met("mov.u32 %r6, 2;\nshfl.sync.idx.b32 %r2, %r6, 0, 31, -1", "mov.u32 %r7, 1000;\nshfl.sync.idx.b32 %r2, %r7, 0, 31, -1", store)
              .empty());
}

TEST_CASE("a shuffle takes from a lane that takes part") {
    const auto taken = [](const std::string& before, const std::string& from, const std::string& mask) {
        return told(before + "shfl.sync.idx.b32 %r2, %r1, " + from + ", 31, " + mask + ";");
    };
    const std::string all = "0xffffffff";
    CHECK(taken("", "20", all).empty());
    CHECK(tells(taken(leave_from(16), "20", all), "lane 20, from which it takes a value, does not take part (ISA 9.7.9.6)"));
    CHECK(taken(leave_from(16), "15", all).empty());
    CHECK(tells(taken(leave_from(16), "20", "0xffff"), "lane 20, from which it takes a value"));
    // out of range it is its own value
    CHECK(told(leave_from(16) + "shfl.sync.down.b32 %r2, %r1, 8, 0x100f, 0xffff;").empty());
    CHECK(tells(told(leave_from(16) + "shfl.sync.down.b32 %r2, %r1, 8, 31, 0xffff;"), "lane 16, from which it takes a value"));
}

TEST_CASE("matrices ask for the whole warp") {
    const auto loaded = [](const std::string& before) {
        return told(before +
                    "mul.lo.u32 %r2, %r1, 16;\nadd.u32 %r2, %r2, %r9;\n"
                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];");
    };
    CHECK(loaded("").empty());
    CHECK(tells(loaded(leave_from(31)), "a lane of its warp has exited (ISA 9.7.14.5.15)"));
    const std::string product =
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r3}, {%r4}, {%f1, %f2, %f3, "
        "%f4};";
    CHECK(tells(told(".reg .f32 %f<5>;\n" + leave_from(31) + product), "a lane of its warp has exited (ISA 9.7.14.5.14)"));
    CHECK(told(".reg .f32 %f<5>;\n" + product).empty());
    // whether its lanes come there is something that a clock decides
    const std::string timed = "mov.u64 %rd2, %clock64;\nsetp.gt.u64 %p5, %rd2, 200000000000;\n@!%p5 ";
    CHECK(tells(told(".reg .f32 %f<5>;\n" + timed + product), "of `%clock64` gives may be another on a GPU, and decides"));
    CHECK(told(timed + "add.u32 %r3, %r3, 1;").empty());
    CHECK(told(leave_from(31) + "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r3;").empty());
}

TEST_CASE("match gives the lanes that bring the same value, and whether all do") {
    // two blocks write one word where the result is not as it should be
    const auto matched = [](const std::string& what, const std::string& test) {
        return told("shr.u32 %r2, %r1, 4;\nmov.u32 %r4, 5;\n" + what + ";\n" + test + ";\n@%p2 st.global.u32 [%rd1], %r1;", "32", "2");
    };
    CHECK(matched("match.all.sync.b32 %r3|_, %r4, 0xffffffff", "setp.ne.u32 %p2, %r3, 0xffffffff").empty());
    CHECK(matched("match.all.sync.b32 %r3|_, %r2, 0xffffffff", "setp.ne.u32 %p2, %r3, 0").empty());
    CHECK(matched("match.all.sync.b32 %r3|%p3, %r4, 0xffffffff", "not.pred %p2, %p3").empty());
    CHECK(matched("match.all.sync.b32 %r3|%p2, %r2, 0xffffffff", "mov.u32 %r5, 0").empty());
    CHECK(matched("match.any.sync.b32 %r3, %r4, 0xffffffff", "setp.ne.u32 %p2, %r3, 0xffffffff").empty());
    CHECK(tells(matched("match.all.sync.b32 %r3|_, %r4, 0xffffffff", "setp.eq.u32 %p2, %r3, 0xffffffff"), "race on `x`"));
}

TEST_CASE("a warpgroup changes its registers as a whole") {
    const auto changed = [](const std::string& threads) {
        return told("setp.ge.u32 %p1, %r1, " + threads + ";\n@%p1 bra L;\nsetmaxnreg.dec.sync.aligned.u32 40;\nL:", "256");
    };
    CHECK(changed("128").empty());
    CHECK(changed("256").empty());
    CHECK(tells(changed("32"), "not all warps of the warpgroup execute this `setmaxnreg` (ISA 9.7.19.5)"));
    CHECK(tells(changed("192"), "not all warps of the warpgroup"));
}

TEST_CASE("which lane is elected decides, or it does not") {
    // two blocks write one word, if lane 0 is not the elected one
    CHECK(
        tells(told("elect.sync %r2|%p1, 0xffffffff;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra END;\nst.global.u32 [%rd1], %r1;\nEND:", "32", "2"),
              "what `elect.sync` gives may be another on a GPU, and decides"));
    // the elected lane writes, and lane 0 reads: ordered only where they are one
    const auto read_behind = [](const std::string& between) {
        return told("elect.sync _|%p1, 0xffffffff;\n@%p1 st.global.u32 [%rd1], 1;\n" + between +
                    "setp.eq.u32 %p2, %r1, 0;\n@%p2 ld.global.u32 %r3, [%rd1];");
    };
    CHECK(tells(read_behind(""), "race on `x`"));
    CHECK(read_behind("bar.warp.sync 0xffffffff;\n").empty());
    // two masks may have two leaders, though the lowest lane of both is the same, and the highest
    const std::string first = "elect.sync _|%p1, 0xffffffff;\n@%p1 st.global.u32 [%rd1], 1;\n";
    CHECK(tells(told(first + "setp.lt.u32 %p2, %r1, 16;\nsetp.eq.or.u32 %p3, %r1, 31, %p2;\n@!%p3 bra L;\n"
                             "elect.sync _|%p1, 0x8000ffff;\n@%p1 ld.global.u32 %r3, [%rd1];\nL:"),
                "race on `x`"));
    // one mask has one
    CHECK(told(first + "elect.sync _|%p1, 0xffffffff;\n@%p1 ld.global.u32 %r3, [%rd1];").empty());
    CHECK(told(first, "1").empty());
}

// A warp brings together what the elected lane has; who takes it from lane 0 finds a register that nobody wrote, where another lane is
// elected.
TEST_CASE("what lane 0 has not got from the elected lane is named, and who has it") {
    const std::string elects = "elect.sync _|%p1, 0xffffffff;\n@%p1 mov.u32 %r2, 0;\nshfl.sync.idx.b32 %r3, %r2, 0, 31, 0xffffffff;\n";
    const std::string lacks =
        "lane 0 has never written `%r2`, and lane 31 has (PTX line 14), as the one that `elect.sync` has elected; it may "
        "elect any (ISA 9.7.13.14)";
    CHECK(tells(told(elects + "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r4, [%rd4];"),
                "an address depends on a value that is not computed: " + lacks));
    CHECK(tells(told(elects + "setp.eq.u32 %p3, %r3, 1;\n@%p3 st.global.u32 [%rd1], %r1;"), "one way is taken; " + lacks));
    // the lane that the shuffle takes from lacks it
    const std::string from_third = "elect.sync _|%p1, 0xffffffff;\n@%p1 mov.u32 %r2, 0;\nshfl.sync.idx.b32 %r3, %r2, 3, 31, 0xffffffff;\n";
    CHECK(tells(told(from_third + "setp.eq.u32 %p3, %r3, 1;\n@%p3 st.global.u32 [%rd1], %r1;"),
                "lane 3 has never written `%r2`, and lane 0 has (PTX line 14), as the one that `elect.sync` has elected"));
    const auto refused = [](const std::string& body) { return kernel::testing::refusal([&] { told(body); }); };
    // nobody is elected: some lanes have it, or none
    const std::string asks = "ld.global.u32 %r4, [%rd3];";
    CHECK(tells(refused("setp.gt.u32 %p1, %r1, 7;\n@%p1 mov.u64 %rd3, %rd1;\n" + asks),
                "lane 0 has never written `%rd3`, others have (PTX line 14)"));
    CHECK(tells(refused("setp.gt.u32 %p1, %r1, 77;\n@%p1 mov.u64 %rd3, %rd1;\n" + asks), "lane 0 has never written `%rd3` (PTX line 14)"));
    CHECK(tells(refused(asks), "no instruction writes `%rd3`"));
    // what is not computed though it is there
    CHECK(tells(refused("ld.shared.u64 %rd4, [s];\nadd.u64 %rd3, %rd4, 8;\n" + asks),
                "not computed, which `ld.shared.u64` gives (PTX line 13)"));
}

TEST_CASE("what says where a thread runs is no constant") {
    for (const std::string name : {"%warpid", "%nwarpid", "%smid", "%nsmid"}) {
        CAPTURE(name);
        CHECK(tells(told("mov.u32 %r2, " + name + ";\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 st.global.u32 [%rd1], %r1;\n", "1"),
                    "what `mov.u32` of `" + name + "` gives may be another on a GPU, and decides"));
        CHECK(told("mov.u32 %r2, " + name + ";\nst.global.u32 [%rd1], %r2;\n", "1").empty());
    }
    CHECK(tells(told("mov.u64 %rd2, %gridid;\nsetp.ne.u64 %p1, %rd2, 0;\n@%p1 bra END;\nEND:", "1"), "may be another on a GPU"));
    CHECK(told("mov.u32 %r2, %laneid;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra END;\nst.global.u32 [%rd1], %r1;\nEND:").empty());
}

TEST_CASE("a state is of one object in one life") {
    const std::string init = "mbarrier.init.shared::cta.b64 [%r9], 1;\nmbarrier.init.shared::cta.b64 [%r9+8], 1;\n";
    const std::string other = "mbarrier.arrive.shared::cta.b64 %rd3, [%r9+8];\n";
    const auto waited = [&](const std::string& state, const std::string& between = "") {
        return told(init + "mbarrier.arrive.shared::cta.b64 %rd2, [%r9];\n" + between + other +
                        "W:\nmbarrier.try_wait.shared::cta.b64 %p1, "
                        "[%r9], " +
                        state + ";\n@!%p1 bra W;",
                    "1");
    };
    CHECK(waited("%rd2").empty());
    CHECK(tells(waited("%rd3"), "its state is not one of `s` at byte 0 of block 0 in its present life (ISA 9.7.13.15.16)"));
    // through memory it is the same state
    CHECK(waited("%rd4", "st.shared.u64 [%r9+64], %rd2;\nld.shared.u64 %rd4, [%r9+64];\n").empty());
    CHECK(tells(waited("%rd2",
                       "mbarrier.inval.shared::cta.b64 [%r9];\nmbarrier.init.shared::cta.b64 [%r9], 1;\n"
                       "mbarrier.arrive.shared::cta.b64 _, [%r9];\n"),
                "in its present life"));
    const auto counted = [&](const std::string& arrival) {
        return told("mbarrier.init.shared::cta.b64 [%r9], 2;\nmbarrier.arrive" + arrival + ".shared::cta.b64 %rd2, [%r9]" +
                        (arrival.empty() ? "" : ", 1") + ";\nmbarrier.pending_count.b64 %r2, %rd2;",
                    "1");
    };
    CHECK(tells(counted(""), "its state is not one that a `.noComplete` arrival gave (ISA 9.7.13.15.17)"));
    CHECK(!tells(counted(".noComplete"), "its state"));
}

TEST_CASE("an arrival without completion completes no phase") {
    const auto arrived = [](const std::string& count) {
        return told("mbarrier.init.shared::cta.b64 [%r9], " + count + ";\nmbarrier.arrive.noComplete.shared::cta.b64 %rd2, [%r9], 1;", "1");
    };
    CHECK(!tells(arrived("2"), "completes the phase ("));
    CHECK(tells(arrived("1"), "this `.noComplete` arrival completes the phase (ISA 9.7.13.15.13)"));
}

// Thread 1 does not arrive: by its wait for phase 0 that phase, and the one after it, may be over.
TEST_CASE("a wait two phases late, of a thread that does not arrive") {
    const auto waited = [](const std::string& rounds) {
        return told(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\nmbarrier.init.shared::cta.b64 [%r9], 1;\nMET:\nbarrier.cta.sync 0;\n"
            "@%p1 bra LATE;\nmov.u32 %r2, 0;\nL:\nmbarrier.arrive.shared::cta.b64 _, [%r9];\nand.b32 %r3, %r2, 1;\nW:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], %r3;\n@!%p2 bra W;\nadd.u32 %r2, %r2, 1;\n"
            "setp.lt.u32 %p3, %r2, " +
                rounds +
                ";\n@%p3 bra L;\nret;\nLATE:\nV:\n"
                "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra V;",
            "2");
    };
    CHECK(waited("1").empty());
    CHECK(tells(waited("2"), "that it waits for may be over, and the next one, too"));
    CHECK(tells(waited("3"), "that it waits for may be over, and the next one, too"));
}

// "An intra-thread ordering through true register dependency will be respected" (ISA 9.7.16.6.4.5): a read waits, and a write does not.
TEST_CASE("registers of tcgen05.ld belong to it until something waits") {
    const auto loaded = [](const std::string& behind) {
        return told(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r9], 32;\nld.shared.u32 %r2, [%r9];\n"
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];\n" +
            behind + "tcgen05.wait::ld.sync.aligned;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;");
    };
    const std::string again = "it writes a register of a tcgen05.ld that nothing has read";
    const std::string wait = "tcgen05.wait::ld.sync.aligned;\n", load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];\n";
    CHECK(!tells(loaded(""), again));
    CHECK(tells(loaded("mov.u32 %r3, 0;\n"), again));
    CHECK(tells(loaded(load), again));
    CHECK(!tells(loaded(wait + "mov.u32 %r3, 0;\n"), again));
    CHECK(!tells(loaded("add.u32 %r4, %r3, 1;\nmov.u32 %r3, 0;\n"), again));
    CHECK(!tells(loaded("mov.u32 %r4, %r3;\n" + load), again));
}

TEST_CASE("lanes that pass an aligned barrier by and then do something else") {
    const auto passed = [](const std::string& behind) {
        return told("setp.ge.u32 %p1, %r1, 16;\n@%p1 bra BEHIND;\nbar.sync 0;\nBEHIND:\n" + behind);
    };
    CHECK(passed("").empty());  // who exits does not come
    CHECK(tells(passed("mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\n"),
                "lanes of the warp pass this `.aligned` instruction by"));
}

TEST_CASE("who does not want the result of cp.async need not wait for it, and a bulk copy out of shared memory is waited for") {
    CHECK(told("setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.async.cg.shared.global [%r9], [%rd1], 16;").empty());
    CHECK(tells(told("setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 16;"),
                "in flight when its thread exits"));
}
