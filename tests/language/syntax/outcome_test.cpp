// Outcomes as users write them on a command line.
#include "language/syntax/outcome.h"

#include <doctest/doctest.h>

#include "language/syntax/native/print.h"
#include "language/syntax/read.h"

namespace litmus {
namespace {

const Test& test() {
    static const Test parsed = parse_tests(make_source("t.litmus", R"(test "t"
.global .u32 x = 0;
.global .f32 s[2] = 0.5;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [x];
  ld.relaxed.gpu.global.f32 f, [s];
}
exists (P0:r0 == 0)
)"))
                                   .at(0);
    return parsed;
}

std::string canonical(const std::string& text) {
    return print(parse_outcome(test(), text), test());
}

std::string message(const std::string& text) {
    try {
        parse_outcome(test(), text);
    } catch (const Failure& failure) {
        const Diagnostic& first = failure.diagnostics().front();
        return first.message + "|" + first.hint;
    }
    return {};
}

TEST_CASE("outcomes as they are printed, and any condition") {
    CHECK(canonical("P0:r0=1") == "P0:r0 == 1");
    CHECK(canonical("P0:r0=1; x=2;") == "P0:r0 == 1 /\\ x == 2");
    CHECK(canonical("P0:%r0 = 0x10 /\\ ~(s[1] == 0.5)") == "P0:r0 == 16 /\\ ~(s[1] == 0.5)");
    CHECK(canonical("P0:f=0f3f000000;") == "P0:f == 0f3f000000");
    CHECK(canonical("(P0:r0 != 1 \\/ x < 3)") == "P0:r0 != 1 \\/ x < 3");
}

TEST_CASE("what is none says what can be named") {
    const std::string names = "|an outcome gives values to P0:r0, P0:f, x, s[0]";
    CHECK(message("P0:r9=1") == "nothing writes the register P0:r9" + names);
    CHECK(message("P1:r0=1").find("there is no thread `P1`") == 0);
    CHECK(message("yonder=1") == "`yonder` is not declared" + names);  // and not how to declare it
    CHECK(message("bar=1") == "the state of an mbarrier object has no value to compare" + names);
    CHECK(message("P0:r0=1 x=2") == "expected `;` and another value, not `x`" + names);
    for (const char* text : {"", ";", "P0:r0", "P0:r0=", "=1", "P0:r0=1;;", "(P0:r0=1", "s[7]=1", "P0:r0=99999999999999999999", "\xff"})
        CHECK_MESSAGE(!message(text).empty(), text);
}

}  // namespace
}  // namespace litmus
