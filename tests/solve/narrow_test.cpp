// What waits say of rf and co: what is learnt, and that nothing is lost by it. Against the enumerator, under models of a few lines of which
// each lacks what some rule needs; on random programs: test_differential.
#include "solve/narrow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
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

    // Of each read that happens in all executions that give an outcome, and from which write it may be: how many have one source.
    size_t open_reads() const {
        size_t open = 0;
        const Relation sources = bounds.rf.may.inverse();
        for (size_t r = 0; r < program.size(); ++r)
            if (program.events[r].kind == Event::Kind::read && program.events[r].iteration == 0) open += sources.successors(r).size() > 1;
        return open;
    }
    size_t in() const { return bounds.in.count(); }
    size_t out() const { return bounds.out.count(); }

    Test test;
    Program program;
    ModelBounds bounds;
};

std::string alone(int number, const std::string& body) {
    return "thread P" + std::to_string(number) + " @ cta" + std::to_string(number) + " { " + body + " }\n";
}

const std::string add = "red.relaxed.gpu.global.add.u32 [x], 1; ", load = "ld.relaxed.gpu.global.u32 ";

std::string wait_for(const std::string& condition) {
    return "await ld.relaxed.gpu.global.u32 w, [x] " + condition + "; ";
}

const std::string words = ".global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 z = 0;\n";

// Programs that wait, small enough for the enumerator.
const std::map<std::string, std::string> programs = {
    {"counter", alone(0, add) + alone(1, add) + alone(2, wait_for("== 2") + load + "r1, [x];")},
    {"counter with others", alone(0, "st.relaxed.gpu.global.u32 [y], 1; " + add) + alone(1, "st.relaxed.gpu.global.u32 [z], 1; " + add) +
                                alone(2, wait_for("== 2") + load + "r1, [y]; " + load + "r2, [z];")},
    {"own update", alone(0, add + wait_for("== 2") + load + "r0, [x];") + alone(1, add + load + "r0, [x];")},
    {"own update after", alone(0, wait_for("!= 0") + add + load + "r0, [x];") + alone(1, add)},
    {"reads before", alone(0, load + "r0, [x]; " + wait_for("== 1") + load + "r1, [x];") + alone(1, add + add)},
    {"two of three", alone(0, add + add) + alone(1, add) + alone(2, wait_for("== 2") + load + "r1, [x];")},
    {"there and back", alone(0, add + "await ld.relaxed.gpu.global.u32 v, [y] == 1; " + add) +
                           alone(1, wait_for("== 1") + "st.relaxed.gpu.global.u32 [y], 1; " + wait_for("== 2") + load + "r0, [x];")},
    {"poll", alone(0, "st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [x], 2;") +
                 alone(1, wait_for("== 2") + load + "r0, [x]; " + wait_for("!= 0"))},
    {"perhaps an update", alone(0, load + "r0, [y]; setp.eq.u32 p, r0, 1; @p " + add) +
                              alone(1, "st.relaxed.gpu.global.u32 [y], 1; " + add) + alone(2, wait_for("!= 0") + load + "r1, [x];")},
    {"a stage that may be left out", alone(0, load + "r0, [y]; setp.eq.u32 p, r0, 0; @p " + add + add) +
                                         alone(1, "st.relaxed.gpu.global.u32 [y], 1;") + alone(2, wait_for("!= 0") + load + "r1, [x];")},
    {"two kinds", alone(0, add) + alone(1, "red.relaxed.gpu.global.add.u32 [x], 10;") + alone(2, wait_for("> 9") + load + "r1, [x];")},
    {"kinds that do not commute",
     alone(0, add) + alone(1, "red.relaxed.gpu.global.max.u32 [x], 1;") + alone(2, wait_for("== 1") + load + "r1, [x];")},
    {"a token", alone(0,
                      "atom.relaxed.gpu.global.add.u32 r0, [x], 1; add.u32 r1, r0, 1; WAIT: ld.relaxed.gpu.global.u32 r2, [x]; "
                      "setp.eq.u32 p, r2, r1; @p bra WAIT;") +
                    alone(1, add)},
    {"a base in between", alone(0, add + "st.relaxed.gpu.global.u32 [x], 5; " + add) + alone(1, wait_for("!= 0") + load + "r1, [x];")},
};

// Models of a few lines. The first three make a chain of what updates x; each of the others adds what something can be learnt from, or
// what looks like it.
const std::string chain =
    "\"m\"\n"
    "empty (((W * W) & loc) \\ id) \\ (co | co^-1) as total\n"
    "empty rmw & (fr; co) as atomic\n"
    "acyclic (rf | co | rmw) & loc as back\n";
const std::map<std::string, std::string> models = {
    {"a chain alone", chain},
    {"no chain", "\"m\"\nacyclic po | rf as forward\n"},
    {"coherent", chain + "acyclic (po | rf | co | fr | rmw) & loc as coherent\n"},
    {"sequentially consistent", chain + "acyclic po | rf | co | fr as sc\n"},
    {"a circle without fr", chain + "acyclic (po | rf | co) & loc as partly\n"},
    {"a circle without rf", chain + "acyclic (po | co | fr) & loc as partly\n"},
    {"a circle without co", chain + "acyclic (po | rf | fr) & loc as partly\n"},
    {"rf between threads", chain + "acyclic (po | rfe | co | fr) & loc as partly\n"},
    {"fr between threads", chain + "acyclic (po | rf | co | fre) & loc as partly\n"},
    {"no step through an update", chain + "acyclic (po \\ rmw) & loc | rf | co as partly\n"},
    {"nothing from the future", chain + "acyclic po | rf as forward\n"},
    {"rf against po", chain + "irreflexive rf; (po & loc) as partly\n"},
    {"fr against po", chain + "irreflexive fr; (po & loc) as partly\n"},
    {"both against po", chain + "irreflexive (rf | fr); (po & loc) as partly\n"},
    {"po twice", chain + "irreflexive (rf | fr); (po & loc); (po & loc) as partly\n"},
    {"observed through updates", chain + "let observed = rf; (rmw; rf)*\nirreflexive (rf | fr); (po; [W]; observed; po) as causality\n"},
    {"observed from other threads",
     chain + "let x = rf & ext\nlet observed = x; (rmw; x)*\nirreflexive (rf | fr); (po; [W]; observed; po) as causality\n"},
    {"what is not observed", chain + "let observed = rf; (rmw; rf)*\nempty (([W]; loc; [R]) & ext) \\ (observed | fr^-1) as each\n"},
    {"each before or after",
     chain + "empty (([R]; loc; [W]) & ext) \\ (fr | (co?; rf)^-1) as each\nacyclic (po | rf | co | fr) & loc as coherent\n"},
    {"the other way", chain + "acyclic (po^-1 & loc) | rf | co as backward\n"},
};

}  // namespace

TEST_CASE("nothing is lost, whatever the model lacks") {
    Solver solver(Solver::always, Engine::cdcl);
    for (const auto& [model_name, text] : models) {
        const Model model = parse_model(make_source("m.cat", text), {});
        for (const auto& [name, body] : programs) {
            CAPTURE(model_name);
            CAPTURE(name);
            const Test test = parsed_waits(words + body);
            const auto difference = compare_engines(solver, test, model, model);
            CHECK_MESSAGE(!difference, difference.value_or(""));
        }
    }
}

TEST_CASE("nothing is lost under the model of the ISA") {
    Solver solver(Solver::always, Engine::cdcl);
    for (const auto& [name, body] : programs) {
        CAPTURE(name);
        const auto difference = compare_engines(solver, parsed_waits(words + body), model_of_waits(), model_of_waits());
        CHECK_MESSAGE(!difference, difference.value_or(""));
    }
}
