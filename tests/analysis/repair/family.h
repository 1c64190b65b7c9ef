// The PTX model under each of its readings, and tests read from texts, for several files of this folder.
#pragma once

#include <string>

#include "cat/readings.h"
#include "language/syntax/read.h"

namespace litmus {

inline ModelFamily& family() {
    static ModelFamily models("ptx", {});
    return models;
}

inline Test read(const std::string& text) {
    return parse_tests(make_source("t.litmus", text)).front();
}

}  // namespace litmus
