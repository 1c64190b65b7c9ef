// Matrices of a warp: which elements a lane accesses, which register has a value, and what a row gets that is stored. Beside the tests of
// the library.
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
        : test(parse_dsl(make_source("t.litmus",
                                     "test \"t\"\n.shared.cta0 .b16 tile[16] = 0;\n.shared.cta0 .u32 words[8] = 0;\n.shared.cta0 .u64 "
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

TEST_CASE("what comes of other lanes has no value, and what goes to them none that is known here") {
    const std::string tile = ".shared.cta0 .u32 tile[8] = 0;\n";
    CHECK(failure_of(tile + "thread P0 @ cta0 {\n" + load("x2", "{r0, r1}", "tile") + "add.u32 r2, r1, 1;\n}\n") ==
          "the value of `r1` is not modelled: it comes of rows whose addresses other lanes of the warp give (ISA 9.7.14.5.15)");
    CHECK(failure_of(tile + "thread P0 @ cta0 {\nmov.b32 a, 1;\nmovmatrix.sync.aligned.m8n8.trans.b16 d, a;\nst.shared.u32 [tile], d;\n}\n")
              .find("what `movmatrix.sync.aligned.m8n8.trans.b16` computes is not known") != std::string::npos);
    const std::string store = "mov.b32 w, 1;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {w};\n}\n";
    CHECK(failure_of(tile + "thread P0 @ cta0.warp0.lane0 {\n" + store + "thread P1 @ cta0.warp0.lane1 {\n" + store)
              .find("some of which are other threads here") != std::string::npos);
}

TEST_CASE("a quotient is by a number that is not 0, and a field of a map gets one") {
    const std::string reads =
        ".global .u32 n = 3;\n.global .u64 g[2] = 1;\n.global .tensormap tm = g, dim 2, box 2;\nthread P0 @ cta0 {\n"
        "ld.weak.global.u32 r0, [n];\n";
    CHECK(failure_of(reads + "rem.u32 r1, 7, r0;\n}\n") == "a divisor depends on a value read from memory: not modelled");
    CHECK(failure_of(reads + "div.u32 r1, r0, 0;\n}\n") == "a division by 0 has a value that is not told (ISA 9.7.1.8)");
    CHECK(failure_of(reads + "mov.u32 r2, 6;\nshr.u32 r2, r2, 1;\nrem.u32 r1, r0, r2;\n}\n") == "no failure");
    CHECK(failure_of(reads + "tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 0, r0;\n}\n") ==
          "what a field of a tensor map gets depends on a value read from memory: not modelled");
    CHECK(failure_of(reads + "mov.u32 r2, 3;\ntensormap.replace.tile.global_dim.global.b1024.b32 [tm], 0, r2;\n}\n")
              .find("is declared with 2 in this place of `.global_dim`") != std::string::npos);
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
