// What deleting a part can do, read off the graph.
#include "analysis/adequacy/effects.h"

#include <doctest/doctest.h>

#include "cat/fold.h"
#include "cat/parts.h"

namespace litmus {
namespace {

// "adds", "takes", "both" or "none", of the one part of this name.
std::string effect(const std::string& text, const std::string& part) {
    const Model open = parse_open_model(make_source("<test>", "\"test\"\n" + text));
    const auto effects = effects_of(folded(with_open_parts(open, parts_of(open)), {}));
    const auto found = effects.find("\"" + part);
    REQUIRE(found != effects.end());
    const Effect& e = found->second;
    return e.adds && e.takes ? "both" : e.adds ? "adds" : e.takes ? "takes" : "none";
}

TEST_CASE("an axiom that loses a member permits more, one that loses a conjunct less") {
    CHECK(effect("empty rf | co as a", "a: alternative co") == "adds");
    CHECK(effect("empty rf & ext as a", "a: conjunct ext") == "takes");
    CHECK(effect("empty rf \\ ext as a", "a: exception ext") == "takes");
    CHECK(effect("empty rf as a", "a: axiom") == "adds");
    CHECK(effect("~empty rf | co as a", "a: alternative co") == "takes");
    CHECK(effect("~empty rf as a", "a: axiom") == "adds");
}

TEST_CASE("a flag is raised of more, or of less") {
    CHECK(effect("flag ~empty rf | co as a", "a: alternative co") == "takes");
    CHECK(effect("flag ~empty rf & ext as a", "a: conjunct ext") == "adds");
    CHECK(effect("flag ~empty rf as a", "a: flag") == "takes");
    CHECK(effect("flag empty rf as a", "a: flag") == "takes");
    CHECK(effect("let x = rf & ext\nempty x as a\nflag ~empty x as b", "x: conjunct ext") == "both");
    CHECK(effect("let x = rf & ext\nempty x as a\nflag ~empty co \\ x as b", "x: conjunct ext") == "takes");
}

TEST_CASE("a complement and the right side of a difference turn it round") {
    CHECK(effect("empty ~(rf | co) as a", "a: alternative co") == "takes");
    CHECK(effect("empty fr \\ (rf & ext) as a", "a: conjunct ext") == "adds");
    CHECK(effect("empty fr \\ ~(rf & ext) as a", "a: conjunct ext") == "takes");
    CHECK(effect("let x = rf & ext\nempty x | (fr \\ x) as a", "x: conjunct ext") == "both");
    CHECK(effect("let rec x = (rf & ext) | (x; co)\nempty x as a", "x: conjunct ext") == "takes");
}

TEST_CASE("a step is the identity at most, or at least, or neither") {
    CHECK(effect("empty [W]; rf as a", "a: step [W]") == "takes");
    CHECK(effect("empty po?; rf as a", "a: step po?") == "adds");
    CHECK(effect("empty po; rf as a", "a: step po") == "both");
    CHECK(effect("empty ([W] | [R]); rf as a", "a: step [W] | [R]") == "takes");
    CHECK(effect("empty ([W] | po); rf as a", "a: step [W] | po") == "both");
    CHECK(effect("empty (id & po); rf as a", "a: step id & po") == "takes");
    CHECK(effect("empty ([W] \\ po); rf as a", "a: step [W] \\ po") == "takes");
}

TEST_CASE("closures hold what they are of") {
    CHECK(effect("empty rf? as a", "a: closure rf?") == "adds");
    CHECK(effect("empty rf+ as a", "a: closure rf+") == "adds");
    CHECK(effect("empty rf* as a", "a: closure rf* to +") == "adds");
    CHECK(effect("empty rf* as a", "a: closure rf* to ?") == "adds");
}

TEST_CASE("a reading that adds orderings permits more without it; one that replaces them may do both") {
    const std::string head = "reading \"r\" strongest \"meaning\"\n";
    const auto under = [&](const std::string& text) {
        const Model open = parse_open_model(make_source("<test>", "\"test\"\n" + head + text));
        const auto on = [](std::string_view variant) -> std::optional<bool> {
            if (variant == "r") return true;
            return std::nullopt;
        };
        const Effect e = effects_of(folded(with_open_parts(open, parts_of(open)), {nullptr, on})).find("\"r: reading")->second;
        return e.adds && e.takes ? "both" : e.adds ? "adds" : "takes";
    };
    CHECK(under("empty if \"r\" then rf else 0 as a") == std::string("adds"));
    CHECK(under("empty if \"r\" then 0 else rf as a") == std::string("takes"));
    CHECK(under("empty if \"r\" then rf else co as a") == std::string("both"));
}

}  // namespace
}  // namespace litmus
