// What waits say of rf and co: what is learnt, and that nothing is lost by it. Against the enumerator, under models of a few lines of which
// each lacks what some rule needs; on random programs: test_differential.
#include "solve/narrow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "cat/readings.h"
#include "compare.h"
#include "language/syntax/native/dsl.h"
#include "solve/solve.h"
#include "solve/specialise.h"

using namespace litmus;

namespace {

const Model& model_of_waits() {
    static const Model model = load_model("ptx", {}, Reading::Base::default_);
    return model;
}

Test parsed_waits(const std::string& body) {
    return parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
}

struct Learnt {
    explicit Learnt(const std::string& body, const Model& model = model_of_waits(), bool blocked = true)
        : test(parsed_waits(body)),
          program(build_program(test, {.blocked = blocked})),
          bounds(compute_bounds(program, specialised(program, model))) {}

    size_t sources(size_t read) const { return bounds.rf.may.inverse().successors(read).size(); }
    size_t read_of(int thread, int instruction) const { return event(Event::Kind::read, thread, instruction); }
    size_t write_of(int thread, int instruction) const { return event(Event::Kind::write, thread, instruction); }
    size_t event(Event::Kind kind, int thread, int instruction) const {
        for (size_t e = 0; e < program.size(); ++e) {
            const Event& found = program.events[e];
            if (found.kind == kind && found.thread == thread && found.instruction == instruction && found.iteration == 0) return e;
        }
        throw std::logic_error("no such event");
    }

    Test test;
    Program program;
    ModelBounds bounds;
};

std::string lone(int number, const std::string& body) {
    return "thread P" + std::to_string(number) + " @ cta" + std::to_string(number) + " { " + body + " }\n";
}

const std::string add_one = "red.relaxed.gpu.global.add.u32 [x], 1; ", a_load = "ld.relaxed.gpu.global.u32 ";

std::string wait_for(const std::string& condition) {
    return "await ld.relaxed.gpu.global.u32 w, [x] " + condition + "; ";
}

// x, y, z, and x0 ... of so many.
std::string words_of(int many) {
    std::string result = ".shared.cta0 .mbarrier m = 1;\n.global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 z = 0;\n";
    for (int i = 0; i < many; ++i) result += ".global .u32 x" + std::to_string(i) + " = 0;\n";
    return result;
}

// Programs that wait, small enough for the enumerator.
const std::map<std::string, std::string> waiting_programs = {
    {"counter", lone(0, add_one) + lone(1, add_one) + lone(2, wait_for("== 2") + a_load + "r1, [x];")},
    {"counter with others", lone(0, "st.relaxed.gpu.global.u32 [y], 1; " + add_one) +
                                lone(1, "st.relaxed.gpu.global.u32 [z], 1; " + add_one) +
                                lone(2, wait_for("== 2") + a_load + "r1, [y]; " + a_load + "r2, [z];")},
    {"own update", lone(0, add_one + wait_for("== 2") + a_load + "r0, [x];") + lone(1, add_one + a_load + "r0, [x];")},
    {"own update after", lone(0, wait_for("!= 0") + add_one + a_load + "r0, [x];") + lone(1, add_one)},
    {"reads before", lone(0, a_load + "r0, [x]; " + wait_for("== 1") + a_load + "r1, [x];") + lone(1, add_one + add_one)},
    {"two of three", lone(0, add_one + add_one) + lone(1, add_one) + lone(2, wait_for("== 2") + a_load + "r1, [x];")},
    {"there and back", lone(0, add_one + "await ld.relaxed.gpu.global.u32 v, [y] == 1; " + add_one) +
                           lone(1, wait_for("== 1") + "st.relaxed.gpu.global.u32 [y], 1; " + wait_for("== 2") + a_load + "r0, [x];")},
    {"poll", lone(0, "st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [x], 2;") +
                 lone(1, wait_for("== 2") + a_load + "r0, [x]; " + wait_for("!= 0"))},
    {"perhaps an update", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p " + add_one) +
                              lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add_one) + lone(2, wait_for("!= 0") + a_load + "r1, [x];")},
    {"an update that must happen", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p " + add_one) +
                                       lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add_one) +
                                       lone(2, wait_for("== 2") + a_load + "r1, [y];")},
    {"an own update that may not happen", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p " + add_one + wait_for("== 1")) +
                                              lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add_one)},
    {"a first update that may not happen", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p " + add_one + add_one) +
                                               lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + wait_for("== 1") + a_load + "r1, [x];")},
    {"a read before an own update", lone(0, a_load + "r0, [x]; " + add_one) + lone(1, add_one) + lone(2, wait_for("== 2"))},
    {"a wait that may be left out",
     lone(0, add_one) + lone(1, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p bra ON; " + wait_for("== 1") + "ON: " + a_load + "r1, [x];") +
         lone(2, "st.relaxed.gpu.global.u32 [y], 1;")},
    {"a wait that may be left out before an update", lone(0, add_one) +
                                                         lone(1, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p bra ON; " + wait_for("== 1") +
                                                                     "ON: atom.relaxed.gpu.global.add.u32 r1, [x], 1;") +
                                                         lone(2, "st.relaxed.gpu.global.u32 [y], 1;")},
    {"a wait for what was read before",
     lone(0, a_load + "r0, [x]; WAIT: ld.relaxed.gpu.global.u32 r1, [x]; setp.eq.u32 p, r1, r0; @p bra WAIT;") +
         lone(1, add_one + add_one)},
    {"a stage that may be left out", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 0; @p " + add_one + add_one) +
                                         lone(1, "st.relaxed.gpu.global.u32 [y], 1;") + lone(2, wait_for("!= 0") + a_load + "r1, [x];")},
    {"two kinds", lone(0, add_one) + lone(1, "red.relaxed.gpu.global.add.u32 [x], 10;") + lone(2, wait_for("> 9") + a_load + "r1, [x];")},
    {"kinds that do not commute",
     lone(0, add_one) + lone(1, "red.relaxed.gpu.global.max.u32 [x], 1;") + lone(2, wait_for("== 1") + a_load + "r1, [x];")},
    {"a token", lone(0,
                     "atom.relaxed.gpu.global.add.u32 r0, [x], 1; add.u32 r1, r0, 1; WAIT: ld.relaxed.gpu.global.u32 r2, [x]; "
                     "setp.eq.u32 p, r2, r1; @p bra WAIT;") +
                    lone(1, add_one)},
    {"a wait that the own update ends", lone(0, add_one + wait_for("> 0")) + lone(1, "atom.relaxed.gpu.global.add.u32 r1, [x], 1;")},
    {"two rounds", lone(0, add_one + wait_for("> 1") + add_one) + lone(1, add_one + wait_for("> 1") + add_one)},
    {"two rounds, and one thread does not wait", lone(0, add_one + add_one) + lone(1, add_one + wait_for("> 1") + add_one)},
    {"two rounds, and one thread waits for itself",
     lone(0, add_one + wait_for("> 0") + add_one) + lone(1, "atom.relaxed.gpu.global.add.u32 r1, [x], 1; " + wait_for("> 1") + add_one)},
    {"more values than are kept, by the order of four updates",
     lone(0, "atom.relaxed.gpu.global.and.b32 r0, [x], 13; red.relaxed.gpu.global.max.u32 [x], 7;") +
         lone(1, "red.relaxed.gpu.global.add.u32 [x], 3; red.relaxed.gpu.global.xor.b32 [x], 5;") + lone(2, wait_for("== 15"))},
    {"two rounds, and what was drawn ends the wait",
     lone(0,
          "atom.relaxed.gpu.global.add.u32 r0, [x], 1; sub.u32 r3, r0, 2; WAIT: ld.relaxed.gpu.global.u32 r2, [x]; sub.u32 r4, r2, 2; "
          "mul.lo.u32 r5, r4, r3; setp.ne.u32 p, r5, 0; @p bra WAIT; " +
              add_one) +
         lone(1, add_one + wait_for("> 1") + add_one)},
    {"a wait with a choice to give up",
     lone(0,
          "WAIT: ld.relaxed.gpu.global.u32 r1, [x]; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 q, [m], 1; selp.u32 r2, 1, 0, q; "
          "add.u32 r3, r1, r2; setp.lt.u32 p, r3, 2; @p bra WAIT;") +
         lone(1, add_one + add_one)},
    {"a wait that an earlier round ends",
     lone(0, add_one + add_one) + lone(1, wait_for("> 0") + "atom.relaxed.gpu.global.add.u32 r1, [x], 1;")},
    {"a wait about the result of a barrier",
     lone(0, a_load +
                 "r0, [y]; setp.eq.u32 q, r0, 1; bar.red.popc.u32 r2, 0, q; WAIT: ld.relaxed.gpu.global.u32 r1, [x]; add.u32 r3, r1, r2; "
                 "setp.lt.u32 p, r3, 2; @p bra WAIT;") +
         lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add_one + add_one)},
    {"two waits for either end",
     lone(0, add_one) + lone(1, wait_for("== 1") + "st.relaxed.gpu.global.u32 [y], 1;") + lone(2, a_load + "r0, [y]; " + wait_for("== 0"))},
    {"a base that comes first", lone(0, "st.relaxed.gpu.global.u32 [x], 5; " + add_one) + lone(1, wait_for("!= 5") + a_load + "r1, [x];")},
    {"a base in between",
     lone(0, add_one + "st.relaxed.gpu.global.u32 [x], 5; " + add_one) + lone(1, wait_for("!= 0") + a_load + "r1, [x];")},
    {"a base that comes after the wait", lone(0, wait_for("== 2") + "st.relaxed.gpu.global.u32 [x], 1;") +
                                             lone(1, "atom.relaxed.gpu.global.add.u32 r1, [x], 1;") +
                                             lone(2, "atom.relaxed.gpu.global.add.u32 r2, [x], 1;")},
    {"a base before or after an update",
     lone(0, "st.relaxed.gpu.global.u32 [x], 5;") + lone(1, add_one + wait_for("< 6") + a_load + "r1, [x];")},
    {"a base that may not happen", lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 2; @p st.relaxed.gpu.global.u32 [x], 5; " + add_one +
                                               wait_for("< 6") + a_load + "r1, [x];") +
                                       lone(1, "st.relaxed.gpu.global.u32 [y], 1; st.relaxed.gpu.global.u32 [y], 2;")},
    {"a base of a value that is read",
     lone(0, a_load + "r0, [y]; st.relaxed.gpu.global.u32 [x], r0; " + add_one + wait_for("!= 0") + a_load + "r1, [x];") +
         lone(1, "st.relaxed.gpu.global.u32 [y], 1;")},
    {"a base that is waited for",
     lone(0, "st.relaxed.gpu.global.u32 [x], 5; " + add_one) + lone(1, wait_for("== 5") + a_load + "r1, [x];")},
    {"updates that leave what they find",
     lone(0, "atom.relaxed.gpu.global.exch.b32 r0, [x], 0;") + lone(1, "atom.relaxed.gpu.global.exch.b32 r1, [x], 0;")},
    {"a wait about what another register says",
     lone(0, a_load + "r0, [y]; WAIT: ld.relaxed.gpu.global.u32 r1, [x]; add.u32 r2, r1, r0; setp.ne.u32 p, r2, 2; @p bra WAIT;") +
         lone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add_one)},
};

// Models of a few lines. The first three make a chain of what updates x; each of the others adds what something can be learnt from, or
// what looks like it.
const std::string chain_axioms =
    "\"m\"\n"
    "empty (((W * W) & loc) \\ id) \\ (co | co^-1) as total\n"
    "empty rmw & (fr; co) as atomic\n"
    "acyclic (rf | co | rmw) & loc as back\n";
const std::map<std::string, std::string> models_of_few_lines = {
    {"a chain alone", chain_axioms},
    {"no chain", "\"m\"\nacyclic po | rf as forward\n"},
    {"coherent", chain_axioms + "acyclic (po | rf | co | fr | rmw) & loc as coherent\n"},
    {"sequentially consistent", chain_axioms + "acyclic po | rf | co | fr as sc\n"},
    {"a circle without fr", chain_axioms + "acyclic (po | rf | co) & loc as partly\n"},
    {"a circle without rf", chain_axioms + "acyclic (po | co | fr) & loc as partly\n"},
    {"a circle without co", chain_axioms + "acyclic (po | rf | fr) & loc as partly\n"},
    {"rf between threads", chain_axioms + "acyclic (po | rfe | co | fr) & loc as partly\n"},
    {"fr between threads", chain_axioms + "acyclic (po | rf | co | fre) & loc as partly\n"},
    {"no step through an update", chain_axioms + "acyclic ((po \\ rmw) & loc) | rf as partly\n"},
    {"rf to plain reads", chain_axioms + "acyclic (po & loc) | (rf & (_ * (R \\ domain(rmw)))) | rmw as partly\n"},
    {"nothing from the future", chain_axioms + "acyclic po | rf as forward\n"},
    {"rf against po", chain_axioms + "irreflexive rf; (po & loc) as partly\n"},
    {"fr against po", chain_axioms + "irreflexive fr; (po & loc) as partly\n"},
    {"both against po", chain_axioms + "irreflexive (rf | fr); (po & loc) as partly\n"},
    {"po twice", chain_axioms + "irreflexive (rf | fr); (po & loc); (po & loc) as partly\n"},
    {"observed through updates",
     chain_axioms + "let observed = rf; (rmw; rf)*\nirreflexive (rf | fr); (po; [W]; observed; po) as causality\n"},
    {"observed from other threads",
     chain_axioms + "let x = rf & ext\nlet observed = x; (rmw; x)*\nirreflexive (rf | fr); (po; [W]; observed; po) as causality\n"},
    {"writes of a thread in order, and no plain read of what was there first",
     chain_axioms + "empty ((po & loc) & (W * W)) \\ co as mine\nirreflexive rf; ([R \\ domain(rmw)]; loc; [IW]) as later\n"},
    {"what is not observed", chain_axioms + "let observed = rf; (rmw; rf)*\nempty (([W]; loc; [R]) & ext) \\ (observed | fr^-1) as each\n"},
    {"each before or after",
     chain_axioms + "empty (([R]; loc; [W]) & ext) \\ (fr | (co?; rf)^-1) as each\nacyclic (po | rf | co | fr) & loc as coherent\n"},
    {"more than rf", chain_axioms + "acyclic (po | rf | co | fr | rmw) & loc as coherent\nlet x = rf | (co^-1; rf)\n"
                                    "empty (([W]; loc; [R]) & ext) \\ (x; (rmw; x)*) as each\n"},
    {"edges of another kind", chain_axioms + "let far = (po | rf)+ & loc\nacyclic rf | co | fr | rmw | far as mixed\n"},
    {"fixed edges in a circle", chain_axioms + "acyclic rf | co | fr | (((po | po^-1) & loc) \\ rmw \\ rmw^-1) as circle\n"},
    {"reads of a thread in order, and its writes",
     chain_axioms + "empty ((po & loc) & (W * W)) \\ co as mine\nacyclic (rf | co | fr | rmw | ([R]; po; [R])) & loc as reads\n"},
    {"no update from a later one by coherence alone",
     "\"m\"\nempty (((W * W) & loc) \\ id) \\ (co | co^-1) as total\nempty rmw & (fr; co) as atomic\n"
     "acyclic (rf | co | fr | rmw) & loc as coherent\nflag ~irreflexive rf; (rmw; (rf; rmw)) as swap\n"},
    {"a flag", chain_axioms + "flag ~empty (rf & ext) as seen\nflag ~irreflexive (rf | fr); (po & loc) as incoherent\n"},
    {"what must be a circle", chain_axioms + "~irreflexive (rf | fr); (po & loc) as incoherent\n"},
    {"the other way", chain_axioms + "acyclic (po^-1 & loc) | rf | co as backward\n"},
};

}  // namespace

TEST_CASE("nothing is lost, whatever the model lacks") {
    Solver solver(Solver::always, Engine::cdcl);
    for (const auto& [model_name, text] : models_of_few_lines) {
        const Model model = parse_model(make_source("m.cat", text), {});
        for (const auto& [name, body] : waiting_programs) {
            CAPTURE(model_name);
            CAPTURE(name);
            const Test test = parsed_waits(words_of(0) + body);
            const auto difference = compare_engines(solver, test, model, model);
            CHECK_MESSAGE(!difference, difference.value_or(""));
        }
    }
}

TEST_CASE("a flag requires nothing") {
    const Test test = parsed_waits(words_of(0) + waiting_programs.at("poll"));
    const auto outcomes_under = [&](const std::string& model) {
        SolveOptions options;
        options.want_hazards = false;
        Program program = build_program(test, {});
        Solver solver(Solver::always, Engine::cdcl);
        std::set<std::vector<uint64_t>> result;
        for (const Outcome& outcome : solver.solve(program, parse_model(make_source("m.cat", model), {}), options).outcomes)
            result.insert(outcome.values);
        return result;
    };
    const std::string coherent = "acyclic (po | rf | co | fr | rmw) & loc as coherent\n";
    CHECK(outcomes_under(chain_axioms + "flag " + coherent) == outcomes_under(chain_axioms));
    CHECK(outcomes_under(chain_axioms + coherent) != outcomes_under(chain_axioms));
}

TEST_CASE("a required circle is refused in words") {
    const Test test = parsed_waits(words_of(0) + waiting_programs.at("counter"));
    const auto asked_of = [&](const std::string& constraint) {
        const Model model = parse_model(make_source("m.cat", "\"m\"\n" + constraint), {});
        Program program = build_program(test, {});
        Solver(Solver::always, Engine::cdcl).solve(program, model, {});
    };
    CHECK_THROWS_WITH_AS(asked_of("~acyclic po | rf as c"),
                         doctest::Contains("m.cat:2:1: error: a required `~acyclic` is not searched for"), Failure);
    CHECK_THROWS_WITH_AS(asked_of("flag ~acyclic po | rf as c"), doctest::Contains("m.cat:2:1: error: this flag cannot be looked for"),
                         Failure);
}

TEST_CASE("nothing is lost under the model of the ISA") {
    Solver solver(Solver::always, Engine::cdcl);
    for (const auto& [name, body] : waiting_programs) {
        CAPTURE(name);
        const auto difference = compare_engines(solver, parsed_waits(words_of(0) + body), model_of_waits(), model_of_waits());
        CHECK_MESSAGE(!difference, difference.value_or(""));
    }
}

// What is learnt: who waits for all is behind each, whichever was the last.
TEST_CASE("a wait for n updates is behind each of them") {
    std::string body = words_of(5);
    for (int i = 0; i < 5; ++i)
        body += lone(i, "st.weak.global.u32 [x" + std::to_string(i) + "], 1; red.release.gpu.global.add.u32 [x], 1;");
    body += lone(5, "await ld.acquire.gpu.global.u32 w, [x] == 5; ld.weak.global.u32 r0, [x0]; ld.weak.global.u32 r4, [x4];");
    const Learnt learnt(body, model_of_waits(), false);
    const size_t wait = learnt.read_of(5, 0);
    for (int i = 0; i < 5; ++i) CHECK(learnt.bounds.in.contains(learnt.write_of(i, 1), wait));
    CHECK(learnt.sources(wait) == 5);                  // they commute: any may be the last
    CHECK(learnt.sources(learnt.read_of(5, 1)) == 1);  // and what each stored before is there
    CHECK(learnt.sources(learnt.read_of(5, 2)) == 1);
    CHECK(learnt.bounds.values.at(wait) == std::vector<uint64_t>{5});
}

// What is said of a wait and of another read is said where both happen only.
TEST_CASE("a wait about a read that may not happen leaves open what that returns") {
    const Test test = parsed_waits(words_of(0) + lone(0, a_load + "r0, [x]; setp.eq.u32 p, r0, 1; @p " + a_load + "r1, [y];") +
                                   lone(1, "st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [y], 1;"));
    Program program = build_program(test, {.blocked = true});
    std::vector<size_t> reads;
    for (size_t e = 0; e < program.size(); ++e)
        if (program.events[e].kind == Event::Kind::read) reads.push_back(e);
    REQUIRE(reads.size() == 2);
    ExprPool& pool = program.exprs;
    const auto returns_one = [&](size_t r) {
        return pool.compare(Operator::eq, Type::u32, pool.read(static_cast<uint32_t>(r), 32), pool.constant(1, 32));
    };
    const auto sources = [&] {
        const ModelBounds bounds = compute_bounds(program, specialised(program, model_of_waits()));
        return bounds.rf.may.inverse().successors(reads[0]).size();
    };
    CHECK(sources() == 2);
    // the second read cannot return 2, but where it does not happen nothing says so
    const ExprId two = pool.compare(Operator::ne, Type::u32, pool.read(static_cast<uint32_t>(reads[1]), 32), pool.constant(2, 32));
    program.constraints = {pool.either(returns_one(reads[0]), pool.negate(two))};
    CHECK(sources() == 2);
    program.constraints = {returns_one(reads[0])};
    CHECK(sources() == 1);
}

TEST_CASE("a wait that the own update ends tells nothing of the place of another one") {
    const Learnt learnt(
        words_of(0) +
            lone(0, a_load + "r0, [y]; setp.eq.u32 p, r0, 1; @p bra ON; " + add_one + wait_for("> 0") + "ON: " + a_load + "r1, [z];") +
            lone(1, add_one) + lone(2, "st.relaxed.gpu.global.u32 [y], 1;"),
        model_of_waits(), false);
    const size_t own = learnt.write_of(0, 3), other = learnt.write_of(1, 0);
    CHECK(learnt.bounds.co.may.contains(own, other));
    CHECK(learnt.bounds.co.may.contains(other, own));
}

TEST_CASE("a ring of mbarrier objects has one way to go") {
    std::string producer, consumer;
    for (int tile = 0; tile < 5; ++tile) {
        const std::string parity = std::to_string(tile % 2), before = std::to_string(1 - tile % 2);
        producer += "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [empty], " + before + "; st.weak.shared::cta.u32 [s], " +
                    std::to_string(tile + 1) + "; mbarrier.arrive.release.cta.shared::cta.b64 _, [full]; ";
        consumer += "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [full], " + parity + "; ld.weak.shared::cta.u32 r" +
                    std::to_string(tile) + ", [s]; mbarrier.arrive.release.cta.shared::cta.b64 _, [empty]; ";
    }
    const std::string body = ".shared.cta0 .u32 s = 0;\n.shared.cta0 .mbarrier full = 1;\n.shared.cta0 .mbarrier empty = 1;\n" +
                             ("thread P0 @ cta0 { " + producer + "}\nthread P1 @ cta0 { " + consumer + "}\n");
    for (const bool blocked : {false, true}) {
        const Learnt learnt(body, model_of_waits(), blocked);
        for (size_t r = 0; r < learnt.program.size(); ++r)
            if (learnt.program.events[r].kind == Event::Kind::read && learnt.program.events[r].iteration == 0)
                CHECK(learnt.sources(r) == 1);
        CHECK((learnt.bounds.co.may - learnt.bounds.co.must).empty());
    }
}

// Where it may be that no wait has returned, nothing follows from waits: a loop runs into its bound while another thread waits for what
// never comes.
TEST_CASE("waits count where loops are cut only if threads have choices to stay") {
    const std::string body = words_of(0) + lone(0, "LOOP: atom.relaxed.gpu.global.add.u32 r0, [y], 1; setp.ne.u32 p, r0, 9; @p bra LOOP;") +
                             lone(1, "await ld.relaxed.gpu.global.u32 r0, [x] == 1;");
    for (const bool blocked : {false, true}) {
        const Test test = parsed_waits(body + "exists (P1:r0 == 1)\n");
        Program program = build_program(test, {.blocked = blocked});
        REQUIRE(!program.bounds.empty());
        CHECK(can_narrow(program) == blocked);
        Solver solver(Solver::always, Engine::cdcl);
        CHECK(solver.solve(program, model_of_waits(), {}).bound_hit);
    }
}
