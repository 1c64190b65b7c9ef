// Asynchronous operations as events: what is issued, what completes it, what waits for it, and what is left out.
#include <doctest/doctest.h>

#include "event/execution.h"
#include "ptx/mbarrier.h"
#include "syntax/dsl.h"

using namespace litmus;

namespace {

using Kind = Event::Kind;

struct Built {
    explicit Built(const std::string& body, bool blocked = false) : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))) {
        BuildOptions options;
        options.blocked = blocked;
        program = build_program(test, options);
    }
    std::vector<size_t> events(Kind kind) const {
        std::vector<size_t> found;
        for (size_t e = 0; e < program.size(); ++e)
            if (program.events[e].kind == kind) found.push_back(e);
        return found;
    }
    size_t count(const std::string& set) const { return base_set(program, set).elements().size(); }
    Relation may(const std::string& relation) const { return base_bounds(program, relation).may; }

    Test test;
    Program program;
};

std::string failure_of(const std::string& body) {
    try {
        Built{body};
    } catch (const Failure& f) {
        return f.diagnostics().at(0).message;
    }
    return "no failure";
}

const std::string peer = R"(.shared.cta1 .u32 x = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 { red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x], 1, [bar]; }
thread P1 @ cta1 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 4;
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [x];
}
)";

const std::string reduction = R"(.shared.cta0 .u32 s[256] = 1;
.global .u32 g[256] = 0;
thread P0 @ cta0 {
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 1024;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g+40];
}
)";

}  // namespace

TEST_CASE("red.async: an issue in program order, an atomic and a complete-tx in none") {
    const Built t(peer);
    REQUIRE(t.events(Kind::issue).size() == 1);
    const size_t issue = t.events(Kind::issue)[0];
    const Relation iss = t.may("iss"), aio = t.may("aio"), po = t.may("po");
    CHECK(iss.successors(issue).size() == 4);  // two reads, two writes
    for (const size_t e : iss.successors(issue)) {
        CHECK(t.program.events[e].asynchronous);
        CHECK(po.successors(e).empty());
        CHECK(po.inverse().successors(e).empty());
    }
    CHECK(t.count("C") == 2);
    CHECK(t.count("DIRECT") == 1);
    const auto is_data_write = [&](size_t e) { return t.program.events[e].kind == Kind::write && !t.program.events[e].completes; };
    for (const size_t e : iss.successors(issue))
        if (is_data_write(e)) CHECK(aio.successors(e).size() == 2);  // before both halves of the completion
}

TEST_CASE("an awaited mbarrier wait is one read that returned true") {
    const Built t(peer);
    const Relation returned = base_bounds(t.program, "returned").must;
    CHECK(returned.pairs().size() == 1);
    CHECK(t.program.constraints.size() == 1);
}

TEST_CASE("a bulk operation keeps the elements that are named, and its first") {
    const Built t(reduction);
    size_t elements = 0;
    for (const Cell& c : t.program.cells) elements += t.test.locations[static_cast<size_t>(c.location)].name == "g" ? 1 : 0;
    CHECK(elements == 2);  // g[0] and g[10]
    CHECK(t.count("COPY") == 6);
}

TEST_CASE("a group's completion leads to the wait that leaves fewer groups pending, and only to that") {
    const auto waits = [](const std::string& wait) {
        const Built t(R"(.shared.cta0 .u32 s[4] = 1;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  )" + wait + "\n}\n");
        return t.may("grp").pairs().size();
    };
    CHECK(waits("cp.async.bulk.wait_group 0;") == 2);
    CHECK(waits("cp.async.bulk.wait_group 1;") == 1);
    CHECK(waits("cp.async.bulk.wait_group 2;") == 0);
    CHECK(waits("cp.async.wait_all;") == 0);  // groups of cp.async are others
}

TEST_CASE("wait_group.read waits for a completion after the source reads alone") {
    std::string text = reduction;
    text.replace(text.find("wait_group 0"), 12, "wait_group.read 0");
    const Built t(text);
    const Relation grp = t.may("grp");
    REQUIRE(grp.pairs().size() == 1);
    const size_t completion = grp.pairs()[0].first;
    const Relation before = t.may("aio").inverse();
    for (const size_t e : before.successors(completion)) {
        CHECK(t.program.events[e].kind == Kind::read);
        CHECK_FALSE(t.program.events[e].reduction);
    }
    CHECK(before.successors(completion).size() == 2);
}

TEST_CASE("threads that may stay blocked: a choice at each wait, what follows under its negation") {
    const Built t(peer, true);
    REQUIRE(t.program.blocked.size() == 1);
    const Blocked& b = t.program.blocked[0];
    CHECK(b.thread == 1);
    CHECK_FALSE(t.program.exprs.is_constant(b.when));
    CHECK_FALSE(t.program.exprs.is_constant(b.hopeless));
    const size_t load = t.events(Kind::read).back();
    CHECK_FALSE(t.program.always(load));
    CHECK(Built(peer).program.blocked.empty());
}

TEST_CASE("what cannot be given a meaning says so") {
    CHECK(failure_of(R"(.global .u32 n = 16;
.shared.cta0 .u32 s[4] = 1;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  ld.weak.global.u32 r0, [n];
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], r0;
}
)") == "the size of a bulk operation depends on a value read from memory: not modelled");
}
