// Scopes first: a wait that is too narrow is the cause of many races.
#include "analysis/sweep/verdict.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/sweep/trial.h"

namespace litmus {

namespace {

constexpr size_t most_asked = 8;            // findings of which the model is asked: each takes the time of a few sweeps
constexpr size_t most_trials = 96;          // of what is advised: each takes the time of a sweep
constexpr uint64_t most_tried = 2'000'000;  // instructions of warps in all of them: a few seconds

// Findings that go where scopes of mbarrier objects do not count have the narrow waits as their one cause. The sweep is then one without
// them, and `how` asks for that. Where nothing is left then, the first sweep has seen so itself.
void take_out_narrow_waits(const kernel::Module& module, const kernel::Launch& launch, sweep::Options& how, sweep::Swept& swept,
                           SweptKernel& result) {
    if (swept.findings.empty() || swept.out_of_scope.empty()) return;
    how.in_scope = false;
    sweep::Swept wide;
    if (swept.of_scopes_alone) {
        wide.instructions = swept.instructions;
        wide.accesses = swept.accesses;
        wide.written = swept.written;
        wide.ended = swept.ended;
    } else {
        wide = sweep::sweep_in_orders(module, launch, how);
    }
    if (wide.findings.size() >= swept.findings.size()) {
        how.in_scope = true;
        return;
    }
    result.out_of_scope = swept.findings.size() - wide.findings.size();
    result.narrow_waits = std::move(swept.out_of_scope);
    swept = std::move(wide);
}

// The first remedy after which no more is found than without scopes, of which `swept` is.
void advise_on_narrow_waits(const kernel::Module& module, const kernel::Launch& launch, sweep::Options how, const sweep::Swept& swept,
                            SweptKernel& result) {
    Advice advice = advice_on_narrow_waits(module, result.narrow_waits);
    result.narrow = {std::move(advice.change), std::move(advice.why), std::move(advice.see)};
    how.in_scope = true;
    how.changed_from = &module;
    for (Remedy& remedy : advice.remedies) {
        try {
            const kernel::Module trial = kernel::read_module(changed(module, remedy.edits), how.budget);
            const sweep::Swept now = sweep::sweep_in_orders(trial, launch, how);
            if (now.findings.size() > swept.findings.size() || now.conditions.size() > swept.conditions.size()) continue;
            result.narrow.change = std::move(remedy.change);
            result.narrow.edits = std::move(remedy.edits);
            result.narrow.by_sweep = true;
            result.narrow.all_gone = now.findings.empty();
            return;
        } catch (const Failure&) {  // it cannot be written so
        } catch (const OverBudget&) {
            return;
        }
    }
}

// Whether an earlier launch of the same kernel has it.
bool is_known(const sweep::Finding& finding, const std::vector<sweep::Started>& launches, const std::vector<sweep::Streamed>& all,
              size_t number) {
    for (size_t earlier = 0; earlier < number; ++earlier) {
        const auto& findings = all[earlier].swept.findings;
        if (launches[earlier].module == launches[number].module && launches[earlier].launch->entry == launches[number].launch->entry &&
            std::any_of(findings.begin(), findings.end(), [&](const sweep::Finding& other) { return sweep::is_same(finding, other); }))
            return true;
    }
    return false;
}

// Of one launch. Each trial begins with the memory that the launch began with: what earlier ones do is not changed.
class Adviser {
public:
    Adviser(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, const sweep::Swept& swept,
            ModelFamily& family, const CheckOptions& options, Solver& solver)
        : module_(module),
          launch_(launch),
          how_(how),
          swept_(swept),
          family_(family),
          options_(options),
          solver_(solver),
          trials_(module, launch, how, swept) {}

    void advise(std::vector<SweptFinding>& findings) {
        try {
            for (size_t f = 0; f < findings.size(); ++f)
                if (!findings[f].advised.with) advise(findings, f);
        } catch (const OverBudget&) {  // what is said by then stands
        }
        note_causes(findings);
        causes_first(findings);
    }

private:
    static void note_causes(std::vector<SweptFinding>& findings) {
        for (size_t f = 0; f < findings.size(); ++f) {
            SweptFinding& one = findings[f];
            one.cause = one.advised.with;
            for (size_t c = 0; c < f && !one.cause && !one.advised.by_sweep; ++c) {
                const SweptFinding& other = findings[c];
                if (!other.cause && !other.advised.by_sweep &&
                    (lack_one_order(other.finding, one.finding) || waits_for_threads_of(one.finding, other.finding)))
                    one.cause = c;
            }
        }
    }

    static void causes_first(std::vector<SweptFinding>& findings) {
        std::vector<size_t> order;
        std::vector<std::optional<size_t>> place(findings.size());
        const auto put = [&](size_t number) {
            if (place[number]) return;
            place[number] = order.size();
            order.push_back(number);
        };
        for (size_t f = 0; f < findings.size(); ++f) {
            if (findings[f].cause) put(*findings[f].cause);
            put(f);
        }
        std::vector<SweptFinding> ordered;
        for (const size_t number : order) {
            ordered.push_back(std::move(findings[number]));
            for (std::optional<size_t>* const number : {&ordered.back().cause, &ordered.back().advised.with})
                if (*number) *number = place[**number];
        }
        findings = std::move(ordered);
    }

    void advise(std::vector<SweptFinding>& findings, size_t number) {
        SweptFinding& one = findings[number];
        Advice advice = advice_on({module_, launch_.block, swept_}, one.finding);
        one.advised = {std::move(advice.change), std::move(advice.why), std::move(advice.see)};
        std::optional<SweptChange> best;
        try_remedies(advice.remedies, one, best);
        if (!best) return;
        const std::set<FindingKey>& left = best->left;
        for (SweptFinding& other : findings)
            if (&other != &one && !left.contains(key_of(other.finding)) && (left.empty() || !other.advised.by_sweep))
                other.advised.with = number;
        one.advised.by_model = is_right_by_model(one, *best);
    }

    // Takes the first remedy after which nothing is left; else the first one that mends this finding. `best` is the kernel with it.
    void try_remedies(std::vector<Remedy>& remedies, SweptFinding& one, std::optional<SweptChange>& best) {
        for (Remedy& remedy : remedies) {
            if (tried_ == most_trials || (tried_ + 1) * swept_.instructions > most_tried) return;
            ++tried_;
            std::optional<SweptChange> trial = trials_.tried(remedy.edits, one.finding);
            if (!trial || (best && !trial->left.empty()) || trial->left.contains(key_of(one.finding))) continue;
            take(one.advised, std::move(remedy), *trial);
            best = std::move(trial);
            if (best->left.empty()) return;
        }
    }

    static void take(Advised& advised, Remedy remedy, const SweptChange& trial) {
        advised.change = std::move(remedy.change);
        if (!remedy.why.empty()) advised.why = std::move(remedy.why);
        if (!remedy.see.empty()) advised.see = std::move(remedy.see);
        advised.edits = std::move(remedy.edits);
        advised.by_sweep = true;
        advised.all_gone = trial.left.empty();
    }

    // Whether it finds no race, either, of one that it has confirmed. A race would say nothing: threads that its test leaves out may order
    // the accesses now (slice.h).
    bool is_right_by_model(const SweptFinding& one, const SweptChange& trial) {
        if (one.confirmation.answer != Confirmation::Answer::yes || one.finding.kind != sweep::Kind::race) return false;
        const auto finding = carried(one.finding, module_, trial.module, one.advised.edits);
        if (!finding) return false;
        sweep::Options how = how_;
        how.changed_from = &module_;
        return confirm(trial.module, launch_, how, *finding, family_, options_, solver_, 1).answer == Confirmation::Answer::no;
    }

    const kernel::Module& module_;
    const kernel::Launch& launch_;
    const sweep::Options& how_;
    const sweep::Swept& swept_;
    ModelFamily& family_;
    const CheckOptions& options_;
    Solver& solver_;
    KernelTrials trials_;
    size_t tried_ = 0;
};

}  // namespace

bool lack_one_order(const sweep::Finding& one, const sweep::Finding& other) {
    if (!one.clash || !other.clash || one.breach != other.breach || one.places.size() != 2 || other.places.size() != 2) return false;
    const auto is_within_block = [](const sweep::Finding& race) { return race.places[0].seat.block == race.places[1].seat.block; };
    const auto since = [](const sweep::Finding& race) {
        return std::set<const kernel::Statement*>{race.clash->earlier.since, race.clash->later.since};
    };
    return is_within_block(one) == is_within_block(other) && since(one) == since(other);
}

bool waits_for_threads_of(const sweep::Finding& one, const sweep::Finding& other) {
    using sweep::Breach;
    const auto waits_for_threads = [](Breach breach) {
        return breach == Breach::few_lanes || breach == Breach::few_lanes_at_barrier || breach == Breach::few_threads ||
               breach == Breach::few_in_cluster;
    };
    if (!waits_for_threads(one.breach) || other.kind != sweep::Kind::stuck || waits_for_threads(other.breach)) return false;
    const kernel::Seat &waits = one.places.front().seat, &stays = other.places.front().seat;
    return one.breach == Breach::few_in_cluster ? waits.cluster == stays.cluster : waits.block == stays.block;
}

std::vector<SweptKernel> judge_stream(const std::vector<sweep::Started>& launches, const sweep::Options& how, ModelFamily& family,
                                      const CheckOptions& options, Solver& solver) {
    std::vector<SweptKernel> results;
    sweep::Options first = how;
    first.compares_scopes = true;
    first.explores = true;
    std::vector<sweep::Streamed> all = sweep::sweep_stream(launches, first);
    for (size_t n = 0; n < all.size(); ++n) {
        const kernel::Module* const module = launches[n].module;
        const kernel::Launch* const launch = launches[n].launch;
        sweep::Swept& swept = all[n].swept;
        sweep::Options& here = all[n].how;
        here.compares_scopes = here.explores = false;
        SweptKernel& result = results.emplace_back();
        if (launches.size() > 1) result.launch = n + 1;
        take_out_narrow_waits(*module, *launch, here, swept, result);
        if (result.out_of_scope > 0) advise_on_narrow_waits(*module, *launch, here, swept, result);
        size_t asked = 0;
        for (const sweep::Finding& finding : swept.findings) {
            if (is_known(finding, launches, all, n)) {
                ++result.again;
                continue;
            }
            SweptFinding one;
            one.finding = finding;
            const std::string_view why_not = sweep::why_no_test(finding.breach);
            one.asked = why_not.empty() && asked++ < most_asked;
            one.confirmation.why = why_not;
            if (one.asked) one.confirmation = confirm(*module, *launch, here, finding, family, options, solver);
            // a run that shows the rest has happened so: what is ordered is asked of the model alone
            const bool is_of_order = finding.kind == sweep::Kind::race || finding.kind == sweep::Kind::not_initialised;
            const bool is_denied = is_of_order && one.asked && one.confirmation.answer == Confirmation::Answer::no;
            (is_denied ? result.denied : result.findings).push_back(std::move(one));
        }
        Adviser(*module, *launch, here, swept, family, options, solver).advise(result.findings);
        result.unwritten = std::move(all[n].unwritten);
        for (std::string& condition : swept.conditions)  // two statements of one line have one
            if (std::find(result.conditions.begin(), result.conditions.end(), condition) == result.conditions.end())
                result.conditions.push_back(std::move(condition));
        result.orders = all[n].orders;
        result.all_orders = all[n].all_orders;
        result.exchanged = all[n].exchanged;
        result.not_exchangeable = std::move(all[n].not_exchangeable);
        result.out_of_line = std::move(all[n].out_of_line);
        result.practices = std::move(swept.practices);
        result.instructions = swept.instructions;
        result.accesses = swept.accesses;
    }
    return results;
}

SweptKernel judge_sweep(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, ModelFamily& family,
                        const CheckOptions& options, Solver& solver) {
    return std::move(judge_stream({{&module, &launch}}, how, family, options, solver).front());
}

}  // namespace litmus
