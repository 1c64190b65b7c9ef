// Each step is a function of a library; what holds after it stands beside it.
#include "tool/pipeline.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/compiled/report.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/reliance.h"
#include "analysis/verdict/support.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/sha256.h"
#include "event/program.h"
#include "gpu/run/observed.h"
#include "language/syntax/foreign/convert.h"
#include "tool/assembling.h"
#include "tool/attempt.h"

namespace litmus {

SolveOptions solve_options(const SolvingOptions& options) {
    SolveOptions result;
    result.max_outcomes = options.max_outcomes;
    result.all_state = options.all_state;
    return result;
}

Engine engine_of(const TestOptions& options) {
    return options.engine.value_or(Engine::z3);
}

namespace {

// What was claimed of the source is asked of what was made of it.
Test claiming(Test compiled, const Test& source) {
    compiled.claims_racefree = source.claims_racefree;
    compiled.claims_undefined = source.claims_undefined;
    compiled.claims_deadlock = source.claims_deadlock;
    compiled.claims_may_deadlock = source.claims_may_deadlock;
    compiled.claims_terminates = source.claims_terminates;
    return compiled;
}

// How much a verdict says against a test.
int badness(const Result& result) {
    const Verdict verdict = result.judgement.verdict;
    return verdict == Verdict::ok ? 0 : verdict == Verdict::unknown ? 1 : 2;
}

// One test, from its text's meaning to its result. Throws Failure for a test that cannot be checked.
Checked check_test(const Input& input, ModelFamily& family, const Asked& options, Engine engine) {
    const double start = now();
    const Test& test = *input.test;
    const BuildOptions build{.unroll = options.unroll, .blocked = true, .budget = options.budget()};  // for all steps together
    Solver solver(Solver::usually, engine);  // a fresh one: what it finds depends on nothing but the test
    const std::vector<std::string> on = family.readings(options.reading);
    const Model& model = family.under(on);

    // Events and their static relations: loops are unrolled, addresses known, values expressions.
    Checked checked{std::make_unique<Program>(build_program(test, build)), {}, {}};
    Program& program = *checked.program;
    // The model speaks of everything the program does.
    require_support(program, model);
    // The claim is decided, then outcomes are listed and hazards looked for; each execution was evaluated again.
    const Answer& answer = checked.answer = solver.solve(program, model, solve_options(options));
    // A verdict, and all that is printed, apart from the program.
    Result& result = checked.result = make_result(input.file, test, program, model, answer, options.strict);
    add_hazards(result, test, explain(program, *answer.hazards));
    // Which readings of the ISA the verdict rests on.
    result.reliance = reliance({test, program, options.strict}, family, on, options.reading, answer, solver);
    result.partial = result.partial || (result.reliance && !result.reliance->depends.known);
    result.seconds = now() - start;
    result.solver = solver.backend().engine();
    return checked;
}

// The same by the solver, or the solvers, that are asked for. Throws std::logic_error where two of them disagree.
Checked check_by_all(const Input& input, ModelFamily& family, const Asked& options) {
    if (options.engine) return check_test(input, family, options, engine_of(options));
    Checked checked = check_test(input, family, options, Engine::z3_alone);
    Result& result = checked.result;
    const Result other = check_test(input, family, options, Engine::cadical_alone).result;
    const bool undecided = result.judgement.verdict == Verdict::unknown || other.judgement.verdict == Verdict::unknown;
    const std::string_view what = undecided ? std::string_view() : difference(result, other);
    if (!what.empty()) throw std::logic_error("test \"" + input.test->name + "\": the two solvers disagree: " + std::string(what));
    result.seconds += other.seconds;
    result.solver = "both";
    return checked;
}

// The same of what ptxas makes of the test: in all settings, the worst. What cannot be read of the code is unknown.
Checked check_compiled(const Input& input, ModelFamily& family, const Asked& options) {
    const Test native = to_native(*input.test);
    const compiled::AllMade all = compiled::make_all(native, settings_of(options.compiled));
    std::vector<std::string> refused;
    for (const auto& [setting, why] : all.refused)
        refused.push_back(compiled::lines_of({setting}).front() + ": " + why.substr(0, why.find('\n')));
    const auto unknown = [&](const std::string& why) { return Checked{nullptr, {}, unknown_result(input.file, *input.test, why)}; };
    const auto check_made = [&](const compiled::CompiledTest& made) {
        if (made.changes.empty() && made.unknown.empty()) return check_by_all(input, family, options);
        if (!made.test) return unknown("what became of it is not known: " + made.unknown);
        try {
            const auto test = std::make_shared<const Test>(claiming(*made.test, *input.test));
            return check_by_all({input.file, test, std::nullopt, input.source}, family, options);
        } catch (const Failure& failure) {
            return unknown("what became of it has no meaning: " + failure.diagnostics().front().message);
        }
    };
    Checked worst;
    if (all.made.empty()) {
        worst = unknown("it was not assembled");
        worst.result.compiled = {{}, {}, refused};
    }
    for (const compiled::Made& made : all.made) {
        Checked one = check_made(made.compiled);
        one.result.compiled = {compiled::lines_of(made.settings), {}, refused};
        for (const compiled::Change& change : made.compiled.changes) one.result.compiled->changes.push_back(in_words(native, change));
        if (!made.compiled.changes.empty()) one.result.judgement.notes.push_back("as " + made.settings.front().assembler + " changes it");
        if (!worst.result.compiled || badness(one.result) > badness(worst.result)) worst = std::move(one);
    }
    return worst;
}

// The hash of a test that a foreign dialect alone can express is that of its text.
std::string content_hash(const Test& test) {
    try {
        return gpu::text_hash(test);
    } catch (const Failure&) {
        return "fnv1a-" + digits(fnv1a(test.source->text));
    }
}

}  // namespace

std::string terms(const Model& model, const Asked& options) {
    nlohmann::ordered_json asked = {
        {"version", LITMUS_VERSION},      {"model", model.name},      {"model_hash", model.hash},
        {"reading", options.reading},     {"unroll", options.unroll}, {"max_outcomes", options.max_outcomes},
        {"all_state", options.all_state}, {"strict", options.strict}, {"solver", options.engine ? name(*options.engine) : "both"}};
    if (options.compiled.wanted) {
        const compiled::Settings settings = settings_of(options.compiled);
        for (const sass::Assembler& assembler : settings.assemblers) asked["compiled"]["by"].push_back(assembler.name);
        asked["compiled"]["levels"] = options.compiled.levels;
        asked["compiled"]["targets"] = options.compiled.targets;
        asked["compiled"]["bodies"] = options.compiled.bodies;
    }
    return asked.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string question(const Input& input, const std::string& terms) {
    const std::string& text = input.source ? input.source->text : input.failure->diagnostics().front().message;
    return terms + "\ntest " + std::to_string(input.number) + " of\n" + text;
}

std::string key_of(const std::string& question) {
    return sha256(question);
}

Checked check_whole(const Input& input, ModelFamily& family, const Asked& options) {
    const std::string name = input.test ? input.test->name : std::string();
    Checked checked;
    Result& result = checked.result;
    const Trouble trouble = attempt([&] {
        if (input.failure) throw Failure(*input.failure);
        checked = options.compiled.wanted ? check_compiled(input, family, options) : check_by_all(input, family, options);
    });
    if (trouble.failure) result = error_result(input.file, name, *trouble.failure);
    if (!trouble.undecided.empty()) result = unknown_result(input.file, *input.test, trouble.undecided);
    if (!trouble.internal_error.empty()) result = internal_error_result(input.file, name, trouble.internal_error);
    const Model& model = family.under(family.readings(options.reading));
    result.model = model.name;
    result.model_hash = model.hash;
    result.reading = options.reading;
    if (input.test) result.hash = content_hash(*input.test);
    result.key = key_of(question(input, terms(model, options)));
    return checked;
}

Result check_input(const Input& input, ModelFamily& family, const Asked& options) {
    return check_whole(input, family, options).result;
}

int status_of(const Result& result) {
    if (is_reserved(result)) return exit_status(Verdict::unknown);
    return result.internal_error.empty() ? exit_status(result.judgement.verdict) : internal_status;
}

}  // namespace litmus
