// Changes of the text: what is put in stands where it should, in both layouts, and all else stays.
#include "analysis/edits/text.h"

#include <doctest/doctest.h>

#include "analysis/edits/diff.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

Test read(const std::string& text) {
    return parse_tests(make_source("t.litmus", text)).front();
}

const std::string column = R"(PTX mp
{ x=0; flag=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.relaxed.gpu x, 1    | ld.relaxed.gpu r0, flag ;
 st.relaxed.gpu flag, 1 | ld.relaxed.gpu r1, x    ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const std::string native = R"(test "t"
.global .u32 x = 0;
.shared.cta0 .mbarrier bar = 1;   // one arrival

thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;      // a comment with a } and a ;
  @!p st.weak.global.u32 [x], 2;
LAST:
  ld.weak.global.u32 r0, [x];  /* the end } */
}
thread P1 @ cta0 { ld.weak.global.u32 r0, [x]; }
thread P2 @ cta0 {
}
)";
const std::string defined = std::string(native).replace(native.find("  st.weak"), 0, "  setp.eq.u32 p, 0, 1;\n");

std::string with(const std::string& text, std::vector<litmus::Change> changes) {
    const std::string result = applied(text, std::move(changes));
    read(result);  // it can be read again
    return result;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("in columns an instruction is put in as a row") {
    const Test test = read(column);
    const std::string text = with(column, {insertion(test, {1, 1}, "fence.acq_rel.gpu")});
    CHECK(has(text, "\n                        | fence.acq_rel.gpu       ;\n st.relaxed.gpu flag"));
    const Test edited = read(text);
    REQUIRE(edited.threads[1].body.size() == 3);
    CHECK(edited.threads[1].body[1].op == Op::fence);
    CHECK(edited.threads[0].body == test.threads[0].body);
}

TEST_CASE("in columns: before the first row, at the end, two at once") {
    const Test test = read(column);
    const Test first = read(with(column, {insertion(test, {0, 0}, "fence.sc.gpu")}));
    CHECK(first.threads[0].body.front().op == Op::fence);
    const Test both = read(with(column, {insertion(test, {0, 2}, "fence.sc.gpu"), insertion(test, {1, 1}, "fence.sc.gpu")}));
    CHECK(both.threads[0].body.back().op == Op::fence);
    CHECK(both.threads[1].body[1].op == Op::fence);
}

TEST_CASE("in columns: called otherwise, and left out") {
    const Test test = read(column);
    const std::string text = with(column, {respelling(test, {0, 1}, "st.release.gpu"), deletion(test, {1, 0})});
    CHECK(has(text, " st.release.gpu flag, 1 | ld.relaxed.gpu r1, x    ;"));
    CHECK(read(text).threads[1].body.size() == 1);
}

TEST_CASE("statements: comments and layout stay") {
    const Test test = read(defined);
    const std::string text = with(defined, {insertion(test, {0, 2}, "fence.sc.cta"), deletion(test, {0, 1})});
    CHECK(has(text, "  fence.sc.cta;\n  @!p st.weak"));
    CHECK_FALSE(has(text, "[x], 1;"));
    CHECK(has(text, "/* the end } */"));
}

TEST_CASE("statements: behind a label, at the end, in a thread of one line, in one without instructions") {
    const Test test = read(defined);
    CHECK(has(with(defined, {insertion(test, {0, 3}, "fence.sc.cta")}), "LAST:\n  fence.sc.cta;\n  ld.weak"));
    CHECK(has(with(defined, {insertion(test, {0, 4}, "fence.sc.cta")}), "/* the end } */\n  fence.sc.cta;\n}"));
    CHECK(has(with(defined, {insertion(test, {1, 0}, "fence.sc.cta")}), "{ fence.sc.cta; ld.weak"));
    CHECK(has(with(defined, {insertion(test, {1, 1}, "fence.sc.cta")}), "[x]; fence.sc.cta; }"));
    CHECK(has(with(defined, {insertion(test, {2, 0}, "fence.sc.cta")}), "thread P2 @ cta0 {\n  fence.sc.cta;\n}"));
}

TEST_CASE("statements: a replacement keeps the guard, a declaration stands behind the others") {
    const Test test = read(defined);
    CHECK(has(with(defined, {replacement(test, {0, 2}, "st.weak.global.u32 [x], 3")}), "  @!p st.weak.global.u32 [x], 3;\n"));
    CHECK(written(test, {0, 2}) == "st.weak.global.u32 [x], 2");
    CHECK(has(with(defined, {declaration(test, ".global .u32 y;")}), "// one arrival\n.global .u32 y;\n"));
    CHECK(has(with(defined, {arrivals(test, *find_location(test, "bar"), 2)}), "bar = 2;   // one arrival"));
}

TEST_CASE("a unified patch") {
    CHECK(unified_diff("f", "a\n", "a\n").empty());
    CHECK(unified_diff("/d/f", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n5\n6\n") ==
          "--- a/d/f\n+++ b/d/f\n@@ -2,5 +2,6 @@\n 2\n 3\n 4\n+x\n 5\n 6\n");
    CHECK(unified_diff("f", "a", "b") ==
          "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
    const std::string far = unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n");
    CHECK(has(far, "@@ -1,4 +1,4 @@"));
    CHECK(has(far, "@@ -7,4 +7,4 @@"));
}

TEST_CASE("statements: before a loop") {
    const std::string loop =
        "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n  mov.u32 i, 0;  // first\nNEXT:\n  add.u32 i, i, 1;\n"
        "  setp.lt.u32 p, i, 3;\n  @p bra NEXT;\n}\n";
    CHECK(has(with(loop, {insertion(read(loop), {0, 1}, "fence.sc.cta")}), "// first\n  fence.sc.cta;\nNEXT:\n  add"));
}

TEST_CASE("statements: what is moved takes its comment along") {
    const std::string text =
        "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n  fence.sc.cta;   // why; it stands here\n  ld.weak.global.u32 r0, [x];\n"
        "  fence.sc.gpu; ld.weak.global.u32 r1, [x];\n}\n";
    const Test test = read(text);
    CHECK(
        has(with(text, move(test, {0, 0}, {0, 2})), "{\n  ld.weak.global.u32 r0, [x];\n  fence.sc.cta;   // why; it stands here\n  fence"));
    CHECK(has(with(text, move(test, {0, 0}, {0, 4})), "r1, [x];\n  fence.sc.cta;   // why; it stands here\n}"));
    CHECK(has(with(text, move(test, {0, 2}, {0, 1})), "here\n  fence.sc.gpu;\n  ld.weak.global.u32 r0, [x];\n   ld.weak"));
}

TEST_CASE("lines that are put in end as the others do") {
    std::string text = "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n  fence.sc.cta;  // why\n  ld.weak.global.u32 r0, [x];\n}\n";
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
    const Test test = read(text);
    CHECK(has(with(text, {insertion(test, {0, 1}, "fence.sc.gpu")}), "// why\r\n  fence.sc.gpu;\r\n  ld"));
    CHECK(has(with(text, move(test, {0, 0}, {0, 2})), "{\r\n  ld.weak.global.u32 r0, [x];\r\n  fence.sc.cta;  // why\r\n}"));
    CHECK(has(with(text, {declaration(test, ".global .u32 y;")}), "= 0;\r\n.global .u32 y;\r\nthread"));
}

TEST_CASE("an instruction beside is told by its line where its text alone does not tell it") {
    const Test test = read(R"(test "t"
.global .u32 x = 0;
.file 1 "k.cu"
thread P0 @ cta0 {
  .loc 1 7
  st.weak.global.u32 [x], 1;
  fence.acq_rel.gpu;
  .loc 1 9
  st.weak.global.u32 [x], 1;
})");
    CHECK(text_beside(test, {0, 0}) == "`st.weak.global.u32 [x], 1` in line 6 (k.cu:7)");
    CHECK(text_beside(test, {0, 1}) == "`fence.acq_rel.gpu`");
    CHECK(text_beside(test, {0, 2}) == "`st.weak.global.u32 [x], 1` in line 9 (k.cu:9)");
}
