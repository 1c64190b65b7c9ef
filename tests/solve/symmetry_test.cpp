// Threads that are alike: where one order of them is looked at, and that nothing is lost by it. Against the enumerator on random programs:
// test_differential --alike.
#include "solve/symmetry.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cat/evaluate.h"
#include "cat/readings.h"
#include "language/syntax/native/dsl.h"
#include "solve/solve.h"
#include "solve/specialise.h"

using namespace litmus;

namespace {

const Model& model_of_alike() {
    static const Model model = load_model("ptx", {}, Reading::Base::default_);
    return model;
}

Test parsed_alike(const std::string& body) {
    return parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
}

// So many threads, each alone in its CTA.
std::string alike_threads(int many, const std::string& body, int first = 0) {
    std::string result;
    for (int i = first; i < first + many; ++i) {
        const std::string number = std::to_string(i);
        result += "thread P" + number + " @ cta" + number + " { " + body + " }\n";
    }
    return result;
}

// How many exchanges of neighbours are found for the questions of a test about its outcomes.
size_t exchanges(const std::string& body, size_t fewest = 2) {
    const Test test = parsed_alike(body);
    Program program = build_program(test, {});
    FixedBases bases(program);
    std::vector<ExprId> asked{condition_expr(program, test.claim.condition)};
    for (const Observable& o : observables(program, false)) asked.push_back(o.value);
    return find_symmetry(program, bases, specialised(bases, model_of_alike()), asked, fewest).exchanges.size();
}

std::set<std::string> hazards(const std::string& body, size_t counts_from) {
    const Test test = parsed_alike(body);
    Program program = build_program(test, {.blocked = true});
    Solver solver(counts_from);
    const Hazards found = solver.hazards(program, model_of_alike());
    CHECK(found.races_complete);
    std::set<std::string> result;
    for (const Hazard& hazard : found.found) {
        CHECK(Evaluation(model_of_alike(), hazard.witness).consistent());
        std::string text = hazard.kind == Hazard::Kind::blocked ? "blocked" : hazard.flag;
        if (hazard.kind == Hazard::Kind::race)
            for (const auto& [a, b] : hazard.pairs) text += " " + describe(program, a) + " | " + describe(program, b);
        for (const auto& [thread, instruction] : hazard.places) text += " " + std::to_string(thread) + "." + std::to_string(instruction);
        CHECK(result.insert(text).second);
    }
    return result;
}

const std::string add = "red.relaxed.gpu.global.add.u32 [x], 1;";
const std::string take = "L: atom.acquire.gpu.global.cas.b32 r0, [l], 0, 1; setp.ne.u32 p, r0, 0; @p bra L; ";
const std::string section = "ld.weak.global.u32 r1, [x]; add.u32 r1, r1, 1; st.weak.global.u32 [x], r1; ";
const std::string lock_words = ".global .u32 l = 0;\n.global .u32 x = 0;\n";

}  // namespace

TEST_CASE("threads that do the same may change places") {
    CHECK(exchanges(lock_words + alike_threads(5, add) + "forall (x == 5)\n") == 4);
    CHECK(exchanges(lock_words + alike_threads(5, add) + "forall (x == 5)\n", 6) == 0);
    CHECK(exchanges(lock_words + alike_threads(4, take + section + "st.release.gpu.global.u32 [l], 0;") + "forall (x == 4)\n") == 3);
    CHECK(exchanges(".shared .u32 s = 0;\n" + lock_words +
                    alike_threads(3, "st.weak.shared::cta.u32 [s], 1; ld.weak.shared::cta.u32 r0, [s]; " + add) + "forall (x == 3)\n") ==
          2);  // each with its own shared memory
    CHECK(exchanges(lock_words + alike_threads(2, add) + alike_threads(3, "red.relaxed.gpu.global.add.u32 [x], 2;", 2) +
                    "forall (x == 8)\n") == 3);
}

TEST_CASE("threads that differ in anything, or are told apart by what is asked, stay where they are") {
    const std::string of_two = lock_words + alike_threads(2, add);
    CHECK(exchanges(of_two + "forall (x == 2)\n") == 1);
    CHECK(exchanges(lock_words + alike_threads(1, add) + alike_threads(1, "red.relaxed.gpu.global.add.u32 [x], 2;", 1) +
                    "forall (x == 3)\n") == 0);
    CHECK(exchanges(lock_words + alike_threads(1, add) + alike_threads(1, "red.relaxed.sys.global.add.u32 [x], 1;", 1) +
                    "forall (x == 2)\n") == 1);  // on one GPU the two scopes include the same
    CHECK(exchanges(lock_words + alike_threads(1, add) + alike_threads(1, "red.release.gpu.global.add.u32 [x], 1;", 1) +
                    "forall (x == 2)\n") == 0);
    const auto waiting = [&](int i) {
        return alike_threads(1, "await ld.relaxed.gpu.global.u32 r0, [l] == " + std::to_string(i) + "; " + add, i);
    };
    CHECK(exchanges(lock_words + waiting(0) + waiting(1) + "forall (x == 2)\n") == 0);
    CHECK(exchanges(lock_words + alike_threads(1, add) + alike_threads(1, "red.relaxed.gpu.global.add.u32 [l], 1;", 1) +
                    "forall (x == 1)\n") == 0);
    const std::string fetch = "atom.relaxed.gpu.global.add.u32 r0, [x], 1;";
    CHECK(exchanges(lock_words + alike_threads(2, fetch) + "exists (P0:r0 == 1)\n") == 0);
    CHECK(exchanges(lock_words + alike_threads(3, fetch) + "exists (P0:r0 == 1)\n") == 1);  // of the two that nobody asks for
    CHECK(exchanges(lock_words + alike_threads(2, fetch) + "exists (x == 1)\n") == 1);
    // each reads what the next one writes
    const auto ring = [](int i) {
        const std::string own = "x" + std::to_string(i), other = "x" + std::to_string((i + 1) % 3);
        return alike_threads(1, add + " st.relaxed.gpu.global.u32 [" + own + "], 1; ld.relaxed.gpu.global.u32 r0, [" + other + "];", i);
    };
    const std::string ring_words = ".global .u32 x0 = 0;\n.global .u32 x1 = 0;\n.global .u32 x2 = 0;\n" + lock_words;
    CHECK(exchanges(ring_words + ring(0) + ring(1) + ring(2) + "forall (x == 3)\n") == 0);
    // one of three shares a CTA with the thread that it is synchronised with
    CHECK(exchanges(lock_words + alike_threads(3, add) + "thread Q @ cta0 { ld.relaxed.cta.global.u32 r0, [x]; }\nforall (x == 3)\n") == 1);
    // the initial values of what is their own differ
    CHECK(exchanges(".global .u32 a = 0;\n.global .u32 b = 1;\n" + lock_words + alike_threads(1, "ld.weak.global.u32 r0, [a]; " + add) +
                    alike_threads(1, "ld.weak.global.u32 r0, [b]; " + add, 1) + "forall (x == 2)\n") == 0);
}

TEST_CASE("what is found of alike threads is found of all of them") {
    const std::string body = lock_words + alike_threads(4, section);
    const std::set<std::string> all = hazards(body, Solver::never);
    CHECK(all.size() == 12 + 6);  // loads with the stores of others, stores with each other
    CHECK(hazards(body, Solver::always) == all);
    const std::string beside = lock_words + alike_threads(3, section) + alike_threads(1, "ld.relaxed.gpu.global.u32 r0, [x];", 3);
    CHECK(hazards(beside, Solver::always) == hazards(beside, Solver::never));
    // who comes first stores, who comes second loads: in one order of the threads only half of the races are seen
    const std::string by_turn =
        lock_words + alike_threads(3,
                                   "atom.relaxed.gpu.global.add.u32 r0, [x], 1; setp.eq.u32 p, r0, 0; @p st.weak.global.u32 [l], 1; "
                                   "setp.eq.u32 q, r0, 1; @q ld.weak.global.u32 r1, [l];");
    CHECK(hazards(by_turn, Solver::always).size() == 6);
    CHECK(hazards(by_turn, Solver::always) == hazards(by_turn, Solver::never));
    const std::string kept = lock_words + alike_threads(3, take + section);  // the lock is not given back: two wait for ever
    CHECK(hazards(kept, Solver::always) == std::set<std::string>{"blocked"});
    const std::string relaxed = lock_words + alike_threads(3, take + section + "st.relaxed.gpu.global.u32 [l], 0;");
    CHECK(hazards(relaxed, Solver::always) == hazards(relaxed, Solver::never));
    CHECK(hazards(relaxed, Solver::always).size() == 9);
}

// An update may read from one that comes later in co, and its own write may be followed by another one.
TEST_CASE("what updates read is not narrowed where the model lacks what it follows from") {
    const Test test = parsed_alike(lock_words + alike_threads(2, add) + "thread Q @ cta2 { ld.relaxed.gpu.global.u32 r0, [x]; }\n" +
                                   "exists (Q:r0 == 2 /\\ x == 1)\n");
    const Model weaker = restricted(model_of_alike(), [](const Constraint& c) {
        return !c.flag && c.name != "atomicity" && c.name != "sc-per-location" && c.name != "coherence";
    });
    for (const size_t counts_from : {Solver::never, Solver::always}) {
        Program program = build_program(test, {});
        Solver solver(counts_from);
        CHECK(solver.solve(program, weaker, {}).satisfiable == Truth::yes);
        CHECK(solver.solve(program, model_of_alike(), {}).satisfiable == Truth::no);
    }
}

TEST_CASE("a lock that many threads take") {
    const Test test =
        parsed_alike(lock_words + alike_threads(10, take + section + "st.release.gpu.global.u32 [l], 0;") + "forall (x == 10)\n");
    Program program = build_program(test, {.blocked = true});
    Solver solver;
    const Answer answer = solver.solve(program, model_of_alike(), {});
    CHECK(answer.violable == Truth::no);
    CHECK(answer.complete);
    CHECK(answer.outcomes.size() == 1);
    CHECK(answer.hazards->found.empty());
    CHECK(answer.hazards->blocked == Truth::no);
}

// In the order of the two alike threads the one race is impossible, as waits tell before the search; its image is found, and it with that.
TEST_CASE("a race that only the image of an execution in order shows") {
    const std::string words =
        ".global .u32 g[4] = 40;\n.shared.cta1 .u32 s[4] = 51;\n.global .u32 y = 0;\n.shared.cta1 .mbarrier bar = 1;\n";
    const auto thread = [](int number, const std::string& added) {
        return "thread P" + std::to_string(number) + " @ cta1 { red.relaxed.cta.global.add.u32 [y], " + added +
               "; mbarrier.arrive_drop.expect_tx.release.cluster.shared::cta.b64 t, [bar], 16; "
               "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar]; "
               "await mbarrier.try_wait.acquire.cta.shared::cta.b64 [bar], t; ld.weak.global.u32 r0, [y]; }\n";
    };
    const std::string body = words + thread(1, "16") + thread(2, "16") + thread(3, "17");
    CHECK(hazards(body, Solver::always) == hazards(body, Solver::never));
}
