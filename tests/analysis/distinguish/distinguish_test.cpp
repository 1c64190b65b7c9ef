// Programs that tell two models apart: what they are made of, that one open program stands for many, and what is found.
#include "analysis/distinguish/distinguish.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "analysis/verdict/signs.h"
#include "cat/readings.h"
#include "language/syntax/native/print.h"
#include "solve/apart.h"

namespace litmus {
namespace {

using Names = std::vector<std::string>;

Families named(const Names& names) {
    Families families;
    for (const std::string& name : names) families.push_back(family_named(name));
    return families;
}

Families all_families() {
    Families families;
    for (size_t f = 0; f < vocabulary().size(); ++f) families.push_back(f);
    return families;
}

// The model ptx under these readings.
const Model& ptx(const std::string& readings) {
    static ModelFamily family("ptx", {});
    return family.under(resolve_readings(family.by_default(), readings));
}

// The smallest program, of these families, of at most so many instructions.
std::optional<Distinguished> smallest(const Model& allowing, const Model& forbidding, const Families& families, size_t most) {
    const std::vector<Families> required = required_families(families, allowing, forbidding);
    for (size_t n = 1; n <= most; ++n)
        for (const Skeleton& skeleton : skeletons(families, required, n, 3))
            if (auto found = tell_apart(skeleton, {allowing, forbidding, Budget(), false, faster})) return found;
    return std::nullopt;
}

TEST_CASE("every instruction of the vocabulary is one that the tool knows, and builds") {
    const Test test = test_of_all(all_families());
    size_t instructions = 0;
    for (const Family& family : vocabulary()) {
        CHECK_FALSE(family.instructions.empty());
        instructions += family.instructions.size();
        for (const Names& names : {family.earlier, family.later})
            for (const std::string& name : names) CHECK(vocabulary()[family_named(name)].name == name);
    }
    CHECK(test.threads.front().body.size() + 4 == instructions);  // but those that read what the one before gives, where it gives nothing
    CHECK(build_program(test, {.blocked = true}).size() > instructions);
    CHECK_THROWS_AS(family_named("laod"), const Failure&);
}

TEST_CASE("skeletons: each once, and none with an instruction that is of no use") {
    const Families memory = named({"load", "store"});
    // one thread: 4 bodies; two threads: 3 unordered pairs in one CTA, and in two
    CHECK(skeletons(memory, {}, 2, 3).size() == 4 + 3 + 3);
    CHECK(skeletons(memory, {}, 2, 1).size() == 4);
    for (const Skeleton& s : skeletons(memory, {named({"store"})}, 2, 3)) {
        CHECK(s.size() == 2);
        size_t stores = 0;
        for (const Families& thread : s.threads)
            stores += static_cast<size_t>(std::count(thread.begin(), thread.end(), family_named("store")));
        CHECK(stores > 0);
    }
    CHECK(skeletons(named({"store", "fence"}), {named({"fence"})}, 2, 3).empty());      // a fence has something before and after it
    CHECK(skeletons(named({"store", "fence"}), {named({"fence"})}, 3, 1).size() == 1);  // store, fence, store
    CHECK(skeletons(named({"arrive", "store"}), {named({"arrive"})}, 3, 3).empty());    // nobody waits
    CHECK(skeletons(named({"store-read", "store"}), {named({"store-read"})}, 2, 3).empty());
    CHECK(skeletons(named({"barrier"}), {}, 2, 3).size() == 1);  // two threads of one CTA
}

// By program of the skeleton, the instruction of each slot.
void for_each_program(const Skeleton& skeleton, const std::function<void(const std::vector<size_t>&)>& program) {
    const OpenTest open = open_test(skeleton);
    std::vector<size_t> counts;
    for (const auto& thread : open.slots)
        for (const int slot : thread) {
            if (static_cast<size_t>(slot) >= counts.size()) counts.resize(static_cast<size_t>(slot) + 1, 0);
            ++counts[static_cast<size_t>(slot)];
        }
    std::vector<size_t> at(counts.size(), 0);
    for (;;) {
        program(at);
        size_t i = 0;
        while (i < at.size() && ++at[i] == counts[i]) at[i++] = 0;
        if (i == at.size()) return;
    }
}

TEST_CASE("a path that both models ask about is there in each execution that has it") {
    // of the closures, the one model needs that they hold where they must, the other that they hold nowhere else
    ModelFamily ptx("ptx", {});
    const Names weakest = readings_of(ptx.by_default(), Reading::Base::weakest);
    Names more = weakest;
    more.emplace_back("multicast-all");
    const Model allowing = ptx.under(weakest), forbidding = ptx.under(more);
    const Skeleton skeleton{{0, 1}, {named({"multicast", "wait", "store"}), named({"store", "expect"})}};
    CHECK_FALSE(tell_apart(skeleton, {allowing, forbidding, Budget(), true, faster}));
}

TEST_CASE("an open program has the executions of all its programs: whatever tells two models apart is among what is found") {
    ModelFamily sc("sc", {}), tso("tso", {});
    const Skeleton skeleton{{0, 0}, {named({"store", "load"}), named({"store", "load"})}};
    const OpenTest open = open_test(skeleton);
    Program program = build_program(open.test, {.slots = &open.slots});
    Solver solver(Solver::usually, faster);
    Apart apart(program, tso.by_default(), sc.by_default(), solver);
    CHECK_FALSE(apart.same());
    std::set<std::string> found;
    while (const std::optional<Chosen> chosen = apart.next()) {
        std::vector<size_t> instructions(4, 0);
        std::vector<int> first(4, -1);
        for (const SlotChoice& choice : program.alternatives) {
            int& begin = first[static_cast<size_t>(choice.slot)];
            if (begin < 0) begin = choice.instruction;
        }
        for (size_t a = 0; a < chosen->size(); ++a) {
            const SlotChoice& choice = program.alternatives[a];
            const auto slot = static_cast<size_t>(choice.slot);
            if ((*chosen)[a]) instructions[slot] = static_cast<size_t>(choice.instruction - first[slot]);
        }
        CHECK(found.insert(print(one_test(skeleton, instructions))).second);  // each once
        apart.leave_out(*chosen);
    }
    size_t apart_by_outcome = 0;
    for_each_program(skeleton, [&](const std::vector<size_t>& instructions) {
        const Test test = one_test(skeleton, instructions);
        Program one = build_program(test, {});
        const Answer allowed = solver.solve(one, tso.by_default(), {}), other = solver.solve(one, sc.by_default(), {});
        const bool more =
            std::any_of(allowed.outcomes.begin(), allowed.outcomes.end(), [&](const Outcome& o) { return !has_outcome(other, o.values); });
        if (!more) return;
        ++apart_by_outcome;
        INFO(print(test));
        CHECK(found.count(print(test)) == 1);
    });
    CHECK(apart_by_outcome > 2);
}

TEST_CASE("the smallest program for sc and tso is store buffering") {
    ModelFamily sc("sc", {}), tso("tso", {});
    const Families families = named({"load", "store"});
    CHECK_FALSE(smallest(sc.by_default(), tso.by_default(), families, 3));  // tso allows all that sc does
    const std::optional<Distinguished> found = smallest(tso.by_default(), sc.by_default(), families, 4);
    REQUIRE(found);
    CHECK(found->test.threads.size() == 2);
    CHECK(found->observables == Names{"P0:r1", "P1:r1"});
    // both read the initial value, which is 1, 2 or 3, of different locations; whichever they are, and whichever thread has which
    REQUIRE(found->values.size() == 2);
    CHECK(found->values[0] != found->values[1]);
    for (const uint64_t value : found->values) CHECK(value <= 3);
}

TEST_CASE("a reading of the ISA: one thread reads, and refills through the async proxy") {
    const std::optional<Distinguished> found = smallest(ptx("weakest"), ptx("weakest,war-unfenced"), all_families(), 2);
    REQUIRE(found);
    CHECK(found->test.threads.size() == 1);
    CHECK(found->test.threads[0].body.size() == 2);
    CHECK(found->test.claim.kind == Claim::Kind::exists);
    const Families four = named({"load", "arrive", "wait", "copy-in"});
    CHECK_FALSE(smallest(ptx("weakest"), ptx("weakest,war-mbarrier"), four, 3));
    CHECK(smallest(ptx("weakest"), ptx("weakest,war-mbarrier"), four, 4));
}

TEST_CASE("families that every telling program needs") {
    const std::vector<Families> required = required_families(all_families(), ptx("weakest"), ptx("weakest,war-mbarrier"));
    CHECK(std::find(required.begin(), required.end(), named({"wait"})) != required.end());
    CHECK(required_families(named({"load", "store", "copy-in"}), ptx("weakest"), ptx("weakest,war-unfenced")) ==
          std::vector<Families>{named({"copy-in"})});
}

TEST_CASE("a search that runs out of time says so") {
    const Skeleton skeleton{{0}, {named({"load", "copy-in"})}};
    CHECK_THROWS_AS(tell_apart(skeleton, {ptx("weakest"), ptx("weakest,war-unfenced"), Budget(1e-9)}), const OverBudget&);
}

}  // namespace
}  // namespace litmus
