// Backward data flow over the linked statements, from the last to the first, until nothing changes.
#include "sweep/carried.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernel/link.h"
#include "kernel/live.h"
#include "ptx/traits.h"

namespace litmus::sweep {

namespace {

using kernel::Step;
using Live = kernel::Registers;

constexpr size_t steps_to_check = 256;

bool may_repeat(const Step& step) {
    if (!step.form) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::mbarrier_wait ||
           (step.scope != Scope::none && (kind == Traits::Kind::load || (step.elements == 1 && kind == Traits::Kind::atomic)));
}

// A function that is among the steps.
bool calls_inside(const Step& step) {
    const auto& arguments = step.statement->arguments;
    return step.name() == "call" && std::none_of(arguments.begin(), arguments.end(), [](const kernel::Argument& a) {
               return a.kind == kernel::Argument::Kind::label && a.bits == kernel::outside;
           });
}

bool leaves(const Step& step) {
    return step.name() == "bra" || step.name() == "brx" || step.name() == "ret" || step.name() == "exit" || step.name() == "trap";
}

class Analysis {
public:
    Analysis(const std::vector<Step>& steps, size_t registers, const Budget& budget)
        : steps_(steps),
          registers_(registers),
          budget_(budget),
          calls_(std::any_of(steps.begin(), steps.end(), calls_inside)),
          live_(steps.size() + 1, Live(registers)),
          unsettled_(registers) {
        note_time_outs();
        note_forks();
    }

    void run() {
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t s = steps_.size(); s-- > 0;) {
                if (s % steps_to_check == 0) budget_.check();
                changed = live_[s].join(before(s)) || changed;
            }
        }
    }

    const std::vector<Live>& live() const { return live_; }

    // Whether it is no matter if its guard holds, with what is live so far.
    bool decides_nothing(size_t s) const {
        const auto matter = [&](const std::vector<size_t>& written, size_t from) {
            return std::any_of(written.begin(), written.end(), [&](size_t r) { return live_[from].has(r); });
        };
        const auto fork = forks_.find(s);
        if (fork != forks_.end()) return !matter(fork->second.writes, fork->second.meets);
        return steps_[s].statement->guard >= 0 && is_quiet(steps_[s]) && !matter(steps_[s].writes, s + 1);
    }

private:
    struct Fork {
        size_t meets = 0;            // the statement to which both ways of the branch come
        std::vector<size_t> writes;  // registers that are written on the ways
    };

    // Whether nobody else can tell that it is executed, whatever its operands are. The lanes of a warp meet in a `.sync` instruction. Who
    // touches registers of wgmma or tcgen05.ld has to wait for these.
    bool is_quiet(const Step& step) const {
        const bool is_hint = step.form && traits(step.form->op).kind == Traits::Kind::hint;
        const bool is_computed = step.form ? traits(step.form->op).kind == Traits::Kind::arithmetic : step.computes;
        const auto is_settled = [&](const std::vector<size_t>& some) {
            return std::none_of(some.begin(), some.end(), [&](size_t r) { return unsettled_.has(r); });
        };
        if (is_hint) return step.name() == "nanosleep";
        return is_computed && !step.has("sync") && is_settled(step.reads) && is_settled(step.writes);
    }

    void note_forks() {
        for (const Step& step : steps_)
            if (step.form && (step.form->op == Op::wgmma_mma || step.form->op == Op::tcgen_load))
                for (const auto* some : {&step.reads, &step.writes})
                    for (const size_t r : *some) unsettled_.insert(r);
        for (size_t s = 0; s < steps_.size(); ++s)
            if (is_delay(s)) delays_.insert(s);
        for (size_t s = 0; s < steps_.size(); ++s) {
            if (s % steps_to_check == 0) budget_.check();
            if (steps_[s].name() != "bra" || steps_[s].statement->guard < 0) continue;
            if (auto fork = delays_.contains(s) ? std::optional(delay_at(s)) : fork_at(s)) forks_.emplace(s, std::move(*fork));
        }
    }

    // Whether the branch goes back as long as less than some time has passed, and nothing else is done meanwhile. The clock has 64 bits, so
    // that it does not come round. The loop has one block, and does not write when it began, or how long it takes.
    bool is_delay(size_t branch) const {
        constexpr size_t most = 16;  // statements
        const Step& back = steps_[branch];
        if (back.name() != "bra" || back.statement->guard < 0 || back.target > branch || branch - back.target > most) return false;
        const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>(back.target),
                   end = steps_.begin() + static_cast<std::ptrdiff_t>(branch);
        if (!std::all_of(begin, end, [&](const Step& step) {
                return step.name() != "bra" && step.statement->guard < 0 && (is_quiet(step) || step.reads_clock);
            }))
            return false;
        std::set<size_t> written;
        for (auto step = begin; step != end; ++step)
            for (const size_t r : step->writes)
                if (!written.insert(r).second) return false;
        const auto writer_of = [&](const kernel::Argument& argument) -> const Step* {  // in the loop; null: there is none
            const auto writes = [&](const Step& step) {
                return argument.kind == kernel::Argument::Kind::reg &&
                       std::find(step.writes.begin(), step.writes.end(), static_cast<size_t>(argument.reg)) != step.writes.end();
            };
            const auto writer = std::find_if(begin, end, writes);
            return writer != end ? &*writer : nullptr;
        };
        const auto is_clock = [&](const kernel::Argument& argument) {
            const Step* const step = writer_of(argument);
            return step != nullptr && step->name() == "mov" && step->reads_clock && step->has("u64");
        };
        const auto is_since = [&](const kernel::Argument& argument) {
            const Step* const step = writer_of(argument);
            return step != nullptr && step->name() == "sub" && (step->has("s64") || step->has("u64")) &&
                   is_clock(step->statement->arguments.at(1)) && writer_of(step->statement->arguments.at(2)) == nullptr;
        };
        kernel::Argument guard;
        guard.reg = back.statement->guard;
        const Step* const compares = writer_of(guard);
        if (compares == nullptr || compares->name() != "setp" || !compares->has(back.statement->guard_negated ? "ge" : "lt")) return false;
        const auto& arguments = compares->statement->arguments;
        return arguments.size() == 3 && arguments[0].kind == kernel::Argument::Kind::reg &&
               (is_clock(arguments[1]) || is_since(arguments[1])) && writer_of(arguments[2]) == nullptr;
    }

    Fork delay_at(size_t branch) const {
        Fork fork;
        fork.meets = branch + 1;
        for (size_t s = steps_[branch].target; s < branch; ++s)
            fork.writes.insert(fork.writes.end(), steps_[s].writes.begin(), steps_[s].writes.end());
        return fork;
    }

    // Where both ways of a branch meet, whatever registers hold. Statements are taken in the order of the text, and jumps back are the last
    // of all. So there is one place left where all ways meet. None: there is something else on the ways, or they end elsewhere, or go
    // round.
    std::optional<Fork> fork_at(size_t branch) const {
        constexpr size_t most = 256;  // statements on the ways
        Fork fork;
        std::set<size_t> open, back;
        const auto go = [&](size_t from, size_t to) { (to > from ? open : back).insert(to); };
        go(branch, branch + 1);
        go(branch, steps_[branch].target);
        for (size_t n = 0; n < most && open.size() + back.size() > 1 && !open.empty(); ++n) {
            const size_t at = *open.begin();
            open.erase(open.begin());
            if (at >= steps_.size()) return std::nullopt;
            const Step& step = steps_[at];
            const bool branches = step.name() == "bra";
            if (!branches && !is_quiet(step)) return std::nullopt;
            fork.writes.insert(fork.writes.end(), step.writes.begin(), step.writes.end());
            if (branches && !delays_.contains(at)) go(at, step.target);
            if (!branches || step.statement->guard >= 0) go(at, at + 1);
        }
        if (open.size() + back.size() != 1) return std::nullopt;
        fork.meets = open.empty() ? *back.begin() : *open.begin();
        return fork;
    }

    // Whether the code from here on comes to a trap at once, so that nothing is claimed of it.
    bool gives_up(size_t at) const {
        constexpr size_t most = 16;
        for (size_t n = 0; n < most && at < steps_.size() && steps_[at].statement->guard < 0; ++n) {
            if (steps_[at].name() == "trap") return true;
            if (steps_[at].name() != "bra" && !steps_[at].computes) return false;
            at = steps_[at].name() == "bra" ? steps_[at].target : at + 1;
        }
        return false;
    }

    // Marks tests by which a loop that waits gives up. Each is on a way from its read back to it, in the loop: what comes behind the loop
    // is an assertion about what the rounds have left. The test is of a count, or of a clock, and of nothing that a read finds.
    void note_time_outs() {
        std::vector<size_t> tests;
        for (size_t s = 0; s < steps_.size(); ++s) {
            const bool branches = steps_[s].name() == "bra" && (gives_up(steps_[s].target) || gives_up(s + 1));
            if (steps_[s].statement->guard >= 0 && (branches || steps_[s].name() == "trap")) tests.push_back(s);
        }
        if (tests.empty()) return;
        const Live found = computed_from_reads();
        for (size_t read = 0; read < steps_.size(); ++read) {
            if (!may_repeat(steps_[read])) continue;
            budget_.check();
            const auto loop = loop_of(read);
            for (const size_t test : tests)
                if (loop && !found.has(static_cast<size_t>(steps_[test].statement->guard)) && leads(read, test, *loop) &&
                    leads(test, read, *loop))
                    time_outs_.insert(test);
        }
    }

    // Registers that arithmetic makes of what reads and waits of loops find, wherever it stands.
    Live computed_from_reads() const {
        Live found(registers_);
        for (bool changed = true; changed;) {
            changed = false;
            for (const Step& step : steps_) {
                const bool reads = std::any_of(step.reads.begin(), step.reads.end(), [&](size_t r) { return found.has(r); });
                if (!may_repeat(step) && !reads) continue;
                for (const size_t r : step.writes) {
                    changed = changed || !found.has(r);
                    found.insert(r);
                }
            }
        }
        return found;
    }

    using Loop = std::pair<size_t, size_t>;  // its first statement, and the branch back to that

    // The innermost one, as the statements stand; none: it is in no loop.
    std::optional<Loop> loop_of(size_t read) const {
        std::optional<Loop> loop;
        for (size_t s = read; s < steps_.size(); ++s)
            if (steps_[s].name() == "bra" && steps_[s].target <= read && (!loop || s - steps_[s].target < loop->second - loop->first))
                loop = {steps_[s].target, s};
        return loop;
    }

    // Whether a way in the loop leads from one statement to another.
    bool leads(size_t from, size_t to, const Loop& loop) const {
        std::set<size_t> seen;
        std::vector<size_t> open;
        const auto go = [&](size_t at) {
            if (loop.first <= at && at <= loop.second && seen.insert(at).second) open.push_back(at);
        };
        const auto go_on_from = [&](size_t at) {
            const Step& step = steps_[at];
            if (step.statement->guard >= 0 || !leaves(step)) go(at + 1);
            if (step.name() == "bra") go(step.target);
            for (const size_t target : step.targets) go(target);
        };
        for (go_on_from(from); !open.empty();) {
            const size_t at = open.back();
            open.pop_back();
            if (at == to) return true;
            go_on_from(at);
        }
        return false;
    }

    Live before(size_t s) const {
        const Step& step = steps_[s];
        const bool guarded = step.statement->guard >= 0;
        Live live(registers_);
        if (guarded || !leaves(step)) live.join(live_[s + 1]);
        if (step.name() == "bra") live.join(live_[step.target]);
        if (step.name() == "ret" && calls_)  // whoever has called may need any of them
            for (size_t r = 0; r < registers_; ++r) live.insert(r);
        for (const size_t target : step.targets) live.join(live_[target]);
        const bool matters = std::any_of(step.writes.begin(), step.writes.end(), [&](size_t r) { return live.has(r); });
        if (!guarded)
            for (const size_t r : step.writes) live.erase(r);
        const bool is_hint = step.form && traits(step.form->op).kind == Traits::Kind::hint;
        const bool is_computed = step.form ? traits(step.form->op).kind == Traits::Kind::arithmetic : step.computes;
        if (is_hint || time_outs_.contains(s) || (is_computed && !matters) || decides_nothing(s)) return live;
        for (const size_t r : step.reads) live.insert(r);
        return live;
    }

    const std::vector<Step>& steps_;
    const size_t registers_;
    const Budget& budget_;
    const bool calls_;
    std::set<size_t> time_outs_;
    std::set<size_t> delays_;       // branches back of loops that let time pass
    std::map<size_t, Fork> forks_;  // by branch
    std::vector<Live> live_;        // before each statement, and at the end
    Live unsettled_;                // registers of wgmma and tcgen05.ld
};

}  // namespace

std::vector<Live> note_carried(std::vector<Step>& steps, size_t registers, const Budget& budget) {
    if (std::none_of(steps.begin(), steps.end(), [](const Step& step) { return may_repeat(step) || step.reads_clock; })) return {};
    Analysis analysis(steps, registers, budget);
    analysis.run();
    for (size_t s = 0; s < steps.size(); ++s) {
        if (may_repeat(steps[s])) steps[s].carried = analysis.live()[s].all();
        if (steps[s].name() == "bra")
            for (const size_t behind : {s + 1, steps[s].target})
                if (behind < steps.size()) steps[behind].carried = analysis.live()[behind].all();
        steps[s].decides_nothing = analysis.decides_nothing(s);
    }
    return analysis.live();
}

}  // namespace litmus::sweep
