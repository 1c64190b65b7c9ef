// A campaign: the tests of one command on the GPU, one after the other, each under the configurations that it is given or that a search
// finds for it or for its family. What cannot run here is skipped, and why is said and kept.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/source.h"
#include "gpu/emit/stress.h"
#include "gpu/run/progress.h"
#include "gpu/run/run.h"
#include "gpu/run/supervise.h"
#include "language/test.h"

namespace litmus::gpu {

// A test to run, or why there is none: one of the two is there.
struct Task {
    std::string file;  // as shown
    const Test* test = nullptr;
    const Failure* failure = nullptr;
};

struct CampaignOptions {
    int device = 0;
    RunOptions run;
    double tune = 0;             // seconds; 0: no search
    bool tune_families = false;  // one search for all tests of a directory
    bool configured = false;     // the configurations are given: a test that they have nothing for runs untuned
    std::string output;          // observed.json; empty: none
    bool verbose = false;        // with each test's configuration
    ProgressLine::Mode progress = ProgressLine::Mode::silent;
    bool resume = false;               // an earlier run of the same command is gone on with
    std::vector<std::string> command;  // for the output, without what says that
};

// Where a campaign speaks: histograms, and what went wrong.
struct Streams {
    std::ostream& out;
    std::ostream& err;
};

// Prints an error, its first line after the tool's name.
void complain(std::ostream& err, const std::string& message);
// Prints the diagnostics of a failure.
void complain(std::ostream& err, const Failure& failure);

// With options.resume: what an earlier run of the same command has written to the output is kept, and of the tasks those are done
// that it ran as long as is asked for, found hung, or skipped. A test that it was at stands there with its counts, and runs again: in an
// entry of its own. Nothing happens when there is no such file. Returns how many are done. Throws Failure for what is no observed.json,
// and for that of another command.
size_t recall(const CampaignOptions& options, const std::vector<Task>& tasks, const Notes& notes);

// Runs the tasks that `notes` does not have for done, and notes them: what a worker does (supervise.h). Returns the exit status: 0, 1
// after a launch that faulted or hung, 2 after another error or when nothing ran, 130 when interrupted. After a fault or a hang it
// does not return: it saves what there is and ends the process, with the status go_on. Throws what Device throws.
int run_campaign(const CampaignOptions& options, const Configurations& configurations, const std::vector<Task>& tasks, const Notes& notes,
                 Streams streams);

// Says and keeps, in the supervisor, that a signal has ended the worker at this task, which could do neither.
void record_death(const CampaignOptions& options, const Task& task, const Notes& notes, const std::string& signal, std::ostream& err);

}  // namespace litmus::gpu
