// Requests, each by the functions that the commands of the terminal use.
#include "view/lab/laboratory.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/explanation.h"
#include "analysis/explain/forbidden.h"
#include "analysis/verdict/check.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/json.h"
#include "analysis/verdict/text.h"
#include "cat/readings.h"
#include "language/syntax/outcome.h"
#include "language/syntax/read.h"
#include "view/lab/playback.h"
#include "view/picture/svg.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* file_name = "test.litmus";  // under which a text is shown, and has to be saved
constexpr size_t most_ways = 3;                   // in which a forbidden outcome could come about, that are told

Json diagnostic_json(const Diagnostic& diagnostic) {
    constexpr const char* levels[] = {"error", "warning", "note"};
    Json object = {{"level", levels[static_cast<size_t>(diagnostic.level)]},
                   {"message", diagnostic.message},
                   {"hint", diagnostic.hint},
                   {"rendered", render(diagnostic, false)}};
    if (!diagnostic.source) return object;
    const Position begin = position(*diagnostic.source, diagnostic.span.begin), end = position(*diagnostic.source, diagnostic.span.end);
    object["line"] = begin.line;
    object["column"] = begin.column;
    object["end_line"] = end.line;
    object["end_column"] = end.column;
    return object;
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
    Json list = Json::array();
    for (const Diagnostic& diagnostic : diagnostics) list.push_back(diagnostic_json(diagnostic));
    return list;
}

const char* name_of(Hazard::Kind kind) {
    constexpr const char* names[] = {"undefined", "blocked", "race", "flag"};
    return names[static_cast<size_t>(kind)];
}

Json hazard_json(const HazardText& text) {
    return {{"kind", name_of(text.kind)}, {"title", text.title}, {"lines", text.lines}};
}

Json turn_json(const Test& test, const Turn& turn) {
    Json object = {{"event", turn.name},
                   {"thread", test.threads[static_cast<size_t>(turn.thread)].name},
                   {"line", turn.line},
                   {"words", turn.words},
                   {"text", turn.text},
                   {"proxy", name(turn.proxy)},
                   {"asynchronous", turn.asynchronous},
                   {"notes", turn.notes}};
    if (turn.change) object["change"] = {{"cell", turn.change->cell}, {"value", turn.change->value}};
    return object;
}

// A picture of an execution, and how it came about.
void add_execution_to(Json& object, const Drawing& drawing, const std::vector<size_t>& final_writes = {}) {
    object["title"] = drawing.title;
    object["svg"] = svg_picture(drawing, {.title = false});
    object["text"] = execution_text(drawing);
    object["stories"] = mbarrier_stories(drawing.program, drawing.execution);
    const Playback playback = playback_of(drawing, final_writes);
    object["cells"] = Json::array();
    for (const Playback::Cell& cell : playback.cells)
        object["cells"].push_back({{"name", cell.name}, {"initial", cell.initial}, {"mbarrier", cell.is_mbarrier}});
    object["steps"] = Json::array();
    for (const Turn& turn : playback.turns) object["steps"].push_back(turn_json(*drawing.program.test, turn));
}

}  // namespace

// The test that was checked last.
class Laboratory::Bench {
public:
    Json answer(const Json& request) {
        const std::string asked = request.at("ask");
        if (asked == "readings") return readings();
        if (asked == "check") return check(request);
        if (!program_) throw std::invalid_argument("no test was checked");
        program_->budget = budget_ = budget_of(request);
        if (asked == "conceivable") return conceivable(request);
        if (asked == "show") return show(request);
        if (asked == "explain") return explain_outcome(request);
        throw std::invalid_argument("nobody answers `" + asked + "`");
    }

private:
    static Budget budget_of(const Json& request) { return Budget(request.value("seconds", 0.0), request.value("megabytes", size_t{0})); }

    Json readings() const {
        Json list = Json::array();
        for (const Reading& reading : family_.by_default().readings)
            list.push_back(
                {{"name", reading.name}, {"base", name(reading.base)}, {"meaning", reading.meaning}, {"refuted", reading.refuted}});
        return {{"readings", list}};
    }

    Json check(const Json& request) {
        program_.reset();
        tests_.clear();
        Json object = {{"tests", Json::array()}, {"diagnostics", Json::array()}};
        try {
            tests_ = parse_tests(make_source(file_name, request.at("text")));
            for (const Test& test : tests_) object["tests"].push_back(test.name);
            test_ = &tests_.at(request.value("test", size_t{0}));
            budget_ = budget_of(request);
            decide(request.value("reading", std::string()), object);
        } catch (const Failure& failure) {
            object["diagnostics"] = diagnostics_json(failure.diagnostics());
        }
        return object;
    }

    void decide(const std::string& reading, Json& object) {
        model_ = &family_.under(family_.readings(reading));
        solver_.emplace(Solver::usually, Engine::cdcl);
        CheckedTest checked = check_test(file_name, *test_, family_, {.reading = reading, .budget = budget_}, *solver_);
        program_ = std::move(checked.program);
        answer_ = std::move(checked.answer);
        const Result& result = checked.result;
        object["diagnostics"] = diagnostics_json(result.warnings);
        object["result"] = Json::parse(json_line(result));
        object["report"] = text_report(result, {.colour = false, .times = false});
        object["outcomes"] = Json::array();
        for (const Outcome& outcome : answer_.outcomes)
            object["outcomes"].push_back({{"text", outcome_text(answer_.observables, outcome.values)}, {"satisfies", outcome.satisfies}});
        list_hazards(explain(*program_, *answer_.hazards), object);
    }

    // Of the hazards found those that are told: a mistake raises several.
    void list_hazards(const std::vector<HazardText>& told, Json& object) {
        object["hazards"] = Json::array();
        hazards_.clear();
        for (size_t i = 0; i < answer_.hazards->found.size(); ++i) {
            const HazardText text = explain(*program_, answer_.hazards->found[i]);
            const auto same = [&](const HazardText& t) { return t.kind == text.kind && t.title == text.title && t.lines == text.lines; };
            if (std::none_of(told.begin(), told.end(), same)) continue;
            object["hazards"].push_back(hazard_json(text));
            hazards_.push_back(i);
        }
    }

    Json conceivable(const Json& request) {
        const Model free = restricted(*model_, [](const Constraint&) { return false; });
        Program program = build_program(*test_, {.budget = budget_});
        SolveOptions wanted;
        wanted.max_outcomes = request.at("most");
        wanted.want_hazards = false;
        const Answer all = solver_->solve(program, free, wanted);
        Json list = Json::array();
        for (const Outcome& outcome : all.outcomes) {
            const auto same = [&](const Outcome& o) { return o.values == outcome.values; };
            const bool allowed = std::any_of(answer_.outcomes.begin(), answer_.outcomes.end(), same);
            list.push_back({{"text", outcome_text(all.observables, outcome.values)}, {"allowed", allowed}});
        }
        return {{"outcomes", list}, {"complete", all.complete && answer_.complete}};
    }

    Json show(const Json& request) const {
        Json object = Json::object();
        if (request.contains("hazard")) {
            const Hazard& hazard = answer_.hazards->found.at(hazards_.at(request.at("hazard")));
            const std::string title = test_->name + ": " + explain(*program_, hazard).title;
            add_execution_to(object, {*program_, *model_, hazard.witness, title, &hazard, true});
            return object;
        }
        const size_t number = request.contains("outcome") ? request.at("outcome").get<size_t>() + 1 : 0;
        const auto drawing = exhibit(*program_, *model_, answer_, number);
        if (!drawing) return object;
        if (number > 0)
            add_execution_to(object, *drawing, answer_.outcomes[number - 1].final_writes);
        else
            add_execution_to(object, *drawing);
        return object;
    }

    Json explain_outcome(const Json& request) {
        Test asked = *test_;
        asked.claim.kind = Claim::Kind::exists;
        asked.claim.condition = parse_outcome(*test_, request.at("outcome"));
        Explanation explanation;
        explanation.file = file_name;
        explanation.test = test_->name;
        explanation.model = model_->name;
        explanation.model_hash = model_->hash;
        explanation.question = request.at("outcome");
        const Forbidden forbidden =
            why_none(asked, asked.claim.condition, *model_, {.budget = budget_, .most_cases = 1, .most_ways = most_ways}, *solver_);
        add_forbidden(explanation, forbidden, *model_);
        Json object = Json::parse(explanation_json(explanation));
        object["report"] = explanation_text(explanation);
        for (const Forbidden::Case& one : forbidden.cases)
            for (const Refuted& refuted : one.why.refuted) {
                if (refuted.breaches.empty() || object.contains("svg")) continue;
                const BrokenAxiom& breach = refuted.breaches.front();
                const std::string title = "This would break " + breach.axiom;
                add_execution_to(object, {*forbidden.program, *model_, refuted.execution, title, nullptr, true, &breach});
            }
        return object;
    }

    ModelFamily family_{"ptx", {}};
    std::vector<Test> tests_;
    const Test* test_ = nullptr;
    const Model* model_ = nullptr;
    Budget budget_;
    std::optional<Solver> solver_;
    std::unique_ptr<Program> program_;
    Answer answer_;
    std::vector<size_t> hazards_;  // those that are listed, as indices into those found
};

Laboratory::Laboratory() : bench_(std::make_unique<Bench>()) {}
Laboratory::~Laboratory() = default;

std::string Laboratory::answer(std::string_view request) {
    Json object = Json::object();
    try {
        object = bench_->answer(Json::parse(request));
    } catch (const Failure& failure) {
        object = {{"error", failure.what()}, {"diagnostics", diagnostics_json(failure.diagnostics())}};
    } catch (const OverBudget& over) {
        object = {{"error", over.what()}, {"too_large", true}};
    } catch (const std::bad_alloc&) {
        object = {{"error", "the page has no more memory"}, {"too_large", true}};
    } catch (const std::exception& error) {
        object = {{"error", error.what()}};
    }
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
