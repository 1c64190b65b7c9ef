// The textbook: which classic shapes sequential consistency and total store order allow.
//
// Verdicts are those of the literature: the names are of the "diy" family (Alglave, Maranget, Sarkar,
// Sewell), the TSO column is x86-TSO (Sewell et al., CACM 2010; Owens, Sarkar, Sewell, TPHOLs 2009),
// whose litmus tests n4-n7 and iwp2.x are here under their names. F is a full fence.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "solve/solve.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

// One shape. A thread is a list of `Wx1` (store), `Rx` (load, into r0, r1, ... of the thread), `Xx1`
// (atomic exchange, result thrown away) and `F`.
struct TextbookRow {
    const char* name;
    std::vector<std::vector<const char*>> threads;
    const char* condition;
    bool sc, tso;  // allowed
};

const std::vector<TextbookRow>& shapes() {
    static const std::vector<TextbookRow> all = {
        // two threads, two locations
        {"MP", {{"Wx1", "Wy1"}, {"Ry", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0", false, false},
        {"SB", {{"Wx1", "Ry"}, {"Wy1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0", false, true},
        {"SB+F+po", {{"Wx1", "F", "Ry"}, {"Wy1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0", false, true},
        {"SB+F+F", {{"Wx1", "F", "Ry"}, {"Wy1", "F", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0", false, false},
        {"LB", {{"Rx", "Wy1"}, {"Ry", "Wx1"}}, "P0:r0 == 1 /\\ P1:r0 == 1", false, false},
        {"R", {{"Wx1", "Wy1"}, {"Wy2", "Rx"}}, "y == 2 /\\ P1:r0 == 0", false, true},
        {"R+po+F", {{"Wx1", "Wy1"}, {"Wy2", "F", "Rx"}}, "y == 2 /\\ P1:r0 == 0", false, false},
        {"R+F+po", {{"Wx1", "F", "Wy1"}, {"Wy2", "Rx"}}, "y == 2 /\\ P1:r0 == 0", false, true},
        {"S", {{"Wx2", "Wy1"}, {"Ry", "Wx1"}}, "P1:r0 == 1 /\\ x == 2", false, false},
        {"2+2W", {{"Wx1", "Wy2"}, {"Wy1", "Wx2"}}, "x == 1 /\\ y == 1", false, false},
        // coherence
        {"CoRR", {{"Wx1"}, {"Rx", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0", false, false},
        {"CoRR2", {{"Wx1"}, {"Wx2"}, {"Rx", "Rx"}, {"Rx", "Rx"}}, "P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r0 == 2 /\\ P3:r1 == 1", false, false},
        {"CoWR", {{"Wx1", "Rx"}, {"Wx2"}}, "P0:r0 == 2 /\\ x == 1", false, false},
        {"CoWR0", {{"Wx1", "Rx"}}, "P0:r0 == 0", false, false},
        {"CoRW1", {{"Rx", "Wx1"}}, "P0:r0 == 1", false, false},
        {"CoRW2", {{"Rx", "Wx1"}, {"Wx2"}}, "P0:r0 == 2 /\\ x == 2", false, false},
        {"CoWW", {{"Wx1", "Wx2"}}, "x == 1", false, false},
        {"n4b", {{"Rx", "Wx1"}, {"Rx", "Wx2"}}, "P0:r0 == 2 /\\ P1:r0 == 1", false, false},
        {"n5", {{"Wx1", "Rx"}, {"Wx2", "Rx"}}, "P0:r0 == 2 /\\ P1:r0 == 1", false, false},
        // three and four threads
        {"WRC", {{"Wx1"}, {"Rx", "Wy1"}, {"Ry", "Rx"}}, "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0", false, false},
        {"WWC", {{"Wx2"}, {"Rx", "Wy1"}, {"Ry", "Wx1"}}, "P1:r0 == 2 /\\ P2:r0 == 1 /\\ x == 2", false, false},
        {"ISA2", {{"Wx1", "Wy1"}, {"Ry", "Wz1"}, {"Rz", "Rx"}}, "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0", false, false},
        {"RWC", {{"Wx1"}, {"Rx", "Ry"}, {"Wy1", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r0 == 0", false, true},
        {"RWC+po+F", {{"Wx1"}, {"Rx", "Ry"}, {"Wy1", "F", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r0 == 0", false, false},
        {"W+RWC", {{"Wx1", "Wz1"}, {"Rz", "Ry"}, {"Wy1", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r0 == 0", false, true},
        {"W+RWC+po+po+F", {{"Wx1", "Wz1"}, {"Rz", "Ry"}, {"Wy1", "F", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r0 == 0", false, false},
        {"Z6.4", {{"Wx1", "Wy1"}, {"Wy2", "Rz"}, {"Wz1", "Rx"}}, "y == 2 /\\ P1:r0 == 0 /\\ P2:r0 == 0", false, true},
        {"Z6.4+po+F+F", {{"Wx1", "Wy1"}, {"Wy2", "F", "Rz"}, {"Wz1", "F", "Rx"}}, "y == 2 /\\ P1:r0 == 0 /\\ P2:r0 == 0", false, false},
        {"3.SB", {{"Wx1", "Ry"}, {"Wy1", "Rz"}, {"Wz1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0 /\\ P2:r0 == 0", false, true},
        {"3.LB", {{"Rx", "Wy1"}, {"Ry", "Wz1"}, {"Rz", "Wx1"}}, "P0:r0 == 1 /\\ P1:r0 == 1 /\\ P2:r0 == 1", false, false},
        {"3.2W", {{"Wx2", "Wy1"}, {"Wy2", "Wz1"}, {"Wz2", "Wx1"}}, "x == 2 /\\ y == 2 /\\ z == 2", false, false},
        {"IRIW", {{"Wx1"}, {"Wy1"}, {"Rx", "Ry"}, {"Ry", "Rx"}}, "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0", false, false},
        // a thread may read its own store early
        {"iwp2.4", {{"Wx1", "Rx", "Ry"}, {"Wy1", "Ry", "Rx"}}, "P0:r0 == 1 /\\ P0:r1 == 0 /\\ P1:r0 == 1 /\\ P1:r1 == 0", false, true},
        {"n6", {{"Wx1", "Rx", "Ry"}, {"Wy2", "Wx2"}}, "P0:r0 == 1 /\\ P0:r1 == 0 /\\ x == 1", false, true},
        {"n7", {{"Wx1", "Rx", "Ry"}, {"Wy1"}, {"Ry", "Rx"}}, "P0:r0 == 1 /\\ P0:r1 == 0 /\\ P2:r0 == 1 /\\ P2:r1 == 0", false, true},
        // locked instructions fence
        {"iwp2.8.a", {{"Xx1", "Ry"}, {"Xy1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0", false, false},
        {"SB+X+po", {{"Xx1", "Ry"}, {"Wy1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 0", false, true},
        {"iwp2.7", {{"Xx1"}, {"Xy1"}, {"Rx", "Ry"}, {"Ry", "Rx"}}, "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0", false, false},
        // what both allow
        {"MP seen", {{"Wx1", "Wy1"}, {"Ry", "Rx"}}, "P1:r0 == 1 /\\ P1:r1 == 1", true, true},
        {"SB one way", {{"Wx1", "Ry"}, {"Wy1", "Rx"}}, "P0:r0 == 0 /\\ P1:r0 == 1", true, true},
        {"IRIW agreed",
         {{"Wx1"}, {"Wy1"}, {"Rx", "Ry"}, {"Ry", "Rx"}},
         "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 0 /\\ P3:r1 == 1",
         true,
         true},
    };
    return all;
}

std::string instruction_of(const std::string& what, int& loads) {
    if (what == "F") return "fence.sc.sys;";
    const std::string at = "[" + what.substr(1, 1) + "]";
    if (what[0] == 'R') return "ld.relaxed.sys.global.u32 r" + std::to_string(loads++) + ", " + at + ";";
    const std::string value = what.substr(2);
    if (what[0] == 'X') return "atom.relaxed.sys.global.exch.b32 _, " + at + ", " + value + ";";
    return "st.relaxed.sys.global.u32 " + at + ", " + value + ";";
}

std::string text_of(const TextbookRow& shape) {
    std::string text = "test \"" + std::string(shape.name) + "\"\n.global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 z = 0;\n";
    for (size_t t = 0; t < shape.threads.size(); ++t) {
        text += "thread P" + std::to_string(t) + " @ cta" + std::to_string(t) + " {\n";
        int loads = 0;
        for (const char* what : shape.threads[t]) text += "  " + instruction_of(what, loads) + "\n";
        text += "}\n";
    }
    return text + "exists (" + shape.condition + ")\n";
}

Answer answer_of(Solver& solver, const Test& test, const Model& model) {
    Program program = build_program(test, {});
    require_support(program, model);
    return solver.solve(program, model, {});
}

void check_shape(Solver& solver, const Model& model, const TextbookRow& shape, bool allowed) {
    INFO(shape.name, " under ", model.name);
    const std::vector<Test> tests = parse_tests(make_source(shape.name, text_of(shape)));
    REQUIRE(tests.size() == 1);
    CHECK(answer_of(solver, tests[0], model).satisfiable == (allowed ? Answer::Truth::yes : Answer::Truth::no));
}

}  // namespace

TEST_CASE("sc and tso give the textbook verdicts") {
    Solver solver(Solver::usually, faster);
    const Model sc = load_model("sc", {}), tso = load_model("tso", {});
    for (const TextbookRow& shape : shapes()) {
        check_shape(solver, sc, shape, shape.sc);
        check_shape(solver, tso, shape, shape.tso);
    }
}

TEST_CASE("every test of the library is ok under ptx") {
    Solver solver(Solver::usually, faster);
    ModelFamily family("ptx", {});
    const Model& model = family.by_default();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(LITMUS_SOURCE_DIR) / "litmus"))
        if (entry.path().extension() == ".litmus" || entry.path().extension() == ".test") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    CHECK(files.size() >= 120);
    for (const fs::path& file : files) {
        INFO(file.string());
        try {
            for (const Test& test : parse_tests(read_source(file.string()))) {
                Program program = build_program(test, {2, true});
                CHECK(name(judge(test, solver.solve(program, model, {})).verdict) == "ok");
            }
        } catch (const Failure& failure) {
            CHECK_MESSAGE(false, failure.what());
        }
    }
}
