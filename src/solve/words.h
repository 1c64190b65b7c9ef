// Words: machine integers as circuits of literals, for values that are not one of a few constants.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/operators.h"
#include "ptx/type.h"
#include "solve/gates.h"

namespace litmus {

using Word = std::vector<Lit>;  // the least significant bit first

// Floating-point operations have no circuits.
GaveUp too_many_floats(Type type);

// Builds words over a backend. Bits that are known stay constants, and what follows from them is not built.
class Words {
public:
    Words(Backend& backend, Gates& gates) : backend_(backend), gates_(gates) {}

    static Word constant(uint64_t value, int bits);
    Word fresh(int bits);  // a free variable

    // What ptx/value.h's function of this name makes of the operands' values, for integer types. Floating-point operations
    // have no circuits: they throw GaveUp, as comparisons do.
    Word apply(Operator operation, Type type, const Word& a, const Word& b);
    Lit compare(Operator comparison, Type type, const Word& a, const Word& b);

    Lit equal(const Word& a, const Word& b);                              // of the same width
    Lit less(const Word& a, const Word& b);                               // unsigned
    Word choose(Lit condition, const Word& then, const Word& otherwise);  // of the same width
    static Word resize(const Word& a, int bits, bool sign);               // truncated, or extended
    static Word part(const Word& a, int at, int bits);                    // bits [at, at + bits)
    Word sum(const Word& a, const Word& b, Lit carry = always_false);     // modulo 2^width
    Word difference(const Word& a, const Word& b) { return sum(a, negated(b), always_true); }
    void require_equal(Lit condition, const Word& a, const Word& b);  // where the condition holds

private:
    static Word negated(Word a);
    Word product(const Word& a, const Word& b);
    Word quotient(bool whole, bool sign, const Word& a, const Word& b);
    Word shifted(const Word& a, const Word& amount, bool left, Lit fill);

    Backend& backend_;
    Gates& gates_;
};

}  // namespace litmus
