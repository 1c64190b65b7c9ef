// What an agent may ask, as tools of the Model Context Protocol: functions of what is named in the question, and of nothing else. No tool
// reads a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cat/readings.h"

namespace litmus {

class AgentTools {
public:
    using Json = nlohmann::ordered_json;

    explicit AgentTools(double seconds) : seconds_(seconds) {}

    // Each with name, title, description, inputSchema and outputSchema (JSON Schema).
    static Json list();
    static bool has(const std::string& name) { return find(name) != nullptr; }

    // What the tool of that name answers: an object, as its outputSchema says. Throws Failure for a text that is no test, no kernel or
    // no outcome; std::invalid_argument where there is no such tool, or an argument is missing or of another type; OverBudget.
    Json call(const std::string& name, const Json& arguments);

private:
    struct Tool;  // how it is described, and the function that answers
    static const std::vector<Tool>& tools();
    static const Tool* find(const std::string& name);

    Json check(const Json& arguments);
    Json explain(const Json& arguments);
    Json repair(const Json& arguments);
    Json judge_kernel(const Json& arguments);
    Json instruction(const Json& arguments);

    double seconds_;  // of a processor, for each answer
    ModelFamily family_{"ptx", {}};
};

}  // namespace litmus
