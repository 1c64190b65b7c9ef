// Lines of CUDA in a test: read, printed, and of no effect on what the test is.
#include <doctest/doctest.h>

#include "base/source.h"
#include "language/origin.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"

using namespace litmus;

namespace {

Test parse_lines(const std::string& text) {
    return parse_dsl(make_source("t", text));
}

std::string complaint_about_lines(const std::string& text) {
    try {
        parse_lines(text);
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "accepted";
}

constexpr auto with_lines = R"(test "t"

.file 1 "src/k.cu"
.file 7 "a \"b\".cuh"

.global .u32 x = 0;

thread P0 @ cta0 {
  ld.weak.global.u32 r0, [x];
  .loc 1 38
  st.weak.global.u32 [x], 1;
  st.weak.global.u32 [x], 2;
L:
  .loc 7 9 5
  st.weak.global.u32 [x], 3;
  .loc 7 0
  st.weak.global.u32 [x], 4;
}
thread P1 @ cta1 {
  ld.weak.global.u32 r0, [x];
}

)";

std::string line_of(const Test& test, size_t instruction) {
    return short_text(origin_of(test, test.threads.at(0).body.at(instruction)));
}

}  // namespace

TEST_CASE("a line holds until the next one, and at most to the end of its thread") {
    const Test test = parse_lines(with_lines);
    CHECK(line_of(test, 0).empty());
    CHECK(line_of(test, 1) == "k.cu:38");
    CHECK(line_of(test, 2) == "k.cu:38");
    CHECK(line_of(test, 3) == "a \"b\".cuh:9");
    CHECK(line_of(test, 4).empty());
    CHECK(origin_of(test, test.threads[0].body[1]) == CudaPlace{"src/k.cu", 38, 0});
    CHECK(origin_of(test, test.threads[0].body[3]) == CudaPlace{"a \"b\".cuh", 9, 5});
    CHECK_FALSE(origin_of(test, test.threads[1].body[0]));
}

TEST_CASE("lines are printed where they change") {
    CHECK(print(parse_lines(with_lines)) == with_lines);
    Test test = parse_lines(with_lines);
    for (Instruction& instruction : test.threads[0].body) instruction.origin = CudaLine{1, 5, 0};
    CHECK(print(test).find("{\n  .loc 1 5\n  ld.weak.global.u32 r0, [x];\n  st.weak.global.u32 [x], 1;\n") != std::string::npos);
}

TEST_CASE("a test is the same whatever lines it comes from") {
    const Test test = parse_lines(with_lines), bare = without_origins(test);
    CHECK(test == bare);
    CHECK(print(bare).find(".loc") == std::string::npos);
    CHECK(print(bare).find(".file") == std::string::npos);
}

TEST_CASE("a mistake in a line is one mistake") {
    const auto with = [](const std::string& files, const std::string& loc) {
        return complaint_about_lines("test \"t\"\n" + files + "\nthread P0 @ cta0 {\n" + loc + "\n  exit;\n}\n");
    };
    CHECK(with(".file 1 \"k.cu\"", ".loc 1 2") == "accepted");
    CHECK(with(".file 1 \"k.cu\"", ".loc 1 2 // a comment") == "accepted");
    CHECK(with("", ".loc 1 2").find("t:4:6: error: there is no file 1\n") == 0);
    CHECK(with(".file 1", ".loc 1 2").find("and") == std::string::npos);
    CHECK(with(".file 1 \"k.cu\"", ".loc 1 -2").find("t:4:8: error: the number of a line must be an integer from 0 to 2147483647") == 0);
    CHECK(with(".file 1 \"k.cu\"", ".loc 1 2;").find("t:4:9: error: expected the end of the line after `.loc`, not `;`") == 0);
    CHECK(with(".file 1 \"k.cu\"", ".loc 1 2 st.weak.u32 [x], 1;").find("t:4:10: error: expected the end of the line") == 0);
    CHECK(with(".file 1 \"\"", "").find("t:2:9: error: the file's name is empty") == 0);
    CHECK(with(".file 1 \"k.cu\" .file 2 \"l.cu\"", "").find("t:2:16: error: expected the end of the line") == 0);
}
