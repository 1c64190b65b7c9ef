// What a program does, whatever its test claims: the first thing that a reader has to know of a result.
//
// A verdict compares a test with its claims: a pipeline that is undefined has the verdict `ok` where the test claims that. So the verdict
// does not say whether the program is right, and this does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/verdict/result.h"

namespace litmus {

struct Conduct {
    // The worst of what is known, worst first.
    enum class Kind : uint8_t {
        goes_wrong,  // some execution has undefined behaviour, or waits for ever
        can_happen,  // nothing of the kind; but an execution can end with what the test asks about, or without what it requires
        races,       // nor that; but two accesses race
        safe,        // none of these
        unknown,     // none was found, and that there is none is not known
    };
    Kind kind = Kind::unknown;
    // What is said of "the program": "can go wrong: undefined behaviour (read of copy destination), may hang",
    // "can end with P1:r0 == 1; races on data", "cannot go wrong: never ends with P1:r0 == 1".
    std::string sentence;
    // What the test says to that: "the test claims so".
    std::string_view claimed;
};

// "goes-wrong", "safe".
std::string_view name(Conduct::Kind kind);

// Nothing of an input that is no test.
std::optional<Conduct> conduct_of(const Result& result);

}  // namespace litmus
