// The runs of a level are kept as their departures. A run shows which runs of the next level there are.
#include "sweep/explore.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/code.h"
#include "sweep/line.h"
#include "sweep/orders.h"

namespace litmus::sweep {

namespace {

using Departures = std::vector<Choice>;

constexpr size_t most_searches = 20;  // each with more places

// The runs that depart once more, behind the last departure of this one.
void add_next(const Departures& run, const std::vector<ChosenAccess>& chosen, std::vector<Departures>& next) {
    constexpr size_t most = 100'000;  // kept of a level
    const size_t from = run.empty() ? 0 : run.back().number + 1;
    for (size_t number = from; number < chosen.size() && next.size() < most; ++number)
        for (uint32_t taken = 1; taken < chosen[number].alternatives; ++taken) {
            next.push_back(run);
            next.back().push_back({static_cast<uint32_t>(number), taken});
        }
}

// The strong accesses of this run up to the finding.
std::vector<Place> order_of(const Finding& finding, const kernel::Module& module, const kernel::Launch& launch, Options how) {
    how.ends_with = [&](const Finding& now) { return is_same(now, finding); };
    std::vector<Place> order;
    for (const ChosenAccess& one : sweep(module, launch, how).chosen) order.push_back(one.place);
    return order;
}

bool holds_the_same(const Contents& one, const Contents& other) {
    return one.bytes == other.bytes && one.known == other.known;
}

bool holds_the_same(const Left& one, const Left& other) {
    return std::equal(one.arrays.begin(), one.arrays.end(), other.arrays.begin(), other.arrays.end(),
                      [](const Contents& a, const Contents& b) { return holds_the_same(a, b); }) &&
           std::equal(one.variables.begin(), one.variables.end(), other.variables.begin(), other.variables.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first && holds_the_same(a.second, b.second); });
}

// Adds runs until none is left, or until one shows that others have to be made.
void add_runs(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const ExploreLimits& limits,
              Explored& result) {
    bool is_whole = true;
    uint64_t work = 0;
    std::shared_ptr<const Left> left;                        // to the next launch by the last run
    std::shared_ptr<const std::map<Memory, size_t>> writes;  // that words have seen in the last run, at which detours look
    std::vector<Departures> level{{}};
    while (!level.empty()) {
        std::vector<Departures> next;
        const size_t runs = std::min(limits.most_runs - std::min(limits.most_runs, result.runs), level.size());
        for (size_t n = 0; n < runs; ++n) {
            if (result.swept.instructions + result.swept.accesses + work > limits.most_work) {
                result.is_cut = true;
                return;
            }
            const Departures& run = level[n * level.size() / runs];
            Options how = options;
            how.schedule.choices = std::make_shared<const Departures>(run);
            ++result.runs;
            how.schedule.writes = writes;
            try {
                Swept swept = sweep(module, launch, how);
                if (swept.early_detours && swept.no_detours.empty() && swept.findings.empty()) {
                    how.schedule.writes = std::make_shared<const std::map<Memory, size_t>>(swept.writes);
                    work += swept.work + swept.instructions;
                    swept = sweep(module, launch, how);
                }
                writes = std::make_shared<const std::map<Memory, size_t>>(swept.writes);
                if (swept.early_detours && swept.no_detours.empty()) swept.no_detours = *how.schedule.detours;
                result.no_detours.merge(swept.no_detours);
                result.deciding_loads.merge(swept.deciding_loads);
                result.more_detours.merge(swept.more_detours);
                work += swept.work;
                add_next(run, swept.chosen, next);
                is_whole = is_whole && (swept.chose_all || swept.shown_elsewhere);
                result.places.merge(swept.deciding_places);
                result.contended.merge(swept.contended_places);
                result.waited.merge(swept.waited_places);
                for (const auto& [object, bytes] : swept.handed_on) result.handed_on[object].add(bytes);
                result.exchanged = result.exchanged || swept.exchanged;
                if (options.leaves && !swept.shown_elsewhere) {
                    result.leaves_differ = result.leaves_differ || (left != nullptr && !holds_the_same(*left, *swept.left));
                    left = std::move(swept.left);
                }
                result.not_exchangeable = swept.not_exchangeable;
                add(result.swept, std::move(swept));
            } catch (const Failure&) {
                is_whole = false;
                if (how.schedule.detours) result.no_detours = *how.schedule.detours;
            }
            const bool of_lives = options.schedule.exchanges == Alike::lives;
            if (!result.no_detours.empty() || (how.schedule.detours && !result.swept.findings.empty())) return;
            if (!of_lives)
                for (Finding& finding : result.swept.findings) finding.order = order_of(finding, module, launch, how);
            const bool fails = of_lives && (!is_whole || !result.handed_on.empty() || !result.swept.out_of_line.empty());
            if (!result.swept.findings.empty() || !result.not_exchangeable.empty() || result.swept.too_many_lanes || fails ||
                result.places.size() > options.schedule.places->size())
                return;
        }
        result.is_cut = runs < level.size();
        if (result.is_cut) return;
        level = std::move(next);
    }
    result.all = is_whole;
}

// Loads with which detours begin, and with which none may.
struct Detours {
    std::set<uint32_t> taken, never;
};

// Whether a search with other detours is needed. Those that are taken decide nothing and find nothing.
bool find_detours(const Explored& result, const ExploreLimits& limits, Detours& detours) {
    const bool is_wrong = !result.swept.findings.empty();
    std::set<uint32_t> more;
    const auto look = [&](const std::set<uint32_t>& loads) {
        for (const uint32_t load : loads)
            if (!detours.taken.contains(load) && !detours.never.contains(load)) more.insert(load);
    };
    look(result.more_detours);
    if (!detours.taken.empty() && (is_wrong || !result.no_detours.empty()) && more.empty()) {
        for (const uint32_t load : is_wrong ? detours.taken : result.no_detours) detours.never.insert(load);
        for (const uint32_t load : detours.never) detours.taken.erase(load);
        return true;
    }
    if (!is_wrong && limits.takes_detours) look(result.deciding_loads);
    detours.taken.insert(more.begin(), more.end());
    return !more.empty();
}

// What all searches of a kind have shown.
struct Shown {
    std::set<Memory> contended, waited;  // as of an Explored
};

// Gives what the runs of this search show, and whether more places are contended than before.
std::pair<Explored, bool> search(const kernel::Module& module, const kernel::Launch& launch, const Options& how,
                                 const ExploreLimits& limits, Shown& shown) {
    Explored result;
    result.places = *how.schedule.places;
    result.contended = shown.contended;
    add_runs(module, launch, how, limits, result);
    const bool has_more = result.contended.size() > shown.contended.size();
    shown.contended = result.contended;
    shown.waited.merge(result.waited);
    return {std::move(result), has_more};
}

// The next search chooses at these places. It need not at others that are contended, unless a thread waits there: those are in the line.
void choose_at(const std::set<Memory>& places, const Shown& shown, Schedule& schedule) {
    schedule.places = std::make_shared<const std::set<Memory>>(places);
    std::set<Memory> others;
    const auto is_other = [&](const Memory& one) { return !places.contains(one) && !shown.waited.contains(one); };
    std::copy_if(shown.contended.begin(), shown.contended.end(), std::inserter(others, others.end()), is_other);
    schedule.others = std::make_shared<const std::set<Memory>>(std::move(others));
}

// Whether a thread waits at a place that was taken for one that decides nothing.
bool leaves_out(const Schedule& schedule, const Shown& shown) {
    const auto is_left_out = [&](const Memory& one) { return schedule.others->contains(one); };
    return schedule.others != nullptr && std::any_of(shown.waited.begin(), shown.waited.end(), is_left_out);
}

// The search with lives. None: something speaks against them, or it finds something, which may be wrong.
std::optional<Explored> explore_lives(const kernel::Module& module, const kernel::Launch& launch, Options how, ExploreLimits limits) {
    how.schedule.exchanges = Alike::lives;
    how.schedule.places = std::make_shared<const std::set<Memory>>();
    limits.most_work /= 4;  // what is not decided in that is seldom decided so
    Shown shown;
    for (size_t n = 1; n < most_searches; ++n) {
        auto [result, has_more] = search(module, launch, how, limits, shown);
        if (result.places.empty()) result.places = shown.contended;
        const bool has_all_places = result.places.size() == how.schedule.places->size();
        const bool fails = !result.swept.findings.empty() || !result.not_exchangeable.empty();
        if (fails && has_all_places) return std::nullopt;  // else a place that decides was in no order yet
        const bool is_in_line = result.swept.out_of_line.empty() && result.swept.circles.find(true) == nullptr;
        result.has_lives = true;
        if (has_all_places && result.handed_on.empty() && (is_in_line || !has_more) && !leaves_out(how.schedule, shown))
            return result.all && is_in_line ? std::optional(std::move(result)) : std::nullopt;
        if (how.schedule.handed_on != nullptr)
            for (const auto& [object, bytes] : *how.schedule.handed_on) result.handed_on[object].add(bytes);
        how.schedule.handed_on = std::make_shared<const std::map<size_t, ByteSet>>(std::move(result.handed_on));
        choose_at(result.places, shown, how.schedule);
    }
    return std::nullopt;
}

}  // namespace

Explored explore(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const ExploreLimits& limits) {
    Options how = options;
    how.decoded = decoded(module, launch, options.budget, options.decoded);
    how.prunes = true;
    const Options with_lives = how;
    bool may_live = limits.exchanges;
    how.schedule.exchanges = limits.exchanges ? Alike::blocks : Alike::nothing;
    how.schedule.places = std::make_shared<const std::set<Memory>>();
    const bool has_fences = std::any_of(how.decoded->code.begin(), how.decoded->code.end(), is_fence_sc);
    Shown shown;
    Detours detours;
    std::string not_exchangeable, threads_apart;
    Alike before = Alike::nothing;     // what was exchanged before threads were
    std::optional<Explored> wrong;     // runs that found something before all places were known
    std::optional<Explored> together;  // each order in which lanes of a warp go together
    ExploreLimits left = limits;
    for (size_t n = 1;; ++n) {
        auto [result, has_more] = search(module, launch, how, left, shown);
        if (find_detours(result, limits, detours)) {
            how.schedule.detours = detours.taken.empty() ? nullptr : std::make_shared<const std::set<uint32_t>>(detours.taken);
            choose_at({}, shown, how.schedule);
            continue;
        }
        // detours first: they need no order at all
        if (may_live && detours.taken.empty() && result.swept.findings.empty() && result.places.size() > how.schedule.places->size()) {
            may_live = false;
            if (std::optional<Explored> lives = explore_lives(module, launch, with_lives, limits)) return std::move(*lives);
        }
        if (result.places.empty() && detours.taken.empty()) result.places = shown.contended;  // something was decided in another order
        const bool has_all_places = result.places.size() == how.schedule.places->size();
        const bool is_wrong = !result.swept.findings.empty();
        const bool is_left_out = leaves_out(how.schedule, shown);
        if (is_left_out) result.all = false;
        const bool is_in_line = result.swept.out_of_line.empty() && result.swept.circles.find(result.exchanged) == nullptr;
        const bool has_failed = !result.not_exchangeable.empty() || (has_all_places && !result.all);
        if (how.schedule.exchanges == Alike::threads && has_failed && !is_wrong) {
            threads_apart = result.not_exchangeable;
            how.schedule.exchanges = before;
            left.most_work = limits.most_work / 2;
        } else if (!result.not_exchangeable.empty() && !is_wrong) {
            not_exchangeable = result.not_exchangeable;
            how.schedule.exchanges = Alike::nothing;
        } else if (is_left_out && !is_wrong && n < most_searches) {
            // it is in the line from now on
        } else if (has_all_places && has_more && !is_wrong && !is_in_line && n < most_searches) {
            // they may have been a matter of accesses that decide nothing, which are known now
        } else if (has_all_places && !result.is_cut && !is_wrong && result.swept.of_lanes && !how.schedule.splits) {
            how.schedule.splits = true;
            before = how.schedule.exchanges;
            if (limits.exchanges) how.schedule.exchanges = Alike::threads;
            left.most_work = limits.most_work / (limits.exchanges ? 4 : 2);  // what is not decided in that is seldom decided in all
            together = result;
        } else if (has_all_places && result.all && !is_wrong && !result.swept.out_of_line.empty() && !how.schedule.orders_fences &&
                   has_fences) {
            how.schedule.orders_fences = true;
        } else if (has_all_places || n >= most_searches) {
            result.not_exchangeable = not_exchangeable;
            result.threads_apart = threads_apart;
            if (!is_wrong && wrong) return std::move(*wrong);
            return !is_wrong && !result.all && together ? std::move(*together) : result;
        } else if (is_wrong) {
            wrong = result;
        }
        choose_at(result.places, shown, how.schedule);
    }
}

}  // namespace litmus::sweep
