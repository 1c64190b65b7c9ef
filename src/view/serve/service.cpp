// Each answer reads the text anew: a test is small, and a text that is being typed is another one each time.
#include "view/serve/service.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "analysis/repair/missing.h"
#include "analysis/repair/repair.h"
#include "analysis/verdict/check.h"
#include "analysis/verdict/result_cases.h"
#include "analysis/verdict/text.h"
#include "analysis/weaken/text.h"
#include "analysis/weaken/weaken.h"
#include "language/syntax/canonical.h"
#include "language/syntax/native/dsl_reader.h"
#include "language/syntax/read.h"
#include "ptx/page.h"
#include "ptx/table.h"
#include "view/serve/messages.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_completions = 200;

enum class Severity : int { error = 1, warning = 2, information = 3 };
enum class SymbolKind : int { method = 6, variable = 13, test = 5, label = 20 };                      // test: as a class
enum class CompletionKind : int { function = 3, field = 5, variable = 6, module = 9, keyword = 14 };  // module: as a thread

bool is_model(const Document& document) {
    const std::string& uri = document.uri;
    return uri.size() > 4 && uri.compare(uri.size() - 4, 4, ".cat") == 0;
}

SourcePtr source_of(const Document& document) {
    return make_source(path_of(document.uri), document.text);
}

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}

bool is_of_name(char c) {
    return is_of_word(c) || c == '.' || c == ':';
}

// The stretch around a byte whose characters are all of a kind.
Span around(const std::string& text, size_t byte, bool (*of)(char)) {
    size_t begin = byte, end = byte;
    while (begin > 0 && of(text[begin - 1])) --begin;
    while (end < text.size() && of(text[end])) ++end;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

bool holds(Span span, size_t byte) {
    return span.begin <= byte && byte <= span.end && span.begin < span.end;
}

std::optional<ProgramPoint> instruction_around(const Test& test, size_t byte) {
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (size_t i = 0; i < test.threads[t].body.size(); ++i)
            if (holds(test.threads[t].body[i].span, byte)) return ProgramPoint{static_cast<int>(t), static_cast<int>(i)};
    return std::nullopt;
}

// Of a place in a text of lines and columns, the bytes.
Span bytes_of(const Document& document, Position begin, Position end) {
    const SourcePtr source = source_of(document);
    return {offset(*source, begin), offset(*source, end)};
}

// The last line that has anything.
Span last_line(const std::string& text) {
    const size_t last = text.find_last_not_of(" \t\r\n");
    if (last == std::string::npos) return {};
    const size_t before = text.rfind('\n', last);
    return {static_cast<uint32_t>(before == std::string::npos ? 0 : before + 1), static_cast<uint32_t>(last + 1)};
}

Json markdown(const std::string& text) {
    return {{"kind", "markdown"}, {"value", sayable(text)}};
}

std::string fenced(const std::string& text) {
    return "```\n" + text + (text.empty() || text.back() != '\n' ? "\n" : "") + "```\n";
}

// Where a stretch of a text begins whose last part is a register of a thread, "P1:r0" or "W.2:r0", that thread. No name of an instruction
// has a single colon in it ("shared::cta").
std::optional<std::string> thread_before(const std::string& text, size_t begin) {
    if (begin < 2 || text[begin - 1] != ':' || text[begin - 2] == ':') return std::nullopt;
    const auto of_thread = [](char c) { return is_of_word(c) || c == '.'; };
    size_t first = begin - 1;
    while (first > 0 && of_thread(text[first - 1])) --first;
    if (first == begin - 1) return std::nullopt;
    return text.substr(first, begin - 1 - first);
}

// Where a thread first writes a register.
std::optional<Span> register_declared(const Thread& thread, const std::string& name) {
    for (const Instruction& i : thread.body) {
        const auto written = written_registers(i);
        if (std::count(written.begin(), written.end(), name) > 0) return i.span;
    }
    return std::nullopt;
}

// Where a word of a test is declared: a location, a thread, a label, or a register in the thread around `byte`.
std::optional<Span> declared(const Test& test, const std::string& word, size_t byte) {
    for (const Location& location : test.locations)
        if (location.name == word) return location.span;
    for (const TensorMap& map : test.tensor_maps)
        if (map.name == word) return map.span;
    for (const Thread& thread : test.threads)
        if (thread.name == word) return thread.span;
    const auto place = instruction_around(test, byte);
    for (size_t t = 0; t < test.threads.size(); ++t) {
        if (place && place->thread != static_cast<int>(t)) continue;
        for (const Instruction& i : test.threads[t].body)
            if (std::count(i.labels.begin(), i.labels.end(), word) > 0) return i.span;
        if (const auto found = register_declared(test.threads[t], word)) return found;
    }
    return std::nullopt;
}

// The statement of a test that a place is in: the last line before it that begins with a word of statements.
struct StatementAround {
    std::string word;  // "thread", "exists"; empty: none begins before
    Span before = {};  // from its beginning to the place
};

StatementAround statement_around(const std::string& text, size_t byte) {
    for (size_t line = byte;; --line) {
        while (line > 0 && text[line - 1] != '\n') --line;
        const size_t first = std::min(text.find_first_not_of(" \t~", line), byte);
        const Span word = around(text, first, is_of_word);
        std::string name = text.substr(word.begin, word.end - word.begin);
        if (word.begin == first && dsl::starts_statement(name))
            return {std::move(name), {static_cast<uint32_t>(line), static_cast<uint32_t>(byte)}};
        if (line == 0) return {};
    }
}

bool has_condition(const std::string& statement) {
    return statement == "exists" || statement == "forall" || statement == "filter";
}

// A condition that is being typed is no condition yet; the test before it may be one.
std::vector<Test> tests_around(const Document& document, const StatementAround& statement) {
    try {
        return parse_tests(source_of(document));
    } catch (const Failure&) {
    }
    if (!has_condition(statement.word)) return {};
    try {
        return parse_tests(make_source(path_of(document.uri), document.text.substr(0, statement.before.begin)));
    } catch (const Failure&) {  // the text is no test yet
        return {};
    }
}

// What stands where, of what can be completed.
enum class Completed { instruction, operand, condition, place };

Completed completed(const std::string& text, const StatementAround& around, size_t begin) {
    if (has_condition(around.word)) return Completed::condition;
    const std::string_view before = std::string_view(text).substr(around.before.begin, begin - around.before.begin);
    if (around.word == "thread" && before.find('{') == std::string_view::npos)
        return before.find('@') == std::string_view::npos ? Completed::operand : Completed::place;
    // An instruction begins behind `;`, `{`, a label, or a guard; elsewhere stand operands.
    const size_t last = before.find_last_not_of(" \t\r\n");
    const size_t mark = before.find_last_of("@;{");
    const bool begins = last == std::string_view::npos || std::string_view(";{:").find(before[last]) != std::string_view::npos ||
                        (mark != std::string_view::npos && before[mark] == '@');
    return begins ? Completed::instruction : Completed::operand;
}

// The names of the table that go on as `typed` does, as far as the dot behind it.
std::set<std::string> continued(const std::string& typed) {
    std::set<std::string> found;
    const std::string first = typed.substr(0, typed.find('.'));
    const bool at_first = first.size() == typed.size();
    for (const Form& form : forms()) {
        if (!form.op || form.mnemonic_words.empty()) continue;
        const std::string& begins = form.mnemonic_words.front();
        if (at_first ? begins.rfind(typed, 0) != 0 : begins != first) continue;
        if (at_first) {
            found.insert(begins);
            continue;
        }
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            if (found.size() > most_completions) return;
            std::string name;
            for (const std::string& word : words) {
                name += (name.empty() ? "" : ".") + word;
                if (name.size() > typed.size()) break;
                if (name.size() == typed.size() && typed.back() != '.') break;
            }
            if (name.rfind(typed, 0) == 0) found.insert(name);
        });
    }
    return found;
}

}  // namespace

std::vector<Test> LanguageService::tests(const Document& document) const {
    return parse_tests(source_of(document));
}

Result LanguageService::result(const Test& test, const Document& document) {
    Solver solver(Solver::usually, Engine::cdcl);
    const std::string file = path_of(document.uri);
    try {
        return check_test(file, test, family_, {.reading = options_.reading, .budget = Budget::of_work(options_.seconds)}, solver).result;
    } catch (const OverBudget& over) {
        return unknown_result(file, test, over.what());
    } catch (const Failure& failure) {
        return error_result(file, test.name, failure);
    }
}

Json LanguageService::diagnostic_json(const Document& document, const Diagnostic& diagnostic) const {
    constexpr Severity severities[] = {Severity::error, Severity::warning, Severity::information};
    const TextPositions positions(document.text, options_.utf8);
    const bool here = diagnostic.source && diagnostic.source->text == document.text;
    return {{"range", here ? positions.range(diagnostic.span.begin, diagnostic.span.end) : positions.range(0, 0)},
            {"severity", static_cast<int>(severities[static_cast<size_t>(diagnostic.level)])},
            {"source", "litmus"},
            {"message", sayable(diagnostic.message + (diagnostic.hint.empty() ? "" : "\nhint: " + diagnostic.hint))}};
}

Json LanguageService::diagnostics(const Document& document) {
    Json list = Json::array();
    const auto add_all = [&](const std::vector<Diagnostic>& found) {
        for (const Diagnostic& diagnostic : found) list.push_back(diagnostic_json(document, diagnostic));
    };
    try {
        if (is_model(document)) {
            parse_open_model(source_of(document));
            return list;
        }
        const TextPositions positions(document.text, options_.utf8);
        for (const Test& test : tests(document)) {
            const Result checked = result(test, document);
            if (!checked.errors.empty()) {
                add_all(checked.errors);
                continue;
            }
            for (const CaseFinding& finding : case_of(checked).findings) {
                Span at = bytes_of(document, finding.begin, finding.end);
                if (at.begin == at.end) at = last_line(document.text);  // of what is claimed without a condition
                const bool decided = checked.judgement.verdict != Verdict::unknown;
                const Severity severity = finding.level == CaseFinding::Level::error && decided ? Severity::error
                                          : finding.level == CaseFinding::Level::warning        ? Severity::warning
                                                                                                : Severity::information;
                Json one = {{"range", positions.range(at.begin, at.end)},
                            {"severity", static_cast<int>(severity)},
                            {"code", finding.rule},
                            {"source", "litmus"},
                            {"message", sayable(finding.message)}};
                const auto relate = [&](Position begin, Position end, const std::string& message) {
                    const Span there = bytes_of(document, begin, end);
                    one["relatedInformation"].push_back(
                        {{"location", {{"uri", document.uri}, {"range", positions.range(there.begin, there.end)}}},
                         {"message", sayable(message)}});
                };
                for (const Related& related : finding.related) relate(related.begin, related.end, related.message);
                if (finding.rule == "no" && test.claims_racefree)
                    for (const Result::RacingPair& race : checked.races)
                        for (const Result::Access* access : {&race.first, &race.second})
                            relate(access->begin, access->end, "in a data race on " + race.location);
                list.push_back(std::move(one));
            }
        }
    } catch (const Failure& failure) {
        add_all(failure.diagnostics());
    }
    return list;
}

Json LanguageService::hover(const Document& document, const Json& position) {
    const TextPositions positions(document.text, options_.utf8);
    const size_t byte = positions.byte(position);
    for (const Test& test : tests(document)) {
        if (holds(test.claim.span, byte)) {
            const Result checked = result(test, document);
            const Span at = test.claim.span;
            return {{"contents", markdown(fenced(text_report(checked, {.colour = false, .times = false})))},
                    {"range", positions.range(at.begin, at.end)}};
        }
        const auto place = instruction_around(test, byte);
        if (!place) continue;
        const Instruction& instruction = instruction_at(test, *place);
        std::string text = "**" + spelling(instruction) + "**\n\n";
        if (instruction.row.form != nullptr) text += form_text(*instruction.row.form);
        const std::vector<Part> parts = parts_of(test);
        if (std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.place == *place; })) {
            Solver solver(Solver::usually, Engine::cdcl);
            Weakening found;
            try {
                found = weaken(test, family_, family_.readings(options_.reading), solver, {.budget = Budget::of_work(options_.seconds)});
            } catch (const OverBudget&) {
                text += "*Here.* Whether it is needed was not decided.\n\n";
            }
            const WeakenReport report = make_report(test.source->name, test, found);
            for (size_t i = 0; i < found.parts.size(); ++i) {
                if (found.parts[i].place != *place) continue;
                const WeakenReport::Line& line = report.lines[i];
                text += line.fate == Part::Fate::needed     ? "*Here.* Without it: " + line.without + " (" + line.kind + ")\n\n"
                        : line.fate == Part::Fate::unknown  ? "*Here.* Whether it is needed was not decided.\n\n"
                        : line.fate == Part::Fate::needless ? "*Here.* It can go: nothing new comes up without it.\n\n"
                                                            : "*Here.* Less will do: " + line.what + "\n\n";
            }
        }
        return {{"contents", markdown(text)}, {"range", positions.range(instruction.span.begin, instruction.span.end)}};
    }
    return nullptr;
}

Json LanguageService::completion(const Document& document, const Json& position) {
    const TextPositions positions(document.text, options_.utf8);
    const size_t byte = positions.byte(position);
    const StatementAround statement = statement_around(document.text, byte);
    Span typed = {around(document.text, byte, is_of_name).begin, static_cast<uint32_t>(byte)};
    const Completed what = completed(document.text, statement, typed.begin);
    if (what != Completed::instruction) typed.begin = around(document.text, byte, is_of_word).begin;
    const std::string word = document.text.substr(typed.begin, typed.end - typed.begin);
    Json items = Json::array();
    const auto add = [&](const std::string& name, CompletionKind kind, const std::string& detail) {
        items.push_back({{"label", name},
                         {"kind", static_cast<int>(kind)},
                         {"detail", detail},
                         {"textEdit", {{"range", positions.range(typed.begin, typed.end)}, {"newText", name}}}});
    };
    if (what == Completed::place) {
        const std::string before = document.text.substr(statement.before.begin, typed.begin - statement.before.begin);
        const std::string wider = before.substr(before.rfind('@'));
        size_t next = 0;
        for (size_t i = 0; i < dsl::place_words.size(); ++i)
            if (wider.find(dsl::place_words[i]) != std::string::npos) next = i + 1;
        for (; next < dsl::place_words.size(); ++next) add(std::string(dsl::place_words[next]), CompletionKind::keyword, "part of a place");
    } else if (what == Completed::instruction && !word.empty()) {
        for (const std::string& name : continued(word)) add(name, CompletionKind::function, "");
    } else {
        const auto of = what == Completed::condition ? thread_before(document.text, typed.begin) : std::nullopt;
        std::set<std::string> names;  // registers
        for (const Test& test : tests_around(document, statement)) {
            if (!of)
                for (const Location& location : test.locations) add(location.name, CompletionKind::field, "location");
            for (const Thread& thread : test.threads) {
                if (what == Completed::condition && !of) add(thread.name, CompletionKind::module, "thread");
                if (what == Completed::condition && of != thread.name) continue;
                for (const Instruction& i : thread.body)
                    for (const std::string& name : written_registers(i)) names.insert(name);
            }
        }
        for (const std::string& name : names) add(name, CompletionKind::variable, "register");
    }
    return {{"isIncomplete", true}, {"items", items}};
}

Json LanguageService::definition(const Document& document, const Json& position) {
    const TextPositions positions(document.text, options_.utf8);
    const size_t byte = positions.byte(position);
    const Span at = around(document.text, byte, is_of_word);
    const std::string word = document.text.substr(at.begin, at.end - at.begin);
    const auto thread_named = [&](const Test& test) -> const Thread* {
        const auto name = thread_before(document.text, at.begin);
        const auto thread =
            std::find_if(test.threads.begin(), test.threads.end(), [&](const Thread& one) { return name && one.name == *name; });
        return thread == test.threads.end() ? nullptr : &*thread;
    };
    const std::vector<Test> all = tests(document);
    for (const Test& test : all) {
        const Thread* thread = thread_named(test);
        if (const auto found = thread != nullptr ? register_declared(*thread, word) : declared(test, word, byte))
            return {{"uri", document.uri}, {"range", positions.range(found->begin, found->end)}};
    }
    return nullptr;
}

Json LanguageService::symbols(const Document& document) {
    const TextPositions positions(document.text, options_.utf8);
    const auto symbol = [&](const std::string& name, SymbolKind kind, Span span) -> Json {
        const Json range = positions.range(span.begin, span.end);
        return {{"name", sayable(name)}, {"kind", static_cast<int>(kind)}, {"range", range}, {"selectionRange", range}};
    };
    Json list = Json::array();
    for (const Test& test : tests(document)) {
        Json one = symbol(test.name.empty() ? "test" : test.name, SymbolKind::test, {0, static_cast<uint32_t>(document.text.size())});
        one["children"] = Json::array();
        for (const Location& location : test.locations)
            one["children"].push_back(symbol(location.name, SymbolKind::variable, location.span));
        for (const Thread& thread : test.threads) {
            Json child = symbol(thread.name, SymbolKind::method, thread.span);
            for (const Instruction& i : thread.body)
                for (const std::string& label : i.labels) child["children"].push_back(symbol(label, SymbolKind::label, i.span));
            one["children"].push_back(std::move(child));
        }
        list.push_back(std::move(one));
    }
    return list;
}

// One edit that leaves alone what both texts begin and end with.
Json LanguageService::edit_json(const Document& document, const std::string& text) const {
    const std::string& old = document.text;
    size_t begin = 0;
    while (begin < old.size() && begin < text.size() && old[begin] == text[begin]) ++begin;
    while (begin > 0 && old[begin - 1] != '\n') --begin;  // whole lines, so that no character is cut
    size_t end = 0;
    while (end < old.size() - begin && end < text.size() - begin && old[old.size() - 1 - end] == text[text.size() - 1 - end]) ++end;
    while (end > 0 && old[old.size() - end - 1] != '\n') --end;
    const TextPositions positions(old, options_.utf8);
    return {{"range", positions.range(begin, old.size() - end)}, {"newText", text.substr(begin, text.size() - end - begin)}};
}

Json LanguageService::formatting(const Document& document) {
    if (is_model(document)) return nullptr;
    const SourcePtr source = source_of(document);
    const std::string text = canonical(source, std::nullopt, true);
    try {
        require_no_lost_comments(source, text, std::nullopt);
    } catch (const Failure& failure) {
        const Diagnostic& first = failure.diagnostics().front();
        throw Unformatted(sayable("not formatted: " + first.message + (first.hint.empty() ? "" : " (" + first.hint + ")")));
    }
    return text == document.text ? Json::array() : Json::array({edit_json(document, text)});
}

Json LanguageService::lenses(const Document& document) {
    const TextPositions positions(document.text, options_.utf8);
    Json list = Json::array();
    size_t number = 0;
    for (const Test& test : tests(document)) {
        const Result checked = result(test, document);
        const size_t outcomes = checked.states.size(), some = satisfying(checked);
        std::string title = verdict_line(checked);
        if (outcomes > 0)
            title += ", " + std::to_string(outcomes) + (outcomes == 1 ? " outcome" : " outcomes") +
                     (checked.condition.empty() ? "" : ", " + std::to_string(some) + " as the condition says");
        Span at = bytes_of(document, checked.begin, checked.end);
        if (at.begin == at.end) at = {0, 0};
        list.push_back({{"range", positions.range(at.begin, at.end)},
                        {"command", {{"title", sayable(title)}, {"command", "litmus.report"}, {"arguments", {document.uri, number}}}}});
        ++number;
    }
    return list;
}

Json LanguageService::actions(const Document& document, const Json& range) {
    const TextPositions positions(document.text, options_.utf8);
    const size_t begin = positions.byte(range.at("start")), end = positions.byte(range.at("end"));
    Json list = Json::array();
    const auto add = [&](const std::string& title, const char* kind, const std::string& text, bool preferred) {
        Json action = {{"title", sayable(title)}, {"kind", kind}, {"edit", {{"changes", {{document.uri, {edit_json(document, text)}}}}}}};
        if (preferred) action["isPreferred"] = true;
        list.push_back(std::move(action));
    };
    const std::vector<Test> all = tests(document);
    if (all.size() != 1) return list;  // an edit of a table is an edit of all its tests
    const Test& test = all.front();
    const std::vector<Part> parts = parts_of(test);
    const bool any = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
        const Span at = instruction_at(test, part.place).span;
        return at.begin <= end && begin <= at.end;
    });
    Solver solver(Solver::usually, Engine::cdcl);
    const std::vector<std::string> readings = family_.readings(options_.reading);
    Repairs repairs;
    Weakening found;
    try {
        repairs = repair(test, family_, readings, solver, {.budget = Budget::of_work(options_.seconds)});
        if (any && repairs.repairs.empty()) found = weaken(test, family_, readings, solver, {.budget = Budget::of_work(options_.seconds)});
    } catch (const OverBudget&) {  // nothing was found in the time there is
        return list;
    }
    for (const Repair& one : repairs.repairs) {
        std::string title;
        for (const Missing& missing : parts_of(test, repairs, one)) title += (title.empty() ? "" : "; ") + missing.sentence;
        add("Repair: " + title, "quickfix", one.text, list.empty());
    }
    for (const Part& part : found.parts) {
        const Span at = instruction_at(test, part.place).span;
        if (!part.way || at.begin > end || begin > at.end) continue;
        const Edit& way = part.ways[*part.way];
        add("Not needed as it is: " + way.what, "refactor.rewrite", applied(document.text, way.changes), false);
    }
    return list;
}

std::string LanguageService::report(const Document& document, const Json& number) {
    const std::vector<Test> all = tests(document);
    if (!number.is_number_unsigned() || number.get<uint64_t>() >= all.size())
        throw std::invalid_argument("no test has the number " + number.dump() + ": the text has " + std::to_string(all.size()) +
                                    ", counted from 0");
    return text_report(result(all[number.get<size_t>()], document), {.colour = false, .times = false});
}

}  // namespace litmus
