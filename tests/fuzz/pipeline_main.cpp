// Fuzzes the whole pipeline: semantic mutants of a library of tests, from their text to what is printed of them.
//
//   fuzz_pipeline [--seed N] [--seconds S] [--jobs N] [--timeout S] [--memory MB] [--keep FOLDER] [--assemble PTXAS] FILE|FOLDER...
//
// A mutant is printed, read again, built, checked, its hazards and readings asked, its result written as text, JSON and PTX. It fails
// when the process dies (as it does where a sanitizer finds something), when the tool calls it an internal error, when the test printed
// and read again is another, and when it takes more than twice the time limit. The inputs that do are kept in the folder.
//
// With --assemble nothing is solved: each mutant that can be emitted is, and NVIDIA's assembler must take the module.
//
// Each job is a process that writes every input to the folder before it runs it, so that one that dies leaves it there; another takes
// its place. A mutant depends on the seed, its job and its number alone. Time is that of the processor: others may share the machine.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/json.h"
#include "analysis/verdict/reliance.h"
#include "analysis/verdict/result.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/text.h"
#include "base/source.h"
#include "cat/readings.h"
#include "gpu/emit/emit.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "mutate.h"
#include "solve/solve.h"

namespace fs = std::filesystem;

namespace litmus {

namespace {

struct Options {
    uint64_t seed = 1;
    double seconds = 60;
    size_t jobs = 1;
    double timeout = 2;
    size_t memory = 1024;
    fs::path keep = "fuzz-findings";
    std::string assembler;  // ptxas; empty: mutants are solved, not assembled
    std::vector<std::string> inputs;
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::vector<Test> read_library(const std::vector<std::string>& inputs) {
    std::vector<Test> tests;
    const auto add = [&](const fs::path& path) {
        try {
            for (Test& test : parse_tests(read_source(path.string())))
                if (test.dialect == Dialect::native) tests.push_back(std::move(test));
        } catch (const Failure&) {  // a file that holds no test
        }
    };
    for (const std::string& input : inputs) {
        if (!fs::is_directory(input)) {
            add(input);
            continue;
        }
        std::vector<fs::path> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(input))
            if (entry.path().extension() == ".litmus") files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        for (const fs::path& file : files) add(file);
    }
    return tests;
}

// What `litmus check` does with one test, and then some. Gives what is wrong with the tool, or nothing.
std::string run_pipeline(const std::string& text, const Options& options, ModelFamily& family, std::map<std::string, size_t>& counts) {
    const double start = processor_seconds();
    std::string wrong;
    try {
        const Test test = parse_tests(make_source("mutant.litmus", text)).at(0);
        if (const std::string again = print(test); parse_tests(make_source("again.litmus", again)).at(0) != test)
            wrong = "printed and read again it is another test";
        const BuildOptions build{2, true, Budget(options.timeout, options.memory)};
        Solver solver;
        const std::vector<std::string> on = readings_of(family.by_default(), Reading::Base::default_);
        const Model& model = family.under(on);
        Program program = build_program(test, build);
        require_support(program, model);
        const Answer answer = solver.solve(program, model, {});
        Result result = make_result("mutant.litmus", test, program, model, answer, false);
        add_hazards(result, test, explain(program, *answer.hazards));
        result.reliance = reliance({test, program}, family, on, "", answer, solver);
        ++counts[std::string(name(result.judgement.verdict))];
        const std::string printed = text_report(result, {}) + json_line(result);
        if (printed.find('\x1b') != std::string::npos || printed.find("\n::error") != std::string::npos) wrong = "a name acts";
        gpu::emit(test, std::nullopt);
    } catch (const Failure&) {
        ++counts["refused"];
    } catch (const OverBudget&) {
        ++counts["not built"];
    } catch (const std::exception& error) {
        wrong = std::string("internal error: ") + error.what();
    }
    const double seconds = processor_seconds() - start;
    if (seconds > 2 * options.timeout) wrong = "it took " + std::to_string(seconds) + " s";
    return wrong;
}

// Emits one test and has it assembled. Gives what is wrong, or nothing.
std::string assembled(const std::string& text, const Options& options, const fs::path& module, std::map<std::string, size_t>& counts) {
    try {
        const Test test = parse_tests(make_source("mutant.litmus", text)).at(0);
        const Budget budget(options.timeout, options.memory);
        try {
            build_program(test, {.budget = budget});  // what `check` calls an error is no matter of emission
        } catch (const OverBudget&) {
            ++counts["not built"];
            return {};
        }
        const gpu::Emitted emitted = gpu::emit(test, std::nullopt);
        std::ofstream(module, std::ios::binary | std::ios::trunc) << emitted.ptx << std::flush;
        const std::string target = "sm_" + std::to_string(emitted.plan.sm) + (emitted.plan.specific ? "a" : "");
        const std::string log = module.string() + ".log";
        const int status = std::system(
            ("'" + options.assembler + "' -O1 -arch=" + target + " -o /dev/null '" + module.string() + "' >'" + log + "' 2>&1").c_str());
        ++counts[status == 0 ? "assembled" : "not assembled"];
        std::ifstream said(log);
        std::string first;
        if (status != 0) std::getline(said, first);
        return status == 0 ? std::string() : "the assembler refuses it: " + first;
    } catch (const Failure&) {
        ++counts["refused"];
    } catch (const std::exception& error) {
        return std::string("internal error: ") + error.what();
    }
    return {};
}

fs::path current_input(const Options& options, size_t job) {
    return options.keep / ("current-" + std::to_string(job) + ".litmus");
}

void keep(const Options& options, size_t job, uint64_t number, const std::string& why) {
    const fs::path kept =
        options.keep / ("seed-" + std::to_string(options.seed) + "-" + std::to_string(job) + "-" + std::to_string(number) + ".litmus");
    std::error_code ignored;
    fs::copy_file(current_input(options, job), kept, fs::copy_options::overwrite_existing, ignored);
    std::printf("FOUND %s: %s\n", kept.c_str(), why.c_str());
    std::fflush(stdout);
}

// Mutants from number `first` on until the time is over; `at` tells the parent how far it came. True: nothing was found.
bool work(const Options& options, size_t job, uint64_t first, volatile uint64_t& at, const std::vector<Test>& library) {
    ModelFamily family("ptx", {});
    std::map<std::string, size_t> counts;
    bool good = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
    for (uint64_t number = first; std::chrono::steady_clock::now() < end; ++number) {
        at = number;
        std::seed_seq seeds{options.seed, static_cast<uint64_t>(job), number};
        Random random(seeds);
        const std::string text = print(mutant(library, random));
        std::ofstream(current_input(options, job), std::ios::binary | std::ios::trunc) << text << std::flush;
        const std::string wrong = options.assembler.empty()
                                      ? run_pipeline(text, options, family, counts)
                                      : assembled(text, options, current_input(options, job).replace_extension(".ptx"), counts);
        if (wrong.empty()) continue;
        good = false;
        keep(options, job, number, wrong);
    }
    std::string line = "job " + std::to_string(job) + ":";
    for (const auto& [what, count] : counts) line += " " + std::to_string(count) + " " + what;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    return good;
}

// One process that works, and what it is at.
struct Job {
    pid_t process = 0;
    uint64_t* at = nullptr;  // shared with it
};

void start(Job& job, size_t number, uint64_t first, const Options& options, const std::vector<Test>& library) {
    *job.at = first;
    job.process = ::fork();
    if (job.process == 0) std::_Exit(work(options, number, first, *job.at, library) ? 0 : 1);
    if (job.process < 0) throw std::runtime_error("cannot start a process");
}

// Keeps jobs running until the time is over. True: nothing was found.
bool run_all(Options options, const std::vector<Test>& library) {
    const auto start_time = std::chrono::steady_clock::now();
    const double seconds = options.seconds;
    std::vector<Job> jobs(options.jobs);
    for (size_t number = 0; number < jobs.size(); ++number) {
        void* shared = ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
        jobs[number].at = static_cast<uint64_t*>(shared);
        start(jobs[number], number, 0, options, library);
    }
    bool good = true;
    for (size_t running = jobs.size(); running > 0;) {
        int status = 0;
        const pid_t ended = ::wait(&status);
        const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const Job& j) { return j.process == ended; });
        if (job == jobs.end()) continue;
        const auto number = static_cast<size_t>(job - jobs.begin());
        const bool finished = WIFEXITED(status) && WEXITSTATUS(status) <= 1;
        good = good && finished && WEXITSTATUS(status) == 0;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_time;
        if (!finished) keep(options, number, *job->at, WIFSIGNALED(status) ? "died of signal " + std::to_string(WTERMSIG(status)) : "died");
        options.seconds = seconds - passed.count();
        if (finished || options.seconds <= 0)
            --running;
        else
            start(*job, number, *job->at + 1, options, library);
    }
    return good;
}

Options parse(int argc, char** argv) {
    Options options;
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (size_t i = 0; i < words.size(); ++i) {
        const auto value = [&] { return i + 1 < words.size() ? words[++i] : throw std::runtime_error(words[i] + " needs a value"); };
        if (words[i] == "--seed")
            options.seed = std::stoull(value());
        else if (words[i] == "--seconds")
            options.seconds = std::stod(value());
        else if (words[i] == "--jobs")
            options.jobs = std::stoul(value());
        else if (words[i] == "--timeout")
            options.timeout = std::stod(value());
        else if (words[i] == "--memory")
            options.memory = std::stoul(value());
        else if (words[i] == "--keep")
            options.keep = value();
        else if (words[i] == "--assemble")
            options.assembler = value();
        else
            options.inputs.push_back(words[i]);
    }
    return options;
}

}  // namespace

}  // namespace litmus

int main(int argc, char** argv) {
    try {
        const litmus::Options options = litmus::parse(argc, argv);
        const std::vector<litmus::Test> library = litmus::read_library(options.inputs);
        if (library.empty()) throw std::runtime_error("no test: name files or folders of them");
        fs::create_directories(options.keep);
        return litmus::run_all(options, library) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz_pipeline: %s\n", error.what());
        return 2;
    }
}
