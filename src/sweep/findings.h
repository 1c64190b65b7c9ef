// Findings of a run, and the conditions under which it stands for others. Each is said once.
//
// Findings of one kind at the same CUDA lines are one, since unrolled loops repeat their statements.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/module.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

// The CUDA line of a statement; empty: none is known. `some_line`: that of the PTX then.
std::string line_of(const kernel::Module& module, const kernel::Statement& statement);
std::string some_line(const kernel::Module& module, const kernel::Statement& statement);

class Findings {
public:
    Findings(const kernel::Module& module, const Options& options) : module_(module), options_(options) {}

    // `guessed`: whether its threads come there depends on a value that is not computed. Null: it was said before, or too much was.
    Finding* add(Breach breach, const Filling& with, std::vector<Place> places, bool guessed, std::optional<Memory> byte,
                 std::optional<Clash> clash);
    // `of_order`: it says that the order of strong accesses decides something.
    void condition(const std::string& text, const kernel::Statement& statement, bool of_order = false);
    void break_off(const std::string& why);     // a condition of all that comes behind
    void wait_out_of_scope(const Place& wait);  // Swept::out_of_scope
    void note_wide() { holds_wide_ = true; }    // scopes are not the cause of all that is found

    bool empty() const { return findings_.empty(); }
    bool is_done() const { return done_; }  // the finding that ends the run is there
    bool are_of_scopes_alone() const { return !holds_wide_ && conditions_.empty(); }
    void give(Swept& swept);

private:
    using Source = std::pair<kernel::Origin, const kernel::Statement*>;  // a statement where there is no line
    static Source source_of(const kernel::Statement* statement);

    const kernel::Module& module_;
    const Options& options_;
    std::vector<Finding> findings_;
    std::vector<std::string> conditions_;
    std::set<std::string> of_order_;  // of these
    std::vector<Place> out_of_scope_;
    std::set<std::pair<std::string, std::vector<Source>>> said_;
    bool done_ = false, holds_wide_ = false;
};

}  // namespace litmus::sweep
