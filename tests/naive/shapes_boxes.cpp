// Small boxes: of two elements, half of them outside of the tensor now and then, to one CTA or several.
#include "story.h"

namespace litmus::naive {

void boxes(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta1");
    s.declare(".global .u64 g[4] = 7;");
    s.declare(".tensormap tm = g, dim " + s.one({"2", "3"}) + ", box 2;");
    s.declare(".shared .u64 s[2] = 5;");
    s.declare(".shared .mbarrier bar = 1;");
    const std::string mask = s.one({"3", "3", "2", "1"}), look = "ld.weak.shared::cta.u64 r0, [s";
    const bool both = s.chance(75);
    s.say(a, s.expect("bar", s.chance(90) ? 16 : 8));
    if (both) s.say(b, s.expect("bar", 16));
    if (s.chance(35)) s.synchronize(b, a);
    s.maybe(10, a, "st.weak.global.u64 [g+8], 9");
    s.maybe(40, a, "fence.proxy.async" + s.one({"", ".global"}));
    s.say(a, "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [s], [tm, {" +
                 s.one({"0", "1", "2", "-1"}) + "}], [bar], " + mask);
    s.maybe(80, a, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    s.maybe(40, a, look + s.one({"", "+8"}) + "]");
    if (both) s.maybe(85, b, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (s.chance(15)) s.synchronize(a, b);
    s.say(b, look + s.one({"", "+8"}) + "]");
}

}  // namespace litmus::naive
