// An mbarrier object (ISA 9.7.13.15): its phases, and what the arrivals of a phase publish.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sweep/clock.h"
#include "sweep/doubt.h"
#include "sweep/log.h"
#include "sweep/shadow.h"

namespace litmus::sweep {

// What the arrivals of a phase publish. A scope has to reach both ways (ISA 8.7.1).
struct Senders {
    struct From {
        uint32_t block = 0;
        bool to_cluster = false;  // a scope of .cluster or more
        friend bool operator<(const From& a, const From& b) { return std::tie(a.block, a.to_cluster) < std::tie(b.block, b.to_cluster); }
    };
    std::map<From, Knowledge> knowledge;
    std::map<From, Causes> wide;  // Knowledge::wide: what all send if each scope is wide enough
    Time time;
    std::set<uint32_t> copying;  // blocks that sent bytes in the phase, which count at .cluster

    // The object's updates are one chain: what was published in earlier phases comes with the later ones.
    void take(Senders next) {
        for (const auto& [from, sent] : next.knowledge) knowledge[from].join(sent);
        for (const auto& [from, sent] : next.wide) wide[from].join(sent);
        time.join(next.time);
        copying = std::move(next.copying);
    }

    // What a wait of this scope in this block gets from its own block, and from others.
    void reach(uint32_t block, Scope scope, Knowledge& near, Knowledge& far) const {
        for (const auto& [from, sent] : knowledge) {
            if (from.block == block) near.join(sent);
            if (from.block != block && from.to_cluster && scope != Scope::cta) far.join(sent);
        }
        for (const auto& [from, sent] : wide) {
            if (from.block == block) near.wide.make().join(sent);
            if (from.block != block && from.to_cluster) far.wide.make().join(sent);
        }
    }
    bool all_reach(uint32_t block, Scope scope) const {
        const auto reaches = [&](const auto& one) {
            return one.first.block == block || (scope != Scope::cta && knowledge.contains({one.first.block, true}));
        };
        return completes_for(block, scope) && std::all_of(knowledge.begin(), knowledge.end(), reaches);
    }
    bool completes_for(uint32_t block, Scope scope) const {
        return scope != Scope::cta || std::all_of(copying.begin(), copying.end(), [&](uint32_t one) { return one == block; });
    }
};

// What a wait gets: at once, and with the next fence where it does not acquire, from its own block and from others.
struct Gain {
    Knowledge known, seen, seen_far;  // seen: of the own block
    bool whole = true;                // nothing is left out for its scope
};

inline constexpr uint64_t mbarrier_bytes = 8;  // ISA 9.7.13.15.1

struct Mbarrier {
    std::pair<size_t, uint64_t> at;  // an instance, and the offset in it
    size_t component = 0;            // of its present life
    uint32_t block = 0;
    Memory where;
    std::string name;
    int64_t count = 0, pending = 0, bytes = 0;
    uint32_t phase = 0;
    Senders arriving, completed;
    std::map<std::tuple<uint32_t, bool, bool, uint32_t>, Gain> gains;  // since a phase was complete; see Phases::gain
    std::map<size_t, Access> uses;                                     // by component: the last operation of each thread
    // Components and numbers of the arrivals of the open phase, and of the last; how many they are, where no bytes are waited for as well.
    std::vector<std::pair<size_t, uint32_t>> arrivals, last_arrivals;
    int64_t arrived = 0, last_arrived = 0;
    Clock before_arrivals;      // accesses that come before some arrival of the open phase
    std::vector<Access> added;  // to the phase that is open, by who need not arrive in it: they have to come before an arrival
    struct Wait {
        Access access;
        bool at_once = false;  // its thread knew that the phase was over
    };
    std::vector<Wait> waits;  // for the last phase that is complete: the next one must not end before them
    Access init;
    struct Answer {  // of requests for a cluster, of which the first comes in this phase (cancel.cpp)
        uint32_t phase = 0;
        Doubt doubt = 0;
        bool failed = false;
    };
    std::vector<Answer> answers;

    // `known`: to the thread that arrives, in time.
    void note_arrival(const Time& known) {
        arriving.time.join(known);
        before_arrivals.join(known.accesses);
    }
};

// Those of a run, each at its place and by the components that its lives had.
class Mbarriers {
public:
    using Key = std::pair<size_t, uint64_t>;  // as Mbarrier::at

    Mbarrier& at(Key place) {
        Mbarrier& object = objects_[place];
        object.at = place;
        return object;
    }
    void begin_life(Mbarrier& object, size_t component) {
        object.component = component;
        of_[component] = &object;
    }
    const Mbarrier& of(size_t component) const { return *of_.at(component); }
    const Mbarrier* find(size_t component) const {  // null: it is no such object's
        const auto found = of_.find(component);
        return found == of_.end() ? nullptr : found->second;
    }
    // The first one that is initialised and lies in these bytes; null: none does.
    const Mbarrier* under(Key place, uint64_t bytes) const {
        const uint64_t first = place.second < mbarrier_bytes ? 0 : place.second - mbarrier_bytes + 1;
        const Key end{place.first, place.second + bytes};
        for (auto one = objects_.lower_bound({place.first, first}); one != objects_.end() && one->first < end; ++one)
            if (one->second.init.number != 0) return &one->second;
        return nullptr;
    }

private:
    std::map<Key, Mbarrier> objects_;
    std::map<size_t, Mbarrier*> of_;  // by component
};

}  // namespace litmus::sweep
