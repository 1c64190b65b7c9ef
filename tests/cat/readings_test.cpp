// Readings: declared in a model, chosen by a specification.
#include "cat/readings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "cat/fold.h"

using namespace litmus;

namespace {

using Names = std::vector<std::string>;

const char* const three_readings = R"("t"
reading "a" weakest "always, unless switched off"
reading "b" default "usually"
reading "c" strongest "only when asked for" refuted "H100 ,  H 200"
acyclic po | (if "a" then rf else 0) | (if "b" then co else 0) | (if "c" then fr else 0) as order
)";

Model small_model(const Names& variants = {}) {
    return parse_model(make_source("t.cat", three_readings), variants);
}

std::string failure_of(const std::string& spec) {
    try {
        resolve_readings(small_model(), spec);
    } catch (const Failure& failure) {
        return failure.diagnostics().at(0).message + "; " + failure.diagnostics().at(0).hint;
    }
    return "no failure";
}

std::string failure_of_model(const std::string& source) {
    try {
        parse_model(make_source("t.cat", source), {});
    } catch (const Failure& failure) {
        return failure.diagnostics().at(0).message;
    }
    return "no failure";
}

}  // namespace

TEST_CASE("each base has its own readings and those of the bases before it") {
    CHECK(readings_of(small_model(), Reading::Base::weakest) == Names{"a"});
    CHECK(readings_of(small_model(), Reading::Base::default_) == Names{"a", "b"});
    CHECK(readings_of(small_model(), Reading::Base::strongest) == Names{"a", "b", "c"});
    CHECK(small_model().readings[2].meaning == "only when asked for");
    CHECK(small_model().readings[2].refuted == Names{"H100", "H 200"});
    CHECK(refutation(small_model().readings[2].refuted) == "refuted on H100, H 200");
    CHECK(refutation(small_model().readings[0].refuted).empty());
    const auto refuted = [](const std::string& how) {
        return parse_model(make_source("t.cat", "\"t\"\nreading \"a\" strongest \"x\" " + how), {}).readings.at(0).refuted;
    };
    CHECK(refuted("refuted by \"ptxas 13.0\"") == Names{"by ptxas 13.0"});
    CHECK(refutation(refuted("refuted by \"ptxas 13.0, ptxas 13.1\"")) == "refuted by ptxas 13.0, ptxas 13.1");
    CHECK(refutation(refuted("refuted \"H100, H200\" refuted by \"ptxas 13.0\"")) == "refuted on H100, H200; refuted by ptxas 13.0");
}

TEST_CASE("the argument of a reading stands behind it, a text of several strings with blanks between") {
    const auto argument = [](const std::string& text) {
        return parse_model(make_source("t.cat", "\"t\"\nreading \"a\" strongest \"x\" " + text), {}).readings.at(0).argument;
    };
    const Reading::Argument all = argument("refuted \"H100\" for \"one\" \"side\" against \"the other\" safe \"a\" \"way\" \"out\"");
    CHECK(all.in_favour == "one side");
    CHECK(all.against == "the other");
    CHECK(all.safe == "a way out");
    CHECK(argument("safe \"a way out\"").in_favour.empty());
    CHECK(failure_of_model("reading \"a\" default \"x\" for safe \"y\"").find("what speaks for the reading") != std::string::npos);
}

TEST_CASE("a specification starts from a base and switches names on and off") {
    CHECK(resolve_readings(small_model(), "weakest") == Names{"a"});
    CHECK(resolve_readings(small_model(), "strongest,-b") == Names{"a", "c"});
    CHECK(resolve_readings(small_model(), "-a") == Names{"b"});
    CHECK(resolve_readings(small_model(), "c") == Names{"a", "b", "c"});
    CHECK(resolve_readings(small_model(), "weakest,c,-c") == Names{"a"});
}

TEST_CASE("a specification that cannot be met is refused") {
    CHECK(failure_of("strongest,fence") == "model `t.cat` has no reading `fence`; `litmus models` lists them");
    CHECK(failure_of("strngest") == "model `t.cat` has no reading `strngest`; did you mean `strongest`?");
    CHECK(failure_of("c,weakest") == "`weakest` stands first in a list of readings; then come names, and -names");
    CHECK(failure_of("") == "model `t.cat` has no reading ``; `litmus models` lists them");
}

TEST_CASE("a declaration of a reading says its name, its base and its meaning") {
    CHECK(failure_of_model("reading a default \"x\"").find("the name of a reading") != std::string::npos);
    CHECK(failure_of_model("reading \"a\" sometimes \"x\"").find("the first base that has this reading") != std::string::npos);
    CHECK(failure_of_model("reading \"a\" default").find("what the reading means") != std::string::npos);
    CHECK(failure_of_model("reading \"a\" default \"x\" refuted").find("the devices that refuted the reading") != std::string::npos);
    CHECK(failure_of_model("reading \"a\" default \"x\" refuted \"H100, \"") == "a device without a name");
    CHECK(failure_of_model("reading \"a\" default \"x\" reading \"a\" weakest \"y\"") == "two readings are named `a`");
}

TEST_CASE("a family reads each set of readings once; the default stands ready") {
    ModelFamily family("ptx", {});
    const Model& usual = family.under(resolve_readings(family.by_default(), "default"));
    CHECK(&usual == &family.by_default());
    const Model& weakest = family.under(resolve_readings(family.by_default(), "weakest"));
    CHECK(&weakest == &family.under(readings_of(family.by_default(), Reading::Base::weakest)));
    CHECK(weakest.hash != usual.hash);
}

TEST_CASE("every reading of ptx is asked for somewhere in its text") {
    const Model ptx = load_model("ptx", {});
    REQUIRE_FALSE(ptx.readings.empty());
    for (const Reading& reading : ptx.readings)
        CHECK_MESSAGE(std::find(ptx.variants.begin(), ptx.variants.end(), reading.name) != ptx.variants.end(), reading.name);
}

TEST_CASE("what folding leaves of a model is kept by vocabulary, and is what folding leaves") {
    ModelFamily family("ptx", {});
    const std::set<std::string> vocabulary{"_", "W", "R", "M", "po", "rf", "co", "loc", "ext", "int", "id"};
    const auto kept = family.folded_to(vocabulary);
    CHECK(family.folded_to(vocabulary) == kept);
    const std::vector<std::string> usual = readings_of(family.by_default(), Reading::Base::default_);
    std::set<std::string> on;
    for (const std::string& reading : usual)
        if (kept->concerning().count(reading) > 0) on.insert(reading);
    const auto member = kept->under(on);
    CHECK(kept->under(on) == member);
    CHECK(member->text == graph_text(member->model));
    const auto possible = [&](std::string_view name) { return vocabulary.count(std::string(name)) > 0; };
    CHECK(member->text == graph_text(folded(family.by_default(), {possible, nullptr})));
    for (int i = 0; i < 40; ++i) family.folded_to({"_", std::to_string(i)});
    CHECK(family.folded_to(vocabulary) != kept);  // not for ever
}
