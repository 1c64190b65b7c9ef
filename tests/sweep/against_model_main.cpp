// Many random kernels, asked of the sweep and of the model.
//
//     sweep_differential [--programs N] [--seed S] [--shape NAME]... [--keep-going] [--show I] [-j N]
//
// Each program depends on the seed and its number alone. The shapes (random_kernels.h) take turns. A program on which the sweep and the
// model differ (against_model.h) is printed, and then the smallest part of it on which they still do. The run ends with status 1: at once,
// or with --keep-going when all programs are done. Deviations that model/sweep.md states are counted by name. For each shape the run says
// how many programs both found wrong, and how many both found right. A run of conditions alone would show nothing, so it counts these, too.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cat/readings.h"
#include "compare.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "random_program.h"
#include "sweep/against_model.h"
#include "sweep/deviations.h"
#include "sweep/random_kernels.h"

using namespace litmus;

namespace {

struct Options {
    uint64_t programs = 1000, seed = 20;
    std::vector<std::string> shapes;
    bool keep_going = false;
    std::optional<uint64_t> show;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

[[noreturn]] void usage(const std::string& problem) {
    std::cerr << problem << "\nusage: sweep_differential [--programs N] [--seed S] [--shape NAME]... [--keep-going] [--show I] [-j N]\n"
              << "shapes:";
    for (const std::string& shape : kernel_shapes()) std::cerr << " " << shape;
    std::cerr << "\n";
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    const std::vector<std::string> args(argv + 1, argv + argc);
    for (size_t i = 0; i < args.size(); ++i) {
        const std::string& option = args[i];
        const auto value = [&]() -> const std::string& {
            return i + 1 < args.size() ? args[++i] : (usage(option + " needs a value"), option);
        };
        const auto number = [&] {
            const std::string& text = value();
            char* end = nullptr;
            const uint64_t n = std::strtoull(text.c_str(), &end, 0);
            if (text.empty() || *end != '\0') usage("not a number: " + text);
            return n;
        };
        if (option == "--programs")
            options.programs = number();
        else if (option == "--seed")
            options.seed = number();
        else if (option == "--shape")
            options.shapes.push_back(value());
        else if (option == "--keep-going")
            options.keep_going = true;
        else if (option == "--show")
            options.show = number();
        else if (option == "-j" || option == "--jobs")
            options.jobs = std::max(1U, static_cast<unsigned>(number()));
        else
            usage("unknown argument " + option);
    }
    for (const std::string& shape : options.shapes)
        if (std::find(kernel_shapes().begin(), kernel_shapes().end(), shape) == kernel_shapes().end())
            usage("no shape of this name: " + shape);
    if (options.shapes.empty()) options.shapes = kernel_shapes();
    return options;
}

// The programs of one shape, by what was said of them.
struct Count {
    uint64_t programs = 0, wrong = 0, right = 0, conditional = 0, by_schedule = 0, refused = 0, deviating = 0, differing = 0;
    uint64_t values = 0;     // words of memory that were compared with all outcomes
    uint64_t unheeded = 0;   // of the conditional ones: something is wrong
    uint64_t detours = 0;    // the sweep's last search has some
    uint64_t practised = 0;  // the sweep's answer rests on a practice of GPUs
};

class Run {
public:
    explicit Run(const Options& options) : options_(options), family_("ptx", {}) {}

    int operator()() {
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::thread> workers;
        for (unsigned w = 0; w < options_.jobs; ++w) workers.emplace_back([this] { work(); });
        for (std::thread& worker : workers) worker.join();
        report(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        return failed_ ? 1 : 0;
    }

    std::string text_of(uint64_t number) const {
        return random_kernel(options_.shapes[number % options_.shapes.size()], program_seed(options_.seed, number));
    }

private:
    void work() {
        for (uint64_t number = next_++; number < options_.programs && !stop_; number = next_++) one(number);
    }

    // A solver for each program: what it answers does not depend on what it was asked before.
    Comparison compared(const Test& test) {
        Solver solver(Solver::usually, Engine::cdcl);
        return compare_with_model(test, family_, solver);
    }

    void one(uint64_t number) {
        const std::string text = text_of(number), &shape = options_.shapes[number % options_.shapes.size()];
        Comparison result;
        std::optional<Test> test;
        try {
            test = parse_tests(make_source("random.litmus", text)).at(0);
            result = compared(*test);
        } catch (const std::exception& error) {
            result.kind = Comparison::Kind::differs;
            result.why = "  " + std::string(error.what()) + "\n";
        }
        const Deviation* stated = nullptr;
        if (result.kind == Comparison::Kind::differs && test) stated = deviation_of(*test, result);
        const std::string small = result.kind == Comparison::Kind::differs && stated == nullptr && test ? smallest(*test, result) : "";
        const std::lock_guard lock(mutex_);
        Count& count = counts_[shape];
        ++count.programs;
        count.values += result.values;
        if (result.practice) ++count.practised;
        if (result.detours) ++count.detours;
        switch (result.kind) {
            case Comparison::Kind::clean:
                ++count.right;
                break;
            case Comparison::Kind::found:
                ++count.wrong;
                break;
            case Comparison::Kind::conditional:
                ++count.conditional;
                if (result.model.any()) ++count.unheeded;
                break;
            case Comparison::Kind::by_schedule:
                ++count.by_schedule;
                break;
            case Comparison::Kind::refused:
                ++count.refused;
                ++refusals_[result.why];
                break;
            case Comparison::Kind::differs:
                if (stated != nullptr) {
                    ++count.deviating;
                    ++deviations_[stated->name];
                    break;
                }
                ++count.differing;
                failed_ = true;
                stop_ = !options_.keep_going;
                std::cout << "DIFFERENCE at program " << number << " of seed " << options_.seed << ":\n"
                          << text << result.why << small << "\n";
        }
        if (++done_ % 1000 == 0) std::cout << done_ << " programs" << std::endl;
    }

    // The smallest part of the test on which the answers still differ in the same way, with the answers.
    std::string smallest(const Test& test, const Comparison& first) {
        const auto fails = [&](const Test& candidate) {
            if (candidate.threads.empty()) return false;
            const Comparison result = compared(candidate);
            return result.kind == Comparison::Kind::differs && result.rule == first.rule && result.model == first.model &&
                   result.sweep == first.sweep && deviation_of(candidate, result) == nullptr;
        };
        try {
            const Test small = shrink(together_smaller(test, fails), fails);
            return "shrunk:\n" + print(small) + compared(small).why;
        } catch (const std::exception& error) {
            return "it was not shrunk: " + std::string(error.what()) + "\n";
        }
    }

    // Lanes of one warp execute one text: an instruction goes from all of them.
    template <typename Fails>
    static Test together_smaller(Test test, const Fails& fails) {
        for (size_t k = 0; k < test.threads[0].body.size();) {
            Test candidate = test;
            for (Thread& thread : candidate.threads)
                if (thread.at.cta == test.threads[0].at.cta && thread.at.warp == test.threads[0].at.warp && k < thread.body.size())
                    thread.body.erase(thread.body.begin() + static_cast<std::ptrdiff_t>(k));
            bool failing = false;
            try {
                failing = test.threads[0].body[k].labels.empty() && fails(candidate);
            } catch (const Failure&) {
            }
            if (failing)
                test = std::move(candidate);
            else
                ++k;
        }
        return test;
    }

    void report(double seconds) const {
        std::cout << done_ << " programs in " << static_cast<int>(seconds) << " s\n";
        for (const auto& [shape, c] : counts_) {
            std::cout << shape << ": " << c.programs << " programs, " << c.wrong << " found wrong by both, " << c.right << " by none ("
                      << c.values << " words of memory in every outcome), " << c.conditional << " with a condition ("
                      << 100 * c.conditional / c.programs << " %, " << c.unheeded << " of them wrong), " << c.by_schedule
                      << " with a phase that depends on the schedule, " << c.practised << " by a practice of GPUs, " << c.detours
                      << " with detours, " << c.refused << " refused, " << c.deviating << " stated deviations, " << c.differing
                      << " different\n";
        }
        for (const auto& [why, n] : refusals_) std::cout << n << " refused: " << why << "\n";
        for (const auto& [name, n] : deviations_) std::cout << n << " deviate: " << name << "\n";
    }

    const Options& options_;
    ModelFamily family_;
    std::atomic<uint64_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    uint64_t done_ = 0;
    bool failed_ = false;
    std::map<std::string, Count> counts_;
    std::map<std::string, uint64_t> refusals_, deviations_;
};

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    Run run(options);
    if (options.show) {
        std::cout << run.text_of(*options.show);
        return 0;
    }
    return run();
}
