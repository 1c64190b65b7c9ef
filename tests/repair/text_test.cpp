// Changes of the text: what is put in stands where it should, in both layouts, and all else stays.
#include "repair/text.h"

#include <doctest/doctest.h>

#include "syntax/read.h"

using namespace litmus;

namespace {

Test read(const std::string& text) {
    return parse_tests(make_source("t.litmus", text)).front();
}

const std::string column = R"(PTX mp
{ x=0; flag=0; }
 P0@cta 0,gpu 0     | P1@cta 1,gpu 0        ;
 st.relaxed.gpu x, 1    | ld.relaxed.gpu r0, flag ;
 st.relaxed.gpu flag, 1 | ld.relaxed.gpu r1, x    ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

}  // namespace

TEST_CASE("in columns an instruction is put in as a row") {
    const Test test = read(column);
    const std::string text = applied(column, {insertion(test, {1, 1}, "fence.acq_rel.gpu")});
    CHECK(text.find("\n                        | fence.acq_rel.gpu       ;\n st.relaxed.gpu flag") != std::string::npos);
    const Test edited = read(text);
    REQUIRE(edited.threads[1].body.size() == 3);
    CHECK(edited.threads[1].body[1].op == Op::fence);
    CHECK(edited.threads[0].body == test.threads[0].body);
}
