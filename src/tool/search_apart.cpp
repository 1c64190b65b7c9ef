// All skeletons of one size after the other, on the workers of a batch.
#include "tool/search_apart.h"

#include <algorithm>
#include <mutex>

#include "analysis/verdict/support.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/output.h"

namespace litmus {

namespace {

// One skeleton: what was found in it, or why that is not known.
struct Tried {
    std::optional<Distinguished> found;
    size_t allowing = 0;
    std::string undecided;
};

class Search {
public:
    Search(const ApartOptions& options, const std::array<const Model*, 2>& models, bool only_first)
        : options_(options), models_(models), directions_(only_first ? 1 : 2), end_(now() + options.timeout) {}

    // False: the search ends, with a program or without time.
    bool of_size(size_t instructions, const Families& families, DistinguishReport& report) {
        const std::vector<Families> required = required_families(families, *models_[0], *models_[1]);
        const std::vector<Skeleton> shapes = skeletons(families, required, instructions, options_.max_threads);
        report.skeletons.push_back(shapes.size());
        std::vector<Tried> tried(shapes.size());
        std::string undecided;
        Progress progress(shapes.size());
        const auto make_worker = [&]() -> Job { return [&](size_t i) { tried[i] = try_one(shapes[i]); }; };
        run_batch(shapes.size(), workers_for(options_.jobs), make_worker, [&](size_t i) {
            progress.at(i + 1);
            if (undecided.empty()) undecided = tried[i].undecided;
            if (!tried[i].found) return !out_of_time();
            report.found = std::move(tried[i].found);
            report.allowing = tried[i].allowing;
            return false;
        });
        if (failure_) throw Failure(*failure_);
        if (!internal_error_.empty()) throw std::logic_error(internal_error_);
        if (report.found) {
            report.instructions = instructions;
            return false;
        }
        if (undecided.empty() && out_of_time()) undecided = OverBudget(OverBudget::What::time).what();
        report.reason = undecided;
        if (undecided.empty()) report.complete = instructions;
        return undecided.empty();
    }

private:
    bool out_of_time() const { return options_.timeout > 0 && now() >= end_; }

    Tried try_one(const Skeleton& skeleton) {
        Tried tried;
        if (out_of_time()) return tried;
        const Trouble trouble = attempt([&] {
            const Budget budget(options_.timeout > 0 ? std::max(end_ - now(), 0.001) : 0, options_.memory);
            for (size_t d = 0; d < directions_ && !tried.found; ++d) {
                tried.allowing = d;
                tried.found = tell_apart(skeleton, {*models_[d], *models_[1 - d], budget, options_.undefined, faster});
            }
        });
        tried.undecided = trouble.undecided;
        const std::lock_guard lock(mutex_);
        if (trouble.failure) failure_ = trouble.failure;
        if (!trouble.internal_error.empty()) internal_error_ = trouble.internal_error;
        return tried;
    }

    const ApartOptions& options_;
    const std::array<const Model*, 2>& models_;
    size_t directions_;  // 1: the first model allows what the second forbids; 2: or the other way round
    double end_;
    std::mutex mutex_;
    std::optional<Failure> failure_;
    std::string internal_error_;
};

Families families_of(const SearchOptions& options) {
    Families families;
    for (const std::string& name : options.families) families.push_back(family_named(name));
    for (size_t f = 0; options.families.empty() && f < vocabulary().size(); ++f) families.push_back(f);
    return families;
}

// Without those families of which one of the models says nothing.
Families sayable(Families families, const std::array<const Model*, 2>& models) {
    const size_t load = family_named("load");
    const auto unsaid = [&](size_t family) {
        const Test test = test_of_all({load, family});
        const Program program = build_program(test, {});
        try {
            for (const Model* model : models) require_support(program, *model);
        } catch (const Failure&) {
            return true;
        }
        return false;
    };
    families.erase(std::remove_if(families.begin(), families.end(), unsaid), families.end());
    return families;
}

}  // namespace

void search_apart(const ApartOptions& options, const std::array<const Model*, 2>& models, bool only_first, DistinguishReport& report) {
    const Families families = sayable(families_of(options), models);
    for (const size_t f : families) report.families.push_back(vocabulary()[f].name);
    report.wanted = options.max_instructions;
    report.threads = options.max_threads;
    Search search(options, models, only_first);
    for (size_t n = 1; n <= options.max_instructions; ++n)
        if (!search.of_size(n, families, report)) return;
}

}  // namespace litmus
