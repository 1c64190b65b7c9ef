// Positions, rendering and reading of sources.
#include "base/source.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace litmus;

TEST_CASE("position counts lines and code points from 1") {
    const Source source{"t", "ab\n\xc3\xa9x\n"};
    CHECK(position(source, 0).line == 1);
    CHECK(position(source, 0).column == 1);
    CHECK(position(source, 2).column == 3);  // the line break itself
    CHECK(position(source, 5).line == 2);
    CHECK(position(source, 5).column == 2);  // after one two-byte code point
    CHECK(position(source, 6).line == 2);
    CHECK(position(source, 7).line == 3);
    CHECK(position(source, 999).line == 3);  // past the end: the end
}

TEST_CASE("render points a caret at the span") {
    const SourcePtr source = make_source("a.litmus", "one\n\ttwo three\n");
    const Diagnostic diagnostic{Diagnostic::Level::error, source, {9, 14}, "what", "do this"};
    CHECK(render(diagnostic, false) == "a.litmus:2:6: error: what\n     two three\n         ^~~~~\n    hint: do this\n");
    CHECK(render(diagnostic, true).find("\033[1;31m") != std::string::npos);
}

TEST_CASE("render survives odd sources") {
    CHECK(render({Diagnostic::Level::warning, nullptr, {}, "no place", ""}, false) == "warning: no place\n");
    const SourcePtr empty = make_source("e", "");
    CHECK(render({Diagnostic::Level::note, empty, {0, 5}, "m", ""}, false) == "e:1:1: note: m\n    \n    ^\n");
    const SourcePtr controls = make_source("c", "a\033[2Jb\r\n");
    CHECK(render({Diagnostic::Level::error, controls, {0, 1}, "bell\a", ""}, false) == "c:1:1: error: bell\\x07\n    a\\x1b[2Jb\n    ^\n");
    CHECK(render({Diagnostic::Level::error, controls, {2, 3}, "m", ""}, false) == "c:1:3: error: m\n    a\\x1b[2Jb\n         ^\n");
    CHECK(render({Diagnostic::Level::error, nullptr, {}, "m", "bell\a"}, false) == "error: m\n    hint: bell\\x07\n");
    const SourcePtr command = make_source("::error::", "  ::error::x\n");
    CHECK(render({Diagnostic::Level::error, command, {4, 9}, "m", ""}, false) ==
          "\\x3a:error:::1:5: error: m\n      \\x3a:error::x\n           ^~~~~\n");
    std::string line(10004, 'x');
    line.replace(5000, 4, "here");
    const SourcePtr large = make_source("l", line);
    const std::string text = render({Diagnostic::Level::error, large, {5000, 5004}, "m", ""}, false);
    CHECK(text.size() < 600);
    CHECK(text.find("here") != std::string::npos);
    CHECK(text.find("^~~~\n") != std::string::npos);
}

TEST_CASE("a long line is cut between code points") {
    std::string signs;
    for (int i = 0; i < 1000; ++i) signs += "\xe2\x82\xac";
    for (const std::string before : {"", "x"})
        for (const std::string after : {"", "x"}) {
            const SourcePtr source = make_source("l", before + signs + "here" + after + signs);
            const auto at = static_cast<uint32_t>(before.size() + signs.size());
            const std::string text = render({Diagnostic::Level::error, source, {at, at + 4}, "m", ""}, false);
            CHECK(text.find("here") != std::string::npos);
            CHECK(text.find("\\x") == std::string::npos);  // half a code point would be escaped
        }
}

TEST_CASE("a span that begins within a code point is one column wide") {
    const SourcePtr source = make_source("t", "\xe2\x82\xac\n");  // the euro sign
    CHECK(render({Diagnostic::Level::error, source, {2, 3}, "no", {}}, false).find("^\n") != std::string::npos);
    CHECK(render({Diagnostic::Level::error, source, {1, 3}, "no", {}}, false).find("^\n") != std::string::npos);
}

TEST_CASE("a span over several lines is marked on its first") {
    const SourcePtr source = make_source("s", "abc\ndef\n");
    CHECK(render({Diagnostic::Level::error, source, {1, 6}, "m", ""}, false) == "s:1:2: error: m\n    abc\n     ^~\n");
}

TEST_CASE("a failure carries its diagnostics and their text") {
    const Failure failure(make_source("f", "x"), {0, 1}, "wrong", "right");
    REQUIRE(failure.diagnostics().size() == 1);
    CHECK(std::string(failure.what()) == "f:1:1: error: wrong\n    x\n    ^\n    hint: right\n");
}

TEST_CASE("read_source reads a file and refuses what it cannot read") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "litmus-source-test";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "a.txt").string();
    std::ofstream(path, std::ios::binary) << std::string("x\0y", 3);
    CHECK(read_source(path)->text == std::string("x\0y", 3));
    CHECK(read_source(path)->name == path);
    CHECK_THROWS_AS(read_source(folder.string()), Failure);
    CHECK_THROWS_AS(read_source((folder / "none").string()), Failure);
    CHECK_THROWS_AS(read_source("/proc/self/mem"), Failure);  // opens, and cannot be read from its beginning
    {
        std::ofstream large(path, std::ios::binary);
        large.seekp(16 << 20);
        large << 'x';
    }
    CHECK_THROWS_AS(read_source(path), Failure);
    std::filesystem::remove_all(folder);
}
