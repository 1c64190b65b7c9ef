// Groups by a text of what a thread does, with registers and labels numbered in the order in which they come.
#include "kernel/roles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

// ---- who meets whom ------------------------------------------------------------------------------------------

// The data that each thread touches, each piece once.
class Footprints {
public:
    Footprints(const Traces& traces, const Memory& memory, const Budget& budget) : of_(traces.threads.size()), budget_(budget) {
        for (size_t t = 0; t < of_.size(); ++t) {
            const Trace& trace = traces.threads[t];
            std::map<Key, bool> pieces;  // to whether it is written
            for (const Instruction& instruction : trace.body)
                for (const Touch& touch : memory.touches(instruction, trace.seat))
                    if (!touch.mbarrier) pieces[{touch.object, touch.block, touch.offset, touch.bytes}] |= touch.writes;
            of_[t].assign(pieces.begin(), pieces.end());
        }
    }

    // How many bytes both touch, where one of them writes.
    uint64_t met(size_t a, size_t b) const {
        uint64_t bytes = 0;
        for (const auto& [mine, i_write] : of_[a]) {
            budget_.check();
            for (const auto& [other, they_write] : of_[b]) {
                if (!i_write && !they_write) continue;
                if (std::get<0>(mine) != std::get<0>(other) || std::get<1>(mine) != std::get<1>(other)) continue;
                const uint64_t begin = std::max(std::get<2>(mine), std::get<2>(other));
                const uint64_t end = std::min(std::get<2>(mine) + std::get<3>(mine), std::get<2>(other) + std::get<3>(other));
                if (begin < end) bytes += end - begin;
            }
        }
        return bytes;
    }

    using Key = std::tuple<size_t, int, uint64_t, uint64_t>;  // object, block, offset, bytes
    const std::vector<std::pair<Key, bool>>& of(size_t thread) const { return of_[thread]; }

private:
    std::vector<std::vector<std::pair<Key, bool>>> of_;
    const Budget budget_;
};

class Chooser {
public:
    Chooser(const Footprints& footprints, Choice& choice) : footprints_(footprints), choice_(choice) {}

    // One representative for each group that is not idle.
    void representatives(const std::vector<bool>& wanted) {
        for (size_t g = 0; g < choice_.groups.size(); ++g)
            if (wanted[g]) chosen_[g] = choice_.groups[g].threads.front();
        bool changed = true;
        for (int round = 0; changed && round < 8; ++round) {
            changed = false;
            for (auto& [group, thread] : chosen_) {
                const size_t best = best_of(choice_.groups[group].threads, group, {});
                changed = changed || best != thread;
                thread = best;
            }
        }
        for (const auto& [group, thread] : chosen_) choice_.threads.push_back(thread);
    }

    // A second, third ... thread of each group.
    void more(size_t per_role) {
        for (size_t n = 1; n < per_role; ++n)
            for (const auto& [group, thread] : chosen_) {
                std::vector<size_t> rest;
                for (const size_t t : choice_.groups[group].threads)
                    if (std::find(choice_.threads.begin(), choice_.threads.end(), t) == choice_.threads.end()) rest.push_back(t);
                if (!rest.empty()) choice_.threads.push_back(best_of(rest, choice_.groups.size(), choice_.threads));
            }
    }

private:
    // The thread that meets the most of the others, which are the representatives of other groups and those given.
    size_t best_of(const std::vector<size_t>& candidates, size_t group, const std::vector<size_t>& others) const {
        size_t best = candidates.front();
        std::pair<size_t, uint64_t> most = {0, 0};
        for (const size_t candidate : candidates) {
            std::pair<size_t, uint64_t> score = {0, 0};
            const auto count = [&](size_t other) {
                const uint64_t bytes = footprints_.met(candidate, other);
                score.first += bytes > 0 ? 1 : 0;
                score.second += bytes;
            };
            if (others.empty()) {
                for (const auto& [other_group, other] : chosen_)
                    if (other_group != group) count(other);
            } else {
                std::for_each(others.begin(), others.end(), count);
            }
            if (score > most) {
                most = score;
                best = candidate;
            }
        }
        return best;
    }

    const Footprints& footprints_;
    Choice& choice_;
    std::map<size_t, size_t> chosen_;  // group to its representative
};

std::vector<size_t> by_hand(const Traces& traces, const ChoiceOptions& options) {
    std::vector<size_t> chosen;
    for (const auto& [block, thread] : options.threads) {
        const auto found = std::find_if(traces.threads.begin(), traces.threads.end(), [&, b = block, t = thread](const Trace& trace) {
            return trace.seat.block == b && trace.seat.thread == t;
        });
        if (found == traces.threads.end())
            throw Failure(nullptr, {}, "the launch has no thread " + std::to_string(thread) + " in block " + std::to_string(block),
                          "--threads takes BLOCK.THREAD, both counted from 0");
        chosen.push_back(static_cast<size_t>(found - traces.threads.begin()));
    }
    return chosen;
}

// Idle groups are left out, but a CTA of a cluster keeps a thread, and so does a test.
std::vector<bool> groups_wanted(const Traces& traces, const Memory& memory, const std::vector<Group>& groups) {
    std::vector<bool> wanted;
    std::set<uint32_t> present;
    for (const Group& group : groups) {
        wanted.push_back(!group.idle);
        if (!group.idle) present.insert(group.block);
    }
    for (size_t g = 0; g < groups.size(); ++g) {
        const bool clustered = memory.blocks_of(traces.threads[groups[g].threads.front()].seat.cluster).size() > 1;
        if ((clustered || present.empty()) && present.insert(groups[g].block).second) wanted[g] = true;
    }
    return wanted;
}

// Takes in threads of groups that meet somewhere and not in the choice: where nobody of a group meets anybody, and as long as the test
// stays small. In each step the thread that brings the most, the first of several.
void meet(const Traces& traces, const Meetings& meetings, Choice& choice, size_t most) {
    constexpr size_t small = 8;
    const auto name = [&](size_t t) { return thread_name(traces, traces.threads[t].seat); };
    while (choice.threads.size() < most) {
        const std::vector<Meeting> unmet = meetings.unmet(choice.threads);
        const bool alone = std::any_of(unmet.begin(), unmet.end(), [](const Meeting& meeting) { return meeting.alone; });
        const size_t room = std::max(alone ? most : small, choice.threads.size()) - choice.threads.size();
        if (unmet.empty() || room == 0) return;
        if (const auto best = meetings.best_addition(choice.threads, alone)) {
            choice.add(*best, name(*best) + " is here because it touches data of the others in ways that they do not");
            continue;
        }
        const auto pair = std::find_if(unmet.begin(), unmet.end(), [alone](const Meeting& meeting) { return meeting.alone || !alone; });
        if (room < 2) return;
        choice.add(pair->first.thread, name(pair->first.thread) + " is here because it touches data of " + name(pair->second.thread));
        choice.add(pair->second.thread, name(pair->second.thread) + " is here because it touches data of " + name(pair->first.thread));
    }
}

}  // namespace

bool Choice::has(size_t thread) const {
    return std::binary_search(threads.begin(), threads.end(), thread);
}

void Choice::add(size_t thread, std::string why) {
    threads.push_back(thread);
    std::sort(threads.begin(), threads.end());
    lines.push_back(std::move(why));
}

Choice choose(const Traces& traces, const Memory& memory, const ChoiceOptions& options) {
    Choice choice;
    choice.groups = groups_of(traces);
    choice.group_of.resize(traces.threads.size());
    for (size_t g = 0; g < choice.groups.size(); ++g)
        for (const size_t t : choice.groups[g].threads) choice.group_of[t] = g;
    if (!options.threads.empty()) {
        choice.threads = by_hand(traces, options);
    } else {
        const Footprints footprints(traces, memory, options.budget);
        Chooser chooser(footprints, choice);
        chooser.representatives(groups_wanted(traces, memory, choice.groups));
        chooser.more(options.per_role);
    }
    std::sort(choice.threads.begin(), choice.threads.end());
    choice.threads.erase(std::unique(choice.threads.begin(), choice.threads.end()), choice.threads.end());
    if (options.threads.empty()) meet(traces, Meetings(traces, memory, choice.group_of, options.budget), choice, options.most_threads);
    return choice;
}

std::string thread_name(const Traces& traces, const Seat& seat) {
    const auto block = static_cast<int>(seat.block), last = static_cast<int>(traces.threads.back().seat.block);
    const bool several = traces.threads.back().seat.block != traces.threads.front().seat.block;
    return (grid_of(last) > 0 ? "g" + std::to_string(grid_of(block)) : "") + (several ? "b" + std::to_string(number_in_grid(block)) : "") +
           "t" + std::to_string(seat.thread);
}

std::string thread_names(const Traces& traces, const std::vector<size_t>& threads) {
    std::string text;
    for (size_t i = 0; i < threads.size();) {
        size_t last = i;
        const auto block = [&](size_t at) { return traces.threads[threads[at]].seat.block; };
        while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1 && block(last + 1) == block(i)) ++last;
        text += (text.empty() ? "" : ", ") + thread_name(traces, traces.threads[threads[i]].seat);
        if (last > i) text += (last == i + 1 ? ", " : "..") + thread_name(traces, traces.threads[threads[last]].seat);
        i = last + 1;
    }
    return text;
}

}  // namespace litmus::kernel
