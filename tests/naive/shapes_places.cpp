// Addresses that depend on values read from memory: mailboxes, queues, tables, linked buffers, looking back, and some that lead nowhere.
#include "story.h"

namespace litmus::naive {

namespace {

// The address `a` of the element whose number is in `r`.
Lines element(Story& s, const std::string& a, const std::string& of, const std::string& r, const std::string& type) {
    const std::string size = type == "u64" ? "8" : "4", shift = type == "u64" ? "3" : "2", w = s.fresh("w");
    Lines lines{"mov.u64 " + a + ", " + of};
    const int way = s.below(3);
    if (way == 0) lines.push_back("mul.wide.u32 " + w + ", " + r + ", " + size);
    if (way > 0) lines.push_back("cvt.u64.u32 " + w + ", " + r);
    if (way == 1) lines.push_back("shl.b64 " + w + ", " + w + ", " + shift);
    if (way == 2) return {lines[0], lines[1], "mad.lo.u64 " + a + ", " + w + ", " + size + ", " + a};
    lines.push_back("add.u64 " + a + ", " + a + ", " + w);
    return lines;
}

std::string signal(Story& s, const std::string& at, const std::string& value, const std::string& type = "u32") {
    return "st." + s.one({"release.gpu", "release.gpu", "relaxed.gpu", "release.cta", "weak"}) + ".global." + type + " [" + at + "], " +
           value;
}
std::string look(Story& s, const std::string& r, const std::string& at, const std::string& type = "u32") {
    return "ld." + s.one({"acquire.gpu", "acquire.gpu", "relaxed.gpu", "acquire.cta", "weak"}) + ".global." + type + " " + r + ", [" + at +
           "]";
}

// What is done at an address in the end.
void use(Story& s, int t, const std::string& a, const std::string& guard) {
    const int way = s.below(100);
    if (way < 50) s.say(t, guard + s.load("global", "u32", "r9", a));
    if (way >= 50 && way < 70) s.say(t, guard + s.store("global", "u32", a, s.one({"5", "6"})));
    if (way >= 70 && way < 85)
        s.say(t,
              guard + "atom." + s.one({"relaxed", "acquire"}) + ".gpu.global." + s.one({"add.u32 r9, [", "exch.b32 r9, ["}) + a + "], 1");
    if (way >= 85) s.say(t, guard + "red.relaxed.gpu.global.add.u32 [" + a + "], 1");
    if (way < 50 && guard.empty() && s.chance(25)) s.say(t, "st.relaxed.gpu.global.u32 [z], r9");
}

// A number in a mailbox says which element was written.
void mailbox(Story& s, int a, int b) {
    s.declare(".global .u32 x[2] = {3, 4};");
    s.declare(".global .u32 m = " + s.one({"0", "0", "1", "2"}) + ";");
    const std::string slot = s.one({"0", "1", "1"});
    s.say(a, s.store("global", "u32", slot == "0" ? "x" : "x+4", "7"));
    s.maybe(20, a, s.fence());
    s.say(a, signal(s, "m", s.chance(85) ? slot : "2"));
    s.maybe(15, a, s.store("global", "u32", "x", "8"));
    s.say(b, look(s, "r0", "m"));
    s.maybe(20, b, s.fence());
    s.maybe(25, b, "and.b32 r0, r0, 1");
    s.maybe(10, b, "xor.b32 r0, r0, 1");
    const bool tested = s.chance(25);
    if (tested) s.say(b, "setp." + s.one({"lt", "eq", "ne"}) + ".u32 p, r0, " + s.one({"2", "1"}));
    s.say(b, element(s, "a", "x", "r0", "u32"));
    use(s, b, "a", tested ? "@p " : "");
}

// A counter gives each thread its slot.
void queue(Story& s, int a, int b) {
    s.declare(".global .u32 x[2] = 0;");
    s.declare(".global .u32 tail = " + s.one({"0", "0", "0", "1"}) + ";");
    for (const int t : {a, b}) {
        s.say(t, "atom." + s.one({"relaxed", "acq_rel", "release"}) + ".gpu.global." +
                     s.one({"add.u32 r0, [tail], 1", "add.u32 r0, [tail], 1", "inc.u32 r0, [tail], 1"}));
        s.maybe(15, t, "and.b32 r0, r0, 1");
        s.say(t, element(s, "a", "x", "r0", "u32"));
        s.say(t, s.store("global", "u32", "a", t == a ? "1" : "2"));
        s.maybe(25, t, s.store("global", "u32", "a", "3"));
    }
    s.maybe(40, b, s.load("global", "u32", "r9", "x"));
}

// An index in a table.
void table(Story& s, int a, int b) {
    s.declare(".global .u32 t[2] = {" + s.one({"0, 1", "1, 0", "1, 2"}) + "};");
    s.declare(".global .u32 x[2] = {3, 4};");
    s.declare(".global .u32 i = 0;");
    s.say(a, s.store("global", "u32", "t", "1"));
    s.say(a, signal(s, "i", "1"));
    s.say(b, look(s, "r0", "i"));
    s.say(b, element(s, "a", "t", "r0", "u32"));
    s.say(b, s.load("global", "u32", "r1", "a"));
    s.say(b, element(s, "c", "x", "r1", "u32"));
    use(s, b, "c", "");
}

// The address of what was written.
void linked(Story& s, int a, int b) {
    s.declare(".global .u32 x = 3;");
    s.declare(".global .u32 y[2] = 4;");
    s.declare(".global .u64 p = 0;");
    const std::string to = s.one({"x", "y", "y"});
    s.say(a, "mov.u64 q, " + to);
    if (to == "y") s.maybe(50, a, "add.u64 q, q, 4");
    s.say(a, s.store("global", "u32", "q", "7"));
    s.say(a, signal(s, "p", "q", "u64"));
    if (s.chance(30)) s.say(a, Lines{"mov.u64 q, x", "st.relaxed.gpu.global.u64 [p], q"});
    s.say(b, look(s, "a", "p", "u64"));
    s.say(b, "setp.ne.u64 k, a, 0");
    s.maybe(15, b, "add.u64 a, a, 4");
    s.maybe(15, b, "cvta.to.global.u64 a, a");
    use(s, b, "a", s.chance(85) ? "@k " : "");
}

// One of two addresses, as a value says; and an address that is overwritten by what was there.
void chosen(Story& s, int a, int b) {
    s.declare(".global .u32 x = 3;");
    s.declare(".global .u32 y = 4;");
    s.declare(".global .u32 i = 0;");
    s.say(a, s.store("global", "u32", s.one({"x", "y"}), "7"));
    s.say(a, signal(s, "i", "1"));
    s.say(b, look(s, "r0", "i"));
    s.say(b, Lines{"mov.u64 a, x", "mov.u64 c, y", "setp.eq.u32 p, r0, 1", "selp.u64 a, c, a, p"});
    s.maybe(20, b, "await ld.relaxed.gpu.global.u32 r3, [a] == 7");
    use(s, b, "a", "");
}

// An array that is known or one whose address another thread tells, as a value says; then an element of it.
void chosen_or_told(Story& s, int a, int b) {
    s.declare(".global .u32 x[2] = {3, 4};");
    s.declare(".global .u32 y[2] = {5, 6};");
    s.declare(".global .u64 p = 0;");
    s.declare(".global .u32 i = " + s.one({"0", "1", "1", "2"}) + ";");
    s.say(a, "mov.u64 q, y");
    s.maybe(50, a, "st.weak.global.u32 [q+4], 7");
    s.say(a, signal(s, "p", "q", "u64"));
    if (s.chance(40)) s.say(a, signal(s, "i", "0"));
    s.say(b, look(s, "r0", "i"));
    s.say(b, Lines{look(s, "c", "p", "u64"), "setp.ne.u64 k, c, 0", "mov.u64 a, x"});
    s.say(b, s.one({"@k mov.u64 a, c", "selp.u64 a, c, a, k"}));
    s.say(b, Lines{"mul.wide.u32 w, r0, 4", s.one({"add.u64 a, a, w", "add.u64 a, w, a", "mad.wide.u32 a, r0, 4, a"})});
    use(s, b, "a", s.chance(80) ? "" : "@k ");
}

// A row that is stored where a number in memory says.
void told_row(Story& s, int a, int b) {
    s.declare(".global .u32 g[8] = 5;");
    s.declare(".global .s32 i = " + s.one({"0", "1", "1", "2", "-1"}) + ";");
    s.declare(".tensormap tm = g, dim 4, 2, box 4, " + s.one({"1", "1", "2"}) + ";");
    s.declare(".shared .u32 s[8] = 9;");
    if (s.chance(40)) s.say(a, signal(s, "i", s.one({"0", "1", "-1"}), "s32"));
    s.say(b, look(s, "r0", "i", "s32"));
    s.say(b, Lines{s.one({"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, r0}], [s]",
                          "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tm, {0, r0}], [s]"}),
                   "cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"});
    s.maybe(50, b, s.load("global", "u32", "r9", s.one({"g", "g+16"})));
}

// Pairs of elements, and a mailbox in which the number of one comes.
void vectors(Story& s, int a, int b) {
    s.declare(".global .u32 x[4] = 3;");
    s.declare(".global .u32 m = 0;");
    s.say(a, s.one({"st.weak.global.v2.u32 [x+8], {7, 8}", "st.weak.global.u32 [x+8], 7"}));
    s.say(a, signal(s, "m", s.one({"1", "1", "2"})));
    s.say(b, look(s, "r0", "m"));
    s.say(b, element(s, "a", "x", "r0", "u64"));
    s.say(b, s.one({"ld.weak.global.v2.u32 {r1, r2}, [a]", "st.weak.global.v2.u32 [a], {r0, 9}"}));
}

// The index of an mbarrier object, or of the stage that a copy fills.
void stages(Story& s, int a, int b) {
    s.declare(".global .u64 g[4] = 7;");
    s.declare(".shared.cta0 .u64 d[4] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.declare(".shared.cta0 .u32 i = " + s.one({"0", "1", "1", "2"}) + ";");
    if (a != b && s.chance(40)) s.say(a, "st." + s.one({"weak", "release.cta"}) + ".shared::cta.u32 [i], 1");
    s.say(b, Lines{s.expect("bar", 16), "ld." + s.one({"weak", "acquire.cta"}) + ".shared::cta.u32 r0, [i]", "mov.u32 c, d"});
    s.say(b, Lines{"shl.b32 o, r0, 4", "add.u32 c, c, o"});
    s.say(b, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [c], [g], 16, [bar]");
    s.say(b, s.wait("bar", "0"));
    s.say(b, s.chance(70) ? "ld.weak.shared::cta.u64 r1, [c]" : "ld.weak.shared::cta.u64 r1, [d]");
}

// Load buffering: what a thread reads says where it stores, or where the value that it stores comes from.
void circle(Story& s, int a, int b) {
    s.declare(".global .u32 x[2] = 0;");
    s.declare(".global .u32 y[2] = 0;");
    s.declare(".global .u32 t[2] = {" + s.one({"0, 1", "1, 1", "1, 0"}) + "};");
    for (const int thread : {a, b}) {
        const std::string from = thread == a ? "x" : "y", to = thread == a ? "y" : "x";
        s.say(thread, "ld.relaxed.gpu.global.u32 r0, [" + from + s.one({"", "+4"}) + "]");
        s.maybe(30, thread, "and.b32 r0, r0, " + s.one({"1", "0"}));
        const int way = s.below(100);
        if (way < 45) {
            s.say(thread, element(s, "a", to, "r0", "u32"));
            s.say(thread, "st.relaxed.gpu.global.u32 [a], " + s.one({"1", "r0"}));
        } else if (way < 70) {
            s.say(thread, element(s, "a", "t", "r0", "u32"));
            s.say(thread, Lines{"ld.weak.global.u32 r1, [a]", "st.relaxed.gpu.global.u32 [" + to + s.one({"", "+4"}) + "], r1"});
        } else {
            s.say(thread, "st.relaxed.gpu.global.u32 [" + to + s.one({"", "+4"}) + "], " + s.one({"r0", "1"}));
        }
        s.maybe(25, thread, "st.relaxed.gpu.global.u32 [" + to + s.one({"", "+4"}) + "], 1");
    }
}

// A mailbox through a copy's destination: what is told there is read only when it has come.
void copied_number(Story& s, int a) {
    s.declare(".global .u32 g[4] = {1, 1, 1, 1};");
    s.declare(".shared.cta0 .u32 s[4] = 0;");
    s.declare(".shared.cta0 .u32 x[2] = {3, 4};");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.say(a, Lines{s.expect("bar", 16), "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar]",
                   s.wait("bar", "0").front()});
    s.say(a, Lines{"ld.weak.shared::cta.u32 r0, [s]", "shl.b32 o, r0, 2", "mov.u32 c, x", "add.u32 c, c, o",
                   "ld.weak.shared::cta.u32 r1, [c]"});
    s.maybe(40, a, "st.weak.shared::cta.u32 [c], 5");
    s.maybe(40, a, "st.weak.shared::cta.u32 [c], 6");
}

// A request for one of two clusters, whose number is the index of what is done.
void clusters(Story& s, int a) {
    s.declare(".unlaunched " + s.one({"1", "2", "2"}) + ";");
    s.declare(".global .u32 x[3] = {1, 2, 3};");
    s.declare(".shared.cta0 .u64 s[2] = 0;");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    s.say(a, Lines{"mov.u32 r0, 0", s.expect("bar", 16),
                   "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [bar]",
                   "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0", "ld.shared.b128 h, [s]",
                   "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h",
                   s.one({"@p ", "@p ", "@p ", ""}) + "clusterlaunchcontrol.query_cancel.get_first_ctaid::" + s.one({"x", "x", "x", "y"}) +
                       ".b32.b128 r0, h"});
    s.say(a, element(s, "a", "x", "r0", "u32"));
    s.say(a, s.one({"ld.weak.global.u32 r1, [a]", "st.weak.global.u32 [a], 9"}));
}

}  // namespace

void places(Story& s) {
    const int a = s.thread("cta0"), way = s.below(100);
    if (way >= 97) return clusters(s, a);
    if (way >= 94) return copied_number(s, a);
    if (way >= 90) return stages(s, a, s.thread("cta0"));
    const int b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 z = 0;");
    if (way < 20) return mailbox(s, a, b);
    if (way < 35) return queue(s, a, b);
    if (way < 46) return table(s, a, b);
    if (way < 58) return linked(s, a, b);
    if (way < 64) return chosen(s, a, b);
    if (way < 68) return chosen_or_told(s, a, b);
    if (way < 70) return told_row(s, a, b);
    if (way < 82) return circle(s, a, b);
    vectors(s, a, b);
}

}  // namespace litmus::naive
