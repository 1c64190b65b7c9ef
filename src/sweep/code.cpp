// Follows values from reads to what waits for them, and the way from a wait to the next one.
#include "sweep/code.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/fold.h"
#include "sweep/carried.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

namespace {

constexpr size_t statements_to_check = 256;  // between two looks at the budget

// Whether it may read shared memory: a read of what an asynchronous operation writes later has to be performed before.
bool reads_shared(const Step& step) {
    const bool loads = step.name() == "ld" || step.name() == "ldmatrix";
    const std::string_view space = loads ? step.space(Role::address) : "none";
    return space.empty() || space.rfind("shared", 0) == 0;
}

// Arithmetic holds nothing back, nor does a further load; who exchanges values with other lanes does not, either.
bool waits_for_operands(const Step& step) {
    if (!step.form) return step.name() == "bra" || step.name() == "st" || step.name() == "call";
    if (step.form->op == Op::ldmatrix) return false;
    using K = Traits::Kind;
    const K kind = traits(step.form->op).kind;
    return kind != K::arithmetic && kind != K::load && kind != K::warp_reduction && kind != K::hint && kind != K::cancellation_query;
}

// Which reads each statement waits for: those on whose values its operands depend, through whatever arithmetic. Registers are taken to be
// written once, as compilers do it, or each time by the same reads.
void note_waits(std::vector<Step>& steps, size_t registers, const Budget& budget) {
    const auto has_kind = [&](auto... kinds) {
        return std::any_of(steps.begin(), steps.end(),
                           [&](const Step& step) { return step.form && ((traits(step.form->op).kind == kinds) || ...); });
    };
    using K = Traits::Kind;
    if (!has_kind(K::bulk, K::tensor, K::cancellation) || !has_kind(K::mbarrier_arrival)) return;
    constexpr size_t most = 64;  // reads of a register; nobody is taken to wait for more
    std::vector<std::set<uint32_t>> reads(registers);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = 0; s < steps.size(); ++s) {
            if (s % statements_to_check == 0) budget.check();
            std::set<uint32_t> from;
            for (const size_t reg : steps[s].reads) from.insert(reads[reg].begin(), reads[reg].end());
            if (waits_for_operands(steps[s])) {
                steps[s].waits_for.assign(from.begin(), from.end());
                continue;
            }
            if (reads_shared(steps[s])) {
                from.insert(static_cast<uint32_t>(s));
                steps[s].awaited = true;
            }
            for (const size_t reg : steps[s].writes)
                for (const uint32_t read : from)
                    if (reads[reg].size() < most) changed = reads[reg].insert(read).second || changed;
        }
    }
}

bool is_strong_read(const Step& step) {
    return step.form && step.scope != Scope::none && step.elements == 1 && traits(step.form->op).kind == Traits::Kind::load;
}

bool is_wait(const Step& step) {
    return step.form && traits(step.form->op).kind == Traits::Kind::mbarrier_wait;
}

// Whether each way from a wait that gave false comes to it again, with nothing but arithmetic between, or to another round of it
// (rounds.h). Registers whose values are known decide branches; at others both ways are gone.
class Repetition {
public:
    explicit Repetition(const std::vector<Step>& steps) : steps_(steps) {}

    bool holds(size_t wait) {
        left_ = 400;
        std::map<size_t, uint64_t> known;
        for (const size_t reg : steps_[wait].writes) known[reg] = 0;
        from_ = wait;
        return follow(wait + 1, std::move(known), {});
    }

    // To be asked when all waits have been followed: whether this one, and each that comes behind it, waits for the same, and a round
    // leaves nothing behind that matters.
    bool stays(size_t wait, const std::set<size_t>& held, const Rounds& rounds) const {
        std::set<size_t> next{wait};
        for (const Way& way : ways_)
            if (leads(wait, way.from)) next.insert(way.to);
        return std::all_of(next.begin(), next.end(), [&](size_t other) {
            return held.contains(other) && !hands_on(other, rounds) && (other == wait || rounds.are_of_one_wait(wait, other));
        });
    }

private:
    // Whether a round from this wait back to it leaves something behind that matters, such as a count of the rounds that ends them: a
    // register that is computed from what the round before has written.
    bool hands_on(size_t wait, const Rounds& rounds) const {
        std::set<size_t> in_rounds;  // written on some way of a round
        for (const Way& way : ways_)
            if (leads(wait, way.from) && leads(way.to, wait))
                for (const auto& [reg, from] : way.written) in_rounds.insert(reg);
        return std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) {
            if (way.from != wait || !leads(way.to, wait)) return false;
            std::set<size_t> handed;
            for (const size_t reg : steps_[way.to].carried) {
                const auto written = way.written.find(reg);
                if (written != way.written.end() &&
                    std::any_of(written->second.begin(), written->second.end(), [&](size_t source) { return in_rounds.contains(source); }))
                    handed.insert(reg);
            }
            return rounds.matter(handed, way.to);
        });
    }

    // Registers that were written since a wait, each with those whose values at the wait it was computed from.
    using Written = std::map<size_t, std::set<size_t>>;

    static void note_written(const Step& step, bool perhaps, Written& written) {
        std::set<size_t> from;
        const auto take = [&](size_t reg) {
            const auto known = written.find(reg);
            if (known == written.end())
                from.insert(reg);
            else
                from.insert(known->second.begin(), known->second.end());
        };
        for (const size_t reg : step.reads) take(reg);
        if (perhaps)
            for (const size_t reg : step.writes) take(reg);
        for (const size_t reg : step.writes) written[reg] = from;
    }

    std::optional<uint64_t> value(const kernel::Argument& argument, const std::map<size_t, uint64_t>& known) const {
        if (argument.kind == kernel::Argument::Kind::immediate) return argument.bits;
        if (argument.kind != kernel::Argument::Kind::reg) return std::nullopt;
        const auto found = known.find(static_cast<size_t>(argument.reg));
        if (found == known.end()) return std::nullopt;
        return argument.negated ? 1 - found->second : found->second;
    }

    void compute(const Step& step, size_t at, std::map<size_t, uint64_t>& known) const {
        const auto& arguments = step.statement->arguments;
        std::vector<uint64_t> sources;
        bool all = !arguments.empty();
        for (size_t a = 1; a < arguments.size() && all; ++a) {
            const auto source = value(arguments[a], known);
            all = source.has_value();
            sources.push_back(source.value_or(0));
        }
        for (const size_t reg : steps_[at].writes) known.erase(reg);
        if (!all || arguments[0].kind != kernel::Argument::Kind::reg) return;
        bool carry = false;
        const auto results = step.name() == "mov" ? std::optional(sources) : kernel::fold(step.statement->words, sources, carry);
        if (results) known[static_cast<size_t>(arguments[0].reg)] = results->front();  // setp has two, and one register here
    }

    bool follow(size_t at, std::map<size_t, uint64_t> known, Written written) {
        for (; at < steps_.size(); ++at) {
            if (left_-- == 0) return false;
            const Step& step = steps_[at];
            if (is_wait(step)) {
                ways_.push_back({from_, at, std::move(written)});
                return true;
            }
            const int guard = step.statement->guard;
            std::optional<bool> taken = guard < 0 ? std::optional(true) : std::nullopt;
            if (guard >= 0 && known.contains(static_cast<size_t>(guard)))
                taken = (known[static_cast<size_t>(guard)] != 0) != step.statement->guard_negated;
            if (step.name() == "bra") {
                if (!taken && !follow(at + 1, known, written)) return false;
                if (!taken || *taken) at = step.target - 1;
                continue;
            }
            if (taken && !*taken) continue;
            if (!is_only_computing(step)) return false;
            note_written(step, !taken, written);
            if (taken)
                compute(step, at, known);
            else
                for (const size_t reg : steps_[at].writes) known.erase(reg);
        }
        return false;
    }

    // From one wait to the next, with what is written between.
    struct Way {
        size_t from = 0, to = 0;
        Written written;
    };

    bool leads(size_t from, size_t to) const {
        std::set<size_t> seen;
        std::vector<size_t> open{from};
        while (!open.empty()) {
            const size_t wait = open.back();
            open.pop_back();
            if (wait == to) return true;
            if (!seen.insert(wait).second) continue;
            for (const Way& way : ways_)
                if (way.from == wait) open.push_back(way.to);
        }
        return false;
    }

    const std::vector<Step>& steps_;
    std::vector<Way> ways_;  // of all waits that were asked about
    size_t from_ = 0;        // the wait that is asked about
    size_t left_ = 0;        // steps that are still looked at
};

}  // namespace

std::vector<Step> steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget) {
    std::vector<Step> steps = kernel::decoded(file, function, budget);
    note_waits(steps, function.registers.size() + 1, budget);
    const std::vector<kernel::Registers> live = note_carried(steps, function.registers.size() + 1, budget);
    const Rounds rounds(steps, live);
    Repetition repetition(steps);
    std::set<size_t> held;
    for (size_t s = 0; s < steps.size(); ++s)
        if (is_wait(steps[s])) {
            budget.check();
            if (repetition.holds(s)) held.insert(s);
        }
    for (const size_t wait : held) steps[wait].repeated = repetition.stays(wait, held, rounds);
    for (size_t s = 0; s < steps.size(); ++s) {
        if (!is_strong_read(steps[s])) continue;
        budget.check();
        steps[s].loop = rounds.loop_of(s);
        if (steps[s].loop) steps[*steps[s].loop].first_rounds.push_back(s);
    }
    const bool has_open_registers = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
        return step.form && (step.form->op == Op::wgmma_mma || step.form->op == Op::tcgen_load);
    });
    for (Step& step : steps)
        if (!has_open_registers) {
            step.reads = {};
            step.writes = {};
        }
    return steps;
}

std::shared_ptr<const Decoded> decoded(const kernel::Module& module, const kernel::Function& entry, const kernel::MemoryLayout& layout,
                                       const Budget& budget) {
    const auto linked = std::make_shared<const Linked>(link(module, entry, layout, budget));
    std::vector<Step> code = steps_of(module.source, linked->code, budget);
    for (size_t s = 0; s < code.size(); ++s) code[s].original = linked->originals[s];
    return std::make_shared<const Decoded>(Decoded{linked, std::move(code)});
}

}  // namespace litmus::sweep
