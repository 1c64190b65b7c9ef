// Barriers with a count are played: in any order, a warp whose lanes do not wait arrives with the next use of each lane that
// has not exited; when a generation has its arrivals, those that wait in it go on.
#include "meetings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace litmus::naive {
namespace {

constexpr uint64_t warp = 32;  // threads that arrive at a barrier as one

bool blocks(const Use& use) {
    return use.op != Op::bar_arrive && use.op != Op::cluster_arrive;
}

// One barrier of one CTA: the positions of its uses, by thread.
using Uses = std::map<int, std::vector<size_t>>;

class Barrier {
public:
    Barrier(const Test& test, const std::vector<const Trace*>& traces, std::vector<int> threads, Uses uses)
        : test_(test), traces_(traces), threads_(std::move(threads)), uses_(std::move(uses)) {}

    std::set<Meeting> ways() {
        bool counted = false, uncounted = false;
        for (const auto& [thread, positions] : uses_)
            for (const size_t p : positions) (use({thread, p}).count > 0 ? counted : uncounted) = true;
        if (counted && uncounted) throw Unsupported("a barrier used with and without a count");
        for (const int t : threads_) warps_[test_.threads[static_cast<size_t>(t)].at.warp].push_back(t);
        if (counted)
            play({}, {}, {}, {});
        else
            in_step();
        return std::move(found_);
    }

private:
    const Use& use(const UseOf& u) const { return traces_[static_cast<size_t>(u.first)]->uses[u.second]; }

    // Without a count, the k-th uses of all threads meet.
    void in_step() {
        Meeting meeting;
        for (size_t k = 0;; ++k) {
            Generation g;
            bool complete = true, any = false;
            for (const int t : threads_) {
                const auto mine = uses_.find(t);
                if (mine != uses_.end() && k < mine->second.size()) {
                    g.uses.emplace_back(t, mine->second[k]);
                    any = true;
                } else if (traces_[static_cast<size_t>(t)]->end == Trace::End::ended) {
                    g.exited.push_back(t);
                } else {
                    complete = false;
                }
            }
            if (!any) break;
            if (!agrees(g, complete)) return;
            if (complete) meeting.push_back(std::move(g));
        }
        found_.insert(std::move(meeting));
    }

    // Whether the threads did what such a generation makes them do.
    bool agrees(const Generation& g, bool complete) const {
        return std::all_of(g.uses.begin(), g.uses.end(), [&](const UseOf& u) {
            return !blocks(use(u)) || (use(u).passed == complete && (!complete || result(u, g) == use(u).result));
        });
    }

    uint64_t result(const UseOf& u, const Generation& g) const {
        const Trace& trace = *traces_[static_cast<size_t>(u.first)];
        if (use(u).op != Op::bar_red) return 0;
        uint64_t yes = 0, all = 0;
        for (const UseOf& v : g.uses) {
            if (use(v).op != Op::bar_red) continue;
            ++all;
            yes += use(v).predicate ? 1 : 0;
        }
        const Event& e = trace.steps[use(u).step].event;
        const auto op = operation(test_.threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)]);
        if (op == Operator::popc) return warp * yes;
        return (op == Operator::and_ ? yes == all : yes > 0) ? 1 : 0;
    }

    struct Round {  // the generation that fills up
        uint64_t arrivals = 0;
        Generation generation;
    };

    size_t uses_of(int thread) const {
        const auto found = uses_.find(thread);
        return found == uses_.end() ? 0 : found->second.size();
    }

    // The next uses of a warp's lanes, and those that have exited; nothing when some lane is elsewhere for ever, or none is left.
    std::optional<Generation> arrival(const std::vector<int>& lanes, std::map<int, size_t>& next) const {
        Generation g;
        for (const int t : lanes) {
            if (next[t] < uses_of(t))
                g.uses.emplace_back(t, uses_.at(t)[next[t]]);
            else if (traces_[static_cast<size_t>(t)]->end == Trace::End::ended)
                g.exited.push_back(t);
            else
                return std::nullopt;
        }
        return g.uses.empty() ? std::nullopt : std::optional(g);
    }

    void play(std::map<int, size_t> next, std::set<int> waiting, Round current, Meeting done) {
        bool moved = false;
        for (const auto& [number, lanes] : warps_) {
            if (std::any_of(lanes.begin(), lanes.end(), [&](int t) { return waiting.count(t) > 0; })) continue;
            const std::optional<Generation> here = arrival(lanes, next);
            if (!here) continue;
            moved = true;
            auto then_next = next;
            auto then_waiting = waiting;
            auto then = current;
            auto then_done = done;
            for (const UseOf& u : here->uses) {
                if (!then.generation.uses.empty() && use(then.generation.uses[0]).count != use(u).count)
                    throw Unsupported("uses with two counts");
                if (use(u).count % warp != 0) throw Unsupported("a count that is no multiple of 32");
                ++then_next[u.first];
                then.generation.uses.push_back(u);
                if (blocks(use(u))) then_waiting.insert(u.first);
            }
            then.generation.exited.insert(then.generation.exited.end(), here->exited.begin(), here->exited.end());
            if (++then.arrivals * warp == use(here->uses.front()).count) {
                std::sort(then.generation.uses.begin(), then.generation.uses.end());
                std::sort(then.generation.exited.begin(), then.generation.exited.end());
                if (!agrees(then.generation, true)) continue;
                then_done.push_back(std::move(then.generation));
                then = {};
                then_waiting.clear();
            }
            play(std::move(then_next), std::move(then_waiting), std::move(then), std::move(then_done));
        }
        if (moved) return;
        // those whose warp does not arrive stay, too
        for (const auto& [thread, positions] : uses_)
            for (size_t k = next[thread]; k < positions.size(); ++k) current.generation.uses.emplace_back(thread, positions[k]);
        if (agrees(current.generation, false)) found_.insert(std::move(done));
    }

    const Test& test_;
    const std::vector<const Trace*>& traces_;
    std::vector<int> threads_;
    std::map<int, std::vector<int>> warps_;  // the threads of each
    Uses uses_;
    std::set<Meeting> found_;
};

}  // namespace

std::vector<std::vector<Meeting>> meetings(const Test& test, const Memory& memory, const std::vector<const Trace*>& traces) {
    std::map<std::pair<int, uint64_t>, Uses> barriers;  // by CTA and number
    std::map<int, std::vector<int>> threads;            // by CTA
    for (int t = 0; t < static_cast<int>(traces.size()); ++t) {
        const int cta = memory.cta_of(test.threads[static_cast<size_t>(t)].at);
        threads[cta].push_back(t);
        const auto& uses = traces[static_cast<size_t>(t)]->uses;
        for (size_t u = 0; u < uses.size(); ++u)
            if (uses[u].op != Op::cluster_arrive && uses[u].op != Op::cluster_wait) barriers[{cta, uses[u].barrier}][t].push_back(u);
    }
    std::vector<std::vector<Meeting>> result{{}};
    for (const auto& [key, uses] : barriers) {
        Barrier barrier(test, traces, threads[key.first], uses);
        std::vector<std::vector<Meeting>> longer;
        for (const Meeting& way : barrier.ways()) {
            for (std::vector<Meeting> all : result) {
                all.push_back(way);
                longer.push_back(std::move(all));
            }
        }
        result = std::move(longer);
    }
    return result;
}

ClusterBarriers cluster_barriers(const Test& test, const std::vector<const Trace*>& traces) {
    ClusterBarriers result;
    std::vector<std::vector<UseOf>> arrivals(traces.size());
    for (int t = 0; t < static_cast<int>(traces.size()); ++t) {
        const auto& uses = traces[static_cast<size_t>(t)]->uses;
        for (size_t u = 0; u < uses.size(); ++u)
            if (uses[u].op == Op::cluster_arrive) arrivals[static_cast<size_t>(t)].emplace_back(t, u);
    }
    const auto same_cluster = [&](int a, int b) {
        const Placement &x = test.threads[static_cast<size_t>(a)].at, &y = test.threads[static_cast<size_t>(b)].at;
        return x.gpu == y.gpu && x.cluster == y.cluster;
    };
    for (int t = 0; t < static_cast<int>(traces.size()); ++t) {
        const auto& uses = traces[static_cast<size_t>(t)]->uses;
        size_t arrived = 0, waited = 0;
        for (size_t u = 0; u < uses.size(); ++u) {
            if (uses[u].op == Op::cluster_arrive) {
                if (arrived++ > waited) result.early.emplace_back(t, u);
                continue;
            }
            if (uses[u].op != Op::cluster_wait) continue;
            ClusterWait wait{{t, u}, {}, {}};
            const size_t phase = waited++;
            bool complete = phase < arrived;
            for (int other = 0; other < static_cast<int>(traces.size()); ++other) {
                const auto& theirs = arrivals[static_cast<size_t>(other)];
                if (!same_cluster(t, other)) continue;
                if (phase < theirs.size())
                    wait.arrivals.push_back(theirs[phase]);
                else if (traces[static_cast<size_t>(other)]->end == Trace::End::ended)
                    wait.exited.push_back(other);
                else
                    complete = false;
            }
            if (complete != uses[u].passed) result.possible = false;
            if (complete) result.waits.push_back(std::move(wait));
        }
    }
    return result;
}

}  // namespace litmus::naive
