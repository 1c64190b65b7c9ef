// Loops that poll by an atomic which writes back what it reads (event/write_back.cpp): taken as awaits, they have the outcomes and races of
// their attempts written out.
#include <doctest/doctest.h>

#include <random>

#include "cat/model.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "solve/solve.h"

using namespace litmus;

namespace {

// Thread P0 polls: an instruction that reads into r0, and the comparison by which it tries again.
struct Poll {
    std::string atomic, again, succeeded;
};

// What P0 does, until it has tried `attempts` times and gives up; 0: a loop.
std::string text_of(const Poll& poll, int attempts) {
    const std::string attempt = poll.atomic + ";\nsetp." + poll.again + ";\n";
    if (attempts == 0) return "AGAIN:\n" + attempt + "@p bra AGAIN;\n";
    std::string text;
    for (int i = 1; i < attempts; ++i) text += attempt + "@!p bra DONE;\n";
    return text + attempt + "@p exit;\nDONE:\n";
}

struct Found {
    std::set<std::vector<uint64_t>> outcomes;
    bool race = false, undefined = false, cut = false;
};

// `rest`: what P0 does afterwards, and the other threads.
Found solved(const Poll& poll, int attempts, const std::string& after, const std::string& rest, const std::string& declared) {
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + declared + "\nthread P0 @ cta0 {\n" + text_of(poll, attempts) +
                                                            after + "}\n" + rest + "\nfilter (P0:r0 " + poll.succeeded + ")\n"));
    Program program = build_program(test, {2, true});
    static const Model model = load_model("ptx", {});
    SolveOptions options;
    options.all_state = true;
    Solver solver(Solver::usually, faster);
    const Answer answer = solver.solve(program, model, options);
    REQUIRE(answer.complete);
    REQUIRE(answer.hazards.has_value());
    Found found;
    for (const Outcome& outcome : answer.outcomes) found.outcomes.insert(outcome.values);
    found.race = raises(*answer.hazards, race_flag);
    found.undefined = answer.hazards->undefined == Truth::yes;
    found.cut = answer.bound_hit;
    return found;
}

const std::string memory = ".global .u32 f = 0;\n.global .u32 g = 0;\n.global .u32 d = 0;";

class Random {
public:
    explicit Random(uint32_t seed) : engine_(seed) {}
    size_t below(size_t n) { return engine_() % n; }
    std::string one_of(const std::vector<std::string>& words) { return words[below(words.size())]; }

    Poll poll() {
        const std::string how =
            "." + one_of({"relaxed", "acquire", "release", "acq_rel"}) + "." + one_of({"gpu", "gpu", "cta"}) + ".global.";
        switch (below(8)) {
            case 0:
                return {"atom" + how + "add.u32 r0, [f], 0", "ne.u32 p, r0, 1", "== 1"};
            case 1:
                return {"atom" + how + "or.b32 r0, [f], 0", "eq.u32 p, r0, 0", "!= 0"};
            case 2:
                return {"atom" + how + "cas.b32 r0, [f], 0, 0", "eq.u32 p, r0, 0", "!= 0"};
            case 3:
                return {"atom" + how + "cas.b32 r0, [f], 1, 1", "ne.u32 p, r0, 2", "== 2"};
            case 4:
                return {"atom" + how + "exch.b32 r0, [f], 1", "ne.u32 p, r0, 0", "== 0"};
            case 5:
                return {"atom" + how + "or.b32 r0, [f], 1", "ne.u32 p, r0, 0", "== 0"};
            case 6:
                return {"atom" + how + "exch.b32 r0, [f], 0", "eq.u32 p, r0, 0", "!= 0"};
            default:
                return {"atom" + how + "max.u32 r0, [f], 0", "ne.u32 p, r0, 2", "== 2"};
        }
    }
    std::string instruction(int number) {
        const std::string r = "q" + std::to_string(number), scope = one_of({"gpu", "gpu", "cta"});
        switch (below(9)) {
            case 0:
                return "st." + one_of({"relaxed", "release"}) + "." + scope + ".global.u32 [f], " + one_of({"0", "1", "2"});
            case 1:
                return "st.weak.global.u32 [f], " + one_of({"0", "1"});
            case 2:
                return "red." + one_of({"relaxed", "release"}) + "." + scope + ".global.add.u32 [f], 1";
            case 3:
                return "atom." + one_of({"relaxed", "acq_rel"}) + "." + scope + ".global.exch.b32 " + r + ", [f], " + one_of({"0", "1"});
            case 4:
                return "ld." + one_of({"relaxed", "acquire"}) + "." + scope + ".global.u32 " + r + ", [f]";
            case 5:
                return "st.weak.global.u32 [d], " + one_of({"1", "2"});
            case 6:
                return "ld.weak.global.u32 " + r + ", [d]";
            case 7:
                return "fence.acq_rel." + scope;
            default:
                return "atom.relaxed." + scope + ".global.cas.b32 " + r + ", [f], 0, 1";
        }
    }
    std::string thread(const std::string& name, const std::string& cta, int number, size_t most) {
        std::string text = "thread " + name + " @ " + cta + " {\n";
        for (size_t i = 0, n = 1 + below(most); i < n; ++i) text += instruction(number++) + ";\n";
        return text + "}\n";
    }

private:
    std::mt19937 engine_;
};

// A loop is the same as its attempts, however many are written out, where it is an await; where it is unrolled, as two attempts.
void check_same(const Poll& poll, const std::string& after, const std::string& rest, int& awaits, const std::string& declared = memory) {
    const Found loop = solved(poll, 0, after, rest, declared);
    CAPTURE(poll.atomic + "; " + poll.again);
    CAPTURE(after + rest);
    awaits += loop.cut ? 0 : 1;
    for (const int attempts : {1, 2, 3}) {
        const Found written_out = solved(poll, attempts, after, rest, declared);
        CAPTURE(attempts);
        if (loop.cut && attempts > 2) continue;
        for (const auto& outcome : written_out.outcomes) CHECK(loop.outcomes.count(outcome) == 1);
        if (!loop.cut) CHECK(written_out.outcomes.size() == loop.outcomes.size());
        CHECK(written_out.race <= loop.race);
        CHECK(written_out.undefined <= loop.undefined);
    }
}

}  // namespace

TEST_CASE("polls by atomics have the outcomes and races of their attempts written out") {
    Random random(7);
    int awaits = 0;
    constexpr int programs = 200;
    for (int n = 0; n < programs; ++n) {
        const Poll poll = random.poll();
        const std::string after = random.below(2) == 0 ? "" : random.instruction(0) + ";\n";
        std::string rest = random.thread("P1", random.one_of({"cta0.warp1", "cta1"}), 1, 3);
        if (random.below(2) == 0) rest += random.thread("P2", "cta2", 5, 2);
        check_same(poll, after, rest, awaits);
    }
    CHECK(awaits >= programs / 4);
}

TEST_CASE("which polls are awaits") {
    const auto is_await = [](const Poll& poll, const std::string& rest, const std::string& after = "", const std::string& more = "") {
        int awaits = 0;
        check_same(poll, after, rest, awaits, memory + more);
        return awaits == 1;
    };
    const std::string gpu = ".relaxed.gpu.global";
    const Poll none{"atom" + gpu + ".or.b32 r0, [f], 0", "ne.u32 p, r0, 2", "== 2"};
    const Poll lock{"atom" + gpu + ".exch.b32 r0, [f], 1", "ne.u32 p, r0, 0", "== 0"};
    const std::string sets = "thread P1 @ cta1 { st" + gpu + ".u32 [f], 1; st" + gpu + ".u32 [f], 2; }\n";
    CHECK(is_await(none, sets));
    SUBCASE("an exchange writes back what it reads where the location holds nothing else") {
        const std::string holds = "thread P1 @ cta1 { atom" + gpu + ".exch.b32 q1, [f], 1; st" + gpu + ".u32 [f], 0; }\n";
        CHECK(is_await(lock, holds, "st" + gpu + ".u32 [f], 0;\n"));
        CHECK_FALSE(is_await(lock, sets + "thread P2 @ cta2 { st" + gpu + ".u32 [f], 0; }\n"));
    }
    SUBCASE("all accesses are morally strong with it") {
        CHECK_FALSE(is_await(none, "thread P1 @ cta1 { st.weak.global.u32 [f], 1; st" + gpu + ".u32 [f], 2; }\n"));
        CHECK_FALSE(is_await(none, sets + "thread P2 @ cta2 { ld.relaxed.cta.global.u32 q5, [f]; }\n"));
    }
    SUBCASE("no access goes by another address, or is asynchronous") {
        const std::string replicas = "\n.global .u32 f2 = 0;\n.multimem both = f, f2;";
        CHECK(is_await(none, sets, "", replicas));
        CHECK_FALSE(is_await(none, "thread P1 @ cta1 { multimem.st" + gpu + ".u32 [both], 2; }\n", "", replicas));
        CHECK_FALSE(is_await(none, "thread P1 @ cta1 { st.async.release.gpu.global.u32 [f], 2; }\n"));
        // a compare-and-swap that fails writes nothing back
        const Poll fails{"atom" + gpu + ".cas.b32 r0, [f], 2, 2", "lt.u32 p, r0, 2", "== 2"};
        CHECK(is_await(fails, "thread P1 @ cta1 { multimem.st" + gpu + ".u32 [both], 2; }\n", "", replicas));
    }
    SUBCASE("a read that comes before the write in causality order may read what was written back") {
        const std::string flag = "thread P1 @ cta1 { ld" + gpu + ".u32 q1, [f]; fence.acq_rel.gpu; st" + gpu + ".u32 [g], 1; }\n" +
                                 "thread P2 @ cta2 { ld.acquire.gpu.global.u32 q5, [g]; st" + gpu + ".u32 [f], 1; st" + gpu +
                                 ".u32 [f], 2; }\n";
        CHECK_FALSE(is_await(none, flag));
    }
    SUBCASE("a read on which the write depends may read what an exchange wrote") {
        const std::string circle = "thread P1 @ cta1 { atom" + gpu + ".add.u32 q1, [f], 0; st" + gpu + ".u32 [g], q1; }\n" +
                                   "thread P2 @ cta2 { ld" + gpu + ".u32 q5, [g]; setp.eq.u32 q, q5, 1; @q st" + gpu + ".u32 [f], 1; st" +
                                   gpu + ".u32 [f], 0; }\n";
        CHECK_FALSE(is_await(lock, circle));
    }
}
