// What an editor is told of a text: functions of the text, each from it to the JSON of the Language Server Protocol 3.17.
//
// They know nothing of messages and processes (server.h), and keep nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "analysis/verdict/result.h"
#include "cat/readings.h"
#include "solve/solve.h"
#include "view/serve/document.h"

namespace litmus {

// Why a test is not brought into canonical form, although it has one.
struct Unformatted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct ServiceOptions {
    std::string reading;  // of the ISA, as --reading takes it
    double seconds = 2;   // of a processor, for each answer that a search gives
    bool utf8 = false;    // positions count bytes
};

class LanguageService {
public:
    using Json = nlohmann::ordered_json;

    explicit LanguageService(ServiceOptions options) : options_(std::move(options)) {}

    // What is wrong with a test or a model, and what goes wrong in a test. A list of `Diagnostic`.
    Json diagnostics(const Document& document);
    // Of an instruction what the table says, and what it is needed for; of a claim the outcomes. `Hover`, or null.
    Json hover(const Document& document, const Json& position);
    // Names of instructions as far as their next part, names of the test, and the parts of a thread's place. `CompletionList`.
    Json completion(const Document& document, const Json& position);
    // Where a location, a register, a label or a thread is first written. `Location`, or null.
    Json definition(const Document& document, const Json& position);
    // Tests, their locations, threads and labels. A list of `DocumentSymbol`.
    Json symbols(const Document& document);
    // The canonical text; throws Unformatted where a comment would be lost. A list of `TextEdit`, or null.
    Json formatting(const Document& document);
    // What each test comes to, above its claim. A list of `CodeLens`, whose command is `litmus.report` with URI and number of the test.
    Json lenses(const Document& document);
    // Repairs of the test, and what of the instructions in the range can go. A list of `CodeAction`.
    Json actions(const Document& document, const Json& range);
    // What `litmus check` prints of a test, by its number as lenses() gives it. Throws std::invalid_argument where no test has it.
    std::string report(const Document& document, const Json& number);

private:
    std::vector<Test> tests(const Document& document) const;
    Result result(const Test& test, const Document& document);
    Json diagnostic_json(const Document& document, const Diagnostic& diagnostic) const;
    Json edit_json(const Document& document, const std::string& text) const;

    ServiceOptions options_;
    ModelFamily family_{"ptx", {}};
};

}  // namespace litmus
