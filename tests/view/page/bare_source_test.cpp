// What a question shows of a test: its declarations and threads, not what tells the answer.
#include "view/page/bare_source.h"

#include <doctest/doctest.h>

#include "language/syntax/read.h"

namespace litmus {

TEST_CASE("a question shows from the first declaration to the last thread") {
    const Test test = parse_tests(make_source("t",
                                              "test \"t\"\n"
                                              "doc \"secret\"\n"
                                              "// secret\n"
                                              ".grid 1 programmatic 0;  // secret\n"
                                              ".global .u32 x = 0;\n"
                                              "thread P0 @ cta0 { st.weak.global.u32 [x], 1; }\n"
                                              "thread P1 @ grid1.cta0 { ld.weak.global.u32 r0, [x]; }\n"
                                              "exists (P1:r0 == 0)\n"))
                          .front();
    const std::vector<SourceLine> shown = bare_source(test);
    REQUIRE(shown.size() == 4);
    CHECK(shown.front().number == 4);
    CHECK(shown.front().text == ".grid 1 programmatic 0;");
    CHECK(shown.back().text == "thread P1 @ grid1.cta0 { ld.weak.global.u32 r0, [x]; }");
}

}  // namespace litmus
