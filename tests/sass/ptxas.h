// The assembler of this machine, for tests of what it makes. A test without it is skipped, which `./dev test` says, or fails where
// LITMUS_REQUIRE names "ptxas".
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "sass/assembler.h"

// Nothing where there is none whose name begins so; then the test is over.
inline std::optional<litmus::sass::Assembler> assembler_or_skip(const std::string& name = "ptxas") {
    std::optional<litmus::sass::Assembler> assembler = litmus::sass::find_assembler();
    if (assembler && assembler->name.rfind(name, 0) == 0) return assembler;
    const char* list = std::getenv("LITMUS_REQUIRE");
    const bool required = !assembler && list != nullptr && ("," + std::string(list) + ",").find(",ptxas,") != std::string::npos;
    const std::string message = "skipped: no " + name + " on this machine" + (assembler ? ", but " + assembler->name : "");
    if (required) FAIL(message);
    MESSAGE(message);
    return std::nullopt;
}
