// A random test while it is drawn: where its threads run, what they do one after the other, and how one is ordered after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random_program.h"

namespace litmus {

class Sketch {
public:
    using Texts = std::vector<std::string>;

    // The `cta` of a location in global memory is -1.
    static constexpr int global = -1;

    Sketch(const std::string& shape, uint64_t seed) : random_(seed), title_(shape + "-" + std::to_string(seed)) {}

    bool chance(int percent) { return random_.chance(percent); }
    int below(int n) { return random_.below(n); }
    std::string pick(const Texts& from) { return random_.pick(from); }
    std::string number(int n) { return std::to_string(below(n)); }

    // ---- threads ---------------------------------------------------------------------------------

    // So many threads, in blocks of one or two clusters; each in a warp of its own.
    void place(int threads);
    void place(int cluster, int cta, const std::string& warp_and_lane = {});
    int threads() const { return static_cast<int>(places_.size()); }
    int any_thread() { return below(threads()); }
    int other_than(int thread);
    int cta(int thread) const { return places_[static_cast<size_t>(thread)].cta; }
    bool same_cta(int a, int b) const { return cta(a) == cta(b); }
    bool same_cluster(int a, int b) const;
    // Another block of the thread's cluster; -1: there is none.
    int peer(int thread) const;

    // ---- text ------------------------------------------------------------------------------------

    void declare(const std::string& line) { declarations_ += line + "\n"; }
    // `.global .u32 NAME...` or `.shared.ctaN .u32 NAME...`.
    void declare(int cta, const std::string& rest);
    void say(int thread, const std::string& line) { bodies_[static_cast<size_t>(thread)].push_back(line); }
    std::string fresh(const std::string& prefix) { return prefix + std::to_string(names_++); }

    // The state space in which a thread reaches a location that lies in this block.
    std::string space(int thread, int cta) const;

    // ---- parts of a story ------------------------------------------------------------------------

    // A scope that has both threads, mostly; else any.
    std::string scope(int a, int b);
    std::string any_scope() { return pick({"cta", "cluster", "gpu", "sys"}); }
    // Orders what b does from here on after what a has done: by a flag, a barrier or an mbarrier object; some ways do not suffice.
    void order(int a, int b);
    // All threads meet, each with each. Nothing is missing.
    void meet();
    // Stores a register into a place that nothing else accesses.
    void keep(int thread, const std::string& reg, const std::string& type = "u32");
    // The register decides whether something is stored.
    void decide(int thread, const std::string& reg, const std::string& type = "u32");

    std::string text() const;

private:
    struct Place {
        int cluster = 0, cta = 0;
        std::string text;
    };

    void flag(int a, int b);
    void arrive(int a, int b);
    void barrier(int cta);
    void cluster_barrier(int cluster);

    Random random_;
    std::string title_, declarations_;
    std::vector<Place> places_;
    std::vector<Texts> bodies_;
    int names_ = 0;
};

}  // namespace litmus
