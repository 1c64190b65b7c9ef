// Models without one part each, specialised to a test; those whose graphs are still different are solved.
//
// A part that the program leaves no room for is gone from both graphs: most pairs of a test and a part are settled so, without
// the solver, and most of these without looking, because a test of the same vocabulary has settled them. Parts that leave the
// same graph share an answer.
#include "analysis/adequacy/adequacy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/verdict/signs.h"
#include "analysis/verdict/support.h"
#include "cat/fold.h"
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
    return folded(
        open, {nullptr, [&](std::string_view variant) { return std::find(readings.begin(), readings.end(), variant) != readings.end(); }});
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
    for (ModelPart& part : parts_of(family.open())) {
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

bool Touched::differ(const Vocabulary& vocabulary, size_t part, size_t place, const std::function<bool()>& compare) {
    const std::pair key(part, place);
    {
        const std::lock_guard lock(mutex_);
        const auto& known = known_[vocabulary];
        if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    const bool result = compare();
    const std::lock_guard lock(mutex_);
    known_[vocabulary].emplace(key, result);
    return result;
}

std::vector<Need> needs(const Test& test, Program& program, const std::vector<PartModels>& parts, Touched& touched, Solver& solver,
                        const std::function<Budget()>& budget, const std::function<bool(size_t part)>& wanted) {
    const Touched::Vocabulary words = vocabulary(program);
    std::map<std::string, Summary> known;  // by graph
    const auto ask = [&](const Model& model, const std::string& graph) -> const Summary& {
        const auto [place, is_new] = known.emplace(graph, Summary{});
        if (is_new) {
            program.budget = budget();
            place->second = summary_of(test, program, solver.solve(program, model, {}));
        }
        return place->second;
    };
    struct Special {
        Model model;
        std::string graph;
        explicit Special(Model m) : model(std::move(m)), graph(graph_text(model)) {}
    };
    std::map<const Model*, Special> wholes;
    const auto whole_of = [&](const PartUnder& models) -> const Special& {
        const auto found = wholes.find(models.whole);
        return found != wholes.end() ? found->second : wholes.emplace(models.whole, specialised(words, *models.whole)).first->second;
    };
    const auto need = [&](size_t part, size_t place) {
        const PartUnder& models = parts[part].under[place];
        std::optional<Special> without;
        const auto differs = [&] {
            without.emplace(specialised(words, models.without));
            return without->graph != whole_of(models).graph;
        };
        if (!touched.differ(words, part, place, differs)) return Need::no;
        if (!without) without.emplace(specialised(words, models.without));
        const Special& whole = whole_of(models);
        return need_of(ask(whole.model, whole.graph), ask(without->model, without->graph));
    };
    std::vector<Need> result(parts.size(), Need::no);
    for (size_t p = 0; p < parts.size(); ++p) {
        if (!wanted(p)) continue;
        for (size_t u = 0; u < parts[p].under.size() && result[p] == Need::no; ++u) result[p] = need(p, u);
    }
    return result;
}

}  // namespace litmus
