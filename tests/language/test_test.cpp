// Equality and look-up of tests.
#include "language/test.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

#include "ptx/table.h"

using namespace litmus;

namespace {

Test small() {
    Test test;
    test.name = "t";
    Location x;
    x.name = "x";
    x.init = {0};
    test.locations = {x};
    Thread thread;
    thread.name = "P0";
    Instruction load;
    load.op = Op::ld;
    load.mnemonic = "ld";
    load.qualifiers = {"relaxed", "cluster", "s64"};
    Operand reg;
    reg.name = "r0";
    Operand address;
    address.kind = Operand::Kind::address;
    address.name = "x";
    load.operands = {reg, address};
    bind(load);
    thread.body = {load};
    test.threads = {thread};
    Term left;
    left.kind = Term::Kind::reg;
    left.name = "r0";
    test.claim.kind = Claim::Kind::exists;
    test.claim.condition.kind = Condition::Kind::atom;
    test.claim.condition.comparison = Operator::eq;
    test.claim.condition.left = left;
    return test;
}

// Gives a field of `test` another value, and back. The fields are reached by structured bindings: a field that is added
// does not compile before it is changed below too.
template <typename Field>
bool is_seen(const Test& test, Field& field, std::type_identity_t<Field> other) {
    const Test before = test;
    std::swap(field, other);
    const bool seen = test != before;
    std::swap(field, other);
    CHECK(test == before);
    return seen;
}

void check_operand(const Test& test, Operand& operand) {
    auto& [kind, role, name, value, is_float, negated, indirect, offset, cta, elements, span] = operand;
    CHECK(is_seen(test, kind, Operand::Kind::sink));
    CHECK(is_seen(test, role, Role::swap));
    CHECK(is_seen(test, name, {"other"}));
    CHECK(is_seen(test, value, 7));
    CHECK(is_seen(test, is_float, true));
    CHECK(is_seen(test, negated, true));
    CHECK(is_seen(test, indirect, true));
    CHECK(is_seen(test, offset, 4));
    CHECK(is_seen(test, cta, 5));
    CHECK(is_seen(test, elements, {Operand{}}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
}

void check_instruction(const Test& test, Instruction& instruction) {
    auto& [op, row, mnemonic, qualifiers, operands, guard, await, expect, labels, origin, span, spelled, wording] = instruction;
    CHECK(is_seen(test, op, Op::st));
    CHECK_FALSE(is_seen(test, row, FormOf{&forms()[0]}));
    CHECK_FALSE(is_seen(test, origin, CudaLine{1, 2}));
    CHECK(is_seen(test, mnemonic, {"st"}));
    CHECK(is_seen(test, qualifiers, {"u32"}));
    CHECK(is_seen(test, operands, {}));
    CHECK(is_seen(test, guard, {}));
    CHECK(is_seen(test, await, true));
    CHECK(is_seen(test, expect, {}));
    CHECK(is_seen(test, labels, {"L"}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
    CHECK_FALSE(is_seen(test, spelled, Span{1, 2}));
    CHECK_FALSE(is_seen(test, wording, Wording{false}));
    check_operand(test, operands[0]);

    auto& [reg, negated] = *guard;
    CHECK(is_seen(test, reg, {"q"}));
    CHECK(is_seen(test, negated, true));

    auto& [comparison, value] = *expect;
    CHECK(is_seen(test, comparison, Operator::lt));
    check_operand(test, value);
}

void check_location(const Test& test, Location& location) {
    auto& [name, space, cta, type, count, array, wide, init, alias_of, points_to, proxy, is_mbarrier, is_tensor, is_tensor_map, arrivals,
           span] = location;
    CHECK(is_seen(test, name, {"y"}));
    CHECK(is_seen(test, space, Space::shared));
    CHECK(is_seen(test, cta, {1}));
    CHECK(is_seen(test, type, Type::s32));
    CHECK(is_seen(test, count, 2));
    CHECK(is_seen(test, array, true));
    CHECK(is_seen(test, wide, true));
    CHECK(is_seen(test, init, {1}));
    CHECK(is_seen(test, alias_of, {"z"}));
    CHECK(is_seen(test, points_to, {"z"}));
    CHECK(is_seen(test, proxy, Proxy::surface));
    CHECK(is_seen(test, is_mbarrier, true));
    CHECK(is_seen(test, is_tensor, true));
    CHECK(is_seen(test, is_tensor_map, true));
    CHECK(is_seen(test, arrivals, {1}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
}

void check_thread(const Test& test, Thread& thread) {
    auto& [name, at, body, end_labels, registers, span] = thread;
    CHECK(is_seen(test, name, {"P1"}));
    CHECK(is_seen(test, body, {}));
    CHECK(is_seen(test, end_labels, {"L"}));
    CHECK(is_seen(test, registers, {{"r1", 0}}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));

    auto& [gpu, cluster, cta, warp, lane, warp_named] = at;
    CHECK(is_seen(test, gpu, 1));
    CHECK(is_seen(test, cluster, 1));
    CHECK(is_seen(test, cta, 1));
    CHECK(is_seen(test, warp, 1));
    CHECK(is_seen(test, lane, 1));
    CHECK(is_seen(test, warp_named, true));
}

void check_term(const Test& test, Term& term) {
    auto& [kind, thread, name, cta, element, value, is_float, raw, span] = term;
    CHECK(is_seen(test, kind, Term::Kind::location));
    CHECK(is_seen(test, thread, 1));
    CHECK(is_seen(test, name, {"other"}));
    CHECK(is_seen(test, cta, 5));
    CHECK(is_seen(test, element, 1));
    CHECK(is_seen(test, value, 7));
    CHECK(is_seen(test, is_float, true));
    CHECK(is_seen(test, raw, true));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
}

void check_claim(const Test& test, Claim& claim) {
    auto& [kind, condition, claim_span, name] = claim;
    CHECK(is_seen(test, kind, Claim::Kind::forall));
    CHECK(is_seen(test, name, {"n"}));
    CHECK_FALSE(is_seen(test, claim_span, Span{1, 2}));

    auto& [condition_kind, value, comparison, left, right, operands, span] = condition;
    CHECK(is_seen(test, condition_kind, Condition::Kind::negation));
    CHECK(is_seen(test, value, false));
    CHECK(is_seen(test, comparison, Operator::ne));
    check_term(test, left);
    check_term(test, right);
    CHECK(is_seen(test, operands, {Condition{}}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
}

}  // namespace

TEST_CASE("equality sees every field but the places where it was written") {
    Test test = small();
    test.threads[0].body[0].guard = Guard{"p", false};
    test.threads[0].body[0].expect = Expectation{Operator::eq, {}};
    auto& [source, dialect, name, doc, refs, target, target_specific, unroll, repairs, files, locations, tensor_maps, unlaunched, grids,
           threads, filter, claim, racefree, undefined, deadlock, may_deadlock, terminates, report_only, observed] = test;
    CHECK_FALSE(is_seen(test, source, make_source("elsewhere", "")));
    CHECK(is_seen(test, dialect, Dialect::column));
    CHECK_FALSE(is_seen(test, files, std::map<int, std::string>{{1, "k.cu"}}));
    CHECK(is_seen(test, name, {"u"}));
    CHECK(is_seen(test, doc, {"d"}));
    CHECK(is_seen(test, refs, {"r"}));
    CHECK(is_seen(test, target, {90}));
    CHECK(is_seen(test, target_specific, true));
    CHECK(is_seen(test, unroll, {3}));
    CHECK(is_seen(test, repairs, {"o"}));
    CHECK(is_seen(test, locations, {}));
    CHECK(is_seen(test, tensor_maps, {TensorMap{}}));
    CHECK(is_seen(test, threads, {}));
    CHECK(is_seen(test, unlaunched, {3}));
    CHECK(is_seen(test, grids, {Grid{}}));
    CHECK(is_seen(test, filter, {Condition{}}));
    CHECK(is_seen(test, racefree, true));
    CHECK(is_seen(test, undefined, true));
    CHECK(is_seen(test, deadlock, true));
    CHECK(is_seen(test, may_deadlock, true));
    CHECK(is_seen(test, terminates, true));
    CHECK(is_seen(test, report_only, true));
    CHECK(is_seen(test, observed, {Term{}}));
    check_location(test, locations[0]);
    check_thread(test, threads[0]);
    check_instruction(test, threads[0].body[0]);
    check_claim(test, claim);
}

TEST_CASE("equality sees every field of a grid but its place") {
    Test test = small();
    test.grids = {Grid{}};
    auto& [number, apart, after, programmatic, span] = test.grids[0];
    CHECK(is_seen(test, number, 1));
    CHECK(is_seen(test, apart, true));
    CHECK(is_seen(test, after, {1}));
    CHECK(is_seen(test, programmatic, {1}));
    CHECK_FALSE(is_seen(test, span, Span{1, 2}));
}

TEST_CASE("when grids begin of which nothing is said") {
    const auto grid = [](int number) {
        Thread thread;
        thread.at.cta = in_grid(number, 0);
        return thread;
    };
    Test test;
    test.threads = {grid(4), grid(0), grid(1), grid(0)};
    test.grids = {Grid{1, true, {}, {}}};
    const std::vector<Grid> all = grids_of(test);
    REQUIRE(all.size() == 3);
    CHECK(all[0] == Grid{0, false, {}, {}});
    CHECK(all[1] == Grid{1, true, {}, {}});
    CHECK(all[2] == Grid{4, false, {0}, {}});
    CHECK(cta_name(in_grid(2, 3)) == "grid2.cta3");
    CHECK(cta_name(3) == "cta3");
}

TEST_CASE("look-up by name") {
    const Test test = small();
    CHECK(find_location(test, "x") == &test.locations[0]);
    CHECK(find_location(test, "y") == nullptr);
    CHECK(find_thread(test, "P0") == 0);
    CHECK(find_thread(test, "P1") == -1);
}

TEST_CASE("the type of a term") {
    const Test test = small();
    CHECK(term_type(test, test.claim.condition.left) == Type::s64);
    CHECK_FALSE(term_type(test, test.claim.condition.right));
    Term other = test.claim.condition.left;
    other.name = "r9";
    CHECK_FALSE(term_type(test, other));
}
