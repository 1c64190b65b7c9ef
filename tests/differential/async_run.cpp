// The asynchronous run. For each program, under weakest, default and strongest:
//
//   - outcomes, claim and races of the solver are those of brute force;
//   - so are undefined behaviour and blocked threads, over the program built with blocked threads;
//   - a program is printed and read back.
//
// By brute force, outcomes shrink along the chain weakest, default, strongest, with each single reading that is switched
// on from weakest, and grow with each that is on in weakest and switched off. Where a single reading decides something,
// the solver is asked under it, too.
//
// The three are asked as they are. Of the others most are the same as weakest for a program that lacks what they are about: models are
// folded to what the program can do (solve/specialise.h), and those that leave one graph are asked once. So are wrong models.
//
// With --mutate wrong models (async_mutations.h) are tried until a program tells them from the right ones: both engines
// have to see the difference, brute force by its own answers, the solver by an answer that is not the right one.
#include "async_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "async_mutations.h"
#include "brute_force.h"
#include "cat/fold.h"
#include "cat/readings.h"
#include "compare.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "random_async.h"
#include "random_program.h"
#include "solve/specialise.h"

namespace litmus {
namespace {

constexpr size_t most_executions = 60000;  // of a program, by brute force
const char* const bases[] = {"weakest", "default", "strongest"};
using By = Mutation::By;
constexpr size_t weakest = 0, strongest = 2;

// Both engines' view of one base: what solve() asks, and what hazards() asks.
struct Base {
    Model outcomes, hazards;
};

Model outcome_part(const Model& model) {
    return restricted(model, [](const Constraint& c) { return !is_hazard(c); });
}
// A reading, from weakest with it to weakest without.
struct Switch {
    std::string name;
    std::string readings;  // the specification of `other`
    bool backed = false;   // on in weakest
    Model other;           // weakest with it switched the other way
    size_t about = 0;      // programs in which the two are not the same model
    size_t decides = 0;    // programs in which they have other outcomes
    size_t decides_races = 0;
};

struct Tried {
    size_t programs = 0;
    size_t told_after = 0;  // 0: not yet
    uint64_t told_by = 0;   // which program of the run
};

struct Found {
    uint64_t index = 0;
    std::string text;
};

struct Counts {
    size_t programs = 0, skipped = 0, skipped_hazards = 0, no_outcome = 0, racy = 0, undefined = 0, blocked = 0, forbidding = 0;
    size_t executions = 0, outcomes = 0;
    size_t differ = 0;  // programs in which weakest and strongest have different outcomes
    std::map<std::string, size_t> constructs, flags;
};

std::set<std::string> constructs_of(const Test& test) {
    std::set<std::string> found;
    for (const Thread& thread : test.threads) {
        for (const Instruction& i : thread.body) {
            std::string text = print(i);
            text = text.substr(0, text.find(' ') == std::string::npos ? text.size() : text.find(' '));
            if (i.await) text = "await " + i.mnemonic;
            found.insert(text);
        }
    }
    for (const Location& l : test.locations)
        if (l.is_mbarrier && !l.arrivals) found.insert("an object that the test initialises");
    const Placement &a = test.threads.front().at, &b = test.threads.back().at;
    found.insert(a.cluster != b.cluster ? "across clusters" : a.cta != b.cta ? "across CTAs" : "one CTA");
    return found;
}

std::string names(const std::set<std::string>& set) {
    std::string result;
    for (const std::string& s : set) result += (result.empty() ? "" : " ") + s;
    return result.empty() ? "none" : result;
}

struct HazardAnswer {
    bool blocked = false;
    std::set<std::string> undefined;
    std::set<std::string> races;  // by their places
    friend bool operator==(const HazardAnswer&, const HazardAnswer&) = default;
};

HazardAnswer solver_hazards(Solver& solver, Program& program, const Model& model) {
    const Hazards h = solver.hazards(program, model);
    if (h.undefined == Truth::unknown || h.blocked == Truth::unknown) throw std::logic_error("the solver leaves hazards open");
    HazardAnswer result;
    result.blocked = h.blocked == Truth::yes;
    result.races = race_places(races_of(h), program);
    bool some_blocked = false;
    for (const Hazard& one : h.found) {
        if (one.kind == Hazard::Kind::undefined) result.undefined.insert(one.flag);
        some_blocked = some_blocked || one.kind == Hazard::Kind::blocked;
    }
    if (result.undefined.empty() != (h.undefined == Truth::no) || some_blocked != result.blocked)
        throw std::logic_error("the solver's hazards contradict what it found");
    return result;
}

HazardAnswer exhaustive_hazards(const Exhaustive& e, const Program& program) {
    return {e.blocked, e.undefined, race_places(e.races, program)};
}

std::string describe(const HazardAnswer& h) {
    return names(h.undefined) + (h.blocked ? ", blocked" : "") + ", races " + names(h.races);
}

BruteForceOptions exhaustively() {
    BruteForceOptions options;
    options.chains = true;
    options.unconstrained = false;
    options.most_executions = most_executions;
    return options;
}

// Models as a program sees them: those that leave one graph stand once.
struct Distinct {
    std::vector<Model> models;
    std::vector<size_t> which;  // of these, by the place among those that were asked for
};

Distinct distinct(const Program& program, const std::vector<const Model*>& models) {
    const std::set<std::string> words = vocabulary(program);
    Distinct result;
    std::map<std::string, size_t> known;
    for (const Model* model : models) {
        Model special = specialised(words, *model);
        const auto [at, fresh] = known.try_emplace(graph_text(special), result.models.size());
        if (fresh) result.models.push_back(std::move(special));
        result.which.push_back(at->second);
    }
    return result;
}

Program build(const Test& test, bool blocked) {
    BuildOptions options;
    options.blocked = blocked;
    return build_program(test, options);
}

// Of the program of that number.
const std::string& kind_of(const AsyncRunOptions& options, uint64_t index) {
    return options.kinds.empty() ? any_async_kind(program_seed(options.seed, index)) : options.kinds[index % options.kinds.size()];
}
std::string text_of(const AsyncRunOptions& options, uint64_t index) {
    return random_async(program_seed(options.seed, index), kind_of(options, index));
}

class Run {
public:
    explicit Run(const AsyncRunOptions& options) : options_(options), family_("ptx", {}) {
        const Model& plain = family_.by_default();
        for (const char* base : bases) {
            const Model& model = family_.under(resolve_readings(plain, base));
            bases_.push_back({outcome_part(model), model});
            if (!generates_coherence(model)) throw std::logic_error("ptx.cat asks of co what brute force cannot generate from");
        }
        for (const Reading& reading : plain.readings) {
            const bool backed = reading.base == Reading::Base::weakest;
            const std::string spec = std::string("weakest,") + (backed ? "-" : "") + reading.name;
            switches_.push_back({reading.name, spec, backed, outcome_part(family_.under(resolve_readings(plain, spec))), 0, 0});
        }
        if (!options_.mutate) return;
        mutations_ = mutations();
        tried_.resize(mutations_.size());
    }

    int operator()() {
        std::cout << "seed " << options_.seed << "\n";
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::thread> workers;
        for (unsigned j = 0; j < options_.jobs; ++j) workers.emplace_back([this] { work(); });
        for (std::thread& worker : workers) worker.join();
        report(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (found_) return explain();
        return as_expected() ? 0 : 1;
    }

private:
    const std::string& kind(uint64_t index) const { return kind_of(options_, index); }
    std::string text(uint64_t index) const { return text_of(options_, index); }
    static Test parsed(const std::string& text) { return parse_tests(make_source("async.litmus", text)).at(0); }

    // Every other program is solved by counting (solve/chains.h), the others by trying orders, by the second solver where it
    // is there.
    void work() {
        Solver counting(Solver::always), trying(Solver::never, faster);
        for (;;) {
            const uint64_t index = next_++;
            if (index >= options_.programs || stop_) return;
            if (!options_.turn.has(index)) continue;
            try {
                if (const auto difference = one(index % 2 == 0 ? counting : trying, index)) mismatched({index, *difference});
            } catch (const std::exception& e) {
                mismatched({index, std::string("  ") + e.what() + "\n"});
            }
        }
    }

    void mismatched(Found found) {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        if (!found_ || found.index < found_->index) found_ = std::move(found);
    }

    // Where the engines differ on a test, under any base.
    struct Comparison {
        std::optional<std::string> difference;
        std::vector<bool> about;  // by switch: it makes another model of what the program has
        Candidates outcomes, hazards;
    };

    Comparison compare(Solver& solver, Program& program, Program& blocked) const {
        Comparison result;
        std::vector<const Model*> models, switched{&bases_[weakest].outcomes};
        for (const Base& b : bases_) models.push_back(&b.outcomes);
        for (const Switch& s : switches_) switched.push_back(&s.other);
        const Distinct others = distinct(program, switched);  // the first one is weakest
        for (size_t k = 1; k < others.models.size(); ++k) models.push_back(&others.models[k]);
        result.outcomes = brute_force(program, models, exhaustively());
        std::vector<Exhaustive>& found = result.outcomes.by_model;
        const std::vector<Exhaustive> asked = found;
        found.resize(bases_.size());
        for (size_t r = 0; r < switches_.size(); ++r) {
            const size_t k = others.which[1 + r];
            result.about.push_back(k != 0);
            found.push_back(k == 0 ? asked[weakest] : asked[bases_.size() + k - 1]);
        }
        std::ostringstream out;
        for (size_t b = 0; b < bases_.size() && !result.outcomes.gave_up; ++b) {
            const auto differs = difference(solver_answer(solver, program, bases_[b].outcomes), result.outcomes.by_model[b], program);
            if (differs) out << "  under " << bases[b] << ":\n" << *differs;
        }
        models.clear();
        for (const Base& b : bases_) models.push_back(&b.hazards);
        result.hazards = brute_force(blocked, models, exhaustively());
        for (size_t b = 0; b < bases_.size() && !result.hazards.gave_up; ++b) {
            const HazardAnswer solved = solver_hazards(solver, blocked, bases_[b].hazards);
            const HazardAnswer expected = exhaustive_hazards(result.hazards.by_model[b], blocked);
            if (solved == expected) continue;
            out << "  under " << bases[b] << ": hazards: solver " << describe(solved) << "; brute force " << describe(expected) << "\n";
        }
        const std::string text = out.str();
        if (!text.empty()) result.difference = text;
        return result;
    }

    std::optional<std::string> one(Solver& solver, uint64_t index) {
        const Test test = parsed(text(index));
        if (parsed(print(test)) != test) return "  printing and reading back changes it\n";
        Program program = build(test, false), blocked = build(test, true);
        const Comparison both = compare(solver, program, blocked);
        if (both.difference) return both.difference;
        if (!both.outcomes.gave_up)
            if (const auto wrong = readings(solver, program, both)) return wrong;
        if (options_.mutate)
            for (const By by : {By::outcomes, By::races, By::hazards, By::blocked})
                mutate(solver, by == By::outcomes || by == By::races ? program : blocked, both, index, by);
        count(test, both);
        return std::nullopt;
    }

    // ---- readings --------------------------------------------------------------------------------

    std::optional<std::string> readings(Solver& solver, Program& program, const Comparison& both) {
        const Candidates& all = both.outcomes;
        const auto within = [](const OutcomeSet& a, const OutcomeSet& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); };
        for (size_t b = 0; b + 1 < bases_.size(); ++b)
            if (!within(all.by_model[b + 1].outcomes, all.by_model[b].outcomes))
                return std::string("  ") + bases[b + 1] + " has outcomes that " + bases[b] + " has not\n";
        const Exhaustive& base = all.by_model[weakest];
        for (size_t r = 0; r < switches_.size(); ++r) {
            const Exhaustive& other = all.by_model[bases_.size() + r];
            if (!(switches_[r].backed ? within(base.outcomes, other.outcomes) : within(other.outcomes, base.outcomes)))
                return "  switching on " + switches_[r].name + " adds an outcome\n";
            const bool decides = other.outcomes != base.outcomes, decides_races = other.races != base.races;
            if (decides || decides_races) {
                const auto differs = difference(solver_answer(solver, program, switches_[r].other), other, program);
                if (differs) return "  under weakest with " + switches_[r].name + " switched:\n" + *differs;
            }
            const std::lock_guard lock(mutex_);
            switches_[r].about += both.about[r] ? 1 : 0;
            switches_[r].decides += decides ? 1 : 0;
            switches_[r].decides_races += decides_races ? 1 : 0;
        }
        return std::nullopt;
    }

    // ---- mutations -------------------------------------------------------------------------------

    // The mutations still to be told that programs of this kind tell; while they are many, each is tried on every third program.
    std::vector<size_t> untold(uint64_t index, By by) {
        const std::lock_guard lock(mutex_);
        std::vector<size_t> left, result;
        for (size_t k = 0; k < mutations_.size(); ++k)
            if (mutations_[k].kind == kind(index) && tried_[k].told_after == 0) left.push_back(k);
        for (const size_t k : left)
            if (mutations_[k].told_by == by && (left.size() < 30 || (k + index) % 3 == 0)) result.push_back(k);
        return result;
    }

    // The right model, and what it answers: it is weakest, or that with a reading switched.
    struct Right {
        const Model* model;
        const Exhaustive* answer;
    };
    Right right_of(const Mutation& m, const Comparison& known) const {
        if (!m.by_outcomes()) return {&bases_[weakest].hazards, &known.hazards.by_model[weakest]};
        for (size_t r = 0; r < switches_.size(); ++r)
            if (m.readings == switches_[r].readings) return {&switches_[r].other, &known.outcomes.by_model[bases_.size() + r]};
        return {&bases_[weakest].outcomes, &known.outcomes.by_model[weakest]};
    }

    // Where brute force sees that a model is wrong, the solver has to see it too.
    void mutate(Solver& solver, Program& program, const Comparison& known, uint64_t index, By by) {
        const std::vector<size_t> tried = untold(index, by);
        if (tried.empty() || known.outcomes.gave_up || known.hazards.gave_up) return;
        std::vector<const Model*> models;
        for (const size_t k : tried) {
            models.push_back(right_of(mutations_[k], known).model);
            models.push_back(&mutations_[k].wrong);
        }
        const Distinct seen = distinct(program, models);
        models.clear();
        std::vector<std::optional<size_t>> answers(seen.models.size());  // by the place in `seen`, that in the answers; none: not asked
        for (size_t i = 0; i < tried.size(); ++i) {
            const size_t wrong = seen.which[2 * i + 1];
            if (wrong == seen.which[2 * i] || answers[wrong]) continue;
            answers[wrong] = models.size();
            models.push_back(&seen.models[wrong]);
        }
        BruteForceOptions options = exhaustively();
        options.chains = by == By::outcomes || by == By::races;
        const Candidates all = brute_force(program, models, options);
        if (all.gave_up) return;
        for (size_t i = 0; i < tried.size(); ++i) {
            const Mutation& m = mutations_[tried[i]];
            const Exhaustive& right = *right_of(m, known).answer;
            const std::optional<size_t> answer = seen.which[2 * i] == seen.which[2 * i + 1] ? std::nullopt : answers[seen.which[2 * i + 1]];
            const bool told = answer && differ(right, all.by_model[*answer], program, by) && tells(solver, program, m, right);
            const std::lock_guard lock(mutex_);
            Tried& t = tried_[tried[i]];
            if (t.told_after != 0) continue;
            ++t.programs;
            if (!told) continue;
            t.told_after = t.programs;
            t.told_by = index;
            std::cout << "told by program " << index << " (" << m.kind << "): " << m.name << "\n" << std::flush;
        }
    }

    static bool differ(const Exhaustive& right, const Exhaustive& wrong, const Program& program, By by) {
        const auto races = [&](const Exhaustive& e) { return race_places(e.races, program); };
        if (by == By::outcomes) return right.outcomes != wrong.outcomes;
        if (by == By::races) return right.outcomes != wrong.outcomes || races(right) != races(wrong);
        if (by == By::blocked) return right.blocked != wrong.blocked;
        return exhaustive_hazards(right, program) != exhaustive_hazards(wrong, program);
    }

    static bool tells(Solver& solver, Program& program, const Mutation& m, const Exhaustive& right) {
        try {
            if (m.by_outcomes()) return differ(right, solver_answer(solver, program, m.wrong), program, m.told_by);
            const HazardAnswer solved = solver_hazards(solver, program, m.wrong);
            return m.told_by == By::blocked ? solved.blocked != right.blocked : solved != exhaustive_hazards(right, program);
        } catch (const std::logic_error&) {
            return true;  // the concrete engine rejects what the solver proposes
        }
    }

    // ---- counting and reporting --------------------------------------------------------------------

    void count(const Test& test, const Comparison& both) {
        const std::lock_guard lock(mutex_);
        ++counts_.programs;
        counts_.skipped += both.outcomes.gave_up ? 1 : 0;
        counts_.skipped_hazards += both.hazards.gave_up ? 1 : 0;
        counts_.executions += both.outcomes.executions + both.hazards.executions;
        for (const std::string& what : constructs_of(test)) ++counts_.constructs[what];
        if (!both.outcomes.gave_up) {
            const Exhaustive& e = both.outcomes.by_model[weakest];
            counts_.outcomes += e.outcomes.size();
            counts_.no_outcome += e.nonempty ? 0 : 1;
            counts_.racy += e.races.empty() ? 0 : 1;
            counts_.differ += e.outcomes != both.outcomes.by_model[strongest].outcomes ? 1 : 0;
        }
        if (!both.hazards.gave_up) {
            const Exhaustive& e = both.hazards.by_model[weakest];
            counts_.undefined += e.undefined.empty() ? 0 : 1;
            counts_.blocked += e.blocked ? 1 : 0;
            for (const std::string& flag : e.undefined) ++counts_.flags[flag];
        }
    }

    void report(double seconds) const {
        const Counts& c = counts_;
        std::cout << c.programs << " asynchronous programs in " << static_cast<int>(seconds) << " s: " << c.executions << " executions, "
                  << c.outcomes << " outcomes under weakest\n"
                  << "  too large to enumerate: " << c.skipped << " for outcomes, " << c.skipped_hazards << " for hazards\n"
                  << "  without outcome " << c.no_outcome << ", racy " << c.racy << ", undefined " << c.undefined << ", may deadlock "
                  << c.blocked << ", outcomes that depend on disputed readings " << c.differ << "\n";
        for (const auto& [flag, n] : c.flags) std::cout << "  " << flag << " " << n << "\n";
        for (const Switch& s : switches_)
            std::cout << "reading " << s.name << " decides outcomes in " << s.decides << " programs, races in " << s.decides_races << "\n";
        for (size_t k = 0; k < mutations_.size(); ++k) {
            const Tried& t = tried_[k];
            if (!asks_for(mutations_[k])) continue;
            std::cout << (t.told_after ? "told by program " + std::to_string(t.told_by) + ", after " + std::to_string(t.told_after)
                                       : "not told by " + std::to_string(t.programs))
                      << " of kind " << mutations_[k].kind << ": " << mutations_[k].name << "\n";
        }
        std::cout << "programs with:";
        for (const auto& [what, n] : c.constructs) std::cout << "  " << what << " " << n;
        std::cout << "\n";
    }

    int explain() {
        std::cout << "MISMATCH at asynchronous program " << found_->index << " of seed " << options_.seed << ":\n"
                  << found_->text << text(found_->index);
        Solver solver;
        const auto difference_on = [&](const Test& test) -> std::optional<std::string> {
            Program program = build(test, false), blocked = build(test, true);
            try {
                return compare(solver, program, blocked).difference;
            } catch (const std::logic_error& e) {
                return "  " + std::string(e.what()) + "\n";
            }
        };
        try {
            const Test small = shrink(parsed(text(found_->index)), [&](const Test& test) { return difference_on(test).has_value(); });
            std::cout << "shrunk:\n" << difference_on(small).value_or("  it no longer differs\n") << print(small);
        } catch (const std::exception& e) {
            std::cout << "shrinking failed: " << e.what() << "\n";
        }
        return 1;
    }

    // Redundant for outcomes, by the arguments at the head of differential_main.cpp: they hold with asynchronous events too,
    // which are ordered with those of their own operation by `within`, as program order would.
    // fence-sc: see the head of differential_main.cpp. mbarrier
    // objects are generic and have one address, so program order of their updates is in co by `coherence` and of their
    // reads by `causality`. "around by any read": the first read of a copy in flight orders nothing, so that it could as well
    // have read an older value, and that execution is undefined.
    static bool is_redundant(const std::string& mutation) {
        return mutation == "without fence-sc" || mutation == "mbarrier-coherence without po" || mutation == "around by any read";
    }
    // Needs a shape that is not drawn; a test of the library tells it (tests/async).
    static bool is_told_by_the_library(const std::string& mutation) {
        return mutation == "without sc-per-location" || mutation == "arrivals need no wait before" ||
               mutation == "fence pairs: no mbarriers between" || mutation == "among-async: not by fence-cta" ||
               mutation == "among-async: not by fence-path";
    }

    // Whether the run has programs of the kind that tells it.
    bool asks_for(const Mutation& m) const {
        return options_.kinds.empty() || std::find(options_.kinds.begin(), options_.kinds.end(), m.kind) != options_.kinds.end();
    }

    bool as_expected() const {
        bool result = counts_.skipped * 50 <= counts_.programs && counts_.skipped_hazards * 50 <= counts_.programs;
        if (!result) std::cout << "TOO MANY programs could not be enumerated\n";
        for (const Switch& s : switches_) {
            if (!options_.complete || s.decides != 0) continue;
            if (s.about == 0) {  // it is about a shape that is not drawn here
                std::cout << "not asked: no program is about reading " << s.name << "\n";
                continue;
            }
            std::cout << "NEVER DECIDES: reading " << s.name << "\n";
            result = false;
        }
        for (size_t k = 0; k < mutations_.size(); ++k) {
            if (is_told_by_the_library(mutations_[k].name) || !asks_for(mutations_[k])) continue;
            const bool told = tried_[k].told_after != 0, redundant = is_redundant(mutations_[k].name);
            if (told != redundant || (!told && !redundant && !options_.all_told)) continue;
            std::cout << (told ? "TOLD, though argued redundant: " : "NEVER TOLD: ") << mutations_[k].name << "\n";
            result = false;
        }
        return result;
    }

    const AsyncRunOptions& options_;
    ModelFamily family_;
    std::vector<Base> bases_;
    std::vector<Switch> switches_;
    std::vector<Mutation> mutations_;
    std::vector<Tried> tried_;
    std::atomic<uint64_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    Counts counts_;
    std::optional<Found> found_;
};

}  // namespace

int run_async(const AsyncRunOptions& options) {
    if (options.show) {
        std::cout << text_of(options, *options.show);
        return 0;
    }
    try {
        Run run(options);
        return run();
    } catch (const std::logic_error& e) {  // the list of mutations and ptx.cat have come apart
        std::cerr << e.what() << "\n";
        return 1;
    }
}

}  // namespace litmus
