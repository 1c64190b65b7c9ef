// Random tests with multimem addresses: two locations, an address that points to both, accesses by it and by the locations' own addresses,
// alias proxy fences and others in between. Of integers; or of floating-point numbers, in vectors and packed, at two or three locations,
// with a flag that one thread raises and another polls.
#include "random_multimem.h"

#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

constexpr int most_multimem_events = 7, most_float_events = 9;

class Broadcast {
public:
    explicit Broadcast(uint64_t seed) : random_(seed), title_("multimem-" + std::to_string(seed)), floats_(chance(45)) {
        if (floats_) element_ = pick({"f32", "f32", "bf16", "bf16", "bf16x2"});
        if (floats_ && chance(element_ == "f32" ? 60 : 25)) locations_.push_back("z");
        flags_ = floats_ && chance(50);
    }

    std::string text() {
        const int threads = chance(80) ? 2 : 3;
        std::string bodies;
        for (int t = 0; t < threads; ++t) {
            const int gpu = chance(60) ? t % 2 : 0;
            bodies += "thread P" + std::to_string(t) + " @ gpu" + std::to_string(gpu) + ".cluster" + std::to_string(t) + ".cta" +
                      std::to_string(t) + " {\n";
            if (flags_ && t == 1) bodies += "  " + poll(t) + ";\n";
            const int most = 1 + random_.below(floats_ ? 3 : 4);
            for (int k = 0; k < most; ++k) bodies += "  " + (floats_ ? float_instruction(t) : instruction(t)) + ";\n";
            if (flags_ && t == 0 && chance(95)) bodies += "  " + signal() + ";\n";
            bodies += "}\n";
        }
        for (const std::string& name : locations_)
            terms_.push_back(element_ == "bf16" ? name + "[" + pick({"0", "1"}) + "] == " + number() : name + " == " + whole());
        std::string condition = atom();
        if (chance(50)) condition += " /\\ " + atom();
        return "test \"" + title_ + "\"\n\n" + declarations() + bodies + "\n" + pick({"exists", "~exists", "forall"}) + " (" + condition +
               ")\n";
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    std::string scope() { return pick({"gpu", "sys", "sys"}); }
    std::string strong(const std::string& other) { return pick({"relaxed", "relaxed", other}) + "." + scope(); }
    std::string atom() { return random_.pick(terms_); }

    std::string declarations() {
        std::string result, all;
        for (const std::string& name : locations_) {
            const std::string init = !floats_ ? "0" : element_ == "bf16" ? "{" + number() + ", " + number() + "}" : whole();
            result += ".global ." + element_ + " " + name + (element_ == "bf16" ? "[2]" : "") + " = " + init + ";\n";
            all += (all.empty() ? "" : ", ") + name;
        }
        result += ".multimem m = " + all + ";\n";
        if (flags_) result += ".global .u32 fx = 0;\n.global .u32 fy = 0;\n.multimem f = fx, fy;\n";
        return result + "\n";
    }

    // A new register, and what a claim may say of it.
    std::string result(int thread, const std::string& value) {
        const std::string name = "r" + std::to_string(registers_++);
        terms_.push_back("P" + std::to_string(thread) + ":" + name + " == " + value);
        return name;
    }

    std::string instruction(int thread) {
        const int kind = random_.below(100);
        if (kind < 18 || events_ >= most_multimem_events)
            return chance(60) ? "fence.proxy.alias" : "fence." + pick({"acq_rel", "sc"}) + "." + scope();
        const std::string place = chance(50) ? "[x]" : "[y]", value = std::to_string(1 + random_.below(2));
        events_ += kind < 40 ? 4 : kind < 75 ? 2 : 1;
        if (kind < 40) return "multimem.red." + strong("release") + ".global.add.u32 [m], " + value;
        if (kind < 58) return "multimem.st." + (chance(40) ? "weak" : strong("release")) + ".global.u32 [m], " + value;
        if (kind < 75)
            return "multimem.ld_reduce." + (chance(30) ? "weak" : strong("acquire")) + ".global." + pick({"add", "max"}) + ".u32 " +
                   result(thread, number()) + ", [m]";
        if (kind < 88) return "ld." + (chance(30) ? "weak" : strong("acquire")) + ".global.u32 " + result(thread, number()) + ", " + place;
        if (kind < 95) return "st." + (chance(30) ? "weak" : strong("release")) + ".global.u32 " + place + ", " + value;
        return "red." + strong("release") + ".global.add.u32 " + place + ", " + value;
    }

    // ---- floating point ---------------------------------------------------------------------------------------

    // Numbers whose sums depend on the order of additions: 1 beside 256, and beside 2^24.
    std::string number() {
        if (!floats_) return std::to_string(random_.below(4));
        return element_ == "f32" ? pick({"1.0", "1.0", "16777216.0", "-16777216.0"}) : pick({"1.0", "1.0", "256.0", "-256.0"});
    }

    std::string whole() { return element_ == "bf16x2" ? packed() : number(); }

    // The two elements of a location as one register, or as two.
    std::string form() { return element_ == "bf16" ? pick({"bf16x2", "v2.bf16"}) : "bf16x2"; }
    std::string packed() { return pick({"0x3f803f80", "0x43803f80", "0xc3803f80"}); }
    std::string written(const std::string& form) {
        return form == "f32" ? number() : form == "bf16x2" ? packed() : "{" + number() + ", " + number() + "}";
    }
    std::string results(int thread, const std::string& form) {
        const auto one = [&] {
            return result(thread, form == "bf16x2" ? packed() : form == "f32" || form == "v2.bf16" ? number() : pick({"0x3f80", "0x4380"}));
        };
        if (form != "v2.bf16" && form != "v2.b16") return one();
        const std::string first = one();
        return "{" + first + ", " + one() + "}";
    }

    std::string float_instruction(int thread) {
        const int kind = random_.below(100), scalars = element_ == "f32" ? 1 : 2;
        if (kind < 20 || events_ >= most_float_events)
            return chance(60) ? "fence.proxy.alias" : "fence." + pick({"acq_rel", "sc"}) + "." + scope();
        const int all = scalars * static_cast<int>(locations_.size());
        const std::string of = element_ == "f32" ? "f32" : form(), place = "[" + pick(locations_);
        events_ += kind < 32 ? 2 * all : kind < 75 ? all : scalars;
        if (kind < 32) return "multimem.red." + strong("release") + ".global.add." + of + " [m], " + written(of);
        if (kind < 48) return "multimem.st." + (chance(40) ? "weak" : strong("release")) + ".global." + of + " [m], " + written(of);
        if (kind < 75) {
            const std::string how = element_ == "f32" ? "add" : pick({"add", "add", "add.acc::f32", "add.acc::f32", "max", "min"});
            return "multimem.ld_reduce." + (chance(30) ? "weak" : strong("acquire")) + ".global." + how + "." + of + " " +
                   results(thread, of) + ", [m]";
        }
        const std::string second = scalars == 2 && chance(50) ? "+2]" : "]";
        if (element_ == "bf16x2") return both_halves(thread, place + "]");
        const std::string bits = element_ == "f32" ? "f32" : pick({"b16", "v2.b16"}), where = place + (bits == "b16" ? second : "]");
        if (kind < 90)
            return "ld." + (chance(30) ? "weak" : strong("acquire")) + ".global." + bits + " " + results(thread, bits) + ", " + where;
        if (kind < 96) {
            const std::string value = bits == "f32" ? number() : bits == "b16" ? "0x3f80" : "{0x4380, 0x3f80}";
            return "st." + (chance(30) ? "weak" : strong("release")) + ".global." + bits + " " + where + ", " + value;
        }
        if (element_ == "bf16" && chance(40))
            return "red." + strong("release") + ".global.add.noftz.v2.bf16 " + place + "], " + written("v2.bf16");
        return "red." + strong("release") + ".global.add." + (element_ == "f32" ? "" : "noftz.") + element_ + " " + place + second + ", " +
               number();
    }

    // Of a packed element that is two locations, in one access.
    std::string both_halves(int thread, const std::string& place) {
        const int kind = random_.below(100);
        if (kind < 55) return "ld." + (chance(50) ? "weak" : strong("acquire")) + ".global.b32 " + result(thread, packed()) + ", " + place;
        if (kind < 80) return "st." + (chance(50) ? "weak" : strong("release")) + ".global.b32 " + place + ", " + packed();
        if (kind < 90) return "multimem.st." + (chance(50) ? "weak" : strong("release")) + ".global.f32 [m], 0f" + packed().substr(2);
        return "red." + strong("release") + ".global.add.noftz.bf16x2 " + place + ", " + packed();
    }

    std::string signal() {
        return chance(85) ? "multimem.red." + pick({"release", "release", "relaxed"}) + "." + scope() + ".global.add.u32 [f], 1"
                          : "multimem.st." + strong("release") + ".global.u32 [f], 1";
    }
    std::string poll(int thread) {
        return "await ld." + pick({"acquire", "acquire", "relaxed"}) + "." + scope() + ".global.u32 " + result(thread, "1") + ", [" +
               pick({"fx", "fy"}) + "] == 1";
    }

    Random random_;
    std::string title_;
    std::vector<std::string> terms_;  // what the claim may speak of
    std::vector<std::string> locations_{"x", "y"};
    std::string element_ = "u32";
    bool floats_ = false;
    bool flags_ = false;
    int registers_ = 0;
    int events_ = 0;
};

}  // namespace

std::string random_multimem(uint64_t seed) {
    return Broadcast(seed).text();
}

}  // namespace litmus
