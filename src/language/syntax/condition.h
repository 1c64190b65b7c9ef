// The grammar of conditions, which every format of a test has:
//
//     condition   = conjunction { "\/" conjunction }
//     conjunction = primary { "/\" primary }
//     primary     = "~" primary | "(" condition ")" | "true" | "false" | term comparison term
//
// How the marks are spelled, what a term is and how deep a condition may be nested is for the format to say.
#pragma once

#include <cstdint>

#include "base/source.h"
#include "language/test.h"

namespace litmus {

class ConditionParser {
public:
    virtual ~ConditionParser() = default;

    // The condition that begins at the next token. Throws Failure.
    Condition parse();

protected:
    enum class Mark : uint8_t { either, both, negation, open, yes, no };

    // Takes the next token when it is this mark.
    virtual bool accept(Mark mark) = 0;
    // Takes the `)` that must come next.
    virtual void close() = 0;
    // Reads both terms of an atom and what stands between them.
    virtual void comparison(Condition& atom) = 0;
    // Throws Failure where a primary begins that is nested too deeply: within so many negations and parentheses.
    virtual void check_depth(int depth) = 0;
    // The place of the next token, and the end of the last one taken.
    virtual Span next() = 0;
    virtual uint32_t last_end() const = 0;

private:
    Condition chain(Condition::Kind kind, int depth);
    Condition primary(int depth);
};

}  // namespace litmus
