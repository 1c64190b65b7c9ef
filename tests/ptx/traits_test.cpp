// The tables of operations and kinds, and that of operators: what no row says of itself.
#include "ptx/traits.h"

#include <doctest/doctest.h>

#include "ptx/operators.h"
#include "ptx/table.h"
#include "ptx/value.h"
#include "turn.h"

using namespace litmus;

TEST_CASE("every operation that a form has is a row, and so is its kind") {
    for (const Form& form : forms()) {
        if (!form.op) continue;
        CHECK(traits(*form.op).op == *form.op);
        CHECK(traits(kind(*form.op)).kind == kind(*form.op));
    }
}

TEST_CASE("what blocks orders, and so do fences and barriers; what the lanes of a warp exchange does not") {
    for (size_t i = 0; i <= static_cast<size_t>(Op::last); ++i) {
        const Op op = static_cast<Op>(i);
        const KindTraits::Orders orders = traits(kind(op)).orders;
        if (traits(op).waits)
            CHECK((orders != KindTraits::Orders::none) ==
                  (kind(op) != Traits::Kind::warp_reduction && kind(op) != Traits::Kind::warp_matrix));
        if (traits(op).family == Traits::Family::fences) CHECK(orders == KindTraits::Orders::fence);
        if (traits(op).family == Traits::Family::barriers) CHECK(orders == KindTraits::Orders::barrier);
    }
}

TEST_CASE("an instruction of two values is named as an operator, and so is what an atomic or a reduction does") {
    for (const Form& form : forms())
        if (form.op == Op::binary) CHECK_MESSAGE(operator_named(form.mnemonic) != Operator::none, form.box);
    Instruction sub;
    sub.op = Op::binary;
    sub.mnemonic = "sub";
    CHECK(operation(sub) == Operator::sub);
}

TEST_CASE("what the rows of operators say holds of all pairs of 8-bit values") {
    using Gives = OperatorRow::Gives;
    const Turn turn = turn_in_brief();
    for (const OperatorRow& r : operator_rows::all) {
        if (r.op == Operator::mbarrier_step) continue;
        CAPTURE(r.name);
        CHECK(operator_named(r.name) == r.op);
        for (const Type type : {Type::u8, Type::s8}) {
            int wrong = 0;
            const auto gives = [&](Gives what, uint64_t operand, uint64_t result) {
                if (what == Gives::operand && result != operand) ++wrong;
                if (what == Gives::zero && result != 0) ++wrong;
            };
            for (uint64_t a = 0; a < 256; ++a) {
                if (!turn.has(a)) continue;
                for (uint64_t b = 0; b < 256; ++b) {
                    if (compares(r.op)) {
                        if (compare(r.op, type, a, b) == compare(r.contrary, type, a, b)) ++wrong;
                        if (r.commutes && compare(r.op, type, a, b) != compare(r.op, type, b, a)) ++wrong;
                        if (!r.signedness && compare(r.op, Type::u8, a, b) != compare(r.op, Type::s8, a, b)) ++wrong;
                        continue;
                    }
                    const auto result = apply(r.op, type, a, b);
                    if (!result) continue;
                    if (r.commutes && apply(r.op, type, b, a) != result) ++wrong;
                    if (r.idempotent && apply(r.op, type, *result, b) != result) ++wrong;
                    if (!r.signedness && apply(r.op, Type::u8, a, b) != apply(r.op, Type::s8, a, b)) ++wrong;
                    if (a == b) gives(r.same, a, *result);
                    if (b == 0) gives(r.with_zero, a, *result);
                    if (a == 0) gives(r.from_zero, b, *result);
                }
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("comparisons by their symbols, and by their names in PTX") {
    for (const char* text : {"==", "!=", "<", "<=", ">", ">="}) CHECK(symbol(comparison_of(text)) == text);
    CHECK(comparison_of("=") == Operator::none);
    CHECK(comparison_of("") == Operator::none);
    CHECK(comparison_named("lo") == Operator::lt);
    CHECK(comparison_named("ls") == Operator::le);
    CHECK(comparison_named("hi") == Operator::gt);
    CHECK(comparison_named("hs") == Operator::ge);
    CHECK(comparison_named("ne") == Operator::ne);
    CHECK(comparison_named("add") == Operator::none);
    CHECK(comparison_named("") == Operator::none);
}
