// Random tests about 128 bits: stores, loads and atomics of a word of two halves, beside vectors of these halves and fences; or the state
// of a tile, its flag below and its value above, which another thread looks at or waits for.
#include "random_words.h"

#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

constexpr int most_word_events = 9;

class Words {
public:
    explicit Words(uint64_t seed) : random_(seed), title_("words-" + std::to_string(seed)) {}

    std::string text() {
        const bool shared = chance(25);
        space_ = shared ? ".shared::cta" : ".global";
        alias_ = !shared && chance(12);
        declare((shared ? ".shared.cta0" : ".global") + std::string(" .b128 w = {0, ") + pick({"0", "0", "1"}) + "};");
        if (alias_) declare(".global .b128 also alias w;");
        const bool looks_back = chance(30);
        const int threads = looks_back || chance(75) ? 2 : 3;
        for (int t = 0; t < threads; ++t) places_.push_back("cta" + std::to_string(shared ? 0 : chance(70) ? t % 2 : 0));
        bodies_.resize(places_.size());
        if (looks_back)
            look_back();
        else
            for (int t = 0; t < threads; ++t) accesses(t);
        return written();
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    std::string scope() { return pick({"gpu", "gpu", "gpu", "cta"}); }
    std::string fence() { return "fence." + pick({"acq_rel", "sc", "release", "acquire"}) + "." + scope(); }
    std::string place() { return alias_ && chance(50) ? "[also]" : "[w]"; }

    void declare(const std::string& line) { declarations_ += line + "\n"; }
    void say(int thread, const std::string& line) { bodies_[static_cast<size_t>(thread)].push_back(line); }
    void observe(int thread, const std::string& name) { terms_.push_back("P" + std::to_string(thread) + ":" + name); }

    std::string fresh(const std::string& prefix) { return prefix + std::to_string(registers_++); }
    // Small halves, so that it is seen which store they come from.
    std::string half() { return pick({"1", "2"}); }
    // A register of 128 bits that has been given a value.
    std::string drawn(int thread, bool maybe_zero = false) {
        const std::string q = fresh("q");
        say(thread, "mov.b128 " + q + ", {" + (maybe_zero && chance(60) ? "0, 0" : half() + ", " + half()) + "}");
        return q;
    }
    std::string result(int thread) {
        const std::string q = fresh("o");
        observe(thread, q + ".lo");
        observe(thread, q + ".hi");
        return q;
    }

    void accesses(int thread) {
        const int most = 1 + random_.below(3);
        for (int k = 0; k < most && events_ < most_word_events; ++k) {
            if (k > 0 && chance(20)) say(thread, alias_ && chance(60) ? "fence.proxy.alias" : fence());
            access(thread);
        }
    }

    void access(int thread) {
        const int way = random_.below(100);
        if (way < 72 || events_ + 4 > most_word_events) {
            way < 36 ? store(thread) : load(thread);
            events_ += 2;
        } else {
            atomic(thread);
            events_ += 4;
        }
    }

    void store(int thread) {
        const std::string how = pick({"", ".weak", ".relaxed." + scope(), ".relaxed.gpu", ".release." + scope(), ".volatile"});
        if (chance(25)) return say(thread, "st" + how + space_ + ".v2.b64 " + place() + ", {" + half() + ", " + half() + "}");
        const std::string q = drawn(thread);
        say(thread, "st" + how + space_ + ".b128 " + place() + ", " + q);
    }

    void load(int thread) {
        const std::string how = pick({"", ".weak", ".relaxed." + scope(), ".relaxed.gpu", ".acquire." + scope(), ".volatile"});
        if (space_ == ".global" && chance(5)) return say(thread, "ld.global.nc.b128 " + result(thread) + ", " + place());
        if (!chance(25)) return say(thread, "ld" + how + space_ + ".b128 " + result(thread) + ", " + place());
        const std::string r = fresh("r");
        observe(thread, r + "l");
        observe(thread, r + "h");
        say(thread, "ld" + how + space_ + ".v2.b64 {" + r + "l, " + r + "h}, " + place());
    }

    void atomic(int thread) {
        const std::string name = "atom." + pick({"relaxed", "relaxed", "acquire", "release", "acq_rel"}) + "." + scope() + space_;
        const std::string new_ = drawn(thread);
        if (chance(50)) return say(thread, name + ".exch.b128 " + (chance(20) ? "_" : result(thread)) + ", " + place() + ", " + new_);
        const std::string compared = drawn(thread, true);
        say(thread, name + ".cas.b128 " + result(thread) + ", " + place() + ", " + compared + ", " + new_);
    }

    void look_back() {
        declare(".global .u32 x = 0;");
        say(0, "st.weak.global.u32 [x], 1");
        if (chance(20)) say(0, fence());
        const std::string release = "st." + pick({"release", "release", "relaxed"}) + "." + scope() + space_;
        if (chance(85)) {
            say(0, "mov.b128 state, {1, 2}");
            say(0, release + ".b128 [w], state");
        } else {
            say(0, release + ".v2.b64 [w], {1, 2}");
        }
        const bool loops = chance(40), whole = chance(80);
        if (loops) say(1, "L:");
        const std::string acquire = "ld." + pick({"acquire", "acquire", "relaxed"}) + "." + scope() + space_;
        say(1, whole ? acquire + ".b128 seen, [w]" : acquire + ".v2.b64 {f, v}, [w]");
        if (whole) say(1, "mov.b128 {f, v}, seen");
        observe(1, "f");
        observe(1, "v");
        say(1, "setp.eq.u64 p, f, 0");
        say(1, loops ? "@p bra L" : "@p bra END");
        if (chance(20)) say(1, fence());
        const int use = random_.below(3);
        if (use == 0) {
            say(1, "ld.weak.global.u32 r, [x]");
            observe(1, "r");
        } else if (use == 1) {
            say(1, "mov.b64 {l, h}, v");
            say(1, "st.weak.global.u32 [x], " + pick({"l", "h"}));
        } else {
            say(1, "mov.b128 next, {" + pick({"f", "v"}) + ", v}");
            say(1, "st.relaxed.gpu" + space_ + ".b128 [w], next");
        }
        if (!loops) say(1, "END:");
    }

    std::string atom() { return pick(terms_) + " == " + std::to_string(random_.below(3)); }

    std::string written() {
        std::string text = "test \"" + title_ + "\"\n\n" + declarations_ + "\n";
        for (size_t t = 0; t < places_.size(); ++t) {
            text += "thread P" + std::to_string(t) + " @ " + places_[t] + " {\n";
            for (const std::string& line : bodies_[t]) text += line.back() == ':' ? line + "\n" : "  " + line + ";\n";
            text += "}\n";
        }
        terms_.insert(terms_.end(), {"w.lo", "w.hi"});
        std::string condition = atom();
        if (chance(60)) condition += " /\\ " + atom();
        return text + "\n" + pick({"exists", "~exists", "forall"}) + " (" + condition + ")\n";
    }

    Random random_;
    std::string title_, space_, declarations_;
    bool alias_ = false;
    std::vector<std::string> places_;
    std::vector<std::vector<std::string>> bodies_;
    std::vector<std::string> terms_;  // what the claim may speak of
    int registers_ = 0;
    int events_ = 0;
};

}  // namespace

std::string random_words(uint64_t seed) {
    return Words(seed).text();
}

}  // namespace litmus
