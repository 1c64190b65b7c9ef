// The campaign: its operations are those of the table, its threads are tests, and from a few of them it finds what ptxas breaks.
#include "analysis/compiled/campaign.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "analysis/compiled/partner.h"
#include "language/syntax/read.h"
#include "sass/ptxas.h"

using namespace litmus;
using namespace litmus::compiled;

namespace {

Test test_of(const std::vector<std::string>& lines, const std::vector<std::string>& partner = {}) {
    return parse_tests(make_source("t", test_text("t", lines, partner))).at(0);
}

size_t operation_that_begins(const std::vector<Operation>& all, const std::string& text) {
    for (size_t n = 0; n < all.size(); ++n)
        if (all[n].text.rfind(text, 0) == 0) return n;
    FAIL("no operation begins with " << text);
    return 0;
}

// The triples around one operation.
std::vector<Trial> around(const std::vector<Operation>& all, size_t operation) {
    std::vector<Trial> trials;
    for (size_t n = operation; n < triples(all); n += all.size()) trials.push_back(triple(all, n));
    return trials;
}

}  // namespace

TEST_CASE("operations are made of the table, each a well-formed instruction of its own meaning") {
    const std::vector<Operation> all = operations();
    CHECK(all.size() > 400);
    std::set<std::string> texts;
    std::set<Op> ops;
    for (const Operation& operation : all) {
        CHECK_MESSAGE(texts.insert(operation.text).second, operation.text);
        std::vector<std::string> lines;
        for (const std::string& line : operation.prelude) lines.push_back(filled(line, 1, "x", "s"));
        lines.push_back(filled(operation.text, 1, "x", "s"));
        const Test test = test_of(lines);
        ops.insert(test.threads[0].body.back().op);
    }
    // whatever the table has and one thread can execute; a new row is tried without a line here
    for (const Op op : {Op::ld,
                        Op::st,
                        Op::atom,
                        Op::red,
                        Op::fence,
                        Op::fence_proxy,
                        Op::bar_sync,
                        Op::bar_arrive,
                        Op::bar_red,
                        Op::bar_warp_sync,
                        Op::cluster_arrive,
                        Op::cluster_wait,
                        Op::red_async,
                        Op::st_async,
                        Op::bulk_copy,
                        Op::bulk_reduce,
                        Op::bulk_commit,
                        Op::bulk_wait,
                        Op::async_copy,
                        Op::async_commit,
                        Op::async_wait,
                        Op::async_arrive,
                        Op::mbarrier_init,
                        Op::mbarrier_arrive,
                        Op::mbarrier_test_wait,
                        Op::mbarrier_try_wait,
                        Op::ld_nc,

                        Op::tensor_copy,
                        Op::map_replace,
                        Op::shfl_sync})
        CHECK_MESSAGE(ops.count(op) == 1, static_cast<int>(op));
}

TEST_CASE("threads are the same for the same numbers, and most are tests") {
    const std::vector<Operation> all = operations();
    size_t good = 0, controlled = 0;
    constexpr size_t count = 200;
    for (size_t n = 0; n < count; ++n) {
        const Trial trial = random_trial(all, 7, n);
        CHECK(trial.lines == random_trial(all, 7, n).lines);
        CHECK(trial.lines != random_trial(all, 8, n).lines);
        try {
            const Test test = test_of(trial.lines);
            ++good;
            for (const Instruction& i : test.threads[0].body) controlled += i.await || i.op == Op::exit ? 1 : 0;
        } catch (const Failure&) {
        }
    }
    CHECK(good > count * 9 / 10);
    CHECK(controlled > 20);
    const Trial one = triple(all, operation_that_begins(all, "fence.sc.gpu"));
    CHECK(one.lines == std::vector<std::string>{"ld.weak.global.u32 r0, [x];", "fence.sc.gpu;", "ld.weak.global.u32 r2, [x];"});
}

TEST_CASE("partners do the contrary, the other way round") {
    const Test test = test_of({"ld.weak.global.u32 r0, [x];", "ld.acquire.gpu.global.u32 r1, [y];", "ld.weak.global.u32 r2, [x];"});
    const auto all = partners(test, {compiled::Change::Kind::dropped, 0, 2, 0});
    REQUIRE(all.size() == 3);
    CHECK(all[0].empty());
    CHECK(all[1] == std::vector<std::string>{"st.relaxed.sys.global.u32 [x], 1;", "fence.sc.sys;", "st.relaxed.sys.global.u32 [y], 1;"});
    CHECK(all[2] == std::vector<std::string>{"st.relaxed.sys.global.u32 [x], 1;"});
}

TEST_CASE("from triples around an acquire, a reload that is gone and a neighbour that is read early") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const std::vector<Operation> all = operations();
    ModelFamily family("ptx", {});
    Solver solver;
    const auto classes_around = [&](const std::string& operation) {
        const std::vector<Trial> trials = around(all, operation_that_begins(all, operation));
        const Batch batch = compiled::assemble(trials, *assembler, 3, "sm_90a", gpu::Body::plain);
        CHECK(batch.assembled == trials.size());
        CHECK(batch.strays == 0);
        std::set<std::string> sorts, classes;
        for (const Changed& changed : batch.changed) {
            const Test test = test_of(changed.trial.lines);
            bool is_new = false;
            for (const compiled::Change& change : changed.changes) is_new = sorts.insert(sort_of(test, change)).second || is_new;
            if (!is_new || judge(changed, family, solver, 20).ruling.fate != Fate::forbidden) continue;
            const auto smallest = reduced(changed, *assembler, family, solver, 20);
            REQUIRE(smallest);
            CHECK(smallest->first.trial.lines.size() <= 3);
            classes.insert(class_of(smallest->second.test, smallest->second.changes));
        }
        return classes;
    };
    const std::set<std::string> acquire = classes_around("ld.acquire.gpu.global");
    CHECK(acquire.count("dropped: ld weak global, ld weak global, same, past ld acquire global") == 1);
    CHECK(acquire.count("merged: ld weak shared, ld weak shared, neighbour, past ld acquire global") == 1);
    const std::set<std::string> tried = classes_around("mbarrier.try_wait.parity.shared::cta");
    CHECK(tried.count("unwaited: ld, mbarrier.try_wait acquire") == 1);
    CHECK(tried.count("dropped: ld weak global, ld weak global, same, past mbarrier.try_wait acquire") == 1);
    CHECK(classes_around("fence.cta").empty());  // nothing passes a fence
}

TEST_CASE("from waits for a copy out of a map, a change of the map before its wait") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const std::vector<Operation> all = operations();
    const size_t change = operation_that_begins(all, "tensormap.replace.tile.global_address.global");
    std::vector<Trial> trials;
    for (size_t n = change; n < waits(all); n += all.size())
        if (Trial trial = compiled::wait(all, n); trial.lines[0].rfind("cp.async.bulk.tensor.1d.global", 0) == 0)
            trials.push_back(std::move(trial));
    REQUIRE(trials.size() == 2);  // behind wait_group and wait_group.read
    const Batch batch = compiled::assemble(trials, *assembler, 3, "sm_90a", gpu::Body::plain);
    CHECK(batch.assembled == 2);
    REQUIRE(batch.changed.size() == 1);
    CHECK(batch.changed[0].trial.lines[2] == "cp.async.bulk.wait_group.read 0;");
    ModelFamily family("ptx", {});
    Solver solver;
    const auto smallest = reduced(batch.changed[0], *assembler, family, solver, 20);
    REQUIRE(smallest);
    CHECK(smallest->second.ruling.hazard == "write of tensor map");
    CHECK(smallest->first.trial.lines == trials[1].lines);
    CHECK(class_of(smallest->second.test, smallest->second.changes) == "moved: tensormap.replace, cp.async.bulk.wait_group.read");
}
