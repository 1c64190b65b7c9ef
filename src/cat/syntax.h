// The text of a cat file as a tree, names not yet resolved; its words lie in the text. Used inside cat/ only.
//
//   model      = [ title ] statement*                     title: a name or a "string"
//   statement  = "let" binding ("and" binding)*           bodies see what was defined before
//              | "let" "rec" binding ("and" binding)*     least fixpoint of the relations together
//              | "include" "file.cat"
//              | "reading" "name" ("weakest" | "default" | "strongest") "meaning" {"refuted" ["by"] "name, name"}
//              | ["flag"] ["~"] ("empty" | "irreflexive" | "acyclic") term ["as" name]
//   binding    = name ["(" name ("," name)* ")"] ["phrase"] "=" term
//   term       = term op term          op, loosest first:  |   ;   \   &   *     all to the left
//              | "~" term
//              | term ("+" | "*" | "?" | "^-1")
//              | name | name "(" term ("," term)* ")" | "0" | "[" term "]" | "(" term ")"
//              | "if" "variant" "then" term "else" term
//   comments   = (* nested *)  and  // to the end of the line
//
// `*` after an operand is the product when an operand follows, otherwise the closure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cat/model.h"

namespace litmus::cat {

// Before the name of a compiler among those that refuted a reading (Reading::refuted).
inline constexpr std::string_view by_compiler = "by ";

using TermId = uint32_t;  // index into File::terms

struct Term {
    enum class Kind : uint8_t {
        name,       // text
        zero,       // 0
        operation,  // op over args
        call,       // text(args)
        choice,     // if "text" then args[0] else args[1]
    };
    Kind kind = Kind::name;
    Node::Op op = Node::Op::empty;
    std::string_view text;
    std::vector<TermId> args;
    Span span;
};

struct Binding {
    std::string_view name;
    std::vector<std::string_view> parameters;  // none: a set or relation
    TermId body = 0;
    Span span;                // of the name
    std::string_view phrase;  // "A synchronizes with B"; empty: none
};

struct Let {
    bool recursive = false;
    std::vector<Binding> bindings;
};

struct Include {
    std::string_view file;
    Span span;
};

struct Check {
    Constraint::Kind kind = Constraint::Kind::empty;
    bool negated = false;
    bool flag = false;
    TermId term = 0;
    std::string_view name;  // empty: none given
    Span span;
};

using Statement = std::variant<Let, Include, Check, Reading>;

struct File {
    SourcePtr source;
    std::string_view title;
    std::vector<Term> terms;
    std::vector<Statement> statements;
};

// Throws Failure with the place of the first error.
File parse(const SourcePtr& source);

// The name of the source that holds what every model may call by name beside the base names.
inline constexpr const char* derived_names = "<derived names>";

// An open model from its main file. `edit`, if there is one, changes each file that takes part before it is read on. Throws as
// parse_open_model.
Model elaborate(const SourcePtr& source, const std::function<void(File&)>& edit = nullptr);

}  // namespace litmus::cat
