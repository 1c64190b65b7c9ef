// Module: a PTX file as read, before anything is executed.
//
// What nvcc and people write: variables, functions, instructions with their operands, and the CUDA lines that `.loc` names
// (PTX ISA 9.1, sections 4, 5 and 11). Instructions are kept by their dotted names; which ones are executed is the sweep's matter.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/budget.h"
#include "base/source.h"
#include "ptx/type.h"

namespace litmus::kernel {

// A place in a CUDA file, as `.loc` gives it (11.5.1).
struct Line {
    int file = 0;  // key of Module::files; 0: none
    int line = 0;
    int column = 0;
    friend bool operator==(const Line&, const Line&) = default;
    friend bool operator<(const Line& a, const Line& b) { return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column); }
};

// Where an instruction comes from: its own line first, then the call that it was inlined at, and so on outwards.
using Origin = std::vector<Line>;

enum class StateSpace : uint8_t { reg, global, shared, constant, local, param };

// An address within an initialiser: the bytes of `symbol` + `offset` stand at `at`.
struct Relocation {
    uint64_t at = 0;          // bytes from the beginning of the variable
    uint32_t bytes = 8;       // how many of the address are kept there
    uint32_t from = 0;        // the first of them: `0xFF00(x)` keeps byte 1 alone
    bool is_generic = false;  // generic(x): the generic address, else that of x's own space
    std::string symbol;
    int64_t offset = 0;
};

// A variable of memory, of the module or of a function.
struct Variable {
    std::string name;  // of a block within a function, with a number that tells it from its namesakes
    StateSpace space = StateSpace::global;
    std::string type;                     // of an element: "b8", "u64"
    uint32_t align = 1;                   // bytes
    uint64_t bytes = 0;                   // 0: an array without a size, as dynamic shared memory has it
    bool external = false;                // .extern, and not defined in this module
    std::vector<uint8_t> init;            // empty: none written (zeros in .global and .const, undefined in .shared and .local);
                                          // shorter than `bytes`: zeros follow
    std::vector<Relocation> relocations;  // into init
    TextSpan span;
};

struct Register {
    std::string name;  // as written, with its '%'; of a block within the function, with a number that tells it from its namesakes
    std::string type;  // "pred", "b32", "f64", ...
};

// An operand of an instruction.
struct Argument {
    enum class Kind : uint8_t {
        reg,        // `reg`; `negated`: !p
        special,    // name: "%tid.x"
        immediate,  // bits; negative integers in two's complement of 64 bits, a float in the bits of its literal (0f.. 32, 0d.. 64,
                    // a decimal those of the instruction's type)
        symbol,     // the address of name, + offset
        address,    // [inner + offset], where the inner is a register, a symbol or an immediate (elements[0]); what follows
                    // it in the brackets, as the coordinates of a tensor, are further elements
        vector,     // {a, b}; elements
        sink,       // _
        label,      // name: the target of a branch, a function, a list of targets or a prototype
        pair,       // d|p: elements[0], elements[1]
        list,       // (a, b) of a call: elements
    };
    Kind kind = Kind::reg;
    int reg = -1;
    bool negated = false;
    std::string name;
    uint64_t bits = 0;
    int64_t offset = 0;
    bool is_float = false;
    std::vector<Argument> elements;
    TextSpan span;
};

struct Statement {
    std::vector<std::string> words;  // the dotted name without its dots: "ld" "shared::cta" "u32"
    std::vector<Argument> arguments;
    int guard = -1;  // a register; -1: none
    bool guard_negated = false;
    Origin origin;
    TextSpan span;  // in the PTX
};

struct Parameter {
    std::string name;
    std::string type;  // of an element: "u64"; "b8" of a struct
    uint32_t bytes = 0;
    uint32_t align = 1;
    TextSpan span;
};

struct Function {
    std::string name;
    bool entry = false;
    std::vector<Parameter> results, parameters;  // of a function that is called; a kernel has parameters alone
    std::vector<Register> registers;
    std::vector<Variable> variables;  // declared in its body, and `.param` of calls
    std::vector<Statement> code;
    std::map<std::string, size_t> labels;                     // to the statement that follows; code.size(): the end
    std::map<std::string, std::vector<std::string>> targets;  // .branchtargets of brx.idx
    std::array<uint32_t, 3> cluster = {0, 0, 0};              // .reqnctapercluster; 0: none
    std::array<uint32_t, 3> block = {0, 0, 0};                // .reqntid; 0: none
    std::array<uint32_t, 3> most_block = {0, 0, 0};           // .maxntid; 0: none
    bool explicit_cluster = false;                            // .explicitcluster: to be launched with a size of clusters
    bool body = true;                                         // false: a declaration
    TextSpan span;
};

struct Module {
    SourcePtr source;
    int ptx = 0;                       // .version: 10 * major + minor
    std::string target;                // "sm_90a"
    std::map<int, std::string> files;  // .file
    std::vector<Variable> variables;
    std::vector<Function> functions;
};

// The line of these that somebody who reads the CUDA source looks for: the innermost one that is not in a header of a toolkit (a file
// below a folder `include`); the outermost where all are; file 0 where there is none.
Line shown_line(const Module& module, const Origin& origin);

// "ws_pipeline.cu:38", the file without its folders; empty where there is no line.
std::string text_of(const Module& module, Line line);

// Reads a PTX file. Throws Failure with what is wrong, where, and what was expected (at most 20 diagnostics), and OverBudget. Takes time
// and memory in proportion to the text.
Module read_module(const SourcePtr& source, const Budget& budget = {});

}  // namespace litmus::kernel
