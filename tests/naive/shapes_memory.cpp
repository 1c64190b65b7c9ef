// Shapes about memory: polling, copies, proxies, exits, registers, dependencies.
#include <algorithm>

#include "story.h"

namespace litmus::naive {

// ---- polling loops ----------------------------------------------------------------------------------------------

void polling(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 f = 0;");
    s.declare(".global .u32 x = 0;");
    s.say(a, "st.weak.global.u32 [x], 1");
    s.maybe(25, a, s.fence());
    s.say(a, "st." + s.one({"release.gpu", "release.gpu", "relaxed.gpu", "release.cta", "weak"}) + ".global.u32 [f], 1");
    s.maybe(15, a, "st.relaxed.gpu.global.u32 [f], 2");
    const bool counts = s.chance(30);
    if (counts) s.say(b, "mov.u32 c, 0");
    s.say(b, "L:");
    const int way = s.below(100);
    if (way < 70)
        s.say(b, "ld." + s.one({"acquire.gpu", "acquire.gpu", "relaxed.gpu", "weak"}) + ".global.u32 r0, [f]");
    else if (way < 80)
        s.say(b, "atom.acquire.gpu.global.cas.b32 r0, [f], 1, 3");
    else if (way < 90)
        s.say(b, "atom.relaxed.gpu.global.or.b32 r0, [f], 0");
    else
        s.say(b, "atom.acquire.gpu.global.exch.b32 r0, [f], " + s.one({"0", "1", "2"}));
    s.maybe(30, b, s.fence());
    const bool leaves = s.chance(20);  // another way out, before the loop has done all it does
    if (leaves) s.say(b, Lines{"setp.eq.u32 q, r0, " + s.one({"0", "2"}), "@q bra OUT"});
    if (s.chance(60)) s.say(b, s.load("global", "u32", "r1", "x"));
    if (counts) s.maybe(50, b, "add.u32 c, c, 1");
    s.maybe(8, b, "red.relaxed.gpu.global.add.u32 [x], 1");
    s.say(b, "setp." + s.one({"ne", "ne", "eq"}) + ".u32 p, r0, 1");
    s.maybe(10, b, "@!p st.relaxed.gpu.global.u32 [f], 4");
    s.say(b, "@p bra L");
    if (leaves) s.say(b, "OUT:");
    s.maybe(30, b, "add.u32 r3, r0, " + s.one({"r0", "1"}));
    if (s.chance(50)) s.say(b, s.load("global", "u32", "r2", "x"));
    if (s.chance(50)) s.claim("exists (x == 1)");
}

// A loop that a clock ends, too: then the thread goes on without what it waited for, ends, or ends all.
void timeouts(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 f = 0;");
    s.declare(".global .u32 x = 0;");
    s.say(a, "st.weak.global.u32 [x], 1");
    s.maybe(30, a, s.fence());
    s.maybe(85, a, "st." + s.one({"release.gpu", "release.gpu", "relaxed.gpu", "weak"}) + ".global.u32 [f], 1");
    if (s.chance(25)) s.say(b, "createpolicy.fractional.L2::evict_last.b64 c, 1.0");
    s.say(b, s.one({"mov.u64 t0, %clock64", "mov.u64 t0, %globaltimer"}));
    s.say(b, "L:");
    s.say(b, "ld." + s.one({"acquire.gpu", "acquire.gpu", "relaxed.gpu"}) + ".global.u32 r0, [f]");
    s.say(b, "setp.eq.u32 p, r0, 1");
    if (s.chance(60)) s.say(b, "@p bra DONE");
    s.say(b, Lines{"mov.u64 t1, %clock64", "sub.u64 t1, t1, t0"});
    const std::string joint = s.one({"", "", ".and", ".or", ".xor"});
    s.say(b, "setp.gt" + joint + ".u64 q, t1, 1000" + (joint.empty() ? "" : s.one({", p", ", !p"})));
    const std::string way = s.one({"trap", "trap", "exit", "bra LATE", "bra LATE", "st.relaxed.gpu.global.u32 [x], 3"});
    s.say(b, "@q " + way);
    s.maybe(20, b, s.load("global", "u32", "r1", "x"));
    s.say(b, s.one({"@!p bra L", "@!p bra L", "@q bra L"}));
    s.say(b, "DONE:");
    s.maybe(75, b, s.load("global", "u32", "r2", "x"));
    if (s.chance(20)) s.say(b, Lines{"setp.gt.u64 q, t0, 5", "@q st.relaxed.gpu.global.u32 [x], 2"});
    if (way == "bra LATE") s.say(b, "LATE:");
    if (s.chance(30)) {
        s.say(a, "bar.sync 0");
        s.say(b, "bar.sync 0");
    }
    s.maybe(25, b, "st.relaxed.gpu.global.u32 [x], 4");
    if (s.chance(50)) s.claim("exists (x == 1)");
}

// A copy whose destination is read by a loop that does not know yet.
void polling_copy(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(60) ? s.thread("cta0") : a;
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.put_in_loops("ld.weak.shared::cta.u64 q, [s]");
    s.say(a, s.expect("bar", s.chance(92) ? 16 : 32));
    s.say(a, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar]");
    s.maybe(10, a, "ld.weak.shared::cta.u64 r1, [s]");
    s.maybe(10, a, "st.weak.global.u64 [g], 9");
    s.say(b, s.wait("bar", s.one({"0", "0", "0", "1"})));
    if (s.chance(20)) s.say(b, s.fence());
    s.maybe(85, b, "ld.weak.shared::cta.u64 r0, [s]");
}

// ---- restricted fences and proxies --------------------------------------------------------------------------------

void restricted(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".global .u64 g[2] = 0;");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    const bool writes = s.chance(70);
    s.say(a, writes ? "st.weak.shared::cta.u64 [s], 1" : "ld.weak.shared::cta.u64 r0, [s]");
    s.maybe(15, a, "st.weak.global.u64 [g], 2");
    s.maybe(60, a, "fence.proxy.async" + s.one({"", ".shared::cta", ".shared::cta", ".global", ".shared::cluster"}));
    s.maybe(20, a, "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster");
    s.say(a, s.one({"fence.release.sync_restrict::shared::cta.cluster", "fence.release.sync_restrict::shared::cta.cluster",
                    "fence.acq_rel.cluster"}));
    s.say(a, "mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [bar]");
    const bool relaxed = s.chance(40);
    s.say(b, "await mbarrier.try_wait.parity." + std::string(relaxed ? "relaxed" : "acquire") + ".cluster.shared::cta.b64 [bar], 0");
    if (relaxed) s.maybe(85, b, s.one({"fence.acquire.sync_restrict::shared::cluster.cluster", "fence.acquire.cluster"}));
    s.maybe(20, b, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster");
    s.maybe(25, b, "fence.proxy.async" + s.one({"", ".shared::cta"}));
    if (writes) {
        s.say(b, Lines{"cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16", "cp.async.bulk.commit_group",
                       "cp.async.bulk.wait_group" + s.one({"", "", ".read"}) + " 0"});
        s.maybe(60, b, "ld.weak.global.u64 r1, [g]");
    } else {
        s.declare(".shared.cta0 .mbarrier full = 1;");
        s.say(b, Lines{s.expect("full", 16), "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [full]"});
    }
}

void aliased(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(50) ? s.thread("cta0") : a;
    s.declare(".global .u64 g[2] = 0;");
    s.declare(".global .u64 h[2] alias g;");
    s.declare(".shared.cta0 .u64 s[2] = 5;");
    const bool out = s.chance(55);
    const auto fences = [&](int t) {
        s.maybe(60, t, "fence.proxy.alias");
        s.maybe(50, t, "fence.proxy.async" + s.one({"", ".global", ".shared::cta"}));
        s.maybe(30, t, "fence.proxy.alias");
    };
    const std::string by = s.one({"g", "h"}), through = s.one({"g", "h"});
    if (out) {
        s.say(a, Lines{"cp.async.bulk.global.shared::cta.bulk_group [" + by + "], [s], 16", "cp.async.bulk.commit_group",
                       "cp.async.bulk.wait_group 0"});
        fences(a);
        if (a != b) s.synchronize(a, b);
        if (a != b) fences(b);
        s.say(b, s.chance(70) ? "ld.weak.global.u64 r0, [" + through + "]" : "st.weak.global.u64 [" + through + "], 9");
    } else {
        s.declare(".shared.cta0 .mbarrier bar = 1;");
        s.say(a, s.chance(75) ? "st.weak.global.u64 [" + through + "], 9" : "ld.weak.global.u64 r0, [" + through + "]");
        fences(a);
        if (a != b) s.synchronize(a, b);
        if (a != b) fences(b);
        s.say(b, Lines{s.expect("bar", 16), "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [" + by + "], 16, [bar]",
                       "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0"});
        s.maybe(70, b, "ld.weak.shared::cta.u64 r1, [s]");
    }
}

// The reader gives a slot back; the next copy fills it.
void given_back(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta0");
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".global .u32 x = 0;");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier empty = 1;");
    s.declare(".shared.cta0 .mbarrier full = 1;");
    const bool vector = s.chance(30);
    s.say(a, vector ? "ld.weak.shared::cta.v2.u64 {r0, r1}, [s]" : "ld.weak.shared::cta.u64 r0, [s]");
    const int use = s.below(100);
    const std::string from = vector && s.chance(50) ? "r1" : "r0";
    if (use < 15) {
        s.say(a, Lines{"and.b64 r2, " + from + ", " + s.one({"0", "0", "1"}), "setp.eq.u64 p, r2, 1", "@p st.weak.global.u32 [x], 1"});
    } else if (use < 30) {
        s.say(a, Lines{"setp.eq.u64 p, " + from + ", 99", "@p bra END"});
    } else if (use < 45) {
        s.say(a, Lines{"cvt.u32.u64 r2, " + from, "st.weak.global.u32 [x], r2"});
    } else if (use < 55) {
        s.say(a, s.fence());
    } else if (use < 62) {
        s.say(a, "fence.proxy.async");
    } else if (use < 70) {
        s.say(a, "add.u64 r2, " + from + ", 1");
    } else if (use < 85) {  // a branch that nothing but arithmetic depends on, or nothing
        s.say(a, Lines{"setp.eq.u64 p, " + from + ", 7", "mov.u32 r3, 0", "@p bra ON"});
        s.maybe(60, a, s.one({"mov.u32 r3, 1", "st.weak.global.u32 [x], 1", "ld.weak.global.u32 r3, [x]"}));
        s.say(a, "ON:");
    } else if (use < 92) {  // a store that another one overwrites
        s.say(a, Lines{"cvt.u32.u64 r2, " + from, "st." + s.one({"weak", "relaxed.gpu"}) + ".global.u32 [x], r2",
                       "st.weak.global.u32 [x], 1"});
    }
    s.say(a, s.arrive("empty"));
    if (use >= 70 && use < 85) s.maybe(50, a, "st.weak.global.u32 [x], r3");
    if (use >= 15 && use < 30) s.say(a, "END:");
    s.say(b, s.wait("empty", "0"));
    s.say(b, s.expect("full", 16));
    s.say(b, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [full]");
}

// Loads wider than the elements, by name, by a register or through an alias.
void wide(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 w[4] = 1;");
    const bool alias = s.chance(35);
    if (alias) s.declare(".global .u32 v[4] alias w;");
    s.declare(".global .u32 f = 0;");
    s.say(a, s.chance(60) ? "st.weak.global.v2.u32 [w], {2, 3}" : "st.weak.global.v4.u32 [w], {2, 3, 4, 5}");
    if (alias) s.maybe(50, a, "fence.proxy.alias");
    if (s.chance(60)) {
        s.say(a, "st." + s.one({"release.gpu", "relaxed.gpu"}) + ".global.u32 [f], 1");
        s.say(b, "await ld." + s.one({"acquire.gpu", "relaxed.gpu"}) + ".global.u32 r0, [f] == 1");
    }
    if (alias) s.maybe(50, b, "fence.proxy.alias");
    const std::string name = alias ? "v" : "w";
    const bool by_register = s.chance(50);
    if (by_register) s.say(b, "mov.u64 at, " + name);
    const std::string at = (by_register ? "at" : name) + s.one({"", "", "+8"});
    s.say(b, s.one({"ld.weak.global.u64 r1, [", "ld.relaxed.gpu.global.u64 r1, ["}) + at + "]");
    s.maybe(40, b, "ld.weak.global.v2.u32 {r2, r3}, [w]");
}

// ---- exits -----------------------------------------------------------------------------------------------------

void exits(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta1");
    s.declare(".shared.cta1 .u32 s = 0;");
    s.declare(".global .u32 x = 0;");
    const int early = s.below(100);
    const int c = early < 20 ? s.thread("cta1") : b;
    s.maybe(50, b, "st.weak.shared::cta.u32 [s], 1");
    const bool may_exit = s.chance(30);
    if (may_exit) s.say(b, Lines{"ld.relaxed.gpu.global.u32 r0, [x]", "setp.eq.u32 p, r0, 1", s.one({"@p exit", "@!p exit"})});
    if (s.chance(25)) s.say(a, "st.relaxed.gpu.global.u32 [x], 1");
    if (s.chance(40)) s.synchronize(b, a);
    const int what = s.below(100);
    if (what < 40)
        s.say(a, s.load("shared::cluster", "u32", "r0", "s"));
    else if (what < 65)
        s.say(a, s.store("shared::cluster", "u32", "s", "2"));
    else if (what < 80)
        s.say(a, "red.relaxed.cluster.shared::cluster.add.u32 [s], 1");
    else
        s.say(a, "atom.relaxed.cluster.shared::cluster.add.u32 r0, [s], 1");
    if (s.chance(60)) s.synchronize(a, c);
    s.maybe(30, b, "ld.relaxed.cluster.shared::cta.u32 r1, [s]");
}

// ---- addresses of a cluster, reads past the coherent caches ----------------------------------------------------

void addresses(Story& s) {
    const int a = s.thread("cta0"), b = s.thread(s.one({"cta1", "cta1", "cta0"}));
    s.declare(".shared .u32 s = 0;");
    s.declare(".global .u32 x = 0;");
    s.declare(".global .u32 f = 0;");
    if (s.chance(60)) {
        s.say(a, "mapa.shared::cluster.u32 q, s, " + s.one({"0", "1", "1"}));
        s.say(a, "st.weak.shared::cluster.u32 [q], 7");
    } else {
        const bool shared = s.chance(60);
        s.say(a, Lines{shared ? "cvta.shared.u64 q, s" : "cvta.global.u64 q, x",
                       "isspacep." + s.one({"shared", "shared::cluster", "global"}) + " p, q"});
        s.say(a, s.one({"@p", "@!p"}) + " st.weak.u32 [q], 7");
    }
    s.maybe(50, a, "st.weak.global.u32 [x], 2");
    s.say(a, "st." + s.one({"release.gpu", "release.gpu", "relaxed.gpu"}) + ".global.u32 [f], 1");
    s.say(b, "await ld." + s.one({"acquire.gpu", "acquire.gpu", "relaxed.gpu"}) + ".global.u32 r0, [f] == 1");
    if (s.chance(50)) {
        s.say(b, Lines{"mapa.shared::cluster.u32 q, s, " + s.one({"0", "1"}), "getctarank.shared::cluster.u32 r1, q",
                       "ld.weak.shared::cluster.u32 r2, [q]"});
    } else {
        s.say(b, "ld.weak.shared::cta.u32 r2, [s]");
    }
    s.say(b, Lines{"mov.u64 w, x", "cvta.global.u64 w, w", "mul.wide.u32 o, r0, 0", "add.u64 w, w, 0"});
    s.say(b, s.one({"ld.global.nc.u32 r3, [x]", "ld.weak.u32 r3, [w]"}));
    s.maybe(30, b, "mad.lo.s32 r4, r3, 3, r0");
}

// ---- dependencies ------------------------------------------------------------------------------------------------

namespace {

// What a thread makes of r0 before it stores: `value` is what it stores in the end.
Lines dependency(Story& s, std::string& value, std::string& guard, std::string& at) {
    const int kind = s.below(100);
    value = "1";
    if (kind < 12) return {};
    value = "v";
    if (kind < 22) return {"mov.u32 v, r0"};
    if (kind < 32) return {"and.b32 v, r0, " + s.one({"0", "0", "1", "2"}), "add.u32 v, v, 1"};
    if (kind < 40) return {s.one({"xor.b32 v, r0, r0", "sub.u32 v, r0, r0", "mul.lo.u32 v, r0, 0"}), "add.u32 v, v, 1"};
    if (kind < 50)
        return {"setp." + s.one({"eq", "eq", "ge"}) + ".u32 p, r0, 1", "selp.u32 v, " + s.one({"1, 1", "1, 2", "r0, 2", "r0, 1"}) + ", p"};
    value = "1";
    if (kind < 60) {
        guard = s.one({"@p ", "@!p "});
        return {"setp.eq.u32 p, r0, 1"};
    }
    if (kind < 70) return {"setp.ne.u32 p, r0, 1", "@p bra END"};
    if (kind < 78)
        return {"setp.ne.u32 p, r0, 1", "@p bra OVER", s.one({"mov.u32 w, 3", "fence.acq_rel.cta", "st.weak.global.u32 [z], 3"}), "OVER:"};
    if (kind < 88) return {"setp.eq.u32 p, r0, 1", "mov.u32 v, 2", "@p mov.u32 v, 1", "selp.u32 v, v, 1, p"};
    at = "to";
    return {"and.b32 o, r0, 0", "cvt.u64.u32 o, o", "add.u64 to, to, o"};
}

}  // namespace

// Load buffering: each thread stores after what it read; something in between decides, or only mentions, the value.
void buffering(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    for (const char* name : {"x", "y", "z"}) s.declare(".global .u32 " + std::string(name) + " = 0;");
    const bool meets = s.chance(25);
    for (const int t : {a, b}) {
        const std::string from = t == a ? "x" : "y", to = t == a ? "y" : "x";
        std::string value, guard, at = to;
        const Lines lines = dependency(s, value, guard, at);
        if (at == "to") s.say(t, "mov.u64 to, " + to);
        s.say(t, "ld.relaxed.gpu.global.u32 r0, [" + from + "]");
        s.say(t, lines);
        if (meets) s.say(t, Lines{(t == a ? guard : "") + "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"});
        const std::string store = "st.relaxed.gpu.global.u32 [" + at + "], ";
        if (!guard.empty() && !meets && s.chance(50)) {  // the other way of the branch does the same, or nearly
            s.say(t, guard + "bra WAY");
            s.say(t, store + s.one({"1", "1", "2", "r0"}));
            s.say(t, "bra MEET");
            s.say(t, "WAY:");
            s.say(t, store + value);
            s.say(t, "MEET:");
            continue;
        }
        s.say(t, (meets && t == a ? "" : guard) + store + value);
        if (std::find(lines.begin(), lines.end(), "@p bra END") != lines.end()) s.say(t, "END:");
    }
}

void multicast(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta1");
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".shared .u64 s[2] = 0;");
    s.declare(".shared .mbarrier bar = 1;");
    s.declare(".global .u32 f = 0;");
    const bool each = s.chance(50);
    s.say(a, s.expect("bar", 16));
    if (each) s.say(b, s.expect("bar", 16));
    if (s.chance(50)) s.synchronize(b, a);
    s.say(a, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [bar], " +
                 s.one({"3", "3", "2", "1"}));
    s.say(a, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (each) s.say(b, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (s.chance(60)) {
        s.say(a, "st.release.cluster.global.u32 [f], 1");
        s.say(b, "await ld.acquire.cluster.global.u32 r1, [f] == 1");
    }
    s.maybe(40, a, "ld.weak.shared::cta.u64 r0, [s]");
    s.say(b, "ld.weak.shared::cta.u64 r0, [s]");
}

}  // namespace litmus::naive
