// The relations of a program, made when all its threads have been executed. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "event/draft.h"
#include "event/influence.h"

namespace litmus {

class Relations {
public:
    // `program` has all that execution gives, and no relations; it outlives this. `notes` are what execution has noted.
    Relations(Program& program, Notes notes, bool blocked)
        : program_(program), notes_(std::move(notes)), blocked_(blocked), influence_(program.exprs) {}

    // Throws Failure for what has no meaning (barrier.h), and OverBudget.
    void make();

private:
    // ---- relations.cpp
    void relate_program_order();
    void relate_exits();
    void relate_warpgroups();
    // Pairs and dependencies as matrices or, where they hold only in some executions, as lists with conditions.
    void store_notes();

    // ---- mbarrier objects (mbarrier.cpp)
    void relate_phases();
    void relate_lives();
    // Fails where the counts of an object could leave their range.
    void check_counts();

    // ---- grids (grids.cpp)
    void relate_grids();
    const Placement& placement(int thread) const;
    void relate_completed(const std::set<int>& grids, size_t event, const char* relation, ExprId when);
    void begin_after(size_t event, size_t start, ExprId when);
    // A trigger or an exit that a grid waits for before it begins, when `when`.
    struct Way {
        size_t event;
        bool trigger;
        ExprId when;
    };
    std::vector<Way> ways_to_begin(const Grid& dependent);
    ExprId first_to_trigger(int thread);

    // ---- requests to cancel clusters (cancellation.cpp)
    void relate_failures();

    // ---- what has waited for what (performed.cpp)
    void relate_performed();
    // Whether the assembler keeps the instruction of this event, whatever becomes of its result.
    bool is_kept_in_place(size_t event) const;
    bool is_one_of_several(size_t event) const;

    // ---- what a read can change (dependency.cpp)
    void find_same_stores();
    void drop_idle_reads();
    void drop_unused_results();
    void add_value_flow();
    // Of the reads that can change an event's guard, those that decide whether it happens.
    Reads deciding_guard(size_t event);

    Program& program_;
    Notes notes_;
    bool blocked_;  // BuildOptions::blocked
    Influence influence_;
    struct SameStores {  // stores that are taken as one: dependency.cpp
        ExprId happens, value;
    };
    std::map<size_t, SameStores> same_stores_;  // by each of them
    std::map<int, ExprId> first_to_trigger_;    // by thread: the choice that its trigger is the first of its CTA
};

}  // namespace litmus
