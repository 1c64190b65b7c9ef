// What the encoding needs of a solver: clauses, and checks under assumptions.
//
// A literal is a signed variable number, as in DIMACS; 1 is the constant true. Z3 (z3_backend.cpp) is the reference;
// CaDiCaL (cadical_backend.cpp), where it was there when the tool was built, is faster and takes less memory, and decides what
// is large (by_size_backend.cpp). Each of the two files is the only one that knows its library. A small solver of our own
// (cdcl.h) is for the laboratory, which has neither, and searches before the others (confirmed_backend.cpp). `solvers`, at the end, is
// the list of them all.
//
// Whichever solver is asked, the solution is the first in the order of the variables, unless it takes too long to find (cdcl.h). So what
// is said of an execution does not depend on the solver.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace litmus {

using Lit = int32_t;
constexpr Lit always_true = 1;
constexpr Lit always_false = -1;

// The constraints became too many, or cannot be expressed.
struct GaveUp {
    std::string reason = "there are too many constraints";
};

// What is said of Backend::Result::unknown.
inline constexpr const char* no_answer = "it found no answer";

// By the order of `solvers`.
enum class Engine : uint8_t { by_size, z3, z3_alone, cadical, cadical_alone, cdcl };

class Backend {
public:
    enum class Result : uint8_t { sat, unsat, unknown };

    virtual ~Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    // Forgets all constraints. From here on the budget and a bound on clauses hold: adding a clause may throw OverBudget or
    // GaveUp.
    void reset(const Budget& budget);

    Lit fresh();
    void clause(std::span<const Lit> literals);  // constants are simplified away
    void clause(std::initializer_list<Lit> literals) { clause(std::span(literals.begin(), literals.size())); }

    // Advice, which a solver may not take: where the search has to try something, it is better to begin with this variable, as false.
    virtual void try_first(Lit) {}

    // Unknown when the solver gives up. Throws OverBudget, and std::runtime_error when the solver fails. What the solver
    // answers, and which of several models, is a function of what this backend was asked from its first call on: make one per test.
    Result check(std::span<const Lit> assumptions);
    Result check(std::initializer_list<Lit> assumptions) { return check(std::span(assumptions.begin(), assumptions.size())); }
    virtual std::string_view engine() const = 0;  // which solver has decided so far: "z3"
    size_t clauses() const { return clauses_; }   // since the last reset
    bool value(Lit literal) { return literal == always_true || (literal != always_false && value_of(literal)); }  // in the last sat check

protected:
    Backend() = default;

    size_t variables() const { return variables_; }  // with the constant
    const Budget& budget() const { return budget_; }
    // What clearing up will take, after the deadline: it is set aside before.
    double seconds_to_forget() const;

    // Of the library. Literals that are passed are no constants.
    virtual void forget() = 0;
    virtual void add_variable(Lit variable) = 0;
    virtual void add_clause(std::span<const Lit> literals) = 0;
    virtual Result search(std::span<const Lit> assumptions) = 0;
    virtual bool value_of(Lit literal) = 0;
    // Throws OverBudget where time or memory is spent, what clearing up will take included.
    virtual void check_budget() const { budget_.check(seconds_to_forget()); }
    bool is_spent() const;  // whether check_budget() throws

private:
    size_t variables_ = always_true + 1, clauses_ = 0;
    std::vector<Lit> rest_;  // of clause()
    Budget budget_;
    double first_told_ = now();  // when the first variable came since the last reset
    double asking_ = 0;          // seconds since then that the solver searched, in questions that are over
    double asked_ = 0;           // when the question came that is open; 0: none is
};

// A solver as its library is. Each maker stands in the file of its backend, and is null where the tool was built without the library.
using Maker = std::unique_ptr<Backend> (*)();
extern const Maker make_cadical, make_cdcl;
// The first Z3 backend of a process costs 2 to 8 ms, later ones half a millisecond (bench_z3_context). Against the memory of the
// budget counts what Z3 holds: for all backends of the process together, which N backends may spend N times.
extern const Maker make_z3;
// What confirms unless somebody names another one: Z3, or CaDiCaL in a build without Z3.
extern const Maker make_reference;

// How a solver is asked. What is given is made of the solver that is passed.
using Arrangement = std::unique_ptr<Backend> (*)(Maker solver);
std::unique_ptr<Backend> itself(Maker solver);
// Our own solver searches, this one confirms what has no solution (confirmed_backend.cpp).
std::unique_ptr<Backend> confirming(Maker solver);
// The solver searches, and of several solutions the first is given (first_backend.cpp).
std::unique_ptr<Backend> first_of(Maker solver);
// This one confirms up to so many clauses; beyond them CaDiCaL searches, where it is there (by_size_backend.cpp).
std::unique_ptr<Backend> up_to(size_t most, Maker solver);
std::unique_ptr<Backend> by_size(Maker solver);  // up to the usual number

// The one list of solvers: what --solver offers and its help says, and what the tests of solvers ask.
struct SolverRow {
    Engine engine;
    std::string_view name;   // of --solver
    std::string_view title;  // in help
    const Maker& solver;
    Arrangement arranged;

    bool is_there() const { return solver != nullptr; }  // in this build
    std::unique_ptr<Backend> make() const { return is_there() ? arranged(solver) : nullptr; }
};
inline constexpr std::array solvers = {
    SolverRow{Engine::by_size, "auto", "by the size of the test", make_reference, by_size},
    SolverRow{Engine::z3, "z3", "Z3, for what our own solver leaves open", make_z3, confirming},
    SolverRow{Engine::z3_alone, "z3-alone", "Z3, for everything", make_z3, first_of},
    SolverRow{Engine::cadical, "cadical", "CaDiCaL, for what our own solver leaves open", make_cadical, confirming},
    SolverRow{Engine::cadical_alone, "cadical-alone", "CaDiCaL, for everything", make_cadical, first_of},
    SolverRow{Engine::cdcl, "cdcl", "our own, a small one", make_cdcl, itself},
};
constexpr const SolverRow& row(Engine engine) {
    return solvers[static_cast<size_t>(engine)];
}
static_assert([] {
    for (size_t i = 0; i < solvers.size(); ++i)
        if (static_cast<size_t>(solvers[i].engine) != i) return false;
    return true;
}());
constexpr std::string_view name(Engine engine) {
    return row(engine).name;
}

// For whoever asks many questions about one test, and shows no execution of the reference.
inline const Engine faster = row(Engine::cadical).is_there() ? Engine::cadical : Engine::by_size;

}  // namespace litmus
