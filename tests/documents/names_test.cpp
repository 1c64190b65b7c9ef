// Types of one namespace have different names: the linker takes two of one name for the same, and merges what the compiler made of
// std::vector over either.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "base/source.h"

TEST_CASE("no two headers define a type of one name in one namespace") {
    namespace fs = std::filesystem;
    const std::regex opening(R"(^namespace ([\w:]+) \{)"), definition(R"(^(?:struct|class|union|enum class) (\w+)[^;]*$)");
    std::map<std::string, std::string> headers;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(LITMUS_SOURCE_DIR "/src")) {
        if (entry.path().extension() != ".h") continue;
        std::istringstream lines(litmus::read_source(entry.path().string())->text);
        std::string space;
        for (std::string line; std::getline(lines, line);) {
            std::smatch match;
            if (std::regex_search(line, match, opening)) space = match[1];
            if (!std::regex_search(line, match, definition)) continue;
            const auto [known, is_new] = headers.emplace(space + "::" + match[1].str(), entry.path().string());
            INFO(known->first, " is in ", known->second, " and in ", entry.path().string());
            CHECK(is_new);
        }
    }
    CHECK(headers.size() > 100);
}
