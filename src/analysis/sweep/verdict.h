// The verdict of a sweep: what one run of a whole kernel shows, or of several launches, and what the model says of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/sweep/advice.h"
#include "analysis/sweep/confirm.h"
#include "sweep/orders.h"

namespace litmus {

// What is advised, and whether it was tried: the kernel was changed so, and swept again; its test, and the model asked.
struct Advised {
    std::string change, why, see;     // as in Advice
    bool by_sweep = false;            // the finding is gone, and nothing else has come
    bool by_model = false;            // the model finds no race, either
    bool all_gone = false;            // nothing at all is found
    std::optional<size_t> with = {};  // of SweptKernel::findings: what is advised there mends this, too
    std::vector<PtxEdit> edits = {};  // of one that was tried: what was changed
};

struct SweptFinding {
    sweep::Finding finding;
    Advised advised;
    Confirmation confirmation;  // not asked: `why` says why no test is made of such a finding; empty: of others enough are
    bool asked = false;
    // Of SweptKernel::findings: one that stands before this one, and of which this one is taken to be a consequence. The change that mends
    // that one mends both (`advised.with`). Or nothing was tried that mends either, and the two lack one order (lack_one_order), or this
    // one waits for threads of that one (waits_for_threads_of).
    std::optional<size_t> cause = {};
};

struct SweptKernel {
    size_t launch = 0;                   // its number, where there are several
    std::vector<SweptFinding> findings;  // causes first; without those that the model does not confirm
    // Races, and objects that are not initialised, in whose tests the model finds nothing. Either the sweep lacks an order that the model
    // knows, or the test lacks something of the kernel. So they are no findings, and the verdict is not sure.
    std::vector<SweptFinding> denied;
    size_t again = 0;  // findings that an earlier launch of the kernel has, too, and which are not among the others
    // Waits at .cta for what another block completes order nothing between blocks (ISA 8.7.1). Findings that come of this alone are counted
    // here and not among the others.
    size_t out_of_scope = 0;
    std::vector<sweep::Place> narrow_waits;
    Advised narrow;                        // what is advised on them
    std::vector<sweep::Part> unwritten;    // by this launch, and written by the one that it repeats
    std::vector<std::string> conditions;   // why other orders of the threads could do something else
    size_t orders = 1;                     // in which it was run
    bool all_orders = false;               // among them each order of the strong accesses
    bool exchanged = false;                // in them one block, or thread, stood for all that are alike
    std::string not_exchangeable;          // why none may; empty: that was not asked, or they may
    std::vector<std::string> out_of_line;  // why an execution may have another order of them than any of these
    std::vector<std::string> practices;    // on what all orders rest that GPUs do, and the ISA does not say
    uint64_t instructions = 0, accesses = 0;

    bool is_wrong() const { return !findings.empty() || out_of_scope > 0; }
    bool is_sure() const { return conditions.empty() && unwritten.empty() && denied.empty(); }
};

// Whether two races may come of one missing order of threads. The same rule is broken, both times within a block or both times between two.
// The threads of both had synchronised last at the same two statements. Where that order lies between the accesses of the one race, it may
// lie between those of the other.
bool lack_one_order(const sweep::Finding& one, const sweep::Finding& other);

// Whether threads wait at a barrier, or for other lanes, because threads of the other finding go round, or wait for something else, for
// ever.
bool waits_for_threads_of(const sweep::Finding& one, const sweep::Finding& other);

// Sweeps launches of one stream (orders.h), asks the model about the first findings of each, and tries what is advised, each time in the
// memory that the launch began with; all that is part of the budget of `how`, and that of `options` is not asked. Throws Failure, at its
// line of the PTX, where a kernel has something that cannot be executed, and OverBudget.
std::vector<SweptKernel> judge_stream(const std::vector<sweep::Started>& launches, const sweep::Options& how, ModelFamily& family,
                                      const CheckOptions& options, Solver& solver);

// The same of one.
SweptKernel judge_sweep(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, ModelFamily& family,
                        const CheckOptions& options, Solver& solver);

}  // namespace litmus
