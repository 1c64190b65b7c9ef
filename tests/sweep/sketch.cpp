// Random tests are written as text, so that a test that differs can be read and asked again.
#include "sweep/sketch.h"

namespace litmus {

void Sketch::place(int cluster, int cta, const std::string& warp_and_lane) {
    places_.push_back({cluster, cta, "cluster" + std::to_string(cluster) + ".cta" + std::to_string(cta) + warp_and_lane});
    bodies_.emplace_back();
}

void Sketch::place(int threads) {
    const int shape = below(100);
    for (int t = 0; t < threads; ++t) {
        if (shape < 25) {
            place(0, 0);
        } else if (shape < 60) {
            place(0, t < 2 ? t : below(2));
        } else if (shape < 80) {
            const int cta = t < 2 ? 2 * t : 2 * below(2);
            place(cta / 2, cta);
        } else {
            const int cta = t < 2 ? t : 2;
            place(cta / 2, cta);
        }
    }
}

int Sketch::other_than(int thread) {
    return (thread + 1 + below(threads() - 1)) % threads();
}

bool Sketch::same_cluster(int a, int b) const {
    return places_[static_cast<size_t>(a)].cluster == places_[static_cast<size_t>(b)].cluster;
}

int Sketch::peer(int thread) const {
    for (int other = 0; other < threads(); ++other)
        if (same_cluster(thread, other) && !same_cta(thread, other)) return cta(other);
    return -1;
}

void Sketch::declare(int cta, const std::string& rest) {
    declare((cta == global ? ".global" : ".shared.cta" + std::to_string(cta)) + " " + rest + ";");
}

std::string Sketch::space(int thread, int where) const {
    return where == global ? "global" : where == cta(thread) ? "shared::cta" : "shared::cluster";
}

std::string Sketch::scope(int a, int b) {
    if (chance(15)) return any_scope();
    if (same_cta(a, b)) return pick({"cta", "cta", "cluster", "gpu", "sys"});
    if (same_cluster(a, b)) return pick({"cluster", "cluster", "gpu", "sys"});
    return pick({"gpu", "gpu", "sys"});
}

void Sketch::order(int a, int b) {
    if (a == b) return;
    const int way = below(100);
    if (same_cta(a, b) && way < 35) return barrier(cta(a));
    if (same_cluster(a, b) && way < 55) return cluster_barrier(places_[static_cast<size_t>(a)].cluster);
    if (same_cluster(a, b) && way < 70) return arrive(a, b);
    flag(a, b);
}

void Sketch::flag(int a, int b) {
    const std::string f = fresh("f"), scope = this->scope(a, b), r = fresh("r");
    declare(global, ".u32 " + f + " = 0");
    const int release = below(100), acquire = below(100);
    const std::string to = ".global.u32 [" + f + "], 1";
    if (release >= 60 && release < 92) say(a, "fence." + pick({"acq_rel", "release", "sc"}) + "." + scope);
    say(a, (release < 60 ? "st.release." : "st.relaxed.") + scope + to);
    say(b, "await ld." + std::string(acquire < 60 ? "acquire." : "relaxed.") + scope + ".global.u32 " + r + ", [" + f + "] == 1");
    if (acquire >= 60 && acquire < 92) say(b, "fence." + pick({"acq_rel", "acquire", "sc"}) + "." + scope);
}

void Sketch::arrive(int a, int b) {
    const std::string object = fresh("go");
    declare(".shared.cta" + std::to_string(cta(b)) + " .mbarrier " + object + " = 1;");
    const std::string scope = same_cta(a, b) ? pick({"cta", "cta", "cluster"}) : pick({"cluster", "cluster", "cluster", "cta"});
    const bool relaxed = chance(12);
    say(a, "mbarrier.arrive." + std::string(relaxed ? "relaxed.cluster." : "release." + scope + ".") + space(a, cta(b)) + ".b64 _, [" +
               object + "]");
    say(b, "await mbarrier.try_wait.parity.acquire." + scope + ".shared::cta.b64 [" + object + "], 0");
}

void Sketch::barrier(int cta) {
    for (int t = 0; t < threads(); ++t)
        if (this->cta(t) == cta) say(t, "bar.sync 0");
}

void Sketch::cluster_barrier(int cluster) {
    const bool relaxed = chance(10);
    for (int t = 0; t < threads(); ++t) {
        if (places_[static_cast<size_t>(t)].cluster != cluster) continue;
        say(t, relaxed ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive");
        say(t, "barrier.cluster.wait");
    }
}

void Sketch::meet() {
    const std::string met = fresh("met");
    declare(global, ".u32 " + met + " = 0");
    for (int t = 0; t < threads(); ++t) say(t, "red.release.gpu.global.add.u32 [" + met + "], 1");
    for (int t = 0; t < threads(); ++t)
        say(t, "await ld.acquire.gpu.global.u32 " + fresh("r") + ", [" + met + "] == " + std::to_string(threads()));
}

void Sketch::keep(int thread, const std::string& reg, const std::string& type) {
    const std::string out = fresh("out");
    declare(global, "." + type + " " + out + " = 77");
    say(thread, "st.weak.global." + type + " [" + out + "], " + reg);
}

void Sketch::decide(int thread, const std::string& reg, const std::string& type) {
    const std::string out = fresh("out"), p = fresh("p");
    declare(global, ".u32 " + out + " = 77");
    say(thread, "setp." + pick({"eq", "ne"}) + "." + type + " " + p + ", " + reg + ", " + number(4));
    say(thread, "@" + p + " st.weak.global.u32 [" + out + "], 1");
}

std::string Sketch::text() const {
    std::string text = "test \"" + title_ + "\"\n\n" + declarations_ + "\n";
    for (size_t t = 0; t < places_.size(); ++t) {
        text += "thread P" + std::to_string(t) + " @ " + places_[t].text + " {\n";
        for (const std::string& line : bodies_[t]) text += line.back() == ':' ? line + "\n" : "  " + line + ";\n";
        text += "}\n";
    }
    return text;
}

}  // namespace litmus
