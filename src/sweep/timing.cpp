// Which way gives up, and what the run does elsewhere.
#include "sweep/timing.h"

#include <algorithm>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr size_t most_steps_to_trap = 200;  // on the way to a trap

// It leaves nothing behind that another thread could see, whatever it gives.
bool is_of_thread_alone(const Step& step) {
    using K = Traits::Kind;
    const std::string_view name = step.name(), space = step.space(Role::address);
    if (name == "ld" || name == "cvta" || step.computes) return true;
    if (name == "st") return space == "local" || space.rfind("param", 0) == 0;
    const K kind = step.form ? traits(step.form->op).kind : K::store;
    return kind == K::load || kind == K::arithmetic || kind == K::hint;
}

}  // namespace

bool Timing::is_clock(uint32_t began) const {
    return began >= earlier_ && began - earlier_ < code_.size() && code_[began - earlier_].reads_clock;
}

bool Timing::is_timed(Doubt doubt) const {
    const auto& statements = doubts_.statements(doubt);
    return std::any_of(statements.begin(), statements.end(), [&](uint32_t began) { return is_clock(began); });
}

bool gives_up(const std::vector<Step>& code, size_t at) {
    for (size_t n = 0; n < most_steps_to_trap && at < code.size(); ++n) {
        const Step& step = code[at];
        if (step.statement->guard >= 0) return false;
        if (step.name() == "trap") return true;
        if (step.name() == "bra") {
            at = step.target;
            continue;
        }
        if (step.name() == "call") {
            const auto& arguments = step.statement->arguments;
            const auto is = [&](const char* name) {
                return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
                    return a.kind == Argument::Kind::label && a.bits == outside && a.name == name;
                });
            };
            if (is("__assertfail") || is("__trap")) return true;
            if (!is("vprintf")) return false;
        } else if (!is_of_thread_alone(step)) {
            return false;
        }
        ++at;
    }
    return false;
}

std::optional<bool> Timing::unless_it_gives_up(Doubt doubt, const Step& step) {
    if (doubt == 0 || !is_timed(doubt)) return std::nullopt;
    const auto [at, fresh] = time_outs_.try_emplace(static_cast<uint32_t>(&step - code_.data()));
    if (fresh) {
        const size_t behind = at->first + size_t{1};
        const bool branches = step.name() == "bra";
        const bool if_it_holds = branches ? gives_up(code_, step.target) : step.name() == "trap", if_not = gives_up(code_, behind);
        if (if_it_holds != if_not) at->second = if_not;
    }
    return at->second;
}

bool Machine::as_time_goes(Warp& warp, bool goes, const Step& step) {
    swept_.timed = true;
    return task_.options.schedule.late && warp.guesses[task_.number_of(step)] % 2 == 0 ? !goes : goes;
}

}  // namespace litmus::sweep
