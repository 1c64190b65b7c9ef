// Each shape is a small story that works, most of whose parts are drawn: which fence, which scope, whether at all. At the
// end a line is dropped, doubled or exchanged with its neighbour now and then.
#include "shapes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "random_async.h"
#include "random_program.h"
#include "syntax/print.h"

namespace litmus::naive {
namespace {

using Lines = std::vector<std::string>;

class Story {
public:
    explicit Story(uint64_t seed) : random_(seed) {}

    // ---- drawing
    bool chance(int percent) { return random_.chance(percent); }
    std::string one(const Lines& from) { return random_.pick(from); }
    int below(int n) { return random_.below(n); }

    // ---- writing
    void declare(const std::string& line) { declarations_.push_back(line); }
    int thread(const std::string& at) {
        places_.push_back(at);
        bodies_.emplace_back();
        return static_cast<int>(bodies_.size()) - 1;
    }
    void say(int thread, const std::string& line) { bodies_[static_cast<size_t>(thread)].push_back(line); }
    void say(int thread, const Lines& lines) {
        for (const std::string& line : lines) say(thread, line);
    }
    void maybe(int percent, int thread, const std::string& line) {
        if (chance(percent)) say(thread, line);
    }
    std::string fresh(const std::string& prefix) { return prefix + std::to_string(names_++); }

    // A line dropped, doubled or exchanged with the next: one that writes no register, so that the others still mean something.
    void spoil() {
        if (!chance(35)) return;
        Lines& body = bodies_[static_cast<size_t>(below(static_cast<int>(bodies_.size())))];
        if (body.size() < 2) return;
        const auto at = static_cast<size_t>(below(static_cast<int>(body.size()) - 1));
        if (!writes_no_register(body[at])) return;
        if (chance(50)) {
            if (body[at + 1].find("bra ") == std::string::npos && body[at + 1].back() != ':') std::swap(body[at], body[at + 1]);
        } else if (chance(75)) {
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::string(body[at]));
        }
    }

    static bool writes_no_register(const std::string& line) {
        static const Lines begins = {"st.",           "red.",           "fence",          "bar.sync", "barrier.",
                                     "mbarrier.init", "mbarrier.inval", "await mbarrier", "cp."};
        const bool arrives = line.rfind("mbarrier.arrive", 0) == 0 && line.find(" _,") != std::string::npos;
        return arrives || std::any_of(begins.begin(), begins.end(), [&](const std::string& b) { return line.rfind(b, 0) == 0; });
    }

    std::string text(const std::string& name) const {
        std::string result = "test \"" + name + "\"\n\n";
        for (const std::string& line : declarations_) result += line + "\n";
        for (size_t t = 0; t < bodies_.size(); ++t) {
            result += "\nthread P" + std::to_string(t) + " @ " + places_[t] + " {\n";
            for (const std::string& line : bodies_[t]) result += line.back() == ':' ? line + "\n" : "  " + line + ";\n";
            result += "}\n";
        }
        return result;
    }

    // ---- common parts
    std::string gpu_or_cta() { return one({"gpu", "gpu", "cta"}); }
    std::string fence() { return "fence." + one({"acq_rel", "sc", "release", "acquire"}) + "." + one({"cta", "cluster", "gpu"}); }
    std::string store(const std::string& space, const std::string& type, const std::string& at, const std::string& value) {
        const std::string sem = one({"weak", "weak", "weak", "relaxed.gpu", "release.gpu"});
        return "st." + sem + "." + space + "." + type + " [" + at + "], " + value;
    }
    std::string load(const std::string& space, const std::string& type, const std::string& r, const std::string& at) {
        const std::string sem = one({"weak", "weak", "weak", "relaxed.gpu", "acquire.gpu"});
        return "ld." + sem + "." + space + "." + type + " " + r + ", [" + at + "]";
    }
    std::string arrive(const std::string& object, const std::string& token = "_") {
        const std::string sem = one({"release.cta", "release.cta", "release.cluster", "relaxed.cta", "relaxed.cluster"});
        return "mbarrier.arrive." + sem + ".shared::cta.b64 " + token + ", [" + object + "]";
    }
    std::string expect(const std::string& object, int bytes) {
        return "mbarrier.arrive.expect_tx." + one({"release.cta", "relaxed.cta", "release.cluster"}) + ".shared::cta.b64 _, [" + object +
               "], " + std::to_string(bytes);
    }
    // Waits for a phase in one of the ways there are.
    Lines wait(const std::string& object, const std::string& phase, bool token = false) {
        const std::string sem = one({"acquire.cta", "acquire.cta", "acquire.cluster", "relaxed.cta"});
        const std::string what = std::string(token ? "" : ".parity") + "." + sem + ".shared::cta.b64 ";
        const int way = below(100);
        if (way < 65) return {"await mbarrier.try_wait" + what + "[" + object + "], " + phase};
        const std::string p = fresh("p");
        const std::string ask = "mbarrier.test_wait" + what + p + ", [" + object + "], " + phase;
        if (way < 80) {
            const std::string r = fresh("r");
            return {ask, "selp.u32 " + r + ", 1, 0, " + p};
        }
        const std::string label = fresh("L");
        Lines lines{label + ":", ask};
        if (chance(30)) lines.push_back(inside_loops_.empty() ? fence() : one(inside_loops_));
        lines.push_back("@!" + p + " bra " + label);
        return lines;
    }
    void put_in_loops(const std::string& line) { inside_loops_.push_back(line); }

    // Thread a goes before thread b, in one of the ways there are, or in none.
    void synchronize(int a, int b) {
        const bool together = places_[static_cast<size_t>(a)] == places_[static_cast<size_t>(b)];
        const int way = below(100);
        if (way < 20) return;
        if (way < 50 && together) {
            for (size_t t = 0; t < bodies_.size(); ++t)
                if (places_[t] == places_[static_cast<size_t>(a)]) say(static_cast<int>(t), "bar.sync 1");
        } else if (way < 65) {
            const bool relaxed = chance(40);
            for (size_t t = 0; t < bodies_.size(); ++t)
                say(static_cast<int>(t),
                    Lines{relaxed ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive", "barrier.cluster.wait"});
        } else {
            const std::string f = fresh("f"), r = fresh("r");
            declare(".global .u32 " + f + " = 0;");
            say(a, "st." + one({"release.gpu", "release.gpu", "relaxed.gpu", "release.cta"}) + ".global.u32 [" + f + "], 1");
            say(b, "await ld." + one({"acquire.gpu", "acquire.gpu", "relaxed.gpu", "acquire.cta"}) + ".global.u32 " + r + ", [" + f +
                       "] == 1");
        }
    }

private:
    Random random_;
    Lines declarations_, places_, inside_loops_;
    std::vector<Lines> bodies_;
    int names_ = 0;
};

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

// ---- polling loops ----------------------------------------------------------------------------------------------

void polling(Story& s) {
    const int a = s.thread("cta0"), b = s.thread("cta" + s.one({"0", "1"}));
    s.declare(".global .u32 f = 0;");
    s.declare(".global .u32 x = 0;");
    s.say(a, "st.weak.global.u32 [x], 1");
    s.maybe(25, a, s.fence());
    s.say(a, "st." + s.one({"release.gpu", "release.gpu", "relaxed.gpu", "release.cta", "weak"}) + ".global.u32 [f], 1");
    s.maybe(15, a, "st.relaxed.gpu.global.u32 [f], 2");
    s.maybe(20, b, "mov.u32 c, 0");
    s.say(b, "L:");
    const int way = s.below(100);
    if (way < 70)
        s.say(b, "ld." + s.one({"acquire.gpu", "acquire.gpu", "relaxed.gpu", "weak"}) + ".global.u32 r0, [f]");
    else if (way < 85)
        s.say(b, "atom.acquire.gpu.global.cas.b32 r0, [f], 1, 3");
    else
        s.say(b, "atom.relaxed.gpu.global.or.b32 r0, [f], 0");
    s.maybe(30, b, s.fence());
    if (s.chance(60)) s.say(b, s.load("global", "u32", "r1", "x"));
    s.maybe(15, b, "add.u32 c, c, 1");
    s.maybe(8, b, "red.relaxed.gpu.global.add.u32 [x], 1");
    s.say(b, "setp." + s.one({"ne", "ne", "eq"}) + ".u32 p, r0, 1");
    s.maybe(10, b, "@!p st.relaxed.gpu.global.u32 [f], 4");
    s.say(b, "@p bra L");
    if (s.chance(50)) s.say(b, s.load("global", "u32", "r2", "x"));
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
    } else if (use < 75) {
        s.say(a, "add.u64 r2, " + from + ", 1");
    }
    s.say(a, s.arrive("empty"));
    if (use >= 15 && use < 30) s.say(a, "END:");
    s.say(b, s.wait("empty", "0"));
    s.say(b, s.expect("full", 16));
    s.say(b, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [full]");
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

// ---- bar.red -----------------------------------------------------------------------------------------------------

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

struct Shape {
    std::string name;
    void (*tell)(Story&);
};

const std::vector<Shape>& all_shapes() {
    static const std::vector<Shape> all = {
        {"initialise", initialise},
        {"again", again},
        {"token", travelling_token},
        {"kept-token", kept_token},
        {"counts", counts},
        {"remote", remote},
        {"polling", polling},
        {"polling-copy", polling_copy},
        {"restricted", restricted},
        {"aliased", aliased},
        {"given-back", given_back},
        {"exits", exits},
        {"copies", copies},
        {"registers", registers},
        {"ring", ring},
        {"votes", votes},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& shapes() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const Shape& s : all_shapes()) result.push_back(s.name);
        result.insert(result.end(), {"story", "plain"});
        return result;
    }();
    return names;
}

std::string random_shape(const std::string& shape, uint64_t seed) {
    for (const Shape& s : all_shapes()) {
        if (s.name != shape) continue;
        Story story(seed);
        s.tell(story);
        story.spoil();
        return story.text(shape + "-" + std::to_string(seed));
    }
    if (shape == "story") return random_async(seed);
    if (shape == "plain") {
        RandomOptions options;
        options.memory_events = 6;
        options.aliases = seed % 4 == 0;
        return print(random_program(seed, options));
    }
    throw std::logic_error("no shape of this name: " + shape);
}

}  // namespace litmus::naive
