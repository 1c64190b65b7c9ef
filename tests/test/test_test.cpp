// Equality and look-up of tests.
#include "test/test.h"

#include <doctest/doctest.h>

#include <functional>

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
    thread.body = {load};
    test.threads = {thread};
    Term left;
    left.kind = Term::Kind::reg;
    left.name = "r0";
    test.claim.kind = Claim::Kind::exists;
    test.claim.condition.kind = Condition::Kind::atom;
    test.claim.condition.comparison = "==";
    test.claim.condition.left = left;
    return test;
}

}  // namespace

TEST_CASE("same_test ignores spans and sources only") {
    const Test test = small();
    Test moved = test;
    moved.source = make_source("elsewhere", "");
    moved.threads[0].span = {4, 9};
    moved.threads[0].body[0].span = {1, 2};
    moved.threads[0].body[0].operands[0].span = {1, 2};
    moved.claim.span = {7, 8};
    moved.locations[0].span = {3, 4};
    CHECK(same_test(test, moved));
}

TEST_CASE("same_test sees every field") {
    const std::vector<std::function<void(Test&)>> changes = {
        [](Test& t) { t.dialect = Dialect::column; },
        [](Test& t) { t.name = "u"; },
        [](Test& t) { t.doc = "d"; },
        [](Test& t) { t.refs = {"r"}; },
        [](Test& t) { t.target = 90; },
        [](Test& t) { t.repairs = "o"; },
        [](Test& t) { t.locations[0].name = "y"; },
        [](Test& t) { t.locations[0].space = Space::shared; },
        [](Test& t) { t.locations[0].cta = 1; },
        [](Test& t) { t.locations[0].type = Type::s32; },
        [](Test& t) { t.locations[0].count = 2; },
        [](Test& t) { t.locations[0].array = true; },
        [](Test& t) { t.locations[0].init = {1}; },
        [](Test& t) { t.locations[0].alias_of = "z"; },
        [](Test& t) { t.locations[0].proxy = Proxy::surface; },
        [](Test& t) { t.locations[0].is_mbarrier = true; },
        [](Test& t) { t.locations[0].arrivals = 1; },
        [](Test& t) { t.locations.clear(); },
        [](Test& t) { t.threads[0].name = "P1"; },
        [](Test& t) { t.threads[0].at.cta = 1; },
        [](Test& t) { t.threads[0].at.warp_named = true; },
        [](Test& t) { t.threads[0].end_labels = {"L"}; },
        [](Test& t) { t.threads[0].registers["r1"] = 0; },
        [](Test& t) { t.threads[0].body.clear(); },
        [](Test& t) { t.threads[0].body[0].op = Op::st; },
        [](Test& t) { t.threads[0].body[0].mnemonic = "st"; },
        [](Test& t) { t.threads[0].body[0].qualifiers.clear(); },
        [](Test& t) {
            t.threads[0].body[0].guard = Guard{"p", false};
        },
        [](Test& t) { t.threads[0].body[0].await = true; },
        [](Test& t) {
            t.threads[0].body[0].expect = Expectation{"==", {}};
        },
        [](Test& t) { t.threads[0].body[0].labels = {"L"}; },
        [](Test& t) { t.threads[0].body[0].operands[0].name = "r1"; },
        [](Test& t) { t.threads[0].body[0].operands[0].negated = true; },
        [](Test& t) { t.threads[0].body[0].operands[1].offset = 4; },
        [](Test& t) { t.threads[0].body[0].operands[1].cta = 0; },
        [](Test& t) { t.threads[0].body[0].operands[1].indirect = true; },
        [](Test& t) { t.threads[0].body[0].operands[1].value = 1; },
        [](Test& t) { t.threads[0].body[0].operands[1].is_float = true; },
        [](Test& t) { t.threads[0].body[0].operands[1].elements.emplace_back(); },
        [](Test& t) { t.filter = Condition{}; },
        [](Test& t) { t.claim.kind = Claim::Kind::forall; },
        [](Test& t) { t.claim.condition.comparison = "!="; },
        [](Test& t) { t.claim.condition.value = false; },
        [](Test& t) { t.claim.condition.operands.emplace_back(); },
        [](Test& t) { t.claim.condition.left.thread = 1; },
        [](Test& t) { t.claim.condition.left.element = 1; },
        [](Test& t) { t.claim.condition.right.value = 1; },
        [](Test& t) { t.claim.condition.right.raw = true; },
        [](Test& t) { t.claims_racefree = true; },
        [](Test& t) { t.claims_undefined = true; },
        [](Test& t) { t.claims_deadlock = true; },
        [](Test& t) { t.claims_may_deadlock = true; },
        [](Test& t) { t.claims_terminates = true; },
        [](Test& t) { t.report_only = true; },
    };
    for (size_t i = 0; i < changes.size(); ++i) {
        Test changed = small();
        changes[i](changed);
        CHECK_MESSAGE(!same_test(small(), changed), "change ", i);
    }
}

TEST_CASE("look-up by name") {
    const Test test = small();
    CHECK(find_location(test, "x") == &test.locations[0]);
    CHECK(find_location(test, "y") == nullptr);
    CHECK(find_thread(test, "P0") == 0);
    CHECK(find_thread(test, "P1") == -1);
}

TEST_CASE("the type of a term, and the least target") {
    const Test test = small();
    CHECK(term_type(test, test.claim.condition.left) == Type::s64);
    CHECK_FALSE(term_type(test, test.claim.condition.right));
    Term other = test.claim.condition.left;
    other.name = "r9";
    CHECK_FALSE(term_type(test, other));
    CHECK(least_target(test) == 90);  // the cluster scope
    CHECK(least_target(Test{}) == 70);
}
