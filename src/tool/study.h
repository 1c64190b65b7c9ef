// All that is found out of one test for its page.
#pragma once

#include <optional>
#include <vector>

#include "cat/readings.h"
#include "tool/inputs.h"
#include "tool/observations.h"
#include "tool/options.h"
#include "view/page/test_page.h"

namespace litmus {

// What a test did on one device.
struct StudiedRun {
    size_t device = 0;  // among the observations'
    Comparison comparison;
};

struct Study {
    TestPage page;                         // without its place among the others
    std::optional<Prediction> prediction;  // what each reading does to it; nothing: not found out
    std::vector<StudiedRun> runs;
    int status = 0;  // the exit status that the test alone would have
};

// Checks the test, explains what cannot happen, compares with what was observed and draws. Every error becomes part of the page. Safe to
// call from several threads. What is missing is looked for in a test that fails; with `repair` in one that claims its bug, too.
Study study(const Input& input, ModelFamily& family, const Observations& observed, const TestOptions& options, bool repair = false);

}  // namespace litmus
