// Edit distance, and the nearest of some words.
#include "base/nearest.h"

#include <doctest/doctest.h>

using namespace litmus;

TEST_CASE("a letter that is added, dropped or replaced costs two, one whose case is changed costs one") {
    CHECK(edit_cost("", "") == 0);
    CHECK(edit_cost("", "abc") == 6);
    CHECK(edit_cost("kitten", "sitting") == 6);
    CHECK(edit_cost("sitting", "kitten") == 6);
    CHECK(edit_cost("po", "Po") == 1);
    CHECK(edit_cost("ab", "ba") == 4);
    const std::string endless(81, 'a');
    CHECK(edit_cost(endless, endless + "b") == 164);  // not compared
}

TEST_CASE("near is a third of the letters, at least one") {
    CHECK(nearest("foo", {"fob", "bar"}) == "fob");
    CHECK(nearest("foo", {"quux"}) == "");
    CHECK(nearest("acquired", {"acquire", "release"}) == "acquire");
    CHECK(nearest("abcdef", {"abcdxy"}) == "abcdxy");
    CHECK(nearest("abcdef", {"abcxyz"}) == "");
    CHECK(nearest("chekc", {"check"}) == "");
    CHECK(nearest("chekc", {"check"}, {.more = 1}) == "check");
}

TEST_CASE("the closest is taken, of several the first, and case tells two apart") {
    CHECK(nearest("loat", {"boat", "load", "loads"}) == "boat");
    CHECK(nearest("Loads", {"goads", "loads"}) == "loads");
}

TEST_CASE("nothing is near a word that is too short, or one that is not compared") {
    CHECK(nearest("Wx", {"W"}) == "");
    CHECK(nearest("Wx", {"W"}, {.shortest = 2}) == "W");
    CHECK(nearest("x", {"y"}, {.shortest = 2}) == "");
    const std::string endless(81, 'a');
    CHECK(nearest(endless, {endless}) == "");
}
