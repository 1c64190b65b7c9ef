// The page of one test: what it says, how it can end and why not otherwise, what GPUs did.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/conform/conformance.h"
#include "analysis/explain/explanation.h"
#include "analysis/repair/missing.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/result.h"
#include "view/page/bare_source.h"
#include "view/page/frame.h"
#include "view/page/highlight.h"

namespace litmus {

struct Link {
    std::string text;
    std::string target;  // from the site's root
};

// What became of an mbarrier object in an execution.
struct MbarrierStory {
    struct Step {
        std::string what;       // "P1:12 mbarrier.arrive ..."
        std::string state;      // behind it: "{phase 0, pending 1, tx 0}"
        std::string completes;  // "phase 0" where that phase ends here; else empty
    };
    std::string object;  // "bar"
    std::vector<Step> steps;
};

// An execution as it stands on a page.
struct Figure {
    std::string svg;    // as svg_picture() gives it
    std::string chart;  // as lanes_picture() gives it, of an execution whose graph no window has room for; else empty
    std::vector<MbarrierStory> mbarriers;
};

// A device that ran the test.
struct RanOn {
    std::string device;
    uint64_t instances = 0;                      // whose outcome is known
    uint64_t unlisted = 0;                       // of outcomes that found no room
    std::vector<std::string> disturbances = {};  // what compilers moved, merged or dropped in some of the runs
};

// One way to end.
struct PageOutcome {
    std::vector<std::string> values;        // "P1:r0=1"
    Standing standing = Standing::allowed;  // under the readings that were asked for
    bool asked = false;                     // the test's claim is about it
    std::vector<std::string> ruled_out_by;  // forbidden: readings that are on and forbid it; else: those that are off and would
    std::vector<uint64_t> counts;           // parallel to TestPage::devices; empty: they ran, but observed something else
    std::optional<Figure> figure;
    std::string drawn_by;                  // the command that draws it, where the page has no room
    std::optional<Explanation::Case> why;  // forbidden: the ways in which it could come about, and what each breaks
};

struct PageHazard {
    HazardText text;
    std::optional<Figure> figure;  // none: the page has pictures of as many hazards as it has room for
};

struct TestPage {
    std::string path;              // of the page, from the site's root
    SourcePtr source;              // null: the file could not be read
    std::vector<SourceLine> bare;  // the lines that do not tell the answer
    Result result;
    std::string doc;
    std::vector<std::string> refs;

    std::vector<RanOn> devices;
    std::vector<PageOutcome> outcomes;
    bool more_outcomes = false;           // there are others
    std::vector<std::string> impossible;  // why nothing ends as the claim asks, where no axiom is needed
    std::vector<PageHazard> hazards;
    std::vector<std::string> readings;     // lines: what the verdict rests on
    std::optional<WhatIsMissing> missing;  // found in time
    std::string repaired_by;               // the command that has the patch; empty: none is to be named
    std::vector<std::string> not_known;    // what was not found out, and why

    // Its place among the others.
    Link topic;
    std::optional<Link> previous, next;
    std::vector<Link> mends, mended_by;
    std::vector<std::string> changes;  // of each of `mended_by`: the difference, as a unified patch
    std::vector<Link> questions;       // that it answers
};

// "H100" of "NVIDIA H100 80GB HBM3".
std::string short_device(std::string_view name);
// "4711", "1.2e10".
std::string count_text(uint64_t count);
// "5.8 % of 1.2e10", "17 of 1.2e10" where that is very few, "never in 1.2e10".
std::string rate_text(uint64_t count, uint64_t instances);

std::string test_page(const Site& site, const TestPage& page, const Highlighter& highlighter);

}  // namespace litmus
