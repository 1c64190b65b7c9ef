// The page of the readings: what each says where the ISA is silent, what silicon says of it, which tests tell it apart.
#pragma once

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

struct PageReading {
    Reading reading;
    bool on = false;          // among those asked for
    std::vector<Link> tests;  // that it changes
    std::vector<ReadingOnDevice> devices;
};

// Its place on the page is `readings.html#NAME`.
std::string readings_page(const Site& site, const std::vector<PageReading>& readings);

}  // namespace litmus
