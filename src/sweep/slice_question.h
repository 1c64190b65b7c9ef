// The question that a test asks about a finding, by the kind of the finding. Some kinds have no test, and then the table says why.
// The files of slice.h alone include it.
#pragma once

#include <string>
#include <string_view>

#include "sweep/slice.h"

namespace litmus::sweep {

// Why there is no test.
struct Missing {
    std::string why;
};

// The question of a test about a finding of this kind; else why there is none.
struct Asked {
    Question question = Question::race;
    std::string_view why = {};  // not empty: there is none
};
Asked asked_of(Breach breach);

// How a test is called, and what it says of itself.
struct Title {
    const char* name;
    const char* doc;
};
Title title_of(Question question);

// Why a test of named threads does not show such a finding of the run; empty: it does, where they have to do with it.
std::string_view why_not_of_named(Breach breach);

}  // namespace litmus::sweep
