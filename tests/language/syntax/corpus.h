// The public corpus, which stays outside the project: LITMUS_CORPUS names it, else ../shared/corpus is tried.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

// The corpus if it has this part, or an empty path after saying that it is missing (and failing when it is required).
inline std::filesystem::path corpus_with(const std::string& part) {
    const char* named = std::getenv("LITMUS_CORPUS");
    const std::filesystem::path path = named != nullptr ? named : LITMUS_SOURCE_DIR "/../shared/corpus";
    if (std::filesystem::is_directory(path / part)) return path;
    std::cout << "skipped: no corpus (" << path.string() << ")\n";
    const char* required = std::getenv("LITMUS_REQUIRE");
    CHECK_MESSAGE((required == nullptr || std::string(required).find("corpus") == std::string::npos), "the corpus is required");
    return {};
}
