// What is emitted of a test that is written without its name, or why it is refused.
#pragma once

#include <optional>
#include <string>

#include "gpu/emit/emit.h"
#include "language/syntax/native/dsl.h"

inline litmus::Test parse(const std::string& text) {
    return litmus::parse_dsl(litmus::make_source("test.litmus", "test \"t\"\n" + text));
}

inline std::string emitted(const std::string& text) {
    return litmus::gpu::emit(parse(text)).ptx;
}

inline std::string refusal(const std::string& text, std::optional<int> sm = std::nullopt) {
    try {
        litmus::gpu::emit(parse(text), sm);
    } catch (const litmus::Failure& failure) {
        return failure.what();
    }
    return {};
}
