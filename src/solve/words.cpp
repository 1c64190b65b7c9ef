// Adders by ripple of carries, products by adding up shifted operands, quotients by long division, shifts in steps of powers of two.
#include "solve/words.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace litmus {

GaveUp too_many_floats(Type type) {
    return {"a ." + std::string(name(type)) + " operation has too many possible operands to split into cases"};
}

namespace {

// Flips the sign bit: signed numbers then have the order of unsigned ones.
Word biased(Word a) {
    a.back() = -a.back();
    return a;
}

}  // namespace

Word Words::constant(uint64_t value, int bits) {
    Word w;
    for (int i = 0; i < bits; ++i) w.push_back(i < 64 && ((value >> i) & 1U) != 0 ? always_true : always_false);
    return w;
}

Word Words::fresh(int bits) {
    Word w;
    for (int i = 0; i < bits; ++i) w.push_back(backend_.fresh());
    return w;
}

Word Words::negated(Word a) {
    for (Lit& l : a) l = -l;
    return a;
}

Lit Words::equal(const Word& a, const Word& b) {
    Conjunction same;
    for (size_t i = 0; i < a.size(); ++i) same.push_back(-gates_.differ(a[i], b[i]));
    return gates_.define({same}, {true, true});
}

// From the lowest bit up: where two bits differ, the higher place decides.
Lit Words::less(const Word& a, const Word& b) {
    Lit result = always_false;
    for (size_t i = 0; i < a.size(); ++i) result = gates_.choose(gates_.differ(a[i], b[i]), b[i], result);
    return result;
}

Word Words::choose(Lit condition, const Word& then, const Word& otherwise) {
    Word w;
    for (size_t i = 0; i < then.size(); ++i) w.push_back(gates_.choose(condition, then[i], otherwise[i]));
    return w;
}

Word Words::resize(const Word& a, int bits, bool sign) {
    Word w = a;
    w.resize(static_cast<size_t>(bits), sign ? a.back() : always_false);
    return w;
}

Word Words::part(const Word& a, int at, int bits) {
    return {a.begin() + at, a.begin() + at + bits};
}

Word Words::sum(const Word& a, const Word& b, Lit carry) {
    Word w;
    for (size_t i = 0; i < a.size(); ++i) {
        const Lit differ = gates_.differ(a[i], b[i]);
        w.push_back(gates_.differ(differ, carry));
        if (i + 1 < a.size()) carry = gates_.choose(differ, carry, a[i]);
    }
    return w;
}

Word Words::product(const Word& a, const Word& b) {
    const auto width = static_cast<int>(a.size());
    Word total = constant(0, width);
    for (int i = 0; i < width; ++i) {
        Word row = constant(0, i);
        for (int j = 0; i + j < width; ++j) row.push_back(gates_.both(a[static_cast<size_t>(j)], b[static_cast<size_t>(i)]));
        total = sum(total, row);
    }
    return total;
}

// Long division of magnitudes: from the highest bit of the dividend on, what is left grows by a bit, and the divisor is taken from it where
// it is not larger. The quotient is negative where the signs differ, the remainder where the dividend is. By 0 the quotient is 0, and the
// dividend remains.
Word Words::quotient(bool whole, bool sign, const Word& a, const Word& b) {
    const auto width = static_cast<int>(a.size());
    const Word zero = constant(0, width);
    const auto negated_if = [&](Lit condition, const Word& w) { return choose(condition, difference(zero, w), w); };
    const Lit a_negative = sign ? a.back() : always_false, b_negative = sign ? b.back() : always_false;
    const Word dividend = negated_if(a_negative, a), divisor = resize(negated_if(b_negative, b), width + 1, false);
    Word left = constant(0, width + 1), result(a.size(), always_false);
    for (int i = width - 1; i >= 0; --i) {
        left.pop_back();  // never set: what is left is less than the divisor, or, of a division by 0, the bits of the dividend so far
        left.insert(left.begin(), dividend[static_cast<size_t>(i)]);
        const Lit goes = -less(left, divisor);
        result[static_cast<size_t>(i)] = goes;
        left = choose(goes, difference(left, divisor), left);
    }
    left.pop_back();
    if (!whole) return negated_if(a_negative, left);
    return choose(equal(b, zero), zero, negated_if(gates_.differ(a_negative, b_negative), result));
}

// Each bit of the amount shifts by its power of two. Any bit whose power is the width or more fills all places.
Word Words::shifted(const Word& a, const Word& amount, bool left, Lit fill) {
    Word w = a;
    std::vector<Lit> fills;
    for (size_t bit = 0; bit < amount.size(); ++bit) {
        if (bit >= 32 || (size_t{1} << bit) >= w.size()) {
            fills.push_back(amount[bit]);
            continue;
        }
        const auto by = static_cast<std::ptrdiff_t>(size_t{1} << bit);
        Word moved(w.size(), fill);
        if (left)
            std::copy(w.begin(), w.end() - by, moved.begin() + by);
        else
            std::copy(w.begin() + by, w.end(), moved.begin());
        w = choose(amount[bit], moved, w);
    }
    return choose(gates_.any(fills), Word(w.size(), fill), w);
}

Word Words::apply(Operator operation, Type type, const Word& a, const Word& b) {
    if (is_float(type) && row(operation).on != OperatorRow::Domain::bits) throw too_many_floats(type);
    const bool sign = is_signed(type);
    const auto width = static_cast<int>(a.size());
    const auto below = [&](const Word& x, const Word& y) { return sign ? less(biased(x), biased(y)) : less(x, y); };
    const auto bitwise = [&](auto gate) {
        Word w;
        for (size_t i = 0; i < a.size(); ++i) w.push_back((gates_.*gate)(a[i], b[i]));
        return w;
    };
    switch (operation) {
        case Operator::add:
            return sum(a, b);
        case Operator::sub:
            return difference(a, b);
        case Operator::mul:
            return product(a, b);
        case Operator::div:
        case Operator::rem:
            return quotient(operation == Operator::div, sign, a, b);
        case Operator::and_:
            return bitwise(&Gates::both);
        case Operator::or_:
            return bitwise(&Gates::either);
        case Operator::xor_:
            return bitwise(&Gates::differ);
        case Operator::min:
            return choose(below(b, a), b, a);
        case Operator::max:
            return choose(below(a, b), b, a);
        case Operator::inc:
            return choose(less(a, b), sum(a, constant(1, width)), constant(0, width));
        case Operator::dec: {
            const Lit again = gates_.either(equal(a, constant(0, width)), less(b, a));
            return choose(again, b, difference(a, constant(1, width)));
        }
        case Operator::exch:
            return b;
        case Operator::shl:
            return shifted(a, b, true, always_false);
        case Operator::shr:
            return shifted(a, b, false, sign ? a.back() : always_false);
        case Operator::mbarrier_step:  // values.cpp has it
        case Operator::add_ftz:
        case Operator::add_snan:
        case Operator::none:
        case Operator::cas:
        case Operator::popc:
        case Operator::eq:
        case Operator::ne:
        case Operator::lt:
        case Operator::le:
        case Operator::gt:
        case Operator::ge:
            break;
    }
    throw std::logic_error("operation the solver does not know: " + std::string(name(operation)));
}

Lit Words::compare(Operator comparison, Type type, const Word& a, const Word& b) {
    if (is_float(type) && lanes(type) == 1) throw too_many_floats(type);
    const OperatorRow& r = row(comparison);
    if (r.less == r.greater) return r.equal ? equal(a, b) : -equal(a, b);
    const bool sign = is_signed(type);
    const Word x = sign ? biased(a) : a, y = sign ? biased(b) : b;
    const Word &low = r.less ? x : y, &high = r.less ? y : x;
    return r.equal ? -less(high, low) : less(low, high);
}

void Words::require_equal(Lit condition, const Word& a, const Word& b) {
    for (size_t i = 0; i < a.size(); ++i) {
        backend_.clause({-condition, -a[i], b[i]});
        backend_.clause({-condition, a[i], -b[i]});
    }
}

}  // namespace litmus
