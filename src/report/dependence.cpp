// The verdict under other readings, again and again, with nothing listed.
#include "report/dependence.h"

#include <optional>

#include "explain/hazards.h"
#include "report/verdict.h"

namespace litmus {

Dependence verdict_depends(const Test& test, ModelFamily& family, const BuildOptions& build, Solver& solver) {
    const Model& model = family.by_default();
    const std::vector<std::string> weakest = readings_of(model, Reading::Base::weakest);
    std::vector<std::string> disputed;
    for (const Reading& reading : model.readings)
        if (reading.base != Reading::Base::weakest) disputed.push_back(reading.name);
    SolveOptions wanted;
    wanted.want_outcomes = false;
    std::optional<Hazards> none;  // readings only take executions and hazards away: what the weakest has not, none has
    const auto ask = [&](const std::vector<std::string>& on) {
        const Model& under = family.under(on);
        Program program = build_program(test, build);
        wanted.want_hazards = !none;
        Answer answer = examine(program, under, build, wanted, solver).answer;
        if (none) answer.hazards = none;
        const bool weakest_of_all = on.size() == weakest.size();
        if (weakest_of_all && answer.hazards->undefined == Truth::no && answer.hazards->blocked == Truth::no &&
            answer.hazards->found.empty() && answer.hazards->races_complete)
            none = answer.hazards;
        const Verdict verdict = judge(test, answer).verdict;
        return verdict == Verdict::unknown ? -1 : static_cast<int>(verdict);
    };
    return depends_on(weakest, disputed, [&](const std::vector<std::string>& on) {
        try {
            return ask(on);
        } catch (const OverBudget&) {
            return -1;
        }
    });
}

}  // namespace litmus
