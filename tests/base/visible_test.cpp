// What acts on who looks at it, and what does not: each kind that visible.h names, its first and last code point and their
// neighbours.
#include "base/visible.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace litmus;

TEST_CASE("text that does nothing is unchanged") {
    for (const std::string text :
         {"", "mp", "a\\b", "caf\xc3\xa9", "\xf0\x9f\x90\x9b", "a::b", "a ::b", "#[x", "# #[x", "##x", "##vso", ":"})
        CHECK(visible(text) == text);
}

TEST_CASE("control characters are escaped") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {std::string(1, '\0'), "\\x00"},
        {"\n", "\\n"},
        {"\r", "\\x0d"},
        {"\t", "\\x09"},
        {"\x1b[2J", "\\x1b[2J"},
        {"\x1f", "\\x1f"},
        {" ~", " ~"},
        {"\x7f", "\\x7f"},
        {"\xc2\x80", "\\u0080"},
        {"\xc2\x9b", "\\u009b"},
        {"\xc2\x9f", "\\u009f"},
        {"\xc2\xa0", "\xc2\xa0"},
    };
    for (const auto& [text, shown] : cases) CHECK(visible(text) == shown);
}

TEST_CASE("bidirectional controls and separators are escaped") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"\xd8\x9b", "\xd8\x9b"},         {"\xd8\x9c", "\\u061c"},          {"\xd8\x9d", "\xd8\x9d"},
        {"\xe2\x80\x8d", "\xe2\x80\x8d"}, {"\xe2\x80\x8e", "\\u200e"},      {"\xe2\x80\x8f", "\\u200f"},
        {"\xe2\x80\x90", "\xe2\x80\x90"}, {"\xe2\x80\xa7", "\xe2\x80\xa7"}, {"\xe2\x80\xa8", "\\u2028"},
        {"\xe2\x80\xa9", "\\u2029"},      {"\xe2\x80\xaa", "\\u202a"},      {"\xe2\x80\xae", "\\u202e"},
        {"\xe2\x80\xaf", "\xe2\x80\xaf"}, {"\xe2\x81\xa5", "\xe2\x81\xa5"}, {"\xe2\x81\xa6", "\\u2066"},
        {"\xe2\x81\xa9", "\\u2069"},      {"\xe2\x81\xaa", "\xe2\x81\xaa"},
    };
    for (const auto& [text, shown] : cases) CHECK(visible(text) == shown);
}

TEST_CASE("bytes that are no UTF-8 are escaped one by one") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"\xff", "\\xff"},
        {"\xae", "\\xae"},
        {"\xc3(", "\\xc3("},         // the second byte is none
        {"\xc0\xaf", "\\xc0\\xaf"},  // longer than it need be
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
        {"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half of a surrogate pair
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // past U+10FFFF
        {"\xf8\x90\x80\x80", "\\xf8\\x90\\x80\\x80"},
    };
    for (const auto& [text, shown] : cases) CHECK(visible(text) == shown);
    // what comes after the end is not looked at
    CHECK(visible(std::string_view("\xe2\x80\xae").substr(0, 2)) == "\\xe2\\x80");
}

TEST_CASE("commands to runners are broken") {
    CHECK(visible("::error::x") == "\\x3a:error::x");
    CHECK(visible("  ::error::x") == "  \\x3a:error::x");
    CHECK(visible("a ##[group]x") == "a \\x23#[group]x");
    CHECK(visible("a ##vso[task.setvariable]x") == "a \\x23#vso[task.setvariable]x");
}

TEST_CASE("lines stay lines, and each is harmless") {
    CHECK(visible_lines("a\n\x1b[2J\n\n::error::x\n") == "a\n\\x1b[2J\n\n\\x3a:error::x\n");
    CHECK(visible_lines("") == "");
    CHECK(visible_lines("a\rb") ==
          "a\\x0d"
          "b");
}

TEST_CASE("how many bytes the character has that acts") {
    CHECK(acting("") == 0);
    CHECK(acting("a\x1b") == 0);
    CHECK(acting("\x1b[2J") == 1);
    CHECK(acting("\xc2\x9b") == 2);
    CHECK(acting("\xe2\x80\xae"
                 "a") == 3);
    CHECK(acting("\xff") == 0);
}
