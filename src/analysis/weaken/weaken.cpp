// Each way alone, then greedily together: less of a set that shows nothing new shows nothing new either, as far as the set only
// takes order away.
#include "analysis/weaken/weaken.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/verdict.h"
#include "language/syntax/read.h"
#include "ptx/value.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

// What a test shows.
struct Behaviour {
    bool known = false;  // all of it
    std::set<std::vector<uint64_t>> outcomes;
    Truth undefined = Truth::unknown, stuck = Truth::unknown;
    std::map<std::set<Hazard::StaticInstruction>, std::string> races;  // in words, by the two accesses: instructions of the test as it is
    Verdict verdict = Verdict::unknown;
    std::vector<Observable> observables;
    std::set<std::string> flags;  // that are neither a race nor undefined behaviour: an operation in flight at the exit
    std::vector<HazardText> hazards;
};

class Weakener {
public:
    Weakener(const Test& test, ModelFamily& family, const Names& on, Solver& solver, const WeakenOptions& options, Weakening& result)
        : test_(test), family_(family), on_(on), solver_(solver), options_(options), r_(result) {}

    void run() {
        const Behaviour& now = as_it_is(on_);
        if (!now.known) {
            r_.partial = true;
            return;
        }
        r_.verdict = now.verdict;
        try {
            for (Part& part : r_.parts) judge_alone(part);
            put_together();
        } catch (const OverBudget&) {
            r_.partial = true;
        }
    }

private:
    // `origins`: by thread and instruction, which instruction of the test as it is this is.
    Behaviour behaviour(const Test& test, const Model& model, const std::vector<std::vector<int>>& origins) {
        Program program = build_program(test, {.unroll = options_.unroll, .blocked = true, .budget = options_.budget});
        require_support(program, model);
        SolveOptions wanted;
        wanted.all_state = options_.all_state;
        wanted.max_outcomes = options_.max_outcomes;
        const Answer answer = solver_.solve(program, model, wanted);
        Behaviour result;
        result.observables = answer.observables;
        for (const Outcome& outcome : answer.outcomes) result.outcomes.insert(outcome.values);
        result.undefined = answer.hazards->undefined;
        result.stuck = answer.hazards->blocked;
        for (const Hazard& hazard : answer.hazards->found) {
            if (hazard.kind != Hazard::Kind::race) continue;
            std::set<Hazard::StaticInstruction> accesses;
            for (const size_t e : {hazard.pairs.front().first, hazard.pairs.front().second}) {
                const auto [thread, i] = std::pair(program.events[e].thread, program.events[e].instruction);
                accesses.emplace(thread, thread < 0 ? i : origins[static_cast<size_t>(thread)][static_cast<size_t>(i)]);
            }
            result.races.emplace(std::move(accesses), "a race on " + explain(program, hazard).title);
        }
        result.verdict = judge(test, answer).verdict;
        result.known = answer.complete && !answer.bound_hit && result.undefined != Truth::unknown && result.stuck != Truth::unknown &&
                       answer.hazards->races_complete;
        result.flags = other_flags(*answer.hazards);
        result.hazards = explain(program, *answer.hazards);
        return result;
    }

    const Behaviour& as_it_is(const Names& on) {
        const auto known = bases_.find(on);
        if (known != bases_.end()) return known->second;
        return bases_.emplace(on, behaviour(test_, family_.under(on), origins_of(test_, {}, {}, test_))).first->second;
    }

    std::string text_with(const std::vector<const Edit*>& edits) const {
        std::vector<Change> changes;
        for (const Edit* edit : edits) changes.insert(changes.end(), edit->changes.begin(), edit->changes.end());
        return applied(test_.source->text, std::move(changes));
    }

    // What comes up that the test as it is does not show: nothing new, in words what is new, or none where that is not known.
    struct News {
        bool known = false;
        std::string what;
    };
    News news(const std::vector<const Edit*>& edits, const Names& on) {
        Behaviour then;
        try {
            const std::vector<Test> tests = parse_tests(make_source(test_.source->name, text_with(edits)));
            std::vector<Edit> made;
            EditSet all;
            for (const Edit* edit : edits) all.push_back(made.size()), made.push_back(*edit);
            then = behaviour(tests.front(), family_.under(on), origins_of(test_, made, all, tests.front()));
        } catch (const Failure& failure) {
            return {true, "no test: " + failure.diagnostics().front().message};
        }
        const Behaviour& now = as_it_is(on);
        const auto appears = [](Truth before, Truth after) { return before == Truth::no && after == Truth::yes; };
        if (appears(now.stuck, then.stuck)) return {true, words(then, Hazard::Kind::blocked)};
        if (appears(now.undefined, then.undefined)) return {true, words(then, Hazard::Kind::undefined)};
        for (const auto& [accesses, race] : then.races)
            if (now.races.count(accesses) == 0) return {true, race};
        for (const std::string& flag : then.flags)
            if (now.flags.count(flag) == 0) return {true, "the flag " + flag};
        for (const std::vector<uint64_t>& outcome : then.outcomes)
            if (now.outcomes.count(outcome) == 0) return {true, "the outcome " + words(then, outcome)};
        // A test that shows something bad may stop to: what it claims is then no longer so.
        if (then.known && then.verdict != now.verdict) return {true, "the verdict " + std::string(name(then.verdict))};
        return {then.known, {}};
    }

    // The first hazard of a kind.
    static std::string words(const Behaviour& behaviour, Hazard::Kind kind) {
        for (const HazardText& hazard : behaviour.hazards)
            if (hazard.kind == kind) return hazard.title;
        return "a hazard";
    }

    static std::string words(const Behaviour& behaviour, const std::vector<uint64_t>& outcome) {
        std::string text;
        for (size_t i = 0; i < outcome.size(); ++i)
            text +=
                (i == 0 ? "" : " ") + behaviour.observables[i].name + "=" + format_value(outcome[i], behaviour.observables[i].type) + ";";
        return text;
    }

    void judge_alone(Part& part) {
        using Fate = Part::Fate;
        if (!part.asked.empty()) {
            part.fate = Fate::needed;
            part.without = part.asked;
            return;
        }
        bool undecided = false;
        for (size_t w = 0; w < part.ways.size(); ++w) {
            const News found = news({&part.ways[w]}, on_);
            if (!found.what.empty()) {
                part.without = found.what;  // that of the mildest way stays
                continue;
            }
            if (!found.known) {
                undecided = true;
                continue;
            }
            part.way = w;
            part.fate = w == 0 && is_deletion(part.ways[w]) ? Fate::needless : Fate::weaker_will_do;
            part.without.clear();
            part.relies_on = relied_on({&part.ways[w]});
            return;
        }
        part.fate = undecided ? Fate::unknown : Fate::needed;
        r_.partial = r_.partial || undecided;
    }

    static bool is_deletion(const Edit& edit) { return edit.what.rfind("leave it out", 0) == 0; }

    // The readings that are on beside those of the weakest, and without which something new comes up.
    Names relied_on(const std::vector<const Edit*>& edits) {
        const Names weakest = readings_of(family_.by_default(), Reading::Base::weakest);
        Names result;
        for (const std::string& reading : on_) {
            if (std::find(weakest.begin(), weakest.end(), reading) != weakest.end()) continue;
            Names others = on_;
            others.erase(std::find(others.begin(), others.end(), reading));
            if (!as_it_is(others).known) continue;
            const News found = news(edits, others);
            if (!found.what.empty() || !found.known) result.push_back(reading);
        }
        return result;
    }

    using Choices = std::vector<Weakening::Choice>;

    const Edit& edit_of(const Weakening::Choice& choice) const { return r_.parts[choice.part].ways[choice.way]; }

    std::vector<const Edit*> edits_of(const Choices& choices) const {
        std::vector<const Edit*> edits;
        for (const Weakening::Choice& choice : choices) edits.push_back(&edit_of(choice));
        return edits;
    }

    // Whether two change the same text: a barrier is left out everywhere, and weakened in one thread.
    bool overlap(const Choices& choices, const Weakening::Choice& more) const {
        return std::any_of(choices.begin(), choices.end(), [&](const Weakening::Choice& choice) {
            for (const Change& a : edit_of(choice).changes)
                for (const Change& b : edit_of(more).changes)
                    if (a.span.begin < b.span.end && b.span.begin < a.span.end) return true;
            return false;
        });
    }

    // A largest set that begins with this: of each other part the weakest way is added with which nothing new comes up.
    Choices grown(size_t first, const std::vector<size_t>& all) {
        Choices set{{first, *r_.parts[first].way}};
        for (const size_t p : all) {
            if (p == first) continue;
            for (size_t w = *r_.parts[p].way; w < r_.parts[p].ways.size(); ++w) {
                if (overlap(set, {p, w})) continue;
                set.push_back({p, w});
                const News found = news(edits_of(set), on_);
                if (found.known && found.what.empty()) break;
                set.pop_back();
            }
        }
        std::sort(set.begin(), set.end(), [](const Weakening::Choice& a, const Weakening::Choice& b) { return a.part < b.part; });
        return set;
    }

    void put_together() {
        std::vector<size_t> free;  // what can go comes before what can be weaker
        for (const bool needless : {true, false})
            for (size_t p = 0; p < r_.parts.size(); ++p)
                if (r_.parts[p].way && (r_.parts[p].fate == Part::Fate::needless) == needless) free.push_back(p);
        std::set<size_t> covered;
        for (const size_t p : free) {
            if (covered.count(p) > 0) continue;
            const Choices set = grown(p, free);
            for (const Weakening::Choice& choice : set)
                if (choice.way == *r_.parts[choice.part].way) covered.insert(choice.part);
            r_.together.push_back(set);
            r_.texts.push_back(text_with(edits_of(set)));
        }
    }

    const Test& test_;
    ModelFamily& family_;
    const Names& on_;
    Solver& solver_;
    const WeakenOptions& options_;
    Weakening& r_;
    std::map<Names, Behaviour> bases_;
};

}  // namespace

Weakening weaken(const Test& test, ModelFamily& family, const Names& readings, Solver& solver, const WeakenOptions& options) {
    Weakening result;
    if (const size_t count = parse_tests(test.source).size(); count != 1)
        throw Failure(test.source, {}, "the file is a table of " + std::to_string(count) + " tests, which no patch weakens");
    require_own_text(test);
    result.parts = parts_of(test);
    result.not_tried = not_tried(test, result.parts);
    Weakener(test, family, readings, solver, options, result).run();
    return result;
}

}  // namespace litmus
