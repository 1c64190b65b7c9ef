// JSON lines read back: the inverse of json.cpp, key by key.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "analysis/verdict/json.h"
#include "base/strict_json.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;
using Truth = Answer::Truth;

[[noreturn]] void no_line() {
    throw std::invalid_argument("no line of results");
}

template <typename Number>
Number whole(const Json& value) {
    if (const std::optional<Number> number = whole_number<Number>(value)) return *number;
    no_line();
}

Truth truth(const Json& value) {
    if (value.is_null()) return Truth::unknown;
    return value.get<bool>() ? Truth::yes : Truth::no;
}

Verdict verdict(const Json& value) {
    for (const Verdict verdict : {Verdict::ok, Verdict::no, Verdict::undefined, Verdict::deadlock, Verdict::may_deadlock, Verdict::race,
                                  Verdict::unknown, Verdict::error})
        if (value == name(verdict)) return verdict;
    no_line();
}

Claim::Kind claim_kind(const std::string& word) {
    if (word == "exists") return Claim::Kind::exists;
    if (word == "~exists") return Claim::Kind::not_exists;
    return word == "forall" ? Claim::Kind::forall : Claim::Kind::none;
}

// As value_json() wrote it.
uint64_t value_of(const Json& value, Type type) {
    if (!is_float(type))
        return truncate(value.is_number_unsigned() ? whole<uint64_t>(value) : static_cast<uint64_t>(whole<int64_t>(value)), bits(type));
    return std::stoull(value.get<std::string>().substr(2), nullptr, 16);  // after 0f, 0d or 0x
}

Position begin_of(const Json& object) {
    return {whole<int>(object.at("line")), whole<int>(object.at("column"))};
}

Position end_of(const Json& object) {
    return {whole<int>(object.at("end_line")), whole<int>(object.at("end_column"))};
}

// A text of nothing but blanks that has the places of all these diagnostics: no larger than the file, which was read.
SourcePtr blank_source(const std::string& file, const std::vector<Json>& diagnostics) {
    constexpr size_t most_bytes = size_t{16} << 20;  // of a file that is read at all
    std::map<int, size_t> widths;                    // by line
    for (const Json& object : diagnostics) {
        if (!object.contains("line")) continue;
        for (const Position place : {begin_of(object), end_of(object)}) {
            if (place.line < 1 || place.column < 1) no_line();
            size_t& width = widths[place.line];
            width = std::max(width, static_cast<size_t>(place.column) - 1);
        }
    }
    std::string text;
    int at = 1;
    for (const auto& [line, width] : widths) {
        const auto lines = static_cast<size_t>(line - std::exchange(at, line));
        if (lines + width > most_bytes - text.size()) no_line();
        text.append(lines, '\n').append(width, ' ');
    }
    return make_source(file, text, false);
}

Diagnostic diagnostic(Diagnostic::Level level, const Json& object, const SourcePtr& source) {
    Diagnostic result{level, nullptr, {}, object.at("message"), object.value("hint", "")};
    if (!object.contains("line")) return result;
    result.source = source;
    result.span = {offset(*result.source, begin_of(object)), offset(*result.source, end_of(object))};
    return result;
}

Result::Access access(const Json& object) {
    Result::Access result{object.at("event"), begin_of(object), end_of(object), {}};
    if (const auto origin = object.find("origin"); origin != object.end()) {
        result.origin = {origin->at("file"), whole<int>(origin->at("line")), 0};
        if (origin->contains("column")) result.origin.column = whole<int>(origin->at("column"));
    }
    return result;
}

void read_outcomes(const Json& object, Result& result) {
    for (const auto& [column, word] : object.at("types").items()) {
        const std::optional<Type> type = type_named(word.get<std::string>());
        if (!type) no_line();
        result.columns.push_back({column, *type});
    }
    for (const Json& outcome : object.at("outcomes")) {
        Result::State state;
        for (const Result::Column& column : result.columns) state.values.push_back(value_of(outcome.at(column.name), column.type));
        result.states.push_back(std::move(state));
    }
    for (const Json& number : object.at("satisfying")) result.states.at(whole<size_t>(number) - 1).satisfies = true;
    result.complete = object.at("complete");
    result.satisfiable = truth(object.at("can_hold"));
    result.violable = truth(object.at("can_fail"));
}

void read_hazards(const Json& object, Result& result) {
    for (const Json& race : object.at("races"))
        result.races.push_back({race.at("location"), access(race.at("first")), access(race.at("second"))});
    result.races_complete = object.at("races_complete");
    result.flags = object.at("flags").get<std::vector<std::string>>();
    for (const Json& hazard : object.at("hazards")) {
        Result::Harm harm{
            hazard.at("kind") == "undefined" ? Hazard::Kind::undefined : Hazard::Kind::blocked, hazard.at("what"), hazard.at("where"), {}};
        for (const Json& a : hazard.at("accesses")) harm.accesses.push_back(access(a));
        result.hazards.push_back(std::move(harm));
    }
}

void read_reliance(const Json& object, Result& result) {
    const Json& verdicts = object.at("verdicts");
    if (verdicts.is_null()) return;
    Reliance& reliance = result.reliance.emplace();
    reliance.asked = result.reading;
    reliance.verdict = result.judgement.verdict;
    reliance.weakest = verdict(verdicts.at("weakest"));
    reliance.by_default = verdict(verdicts.at("default"));
    reliance.strongest = verdict(verdicts.at("strongest"));
    reliance.depends.known = !object.at("depends").is_null();
    if (reliance.depends.known) {
        reliance.depends.flips = object.at("depends").get<std::vector<std::vector<std::string>>>();
        reliance.rests_on = object.at("rests_on").get<std::vector<std::vector<std::string>>>();
    }
    for (const auto& [reading, devices] : object.at("refuted").items()) reliance.refuted[reading] = devices.get<std::vector<std::string>>();
}

void read_error(const Json& object, const SourcePtr& source, Result& result) {
    const std::string message = object.at("message");
    const std::string internal = "internal error: ";
    if (message.rfind(internal, 0) == 0)
        result.internal_error = message.substr(internal.size());
    else
        result.errors = {diagnostic(Diagnostic::Level::error, object, source)};
}

Result read(const Json& object, const SourcePtr& given) {
    Result result;
    result.file = object.at("file");
    result.test = object.at("test");
    result.hash = object.at("hash");
    result.key = object.at("key");
    result.model = object.at("model");
    result.model_hash = object.at("model_hash");
    result.reading = object.at("reading");
    result.solver = object.at("solver");
    const Json& claim = object.at("claim");
    result.judgement = {verdict(object.at("verdict")), truth(claim.at("holds")), object.at("notes")};
    result.claim_kind = claim.at("kind");
    result.claim = claim_kind(result.claim_kind);
    result.claim_text = claim.at("text");
    result.condition = object.at("condition");
    result.begin = begin_of(object.at("where"));
    result.end = end_of(object.at("where"));
    read_outcomes(object, result);
    read_hazards(object, result);
    read_reliance(object, result);
    result.unrolled = object.at("unrolled");
    result.never_ends = object.at("never_ends");
    result.partial = object.at("partial");
    result.seconds = object.at("seconds");
    const bool is_error = result.judgement.verdict == Verdict::error;
    std::vector<Json> diagnostics = object.at("warnings");
    const size_t warnings = diagnostics.size();
    if (is_error) diagnostics.push_back(object);
    const SourcePtr source = given ? given : blank_source(result.file, diagnostics);
    for (size_t i = 0; i < warnings; ++i) result.warnings.push_back(diagnostic(Diagnostic::Level::warning, diagnostics[i], source));
    if (const auto loops = object.find("unrolled_at"); loops != object.end()) result.unrolled_at = *loops;
    if (const auto judged = object.find("judged"); judged != object.end()) result.judged = *judged;
    if (const auto found = object.find("reservations"); found != object.end()) result.reservations = *found;
    if (const auto compiled = object.find("compiled"); compiled != object.end())
        result.compiled = {compiled->at("settings"), compiled->at("changes"), compiled->at("refused")};
    if (const auto place = object.find("place"); place != object.end())
        result.place = {place->at("run"), whole<size_t>(place->at("file")), whole<size_t>(place->at("files")),
                        whole<size_t>(place->at("test")), whole<size_t>(place->at("tests"))};
    if (is_error) read_error(object, source, result);
    return result;
}

}  // namespace

std::optional<Result> parse_line(std::string_view line, const SourcePtr& source) {
    try {
        Result result = read(strict_json<Json>(line), source);
        // What was not written by json_line() is not taken for it.
        if (json_line(result) == line && is_consistent(result)) return result;
    } catch (const Json::exception&) {
    } catch (const std::exception&) {  // numbers and places that are out of range
    }
    return std::nullopt;
}

}  // namespace litmus
