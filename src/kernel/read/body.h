// The body of a function: blocks, declarations, labels and instructions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "kernel/read/diagnostics.h"
#include "kernel/read/lexer.h"
#include "kernel/read/names.h"

namespace litmus::kernel {

class BodyReader {
public:
    // `instructions`: how many the file has so far.
    BodyReader(Cursor& cursor, Diagnostics& diagnostics, const Globals& globals, Function& function, size_t& instructions);

    // From `{` to the `}` that closes it. What is wrong in a statement goes to the diagnostics, and the reader goes on behind it.
    void read();

private:
    struct Unresolved {  // a label that may stand further down
        size_t statement = 0, argument = 0;
        size_t block = 0;
    };
    struct UnresolvedTargets {
        std::string list;
        std::vector<PtxToken> labels;
        size_t block = 0;
    };

    void statement();
    void directive();
    void registers();
    void location();
    Line line();
    void label();
    void branch_targets(const std::string& name);
    void instruction();
    void guard(Statement& statement);
    void arguments(Statement& statement);
    void check_vectors(const Statement& statement) const;
    void call_arguments(Statement& statement);
    void name_argument(Statement& statement);
    void resolve();
    std::string label_meant(const Argument& argument, size_t block) const;
    void recover();

    Cursor& cursor_;
    Diagnostics& diagnostics_;
    Function& function_;
    size_t& instructions_;
    Names names_;
    Origin origin_;
    std::map<Line, Origin> latest_;  // the last `.loc` of each line, with the calls around it
    std::vector<Unresolved> unresolved_;
    std::vector<UnresolvedTargets> unresolved_targets_;
};

// Leaves out `.section NAME { ... }`.
void skip_section(Cursor& cursor);

}  // namespace litmus::kernel
