// Minimal sets of readings, on answers that are formulas over names.
#include "explain/depends.h"

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
