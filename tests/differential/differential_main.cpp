// The differential test: on random programs the solver's outcomes are the brute-force outcomes.
//
//     test_differential [--programs N] [--seed S] [--model M]... [--without AXIOM] [--mutate] [--show I] [-j N]
//     test_differential --model M --reference R [--without AXIOM] [--programs N] [--seed S] [-j N]
//     test_differential --beside N [--model M]... [--seed S] [-j N]
//     test_differential --alike N [--model M]... [--seed S] [-j N]
//     test_differential --async N [--kind K]... [--seed S] [--mutate] [--turn] [--show I] [-j N]
//
// Prints the seed and what the run exercised. On a mismatch it prints the program, shrunk, and both
// sides, and ends with status 1. With --mutate each constraint of each model is removed from the
// solver's side until some program tells; one that no program tells is listed and fails the run, unless
// an argument below shows that it decides no outcome (then a program that tells fails the run).
// Each program is also printed and read back.
// --without, without --reference, removes the constraint of that name from the brute-force side: the run has to fail.
// --reference: what the solver finds under M is what the enumerator finds under R, so that a model is compared with a text of it that
// others wrote (a published cat file). Left out are programs of which such texts say something else, by argument:
//   * fences that only acquire or release are younger than they;
//   * of two fence.sc whose scopes do not include each other's thread they ask that causality be Fence-SC order, which it never is:
//     the ISA (8.10.2) asks it of morally strong ones alone;
//   * a barrier that waits for a thread to exit makes no value wait there, so that a read may see what comes after its own exit.
// A text that lacks an axiom which the ISA has, as that of 7.5 lacks SC per location, is compared --without it: M is then asked without it.
// --beside puts two small programs side by side in one test, which share nothing (side_by_side.h).
// --alike lets two to four threads do the same, or nearly (alike.h). A third of the programs are asynchronous. Half are asked of models
// that lack a constraint or two. The run fails where the solver looked at one order in less than a third of the programs.
// --async runs programs with asynchronous operations instead (async_run.cpp); of 10,000 or more it asks that every reading
// decides some outcome and every mutation is told. With --kind, programs of these kinds alone (random_async.h), and all mutations have to
// be told that programs of such a kind are to tell. With --turn it asks a third of these programs, another one each day (tests/turn.h).
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "alike.h"
#include "analysis/verdict/support.h"
#include "async_run.h"
#include "compare.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "random_async.h"
#include "random_program.h"
#include "side_by_side.h"
#include "solve/bounds.h"

using namespace litmus;

namespace {

constexpr size_t most_alike = 4'000;  // executions of a program whose threads are alike
constexpr size_t most_beside = 600;   // outcomes of two programs side by side, which are enumerated singly, too

struct Options {
    size_t programs = 1000;
    uint64_t seed = 20;
    std::vector<std::string> models;
    std::string without, reference;
    bool mutate = false, turn = false, beside = false, alike = false;
    std::optional<size_t> async;  // so many asynchronous programs instead
    std::vector<std::string> kinds;
    std::optional<uint64_t> show;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

[[noreturn]] void usage(const std::string& problem) {
    std::cerr << problem
              << "\nusage: test_differential [--programs N] [--seed S] [--model M]... [--without AXIOM] [--mutate] [--show I] [-j N]\n"
                 "       test_differential --model M --reference R [--without AXIOM] [--programs N] [--seed S] [-j N]\n"
                 "       test_differential --beside N [--model M]... [--seed S] [-j N]\n"
                 "       test_differential --alike N [--model M]... [--seed S] [-j N]\n"
                 "       test_differential --async N [--kind K]... [--seed S] [--mutate] [--turn] [--show I] [-j N]\n";
    std::exit(2);
}

const std::string& known_kind(const std::string& kind) {
    const std::vector<std::string>& known = async_kinds();
    if (std::find(known.begin(), known.end(), kind) == known.end()) usage("no kind of this name: " + kind);
    return kind;
}

Options parse(int argc, char** argv) {
    Options options;
    const std::vector<std::string> args(argv + 1, argv + argc);
    for (size_t i = 0; i < args.size(); ++i) {
        const auto value = [&]() -> const std::string& {
            return i + 1 < args.size() ? args[++i] : (usage(args[i] + " needs a value"), args[i]);
        };
        const auto number = [&]() -> uint64_t {
            const std::string& text = value();
            char* end = nullptr;
            const uint64_t n = std::strtoull(text.c_str(), &end, 0);
            if (text.empty() || *end != '\0') usage("not a number: " + text);
            return n;
        };
        if (args[i] == "--programs")
            options.programs = number();
        else if (args[i] == "--beside")
            options.beside = true, options.programs = number();
        else if (args[i] == "--alike")
            options.alike = true, options.programs = number();
        else if (args[i] == "--seed")
            options.seed = number();
        else if (args[i] == "--model")
            options.models.push_back(value());
        else if (args[i] == "--without")
            options.without = value();
        else if (args[i] == "--reference")
            options.reference = value();
        else if (args[i] == "--mutate")
            options.mutate = true;
        else if (args[i] == "--turn")
            options.turn = true;
        else if (args[i] == "--async")
            options.async = number();
        else if (args[i] == "--kind")
            options.kinds.push_back(known_kind(value()));
        else if (args[i] == "--show")
            options.show = number();
        else if (args[i] == "-j")
            options.jobs = std::max(1U, static_cast<unsigned>(number()));
        else
            usage("unknown argument " + args[i]);
    }
    if (!options.reference.empty() && (options.models.size() != 1 || options.mutate))
        usage("--reference goes with one --model, and without --mutate");
    if (options.models.empty()) options.models = {"ptx", "ptx-6.0", "sc", "tso"};
    return options;
}

// ---- constraints that decide no outcome ------------------------------------------------------------

// A constraint of a model that follows, as far as outcomes go, from the others.
struct Redundant {
    const char* model;
    const char* constraint;
    const char* why;
};

// fence-sc. Take an execution in which all but fence-sc holds. Program order and pattern and barrier
// synchronization, without sc, are acyclic together: a circle through a pattern would make a write cause
// itself (coherence) or a read cause the write it reads (causality), one of barriers alone contradicts
// no-thin-air. Order the events by a linear extension of them within each strongly connected component of
// program order and cause-base, and orient sc anew by that order where both fences lie in one component.
// A pair that turns was sc one way, and the component has a path the other way; together with the old
// sc edge that path passes a synchronization, so the new pair was in cause-base already. Hence
// cause-base only shrinks, every axiom that held holds still (cause occurs positively), and fence-sc
// holds too, by the linear order. Reads, values and co are as before, so the outcome has a witness.
const Redundant redundant[] = {
    {"ptx", "fence-sc", "sc can be oriented anew along cause-base"},
    {"ptx-6.0", "fence-sc", "sc can be oriented anew along cause-base"},
};

// sc-per-location of ptx. Program order at one address is in cause here, so that where coherence is total the other axioms leave it no
// circle. It is total among morally strong writes alone: writes of three scopes, as hardly a random program has them, can step back
// (litmus/classic/coherence/reads-step-back-across-scopes). tests/async holds that the library tells.
bool is_told_by_the_library(const std::string& model, const std::string& constraint) {
    return model == "ptx" && (constraint == "sc-per-location" || constraint == "multimem-at-once");
}

// What only programs with mbarrier objects, tensor memory or accesses of 128 bits tell: the asynchronous run does.
bool is_told_by_the_asynchronous_run(const std::string& constraint) {
    return constraint.rfind("mbarrier-", 0) == 0 || constraint == "columns-in-turn" || constraint == "single-copy-atomicity";
}

bool is_redundant(const std::string& model, const std::string& constraint) {
    return std::any_of(std::begin(redundant), std::end(redundant),
                       [&](const Redundant& r) { return r.model == model && r.constraint == constraint; });
}

// ---- what a run exercised ------------------------------------------------------------------------

struct ModelCount {
    size_t programs = 0;
    size_t forbidding = 0;  // fewer outcomes than without any axiom
    size_t racy = 0;
    std::vector<size_t> deciding;  // by constraint: removing it alone adds outcomes
    std::vector<size_t> caught;    // by constraint: programs until its removal was told; 0: not yet
    std::vector<size_t> tried;     // by constraint: programs on which its removal was tried
};

struct Counts {
    size_t programs = 0;
    size_t external = 0;  // some execution reads across threads
    size_t blocked = 0;   // no execution terminates
    size_t executions = 0;
    size_t outcomes = 0;
    std::map<std::string, size_t> constructs;  // programs that have it
    std::vector<ModelCount> models;
};

std::set<std::string> constructs_of(const Test& test) {
    std::set<std::string> found;
    for (const Thread& thread : test.threads) {
        for (const Instruction& i : thread.body) {
            std::string what = i.mnemonic;
            if (i.op == Op::ld || i.op == Op::st || i.op == Op::fence) what += "." + std::string(name(semantics(i)));
            if (i.op == Op::atom || i.op == Op::red) {
                found.insert(what + "." + std::string(name(semantics(i))));
                what += " " + std::string(name(operation(i)));
            }
            found.insert(what);
            if (scope(i) != Scope::none) found.insert("scope " + std::string(name(scope(i))));
            for (const char* form : {"v2", "volatile", "mmio", "shared::cta"})
                if (i.has(form)) found.insert(form);
            if (i.guard && i.op != Op::bra) found.insert("guard");
            if (i.await) found.insert("await");
            for (const Operand& o : i.operands)
                if (o.kind == Operand::Kind::address && o.indirect) found.insert("address in a register");
        }
    }
    for (const Location& l : test.locations)
        if (!l.alias_of.empty()) found.insert("virtual alias");
    if (test.filter) found.insert("filter");
    const Placement &a = test.threads.front().at, &b = test.threads.back().at;
    found.insert(std::to_string(test.threads.size()) + " threads");
    found.insert(a.gpu != b.gpu ? "across GPUs" : a.cluster != b.cluster ? "across clusters" : a.cta != b.cta ? "across CTAs" : "one CTA");
    return found;
}

std::string percent(size_t part, size_t whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f%%", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

void report(const Counts& counts, const std::vector<Model>& models, double seconds) {
    std::cout << counts.programs << " programs in " << static_cast<int>(seconds) << " s: " << counts.executions << " choices of rf, "
              << counts.outcomes << " outcomes under all models together\n"
              << "  rf across threads " << percent(counts.external, counts.programs) << ", no terminating execution "
              << percent(counts.blocked, counts.programs) << "\n";
    for (size_t m = 0; m < models.size(); ++m) {
        const ModelCount& c = counts.models[m];
        std::cout << models[m].name << ": " << c.programs << " programs, an outcome forbidden in " << percent(c.forbidding, c.programs)
                  << ", racy " << percent(c.racy, c.programs) << (generates_coherence(models[m]) ? "" : ", co by all partial orders")
                  << "\n";
        for (size_t k = 0; k < models[m].constraints.size(); ++k) {
            if (models[m].constraints[k].flag) continue;
            std::cout << "  " << models[m].constraints[k].name << " alone decides " << c.deciding[k] << " programs ("
                      << percent(c.deciding[k], c.programs) << ")";
            if (c.caught[k] != 0)
                std::cout << "; its removal was told after " << c.caught[k] << " programs";
            else if (c.tried[k] != 0)
                std::cout << "; its removal was not told by " << c.tried[k] << " programs";
            std::cout << "\n";
        }
    }
    std::cout << "programs with:";
    for (const auto& [what, n] : counts.constructs) std::cout << "  " << what << " " << n;
    std::cout << "\n";
}

// ---- the run ---------------------------------------------------------------------------------------

struct Mismatch {
    uint64_t index = 0;
    size_t model = 0;
    std::string text;
};

class Run {
public:
    // `reference`: what the brute-force engine asks in place of the one model.
    Run(const Options& options, std::vector<Model> models, std::optional<Model> reference)
        : options_(options), models_(std::move(models)), references_(reference ? std::vector<Model>{*reference} : models_) {
        for (Model& model : reference ? models_ : references_) {
            for (size_t k = model.constraints.size(); k-- > 0;)
                if (model.constraints[k].name == options.without) model = without(model, k);
        }
        counts_.models.resize(models_.size());
        for (size_t m = 0; m < models_.size(); ++m) {
            const size_t n = models_[m].constraints.size();
            counts_.models[m].deciding.resize(n);
            counts_.models[m].caught.resize(n);
            counts_.models[m].tried.resize(n);
        }
    }

    // The exit status.
    int operator()() {
        std::vector<std::thread> workers;
        const auto start = std::chrono::steady_clock::now();
        for (unsigned j = 0; j < options_.jobs; ++j) workers.emplace_back([this] { work(); });
        for (std::thread& worker : workers) worker.join();
        if (!options_.beside && !options_.alike)
            report(counts_, models_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (mismatch_) return explain(*mismatch_);
        if (options_.alike) return enough_alike() ? 0 : 1;
        return options_.mutate && !all_caught() ? 1 : 0;
    }

    Test program(uint64_t index) const {
        RandomOptions options;
        options.aliases = index % 8 == 7;
        return random_program(program_seed(options_.seed, index), options);
    }

private:
    // Every other program is solved by counting (solve/chains.h), the others by trying orders, by the second solver where it
    // is there.
    void work() {
        Solver counting(Solver::always), trying(Solver::never, faster);
        for (;;) {
            const uint64_t index = next_++;
            if (index >= options_.programs || stop_) return;
            try {
                Solver& solver = index % 2 == 0 ? counting : trying;
                if (options_.alike)
                    copies(counting, trying, index);
                else
                    options_.beside ? pair(solver, index) : one(solver, index);
            } catch (const std::exception& e) {
                mismatched({index, 0, "  " + std::string(e.what()) + "\n"});
            }
        }
    }

    void mismatched(Mismatch found) {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        if (!mismatch_ || found.index < mismatch_->index) mismatch_ = std::move(found);
    }

    std::vector<size_t> models_for(const Program& program) const {
        std::vector<size_t> result;
        for (size_t m = 0; m < models_.size(); ++m) {
            try {
                require_support(program, models_[m]);
                result.push_back(m);
            } catch (const Failure&) {  // the model says nothing about barriers, aliases, ...
            }
        }
        return result;
    }

    void pair(Solver& solver, uint64_t index) {
        const auto small = [&](uint64_t i) {
            return random_program(program_seed(options_.seed, i), {.memory_events = 4, .aliases = i % 8 == 7, .threads = 2});
        };
        const Test a = small(2 * index), b = small(2 * index + 1), both = side_by_side(a, b);
        const std::vector<Test> again = parse_tests(make_source("random.litmus", print(both)));
        if (again.size() != 1 || again[0] != both) return mismatched({index, 0, "  printing and reading back changes it\n" + print(both)});
        for (const size_t m : models_for(build_program(both, {})))
            if (const auto found = compare_side_by_side(solver, a, b, models_[m], most_beside))
                return mismatched({index, m, *found + print(both)});
    }

    // What follows from a constraint must not be taken for granted: of every other program the model lacks one, of half of these two.
    static Model lacking(const Model& model, uint64_t index) {
        if (index % 2 == 0) return model;
        const Model one_less = without(model, (index / 2) % model.constraints.size());
        return index % 4 == 1 ? one_less : without(one_less, (index / 4) % one_less.constraints.size());
    }

    // The program of so many memory events before a thread of it is copied, which one, how often and where to: by index.
    void copies(Solver& ordering, Solver& trying, uint64_t index) {
        const bool asynchronous = index % 3 == 2;
        const uint64_t seed = program_seed(options_.seed, index);
        const Test small = asynchronous ? parse_tests(make_source("random.litmus", random_async(seed, any_async_kind(seed)))).at(0)
                                        : random_program(seed, {.memory_events = 3, .aliases = index % 8 == 7, .threads = 2});
        constexpr std::array odd = {Odd::nothing, Odd::nothing, Odd::constant, Odd::location, Odd::place};
        const Test test =
            with_copies(small, index % small.threads.size(), index % 12 == 7 ? 4 : 2 + index % 2, index % 4 < 2, odd[index % 5]);
        std::optional<Program> built;
        try {
            built = build_program(test, {});
        } catch (const Failure&) {
            return;  // a location of another one's place that this cannot reach, or the like
        }
        for (const size_t m : models_for(*built)) {
            const Model model = lacking(models_[m], index);
            const AlikeReport alike =
                asynchronous ? compare_orders(ordering, trying, test, model) : compare_alike(ordering, test, model, most_alike);
            if (alike.difference) return mismatched({index, m, *alike.difference + print(test)});
            const std::lock_guard lock(mutex_);
            compared_ += alike.compared ? 1 : 0;
            ordered_ += alike.ordered ? 1 : 0;
        }
    }

    bool enough_alike() const {
        std::cout << compared_ << " compared, of them " << ordered_ << " in one order of threads that are alike\n";
        return ordered_ > 0 && 3 * ordered_ >= compared_;
    }

    void one(Solver& solver, uint64_t index) {
        const Test test = program(index);
        const std::vector<Test> again = parse_tests(make_source("random.litmus", print(test)));
        if (again.size() != 1 || again[0] != test) return mismatched({index, 0, "  printing and reading back changes it\n"});
        Program events = build_program(test, {});
        if (!options_.reference.empty() && !is_said_there(events)) return;
        const std::vector<size_t> asked = models_for(events);
        std::vector<const Model*> references;
        for (const size_t m : asked) references.push_back(&references_[m]);
        const Candidates all = brute_force(events, references, {Coherence::required, true});
        for (size_t i = 0; i < asked.size(); ++i) {
            std::optional<std::string> found;
            try {
                found = difference(solver_answer(solver, events, models_[asked[i]]), all.by_model[i], events);
            } catch (const std::logic_error& e) {
                found = "  " + std::string(e.what()) + "\n";
            }
            if (found) return mismatched({index, asked[i], *found});
            if (options_.mutate) mutate(solver, events, asked[i], all.by_model[i]);
        }
        count(test, all, asked);
    }

    // Whether published texts say the same of the fences: see --reference.
    static bool is_said_there(const Program& program) {
        const Relation ordered = base_bounds(program, "sc").may;
        const auto is_one_sided = [](const Event& e) { return e.kind == Event::Kind::fence && e.sem != Sem::sc && e.sem != Sem::acq_rel; };
        if (std::any_of(program.events.begin(), program.events.end(), is_one_sided)) return false;
        for (const ConditionalPair& wait : waiting_order(program))
            if (program.events[wait.from].kind == Event::Kind::exit) return false;
        const auto is_fence_sc = [&](size_t e) { return program.events[e].kind == Event::Kind::fence && program.events[e].sem == Sem::sc; };
        for (size_t a = 0; a < program.size(); ++a)
            for (size_t b = 0; b < a; ++b)
                if (is_fence_sc(a) && is_fence_sc(b) && !ordered.contains(a, b) && !ordered.contains(b, a)) return false;
        return true;
    }

    // Tries each constraint whose removal no program has told yet.
    void mutate(Solver& solver, Program& program, size_t m, const Exhaustive& expected) {
        for (size_t k = 0; k < models_[m].constraints.size(); ++k) {
            size_t number = 0;
            {
                const std::lock_guard lock(mutex_);
                ModelCount& c = counts_.models[m];
                const Constraint& constraint = models_[m].constraints[k];
                if (constraint.flag || c.caught[k] != 0 || is_told_by_the_asynchronous_run(constraint.name)) continue;
                number = ++c.tried[k];
            }
            bool told = false;
            try {
                told = solver_answer(solver, program, without(models_[m], k)).outcomes != expected.outcomes;
            } catch (const std::logic_error&) {
                told = true;  // the concrete engine rejects what the solver proposes
            }
            const std::lock_guard lock(mutex_);
            if (told) counts_.models[m].caught[k] = number;
        }
    }

    void count(const Test& test, const Candidates& all, const std::vector<size_t>& asked) {
        const std::lock_guard lock(mutex_);
        ++counts_.programs;
        counts_.external += all.external_read ? 1 : 0;
        counts_.blocked += all.executions == 0 ? 1 : 0;
        counts_.executions += all.executions;
        for (const std::string& what : constructs_of(test)) ++counts_.constructs[what];
        for (size_t i = 0; i < asked.size(); ++i) {
            const Exhaustive& e = all.by_model[i];
            ModelCount& c = counts_.models[asked[i]];
            ++c.programs;
            counts_.outcomes += e.outcomes.size();
            c.forbidding += e.outcomes.size() < all.unconstrained.size() ? 1 : 0;
            c.racy += e.races.empty() ? 0 : 1;
            if (!options_.without.empty() || !options_.reference.empty()) continue;  // constraints are numbered otherwise
            for (size_t k = 0; k < e.without.size(); ++k) c.deciding[k] += e.without[k].size() > e.outcomes.size() ? 1 : 0;
        }
    }

    int explain(const Mismatch& found) {
        if (options_.beside || options_.alike)
            return std::cout << (options_.alike ? "MISMATCH at copies " : "MISMATCH at pair ") << found.index << " of seed "
                             << options_.seed << ":\n"
                             << found.text,
                   1;
        const Model &model = models_[found.model], &reference = references_[found.model];
        std::cout << "MISMATCH at program " << found.index << " of seed " << options_.seed << " under " << model.name << ":\n"
                  << found.text << print(program(found.index));
        Solver solver;
        const auto fails = [&](const Test& test) { return compare_engines(solver, test, model, reference).has_value(); };
        try {
            const Test small = shrink(program(found.index), fails);
            const auto rest = compare_engines(solver, small, model, reference);
            std::cout << "shrunk:\n" << (rest ? *rest : "  it no longer differs\n") << print(small);
        } catch (const std::exception& e) {
            std::cout << "shrinking failed: " << e.what() << "\n";
        }
        return 1;
    }

    bool all_caught() const {
        bool as_expected = true;
        for (size_t m = 0; m < models_.size(); ++m) {
            for (size_t k = 0; k < models_[m].constraints.size(); ++k) {
                const Constraint& constraint = models_[m].constraints[k];
                if (constraint.flag || is_told_by_the_asynchronous_run(constraint.name) ||
                    is_told_by_the_library(models_[m].name, constraint.name))
                    continue;
                const bool told = counts_.models[m].caught[k] != 0 || counts_.models[m].deciding[k] != 0;
                const bool expected = !is_redundant(models_[m].name, constraint.name);
                const char* verdict = told       ? "TOLD, though argued redundant: "
                                      : expected ? "NEVER TOLD: "
                                                 : "redundant for outcomes, as argued: ";
                if (!told || !expected) std::cout << verdict << models_[m].name << " without " << constraint.name << "\n";
                as_expected = as_expected && told == expected;
            }
        }
        return as_expected;
    }

    const Options& options_;
    std::vector<Model> models_;
    std::vector<Model> references_;  // what the brute-force engine asks
    std::atomic<uint64_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    Counts counts_;
    size_t compared_ = 0, ordered_ = 0;  // of --alike
    std::optional<Mismatch> mismatch_;
};

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.async)
        return run_async({*options.async, options.seed, options.kinds, options.mutate, options.show,
                          options.kinds.empty() && *options.async >= 10000, !options.kinds.empty() || *options.async >= 10000, options.jobs,
                          Turn(options.turn ? 3 : 1)});
    std::vector<Model> models;
    std::optional<Model> reference;
    bool found = options.without.empty();
    try {
        if (!options.reference.empty()) reference = load_model(options.reference, {}, Reading::Base::strongest);
        for (const std::string& name : options.models) models.push_back(load_model(name, {}, Reading::Base::strongest));
    } catch (const Failure& failure) {
        usage(failure.what());
    }
    for (const Model& model : models)
        for (const Constraint& c : model.constraints) found = found || c.name == options.without;
    if (!found) usage("no model has a constraint named " + options.without);
    if (reference)  // flags are of our own making: outcomes alone are compared
        std::erase_if(models[0].constraints, [](const Constraint& c) { return c.flag; });
    Run run(options, std::move(models), std::move(reference));
    if (options.show) {
        std::cout << print(run.program(*options.show));
        return 0;
    }
    std::cout << "seed " << options.seed << "\n";
    return run();
}
