// The outcomes of a test under several readings, with few questions to the solver; and the comparison with what was observed.
//
// A reading only takes executions away. So if each outcome under the weakest readings has a witness that is still consistent
// with one more reading switched on, that reading forbids nothing: the concrete engine says so, without the solver. And a test
// whose outcomes are the same with no reading at all and under `weakest` does not depend on the readings that `weakest` has.
// And a reading that the model, specialised to the test, does not ask for does nothing to it.
// Readings take undefined behaviour away, too: a test that is undefined under `weakest` may be defined under one more reading,
// which then forbids every outcome that it does not allow. A test that is undefined under `strongest` is so under all.
#include "analysis/conform/conformance.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/verdict/hazards.h"
#include "cat/evaluate.h"
#include "cat/fold.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

// Every outcome, whatever the filter, and nothing else.
SolveOptions all_outcomes() {
    SolveOptions result;
    result.max_outcomes = std::numeric_limits<size_t>::max();
    result.want_hazards = false;
    result.filtered = false;
    return result;
}

bool is_among(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Names with(Names names, const std::string& name) {
    if (!is_among(names, name)) names.push_back(name);
    return names;
}

Names without(Names names, const std::string& name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
    return names;
}

std::vector<OutcomeValues> values_of(const Answer& answer) {
    std::vector<OutcomeValues> values;
    for (const Outcome& outcome : answer.outcomes) values.push_back(outcome.values);
    return values;  // sorted, as the solver gives them
}

Names sorted(Names names) {
    std::sort(names.begin(), names.end());
    return names;
}

bool same(const Names& a, const Names& b) {
    return sorted(a) == sorted(b);
}

bool contains(const std::vector<OutcomeValues>& sorted, const OutcomeValues& values) {
    return std::binary_search(sorted.begin(), sorted.end(), values);
}

bool all_found(const Answer& answer) {
    return answer.complete && !answer.bound_hit;
}

std::vector<OutcomeValues> difference(const std::vector<OutcomeValues>& all, const std::vector<OutcomeValues>& part) {
    std::vector<OutcomeValues> rest;
    std::set_difference(all.begin(), all.end(), part.begin(), part.end(), std::back_inserter(rest));
    return rest;
}

BuildOptions with_blocked(BuildOptions build) {
    build.blocked = true;
    return build;
}

class Predictor {
public:
    Predictor(const Test& test, ModelFamily& family, const BuildOptions& build, Solver& solver, const Answer* answer)
        : test_(test),
          family_(family),
          solver_(solver),
          known_(answer),
          program_(build_program(test, with_blocked(build))),
          weakest_(readings_of(family.by_default(), Reading::Base::weakest)) {}

    Prediction run(const Names& on) {
        Prediction result;
        if (known_ != nullptr) answers_[sorted(on)] = *known_;
        const Answer& answer = outcomes(on);
        for (const Observable& o : answer.observables) {
            result.observables.push_back({o.name, o.type});
            result.in_memory.push_back(o.in_memory);
        }
        result.observes_more = test_.claim.kind == Claim::Kind::none;
        result.allowed = values_of(answer);
        result.complete = all_found(answer);
        const Hazards hazards = known_ != nullptr ? known_->hazards.value() : solver_.hazards(program_, family_.under(on));
        result.undefined = hazards.undefined;
        for (const HazardText& hazard : explain(program_, hazards))
            if (hazard.kind == Hazard::Kind::undefined) result.undefined_by.push_back(hazard.title);
        result.in_flight = raises(hazards, in_flight_at_exit);
        const std::set<std::string> open = open_variants(specialised(program_, family_.open()));
        if (open.empty()) return result;
        const Truth weakly = same(on, weakest_) ? result.undefined : undefined(weakest_);
        for (const Reading& reading : family_.by_default().readings) {
            if (open.count(reading.name) == 0) continue;
            ReadingEffect effect = effect_within_budget(reading.name, weakly);
            if (distinguishes(effect) || !effect.decided) result.effects.push_back(std::move(effect));
        }
        return result;
    }

private:
    const Answer& outcomes(const Names& names) {
        const Names on = sorted(names);
        const auto known = answers_.find(on);
        if (known != answers_.end()) return known->second;
        return answers_[on] = solver_.solve(program_, family_.under(on), all_outcomes());
    }

    Truth undefined(const Names& on) { return solver_.hazards(program_, family_.under(on)).undefined; }

    // Whether every outcome listed has a witness that is consistent under these readings as well.
    bool keeps_all(const Answer& answer, const Names& on) {
        const Model& model = family_.under(on);
        return std::all_of(answer.outcomes.begin(), answer.outcomes.end(),
                           [&](const Outcome& outcome) { return Evaluation(model, outcome.witness).consistent(); });
    }

    ReadingEffect effect_within_budget(const std::string& reading, Truth weakly) {
        try {
            return effect_of(reading, weakly);
        } catch (const OverBudget&) {
            return {reading, {}, false, {}, false};
        }
    }

    // `weakly`: whether the test is undefined under the weakest readings.
    ReadingEffect effect_of(const std::string& reading, Truth weakly) {
        const bool backed = is_among(weakest_, reading);
        if (weakly == Truth::unknown) return {reading, {}, false, {}, false};
        if (weakly == Truth::yes) return backed ? ReadingEffect{reading, {}, false, {}, true} : defining_effect(reading);
        if (backed && without_readings_all_the_same()) return {reading, {}, false, {}, true};
        return taken_away(backed ? without(weakest_, reading) : weakest_, reading);
    }

    // The reading is added to `base`.
    ReadingEffect taken_away(const Names& base, const std::string& reading) {
        ReadingEffect effect;
        effect.reading = reading;
        const Answer& before = outcomes(base);
        effect.decided = all_found(before);
        if (keeps_all(before, with(base, reading))) return effect;
        const Answer& after = outcomes(with(base, reading));
        if (all_found(after)) effect.excludes = difference(values_of(before), values_of(after));
        effect.decided = effect.decided && all_found(after);
        return effect;
    }

    // Of a test that is undefined under the weakest readings.
    ReadingEffect defining_effect(const std::string& reading) {
        ReadingEffect effect;
        effect.reading = reading;
        if (!strongly_) strongly_ = undefined(readings_of(family_.by_default(), Reading::Base::strongest));
        if (*strongly_ == Truth::yes) return effect;
        const Names on = with(weakest_, reading);
        const Truth under = undefined(on);
        if (under == Truth::yes) return effect;
        const Answer& answer = outcomes(on);
        effect.decided = under == Truth::no && all_found(answer);
        effect.makes_defined = effect.decided;
        effect.leaves = values_of(answer);
        return effect;
    }

    bool without_readings_all_the_same() {
        const Answer& none = outcomes({});
        return all_found(none) && values_of(none) == values_of(outcomes(weakest_));
    }

    const Test& test_;
    ModelFamily& family_;
    Solver& solver_;
    const Answer* known_;  // null: nothing is
    Program program_;
    Names weakest_;
    std::optional<Truth> strongly_;    // undefined under the strongest readings
    std::map<Names, Answer> answers_;  // by readings, sorted; their witnesses point into program_, or into that of what was known
};

}  // namespace

bool distinguishes(const ReadingEffect& effect) {
    return effect.makes_defined || !effect.excludes.empty();
}

bool forbids(const ReadingEffect& effect, const OutcomeValues& outcome) {
    return effect.makes_defined ? !contains(effect.leaves, outcome) : contains(effect.excludes, outcome);
}

Prediction predict(const Test& test, ModelFamily& family, const std::vector<std::string>& on, const BuildOptions& build, Solver& solver,
                   const Answer* answer) {
    return Predictor(test, family, build, solver, answer).run(on);
}

// ---- what was observed ------------------------------------------------------------------------

namespace {

uint64_t sum_of(uint64_t a, uint64_t b) {
    if (a > std::numeric_limits<uint64_t>::max() - b)
        throw Failure(nullptr, {}, "the counts of several runs add up to more than 64 bits hold");
    return a + b;
}

bool same_observables(const std::vector<gpu::Observable>& a, const std::vector<gpu::Observable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const gpu::Observable& x, const gpu::Observable& y) { return x.name == y.name && x.type == y.type; });
}

std::string names_of(const std::vector<gpu::Observable>& observables) {
    std::string text;
    for (const gpu::Observable& o : observables) text += (text.empty() ? "" : ", ") + o.name + " (." + std::string(name(o.type)) + ")";
    return text.empty() ? "nothing" : text;
}

// By observable of the prediction: its place in the observation.
std::vector<size_t> places(const Prediction& prediction, const gpu::Observation& observation) {
    const auto refuse = [&] {
        throw Failure(nullptr, {},
                      "'" + observation.test + "': the file has " + names_of(observation.observables) + ", where the test has " +
                          names_of(prediction.observables));
    };
    if (prediction.observables.size() != observation.observables.size() && !prediction.observes_more) refuse();
    std::vector<size_t> result;
    for (const gpu::Observable& wanted : prediction.observables) {
        const auto found = std::find_if(observation.observables.begin(), observation.observables.end(),
                                        [&](const gpu::Observable& o) { return o.name == wanted.name && o.type == wanted.type; });
        if (found == observation.observables.end()) refuse();
        result.push_back(static_cast<size_t>(found - observation.observables.begin()));
    }
    return result;
}

struct Count {
    uint64_t all = 0, in_order = 0, disturbed = 0;
};

// Counts by the values at these places.
std::map<OutcomeValues, Count> projected(const gpu::Observation& observation, const std::vector<size_t>& places) {
    std::map<OutcomeValues, Count> counts;
    for (const gpu::Outcome& outcome : observation.outcomes) {
        if (outcome.count == 0) continue;
        OutcomeValues values;
        for (const size_t place : places) values.push_back(outcome.values.at(place));
        Count& count = counts[std::move(values)];
        count.all += outcome.count;
        count.in_order += outcome.in_order;
        count.disturbed += outcome.disturbed;
    }
    return counts;
}

// Whether what locations hold may have been read too early, and some outcome that is allowed, and that `effect` does not forbid (null:
// none does), has the same values in registers.
bool late(const Prediction& prediction, const OutcomeValues& values, const ReadingEffect* effect) {
    const auto same_registers = [&](const OutcomeValues& allowed) {
        for (size_t i = 0; i < values.size(); ++i)
            if (!prediction.in_memory[i] && allowed[i] != values[i]) return false;
        return true;
    };
    return prediction.in_flight && std::any_of(prediction.allowed.begin(), prediction.allowed.end(), [&](const OutcomeValues& allowed) {
               return same_registers(allowed) && (effect == nullptr || !forbids(*effect, allowed));
           });
}

// Whether a device can say nothing of the reading by this test: all that it forbids may have been read too early.
bool only_late(const Prediction& prediction, const ReadingEffect& effect) {
    return !effect.makes_defined && std::all_of(effect.excludes.begin(), effect.excludes.end(),
                                                [&](const OutcomeValues& values) { return late(prediction, values, &effect); });
}

Standing standing_of(const Prediction& prediction, const OutcomeValues& values) {
    if (prediction.undefined == Truth::yes) return Standing::undefined;
    if (contains(prediction.allowed, values)) return Standing::allowed;
    if (!prediction.complete || prediction.undefined != Truth::no) return Standing::undecided;
    return late(prediction, values, nullptr) ? Standing::late : Standing::forbidden;
}

Standing worst(const Prediction& prediction, const std::vector<Seen>& seen) {
    if (prediction.undefined == Truth::yes) return Standing::undefined;
    for (const Standing standing : {Standing::forbidden, Standing::undecided, Standing::late})
        for (const Seen& s : seen)
            if (s.standing == standing) return standing;
    return Standing::allowed;
}

}  // namespace

Tally::Tally(gpu::Observation first) : sum_(std::move(first)) {
    const std::vector<gpu::Outcome> outcomes = std::move(sum_.outcomes);
    sum_.outcomes.clear();
    add_outcomes(outcomes);
}

void Tally::add(const gpu::Observation& more) {
    if (!same_observables(sum_.observables, more.observables))
        throw Failure(nullptr, {},
                      "'" + sum_.test + "': one file has " + names_of(sum_.observables) + ", another " + names_of(more.observables));
    for (uint64_t gpu::Observation::*count :
         {&gpu::Observation::instances, &gpu::Observation::launches, &gpu::Observation::timeouts, &gpu::Observation::unlisted})
        sum_.*count = sum_of(sum_.*count, more.*count);
    sum_.seconds += more.seconds;
    sum_.hung = sum_.hung || more.hung;
    for (const std::string& line : more.disturbances)
        if (!is_among(sum_.disturbances, line)) sum_.disturbances.push_back(line);
    add_outcomes(more.outcomes);
}

void Tally::add_outcomes(const std::vector<gpu::Outcome>& outcomes) {
    for (const gpu::Outcome& outcome : outcomes) {
        const auto [at, is_new] = place_.emplace(outcome.values, sum_.outcomes.size());
        if (is_new) sum_.outcomes.push_back({outcome.values, 0, false});
        gpu::Outcome& sum = sum_.outcomes[at->second];
        sum.count = sum_of(sum.count, outcome.count);
        sum.in_order = sum_of(sum.in_order, outcome.in_order);
        sum.disturbed = sum_of(sum.disturbed, outcome.disturbed);
    }
}

std::string_view name(Standing standing) {
    switch (standing) {
        case Standing::allowed:
            return "allowed";
        case Standing::forbidden:
            return "forbidden";
        case Standing::late:
            return "late";
        case Standing::undecided:
            return "undecided";
        case Standing::undefined:
            return "undefined";
    }
    return "";
}

std::string_view name(Evidence::Verdict verdict) {
    switch (verdict) {
        case Evidence::Verdict::refuted:
            return "refuted";
        case Evidence::Verdict::by_compiler:
            return "by-compiler";
        case Evidence::Verdict::consistent:
            return "consistent";
        case Evidence::Verdict::untested:
            return "untested";
    }
    return "";
}

Comparison compare(const Prediction& prediction, const gpu::Observation& observation) {
    Comparison result;
    result.instances = observation.instances;
    result.timeouts = observation.timeouts;
    result.unlisted = observation.unlisted;
    result.disturbances = observation.disturbances;
    std::vector<OutcomeValues> values_seen;
    for (const auto& [values, count] : projected(observation, places(prediction, observation))) {
        Seen seen{values, count.all, standing_of(prediction, values), {}, count.in_order, count.disturbed};
        for (const ReadingEffect& effect : prediction.effects)
            if (forbids(effect, values) && !late(prediction, values, &effect)) seen.refutes.push_back(effect.reading);
        result.ended += count.all;
        values_seen.push_back(values);
        result.seen.push_back(std::move(seen));
    }
    std::stable_sort(result.seen.begin(), result.seen.end(), [](const Seen& a, const Seen& b) { return a.count > b.count; });
    result.standing = worst(prediction, result.seen);
    if (result.unlisted > 0 && (result.standing == Standing::allowed || result.standing == Standing::late))
        result.standing = Standing::undecided;
    if (result.standing != Standing::undefined) result.not_seen = difference(prediction.allowed, values_seen);
    return result;
}

// (1 - p)^N >= 0.05, the chance not to see it, gives p <= 1 - 0.05^(1/N), which 3/N is just above.
double rate_bound(uint64_t instances) {
    return instances <= 3 ? 1.0 : 3.0 / static_cast<double>(instances);
}

std::vector<Evidence> weigh(const Model& model, const std::vector<Compared>& tests) {
    std::vector<Evidence> result;
    for (const Reading& reading : model.readings) {
        Evidence evidence;
        evidence.reading = reading.name;
        for (size_t t = 0; t < tests.size(); ++t) {
            const Comparison& comparison = *tests[t].comparison;
            for (const ReadingEffect& effect : tests[t].prediction->effects) {
                if (effect.reading != reading.name || comparison.ended == 0) continue;
                if (!effect.decided) ++evidence.undecided;
                if (!distinguishes(effect) || only_late(*tests[t].prediction, effect)) continue;
                evidence.tests.push_back(t);
                evidence.instances += comparison.ended;
                for (const Seen& seen : comparison.seen)
                    if (is_among(seen.refutes, reading.name))
                        evidence.refutations.push_back({t, seen.values, seen.count, seen.in_order, seen.disturbed});
            }
        }
        if (!evidence.tests.empty()) evidence.verdict = Evidence::Verdict::consistent;
        const auto by_device = [](const Evidence::Refutation& r) { return r.count > r.disturbed; };
        if (!evidence.refutations.empty()) evidence.verdict = Evidence::Verdict::by_compiler;
        if (std::any_of(evidence.refutations.begin(), evidence.refutations.end(), by_device)) evidence.verdict = Evidence::Verdict::refuted;
        result.push_back(std::move(evidence));
    }
    return result;
}

}  // namespace litmus
