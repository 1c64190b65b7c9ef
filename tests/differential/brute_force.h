// The brute-force engine: every candidate execution of a small test, no solver (tests only).
//
// It shares with the solving engine the events, the model and `cat/evaluate`, and nothing else, so
// that equal outcome sets say something about the encoding.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

using OutcomeSet = std::set<std::vector<uint64_t>>;

// Which coherence orders are tried.
enum class Coherence : uint8_t {
    required,            // the least ones that satisfy what the model requires of co (brute_force.cpp)
    all_partial_orders,  // every strict partial order on the writes of each cell
};

struct BruteForceOptions {
    Coherence coherence = Coherence::required;
    bool each_without = false;  // also find the outcomes with each single constraint removed
    // Leave out executions in which two updates of an mbarrier object read from one write, or one stands before the state
    // that it read. For models with mbarrier-order, mbarrier-atomicity and mbarrier-coherence: of two such updates the
    // one that comes later would overwrite what the other made of the state.
    bool chains = false;
    bool unconstrained = true;   // also find the outcomes of all candidate executions
    size_t most_executions = 0;  // give up after so many completed executions, or tries at them; 0: never
    size_t most_orders = 0;      // likewise after so many orders of coherence, of all executions together
};

// What one model allows for one program.
struct Exhaustive {
    OutcomeSet outcomes;                        // of consistent executions that pass the filter; values parallel to observable_names()
    std::vector<OutcomeSet> without;            // each_without: by constraint of the model, the outcomes when it alone is removed
    std::set<std::string> flags;                // names of flags that some consistent execution raises
    std::set<std::pair<size_t, size_t>> races;  // event pairs, smaller first, of the flag data-race
    bool satisfiable = false;                   // some outcome satisfies the claim's condition
    bool violable = false;                      // some outcome does not
    bool nonempty = false;                      // some execution is consistent, whatever the filter says
    // Of the executions in which every thread that stays blocked is without hope (Program::blocked):
    bool blocked = false;             // in some, a thread stays blocked
    std::set<std::string> undefined;  // names of hazard flags that some raises
};

struct Candidates {
    std::vector<Exhaustive> by_model;  // parallel to the models asked for
    OutcomeSet unconstrained;          // outcomes of all candidate executions, no axiom asked
    bool external_read = false;        // some candidate execution reads another thread's write
    size_t executions = 0;             // choices of rf and Booleans that complete to an execution
    bool gave_up = false;              // there are more: nothing else here counts
};

// The coordinates of an outcome: every register that is written ("P1:r0"), then every cell that
// is no mbarrier object.
std::vector<std::string> observable_names(const Program& program);

// Enumerates once and asks each model. Adds the test's conditions to the program's expressions. In a program built with
// BuildOptions::blocked, executions in which a thread stays although it need not are left out.
Candidates brute_force(Program& program, const std::vector<const Model*>& models, const BruteForceOptions& options);

// For callers that choose rf themselves, in an execution that is complete but for co and sc: what each model allows over all
// co and sc. `observables` are the coordinates of an outcome; the test's claim and filter are not looked at.
class Judge {
public:
    Judge(const std::vector<const Model*>& models, const BruteForceOptions& options);
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;
    std::vector<Exhaustive> judge(Execution& x, FixedBases& bases, const std::vector<ExprId>& observables) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Whether the model's demands on co have the shape that Coherence::required can generate from.
// Where they have not, brute_force falls back to all partial orders.
bool generates_coherence(const Model& model);

}  // namespace litmus
