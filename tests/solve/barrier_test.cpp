// Barriers in answers: loops through bar.red, whose results decide how often they are used, and the column format's barriers.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "cat/evaluate.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/read.h"
#include "solve/solve.h"

using namespace litmus;

namespace {

using Outcomes = std::set<std::vector<uint64_t>>;

Outcomes outcomes(const Test& test, int unroll = 2) {
    static Solver solver;
    BuildOptions options;
    options.unroll = unroll;
    Program program = build_program(test, options);
    const Answer answer = solver.solve(program, load_model("ptx", {}, Reading::Base::strongest), {});
    Outcomes all;
    for (const Outcome& o : answer.outcomes) all.insert(o.values);
    return all;
}

Outcomes outcomes(const std::string& text, int unroll = 2) {
    return outcomes(parse_tests(make_source("t.litmus", text)).at(0), unroll);
}

// A loop in each of two warps of one CTA; a third thread stores 1 to x at some time.
struct Loop {
    std::string first, second;  // the bodies, which set p to go on
    std::string claim;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
    return text;
}

// Both leave the loop within `unroll` iterations, or the execution does not count.
std::string program(const Loop& loop, int unroll, bool by_hand) {
    std::string text = "test \"t\"\n.global .u32 x = 0;\n";
    int thread = 0;
    for (const std::string& body : {loop.first, loop.second}) {
        text += "thread P" + std::to_string(thread++) + " @ cta0 {\n mov.u32 i, 0;\n";
        if (!by_hand) text += "L: " + body + "\n @p bra L;\n";
        for (int k = 0; by_hand && k < unroll; ++k) text += replaced(body, "M", "M" + std::to_string(k)) + "\n @!p bra E;\n";
        text += "E: selp.u32 open, 1, 0, p;\n}\n";
    }
    return text + "thread P2 @ cta1 { st.relaxed.gpu.u32 [x], 1; }\nfilter (P0:open == 0 /\\ P1:open == 0)\nexists (" + loop.claim + ")\n";
}

const std::string counted_up = " add.u32 i, i, 1;";
const std::string seen = counted_up + " ld.relaxed.gpu.u32 r0, [x]; setp.eq.u32 q, r0, 1;";
const std::string all_registers = "P0:i == 1 /\\ P1:i == 1 /\\ P0:r0 == 1 /\\ P1:r0 == 1 /\\ P0:r1 == 1";

}  // namespace

TEST_CASE("a loop through bar.red ends as the same iterations written one after the other do") {
    const std::string popc = seen + " bar.red.popc.u32 r1, 0, q; setp.lt.u32 p, r1, 64;";
    const std::string popc_counted = seen + " bar.red.popc.u32 r1, 0, 64, q; setp.lt.u32 p, r1, 32;";
    const std::string until_all = seen + " mov.u32 r1, 7; bar.red.and.pred s, 0, q; not.pred p, s;";
    const std::string until_one = seen + " mov.u32 r1, 7; bar.red.or.pred s, 0, q; not.pred p, s;";
    const std::string one_counted = seen + " mov.u32 r1, 7; bar.red.or.pred s, 0, 64, q; not.pred p, s;";
    const std::string then_sync = popc + " bar.sync 1;";
    const std::string sync_if_one = popc + " @!q bra M; add.u32 i, i, 8; M: bar.sync 1;";
    const std::vector<Loop> loops = {
        {popc, popc, all_registers},
        {popc_counted, popc_counted, all_registers},
        {until_all, until_all, all_registers},
        {until_one, until_one, all_registers},
        {one_counted, one_counted, all_registers},
        {then_sync, then_sync, all_registers},
        {sync_if_one, sync_if_one, all_registers},
    };
    for (const Loop& loop : loops) {
        for (const int unroll : {2, 3, 4, 5}) {
            const Outcomes looped = outcomes(program(loop, unroll, false), unroll), by_hand = outcomes(program(loop, unroll, true));
            CHECK_MESSAGE(looped == by_hand, loop.first, " unrolled ", unroll, ": ", looped.size(), " and ", by_hand.size());
            CHECK_MESSAGE(!looped.empty(), loop.first, " unrolled ", unroll);
        }
    }
}

TEST_CASE("loops through bar.red whose number of iterations is known") {
    const auto body = [](const std::string& limit) { return counted_up + " setp.lt.u32 q, i, " + limit + "; bar.red.or.pred p, 0, q;"; };
    const Loop loop{body("3"), body("2"), "P0:i == 1 /\\ P1:i == 1"};
    CHECK(outcomes(program(loop, 2, false), 2).empty());
    for (const int unroll : {3, 4, 5})
        CHECK(outcomes(program(loop, unroll, false), unroll) == Outcomes{{3, 3, 0, 0}});  // i, then what the filter names
}

// ---- the column format --------------------------------------------------------------------------------------

namespace {

std::string column(const std::string& rows) {
    return "PTX t\n{ x=0; y=0; P0:r1=3; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n" + rows;
}

// What the test says, which its native form says too.
Outcomes of_column(const std::string& rows) {
    const Test test = parse_tests(make_source("t.litmus", column(rows))).at(0);
    const Outcomes all = outcomes(test);
    CHECK(outcomes(to_native(test)) == all);
    return all;
}

}  // namespace

TEST_CASE("column: bar.cta.arrive publishes to those who wait, and waits for nobody") {
    const std::string load = "forall (P1:r0 == 1)\n";
    CHECK(of_column(" st.weak x, 1 | bar.cta.sync 1 ;\n bar.cta.arrive 1 | ld.weak r0, x ;\n" + load) == Outcomes{{1}});
    CHECK(of_column(" bar.cta.arrive 1 | bar.cta.sync 1 ;\n st.weak x, 1 | ld.weak r0, x ;\n" + load) == Outcomes{{0}, {1}});
    CHECK(of_column(" st.weak x, 1 | bar.cta.arrive 1 ;\n bar.cta.sync 1 | ld.weak r0, x ;\n" + load) == Outcomes{{0}, {1}});
    CHECK(of_column(" st.weak x, 1 | bar.cta.arrive 1 ;\n bar.cta.arrive 1 | ld.weak r0, x ;\n" + load) == Outcomes{{0}, {1}});
    // three must come, and two do: who waits does so for ever, who arrives does not
    CHECK(of_column(" bar.cta.arrive 1,1,3 | bar.cta.sync 1,1,3 ;\n" + load).empty());
    CHECK(of_column(" bar.cta.arrive 1,1,3 | bar.cta.arrive 1,1,3 ;\n | ld.weak r0, x ;\n" + load) == Outcomes{{0}});
}

TEST_CASE("column: the arrival that opens the barrier") {
    // two of three open it: the waiting thread has seen one of the two stores at least
    const std::string rows = R"(PTX t
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       | P2@cta 0,gpu 0     ;
 st.weak x, 1         | st.weak y, 1         | bar.cta.sync 1,1,2 ;
 bar.cta.arrive 1,1,2 | bar.cta.arrive 1,1,2 | ld.weak r0, x      ;
                      |                      | ld.weak r1, y      ;
exists (P2:r0 == 0 /\ P2:r1 == 0)
)";
    CHECK(outcomes(rows) == Outcomes{{0, 1}, {1, 0}, {1, 1}});
}

TEST_CASE("column: .sub adds the negative, and wraps") {
    CHECK(of_column(" red.relaxed.gpu.sub x, r1 | atom.relaxed.gpu.sub r0, x, 5 ;\nforall (x == 0 /\\ P1:r0 == 0)\n") ==
          Outcomes{{0, 0xfffffff8}, {0xfffffffd, 0xfffffff8}});
}

TEST_CASE("bar.red in a loop that its own result ends") {
    // The second round of P1 depends on the first result, and takes part in what the others get. Nobody else comes to it: P1 stays there,
    // and its loop is not cut.
    const Test test = parse_tests(make_source("t.litmus", R"(test "t"
thread P0 @ cta0 { setp.eq.u32 p, 0, 64; bar.red.popc.u32 r0, 0, 96, p; }
thread P1 @ cta0 { setp.eq.u32 p, 0, 0; L: bar.red.popc.u32 r0, 0, 96, p; setp.lt.u32 again, r0, 2; @!again bra L; }
thread P2 @ cta0 { setp.eq.u32 p, 0, 1; bar.red.popc.u32 r0, 0, 96, p; }
)"))
                          .at(0);
    for (const int unroll : {2, 3}) {
        Program program = build_program(test, {.unroll = unroll, .blocked = true});
        Solver solver;
        const Answer answer = solver.solve(program, load_model("ptx", {}, Reading::Base::default_), {});
        CHECK(answer.outcomes.empty());
        CHECK(answer.hazards->blocked == Truth::yes);
        CHECK_FALSE(answer.bound_hit);
    }
}
