// Sets of edits in the order of their price, with what is known against each: sets that counterexamples survive, repairs that do
// with less, and executions that can be carried over.
#include "analysis/repair/repair.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "analysis/repair/search.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/verdict.h"
#include "language/syntax/read.h"
#include "solve/inquiry.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Ending = Trial::Ending;

constexpr size_t few_structural = 60;  // edits of a test: then two of them are tried together, whatever their kinds
constexpr double most_sets = 2e6;      // of one size; where there are more, none of that size is tried
constexpr size_t most_examples = 24;   // executions that each structural edit is confronted with

// Everything that may be seen of the test as it is. Throws as build_program.
BySight<Truth> seen(const Test& test, const Model& model, Solver& solver, const RepairOptions& options) {
    Program program = build_program(test, {.unroll = options.unroll, .blocked = true, .budget = options.budget});
    require_support(program, model);
    BySight<bool> asked;
    for (const Sight s : all_sights) asked[s] = true;
    BySight<Truth> truths;
    try {
        FixedBases bases(program);
        Inquiry inquiry(program, bases, specialised(bases, model), asked, solver);
        for (const Sight s : all_sights)
            truths[s] = s == Sight::cut && program.bounds.empty() ? Truth::no : inquiry.ask(s, {}, model).truth;
    } catch (const GaveUp&) {
    }
    return truths;
}

// Edits that only order, tried on the test with certain structural edits, or none.
struct Ground {
    std::vector<std::vector<bool>> survived;  // sets of edits, each of which leaves some counterexample
};

class EnoughTried : public std::exception {};

class Search {
public:
    Search(const Test& test, const Model& model, const Model& weakest, Solver& solver, const RepairOptions& options, Repairs& result)
        : test_(test),
          model_(model),
          weakest_(weakest),
          solver_(solver),
          options_(options),
          r_(result),
          trials_(test, result.edits, *result.goal, solver, options.unroll, options.budget) {}

    void run() {
        try {
            for (size_t size = 1; size <= options_.max_edits && !(done() && cheapest() < static_cast<int>(size) * price::place); ++size)
                try_all(size);
        } catch (const OverBudget&) {
            r_.status = Repairs::Status::partial;
        } catch (const EnoughTried&) {
            r_.status = Repairs::Status::partial;
        }
        drop_dearer();
        drop_needless();
        std::stable_sort(r_.repairs.begin(), r_.repairs.end(), [&](const Repair& a, const Repair& b) { return rank(a) < rank(b); });
        r_.effort += trials_.effort();
        r_.asked += trials_.asked();
        r_.carried += trials_.carried();
    }

private:
    bool done() const { return !options_.all && !r_.repairs.empty(); }

    // A pair of edits may be cheaper than one that puts lines into many threads.
    void drop_dearer() {
        if (options_.all || r_.repairs.empty()) return;
        const int least = cheapest();
        r_.repairs.erase(std::remove_if(r_.repairs.begin(), r_.repairs.end(), [&](const Repair& repair) { return repair.price > least; }),
                         r_.repairs.end());
    }

    // Repairs with a wait and a fence where the wait alone does as much, at the same price.
    void drop_needless() {
        const auto no_less = [&](const Repair& a, const Repair& b) {
            if (&a == &b || a.price != b.price || a.edits.size() != b.edits.size()) return false;
            if (b.under_weakest.value_or(false) && !a.under_weakest.value_or(false)) return false;
            bool less = false;
            for (const size_t e : b.edits) {
                if (std::count(a.edits.begin(), a.edits.end(), e) > 0) continue;
                const std::vector<size_t>& parts = r_.edits[e].includes;
                less = !r_.edits[e].only_orders && std::any_of(parts.begin(), parts.end(), [&](size_t part) {
                    return std::count(a.edits.begin(), a.edits.end(), part) > 0;
                });
                if (!less) return false;
            }
            return less;
        };
        std::vector<Repair> kept;
        for (const Repair& repair : r_.repairs)
            if (std::none_of(r_.repairs.begin(), r_.repairs.end(), [&](const Repair& other) { return no_less(other, repair); }))
                kept.push_back(repair);
        r_.repairs = std::move(kept);
    }

    void look_under_weakest(Repair& repair) {
        const Ending result = &weakest_ == &model_ ? Ending::repaired : trials_.ask(repair.edits, weakest_).result;
        if (result != Ending::unknown) repair.under_weakest = result == Ending::repaired;
    }

    // A repair is known when all is known of it: what is cut short later does not take it away.
    void note(const EditSet& set) {
        Repair repair{set, price_of(set), {}, false, {}};
        look_under_weakest(repair);
        finish(repair);
        if (!repair.text.empty()) r_.repairs.push_back(std::move(repair));
    }

    // The text with the claim of a repaired test, through the whole pipeline once more.
    void finish(Repair& repair) {
        const auto verdict = [&](const std::string& text, const Goal* goal) {
            const Test written = parse_tests(make_source(test_.source->name, text)).front();
            const Test claimed = goal != nullptr ? aiming(written, *goal) : written;
            Program program = build_program(claimed, {.unroll = options_.unroll, .blocked = true, .budget = options_.budget});
            SolveOptions wanted;
            wanted.want_outcomes = false;
            return std::pair(claimed, solver_.solve(program, model_, wanted));
        };
        const std::string edited = trials_.text(repair.edits);
        const bool beside = test_.claim.kind == Claim::Kind::exists && r_.goal->claim == Claim::Kind::none;
        const bool still = beside && verdict(edited, &*r_.goal).second.satisfiable != Truth::no;
        std::vector<Change> changes = claim_changes(test_, *r_.goal, still);
        const std::string text = trials_.text(repair.edits, std::move(changes));
        const auto [claimed, answer] = verdict(text, nullptr);
        switch (judge(claimed, answer, options_.strict).verdict) {
            case Verdict::ok:
                repair.text = text;
                repair.raises_flag = something_new(other_flags(*answer.hazards));
                return;
            case Verdict::unknown:
                r_.status = Repairs::Status::partial;
                return;
            default:
                throw std::logic_error("test \"" + test_.name + "\": a repair does not stand its last trial:\n" + text);
        }
    }

    // Whether the test as it is raises not all of these.
    bool something_new(const std::set<std::string>& flags) {
        if (flags.empty()) return false;
        if (!flags_) {
            Program program = build_program(test_, {.unroll = options_.unroll, .blocked = true, .budget = options_.budget});
            SolveOptions wanted;
            wanted.want_outcomes = false;
            flags_ = other_flags(*solver_.solve(program, model_, wanted).hazards);
        }
        return !std::includes(flags_->begin(), flags_->end(), flags.begin(), flags.end());
    }

    // Of equal price, what raises no new flag comes first, then what holds under the weakest readings comes first, then what changes what
    // is there, then what is weaker.
    std::tuple<int, bool, bool, size_t, int, size_t, EditSet> rank(const Repair& repair) const {
        size_t inserted = 0, includes = 0;
        int strength = 0;
        for (const size_t e : repair.edits) {
            inserted += r_.edits[e].inserts ? 1 : 0;
            includes += r_.edits[e].includes.size();
            strength += r_.edits[e].strength;
        }
        return {repair.price, repair.raises_flag, !repair.under_weakest.value_or(false), inserted, strength, includes, repair.edits};
    }

    int price_of(const EditSet& set) const {
        int sum = 0;
        for (const size_t e : set) sum += r_.edits[e].price;
        return sum;
    }

    // The structural edits of a set.
    EditSet structural(const EditSet& set) const {
        EditSet result;
        for (const size_t e : set)
            if (!r_.edits[e].only_orders) result.push_back(e);
        return result;
    }

    // Whether no edit is part of another, no two respell one instruction, and all structural ones are of one kind, unless there are few.
    bool sensible(const EditSet& set) const {
        std::optional<Fault> kind;
        for (const size_t a : set) {
            if (!r_.edits[a].only_orders) {
                if (kind && *kind != r_.edits[a].fault && structural_ > few_structural) return false;
                kind = r_.edits[a].fault;
            }
            for (const size_t b : set) {
                if (a == b) continue;
                const std::vector<size_t>& less = r_.edits[a].includes;
                if (std::count(less.begin(), less.end(), b) > 0) return false;
                if (a < b && r_.edits[a].respells != no_instruction && r_.edits[a].respells == r_.edits[b].respells) return false;
            }
        }
        return true;
    }

    // Whether a repair that is known does as much with less: each of its edits is in the set, or is less than one that is.
    bool superfluous(const EditSet& set) const {
        return std::any_of(r_.repairs.begin(), r_.repairs.end(), [&](const Repair& known) {
            return std::all_of(known.edits.begin(), known.edits.end(), [&](size_t e) {
                return std::any_of(set.begin(), set.end(), [&](size_t s) {
                    const std::vector<size_t>& less = r_.edits[s].includes;
                    return s == e || (r_.edits[e].price < r_.edits[s].price && std::count(less.begin(), less.end(), e) > 0);
                });
            });
        });
    }

    bool refuted(const EditSet& set) {
        const Ground& ground = grounds_[structural(set)];
        return std::any_of(ground.survived.begin(), ground.survived.end(), [&](const std::vector<bool>& survived) {
            return std::all_of(set.begin(), set.end(), [&](size_t e) { return survived[e]; });
        });
    }

    int cheapest() const {
        return std::min_element(r_.repairs.begin(), r_.repairs.end(), [](const Repair& a, const Repair& b) { return a.price < b.price; })
            ->price;
    }

    // All sets of that many edits in the order of their price.
    void try_all(size_t size) {
        double count = 1;
        for (size_t k = 0; k < size; ++k)
            count *= static_cast<double>(r_.edits.size() - std::min(k, r_.edits.size())) / static_cast<double>(k + 1);
        if (count > most_sets) {
            r_.status = Repairs::Status::partial;
            return;
        }
        std::vector<EditSet> sets;
        EditSet set;
        collect(size, 0, set, sets);
        std::stable_sort(sets.begin(), sets.end(), [&](const EditSet& a, const EditSet& b) { return before(a, b); });
        for (const EditSet& candidate : sets) {
            if (done() && price_of(candidate) > cheapest()) return;
            if (!superfluous(candidate) && !refuted(candidate)) attempt(candidate);
        }
    }

    bool before(const EditSet& a, const EditSet& b) const {
        const auto inserted = [&](const EditSet& set) {
            return std::count_if(set.begin(), set.end(), [&](size_t e) { return r_.edits[e].inserts; });
        };
        return std::pair(price_of(a), inserted(a)) < std::pair(price_of(b), inserted(b));
    }

    void collect(size_t size, size_t from, EditSet& set, std::vector<EditSet>& sets) {
        options_.budget.check();
        if (set.size() == size) {
            if (sensible(set) && !refuted(set) && !superfluous(set)) sets.push_back(set);
            return;
        }
        for (size_t e = from; e < r_.edits.size(); ++e) {
            if (useless_[e]) continue;
            set.push_back(e);
            collect(size, e + 1, set, sets);
            set.pop_back();
        }
    }

    // Whether an execution that is known, carried over, shows that these edits are no repair.
    bool known_to_fail(const EditSet& set) {
        for (const Counterexample& known : examples_)
            if (std::includes(set.begin(), set.end(), known.of->set.begin(), known.of->set.end()) &&
                trials_.survived_by(known, set, model_))
                return true;
        return false;
    }

    void attempt(const EditSet& set) {
        options_.budget.check();
        if (options_.most_effort > 0 && r_.effort + trials_.effort() >= options_.most_effort) throw EnoughTried();
        if (!structural(set).empty() && known_to_fail(set)) return;
        Trial trial = trials_.ask(set, model_);
        switch (trial.result) {
            case Ending::repaired:
                note(set);
                break;
            case Ending::refuted:
                learn(set, *trial.counterexample);
                break;
            case Ending::unknown:
                r_.status = Repairs::Status::partial;
                break;
            case Ending::illegal:
            case Ending::vacuous:
                if (set.size() == 1) useless_[set.front()] = true;
                break;
        }
    }

    void learn(const EditSet& set, const Counterexample& counterexample) {
        const EditSet ground = structural(set);
        if (ground.empty() && examples_.size() < most_examples) examples_.push_back(counterexample);
        if (ground.size() == set.size() && !ground.empty()) return;  // it matters for larger sets only, which may never be tried
        grounds_[ground].survived.push_back(trials_.grown(counterexample, model_));
    }

    const Test& test_;
    const Model& model_;
    const Model& weakest_;
    Solver& solver_;
    const RepairOptions& options_;
    Repairs& r_;
    Trials trials_;
    const size_t structural_ =
        static_cast<size_t>(std::count_if(r_.edits.begin(), r_.edits.end(), [](const Edit& edit) { return !edit.only_orders; }));
    std::map<EditSet, Ground> grounds_;           // by its structural edits
    std::vector<Counterexample> examples_;        // the first ones without structural edits
    std::optional<std::set<std::string>> flags_;  // that the test as it is raises, once asked for
    std::map<size_t, bool> useless_;              // no text comes of it, or nothing good
};

}  // namespace

Repairs repair(const Test& test, ModelFamily& family, const std::vector<std::string>& readings, Solver& solver,
               const RepairOptions& options) {
    Repairs result;
    if (const size_t count = parse_tests(test.source).size(); count != 1)
        throw Failure(test.source, {}, "the file is a table of " + std::to_string(count) + " tests, which no patch repairs",
                      "repair one of them: `litmus fmt --to native` prints each");
    require_own_text(test);
    const Model& model = family.under(readings);
    const BySight<Truth> truths = seen(test, model, solver, options);
    for (const Sight s : all_sights)
        if (truths[s] == Truth::unknown) result.status = Repairs::Status::partial;
    if (result.status == Repairs::Status::partial) return result;
    result.goal = goal_of(test, truths, options.strict);
    if (!result.goal) {
        result.status = Repairs::Status::nothing_to_repair;
        return result;
    }
    const Catalogue catalogue(test);
    EditList list = edits_of(test, catalogue);
    result.edits = std::move(list.edits);
    const Model& weakest = family.under(readings_of(family.by_default(), Reading::Base::weakest));
    Search(test, model, weakest, solver, options, result).run();
    if (list.left_out && (options.all || result.repairs.empty() || *list.left_out <= result.repairs.front().price))
        result.status = Repairs::Status::partial;
    const auto robust = [](const Repair& repair) { return repair.under_weakest.value_or(false); };
    if (!result.repairs.empty() && std::none_of(result.repairs.begin(), result.repairs.end(), robust)) {
        Repairs under_weakest;
        under_weakest.edits = result.edits;
        under_weakest.goal = result.goal;
        under_weakest.effort = result.effort;  // one bound for both
        Search(test, weakest, weakest, solver, options, under_weakest).run();
        result.robust = std::move(under_weakest.repairs);
        result.effort = under_weakest.effort;
        result.asked += under_weakest.asked;
        result.carried += under_weakest.carried;
        if (under_weakest.status == Repairs::Status::partial) result.status = Repairs::Status::partial;
    }
    return result;
}

}  // namespace litmus
