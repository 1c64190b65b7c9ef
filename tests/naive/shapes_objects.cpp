// Shapes about mbarrier objects and barriers.
#include "story.h"

namespace litmus::naive {

// ---- objects initialised by instructions --------------------------------------------------------------------

void initialise(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".shared.cta0 .mbarrier bar" + std::string(s.chance(15) ? " = 1;" : ";"));
    s.declare(".global .u32 x = 0;");
    s.put_in_loops("ld.weak.global.u32 q, [x]");
    s.say(a, "mbarrier.init.shared::cta.b64 [bar], " + s.one({"1", "1", "2"}));
    s.maybe(25, a, "fence.mbarrier_init.release.cluster");
    if (s.chance(75)) s.synchronize(a, b);
    s.maybe(60, a, "st.weak.global.u32 [x], 1");
    s.say(a, s.arrive("bar"));
    if (s.chance(20)) s.say(a, s.wait("bar", "0"));
    if (s.chance(25)) s.say(b, s.arrive("bar"));
    s.say(b, s.wait("bar", s.one({"0", "0", "1"})));
    s.maybe(60, b, "ld.weak.global.u32 r0, [x]");
    if (s.chance(30)) {
        if (s.chance(60)) s.synchronize(b, a);
        s.say(a, "mbarrier.inval.shared::cta.b64 [bar]");
        s.maybe(15, s.chance(50) ? a : b, "mbarrier.inval.shared::cta.b64 [bar]");
    }
}

void again(Story& s) {
    const bool declared = s.chance(50);
    const int a = s.thread("cta0"), b = s.chance(70) ? s.thread("cta0") : a;
    s.declare(declared ? ".shared.cta0 .mbarrier bar = 1;" : ".shared.cta0 .mbarrier bar;");
    s.declare(".global .u32 x = 0;");
    if (!declared) s.say(a, "mbarrier.init.shared::cta.b64 [bar], 1");
    if (!declared && a != b) s.synchronize(a, b);
    if (s.chance(70)) s.say(a, s.arrive("bar"));
    if (s.chance(60)) s.say(s.chance(60) ? a : b, s.wait("bar", "0"));
    if (s.chance(30) && a != b) s.synchronize(b, a);
    s.maybe(85, a, "mbarrier.inval.shared::cta.b64 [bar]");
    s.maybe(85, a, "mbarrier.init.shared::cta.b64 [bar], 1");
    if (s.chance(60) && a != b) s.synchronize(a, b);
    s.maybe(50, a, "st.weak.global.u32 [x], 1");
    if (s.chance(80)) s.say(a, s.arrive("bar"));
    if (s.chance(80)) s.say(b, s.wait("bar", "0"));
    if (s.chance(30)) s.say(b, s.arrive("bar"));
    s.maybe(50, b, "ld.weak.global.u32 r0, [x]");
}

// ---- tokens -----------------------------------------------------------------------------------------------------

void travelling_token(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    const bool two = s.chance(30);
    if (two) s.declare(".shared.cta0 .mbarrier other = 1;");
    s.declare(".global .b64 t = 0;");
    s.declare(".global .u32 x = 0;");
    if (s.chance(35)) {
        s.say(a, s.arrive("bar"));
        if (s.chance(75)) s.say(a, s.wait("bar", "0"));
    }
    s.maybe(50, a, "st.weak.global.u32 [x], 1");
    s.say(a, s.arrive(two && s.chance(60) ? "other" : "bar", "k"));
    s.say(a, "st." + s.one({"release.gpu", "relaxed.gpu", "release.cta"}) + ".global.b64 [t], k");
    if (s.chance(25)) {
        s.say(a, Lines{"mbarrier.inval.shared::cta.b64 [bar]", "mbarrier.init.shared::cta.b64 [bar], 1"});
    } else if (s.chance(25)) {
        s.say(a, s.wait("bar", "0"));
        s.say(a, s.arrive("bar"));
    }
    s.say(b, "await ld." + s.one({"acquire.gpu", "relaxed.gpu", "relaxed.gpu"}) + ".global.b64 k, [t] != 0");
    s.say(b, s.wait("bar", "k", true));
    s.maybe(50, b, "ld.weak.global.u32 r0, [x]");
}

// A token that the thread keeps for later waits.
void kept_token(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(60) ? s.thread("cta0") : a;
    s.declare(".shared.cta0 .mbarrier bar = " + s.one({"1", "1", "2"}) + ";");
    s.declare(".global .u32 x = 0;");
    s.say(a, s.arrive("bar", "k"));
    s.maybe(50, a, "st.weak.global.u32 [x], 1");
    if (s.chance(70)) s.say(a, s.wait("bar", "k", true));
    if (s.chance(25)) s.say(a, Lines{"mbarrier.inval.shared::cta.b64 [bar]", "mbarrier.init.shared::cta.b64 [bar], 1"});
    if (s.chance(50)) s.say(a, s.arrive("bar"));
    s.say(a, s.wait("bar", "k", true));
    if (b == a) return;
    if (s.chance(50)) s.say(b, s.wait("bar", "0"));
    s.maybe(60, b, s.arrive("bar"));
    s.maybe(50, b, "ld.weak.global.u32 r0, [x]");
}

// ---- counts --------------------------------------------------------------------------------------------------------

// Counts above one, drops, bytes expected and completed by hand, arrivals that must not complete.
void counts(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".shared.cta0 .mbarrier bar = " + s.one({"1", "2", "2", "3"}) + ";");
    s.declare(".global .u32 x = 0;");
    const auto step = [&](int t) {
        const int what = s.below(100);
        const std::string in = ".shared::cta.b64 ";
        if (what < 25)
            s.say(t, s.arrive("bar"));
        else if (what < 40)
            s.say(t, "mbarrier.arrive.release.cta" + in + "_, [bar], " + s.one({"1", "2", "3"}));
        else if (what < 55)
            s.say(t, "mbarrier.arrive_drop.release.cta" + in + "_, [bar]" + s.one({"", ", 2"}));
        else if (what < 65)
            s.say(t, "mbarrier.arrive.noComplete.release.cta" + in + s.fresh("k") + ", [bar], 1");
        else if (what < 80)
            s.say(t, "mbarrier.expect_tx.relaxed.cta" + in + "[bar], 16");
        else if (what < 92)
            s.say(t, "mbarrier.complete_tx.relaxed.cta" + in + "[bar], 16");
        else
            s.say(t, s.expect("bar", 16));
    };
    s.maybe(60, a, "st.weak.global.u32 [x], 1");
    step(a);
    if (s.chance(60)) step(a);
    if (s.chance(60)) step(b);
    s.say(b, s.wait("bar", "0"));
    s.maybe(60, b, "ld.weak.global.u32 r0, [x]");
    if (s.chance(30)) step(b);
}

// Arrivals, reductions and stores from another CTA of the cluster, on an object that its own CTA initialises or not.
void remote(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta1");
    const bool raw = s.chance(60);
    const std::string count = s.one({"1", "1", "2"});
    s.declare(".shared.cta1 .mbarrier bar" + (raw ? ";" : " = " + count + ";"));
    s.declare(".shared.cta1 .u32 d = 0;");
    s.declare(".global .u32 x = 0;");
    if (raw) s.say(b, "mbarrier.init.shared::cta.b64 [bar], " + count);
    if (raw) s.maybe(60, b, "fence.mbarrier_init.release.cluster");
    if (raw || s.chance(20)) s.synchronize(b, a);
    s.maybe(50, a, "st.weak.global.u32 [x], 1");
    s.maybe(20, a, s.fence());
    const int what = s.below(100);
    const std::string cluster = ".shared::cluster";
    if (what < 40)
        s.say(a, "mbarrier.arrive." + s.one({"release", "relaxed"}) + ".cluster" + cluster + ".b64 _, [bar]");
    else if (what < 70)
        s.say(a, "red.async.relaxed.cluster" + cluster + ".mbarrier::complete_tx::bytes.add.u32 [d], 1, [bar]");
    else
        s.say(a, "st.async.weak" + cluster + ".mbarrier::complete_tx::bytes.u32 [d], 5, [bar]");
    if (what >= 40 || s.chance(20)) s.say(b, s.expect("bar", s.chance(90) ? 4 : 8));
    s.say(b, s.wait("bar", "0"));
    s.maybe(50, b, "ld.weak.shared::cta.u32 r0, [d]");
    s.maybe(40, b, "ld.weak.global.u32 r1, [x]");
    if (s.chance(15)) s.say(b, "mbarrier.inval.shared::cta.b64 [bar]");
    if (s.chance(50)) s.synchronize(a, b);
}

// ---- cp.async ----------------------------------------------------------------------------------------------------

void copies(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(50) ? s.thread("cta0") : a;
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    const auto phase = [&](const std::string& parity) {
        s.maybe(70, a, "cp.async.ca.shared::cta.global [s], [g], " + s.one({"16", "16", "16, 8", "16, 0"}));
        const bool counted = s.chance(75);
        s.say(a, std::string("cp.async.mbarrier.arrive") + (counted ? ".noinc" : "") + ".shared::cta.b64 [bar]");
        if (!counted) s.say(a, s.arrive("bar"));
        if (s.chance(65)) s.say(s.chance(70) ? a : b, s.wait("bar", parity));
    };
    phase("0");
    if (s.chance(70)) {
        if (s.chance(30) && a != b) s.synchronize(b, a);
        phase("1");
    }
    s.maybe(60, b, "ld.weak.shared::cta.u64 r0, [s]");
}

// ---- registers as addresses, counts and phases ---------------------------------------------------------------------

void registers(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(60) ? s.thread("cta0") : a;
    s.declare(".global .u64 g[4] = 3;");
    s.declare(".shared.cta0 .u64 s[4] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.say(a, "mov.u64 m, bar");
    s.say(a, "mov.u64 to, s");
    s.say(a, "mov.u32 n, 16");
    if (s.chance(50)) {
        s.say(a, Lines{"mov.u32 i, 0", "L:", "add.u64 to, to, 8", "add.u32 i, i, 1", "setp.lt.u32 q, i, 2", "@q bra L"});
    } else if (s.chance(40)) {
        s.say(a, Lines{"ld.weak.global.u64 z, [g]", "xor.b64 z, z, z", "add.u64 to, to, z"});
    }
    s.say(a, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], n");
    s.say(a, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [to], [g], n, [m]");
    if (a != b) s.say(b, "mov.u64 m, bar");
    s.say(b, s.wait("m", "0"));
    s.say(b, "ld.weak.shared::cta.u64 r0, [s" + s.one({"", "+16"}) + "]");
}

// A stage that a loop counter picks.
void ring(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".shared.cta0 .u32 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    for (const int t : {a, b}) {
        s.say(t, Lines{"mov.u32 i, 0", "mov.u64 at, s", "L" + std::to_string(t) + ":"});
        if (t == a) {
            s.say(t, Lines{"add.u32 v, i, 1", "st.weak.shared::cta.u32 [at], v", s.arrive("bar")});
            s.maybe(75, t, "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], i");
        } else {
            s.say(t, Lines{s.one({"and.b32 ph, i, 1", "mov.u32 ph, i", "mov.u32 ph, 0"}),
                           "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], ph", "ld.weak.shared::cta.u32 r0, [at]"});
        }
        s.say(t, Lines{"add.u64 at, at, 4", "add.u32 i, i, 1", "setp.lt.u32 q, i, 2", "@q bra L" + std::to_string(t)});
    }
}

// Two copies in groups; a wait that leaves some of them pending.
void groups(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(30) ? s.thread("cta0") : a;
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".global .u64 h[2] = 0;");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .u64 t[2] = 5;");
    const bool bulk = s.chance(50);
    const std::string prefix = bulk ? "cp.async.bulk." : "cp.async.";
    const Lines copies =
        bulk ? Lines{"cp.async.bulk.global.shared::cta.bulk_group [h], [s], 16", "cp.async.bulk.global.shared::cta.bulk_group [g], [t], 16"}
             : Lines{"cp.async.ca.shared::cta.global [s], [g], 16", "cp.async.ca.shared::cta.global [t], [h], 16"};
    for (const std::string& copy : copies) {
        s.maybe(85, a, copy);
        s.maybe(80, a, prefix + "commit_group");
    }
    if (!bulk && s.chance(20))
        s.say(a, "cp.async.wait_all");
    else
        s.maybe(90, a, prefix + "wait_group" + (bulk ? s.one({"", "", ".read"}) : "") + s.one({" 0", " 1", " 1", " 2"}));
    if (a != b) s.synchronize(a, b);
    const std::string where = s.one(bulk ? Lines{"global.u64|h", "global.u64|g"} : Lines{"shared::cta.u64|s", "shared::cta.u64|t"});
    const auto bar = where.find('|');
    const std::string space = where.substr(0, bar), name = where.substr(bar + 1);
    s.say(b, s.chance(75) ? "ld.weak." + space + " r0, [" + name + "]" : "st.weak." + space + " [" + name + "], 9");
    if (s.chance(30)) s.say(b, bulk ? "st.weak.shared::cta.u64 [s], 4" : "st.weak.global.u64 [g], 4");
}

// ---- bar.red -----------------------------------------------------------------------------------------------------

// Lanes of warps at a barrier with a count: some leave before or between the rounds, some wait elsewhere first.
void lanes(Story& s) {
    s.declare(".global .u32 x = 0;");
    s.declare(".global .u32 y = 0;");
    const std::string count = s.one({"64", "64", "32"});
    const int warps = s.chance(70) ? 2 : 1;
    for (int w = 0; w < warps; ++w) {
        for (const std::string lane : {"0", "1"}) {
            if (lane == "1" && s.chance(w == 0 ? 10 : 50)) continue;
            const int t = s.thread("cta0.warp" + std::to_string(w) + ".lane" + lane);
            if (s.chance(25)) s.say(t, "await ld.relaxed.gpu.global.u32 r0, [" + s.one({"x", "y"}) + "] == 1");
            if (s.chance(20)) {
                s.say(t, "ld.relaxed.gpu.global.u32 r1, [x]");
                s.say(t, "setp.eq.u32 p, r1, 1");
                s.say(t, "@p exit");
            }
            if (s.chance(75)) s.say(t, "barrier.sync 1, " + count);
            if (s.chance(40)) s.say(t, "st.weak.global.u32 [" + s.one({"x", "y"}) + "], 1");
            if (s.chance(40)) s.say(t, "barrier." + s.one({"sync", "sync", "arrive"}) + " 1, " + count);
            if (s.chance(30)) s.say(t, "ld.weak.global.u32 r2, [" + s.one({"x", "y"}) + "]");
        }
    }
}

void votes(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".global .u32 x = 0;");
    const bool popc = s.chance(60), loops = s.chance(65);
    const std::string op = popc ? "popc.u32" : s.one({"and.pred", "or.pred"});
    const std::string count = s.chance(30) ? ", 64" : "";
    if (s.chance(30)) s.say(b, "st.relaxed.gpu.global.u32 [x], 1");
    for (const int t : {a, b}) {
        const std::string label = "L" + std::to_string(t);
        if (loops) s.say(t, label + ":");
        s.say(t, "ld.relaxed.gpu.global.u32 r0, [x]");
        s.say(t, "setp.eq.u32 p, r0, " + s.one({"1", "1", "0"}));
        s.say(t, "bar.red." + op + (popc ? " d, 0" : " q, 0") + count + ", " + s.one({"p", "p", "!p"}));
        if (popc) s.say(t, "setp.ne.u32 q, d, " + s.one({"64", "64", "0", "32"}));
        if (!loops) continue;
        if (t == a) s.maybe(60, t, "st.relaxed.gpu.global.u32 [x], 1");
        s.say(t, (popc ? "@q bra " : s.one({"@q bra ", "@!q bra "})) + label);
    }
    s.maybe(30, a, "bar.sync 0" + count);
}

}  // namespace litmus::naive
