// What an answer of the solver means for a test: its verdict.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solve/solve.h"

namespace litmus {

enum class Verdict : uint8_t {
    ok,            // every claim of the test holds
    no,            // some claim does not
    undefined,     // undefined behaviour came up and is not claimed
    deadlock,      // no execution terminates, and that is not claimed
    may_deadlock,  // some execution gets stuck, and that is not claimed
    race,          // asked strictly: some execution has a data race, and nothing is claimed of races
    unknown,       // not decided: a time-out, a solver that gave up, a loop bound
    error,         // the input is wrong
};

std::string_view name(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::unknown;
    Answer::Truth holds = Answer::Truth::unknown;  // all that is claimed, whatever else came up; yes without a claim
    std::vector<std::string> notes;                // why it is not a plain ok or no, in words
};

// The note on the verdict of a test that expects nothing.
inline constexpr std::string_view reported_only = "reported only: the test expects nothing";

// Whether `answer` bears out what `test` claims. Pure.
//
// The condition: `exists` holds when some execution satisfies it, `~exists` when none does, `forall`
// when none violates it. What holds or fails only because loops were cut at the unroll bound is
// unknown. Precedence (model/semantics.md section 9): undefined, deadlock, a claim that fails, may-deadlock,
// a race where `strict`, what is not decided, ok. Undefined behaviour, threads that get stuck and, where
// `strict`, races that are neither claimed nor ruled out leave a test unknown.
Judgement judge(const Test& test, const Answer& answer, bool strict = false);

// Why not all that was asked for could be found out: the time or the memory ran out, or the solver gave up. Empty: all was.
std::string what_ran_out(const Answer& answer);

// The exit status of one verdict: 0, 1, 2 or 3.
int exit_status(Verdict verdict);
// The exit status of a run, from that of its parts: 70 (an internal error) before 2 before 1 before 3 before 0.
int combine_status(int a, int b);

}  // namespace litmus
