// One list of uses for each element of memory; elements are as small as the smallest access to their object.
#include "kernel/meetings.h"

#include <algorithm>
#include <tuple>

#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr uint32_t widest_element = 4;
constexpr size_t most_rounds = 8;  // of a loop that are told apart

using Part = std::tuple<size_t, int, uint64_t>;  // object, block, element

// Bytes of the smallest access to each object, at most `widest_element`.
std::vector<uint32_t> smallest_accesses(const Traces& traces, const Memory& memory) {
    std::vector<uint32_t> smallest(memory.object_count(), widest_element);
    for (const Trace& trace : traces.threads)
        for (const Instruction& instruction : trace.body)
            for (const Touch& touch : memory.touches(instruction, trace.seat))
                if (!touch.mbarrier && touch.width > 0) smallest[touch.object] = std::min(smallest[touch.object], touch.width);
    return smallest;
}

// By thread: a number for the warp and the masks of its barriers of a warp; 0: it has none.
std::vector<size_t> convoys(const Traces& traces) {
    std::map<std::vector<uint64_t>, size_t> known;
    std::vector<size_t> result;
    for (const Trace& trace : traces.threads) {
        std::vector<uint64_t> key = {trace.seat.block, trace.seat.warp()};
        for (const Instruction& instruction : trace.body)
            if (kind(instruction.op) == Traits::Kind::warp_barrier) key.push_back(number(instruction, Role::member_mask));
        result.push_back(key.size() > 2 ? known.try_emplace(std::move(key), known.size() + 1).first->second : 0);
    }
    return result;
}

bool is_one_of(const std::vector<size_t>& threads, size_t thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

}  // namespace

Meetings::Meetings(const Traces& traces, const Memory& memory, const std::vector<size_t>& group_of, const Budget& budget)
    : budget_(budget) {
    const std::vector<uint32_t> smallest = smallest_accesses(traces, memory);
    const std::vector<size_t> convoy_of = convoys(traces);
    std::map<Part, std::vector<Use>> places;
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        std::map<size_t, size_t> rounds;  // of a statement
        for (size_t i = 0; i < trace.body.size(); ++i) {
            const Site site{group_of[t], trace.statements[i], std::min(rounds[trace.statements[i]]++, most_rounds)};
            for (const Touch& touch : memory.touches(trace.body[i], trace.seat)) {
                if (touch.mbarrier) continue;
                const uint64_t width = smallest[touch.object];
                for (uint64_t e = touch.offset / width; e * width < touch.offset + touch.bytes; ++e)
                    places[{touch.object, touch.block, e}].push_back({t, i, convoy_of[t], site, touch.writes, touch.atomic});
            }
        }
    }
    for (auto& [place, uses] : places) {
        const size_t first = uses.front().thread;
        const bool shared = std::any_of(uses.begin(), uses.end(), [first](const Use& use) { return use.thread != first; });
        const bool written = std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.writes; });
        if (shared && written) places_.push_back(std::move(uses));
    }
}

bool Meetings::is_meeting(const Use& a, const Use& b) {
    const bool alike = a.site.group == b.site.group && a.site.statement == b.site.statement;
    return a.thread != b.thread && (a.writes || b.writes) && !(a.atomic && b.atomic && alike);
}

Meetings::Way Meetings::way(const Use& a, const Use& b) {
    const auto [first, second] = std::minmax(a.site, b.site);
    return {first, second, a.convoy == b.convoy};
}

// Of each site and convoy two threads, the preferred ones first: enough for every way in which these uses meet.
std::vector<const Meetings::Use*> Meetings::examples(const std::vector<Use>& uses, const std::vector<size_t>& preferred) {
    std::map<std::pair<Site, size_t>, std::vector<size_t>> threads;
    std::vector<const Use*> result;
    for (const bool wanted : {true, false})
        for (const Use& use : uses) {
            if (is_one_of(preferred, use.thread) != wanted) continue;
            std::vector<size_t>& here = threads[{use.site, use.convoy}];
            if (here.size() >= 2 || is_one_of(here, use.thread)) continue;
            here.push_back(use.thread);
            result.push_back(&use);
        }
    return result;
}

Meetings::Met Meetings::met(const std::vector<size_t>& chosen) const {
    Met result;
    for (const std::vector<Use>& uses : places_) {
        std::vector<const Use*> here;
        for (const Use& use : uses)
            if (is_one_of(chosen, use.thread)) here.push_back(&use);
        for (const Use* a : here) {
            budget_.check();
            for (const Use* b : here)
                if (is_meeting(*a, *b)) {
                    result.ways.insert(way(*a, *b));
                    result.groups.insert({a->site.group, b->site.group});
                }
        }
    }
    return result;
}

std::vector<Meeting> Meetings::unmet(const std::vector<size_t>& chosen) const {
    const Met have = met(chosen);
    std::map<Way, std::pair<int, Meeting>> found;  // with how many chosen threads are in it
    for (const std::vector<Use>& uses : places_) {
        const std::vector<const Use*> here = examples(uses, chosen);
        for (const Use* mine : here) {
            budget_.check();
            for (const Use* other : here) {
                if (!is_meeting(*mine, *other) || other->site < mine->site || have.ways.contains(way(*mine, *other))) continue;
                const int known = (is_one_of(chosen, mine->thread) ? 1 : 0) + (is_one_of(chosen, other->thread) ? 1 : 0);
                const bool alone = !have.groups.contains(mine->site.group) || !have.groups.contains(other->site.group);
                auto& [best, meeting] = found.try_emplace(way(*mine, *other), -1, Meeting{}).first->second;
                if (known <= best) continue;
                best = known;
                meeting = {{mine->thread, mine->instruction}, {other->thread, other->instruction}, alone};
            }
        }
    }
    std::vector<Meeting> result;
    for (const auto& [where, example] : found) result.push_back(example.second);
    return result;
}

std::optional<size_t> Meetings::best_addition(const std::vector<size_t>& chosen, bool alone) const {
    const Met have = met(chosen);
    std::map<size_t, std::set<Way>> gains;  // by thread
    for (const std::vector<Use>& uses : places_) {
        std::vector<const Use*> here;
        for (const Use& use : uses)
            if (is_one_of(chosen, use.thread)) here.push_back(&use);
        for (const Use& use : uses) {
            if (here.empty() || is_one_of(chosen, use.thread)) continue;
            budget_.check();
            for (const Use* other : here) {
                const bool counts = !alone || !have.groups.contains(use.site.group) || !have.groups.contains(other->site.group);
                if (counts && is_meeting(use, *other) && !have.ways.contains(way(use, *other))) gains[use.thread].insert(way(use, *other));
            }
        }
    }
    std::optional<size_t> best;
    for (const auto& [thread, ways] : gains)
        if (!best || ways.size() > gains.at(*best).size()) best = thread;
    return best;
}

}  // namespace litmus::kernel
