// A small SAT solver: clauses in, checks under assumptions.
//
// Z3 and CaDiCaL decide for the command line. This one is for where neither is: in the laboratory, which runs in a page
// (src/view/lab). Of what could be had instead, Debian has no solver as source or for WebAssembly, and npm has CaDiCaL as a module of 940
// kB with a memory of its own, to which every literal would have to go through JavaScript; this is 500 lines, in the same module as the
// rest. The encoding needs nothing but clauses and assumptions, and the same comparisons hold all three solvers together:
// `litmus check --solver cdcl` over the whole library, and tests/solve.
//
// How it works (conflict-driven clause learning, Marques-Silva and Sakallah 1999, as MiniSat does it, Eén and Sörensson 2003): a variable
// is given a value, what follows from it by clauses with one literal left is assigned, and so on. Where a clause is left with none, the
// values that led there are resolved into a new clause, the search goes back to the level where that clause would have had one
// literal left, and continues from there. A clause is looked at only when one of its two watched literals becomes
// false. Variables of recent conflicts come first, each with the value that it had last. Now and then the search starts
// again, and of the learnt clauses those that join many levels are forgotten.
//
// Which solution such a search comes upon depends on all that was asked before. Where variables are tried by their numbers instead, each
// false first, it comes upon the first solution in the order of the dictionary: a variable is true there only where that follows from
// those before it. Most questions are so small that this is even the shorter way.
//
// A refutation can be traced (keep_sources): each learnt clause then knows the clauses that it was resolved from, down to those
// that were given. A few of them are contradictory by themselves, which another solver can confirm without the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace litmus {

class Cdcl {
public:
    using Literal = int32_t;  // as in DIMACS: a variable, from 1 on, or its negation

    // `stop` is asked now and then; when it says yes, solve() ends undecided.
    explicit Cdcl(std::function<bool()> stop);

    // From here on refutations can be traced, and no clause is forgotten. Call it before the first clause.
    void keep_sources() { traced_ = true; }

    // Clauses may come between calls of solve(). Variables are known by their first use.
    void add_clause(std::span<const Literal> literals);
    void try_first(Literal literal);  // its variable, before others that no conflict has had a part in, where a search is long
    // Whether all clauses can hold together with the assumptions; nothing where it was stopped, or had more conflicts. Of several solutions
    // it gives the first (solve_first) where that one is found soon, as it nearly always is, and otherwise the one that it came upon.
    std::optional<bool> solve(std::span<const Literal> assumptions, size_t most_conflicts = std::numeric_limits<size_t>::max());
    // The same, and of all solutions the first: of two, the one in which the first variable that tells them apart is false. Which one that
    // is does not depend on the calls before, and another solver's clauses have the same one.
    std::optional<bool> solve_first(std::span<const Literal> assumptions);
    bool value(Literal literal) const;  // after solve() said yes

    // Why solve() said no, where sources are kept. The clauses that were given, by number, which contradict each other or the assumptions.
    struct Refutation {
        std::set<uint32_t> clauses;
        bool searched = false;  // false: each value that matters follows from the assumptions, one clause after the other
    };
    const Refutation& refutation() const { return refutation_; }
    std::span<const Literal> given(uint32_t clause) const { return {&clauses_[clause + header], size(clause)}; }
    // All that were given and are not implied by those before; where sources are kept.
    template <typename Visit>
    void each_given(const Visit& visit) const {
        for (size_t c = 0; c < clauses_.size(); c += header + size(static_cast<Clause>(c)))
            if (clauses_[c + 1] == 0) visit(given(static_cast<Clause>(c)));
    }

private:
    using Variable = uint32_t;
    using Clause = uint32_t;  // where it begins in clauses_
    static constexpr Clause no_clause = ~Clause{0};

    // The variables without a value, and some with, the most active first: a binary heap that knows where each stands.
    class Queue {
    public:
        bool empty() const { return heap_.empty(); }
        void insert(Variable v);  // unless it is there
        Variable take();
        void bump(Variable v);
        void decay() { step_ /= 0.95; }

    private:
        static constexpr size_t nowhere = ~size_t{0};
        void up(size_t i);
        void down(size_t i);
        void put(size_t i, Variable v);
        std::vector<Variable> heap_;
        std::vector<size_t> place_;     // by variable
        std::vector<double> activity_;  // by variable
        double step_ = 1;
    };

    // A clause that watches a literal. While `other`, one more literal of it, is true, the clause need not be looked at.
    struct Watch {
        Clause clause;
        Literal other;
    };

    static Variable variable(Literal l) { return static_cast<Variable>(l < 0 ? -l : l); }
    static size_t index(Literal l) { return 2 * size_t{variable(l)} + (l < 0 ? 1 : 0); }
    size_t level() const { return levels_.size(); }
    size_t level_of(Literal l) const { return level_[variable(l)]; }
    size_t size(Clause c) const { return static_cast<size_t>(clauses_[c]); }
    Literal* literals(Clause c) { return &clauses_[c + header]; }

    void know(Variable v);
    Clause store(std::span<const Literal> literals, size_t spread);
    Clause store_learnt(std::span<const Literal> literals, size_t spread);
    void watch(Clause c);
    void assign(Literal l, Clause reason);
    void back_to(size_t level);
    Clause propagate();
    bool visit(Watch& watch, Literal falsified);
    void learn(Clause conflict);
    std::vector<Literal> resolve(Clause conflict);
    bool is_implied(Literal l);
    size_t spread(const std::vector<Literal>& literals);
    void forget_clauses();
    Literal decide(std::span<const Literal> assumptions, bool& refuted);
    void trace(Clause refuted);
    std::optional<bool> search(std::span<const Literal> assumptions, size_t most_conflicts);
    void unlearn(size_t clauses, size_t learnt);
    std::optional<bool> ask_in_order(std::span<const Literal> assumptions, size_t most_conflicts);
    std::optional<bool> ask(std::span<const Literal> assumptions, size_t most_conflicts);

    // Each clause: how many literals, its spread (of a learnt one: how many levels its literals are of; 0: it was given), the literals.
    // Those at places 0 and 1 are watched; the one that the clause implied, if any, is at place 0.
    static constexpr Clause header = 2;
    std::vector<int32_t> clauses_;
    size_t learnt_ = 0, most_learnt_ = 4000;
    bool contradictory_ = false;  // without assumptions
    std::vector<Literal> added_;  // what add_clause() is about

    bool traced_ = false;
    std::map<Clause, std::vector<Clause>> sources_;  // of learnt ones, what they were resolved from
    std::vector<Clause> resolved_;                   // by resolve() and is_implied()
    Refutation refutation_;

    std::vector<int8_t> truth_;                // by index of a literal: 1 true, -1 false, 0 open
    std::vector<std::vector<Watch>> watches_;  // by index of a literal
    std::vector<Literal> trail_;               // in the order of assignment
    size_t propagated_ = 0;                    // so many of the trail
    std::vector<size_t> levels_;               // where each level but 0 begins in the trail

    // By variable, with room for more.
    Variable known_ = 1;  // the next one
    std::vector<size_t> level_;
    std::vector<Clause> reason_;
    std::vector<int8_t> phase_;  // the value it had last
    std::vector<int8_t> seen_;   // by resolve()
    std::vector<int8_t> model_;

    std::vector<size_t> level_counted_;  // by level: when spread() counted it last
    size_t counts_ = 0;
    Queue queue_;
    bool in_order_ = false;  // variables are tried by their numbers, each false first
    Variable next_ = 1;      // in that case: those before it have a value
    std::function<bool()> stop_;
    size_t steps_ = 0;
};

}  // namespace litmus
