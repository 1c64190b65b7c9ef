// The batch, with every error as a line of its output.
#include "tool/each_test.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/verdict/verdict.h"
#include "base/visible.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/named_tests.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

struct TestAnswer {
    Said said;
    std::vector<Diagnostic> errors;
    std::string internal_error;
};

Json error_json(const Diagnostic& error) {
    Json object = {{"message", error.message}};
    if (!error.hint.empty()) object["hint"] = error.hint;
    if (error.source) {
        const Position at = position(*error.source, error.span.begin);
        object["line"] = at.line;
        object["column"] = at.column;
    }
    return object;
}

// Of a test of which nothing could be said.
std::string without_answer(const EachTestOptions& options, const Input& input, const std::string& status, const Json& more) {
    const std::string name = input.test ? input.test->name : std::string();
    if (options.format == Format::text)
        return status == "unknown" ? "Test " + visible(name) + ": unknown: " + more.value("why", "") + "\n" : std::string();
    Json object = {{"file", input.file}, {"test", name}, {"status", status}};
    object.update(more);
    return object.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

TestAnswer ask(const EachTestOptions& options, const Input& input, ModelFamily& family, const std::vector<std::string>& readings,
               const std::function<Said(const Input&, Asking&)>& say) {
    TestAnswer result;
    const Trouble trouble = attempt([&] {
        if (input.failure) throw Failure(*input.failure);
        Solver solver(Solver::usually, options.engine.value());
        Asking asking{family, readings, solver, options.searching()};
        result.said = say(input, asking);
    });
    result.errors = trouble.errors();
    result.internal_error = trouble.internal_error;
    if (trouble.failure) result.said = {without_answer(options, input, "error", error_json(result.errors.front())), 2, {}};
    if (!trouble.undecided.empty()) result.said = {without_answer(options, input, "unknown", {{"why", trouble.undecided}}), 3, {}};
    if (!trouble.internal_error.empty())
        result.said = {without_answer(options, input, "error", {{"message", "internal error: " + result.internal_error}}), 70, {}};
    return result;
}

// The text becomes the file, unless that is no longer what was read.
void rewrite(const Input& input, const std::string& text) {
    if (input.file == "<stdin>") throw Failure(nullptr, {}, "standard input cannot be rewritten", "leave out --apply");
    require_rewritable(input.file);
    if (read_source(input.file)->text != input.test->source->text)
        throw Failure(nullptr, {}, "'" + input.file + "' has changed since it was read", "try again");
    write_file(input.file, text);
}

std::vector<Input> chosen_inputs(const EachTestOptions& options, bool apply) {
    if (apply) require_all_rewritable(options.inputs);
    std::vector<Input> inputs = tests_of(options.inputs, options.timeout);
    if (options.test.empty()) return inputs;
    inputs.erase(
        std::remove_if(inputs.begin(), inputs.end(), [&](const Input& input) { return input.test && input.test->name != options.test; }),
        inputs.end());
    if (inputs.empty()) throw Failure(nullptr, {}, "there is no test '" + options.test + "'");
    return inputs;
}

}  // namespace

int each_test(const EachTestOptions& options, const ModelOptions& model, Output& out, const std::function<Said(const Input&, Asking&)>& say,
              bool apply) {
    ModelFamily family(model.model, model.variants);
    const std::vector<std::string> readings = model.reading.empty() ? readings_of(family.by_default(), Reading::Base::default_)
                                                                    : resolve_readings(family.by_default(), model.reading);
    const std::vector<Input> inputs = chosen_inputs(options, apply);
    std::vector<TestAnswer> results(inputs.size());
    const auto make_worker = [&]() -> Job { return [&](size_t i) { results[i] = ask(options, inputs[i], family, readings, say); }; };
    Progress progress(inputs.size());
    int status = 0;
    size_t done = 0;
    run_batch(inputs.size(), workers_for(options.jobs), make_worker, [&](size_t i) {
        const TestAnswer& result = results[i];
        progress.clear();
        status = combine_status(status, result.said.status);
        complain(result.errors);
        complain_internal(result.internal_error);
        const bool wanted = out.put(result.said.text);
        try {
            if (apply && result.said.rewritten) rewrite(inputs[i], *result.said.rewritten);
        } catch (const Failure& failure) {
            complain(failure.diagnostics());
            status = combine_status(status, 2);
        }
        progress.at(++done);
        return wanted;
    });
    progress.clear();
    return done < inputs.size() ? combine_status(status, 3) : status;
}

}  // namespace litmus
