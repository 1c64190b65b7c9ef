// Counts of mbarrier objects and barriers, and masks of lanes.
#include "kernel/scale.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "kernel/counters.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr uint64_t warp = 32;

class Scaler {
public:
    Scaler(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules)
        : module_(module), traces_(traces), memory_(memory), choice_(choice), counters_(counters(traces, memory, choice, granules)) {
        for (const Trace& trace : traces.threads) waits_.push_back(waits_of(trace));
        for (const size_t t : choice.threads) {
            result_.threads.push_back(traces.threads[t]);
            for (const Instruction& i : traces.threads[t].body) counts_are_read_ = counts_are_read_ || i.op == Op::mbarrier_pending_count;
        }
        result_.wants = writers_of_deciding(module, traces, memory, choice);
        for (const auto& [key, counter] : counters_) {
            scale_arrivals(key, counter);
            scale_bytes(key, counter);
        }
        scale_barriers();
        cut_masks();
    }
    Scaled take() {
        std::sort(result_.lines.begin(), result_.lines.end());
        result_.lines.erase(std::unique(result_.lines.begin(), result_.lines.end()), result_.lines.end());
        return std::move(result_);
    }

private:
    // ---- arrivals ------------------------------------------------------------------------------------------

    void scale_arrivals(const ObjectKey& key, const Counter& counter) {
        for (const Counter::At& init : counter.inits) {
            if (!choice_.has(init.thread)) continue;
            const uint64_t count = number(instruction_at(init), Role::count);
            const std::optional<uint64_t> scaled = all_chosen(counter.arrivals) ? count : scaled_arrivals(counter, count);
            if (!scaled) {
                want_all(counter.arrivals,
                         "all that arrive on " + name_of(key) + " are needed, as its " + std::to_string(count) +
                             " arrivals to a phase cannot be scaled exactly" + at_line(init),
                         statement(init));
                continue;
            }
            if (*scaled == count) continue;
            operand_at(init, Role::count).value = *scaled;
            say(name_of(key) + ": " + std::to_string(*scaled) + " of " + std::to_string(count) +
                " arrivals to a phase, as the others are of threads left out");
        }
    }

    // The count that the chosen arrivals complete where all complete `count`; none: that cannot be said exactly.
    std::optional<uint64_t> scaled_arrivals(const Counter& counter, uint64_t count) const {
        if (count == 0) return count;  // undefined, whoever arrives
        if (counts_are_read_) return std::nullopt;
        uint64_t all = 0, chosen = 0;
        for (const auto& [thread, arrivals] : counter.arrivals) {
            all += arrivals;
            chosen += choice_.has(thread) ? arrivals : 0;
        }
        const std::optional<uint64_t> share = common_share(counter);
        if (share && count % *share == 0) return count / *share;
        if (counter.uncertain || counter.drops) return std::nullopt;
        if (all < count) return count - (all - chosen);
        const uint64_t phases = all / count;
        const bool whole = all % count == 0 && std::all_of(counter.arrivals.begin(), counter.arrivals.end(),
                                                           [&](const auto& of_thread) { return of_thread.second % phases == 0; });
        if (!whole || chosen == 0) return std::nullopt;
        return chosen / phases;
    }

    // How many threads of each group that arrives stand behind a chosen one, where that is one number.
    std::optional<uint64_t> common_share(const Counter& counter) const {
        std::map<size_t, std::pair<uint64_t, uint64_t>> groups;  // threads, chosen threads
        for (const auto& [thread, arrivals] : counter.arrivals) {
            auto& [all, chosen] = groups[choice_.group_of[thread]];
            ++all;
            chosen += choice_.has(thread) ? 1 : 0;
        }
        std::set<uint64_t> shares;
        for (const auto& [group, threads] : groups) {
            if (threads.second == 0 || threads.first % threads.second != 0) return std::nullopt;
            shares.insert(threads.first / threads.second);
        }
        return shares.size() == 1 ? std::optional(*shares.begin()) : std::nullopt;
    }

    // ---- bytes ---------------------------------------------------------------------------------------------

    void scale_bytes(const ObjectKey& key, const Counter& counter) {
        if (counter.expects.empty() || expects_nothing(counter)) return;
        bool same = all_chosen(counter.expects) && all_chosen(counter.completes);
        for (const auto& [thread, list] : counter.completes)
            for (const Counter::Bytes& bytes : list) same = same && bytes.kept == bytes.all;
        if (same) return;
        const auto scaled = scaled_expects(counter);
        if (!scaled) {
            const std::string why = "what completes on " + name_of(key) + " cannot be scaled exactly";
            want_all(counter.completes, why, {});
            want_all(counter.expects, why, {});
            result_.whole.insert(result_.whole.end(), counter.copies.begin(), counter.copies.end());
            return;
        }
        for (const Counter::Bytes& expect : *scaled) {
            operand_at(expect.at, Role::tx_count).value = expect.kept;
            if (expect.kept != expect.all)
                say(name_of(key) + ": " + std::to_string(expect.kept) + " of " + std::to_string(expect.all) +
                    " bytes are expected, as the others are not looked at by chosen threads");
        }
    }

    // What would complete is left out (Walker::expect_nothing).
    static bool expects_nothing(const Counter& counter) {
        return counter.completes.empty() && std::all_of(counter.expects.begin(), counter.expects.end(), [](const auto& expect) {
                   return std::all_of(expect.second.begin(), expect.second.end(),
                                      [](const Counter::Bytes& bytes) { return bytes.all == 0; });
               });
    }

    // What the chosen threads expect, in `kept`; none: not exact.
    std::optional<std::vector<Counter::Bytes>> scaled_expects(const Counter& counter) const {
        const size_t phases = counter.expects.begin()->second.size();
        for (const auto& [thread, list] : counter.expects)
            if (list.size() != phases) return one_ratio(counter);
        for (const auto& [thread, list] : counter.completes)
            if (list.size() % phases != 0) return one_ratio(counter);
        if (counter.uncertain) return one_ratio(counter);
        std::vector<Counter::Bytes> result;
        for (size_t phase = 0; phase < phases; ++phase)
            if (!scale_phase(counter, phase, phases, result)) return std::nullopt;
        return result;
    }

    // Appends the expectations of one phase.
    bool scale_phase(const Counter& counter, size_t phase, size_t phases, std::vector<Counter::Bytes>& result) const {
        Counter::Bytes come;
        std::map<size_t, Counter::Bytes> own;  // what comes by each thread
        for (const auto& [thread, list] : counter.completes) {
            const size_t each = list.size() / phases;
            for (size_t k = phase * each; k < (phase + 1) * each; ++k) {
                own[thread].all += list[k].all;
                own[thread].kept += list[k].kept;
            }
            come.all += own[thread].all;
            come.kept += own[thread].kept;
        }
        const bool each_its_own = std::all_of(counter.expects.begin(), counter.expects.end(), [&](const auto& expect) {
            const auto found = own.find(expect.first);
            return found != own.end() && found->second.all == expect.second[phase].all && own.size() == counter.expects.size();
        });
        for (const auto& [thread, list] : counter.expects) {
            if (!choice_.has(thread)) continue;
            Counter::Bytes expect = list[phase];
            if (each_its_own) {
                expect.kept = own[thread].kept;
            } else if (!all_chosen(counter.expects)) {
                return false;
            } else if (come.all > 0 && expect.all * come.kept % come.all == 0) {
                expect.kept = expect.all * come.kept / come.all;
            } else if (come.all > 0 && counter.expects.size() == 1 && expect.all + come.kept >= come.all) {
                expect.kept = expect.all + come.kept - come.all;  // as many are missing, or too many, as in the kernel
            } else if (come.all > 0) {
                return false;
            }
            result.push_back(expect);
        }
        return true;
    }

    // Where phases cannot be told apart: every completion keeps the same part.
    std::optional<std::vector<Counter::Bytes>> one_ratio(const Counter& counter) const {
        if (!all_chosen(counter.completes) || !all_chosen(counter.expects) || counter.completes.empty()) return std::nullopt;
        const Counter::Bytes& first = counter.completes.begin()->second.front();
        for (const auto& [thread, list] : counter.completes)
            for (const Counter::Bytes& bytes : list)
                if (bytes.all * first.kept != bytes.kept * first.all) return std::nullopt;
        std::vector<Counter::Bytes> result;
        for (const auto& [thread, list] : counter.expects)
            for (Counter::Bytes expect : list) {
                if (first.all == 0 || expect.all * first.kept % first.all != 0) return std::nullopt;
                expect.kept = expect.all * first.kept / first.all;
                result.push_back(expect);
            }
        return result;
    }

    // ---- barriers ------------------------------------------------------------------------------------------

    // A barrier of a CTA with a count, and who uses it.
    struct Uses {
        std::set<uint64_t> counts;
        std::map<uint32_t, size_t> warps;  // to the first thread of each
        bool reduces = false;
        std::string line;
        size_t statement = 0;
    };

    void scale_barriers() {
        std::map<std::pair<uint32_t, uint64_t>, Uses> barriers;  // by block and number
        for (size_t t = 0; t < traces_.threads.size(); ++t) {
            const Trace& trace = traces_.threads[t];
            for (size_t i = 0; i < trace.body.size(); ++i) {
                const Instruction& instruction = trace.body[i];
                if (kind(instruction.op) != Traits::Kind::cta_barrier) continue;
                Uses& uses = barriers[{trace.seat.block, number(instruction, Role::barrier)}];
                if (instruction.find(Role::threads)) uses.counts.insert(number(instruction, Role::threads));
                uses.warps.try_emplace(trace.seat.warp(), t);
                uses.reduces = uses.reduces || instruction.op == Op::bar_red;
                uses.line = at_line({t, i});
                uses.statement = statement({t, i});
            }
        }
        for (const auto& [barrier, uses] : barriers) scale_barrier(barrier.first, barrier.second, uses);
    }

    void scale_barrier(uint32_t block, uint64_t barrier, const Uses& uses) {
        if (uses.reduces) want_users(block, barrier, "the result of a barrier's reduction is of all threads" + uses.line, uses.statement);
        if (uses.counts.empty()) return;
        std::set<uint32_t> chosen;
        for (const auto& [warp_number, first] : uses.warps)
            if (std::any_of(choice_.threads.begin(), choice_.threads.end(), [&, w = warp_number](size_t t) {
                    return traces_.threads[t].seat.block == block && traces_.threads[t].seat.warp() == w;
                }))
                chosen.insert(warp_number);
        if (chosen.size() == uses.warps.size()) return;
        const uint64_t count = *uses.counts.begin();
        if (uses.counts.size() > 1 || count != warp * uses.warps.size()) {
            for (const auto& [warp_number, first] : uses.warps)
                if (!chosen.count(warp_number))
                    result_.wants.push_back({first, "barrier " + std::to_string(barrier) + " counts its warp" + uses.line, uses.statement});
            return;
        }
        for (Trace& trace : result_.threads)
            for (Instruction& instruction : trace.body)
                if (trace.seat.block == block && kind(instruction.op) == Traits::Kind::cta_barrier && instruction.find(Role::threads) &&
                    number(instruction, Role::barrier) == barrier)
                    instruction.at(Role::threads).value = warp * chosen.size();
        say("barrier " + std::to_string(barrier) + ": " + std::to_string(warp * chosen.size()) + " of " + std::to_string(count) +
            " threads, as the other warps are left out" + uses.line);
    }

    void want_users(uint32_t block, uint64_t barrier, const std::string& why, size_t statement) {
        for (size_t t = 0; t < traces_.threads.size(); ++t) {
            const Trace& trace = traces_.threads[t];
            const bool uses = trace.seat.block == block && std::any_of(trace.body.begin(), trace.body.end(), [&](const Instruction& i) {
                                  return kind(i.op) == Traits::Kind::cta_barrier && number(i, Role::barrier) == barrier;
                              });
            if (uses && !choice_.has(t)) result_.wants.push_back({t, why, statement});
        }
    }

    // ---- masks ---------------------------------------------------------------------------------------------

    void cut_masks() {
        for (size_t k = 0; k < result_.threads.size(); ++k) {
            Trace& trace = result_.threads[k];
            std::set<size_t> alone;
            const bool alike = wait_alike(trace.seat);
            for (size_t i = 0; i < trace.body.size(); ++i) {
                Instruction& instruction = trace.body[i];
                if (!instruction.find(Role::member_mask)) continue;
                if (alike && is_of_matrices(trace, i)) {
                    alone.insert(i);
                    continue;
                }
                const uint64_t mask = number(instruction, Role::member_mask) & 0xffffffff, kept = cut(mask, {choice_.threads[k], i});
                instruction.at(Role::member_mask).value = kept;
                if (kept != mask) say("masks of lanes are cut to the chosen lanes");
                if (is_exchange(instruction) && kept == uint64_t{1} << trace.seat.lane()) {
                    alone.insert(i);
                    if (instruction.op == Op::vote_sync) alone.insert(i - 1);  // its predicate
                }
            }
            drop(trace, alone);
        }
    }

    // Whether it is the waiting of `ldmatrix` or `stmatrix` (Walker::wait_for_lanes). A kernel has hundreds.
    static bool is_of_matrices(const Trace& trace, size_t i) {
        return is_exchange(trace.body[i]) && std::binary_search(trace.aligned.begin(), trace.aligned.end(), i);
    }

    // Whether all lanes of the warp wait at the same in the same order, whatever they read: then none keeps others waiting among them.
    bool wait_alike(const Seat& seat) const {
        std::set<std::optional<std::string>> ways;
        for (size_t t = 0; t < traces_.threads.size(); ++t)
            if (traces_.threads[t].seat.block == seat.block && traces_.threads[t].seat.warp() == seat.warp()) ways.insert(waits_[t]);
        return ways.size() == 1 && ways.begin()->has_value();
    }

    // The chosen lanes of a mask. One that waits there for a lane which waits at something else may wait for ever: so a lane of each group
    // that does is taken in. Lanes that wait at the same in the same order keep nobody waiting, and those that wait nowhere come or exit.
    uint64_t cut(uint64_t mask, const Counter::At& at) {
        const Instruction& instruction = instruction_at(at);
        const Seat& own = traces_.threads[at.thread].seat;
        std::vector<size_t> lanes;
        for (size_t t = 0; t < traces_.threads.size(); ++t) {
            const Seat& seat = traces_.threads[t].seat;
            if (seat.block == own.block && seat.warp() == own.warp() && (mask >> seat.lane() & 1) != 0) lanes.push_back(t);
        }
        using Way = std::pair<size_t, std::optional<std::string>>;
        std::set<Way> present;
        uint64_t kept = 0;
        for (const size_t t : lanes) {
            if (!choice_.has(t)) continue;
            kept |= uint64_t{1} << traces_.threads[t].seat.lane();
            present.emplace(choice_.group_of[t], waits_[t]);
        }
        for (const size_t t : lanes) {
            if (choice_.has(t)) continue;
            if (instruction.op == Op::redux_sync)
                result_.wants.push_back({t, "its lane is part of a redux.sync" + at_line(at), statement(at)});
            else if ((!waits_[t] || (!waits_[t]->empty() && waits_[t] != waits_[at.thread])) &&
                     present.emplace(choice_.group_of[t], waits_[t]).second)
                result_.wants.push_back({t, "its lane is waited for" + at_line(at), statement(at)});
        }
        return kept;
    }

    // Leaves out instructions that wait for nobody but the thread itself. Nothing but places in the body names them.
    static void drop(Trace& trace, const std::set<size_t>& alone) {
        if (alone.empty()) return;
        Trace left = trace;
        left.body.clear();
        left.origins.clear();
        left.statements.clear();
        std::vector<size_t> place(trace.body.size());
        std::vector<std::string> labels;
        for (size_t i = 0; i < trace.body.size(); ++i) {
            place[i] = left.body.size();
            Instruction& instruction = trace.body[i];
            labels.insert(labels.end(), instruction.labels.begin(), instruction.labels.end());
            if (alone.contains(i)) continue;
            instruction.labels = std::exchange(labels, {});
            left.body.push_back(std::move(instruction));
            left.origins.push_back(std::move(trace.origins[i]));
            left.statements.push_back(trace.statements[i]);
        }
        left.end_labels.insert(left.end_labels.begin(), labels.begin(), labels.end());
        for (std::vector<size_t>* places : {&left.traps, &left.non_coherent, &left.aligned})
            for (size_t& at : *places) at = place[at];
        trace = std::move(left);
    }

    // ---- helpers -------------------------------------------------------------------------------------------

    template <typename T>
    bool all_chosen(const std::map<size_t, T>& by_thread) const {
        return std::all_of(by_thread.begin(), by_thread.end(), [&](const auto& entry) { return choice_.has(entry.first); });
    }
    template <typename T>
    void want_all(const std::map<size_t, T>& by_thread, const std::string& why, std::optional<size_t> statement) {
        for (const auto& [thread, what] : by_thread)
            if (!choice_.has(thread)) result_.wants.push_back({thread, why, statement});
    }

    const Instruction& instruction_at(const Counter::At& at) const { return traces_.threads[at.thread].body[at.instruction]; }
    // Of a chosen thread, to be changed.
    Operand& operand_at(const Counter::At& at, Role role) {
        const auto place = std::lower_bound(choice_.threads.begin(), choice_.threads.end(), at.thread) - choice_.threads.begin();
        return result_.threads[static_cast<size_t>(place)].body[at.instruction].at(role);
    }
    std::string name_of(const ObjectKey& key) const { return mbarrier_name(memory_.object(key.object), key.offset); }
    size_t statement(const Counter::At& at) const { return traces_.threads[at.thread].statements[at.instruction]; }
    std::string at_line(const Counter::At& at) const {
        const std::string line = text_of(module_, shown_line(module_, traces_.threads[at.thread].origins[at.instruction]));
        return line.empty() ? "" : " (" + line + ")";
    }
    void say(std::string line) { result_.lines.push_back(std::move(line)); }

    const Module& module_;
    const Traces& traces_;
    const Memory& memory_;
    const Choice& choice_;
    const std::map<ObjectKey, Counter> counters_;
    std::vector<std::optional<std::string>> waits_;  // of each thread of the launch
    Scaled result_;
    bool counts_are_read_ = false;  // by mbarrier.pending_count
};

}  // namespace

Scaled scale(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules) {
    return Scaler(module, traces, memory, choice, granules).take();
}

std::string mbarrier_name(const Object& object, uint64_t offset) {
    constexpr uint64_t size = 8, most = 64;
    if (object.bytes.size() == size) return object.name;
    const bool listed = object.bytes.size() % size == 0 && object.bytes.size() <= size * most && offset % size == 0;
    return object.name + "_" + std::to_string(listed ? offset / size : offset);
}

}  // namespace litmus::kernel
