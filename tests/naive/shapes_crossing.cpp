// What two bulk operations share is the first element of neither; and what a bulk operation brings under another name. No instruction
// names what they share, so that the checker must find it among the elements that stand for others.
#include "story.h"

namespace litmus::naive {

namespace {

// Stores and reductions into a tensor of three rows of four elements, which cross each other.
void crossing_boxes(Story& s, int a, int b) {
    const std::string store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [";
    const bool changeable = s.chance(25);
    s.declare(".global .u64 g[12] = 7;");
    s.declare(std::string(changeable ? ".global " : "") + ".tensormap tm = g, dim 4, 3, box 2, 2;");
    s.declare(".shared .u64 s[4] = 5;");
    s.declare(".shared .u64 t[4] = 6;");
    s.say(a, store + "tm, {0, 1}], [s]");
    const std::string row = s.one({"{0, 1}", "{1, 0}", "{1, 0}", "{2, 0}"});
    const int way = s.below(3);
    const bool waited = s.chance(50);
    if (waited) s.say(a, Lines{"cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"});
    if (waited && s.chance(60)) s.synchronize(a, b);
    if (way == 0) s.say(b, store + "tm, " + row + "], [t]");
    if (way == 1) s.say(b, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tm, " + row + "], [t]");
    if (way == 2) s.say(b, "cp.async.bulk.global.shared::cta.bulk_group [g" + s.one({"+48", "+32", "+16"}) + "], [t], 32");
}

// Four rows of two elements each: a common one, if there is, is the last of the one and some other than the first of the other.
void crossing_rows(Story& s, int a, int b) {
    s.declare(".global .u64 g[14] = 7;");
    s.declare(".tensormap rows = g, dim 2, 7, box 2, 1;");
    s.declare(".shared .u64 s[8] = 5;");
    s.declare(".shared .u64 t[8] = 6;");
    const std::string scatter = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [rows, ";
    s.say(a, scatter + "{0, 0, 8, 9, 2}], [s]");
    const std::string others = s.one({"{0, 1, 2, 9, 8}", "{0, 1, 8, 2, 9}", "{0, 1, 3, 9, 8}"});
    if (s.chance(60)) return s.say(b, scatter + others + "], [t]");
    s.declare(".shared .mbarrier bar = 1;");
    s.say(b, "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 64");
    s.say(b, "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [t], [rows, " + others + "], [bar]");
}

// A copy into the memory of a CTA, which another one stores into by an address that mapa makes of a location with another name.
void under_another_name(Story& s, int a, int b) {
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".shared.cta0 .u64 here[2] = 5;");
    s.declare(".shared.cta1 .u64 there[2] = 6;");
    s.declare(".shared.cta1 .mbarrier bar = 1;");
    s.say(b, "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16");
    s.say(b, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [there], [g], 16, [bar]");
    s.maybe(70, b, "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0");
    if (s.chance(50)) s.synchronize(b, a);
    s.say(a, Lines{"mov.u32 q, here", "mapa.shared::cluster.u32 p, q, 1", "st.weak.shared::cluster.u64 [p" + s.one({"", "+8"}) + "], 9"});
}

// A line that is discarded, one element written again, and two copied.
void discarded(Story& s, int a) {
    s.declare(".global .u64 g[16] = 7;");
    s.declare(".shared .u64 s[2] = 5;");
    s.say(a, "discard.global.L2 [g], 128");
    s.maybe(90, a, "st.weak.global.u64 [g], 9");
    s.maybe(25, a, "st.weak.global.u64 [g+8], 9");
    s.say(a, "cp.async.cg.shared.global [s], [g" + s.one({"", "", "+16"}) + "], 16");
    s.maybe(50, a, "cp.async.wait_all");
}

// Factors of a product that st.bulk, a multicast or a store through mapa has changed, none of them by name.
void factors(Story& s, int a, int b) {
    s.declare(".shared.cta0 .u64 b0[2] = 0x0101;");
    s.declare(".shared.cta1 .u64 b1[2] = 0x0101;");
    s.declare(".shared .u64 a[2] = 0x0101;");
    const int way = s.below(3);
    if (way == 0) s.say(b, "st.bulk.weak.shared::cta [b1], 16, 0");
    if (way == 1) {
        s.declare(".global .u64 g[2] = 0x0202;");
        s.declare(".shared .mbarrier bar = 1;");
        for (const int t : {a, b}) s.say(t, "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16");
        s.say(a, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [b0], [g], 16, [bar], 3");
        s.maybe(70, b, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    }
    if (way == 2) {
        s.say(a, Lines{"mov.u32 q, b0", "mapa.shared::cluster.u32 p, q, 1", "st.weak.shared::cluster.u64 [p], 0x0303"});
        s.synchronize(a, b);
    }
    s.maybe(70, b, "fence.proxy.async");
    s.say(b, "wgmma.fence.sync.aligned");
    s.say(b, "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {d0, d1, d2, d3}, [a], [b1], 0");
    s.say(b, Lines{"wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned 0"});
}

}  // namespace

void crossing(Story& s) {
    const int way = s.below(10);
    const bool apart = way == 6 || way >= 8;
    const int a = s.thread("cta0"), b = s.thread(apart ? "cta1" : "cta0");
    if (way < 4) crossing_boxes(s, a, b);
    if (way == 4 || way == 5) crossing_rows(s, a, b);
    if (way == 6) under_another_name(s, a, b);
    if (way == 7) discarded(s, a);
    if (way >= 8) factors(s, a, b);
}

}  // namespace litmus::naive
