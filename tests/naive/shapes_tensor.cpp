// Shapes about tensor copies: boxes inside of a tensor, at its edges and outside of it.
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

}  // namespace litmus::naive
