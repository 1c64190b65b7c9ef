// The table of what can be wrong (src/sweep/breach.h).
#include "sweep/breach.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

using namespace litmus;

TEST_CASE("the rows of breaches: their sections are there, and their kinds come in order") {
    std::ifstream file(std::string(LITMUS_SOURCE_DIR) + "/model/sections.txt");
    REQUIRE(file);
    std::set<std::string> sections;
    for (std::string line; std::getline(file, line);) sections.insert(line.substr(0, line.find(' ')));
    REQUIRE(sections.size() > 100);
    for (const sweep::BreachRow& row : sweep::breaches()) {
        CAPTURE(row.words);
        CHECK((row.section.empty() || sections.contains(std::string(row.section))));
        CHECK(row.change.empty() == row.why.empty());
        CHECK((row.see.empty() || !row.change.empty()));
        CHECK(&sweep::row_of(row.breach) == &row);
    }
    CHECK(std::is_sorted(sweep::breaches().begin(), sweep::breaches().end(), [](const auto& a, const auto& b) { return a.kind < b.kind; }));
}

TEST_CASE("the words of a breach are filled in") {
    CHECK(sweep::filled("a {} and {}.", {"b", "c"}) == "a b and c.");
    CHECK(sweep::filled("{}{}", {"", "c"}) == "c");
    CHECK(sweep::filled("nothing", {}) == "nothing");
    CHECK(sweep::says(sweep::Breach::few_threads, {"1 thread waits", "0", "3", "4 threads"}) ==
          "1 thread waits: barrier 0 lacks 3 of 4 threads");
    CHECK(sweep::says(sweep::Breach::alias, {"`A` at byte 4"}) ==
          "race on `A` at byte 4: no alias proxy fence lies between the two addresses (ISA 8.2.3)");
}
