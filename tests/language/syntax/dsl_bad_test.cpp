// Every file of tests/bad/ is refused with exactly the message that stands beside it. LITMUS_PROMOTE=1
// writes the messages anew.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/source.h"
#include "contents.h"
#include "language/syntax/native/dsl.h"
#include "turn.h"

using namespace litmus;

namespace {

// What is said of a text under this name; empty when it is accepted.
std::string complaint(const std::string& name, const std::string& text) {
    try {
        parse_dsl(make_source(name, text));
        return {};
    } catch (const Failure& failure) {
        return failure.what();
    }
}

std::vector<std::filesystem::path> bad_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(LITMUS_SOURCE_DIR "/tests/bad"))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("malformed files are refused with the expected message") {
    const bool promote = std::getenv("LITMUS_PROMOTE") != nullptr;
    const auto files = bad_files();
    CHECK(files.size() >= 130);
    const Turn turn = turn_in_brief();
    for (size_t f = 0; f < files.size(); ++f) {
        if (!turn.has(f)) continue;
        const std::filesystem::path& file = files[f];
        const std::string said = complaint(file.filename().string(), contents(file));
        CHECK_MESSAGE(!said.empty(), file.filename().string(), " is accepted");
        std::filesystem::path expected = file;
        expected.replace_extension(".expected");
        if (promote) std::ofstream(expected, std::ios::binary) << said;
        const std::string wanted = contents(expected);
        CHECK_MESSAGE(said == wanted, file.filename().string());
    }
}
