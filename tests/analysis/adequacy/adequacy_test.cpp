// Which parts of a model a test needs.
#include "analysis/adequacy/adequacy.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "analysis/small_tests.h"

namespace litmus {
namespace {

// By the name of the part: of all, or of those named.
std::map<std::string, Need> asked(const Test& test, const std::string& model, bool all = true, double timeout = 0,
                                  const std::set<std::string>& only = {}) {
    ModelFamily family(model, {});
    std::vector<PartModels> parts = part_models(family);
    if (!only.empty()) std::erase_if(parts, [&](const PartModels& p) { return only.count(p.part.id) == 0; });
    Program program = build_program(test, {.blocked = true});
    Touched touched;
    Solver solver(Solver::usually, faster);
    const auto needed = needs(
        test, program, parts, touched, solver, [=] { return Budget(timeout); }, [=](size_t) { return all; });
    std::map<std::string, Need> result;
    for (size_t p = 0; p < parts.size(); ++p) result[parts[p].part.id] = needed[p];
    return result;
}

TEST_CASE("the parts of sc that forbid store buffering") {
    std::map<std::string, Need> needed = asked(parsed(store_buffering), "sc");
    CHECK(needed["sequential-consistency: axiom"] == Need::verdict);  // the claim is that it can happen
    CHECK(needed["sequential-consistency: alternative po"] == Need::verdict);
    CHECK(needed["sequential-consistency: alternative fr"] == Need::verdict);
    CHECK(needed["sequential-consistency: alternative rf"] == Need::no);
    CHECK(needed["atomicity: axiom"] == Need::no);  // no atomics here
    CHECK(needed["barrier: alternative waits"] == Need::no);
}

TEST_CASE("a part that changes an answer and no verdict") {
    const Test lost = parsed(R"(test "lost update"
.global .u32 x = 0;
thread P0 @ cta0 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
exists (P0:r0 == 1)
)");
    CHECK(asked(lost, "sc")["atomicity: axiom"] == Need::no);  // the claim shows P0:r0 alone
    const Test both = parsed(R"(test "lost update, both seen"
.global .u32 x = 0;
thread P0 @ cta0 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
exists (P0:r0 == 1 \/ P1:r0 == 1)
)");
    CHECK(asked(both, "sc")["atomicity: axiom"] == Need::answer);
}

TEST_CASE("a reading that is off by default is looked for where it is on") {
    const Test test = library_test("async/proxy-war/war-mbarrier-added-only.litmus");
    std::map<std::string, Need> needed =
        asked(test, "ptx", false, 0, {"war-mbarrier: reading", "war-performed: reading", "comes-from: alternative rf"});
    CHECK(needed["war-mbarrier: reading"] == Need::verdict);
    CHECK(needed["war-performed: reading"] == Need::no);
    CHECK(needed["comes-from: alternative rf"] == Need::no);  // ptx does not use the definition
    ModelFamily family("ptx", {});
    for (const PartModels& p : part_models(family)) {
        if (p.part.id == "comes-from: alternative rf") CHECK(p.under.empty());
        if (p.part.id == "war-mbarrier: reading") CHECK(p.under.front().readings.back() == "war-mbarrier");
    }
}

TEST_CASE("what nobody wants to know is not asked, and what is not decided is not called unneeded") {
    for (const auto& [part, need] : asked(parsed(store_buffering), "sc", false)) CHECK(need == Need::no);
    CHECK(asked(parsed(store_buffering), "sc", true, 1e-9)["sequential-consistency: axiom"] == Need::undecided);
}

}  // namespace
}  // namespace litmus
