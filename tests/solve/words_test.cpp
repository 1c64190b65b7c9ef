// Words: circuits against the arithmetic of ptx/value.h, on operands that are known, free, and half known.
#include "solve/words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "ptx/mbarrier.h"
#include "ptx/value.h"

using namespace litmus;

namespace {

// Values at the edges of a type, and some between them.
std::vector<uint64_t> interesting(Type type, std::mt19937_64& random) {
    const int n = bits(type);
    std::vector<uint64_t> values{0, 1, 2, 5, uint64_t(n) - 1, uint64_t(n), uint64_t(n) + 1};
    values.push_back(truncate(~uint64_t{0}, n));
    values.push_back(uint64_t{1} << (n - 1));
    values.push_back((uint64_t{1} << (n - 1)) - 1);
    for (int i = 0; i < 3; ++i) values.push_back(truncate(random(), n));
    return values;
}

// A word for the value in which the bits of `known` are constants; the others are free, and assumed to be those of the value.
Word partly_known(Words& words, uint64_t value, uint64_t known, int width, std::vector<Lit>& assumptions) {
    const Word constant = Words::constant(value, width);
    Word word = words.fresh(width);
    for (size_t i = 0; i < word.size(); ++i) {
        if ((known >> i) & 1U)
            word[i] = constant[i];
        else
            assumptions.push_back(constant[i] == always_true ? word[i] : -word[i]);
    }
    return word;
}

uint64_t value_of(Backend& backend, const Word& word) {
    uint64_t value = 0;
    for (size_t i = 0; i < word.size(); ++i) value |= uint64_t{backend.value(word[i])} << i;
    return value;
}

// Those that have circuits.
std::vector<Operator> operations() {
    std::vector<Operator> all;
    for (const OperatorRow& r : operator_rows::all)
        if (r.op != Operator::mbarrier_step && apply(r.op, Type::u32, 0, 0)) all.push_back(r.op);
    return all;
}

}  // namespace

TEST_CASE("each operation on integers gives what ptx/value.h gives") {
    const std::unique_ptr<Backend> made = row(faster).make();
    Backend& backend = *made;
    std::mt19937_64 random(7);
    for (const Type type : {Type::u8, Type::s16, Type::u32, Type::s32, Type::u64, Type::s64}) {
        const int width = bits(type);
        const std::vector<uint64_t> values = interesting(type, random);
        for (const Operator operation : operations()) {
            backend.reset({});
            Gates gates(backend);
            Words words(backend, gates);
            for (const uint64_t a : values) {
                const uint64_t b = values[random() % values.size()];
                std::vector<Lit> assumptions;
                const Word x = partly_known(words, a, random(), width, assumptions);
                const Word y = partly_known(words, b, random(), width, assumptions);
                const Word result = words.apply(operation, type, x, y);
                REQUIRE(backend.check(assumptions) == Backend::Result::sat);
                CAPTURE(name(operation));
                CAPTURE(a);
                CAPTURE(b);
                CHECK(value_of(backend, result) == apply(operation, type, a, b));
            }
        }
    }
}

TEST_CASE("operations on known values are known: nothing is built") {
    const std::unique_ptr<Backend> made = row(faster).make();
    Backend& backend = *made;
    Gates gates(backend);
    Words words(backend, gates);
    const Lit before = backend.fresh();
    for (const Operator operation : operations())
        CHECK(words.apply(operation, Type::s32, Words::constant(77, 32), Words::constant(5, 32)) ==
              Words::constant(*apply(operation, Type::s32, 77, 5), 32));
    CHECK(backend.fresh() == before + 1);
}

TEST_CASE("each comparison gives what ptx/value.h gives") {
    const std::unique_ptr<Backend> made = row(faster).make();
    Backend& backend = *made;
    std::mt19937_64 random(8);
    for (const Type type : {Type::u8, Type::s16, Type::u32, Type::s64, Type::f16x2}) {
        const std::vector<uint64_t> values = interesting(type, random);
        for (const uint64_t a : values) {
            backend.reset({});
            Gates gates(backend);
            Words words(backend, gates);
            for (const uint64_t b : values) {
                for (const Operator comparison : {Operator::eq, Operator::ne, Operator::lt, Operator::le, Operator::gt, Operator::ge}) {
                    if (row(comparison).greater && bits(type) > 16) continue;  // those are made of the others
                    std::vector<Lit> assumptions;
                    const Word x = partly_known(words, a, random(), bits(type), assumptions);
                    const Word y = partly_known(words, b, random(), bits(type), assumptions);
                    assumptions.push_back(words.compare(comparison, type, x, y));
                    CHECK((backend.check(assumptions) == Backend::Result::sat) == compare(comparison, type, a, b));
                    assumptions.back() = -assumptions.back();
                    CHECK((backend.check(assumptions) == Backend::Result::sat) != compare(comparison, type, a, b));
                }
            }
        }
    }
}

TEST_CASE("widths: truncated, extended with zeros or the sign, parts") {
    CHECK(Words::constant(5, 128) == Words::resize(Words::constant(5, 8), 128, false));
    CHECK(Words::resize(Words::constant(0x1ff, 16), 8, true) == Words::constant(0xff, 8));
    CHECK(Words::resize(Words::constant(0x80, 8), 16, false) == Words::constant(0x80, 16));
    CHECK(Words::resize(Words::constant(0x80, 8), 16, true) == Words::constant(0xff80, 16));
    CHECK(Words::part(Words::constant(0xabc, 12), 4, 4) == Words::constant(0xb, 4));
}

TEST_CASE("words that must be equal under a condition differ only where it does not hold") {
    const std::unique_ptr<Backend> made = row(faster).make();
    Backend& backend = *made;
    Gates gates(backend);
    Words words(backend, gates);
    const Word a = words.fresh(8), b = words.fresh(8);
    const Lit condition = backend.fresh();
    words.require_equal(condition, a, b);
    CHECK(backend.check({condition, words.equal(a, b)}) == Backend::Result::sat);
    CHECK(backend.check({condition, -words.equal(a, b)}) == Backend::Result::unsat);
    CHECK(backend.check({-condition, -words.equal(a, b)}) == Backend::Result::sat);
}

TEST_CASE("floating-point operations have no circuits, and say so") {
    const std::unique_ptr<Backend> made = row(faster).make();
    Backend& backend = *made;
    Gates gates(backend);
    Words words(backend, gates);
    const Word one = Words::constant(1, 32);
    CHECK_THROWS_AS(words.apply(Operator::add, Type::f32, one, one), GaveUp);
    CHECK_THROWS_AS(words.compare(Operator::eq, Type::f32, one, one), GaveUp);
    CHECK(words.apply(Operator::xor_, Type::f32, one, one) == Words::constant(0, 32));
}
