// Minimal sets of readings, on answers that are formulas over names.
#include "analysis/verdict/depends.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace litmus {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const Names weakest{"always"};
const Names disputed{"a", "b", "c", "d"};

TEST_CASE("a verdict that no reading changes depends on none, after two questions") {
    int asked = 0;
    const Dependence d = depends_on(weakest, disputed, [&](const Names& on) {
        CHECK(has(on, "always"));
        ++asked;
        return 7;
    });
    CHECK(d.known);
    CHECK(d.flips.empty());
    CHECK(asked == 2);
}

TEST_CASE("minimal sets of several sizes are all found") {
    const Dependence d =
        depends_on(weakest, disputed, [](const Names& on) { return has(on, "b") || (has(on, "a") && has(on, "c")) ? 1 : 0; });
    CHECK(d.flips == std::vector<Names>{{"b"}, {"a", "c"}});
}

TEST_CASE("one reading of many takes few questions") {
    Names many;
    for (char c = 'a'; c < 'q'; ++c) many.emplace_back(1, c);
    for (const std::string& wanted : many) {
        int asked = 0;
        const Dependence d = depends_on(weakest, many, [&](const Names& on) {
            ++asked;
            return has(on, wanted) ? 1 : 0;
        });
        CHECK(d.flips == std::vector<Names>{{wanted}});
        CHECK(asked <= 11);  // two, then two for each halving of 16, and one for all the others
    }
}

// Every antichain of at most three sets over four readings.
TEST_CASE("whatever the minimal sets are, they are found") {
    using Sets = std::vector<unsigned>;
    const auto names = [](unsigned set) {
        Names result;
        for (size_t i = 0; i < disputed.size(); ++i)
            if ((set >> i & 1U) != 0) result.push_back(disputed[i]);
        return result;
    };
    const auto check = [&](const Sets& minimal) {
        const auto all_on = [](const Names& set, const Names& on) {
            return std::all_of(set.begin(), set.end(), [&](const std::string& name) { return has(on, name); });
        };
        const Dependence d = depends_on(weakest, disputed, [&](const Names& on) {
            return std::any_of(minimal.begin(), minimal.end(), [&](unsigned set) { return all_on(names(set), on); }) ? 1 : 0;
        });
        std::vector<Names> wanted;
        for (const unsigned set : minimal) wanted.push_back(names(set));
        CHECK(d.flips == wanted);
    };
    const auto apart = [](unsigned a, unsigned b) { return (a & b) != a && (a & b) != b; };
    for (unsigned a = 1; a < 16; ++a) {
        check({a});
        for (unsigned b = a + 1; b < 16; ++b) {
            if (!apart(a, b)) continue;
            check({a, b});
            for (unsigned c = b + 1; c < 16; ++c)
                if (apart(a, c) && apart(b, c)) check({a, b, c});
        }
    }
}

TEST_CASE("a model may have many readings") {
    Names many;
    for (int i = 0; i < 100; ++i) many.push_back("reading-" + std::to_string(i));
    const Dependence d = depends_on(
        weakest, many, [&](const Names& on) { return has(on, "reading-99") || (has(on, "reading-3") && has(on, "reading-60")) ? 1 : 0; });
    CHECK(d.flips == std::vector<Names>{{"reading-3", "reading-60"}, {"reading-99"}});
}

TEST_CASE("overlapping pairs") {
    const Dependence d = depends_on(weakest, disputed, [](const Names& on) {
        const int count = static_cast<int>(has(on, "a")) + static_cast<int>(has(on, "b")) + static_cast<int>(has(on, "d"));
        return count >= 2 ? 1 : 0;
    });
    CHECK(d.flips == std::vector<Names>{{"a", "b"}, {"a", "d"}, {"b", "d"}});
}

TEST_CASE("an answer that is not decided is said") {
    CHECK_FALSE(depends_on(weakest, disputed, [](const Names& on) { return on.size() > 2 ? -1 : 0; }).known);
}

}  // namespace
}  // namespace litmus
