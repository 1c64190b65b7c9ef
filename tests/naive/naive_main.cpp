// The long run of the naive front end against the whole pipeline.
//
//     naive_differential [--programs N] [--seed S] [-j K] [--shape NAME]... [--mutate] [--keep-going]
//     naive_differential FILE...
//
// Random programs of the shapes of shapes.h, or the tests of the files, under weakest, default and strongest. Prints what the run
// exercised; a mismatch with the program and both answers, and ends with status 1. --keep-going counts on. With --mutate, on the checker's
// side alone, each relation that its front end stores is emptied, each constraint of the model removed, and bulk operations cut to their
// first elements, until some program tells. What none tells is listed; where a run of at least 10,000 programs leaves one that is not
// argued to be so, it ends with status 1.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "cat/readings.h"
#include "compare.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "misreadings.h"
#include "pipeline.h"
#include "ptx/traits.h"
#include "random_program.h"
#include "shapes.h"

using namespace litmus;
using naive::Comparison;

namespace {

struct Options {
    size_t programs = 1000;
    uint64_t seed = 20;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::string> shapes, files;
    bool mutate = false, keep_going = false;
};

[[noreturn]] void usage(const std::string& problem) {
    std::cerr << problem
              << "\nusage: naive_differential [--programs N] [--seed S] [-j K] [--shape NAME]... [--mutate] [--keep-going]\n"
                 "       naive_differential FILE...\n";
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    const std::vector<std::string> args(argv + 1, argv + argc);
    for (size_t i = 0; i < args.size(); ++i) {
        const auto value = [&]() -> const std::string& {
            return i + 1 < args.size() ? args[++i] : (usage(args[i] + " needs a value"), args[i]);
        };
        if (args[i] == "--programs")
            options.programs = std::stoul(value());
        else if (args[i] == "--seed")
            options.seed = std::stoull(value());
        else if (args[i] == "-j")
            options.jobs = static_cast<unsigned>(std::max(1UL, std::stoul(value())));
        else if (args[i] == "--shape")
            options.shapes.push_back(value());
        else if (args[i] == "--mutate")
            options.mutate = true;
        else if (args[i] == "--keep-going")
            options.keep_going = true;
        else if (args[i].rfind("-", 0) == 0)
            usage("unknown argument " + args[i]);
        else
            options.files.push_back(args[i]);
    }
    const std::vector<std::string>& known = naive::shapes();
    for (const std::string& shape : options.shapes)
        if (std::find(known.begin(), known.end(), shape) == known.end()) usage("no shape of this name: " + shape);
    if (options.shapes.empty()) options.shapes = known;
    return options;
}

struct Counts {
    size_t programs = 0, compared = 0, executions = 0, mismatches = 0, cut = 0, blocked = 0, endless = 0, racy = 0;
    std::map<std::string, size_t> skipped, refused, by_shape, flags;
};

// Something to be told: a relation emptied, a constraint removed, an instruction misread, or events left out.
struct Mutation {
    std::string name;
    std::string relation = {};
    naive::Spoil leaves_out = {};
    std::optional<size_t> constraint = {};
    const naive::Misreading* misreading = nullptr;
    size_t tried = 0, told_after = 0;  // programs
    std::string told_by = {};          // shape and number
};

// A run of so many programs is expected to tell every mutation but the exempt.
constexpr size_t enough_to_tell = 10000;

// Removing these changes no outcome, or of hardly a random program: see the head of tests/differential/differential_main.cpp.
bool is_exempt(const std::string& mutation) {
    return mutation == "constraint fence-sc" || mutation == "constraint sc-per-location";
}

void empty_relation(Program& program, const std::string& name) {
    if (const auto stored = program.relations.find(name); stored != program.relations.end()) stored->second = Relation(program.size());
    program.conditional.erase(name);
}

// A bulk operation happens at its first element, and at those that other instructions access.
void leave_first_elements(Program& program) {
    const auto is_bulk = [&](const Event& e) {
        const Op op = program.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)].op;
        return is_copy(op) || kind(op) == Traits::Kind::fill;
    };
    std::set<int> named;
    const auto is_access = [](const Event& e) { return e.cell >= 0 && e.thread >= 0; };
    for (const Event& e : program.events)
        if (is_access(e) && !is_bulk(e)) named.insert(e.cell);
    for (Event& e : program.events)
        if (is_access(e) && is_bulk(e) && e.element > 0 && named.count(e.cell) == 0) e.guard = ExprPool::no;
}

// Of the places where an address may lead, the last one is forgotten.
void forget_a_place(Program& program) {
    std::map<std::tuple<int, int, int, int, Event::Kind>, size_t> last;
    for (size_t e = 0; e < program.events.size(); ++e) {
        const Event& event = program.events[e];
        if (event.cell >= 0 && event.thread >= 0) last[{event.thread, event.instruction, event.iteration, event.element, event.kind}] = e;
    }
    for (const auto& [access, e] : last) {
        const auto leads_elsewhere = [&](const Event& other) {
            return std::tuple(other.thread, other.instruction, other.iteration, other.element, other.kind) == access &&
                   other.cell != program.events[e].cell;
        };
        if (std::none_of(program.events.begin(), program.events.end(), leads_elsewhere)) continue;
        const ExprId there = program.events[e].guard;
        for (Event& event : program.events)
            if (event.guard == there) event.guard = ExprPool::no;
    }
}

class Run {
public:
    explicit Run(const Options& options) : options_(options), family_("ptx", {}) {
        for (const char* base : {"weakest", "default", "strongest"})
            models_.push_back(&family_.under(resolve_readings(family_.by_default(), base)));
        if (!options_.mutate) return;
        for (const BaseName& b : base_names())
            if (is_stored_relation(b.name))
                mutations_.push_back({.name = "relation " + std::string(b.name), .relation = std::string(b.name)});
        const auto& constraints = family_.by_default().constraints;
        for (size_t k = 0; k < constraints.size(); ++k)
            mutations_.push_back({.name = "constraint " + constraints[k].name, .constraint = k});
        mutations_.push_back({.name = "first elements alone", .leaves_out = leave_first_elements});
        mutations_.push_back({.name = "one place fewer", .leaves_out = forget_a_place});
        for (const naive::Misreading& m : naive::misreadings()) mutations_.push_back({.name = "misread: " + m.name, .misreading = &m});
    }

    int operator()() {
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::thread> workers;
        for (unsigned j = 0; j < options_.jobs; ++j) workers.emplace_back([this] { work(); });
        for (std::thread& worker : workers) worker.join();
        report(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        return counts_.mismatches > 0 || (counts_.programs >= enough_to_tell && !all_told()) ? 1 : 0;
    }

    int files() {
        Solver solver;
        for (const std::string& file : options_.files) {
            std::ifstream in(file);
            const std::string text{std::istreambuf_iterator<char>(in), {}};
            for (const Test& test : parse_tests(make_source(file, text))) one(solver, test, file, 0, print(test));
        }
        report(0);
        return counts_.mismatches > 0 ? 1 : 0;
    }

private:
    // Of two programs of one shape, one is solved by counting (solve/chains.h), and one by trying orders, by the second solver
    // where it is there.
    void work() {
        Solver counting(Solver::always), trying(Solver::never, faster);
        for (;;) {
            const size_t index = next_++;
            if (index >= options_.programs || stop_) return;
            const std::string& shape = options_.shapes[index % options_.shapes.size()];
            const uint64_t seed = program_seed(options_.seed, index);
            const std::string text = naive::random_shape(shape, seed);
            try {
                Solver& solver = index / options_.shapes.size() % 2 == 0 ? counting : trying;
                one(solver, parse_tests(make_source("naive.litmus", text)).at(0), shape, index, text);
            } catch (const Failure& failure) {
                refuse(failure, text);
            }
        }
    }

    // `index`: which program of the run.
    void one(Solver& solver, const Test& test, const std::string& shape, size_t index, const std::string& text) {
        Comparison found;
        std::string skipped;
        try {
            found = naive::compare(solver, test, models_, {});
        } catch (const naive::Unsupported& reason) {
            skipped = reason.what();
        } catch (const Failure& failure) {
            return refuse(failure, text);
        } catch (const std::exception& error) {
            found.difference = std::string("  ") + error.what() + "\n";
        }
        if (options_.mutate && skipped.empty() && !found.difference) mutate(solver, test, found.naive, shape + " " + std::to_string(index));
        const std::lock_guard lock(mutex_);
        ++counts_.programs;
        if (!skipped.empty()) {
            ++counts_.skipped[skipped];
            return;
        }
        ++counts_.compared;
        if (options_.files.empty()) ++counts_.by_shape[shape];
        counts_.executions += found.naive.executions;
        counts_.cut += found.naive.cut ? 1 : 0;
        if (!found.naive.by_model.empty()) {
            const naive::Answer& weakest = found.naive.by_model[0];
            counts_.blocked += weakest.blocked ? 1 : 0;
            counts_.endless += weakest.terminates ? 0 : 1;
            counts_.racy += weakest.races.empty() ? 0 : 1;
            for (const std::string& flag : weakest.undefined) ++counts_.flags[flag];
        }
        if (!found.difference) return;
        ++counts_.mismatches;
        std::cout << "MISMATCH (" << shape << ")\n" << *found.difference << text << "\n" << std::flush;
        stop_ = !options_.keep_going;
    }

    // Tries what no program has told yet, under the default readings and, of a relation, the strongest.
    void mutate(Solver& solver, Test test, const naive::Answers& right, const std::string& program) {
        test.filter.reset();
        for (Mutation& m : mutations_) {
            size_t number = 0;
            {
                const std::lock_guard lock(mutex_);
                if (m.told_after > 0) continue;
                number = ++m.tried;
            }
            const bool told = m.constraint   ? tells(solver, test, without(*models_[1], *m.constraint), right, 1, {})
                              : m.misreading ? misreading_tells(solver, test, right, *m.misreading)
                              : m.leaves_out ? tells(solver, test, *models_[1], right, 1, m.leaves_out)
                                             : relation_tells(solver, test, right, m.relation);
            const std::lock_guard lock(mutex_);
            if (!told || m.told_after > 0) continue;
            m.told_after = number;
            m.told_by = program;
        }
    }

    // A test that is none, misread so, tells nothing.
    bool misreading_tells(Solver& solver, Test test, const naive::Answers& right, const naive::Misreading& misreading) const {
        try {
            return misreading.apply(test) && tells(solver, test, *models_[1], right, 1, {});
        } catch (const Failure&) {
            return false;
        }
    }

    bool relation_tells(Solver& solver, const Test& test, const naive::Answers& right, const std::string& name) const {
        const auto spoil = [&](Program& program) { empty_relation(program, name); };
        return tells(solver, test, *models_[1], right, 1, spoil) || tells(solver, test, *models_[2], right, 2, spoil);
    }

    static bool tells(Solver& solver, const Test& test, const Model& model, const naive::Answers& right, size_t index,
                      const naive::Spoil& spoil) {
        try {
            return naive::difference(solver, test, model, right, index, naive::Limits{}.failures, spoil).has_value();
        } catch (const std::logic_error&) {
            return true;  // the solver's own engines disagree
        }
    }

    // A program that the parser or the builder refuses: generated ones are meant to be well formed.
    void refuse(const Failure& failure, const std::string& text) {
        const std::lock_guard lock(mutex_);
        ++counts_.programs;
        const std::string message = failure.diagnostics().at(0).message;
        if (++counts_.refused[message] == 1) std::cout << "REFUSED: " << message << "\n" << text << "\n";
    }

    static void list(const char* what, const std::map<std::string, size_t>& counts) {
        if (counts.empty()) return;
        std::cout << what;
        for (const auto& [name, n] : counts) std::cout << "  " << name << " " << n;
        std::cout << "\n";
    }

    bool all_told() const {
        return std::all_of(mutations_.begin(), mutations_.end(), [](const Mutation& m) { return m.told_after > 0 || is_exempt(m.name); });
    }

    void report(double seconds) const {
        const Counts& c = counts_;
        std::cout << "seed " << options_.seed << ": " << c.programs << " programs, " << c.compared << " compared, " << c.executions
                  << " executions, " << c.mismatches << " mismatches; " << c.racy << " racy, " << c.blocked << " with threads that stay, "
                  << c.endless << " that never end, " << c.cut << " cut; " << static_cast<int>(seconds) << " s\n";
        list("skipped:", c.skipped);
        list("refused:", c.refused);
        list("shapes:", c.by_shape);
        list("flags:", c.flags);
        for (const Mutation& m : mutations_) {
            if (m.told_after > 0)
                std::cout << m.name << " told by program " << m.told_by << ", after " << m.told_after << "\n";
            else
                std::cout << "NOT TOLD by " << m.tried << " programs" << (is_exempt(m.name) ? ", as argued" : "") << ": " << m.name << "\n";
        }
    }

    const Options& options_;
    ModelFamily family_;
    std::vector<const Model*> models_;
    std::atomic<size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    Counts counts_;
    std::vector<Mutation> mutations_;
};

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    Run run(options);
    return options.files.empty() ? run() : run.files();
}
