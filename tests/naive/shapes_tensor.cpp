// Shapes about tensor copies: boxes inside of a tensor, at its edges and outside of it; maps that are changed before a copy or behind it.
#include "story.h"

namespace litmus::naive {

void tiles(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    const bool two = s.chance(65), large = s.chance(35);
    s.declare(".global .u64 g[" + s.one({"4", "4", "6"}) + "] = 7;");
    s.declare(two ? ".tensormap tm = g, dim 2, 2, box 2, " + std::string(large ? "2;" : "1;")
                  : ".tensormap tm = g, dim " + s.one({"4", "3", "2"}) + ", box 2;");
    s.declare(".shared.cta0 .u64 s[" + std::string(two && large ? "4" : "2") + "] = 5;");
    const std::string name = two ? "cp.%async.bulk.tensor.2d" : "cp.%async.bulk.tensor.1d";
    const auto form = [&](const std::string& reduces) { return std::string(name).replace(3, 1, reduces); };
    const std::string bytes = two && large ? "32" : "16", tile = s.one({"", "", ".tile"});
    if (s.chance(50)) {
        const std::string box = two ? s.one({"{0, 0}", "{0, 1}", "{0, 1}", "{1, 0}", "{0, 2}"}) : s.one({"{0}", "{2}", "{1}", "{3}"});
        const bool reduces = s.chance(45);
        s.maybe(65, a, s.store("shared::cta", "u64", s.one({"s", "s", "s+8"}), "6"));
        s.maybe(60, a, "fence.proxy.async" + s.one({"", ".shared::cta", ".global"}));
        s.say(a, form(reduces ? "reduce." : "") + ".global.shared::cta" + (reduces ? "." + s.one({"add", "add", "max", "xor"}) : "") +
                     tile + ".bulk_group [tm, " + box + "], [s]");
        s.maybe(25, a, s.store("shared::cta", "u64", "s", "8"));
        s.maybe(90, a, "cp.async.bulk.commit_group");
        s.maybe(85, a, "cp.async.bulk.wait_group" + s.one({"", "", ".read"}) + " 0");
        if (s.chance(70)) s.synchronize(a, b);
        s.maybe(30, b, "fence.proxy.async");
        const std::string at = s.one({"g", "g+8", "g+16", "g+24"});
        s.say(b, s.chance(60) ? s.load("global", "u64", "r0", at) : "red.relaxed.gpu.global.add.u64 [" + at + "], 1");
        return;
    }
    const std::string box =
        two ? s.one({"{0, 0}", "{0, 1}", "{0, -1}", "{1, 0}", "{-1, 1}", "{0, 2}"}) : s.one({"{0}", "{2}", "{-1}", "{1}", "{3}", "{-2}"});
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.maybe(60, b, s.store("global", "u64", s.one({"g", "g", "g+8", "g+16"}), "9"));
    s.maybe(60, b, "fence.proxy.async" + s.one({"", ".global"}));
    if (s.chance(70)) s.synchronize(b, a);
    s.maybe(50, a, "fence.proxy.async" + s.one({"", ".global"}));
    s.say(a, "mbarrier.arrive.expect_tx." + s.one({"release.cta", "relaxed.cta"}) + ".shared::cta.b64 _, [bar], " +
                 s.one({bytes, bytes, bytes, "16"}));
    s.say(a, form("") + ".shared::" + s.one({"cta", "cluster"}) + ".global" + tile + ".mbarrier::complete_tx::bytes [s], [tm, " + box +
                 "], [bar]");
    s.maybe(85, a, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    s.say(a, s.load("shared::cta", "u64", "r0", s.one({"s", "s+8"})));
}

namespace {

// Thread t gives the map another array, in place or from shared memory, and releases it or not.
void change_map(Story& s, int t, const std::string& array) {
    const std::string r = s.fresh("m"), scope = s.one({"gpu", "gpu", "cta", "cluster"});
    s.say(t, "mov.u64 " + r + ", " + array);
    if (s.chance(40)) {
        s.say(t, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sm], " + r);
        s.say(t, "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release." + scope + ".sync.aligned [tm], [sm], 128");
        return;
    }
    s.say(t, "tensormap.replace.tile.global_address.global.b1024.b64 [" + s.one({"tm", "tm", "tm", "tn"}) + "], " + r);
    s.maybe(70, t, "fence.proxy.tensormap::generic.release." + scope);
}

void acquire_map(Story& s, int t, int percent) {
    s.maybe(percent, t,
            "fence.proxy.tensormap::generic.acquire." + s.one({"gpu", "gpu", "cta", "cluster"}) + " [" + s.one({"tm", "tm", "tm", "tn"}) +
                "], 128");
}

}  // namespace

void maps(Story& s) {
    const int place = s.below(2), a = s.thread("cta0"), b = s.chance(35) ? a : s.thread("cta" + std::to_string(place));
    const std::string at = std::to_string(b == a ? 0 : place);
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".global .u64 h[2] = 8;");
    s.declare(".global .tensormap tm = g, dim 2, box 2;");
    s.declare(".global .tensormap tn = g, dim 2, box 2;");
    s.declare(".shared .tensormap sm = " + s.one({"g", "h"}) + ", dim 2, box 2;");
    s.declare(".shared.cta" + at + " .u64 s[2] = 5;");
    if (s.chance(75)) change_map(s, a, "h");
    if (s.chance(20)) acquire_map(s, a, 100);
    if (a != b && s.chance(85)) s.synchronize(a, b);
    acquire_map(s, b, 65);
    if (s.chance(45)) {
        const bool reduces = s.chance(30);
        s.say(b, "cp." + std::string(reduces ? "reduce." : "") + "async.bulk.tensor.1d.global.shared::cta" + (reduces ? ".add" : "") +
                     ".bulk_group [tm, {" + s.one({"0", "0", "1"}) + "}], [s]");
        s.maybe(90, b, "cp.async.bulk.commit_group");
        s.maybe(75, b, "cp.async.bulk.wait_group" + s.one({"", ".read"}) + " 0");
        if (s.chance(40)) change_map(s, b, "h");
        s.say(b, s.load("global", "u64", "r0", s.one({"g", "h", "h+8"})));
        return;
    }
    s.declare(".shared.cta" + at + " .mbarrier bar = 1;");
    s.say(b, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16");
    s.say(b, "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {" + s.one({"0", "0", "1", "-1"}) +
                 "}], [bar]");
    const bool grouped = s.chance(35);
    if (grouped) s.say(b, Lines{"cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"});
    if (grouped && s.chance(60)) change_map(s, b, "h");
    s.maybe(85, b, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (!grouped && s.chance(30)) change_map(s, b, "h");
    s.say(b, s.load("shared::cta", "u64", "r0", s.one({"s", "s+8"})));
}

}  // namespace litmus::naive
