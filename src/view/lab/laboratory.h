// The engine of the laboratory: a page asks, in JSON, and is answered in JSON.
//
// The page (lab.js) holds the text and all that is shown; this holds the test that was checked last, with its answer, so that
// executions of it can be asked for. It does what `litmus check`, `show` and `explain` do, by the same functions, and nothing else.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace litmus {

class Laboratory {
public:
    Laboratory();
    ~Laboratory();
    Laboratory(const Laboratory&) = delete;
    Laboratory& operator=(const Laboratory&) = delete;

    // Requests are objects with the key "ask":
    //   "readings"  gives `readings`: name, base ("weakest", "default", "strongest"), meaning, refuted (devices)
    //   "check"     of `text`: the test in it that has the number `test` (from 0), under `reading` (as --reading takes it), within
    //               `seconds` and `megabytes` (0: without bound). Gives
    //               tests        the names of the tests in the text
    //               diagnostics  level, message, hint, line, column, end_line, end_column, rendered: as the terminal shows them
    //               and, where the text is a test:
    //               result       the object of `litmus check --format json` (analysis/verdict/json.h)
    //               report       what `litmus check` prints, without times
    //               outcomes     text ("P1:r0=1; P1:r1=0;"), satisfies
    //               hazards      kind ("undefined", "blocked", "race", "flag"), title, lines
    //               source       the lines of the text, for each thread: name, first and last line
    //   "conceivable"  gives `outcomes`: the final states that executions of the test would have, were there no axioms, at most `most`,
    //               each with text, allowed; `complete`
    //   "show"      of `outcome` or `hazard`, a number from 0 in the lists of "check"; neither: what decides the verdict. Gives
    //               title, svg, text (lines), cells, steps (view/lab/playback.h), stories (of mbarrier objects)
    //   "explain"   of `outcome`, "P1:r0=1; P1:r1=0": the object of `litmus explain --outcome ... --format json`, and svg where the outcome
    //               is forbidden: an execution that would have it
    // Whatever goes wrong is an answer, too: `error`, a line, and `too_large` where the time or the memory was not enough.
    std::string answer(std::string_view request);

private:
    class Bench;
    std::unique_ptr<Bench> bench_;
};

}  // namespace litmus
