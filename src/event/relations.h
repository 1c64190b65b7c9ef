// The relations of a program, made when all its threads have been executed. Private to this folder.
#pragma once

#include <map>

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
    void relate_phases();
    void relate_lives();
    void relate_exits();
    void finish_relations();
    void check_counts();

    // Whether the assembler keeps what these events stand for, whatever becomes of their results.
    bool is_kept_in_place(size_t event) const;
    void relate_performed();

    // Of the reads that can change an event's guard, those that decide whether it happens.
    Reads deciding_guard(size_t event);
    void find_same_stores();
    void drop_idle_reads();
    void drop_unused_results();
    // "values": from each read (or bar.red) to the writes and bar.reds whose value or existence its value decides.
    void add_value_flow();

    Program& program_;
    Notes notes_;
    bool blocked_;  // BuildOptions::blocked
    Influence influence_;
    struct SameStores {  // stores that are taken as one: dependency.cpp
        ExprId happens, value;
    };
    std::map<size_t, SameStores> same_stores_;  // by each of them
};

}  // namespace litmus
