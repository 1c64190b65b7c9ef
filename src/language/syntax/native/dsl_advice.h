// What to write instead of PTX that a test does without: the hints for code pasted from a kernel.
#pragma once

#include <string>
#include <string_view>

#include "language/syntax/native/dsl_reader.h"
#include "ptx/table.h"

namespace litmus::dsl {

// The table's refusal of a dotted name, with a better message or hint where there is one: how a test says it (litmus/language.md),
// the one word that is missing or too much, or the words that would be legal in the place of the wrong one. `pasted` is the line from the
// name on.
Refusal advise(std::string_view dotted, std::string_view pasted, Refusal refusal);

// Fails if the statement that begins with the next token is one of CUDA, although it might be an instruction by its first word, or begins
// with no word: `bar.wait(...)`, `*(volatile int*)x`. Where it does not fail, nothing is taken.
void refuse_cuda(Reader& in);

// The text of a statement, from a place up to its end or that of the line.
std::string_view pasted_from(const Reader& in, size_t begin);

// What a PTX directive, without its dot, is refused with; an empty message: no directive that kernels have.
struct Advice {
    std::string message;
    std::string hint;
};
Advice directive_advice(std::string_view directive);

// Fails if the word, without its dot, is such a directive.
void refuse_directive(const Reader& in, const DslToken& token, std::string_view word);

}  // namespace litmus::dsl
