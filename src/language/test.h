// Test: a litmus test as written, independent of the format it was written in.
//
// Scope tree, locations, threads with their instructions, and the claim. Nothing here is unrolled or
// resolved beyond names; `event/` gives it meaning. Two tests are equal when everything is but the places where it was written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "ptx/instruction.h"
#include "ptx/table.h"
#include "ptx/type.h"

namespace litmus {

enum class Dialect : uint8_t {
    native,  // the DSL of litmus/language.md
    column,  // herd's columns with the PTX architecture
    braces,  // the published mixed-proxy artifact
};

enum class Space : uint8_t { global, shared };

// Where a thread runs. Two threads are in the same CTA when gpu, cluster and cta agree, in the same
// cluster when gpu and cluster agree, and so on. Clusters and CTAs are numbered in their grid; so that no two grids share a number, that of
// the grid stands in its higher bits.
struct Placement {
    int gpu = 0;
    int cluster = 0;
    int cta = 0;
    int warp = 0;  // unique within its CTA; assigned by the parser where the text names none
    int lane = 0;
    bool warp_named = false;  // the text placed the warp; only then are single lanes meant
    friend bool operator==(const Placement&, const Placement&) = default;
};
constexpr int grid_bits = 16;  // above them stands the grid
constexpr int grid_of(int number) {
    return number >> grid_bits;
}
constexpr int in_grid(int grid, int number) {
    return grid << grid_bits | number;
}
constexpr int number_in_grid(int number) {
    return number & ((1 << grid_bits) - 1);
}
// "cta1"; of another grid than the first, "grid1.cta0".
std::string cta_name(int cta);

inline bool same_grid(const Placement& a, const Placement& b) {
    return grid_of(a.cta) == grid_of(b.cta);
}
inline bool same_cta(const Placement& a, const Placement& b) {
    return a.gpu == b.gpu && a.cluster == b.cluster && a.cta == b.cta;
}
// Whether two threads were placed in warps of one warpgroup, four whose first has a number that is a multiple of four (ISA 9.7.15.1).
inline bool same_warpgroup(const Placement& a, const Placement& b) {
    return same_cta(a, b) && a.warp_named && b.warp_named && a.warp / 4 == b.warp / 4;
}

// A declared scalar or array.
struct Location {
    std::string name;
    Space space = Space::global;
    std::optional<int> cta;  // shared: the owning CTA; none: one instance per CTA
    Type type = Type::u32;
    int count = 1;
    bool array = false;
    bool wide = false;                        // of elements of 128 bits, .b128: each counts as two of type b64, its lower half first
    std::vector<uint64_t> init;               // `count` values, bits of `type`
    std::string alias_of;                     // another location, or empty
    std::vector<std::string> points_to = {};  // a multimem address: the locations that it points to (ISA 8.2.3); otherwise empty
    Proxy proxy = Proxy::generic;             // of an alias: generic, surface, texture or constant
    bool is_mbarrier = false;
    bool is_tensor = false;      // a part of a CTA's tensor memory (ISA 9.7.16.1), which lies where shared memory does: `space` is shared
    bool is_tensor_map = false;  // a tensor map in memory, which instructions change; it has an entry in Test::tensor_maps
    std::optional<uint32_t> arrivals;  // mbarrier initialised before the test
    TextSpan span;
    friend bool operator==(const Location&, const Location&) = default;
};

// What a tensor map has for the modes im2col (ISA 5.5.4): the column of pixels that a copy moves.
struct TensorColumn {
    std::vector<int> lower, upper;  // corners of the bounding box in the dimensions W, H and D, as far as the tensor has them
    int pixels = 0;
    friend bool operator==(const TensorColumn&, const TensorColumn&) = default;
};

// Whether it is an object of the hardware, whose content has no value that a condition could name.
inline bool is_opaque(const Location& location) {
    return location.is_mbarrier || location.is_tensor || location.is_tensor_map;
}

// A tensor map (ISA 5.5.8): how an array in global memory is a tensor, and what of it a copy moves (language/tensor.h). It is a
// constant, a parameter of the kernel, unless a location has its name: then it lies in memory, and stands for `array` at first.
struct TensorMap {
    std::string name;
    std::string array;                        // the location that it stands for
    std::vector<int> dim, box;                // elements in each dimension, innermost first; where it has a column, the box is a pixel
    std::optional<TensorColumn> column = {};  // none: a map for the tiled modes
    TextSpan span;
    friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

// A kernel of the test, and when it begins (model/semantics.md section 7).
struct Grid {
    int number = 0;
    bool apart = false;             // with nothing before it: in a stream of its own
    std::vector<int> after;         // grids that have completed before it begins
    std::vector<int> programmatic;  // grids each of whose CTAs has triggered before, or has completed
    TextSpan span = {};
    friend bool operator==(const Grid&, const Grid&) = default;
};

struct Thread {
    std::string name;  // "P0"
    Placement at;
    std::vector<Instruction> body;
    std::vector<std::string> end_labels;        // labels after the last instruction
    std::map<std::string, uint64_t> registers;  // initial values (foreign formats)
    TextSpan span;
    friend bool operator==(const Thread&, const Thread&) = default;
};

// An operand of a condition's atom.
struct Term {
    enum class Kind : uint8_t { reg, location, constant };
    Kind kind = Kind::constant;
    int thread = 0;         // reg: index into Test::threads
    std::string name;       // reg, location
    int cta = -1;           // location: instance (x@cta1)
    int element = 0;        // location: array element
    uint64_t value = 0;     // constant: bits (negative integers in two's complement of 64 bits)
    bool is_float = false;  // constant written as a float; `value` then holds the f64 bits, converted
                            // to the other side's type by the comparison, unless `raw`
    bool raw = false;       // constant written as 0f/0d/0x: bits as they are
    TextSpan span;
    friend bool operator==(const Term&, const Term&) = default;
};

// A Boolean combination of comparisons.
struct Condition {
    enum class Kind : uint8_t { constant, atom, conjunction, disjunction, negation };
    Kind kind = Kind::constant;
    bool value = true;                     // constant
    Operator comparison = Operator::none;  // atom
    Term left, right;                      // atom
    std::vector<Condition> operands;       // the others
    TextSpan span;
    friend bool operator==(const Condition&, const Condition&) = default;
};

struct Claim {
    enum class Kind : uint8_t { none, exists, not_exists, forall };
    Kind kind = Kind::none;
    Condition condition;
    TextSpan span;
    std::string name = {};  // braces format: `as name`
    friend bool operator==(const Claim&, const Claim&) = default;
};

struct Test {
    Uncompared<SourcePtr> source;
    Dialect dialect = Dialect::native;
    std::string name;
    std::string doc;
    std::vector<std::string> refs;
    std::optional<int> target;     // sm_NN
    bool target_specific = false;  // sm_NNa: what that architecture has alone is there (ISA 11.1.2)
    std::optional<int> unroll;     // iterations of a loop that is no await, at least
    std::string repairs;
    Uncompared<std::map<int, std::string>> files;  // CUDA sources by number (ISA 11.5.3), which Instruction::origin names
    std::vector<Location> locations;
    std::vector<TensorMap> tensor_maps = {};
    std::optional<int> unlaunched = {};  // clusters of the grid that have not started: as many can be cancelled; none: not said
    std::vector<Grid> grids = {};        // those of which the text says when they begin
    std::vector<Thread> threads;
    std::optional<Condition> filter;
    Claim claim;
    bool claims_racefree = false;
    bool claims_undefined = false;
    bool claims_deadlock = false;
    bool claims_may_deadlock = false;
    bool claims_terminates = false;   // no execution gets stuck: the contrary of may-deadlock
    bool report_only = false;         // braces format: `check` expects nothing
    std::vector<Term> observed = {};  // column format: `locations [...]`, shown beside what the claim mentions
    friend bool operator==(const Test&, const Test&) = default;
};

const Location* find_location(const Test& test, std::string_view name);
int location_index(const Test& test, std::string_view name);  // -1: none
int find_thread(const Test& test, std::string_view name);     // -1: none

// An element as it is declared: its size and type; and what stands behind the location's name for the element of this number, such as
// "[1]", of a scalar nothing; ".lo" and "[1].hi" where elements have 128 bits.
int element_bytes(const Location& location);
std::string_view element_type(const Location& location);
std::string element_suffix(const Location& location, int element);

// What an execution would have to satisfy to decide the claim: for `forall`, the contrary of the condition.
Condition in_question(const Claim& claim);

// The type a term is compared in: of its location's elements, or the widest that the register is written at in
// its thread; none for constants and registers nothing defines.
std::optional<Type> term_type(const Test& test, const Term& term);

// The first instruction whose text is not its own (Wording); null: there is none.
const Instruction* first_reworded(const Test& test);

// The type of the register that this instruction writes; none when it writes none.
std::optional<Type> written_type(const Instruction& instruction);

// The registers that it writes: several for a vector, and for setp with two predicates.
std::vector<std::string> written_registers(const Instruction& instruction);

// The declaration that a location is an alias of, at the end of a chain of them; itself when it is none.
int physical_location(const Test& test, int location);

// The CTAs of a test by number: those with threads, and those that shared locations are declared in, which live in
// cluster 0 of GPU 0 when they have none.
std::map<int, Placement> ctas_of(const Test& test);
bool same_cluster(const Placement& a, const Placement& b);

// The grids that have threads, in the order of their numbers. One of which the text says nothing begins when all of smaller numbers that
// are not apart have completed: they are of one stream.
std::vector<Grid> grids_of(const Test& test);

// Whether the target that the test names has what asks for this version; a test that names none has everything.
bool target_has(const Test& test, Version least);

}  // namespace litmus
