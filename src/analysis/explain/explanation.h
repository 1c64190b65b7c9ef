// What `litmus explain` says of a test: plain data, its text and its JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/explain/dot.h"
#include "analysis/explain/forbidden.h"
#include "analysis/explain/story.h"
#include "analysis/repair/missing.h"
#include "analysis/verdict/reliance.h"

namespace litmus {

struct Explanation {
    enum class Answer : uint8_t {
        forbidden,   // the model allows no execution that ends as asked: `cases`
        impossible,  // no execution at all ends so: `because`
        shown,       // an execution shows what was asked about: `execution`, and the rule that it breaks, if any, in `because`
        nothing,     // the test asks nothing that an execution could show: `because`
    };
    // A way in which the outcome could come about, and the axiom that it breaks.
    struct Way {
        std::string axiom, section, meaning;
        std::vector<Sentence> story;
    };
    struct Case {
        std::vector<std::string> outcomes;                      // "P1:r0=1; P1:r1=0;", those with the same story together
        bool known = true;                                      // false: the time was over
        std::vector<std::vector<std::string>> allowed_without;  // minimal sets of axioms
        std::vector<Way> ways;
        bool all_ways = false;  // there are no others, unless they break other axioms
    };
    std::string file, test, model, model_hash;
    std::string question;  // "P1:r0 == 1", the condition that is explained; empty: none
    std::string verdict;   // of the test: "ok", "no", "undefined", ...; empty: an outcome is asked about
    Answer answer = Answer::nothing;
    std::vector<Case> cases;
    bool complete = true;  // false: there are more outcomes than those explained, or it is not known
    bool decided = true;   // false: the time or the memory was spent before all of this was known
    std::vector<std::string> because;
    std::vector<std::string> execution;  // lines
    std::vector<std::string> readings;   // lines: on which readings of the ISA this rests
    // What the cheapest repairs of what is shown add; none where no repair is known. Nothing: not looked for, or not found out in time.
    std::optional<WhatIsMissing> missing;
    std::string repaired_by = {};  // the command that has the patch; empty: none is to be named
};

// "P1:r0=1; P1:r1=0;"
std::string outcome_text(const std::vector<Observable>& observables, const std::vector<uint64_t>& values);

// One of its cases.
Explanation::Case case_of(const Forbidden& forbidden, const Forbidden::Case& from, const Model& model);
// Puts in why no execution ends so.
void add_forbidden(Explanation& explanation, const Forbidden& forbidden, const Model& model);
// Puts in the execution that is shown.
void add_execution(Explanation& explanation, const Drawing& drawing);
// Puts in on which readings the answer rests. `reliance`: nothing, where no reading concerns the test.
void add_readings(Explanation& explanation, const std::optional<Reliance>& reliance, const Model& model);

std::string explanation_text(const Explanation& explanation);

// One line without its end; the keys, always all and in this order:
//   file, test, model, model_hash, question (null: none), verdict (null: an outcome is asked about)
//   answer     "forbidden", "impossible", "shown", "nothing"
//   cases      outcomes; known; allowed_without, the minimal sets of axioms without one of which the model allows them; all_ways;
//              ways, in which they could come about, each with what it breaks: axiom, section, meaning, story
//              A sentence of a story: text, section (null: none), relation, from, to (null: several facts), because (sentences)
//   complete   whether these are all outcomes that were asked about
//   decided    false: the time or the memory was spent before all of this was known
//   because, execution, readings: lines for people
//   missing    kind (src/analysis/edits/edit.h lists them), place, line, what, instead (a list of the same: what does as well in its
//   place); null:
//              nothing is shown, or not found out in time
//   otherwise  other ways: dearer (it costs more, and holds under the weakest readings, too), missing
std::string explanation_json(const Explanation& explanation);

}  // namespace litmus
