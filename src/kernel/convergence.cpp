// The n-th aligned barrier of each lane of a warp, for each n.
#include "kernel/convergence.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/counters.h"
#include "kernel/live.h"
#include "kernel/roles.h"
#include "ptx/table.h"

namespace litmus::kernel {

namespace {

// What a lane comes to, as far as it is known.
struct Lane {
    size_t thread = 0;
    std::vector<size_t> barriers;  // of its body
    bool open = false;             // more may come, which depends on what it reads
};

class ConvergenceChecker {
public:
    ConvergenceChecker(const Module& module, const Traces& traces) : module_(module), traces_(traces) {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<Lane>> warps;  // by block and warp
        for (size_t t = 0; t < traces.threads.size(); ++t) {
            const Seat& seat = traces.threads[t].seat;
            warps[{seat.block, seat.warp()}].push_back(lane(t));
        }
        for (auto& [place, lanes] : warps)
            if (lanes.size() > 1) check(std::move(lanes));
    }
    Findings take() { return std::move(result_); }

private:
    Lane lane(size_t t) const {
        const Trace& trace = traces_.threads[t];
        Lane lane{t, {}, false};
        if (trace.aligned.empty()) return lane;
        const std::vector<bool> once = happens_once(trace);
        for (const size_t i : trace.aligned) {
            lane.open = lane.open || !once[i];
            if (!lane.open) lane.barriers.push_back(i);
        }
        return lane;
    }

    size_t statement(const Lane& lane, size_t i) const { return traces_.threads[lane.thread].statements[i]; }

    void check(std::vector<Lane> lanes) {
        for (const Lane& lane : lanes)
            if (lane.open) presume(lane, first_open(lane), "whether all lanes of a warp come to it together depends on what they read");
        for (size_t n = 0;; ++n) {
            std::map<size_t, std::vector<size_t>> here;  // by statement: which lanes
            std::vector<size_t> ended;
            for (size_t l = 0; l < lanes.size(); ++l)
                if (n < lanes[l].barriers.size())
                    here[statement(lanes[l], lanes[l].barriers[n])].push_back(l);
                else if (!lanes[l].open)
                    ended.push_back(l);
            if (here.empty()) return;
            const auto& [first, comers] = *here.begin();
            if (here.size() > 1) {
                const auto& [second, others] = *std::next(here.begin());
                return report(lanes[comers[0]], n,
                              names(lanes, comers) + (comers.size() > 1 ? " come" : " comes") + " to this one, and " +
                                  names(lanes, others) + " to " + shown(lanes[others[0]], n));
            }
            const Lane& comer = lanes[comers[0]];
            if (is_matrix(comer, comer.barriers[n]) && !ended.empty())
                return report(comer, n, names(lanes, ended) + (ended.size() > 1 ? " do not come to it" : " does not come to it"));
            std::vector<size_t> passing, leaving;
            for (const size_t l : ended) {
                if (passes(lanes[l], first)) passing.push_back(l);
                if (!passes(lanes[l], first) && goes_on(lanes[l])) leaving.push_back(l);
            }
            if (!passing.empty())
                return report(comer, n,
                              names(lanes, comers) + (comers.size() > 1 ? " come" : " comes") + " to this one, and " +
                                  names(lanes, passing) + (passing.size() > 1 ? " pass it by" : " passes it by"));
            if (!leaving.empty())
                presume(comer, comer.barriers[n], names(lanes, leaving) + " do not come to it: have they exited by then?");
            std::vector<Lane> left;
            for (Lane& lane : lanes)
                if (n < lane.barriers.size()) left.push_back(std::move(lane));
            lanes = std::move(left);
        }
    }

    size_t first_open(const Lane& lane) const { return traces_.threads[lane.thread].aligned[lane.barriers.size()]; }

    // Whether it does something behind its last barrier, and so may not have exited.
    bool goes_on(const Lane& lane) const { return after(lane) < traces_.threads[lane.thread].body.size(); }
    static size_t after(const Lane& lane) { return lane.barriers.empty() ? 0 : lane.barriers.back() + 1; }

    // Whether it comes, behind its last barrier, to where all come that come to the given one: then it has not exited, and passes that by.
    bool passes(const Lane& lane, size_t barrier) {
        const Trace& trace = traces_.threads[lane.thread];
        for (size_t i = after(lane); i < trace.body.size(); ++i) {
            const auto [known, fresh] = follows_.try_emplace({barrier, trace.statements[i]}, false);
            if (fresh) known->second = always_follows(barrier, trace.statements[i]);
            if (known->second) return true;
        }
        return false;
    }

    // Whether every way from one statement to the end of its function leads through another one; ways into a trap end nowhere.
    bool always_follows(size_t from, size_t to) const {
        for (const Function& function : module_.functions) {
            std::map<size_t, size_t> index;
            for (size_t s = 0; s < function.code.size(); ++s) index[function.code[s].span.begin] = s;
            if (!index.contains(from) || !index.contains(to)) continue;
            std::set<size_t> seen = {index[from]};
            std::vector<size_t> waiting = {index[from]};
            while (!waiting.empty()) {
                const size_t s = waiting.back();
                waiting.pop_back();
                const std::string& word = function.code[s].words[0];
                if (word == "ret" || word == "exit") return false;
                for (const size_t next : successors(function, s)) {
                    if (next == function.code.size()) return false;
                    if (next != index[to] && seen.insert(next).second) waiting.push_back(next);
                }
            }
            return true;
        }
        return false;
    }

    std::string names(const std::vector<Lane>& lanes, const std::vector<size_t>& which) const {
        std::vector<size_t> threads;
        for (const size_t l : which) threads.push_back(lanes[l].thread);
        return thread_names(traces_, threads);
    }

    std::string line(const Lane& lane, size_t i) const {
        return text_of(module_, shown_line(module_, traces_.threads[lane.thread].origins[i]));
    }
    std::string shown(const Lane& lane, size_t n) const {
        const size_t i = lane.barriers[n];
        const std::string at = line(lane, i);
        return name_of(lane, i) + (at.empty() ? "" : " at " + at);
    }

    // `ldmatrix` and `stmatrix`, the waiting of which is a `shfl.sync`.
    bool is_matrix(const Lane& lane, size_t i) const { return traces_.threads[lane.thread].body[i].op == Op::shfl_sync; }

    std::string name_of(const Lane& lane, size_t i) const {
        return is_matrix(lane, i) ? "`ldmatrix` or `stmatrix`" : "`" + spelling(traces_.threads[lane.thread].body[i]) + "`";
    }

    void report(const Lane& lane, size_t n, const std::string& who) {
        const size_t i = lane.barriers[n];
        const std::string rule = is_matrix(lane, i) ? "all lanes of a warp execute the same " + name_of(lane, i) + " (ISA 9.7.14.5.15): "
                                                    : "all lanes of a warp execute the same barrier, or have exited (ISA 9.7.13.1): ";
        if (said_.insert(statement(lane, i)).second) result_.broken.push_back({lane.thread, i, rule + who});
    }

    void presume(const Lane& lane, size_t i, const std::string& what) {
        if (!presumed_.insert(statement(lane, i)).second) return;
        const std::string at = line(lane, i);
        const std::string section = is_matrix(lane, i) ? "9.7.14.5.15" : "9.7.13.1";
        result_.presumed.push_back("not judged: " + (at.empty() ? "" : at + ": ") + name_of(lane, i) +
                                   " asks all lanes of a warp to come to it together (ISA " + section + "); " + what);
    }

    const Module& module_;
    const Traces& traces_;
    std::set<size_t> said_, presumed_;                   // statements
    std::map<std::pair<size_t, size_t>, bool> follows_;  // always_follows, of those that were asked
    Findings result_;
};

}  // namespace

Findings convergence(const Module& module, const Traces& traces) {
    return ConvergenceChecker(module, traces).take();
}

}  // namespace litmus::kernel
