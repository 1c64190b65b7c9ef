// `litmus models`: the models that come with the tool.
#include <algorithm>

#include "cat/readings.h"
#include "print/columns.h"
#include "tool/command.h"
#include "tool/output.h"

namespace litmus::models_command {

namespace {

constexpr const char* footer = R"(
--model takes any of these names, and the path of a cat file.

Example:
  litmus models
)";

struct Options {};

void define(CLI::App& /*app*/, Options& /*options*/) {}

// "    axioms: coherence, causality"; nothing without names.
std::string constraint_line(const Model& model, std::string_view heading, bool flags) {
    std::string names;
    for (const Constraint& constraint : model.constraints)
        if (constraint.flag == flags) names += (names.empty() ? "" : ", ") + constraint.name;
    return names.empty() ? names : "    " + std::string(heading) + names + "\n";
}

std::string reading_lines(const Model& model) {
    std::string text;
    size_t width = 0;
    for (const Reading& reading : model.readings) width = std::max(width, reading.name.size());
    for (const Reading& reading : model.readings) {
        const std::string refuted = refutation(reading.refuted);
        text += "        " + left(reading.name, width) + "  " + left(std::string(name(reading.base)), 9) + "  " + reading.meaning +
                (refuted.empty() ? "" : " (" + refuted + ")") + "\n";
    }
    return text.empty() ? text : "    readings, each with the first base that has it:\n" + text;
}

int run(const Options& /*options*/, Output& out) {
    for (const ShippedModel& shipped : shipped_models()) {
        const Model model = load_model(std::string(shipped.name), {});
        out.put(std::string(shipped.name) + ": " + model.title + "\n" + constraint_line(model, "axioms: ", false) +
                constraint_line(model, "flags: ", true) + reading_lines(model));
    }
    return 0;
}

}  // namespace

Command command() {
    return make_command("models", "List the models that come with the tool", footer, define, run);
}

}  // namespace litmus::models_command
