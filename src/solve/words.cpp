// Adders by ripple of carries, products by adding up shifted operands, shifts in steps of powers of two.
#include "solve/words.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace litmus {

namespace {

GaveUp too_many_floats(Type type) {
    return {"a ." + std::string(name(type)) + " operation has too many possible operands to split into cases"};
}

// Flips the sign bit: signed numbers then have the order of unsigned ones.
Word biased(Word a) {
    a.back() = -a.back();
    return a;
}

}  // namespace

Word Words::constant(uint64_t value, int bits) {
    Word w;
    for (int i = 0; i < bits; ++i) w.push_back((value >> i) & 1U ? always_true : always_false);
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

// Each bit of the amount shifts by its power of two, or fills all places when that is the width or more.
Word Words::shifted(const Word& a, const Word& amount, bool left, Lit fill) {
    Word w = a;
    for (size_t bit = 0; bit < amount.size(); ++bit) {
        const size_t by = bit < 32 ? std::min(size_t{1} << bit, w.size()) : w.size();
        Word moved(w.size(), fill);
        if (left)
            std::copy(w.begin(), w.end() - static_cast<std::ptrdiff_t>(by), moved.begin() + static_cast<std::ptrdiff_t>(by));
        else
            std::copy(w.begin() + static_cast<std::ptrdiff_t>(by), w.end(), moved.begin());
        w = choose(amount[bit], moved, w);
    }
    return w;
}

Word Words::bitwise(std::string_view operation, const Word& a, const Word& b) {
    Word w;
    for (size_t i = 0; i < a.size(); ++i)
        w.push_back(operation == "and"  ? gates_.both(a[i], b[i])
                    : operation == "or" ? gates_.either(a[i], b[i])
                                        : gates_.differ(a[i], b[i]));
    return w;
}

Word Words::apply(std::string_view operation, Type type, const Word& a, const Word& b) {
    if (operation == "and" || operation == "or" || operation == "xor") return bitwise(operation, a, b);
    if (is_float(type)) throw too_many_floats(type);
    const bool sign = is_signed(type);
    const auto width = static_cast<int>(a.size());
    const auto below = [&](const Word& x, const Word& y) { return sign ? less(biased(x), biased(y)) : less(x, y); };
    if (operation == "add") return sum(a, b);
    if (operation == "sub") return difference(a, b);
    if (operation == "mul") return product(a, b);
    if (operation == "exch") return b;
    if (operation == "min") return choose(below(b, a), b, a);
    if (operation == "max") return choose(below(a, b), b, a);
    if (operation == "shl") return shifted(a, b, true, always_false);
    if (operation == "shr") return shifted(a, b, false, sign ? a.back() : always_false);
    if (operation == "inc") return choose(less(a, b), sum(a, constant(1, width)), constant(0, width));
    if (operation == "dec") {
        const Lit again = gates_.either(equal(a, constant(0, width)), less(b, a));
        return choose(again, b, difference(a, constant(1, width)));
    }
    throw std::logic_error("operation the solver does not know: " + std::string(operation));
}

Lit Words::compare(std::string_view comparison, Type type, const Word& a, const Word& b) {
    if (is_float(type) && lanes(type) == 1) throw too_many_floats(type);
    if (comparison == "==") return equal(a, b);
    const bool sign = is_signed(type);
    const Word x = sign ? biased(a) : a, y = sign ? biased(b) : b;
    if (comparison == "<") return less(x, y);
    if (comparison == "<=") return -less(y, x);
    throw std::logic_error("comparison the solver does not know: " + std::string(comparison));
}

void Words::require_equal(Lit condition, const Word& a, const Word& b) {
    for (size_t i = 0; i < a.size(); ++i) {
        backend_.clause({-condition, -a[i], b[i]});
        backend_.clause({-condition, a[i], -b[i]});
    }
}

}  // namespace litmus
