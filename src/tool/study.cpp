// First the test is checked, as `check` does. Each outcome that it has becomes a row with an execution; then come outcomes that it would
// have without the axioms, with the reason why it has not, and those that a device showed all the same. What takes too long, or is not
// covered, is said on the page and costs the rest nothing.
#include "tool/study.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/forbidden.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/outcome.h"
#include "tool/advice.h"
#include "tool/attempt.h"
#include "tool/missing.h"
#include "tool/pipeline.h"
#include "view/page/pieces.h"
#include "view/picture/lanes.h"
#include "view/picture/svg.h"

namespace litmus {

namespace {

constexpr size_t most_listed = 64;      // outcomes on a page
constexpr size_t most_drawn = 12;       // outcomes with a picture
constexpr size_t most_hazards = 8;      // with a picture
constexpr size_t most_refused = 2;      // forbidden outcomes that are explained: of those that the claim is about, and of others
constexpr double largest_graph = 1600;  // px, wide or high: before a larger one stands a chart in time
constexpr size_t most_ways = 1;         // in which one of them could come about

// The values of an outcome by what they are values of: two engines' lists may name the same things in another order.
using Values = std::map<std::string, uint64_t>;

class Student {
public:
    Student(const Input& input, ModelFamily& family, const Observations& observed, const TestOptions& options)
        : input_(input),
          family_(family),
          observed_(observed),
          options_(options),
          on_(family.readings(options.reading)),
          model_(family.under(on_)),
          solver_(Solver::usually, options.engine.value()) {}

    Study run(bool repair) {
        TestPage& page = study_.page;
        checked_ = check_whole(input_, family_, asked(options_));
        page.result = checked_.result;
        page.source = input_.source;
        study_.status = status_of(page.result);
        if (input_.test) {
            page.bare = bare_source(*input_.test);
            page.doc = input_.test->doc;
            page.refs = input_.test->refs;
        } else {
            page.result.test = input_.file;
        }
        if (!checked_.program) return std::move(study_);
        in_time("the executions behind the outcomes", [&] { list_allowed(); });
        in_time("why other outcomes cannot be", [&] { list_forbidden(); });
        in_time("what the readings do to it", [&] { compare_all(); });
        in_time("the executions behind the hazards", [&] { list_hazards(); });
        tell_readings();
        find_missing(repair);
        return std::move(study_);
    }

private:
    // Runs a step; what it does not find out is said.
    void in_time(const std::string& what, const std::function<void()>& step) {
        const Trouble trouble = attempt(step);
        if (!trouble.internal_error.empty()) throw std::logic_error(trouble.internal_error);
        if (trouble.none()) return;
        const std::string why = trouble.failure ? trouble.failure->diagnostics().front().message : trouble.undecided;
        study_.page.not_known.push_back("Not found out: " + what + " (" + why + ").");
    }

    BuildOptions build(bool blocked) const { return {options_.unroll, blocked, options_.budget()}; }

    static Figure figure_of(const Drawing& drawing) {
        const PictureOptions look{.style = false, .title = false};
        Figure figure{svg_picture(drawing, look), {}, {}};
        if (const SvgSize size = size_of(figure.svg); std::max(size.width, size.height) > largest_graph)
            figure.chart = lanes_picture(drawing, look);
        const Program& program = drawing.program;
        for (const MbarrierChange& change : mbarrier_changes(program, drawing.execution)) {
            const bool first = program.events[change.write].kind == Event::Kind::init;
            if (first) figure.mbarriers.push_back({program.cells[change.cell].name, {}});
            figure.mbarriers.back().steps.push_back({first ? "at the beginning" : describe(program, change.write),
                                                     format_cell(program, change.cell, drawing.execution.values[change.write]),
                                                     change.completed ? "phase " + std::to_string(*change.completed) : std::string()});
        }
        return figure;
    }

    // ---- outcomes ---------------------------------------------------------------------------------

    // Adds a row and gives its place.
    size_t add_row(const Values& values, const std::vector<Observable>& order) {
        PageOutcome outcome;
        for (const Observable& o : order) outcome.values.push_back(o.name + "=" + format_value(values.at(o.name), o.type));
        study_.page.outcomes.push_back(std::move(outcome));
        rows_.push_back(values);
        return rows_.size() - 1;
    }

    template <typename Names>
    static Values values_of(const Names& names, const std::vector<uint64_t>& values) {
        Values result;
        for (size_t i = 0; i < values.size(); ++i) result[names[i].name] = values[i];
        return result;
    }

    void list_allowed() {
        const Answer& answer = checked_.answer;
        const Test& test = *input_.test;
        study_.page.more_outcomes = !answer.complete || answer.outcomes.size() > most_listed;
        for (size_t i = 0; i < std::min(answer.outcomes.size(), most_listed); ++i) {
            const Outcome& outcome = answer.outcomes[i];
            PageOutcome& row = study_.page.outcomes[add_row(values_of(answer.observables, outcome.values), answer.observables)];
            if (test.claim.kind != Claim::Kind::none) row.asked = outcome.satisfies == (test.claim.kind != Claim::Kind::forall);
            if (checked_.result.judgement.verdict == Verdict::undefined) row.standing = Standing::undefined;
            if (i < most_drawn)
                row.figure = figure_of(*exhibit(*checked_.program, model_, answer, i + 1));
            else
                row.drawn_by = drawing_command(i + 1);
        }
    }

    std::string drawing_command(size_t outcome) const {
        const std::string command = command_on("show", input_.file, options_);
        return command.empty() ? command : command + " --outcome " + std::to_string(outcome) + " --svg";
    }

    static Condition conjunction(std::vector<Condition> operands) {
        Condition all;
        all.kind = Condition::Kind::conjunction;
        all.operands = std::move(operands);
        return all;
    }

    static Condition negation(Condition operand) {
        Condition contrary;
        contrary.kind = Condition::Kind::negation;
        contrary.operands = {std::move(operand)};
        return contrary;
    }

    // The outcomes that no execution has, though one would without the axioms: first those that the claim is about.
    void list_forbidden() {
        const Answer& answer = checked_.answer;
        const Test& test = *input_.test;
        const bool undefined = answer.hazards && answer.hazards->undefined != Truth::no;
        if (!answer.complete || answer.bound_hit || undefined || answer.outcomes.size() > most_listed) return;
        std::vector<Condition> others;
        for (const Outcome& outcome : answer.outcomes)
            others.push_back(negation(parse_outcome(test, outcome_text(answer.observables, outcome.values))));
        if (test.claim.kind == Claim::Kind::none) return refuse(conjunction(others), false);
        std::vector<Condition> asked = others;
        asked.push_back(in_question(test.claim));
        refuse(conjunction(std::move(asked)), true);
        others.push_back(negation(in_question(test.claim)));
        refuse(conjunction(std::move(others)), false);
    }

    void refuse(const Condition& wanted, bool asked) {
        const ForbiddenOptions bounds{
            .unroll = options_.unroll, .budget = options_.budget(), .most_cases = most_refused, .most_ways = most_ways, .possible = asked};
        const Forbidden forbidden = why_none(*input_.test, wanted, model_, bounds, solver_);
        study_.page.more_outcomes = study_.page.more_outcomes || (!forbidden.complete && !forbidden.cases.empty());
        for (const Forbidden::Case& one : forbidden.cases) {
            PageOutcome& row = study_.page.outcomes[add_row(values_of(forbidden.observables, one.values), forbidden.observables)];
            row.standing = Standing::forbidden;
            row.asked = asked;
            row.why = case_of(forbidden, one, model_);
            for (const Refuted& refuted : one.why.refuted) {
                if (refuted.breaches.empty()) continue;
                const BrokenAxiom& breach = refuted.breaches.front();
                const std::string title =
                    input_.test->name + ": " + outcome_text(forbidden.observables, one.values) + " would break " + breach.axiom;
                row.figure = figure_of({*forbidden.program, model_, refuted.execution, title, nullptr, true, &breach});
                break;
            }
        }
        const bool none_has_it =
            std::none_of(study_.page.outcomes.begin(), study_.page.outcomes.end(), [](const auto& o) { return o.asked; });
        if (!asked || !none_has_it) return;
        Explanation explanation;
        add_forbidden(explanation, forbidden, model_);
        study_.page.impossible = explanation.because;
    }

    // ---- what was observed ------------------------------------------------------------------------

    void compare_all() {
        const Test native = to_native(*input_.test);
        const Answer& answer = checked_.answer;
        const bool shows_all = input_.test->dialect == Dialect::native && !input_.test->filter && answer.complete && answer.hazards;
        study_.prediction = predict(native, family_, on_, build(false), solver_, shows_all ? &answer : nullptr);
        const Prediction& prediction = *study_.prediction;
        for (size_t r = 0; r < rows_.size(); ++r)
            study_.page.outcomes[r].ruled_out_by = ruled_out_by(prediction, rows_[r], study_.page.outcomes[r].standing);
        for (size_t d = 0; d < observed_.devices.size(); ++d) {
            const ObservedDevice& device = observed_.devices[d];
            const auto at = device.place.find(checked_.result.hash);
            if (at == device.place.end() || device.tests[at->second].tally.sum().instances == 0) continue;
            study_.runs.push_back({d, compared(prediction, device.tests[at->second])});
            count(study_.runs.back(), prediction);
        }
    }

    // Of an outcome that is forbidden: by which of the readings that are on; of another one: of those that are not.
    std::vector<std::string> ruled_out_by(const Prediction& prediction, const Values& row, Standing standing) const {
        std::vector<std::string> result;
        OutcomeValues values;
        for (const gpu::Observable& o : prediction.observables) {
            const auto value = row.find(o.name);
            if (value == row.end()) return result;
            values.push_back(value->second);
        }
        for (const ReadingEffect& effect : prediction.effects)
            if (forbids(effect, values) && is_on(effect.reading) == (standing == Standing::forbidden)) result.push_back(effect.reading);
        return result;
    }

    bool is_on(const std::string& reading) const { return std::find(on_.begin(), on_.end(), reading) != on_.end(); }

    // Adds what a device showed to the rows; what stands in none becomes a new one.
    void count(const StudiedRun& run, const Prediction& prediction) {
        TestPage& page = study_.page;
        page.devices.push_back(
            {observed_.devices[run.device].name, run.comparison.ended, run.comparison.unlisted, run.comparison.disturbances});
        for (PageOutcome& outcome : page.outcomes) outcome.counts.resize(page.devices.size());
        for (const Seen& seen : run.comparison.seen) {
            const Values values = values_of(prediction.observables, seen.values);
            const auto shows = [&](const Values& row) { return std::includes(values.begin(), values.end(), row.begin(), row.end()); };
            const auto row = std::find_if(rows_.begin(), rows_.end(), shows);
            size_t place = static_cast<size_t>(row - rows_.begin());
            if (row == rows_.end()) {
                if (input_.test->filter || rows_.size() >= 2 * most_listed) continue;
                place = add_seen(values, prediction);
                page.outcomes[place].standing = seen.standing;
                page.outcomes[place].counts.resize(page.devices.size());
            }
            page.outcomes[place].counts.back() += seen.count;
        }
    }

    size_t add_seen(const Values& values, const Prediction& prediction) {
        PageOutcome outcome;
        for (const gpu::Observable& o : prediction.observables)
            outcome.values.push_back(o.name + "=" + format_value(values.at(o.name), o.type));
        study_.page.outcomes.push_back(std::move(outcome));
        rows_.push_back(values);
        return rows_.size() - 1;
    }

    // ---- the rest ---------------------------------------------------------------------------------

    void list_hazards() {
        if (!checked_.answer.hazards) return;
        const Hazards& hazards = *checked_.answer.hazards;
        for (HazardText& text : explain(*checked_.program, hazards)) {
            const Hazard& hazard = hazards.found[text.number];
            const std::string title = input_.test->name + ": " + hazard_title(text);
            study_.page.hazards.push_back({std::move(text), std::nullopt});
            if (study_.page.hazards.size() > most_hazards) continue;
            study_.page.hazards.back().figure = figure_of({*checked_.program, model_, hazard.witness, title, &hazard, true});
        }
    }

    void tell_readings() {
        Explanation explanation;
        add_readings(explanation, checked_.result.reliance, model_);
        study_.page.readings = explanation.readings;
    }

    // Of a test that fails, as `check` does.
    void find_missing(bool repair) {
        const Verdict verdict = checked_.result.judgement.verdict;
        if ((verdict == Verdict::ok && !repair) || verdict == Verdict::unknown || verdict == Verdict::error) return;
        study_.page.repaired_by = command_on("repair", input_.file, options_);
        study_.page.missing = soon_missing(*input_.test, family_, on_, solver_, options_);
        if (!study_.page.missing) study_.page.not_known.emplace_back("What is missing was not found out in time.");
    }

    const Input& input_;
    ModelFamily& family_;
    const Observations& observed_;
    const TestOptions& options_;
    const std::vector<std::string> on_;
    const Model& model_;
    Solver solver_;
    Checked checked_;
    std::vector<Values> rows_;  // of the page's outcomes
    Study study_;
};

}  // namespace

Study study(const Input& input, ModelFamily& family, const Observations& observed, const TestOptions& options, bool repair) {
    return Student(input, family, observed, options).run(repair);
}

}  // namespace litmus
