// One task at a time; what a task is at is noted before it is begun, so that the supervisor knows whom to blame.
#include "gpu/run/campaign.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/budget.h"
#include "base/visible.h"
#include "gpu/run/advice.h"
#include "gpu/run/ledger.h"
#include "gpu/run/observed_json.h"
#include "gpu/run/tune.h"

namespace litmus::gpu {

namespace {

Gpus open_device(int ordinal, bool again) {
    try {
        return Gpus(ordinal);
    } catch (const std::exception& error) {
        if (!again) throw;
        throw std::runtime_error(std::string("the device answers nothing more (") + error.what() +
                                 "): the run ends here; what was counted before is kept");
    }
}

// What earlier workers have written, or an earlier run on the same device; empty: nothing, or to what cannot be read again.
std::string written_before(const CampaignOptions& options, const Notes& notes, const Gpus& gpus) {
    if (!notes->saved) return "";
    const std::string text = text_of_file(options.output);
    const std::string here = gpus.first().info().name;
    if (!options.resume) return text;
    const std::string there = parse_observed(make_source(options.output, text)).header.device;
    if (there != here) throw std::runtime_error("'" + options.output + "' was observed on '" + there + "', and this is '" + here + "'");
    return text;
}

// Whether the run of a test did what is asked for.
bool is_finished(const Observation& o, const RunOptions& run) {
    return o.hung || (run.instances > 0 ? o.instances - o.tuned_instances >= run.instances : o.seconds - o.tuned_seconds >= run.seconds);
}

// The tasks that are not done, one after the other.
class Campaign {
public:
    // All of these outlive it.
    Campaign(const CampaignOptions& options, const Configurations& configurations, const std::vector<Task>& tasks, const Notes& notes,
             Streams streams)
        : options_(options),
          configurations_(configurations),
          tasks_(tasks),
          notes_(notes),
          gpus_(open_device(options.device, notes->announced)),
          goes_on_(notes->saved),
          ledger_(options.output, header(gpus_, options, configurations), written_before(options, notes, gpus_)),
          progress_(streams.err, options.progress),
          out_(streams.out),
          err_(streams.err),
          random_(options.run.seed) {
        run_options_ = options.run;
        run_options_.interrupted = [this] { return interrupted(); };
        run_options_.progress = [this](const Observation& o) { tell(o); };
    }

    // Returns the exit status; does not return after a fault or a hang.
    int run() {
        announce();
        started_ = now();
        save_meanwhile();
        for (at_ = 0; at_ < tasks_.size() && !interrupted(); ++at_) {
            if (notes_.is_done(at_)) continue;
            notes_->at = at_;
            run_one();
            finished_.push_back(at_);
            save_meanwhile();
            runs_.erase(at_);
        }
        progress_.clear();
        keep_open_runs();  // tuned on, and interrupted before their turn
        save();
        if (!out_.flush()) {
            complain(err_, "cannot write standard output: the histograms are lost");
            notes_.worsen(2);
        }
        if (interrupted()) {
            complain(err_, "interrupted; what was counted until then is kept");
            return 130;
        }
        if (ledger_.tests() == 0 && notes_->status == 0 && !goes_on_) {
            complain(err_, "no test ran");
            return 2;
        }
        return notes_->status;
    }

private:
    static RunHeader header(const Gpus& gpus, const CampaignOptions& options, const Configurations& configurations) {
        RunHeader header = header_of(gpus.first(), options.run);
        header.command = options.command;
        header.configuration = configurations.common;
        return header;
    }

    const Task& task() const { return tasks_[at_]; }
    bool interrupted() const { return notes_->interrupted; }

    void announce() {
        const DeviceInfo& info = gpus_.first().info();
        if (!notes_->announced)
            out_ << info.name << ", sm_" << info.sm << ", driver for CUDA " << cuda_version(info.driver) << ", seed " << options_.run.seed
                 << "\n\n";
        notes_->announced = true;
    }

    void say(const std::string& message) {
        progress_.clear();
        complain(err_, message);
    }

    void run_one() {
        if (!task().test) {
            progress_.clear();
            complain(err_, *task().failure);
            notes_.worsen(2);
            return;
        }
        try {
            TestRun& run = open(at_);
            const Stresses configurations = configuration(run);
            tuning_ = false;
            notes_->at = at_;
            if (!interrupted()) run.run(configurations);
            check_hung(run);
            finish(run.observation());
        } catch (const NotRun& reason) {
            ledger_.skip(*task().test, task().file, reason.what());
            progress_.clear();
            err_ << visible(task().file) << ": '" << visible(task().test->name) << "' is skipped: " << reason.what() << "\n";
        } catch (const DriverError& error) {
            if (ends_everything(error.code())) leave_to_next(error.what());
            fail(error.what());
        } catch (const std::exception& error) {
            fail(error.what());
        }
    }

    void fail(const std::string& message) {
        say("'" + visible(task().test->name) + "': " + message);
        notes_.worsen(2);
        const auto run = runs_.find(at_);
        if (run != runs_.end() && run->second->observation().instances > 0) ledger_.add(run->second->observation());
        ledger_.skip(*task().test, task().file, message);
    }

    // After a fault or a hang this process can do nothing more with the device, and everything that would free its memory fails
    // or waits. The test to blame is the one that the notes say, which is another than task() while a family is tuned.
    [[noreturn]] void leave_to_next(const std::string& reason) {
        const Task& culprit = tasks_[notes_->at];
        say("'" + culprit.test->name + "': " + reason);
        notes_.worsen(1);
        ledger_.skip(*culprit.test, culprit.file, reason);
        keep_open_runs();
        stopped_ = true;
        save();
        if (interrupted()) complain(err_, "interrupted; what was counted until then is kept");
        out_.flush();
        std::_Exit(interrupted() ? 130 : go_on);
    }

    void check_hung(const TestRun& run) {
        if (!run.observation().hung) return;
        std::ostringstream reason;
        reason << "a launch did not end within " << options_.run.watchdog << " s";
        leave_to_next(reason.str());
    }

    void keep_open_runs() {
        for (const auto& [index, run] : runs_)
            if (run->observation().instances > 0 || run->observation().hung) ledger_.add(run->observation());
    }

    TestRun& open(size_t index) {
        auto& run = runs_[index];
        notes_->at = index;
        try {
            if (!run) run = std::make_unique<TestRun>(gpus_, *tasks_[index].test, tasks_[index].file, run_options_);
        } catch (...) {
            runs_.erase(index);
            throw;
        }
        return *run;
    }

    // ---- configurations

    Stresses configuration(TestRun& run) {
        if (options_.configured) {
            Stresses found = configuration_for(configurations_, run.observation().hash, run.observation().test);
            if (found.empty()) {
                progress_.clear();
                err_ << "litmus-gpu: warning: --config has nothing for '" << visible(run.observation().test) << "': it runs untuned\n";
                found = {Stress{}};
            }
            return found;
        }
        if (options_.tune <= 0) return {Stress{}};
        if (!options_.tune_families) return tuned({at_});
        const std::string family = std::filesystem::path(task().file).parent_path().string();
        const auto known = of_family_.find(family);
        if (known != of_family_.end()) return known->second;
        return of_family_[family] = tuned(members(family));
    }

    // This test, and one from the middle and the end of its directory that run here.
    std::vector<size_t> members(const std::string& family) {
        std::vector<size_t> all, result = {at_};
        for (size_t i = at_ + 1; i < tasks_.size(); ++i)
            if (tasks_[i].test && !notes_.is_done(i) && std::filesystem::path(tasks_[i].file).parent_path().string() == family)
                all.push_back(i);
        if (all.size() > 1) result.push_back(all[all.size() / 2]);
        if (!all.empty() && all.back() != result.back()) result.push_back(all.back());
        const auto fails = [&](size_t i) {
            try {
                open(i);
                return false;
            } catch (const DriverError& error) {
                if (ends_everything(error.code())) throw;
                return true;
            } catch (const std::exception&) {  // said when its turn comes
                return true;
            }
        };
        std::erase_if(result, fails);
        return result;
    }

    Stresses tuned(const std::vector<size_t>& tests) {
        std::vector<Trial> trials;
        for (const size_t i : tests)
            trials.emplace_back([this, i, &run = open(i)](const Stress& stress, double seconds) {
                notes_->at = i;
                const Measured measured = run.trial(stress, seconds);
                check_hung(run);
                return measured;
            });
        TuneOptions options;
        options.seconds = options_.tune;
        options.trial *= static_cast<double>(tests.size());
        options.stop = [this] { return interrupted(); };
        tuning_ = true;
        const Tuned result = tune(together(std::move(trials)), options, random_);
        tuning_ = false;
        if (options_.verbose) {
            progress_.clear();
            out_ << "tuned in " << result.seconds << " s, " << result.trials << " trials: " << result.score.wanted
                 << " outcomes wanted, the rarest " << result.score.wanted_rate << " a second; " << result.score.outcomes
                 << " outcomes, the rarest " << result.score.rate << " a second\n";
        }
        return result.in_turn;
    }

    // ---- what there is so far

    void finish(const Observation& observation) {
        ledger_.add(observation);
        progress_.clear();
        out_ << to_text(observation);
        if (options_.verbose) out_ << "Configuration " << configuration_text(observation.configuration) << "\n";
        out_ << "\n" << std::flush;
    }

    void tell(const Observation& current) {
        Standing standing;
        standing.test = at_ + 1;
        standing.tests = tasks_.size();
        standing.name = current.test;
        standing.tuning = tuning_;
        standing.instances = current.instances;
        standing.seconds = current.seconds;
        standing.left = estimate_left(current);
        progress_.show(standing, now());
        if (now() - ledger_.written_at() >= seconds_between_saves) save_meanwhile({current});
    }

    // An estimate for the user, in seconds: by what is asked for each test, or, where that is a number of instances, by what the tests so
    // far took.
    double estimate_left(const Observation& current) const {
        const double elapsed = now() - started_, done = static_cast<double>(ledger_.tests());
        const double tests_left = static_cast<double>(tasks_.size() - at_);
        if (options_.run.instances == 0) {
            const double each = options_.run.seconds + (options_.tune_families ? 0 : options_.tune);
            return tests_left * each - current.seconds;
        }
        const double target = static_cast<double>(options_.run.instances);
        const double own = std::max(1e-3, static_cast<double>(current.instances) / target);
        return done > 0 ? elapsed / done * tests_left - current.seconds
                        : current.seconds / std::min(own, 1.0) * tests_left - current.seconds;
    }

    // Should this process crash, what is not saved runs again.
    void save_meanwhile(const std::vector<Observation>& running = {}) {
        if (ledger_.is_due(now())) save(running);
    }

    void save(const std::vector<Observation>& running = {}) {
        try {
            if (ledger_.write(running, notes_->saved || stopped_)) notes_->saved = true;
        } catch (const std::exception& error) {
            say(error.what());
            notes_.worsen(2);
        }
        for (const size_t finished : finished_) notes_.done(finished);
        finished_.clear();
    }

    static constexpr double seconds_between_saves = 30;

    const CampaignOptions& options_;
    const Configurations& configurations_;
    const std::vector<Task>& tasks_;
    const Notes& notes_;
    Gpus gpus_;
    bool goes_on_;  // behind what others have written
    Ledger ledger_;
    RunOptions run_options_;
    ProgressLine progress_;
    std::ostream& out_;
    std::ostream& err_;
    std::mt19937_64 random_;
    std::map<size_t, std::unique_ptr<TestRun>> runs_;  // those that are open, by their place among the tasks
    std::map<std::string, Stresses> of_family_;
    size_t at_ = 0;  // of tasks_
    bool tuning_ = false;
    bool stopped_ = false;          // by a fault or a hang
    std::vector<size_t> finished_;  // tasks since the last save
    double started_ = 0;
};

}  // namespace

void complain(std::ostream& err, const std::string& message) {
    std::istringstream lines("litmus-gpu: error: " + message);  // the driver's compiler writes several
    for (std::string line; std::getline(lines, line);) err << visible(line) << "\n";
}

void complain(std::ostream& err, const Failure& failure) {
    for (const Diagnostic& diagnostic : failure.diagnostics()) err << render(diagnostic, false);
}

size_t recall(const CampaignOptions& options, const std::vector<Task>& tasks, const Notes& notes) {
    std::error_code ignored;
    if (!options.resume || !std::filesystem::exists(options.output, ignored)) return 0;
    const ObservedFile earlier = parse_observed(read_observed_source(options.output));
    if (earlier.header.command != options.command) {
        std::string words;
        for (const std::string& word : earlier.header.command) words += (words.empty() ? "" : " ") + word;
        throw Failure(nullptr, {}, "'" + options.output + "' was written by another command",
                      "name another file, or say what that one said, and --resume: " + words);
    }
    std::set<std::vector<std::string>> finished, skipped;
    for (const Observation& o : earlier.observations)
        if (is_finished(o, options.run)) finished.insert({o.file, o.test, o.hash});
    for (const Skipped& s : earlier.header.skipped) skipped.insert({s.file, s.test});
    size_t done = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const Task& task = tasks[i];
        if (!task.test) continue;  // its error is said again
        const std::string& name = task.test->name;
        if (finished.count({task.file, name, text_hash(*task.test)}) == 0 && skipped.count({task.file, name}) == 0) continue;
        notes.done(i);
        ++done;
    }
    notes->saved = true;
    return done;
}

int run_campaign(const CampaignOptions& options, const Configurations& configurations, const std::vector<Task>& tasks, const Notes& notes,
                 Streams streams) {
    return Campaign(options, configurations, tasks, notes, streams).run();
}

void record_death(const CampaignOptions& options, const Task& task, const Notes& notes, const std::string& signal, std::ostream& err) {
    const std::string reason = "the process that ran it was ended by a signal: " + signal;
    if (options.progress == ProgressLine::Mode::terminal) err << "\n";  // below the line of the progress
    complain(err, "'" + (task.test ? task.test->name : task.file) + "': " + reason);
    notes.worsen(1);
    if (!notes->saved) return;
    const std::string name = task.test ? task.test->name : "";
    write_file(options.output, with_skipped(text_of_file(options.output), {name, task.file, reason}));
}

}  // namespace litmus::gpu
