// The verdict under many sets of readings, with few questions to the solver.
//
// A verdict is made of a few questions: is there an execution that satisfies the condition, one that gets stuck, and so on.
// A reading only adds orderings, so it only takes executions away. Three things follow, and only what they leave open is asked:
//   * "No" under some readings is "no" under more of them, and "yes" is "yes" under fewer.
//   * An execution that was found answers "yes" under every set of readings with which it is consistent; the concrete engine
//     says whether it is.
//   * Two sets of readings under which the model, specialised to the program, is the same graph have the same answers.
#include "explain/reliance.h"

#include <algorithm>
#include <array>
#include <set>

#include "cat/evaluate.h"
#include "cat/fold.h"
#include "explain/hazards.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;
using Set = std::set<std::string>;

// What some execution may show; all that a verdict is made of.
enum Sight : size_t { satisfies, violates, terminates, hits_bound, races, is_undefined, gets_stuck };
constexpr size_t sights = 7;
using Truths = std::array<Truth, sights>;

// What is known of one sight under various readings.
struct Facts {
    std::vector<Set> there, not_there;

    Truth under(const Set& readings) const {
        const auto has = [](const Set& more, const Set& fewer) {
            return std::includes(more.begin(), more.end(), fewer.begin(), fewer.end());
        };
        if (std::any_of(not_there.begin(), not_there.end(), [&](const Set& s) { return has(readings, s); })) return Truth::no;
        if (std::any_of(there.begin(), there.end(), [&](const Set& s) { return has(s, readings); })) return Truth::yes;
        return Truth::unknown;
    }
    void add(const Set& readings, Truth truth) {
        if (truth == Truth::yes) there.push_back(readings);
        if (truth == Truth::no) not_there.push_back(readings);
    }
};

// An execution, and what it shows under any model that it is consistent with; races and undefined behaviour are up to the model.
struct Witness {
    Execution execution;
    std::array<bool, sights> shows{};
};

constexpr const char* race_flag = "data-race";
constexpr size_t most_witnesses = 12;  // of one kind

Truths truths_of(const Answer& answer) {
    Truths truths;
    truths[satisfies] = answer.satisfiable;
    truths[violates] = answer.violable;
    truths[terminates] = answer.nonempty;
    const bool gave_up = answer.timed_out || answer.out_of_memory || !answer.gave_up.empty();
    truths[hits_bound] = answer.bound_hit ? Truth::yes : gave_up ? Truth::unknown : Truth::no;
    if (!answer.hazards) {
        truths[races] = truths[is_undefined] = truths[gets_stuck] = Truth::unknown;
        return truths;
    }
    const Hazards& hazards = *answer.hazards;
    truths[races] = raises(hazards, race_flag) ? Truth::yes : hazards.races_complete ? Truth::no : Truth::unknown;
    truths[is_undefined] = hazards.undefined;
    truths[gets_stuck] = hazards.blocked;
    return truths;
}

// An answer with these truths, for judge() to read.
Answer answer_of(const Truths& truths) {
    Answer answer;
    answer.satisfiable = truths[satisfies];
    answer.violable = truths[violates];
    answer.nonempty = truths[terminates];
    answer.bound_hit = truths[hits_bound] != Truth::no;
    answer.hazards = Hazards{truths[is_undefined], truths[gets_stuck], truths[races] != Truth::unknown, {}, false, false, {}};
    if (truths[races] != Truth::yes) return answer;
    answer.hazards->found.emplace_back().kind = Hazard::Kind::race;
    answer.hazards->found.back().flag = race_flag;
    return answer;
}

class UnderReadings {
public:
    UnderReadings(const Subject& subject, ModelFamily& family, Solver& solver) : subject_(subject), family_(family), solver_(solver) {
        const Test& test = subject.test;
        open_ = specialised(subject.program, family.open());
        concerning_ = open_variants(open_);
        options_.want_outcomes = false;
        matters_[satisfies] = test.claim.kind == Claim::Kind::exists || test.claim.kind == Claim::Kind::not_exists;
        matters_[violates] = test.claim.kind == Claim::Kind::forall;
        matters_[terminates] = true;
        matters_[hits_bound] = !subject.program.bounds.empty();
        matters_[races] = test.claims_racefree || subject.strict;
        matters_[is_undefined] = matters_[gets_stuck] = true;
    }

    // Takes in what was found under these readings.
    void learn(const Names& on, const Answer& answer) {
        const Set readings = that_matter(on);
        const Truths truths = truths_of(answer);
        note(readings, truths);
        by_graph_.emplace(graph(readings), truths);
        keep_witnesses(answer);
    }

    bool same_graph(const Names& a, const Names& b) { return graph(that_matter(a)) == graph(that_matter(b)); }

    // The readings that concern the test.
    const Set& concerning() const { return concerning_; }

    // unknown: not decided within the time limit.
    Verdict verdict(const Names& on) {
        const Set readings = that_matter(on);
        const auto known = verdicts_.find(readings);
        if (known != verdicts_.end()) return known->second;
        return verdicts_[readings] = judge(subject_.test, answer_of(truths(readings)), subject_.strict).verdict;
    }

private:
    Set that_matter(const Names& on) const {
        Set result;
        for (const std::string& name : on)
            if (concerning_.count(name) > 0) result.insert(name);
        return result;
    }

    Truths truths(const Set& readings) {
        const auto [alike, is_new] = by_graph_.emplace(graph(readings), Truths{});
        if (!is_new) {
            note(readings, alike->second);
            return alike->second;
        }
        try {
            look(readings);
            ask(readings);
        } catch (const OverBudget&) {  // what is open stays unknown
        }
        return alike->second = known(readings);
    }

    Truths known(const Set& readings) const {
        Truths truths;
        for (size_t s = 0; s < sights; ++s) truths[s] = matters_[s] ? facts_[s].under(readings) : Truth::no;
        return truths;
    }

    bool open(const Set& readings, std::initializer_list<Sight> of) const {
        return std::any_of(of.begin(), of.end(), [&](Sight s) { return matters_[s] && facts_[s].under(readings) == Truth::unknown; });
    }

    void note(const Set& readings, const Truths& truths) {
        for (size_t s = 0; s < sights; ++s) facts_[s].add(readings, truths[s]);
    }

    // What the known executions that are consistent under these readings show.
    void look(const Set& readings) {
        const Model& model = model_under(readings);
        for (const Witness& witness : witnesses_) {
            const auto helps = [&](size_t s) { return witness.shows[s] && open(readings, {static_cast<Sight>(s)}); };
            const bool flags = open(readings, {races, is_undefined});
            bool any = flags;
            for (size_t s = 0; s < sights; ++s) any = any || helps(s);
            if (!any) continue;
            Evaluation evaluation(model, witness.execution);
            if (!evaluation.consistent()) continue;
            for (size_t s = 0; s < sights; ++s)
                if (helps(s)) facts_[s].add(readings, Truth::yes);
            if (!flags) continue;
            for (const size_t i : evaluation.raised()) {
                if (is_hazard(model.constraints[i])) facts_[is_undefined].add(readings, Truth::yes);
                if (model.constraints[i].name == race_flag) facts_[races].add(readings, Truth::yes);
            }
        }
    }

    // Asks the solver what is still open, of a model without the flags that are not in question.
    void ask(const Set& readings) {
        std::array<bool, sights> asked{};
        for (size_t s = 0; s < sights; ++s) asked[s] = open(readings, {static_cast<Sight>(s)});
        const bool outcomes = asked[satisfies] || asked[violates] || asked[terminates] || asked[hits_bound];
        const bool hazards = asked[races] || asked[is_undefined] || asked[gets_stuck];
        if (!outcomes && !hazards) return;
        const Model model = restricted(model_under(readings), [&](const Constraint& c) {
            return !c.flag || (asked[is_undefined] && is_hazard(c)) || (asked[races] && c.name == race_flag);
        });
        Answer answer;
        options_.want_hazards = hazards;
        if (outcomes)
            answer = solver_.solve(subject_.program, model, options_);
        else
            answer.hazards = solver_.hazards(subject_.program, model);
        const Truths truths = truths_of(answer);
        for (size_t s = 0; s < sights; ++s)
            if (asked[s]) facts_[s].add(readings, truths[s]);
        keep_witnesses(answer);
    }

    void keep_witnesses(const Answer& answer) {
        for (const Outcome& outcome : answer.outcomes) {
            Witness witness{outcome.witness, {}};
            witness.shows[outcome.satisfies ? satisfies : violates] = witness.shows[terminates] = true;
            keep(std::move(witness));
        }
        if (!answer.hazards) return;
        for (const Hazard& hazard : answer.hazards->found) {
            Witness witness{hazard.witness, {}};
            witness.shows[gets_stuck] = !hazard.stuck.empty();
            keep(std::move(witness));
        }
    }

    void keep(Witness witness) {
        const auto alike = [&](const Witness& known) { return known.shows == witness.shows; };
        if (std::count_if(witnesses_.begin(), witnesses_.end(), alike) < static_cast<std::ptrdiff_t>(most_witnesses))
            witnesses_.push_back(std::move(witness));
    }

    // The readings that do not concern the test are as in the default: such a model may have been made for other tests.
    const Model& model_under(const Set& readings) {
        Names on(readings.begin(), readings.end());
        for (const std::string& name : readings_of(family_.by_default(), Reading::Base::default_))
            if (concerning_.count(name) == 0) on.push_back(name);
        return family_.under(on);
    }

    const std::string& graph(const Set& readings) {
        const auto [known, is_new] = graphs_.emplace(readings, std::string());
        if (!is_new) return known->second;
        const Folding made{nullptr, [&](const std::string& reading) { return readings.count(reading) > 0; }};
        return known->second = graph_text(folded(open_, made));
    }

    const Subject& subject_;
    ModelFamily& family_;
    SolveOptions options_;
    Solver& solver_;
    std::array<bool, sights> matters_{};
    std::array<Facts, sights> facts_;
    std::vector<Witness> witnesses_;
    Model open_;  // specialised to the program
    Set concerning_;
    std::map<Set, std::string> graphs_;
    std::map<std::string, Truths> by_graph_;
    std::map<Set, Verdict> verdicts_;
};

bool all_on(const Names& set, const Names& on) {
    return std::all_of(set.begin(), set.end(), [&](const std::string& name) { return std::find(on.begin(), on.end(), name) != on.end(); });
}

}  // namespace

std::optional<Reliance> reliance(const Subject& subject, ModelFamily& family, const Names& on, const std::string& asked,
                                 const Answer& answer, Solver& solver) {
    const Model& model = family.by_default();
    const Names weakest = readings_of(model, Reading::Base::weakest), strongest = readings_of(model, Reading::Base::strongest);
    UnderReadings under(subject, family, solver);
    if (under.same_graph(weakest, strongest)) return std::nullopt;
    under.learn(on, answer);
    Names disputed;
    for (const Reading& reading : model.readings)
        if (reading.base != Reading::Base::weakest && under.concerning().count(reading.name) > 0) disputed.push_back(reading.name);

    Reliance result;
    result.asked = asked;
    result.verdict = under.verdict(on);
    result.depends = depends_on(weakest, disputed, [&](const Names& readings) {
        const Verdict verdict = under.verdict(readings);
        return verdict == Verdict::unknown ? -1 : static_cast<int>(verdict);
    });
    result.weakest = under.verdict(weakest);
    result.by_default = under.verdict(readings_of(model, Reading::Base::default_));
    result.strongest = under.verdict(strongest);
    for (const Names& set : result.depends.flips) {
        if (result.verdict != result.weakest && all_on(set, on)) result.rests_on.push_back(set);
        for (const Reading& reading : model.readings)
            if (!reading.refuted.empty() && all_on({reading.name}, set)) result.refuted[reading.name] = reading.refuted;
    }
    return result;
}

}  // namespace litmus
