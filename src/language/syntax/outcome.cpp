// The reader of conditions, on a text of its own and a test that is read already.
#include "language/syntax/outcome.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "language/syntax/native/dsl_condition.h"

namespace litmus {

namespace {

constexpr size_t most_names = 12;

// "it can name P0:r0, P1:r1, x": registers, then locations.
std::string what_can_be_named(const Test& test) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body)
            for (const std::string& name : written_registers(instruction)) add(thread.name + ":" + name);
    for (const Location& location : test.locations)
        if (!is_opaque(location)) add(location.name + (location.array ? "[0]" : ""));
    if (names.empty()) return "this test has nothing to observe";
    std::string text = "an outcome gives values to ";
    for (size_t i = 0; i < std::min(names.size(), most_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
    return text + (names.size() > most_names ? ", ..." : "");
}

// A register that nothing writes is always 0: a slip of the pen rather than a question.
void require_defined(const Test& test, const Condition& condition, const SourcePtr& source) {
    for (const Term& term : {condition.left, condition.right})
        if (condition.kind == Condition::Kind::atom && term.kind == Term::Kind::reg && !term_type(test, term))
            throw Failure(source, term.span,
                          "nothing writes the register " + test.threads[static_cast<size_t>(term.thread)].name + ":" + term.name);
    for (const Condition& part : condition.operands) require_defined(test, part, source);
}

}  // namespace

Condition parse_outcome(const Test& test, const std::string& text) {
    const SourcePtr source = make_source("--outcome", text);
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
        throw Failure(source, {0, static_cast<uint32_t>(text.size())}, "this is the number of an outcome, and its values are asked for",
                      "as in \"P1:r0=1; x=2\"; `litmus show --outcome` takes numbers, and `litmus outcomes` lists what they are of");
    dsl::Reader in(source);
    in.test = test;
    in.declares = false;
    try {
        Condition condition = dsl::parse_outcome(in);
        require_defined(test, condition, source);
        return condition;
    } catch (const Failure& failure) {
        std::vector<Diagnostic> diagnostics = failure.diagnostics();
        for (Diagnostic& diagnostic : diagnostics)
            if (diagnostic.hint.empty()) diagnostic.hint = what_can_be_named(test);
        throw Failure(std::move(diagnostics));
    }
}

}  // namespace litmus
