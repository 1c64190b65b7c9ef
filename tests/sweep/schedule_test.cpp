// Schedules: a run is repeated by the turns that it took, and a schedule may stop and say who can go on.
#include "sweep/schedule.h"

#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;
using sweep::Schedule;

namespace {

kernel::Launch launch_of(const kernel::Module& module, const std::string& options) {
    kernel::Launch launch = kernel::launches_of(module, stream_texts(options), [](const std::string&) { return std::string(); }).front();
    launch.unlaunched = number_in(options, "--unlaunched");
    return launch;
}

// All that a run shows, a line each.
std::string shown(const sweep::Swept& swept) {
    std::string text = std::to_string(swept.instructions) + " instructions, " + std::to_string(swept.accesses) + " accesses\n" +
                       (swept.ended ? "ended\n" : "") + (swept.timed ? "timed\n" : "");
    for (const sweep::Finding& finding : swept.findings) {
        text += std::to_string(finding.number) + " " + finding.text;
        for (const sweep::Place& place : finding.places)
            text += " " + std::to_string(place.seat.block) + "." + std::to_string(place.seat.thread) + " " +
                    (place.statement != nullptr ? std::to_string(place.statement->span.begin) : "");
        text += "\n";
    }
    for (const std::string& condition : swept.conditions) text += condition + "\n";
    for (const sweep::Event& event : swept.log)
        text += std::to_string(static_cast<int>(event.what)) + " " + std::to_string(event.thread) + " " +
                (event.statement != nullptr ? std::to_string(event.statement->span.begin) : "") + " " + std::to_string(event.phase) + " " +
                std::to_string(event.number) + " " + std::to_string(event.generation) + " " + std::to_string(event.read.value_or(0)) +
                (event.settled ? " settled" : "") + "\n";
    return text;
}

bool are_alike(const Schedule& one, const Schedule& other) {
    const auto key = [](const sweep::Turns& turns) {
        return std::tuple(turns.first.warp, turns.first.instructions, turns.first.behind, turns.first.before, turns.times, turns.to_next);
    };
    return one.order == other.order && one.late == other.late && one.then == other.then &&
           std::equal(one.turns->begin(), one.turns->end(), other.turns->begin(), other.turns->end(),
                      [&](const sweep::Turns& a, const sweep::Turns& b) { return key(a) == key(b); });
}

// Two blocks of one thread draw a ticket, and the second one to come writes.
const std::string ticket =
    "ld.param.u64 %rd1, [k_param_0];\natom.global.add.u32 %r1, [%rd1], 1;\nsetp.eq.u32 %p1, %r1, 1;\n"
    "mov.u32 %r2, %ctaid.x;\nadd.u32 %r2, %r2, 10;\n@%p1 st.global.u32 [%rd1+4], %r2;\nret;";

const kernel::Statement* statement_of(const kernel::Module& module, const std::string& name) {
    for (const kernel::Statement& statement : module.functions.back().code)
        if (statement.words[0] == name) return &statement;
    return nullptr;
}

// The word that the second thread writes.
uint8_t last_of(const sweep::Swept& swept) {
    return swept.left->arrays.at(0).bytes.at(4);
}

}  // namespace

TEST_CASE("a run is repeated by the turns that it took") {
    size_t kernels = 0, wrong = 0;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                const bool stands_for_others = &row == &kernel.rows.front() || &row == &kernel.rows.back();
                if (!kernel.unswept.empty() || !stands_for_others) continue;
                const kernel::Module module = kernel::read_module(read_source((folder / kernel.ptx(row)).string()));
                const kernel::Launch launch = launch_of(module, kernel.launch);
                for (const Schedule::Order order : {Schedule::Order::first, Schedule::Order::contrary})
                    for (const bool late : {false, true}) {
                        if (late && kernel.name != "timeout") continue;
                        CAPTURE(kernel.ptx(row));
                        sweep::Options how;
                        how.schedule.order = order;
                        how.schedule.late = late;
                        how.records = true;
                        how.watch = sweep::Watch{{0, 1, 32}, {}, SIZE_MAX};
                        sweep::Swept once;
                        try {
                            once = sweep::sweep(module, launch, how);
                        } catch (const Failure&) {
                            continue;  // it does not come to an end
                        }
                        how.schedule = once.took;
                        CHECK(once.took.turns->size() < 2000);
                        const sweep::Swept again = sweep::sweep(module, launch, how);
                        CHECK(shown(once) == shown(again));
                        CHECK(are_alike(once.took, again.took));
                        ++kernels;
                        wrong += once.findings.empty() ? 0 : 1;
                    }
            }
    CHECK(kernels > 200);
    CHECK(wrong > 60);
}

TEST_CASE("which lanes stood behind is repeated, too") {
    // lane 0 waits in a loop for lane 1, which stands behind the loop
    const kernel::Module module = kernel::testing::kernel_of(
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SETS;\nLOOP:\n"
        "ld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nret;\nSETS:\n"
        "st.relaxed.gpu.global.u32 [%rd1], 1;\nret;");
    const kernel::Launch launch = launch_of(module, "--grid 1 --block 2 --arg x=u32[4] --arg 1");
    sweep::Options how;
    how.records = true;
    const sweep::Swept once = sweep::sweep(module, launch, how);
    CHECK(once.ended);
    CHECK(std::any_of(once.took.turns->begin(), once.took.turns->end(), [](const sweep::Turns& turns) { return turns.first.behind == 1; }));
    how.schedule = once.took;
    CHECK(shown(sweep::sweep(module, launch, how)) == shown(once));
}

TEST_CASE("a run that a finding ends is repeated up to there") {
    const kernel::Module module =
        kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+4], 1;\nret;");
    const kernel::Launch launch = launch_of(module, "--grid 3 --block 1 --arg x=u32[4] --arg 1");
    sweep::Options how;
    how.records = true;
    how.ends_with = [](const sweep::Finding&) { return true; };
    const sweep::Swept once = sweep::sweep(module, launch, how);
    REQUIRE(once.findings.size() == 1);
    CHECK(once.took.then == Schedule::Then::stops);
    how.ends_with = {};
    how.schedule = once.took;
    CHECK(shown(sweep::sweep(module, launch, how)) == shown(once));
}

TEST_CASE("turns come first, and the order goes on behind them") {
    const kernel::Module module = kernel::testing::kernel_of(ticket);
    const kernel::Launch launch = launch_of(module, "--grid 2 --block 1 --arg x=u32[4] --arg 1");
    sweep::Options how;
    how.leaves = true;
    CHECK(last_of(sweep::sweep(module, launch, how)) == 11);
    how.schedule.order = Schedule::Order::contrary;
    CHECK(last_of(sweep::sweep(module, launch, how)) == 10);
    // block 1 draws its ticket first, whatever the order
    for (const Schedule::Order order : {Schedule::Order::first, Schedule::Order::contrary}) {
        how.schedule = sweep::with_turns({{{.warp = 1, .instructions = 2}}}, Schedule::Then::goes_on, {.order = order});
        CHECK(last_of(sweep::sweep(module, launch, how)) == 10);
    }
}

TEST_CASE("a schedule stops before a statement, and says who can go on with what") {
    const kernel::Module module = kernel::testing::kernel_of(ticket);
    const kernel::Launch launch = launch_of(module, "--grid 2 --block 1 --arg x=u32[4] --arg 1");
    const kernel::Statement* const atomic = statement_of(module, "atom");
    REQUIRE(atomic != nullptr);
    const std::vector<sweep::Turns> to_atomics{{{.warp = 0, .before = atomic}, 2, 1}};
    sweep::Options how;
    how.leaves = true;
    how.schedule = sweep::with_turns(to_atomics, Schedule::Then::stops);
    const sweep::Swept stopped = sweep::sweep(module, launch, how);
    CHECK(stopped.findings.empty());
    CHECK(!stopped.ended);
    REQUIRE(stopped.able.size() == 2);
    for (uint32_t w = 0; w < 2; ++w) {
        CHECK(stopped.able[w].warp == w);
        CHECK(stopped.able[w].next == atomic);
    }
    for (const sweep::Able& chosen : stopped.able) {
        std::vector<sweep::Turns> turns = to_atomics;
        turns.push_back({{.warp = chosen.warp, .instructions = 1}});
        how.schedule = sweep::with_turns(turns, Schedule::Then::goes_on);
        CHECK(last_of(sweep::sweep(module, launch, how)) == 11 - chosen.warp);
    }
    // who waits cannot go on
    const kernel::Module meets = kernel::testing::kernel_of("bar.sync 0;\nret;");
    how.schedule = sweep::with_turns({{{.warp = 1, .instructions = 1}}}, Schedule::Then::stops);
    const sweep::Swept waits = sweep::sweep(meets, launch_of(meets, "--grid 1 --block 64 --arg x=u32[4] --arg 1"), how);
    REQUIRE(waits.able.size() == 1);
    CHECK(waits.able[0].warp == 0);
}

TEST_CASE("turns that do not fit") {
    const kernel::Module module = kernel::testing::kernel_of(ticket);
    const kernel::Launch launch = launch_of(module, "--grid 2 --block 1 --arg x=u32[4] --arg 1");
    const auto refused = [&](const sweep::Turn& turn) {
        sweep::Options how;
        how.schedule = sweep::with_turns({{turn}}, Schedule::Then::ends);
        try {
            sweep::sweep(module, launch, how);
        } catch (const Failure& failure) {
            return failure.diagnostics().front().message;
        }
        return std::string();
    };
    CHECK(refused({.warp = 2, .instructions = 1}) == "a turn of the schedule does not fit this launch: there is no warp 2");
    CHECK(refused({.warp = 1, .instructions = 9}) ==
          "a turn of the schedule does not fit this launch: warp 1 cannot go on after 7 instructions of 9");
    // also where something was found before
    const kernel::Module races = kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], 1;\nret;");
    sweep::Options how;
    how.schedule = sweep::with_turns({{{.warp = 0, .instructions = 3}, 2, 1}, {{.warp = 9}}}, Schedule::Then::ends);
    CHECK_THROWS_AS(sweep::sweep(races, launch_of(races, "--grid 2 --block 1 --arg x=u32[4] --arg 1"), how), Failure);
}

TEST_CASE("turns are folded where they are alike") {
    sweep::Recording recording;
    for (uint32_t warp = 0; warp < 100; ++warp) recording.add({.warp = warp, .instructions = 7});
    for (uint32_t warp = 0; warp < 3; ++warp) recording.add({.warp = 5, .instructions = 8});
    recording.add({.warp = 5, .instructions = 8, .behind = 1});
    const std::vector<sweep::Turns> turns = recording.take();
    REQUIRE(turns.size() == 3);
    CHECK(turns[0].times == 100);
    CHECK(turns[0].turn(99).warp == 99);
    CHECK(turns[1].times == 3);
    CHECK(turns[1].turn(2).warp == 5);
    CHECK(turns[2].first.behind == 1);
}
