// Both models are asked for all that they allow; what only one of them has is then traced to axioms and readings.
//
// A reading only takes executions away. So if model A has what B has not, some of the readings that B has and A has not rule it
// out; the minimal sets of these are found as those of a verdict are (depends.h). The answers under a set of readings serve
// all questions about it.
#include "analysis/compare/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/explain/why.h"
#include "analysis/verdict/depends.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/signs.h"
#include "cat/evaluate.h"
#include "cat/fold.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

constexpr size_t most_explained = 8;  // outcomes of one test whose axioms are looked for

class Comparer {
public:
    Comparer(const Test& test, Program& program, const TwoModels& models, Solver& solver)
        : test_(test), program_(program), models_(models), solver_(solver) {}

    ModelDifferences run(bool strict) {
        for (const size_t side : {size_t{0}, size_t{1}}) {
            const Answer& answer = under(side, models_[side].readings);
            result_.verdicts[side] = judge(test_, answer, strict).verdict;
            result_.observables = answer.observables;
            if (!knows_all(answer)) leave_open(answer.bound_hit ? "a loop was cut at the unroll bound" : what_ran_out(answer));
        }
        for (const size_t by : {size_t{0}, size_t{1}}) compare_outcomes(by);
        for (const size_t by : {size_t{0}, size_t{1}}) compare_signs(by);
        return std::move(result_);
    }

private:
    // The answer of one side's file under these readings.
    const Answer& under(size_t side, Names readings) {
        std::sort(readings.begin(), readings.end());
        const ModelFamily* family = &models_[side].family;
        const auto known = answers_.find({family, readings});
        if (known != answers_.end()) return known->second;
        Answer answer = solver_.solve(program_, models_[side].family.under(readings), {});
        return answers_[{family, readings}] = std::move(answer);
    }
    const Answer& answer(size_t side) { return under(side, models_[side].readings); }

    void leave_open(const std::string& why) {
        if (result_.decided) result_.undecided = why;
        result_.decided = false;
    }

    void compare_outcomes(size_t by) {
        const size_t other = 1 - by;
        if (!knows_outcomes(answer(other))) return;
        size_t explained = 0;
        for (const Outcome& outcome : answer(by).outcomes) {
            if (has_outcome(answer(other), outcome.values)) continue;
            Difference difference{by, outcome.values, {}, {}, {}, {}};
            if (++explained <= most_explained)
                difference.axioms = why_forbidden(program_, models_[other].model(), outcome.values, solver_).axioms;
            difference.readings = readings_against(
                by, [&](const Answer& a) { return has_outcome(a, outcome.values); }, knows_outcomes);
            result_.found.push_back(std::move(difference));
        }
    }

    void compare_signs(size_t by) {
        const size_t other = 1 - by;
        const std::map<Sign, const Hazard*> missing_from = signs_of(program_, answer(other));
        for (const auto& [sign, hazard] : signs_of(program_, answer(by))) {
            if (missing_from.count(sign) > 0 || !knows(answer(other), sign)) continue;
            const HazardText text = explain(program_, *hazard);
            Difference difference{by, {}, title(text), text.lines, {}, {}};
            Names broken;
            for (const BrokenAxiom& breach : breaches(models_[other].model(), hazard->witness)) broken.push_back(breach.axiom);
            if (!broken.empty()) difference.axioms.push_back(std::move(broken));
            const auto shown = [&, wanted = sign](const Answer& a) { return signs_of(program_, a).count(wanted) > 0; };
            difference.readings = readings_against(by, shown, [&, wanted = sign](const Answer& a) { return knows(a, wanted); });
            result_.found.push_back(std::move(difference));
        }
    }

    static std::string title(const HazardText& text) {
        if (text.kind == Hazard::Kind::race) return "data race on " + text.title;
        return text.kind == Hazard::Kind::undefined ? "undefined: " + text.title : text.title;
    }

    // The minimal sets of readings of the other side that rule out what `by` has.
    template <typename Has, typename Knows>
    std::vector<Names> readings_against(size_t by, const Has& has, const Knows& knows_it) {
        const size_t other = 1 - by;
        if (&models_[0].family != &models_[1].family) return {};
        Names common, disputed;
        for (const std::string& reading : models_[other].readings) {
            const Names& theirs = models_[by].readings;
            (std::find(theirs.begin(), theirs.end(), reading) != theirs.end() ? common : disputed).push_back(reading);
        }
        const Dependence found = depends_on(common, disputed, [&](const Names& readings) {
            const Answer& a = under(other, readings);
            return has(a) ? 1 : knows_it(a) ? 0 : -1;
        });
        if (!found.known) leave_open("which readings are why was not decided");
        return found.flips;
    }

    const Test& test_;
    Program& program_;
    const TwoModels& models_;
    Solver& solver_;
    std::map<std::pair<const ModelFamily*, Names>, Answer> answers_;
    ModelDifferences result_;
};

}  // namespace

bool same_model(const TwoModels& models) {
    return graph_text(models[0].model()) == graph_text(models[1].model());
}

ModelDifferences differences(const Test& test, Program& program, const TwoModels& models, Solver& solver, bool strict) {
    return Comparer(test, program, models, solver).run(strict);
}

}  // namespace litmus
