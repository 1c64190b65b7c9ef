// Asynchronous operations as events: what is issued, what completes it, what waits for it, and what is left out.
#include <doctest/doctest.h>

#include <algorithm>

#include "event/execution.h"
#include "event/failure.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"
#include "ptx/mbarrier.h"

using namespace litmus;

namespace {

using Kind = Event::Kind;

struct BuiltAsync {
    explicit BuiltAsync(const std::string& body, bool blocked = false) : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))) {
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
    const Relation& relation(const std::string& name) const { return program.relations.find(name)->second; }
    Relation may(const std::string& relation) const { return base_bounds(program, relation).may; }

    Test test;
    Program program;
};

// Where the message points, in the text of `body`.
size_t place_of_failure(const std::string& body) {
    try {
        BuiltAsync{body};
    } catch (const Failure& f) {
        return f.diagnostics().at(0).span.begin - std::string("test \"t\"\n").size();
    }
    return std::string::npos;
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
    const BuiltAsync t(peer);
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
    const BuiltAsync t(peer);
    const Relation returned = base_bounds(t.program, "returned").must;
    CHECK(returned.pairs().size() == 1);
    CHECK(t.program.constraints.size() == 1);
}

TEST_CASE("of a bulk operation the elements become events that are named, and no others that have no other fate") {
    const BuiltAsync t(reduction);
    size_t elements = 0;
    for (const Cell& c : t.program.cells) elements += t.test.locations[static_cast<size_t>(c.location)].name == "g" ? 1 : 0;
    CHECK(elements == 1);  // g[10]
    CHECK(t.count("COPY") == 3);
}

TEST_CASE("a group's completion leads to the wait that leaves fewer groups pending, and only to that") {
    const auto waits = [](const std::string& wait) {
        const BuiltAsync t(R"(.shared.cta0 .u32 s[4] = 1;
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
    const BuiltAsync t(text);
    const Relation grp = t.may("grp");
    REQUIRE(grp.pairs().size() == 1);
    const size_t completion = grp.pairs()[0].first;
    const Relation before = t.may("aio").inverse();
    for (const size_t e : before.successors(completion)) {
        CHECK(t.program.events[e].kind == Kind::read);
        CHECK_FALSE(t.program.events[e].reduction);
    }
    CHECK(before.successors(completion).size() == 1);
}

TEST_CASE("threads that may stay blocked: a choice at each wait, what follows under its negation") {
    const BuiltAsync t(peer, true);
    REQUIRE(t.program.blocked.size() == 1);
    const Blocked& b = t.program.blocked[0];
    CHECK(b.thread == 1);
    CHECK_FALSE(t.program.exprs.is_constant(b.when));
    CHECK_FALSE(t.program.exprs.is_constant(b.hopeless));
    const size_t load = t.events(Kind::read).back();
    CHECK_FALSE(t.program.always(load));
    CHECK(BuiltAsync(peer).program.blocked.empty());
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

// The fields of a state have so many bits (ptx/mbarrier.h).
TEST_CASE("an mbarrier object has as many operations as a test has room for, and counts that do not fit are refused") {
    const auto arrivals = [](size_t n) {
        std::string body = ".shared.cta0 .mbarrier bar = 1;\nthread P0 @ cta0 {\n";
        for (size_t i = 0; i < n; ++i) body += "  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n";
        return body + "}\n";
    };
    CHECK(failure_of(arrivals(511)) == "no failure");
    CHECK(failure_of(arrivals(512)) == "this test has more than 1024 events");
    const auto counts = [](const std::string& declared, const std::string& instruction) {
        return ".shared.cta0 .mbarrier bar" + declared + ";\nthread P0 @ cta0 {\n  " + instruction + "\n}\n";
    };
    const std::string none, arrive = "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 2;";
    CHECK(failure_of(counts(" = 32767", arrive)) == "no failure");
    CHECK(failure_of(counts(" = 32768", arrive)) == "the count of the mbarrier object `bar` is above 32767: not modelled");
    CHECK(failure_of(counts(none, "mbarrier.init.shared::cta.b64 [bar], 32767;")) == "no failure");
    CHECK(failure_of(counts(none, "mbarrier.init.shared::cta.b64 [bar], 32768;")) == "the count is above 32767: not modelled");
}

// Registers of tcgen05.ld and wgmma.mma_async without a value: the message says why, and stands where the value is used.
TEST_CASE("a claim on a value that is not modelled says why it is not") {
    struct Way {
        std::string place, multiply, load, why, at = "~exists (P0:r0";
    };
    const std::string i8 = "tcgen05.mma.cta_group::1.kind::i8 [d], [a], [b], 0x04020000, 0;",
                      f16 = "tcgen05.mma.cta_group::1.kind::f16 [d], [a], [b], 0x04020000, 0;",
                      negated = "tcgen05.mma.cta_group::1.kind::i8 [d], [a], [b], 0x04022000, 0;",
                      load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d];", other = "tcgen05.ld.sync.aligned.16x64b.x1.b32 {r0}, [d];",
                      second = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r1, r0}, [d];",
                      store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [d], {q};",
                      in_register = "mov.b32 i, 0x04022000; tcgen05.mma.cta_group::1.kind::i8 [d], [a], [b], i, 0;";
    const std::vector<Way> ways = {
        {"cta0.warp2", i8, load, "lane 0 of warp 2, loads lane 64 of tensor memory (ISA 9.7.16.8.1)"},
        {"cta0.warp4.lane3", i8, load, "lane 3 of warp 4, loads lane 3 of tensor memory (ISA 9.7.16.8.1)"},
        {"cta0", f16, load, "`tcgen05.mma.cta_group::1.kind::f16` computes is not known"},
        {"cta0", negated, load, "asks for sparsity, saturation, negation or transposition"},
        {"cta0", i8, other, "only `.32x32b` has a value"},
        {"cta0", i8, second, "it is not the first register"},
        {"cta0", in_register, load, "as registers say that it names", "tcgen05.mma.cta_group::1.kind::i8 [d], [a], [b], i"},
        {"cta0.warp0", "}\nthread P1 @ cta0.warp5 { mov.b32 q, 3; " + store + "}\nthread P2 @ cta0.warp9 {", "", "no failure", ""},
    };
    for (const Way& w : ways) {
        const std::string body = ".tmem.cta0 d;\n.shared.cta0 .u32 a[512] = 1;\n.shared.cta0 .u32 b[64] = 1;\nthread P0 @ " + w.place +
                                 " {\n  mov.b32 q, 1;\n  " + w.multiply + "\n  " + w.load + "\n}\n" +
                                 (w.load.empty() ? "racefree\n" : "~exists (P0:r0 != 0)\n");
        CAPTURE(body);
        CHECK(failure_of(body).find(w.why) != std::string::npos);
        if (w.at.empty()) continue;
        const size_t at = body.find(w.at) + (w.at[0] == '~' ? std::string("~exists (").size() : 0);
        CHECK(place_of_failure(body) == at);
        if (w.at[0] != '~') continue;
        std::string racefree = body;  // which needs no value
        racefree.replace(body.find("~exists"), std::string::npos, "racefree\n");
        CHECK(failure_of(racefree) == "no failure");
    }
    const std::string stored = ".tmem.cta0 d;\nthread P0 @ cta0 { " + load + " }\nthread P1 @ cta0.warp5 {\n  mov.b32 q, 3; " + store +
                               " }\n~exists (P0:r0 != 0)\n";
    CHECK(failure_of(stored).find("`P1`, in lane 0 of warp 5, stores to lane 32 of tensor memory") != std::string::npos);
    const std::string product = R"(.shared.cta0 .u32 a[512] = 1;
.shared.cta0 .u32 b[64] = 1;
thread P0 @ cta0.warp1 {
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {d0, d1, d2, d3}, [a], [b], 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mov.s32 r0, d0;
}
)";
    CHECK(failure_of(product).find("lane 0 of warp 1, has other rows of the product") != std::string::npos);
    CHECK(place_of_failure(product) == product.rfind("d0"));
}

// ISA 9.7.16.9.2: four lanes are the first warp's; every other shape goes to the lanes of all four.
TEST_CASE("tcgen05.cp writes the quarters of tensor memory that its shape has") {
    const std::vector<std::pair<std::string, int>> shapes = {
        {"4x256b", 1}, {"128x256b", 4}, {"128x128b", 4}, {"64x128b.warpx2::02_13", 4}, {"64x128b.warpx2::01_23", 4}, {"32x128b.warpx4", 4}};
    for (const auto& [shape, quarters] : shapes) {
        std::string body = ".tmem.cta0 d;\n.shared.cta0 .u32 s[1024] = 1;\n";
        for (int warp = 0; warp < 4; ++warp)
            body += "thread P" + std::to_string(warp) + " @ cta0.warp" + std::to_string(warp) +
                    " { mov.b32 q, 3; tcgen05.st.sync.aligned.32x32b.x1.b32 [d], {q}; " +
                    (warp == 0 ? "tcgen05.cp.cta_group::1." + shape + " [d], [s]; }\n" : "}\n");
        const Test test = parse_tests(make_source("t.litmus", "test \"t\"\n" + body + "racefree\n")).at(0);
        const Program program = build_program(test, {});
        const auto copied = std::count_if(program.events.begin(), program.events.end(), [&](const Event& e) {
            return e.kind == Event::Kind::write && e.proxy == Proxy::tensor &&
                   test.threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)].op == Op::tcgen_copy;
        });
        CAPTURE(shape);
        CHECK(copied == quarters);
    }
}

// What the collector buffer holds is followed through one thread.
TEST_CASE("the collector buffer is used where one thread of the CTA multiplies") {
    const std::string multiply = "{ tcgen05.mma.cta_group::1.kind::i8.collector::a::";
    const std::string operands = " [d], [a], [b], 0x04020000, 0; }\n";
    for (const auto& [second, shares] : {std::pair("cta0", true), std::pair("cta1", false)}) {
        const std::string body = ".tmem d;\n.shared .u32 a[512] = 1;\n.shared .u32 b[64] = 1;\nthread P0 @ cta0 " + multiply + "lastuse" +
                                 operands + "thread P1 @ " + second + " " + multiply + "fill" + operands + "racefree\n";
        const bool refused = failure_of(body).find("`P1` multiplies with the same collector buffer") != std::string::npos;
        CHECK(refused == shares);
    }
}

// Every address operand, one at a time: where the dependency of what its register mentions leads.
TEST_CASE("an address that mentions a read is a dependency of the issue, or of each event of an operation that is not asynchronous") {
    const std::string peers = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 ";
    const std::string stores = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 ";
    const std::string loads = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ";
    const std::string sums = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 ";
    const std::string barrier = ".shared::cta.b64 ";
    const std::vector<std::pair<std::string, std::pair<Kind, size_t>>> rows = {
        {peers + "[rx], 1, [there]", {Kind::issue, 1}},
        {peers + "[x], 1, [rthere]", {Kind::issue, 1}},
        {stores + "[rx], 1, [there]", {Kind::issue, 1}},
        {stores + "[x], 1, [rthere]", {Kind::issue, 1}},
        {"red.async.release.gpu.global.add.u32 [rg], 1", {Kind::issue, 1}},
        {loads + "[rs], [g], 16, [bar]", {Kind::issue, 1}},
        {loads + "[s], [rg], 16, [bar]", {Kind::issue, 1}},
        {loads + "[s], [g], 16, [rbar]", {Kind::issue, 1}},
        {sums + "[rg], [s], 16", {Kind::issue, 1}},
        {sums + "[g], [rs], 16", {Kind::issue, 1}},
        {"cp.async.ca.shared::cta.global [rs], [g], 16", {Kind::issue, 1}},
        {"cp.async.ca.shared::cta.global [s], [rg], 16", {Kind::issue, 1}},
        {"cp.async.mbarrier.arrive.noinc" + barrier + "[rbar]", {Kind::issue, 1}},
        {"cp.async.mbarrier.arrive" + barrier + "[rbar]", {Kind::issue, 3}},
        {"mbarrier.arrive" + barrier + "_, [rbar]", {Kind::write, 2}},
        {"mbarrier.expect_tx.relaxed.cta" + barrier + "[rbar], 16", {Kind::write, 2}},
        {"mbarrier.init" + barrier + "[rbar], 1", {Kind::write, 1}},
        {"mbarrier.test_wait.parity" + barrier + "p, [rbar], 0", {Kind::read, 1}},
        {"await mbarrier.try_wait.parity" + barrier + "[rbar], 0", {Kind::read, 1}},
    };
    for (const auto& [instruction, expected] : rows) {
        INFO(instruction);
        const BuiltAsync t(R"(.global .u32 y = 0;
.global .u32 g[4] = 0;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;
.shared.cta1 .u32 x = 0;
.shared.cta1 .mbarrier there = 1;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [y];
  xor.b32 r1, r0, r0;
  mov.u32 rs, s;        add.u32 rs, rs, r1;
  mov.u32 rbar, bar;    add.u32 rbar, rbar, r1;
  mov.u32 rx, x;        add.u32 rx, rx, r1;
  mov.u32 rthere, there;  add.u32 rthere, rthere, r1;
  cvt.u64.u32 rd1, r1;
  mov.u64 rg, g;        add.u64 rg, rg, rd1;
  )" + instruction + ";\n}\nthread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [y]; }\n");
        const std::vector<size_t> reached = t.relation("addr").successors(t.events(Kind::read).at(0));
        CHECK(reached.size() == expected.second);
        CHECK(std::any_of(reached.begin(), reached.end(), [&](size_t e) { return t.program.events[e].kind == expected.first; }));
    }
}

TEST_CASE("which barrier a thread comes to is decided by the value that names it") {
    const Test test = parse_tests(make_source("t.litmus", R"(PTX t
{ x=0; P0:r0=0; }
 P0@cta 0,gpu 0        | P1@cta 0,gpu 0    ;
 ld.relaxed.gpu r0, x  | bar.cta.sync 0, 1 ;
 bar.cta.sync 0, r0    |                   ;
~exists (P0:r0 == 1)
)"))
                          .at(0);
    const Program program = build_program(test, {});
    size_t pairs = 0;
    for (const auto& [from, to] : program.relations.find("decides")->second.pairs()) {
        CHECK(program.events[from].kind == Kind::read);
        CHECK(program.events[to].kind == Kind::barrier);
        ++pairs;
    }
    CHECK(pairs == 1);
}
