// `litmus distinguish`: the smallest program that tells two models, or two readings of one, apart.
#include <algorithm>
#include <memory>

#include "analysis/distinguish/text.h"
#include "cat/fold.h"
#include "cat/readings.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/search_apart.h"

namespace litmus::distinguish_command {

namespace {

constexpr const char* footer = R"(
Finds a smallest program that has an outcome which one of the models allows and the other does not, and prints it as a test that
claims the outcome. A model is named as for --model. `weakest`, `default`, `strongest`, and lists that begin with one of these or
with the name of a reading, are readings of the model that --model names.
Programs are made of a small vocabulary of instructions. --family names a family of instructions, to search a part of the vocabulary;
a name that is unknown lists them all. The solver chooses the instructions. Shapes are tried in order of size. If no program is found,
the report says what was searched; it is no proof beyond that. Programs that hang do not count. Programs that may be undefined do not
count, except with --undefined.

Examples:
  litmus distinguish weakest weakest,war-mbarrier
  litmus distinguish ptx-6.0 ptx-7.5 --max-instructions 4
  litmus distinguish weakest weakest,fence-path --max-instructions 7 --family store --family load --family proxy-fence --family copy-in

Exit status: 0 a program is printed; 1 there is none; 2 bad input; 3 the search did not end in time.
)";

struct Options : ApartOptions {
    std::vector<std::string> inputs;  // the two models
    std::string model = "ptx";        // of which they may be readings
    Format format = Format::text;
};

void define(CLI::App& app, Options& options) {
    add_required_names(app, options.inputs, "MODEL|SPEC", "The two models, or readings of one",
                       {"no model is named", "name two, such as: weakest weakest,war-mbarrier"});
    add_model_name(app, options.model);
    add_search(app, options);
    add_flag(app, "--undefined", options.undefined, "Count programs that are undefined under only one of the models");
    add_timeout(app, options.timeout, "End the search after S seconds (default: never)");
    add_memory(app, options.memory);
    add_jobs(app, options.jobs);
    add_format(app, options.format, "distinguish");
}

// One of the two models as it was named: a model, or readings of the one that --model names.
struct NamedModel {
    std::unique_ptr<ModelFamily> file;  // of a model of its own
    const Model* model = nullptr;
    std::vector<std::string> readings;
};

// Whether a word begins like a list of readings of this model.
bool names_readings(const Model& model, const std::string& spec) {
    std::string first = spec.substr(0, spec.find(','));
    if (first.rfind('-', 0) == 0) return true;
    if (first == "weakest" || first == "default" || first == "strongest") return true;
    return std::any_of(model.readings.begin(), model.readings.end(), [&](const Reading& r) { return r.name == first; });
}

NamedModel named(const std::string& spec, ModelFamily& usual) {
    NamedModel result;
    if (names_readings(usual.by_default(), spec)) {
        result.readings = resolve_readings(usual.by_default(), spec);
        result.model = &usual.under(result.readings);
        return result;
    }
    result.file = std::make_unique<ModelFamily>(spec, std::vector<std::string>{});
    result.model = &result.file->by_default();
    return result;
}

// Whether all readings of the first are on in the second, too, in one file: then the second allows nothing that the first forbids.
bool only_more_readings(const NamedModel& a, const NamedModel& b) {
    return !a.file && !b.file && std::all_of(a.readings.begin(), a.readings.end(), [&](const std::string& reading) {
        return std::find(b.readings.begin(), b.readings.end(), reading) != b.readings.end();
    });
}

int run(const Options& options, Output& out) {
    if (options.inputs.size() != 2)
        throw Failure(nullptr, {}, "two models are told apart", "name two: models, or readings of the model that --model names");
    ModelFamily usual(options.model, {});
    NamedModel a = named(options.inputs[0], usual), b = named(options.inputs[1], usual);
    if (graph_text(*a.model) == graph_text(*b.model))
        throw Failure(nullptr, {}, options.inputs[0] + " and " + options.inputs[1] + " are the same model",
                      "no program can tell them apart");
    DistinguishReport report;
    report.models = {options.inputs[0], options.inputs[1]};
    const bool backward = only_more_readings(b, a);
    if (backward) {
        std::swap(report.models[0], report.models[1]);
        std::swap(a, b);
    }
    search_apart(options, {a.model, b.model}, only_more_readings(a, b), report);
    out.put(options.format == Format::json ? distinguish_json(report) + "\n" : distinguish_text(report));
    if (report.found) return 0;
    return report.reason.empty() ? 1 : 3;
}

}  // namespace

Command command() {
    return make_command("distinguish", "Find a smallest program that tells two models apart", footer, define, run);
}

}  // namespace litmus::distinguish_command
