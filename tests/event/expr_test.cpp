// Expressions: folding, sharing, evaluation.
#include "event/expr.h"

#include <doctest/doctest.h>

using namespace litmus;

namespace {

// evaluates with every read leaf worth `value`
uint64_t with_reads(const ExprPool& pool, ExprId e, uint64_t value) {
    return evaluate(pool, e, [value](const Expr&) { return value; });
}

}  // namespace

TEST_CASE("equal expressions have equal ids, whatever the order of operands or an irrelevant signedness") {
    ExprPool pool;
    const ExprId a = pool.read(0, 32), b = pool.read(1, 32);
    CHECK(pool.apply(Operator::add, Type::u32, a, b) == pool.apply(Operator::add, Type::s32, b, a));
    CHECK(pool.compare(Operator::eq, Type::b32, a, b) == pool.compare(Operator::eq, Type::s32, b, a));
    CHECK(pool.compare(Operator::lt, Type::s32, a, b) != pool.compare(Operator::lt, Type::u32, a, b));
    CHECK(pool.apply(Operator::min, Type::s32, a, b) != pool.apply(Operator::min, Type::u32, a, b));
}

TEST_CASE("a value that does not depend on what was read is a constant") {
    ExprPool pool;
    const ExprId r = pool.read(0, 32);
    CHECK(pool.apply(Operator::xor_, Type::b32, r, r) == pool.constant(0, 32));
    CHECK(pool.apply(Operator::and_, Type::b32, r, pool.constant(0, 32)) == pool.constant(0, 32));
    CHECK(pool.apply(Operator::add, Type::u32, r, pool.constant(0, 32)) == r);
    CHECK(pool.compare(Operator::le, Type::u32, r, r) == ExprPool::yes);
    CHECK(pool.apply(Operator::add, Type::u8, pool.constant(255, 8), pool.constant(1, 8)) == pool.constant(0, 8));
}

TEST_CASE("conversions between halves and f32 fold, evaluate and are kept in substitutions") {
    ExprPool pool;
    const ExprId r = pool.read(0, 16);
    CHECK(pool.widen(Type::bf16, pool.constant(0x3f80, 16)) == pool.constant(0x3f800000, 32));
    CHECK(pool.narrow(Type::f16, pool.constant(0x3f800000, 32)) == pool.constant(0x3c00, 16));
    const ExprId sum = pool.apply(Operator::add, Type::f32, pool.widen(Type::f16, r), pool.constant(0x3f800000, 32));
    const ExprId rounded = pool.narrow(Type::f16, sum);
    CHECK(with_reads(pool, sum, 0x3c00) == 0x40000000);
    CHECK(with_reads(pool, rounded, 0x3c00) == 0x4000);
    const auto one = [&](const Expr& e) { return e.op == Expr::Op::read ? std::optional(pool.constant(0x3c00, 16)) : std::nullopt; };
    CHECK(substitute(pool, rounded, one) == pool.constant(0x4000, 16));
    CHECK(substitute(pool, rounded, [](const Expr&) { return std::optional<ExprId>(); }) == rounded);
}

TEST_CASE("guards of paths that part and meet again fold back") {
    ExprPool pool;
    const ExprId g = pool.choice(0), p = pool.choice(1);
    const ExprId taken = pool.both(g, p), other = pool.both(g, pool.negate(p));
    CHECK(pool.either(taken, other) == g);
    CHECK(pool.both(taken, pool.negate(p)) == ExprPool::no);
    CHECK(pool.both(taken, p) == taken);
    CHECK(pool.either(p, pool.negate(p)) == ExprPool::yes);
    CHECK(pool.ite(p, ExprPool::yes, ExprPool::no) == p);
}

TEST_CASE("a path that was left earlier adds nothing where it comes back") {
    ExprPool pool;
    const ExprId p = pool.choice(0), q = pool.choice(1), either = pool.either(p, q);
    const ExprId neither = pool.both(pool.negate(p), pool.negate(q));
    CHECK(pool.either(either, p) == either);
    CHECK(pool.either(q, either) == either);
    CHECK(pool.either(either, pool.negate(q)) == ExprPool::yes);
    CHECK(pool.either(p, pool.both(pool.negate(p), q)) == either);
    CHECK(pool.either(either, neither) == ExprPool::yes);
}

TEST_CASE("a comparison with a choice between constants is about the choice") {
    ExprPool pool;
    const ExprId p = pool.choice(0);
    const ExprId x = pool.ite(p, pool.constant(5, 32), pool.constant(7, 32));
    CHECK(pool.compare(Operator::eq, Type::u32, x, pool.constant(5, 32)) == p);
    CHECK(pool.compare(Operator::ne, Type::u32, x, pool.constant(5, 32)) == pool.negate(p));
    CHECK(pool.compare(Operator::lt, Type::u32, x, pool.constant(5, 32)) == ExprPool::no);
}

TEST_CASE("evaluation agrees with the operations and follows only the branch that counts") {
    ExprPool pool;
    const ExprId r = pool.read(0, 32);
    const ExprId sum =
        pool.apply(Operator::add, Type::u32, pool.apply(Operator::mul, Type::u32, r, pool.constant(3, 32)), pool.constant(1, 32));
    CHECK(with_reads(pool, sum, 5) == 16);
    CHECK(with_reads(pool, pool.resize(r, 64, true), 0xffffffff) == 0xffffffffffffffff);
    CHECK(with_reads(pool, pool.resize(r, 64, false), 0xffffffff) == 0xffffffff);
    CHECK(with_reads(pool, pool.resize(r, 8, false), 0x1ff) == 0xff);
    const ExprId p = pool.choice(0);
    const ExprId guarded = pool.ite(p, r, pool.constant(9, 32));
    const uint64_t value = evaluate(pool, guarded, [](const Expr& leaf) -> uint64_t {
        REQUIRE(leaf.op == Expr::Op::choice);  // the read has no value in this execution
        return 0;
    });
    CHECK(value == 9);
}

TEST_CASE("a long chain of operations is evaluated without recursion") {
    ExprPool pool;
    ExprId e = pool.read(0, 64);
    for (uint64_t i = 0; i < 100000; ++i) e = pool.apply(i % 2 ? Operator::add : Operator::xor_, Type::u64, e, pool.constant(i + 1, 64));
    uint64_t expected = 42;
    for (uint64_t i = 0; i < 100000; ++i) expected = i % 2 ? expected + i + 1 : expected ^ (i + 1);
    CHECK(with_reads(pool, e, 42) == expected);
}
