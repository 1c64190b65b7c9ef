// Who is chosen.
#include "kernel/roles.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "hand_made.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

Choice choice_of(const HandMade& made, const ChoiceOptions& options = {}) {
    const Memory memory(made.traces);
    return choose(made.traces, memory, options);
}

std::string chosen(const HandMade& made, const ChoiceOptions& options = {}) {
    return thread_names(made.traces, choice_of(made, options).threads);
}

}  // namespace

TEST_CASE("threads that do the same at other places and with other numbers are a group") {
    const HandMade made = hand_made(1, 64, 1, ".global .u32 x[64] = 0;\n.global .u32 y = 0;", [](uint32_t, uint32_t t) {
        if (t == 7) return std::string("st.global.u32 [y], 1;\n");
        return "st.global.u32 [x+" + n(4 * t) + "], " + n(t) + ";\n";
    });
    const Choice choice = choice_of(made);
    REQUIRE(choice.groups.size() == 2);
    CHECK(thread_names(made.traces, choice.groups[0].threads) == "t0..t6, t8..t63");
    CHECK(chosen(made) == "t0, t7");
}

TEST_CASE("what counts on another mbarrier object is another group") {
    const HandMade made = hand_made(1, 64, 1, ".shared .mbarrier a = 32;\n.shared .mbarrier b = 32;", [](uint32_t, uint32_t t) {
        return std::string("mbarrier.arrive.shared::cta.b64 _, [") + (t < 32 ? "a" : "b") + "];\n";
    });
    CHECK(chosen(made) == "t0, t32");
}

TEST_CASE("idle threads are left out, but one of a CTA of a cluster") {
    const auto made = [](uint32_t cluster) {
        return hand_made(2, 4, cluster, ".global .u32 x = 0;", [](uint32_t b, uint32_t t) {
            return std::string(b == 0 && t == 2 ? "st.global.u32 [x], 1;\n" : "") + "bar.sync 0;\n";
        });
    };
    CHECK(chosen(made(1)) == "b0t2");
    CHECK(chosen(made(2)) == "b0t2, b1t0");
}

TEST_CASE("a group that meets only its own kind gets a second thread") {
    const HandMade made = hand_made(1, 8, 1, ".shared .u32 s[8] = 0;", [](uint32_t, uint32_t t) {
        return "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\nbar.sync 0;\nld.shared::cta.u32 r, [s+" + n(4 * ((t + 3) % 8)) + "];\n";
    });
    CHECK(chosen(made) == "t0, t3");  // t0 reads what t3 writes
}

TEST_CASE("a group that would meet nobody gets a thread even in a large test, up to the most that it may have") {
    // eight groups of writers, told apart by their fences, and one of readers of all that they write
    const HandMade made = hand_made(1, 64, 1, ".shared .u32 s[64] = 0;", [](uint32_t, uint32_t t) {
        if (t >= 32) return "ld.shared::cta.u32 r, [s+" + n(4 * (t - 32)) + "];\n";
        std::string text;
        for (uint32_t i = 0; i < t % 8; ++i) text += "membar.cta;\n";
        return text + "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\n";
    });
    const Memory memory(made.traces);
    const Choice all = choice_of(made);
    CHECK(all.groups.size() == 9);
    CHECK(all.threads.size() == 9 + 7);
    CHECK(Meetings(made.traces, memory, all.group_of).unmet(all.threads).empty());
    ChoiceOptions options;
    options.most_threads = 12;
    const Choice some = choice_of(made, options);
    CHECK(some.threads.size() == 12);
    CHECK(Meetings(made.traces, memory, some.group_of).unmet(some.threads).size() == 4);
}

TEST_CASE("each pair of instructions that touches the same data is in the test") {
    // thread 0 writes what thread 1 reads, and reads what thread 2 writes, by other instructions than the rest
    const HandMade made = hand_made(1, 16, 1, ".shared .u32 s[64] = 0;", [](uint32_t, uint32_t t) {
        if (t == 0) return std::string("st.shared::cta.u32 [s], 1;\nst.shared::cta.u32 [s+128], 1;\n");
        return "ld.shared::cta.u32 r, [s+" + n(4 * (t - 1)) + "];\nst.shared::cta.u32 [s+" + n(4 * (t + 24)) + "], 1;\n";
    });
    CHECK(chosen(made) == "t0, t1, t8");  // t1 reads s[0]; t8 writes s[32]
}

TEST_CASE("a thread that waits is left out only where nobody can wait for it elsewhere") {
    const auto made = [](const std::string& waits, const std::string& stays) {
        return hand_made(1, 64, 1, ".global .u32 x = 0;", [=](uint32_t, uint32_t t) {
            return t < 32 ? waits : t == 32 ? "st.global.u32 [x], 1;\n" + stays : std::string();
        });
    };
    CHECK(chosen(made("bar.sync 0;\n", "bar.sync 0;\n")) == "t32");
    CHECK(chosen(made("bar.sync 0;\n", "bar.sync 0;\nbar.sync 0;\n")) == "t32");
    CHECK(chosen(made("bar.sync 0;\n", "bar.sync 1;\n")) == "t0, t32");
    CHECK(chosen(made("bar.sync 0;\nbar.sync 1;\n", "bar.sync 0;\nbar.sync 1;\n")) == "t32");
    CHECK(chosen(made("bar.sync 0;\nbar.sync 1;\n", "bar.sync 1;\nbar.sync 0;\n")) == "t0, t32");
    CHECK(chosen(made("barrier.cluster.arrive;\nbarrier.cluster.wait;\nbar.sync 0;\n",
                      "bar.sync 0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n")) == "t0, t32");
    CHECK(chosen(made("bar.warp.sync 4294967295;\nbar.sync 0;\n", "bar.sync 0;\n")) == "t32");  // another warp
    const HandMade lanes = hand_made(1, 32, 1, ".global .u32 x = 0;", [](uint32_t, uint32_t t) {
        return std::string(t < 16 ? "st.global.u32 [x], 1;\nbar.warp.sync 4294967295;\n" : "") + "bar.sync 0;\n";
    });
    CHECK(thread_names(lanes.traces, choice_of(lanes).threads).find("t16") != std::string::npos);
}

TEST_CASE("two lanes of a warp do not stand for lanes of two warps or of two masks") {
    const auto made = [](bool halves) {
        return hand_made(1, halves ? 32 : 64, 1, ".shared .u32 s[64] = 0;", [=](uint32_t, uint32_t t) {
            const uint32_t mask = !halves ? 0xffffffff : t % 32 < 16 ? 0xffff : 0xffff0001;  // the threads of this text are lanes 0
            return "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\nbar.warp.sync " + n(mask) + ";\nld.shared::cta.u32 r, [s+" +
                   n(4 * ((t + 1) % 64)) + "];\n";
        });
    };
    const auto meets = [](const HandMade& hand, const auto& apart) {  // two chosen neighbours
        const Choice choice = choice_of(hand);
        return std::any_of(choice.threads.begin(), choice.threads.end(), [&](size_t t) { return apart(t) && choice.has((t + 1) % 64); });
    };
    CHECK(meets(made(false), [](size_t t) { return t % 32 != 31; }));
    CHECK(meets(made(false), [](size_t t) { return t % 32 == 31; }));
    CHECK(meets(made(true), [](size_t t) { return t == 15; }));
}

TEST_CASE("rounds of a loop meet each for itself") {
    // round i reads what the thread 2^i further on wrote: one statement
    HandMade made = hand_made(1, 16, 1, ".shared .u32 s[16] = 0;", [](uint32_t, uint32_t t) {
        std::string text = "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\nbar.sync 0;\n";
        for (uint32_t i = 0; i < 3; ++i) text += "ld.shared::cta.u32 r, [s+" + n(4 * ((t + (1U << i)) % 16)) + "];\n";
        return text;
    });
    for (Trace& trace : made.traces.threads) trace.statements = {0, 1, 2, 2, 2};
    const Memory memory(made.traces);
    const Choice choice = choice_of(made);
    CHECK(Meetings(made.traces, memory, choice.group_of).unmet(choice.threads).empty());
    for (const size_t step : {size_t{1}, size_t{2}, size_t{4}})
        CHECK(std::any_of(choice.threads.begin(), choice.threads.end(), [&](size_t t) { return choice.has((t + step) % 16); }));
}

TEST_CASE("numbers that are data do not tell threads apart, those that decide do") {
    const auto made = [](bool decides) {
        return hand_made(1, 8, 1, ".global .u32 x[8] = 0;", [=](uint32_t, uint32_t t) {
            const std::string at = "[x+" + n(4 * t) + "]";
            return "ld.global.u32 r, " + at + ";\nadd.u32 v, r, " + n(t) + ";\n" +
                   (decides ? "setp.eq.u32 p, v, 3;\n@p st.global.u32 " + at + ", 0;\n" : "st.global.u32 " + at + ", v;\n");
        });
    };
    CHECK(groups_of(made(false).traces).size() == 1);
    CHECK(groups_of(made(true).traces).size() == 8);
}

TEST_CASE("a thread that may not end, or that traps, is no idle one") {
    const std::string store = "bar.sync 0;\nst.global.u32 [a], 1;\n";
    const auto made = [&](const std::string& of_second) {
        return hand_made(1, 64, 1, ".global .u32 a = 0;",
                         [=](uint32_t, uint32_t t) { return t == 0 ? store : "bar.sync 0;\n" + of_second; });
    };
    CHECK(write_hand_made(made("")).test.threads.size() == 1);
    CHECK(write_hand_made(made("L1:\nbra L1;\n")).test.threads.size() == 2);
    const HandMade forever = hand_made(1, 64, 1, ".global .u32 a = 0;", [](uint32_t, uint32_t t) {
        return std::string(t == 0 ? "st.global.u32 [a], 1;\n" : "L1:\nbra L1;\n");
    });
    CHECK(write_hand_made(forever).test.threads.size() == 2);  // also where it waits at no barrier
    HandMade trapping = made("exit;\n");
    CHECK(write_hand_made(trapping).test.threads.size() == 1);
    trapping.traces.threads[40].traps = {1};
    const Written written = write_hand_made(trapping);
    REQUIRE(written.test.threads.size() == 2);
    CHECK(written.test.threads[1].name == "t40");
    CHECK(find_location(written.test, "trapped"));
}
