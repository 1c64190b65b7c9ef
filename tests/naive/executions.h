// Executions from one trace of every thread: the events of all, what relates them, and every matching reads-from.
#pragma once

#include <functional>

#include "event/execution.h"
#include "grids.h"
#include "influence.h"
#include "meetings.h"

namespace litmus::naive {

// Whether `other` has to execute the instruction where `here` does (`.aligned`; model/semantics.md section 9).
bool executes_with(const Test& test, const Thread& here, const Instruction& instruction, const Thread& other);

class Combination {
public:
    // `cells`: those of the memory that become events. Everything must outlive the combination.
    Combination(const Test& test, Memory& memory, const std::set<int>& cells, const std::vector<Influence>& influences,
                std::vector<const Trace*> traces);

    // Calls `visit` for every way for barriers to meet and every rf, the execution complete but for co and sc, until it
    // returns false.
    using Visit = std::function<bool(Execution&, FixedBases&)>;
    bool each_execution(const Visit& visit);

    // Makes an expression of the program: a register at its thread's end, the final value of a cell.
    ExprId final_register(int thread, const std::string& name, Type type);
    ExprId final_cell(int cell);
    // Of a packed element that is two cells.
    ExprId final_halves(int low, int high);

private:
    size_t at(int thread, size_t step) const { return offsets_[static_cast<size_t>(thread)] + step; }
    void add_events();
    void relate_thread(int thread);
    void relate_performed(int thread);
    bool is_kept(int thread, size_t instruction) const;
    bool test_matters(int thread, size_t read, const Mention& mention, size_t e) const;
    void relate_warpgroups();
    void relate_aligned();
    void relate_objects();
    void relate_exits();
    void add_blocked();
    bool pairs_possible() const;
    void relate_grids(const GridEdges& grids, const std::map<int, int>& first);
    void relate_barriers(const std::vector<Meeting>& ways, const ClusterBarriers& clusters);
    void wait_for(size_t arrival, size_t use, Relation& waits);
    Relation& relation(const char* name);
    bool each_rf(size_t event, Execution& x, const std::function<bool()>& visit);

    const Test& test_;
    Memory& memory_;
    const std::vector<Influence>& influences_;
    std::vector<const Trace*> traces_;
    std::map<int, int> cells_;  // of the memory -> of the program
    std::vector<size_t> offsets_;
    std::vector<uint64_t> values_;  // by event
    Program program_;
    Relation own_faults_{0};  // "faulty", barriers apart
};

}  // namespace litmus::naive
