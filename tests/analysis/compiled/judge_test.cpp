// Compiled tests before the model: what the classes of ptxas come to, with code made up by hand, and the same as ptxas makes it.
#include "analysis/compiled/judge.h"

#include <doctest/doctest.h>

#include <array>

#include "analysis/compiled/assemble.h"
#include "analysis/compiled/report.h"
#include "language/syntax/native/dsl.h"
#include "sass/ptxas.h"

using namespace litmus;
using namespace litmus::compiled;

namespace {

Test test_of(const std::string& text) {
    return parse_dsl(make_source("t.litmus", text));
}

// As if all its instructions were watched and had code in their order, 32 bits wide.
ThreadCode in_order(const Test& test, size_t thread) {
    ThreadCode code;
    code.thread = thread;
    for (size_t i = 0; i < test.threads[thread].body.size(); ++i) {
        code.instructions.push_back(i);
        code.order.places.push_back({16 * i});
        code.order.bits.push_back(32);
    }
    return code;
}

Ruling rule(const Test& test, const ThreadCode& code, Truth* race_free = nullptr) {
    ModelFamily family("ptx", {});
    Solver solver;
    Judge judge(test, family, solver, 2, {});
    if (race_free != nullptr) *race_free = judge.race_free();
    return judge.rule_on(compiled_test(test, {code}));
}

// The classes in which ptxas 13.0 breaks the model, each in its smallest program.
const std::string reload = R"(test "reload"
.global .u32 x = 0;
.shared.cta0 .u32 asked = 0;
.shared.cta0 .u32 told = 0;
thread P0 @ cta0 {
  ld.weak.global.u32 r0, [x];
  st.release.cta.shared::cta.u32 [asked], 1;
  ld.acquire.cta.shared::cta.u32 r1, [told];
  setp.ne.u32 p, r1, 1;
  @p exit;
  ld.weak.global.u32 r2, [x];
}
thread P1 @ cta0 {
  await ld.acquire.cta.shared::cta.u32 r0, [asked] == 1;
  st.weak.global.u32 [x], 1;
  st.release.cta.shared::cta.u32 [told], 1;
}
exists (true)
)";
const std::string neighbour = R"(test "neighbour"
.shared.cta0 .u32 s[2] = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  ld.weak.shared::cta.u32 r0, [s];
  ld.acquire.gpu.global.u32 r1, [f];
  ld.weak.shared::cta.u32 r2, [s+4];
}
thread P1 @ cta0 {
  st.weak.shared::cta.u32 [s+4], 1;
  st.release.gpu.global.u32 [f], 1;
}
exists (true)
)";
const std::string backwards = R"(test "backwards"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  ld.volatile.global.u32 r0, [x];
  ld.relaxed.sys.global.u32 r1, [x];
  st.relaxed.sys.global.u32 [y], r1;
}
thread P1 @ cta1 {
  st.relaxed.sys.global.u32 [x], 1;
}
exists (true)
)";
const std::string map_changed = R"(test "map-changed"
.global .u64 g[2] = 1;
.global .u64 h[2] = 2;
.global .tensormap tm = g, dim 2, box 2;
.shared.cta0 .u64 s[2] = 5;
thread P0 @ cta0 {
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {0}], [s];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  mov.u64 r1, h;
  tensormap.replace.tile.global_address.global.b1024.b64 [tm], r1;
  cp.async.bulk.wait_group 0;
}
exists (true)
)";
const std::string tried = R"(test "tried"
.global .u32 x = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0;
  ld.weak.global.u32 r1, [x];
}
thread P1 @ cta0 {
  st.weak.global.u32 [x], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
~exists (P0:p == 1 /\ P0:r1 == 0)
)";

std::string axiom_of(const Ruling& ruling) {
    return ruling.why.cases.empty() || ruling.why.cases[0].ways.empty() ? "" : ruling.why.cases[0].ways[0].section;
}

}  // namespace

TEST_CASE("a reload that is gone, in a race-free program") {
    const Test test = test_of(reload);
    ThreadCode code = in_order(test, 0);
    code.instructions = {0, 1, 2, 5};
    code.order.places = {{0}, {16}, {32}, {}};
    code.order.bits = {32, 32, 32, 0};
    code.order.gone = {{3, {}}};
    Truth race_free = Truth::unknown;
    const Ruling ruling = rule(test, code, &race_free);
    CHECK(race_free == Truth::yes);
    CHECK(ruling.fate == Fate::forbidden);
    CHECK(ruling.outcome == "P0:r1=1; P0:r2=0;");
    CHECK(ruling.execution.find("R x=0 (init)") != std::string::npos);
    CHECK(axiom_of(ruling) == "8.10.6");
}

TEST_CASE("a neighbour that is read early, loads of one address that change places, an acquire that is not waited for") {
    const Test beside = test_of(neighbour);
    ThreadCode code = in_order(beside, 0);
    code.order.places[2].clear();
    code.order.bits = {64, 32, 0};
    code.order.gone = {{2, {}}};
    CHECK(rule(beside, code).outcome == "P0:r1=1; P0:r2=0;");

    const Test twice = test_of(backwards);
    code = in_order(twice, 0);
    code.order.moved = {{0, 1}};
    const Ruling ruling = rule(twice, code);
    CHECK(ruling.outcome == "P0:r0=1; P0:r1=0;");
    CHECK(axiom_of(ruling) == "8.10.5");

    const Test unwaited = test_of(tried);
    code = in_order(unwaited, 0);
    code.unwaited = {{0, 1, false}};
    CHECK(rule(unwaited, code).outcome == "P0:p=1; P0:r1=0;");
    code.unwaited = {{0, 1, true}};
    CHECK(rule(unwaited, code).fate == Fate::forbidden);
}

TEST_CASE("what the model allows is allowed, and what is not known is unknown") {
    const Test test = test_of(tried);
    CHECK(rule(test, in_order(test, 0)).fate == Fate::kept);
    const Test weak = test_of(R"(test "weak"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  ld.weak.global.u32 r0, [x];
  ld.weak.global.u32 r1, [y];
}
thread P1 @ cta1 {
  st.weak.global.u32 [y], 1;
  st.weak.global.u32 [x], 1;
}
exists (true)
)");
    ThreadCode code = in_order(weak, 0);
    code.order.moved = {{0, 1}};
    CHECK(rule(weak, code).fate == Fate::allowed);
    code.order.strays = {64};
    CHECK(rule(weak, code).fate == Fate::unknown);
}

TEST_CASE("undefined behaviour that only the compiled test has is forbidden, under the readings that define the source") {
    const Test test = test_of(map_changed);
    ThreadCode code = in_order(test, 0);
    code.instructions = {0, 1, 2, 4, 5};
    code.order.places = {{0}, {16}, {48}, {32}, {64}};
    code.order.bits = {0, 0, 0, 0, 0};
    code.order.moved = {{2, 3}};
    const Ruling ruling = rule(test, code);
    CHECK(ruling.fate == Fate::forbidden);
    CHECK(ruling.hazard == "write of tensor map");
}

TEST_CASE("ptxas 13.0 does each of this, and spares what is written in another way") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const auto fates = [&](const std::string& text) {
        const Test test = test_of(text);
        ModelFamily family("ptx", {});
        Solver solver;
        Judge judge(test, family, solver, 2, {});
        std::vector<Fate> all;
        for (const Assembled& one : compiled::assemble(test, {{*assembler}, {3}, {"sm_90a", "sm_100a"}, {gpu::Body::plain}, true})) {
            CHECK_MESSAGE(one.refused.empty(), one.refused);
            all.push_back(judge.rule_on(compiled_test(test, one.codes)).fate);
        }
        return all;
    };
    const auto without = [](std::string text, const std::string& what, const std::string& by) {
        return text.replace(text.find(what), what.size(), by);
    };
    const std::vector<Fate> broken(4, Fate::forbidden), kept(4, Fate::kept);  // bare and in the harness, two targets
    for (const std::string& text : {reload, neighbour, map_changed, tried}) CHECK_MESSAGE(fates(text) == broken, text);
    CHECK(fates(backwards).front() == Fate::forbidden);

    CHECK(fates(without(reload, "ld.weak.global.u32 r2", "ld.volatile.global.u32 r2")) == kept);
    CHECK(fates(without(reload, "ld.weak.global.u32 r2", "ld.relaxed.cta.global.u32 r2")) == kept);
    CHECK(fates(without(reload, "  @p exit;", "  @p exit;\n  fence.acq_rel.cta;")) == kept);
    CHECK(fates(without(map_changed, "wait_group.read 0", "wait_group 0")) == kept);
    CHECK(fates(without(tried, "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p,",
                        "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64")) == kept);
}

TEST_CASE("what is said of a test") {
    const Test test = test_of(tried);
    ModelFamily family("ptx", {});
    Solver solver;
    Judge judge(test, family, solver, 2, {});
    ThreadCode code = in_order(test, 0);
    code.unwaited = {{0, 1, false}};
    CompiledTest compiled = compiled_test(test, {code});
    const Ruling ruling = judge.rule_on(compiled);
    const Report report{"t.litmus",       test, {{{{"ptxas 13.0", 3, "sm_90a", "plain"}}, compiled, ruling}}, {}, {}, {}, judge.race_free(),
                        judge.undefined()};
    const std::string text = to_text(report, false);
    CHECK(text.find("Test tried: changed, forbidden, in a program with a data race\n  ptxas 13.0, -O3, sm_90a, plain\n") == 0);
    CHECK(text.find("P0: `ld.weak.global.u32 r1, [x]` is issued before the result of") != std::string::npos);
    CHECK(text.find("causality (ISA 8.10.6)") != std::string::npos);
    CHECK(exit_status(report.fate()) == 1);
    CHECK(to_json(report).find("\"section\":\"8.10.6\"") != std::string::npos);
}
