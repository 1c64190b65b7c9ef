// Other spellings of a test of which the assembler keeps what the model forbids it to change.
//
// Tried are, one at a time: of an access that is changed, or of the one beside it, the other strengths (relaxed, volatile); a fence before
// the access that is changed; for a wait that is tried once, `await`, or a way out where it fails; for `wait_group.read`, `wait_group`. One
// holds if in all settings nothing of it is changed, or nothing that the model forbids, and the test's claim is decided as before, or
// holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled/findings.h"

namespace litmus::compiled {

// What code has more than other code.
struct Extra {
    long instructions = 0, loads = 0, barriers = 0;
};

struct Workaround {
    size_t thread = 0, instruction = 0;  // where, in the test
    std::string what;                    // "make it `ld.relaxed.cta.global.u32 r2, [x]`", "put `fence.acq_rel.cta` before it"
    std::string text;                    // of the whole test with it
    Fate fate = Fate::kept;              // kept, or allowed
    Extra extra;
};

struct Workarounds {
    std::optional<Setting> measured;  // in which code was counted; none: it was assembled nowhere
    std::vector<Workaround> found;    // the cheapest first
    size_t tried = 0;
    bool complete = true;  // false: the time or the memory ran out, or something was not known
};

// `report` is that of the test, which is native and has the source that it was read from. `readings` are those of its claim. Throws Failure
// where the text of an instruction is not its own.
Workarounds workarounds(const Report& report, const Settings& settings, ModelFamily& family, const std::vector<std::string>& readings,
                        Solver& solver, int unroll, const Budget& budget);

// "2 instructions and 1 load more", "1 instruction less", "nothing"
std::string in_words(const Extra& extra);

}  // namespace litmus::compiled
