// Random tests with multimem addresses: two locations, an address that points to both, accesses by it and by the locations' own addresses,
// alias proxy fences and others in between.
#include "random_multimem.h"

#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

constexpr int most_multimem_events = 7;

class Broadcast {
public:
    explicit Broadcast(uint64_t seed) : random_(seed), title_("multimem-" + std::to_string(seed)) {}

    std::string text() {
        const int threads = chance(80) ? 2 : 3;
        std::string bodies;
        for (int t = 0; t < threads; ++t) {
            const int gpu = chance(60) ? t % 2 : 0;
            bodies += "thread P" + std::to_string(t) + " @ gpu" + std::to_string(gpu) + ".cluster" + std::to_string(t) + ".cta" +
                      std::to_string(t) + " {\n";
            const int most = 1 + random_.below(4);
            for (int k = 0; k < most; ++k) bodies += "  " + instruction(t) + ";\n";
            bodies += "}\n";
        }
        terms_.insert(terms_.end(), {"x", "y"});
        std::string condition = atom();
        if (chance(50)) condition += " /\\ " + atom();
        return "test \"" + title_ + "\"\n\n.global .u32 x = 0;\n.global .u32 y = 0;\n.multimem m = x, y;\n\n" + bodies + "\n" +
               pick({"exists", "~exists", "forall"}) + " (" + condition + ")\n";
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    std::string scope() { return pick({"gpu", "sys", "sys"}); }
    std::string strong(const std::string& other) { return pick({"relaxed", "relaxed", other}) + "." + scope(); }
    std::string atom() { return random_.pick(terms_) + " == " + std::to_string(random_.below(4)); }

    std::string result(int thread) {
        const std::string name = "r" + std::to_string(registers_++);
        terms_.push_back("P" + std::to_string(thread) + ":" + name);
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
                   result(thread) + ", [m]";
        if (kind < 88) return "ld." + (chance(30) ? "weak" : strong("acquire")) + ".global.u32 " + result(thread) + ", " + place;
        if (kind < 95) return "st." + (chance(30) ? "weak" : strong("release")) + ".global.u32 " + place + ", " + value;
        return "red." + strong("release") + ".global.add.u32 " + place + ", " + value;
    }

    Random random_;
    std::string title_;
    std::vector<std::string> terms_;  // what the claim may speak of
    int registers_ = 0;
    int events_ = 0;
};

}  // namespace

std::string random_multimem(uint64_t seed) {
    return Broadcast(seed).text();
}

}  // namespace litmus
