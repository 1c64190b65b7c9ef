// What is waited for, by scoreboards: code made by hand, where the answer is known, and acquires as ptxas compiles them.
#include "sass/waits.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "sass/assembler.h"
#include "sass/code.h"
#include "sass/flow.h"
#include "sass/ptxas.h"
#include "tiny_cubin.h"

using namespace litmus::sass;

namespace {

constexpr uint16_t cctl = 0x98f, bra = 0x947, exits = 0x94d, phase = 0x5a7, qspc = 0x9aa, atoms = 0x38d, atom = 0x9a2;
using How = Acquires::How;

struct Thread {
    Cubin cubin;
    Order order;
};

Thread thread_of(const std::vector<Coded>& code, const std::vector<uint32_t>& lines, const std::vector<std::string>& ptx = {}) {
    Thread thread{read_cubin(tiny_cubin(ptx, code)), {}};
    thread.order = order_of(thread.cubin, function_named(thread.cubin, "f"), lines);
    return thread;
}

// Of two instructions, lines 1 and 2, of which the first acquires.
std::vector<Unwaited> of_two(const std::vector<Coded>& code, Acquires first) {
    const Thread thread = thread_of(code, {1, 2});
    return unwaited(function_named(thread.cubin, "f"), thread.order, {first, {}});
}

const Acquires reads{How::when_read, false, false}, reads_shared{How::when_read, true, false}, ends{How::at_end, false, false},
    reads_wide{How::when_read, true, true};
const std::vector<Unwaited> none, unread = {{0, 1, false}}, stale = {{0, 1, true}};

}  // namespace

TEST_CASE("the fields of an instruction") {
    const std::string code =
        code_of({{1, ldg, 5, 3, 0x12, 9}, {1, bra, 4, 7, 1, 8, 3}, {1, bra, 4, 7, 0, 7, -2}, {1, exits}, {1, exits, 4, 7, 0, 1}});
    CHECK(access_bits(code, 0) == 64);
    CHECK(scoreboards_at(code, 0).result == 3U);
    CHECK(scoreboards_at(code, 0).awaited == 0x12);
    CHECK(!scoreboards_at(code, 16).result);
    CHECK(scoreboards_at(code, 16).awaited == 1);
    CHECK(next_of(code, 0).falls_through);
    CHECK(!next_of(code, 0).branch);
    CHECK(next_of(code, 16).falls_through);  // under a predicate
    CHECK(next_of(code, 16).branch == 16U * 5);
    CHECK(!next_of(code, 32).falls_through);
    CHECK(next_of(code, 32).branch == 16U);
    CHECK(!next_of(code, 48).falls_through);
    CHECK(next_of(code, 64).falls_through);
    CHECK(effect_at(code_of({{1, lds, 4, 7, 0, 15}}), 0) == Effect::none);  // never executed
    CHECK(are_copies(code_of({{1, lds, 4, 1, 0}, {2, lds, 4, 2, 3}}), 0, 16));
    CHECK(!are_copies(code_of({{1, lds, 4}, {2, lds, 5}}), 0, 16));
}

TEST_CASE("the ways through code") {
    const auto at = [](uint64_t wanted) { return [wanted](uint64_t address) { return address == wanted * 16; }; };
    const auto nowhere = [](uint64_t) { return false; };
    const std::string straight = code_of({{1, imad}, {1, imad}, {1, exits}, {1, imad}});
    CHECK(can_reach_from_entry(straight, at(2), nowhere));
    CHECK(!can_reach_from_entry(straight, at(2), at(1)));
    CHECK(!can_reach_from_entry(straight, at(3), nowhere));
    const std::string around = code_of({{1, bra, 4, 7, 0, 0, 2}, {1, imad}, {1, imad}, {1, imad}, {1, bra, 4, 7, 0, 7, -4}});
    CHECK(can_reach_from_entry(around, at(3), at(1)));
    CHECK(can_reach(around, 48, at(1), nowhere));  // back
    CHECK(!can_reach(around, 48, at(1), at(4)));
    CHECK(!can_reach_from_entry(code_of({{1, bra, 4, 7, 0, 7, 1000}}), at(0), at(0)) == false);
}

TEST_CASE("an acquire whose value some instruction waits for, and one that nobody waits for") {
    CHECK(of_two({{1, ldg, 4, 2}, {9, nop, 4, 7, 4}, {2, lds}}, reads) == none);
    CHECK(of_two({{1, ldg, 4, 2}, {9, imad, 4, 7, 4}, {2, lds}}, reads) == none);
    CHECK(of_two({{1, ldg, 4, 2}, {2, lds, 4, 7, 4}}, reads) == none);              // the access itself
    CHECK(of_two({{1, ldg, 4, 2}, {9, nop, 4, 7, 2}, {2, lds}}, reads) == unread);  // another scoreboard
    CHECK(of_two({{1, ldg, 4, 2}, {2, lds}, {9, nop, 4, 7, 4}}, reads) == unread);  // too late
    CHECK(of_two({{1, phase, 4, 0}, {2, ldg}}, reads_shared) == unread);
    CHECK(of_two({{1, ldg, 4, 2}, {2, lds}}, {}) == none);     // no acquire
    CHECK(of_two({{2, lds}, {1, ldg, 4, 2}}, reads) == none);  // that is a move
}

TEST_CASE("one way without a wait is enough") {
    // a second try under a predicate, as ptxas makes of a time hint
    CHECK(of_two({{1, phase, 4, 2}, {1, 0x95d, 4, 7, 4, 8}, {1, phase, 4, 2, 0, 8}, {2, ldg}}, reads_shared) == unread);
    CHECK(of_two({{1, phase, 4, 2}, {9, bra, 4, 7, 0, 0, 1}, {9, nop, 4, 7, 4}, {2, lds}}, reads_shared) == unread);
    CHECK(of_two({{1, phase, 4, 2}, {9, bra, 4, 7, 4, 0, 1}, {9, imad}, {2, lds}}, reads_shared) == none);
}

TEST_CASE("caches forget before what they may answer is read") {
    CHECK(of_two({{1, ldg, 4, 2}, {1, cctl, 4, 7, 4}, {2, ldg}}, reads) == none);
    CHECK(of_two({{1, ldg, 4, 2}, {9, nop, 4, 7, 4}, {2, ldg}, {1, cctl}}, reads) == stale);
    CHECK(of_two({{1, lds, 4, 2}, {9, nop, 4, 7, 4}, {2, ldg}}, reads_shared) == none);  // of a CTA, which has one cache
    CHECK(of_two({{1, lds, 4, 2}, {9, nop, 4, 7, 4}, {2, ldg}}, reads_wide) == stale);
    CHECK(of_two({{1, lds, 4, 2}, {9, cctl, 4, 7, 4}, {2, ldg}}, reads_wide) == none);
    CHECK(of_two({{1, ldg, 4, 2}, {9, nop, 4, 7, 4}, {2, lds}, {1, cctl}}, reads) == none);                // shared memory is in none
    CHECK(of_two({{1, ldg, 4, 2}, {9, nop, 4, 7, 4}, {2, ldg, 4 | 7U << 4U}, {1, cctl}}, reads) == none);  // .gpu: read past them
}

TEST_CASE("what stands behind the question for the kind of memory is for that kind") {
    const std::vector<Coded> code = {
        {1, atom, 4, 2}, {1, cctl, 4, 7, 4}, {9, bra, 4, 7, 0, 0, 3}, {9, qspc}, {1, atoms, 4, 0}, {9, nop, 4, 7, 1}, {2, ldg}};
    CHECK(of_two(code, reads) == none);
    CHECK(of_two(code, reads_shared) == stale);
}

TEST_CASE("a fence has more than its first instruction behind it") {
    CHECK(of_two({{1, membar}, {1, membar}, {1, cctl}, {2, ldg}}, ends) == none);
    CHECK(of_two({{1, membar}, {2, lds}, {1, membar}}, ends) == unread);
    CHECK(of_two({{1, membar}, {1, membar}, {2, ldg}, {1, cctl}}, ends) == stale);
    CHECK(of_two({{1, cctl}, {2, ldg}}, ends) == none);
    CHECK(of_two({{1, membar}, {2, ldg}}, ends) == none);
}

TEST_CASE("code out of line is no movement, and what stands under a wrong line goes to its own") {
    // line 1 is executed out of line, under a predicate, and returns
    const Thread away = thread_of({{9, bra, 4, 7, 0, 0, 2}, {2, lds}, {9, exits}, {1, ldg}, {9, bra, 4, 7, 0, 7, -4}}, {1, 2});
    CHECK(away.order.moved.empty());
    // the same without the way back before: line 2 first, then line 1
    const Thread moved = thread_of({{2, lds}, {9, bra, 4, 7, 0, 7, 1}, {9, exits}, {1, ldg}}, {1, 2});
    CHECK(moved.order.moved == std::vector<Moved>{{0, 1}});
    // the first turn of a wait has no line of its own and stands under a mov
    const std::vector<std::string> ptx = {"mbarrier.try_wait.parity.b64 $go, [bar], 0;", "ld.weak.global.u32 %r0, [x];", "mov.b32 %r0, 0;"};
    const std::vector<Coded> turn = {{3, phase, 4, 0}, {9, bra, 4, 7, 1, 0, 2}, {2, ldg},
                                     {9, exits},       {1, phase, 4, 1},        {9, bra, 4, 7, 2, 7, -4}};
    const Thread wait = thread_of(turn, {1, 2}, ptx);
    CHECK(wait.order.moved.empty());
    CHECK(wait.order.strays.empty());
    CHECK(wait.order.places[0] == std::vector<uint64_t>{0, 64});
    const Thread stray = thread_of({{3, lds}, {1, phase}, {2, ldg}}, {1, 2}, ptx);
    CHECK(stray.order.strays == std::vector<uint64_t>{0});
}

TEST_CASE("operations on mbarrier objects, as ptxas writes them") {
    const auto assembler = assembler_or_skip();
    if (!assembler) return;
    const std::vector<std::string> tests = {
        "mbarrier.test_wait.shared::cta.b64 %p, [s], %s;", "mbarrier.test_wait.parity.shared::cta.b64 %p, [s], 1;",
        "mbarrier.try_wait.shared::cta.b64 %p, [s], %s;", "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [s], %a;"};
    const std::vector<std::string> others = {"mbarrier.init.shared::cta.b64 [s], 1;",
                                             "mbarrier.arrive.shared::cta.b64 %s, [s];",
                                             "mbarrier.arrive.shared::cta.b64 _, [s], %a;",
                                             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 16;",
                                             "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 16;",
                                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [s], 16;",
                                             "mbarrier.arrive_drop.shared::cta.b64 _, [s];",
                                             "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%a];",
                                             "cp.async.mbarrier.arrive.shared.b64 [s];"};
    for (const std::string target : {"sm_90a", "sm_100a"})
        for (const bool is_test : {true, false})
            for (const std::string& operation : is_test ? tests : others) {
                const Cubin cubin = read_cubin(assemble(
                    *assembler,
                    ".version 8.6\n.target " + target +
                        "\n.address_size 64\n.shared .align 128 .b8 s[128];\n.visible .entry f(.param .u64 x, .param .u32 a)\n{\n.reg .b64 "
                        "%x, "
                        "%s;\n.reg .b32 %a;\n.reg .pred %p;\nld.param.u64 %x, [x];\nld.param.u64 %s, [x];\nld.param.u32 %a, [a];\n" +
                        operation + "\n@%p st.global.u64 [%x], %s;\nret;\n}\n",
                    target));
                const Function& function = function_named(cubin, "f");
                const Order order = order_of(cubin, function, {13});
                REQUIRE_MESSAGE(!order.places[0].empty(), operation);
                const bool found = std::any_of(order.places[0].begin(), order.places[0].end(),
                                               [&](uint64_t at) { return is_phase_test(function.code, at); });
                CHECK_MESSAGE(found == is_test, operation);
            }
}

TEST_CASE("what ptxas writes: each acquire is waited for, but for a try whose result nobody uses") {
    const auto assembler = assembler_or_skip();
    if (!assembler) return;
    struct Case {
        const char* acquire;
        Acquires how;
    };
    const Case cases[] = {
        {"ld.acquire.gpu.global.u32 %a, [%x];", reads},
        {"ld.acquire.cta.shared::cta.u32 %a, [s];", reads_shared},
        {"ld.acquire.cluster.shared::cta.u32 %a, [s];", reads_wide},
        {"atom.acquire.sys.global.add.u32 %a, [%x], 1;", reads},
        {"atom.acq_rel.cta.shared::cta.exch.b32 %a, [s], 1;", reads_shared},
        {"fence.acq_rel.cta;", ends},
        {"fence.sc.gpu;", ends},
        {"fence.acquire.sys;", ends},
        {"bar.sync 0;", ends},
    };
    const std::string head =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[128];\n.visible .entry f(.param .u64 x, .param .u64 "
        "y)\n{\n.reg .b64 %x, %y;\n.reg .b32 %a, %b;\n.reg .pred %p;\nld.param.u64 %x, [x];\nld.param.u64 %y, [y];\n";
    const std::string tail =
        "\nld.weak.global.u32 %b, [%y];\nselp.u32 %a, %a, 2, %p;\nst.global.u32 [%y+16], %a;\nst.global.u32 [%y+20], %b;\nret;\n}\n";
    const auto read = [&](const std::string& text, Acquires how) {
        const Cubin cubin = read_cubin(assemble(*assembler, head + "setp.ne.u64 %p, %x, 0; mov.u32 %a, 0;\n" + text + tail, "sm_90a"));
        const Function& function = function_named(cubin, "f");
        const Order order = order_of(cubin, function, {13, 14});
        CHECK_MESSAGE(order.places[0].size() > 0, text);
        CHECK_MESSAGE(order.moved.empty(), text);
        return unwaited(function, order, {how, {}});
    };
    for (const Case& one : cases) CHECK_MESSAGE(read(one.acquire, one.how) == none, std::string(one.acquire));
    CHECK(read("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [s], 0;", reads_shared) == unread);
    CHECK(read("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p, [s], 0;", reads_shared) == unread);
    CHECK(read("atom.acquire.gpu.shared::cluster.add.f32 %a, [s], 0f3f800000;", reads_wide) == stale);
}
