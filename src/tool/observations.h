// What GPUs did, read from files and added up.
//
// Runs of one test on one device are added up, a test being what hashes to the same canonical text and a device what has the same name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/conform/conformance.h"
#include "gpu/run/observed_json.h"

namespace litmus {

struct Runs {
    Tally tally;
    std::string from;  // the first file
};

struct ObservedDevice {
    std::string name;
    int sm = 0;
    std::vector<int> drivers;
    std::vector<Runs> tests;              // in order of appearance
    std::map<std::string, size_t> place;  // by hash
};

struct Observations {
    std::vector<ObservedDevice> devices;
    std::vector<std::string> files;  // that were read
    std::vector<gpu::Skipped> skipped;
    std::vector<Diagnostic> errors;  // files that cannot be used: nothing is taken of them
};

// `seconds`: how long a pipe may take; 0: as long as it likes. Of a folder all its .json files are read, sorted, but those that are none or
// that a link leads to from elsewhere, which are among the errors; a folder without any is an error that is thrown. What comes after
// 512 MiB is not read.
Observations read_observations(const std::vector<std::string>& names, double seconds);

// As compare() of analysis/conform/conformance.h; what it throws names the file.
Comparison compared(const Prediction& prediction, const Runs& runs);

}  // namespace litmus
