// Candidates, one question each: is this text repaired?
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/edits/candidate.h"
#include "solve/solve.h"

namespace litmus {

// What asking about one set of edits came to.
struct Trial {
    enum class Ending : uint8_t {
        repaired,
        refuted,  // an execution shows something bad
        vacuous,  // nothing good is left
        illegal,  // the text cannot be read, or has no meaning
        unknown,
    };
    Ending result = Ending::unknown;
    std::optional<Counterexample> counterexample;
};

// What the test of this program, which claims what the goal says, comes to. The counterexample lacks its candidate. Throws
// OverBudget, and Failure where the model lacks words for the program.
Trial try_program(Program& program, const Goal& goal, const Model& model, Solver& solver);

class Trials {
public:
    Trials(const Test& test, const std::vector<Edit>& edits, const Goal& goal, Solver& solver, int unroll, const Budget& budget);

    // The text with these edits made, and more changes beside them.
    std::string text(const EditSet& set, std::vector<Change> more = {}) const;
    // The test with them; null where the text is no test or has no meaning.
    std::shared_ptr<const Candidate> make(const EditSet& set);
    Trial ask(const EditSet& set, const Model& model);

    // Whether the text with these edits, among which the counterexample's are, still shows what it showed.
    bool survived_by(const Counterexample& counterexample, const EditSet& set, const Model& model);

    // Adds to the set, which the counterexample survives, edits that only order, as many as leave it there. By edit: whether it
    // is in the result, or adds no more than one that is.
    std::vector<bool> grown(const Counterexample& counterexample, const Model& model);

    // The work done up to now, in clauses: those of all questions, and for each program that was built as many as take as long. A bound on
    // this count ends a search at the same place on every machine. A million take one to two seconds.
    static constexpr size_t clauses_of_a_program = 500;  // at least: half a millisecond
    static constexpr size_t clauses_of_an_event = 16;    // in a larger one
    size_t effort() const { return clauses_; }
    size_t asked() const { return asked_; }
    size_t carried() const { return carried_; }

private:
    void count_program(const Candidate* candidate);
    bool compatible(const EditSet& set, size_t edit) const;
    void grow(const Counterexample& c, const Model& model, EditSet& set, const std::vector<size_t>& more);

    const Test& test_;
    const std::vector<Edit>& edits_;
    const Goal& goal_;
    Solver& solver_;
    int unroll_;
    Budget budget_;
    size_t asked_ = 0, carried_ = 0, clauses_ = 0;
};

}  // namespace litmus
