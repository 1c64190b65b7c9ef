// Matrices of a warp: which elements a lane accesses, which register has a value, and what a row gets that is stored. Beside the tests of the
// library.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "event/failure.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

struct BuiltRows {
    BuiltRows(const std::string& place, const std::string& lines)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n.shared.cta0 .b16 tile[16] = 0;\n.shared.cta0 .u32 words[8] = 0;\n.shared.cta0 .u64 "
                                                 "longs[4] = 0;\nthread P0 @ " +
                                                     place + " {\n" + lines + "}\n"))),
          program(build_program(test, {})) {}
    // Accesses of the thread.
    size_t count(Event::Kind kind) const {
        return static_cast<size_t>(
            std::count_if(program.events.begin(), program.events.end(), [&](const Event& e) { return e.kind == kind && e.thread == 0; }));
    }
    bool has_value(const std::string& name) const {
        return std::any_of(program.registers.begin(), program.registers.end(), [&](const Register& r) { return r.name == name; });
    }
    // What the n-th write of the thread stores.
    uint64_t stored(size_t n) const {
        for (const Event& e : program.events)
            if (e.kind == Event::Kind::write && e.thread == 0 && n-- == 0) return program.exprs[e.value].value;
        return ~uint64_t{0};
    }

    Test test;
    Program program;
};

std::string load(const std::string& count, const std::string& registers, const std::string& from) {
    return "ldmatrix.sync.aligned.m8n8." + count + ".shared.b16 " + registers + ", [" + from + "];\n";
}

}  // namespace

TEST_CASE("a lane reads the sixteen bytes of its row, by the elements of the array") {
    CHECK(BuiltRows("cta0", load("x1", "{r0}", "tile")).count(Event::Kind::read) == 8);
    CHECK(BuiltRows("cta0", load("x1", "{r0}", "words+16")).count(Event::Kind::read) == 4);
    CHECK(BuiltRows("cta0", load("x4", "{r0, r1, r2, r3}", "longs")).count(Event::Kind::read) == 2);
}

TEST_CASE("a lane without a row reads nothing, whatever its address") {
    const std::string lane9 = "cta0.warp0.lane9";
    CHECK(BuiltRows(lane9, load("x1", "{r0}", "tile+2")).count(Event::Kind::read) == 0);
    CHECK(BuiltRows(lane9, load("x2", "{r0, r1}", "tile")).count(Event::Kind::read) == 8);
    CHECK(failure_of(".shared.cta0 .b16 tile[16] = 0;\nthread P0 @ " + lane9 + " {\n" + load("x2", "{r0, r1}", "tile+2") + "}\n")
              .find("aligned") != std::string::npos);
}

TEST_CASE("a register has a value where it comes of the own row") {
    const BuiltRows first("cta0", load("x4", "{r0, r1, r2, r3}", "tile"));
    CHECK(first.has_value("r0"));
    for (const char* other : {"r1", "r2", "r3"}) CHECK_FALSE(first.has_value(other));
    const BuiltRows tenth("cta0.warp0.lane10", load("x4", "{r0, r1, r2, r3}", "tile"));  // row 2 of the second matrix: of lanes 8 to 11
    CHECK(tenth.has_value("r1"));
    CHECK_FALSE(tenth.has_value("r0"));
    CHECK_FALSE(BuiltRows("cta0", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {r0}, [tile];\n").has_value("r0"));
    CHECK_FALSE(BuiltRows("cta0", "mov.b32 a, 1;\nmovmatrix.sync.aligned.m8n8.trans.b16 d, a;\n").has_value("d"));
}

TEST_CASE("a row that is stored has the register of its matrix, word by word") {
    const std::string set = "mov.b32 a, 65538;\nmov.b32 b, 262147;\n";  // 2 and 1, 3 and 4
    const BuiltRows words("cta0", set + "stmatrix.sync.aligned.m8n8.x2.shared.b16 [words], {a, b};\n");
    for (size_t n = 0; n < 4; ++n) CHECK(words.stored(n) == 65538);
    const BuiltRows halves("cta0", set + "stmatrix.sync.aligned.m8n8.x2.shared.b16 [tile], {a, b};\n");
    for (size_t n = 0; n < 8; ++n) CHECK(halves.stored(n) == (n % 2 == 0 ? 2 : 1));
    const BuiltRows longs("cta0", set + "stmatrix.sync.aligned.m8n8.x2.shared.b16 [longs], {a, b};\n");
    for (size_t n = 0; n < 2; ++n) CHECK(longs.stored(n) == 0x0001000200010002);
    const BuiltRows second("cta0.warp0.lane9", set + "stmatrix.sync.aligned.m8n8.x2.shared.b16 [words], {a, b};\n");
    CHECK(second.stored(0) == 262147);
    const BuiltRows transposed("cta0.warp0.lane9", set + "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [tile], {a, b};\n");
    for (size_t n = 0; n < 8; ++n) CHECK(transposed.stored(n) == 4);
}
