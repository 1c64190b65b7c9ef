// The verdict under many sets of readings, with few questions to the solver.
//
// A verdict is made of a few questions: is there an execution that satisfies the condition, one that gets stuck, and so on
// (Sight). A reading only adds orderings, so it only takes executions away. Three things follow, and only what they leave open
// is asked, of one encoding for all sets of readings (solve/inquiry.h):
//   * "No" under some readings is "no" under more of them, and "yes" is "yes" under fewer.
//   * An execution that was found answers "yes" under every set of readings with which it is consistent; the concrete engine
//     says whether it is.
//   * Two sets of readings under which the model, specialised to the program, is the same graph have the same answers.
#include "analysis/verdict/reliance.h"

#include <algorithm>
#include <set>

#include "analysis/verdict/hazards.h"
#include "cat/evaluate.h"
#include "solve/inquiry.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;
using Set = std::set<std::string>;

using Truths = BySight<Truth>;

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
    BySight<bool> shows{};
};

constexpr size_t most_witnesses = 12;  // of one kind

Truths truths_of(const Answer& answer) {
    Truths truths;
    truths[Sight::satisfies] = answer.satisfiable;
    truths[Sight::violates] = answer.violable;
    truths[Sight::terminates] = answer.nonempty;
    const bool gave_up = answer.timed_out || answer.out_of_memory || !answer.gave_up.empty();
    truths[Sight::cut] = answer.bound_hit ? Truth::yes : gave_up ? Truth::unknown : Truth::no;
    truths[Sight::races] = truths[Sight::undefined] = truths[Sight::stuck] = Truth::unknown;
    if (!answer.hazards) return truths;
    const Hazards& hazards = *answer.hazards;
    truths[Sight::races] = raises(hazards, race_flag) ? Truth::yes : hazards.races_complete ? Truth::no : Truth::unknown;
    truths[Sight::undefined] = hazards.undefined;
    truths[Sight::stuck] = hazards.blocked;
    return truths;
}

// An answer with these truths, for judge() to read.
Answer answer_of(const Truths& truths) {
    Answer answer;
    answer.satisfiable = truths[Sight::satisfies];
    answer.violable = truths[Sight::violates];
    answer.nonempty = truths[Sight::terminates];
    answer.bound_hit = truths[Sight::cut] != Truth::no;
    answer.hazards = Hazards{truths[Sight::undefined], truths[Sight::stuck], truths[Sight::races] != Truth::unknown, {}, false, false, {}};
    if (truths[Sight::races] != Truth::yes) return answer;
    answer.hazards->found.emplace_back().kind = Hazard::Kind::race;
    answer.hazards->found.back().flag = race_flag;
    return answer;
}

class UnderReadings {
public:
    UnderReadings(const BuiltTest& subject, ModelFamily& family, Solver& solver)
        : subject_(subject), solver_(solver), bases_(subject.program), folded_(family.folded_to(vocabulary(bases_))) {
        const Test& test = subject.test;
        matters_[Sight::satisfies] = test.claim.kind == Claim::Kind::exists || test.claim.kind == Claim::Kind::not_exists;
        matters_[Sight::violates] = test.claim.kind == Claim::Kind::forall;
        matters_[Sight::terminates] = true;
        matters_[Sight::cut] = !subject.program.bounds.empty();
        matters_[Sight::races] = test.claims_racefree || subject.strict;
        matters_[Sight::undefined] = matters_[Sight::stuck] = true;
    }

    // Takes in what was found under these readings.
    void learn(const Names& on, const Answer& answer) {
        const Set readings = that_matter(on);
        const Truths truths = truths_of(answer);
        note(readings, truths);
        by_graph_.emplace(text(readings), truths);
        keep_witnesses(answer);
    }

    bool same_graph(const Names& a, const Names& b) { return text(that_matter(a)) == text(that_matter(b)); }

    // The readings that concern the test.
    const Set& concerning() const { return folded_->concerning(); }

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
            if (concerning().count(name) > 0) result.insert(name);
        return result;
    }

    Truths truths(const Set& readings) {
        const auto [alike, is_new] = by_graph_.emplace(text(readings), Truths{});
        if (!is_new) {
            note(readings, alike->second);
            return alike->second;
        }
        try {
            look(readings);
            ask(readings);
        } catch (const OverBudget&) {  // what is open stays unknown
        } catch (const GaveUp&) {
            gave_up_ = true;
        }
        return alike->second = known(readings);
    }

    Truths known(const Set& readings) const {
        Truths truths;
        for (const Sight s : all_sights) truths[s] = matters_[s] ? facts_[s].under(readings) : Truth::no;
        return truths;
    }

    bool open(const Set& readings, Sight s) const { return matters_[s] && facts_[s].under(readings) == Truth::unknown; }

    void note(const Set& readings, const Truths& truths) {
        for (const Sight s : all_sights) facts_[s].add(readings, truths[s]);
    }

    // What the known executions that are consistent under these readings show.
    void look(const Set& readings) {
        Chosen& under = chosen(readings);
        const Model& model = under.member->model;
        for (const Witness& witness : witnesses_) {
            const auto helps = [&](Sight s) { return witness.shows[s] && open(readings, s); };
            const bool flags = open(readings, Sight::races) || open(readings, Sight::undefined);
            if (!flags && std::none_of(all_sights.begin(), all_sights.end(), helps)) continue;
            Evaluation evaluation(under.common, witness.execution);
            if (!evaluation.consistent()) continue;
            for (const Sight s : all_sights)
                if (helps(s)) facts_[s].add(readings, Truth::yes);
            if (!flags) continue;
            for (const size_t i : evaluation.raised()) {
                if (is_hazard(model.constraints[i])) facts_[Sight::undefined].add(readings, Truth::yes);
                if (is_race(model.constraints[i])) facts_[Sight::races].add(readings, Truth::yes);
            }
        }
    }

    // Asks the solver what is still open.
    void ask(const Set& readings) {
        for (const Sight s : all_sights) {
            if (gave_up_ || !open(readings, s)) continue;
            if (!inquiry_) inquiry_.emplace(subject_.program, bases_, folded_->open(), matters_, solver_);
            Inquiry::Sighting finding = inquiry_->ask(s, readings, chosen(readings).member->model);
            facts_[s].add(readings, finding.truth);
            if (finding.witness) keep({std::move(*finding.witness), shown_with(s)});
        }
    }

    // What an execution that was found for one sight shows for certain.
    static BySight<bool> shown_with(Sight sight) {
        BySight<bool> shows;
        shows[sight] = sight != Sight::races && sight != Sight::undefined;
        if (sight == Sight::satisfies || sight == Sight::violates) shows[Sight::terminates] = true;
        return shows;
    }

    void keep_witnesses(const Answer& answer) {
        for (const Outcome& outcome : answer.outcomes)
            keep({outcome.witness, shown_with(outcome.satisfies ? Sight::satisfies : Sight::violates)});
        if (!answer.hazards) return;
        for (const Hazard& hazard : answer.hazards->found)
            keep({hazard.witness, shown_with(hazard.stuck.empty() ? Sight::races : Sight::stuck)});
    }

    void keep(Witness witness) {
        const auto alike = [&](const Witness& known) { return known.shows == witness.shows; };
        if (std::count_if(witnesses_.begin(), witnesses_.end(), alike) < static_cast<std::ptrdiff_t>(most_witnesses))
            witnesses_.push_back(std::move(witness));
    }

    // The model of the program under some readings, and what its executions have in common.
    struct Chosen {
        Chosen(std::shared_ptr<const FoldedFamily::Member> of, FixedBases& bases) : member(std::move(of)), common(member->model, bases) {}
        std::shared_ptr<const FoldedFamily::Member> member;
        CommonValues common;
    };

    Chosen& chosen(const Set& readings) {
        const auto known = chosen_.find(readings);
        return known != chosen_.end() ? known->second : chosen_.try_emplace(readings, folded_->under(readings), bases_).first->second;
    }

    const std::string& text(const Set& readings) { return chosen(readings).member->text; }

    const BuiltTest& subject_;
    Solver& solver_;
    FixedBases bases_;
    BySight<bool> matters_;
    BySight<Facts> facts_;
    std::vector<Witness> witnesses_;
    std::shared_ptr<FoldedFamily> folded_;  // to the program
    std::optional<Inquiry> inquiry_;
    bool gave_up_ = false;  // asking was too much for the solver
    std::map<Set, Chosen> chosen_;
    std::map<std::string, Truths> by_graph_;
    std::map<Set, Verdict> verdicts_;
};

bool all_on(const Names& set, const Names& on) {
    return std::all_of(set.begin(), set.end(), [&](const std::string& name) { return std::find(on.begin(), on.end(), name) != on.end(); });
}

}  // namespace

std::optional<Reliance> reliance(const BuiltTest& subject, ModelFamily& family, const Names& on, const std::string& asked,
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
