// JSON lines with a stable order of keys.
#include "analysis/verdict/json.h"

#include <nlohmann/json.hpp>

#include "analysis/verdict/json_value.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

Json truth_json(Answer::Truth truth) {
    if (truth == Answer::Truth::unknown) return nullptr;
    return truth == Answer::Truth::yes;
}

Json outcome_json(const Result& result, const Result::State& state) {
    Json object = Json::object();
    for (size_t i = 0; i < result.columns.size(); ++i) object[result.columns[i].name] = value_json(state.values[i], result.columns[i].type);
    return object;
}

Json access_json(const Result& result, const Result::Access& access) {
    Json object = {{"event", access.text},          {"file", result.file},         {"line", access.begin.line},
                   {"column", access.begin.column}, {"end_line", access.end.line}, {"end_column", access.end.column}};
    if (access.origin) object["origin"] = origin_json(access.origin);
    return object;
}

Json race_json(const Result& result, const Result::RacingPair& race) {
    return {{"location", race.location}, {"first", access_json(result, race.first)}, {"second", access_json(result, race.second)}};
}

Json hazard_json(const Result& result, const Result::Harm& hazard) {
    const bool blocked = hazard.kind == Hazard::Kind::blocked;
    Json object = {
        {"kind", blocked ? "may-deadlock" : "undefined"}, {"what", hazard.title}, {"where", hazard.lines}, {"accesses", Json::array()}};
    for (const Result::Access& access : hazard.accesses) object["accesses"].push_back(access_json(result, access));
    return object;
}

void add_span(Json& object, Position begin, Position end) {
    object["line"] = begin.line;
    object["column"] = begin.column;
    object["end_line"] = end.line;
    object["end_column"] = end.column;
}

void add_diagnostic(Json& object, const Diagnostic& diagnostic) {
    object["message"] = diagnostic.message;
    if (!diagnostic.hint.empty()) object["hint"] = diagnostic.hint;
    if (!diagnostic.source) return;
    add_span(object, position(*diagnostic.source, diagnostic.span.begin), position(*diagnostic.source, diagnostic.span.end));
}

// What is wrong with the input, after the keys that every line has.
void add_error(Json& object, const Result& result) {
    if (!result.internal_error.empty())
        object["message"] = "internal error: " + result.internal_error;
    else
        add_diagnostic(object, result.errors.front());
}

// What is known beside the answer: of the question, and for those that go on from this line.
void add_rest(Json& object, const Result& result) {
    object["hash"] = result.hash;
    object["key"] = result.key;
    object["reading"] = result.reading;
    object["notes"] = result.judgement.notes;
    if (!result.judged.empty()) object["judged"] = result.judged;
    if (!result.reservations.empty()) object["reservations"] = result.reservations;
    if (const auto& compiled = result.compiled)
        object["compiled"] = {{"settings", compiled->settings}, {"changes", compiled->changes}, {"refused", compiled->refused}};
    object["condition"] = result.condition;
    object["can_hold"] = truth_json(result.satisfiable);
    object["can_fail"] = truth_json(result.violable);
    add_span(object["where"], result.begin, result.end);
    object["types"] = Json::object();
    for (const Result::Column& column : result.columns) object["types"][column.name] = name(column.type);
    object["satisfying"] = Json::array();
    for (size_t i = 0; i < result.states.size(); ++i)
        if (result.states[i].satisfies) object["satisfying"].push_back(i + 1);
    object["races_complete"] = result.races_complete;
    object["never_ends"] = result.never_ends;
    object["partial"] = result.partial;
    object["warnings"] = Json::array();
    for (const Diagnostic& warning : result.warnings) add_diagnostic(object["warnings"].emplace_back(Json::object()), warning);
    if (!result.unrolled_at.empty()) object["unrolled_at"] = result.unrolled_at;
    if (const auto& place = result.place)
        object["place"] = {
            {"run", place->run}, {"file", place->file}, {"files", place->files}, {"test", place->test}, {"tests", place->tests}};
}

void add_reliance(Json& object, const Result& result) {
    if (result.judgement.verdict == Verdict::error) return;
    if (!result.reliance) {
        object["depends"] = object["rests_on"] = Json::array();
        return;
    }
    const Reliance& reliance = *result.reliance;
    if (reliance.depends.known) {
        object["depends"] = reliance.depends.flips;
        object["rests_on"] = reliance.rests_on;
    }
    for (const auto& [reading, devices] : reliance.refuted) object["refuted"][reading] = devices;
    object["verdicts"] = {
        {"weakest", name(reliance.weakest)}, {"default", name(reliance.by_default)}, {"strongest", name(reliance.strongest)}};
}

Json result_json(const Result& result) {
    Json object = {
        {"file", result.file},
        {"test", result.test},
        {"model", result.model},
        {"model_hash", result.model_hash},
        {"solver", result.solver},
        {"verdict", name(result.judgement.verdict)},
        {"claim", {{"kind", result.claim_kind}, {"text", result.claim_text}, {"holds", truth_json(result.judgement.holds)}}},
        {"outcomes", Json::array()},
        {"complete", result.complete},
        {"races", Json::array()},
        {"flags", result.flags},
        {"hazards", Json::array()},
        {"depends", Json()},
        {"rests_on", Json()},
        {"refuted", Json::object()},
        {"verdicts", Json()},
        {"unrolled", result.unrolled},
        {"seconds", result.seconds},
    };
    for (const Result::State& state : result.states) object["outcomes"].push_back(outcome_json(result, state));
    for (const Result::RacingPair& race : result.races) object["races"].push_back(race_json(result, race));
    for (const Result::Harm& hazard : result.hazards) object["hazards"].push_back(hazard_json(result, hazard));
    add_reliance(object, result);
    add_rest(object, result);
    return object;
}

}  // namespace

std::string json_line(const Result& result) {
    Json object = result_json(result);
    if (result.judgement.verdict == Verdict::error) add_error(object, result);
    // Names come from users' files: bytes that are no UTF-8 are replaced, not refused, and what
    // is not ASCII is escaped: some of it acts on terminals and reorders text.
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
