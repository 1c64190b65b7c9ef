// The worked examples parse and survive printing, but for those that are to be refused.
//
// They stay outside the project, in ../shared/examples; a line of each says whether it is refused. Without them the case
// reports itself as skipped, or fails when LITMUS_REQUIRE names "examples".
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/source.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

bool required() {
    const char* list = std::getenv("LITMUS_REQUIRE");
    return list != nullptr && ("," + std::string(list) + ",").find(",examples,") != std::string::npos;
}

bool to_be_refused(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line) && line.rfind("//", 0) == 0)
        if (line == "// expect: reject") return true;
    return false;
}

}  // namespace

TEST_CASE("the worked examples parse and survive printing; those to be refused are refused") {
    const fs::path folder = fs::path(LITMUS_SOURCE_DIR) / "../shared/examples";
    if (!fs::is_directory(folder)) {
        const std::string message = "skipped: no examples at " + folder.string();
        if (required()) FAIL(message);
        MESSAGE(message);
        return;
    }
    size_t read = 0, refused = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".litmus") continue;
        const SourcePtr source = read_source(entry.path().string());
        if (to_be_refused(entry.path())) {
            ++refused;
            CHECK_THROWS_AS(parse_dsl(source), Failure);
            continue;
        }
        ++read;
        try {
            const Test test = parse_dsl(source);
            const std::string text = print(test);
            CHECK_MESSAGE(parse_dsl(make_source("printed", text)) == test, text);
        } catch (const Failure& failure) {
            FAIL_CHECK(std::string(failure.what()));
        }
    }
    CHECK(read >= 25);
    CHECK(refused >= 2);
}
