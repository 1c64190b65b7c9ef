// The two models from the command line, and all skeletons of one size after the other on the workers of a batch.
#include "tool/distinguish.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>

#include "analysis/verdict/support.h"
#include "cat/fold.h"
#include "cat/readings.h"
#include "tool/batch.h"

namespace litmus {

namespace {

// One of the two models as it was named: a model, or readings of the one that --model names.
struct NamedModel {
    std::unique_ptr<ModelFamily> file;  // of a model of its own
    const Model* model = nullptr;
    std::vector<std::string> readings;
};

// Whether a word begins like a list of readings of this model.
bool names_readings(const Model& model, const std::string& spec) {
    std::string first = spec.substr(0, spec.find(','));
    if (first.rfind('-', 0) == 0) return true;
    if (first == "weakest" || first == "default" || first == "strongest") return true;
    return std::any_of(model.readings.begin(), model.readings.end(), [&](const Reading& r) { return r.name == first; });
}

NamedModel named(const std::string& spec, ModelFamily& usual, const Options& options) {
    NamedModel result;
    if (names_readings(usual.by_default(), spec)) {
        result.readings = resolve_readings(usual.by_default(), spec);
        result.model = &usual.under(result.readings);
        return result;
    }
    result.file = std::make_unique<ModelFamily>(spec, options.variants);
    result.model = &result.file->by_default();
    return result;
}

// Whether all readings of the first are on in the second, too, in one file: then the second allows nothing that the first forbids.
bool only_more_readings(const NamedModel& a, const NamedModel& b) {
    return !a.file && !b.file && std::all_of(a.readings.begin(), a.readings.end(), [&](const std::string& reading) {
        return std::find(b.readings.begin(), b.readings.end(), reading) != b.readings.end();
    });
}

// One skeleton: what was found in it, or why that is not known.
struct Tried {
    std::optional<Distinguished> found;
    size_t allowing = 0;
    std::string undecided;
};

class Search {
public:
    Search(const Options& options, const std::array<const Model*, 2>& models, bool only_first)
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
        try {
            const Budget budget(options_.timeout > 0 ? std::max(end_ - now(), 0.001) : 0, options_.memory);
            for (size_t d = 0; d < directions_ && !tried.found; ++d) {
                tried.allowing = d;
                tried.found = tell_apart(skeleton, {*models_[d], *models_[1 - d], budget, options_.undefined, faster});
            }
        } catch (const OverBudget& over) {
            tried.undecided = over.what();
        } catch (const GaveUp& gave_up) {
            tried.undecided = "the solver gave up: " + gave_up.reason;
        } catch (const std::bad_alloc&) {
            tried.undecided = "the machine has no more memory";
        } catch (const Failure& failure) {
            const std::lock_guard lock(mutex_);
            failure_ = failure;
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            internal_error_ = error.what();
        }
        return tried;
    }

    const Options& options_;
    const std::array<const Model*, 2>& models_;
    size_t directions_;  // 1: the first model allows what the second forbids; 2: or the other way round
    double end_;
    std::mutex mutex_;
    std::optional<Failure> failure_;
    std::string internal_error_;
};

Families families_of(const Options& options) {
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

void search_apart(const Options& options, const std::array<const Model*, 2>& models, bool only_first, DistinguishReport& report) {
    const Families families = sayable(families_of(options), models);
    for (const size_t f : families) report.families.push_back(vocabulary()[f].name);
    report.wanted = options.max_instructions;
    report.threads = options.max_threads;
    Search search(options, models, only_first);
    for (size_t n = 1; n <= options.max_instructions; ++n)
        if (!search.of_size(n, families, report)) return;
}

int distinguish(const Options& options, Output& out) {
    if (options.inputs.size() != 2)
        throw Failure(nullptr, {}, "two models are told apart", "name two: models, or readings of the model that --model names");
    ModelFamily usual(options.model, options.variants);
    NamedModel a = named(options.inputs[0], usual, options), b = named(options.inputs[1], usual, options);
    if (graph_text(*a.model) == graph_text(*b.model))
        throw Failure(nullptr, {}, options.inputs[0] + " and " + options.inputs[1] + " are the same model",
                      "no program can tell them apart");
    DistinguishReport report;
    report.models = {options.inputs[0], options.inputs[1]};
    const bool backward = only_more_readings(b, a);
    if (backward) {
        std::swap(report.models[0], report.models[1]);
        std::swap(a, b);
    }
    search_apart(options, {a.model, b.model}, only_more_readings(a, b), report);
    out.put(options.format == Options::Format::json ? distinguish_json(report) + "\n" : distinguish_text(report));
    if (report.found) return 0;
    return report.reason.empty() ? 1 : 3;
}

}  // namespace litmus
