// The brute-force engine may enumerate only the coherence orders that a model requires (the argument
// stands in brute_force.cpp). Here both enumerations run: on programs with up to four writes to a
// location the generated orders and all strict partial orders give the same outcomes and flags.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "analysis/verdict/support.h"
#include "brute_force.h"
#include "language/syntax/read.h"
#include "random_async.h"
#include "random_program.h"

using namespace litmus;

namespace {

// Writes to the cell that has most, the initial one apart.
int most_writes(const Program& program) {
    std::map<int, int> writes;
    int most = 0;
    for (const Event& event : program.events)
        if (event.kind == Event::Kind::write) most = std::max(most, ++writes[event.cell]);
    return most;
}

int most_reads(const Program& program) {
    int reads = 0;
    for (const Event& event : program.events) reads += event.kind == Event::Kind::read ? 1 : 0;
    return reads;
}

bool supported(const Program& program, const Model& model) {
    try {
        require_support(program, model);
        return true;
    } catch (const Failure&) {
        return false;
    }
}

struct Tally {
    int compared = 0;
    int by_writes[5] = {};
};

void compare(uint64_t seed, const Model& model, Tally& tally) {
    const Test test = random_program(seed, {6, false, seed % 8 == 0, 3});
    Program program = build_program(test, {});
    const int writes = most_writes(program);
    if (writes < 2 || writes > 4 || most_reads(program) > 3 || !supported(program, model)) return;
    const Exhaustive few = brute_force(program, {&model}, {Coherence::required, true}).by_model[0];
    const Exhaustive all = brute_force(program, {&model}, {Coherence::all_partial_orders, true}).by_model[0];
    INFO("seed ", seed, " under ", model.name);
    CHECK(few.outcomes == all.outcomes);
    CHECK(few.without == all.without);
    CHECK(few.flags == all.flags);
    CHECK(few.races == all.races);
    CHECK(few.undefined == all.undefined);
    CHECK(few.satisfiable == all.satisfiable);
    CHECK(few.violable == all.violable);
    CHECK(few.nonempty == all.nonempty);
    ++tally.compared;
    ++tally.by_writes[writes];
}

}  // namespace

TEST_CASE("generated coherence orders have the outcomes of all strict partial orders") {
    for (const char* name : {"ptx", "ptx-6.0", "ptx-7.5", "sc", "tso"}) {
        const Model model = load_model(name, {});
        CHECK_MESSAGE(generates_coherence(model), name);
        Tally tally;
        for (uint64_t i = 0; i < 400 && tally.compared < 120; ++i) compare(program_seed(7, i), model, tally);
        MESSAGE(model.name, ": ", tally.compared, " programs, with 2/3/4 writes to a location: ", tally.by_writes[2], "/",
                tally.by_writes[3], "/", tally.by_writes[4]);
        CHECK(tally.compared >= 100);
        CHECK(tally.by_writes[4] > 0);
    }
}

// The same of asynchronous programs, where the first enumeration also leaves out what breaks the chains of mbarrier updates.
TEST_CASE("chains of mbarrier updates are all that counts") {
    const Model model = load_model("ptx", {}, Reading::Base::default_);
    int compared = 0, updated = 0;
    for (uint64_t i = 0; i < 400 && compared < 80; ++i) {
        const Test test =
            parse_tests(make_source("async.litmus", random_async(program_seed(7, i), any_async_kind(program_seed(7, i))))).at(0);
        BuildOptions build;
        build.blocked = i % 2 == 0;
        Program program = build_program(test, build);
        if (most_writes(program) > 4 || most_reads(program) > 8) continue;
        BruteForceOptions chains, all;
        chains.chains = true;
        all.coherence = Coherence::all_partial_orders;
        all.most_executions = 3000;
        const Candidates every = brute_force(program, {&model}, all);
        if (every.gave_up) continue;
        const Exhaustive few = brute_force(program, {&model}, chains).by_model[0];
        INFO("program ", i);
        CHECK(few.outcomes == every.by_model[0].outcomes);
        CHECK(few.flags == every.by_model[0].flags);
        CHECK(few.undefined == every.by_model[0].undefined);
        CHECK(few.races == every.by_model[0].races);
        CHECK(few.blocked == every.by_model[0].blocked);
        CHECK(few.nonempty == every.by_model[0].nonempty);
        ++compared;
        std::map<int, int> updates;
        for (const Event& e : program.events)
            if (e.kind == Event::Kind::write && program.cells[static_cast<size_t>(e.cell)].is_mbarrier) ++updates[e.cell];
        for (const auto& [cell, n] : updates) updated += n >= 2 ? 1 : 0;
    }
    MESSAGE(compared, " asynchronous programs, ", updated, " objects updated at least twice");
    CHECK(compared >= 60);
    CHECK(updated >= 40);
}

TEST_CASE("a model of another shape is recognised") {
    const auto model = [](const char* text) { return parse_model(make_source("m.cat", text), {}); };
    CHECK(generates_coherence(model("M\nempty ([W]; po & loc; [W]) \\ co as c\nacyclic po | rf | co as a\n")));
    CHECK(generates_coherence(model("M\nlet c = co+\nempty ((W * W) & loc & ext) \\ (c | c^-1) as c\n")));
    // more co may help here, and not by relating the ends of the pair
    CHECK_FALSE(generates_coherence(model("M\nempty rf \\ (co; rf) as c\n")));
    CHECK_FALSE(generates_coherence(model("M\nlet both = co | co^-1\nempty ((W * W) & loc) \\ both+ as c\n")));
    CHECK_FALSE(generates_coherence(model("M\n~empty co as c\n")));
}
