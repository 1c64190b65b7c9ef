// `litmus explain`: why an outcome cannot happen, or how it can.
//
// First the test is decided, as `check` does. What decides it is then shown, or, where no execution can show it, explained.
#include <cstdio>
#include <memory>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/explanation.h"
#include "analysis/explain/forbidden.h"
#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/support.h"
#include "base/visible.h"
#include "cat/readings.h"
#include "language/syntax/native/print.h"
#include "language/syntax/outcome.h"
#include "language/syntax/read.h"
#include "tool/advice.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/missing.h"
#include "tool/named_tests.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/subject.h"
#include "view/picture/svg.h"

namespace litmus::explain_command {

namespace {

constexpr const char* footer = R"(
Says why the outcomes that a test forbids cannot happen, or shows the execution that decides its verdict. --outcome asks about
any other outcome. It takes values as `litmus outcomes` prints them, or a condition.
An outcome that cannot happen breaks an axiom of the model. The explanation takes the execution that would have the outcome down to
single facts: which read takes its value from which write, what synchronizes with what and why. P1:14 is line 14, in thread P1; numbers
in parentheses are sections of the ISA. If the outcome could come about in several ways, each way is told with the axiom that it
breaks. If an execution is shown and a few edits repair the test, the last lines say what is missing.

Examples:
  litmus explain mp.litmus
  litmus explain mp.litmus --outcome "P1:r0=1; P1:r1=0"
  litmus explain mp.litmus --outcome "P1:r0 == 1 /\ P1:r1 != 1" --model sc
  litmus explain mp.litmus --svg > mp.svg

Exit status: 0 explained; 1 there is nothing to explain; 2 bad input; 3 undecided, or only a part was explained in time.
)";

struct Options : TestOptions {
    std::vector<std::string> inputs;
    std::string asked;     // an outcome, "P1:r0=1"; empty: what the test claims
    std::string test;      // which test of a file with several; empty: the only one
    size_t explained = 2;  // outcomes, at most
    size_t ways = 4;       // in which each could come about, at most
    Format format = Format::text;
    bool dot = false, svg = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_text(app, "--outcome", options.asked, "OUTCOME",
             "The outcome to explain, such as \"P1:r0=1; x=2\" (default: what the test claims)");
    add_test(app, options.test);
    add_number<size_t>(app, "--max-outcomes", options.explained, 1, 1U << 30U, "a number of outcomes", "N",
                       "Explain at most N outcomes, if several satisfy the condition (default: 2)");
    add_number<size_t>(app, "--max-ways", options.ways, 1, 1U << 30U, "a number of ways", "N",
                       "Tell at most N ways in which an outcome could come about, but one for each axiom (default: 4)");
    add_format(app, options.format, "explain", "Write text, or a JSON object");
    CLI::Option* const dot = add_flag(app, "--dot", options.dot, "Write a Graphviz graph of the execution, with what breaks it in red");
    exclude(add_flag(app, "--svg", options.svg, "Write a picture of the execution (SVG), with what breaks it marked"), {dot});
    add_model(app, options);
    add_deciding(app, options, "Give up on a test after S seconds of a processor (default: never)");
}

// The test to decide: as it is, or with the outcome that is asked about in place of its claims, in its text too where that is in
// the DSL.
Test subject_of(const Test& test, const std::string& outcome) {
    if (outcome.empty()) return test;
    const Condition condition = parse_outcome(test, outcome);
    Test asked = test.dialect == Dialect::native ? with_outcome(test, "exists", outcome) : test;
    asked.claim.kind = Claim::Kind::exists;
    asked.claim.condition = condition;
    asked.claims_racefree = asked.claims_undefined = asked.claims_deadlock = asked.claims_may_deadlock = asked.claims_terminates = false;
    asked.report_only = false;
    return asked;
}

class Explainer {
public:
    Explainer(const Input& input, const Options& options)
        : options_(options),
          family_(options.model, options.variants),
          on_(family_.readings(options.reading)),
          model_(family_.under(on_)),
          budget_(options.searching()),
          solver_(Solver::usually, options.engine.value()),
          test_(subject_of(*input.test, options.asked)),
          program_(build_program(test_, {.unroll = options.unroll, .blocked = true, .budget = budget_})) {
        explanation_.file = input.file;
        explanation_.test = test_.name;
        explanation_.model = model_.name;
        explanation_.model_hash = model_.hash;
    }

    // Decides, and finds the reasons; the drawing below is of what was found.
    const Explanation& run() {
        require_support(program_, model_);
        SolveOptions wanted;
        wanted.max_outcomes = options_.asked.empty() ? wanted.max_outcomes : 1;
        answer_ = solver_.solve(program_, model_, wanted);
        judgement_ = judge(test_, answer_);
        if (options_.asked.empty()) {  // of another outcome, `repair` knows nothing
            explanation_.verdict = name(judgement_.verdict);
            explanation_.repaired_by = command_on("repair", explanation_.file, options_);
        }
        if (test_.claim.kind != Claim::Kind::none) explanation_.question = print(in_question(test_.claim), test_);
        if (asks_why_not()) {
            explain_none();
        } else {
            show();
        }
        if (options_.asked.empty() || !is_undefined()) {
            add_readings(explanation_, reliance({test_, program_, false}, family_, on_, options_.reading, answer_, solver_), model_);
        } else {
            explanation_.readings.emplace_back("Some execution of the test has undefined behaviour: then anything can happen.");
        }
        return explanation_;
    }

    // What a drawing shows; nothing where there is no execution.
    std::optional<Drawing> drawing() const {
        if (explanation_.answer == Explanation::Answer::shown) return exhibit(program_, model_, answer_, shown_);
        for (const Forbidden::Case& one : forbidden_.cases)
            for (const Refuted& refuted : one.why.refuted)
                if (!refuted.breaches.empty()) return drawing_of(one, refuted);
        return std::nullopt;
    }

    // What is missing in what is shown, where that is known.
    const std::optional<WhatIsMissing>& missing() const { return explanation_.missing; }

    int status() const {
        if (!explanation_.decided) return 3;
        return explanation_.answer == Explanation::Answer::nothing ? 1 : 0;
    }

private:
    bool is_undefined() const { return answer_.hazards && answer_.hazards->undefined == Truth::yes; }

    // Whether the condition decides, and no execution satisfies it.
    bool asks_why_not() const {
        const Claim::Kind kind = test_.claim.kind;
        const Truth found = kind == Claim::Kind::forall ? answer_.violable : answer_.satisfiable;
        if (kind == Claim::Kind::none || found != Truth::no || answer_.bound_hit) return false;
        if (!options_.asked.empty()) return true;
        if (judgement_.verdict == Verdict::ok) return true;
        return judgement_.verdict == Verdict::no && kind == Claim::Kind::exists;
    }

    void explain_none() {
        const ForbiddenOptions bounds{
            .unroll = options_.unroll, .budget = budget_, .most_cases = options_.explained, .most_ways = options_.ways};
        forbidden_ = why_none(test_, in_question(test_.claim), model_, bounds, solver_);
        add_forbidden(explanation_, forbidden_, model_);
    }

    void show() {
        const bool by_condition = !options_.asked.empty() || judgement_.verdict == Verdict::ok;
        for (size_t i = 0; by_condition && test_.claim.kind == Claim::Kind::exists && i < answer_.outcomes.size() && shown_ == 0; ++i)
            if (answer_.outcomes[i].satisfies) shown_ = i + 1;
        explanation_.decided = judgement_.verdict != Verdict::unknown;
        if (const auto drawing = exhibit(program_, model_, answer_, shown_)) {
            add_execution(explanation_, *drawing);
            explanation_.missing = soon_missing(test_, family_, on_, solver_, options_);
            return;
        }
        explanation_.because = judgement_.notes;
        if (!explanation_.decided) return;
        explanation_.because.emplace_back(
            "nothing to show: no execution decides what the test claims; --outcome asks about one of its outcomes");
    }

    Drawing drawing_of(const Forbidden::Case& one, const Refuted& refuted) const {
        const BrokenAxiom& breach = refuted.breaches.front();
        const std::string title = test_.name + ": " + outcome_text(forbidden_.observables, one.values) + " would break " + breach.axiom;
        return {*forbidden_.program, model_, refuted.execution, title, nullptr, true, &breach};
    }

    const Options& options_;
    ModelFamily family_;
    const std::vector<std::string> on_;
    const Model& model_;
    const Budget budget_;
    Solver solver_;
    const Test test_;
    Program program_;
    Answer answer_;
    Judgement judgement_;
    Forbidden forbidden_;
    size_t shown_ = 0;  // the number of the outcome that is shown; 0: what decides the verdict
    Explanation explanation_;
};

// ---- drawings -----------------------------------------------------------------------------------

int draw(const Explainer& explainer, const Options& options, Output& out) {
    const std::optional<Drawing> drawing = explainer.drawing();
    if (!drawing) {
        std::fprintf(stderr, "litmus: there is no execution to draw; without --dot and --svg, `litmus explain` says why\n");
        return explainer.status() == 3 ? 3 : 1;
    }
    PictureOptions picture;
    if (explainer.missing()) picture.missing = &*explainer.missing();
    out.put(options.svg ? svg_picture(*drawing, picture) : dot_graph(*drawing));
    return explainer.status();
}

int run(const Options& options, Output& out) {
    const std::vector<Input> inputs = tests_of(options.inputs, options.timeout);
    Explainer explainer(chosen_test(inputs, options.test), options);
    const Explanation& explanation = explainer.run();
    if (options.dot || options.svg) return draw(explainer, options, out);
    out.put(options.format == Format::json ? explanation_json(explanation) + "\n" : explanation_text(explanation));
    return explainer.status();
}

}  // namespace

Command command() {
    return make_command("explain", "Say why an outcome cannot happen, or show how it can", footer, define, run);
}

}  // namespace litmus::explain_command
