// Each shape is a short story (sketch.h), of which all parts are drawn: what is done, in which form, by whom, and whether anything
// orders it. A thread stores what it reads into a place of its own, or lets it decide whether something is stored. So wrong values are
// seen.
#include "sweep/random_kernels.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sweep/sketch.h"

namespace litmus {

namespace {

using Texts = Sketch::Texts;

// ---- updates of several kinds ------------------------------------------------------------------------------------------

// An operation with the types that it takes.
struct Update {
    std::string op;
    Texts types;
};
const std::vector<Update>& updates() {
    static const std::vector<Update> all = {
        {"add", {"u32", "s32", "u64", "f32", "f64"}},
        {"min", {"u32", "s32", "u64", "s64"}},
        {"max", {"u32", "s32", "u64", "s64"}},
        {"inc", {"u32"}},
        {"dec", {"u32"}},
        {"and", {"b32", "b64"}},
        {"or", {"b32", "b64"}},
        {"xor", {"b32", "b64"}},
        {"exch", {"b32", "b64"}},
        {"cas", {"b32", "b64"}},
    };
    return all;
}

std::string width_of(const std::string& type) {
    return type.substr(1);
}

// An update, a load or a store of x, which lies in `cta` and has so many bits.
void access(Sketch& s, int thread, const std::string& x, int cta, const std::string& width, bool strong) {
    const std::string space = s.space(thread, cta), other = s.scope(thread, s.any_thread());
    const int what = s.below(100);
    const auto value = [&](const std::string& type) { return type[0] == 'f' ? s.pick({"0.0", "1.0", "-1.5", "0.1"}) : s.number(6); };
    if (what < 12) {
        const std::string how =
            s.pick(strong ? Texts{"relaxed." + other, "release." + other, "volatile"} : Texts{"weak", "relaxed." + other});
        return s.say(thread, "st." + how + "." + space + ".b" + width + " [" + x + "], " + s.number(6));
    }
    if (what < 22) {
        const std::string how =
            s.pick(strong ? Texts{"relaxed." + other, "acquire." + other, "volatile"} : Texts{"weak", "relaxed." + other});
        const std::string r = s.fresh("r");
        s.say(thread, "ld." + how + "." + space + ".b" + width + " " + r + ", [" + x + "]");
        return s.chance(60) ? s.keep(thread, r, "u" + width) : s.decide(thread, r, "u" + width);
    }
    Texts fitting;
    const Update& update = updates()[static_cast<size_t>(s.below(static_cast<int>(updates().size())))];
    for (const std::string& type : update.types)
        if (width_of(type) == width) fitting.push_back(type);
    if (fitting.empty()) return access(s, thread, x, cta, width, strong);
    const std::string type = s.pick(fitting);
    const bool two = update.op == "cas", reduces = !two && update.op != "exch" && s.chance(50);
    const std::string sem =
        s.pick(reduces ? Texts{"relaxed", "relaxed", "release"} : Texts{"relaxed", "relaxed", "acquire", "release", "acq_rel"});
    const std::string name = (reduces ? "red." : "atom.") + sem + "." + other + "." + space + "." + update.op + "." + type + " ";
    const std::string operands = "[" + x + "], " + value(type) + (two ? ", " + value(type) : "");
    if (reduces) return s.say(thread, name + operands);
    const bool sink = s.chance(35);
    const std::string r = s.fresh("r");
    s.say(thread, name + (sink ? "_" : r) + ", " + operands);
    if (sink) return;
    s.chance(50) ? s.keep(thread, r, type[0] == 'f' ? type : "u" + width) : s.decide(thread, r, "u" + width);
}

// Two or three threads update one place in ways that may not commute, and somebody looks at it in the end.
void draw_updates(Sketch& s) {
    s.place(2 + s.below(2));
    const std::string width = s.chance(75) ? "32" : "64";
    const bool is_float = s.chance(12), shared = s.chance(30) && s.same_cluster(0, s.threads() - 1) && s.same_cluster(0, 1);
    const int cta = shared ? s.cta(s.any_thread()) : Sketch::global;
    s.declare(cta, (is_float ? ".f" : ".u") + width + " x = " + (is_float ? "1.5" : s.number(5)));
    const int accesses = 2 + s.below(3);
    int last = s.any_thread();
    for (int i = 0; i < accesses; ++i) {
        const int next = i == 0 || s.chance(25) ? last : s.other_than(last);
        if (next != last && s.chance(35)) s.order(last, next);
        access(s, next, "x", cta, width, s.chance(85));
        last = next;
    }
    if (!s.chance(50)) return;
    if (s.chance(85)) s.meet();
    const std::string r = s.fresh("r");
    s.say(last, "ld.weak." + s.space(last, cta) + ".b" + width + " " + r + ", [x]");
    s.chance(50) ? s.keep(last, r, "u" + width) : s.decide(last, r, "u" + width);
}

// ---- packed, vectors, words and halves ---------------------------------------------------------------------------------

// Packed operations and vectors beside operations on the halves and words that they are made of.
void draw_packed(Sketch& s) {
    s.place(2 + s.below(2));
    struct Kind {
        std::string declared;
        Texts operations;  // $s: semantics and scope; the operand follows
    };
    const Texts halves = {"red.$s.global.add.noftz.f16 [x], h",
                          "red.$s.global.add.noftz.f16 [x+2], h",
                          "red.$s.global.add.noftz.f16x2 [x], w",
                          "red.$s.global.add.noftz.v2.f16 [x], {h, h}",
                          "red.$s.global.max.noftz.v2.f16 [x], {h, h}",
                          "red.$s.global.min.noftz.v4.f16 [x], {h, h, h, h}",
                          "red.$s.global.add.noftz.v2.f16x2 [x], {w, w}",
                          "atom.$s.global.add.noftz.f16x2 $r, [x], w",
                          "st.$s.global.b16 [x+2], h",
                          "st.$s.global.v2.b16 [x], {h, h}",
                          "st.weak.global.b16 [x], h",
                          "ld.$s.global.b16 $h, [x+2]",
                          "ld.$s.global.b32 $r, [x]",
                          "ld.weak.global.b32 $r, [x]",
                          "atom.$s.global.cas.b16 $h, [x], h, h"};
    const Texts pairs = {"red.$s.global.add.noftz.f16x2 [x], w",
                         "red.$s.global.add.noftz.f16x2 [x+4], w",
                         "red.$s.global.add.noftz.v2.f16x2 [x], {w, w}",
                         "atom.$s.global.add.noftz.f16x2 $r, [x], w",
                         "red.$s.global.add.u32 [x], w",
                         "red.$s.global.or.b32 [x], w",
                         "atom.$s.global.exch.b32 $r, [x], w",
                         "atom.$s.global.cas.b32 $r, [x], 0, w",
                         "st.$s.global.b32 [x], w",
                         "st.weak.global.b32 [x], w",
                         "ld.$s.global.b32 $r, [x]",
                         "ld.weak.global.b32 $r, [x+4]",
                         "ld.$s.global.v2.b32 {$r, $q}, [x]"};
    const Texts floats = {"red.$s.global.add.f32 [x], f",
                          "red.$s.global.add.f32 [x+4], f",
                          "red.$s.global.add.v2.f32 [x], {f, f}",
                          "red.$s.global.add.v4.f32 [x], {f, f, f, f}",
                          "atom.$s.global.add.v2.f32 {$r, $q}, [x], {f, f}",
                          "st.$s.global.v2.f32 [x], {f, f}",
                          "st.$s.global.b32 [x+8], w",
                          "st.weak.global.v4.b32 [x], {w, w, w, w}",
                          "ld.$s.global.v4.b32 {$r, $q, $t, $u}, [x]",
                          "ld.$s.global.f32 $r, [x+4]",
                          "ld.weak.global.b64 $d, [x]",
                          "atom.$s.global.exch.b32 $r, [x+4], w"};
    const Texts words = {"st.$s.global.v2.b64 [x], {d, d}",   "st.$s.global.b64 [x+8], d",    "ld.$s.global.v2.b64 {$d, $e}, [x]",
                         "ld.weak.global.b64 $d, [x]",        "red.$s.global.add.u64 [x], d", "atom.$s.global.exch.b64 $d, [x+8], d",
                         "st.weak.global.v2.b64 [x], {d, d}", "red.$s.global.max.s64 [x], d"};
    const std::vector<Kind> kinds = {
        {".f16 x[4] = 1.0", halves}, {".f16x2 x[2] = 0x3c003c00", pairs}, {".f32 x[4] = 1.0", floats}, {".u64 x[2] = 1", words}};
    const Kind& kind = kinds[static_cast<size_t>(s.below(static_cast<int>(kinds.size())))];
    s.declare(Sketch::global, kind.declared);
    for (int t = 0; t < s.threads(); ++t)
        for (const std::string line : {"mov.b16 h, 0x3c00", "mov.b32 w, 0x3c003c00", "mov.f32 f, 1.0", "mov.b64 d, 3"}) s.say(t, line);
    const int accesses = 2 + s.below(2);
    int last = s.any_thread();
    for (int i = 0; i < accesses; ++i) {
        const int next = i == 0 || s.chance(20) ? last : s.other_than(last);
        if (next != last && s.chance(35)) s.order(last, next);
        last = next;
        std::string line = s.pick(kind.operations);
        const bool strong = line.find("$s") != std::string::npos;
        if (strong) line.replace(line.find("$s"), 2, "relaxed." + s.scope(last, s.any_thread()));
        Texts read;
        for (const std::string mark : {"$r", "$q", "$t", "$u", "$h", "$d", "$e"}) {
            const size_t at = line.find(mark);
            if (at == std::string::npos) continue;
            read.push_back(s.fresh(mark.substr(1)));
            line.replace(at, 2, read.back());
        }
        s.say(last, line);
        for (const std::string& r : read) {
            const std::string type = r[0] == 'h' ? "u16" : r[0] == 'd' || r[0] == 'e' ? "u64" : "u32";
            if (s.chance(60)) s.keep(last, r, type);
        }
    }
}

// ---- chains of releases ------------------------------------------------------------------------------------------------

// Somebody writes data and releases; others pass that on through atomics, copies of the flag or failed comparisons; the last one reads.
void draw_scopes(Sketch& s) {
    s.place(2 + s.below(3));
    s.declare(Sketch::global, ".u32 data = 0");
    s.declare(Sketch::global, ".u32 f = 0");
    const int n = s.threads(), all = n - 1;
    const auto scope = [&](int a, int b) { return s.chance(55) ? s.pick({"gpu", "sys"}) : s.chance(12) ? s.any_scope() : s.scope(a, b); };
    s.say(0, "st.weak.global.u32 [data], 1");
    if (s.chance(15)) s.say(0, "red.relaxed." + s.any_scope() + ".global.add.u32 [f], 0");
    const std::string first = scope(0, all);
    if (s.chance(40)) s.say(0, "fence." + s.pick({"acq_rel", "sc", "release"}) + "." + scope(0, all));
    switch (s.below(4)) {
        case 0:
            s.say(0, "st." + s.pick({"release", "release", "relaxed"}) + "." + first + ".global.u32 [f], 1");
            break;
        case 1:
            s.say(0, "red." + s.pick({"release", "relaxed"}) + "." + first + ".global.add.u32 [f], 1");
            break;
        case 2:
            s.say(0, "atom." + s.pick({"release", "acq_rel", "relaxed"}) + "." + first + ".global.exch.b32 _, [f], 1");
            break;
        default:
            s.say(0, "atom." + s.pick({"release", "acq_rel"}) + "." + first + ".global.cas.b32 " + s.fresh("r") + ", [f], 0, 1");
            break;
    }
    int value = 1;
    std::string flag = "f";
    for (int t = 1; t < all; ++t) {
        const std::string r = s.fresh("r"), own = scope(t, s.any_thread());
        const bool waits = s.chance(70);
        const std::string acquire = s.pick({"acquire", "acquire", "relaxed"});
        if (waits)
            s.say(t, "await ld." + acquire + "." + scope(t, t - 1) + ".global.u32 " + r + ", [" + flag + "] >= " + std::to_string(value));
        if (waits && s.chance(25)) s.say(t, "fence." + s.pick({"acq_rel", "sc", "acquire"}) + "." + s.any_scope());
        const std::string sem = s.pick({"relaxed", "relaxed", "acq_rel", "release", "acquire"});
        const std::string red = sem == "acquire" || sem == "acq_rel" ? "relaxed" : sem;
        const std::string to = "." + own + ".global.";
        const std::string old = s.fresh("r"), is = std::to_string(value), next = std::to_string(value + 1);
        const int way = s.below(100);
        if (way < 20) {
            s.say(t, "atom." + sem + to + "add.u32 " + old + ", [" + flag + "], 1");
            ++value;
        } else if (way < 35) {
            s.say(t, "red." + red + to + "add.u32 [" + flag + "], 1");
            ++value;
        } else if (way < 50) {
            s.say(t, "atom." + sem + to + "cas.b32 " + old + ", [" + flag + "], " + is + ", " + next);
            ++value;
        } else if (way < 65) {
            s.say(t, "atom." + sem + to + "cas.b32 " + old + ", [" + flag + "], 9, 10");  // fails
        } else if (way < 80) {
            flag = s.fresh("f");
            s.declare(Sketch::global, ".u32 " + flag + " = 0");
            value = 1;
            s.say(t, "st." + s.pick({"release", "relaxed"}) + to + "u32 [" + flag + "], 1");
        } else {
            s.say(t, "red." + red + to + "or.b32 [" + flag + "], 0");
        }
        if (waits && s.chance(15)) s.keep(t, r);
    }
    const std::string r = s.fresh("r"), d = s.fresh("r"), scope_of_last = scope(all, s.any_thread());
    if (s.chance(80)) {
        s.say(all, "await ld." + s.pick({"acquire", "acquire", "relaxed"}) + "." + scope_of_last + ".global.u32 " + r + ", [" + flag +
                       "] >= " + std::to_string(value));
    } else {
        s.say(all, "look:");
        s.say(all, "atom." + s.pick({"acquire", "acq_rel"}) + "." + scope_of_last + ".global.cas.b32 " + r + ", [" + flag + "], " +
                       std::to_string(value) + ", 20");
        s.say(all, "setp.ne.u32 again, " + r + ", " + std::to_string(value));
        s.say(all, "@again bra look");
    }
    if (s.chance(30)) s.say(all, "fence." + s.pick({"acq_rel", "sc", "acquire"}) + "." + scope(all, 0));
    if (s.chance(50)) {
        s.say(all, "ld.weak.global.u32 " + d + ", [data]");
        s.keep(all, d);
    } else {
        s.say(all, "st.weak.global.u32 [data], 2");
    }
}

// ---- lanes of a warp ---------------------------------------------------------------------------------------------------

// The lanes have one text, so that they execute it together; a predicate of each set of lanes decides who takes part.
class WarpStory {
public:
    explicit WarpStory(Sketch& s) : s_(s) {
        lanes_ = 2 + s.below(3);
        for (int lane = 0; lane < lanes_; ++lane) s.place(0, 0, ".warp0.lane" + std::to_string(lane));
        if (s.chance(20)) s.place(0, s.chance(50) ? 0 : 1, s.chance(50) ? ".warp1" : ".warp2");
        all_ = (1 << lanes_) - 1;
        say("mov.u32 own, %lanemask_eq");
        say("mov.u32 lane, %laneid");
        say("mov.u32 x, " + s.number(4));
        say("add.u32 x, x, lane");
    }

    // Mostly all of them, or all but one.
    int set() { return s_.chance(65) ? all_ : 1 + s_.below(all_); }
    int lanes() const { return lanes_; }
    int all() const { return all_; }

    void say(const std::string& line) {
        for (int lane = 0; lane < lanes_; ++lane) s_.say(lane, line);
    }

    // "@p " for these lanes, "" for all.
    std::string guard(int set) {
        if (set == all_) return "";
        const std::string t = s_.fresh("t"), p = s_.fresh("p");
        say("and.b32 " + t + ", own, " + std::to_string(set));
        say("setp.ne.u32 " + p + ", " + t + ", 0");
        return "@" + p + " ";
    }

    // A register with the mask of these lanes, or the mask itself: what is known when the text is read is refused then.
    std::string mask(int set) {
        const std::string m = s_.fresh("m");
        say("mov.b32 " + m + ", " + std::to_string(set));
        return m;
    }

    // Every lane stores the register into an element of its own.
    void keep(const std::string& reg) {
        const std::string out = s_.fresh("out"), a = s_.fresh("a"), o = s_.fresh("o");
        s_.declare(Sketch::global, ".u32 " + out + "[4] = 77");
        say("mov.u64 " + a + ", " + out);
        say("mul.wide.u32 " + o + ", lane, 4");
        say("add.u64 " + a + ", " + a + ", " + o);
        say("st.weak.global.u32 [" + a + "], " + reg);
    }

    // One instruction at which lanes meet: those of the mask, those that execute it.
    void meet() {
        const int named = set(), there = s_.chance(75) ? named : set();
        const std::string m = mask(named), r = s_.fresh("r");
        std::string line;
        switch (s_.below(7)) {
            case 0:
                line = "redux.sync." + s_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "xor.b32"}) + " " + r + ", x, " + m;
                break;
            case 1:
                line = "bar.warp.sync " + m;
                break;
            case 2:
                line = "shfl.sync." + s_.pick({"idx", "up", "down", "bfly"}) + ".b32 " + r + ", x, " + s_.number(4) + ", 31, " + m;
                break;
            case 3:
                line = "vote.sync.ballot.b32 " + r + ", odd, " + m;
                break;
            case 4:
                line = "vote.sync." + s_.pick({"any", "all", "uni"}) + ".pred v, odd, " + m;
                break;
            case 5:
                line = "match." + s_.pick({"any", "all"}) + ".sync.b32 " + r + ", x, " + m;
                break;
            default:
                line = "elect.sync " + r + "|v, " + m;
                break;
        }
        say("mov.b32 " + r + ", 0");
        say("setp.eq.u32 odd, x, " + s_.number(4));
        say("setp.eq.u32 v, x, 99");
        if (line.rfind("shfl.sync.up", 0) == 0) line.replace(line.find(", 31,"), 5, ", 0,");
        const int apart = s_.chance(30) ? there & s_.below(all_) : 0;  // come to it at a statement of their own
        if (apart != 0) say(guard(apart) + line);
        if (apart != there) say(guard(there & ~apart) + line);
        if (line.find(" v,") != std::string::npos || line.find("|v,") != std::string::npos) {
            if (s_.chance(50)) return decide("v");
            say("selp.u32 " + r + ", 1, 0, v");
        }
        if (s_.chance(70)) keep(r);
    }

    // Who has it stores.
    void decide(const std::string& p) {
        const std::string out = s_.fresh("out");
        s_.declare(Sketch::global, ".u32 " + out + " = 77");
        say("@" + p + " st." + s_.pick({"weak", "weak", "relaxed.gpu"}) + ".global.u32 [" + out + "], x");
    }

    // One lane writes, others read or write.
    void access() {
        const std::string g = guard(1 << s_.below(lanes_));
        if (s_.chance(55)) return say(g + "st.weak.shared::cta.u32 [s], x");
        const std::string r = s_.fresh("r");
        say("mov.b32 " + r + ", 0");
        say(g + "ld.weak.shared::cta.u32 " + r + ", [s]");
        keep(r);
    }

    void leave() {
        const int who = 1 << s_.below(lanes_);
        say(guard(who) + "exit");
    }

private:
    Sketch& s_;
    int lanes_ = 0, all_ = 0;
};

void draw_masks(Sketch& s) {
    WarpStory warp(s);
    s.declare(0, ".u32 s = 5");
    const int parts = 2 + s.below(3);
    for (int i = 0; i < parts; ++i) {
        const int what = s.below(100);
        if (what < 55)
            warp.meet();
        else if (what < 90)
            warp.access();
        else
            warp.leave();
    }
}

// A value that no sentence fixes decides: the elected lane, the warp's number, the multiprocessor, a clock.
void draw_elections(Sketch& s) {
    WarpStory warp(s);
    s.declare(0, ".u32 s = 5");
    const std::string out = s.fresh("out"), r = s.fresh("r");
    s.declare(Sketch::global, ".u32 " + out + "[4] = 77");
    warp.say("mov.u32 who, 0");
    const int what = s.below(100);
    if (what < 55) {
        warp.say("elect.sync who|leads, " + warp.mask(warp.all()));
    } else if (what < 75) {
        warp.say("mov.u32 who, " + s.pick({"%warpid", "%warpid", "%smid", "%clock"}));
        warp.say("setp.eq.u32 leads, who, 0");
    } else {
        warp.say("activemask.b32 who");
        warp.say("setp.eq.u32 leads, who, " + std::to_string(warp.all()));
    }
    const int use = s.below(4);
    if (use == 0) {
        warp.say("@leads st.weak.shared::cta.u32 [s], x");
        if (s.chance(70)) warp.say("bar.warp.sync " + warp.mask(warp.all()));
        warp.access();
    } else if (use == 1) {
        warp.say("@leads st.weak.global.u32 [" + out + "], x");
    } else if (use == 2) {
        warp.say("selp.u32 " + r + ", 1, 0, leads");
        warp.keep(r);
    } else {
        warp.say("@!leads exit");
        warp.say("st.weak.global.u32 [" + out + "], x");
    }
    if (s.chance(40)) warp.meet();
}

// ---- alignment ---------------------------------------------------------------------------------------------------------

// An address register of the thread that leads so many bytes into the location: by arithmetic, or by an offset that memory holds.
std::string address_in(Sketch& s, int thread, const std::string& location, bool shared, int bytes) {
    const std::string a = s.fresh("a"), width = shared ? "32" : "64";
    s.say(thread, "mov.u" + width + " " + a + ", " + location);
    if (s.chance(25)) {
        const std::string offset = s.fresh("offset"), k = s.fresh("k");
        s.declare(Sketch::global, ".u" + width + " " + offset + " = " + std::to_string(bytes));
        s.say(thread, "ld.weak.global.u" + width + " " + k + ", [" + offset + "]");
        s.say(thread, "add.u" + width + " " + a + ", " + a + ", " + k);
    } else if (bytes != 0) {
        s.say(thread, "add.u" + width + " " + a + ", " + a + ", " + std::to_string(bytes));
    }
    return a;
}

// An instruction that asks for an alignment, at an address that may not have it.
void draw_alignment(Sketch& s) {
    const bool two = s.chance(60);
    s.place(0, 0);
    s.place(0, two ? 1 : 0);
    s.declare(Sketch::global, ".u32 g[32] = 3");
    s.declare(Sketch::global, ".u64 w[16] = 3");
    s.declare(0, ".u32 own[32] = 4");
    s.declare(0, ".u64 wide[16] = 4");
    s.declare(two ? 1 : 0, ".u32 far[32] = 5");
    s.declare(".shared.cta0 .mbarrier bar = 1;");
    if (two) s.declare(".shared.cta1 .mbarrier there[2] = 1;");
    const auto off = [&](int unit, int more) { return unit * s.below(3) + (s.chance(45) ? more : 0); };
    const auto global = [&](int bytes) { return address_in(s, 0, "g", false, bytes); };
    const auto shared = [&](const std::string& x, int bytes) { return address_in(s, 0, x, true, bytes); };
    const int what = s.below(two ? 12 : 9);
    const std::string r = s.fresh("r"), q = s.fresh("r");
    switch (what) {
        case 0:
            s.say(0, "ld.weak.global.v2.u32 {" + r + ", " + q + "}, [" + global(off(8, 4)) + "]");
            break;
        case 1:
            s.say(0, "st.relaxed.gpu.global.v4.u32 [" + global(off(16, 4 + 4 * s.below(2))) + "], {1, 2, 3, 4}");
            break;
        case 2:
            s.say(0, "ld.weak.shared::cta.u32 " + r + ", [" + shared("own", off(4, 2)) + "]");
            break;
        case 3:
            s.say(0, "red.relaxed.gpu.global.add.u64 [" + address_in(s, 0, "w", false, off(8, 4)) + "], 1");
            break;
        case 4:
            s.say(0, "atom.relaxed.cta.shared::cta.add.u32 " + r + ", [" + shared("own", off(4, 1 + s.below(2))) + "], 1");
            break;
        case 5: {
            const std::string size = s.pick({"4", "8", "16"});
            const int unit = std::stoi(size);
            const std::string to = shared("own", off(unit, unit / 2)), from = global(off(unit, unit / 2));
            const bool is_given = s.chance(30);
            if (is_given) s.say(0, "mov.u32 given, " + s.pick({"0", "4", "8", "16"}));
            s.say(0, std::string("cp.async.") + (size == "16" ? "cg" : "ca") + ".shared::cta.global [" + to + "], [" + from + "], " + size +
                         (is_given ? ", given" : ""));
            if (s.chance(85)) s.say(0, "cp.async.wait_all");
            break;
        }
        case 6: {
            const std::string size = s.pick({"16", "32", "16", "24"}), n = s.fresh("n");
            const std::string to = shared("own", off(16, 4 + 4 * s.below(2))), from = global(off(16, 8));
            s.say(0, "mov.u32 " + n + ", " + size);
            s.say(0, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + n);
            s.say(0, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [" + to + "], [" + from + "], " + n + ", [bar]");
            s.say(0, "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0");
            break;
        }
        case 7: {
            const std::string size = s.pick({"16", "16", "32", "8"}), n = s.fresh("n");
            const std::string to = global(off(16, 4)), from = shared("own", off(16, 8));
            s.say(0, "mov.u32 " + n + ", " + size);
            s.say(0, s.pick({"cp.async.bulk.global.shared::cta.bulk_group", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"}) +
                         std::string(" [") + to + "], [" + from + "], " + n);
            s.say(0, "cp.async.bulk.commit_group");
            s.say(0, "cp.async.bulk.wait_group 0");
            break;
        }
        case 8: {
            const std::string a = shared("bar", s.chance(50) ? 4 : 0);
            s.say(0, s.chance(50) ? "mbarrier.arrive.shared::cta.b64 _, [" + a + "]"
                                  : "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [" + a + "], 8");
            break;
        }
        default: {
            const std::string x = shared("far", 0), object = shared("there", 0), a = s.fresh("a"), m = s.fresh("m");
            const int bytes = what == 9 ? off(4, 2) : off(8, 4);
            s.say(0, "add.u32 " + x + ", " + x + ", " + std::to_string(bytes));
            if (s.chance(30)) s.say(0, "add.u32 " + object + ", " + object + ", " + s.pick({"4", "8"}));
            s.say(0, "mapa.shared::cluster.u32 " + a + ", " + x + ", 1");
            s.say(0, "mapa.shared::cluster.u32 " + m + ", " + object + ", 1");
            s.say(1, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [there], " + std::string(what == 9 ? "4" : "8"));
            if (what == 9)
                s.say(0, s.pick({"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [",
                                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 ["}) +
                             a + "], 1, [" + m + "]");
            else
                s.say(0, "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [" + a + "], {1, 2}, [" + m + "]");
            s.say(1, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [there], 0");
            break;
        }
    }
    if (what == 0 || what == 2 || what == 4) s.keep(0, r);
}

// ---- wrong CTAs --------------------------------------------------------------------------------------------------------

// Data, objects and sources in drawn blocks of a cluster, for operations that ask where they lie.
void draw_places(Sketch& s) {
    const int blocks = 2 + s.below(2);
    for (int cta = 0; cta < blocks; ++cta) s.place(0, cta);
    s.declare(".shared .u32 data[8] = 5;");
    s.declare(".shared .u32 source[8] = 6;");
    s.declare(".shared .mbarrier bar = 1;");
    s.declare(Sketch::global, ".u32 g[8] = 7");
    const auto rank = [&] { return s.below(blocks); };
    // the address of the location in the block of that rank
    const auto there = [&](const std::string& location, int of) {
        const std::string x = s.fresh("x"), a = s.fresh("a");
        s.say(0, "mov.u32 " + x + ", " + location);
        s.say(0, "mapa.shared::cluster.u32 " + a + ", " + x + ", " + std::to_string(of));
        return a;
    };
    const int what = s.below(6), to = rank(), object = s.chance(70) ? to : rank();
    const std::string bytes = what < 3 ? "4" : "16";
    int signalled = 1 << object;
    const std::string a = there("data", to), m = there("bar", object);
    if (what == 5) {
        const int mask = 1 + s.below((1 << blocks) - 1);
        signalled = mask;
        for (int cta = 0; cta < blocks; ++cta)
            if ((mask >> cta & 1) != 0) s.say(cta, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16");
        s.say(0, "mov.u16 mask, " + std::to_string(mask));
        s.say(0, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [g], 16, [bar], mask");
    } else {
        s.say(object, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + bytes);
        const std::string mechanism = ".mbarrier::complete_tx::bytes";
        if (what == 0)
            s.say(0, "st.async.shared::cluster" + mechanism + ".u32 [" + a + "], 1, [" + m + "]");
        else if (what == 1 || what == 2)
            s.say(0, "red.async.relaxed.cluster.shared::cluster" + mechanism + "." + s.pick({"add.u32", "max.s32", "xor.b32"}) + " [" + a +
                         "], 1, [" + m + "]");
        else if (what == 3)
            s.say(0, "cp.async.bulk." + s.pick({"shared::cta", "shared::cluster", "shared::cluster"}) + ".global" + mechanism + " [" + a +
                         "], [g], 16, [" + m + "]");
        else
            s.say(0, s.pick({"cp.async.bulk.shared::cluster.shared::cta" + mechanism,
                             "cp.reduce.async.bulk.shared::cluster.shared::cta" + mechanism + ".add.u32"}) +
                         " [" + a + "], [" + s.pick({"source", "source+16"}) + "], 16, [" + m + "]");
    }
    for (int cta = 0; cta < blocks; ++cta) {
        if ((signalled >> cta & 1) == 0 || !s.chance(88)) continue;
        s.say(cta, "await mbarrier.try_wait.parity.acquire." + s.pick({"cluster", "cluster", "cta"}) + ".shared::cta.b64 [bar], 0");
        if (s.chance(60)) {
            const std::string r = s.fresh("r");
            s.say(cta, "ld.weak.shared::cta.u32 " + r + ", [data]");
            s.keep(cta, r);
        }
    }
    if (s.chance(15)) {
        const std::string other = there("bar", rank());
        s.say(0, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [" + other + "], 0");
    }
    if (s.chance(70)) {
        for (int t = 0; t < s.threads(); ++t) s.say(t, "barrier.cluster.arrive");
        for (int t = 0; t < s.threads(); ++t) s.say(t, "barrier.cluster.wait");
    }
}

// ---- phases ------------------------------------------------------------------------------------------------------------

// Arrivals and waits of one object: too few, too many, of a phase too early or late; and data that they are to order.
void draw_phases(Sketch& s) {
    const bool near = s.chance(60);
    const int n = 2 + s.below(2);
    for (int t = 0; t < n; ++t) s.place(0, near ? 0 : t % 2);
    const int count = 1 + s.below(3);
    s.declare(".shared.cta0 .mbarrier bar = " + std::to_string(count) + ";");
    s.declare(Sketch::global, ".u32 data = 0");
    const auto scope = [&] { return near ? s.pick({"cta", "cta", "cluster"}) : s.pick({"cluster", "cluster", "cluster", "cta"}); };
    const auto arrive = [&](int t) {
        const std::string in = s.space(t, 0);
        const std::string sem = s.chance(85) ? "release." + scope() : "relaxed.cluster";
        const int way = s.below(100);
        if (way < 60)
            s.say(t, "mbarrier.arrive." + sem + "." + in + ".b64 _, [bar]");
        else if (way < 75)
            s.say(t, "mbarrier.arrive." + sem + "." + in + ".b64 _, [bar], " + std::to_string(1 + s.below(count)));
        else if (way < 85)
            s.say(t, "mbarrier.arrive_drop." + sem + "." + in + ".b64 _, [bar]");
        else {
            s.say(t, "mbarrier.arrive.expect_tx." + sem + "." + in + ".b64 _, [bar], 8");
            if (s.chance(90)) s.say(t, "mbarrier.complete_tx.relaxed.cluster." + in + ".b64 [bar], 8");
        }
    };
    const auto wait = [&](int t, int phase) {
        s.say(t, "await mbarrier." + s.pick({"try_wait", "test_wait"}) + ".parity.acquire." + scope() + ".shared::cta.b64 [bar], " +
                     std::to_string(phase % 2));
    };
    const auto access = [&](int t) {
        if (s.chance(60)) return s.say(t, "st.weak.global.u32 [data], " + s.number(5));
        const std::string r = s.fresh("r");
        s.say(t, "ld.weak.global.u32 " + r + ", [data]");
        s.keep(t, r);
    };
    const int writer = s.below(n), phases = 1 + s.below(2);
    if (s.chance(80)) access(writer);
    for (int phase = 0; phase < phases; ++phase) {
        const int arrivals = s.chance(80) ? count : 1 + s.below(3);
        for (int i = 0; i < arrivals; ++i) arrive(i == 0 && phase == 0 ? writer : s.below(n));
        for (int t = 0; t < n; ++t)
            if (s.cta(t) == 0 && s.chance(65)) wait(t, s.chance(88) ? phase : phase + 1);
        if (s.chance(50)) access(s.below(n));
    }
}

// ---- operations that go on by themselves -------------------------------------------------------------------------------

const Texts& bulk_reductions() {
    static const Texts all = {"add.u32", "add.s32", "add.u64", "add.f32", "min.u32", "max.s32", "min.s64", "max.u64",
                              "inc.u32", "dec.u32", "and.b32", "or.b32",  "xor.b32", "and.b64", "or.b64",  "xor.b64"};
    return all;
}

// Bulk reductions of all operators beside updates of the same places; remote stores and reductions that release, or that report to an
// object in the other block.
void draw_async(Sketch& s) {
    const int story = s.below(3);
    const std::string op = s.pick(bulk_reductions()), width = op.substr(op.size() - 2);
    if (story == 0) {
        s.place(2);
        s.declare(Sketch::global, ".u" + width + " x[" + (width == "32" ? "4" : "2") + "] = 5");
        for (const int t : {0, 1})
            s.declare(".shared.cta" + std::to_string(s.cta(t)) + " .u" + width + " s" + std::to_string(t) + "[4] = " + s.number(8) + ";");
        const std::string second = s.chance(60) ? op : s.pick(bulk_reductions());
        for (const int t : {0, 1}) {
            const std::string& own = t == 0 ? op : second;
            const std::string from = "s" + std::to_string(t);
            if (own.substr(own.size() - 2) != width) continue;
            if (t == 1 && s.chance(40)) {
                const std::string r = s.fresh("r");
                s.say(t, s.pick({"red.relaxed.gpu.global.add.u" + width + " [x], 1", "ld.weak.global.u" + width + " " + r + ", [x]",
                                 "st.weak.global.u" + width + " [x], 1", "st.relaxed.gpu.global.u" + width + " [x], 1"}));
                continue;
            }
            if (s.chance(40)) s.say(t, "st.weak.shared::cta.u" + width + " [" + from + "], 2");
            if (s.chance(60)) s.say(t, "fence.proxy.async" + s.pick({"", ".shared::cta", ".global"}));
            s.say(t, "cp.reduce.async.bulk.global.shared::cta.bulk_group." + own + " [x], [" + from + "], 16");
            if (s.chance(95)) s.say(t, "cp.async.bulk.commit_group");
            if (s.chance(90)) s.say(t, "cp.async.bulk.wait_group" + s.pick({"", "", ".read"}) + " 0");
            if (s.chance(25)) s.say(t, "st.weak.shared::cta.u" + width + " [" + from + "], 3");
            if (t == 0 && s.chance(60)) s.order(0, 1);
        }
        return;
    }
    if (story == 1) {
        s.place(2 + s.below(2));
        s.declare(Sketch::global, ".u32 data = 0");
        s.declare(Sketch::global, ".u32 x = 0");
        s.say(0, "st.weak.global.u32 [data], 1");
        const std::string scope = s.pick({"gpu", "sys"});
        s.say(0, s.pick({"red.async.release." + scope + ".global.add.u32 [x], 1", "st.async.release." + scope + ".global.u32 [x], 1",
                         "st.async.mmio.release.sys.global.u32 [x], 1", "red.async.mmio.release.sys.global.add.u32 [x], 1"}));
        if (s.chance(30)) s.say(0, s.pick({"st.weak.global.u32 [data], 2", "ld.relaxed.gpu.global.u32 again, [x]"}));
        const std::string r = s.fresh("r"), q = s.fresh("r");
        s.say(1, "await ld." + s.pick({"acquire", "acquire", "relaxed"}) + "." + s.pick({"gpu", "gpu", "sys", "cta"}) + ".global.u32 " + r +
                     ", [x] >= 1");
        s.say(1, "ld.weak.global.u32 " + q + ", [data]");
        s.keep(1, q);
        if (s.threads() > 2)
            s.say(2, s.pick({"red.relaxed.gpu.global.add.u32 [x], 1", "red.relaxed.gpu.global.max.u32 [x], 1",
                             "st.relaxed.gpu.global.u32 [x], 3"}));
        return;
    }
    s.place(0, 0);
    s.place(0, 1);
    s.declare(".shared.cta1 .u32 x[4] = 5;");
    const int operations = 1 + s.below(2);
    s.declare(".shared.cta1 .mbarrier bar = 1;");
    s.say(1, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + std::to_string(4 * operations));
    if (s.chance(20)) s.say(0, "st.weak.shared::cluster.u32 [x], 1");
    for (int i = 0; i < operations; ++i) {
        const std::string red = s.pick({"add.u32", "add.s32", "min.u32", "max.s32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32"});
        if (s.chance(70))
            s.say(0, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." + red + " [x], " + s.number(7) + ", [bar]");
        else
            s.say(0, "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [x" + s.pick({"", "+4"}) + "], " + s.number(7) +
                         ", [bar]");
    }
    if (s.chance(90))
        s.say(1, "await mbarrier.try_wait.parity.acquire." + s.pick({"cluster", "cluster", "cta"}) + ".shared::cta.b64 [bar], 0");
    const std::string r = s.fresh("r");
    s.say(1, "ld.weak.shared::cta.u32 " + r + ", [x]");
    s.chance(50) ? s.keep(1, r) : s.decide(1, r);
    if (s.chance(30)) s.say(1, "red.relaxed.cluster.shared::cta." + s.pick({"add.u32", "max.u32", "and.b32"}) + " [x], 1");
}

// ---- barriers with a result --------------------------------------------------------------------------------------------

// Predicates of a block come together, and what comes out decides or is kept.
void draw_barriers(Sketch& s) {
    const int n = 2 + s.below(2);
    for (int t = 0; t < n; ++t) s.place(0, t == 2 && s.chance(30) ? 1 : 0);
    s.declare(Sketch::global, ".u32 data = " + s.number(2));
    s.declare(".shared.cta0 .u32 flag = " + s.number(2) + ";");
    for (int t = 0; t < n; ++t) {
        if (s.chance(35)) s.say(t, "st.weak.global.u32 [data], " + s.number(3));
        const std::string r = s.fresh("r");
        const int from = s.below(100);
        if (from < 60 || s.cta(t) != 0)
            s.say(t, "mov.u32 " + r + ", " + s.number(3));
        else if (from < 80)
            s.say(t, "ld.relaxed.cta.shared::cta.u32 " + r + ", [flag]");
        else
            s.say(t, "atom.relaxed.cta.shared::cta.add.u32 " + r + ", [flag], 1");
        s.say(t, "setp.eq.u32 p, " + r + ", 1");
    }
    const int rounds = 1 + s.below(2);
    for (int i = 0; i < rounds; ++i) {
        const std::string kind = s.pick({"and", "or", "popc"}), id = s.pick({"0", "0", "1"});
        for (int t = 0; t < n; ++t) {
            const std::string not_ = s.chance(15) ? "!" : "";
            if (s.chance(3)) {
                s.say(t, "exit");
                continue;
            }
            const std::string q = s.fresh("q"), v = s.fresh("v");
            const std::string other = s.chance(4) ? s.pick({"and", "or"}) : kind;
            if (other == "popc") {
                s.say(t, "bar.red.popc.u32 " + v + ", " + id + ", " + not_ + "p");
                s.say(t, "setp.ne.u32 " + q + ", " + v + ", 0");  // a thread of the test counts as its warp, a thread of the kernel as one
            } else {
                s.say(t, "barrier.red." + other + ".pred " + q + ", " + id + ", " + not_ + "p");
            }
            if (s.chance(40)) {
                s.say(t, "@" + q + " st.weak.global.u32 [data], " + s.number(4));
            } else if (s.chance(60)) {
                s.say(t, "selp.u32 " + v + "k, 1, 0, " + q);
                s.keep(t, v + "k");
            }
        }
    }
    const int last = s.below(n);
    if (s.chance(60)) {
        const std::string r = s.fresh("r");
        s.say(last, "ld.weak.global.u32 " + r + ", [data]");
        s.keep(last, r);
    }
}

// ---- orders of strong accesses -----------------------------------------------------------------------------------------

// Two or three threads draw tickets, take locks, poll and publish. They touch the data or not, as they find this or that.
class Orders {
public:
    explicit Orders(Sketch& s) : s_(s) {}

    void draw() {
        s_.place(s_.chance(65) ? 2 : 3);
        tell();
    }
    // Two or three of the threads are lanes of one warp, which may have one text. There the number of the lane may decide something.
    void draw_of_lanes() {
        const bool have_one_text = s_.chance(60);
        const int lanes = have_one_text && s_.chance(40) ? 3 : 2;
        for (int lane = 0; lane < lanes; ++lane) s_.place(0, 0, ".warp0.lane" + std::to_string(lane));
        if (s_.chance(50)) s_.place(0, s_.chance(70) ? 1 : 0, ".warp1.lane0");
        twins_ = have_one_text ? lanes : 0;
        names_ = twins_ > 0 && s_.chance(50);
        if (names_) say(0, "mov.u32 lane, %laneid");
        tell();
    }
    // The words are one vector, which is read and written as a whole, too, or always.
    void draw_of_vectors() {
        vectors_ = true;
        whole_ = s_.chance(40);
        words_ = {"x", "x+4"};
        draw();
    }

private:
    void tell() {
        s_.declare(Sketch::global, ".u32 data = 0");
        if (vectors_) s_.declare(Sketch::global, ".u32 x[2] = 0");
        for (const std::string& word : words_)
            if (!vectors_) s_.declare(Sketch::global, ".u32 " + word + " = 0");
        const int all = 2 * s_.threads() + s_.below(4), story = whole_ ? 3 : s_.below(6);
        for (int t = 0; t < s_.threads(); ++t) {
            if (0 < t && t < twins_) continue;
            if (story == 4) shake_hands(t);
            if (story == 5) pass_on(t);
            if (story == 0) ticket(t);
            if (story == 1) locked(t);
            if (story == 2) raise_and_look(t);
        }
        for (int i = story == 3 ? 0 : all; i < all; ++i) step(s_.any_thread());
        if (story != 3 && s_.chance(story > 3 ? 10 : 30)) step(s_.any_thread());
        if (twins_ > 0 && s_.chance(50)) meet();
    }
    void say(int t, const std::string& line) {
        for (int other = 0; other < (t < twins_ ? twins_ : 0); ++other) s_.say(other, line);
        if (t >= twins_) s_.say(t, line);
    }
    std::string sem(const Sketch::Texts& strong) { return s_.chance(45) ? "relaxed" : s_.pick(strong); }
    std::string word() { return s_.pick(words_); }
    void fence(int t) {
        if (s_.chance(30)) say(t, "fence." + s_.pick({"acq_rel", "acq_rel", "sc"}) + ".gpu");
    }
    // The two lanes meet, or exchange what they have found, and go on.
    void meet() {
        const std::string mask = std::to_string((1 << twins_) - 1);
        if (s_.chance(40)) {
            say(0, "bar.warp.sync " + mask);
        } else {
            const std::string found = s_.fresh("r"), sum = s_.fresh("r");
            say(0, "ld." + sem({"acquire"}) + ".gpu.global.u32 " + found + ", [" + word() + "]");
            say(0, "redux.sync.add.u32 " + sum + ", " + found + ", " + mask);
            use(0, sum, 4);
        }
        step(0);
    }
    // The register decides about the data, or about a word.
    void use(int t, const std::string& r, int values) {
        const std::string p = s_.fresh("p");
        say(t, "setp." + s_.pick({"eq", "eq", "ne"}) + ".u32 " + p + ", " + r + ", " + s_.number(values));
        fence(t);
        touch(t, "@" + p + " ");
    }
    void touch(int t, std::string guard) {
        const bool has_name = names_ && t < twins_;
        if (has_name && s_.chance(15)) {
            const std::string p = s_.fresh("p");
            say(t, "setp." + s_.pick({"eq", "ne"}) + ".u32 " + p + ", lane, " + s_.number(twins_));
            guard = "@" + p + " ";
        }
        const int what = s_.below(100);
        if (what < 40)
            say(t, guard + "st.weak.global.u32 [data], " + (has_name && s_.chance(40) ? "lane" : std::to_string(t + 1)));
        else if (what < 75)
            say(t, guard + "ld.weak.global.u32 " + s_.fresh("r") + ", [data]");
        else if (whole_)
            store_vector(t, guard);
        else
            say(t, guard + "st." + sem({"release"}) + ".gpu.global.u32 [" + word() + "], 1");
    }
    void ticket(int t) {
        if (s_.chance(60)) touch(t, "");
        fence(t);
        const std::string r = s_.fresh("r");
        say(t, "atom." + sem({"acq_rel", "acq_rel", "release", "acquire"}) + ".gpu.global.add.u32 " + r + ", [x], 1");
        use(t, r, s_.threads());
    }
    void locked(int t) {
        const std::string r = s_.fresh("r"), p = s_.fresh("p"), label = s_.fresh("LOOP");
        say(t, label + ":");
        say(t, "atom." + s_.pick({"acquire", "acquire", "relaxed"}) + ".gpu.global.cas.b32 " + r + ", [x], 0, 1");
        say(t, "setp.ne.u32 " + p + ", " + r + ", 0");
        say(t, "@" + p + " bra " + label);
        fence(t);
        touch(t, "");
        if (s_.chance(40)) touch(t, "");
        fence(t);
        say(t, s_.chance(50) ? "st." + s_.pick({"release", "release", "relaxed"}) + ".gpu.global.u32 [x], 0"
                             : "atom." + s_.pick({"release", "release", "relaxed"}) + ".gpu.global.exch.b32 _, [x], 0");
    }
    void raise_and_look(int t) {
        const bool first = t % 2 == 0;
        if (s_.chance(40)) touch(t, "");
        say(t, "st." + sem({"release"}) + ".gpu.global.u32 [" + words_[first ? 0 : 1] + "], 1");
        fence(t);
        const std::string r = s_.fresh("r");
        say(t, "ld." + sem({"acquire"}) + ".gpu.global.u32 " + r + ", [" + words_[first ? 1 : 0] + "]");
        use(t, r, 2);
    }
    void store_vector(int t, const std::string& guard) {
        say(t, guard + "st." + sem({"release"}) + ".gpu.global.v2.u32 [x], {" + s_.number(3) + ", " + s_.number(3) + "}");
    }
    // Both registers decide about the data, or about a word.
    void use_both(int t, const std::string (&both)[2]) {
        const std::string p = s_.fresh("p");
        say(t, "setp.eq.u32 " + p + ", " + both[0] + ", " + s_.number(3));
        say(t, "setp.eq.and.u32 " + p + ", " + both[1] + ", " + s_.number(3) + ", " + p);
        if (s_.chance(20)) fence(t);
        touch(t, "@" + p + " ");
    }
    // One of its elements decides, or both do, or none.
    void vector(int t) {
        if (s_.chance(10)) {
            const std::string weak = s_.chance(50) ? "st.weak.global.u32 [" : "ld.weak.global.u32 " + s_.fresh("r") + ", [";
            return say(t, weak + word() + (weak.front() == 's' ? "], 2" : "]"));
        }
        const std::string both[] = {s_.fresh("r"), s_.fresh("r")};
        const std::string& decides = both[s_.below(2)];
        switch (s_.below(3)) {
            case 0:
                return store_vector(t, "");
            case 1:
                say(t, "ld." + sem({"acquire"}) + ".gpu.global.v2.u32 {" + both[0] + ", " + both[1] + "}, [x]");
                if (s_.chance(40)) return use_both(t, both);
                if (s_.chance(20)) say(t, "add.u32 " + decides + ", " + both[0] + ", " + both[1]);
                return use(t, decides, 3);
            default:
                const std::string label = s_.fresh("LOOP"), p = s_.fresh("p"), q = s_.fresh("p");
                say(t, label + ":");
                say(t, "ld." + sem({"acquire"}) + ".gpu.global.v2.u32 {" + both[0] + ", " + both[1] + "}, [x]");
                say(t, "setp.eq.u32 " + p + ", " + decides + ", 0");
                if (s_.chance(30)) say(t, "setp.eq.or.u32 " + p + ", " + both[0] + ", 0, " + p);
                say(t, "@" + p + " bra " + label);
                if (s_.chance(40)) fence(t);
                return s_.chance(40) ? use(t, s_.pick({both[0], both[1]}), 3) : touch(t, "");
        }
    }
    // Repeats an access as long as what it finds fails. Gives the register of that.
    std::string loop(int t, const std::string& access, const std::string& fails) {
        const std::string r = s_.fresh("r"), p = s_.fresh("p"), label = s_.fresh("LOOP");
        const auto tries = [&](const std::string& guard, const std::string& to) {
            const size_t at = access.find("%");
            say(t, access.substr(0, at) + r + access.substr(at + 1));
            say(t, "setp." + fails.substr(0, 2) + ".u32 " + p + ", " + r + ", " + fails.substr(2));
            say(t, guard + p + " bra " + to);
        };
        const int before = s_.chance(40) ? 1 + s_.below(2) : 0;  // rounds that stand before the loop
        for (int round = 0; round < before; ++round) tries("@!", label + "END");
        say(t, label + ":");
        tries("@", label);
        say(t, label + "END:");
        return r;
    }
    // Two threads raise each other's word, and take their own back.
    void shake_hands(int t) {
        const bool first = t % 2 == 0;
        const std::string own = words_[first ? 0 : 1], other = words_[first ? 1 : 0];
        const auto some = [&](int percent) {
            if (s_.chance(percent)) say(t, "fence.acq_rel.gpu");
        };
        const int fences = s_.chance(65) ? 90 : 10;
        if (s_.chance(70)) touch(t, "");
        const int rounds = s_.chance(25) ? 2 : 1;
        for (int i = 0; i < rounds; ++i) {
            some(fences);
            if (s_.chance(60))
                loop(t, "atom." + sem({"release", "acq_rel"}) + ".gpu.global.cas.b32 %, [" + other + "], 0, 1", "ne0");
            else
                say(t, "st." + sem({"release"}) + ".gpu.global.u32 [" + other + "], 1");
            some(10);
            if (s_.chance(60))
                loop(t, "atom." + sem({"acquire", "acq_rel"}) + ".gpu.global.cas.b32 %, [" + own + "], 1, 0", "ne1");
            else
                loop(t, "ld." + sem({"acquire"}) + ".gpu.global.u32 %, [" + own + "]", "eq0");
            some(fences);
            if (s_.chance(70)) touch(t, "");
        }
    }
    // Each thread waits for a word, or looks at it, and raises the next one; somebody begins.
    void pass_on(int t) {
        const bool first = t % 2 == 0, begins = t == 2 || s_.chance(20);
        const std::string from = words_[first ? 0 : 1], to = words_[first ? 1 : 0];
        if (s_.chance(40)) touch(t, "");
        if (begins) {
            say(t, "st." + sem({"release"}) + ".gpu.global.u32 [" + from + "], 2");
            return;
        }
        fence(t);
        std::string r = s_.fresh("r");
        if (s_.chance(70))
            r = loop(t, "ld." + sem({"acquire"}) + ".gpu.global.u32 %, [" + from + "]", "eq0");
        else
            say(t, "ld." + sem({"acquire"}) + ".gpu.global.u32 " + r + ", [" + from + "]");
        fence(t);
        if (s_.chance(70))
            say(t, "st." + sem({"release"}) + ".gpu.global.u32 [" + to + "], 1");
        else
            say(t, "atom." + sem({"acq_rel"}) + ".gpu.global." +
                       s_.pick({"exch.b32 _, [" + to + "], 1", "or.b32 _, [" + to + "], 1", "cas.b32 _, [" + to + "], 0, 1"}));
        if (s_.chance(60)) use(t, r, 3);
    }
    void step(int t) {
        const std::string r = s_.fresh("r");
        if (vectors_ && s_.chance(60)) return vector(t);
        if (whole_) return s_.chance(50) ? touch(t, "") : vector(t);
        switch (s_.below(6)) {
            case 0:
                return touch(t, "");
            case 1:
                say(t, "ld." + sem({"acquire"}) + ".gpu.global.u32 " + r + ", [" + word() + "]");
                return use(t, r, 2);
            case 2:
                say(t, "st." + sem({"release"}) + ".gpu.global.u32 [" + word() + "], " + s_.number(3));
                return;
            case 3:
                say(t, "atom." + sem({"acq_rel", "release", "acquire"}) + ".gpu.global." + s_.pick({"add.u32", "exch.b32"}) + " " + r +
                           ", [" + word() + "], " + s_.number(3));
                return use(t, r, 2);
            case 4:
                say(t, "atom." + sem({"acq_rel", "release", "acquire"}) + ".gpu.global.cas.b32 " + r + ", [" + word() + "], " +
                           s_.number(2) + ", " + s_.number(3));
                return use(t, r, 2);
            default:
                say(t, "await ld." + sem({"acquire"}) + ".gpu.global.u32 " + r + ", [" + word() + "] >= 1");
                if (s_.chance(40)) fence(t);
                return touch(t, "");
        }
    }

    Sketch& s_;
    int twins_ = 0;       // so many of the first threads do the same
    bool names_ = false;  // which of them has its number in a register
    bool vectors_ = false;
    bool whole_ = false;  // there are no other accesses to the words
    Sketch::Texts words_ = {"x", "y"};
};

void draw_orders(Sketch& s) {
    Orders(s).draw();
}

void draw_vectors(Sketch& s) {
    Orders(s).draw_of_vectors();
}

void draw_lanes(Sketch& s) {
    Orders(s).draw_of_lanes();
}

// ---- detours -------------------------------------------------------------------------------------------------------------------

// A thread writes data and raises a flag, and does so again. Others look at flags, once or until they are raised, and read this or that by
// what they find. Then they publish, go on, and others follow.
class Looks {
public:
    explicit Looks(Sketch& s) : s_(s) {}

    void draw() {
        s_.place(s_.chance(45) ? 2 : 3);
        for (const char* const data : {"a", "b", "c"}) s_.declare(Sketch::global, ".u32 " + std::string(data) + " = 0");
        for (const char* const flag : {"x", "y", "z"}) s_.declare(Sketch::global, ".u32 " + std::string(flag) + " = 0");
        write(0, "x", {"a", "b"});
        const bool third_looks = s_.chance(50);
        if (s_.threads() == 3 && !third_looks) write(2, "z", {"c", "b"});
        look(1, s_.threads() == 3 && !third_looks ? Sketch::Texts{"x", "z"} : Sketch::Texts{"x"}, "y");
        if (s_.threads() == 2) return;
        if (third_looks) look(2, {"y", "x"}, "z");
        if (s_.chance(60)) follow(s_.chance(70) ? 0 : 2);
    }

private:
    std::string sem(const std::string& strong, int percent) { return s_.chance(percent) ? strong : "relaxed"; }
    std::string data() { return s_.pick({"a", "a", "b", "c"}); }

    void write(int t, const std::string& flag, const Sketch::Texts& data) {
        const int releases = s_.chance(80) ? 100 : 50, rounds = s_.chance(75) ? 2 : 1;
        for (int i = 0; i < rounds; ++i) {
            if (s_.chance(85)) s_.say(t, "st.weak.global.u32 [" + data[static_cast<size_t>(i)] + "], " + std::to_string(i + 5));
            if (s_.chance(10)) s_.say(t, "fence.acq_rel.gpu");
            s_.say(t, "st." + sem("release", releases) + ".gpu.global.u32 [" + flag + "], " + std::to_string(s_.chance(92) ? i + 1 : 1));
        }
        if (s_.chance(8)) s_.say(t, "st.weak.global.u32 [" + s_.pick(data) + "], 9");
        if (s_.chance(8)) s_.say(t, "atom.acq_rel.gpu.global.add.u32 " + s_.fresh("r") + ", [" + flag + "], 1");
    }
    // One flag after the other, until one says that this is enough.
    void look(int t, const Sketch::Texts& flags, const std::string& own) {
        const std::string sum = s_.fresh("s"), end = s_.fresh("END");
        const int acquires = s_.chance(80) ? 100 : 50;
        if (s_.chance(25)) s_.say(t, "st.weak.global.u32 [c], 3");
        if (s_.chance(25)) s_.say(t, "st." + sem("release", 80) + ".gpu.global.u32 [" + own + "], 1");
        s_.say(t, "mov.u32 " + sum + ", 0");
        for (const std::string& flag : flags) {
            const std::string r = s_.fresh("r"), p = s_.fresh("p"), q = s_.fresh("p"), label = s_.fresh("LOOP");
            const bool waits = s_.chance(65);
            if (waits) s_.say(t, label + ":");
            s_.say(t, "ld." + sem("acquire", acquires) + ".gpu.global.u32 " + r + ", [" + flag + "]");
            if (s_.chance(10)) s_.say(t, "fence." + s_.pick({"acq_rel", "sc"}) + ".gpu");
            if (waits) {
                s_.say(t, "setp.eq.u32 " + p + ", " + r + ", 0");
                s_.say(t, "@" + p + " bra " + label);
            }
            s_.say(t, "setp." + s_.pick({"eq", "eq", "ge"}) + ".u32 " + q + ", " + r + ", " + (s_.chance(80) ? "2" : "1"));
            const std::string v = s_.fresh("v");
            s_.say(t, "mov.u32 " + v + ", 0");
            if (s_.chance(75)) s_.say(t, "@" + q + " ld.weak.global.u32 " + v + ", [" + (s_.chance(85) ? "b" : data()) + "]");
            if (s_.chance(75))
                s_.say(t, (waits && s_.chance(85) ? "@!" : "@") + q + " ld.weak.global.u32 " + v + ", [" + (s_.chance(85) ? "a" : data()) +
                              "]");
            s_.say(t, "add.u32 " + sum + ", " + sum + ", " + v);
            if (s_.chance(70)) s_.say(t, "@" + q + " bra " + end);
        }
        s_.say(t, end + ":");
        if (s_.chance(15))
            s_.decide(t, sum);
        else
            s_.keep(t, sum);
        if (s_.chance(20)) s_.say(t, "ld.weak.global.u32 " + s_.fresh("r") + ", [" + data() + "]");
        if (s_.chance(10)) s_.say(t, "st.weak.global.u32 [" + data() + "], 4");
        s_.say(t, "st." + sem("release", 80) + ".gpu.global.u32 [" + own + "], 2");
        if (s_.chance(10)) s_.say(t, "ld.weak.global.u32 " + s_.fresh("r") + ", [" + data() + "]");
    }
    // It waits until the second thread has looked, and goes on with the data.
    void follow(int t) {
        s_.say(t, "await ld." + sem("acquire", 85) + ".gpu.global.u32 " + s_.fresh("r") + ", [y] >= " + (s_.chance(80) ? "2" : "1"));
        s_.say(t, s_.chance(70) ? "st.weak.global.u32 [" + data() + "], 8" : "ld.weak.global.u32 " + s_.fresh("r") + ", [" + data() + "]");
    }

    Sketch& s_;
};

void draw_detours(Sketch& s) {
    Looks(s).draw();
}

using Draw = void (*)(Sketch&);
const std::vector<std::pair<std::string, Draw>>& shapes() {
    static const std::vector<std::pair<std::string, Draw>> all = {
        {"updates", draw_updates},     {"packed", draw_packed},       {"scopes", draw_scopes}, {"masks", draw_masks},
        {"elections", draw_elections}, {"alignment", draw_alignment}, {"places", draw_places}, {"phases", draw_phases},
        {"async", draw_async},         {"barriers", draw_barriers},   {"orders", draw_orders}, {"lanes", draw_lanes},
        {"vectors", draw_vectors},     {"detours", draw_detours},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& kernel_shapes() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, draw] : shapes()) all.push_back(name);
        return all;
    }();
    return names;
}

std::string random_kernel(const std::string& shape, uint64_t seed) {
    const auto found = std::find_if(shapes().begin(), shapes().end(), [&](const auto& one) { return one.first == shape; });
    if (found == shapes().end()) throw std::out_of_range("no shape of this name: " + shape);
    Sketch sketch(shape, seed);
    found->second(sketch);
    return sketch.text();
}

}  // namespace litmus
