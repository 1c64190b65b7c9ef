// The page of the readings: of each the two sides, the smallest test that it changes, what GPUs and compilers did with such tests, and what
// a program does to be right on either side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/conform/conformance.h"
#include "cat/model.h"
#include "view/page/frame.h"
#include "view/page/test_page.h"

namespace litmus {

struct ReadingOnDevice {
    struct Shown {
        Link test;
        std::string outcome;
        uint64_t count = 0;
    };
    std::string device;
    Evidence::Verdict verdict = Evidence::Verdict::untested;
    size_t tests = 0;        // that ran and that it changes
    uint64_t instances = 0;  // of these
    std::vector<Shown> refutations;
};

// What compilers made of the tests that a reading changes, in the runs of all devices.
struct ReadingOnCompilers {
    struct Disturbed {
        Link test;
        std::string what;  // "ptxas 13.0.88: ... is dropped: ..."
    };
    uint64_t in_order = 0;           // runs in which every instruction was known to be in its place
    uint64_t disturbed = 0;          // runs in which one was moved, merged or dropped
    uint64_t unknown = 0;            // runs of whose code nothing is known
    std::vector<Disturbed> changes;  // each once
};

// A test in full.
struct ReadingExample {
    Link page;
    TestPage test;             // its source, and the lines of it that say what it does
    std::string outcome = {};  // that the reading forbids; empty: it forbids none alone
    bool undefined = false;    // without the reading, and not with it
};

struct PageReading {
    Reading reading;
    bool on = false;                         // among those asked for
    std::vector<Link> tests;                 // that it changes
    std::optional<ReadingExample> smallest;  // of these
    std::optional<ReadingExample> safe;      // a repair of one of these that holds in every reading
    std::vector<ReadingOnDevice> devices;
    ReadingOnCompilers compilers;
};

// Its place on the page is `readings.html#NAME`.
std::string readings_page(const Site& site, const std::vector<PageReading>& readings, const Highlighter& highlighter);

}  // namespace litmus
