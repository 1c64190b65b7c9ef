// The two solvers, where there are two, over the library from outside: the same verdicts, outcomes and flags.
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

}  // namespace
