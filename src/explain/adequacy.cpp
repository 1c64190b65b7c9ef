// Models without one part each, specialised to a test; those whose graphs are still different are solved.
//
// A part that the program leaves no room for is gone from both graphs: most pairs of a test and a part are settled so, without
// the solver. Parts that leave the same graph share an answer.
#include "explain/adequacy.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cat/fold.h"
#include "explain/signs.h"
#include "explain/support.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

// An answer without its witnesses.
struct Summary {
    bool known = false;
    Verdict verdict = Verdict::unknown;
    std::vector<std::vector<uint64_t>> outcomes;
    std::set<Sign> signs;
};

Summary summary_of(const Test& test, const Program& program, const Answer& answer) {
    Summary summary{knows_all(answer), judge(test, answer).verdict, {}, {}};
    for (const Outcome& outcome : answer.outcomes) summary.outcomes.push_back(outcome.values);
    for (const auto& [sign, hazard] : signs_of(program, answer)) summary.signs.insert(sign);
    return summary;
}

Need need_of(const Summary& whole, const Summary& without) {
    if (!whole.known || !without.known) return Need::undecided;
    if (whole.verdict != without.verdict) return Need::verdict;
    return whole.outcomes == without.outcomes && whole.signs == without.signs ? Need::no : Need::answer;
}

Model under(const Model& open, const Names& readings) {
    return folded(open, {nullptr, [&](const std::string& variant) {
                             return std::find(readings.begin(), readings.end(), variant) != readings.end();
                         }});
}

// The default and the weakest readings, the weakest with one more each, the strongest.
std::vector<Names> settings_of(const Model& model) {
    const Names weakest = readings_of(model, Reading::Base::weakest);
    std::vector<Names> settings{readings_of(model, Reading::Base::default_), weakest};
    for (const Reading& reading : model.readings) {
        if (reading.base == Reading::Base::weakest) continue;
        settings.push_back(weakest);
        settings.back().push_back(reading.name);
    }
    settings.push_back(readings_of(model, Reading::Base::strongest));
    return settings;
}

}  // namespace

std::vector<PartModels> part_models(ModelFamily& family) {
    const std::vector<Names> settings = settings_of(family.by_default());
    std::vector<std::string> whole;  // by setting: the graph
    for (const Names& setting : settings) whole.push_back(graph_text(family.under(setting)));
    std::vector<PartModels> result;
    for (Part& part : parts_of(family.open())) {
        const Model open = without(family.open(), part);
        PartModels models{std::move(part), {}};
        for (size_t s = 0; s < settings.size(); ++s) {
            const bool base = s < 2 || s + 1 == settings.size();
            const bool seen = std::find(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(s), whole[s]) !=
                              whole.begin() + static_cast<std::ptrdiff_t>(s);
            if (seen || (!base && !models.under.empty())) continue;
            Model deleted = under(open, settings[s]);
            if (graph_text(deleted) != whole[s]) models.under.push_back({settings[s], &family.under(settings[s]), std::move(deleted)});
        }
        result.push_back(std::move(models));
    }
    return result;
}

std::vector<Need> needs(const Test& test, Program& program, const std::vector<PartModels>& parts, Solver& solver,
                        const std::function<Budget()>& budget, const std::function<bool(size_t part)>& wanted) {
    std::map<std::string, Summary> known;  // by graph
    const auto ask = [&](const Model& model, const std::string& graph) -> const Summary& {
        const auto [place, is_new] = known.emplace(graph, Summary{});
        if (is_new) {
            program.budget = budget();
            place->second = summary_of(test, program, solver.solve(program, model, {}));
        }
        return place->second;
    };
    std::map<const Model*, std::pair<Model, std::string>> wholes;  // specialised, with their graphs
    const auto need = [&](const PartUnder& models) {
        auto& [whole, whole_graph] = wholes[models.whole];
        if (whole_graph.empty()) {
            whole = specialised(program, *models.whole);
            whole_graph = graph_text(whole);
        }
        const Model without = specialised(program, models.without);
        const std::string graph = graph_text(without);
        return graph == whole_graph ? Need::no : need_of(ask(whole, whole_graph), ask(without, graph));
    };
    std::vector<Need> result(parts.size(), Need::no);
    for (size_t p = 0; p < parts.size(); ++p) {
        if (!wanted(p)) continue;
        for (size_t u = 0; u < parts[p].under.size() && result[p] == Need::no; ++u) result[p] = need(parts[p].under[u]);
    }
    return result;
}

}  // namespace litmus
