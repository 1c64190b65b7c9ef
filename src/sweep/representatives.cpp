// One after the other: of the threads whose like is not there yet the one that shares the most with those that are.
//
// A place that two threads of one warp share counts less. Their order may be that of the warp's lanes.
#include "sweep/representatives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace litmus::sweep {

namespace {

using Doing = std::pair<uint32_t, std::set<std::pair<Event::What, const kernel::Statement*>>>;  // a block, and what is done there

// Who only comes to barriers has none.
std::map<uint32_t, Doing> doings_in(const std::vector<Event>& log, uint32_t threads_of_block) {
    std::map<uint32_t, Doing> doings;
    std::set<uint32_t> busy;
    for (const Event& event : log) {
        using What = Event::What;
        if (event.what == What::need) continue;  // no instruction
        if (event.what != What::barrier && event.what != What::cluster && event.what != What::warp) busy.insert(event.thread);
        Doing& doing = doings[event.thread];
        doing.first = event.thread / threads_of_block;
        doing.second.emplace(event.what, event.statement);
    }
    std::erase_if(doings, [&](const auto& one) { return !busy.contains(one.first); });
    return doings;
}

// Threads that touch the same bytes.
struct Touching {
    std::set<uint32_t> all, writing;
    friend bool operator<(const Touching& a, const Touching& b) { return std::tie(a.all, a.writing) < std::tie(b.all, b.writing); }
};
using SharedBy = std::map<Touching, size_t>;  // with the number of such places

class TouchedBytes {
public:
    void add(const Memory& at, uint64_t bytes, uint32_t thread, bool writes) {
        auto& edges = edges_[{at.object, at.block}];
        edges.push_back({at.offset, true, thread, writes});
        edges.push_back({at.offset + bytes, false, thread, writes});
    }

    SharedBy meetings() {
        SharedBy result;
        for (auto& [where, edges] : edges_) {
            std::stable_sort(edges.begin(), edges.end(), [](const TouchEdge& a, const TouchEdge& b) { return a.at < b.at; });
            std::multiset<uint32_t> touching, writing;
            for (size_t i = 0; i < edges.size(); ++i) {
                const TouchEdge& edge = edges[i];
                for (auto* const threads : {&touching, edge.writes ? &writing : nullptr}) {
                    if (threads == nullptr) continue;
                    if (edge.begins)
                        threads->insert(edge.thread);
                    else
                        threads->erase(threads->find(edge.thread));
                }
                if (i + 1 < edges.size() && edges[i + 1].at != edge.at && !writing.empty())
                    ++result[{{touching.begin(), touching.end()}, {writing.begin(), writing.end()}}];
            }
        }
        return result;
    }

private:
    struct TouchEdge {
        uint64_t at = 0;
        bool begins = false;
        uint32_t thread = 0;
        bool writes = false;
    };
    std::map<std::pair<size_t, uint32_t>, std::vector<TouchEdge>> edges_;  // by object and block
};

SharedBy shared_in(const std::vector<Event>& log) {
    TouchedBytes bytes;
    for (const Event& event : log) {
        if (event.what == Event::What::flag && event.reads) bytes.add(*event.place, event.bytes, event.thread, false);
        if (event.what == Event::What::flag && event.writes) bytes.add(*event.place, event.bytes, event.thread, true);
        for (const Stretch& stretch : event.read_from) bytes.add(stretch.from, stretch.bytes, event.thread, false);
        for (const Stretch& stretch : event.written_to) bytes.add(stretch.from, stretch.bytes, event.thread, true);
    }
    return bytes.meetings();
}

class Chooser {
public:
    Chooser(const std::vector<Event>& log, uint32_t threads_of_block, size_t most)
        : doings_(doings_in(log, threads_of_block)), shared_(shared_in(log)), threads_of_block_(threads_of_block), most_(most) {}

    std::set<uint32_t> run() {
        while (add_best(1)) {
        }
        while (add_best(2)) {
        }
        return std::move(chosen_);
    }

private:
    // Places that this thread shares with one that is chosen, of two warps and in all; the first thread, with anyone. For a second one of a
    // kind those count that nobody shares yet.
    std::pair<size_t, size_t> share(uint32_t thread, bool is_second) const {
        std::pair<size_t, size_t> places;
        for (const auto& [threads, number] : shared_) {
            if (!threads.all.contains(thread)) continue;
            const bool writes = threads.writing.contains(thread);
            size_t chosen = 0;
            bool has_other_warp = false;
            for (const uint32_t one : writes ? threads.all : threads.writing) {
                if (one == thread || (!chosen_.empty() && !chosen_.contains(one))) continue;
                ++chosen;
                has_other_warp = has_other_warp || warp_of(one) != warp_of(thread);
            }
            if (chosen == 0 || (is_second && chosen > 1)) continue;
            places.second += number;
            if (has_other_warp) places.first += number;
        }
        return places;
    }

    // Adds a thread of which so many may be there. Gives whether there was one.
    bool add_best(size_t of_kind) {
        const std::pair<const uint32_t, Doing>* next = nullptr;
        std::pair<size_t, size_t> best;
        for (const auto& one : doings_) {
            if (chosen_.size() == most_ || chosen_.contains(one.first) || kinds_[one.second] + 1 != of_kind) continue;
            const auto places = share(one.first, of_kind > 1);
            if ((next != nullptr && places <= best) || (of_kind > 1 && places.second == 0)) continue;
            next = &one;
            best = places;
        }
        if (next == nullptr) return false;
        chosen_.insert(next->first);
        ++kinds_[next->second];
        return true;
    }

    std::pair<uint32_t, uint32_t> warp_of(uint32_t thread) const { return {thread / threads_of_block_, thread % threads_of_block_ / 32}; }

    const std::map<uint32_t, Doing> doings_;
    const SharedBy shared_;
    const uint32_t threads_of_block_;
    const size_t most_;
    std::set<uint32_t> chosen_;
    std::map<Doing, size_t> kinds_;  // how many of each are chosen
};

}  // namespace

std::set<uint32_t> representatives(const std::vector<Event>& log, uint32_t threads_of_block, size_t most) {
    return Chooser(log, threads_of_block, most).run();
}

}  // namespace litmus::sweep
