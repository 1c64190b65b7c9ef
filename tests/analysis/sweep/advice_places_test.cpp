// Where advice may put something: on the way of the same threads.
#include "analysis/sweep/advice_places.h"

#include <doctest/doctest.h>

#include "kernel/read.h"

using namespace litmus;

TEST_CASE("a statement leads to another one if no way goes around it") {
    const kernel::Module module = kernel::testing::kernel_of(
        "ld.param.u64 %rd1, [k_param_0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OTHER;\nst.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+4], 1;\n"
        "bra END;\nOTHER:\nld.global.u32 %r2, [%rd1];\nEND:\nst.global.u32 [%rd1+8], 1;\nret;");
    const auto statement = [&](const std::string& name, size_t number) {
        for (const kernel::Statement& one : module.functions.front().code)
            if (one.words[0] == name && number-- == 0) return &one;
        return static_cast<const kernel::Statement*>(nullptr);
    };
    const auto *branch = statement("bra", 0), *first = statement("st", 0), *second = statement("st", 1), *last = statement("st", 2),
               *load = statement("ld", 1);
    CHECK(leads_by(module, branch, first));
    CHECK(leads_by(module, first, second));
    CHECK(leads_by(module, branch, last));
    CHECK_FALSE(leads_by(module, first, last));   // the other branch goes around it
    CHECK_FALSE(leads_by(module, load, second));  // of the other branch
    CHECK_FALSE(leads_by(module, load, last));
}
