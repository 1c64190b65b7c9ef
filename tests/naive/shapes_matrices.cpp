// Shapes about matrices: rows that a warp loads and stores beside copies, factors of blocks in tensor memory, and pairs of CTAs. There are
// also instructions that threads have to execute together, and quotients as indices.
#include <algorithm>

#include "story.h"

namespace litmus::naive {

// A tile that a copy fills or takes, and whose rows the other thread loads or stores; slots that are used again.
void matrices(Story& s) {
    const bool stores = s.chance(45);
    const int a = s.thread("cta0"), b = s.chance(75) ? s.thread("cta0") : a;
    const std::string type = s.one({"u64", "u64", "u64", "u32"}), count = type == "u64" ? "2" : "4";
    s.declare(".global ." + type + " g[" + count + "] = 1;");
    s.declare(".shared.cta0 ." + type + " t[" + count + "] = 0;");
    s.declare(".shared.cta0 .mbarrier full = 1;");
    const std::string at = s.one({"[t]", "[t]", "[q]"});
    if (stores) {
        s.say(a, "mov.u32 w, " + s.one({"5", "65539", "0"}));
        if (at == "[q]") s.say(a, "mov.u32 q, t");
        const bool trans = s.chance(20), two = s.chance(25);
        s.say(a, "stmatrix.sync.aligned.m8n8." + std::string(two ? "x2" : "x1") + (trans ? ".trans" : "") +
                     s.one({".shared", ".shared::cta"}) + ".b16 " + at + ", " + (two ? "{w, w}" : "{w}"));
        s.maybe(60, a, "fence.proxy.async" + s.one({"", ".shared::cta", ".shared::cta", ".global"}));
        if (a != b && s.chance(85)) s.synchronize(a, b);
        s.maybe(20, b, "fence.proxy.async.shared::cta");
        s.say(b, Lines{"cp.async.bulk.global.shared::cta.bulk_group [g], [t], 16", "cp.async.bulk.commit_group"});
        s.maybe(75, b, "cp.async.bulk.wait_group" + s.one({"", ".read"}) + " 0");
        if (s.chance(50))
            s.say(b, Lines{"mov.u32 v, 9", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [t], {v}"});
        else
            s.say(b, s.load("global", type, "r", "g"));
        return;
    }
    const bool waits_for_group = s.chance(25);
    if (waits_for_group) {
        s.say(a, Lines{"cp.async.cg.shared.global [t], [g], 16", "cp.async.commit_group"});
        s.maybe(75, a, "cp.async.wait_group 0");
        if (a != b) s.synchronize(a, b);
    } else {
        s.say(a, s.expect("full", 16));
        s.say(a, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [t], [g], 16, [full]");
        if (s.chance(85)) s.say(b, s.wait("full", s.one({"0", "0", "0", "1"})));
    }
    if (at == "[q]") s.say(b, "mov.u32 q, t");
    const std::string number = s.one({"1", "1", "2"}), registers = number == "1" ? "{r}" : "{r, r1}";
    s.say(b, "ldmatrix.sync.aligned.m8n8.x" + number + s.one({"", "", ".trans"}) + ".shared.b16 " + registers + ", " + at);
    const int way = s.below(100);
    if (way < 30) s.say(b, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {r, r, r, r}, {r, r}, {r, r, r, r}");
    if (way >= 30 && way < 60 && !waits_for_group) {  // the slot again
        s.declare(".shared.cta0 .mbarrier free = 1;");
        s.maybe(80, b, "mbarrier.arrive.release.cta.shared::cta.b64 _, [free]");
        if (s.chance(90)) s.say(a, s.wait("free", "0"));
        s.say(a, Lines{s.expect("full", 16), "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [t], [g], 16, [full]"});
    }
    if (way >= 60) s.maybe(60, b, "st.weak.shared::cta." + type + " [t], 2");
}

// Products whose factors of blocks, or whose metadata, lie in tensor memory, beside copies and stores that write them.
void scaled(Story& s) {
    const int a = s.thread("cta0"), b = s.chance(60) ? s.thread("cta0") : a;
    for (const std::string part : {"d", "sa", "sb"}) s.declare(".tmem.cta0 " + part + ";");
    s.declare(".shared.cta0 .u64 m[2] = 1;");
    s.declare(".shared.cta0 .mbarrier done = 1;");
    const bool sparse = s.chance(30), stationary = s.chance(25);
    const std::string meta = sparse ? "[" + s.one({"sb", "sb", "sa"}) + "], " : "", sp = sparse ? ".sp" : "";
    const std::string use = s.one({"", "", "fill", "use", "lastuse"}), buffer = stationary ? s.one({"b0", "b1"}) : "a";
    const auto multiply = [&](const std::string& how) {
        const std::string collector = how.empty() ? "" : ".collector::" + buffer + "::" + how;
        if (stationary)
            return "tcgen05.mma.ws" + sp + ".cta_group::1.kind::" + s.one({"i8", "f16"}) + collector + " [d], [m], [m], " + meta +
                   s.one({"0x02100000", "0x04100000"}) + ", " + s.one({"0", "1"});
        return "tcgen05.mma" + sp + ".cta_group::1.kind::mxf8f6f4.block_scale" + s.one({"", ".scale_vec::1X"}) + collector +
               " [d], [m], [m], " + meta + "0x08020000, [sa], [" + s.one({"sb", "sb", "sa"}) + "], " + s.one({"0", "1"});
    };
    const auto write = [&](int t) {
        const std::string part = s.one({"sa", "sb", "sa", "d"});
        if (s.chance(60)) return s.say(t, "tcgen05.cp.cta_group::1.32x128b.warpx4 [" + part + "], [m]");
        s.say(t, "tcgen05.st.sync.aligned.32x32b.x1.b32 [" + part + "], {7}");
        s.maybe(80, t, "tcgen05.wait::st.sync.aligned");
    };
    if (s.chance(85)) write(a);
    if (a != b && s.chance(90)) {
        s.maybe(75, a, "tcgen05.fence::before_thread_sync");
        s.synchronize(a, b);
        s.maybe(75, b, "tcgen05.fence::after_thread_sync");
    }
    if (!use.empty() && s.chance(70)) s.say(b, multiply("fill"));
    s.say(b, multiply(use));
    s.maybe(85, b, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done]");
    s.maybe(80, b, "await mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 [done], 0");
    s.maybe(70, b, "tcgen05.fence::after_thread_sync");
    if (s.chance(60)) write(b);
}

// Two CTAs of a pair copy together, or one of them uses its part, and both give it back.
void pair_of_ctas(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta1"), c = s.chance(50) ? s.thread("cta1") : b;
    s.declare(".tmem d;");
    s.declare(".shared .u64 m[16] = 3;");
    s.declare(".shared .mbarrier done = 1;");
    s.maybe(50, b, s.store("shared::cta", "u64", "m", "5"));
    s.maybe(70, b, "fence.proxy.async");
    if (s.chance(50)) {
        s.synchronize(b, a);
        s.maybe(60, a, "fence.proxy.async");
        s.say(a, "tcgen05.cp.cta_group::2.4x256b [d], [m]");
        s.say(a, "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [done], 3");
        s.maybe(80, b, "await mbarrier.try_wait.parity." + s.one({"relaxed", "acquire"}) + ".cluster.shared::cta.b64 [done], 0");
        s.maybe(80, b, "tcgen05.fence::after_thread_sync");
    }
    s.say(b, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d]");
    s.maybe(80, b, "tcgen05.wait::ld.sync.aligned");
    if (s.chance(30)) return;
    s.maybe(75, b, "tcgen05.fence::before_thread_sync");
    if (s.chance(70)) s.synchronize(b, a);
    s.maybe(75, a, "tcgen05.fence::after_thread_sync");
    s.say(a, "tcgen05.dealloc.cta_group::2.sync.aligned.b32 d, 32");
    if (c != b && s.chance(80)) s.synchronize(b, c);
    if (c != b) s.maybe(75, c, "tcgen05.fence::after_thread_sync");
    s.maybe(85, c, "tcgen05.dealloc.cta_group::2.sync.aligned.b32 d, 32");
    if (s.chance(15)) s.say(b, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r1}, [d]");
}

// All lanes of a warp, or all warps of a warpgroup, have to execute an instruction, and some do not, or execute another one.
void together(Story& s) {
    const bool warps = s.chance(40);
    const int a = s.thread("cta0.warp0"), b = s.thread(warps ? s.one({"cta0.warp1", "cta0.warp1", "cta0.warp4"}) : "cta0.warp0.lane1");
    s.declare(".shared.cta0 .u32 m = " + s.one({"0", "1"}) + ";");
    const Lines of_lanes{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {d, e}, {z}, {z}, {z, z}",
                         "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {d, e}, {z}, {z}, {z, z}",
                         "movmatrix.sync.aligned.m8n8.trans.b16 d, z"};
    const Lines of_warps{"setmaxnreg.dec.sync.aligned.u32 40", "setmaxnreg.dec.sync.aligned.u32 40", "setmaxnreg.inc.sync.aligned.u32 48",
                         "wgmma.fence.sync.aligned"};
    const std::string usual = s.one(warps ? of_warps : of_lanes);
    for (const int t : {a, b}) {
        s.say(t, Lines{"mov.b32 z, 0", "ld.relaxed.cta.shared::cta.u32 r0, [m]", "setp.eq.u32 p, r0, 0"});
        s.maybe(15, t, "@p exit");
        s.maybe(20, t, "st.relaxed.cta.shared::cta.u32 [m], 1");
        if (s.chance(90)) s.say(t, (s.chance(12) ? "@p " : "") + (s.chance(85) ? usual : s.one(warps ? of_warps : of_lanes)));
        s.maybe(20, t, usual);
        s.maybe(15, t, "exit");
    }
}

// The index of a slot is what remains of a counter, and an address may depend on it.
void quotients(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 turn = " + s.one({"0", "2", "4294967295"}) + ";");
    s.declare(".global .u32 slot[3] = 0;");
    const std::string sign = s.one({"u32", "u32", "u32", "s32"}), by = s.one({"3", "3", "2", "-2", "5", "1"}),
                      op = s.one({"rem", "rem", "div"});
    s.say(a, "atom.relaxed.gpu.global.add.u32 n, [turn], " + s.one({"1", "3"}));
    s.say(a, op + "." + sign + " i, n, " + (sign == "u32" && by == "-2" ? "2" : by));
    if (s.chance(60)) {
        s.say(a, Lines{"rem.u32 i, i, 3", "mad.lo.u32 i, i, 4, 0", "cvt.u64.u32 w, i", "mov.u64 x, slot", "add.u64 x, x, w"});
        s.say(a, "st.relaxed.gpu.global.u32 [x], 7");
    } else {
        s.say(a, "st.relaxed.gpu.global.u32 [slot], i");
    }
    s.say(b, "atom.relaxed.gpu.global.add.u32 k, [turn], 1");
    s.say(b, s.load("global", "u32", "r", s.one({"slot", "slot+4", "slot+8"})));
    if (s.chance(40)) s.say(b, Lines{"cvt.u16.u32 h, k", "rem.u16 h, h, 7"});
}

}  // namespace litmus::naive
