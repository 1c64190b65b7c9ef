// Programs: which events a test has, under which conditions, and how they are related.
#include <doctest/doctest.h>

#include <set>

#include "event/execution.h"
#include "event/failure.h"
#include "language/syntax/native/dsl.h"

using namespace litmus;

namespace {

// A test and its program; the program points into the test.
struct Built {
    explicit Built(const std::string& body, int unroll = 2, bool blocked = false)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))) {
        BuildOptions options;
        options.unroll = unroll;
        options.blocked = blocked;
        program = build_program(test, options);
    }
    std::vector<size_t> events(Event::Kind kind, int thread = -2) const {
        std::vector<size_t> found;
        for (size_t e = 0; e < program.size(); ++e) {
            if (program.events[e].kind == kind && (thread == -2 || program.events[e].thread == thread)) found.push_back(e);
        }
        return found;
    }
    const Relation& relation(std::string_view name) const { return program.relations.find(name)->second; }

    Test test;
    Program program;
};

using Kind = Event::Kind;

}  // namespace

TEST_CASE("an atomic is a read and a write; a failed cas has no write") {
    const Built t(R"(.global .u32 x = 0;
thread P0 @ cta0 { atom.acq_rel.gpu.global.add.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.acquire.gpu.global.cas.b32 r0, [x], 0, 5; }
thread P2 @ cta2 { red.relaxed.gpu.global.add.u32 [x], 1; })");
    const auto reads = t.events(Kind::read), writes = t.events(Kind::write);
    REQUIRE(reads.size() == 3);
    REQUIRE(writes.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(t.relation("rmw").contains(reads[i], writes[i]));
    CHECK(t.program.events[reads[0]].sem == Sem::acquire);
    CHECK(t.program.events[writes[0]].sem == Sem::release);
    CHECK(t.program.events[writes[1]].sem == Sem::relaxed);
    CHECK(t.program.always(writes[0]));
    CHECK_FALSE(t.program.always(writes[1]));
    CHECK(t.program.events[reads[2]].reduction);
    CHECK_FALSE(t.program.events[reads[0]].reduction);
}

namespace {

// The sets that the one fence of this text is in, `_` apart, in the order of base_names().
std::string sets_of_fence(const std::string& fence) {
    const Built t("target sm_90\nthread P0 @ cta0 { " + fence + "; }");
    REQUIRE(t.program.size() == 1);
    std::string found;
    for (const BaseName& base : base_names())
        if (base.is_set && base.name != "_" && base_set(t.program, base.name).contains(0))
            found += (found.empty() ? "" : " ") + std::string(base.name);
    return found;
}

}  // namespace

// No engine can miss a fence in a set: all of them ask the same function.
TEST_CASE("each kind of fence is in the sets that models know it by") {
    CHECK(sets_of_fence("fence.sc.cta") == "F ACQ_REL SC CTA GEN");
    CHECK(sets_of_fence("fence.sc.sys") == "F ACQ_REL SC SYS GEN");
    CHECK(sets_of_fence("fence.acq_rel.gpu") == "F ACQ_REL GPU GEN");
    CHECK(sets_of_fence("fence.cluster") == "F ACQ_REL CLUSTER GEN");
    CHECK(sets_of_fence("fence.acquire.gpu") == "F ACQ GPU GEN");
    CHECK(sets_of_fence("fence.release.cta") == "F REL CTA GEN");
    CHECK(sets_of_fence("membar.cta") == "F ACQ_REL SC CTA GEN");
    CHECK(sets_of_fence("membar.gl") == "F ACQ_REL SC GPU GEN");
    CHECK(sets_of_fence("membar.sys") == "F ACQ_REL SC SYS GEN");
    CHECK(sets_of_fence("fence.acquire.sync_restrict::shared::cluster.cluster") == "F ACQ CLUSTER GEN RESTRICTED");
    CHECK(sets_of_fence("fence.release.sync_restrict::shared::cta.cluster") == "F REL CLUSTER GEN RESTRICTED");
    CHECK(sets_of_fence("fence.mbarrier_init.release.cluster") == "F REL CLUSTER GEN RESTRICTED");
    CHECK(sets_of_fence("fence.proxy.alias") == "F PF ALIAS");
    CHECK(sets_of_fence("fence.proxy.async") == "F PF ASYNC");
    CHECK(sets_of_fence("fence.proxy.async.shared::cta") == "F PF ASYNC");
    CHECK(sets_of_fence("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster") == "F PF ACQ CLUSTER ASYNC");
    CHECK(sets_of_fence("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster") == "F PF REL CLUSTER ASYNC");
    CHECK(sets_of_fence("fence.proxy.surface") == "F PF SUR");
    CHECK(sets_of_fence("fence.proxy.texture") == "F PF TEX");
    CHECK(sets_of_fence("fence.proxy.constant") == "F PF CON");
}

TEST_CASE("elements of one vector access are unordered, each in program order with the rest") {
    const Built t(R"(.global .u32 x[2] = 0;
.global .u32 y = 0;
thread P0 @ cta0 { st.weak.global.v2.u32 [x], {1, 2}; st.weak.global.u32 [y], 1; })");
    const auto w = t.events(Kind::write);
    REQUIRE(w.size() == 3);
    CHECK_FALSE(t.relation("po").contains(w[0], w[1]));
    CHECK(t.relation("po").contains(w[0], w[2]));
    CHECK(t.relation("po").contains(w[1], w[2]));
}

TEST_CASE("dependencies are syntactic: a value that folds away still carries one") {
    const Built t(R"(.global .u32 x = 0;
.global .u32 y = 0;
.global .u32 z[4] = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [x];
  xor.b32 r1, r0, r0;
  st.relaxed.gpu.global.u32 [y], r1;
  cvt.u64.u32 rd0, r1;
  mov.u64 rd1, z;
  add.u64 rd1, rd1, rd0;
  st.relaxed.gpu.global.u32 [rd1+4], 1;
})");
    const auto r = t.events(Kind::read), w = t.events(Kind::write);
    REQUIRE(w.size() == 2);
    CHECK(t.relation("data").contains(r[0], w[0]));
    CHECK(t.program.exprs.is_constant(t.program.events[w[0]].value));
    CHECK(t.relation("addr").contains(r[0], w[1]));
    CHECK(t.program.cells[static_cast<size_t>(t.program.events[w[1]].cell)].name == "z[1]");
}

TEST_CASE("a guard concerns its own instruction, a branch everything later") {
    const Built t(R"(.global .u32 x = 0;
.global .u32 y = 0;
.global .u32 z = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 1;
  @p st.weak.global.u32 [y], 1;
  st.weak.global.u32 [z], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 1;
  @p bra SKIP;
  st.weak.global.u32 [y], 1;
SKIP:
  st.weak.global.u32 [z], 1;
})");
    const auto guarded = t.events(Kind::write, 0), branched = t.events(Kind::write, 1);
    const size_t r0 = t.events(Kind::read, 0)[0], r1 = t.events(Kind::read, 1)[0];
    const Relation& ctrl = t.relation("ctrl");
    CHECK(ctrl.contains(r0, guarded[0]));
    CHECK_FALSE(ctrl.contains(r0, guarded[1]));
    CHECK(ctrl.contains(r1, branched[0]));
    CHECK(ctrl.contains(r1, branched[1]));
    CHECK_FALSE(t.program.always(guarded[0]));
    CHECK_FALSE(t.program.always(branched[0]));
    CHECK(t.program.always(branched[1]));  // the paths meet again
}

TEST_CASE("a spin that writes nothing is an await: one read, under a constraint, no bound") {
    const Built t(R"(.global .u32 f = 0;
.global .u32 x = 0;
thread P0 @ cta0 {
SPIN:
  ld.acquire.gpu.global.u32 r0, [f];
  setp.ne.u32 p, r0, 1;
  @p bra SPIN;
  st.weak.global.u32 [x], 1;
})");
    CHECK(t.events(Kind::read).size() == 1);
    CHECK(t.program.bounds.empty());
    CHECK(t.program.constraints.size() == 1);
    const auto w = t.events(Kind::write);
    CHECK(t.program.always(w[0]));
    CHECK(t.relation("ctrl").contains(t.events(Kind::read)[0], w[0]));
}

TEST_CASE("a failing cas writes nothing, so a lock's spin is an await") {
    const Built t(R"(.global .u32 l = 0;
thread P0 @ cta0 {
SPIN:
  atom.acquire.gpu.global.cas.b32 r0, [l], 0, 1;
  setp.ne.u32 p, r0, 0;
  @p bra SPIN;
})");
    CHECK(t.program.bounds.empty());
    CHECK(t.events(Kind::read).size() == 1);
}

TEST_CASE("unrolling is bounded as a whole") {
    // nine loops within each other, of two iterations each, about 300 instructions
    std::string body = "mov.u32 r0, 0;\n";
    for (int i = 0; i < 9; ++i) body += "L" + std::to_string(i) + ":\n";
    for (int i = 0; i < 300; ++i) body += "mov.u32 r1, 1;\n";
    for (int i = 8; i >= 0; --i)
        body += "add.u32 r2, r2, 1;\nld.weak.global.u32 r0, [x];\nsetp.eq.u32 p, r0, 1;\n@p bra L" + std::to_string(i) + ";\n";
    CHECK_THROWS_WITH_AS(Built(".global .u32 x = 0;\nthread P0 @ cta0 {\n" + body + "}"),
                         doctest::Contains("the loops of this test unroll to more than"), Failure);
}

TEST_CASE("loops that write, or count, are unrolled and cut at the bound") {
    const std::string writes = R"(.global .u32 x = 0;
thread P0 @ cta0 {
AGAIN:
  atom.relaxed.gpu.global.add.u32 r0, [x], 1;
  setp.lt.u32 p, r0, 3;
  @p bra AGAIN;
})";
    CHECK(Built(writes, 2).events(Kind::read).size() == 2);
    CHECK(Built(writes, 3).events(Kind::read).size() == 3);
    CHECK(Built(writes, 2).program.bounds.size() == 1);
    const Built counts(R"(.global .u32 x = 0;
thread P0 @ cta0 {
  mov.u32 r1, 0;
AGAIN:
  ld.relaxed.gpu.global.u32 r0, [x];
  add.u32 r1, r1, 1;
  setp.eq.u32 p, r0, 0;
  @p bra AGAIN;
})");
    CHECK(counts.events(Kind::read).size() == 2);
    CHECK(counts.program.bounds.size() == 1);
}

TEST_CASE("behind a loop, what nobody asks for has no value, and what depends on it is no register of the program") {
    const std::string counts = R"(.global .u32 x = 0;
thread P0 @ cta0 {
  mov.u32 n, 0;
AGAIN:
  add.u32 n, n, 1;
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 0;
  @p bra AGAIN;
  add.u32 twice, n, n;
  add.u32 next, r0, 1;
})";
    const auto names = [](const Built& t) {
        std::set<std::string> result;
        for (const Register& r : t.program.registers) result.insert(r.name);
        return result;
    };
    const Built unasked(counts + "\nexists (x == 1)");
    CHECK(unasked.events(Kind::read).size() == 1);  // an await
    CHECK(names(unasked) == std::set<std::string>{"next", "p", "r0"});
    const Built asked(counts + "\nexists (P0:twice == 2)");
    CHECK(asked.events(Kind::read).size() == 2);
    CHECK(names(asked).count("twice") == 1);
}

TEST_CASE("a loop with a constant count within the bound leaves nothing open") {
    const Built t(R"(.global .u32 x = 0;
thread P0 @ cta0 {
  mov.u32 r1, 0;
AGAIN:
  st.weak.global.u32 [x], r1;
  add.u32 r1, r1, 1;
  setp.lt.u32 p, r1, 3;
  @p bra AGAIN;
})",
                  3);
    CHECK(t.program.bounds.empty());
    CHECK(t.events(Kind::write).size() == 3);
}

TEST_CASE("a jump from an inner loop back to an outer one's head") {
    const Built t(R"(.global .u32 x = 0;
thread P0 @ cta0 {
  mov.u32 r1, 0;
OUTER:
  add.u32 r1, r1, 1;
  mov.u32 r2, 0;
INNER:
  st.weak.global.u32 [x], r1;
  add.u32 r2, r2, 1;
  setp.lt.u32 p, r2, 2;
  @p bra INNER;
  setp.lt.u32 q, r1, 2;
  @q bra OUTER;
})");
    CHECK(t.program.bounds.empty());
    CHECK(t.events(Kind::write).size() == 4);
}

TEST_CASE("scopes are sets of threads") {
    const Built t(R"(.global .u32 x = 0;
thread P0 @ gpu0.cluster0.cta0 { st.relaxed.cta.global.u32 [x], 1; st.relaxed.cluster.global.u32 [x], 1; st.relaxed.gpu.global.u32 [x], 1; st.relaxed.sys.global.u32 [x], 1; }
thread P1 @ gpu0.cluster0.cta0 { ld.relaxed.sys.global.u32 r0, [x]; }
thread P2 @ gpu0.cluster0.cta1 { ld.relaxed.sys.global.u32 r0, [x]; }
thread P3 @ gpu0.cluster1.cta2 { ld.relaxed.sys.global.u32 r0, [x]; }
thread P4 @ gpu1.cluster0.cta3 { ld.relaxed.sys.global.u32 r0, [x]; })");
    const Relation sr = base_bounds(t.program, "sr").must;
    const auto w = t.events(Kind::write), r = t.events(Kind::read);
    for (size_t scope = 0; scope < 4; ++scope) {
        for (size_t thread = 0; thread < 4; ++thread) CHECK(sr.contains(w[scope], r[thread]) == (thread <= scope));
    }
}

TEST_CASE("barriers: the k-th uses meet; an exited thread counts as arrived; counts choose generations") {
    const Built plain(R"(thread P0 @ cta0 { bar.sync 0; bar.sync 0; }
thread P1 @ cta0 { bar.sync 0; bar.sync 0; })");
    const auto b0 = plain.events(Kind::barrier, 0), b1 = plain.events(Kind::barrier, 1);
    const Relation sync = base_bounds(plain.program, "syncbar").must;
    CHECK(sync.contains(b0[0], b1[0]));
    CHECK(sync.contains(b1[0], b0[0]));
    CHECK_FALSE(base_bounds(plain.program, "syncbar").may.contains(b0[0], b1[1]));
    CHECK(complete(plain.program, std::vector<int>(plain.program.size(), -1), {}).has_value());

    const Built crossed(R"(thread P0 @ cta0 { bar.sync 0; bar.sync 1; }
thread P1 @ cta0 { bar.sync 1; bar.sync 0; })");
    CHECK_FALSE(complete(crossed.program, std::vector<int>(crossed.program.size(), -1), {}).has_value());

    const Built open(R"(thread P0 @ cta0 { bar.sync 1, 64; }
thread P1 @ cta0 { bar.sync 1, 64; }
thread P2 @ cta0 { bar.sync 1, 64; }
thread P3 @ cta0 { bar.sync 1, 64; })");
    CHECK(open.program.choices > 0);
    const auto b = open.events(Kind::barrier);
    CHECK(base_bounds(open.program, "syncbar").may.contains(b[0], b[3]));
    CHECK_FALSE(base_bounds(open.program, "syncbar").must.contains(b[0], b[3]));
}

TEST_CASE("aliases: a generic alias is another virtual address, a surface alias is not") {
    const Built t(R"(.global .u32 x = 0;
.global .u32 y alias x;
.global .u32 s alias surface x;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.weak.global.u32 [y], 2; sust.weak.u32 [s], 3; })");
    const auto w = t.events(Kind::write);
    const Relation loc = base_bounds(t.program, "loc").must, vloc = base_bounds(t.program, "vloc").must;
    CHECK(loc.contains(w[0], w[1]));
    CHECK(loc.contains(w[0], w[2]));
    CHECK_FALSE(vloc.contains(w[0], w[1]));
    CHECK(vloc.contains(w[0], w[2]));
    CHECK(t.program.events[w[2]].proxy == Proxy::surface);
}

TEST_CASE("one wider load reads what vector stores wrote, element by element") {
    const Built t(R"(.global .u32 s[2] = 0;
thread P0 @ cta0 { st.weak.global.v2.u32 [s], {1, 2}; }
thread P1 @ cta1 { ld.weak.global.u64 rd0, [s]; }
exists (P1:rd0 == 0x200000001))");
    CHECK(t.events(Kind::read).size() == 2);
}

TEST_CASE("what has no meaning is refused") {
    CHECK(failure_of(R"(.global .u32 x = 0;
thread P0 @ cta0 { ld.weak.global.u64 rd0, [x]; })") != "no failure");
    CHECK(failure_of(R"(.global .u32 x = 0;
.global .u64 a = 0;
thread P0 @ cta0 { ld.weak.global.u64 rd0, [a]; ld.weak.global.u32 r0, [rd0]; })") ==
          "the address in rd0 is read from memory, and no thread of the test takes an address");
    CHECK(failure_of(R"(thread P0 @ cta0 { bar.sync 0, 64; }
thread P1 @ cta0 { bar.sync 0, 32; })") == "this barrier is used with 32 threads here and with 64 elsewhere");
}

TEST_CASE("a register is written on every way to where it is read") {
    const auto thread = [](const std::string& body) {
        return failure_of(".global .u32 x = 0;\nthread P0 @ cta0 { ld.weak.global.u32 r0, [x]; setp.eq.u32 p, r0, 0; " + body + " }");
    };
    CHECK(thread("st.weak.global.u32 [x], r1; mov.u32 r1, 1;") == "`r1` is read here before it is written");
    CHECK(thread("@q st.weak.global.u32 [x], 1; not.pred q, p;") == "`q` is read here before it is written");
    CHECK(thread("L: add.u32 k, k, 1; setp.lt.u32 q, k, 3; @q bra L;") == "`k` is read here before it is written");
    CHECK(thread("@p mov.u32 r1, 1; st.weak.global.u32 [x], r1;") == "`r1` may be read here before it is written");
    CHECK(thread("@p bra L; mov.u32 r1, 1; L: st.weak.global.u32 [x], r1;") == "`r1` may be read here before it is written");
    CHECK(thread("@p mov.u32 r1, 1; @p st.weak.global.u32 [x], r1;") == "no failure");
    CHECK(thread("@p mov.u32 r1, 1; @!p mov.u32 r1, 2; st.weak.global.u32 [x], r1;") == "no failure");
    CHECK(thread("@!p exit; mov.u32 r1, 1; st.weak.global.u32 [x], r1;") == "no failure");
    CHECK(thread("@p bra L; mov.u32 r1, 1; bra M; L: mov.u32 r1, 2; M: st.weak.global.u32 [x], r1;") == "no failure");
}

TEST_CASE("a barrier use that does not happen makes nobody wait") {
    const Built t(R"(.global .u32 z = 0;
thread P0 @ cta0 { ld.relaxed.gpu.global.u32 r1, [z]; setp.eq.u32 p, r1, 1; @p bar.sync 0; }
thread P1 @ cta0 { ld.relaxed.gpu.global.u32 r1, [z]; setp.eq.u32 p, r1, 1; @p bar.sync 0; })");
    std::vector<int> rf(t.program.size(), -1);
    const int init = static_cast<int>(t.events(Kind::init).at(0));
    for (const size_t r : t.events(Kind::read)) rf[r] = init;
    CHECK(complete(t.program, rf, {}).has_value());
}

TEST_CASE("bar.warp.sync meets under the same mask only") {
    const Built t(R"(thread P0 @ cta0.warp0.lane0 { bar.warp.sync 0x3; }
thread P1 @ cta0.warp0.lane1 { bar.warp.sync 0x3; bar.warp.sync 0x6; }
thread P2 @ cta0.warp0.lane2 { bar.warp.sync 0x6; })");
    const auto b0 = t.events(Kind::barrier, 0), b1 = t.events(Kind::barrier, 1), b2 = t.events(Kind::barrier, 2);
    const Relation sync = base_bounds(t.program, "syncbar").must;
    CHECK(sync.contains(b0[0], b1[0]));
    CHECK(sync.contains(b1[1], b2[0]));
    CHECK_FALSE(base_bounds(t.program, "syncbar").may.contains(b0[0], b2[0]));
    CHECK_FALSE(base_bounds(t.program, "syncbar").may.contains(b1[0], b2[0]));
}

TEST_CASE("an await inside a counted loop: the trial of the outer loop leaves nothing behind") {
    const Built t(R"(.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  mov.u32 i, 0;
L:
  add.u32 i, i, 1;
A:
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.lt.u32 p, r0, i;
  @p bra A;
  setp.lt.u32 q, i, 2;
  @q bra L;
  ld.relaxed.gpu.global.u32 r1, [y];
})");
    CHECK(t.program.bounds.empty());
    CHECK(t.events(Kind::read).size() == 3);
    CHECK(t.program.constraints.size() == 2);
}

TEST_CASE("every choice decides something: a trial that was undone leaves none behind") {
    // the outer loop writes, so its trial is undone, with the choices of the await inside
    const Built t(R"(.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
L:
A:
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.lt.u32 p, r0, 1;
  @p bra A;
  atom.relaxed.gpu.global.add.u32 r1, [y], 1;
  setp.lt.u32 q, r1, 1;
  @q bra L;
})",
                  2, true);
    std::set<uint32_t> deciding;
    for (const Event& e : t.program.events)
        for_each_leaf(t.program.exprs, e.guard, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::choice) deciding.insert(leaf.index);
        });
    CHECK(t.program.choices == 4);  // in each of two iterations: whether the thread stays, and whether the await fails once
    CHECK(t.program.diverted.size() == 4);
    CHECK(deciding.size() == 4);
}

TEST_CASE("a register has the widest type it is written at; shift amounts clamp") {
    const Built t(R"(.global .u16 x = 0;
thread P0 @ cta0 { ld.weak.global.u16 r0, [x]; mov.u32 r0, 0x12345; mov.u16 h0, 1; shl.b16 h1, h0, 65536; })");
    for (const Register& r : t.program.registers) {
        if (r.name == "r0") CHECK(t.program.exprs[r.value].value == 0x12345);
        if (r.name == "h1") CHECK(t.program.exprs[r.value].value == 0);
    }
}

TEST_CASE("an outcome of all registers has no addresses and no states of mbarrier objects") {
    const std::string body = R"(.global .u32 x = 0;
.shared .u32 s = 0;
.shared .mbarrier bar = 2;
thread P0 @ cta0 {
  mbarrier.arrive.shared::cta.b64 t, [bar];
  mov.u64 a, x;
  mapa.shared::cluster.u32 b, s, 1;
  cvta.global.u64 c, a;
  getctarank.shared::cluster.u32 k, b;
  mov.u32 d, 7;
  mov.u32 copy, d;
  ld.weak.global.u32 r, [a];
}
thread P1 @ cta1 { mov.u32 a, 1; })";
    const auto names = [](const std::vector<Observable>& all) {
        std::vector<std::string> found;
        for (const Observable& o : all)
            if (!o.in_memory) found.push_back(o.name);
        return found;
    };
    using Names = std::vector<std::string>;
    Built t(body);
    CHECK(names(observables(t.program, false)) == Names{"P0:copy", "P0:d", "P0:k", "P0:r", "P1:a"});
    Built claimed(body + "\nexists (P0:b == 1)");  // one that the condition names is shown
    CHECK(names(observables(claimed.program, false)) == Names{"P0:b"});
}
