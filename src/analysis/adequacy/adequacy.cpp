// The parts of a model as choices of one graph, specialised to a test; what is left of them is asked about together.
//
// A part that the program leaves no room for is gone from the graph: most pairs of a test and a part are settled so. Of the others the
// whole model is solved, and then
//   * each execution that its answer shows is looked at: where a part takes part in nothing of it (kept.h), it is one without the part,
//   too,
//     and shows the same;
//   * the solver is asked what the answer does not show, of all parts at once (solve/surplus.h).
// Only a part that is not settled by these is deleted, and the model without it solved; what is left without it says whether the verdict
// is another one, too. So is every part where the answer to the whole model is not complete.
#include "analysis/adequacy/adequacy.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/adequacy/effects.h"
#include "analysis/adequacy/kept.h"
#include "analysis/verdict/signs.h"
#include "cat/fold.h"
#include "solve/specialise.h"
#include "solve/surplus.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

bool is_among(std::string_view name, const Names& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
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

constexpr size_t together =
    24;  // parts of which the solver is asked at once: with more, its question grows faster than those that it saves

// A model with open parts without the one of this variant; without a variant, the whole.
Model chosen(const Model& open, std::string_view variant) {
    return folded(open, {nullptr, [=](std::string_view asked) { return asked == variant; }});
}

Model whole_of(const Model& open) {
    return chosen(open, {});
}

// The questions about one test.
class Questions {
public:
    Questions(const Test& test, Program& program, const ModelParts& parts, Solver& solver, const std::function<Budget()>& budget)
        : test_(test), program_(program), parts_(parts), solver_(solver), budget_(budget), bases_(program) {}

    std::vector<Need> ask(const std::function<bool(size_t)>& wanted) {
        std::vector<bool> asked(parts_.parts.size());
        for (size_t p = 0; p < asked.size(); ++p) asked[p] = wanted(p);
        const std::set<std::string> words = vocabulary(bases_);
        const Model open = folded(parts_.open, {[&](std::string_view base) { return words.count(std::string(base)) > 0; },
                                                [&](std::string_view variant) -> std::optional<bool> {
                                                    const auto part = parts_.by_variant.find(variant);
                                                    if (part == parts_.by_variant.end() || asked[part->second]) return std::nullopt;
                                                    return false;
                                                }});
        needs_.assign(parts_.parts.size(), Need::no);
        for (size_t s = 0; s < parts_.settings.size(); ++s) {
            const auto is_asked = [&](size_t p) {
                const std::vector<size_t>& under = parts_.parts[p].under;
                return asked[p] && needs_[p] == Need::no && std::find(under.begin(), under.end(), s) != under.end();
            };
            std::vector<bool> now(parts_.parts.size());
            for (size_t p = 0; p < now.size(); ++p) now[p] = is_asked(p);
            if (std::find(now.begin(), now.end(), true) == now.end()) continue;
            ask_under(folded(open, {nullptr, [&](std::string_view variant) -> std::optional<bool> {
                                        const auto part = parts_.by_variant.find(variant);
                                        if (part == parts_.by_variant.end()) return is_among(variant, parts_.settings[s]);
                                        if (now[part->second]) return std::nullopt;
                                        return false;
                                    }}));
        }
        return std::move(needs_);
    }

private:
    // An answer without its witnesses.
    struct Summary {
        bool known = false;
        Verdict verdict = Verdict::unknown;
        std::vector<std::vector<uint64_t>> outcomes;
        std::set<Sign> signs;
    };

    // Asks about the parts that are choices of the model.
    void ask_under(const Model& open) {
        const std::set<std::string> left = open_variants(open);
        if (left.empty() || !asked_.insert(graph_text(open)).second) return;  // the same under other readings
        const Model whole = whole_of(open);
        const std::string graph = graph_text(whole);
        const Answer known = answer_of(whole);
        const Summary summary = summaries_[graph] = summary_of(known);
        const std::set<std::string> doubtful = summary.known ? doubts(open, left, known) : left;
        for (const std::string& variant : doubtful) {
            const Model without = chosen(open, variant);
            const auto [place, is_new] = summaries_.try_emplace(graph_text(without));
            if (is_new) place->second = summary_of(answer_of(without));
            if (place->first != graph) needs_[parts_.by_variant.find(variant)->second] = need_of(summary, place->second);
        }
    }

    Answer answer_of(const Model& model) {
        program_.budget = budget_();
        return solver_.solve(program_, model, {});
    }

    Summary summary_of(const Answer& answer) const {
        Summary summary{knows_all(answer), judge(test_, answer).verdict, {}, {}};
        for (const Outcome& outcome : answer.outcomes) summary.outcomes.push_back(outcome.values);
        for (const auto& [sign, hazard] : signs_of(program_, answer)) summary.signs.insert(sign);
        return summary;
    }

    static Need need_of(const Summary& whole, const Summary& without) {
        if (!whole.known || !without.known) return Need::undecided;
        if (whole.verdict != without.verdict) return Need::verdict;
        return whole.outcomes == without.outcomes && whole.signs == without.signs ? Need::no : Need::answer;
    }

    // The parts without which the answer may be another one; all of them where it is not found out in time.
    std::set<std::string> doubts(const Model& open, const std::set<std::string>& variants, const Answer& known) {
        program_.budget = budget_();
        try {
            const auto effects = effects_of(open);
            std::set<std::string> result = lacking(open, effects, known), some;
            const auto settle = [&] {
                for (const std::string& variant : surplus_of(only(open, some), known)) result.insert(variant);
                some.clear();
            };
            for (const auto& [variant, effect] : effects) {
                if (effect.adds && result.count(variant) == 0) some.insert(variant);
                if (some.size() == together) settle();
            }
            if (!some.empty()) settle();
            return result;
        } catch (const GaveUp&) {
        } catch (const OverBudget&) {
        }
        return variants;
    }

    using Effects = std::map<std::string, Effect, std::less<>>;

    // Open in some parts; none of the others is deleted.
    static Model only(const Model& open, const std::set<std::string>& some) {
        return folded(open, {nullptr, [&](std::string_view variant) -> std::optional<bool> {
                                 if (some.count(std::string(variant)) > 0) return std::nullopt;
                                 return false;
                             }});
    }

    // The parts without which an execution shows something new.
    std::set<std::string> surplus_of(const Model& open, const Answer& known) {
        std::set<std::string> result;
        program_.budget = budget_();
        Surplus surplus(program_, bases_, open, known, solver_);
        while (const std::optional<std::string> variant = surplus.next()) result.insert(*variant);
        return result;
    }

    // The parts that can take something away, without which something that the answer shows is not seen to be there.
    std::set<std::string> lacking(const Model& open, const Effects& effects, const Answer& known) {
        std::set<std::string> result;
        for (const auto& [variant, effect] : effects)
            if (effect.takes) result.insert(variant);
        if (result.empty() || (known.outcomes.empty() && known.nonempty == Truth::yes)) return result;
        const Model taking = only(open, result);
        Kept kept(taking, bases_, known);
        std::erase_if(result, [&](const std::string& variant) {
            const auto has = [&](const auto& shown) { return kept.has(variant, shown); };
            return std::all_of(known.outcomes.begin(), known.outcomes.end(), has) &&
                   std::all_of(known.hazards->found.begin(), known.hazards->found.end(), has);
        });
        return result;
    }

    const Test& test_;
    Program& program_;
    const ModelParts& parts_;
    Solver& solver_;
    const std::function<Budget()>& budget_;
    FixedBases bases_;
    std::vector<Need> needs_;
    std::set<std::string> asked_;               // graphs with open parts
    std::map<std::string, Summary> summaries_;  // by graph
};

}  // namespace

Model under(const Model& open, const Names& readings) {
    return folded(open, {nullptr, [&](std::string_view variant) { return is_among(variant, readings); }});
}

ModelParts model_parts(const ModelFamily& family) {
    ModelParts result;
    result.settings = settings_of(family.by_default());
    const std::vector<ModelPart> parts = parts_of(family.open());
    for (const ModelPart& part : parts) {
        result.by_variant[variant_of(part)] = result.parts.size();
        result.parts.push_back({part, {}});
    }
    const auto is_reading = [&](std::string_view variant) {
        return std::any_of(family.open().readings.begin(), family.open().readings.end(),
                           [&](const Reading& r) { return r.name == variant; });
    };
    result.open = folded(with_open_parts(family.open(), parts), {nullptr, [&](std::string_view variant) -> std::optional<bool> {
                                                                     if (is_reading(variant) || result.by_variant.count(variant) > 0)
                                                                         return std::nullopt;
                                                                     return false;
                                                                 }});
    std::set<std::string> seen;
    for (size_t s = 0; s < result.settings.size(); ++s) {
        const Model open = folded(result.open, {nullptr, [&](std::string_view variant) -> std::optional<bool> {
                                                    if (is_reading(variant)) return is_among(variant, result.settings[s]);
                                                    return std::nullopt;
                                                }});
        const std::string whole = graph_text(whole_of(open));
        if (!seen.insert(whole).second) continue;
        const bool base = s < 2 || s + 1 == result.settings.size();
        for (const std::string& variant : open_variants(open)) {
            std::vector<size_t>& under = result.parts[result.by_variant.find(variant)->second].under;
            if ((base || under.empty()) && graph_text(chosen(open, variant)) != whole) under.push_back(s);
        }
    }
    return result;
}

std::vector<Need> needs(const Test& test, Program& program, const ModelParts& parts, Solver& solver, const std::function<Budget()>& budget,
                        const std::function<bool(size_t part)>& wanted) {
    return Questions(test, program, parts, solver, budget).ask(wanted);
}

}  // namespace litmus
