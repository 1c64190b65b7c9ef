// The parts that random shapes are told with. Private to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "random_program.h"

namespace litmus::naive {

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
        static const Lines begins = {"st.",      "red.",          "fence",          "bar.sync",
                                     "barrier.", "mbarrier.init", "mbarrier.inval", "await mbarrier",
                                     "cp.",      "tensormap.",    "griddepcontrol"};
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
        return result + claim_;
    }
    // What registers it does not mention end as is then no part of outcomes.
    void claim(const std::string& text) { claim_ = "\n" + text + "\n"; }

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
    std::string claim_;
    std::vector<Lines> bodies_;
    int names_ = 0;
};

// The shapes (shapes_objects.cpp, shapes_memory.cpp, shapes_tensor.cpp, shapes_boxes.cpp,
// shapes_crossing.cpp, shapes_places.cpp, shapes_grids.cpp, shapes_matrices.cpp).
void initialise(Story& s);
void again(Story& s);
void travelling_token(Story& s);
void kept_token(Story& s);
void counts(Story& s);
void remote(Story& s);
void polling(Story& s);
void polling_copy(Story& s);
void timeouts(Story& s);
void matrices(Story& s);
void scaled(Story& s);
void quotients(Story& s);
void pair_of_ctas(Story& s);
void together(Story& s);
void restricted(Story& s);
void aliased(Story& s);
void given_back(Story& s);
void wide(Story& s);
void groups(Story& s);
void addresses(Story& s);
void exits(Story& s);
void copies(Story& s);
void registers(Story& s);
void ring(Story& s);
void lanes(Story& s);
void votes(Story& s);
void buffering(Story& s);
void multicast(Story& s);
void tiles(Story& s);
void maps(Story& s);
void rows(Story& s);
void columns(Story& s);
void boxes(Story& s);
void crossing(Story& s);
void places(Story& s);
void grids(Story& s);

}  // namespace litmus::naive
