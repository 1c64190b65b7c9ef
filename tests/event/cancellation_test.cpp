// Requests to cancel clusters: which waits have seen one fail, how many may succeed, and what is known of an answer.
#include <doctest/doctest.h>

#include <algorithm>

#include "event/failure.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

struct BuiltRequests {
    explicit BuiltRequests(const std::string& body, int unroll = 2) : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))) {
        BuildOptions options;
        options.unroll = unroll;
        program = build_program(test, options);
    }
    size_t count(const std::string& set) const { return base_set(program, set).elements().size(); }
    size_t pairs(const std::string& relation) const {
        const auto found = program.conditional.find(relation);
        return found == program.conditional.end() ? 0 : found->second.size();
    }
    bool has_register(const std::string& name) const {
        return std::any_of(program.registers.begin(), program.registers.end(), [&](const Register& r) { return r.name == name; });
    }

    Test test;
    Program program;
};

const std::string places = R"(.shared.cta0 .u64 answer[2] = 7;
.shared.cta0 .u32 words[4] = 7;
.shared.cta0 .mbarrier bar = 1;
)";
const std::string request = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];\n";
const std::string wait = "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\n";
const std::string query = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\n";

std::string in_thread(const std::string& lines) {
    return places + "thread P0 @ cta0 {\n" + lines + "}\n";
}

}  // namespace

TEST_CASE("each wait for an object may have seen each request on it fail") {
    CHECK(BuiltRequests(in_thread(request)).pairs("failed") == 0);
    CHECK(BuiltRequests(in_thread(request + wait)).pairs("failed") == 1);
    CHECK(BuiltRequests(in_thread(request + request + wait + wait)).pairs("failed") == 4);
    CHECK(BuiltRequests(in_thread(request + request)).count("CANCEL") == 2);
}

TEST_CASE("an answer is read element by element, weakly") {
    const BuiltRequests two(in_thread("ld.shared.b128 h, [answer];\n")), four(in_thread("ld.shared::cta.b128 h, [words];\n"));
    CHECK(two.count("R") == 2);
    CHECK(four.count("R") == 4);
    CHECK(four.count("WEAK") == 4);
}

TEST_CASE("a query relates what one load has read, each element to each") {
    const std::string load = "ld.shared.b128 h, [answer];\n";
    CHECK(BuiltRequests(in_thread(request + wait + load)).pairs("queried") == 0);
    CHECK(BuiltRequests(in_thread(request + wait + load + query)).pairs("queried") == 4);
    // of two loads into one register the second counts
    CHECK(BuiltRequests(in_thread(request + wait + load + load + query)).pairs("queried") == 4);
    // a load under a guard may not have happened
    CHECK(BuiltRequests(in_thread(request + wait + load + query + "@p " + load + query)).pairs("queried") == 4 + 8);
}

TEST_CASE("an answer and the CTA that it names have no value") {
    const BuiltRequests built(in_thread(request + wait + "ld.shared.b128 h, [answer];\n" + query +
                                        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 x, h;\n"));
    CHECK(built.has_register("p"));
    CHECK_FALSE(built.has_register("h"));
    CHECK_FALSE(built.has_register("h.lo"));
    CHECK_FALSE(built.has_register("x"));
    const std::string asked = in_thread("mov.u32 y, 1;\n" + request + wait + "ld.shared.b128 h, [answer];\n" + query +
                                        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {_, y, _, _}, h;\n");
    const std::string reason =
        "the value of `y` is not modelled: of an answer only this is known, whether a cluster was cancelled, and not which one (ISA "
        "9.7.13.18)";
    CHECK(failure_of(asked) == "no failure");
    CHECK(failure_of(asked + "exists (P0:y == 1)\n") == reason);
    CHECK(failure_of(in_thread(request + wait + "ld.shared.b128 h, [answer];\n" +
                               "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 y, h;\nadd.u32 z, y, 1;\n")) == reason);
}

TEST_CASE("nothing but answers is loaded with 128 bits from smaller elements") {
    const std::string load = "ld.shared.b128 h, [answer];\n";
    for (const char* store : {"st.weak.shared::cta.u64 [answer], 1;\n", "st.weak.shared::cta.v2.u64 [answer], {1, 1};\n",
                              "st.bulk.weak.shared::cta [answer], 16, 0;\n"})
        CHECK_MESSAGE(
            failure_of(in_thread(store + load)).find("this loads an answer of `clusterlaunchcontrol.try_cancel`") != std::string::npos,
            store);
    CHECK(failure_of(in_thread("st.weak.shared::cta.u32 [words], 1;\n" + load)) == "no failure");
    CHECK(failure_of(in_thread(load + "mov.b128 {a, b}, h;\n")).find("`mov.b128 {a, b}, h` takes them for data") != std::string::npos);
    CHECK(failure_of(".shared.cta0 .b128 whole = 0;\n" + in_thread("ld.shared.b128 h, [whole];\n" + query)) ==
          "an answer of `clusterlaunchcontrol.try_cancel` lies in elements that are smaller than 128 bits here");
}

TEST_CASE("a loop goes round as often as clusters have not started, and once more") {
    const std::string loop = "mov.u32 phase, 0;\nNEXT:\n" + request +
                             "await mbarrier.try_wait.parity.shared::cta.b64 [bar], phase;\nld.shared.b128 h, [answer];\n" + query +
                             "xor.b32 phase, phase, 1;\n@p bra NEXT;\n";
    CHECK(BuiltRequests(in_thread(loop)).count("CANCEL") == 2);
    CHECK(BuiltRequests(".unlaunched 0;\n" + in_thread(loop)).count("CANCEL") == 2);
    CHECK(BuiltRequests(".unlaunched 3;\n" + in_thread(loop)).count("CANCEL") == 4);
    CHECK(BuiltRequests(".unlaunched 3;\n" + in_thread(loop), 6).count("CANCEL") == 6);
}
