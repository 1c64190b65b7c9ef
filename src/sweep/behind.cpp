// A search through the control flow, in which each branch goes both ways.
#include "sweep/behind.h"

#include <set>

#include "sweep/line.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;

Behind::Ways Behind::ways(size_t at, Lanes others, Lane how) {
    const auto [known, is_new] = known_.try_emplace({at, others, how.called, how.may_end_turn});
    if (is_new) known->second = follow(at, others, how);
    return known->second;
}

Behind::Ways Behind::follow(size_t from, Lanes others, Lane how) {
    std::set<size_t> seen;
    std::vector<size_t> open;
    const auto go = [&](size_t at) {
        if (at < code_.size() && seen.insert(at).second) open.push_back(at);
    };
    Ways result;
    if (how.may_end_turn && from >= code_.size()) return {&code_.back()};
    for (go(from); !open.empty();) {
        const size_t at = open.back();
        open.pop_back();
        const Step& step = code_[at];
        const bool ends = step.name() == "exit" || (step.name() == "ret" && !how.called);
        const bool branches = step.name() == "bra";
        const bool is_last = ends || at + 1 == code_.size();
        if (how.may_end_turn && (is_last || step.name() == "bar" || step.name() == "barrier")) return {&step};
        if (branches) go(step.target);
        const bool stops = ends || branches || waits(step, others);
        if (!stops && !is_quiet(step)) return {&step};
        result.to_aligned = result.to_aligned || is_for_warp(step);
        if (!stops || step.statement->guard >= 0) go(at + 1);
    }
    return result;
}

bool Behind::is_for_warp(const Step& step) {
    return step.find(Role::member_mask) == nullptr && (step.name() == "bar" || step.has("aligned"));
}

// An instruction that is `.aligned`, as `bar` is, waits for the whole warp. One with a mask waits for the lanes of the mask. A barrier that
// names no number of threads waits for all that have not exited.
bool Behind::waits(const Step& step, Lanes others) {
    if (const Argument* const mask = step.find(Role::member_mask)) {
        const std::optional<uint64_t> lanes = constant(*mask);
        return lanes && (static_cast<Lanes>(*lanes) & others) == others;
    }
    if (is_for_warp(step)) return true;
    return step.form && step.form->op == Op::bar_sync && step.find(Role::threads) == nullptr;
}

// Whether it has no place in an order. Parameters and local memory belong to one thread.
bool Behind::is_quiet(const Step& step) const {
    if (is_only_computing(step) || step.find(Role::member_mask) != nullptr) return true;
    const std::string_view space = step.space(Role::address);
    if ((step.name() == "ld" || step.name() == "st") && (space == "local" || space.starts_with("param"))) return true;
    if (!step.form) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    const bool is_weak = (kind == Traits::Kind::load || kind == Traits::Kind::store) && step.scope == Scope::none;
    const bool is_fence = kind == Traits::Kind::fence && !(orders_fences_ && is_fence_sc(step));
    return is_weak || is_fence;
}

// The operand, if it is the same in every execution: a number of the text, or a register that one `mov` alone writes. Results stand
// first. An address that stands there counts as a result, too.
std::optional<uint64_t> Behind::constant(const Argument& argument) {
    if (argument.kind == Argument::Kind::immediate) return argument.bits;
    if (argument.kind != Argument::Kind::reg) return std::nullopt;
    if (!only_writer_) {
        only_writer_.emplace();
        for (const Step& step : code_)
            if (!step.statement->arguments.empty() && (step.writes_first || step.statement->arguments.front().kind != Argument::Kind::reg))
                note_written(step.statement->arguments.front(), step);
    }
    const auto writer = only_writer_->find(argument.reg);
    if (writer == only_writer_->end() || writer->second == nullptr) return std::nullopt;
    const Step& step = *writer->second;
    const bool moves = step.name() == "mov" && step.statement->arguments.size() == 2 && step.statement->guard < 0;
    if (!moves || step.statement->arguments[1].kind != Argument::Kind::immediate) return std::nullopt;
    return step.statement->arguments[1].bits;
}

void Behind::note_written(const Argument& argument, const Step& step) {
    if (argument.kind == Argument::Kind::reg) {
        const auto [writer, is_first] = only_writer_->try_emplace(argument.reg, &step);
        if (!is_first) writer->second = nullptr;
    }
    for (const Argument& element : argument.elements) note_written(element, step);
}

}  // namespace litmus::sweep
