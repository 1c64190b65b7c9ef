// Which format a text is in, by how it begins.
#include "language/syntax/read.h"

#include <doctest/doctest.h>

using namespace litmus;

namespace {

Dialect dialect_of(const std::string& name, const std::string& text) {
    return parse_tests(make_source(name, text)).at(0).dialect;
}

}  // namespace

TEST_CASE("formats are recognised by their first words, under any name") {
    const std::string native =
        "// a comment\ntest \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n";
    const std::string column = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n";
    const std::string braces = "// a comment\n.global x;\nd0.b0.t0 { st.weak [x], 1; ld.weak r0, [x]; }\nassert (r0 == 1) as one;\n";
    for (const char* name : {"a.litmus", "a.test", "<stdin>"}) {
        CHECK(dialect_of(name, native) == Dialect::native);
        CHECK(dialect_of(name, column) == Dialect::column);
        CHECK(dialect_of(name, braces) == Dialect::braces);
    }
    CHECK_THROWS_AS(parse_tests(make_source("a.litmus", ".global .u32 x = 0;\n")), Failure);
}
