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

// ---- what a thread does, as text -----------------------------------------------------------------------------

class Signature {
public:
    explicit Signature(const Trace& trace) {
        for (const Instruction& instruction : trace.body) add(instruction);
        for (const size_t trap : trace.traps) text_ += "trap " + std::to_string(trap) + ";";
        for (const std::string& label : trace.end_labels) text_ += numbered(label) + ":";
    }
    const std::string& text() const { return text_; }

private:
    // Registers and labels by the order in which they come.
    std::string numbered(const std::string& name) { return "#" + std::to_string(names_.try_emplace(name, names_.size()).first->second); }

    void add(const Instruction& instruction) {
        for (const std::string& label : instruction.labels) text_ += numbered(label) + ":";
        if (instruction.guard) text_ += (instruction.guard->negated ? "@!" : "@") + numbered(instruction.guard->reg) + " ";
        text_ += (instruction.await ? "await " : "") + spelling(instruction);
        for (const Operand& operand : instruction.operands) add(operand, instruction);
        if (instruction.expect) {
            text_ += " " + instruction.expect->comparison;
            add(instruction.expect->value, instruction);
        }
        text_ += ";";
    }

    void add(const Operand& operand, const Instruction& instruction) {
        text_ += " ";
        switch (operand.kind) {
            case Operand::Kind::reg:
                text_ += (operand.negated ? "!" : "") + numbered(operand.name);
                return;
            case Operand::Kind::immediate:  // a number that is stored, and who of the warp takes part, may differ
                if (!is_stored(operand, instruction) && operand.role != Role::member_mask) text_ += std::to_string(operand.value);
                return;
            case Operand::Kind::address:
            case Operand::Kind::symbol:
                text_ += "[" + operand.name + "@" + std::to_string(operand.cta);
                if (operand.role == Role::mbarrier) text_ += "+" + std::to_string(operand.offset);  // which object counts
                text_ += "]";
                return;
            case Operand::Kind::vector:
                for (const Operand& element : operand.elements) add(element, instruction);
                return;
            case Operand::Kind::label:
                text_ += numbered(operand.name);
                return;
            case Operand::Kind::sink:
                text_ += "_";
                return;
        }
    }

    static bool is_stored(const Operand& operand, const Instruction& instruction) {
        const bool stores = kind(instruction.op) == Traits::Kind::store || instruction.op == Op::st_async;
        return stores && (operand.role == Role::source || operand.role == Role::none);
    }

    std::map<std::string, size_t> names_;
    std::string text_;
};

bool is_idle(const Trace& trace) {
    using Kind = Traits::Kind;
    return std::all_of(trace.body.begin(), trace.body.end(), [](const Instruction& i) {
        const Kind what = kind(i.op);
        return what == Kind::warp_barrier || what == Kind::cluster_barrier || what == Kind::arithmetic || what == Kind::branch ||
               what == Kind::exit || (i.op == Op::bar_sync && !i.find(Role::threads));
    });
}

std::vector<Group> groups_of(const Traces& traces) {
    std::map<std::pair<uint32_t, std::string>, size_t> known;
    std::vector<Group> groups;
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        const auto [at, fresh] = known.try_emplace(std::pair(trace.seat.block, Signature(trace).text()), groups.size());
        if (fresh) groups.push_back({trace.seat.block, {}, is_idle(trace)});
        groups[at->second].threads.push_back(t);
    }
    return groups;
}

// ---- who meets whom ------------------------------------------------------------------------------------------

// The data that each thread touches, each piece once.
class Footprints {
public:
    Footprints(const Traces& traces, const Memory& memory) : of_(traces.threads.size()) {
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
        for (const auto& [mine, i_write] : of_[a])
            for (const auto& [other, they_write] : of_[b]) {
                if (!i_write && !they_write) continue;
                if (std::get<0>(mine) != std::get<0>(other) || std::get<1>(mine) != std::get<1>(other)) continue;
                const uint64_t begin = std::max(std::get<2>(mine), std::get<2>(other));
                const uint64_t end = std::min(std::get<2>(mine) + std::get<3>(mine), std::get<2>(other) + std::get<3>(other));
                if (begin < end) bytes += end - begin;
            }
        return bytes;
    }

    using Key = std::tuple<size_t, int, uint64_t, uint64_t>;  // object, block, offset, bytes
    const std::vector<std::pair<Key, bool>>& of(size_t thread) const { return of_[thread]; }

private:
    std::vector<std::vector<std::pair<Key, bool>>> of_;
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
// stays small.
void meet(const Traces& traces, const Memory& memory, Choice& choice, size_t most) {
    constexpr size_t small = 6;
    const auto name = [&](size_t t) { return thread_name(traces, traces.threads[t].seat); };
    for (bool changed = true; changed;) {
        changed = false;
        for (const Unmet& pair : unmet(traces, memory, choice)) {
            const size_t missing = (choice.has(pair.first) ? 0 : 1) + (choice.has(pair.second) ? 0 : 1);
            if (missing == 0 || choice.threads.size() + missing > (pair.alone ? most : small)) continue;
            for (const size_t t : {pair.first, pair.second})
                if (!choice.has(t))
                    choice.add(t,
                               name(t) + " is here because " + name(t == pair.first ? pair.second : pair.first) + " touches the same data");
            changed = true;
            break;
        }
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
        const Footprints footprints(traces, memory);
        Chooser chooser(footprints, choice);
        chooser.representatives(groups_wanted(traces, memory, choice.groups));
        chooser.more(options.per_role);
    }
    std::sort(choice.threads.begin(), choice.threads.end());
    choice.threads.erase(std::unique(choice.threads.begin(), choice.threads.end()), choice.threads.end());
    if (options.threads.empty()) meet(traces, memory, choice, options.most_threads);
    return choice;
}

std::vector<Unmet> unmet(const Traces& traces, const Memory& memory, const Choice& choice) {
    const Footprints footprints(traces, memory);
    // of each word of data, by group: who writes it, and two who touch it, chosen ones first
    struct Users {
        std::optional<size_t> writer, one, two;
    };
    std::map<std::tuple<size_t, int, uint64_t>, std::map<size_t, Users>> words;
    for (size_t t = 0; t < traces.threads.size(); ++t)
        for (const auto& [piece, writes] : footprints.of(t)) {
            const auto& [object, block, offset, bytes] = piece;
            for (uint64_t word = offset / 4; word * 4 < offset + bytes; ++word) {
                Users& users = words[{object, block, word}][choice.group_of[t]];
                if (writes && (!users.writer || (choice.has(t) && !choice.has(*users.writer)))) users.writer = t;
                if (!users.one || (choice.has(t) && !choice.has(*users.one)))
                    users.two = std::exchange(users.one, t);
                else if (!users.two && *users.one != t)
                    users.two = t;
            }
        }
    const auto chosen_of = [&](const Unmet& pair) { return int{choice.has(pair.first)} + int{choice.has(pair.second)}; };
    std::map<std::pair<size_t, size_t>, Unmet> pairs;
    for (const auto& [word, groups] : words)
        for (const auto& [a, mine] : groups) {
            if (!mine.writer) continue;
            for (const auto& [b, others] : groups) {
                const std::optional<size_t> other = a != b || *others.one != *mine.writer ? others.one : others.two;
                if (!other) continue;
                const Unmet pair{*mine.writer, *other, false};
                Unmet& best = pairs.try_emplace(std::minmax(a, b), pair).first->second;
                if (chosen_of(pair) > chosen_of(best)) best = pair;
            }
        }
    std::set<size_t> meeting;  // groups of which a chosen thread meets one
    for (const size_t a : choice.threads)
        for (const size_t b : choice.threads) {
            if (a == b || footprints.met(a, b) == 0) continue;
            meeting.insert(choice.group_of[a]);
            pairs.erase(std::minmax(choice.group_of[a], choice.group_of[b]));
        }
    std::vector<Unmet> result;
    for (auto& [groups, example] : pairs) {
        example.alone = !meeting.count(groups.first) || !meeting.count(groups.second);
        result.push_back(example);
    }
    return result;
}

std::string thread_name(const Traces& traces, const Seat& seat) {
    const bool several = traces.threads.back().seat.block != traces.threads.front().seat.block;
    return (several ? "b" + std::to_string(seat.block) : "") + "t" + std::to_string(seat.thread);
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
