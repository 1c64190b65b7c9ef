// Backward data flow over the linked statements, from the last to the first, until nothing changes.
#include "sweep/carried.h"

#include <algorithm>
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
           (step.scope != Scope::none && step.elements == 1 && (kind == Traits::Kind::load || kind == Traits::Kind::atomic));
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
          live_(steps.size() + 1, Live(registers)) {}

    std::vector<Live> run() {
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t s = steps_.size(); s-- > 0;) {
                if (s % steps_to_check == 0) budget_.check();
                changed = live_[s].join(before(s)) || changed;
            }
        }
        return std::move(live_);
    }

private:
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
        const bool is_time_out = guarded && (step.name() == "bra" ? gives_up(step.target) || gives_up(s + 1) : step.name() == "trap");
        const bool is_computed = step.form ? traits(step.form->op).kind == Traits::Kind::arithmetic : step.computes;
        if (is_hint || is_time_out || (is_computed && !matters)) return live;
        for (const size_t r : step.reads) live.insert(r);
        return live;
    }

    const std::vector<Step>& steps_;
    const size_t registers_;
    const Budget& budget_;
    const bool calls_;
    std::vector<Live> live_;  // before each statement, and at the end
};

}  // namespace

std::vector<Live> note_carried(std::vector<Step>& steps, size_t registers, const Budget& budget) {
    if (std::none_of(steps.begin(), steps.end(), may_repeat)) return {};
    std::vector<Live> live = Analysis(steps, registers, budget).run();
    for (size_t s = 0; s < steps.size(); ++s)
        if (may_repeat(steps[s])) steps[s].carried = live[s].all();
    return live;
}

}  // namespace litmus::sweep
