// Why an outcome is forbidden, in words.
#pragma once

#include <string>
#include <vector>

#include "analysis/explain/why.h"

namespace litmus {

struct WhyForbidden {
    std::vector<std::vector<std::string>> axioms;
    std::vector<std::string> lines;  // "forbidden by causality", then an execution that breaks it
};

// A refusal in words; the program and the model are those of why_forbidden().
WhyForbidden in_words(const Program& program, const Model& model, const WhyNot& refusal, const std::string& title);

}  // namespace litmus
