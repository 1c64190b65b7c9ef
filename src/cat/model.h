// Model: a cat file elaborated to a graph of sets and relations, and the constraints on them.
//
// Functions are inlined, names resolved, equal subterms shared; what is left is data that both
// engines read. Nodes stand after their arguments, except that a `recursive` node stands before its
// body: it is the least fixpoint of `args[0]` (of all equations of its `let rec` together). A node owns no memory, so that a
// graph is copied as one block: its texts lie in the sources of the model, or are names of event/program.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus {

using NodeId = uint32_t;

// What a node is made of: at most two nodes.
class Arguments {
public:
    Arguments() = default;
    Arguments(std::initializer_list<NodeId> nodes) {
        for (const NodeId node : nodes) push_back(node);
    }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const NodeId* begin() const { return nodes_.data(); }
    const NodeId* end() const { return nodes_.data() + size_; }
    NodeId* begin() { return nodes_.data(); }
    NodeId* end() { return nodes_.data() + size_; }
    NodeId operator[](size_t i) const { return nodes_[i]; }
    NodeId& operator[](size_t i) { return nodes_[i]; }
    void push_back(NodeId node) { nodes_.at(size_++) = node; }
    void pop_back() { --size_; }

private:
    std::array<NodeId, 2> nodes_{};
    uint8_t size_ = 0;
};

struct Node {
    enum class Op : uint8_t {
        base,   // name: a set or relation of event/program.h base_names()
        empty,  // the empty relation or set
        union_,
        intersection,
        difference,
        sequence,
        complement,   // of a set in all events, of a relation in all pairs
        optional,     // r?
        plus,         // r+
        star,         // r*
        inverse,      // r^-1
        restriction,  // [S]
        product,      // S * T
        domain,
        range,
        recursive,  // variable of a let rec; args[0] is its equation
        choice,     // args[0] under `variant`, else args[1]; in open models only
    };
    Op op = Op::base;
    bool is_set = false;
    Arguments args;
    std::string_view name;  // base: its name; otherwise the let-bound name, if any, for explanations
    Span span;
    std::string_view variant;  // of a choice
    uint32_t file = 0;         // index into Model::sources
    uint32_t recursion = 0;    // which `let rec` it takes part in (a variable, or a term over one); 0: none
    std::string_view phrase;   // what its name says of two events, "A synchronizes with B", or of one; empty: nothing is told
    std::string_view section;  // of the ISA, cited where the name is bound; empty: none
};

struct Constraint {
    enum class Kind : uint8_t { empty, irreflexive, acyclic };
    Kind kind = Kind::empty;
    bool negated = false;  // ~empty, ~acyclic ...
    bool flag = false;     // reported when it holds, never forbids
    NodeId node = 0;
    std::string name;  // `as name`; otherwise "empty#3" by position
    Span span;
    uint32_t file = 0;    // index into Model::sources
    std::string section;  // of the ISA, cited where it stands; empty: none
    std::string meaning;  // the comment that stands with it, its first sentence; empty: none
};

// A variant that stands for one way to read the ISA where it is silent, `reading "name" default "meaning"`: on from
// this base on. `weakest` has the fewest, `strongest` all. `refuted "H100, H200"` after it: these devices show what the
// reading forbids. `refuted by "ptxas 13.0"`: it comes up where this compiler moved, merged or dropped instructions.
// `for "..." against "..." safe "..."`: the argument, code in backticks.
struct Reading {
    enum class Base : uint8_t { weakest, default_, strongest };
    struct Argument {
        std::string in_favour, against;
        std::string safe;  // what a program does that is right whoever has it
    };
    std::string name;
    Base base = Base::strongest;
    std::string meaning;
    std::vector<std::string> refuted;  // devices, and compilers as "by ptxas 13.0"
    Argument argument = {};            // each of its texts may be empty; of the shipped models none is
    Span span;
};

// The text that a model came of, and how it was read.
struct ModelText {
    std::string name;                // "ptx", or the path it was read from
    SourcePtr source;                // the main file
    std::vector<SourcePtr> sources;  // the main file first; spans of nodes and constraints point into these
    std::string title;
    std::string hash;                          // SHA-256 of the text with its includes and active variants
    std::vector<std::string> variants;         // every variant the text asks for
    std::vector<std::string> active_variants;  // those switched on
    std::vector<Reading> readings;             // the variants that are readings, in the order of the text
};

struct Model : ModelText {
    std::vector<Node> nodes;  // those that a constraint needs
    std::vector<Constraint> constraints;
    bool mentions(std::string_view base) const;  // whether the base name is used by a constraint
};

inline constexpr size_t most_model_bytes = size_t{1} << 20;  // of each file

// A model shipped with the tool ("ptx") or a path to a cat file. `include "f.cat"` looks beside the
// including file and below (not for a source named in angle brackets, "<stdin>"; links that lead elsewhere are refused), then
// among the shipped models.
// Throws Failure (file:line:col) for what it cannot read, and for a variant that the text does not ask for.
// `base`: the readings that are on beside the variants; none: no reading is.
Model load_model(const std::string& name_or_path, const std::vector<std::string>& variants,
                 std::optional<Reading::Base> base = std::nullopt);
Model parse_model(const SourcePtr& source, const std::vector<std::string>& variants, std::optional<Reading::Base> base = std::nullopt);

// The same with no variant switched on or off: an open model, in whose graph the choices stand. The
// solver takes one (solve/inquiry.h), the concrete engine does not.
Model load_open_model(const std::string& name_or_path);
Model parse_open_model(const SourcePtr& source);
// An open model with its choices made. Throws Failure for a variant that it does not ask for.
Model with_variants(const Model& open, const std::vector<std::string>& variants);

// The model with only the constraints that `keep` says yes to, and only the nodes that these need.
Model restricted(Model model, const std::function<bool(const Constraint&)>& keep);

struct ShippedModel {
    std::string_view name;   // "ptx"
    std::string_view title;  // the string at the head of the file
    std::string_view text;
};
const std::vector<ShippedModel>& shipped_models();  // prelude excluded; generated by CMake from model/*.cat

}  // namespace litmus
