// What the tests of a report, and the devices that ran them, say of each reading.
#pragma once

#include <string>
#include <vector>

#include "tool/study.h"
#include "view/page/readings_page.h"

namespace litmus {

// A test of the report, and what was found out of it.
struct WeighedTest {
    const Input* input = nullptr;
    Link page;
    const Result* result = nullptr;
    const std::optional<Prediction>* prediction = nullptr;
    const std::vector<StudiedRun>* runs = nullptr;
};

// One for each reading of the model, in its order. `on`: those asked for.
std::vector<PageReading> weigh_readings(const Model& model, const std::vector<std::string>& on, const Observations& observed,
                                        const std::vector<WeighedTest>& tests);

}  // namespace litmus
