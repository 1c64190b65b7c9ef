// What both runs show is said once.
#include "sweep/orders.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernel/program.h"
#include "sweep/code.h"
#include "sweep/explore.h"
#include "sweep/findings.h"

namespace litmus::sweep {

namespace {

// A read in the first round of a ring, before its data.
bool is_early(const Finding& finding) {
    if (finding.kind != Kind::race || !finding.clash) return false;
    const auto& [earlier, later, fresh, again, apart] = *finding.clash;
    const bool read_first = fresh && !earlier.writes && !later.object.empty();
    return read_first || (earlier.writes && !earlier.object.empty() && !later.writes && !again);
}

// Of each object the first part that one launch wrote, and the other did not.
std::vector<Part> missing(const std::vector<Part>& once, const std::vector<Part>& again) {
    std::map<std::string, std::vector<Part>> of;  // those of an object, which are in order and apart
    for (const Part& part : again) of[part.object].push_back(part);
    std::vector<Part> parts;
    for (const Part& part : once) {
        if (!parts.empty() && parts.back().object == part.object) continue;
        const std::vector<Part>& others = of[part.object];
        auto other = std::partition_point(others.begin(), others.end(), [&](const Part& one) { return one.end <= part.begin; });
        uint64_t covered = part.begin;
        while (other != others.end() && other->begin <= covered) covered = (other++)->end;
        if (covered >= part.end) continue;
        parts.push_back({part.object, covered, other == others.end() ? part.end : std::min(part.end, other->begin)});
    }
    return parts;
}

// Whether the next launch may begin before this one is over.
bool overlaps_next(const std::vector<Started>& launches, size_t number) {
    return number + 1 < launches.size() && launches[number + 1].launch->programmatic;
}

// Leaves its code in the options, for further runs. The first launch of a stream fails as it does alone.
Swept sweep_number(size_t number, const Started& one, Options& how) {
    try {
        how.decoded = decoded(*one.module, *one.launch, how.budget, how.decoded);
        return sweep(*one.module, *one.launch, how);
    } catch (const Failure& failure) {
        if (number == 0) throw;
        std::vector<Diagnostic> said = failure.diagnostics();
        said.front().message = "launch " + std::to_string(number + 1) + ": " + said.front().message;
        throw Failure(std::move(said));
    }
}

void sweep_contrary(const std::vector<Started>& launches, std::vector<Streamed>& all) {
    std::shared_ptr<const Left> left;
    for (size_t n = 0; n < all.size(); ++n) {
        if (n > 0) all[n].how.before_contrary = std::move(left);
        Options contrary = all[n].how;
        contrary.schedule.order = Schedule::Order::contrary;
        contrary.leaves = all.size() > 1;
        contrary.keeps_running = overlaps_next(launches, n);
        try {
            Swept other = sweep(*launches[n].module, *launches[n].launch, contrary);
            left = std::move(other.left);
            const bool ended = other.ended;
            add(all[n].swept, std::move(other));
            ++all[n].orders;
            if (!ended) return;
        } catch (const Failure& failure) {
            all[n].swept.conditions.push_back("in the contrary order of the threads the sweep cannot go on: " +
                                              failure.diagnostics().front().message);
            return;
        }
    }
}

// Where a clock decides, the other way in both orders; each launch begins with what the others have left it.
void sweep_late(const std::vector<Started>& launches, std::vector<Streamed>& all) {
    for (size_t n = 0; n < all.size(); ++n) {
        if (!all[n].swept.timed) continue;
        for (const Schedule::Order order : {Schedule::Order::first, Schedule::Order::contrary}) {
            Options late = all[n].how;
            late.schedule.late = true;
            late.schedule.order = order;
            try {
                add(all[n].swept, sweep(*launches[n].module, *launches[n].launch, late));
            } catch (const Failure& failure) {
                all[n].swept.conditions.push_back("where a clock says something else the sweep cannot go on: " +
                                                  failure.diagnostics().front().message);
            }
        }
    }
}

// Why weak orders of the strong accesses may come about in these runs.
std::vector<std::string> why_out_of_line(const kernel::Module& module, const Swept& swept, bool exchanged) {
    std::vector<std::string> why = swept.out_of_line;
    if (const kernel::Statement* const read = swept.circles.find(exchanged))
        why.push_back("`" + kernel::dotted(read->words) + "` (" + some_line(module, *read) +
                      ") may find a write that would come about by it: reads, and the writes behind them, may make a circle");
    return why;
}

// Where nothing is found, and what a strong access finds decides something: more orders of these accesses. If all were run, and each
// execution has one of them (line.h), the order decides nothing any more. Gives whether the next launch finds the same in each order.
bool sweep_more(const std::vector<Started>& launches, std::vector<Streamed>& all, size_t number) {
    Streamed& streamed = all[number];
    Swept& swept = streamed.swept;
    if (!streamed.how.explores || !swept.findings.empty()) return false;
    if (!swept.contended) return true;
    if (overlaps_next(launches, number) || launches[number].launch->programmatic) return false;
    Options how = streamed.how;
    how.leaves = number + 1 < launches.size();
    ExploreLimits limits;
    limits.exchanges = limits.takes_detours = !how.leaves;  // these leave one of several values, or under other names
    Explored more = explore(*launches[number].module, *launches[number].launch, how, limits);
    streamed.orders += more.runs;
    streamed.all_orders = more.all;
    streamed.exchanged = more.exchanged;
    streamed.not_exchangeable = more.not_exchangeable;
    streamed.out_of_line = why_out_of_line(*launches[number].module, more.swept, more.exchanged);
    if (more.leaves_differ) streamed.out_of_line.emplace_back("it leaves something else for the next launch in another order");
    const bool is_whole = more.all && streamed.out_of_line.empty();
    if (is_whole) {
        const auto is_of_order = [&](const std::string& condition) {
            return swept.of_order.contains(condition) || more.swept.of_order.contains(condition);
        };
        std::erase_if(swept.conditions, is_of_order);
        std::erase_if(more.swept.conditions, is_of_order);
    } else {
        more.swept.conditions.clear();  // those of the two orders say it
    }
    add(swept, std::move(more.swept));
    return is_whole;
}

}  // namespace

void add(Swept& swept, Swept other) {
    for (Finding& finding : other.findings)
        if (std::none_of(swept.findings.begin(), swept.findings.end(), [&](const Finding& known) { return is_same(known, finding); }))
            swept.findings.push_back(std::move(finding));
    std::stable_sort(swept.findings.begin(), swept.findings.end(), comes_before);
    for (std::string& condition : other.conditions)
        if (std::find(swept.conditions.begin(), swept.conditions.end(), condition) == swept.conditions.end())
            swept.conditions.push_back(std::move(condition));
    swept.of_order.merge(other.of_order);
    for (std::string& why : other.out_of_line)
        if (std::find(swept.out_of_line.begin(), swept.out_of_line.end(), why) == swept.out_of_line.end())
            swept.out_of_line.push_back(std::move(why));
    for (std::string& practice : other.practices)
        if (std::find(swept.practices.begin(), swept.practices.end(), practice) == swept.practices.end())
            swept.practices.push_back(std::move(practice));
    swept.circles.add(other.circles);
    swept.of_lanes = swept.of_lanes || other.of_lanes;
    swept.too_many_lanes = swept.too_many_lanes || other.too_many_lanes;
    swept.timed = swept.timed || other.timed;
    swept.took_detours = swept.took_detours || other.took_detours;
    swept.contended = swept.contended || other.contended;
    swept.instructions += other.instructions;
    swept.accesses += other.accesses;
}

bool comes_before(const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
        const bool is_clear = finding.breach == Breach::wait_at_once || finding.breach == Breach::bytes_unexpected;
        return std::pair(is_early(finding) ? Kind::phase : finding.kind, is_clear ? 0 : is_early(finding) ? 1 : 2);
    };
    return rank(a) < rank(b);
}

bool is_same(const Finding& a, const Finding& b) {
    const auto source = [](const Place& place) {
        const bool has_line = place.statement != nullptr && !place.statement->origin.empty();
        return std::pair(has_line ? place.statement->origin : kernel::Origin(), has_line ? nullptr : place.statement);
    };
    return a.kind == b.kind && std::is_permutation(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                                                   [&](const Place& one, const Place& other) { return source(one) == source(other); });
}

std::vector<Streamed> sweep_stream(const std::vector<Started>& launches, const Options& options) {
    std::vector<Streamed> all;
    std::vector<std::vector<Part>> written;
    Options how = options;
    for (size_t n = 0; n < launches.size(); ++n) {
        Options leaving = how;
        leaving.leaves = launches.size() > 1;
        leaving.keeps_running = overlaps_next(launches, n);
        Swept swept = sweep_number(n, launches[n], leaving);
        const std::shared_ptr<const Left> left = std::exchange(swept.left, nullptr);
        how.decoded = leaving.decoded;
        all.push_back({std::move(swept), how, {}});
        if (!all.back().swept.ended) break;
        how.before = how.before_contrary = left;
        written.push_back(left != nullptr ? left->written : std::vector<Part>());
        if (launches[n].repeats && all.back().swept.findings.empty())
            all.back().unwritten = missing(written.at(*launches[n].repeats), written.back());
    }
    if (std::any_of(all.begin(), all.end(), [](const Streamed& one) { return !one.swept.conditions.empty() || one.swept.elects; }))
        sweep_contrary(launches, all);
    sweep_late(launches, all);
    for (size_t n = 0; n < all.size() && sweep_more(launches, all, n);) ++n;
    return all;
}

Swept sweep_in_orders(const kernel::Module& module, const kernel::Launch& launch, const Options& options) {
    return std::move(sweep_stream({{&module, &launch}}, options).front().swept);
}

}  // namespace litmus::sweep
