// The parts of a model's text, the model without one of them, and the model in which each is a choice.
//
// A part is what can be deleted so that a model is left: an axiom, a flag, a reading, a member of a union, a conjunct, an
// exception (what stands to the right of `\`), a step of a composition, a closure. Deleting a part of a function changes all its calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cat/model.h"

namespace litmus {

struct ModelPart {
    enum class Kind : uint8_t {
        axiom,
        flag,
        reading,      // everywhere: `if "reading" then x else y` becomes y
        alternative,  // a | b  ->  a; of `if "reading" then x else y`, y  ->  0
        conjunct,     // a & b  ->  a
        exception,    // a \ b  ->  a
        step,         // a; b  ->  a, where b may be a guard [S]
        closure,      // a?  ->  a;  a+  ->  a;  a*  ->  a+, and a*  ->  a?
    };
    Kind kind = Kind::axiom;
    SourcePtr source;
    Span span;           // of what is deleted; of a closure and what it is of
    std::string text;    // that, on one line
    std::string within;  // the definition, axiom or flag that it stands in; of a reading its name
    std::string id;      // "release: step [releasing-fence]"; of several alike in one definition the later ones with " #2" ...

    // How it is deleted from the tree of the file (parts.cpp).
    enum class Edit : uint8_t { drop_statement, replace, reshape, empty, switch_off };
    Edit edit = Edit::drop_statement;
    uint32_t target = 0, instead = 0;  // a statement; a term, and the one to stand in its place
    Node::Op op = Node::Op::empty;     // to reshape a closure
};

std::string_view name(ModelPart::Kind kind);

// The parts of an open model, its included files and its readings among them, in the order of the text.
std::vector<ModelPart> parts_of(const Model& open);

// The open model without the part, which is one of parts_of(open).
Model without(const Model& open, const ModelPart& part);

// The open model in whose graph these parts, of parts_of(open), are choices: one is deleted under the variant that variant_of names. An
// axiom or a flag that is deleted keeps its place; the axiom holds of every execution, the flag of none.
Model with_open_parts(const Model& open, const std::vector<ModelPart>& parts);
// A quotation mark begins it: a variant that a text asks for has none.
std::string variant_of(const ModelPart& part);

}  // namespace litmus
