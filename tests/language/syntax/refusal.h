// Why a text in the native format is refused.
#pragma once

#include <string>

#include "language/syntax/native/dsl.h"

namespace litmus {

inline std::string refusal(const std::string& text) {
    try {
        parse_dsl(make_source("t", text));
    } catch (const Failure& failure) {
        return failure.diagnostics().at(0).message;
    }
    return "accepted";
}

}  // namespace litmus
