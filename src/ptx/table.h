// The instruction table: every form of every instruction, once, as data.
//
// A row is a syntax box in the ISA's own notation (`ld.sem.scope{.ss}{.vec}.type d, [a]`) with its
// section and the least PTX version and sm_NN. Parser, legality, printer, emission and hints read it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ptx/instruction.h"
#include "ptx/type.h"

namespace litmus {

// The least PTX version (10 * major + minor: 78 is 7.8) and sm_NN that have something.
struct Version {
    int ptx = 60;
    int sm = 70;
    bool specific = false;  // the architecture's own target only: sm_100a, not sm_100 (ISA 11.1.2)
};

// The least versions that have both.
Version latest(Version a, Version b);

// One word that a slot may hold, without its dot. Words point into the text of the rows.
struct Alternative {
    std::string_view word;
    Version least;
};

// One position of a syntax box: `.type`, `{.ss}`, or a fixed word such as `.volatile`.
struct Slot {
    std::string_view name;  // of its set, or the fixed word
    std::vector<Alternative> alternatives;
    bool optional = false;
    bool joined = false;       // `{.sem.scope}`: filled exactly when the slot before it is
    bool effect = true;        // false: a hint, accepted and left out (cache operators, .aligned, ...)
    bool global_only = false;  // not beside a shared state space
    bool in_mnemonic = false;  // part of Instruction::mnemonic rather than a qualifier
};

// What an operand position takes.
struct Shape {
    std::string name;  // as the box writes it
    Role role = Role::source;
    std::optional<Type> type;       // none: the instruction's data type
    bool from_source_type = false;  // cvt: the second type
    bool optional = false;
    Version least;           // of an optional operand
    bool negatable = false;  // {!}c
    bool sink = false;       // `_` may stand here, or for elements of a vector here
    bool only_sink = false;  // `_` and nothing else
    bool symbol = false;     // the address of a location may stand here
    bool constant = false;   // a number, not a register
    bool beside = false;     // `d|p`: a second result, behind the first and `|`
    bool fragment = false;   // a matrix that may lie in registers instead: `{a0, a1, a2, a3}`
};

// What an operand that fills the shape is.
Role role_of(const Shape& shape, const Operand& operand);

struct Form {
    std::optional<Op> op;  // none: known PTX, not modelled yet
    std::string mnemonic;  // "ld", "bar.sync", "fence.proxy"
    std::vector<std::string> mnemonic_words;
    std::string section;  // of the ISA
    Version least;
    std::string box;              // the row as written
    bool any_qualifiers = false;  // only the mnemonic is known
    std::vector<Slot> slots;
    std::vector<Shape> operands;
};

const std::vector<Form>& forms();

// The section of the ISA that describes the instruction with the longest mnemonic that the name begins with; empty: the table has none.
std::string_view section_of(const std::vector<std::string>& words);

// Every name that the form accepts, word by word in the order of its box, with the least versions that have it.
void each_name(const Form& form, const std::function<void(const std::vector<std::string>& words, Version least)>& visit);

// A dotted name that the table has.
struct Spelling {
    const Form* form = nullptr;
    std::vector<std::string> qualifiers;  // hints, which have no effect, left out; in the ISA's order
    Version least;                        // hints included
};

// Why a dotted name is refused; [begin, end) is the part of it to point at.
struct Refusal {
    std::string message;
    std::string hint;
    uint32_t begin = 0;
    uint32_t end = 0;
    bool known = false;  // it is PTX, and not modelled
};

// Looks up "ld.global.acquire.gpu.u32": the qualifiers may come in any order. Known PTX that is not
// modelled is refused by name, anything else with the nearest legal form.
std::variant<Spelling, Refusal> resolve(std::string_view dotted);

// The name without those hints that no form with its other words takes: a strong access has no cache operator (ISA 9.7.9.8). As it is where
// it is a name, and where it is none without them, either.
std::string without_hints_refused(const std::string& dotted);

// The shapes that `count` operands of a form fill, in order. An awaited wait lacks its predicate. Of several operands that
// may be left out the last ones are; a cache policy stands there when `policy` says so. Fewer than `count`: there are too many.
std::vector<const Shape*> shapes_of(const Form& form, bool awaited, size_t count, bool policy = false);

// Gives an instruction its row, found by its operation and spelling, and its operands their roles. Without a row these
// stay as they are. For instructions that were put together elsewhere than in the parser, or changed.
void bind(Instruction& instruction);

// What the box says of an operand of this instruction; null where it has no row, or the row no such operand.
const Shape* shape_of(const Instruction& instruction, const Operand& operand);

// The type of an operand: what the box says of it, or else the instruction's; of a vector that of its elements.
Type operand_type(const Instruction& instruction, const Operand& operand);

// mnemonic and qualifiers, with dots: "ld.acquire.gpu.global.u32".
std::string spelling(const Instruction& instruction);

// The least versions that have an instruction of this name, and those that have it with these operands; the floor when
// it has no row.
Version least_version_of_name(const Instruction& instruction);
Version least_version(const Instruction& instruction);

// sm_NN that exist (ISA 11.1.2) and have the memory consistency model.
bool known_target(int sm);

}  // namespace litmus
