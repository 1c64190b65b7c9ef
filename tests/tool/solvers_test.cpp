// The solvers over the library from outside: the same answers.
#include <nlohmann/json.hpp>

#include "solve/sat/backend.h"
#include "tool/shell.h"
#include "turn.h"

namespace {

TEST_CASE("Z3 and CaDiCaL agree about the library") {
    if (!litmus::row(litmus::Engine::cadical).is_there()) {
        MESSAGE("skipped: built without CaDiCaL");
        return;
    }
    const TemporaryFolder folder;
    const Run run = shell(folder, "litmus check '" LITMUS_SOURCE_DIR "/litmus' --solver both --no-time --shard " + litmus::Turn().shard());
    CHECK_MESSAGE(run.status == 0, run.out << run.err);
    CHECK(run.err.empty());
    CHECK(lines(run.out).size() > litmus::Turn().share(1500));
}

// Verdicts, outcomes and hazards with the words about their executions: all that is printed.
TEST_CASE("whichever solver is asked, JSON is the same") {
    const TemporaryFolder folder;
    const auto printed = [&](std::string_view solver) {
        const Run run = shell(folder, "litmus check '" LITMUS_SOURCE_DIR "/litmus' --format json --solver " + std::string(solver) +
                                          " --shard " + litmus::Turn().shard());
        CHECK_MESSAGE(run.status == 0, run.out << run.err);
        std::vector<std::string> results;
        for (const std::string& line : lines(run.out)) {
            nlohmann::json result = nlohmann::json::parse(line);
            for (const char* of_the_run : {"solver", "seconds", "key", "place"}) result.erase(of_the_run);
            results.push_back(result.dump());
        }
        return results;
    };
    const std::vector<std::string> expected = printed("cdcl");
    CHECK(expected.size() > litmus::Turn().share(1500));
    for (const litmus::SolverRow& each : litmus::solvers) {
        if (!each.is_there() || each.engine == litmus::Engine::cdcl) continue;
        const std::vector<std::string> found = printed(each.name);
        REQUIRE(found.size() == expected.size());
        for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == expected[i]);
    }
}

}  // namespace
