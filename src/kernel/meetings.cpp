// One list of uses for each element of memory; elements are as small as the smallest access to their object.
#include "kernel/meetings.h"

#include <algorithm>
#include <tuple>

namespace litmus::kernel {

namespace {

constexpr uint32_t widest = 4;

using Place = std::tuple<size_t, int, uint64_t>;  // object, block, element

// Bytes of the smallest access to each object, at most `widest`.
std::vector<uint32_t> smallest_accesses(const Traces& traces, const Memory& memory) {
    std::vector<uint32_t> smallest(memory.object_count(), widest);
    for (const Trace& trace : traces.threads)
        for (const Instruction& instruction : trace.body)
            for (const Touch& touch : memory.touches(instruction, trace.seat))
                if (!touch.mbarrier && touch.width > 0) smallest[touch.object] = std::min(smallest[touch.object], touch.width);
    return smallest;
}

bool is_one_of(const std::vector<size_t>& threads, size_t thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

}  // namespace

Meetings::Meetings(const Traces& traces, const Memory& memory, const std::vector<size_t>& group_of) {
    const std::vector<uint32_t> smallest = smallest_accesses(traces, memory);
    std::map<Place, std::vector<Use>> places;
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        for (size_t i = 0; i < trace.body.size(); ++i)
            for (const Touch& touch : memory.touches(trace.body[i], trace.seat)) {
                if (touch.mbarrier) continue;
                const uint64_t width = smallest[touch.object];
                for (uint64_t e = touch.offset / width; e * width < touch.offset + touch.bytes; ++e)
                    places[{touch.object, touch.block, e}].push_back(
                        {t, i, {group_of[t], trace.statements[i]}, touch.writes, touch.atomic});
            }
    }
    for (auto& [place, uses] : places) {
        const size_t first = uses.front().thread;
        const bool shared = std::any_of(uses.begin(), uses.end(), [first](const Use& use) { return use.thread != first; });
        const bool written = std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.writes; });
        if (!shared || !written) continue;
        add_examples(uses);
        places_.push_back(std::move(uses));
    }
}

bool Meetings::is_meeting(const Use& a, const Use& b) {
    return a.thread != b.thread && (a.writes || b.writes) && !(a.atomic && b.atomic && a.site == b.site);
}

// All pairs of sites at one element. Of each site two threads are enough to find a meeting with any other.
void Meetings::add_examples(const std::vector<Use>& uses) {
    std::map<Site, std::vector<const Use*>> sites;
    for (const Use& use : uses) {
        std::vector<const Use*>& here = sites[use.site];
        if (here.empty() || (here.size() == 1 && here[0]->thread != use.thread)) here.push_back(&use);
    }
    for (auto a = sites.begin(); a != sites.end(); ++a)
        for (auto b = a; b != sites.end(); ++b)
            for (const Use* mine : a->second)
                for (const Use* other : b->second)
                    if (is_meeting(*mine, *other)) all_.insert({a->first, b->first});
}

Meetings::Met Meetings::met(const std::vector<size_t>& chosen) const {
    Met result;
    for (const std::vector<Use>& uses : places_) {
        std::vector<const Use*> here;
        for (const Use& use : uses)
            if (is_one_of(chosen, use.thread)) here.push_back(&use);
        for (const Use* a : here)
            for (const Use* b : here)
                if (is_meeting(*a, *b)) {
                    result.pairs.insert(std::minmax(a->site, b->site));
                    result.groups.insert({a->site.first, b->site.first});
                }
    }
    return result;
}

std::vector<Meeting> Meetings::unmet(const std::vector<size_t>& chosen) const {
    const Met have = met(chosen);
    std::map<SitePair, std::pair<int, Meeting>> examples;  // with how many chosen threads are in it
    for (const std::vector<Use>& uses : places_) {
        std::map<Site, std::vector<const Use*>> sites;  // two threads of each, chosen ones first
        for (const bool wanted : {true, false})
            for (const Use& use : uses) {
                std::vector<const Use*>& here = sites[use.site];
                if (is_one_of(chosen, use.thread) == wanted && (here.empty() || (here.size() == 1 && here[0]->thread != use.thread)))
                    here.push_back(&use);
            }
        for (auto a = sites.begin(); a != sites.end(); ++a)
            for (auto b = a; b != sites.end(); ++b) {
                if (have.pairs.count({a->first, b->first})) continue;
                for (const Use* mine : a->second)
                    for (const Use* other : b->second) {
                        if (!is_meeting(*mine, *other)) continue;
                        const int known = (is_one_of(chosen, mine->thread) ? 1 : 0) + (is_one_of(chosen, other->thread) ? 1 : 0);
                        const bool alone = !have.groups.count(mine->site.first) || !have.groups.count(other->site.first);
                        auto& [best, meeting] = examples.try_emplace({a->first, b->first}, -1, Meeting{}).first->second;
                        if (known <= best) continue;
                        best = known;
                        meeting = {{mine->thread, mine->instruction}, {other->thread, other->instruction}, alone};
                    }
            }
    }
    std::vector<Meeting> result;
    for (const auto& [sites, example] : examples) result.push_back(example.second);
    return result;
}

std::optional<size_t> Meetings::best_addition(const std::vector<size_t>& chosen, bool alone) const {
    const Met have = met(chosen);
    std::map<size_t, std::set<SitePair>> gains;  // by thread
    for (const std::vector<Use>& uses : places_) {
        std::vector<const Use*> here;
        for (const Use& use : uses)
            if (is_one_of(chosen, use.thread)) here.push_back(&use);
        for (const Use& use : uses) {
            if (here.empty() || is_one_of(chosen, use.thread)) continue;
            for (const Use* other : here) {
                const SitePair pair = std::minmax(use.site, other->site);
                const bool counts = !alone || !have.groups.count(use.site.first) || !have.groups.count(other->site.first);
                if (counts && is_meeting(use, *other) && !have.pairs.count(pair)) gains[use.thread].insert(pair);
            }
        }
    }
    std::optional<size_t> best;
    for (const auto& [thread, pairs] : gains)
        if (!best || pairs.size() > gains.at(*best).size()) best = thread;
    return best;
}

}  // namespace litmus::kernel
