// The kernel as it is comes first: only what is not found there counts.
#include "analysis/needed/needed.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/sweep/advice_places.h"
#include "analysis/sweep/trial.h"

namespace litmus {

namespace {

constexpr double seconds_of_model = 1;  // for each finding that it is asked about
constexpr uint64_t more_steps = 4;      // times those of the kernel as it is: then a changed one does not end
constexpr uint64_t least_steps = 100'000;

// Findings are told apart by kind and CUDA lines, and by their words where no line is known.
using Shown = std::tuple<size_t, FindingKey, std::string>;  // the launch first

Shown shown_by(size_t launch, const sweep::Finding& finding) {
    FindingKey key = key_of(finding);
    const bool has_lines = std::none_of(key.second.begin(), key.second.end(), [](const kernel::Origin& origin) { return origin.empty(); });
    return {launch, std::move(key), has_lines ? "" : finding.text};
}

// The effect of a change; its text is empty where nothing comes.
struct Came {
    std::string text;
    std::vector<std::string> lines;
    bool by_model = false;
    bool is_unknown = false;  // the text says why
};

class Changes {
public:
    Changes(const std::vector<sweep::Started>& launches, sweep::Options how, ModelFamily& family, const CheckOptions& options,
            Solver& solver)
        : launches_(launches), how_(std::move(how)), family_(family), options_(options), solver_(solver) {
        std::vector<sweep::Streamed> before = sweep::sweep_stream(launches_, how_);
        if (is_of_scopes(before)) {  // waits at .cta for what another block completes are no reason for anything here
            how_.in_scope = false;
            before = sweep::sweep_stream(launches_, how_);
        }
        uint64_t steps = 0;
        for (size_t n = 0; n < before.size(); ++n) {
            const sweep::Swept& swept = before[n].swept;
            for (const sweep::Finding& finding : swept.findings) known_.insert(shown_by(n, finding));
            result.findings += swept.findings.size();
            for (const std::string& condition : swept.conditions)
                if (conditions_.insert(condition).second) result.conditions.push_back(condition);
            steps = std::max(steps, swept.instructions);
        }
        how_.most_steps = std::min(how_.most_steps, more_steps * steps + least_steps);
    }

    // Throws OverBudget.
    NeededPart judge(const kernel::Module& module, const Synchronization& part) {
        NeededPart judged;
        judged.module = &module;
        judged.statements = part.statements;
        judged.fate = NeededFate::needed;
        if (part.ways.empty()) {
            judged.fate = NeededFate::unknown;
            judged.without = "it gives a result, and cannot be taken out";
        }
        for (const LessOfIt& way : part.ways) {
            const Came came = comes_of(module, way.edits);
            if (!came.text.empty() && judged.without.empty()) {
                judged.without = came.text;
                judged.lines = came.lines;
                judged.by_model = came.by_model;
                if (came.is_unknown) judged.fate = NeededFate::unknown;
            }
            if (!came.text.empty()) continue;
            if (!is_executed(module, part)) {
                judged.fate = NeededFate::not_executed;
                return judged;
            }
            if (result.findings > 0) {
                judged.fate = NeededFate::unknown;
                judged.without = "the kernel is wrong as it is, and may need it when that is mended";
                return judged;
            }
            const bool is_least = &way == &part.ways.front() && way.name.empty();
            judged.fate = is_least ? NeededFate::not_needed : NeededFate::weaker_will_do;
            judged.weaker = way.name;
            return judged;
        }
        return judged;
    }

    Needed result;

private:
    static bool is_of_scopes(const std::vector<sweep::Streamed>& all) {
        return std::any_of(all.begin(), all.end(),
                           [](const sweep::Streamed& one) { return !one.swept.findings.empty() && !one.swept.out_of_scope.empty(); });
    }

    // The stream in which the module is another one.
    std::vector<sweep::Started> with(const kernel::Module& module, const kernel::Module& changed) const {
        std::vector<sweep::Started> stream = launches_;
        for (sweep::Started& one : stream)
            if (one.module == &module) one.module = &changed;
        return stream;
    }

    Came comes_of(const kernel::Module& module, const std::vector<PtxEdit>& edits) {
        how_.budget.check();
        try {
            const kernel::Module trial = kernel::read_module(changed(module, edits), how_.budget);
            return what_is_new(with(module, trial));
        } catch (const Failure& failure) {
            return {"it cannot be run so: " + failure.diagnostics().front().message, {}, false, true};
        }
    }

    // The first finding that the model does not deny; else the first reason why other orders could do something else.
    Came what_is_new(const std::vector<sweep::Started>& stream) {
        const std::vector<sweep::Streamed> all = sweep::sweep_stream(stream, how_);
        std::optional<Came> denied;
        for (size_t n = 0; n < all.size(); ++n)
            for (const sweep::Finding& finding : all[n].swept.findings) {
                if (known_.contains(shown_by(n, finding))) continue;
                const Confirmation::Answer answer = ask(stream[n], all[n].how, finding);
                const bool is_of_order = finding.kind == sweep::Kind::race || finding.kind == sweep::Kind::not_initialised;
                Came came{finding.text, {}, answer == Confirmation::Answer::yes, is_of_order && answer == Confirmation::Answer::no};
                for (const sweep::Place& place : finding.places) came.lines.push_back(advised_line(*stream[n].module, place));
                if (!came.is_unknown) return came;
                came.text = "the model does not confirm what is found: " + came.text;
                if (!denied) denied = std::move(came);
            }
        if (denied) return *denied;
        for (const sweep::Streamed& one : all)
            for (const std::string& condition : one.swept.conditions)
                if (!conditions_.contains(condition)) return {condition, {}, false, false};
        return {};
    }

    Confirmation::Answer ask(const sweep::Started& launch, const sweep::Options& how, const sweep::Finding& finding) {
        if (!sweep::why_no_test(finding.breach).empty()) return Confirmation::Answer::unknown;
        return confirm(*launch.module, *launch.launch, how, finding, family_, options_, solver_, seconds_of_model).answer;
    }

    // A trap in its place is found where a thread comes there.
    bool is_executed(const kernel::Module& module, const Synchronization& part) {
        sweep::Options how = how_;
        how.ends_with = [](const sweep::Finding& finding) { return finding.breach == sweep::Breach::trap; };
        const kernel::Module trial = kernel::read_module(changed(module, marked(module, part)), how_.budget);
        try {
            const auto all = sweep::sweep_stream(with(module, trial), how);
            return std::any_of(all.begin(), all.end(), [&](const sweep::Streamed& one) {
                return std::any_of(one.swept.findings.begin(), one.swept.findings.end(), how.ends_with);
            });
        } catch (const Failure&) {  // it comes to something else first
            return true;
        }
    }

    const std::vector<sweep::Started>& launches_;
    sweep::Options how_;
    ModelFamily& family_;
    const CheckOptions& options_;
    Solver& solver_;
    std::set<Shown> known_;
    std::set<std::string> conditions_;
};

NeededPart not_looked_at(const kernel::Module& module, const Synchronization& part) {
    NeededPart open;
    open.module = &module;
    open.statements = part.statements;
    open.without = "no time is left to look at it";
    return open;
}

// Each kernel of the stream once, with its parts. Functions beside two kernels of a module come with the first.
std::vector<std::pair<const kernel::Module*, Synchronization>> parts_of(const std::vector<sweep::Started>& launches) {
    std::vector<std::pair<const kernel::Module*, Synchronization>> parts;
    std::set<std::pair<const kernel::Module*, std::string>> kernels;
    std::set<const kernel::Statement*> statements;
    for (const sweep::Started& one : launches) {
        if (!kernels.emplace(one.module, one.launch->entry).second) continue;
        for (Synchronization& part : synchronizations(*one.module, one.launch->entry))
            if (statements.insert(part.statements.front()).second) parts.emplace_back(one.module, std::move(part));
    }
    return parts;
}

}  // namespace

Needed needed(const std::vector<sweep::Started>& launches, const sweep::Options& how, ModelFamily& family, const CheckOptions& options,
              Solver& solver, const NeededProgress& progress) {
    Changes changes(launches, how, family, options, solver);
    const auto parts = parts_of(launches);
    for (const auto& [module, part] : parts) {
        if (progress) progress(changes.result.parts.size(), parts.size());
        try {
            how.budget.check();
            changes.result.parts.push_back(changes.judge(*module, part));
        } catch (const OverBudget&) {
            changes.result.parts.push_back(not_looked_at(*module, part));
            changes.result.partial = true;
        }
    }
    return std::move(changes.result);
}

}  // namespace litmus
