// What a quiz asks about a test, with the answers as the tool computes them.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/explain/explanation.h"
#include "analysis/verdict/hazards.h"
#include "cat/readings.h"
#include "options.h"
#include "tool/inputs.h"

namespace litmus {

// Numbers at random, the same on every machine.
class Dice {
public:
    explicit Dice(uint64_t seed) : random_(seed) {}
    // Below `n`, which is not 0.
    size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
    template <typename T>
    void shuffle(std::vector<T>& all) {
        for (size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[below(left)]);
    }

private:
    std::mt19937_64 random_;
};

// The execution behind the outcome of this number, or, for 0, behind what goes wrong, as `litmus show` prints it; nothing where there is
// none.
std::vector<std::string> execution_lines(const Input& input, ModelFamily& family, const Options& options, size_t outcome);

// What a hazard is, and who brings it about.
std::vector<std::string> hazard_lines(const HazardText& hazard);

// Why an outcome cannot be, in one of the ways in which it could come about.
std::vector<std::string> story_lines(const Explanation::Case& why);

struct QuizQuestion {
    std::string text = {};                  // "Can it end so?  P1:r0=1; P1:r1=0"
    std::vector<std::string> choices = {};  // lines a, b, ...; none: yes or no
    size_t right = 0;                       // the choice; of yes and no: 0 yes, 1 no
    std::string truth = {};                 // "It can."
    std::vector<std::string> hint = {};     // lines that help and do not tell
    std::vector<std::string> why = {};      // lines
};

struct QuizBounds {
    size_t most_outcomes = 1;  // that are asked about, of one test
    bool in_order = true;      // those that the claim is about come first; else by the dice
};

// How the test can end, outcome by outcome; of a test that claims no condition, or whose executions may be undefined, whether it goes
// wrong. None where that is not known.
std::vector<QuizQuestion> outcome_questions(const Input& input, ModelFamily& family, const Options& options, const QuizBounds& bounds,
                                            Dice& dice);

// Which of a few edits repairs the test: none where it shows no bug, where no single edit repairs it, or where that is not soon known.
std::vector<QuizQuestion> repair_questions(const Input& input, ModelFamily& family, const Options& options, Dice& dice);

}  // namespace litmus
