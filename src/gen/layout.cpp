// Threads, places, locations and values of a cycle's test, one after the other.
#include <algorithm>
#include <array>

#include "gen/cycle.h"

namespace litmus::gen {

namespace {

constexpr std::array levels = {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys};

class Layouter {
public:
    explicit Layouter(const Cycle& cycle) : cycle_(cycle), n_(cycle.size()) {}

    bool lay_out() {
        return assign_threads() && assign_places() && assign_locations() && find_lines() && assign_memory() && assign_others() &&
               assign_values() && is_visible();
    }
    CycleLayout take() { return std::move(layout_); }

private:
    const Edge& edge(size_t i) const { return edge_of(cycle_[i % n_]); }
    const Access& access(size_t i) const { return access_of(cycle_[i % n_]); }
    size_t previous(size_t i) const { return (i + n_ - 1) % n_; }
    const Placement& place(size_t event) const { return layout_.places[static_cast<size_t>(layout_.thread[event])]; }
    size_t location(size_t event) const { return static_cast<size_t>(layout_.location[event]); }
    // Both ends on one line of values: one reads or overwrites what the other wrote.
    static bool joins(const Edge& e) { return e.communicates() || (e.kind == Edge::Kind::instruction && e.same); }

    // A thread ends where an edge leaves it; from one thread to itself none does.
    bool assign_threads() {
        int thread = 0;
        for (size_t i = 0; i < n_; ++i) {
            layout_.thread.push_back(thread);
            if (edge(i).external()) ++thread;
        }
        layout_.places.resize(static_cast<size_t>(std::max(thread, 1)));
        return thread != 1;
    }

    // At each level, threads are together that edges of this level or a nearer one join; an edge of a level joins none that are
    // together at a nearer one.
    bool assign_places() {
        std::vector<std::vector<int>> groups;  // by level, then by thread
        const size_t threads = layout_.places.size();
        for (const Scope level : levels) {
            std::vector<int> group(threads);
            for (size_t t = 0; t < threads; ++t) group[t] = static_cast<int>(t);
            for (size_t i = 0; i < n_; ++i) {
                if (!edge(i).external() || edge(i).near > level) continue;
                const int a = group[thread(i)], b = group[thread((i + 1) % n_)];
                std::replace(group.begin(), group.end(), std::max(a, b), std::min(a, b));
            }
            for (size_t i = 0; i < n_; ++i) {
                const bool together = group[thread(i)] == group[thread((i + 1) % n_)];
                if (edge(i).external() && edge(i).near > level && together) return false;
            }
            groups.push_back(numbered(group));
        }
        for (size_t t = 0; t < threads; ++t) {
            layout_.places[t].cta = groups[0][t];
            layout_.places[t].cluster = groups[1][t];
            layout_.places[t].gpu = groups[2][t];
        }
        return true;
    }
    size_t thread(size_t event) const { return static_cast<size_t>(layout_.thread[event]); }
    // Groups named by the order in which they come.
    static std::vector<int> numbered(const std::vector<int>& group) {
        std::vector<int> seen, result;
        for (const int g : group) {
            const auto found = std::find(seen.begin(), seen.end(), g);
            result.push_back(static_cast<int>(found - seen.begin()));
            if (found == seen.end()) seen.push_back(g);
        }
        return result;
    }

    bool assign_locations() {
        int runs = 0;
        for (size_t i = 0; i < n_; ++i) {
            layout_.location.push_back(runs);
            if (!edge(i).same) ++runs;
        }
        if (runs == 1) return false;
        for (int& l : layout_.location) l = runs == 0 ? 0 : l % runs;
        layout_.memory.assign(static_cast<size_t>(std::max(runs, 1)), -1);
        layout_.last.resize(layout_.memory.size());
        return true;
    }

    // The events of each location that communications join, in their order: one line for each location, with all
    // that access it.
    bool find_lines() {
        lines_.resize(layout_.memory.size());
        for (size_t i = 0; i < n_; ++i) {
            if (joins(edge(previous(i))) || !joins(edge(i))) continue;
            std::vector<size_t>& line = lines_[location(i)];
            if (!line.empty()) return false;
            line.push_back(i);
            for (size_t j = i; joins(edge(j)); ++j) {
                if (line.size() > n_) return false;
                line.push_back((j + 1) % n_);
            }
        }
        for (size_t i = 0; i < n_; ++i) {
            const std::vector<size_t>& line = lines_[location(i)];
            const bool communicated = std::any_of(line.begin(), line.end(), [&](size_t e) { return edge(e).communicates(); });
            if (!communicated || std::find(line.begin(), line.end(), i) == line.end()) return false;
        }
        return true;
    }

    // Where the thread at `from` sees memory of that CTA, if anywhere.
    std::optional<Memory> seen(const Placement& from, int memory) const {
        if (memory < 0) return Memory::global;
        if (from.cta == memory) return Memory::own;
        for (const Placement& place : layout_.places)
            if (place.cta == memory && same_cluster(place, from)) return Memory::peer;
        return std::nullopt;
    }

    // The memories that a test may have: global, and the shared memory of each CTA with a thread.
    std::vector<int> memories() const {
        std::vector<int> result{-1};
        for (const Placement& place : layout_.places)
            if (std::find(result.begin(), result.end(), place.cta) == result.end()) result.push_back(place.cta);
        return result;
    }

    bool allows(size_t event, int memory) const {
        const std::optional<Memory> as = seen(place(event), memory);
        const std::vector<Memory>& legal = access(event).memories;
        const bool reports_here = access(event).direction == Direction::write && edge(event).waits == Completion::mbarrier;
        return as && std::find(legal.begin(), legal.end(), *as) != legal.end() && (!reports_here || memory == waiter(event));
    }
    // The CTA of the thread that waits for an operation; it does so on an object of its own CTA.
    int waiter(size_t event) const { return place((event + 1) % n_).cta; }

    bool assign_memory() {
        for (size_t l = 0; l < layout_.memory.size(); ++l) {
            const std::vector<int> all = memories();
            const auto fits = [&](int memory) {
                for (size_t i = 0; i < n_; ++i)
                    if (location(i) == l && !allows(i, memory)) return false;
                return true;
            };
            const auto found = std::find_if(all.begin(), all.end(), fits);
            if (found == all.end()) return false;
            layout_.memory[l] = *found;
        }
        return true;
    }

    // Other ends of copies, and where operations report to: beside what they write.
    bool assign_others() {
        layout_.other.assign(n_, -1);
        layout_.object.assign(n_, -1);
        for (size_t i = 0; i < n_; ++i) {
            const Access& a = access(i);
            if (a.other) {
                const std::vector<int> all = memories();
                const bool reports_there = a.direction == Direction::read && edge(i).waits == Completion::mbarrier;
                const auto fits = [&](int memory) { return seen(place(i), memory) == a.other && (!reports_there || memory == waiter(i)); };
                const auto found = std::find_if(all.begin(), all.end(), fits);
                if (found == all.end()) return false;
                layout_.other[i] = *found;
            }
            if (a.completion == Completion::mbarrier)
                layout_.object[i] = a.direction == Direction::write ? layout_.memory[location(i)] : layout_.other[i];
        }
        return true;
    }

    // Along each line; what a copy writes is what it has read, so that lines wait for each other.
    bool assign_values() {
        layout_.value.assign(n_, 0);
        layout_.asked.assign(n_, false);
        std::vector<bool> known(lines_.size(), false);
        for (size_t round = 0; round < lines_.size(); ++round)
            for (size_t l = 0; l < lines_.size(); ++l)
                if (!known[l]) known[l] = assign_line(l, known);
        return std::find(known.begin(), known.end(), false) == known.end();
    }

    bool assign_line(size_t l, const std::vector<bool>& known) {
        uint64_t now = 0;
        for (const size_t i : lines_[l]) {
            const Edge& in = edge(previous(i));
            if (access(i).direction == Direction::read) {
                layout_.value[i] = now;
                layout_.asked[i] = in.kind == Edge::Kind::reads_from || edge(i).kind == Edge::Kind::from_reads;
                continue;
            }
            const bool copied = in.kind == Edge::Kind::instruction && !in.same;
            if (copied && !known[location(previous(i))]) return false;
            layout_.value[i] = copied ? layout_.value[previous(i)] : uint64_t{1} << i;
            now = access(i).adds ? now + layout_.value[i] : layout_.value[i];
            if (edge(i).kind == Edge::Kind::coherence || in.kind == Edge::Kind::coherence) layout_.last[l] = now;
        }
        return true;
    }

    // Coherence is seen in the final value: nothing is written later, and two reductions in the other order do not end alike. An
    // instruction with two halves has read what the cycle says, or one half would do; what a copy has read is seen in what it writes.
    bool is_visible() {
        for (size_t i = 0; i < n_; ++i) {
            const size_t next = (i + 1) % n_;
            if (edge(i).kind == Edge::Kind::coherence) {
                if (access(i).adds && access(next).adds) return false;
                if (!ends_line(next)) return false;
            }
            if (edge(i).kind != Edge::Kind::instruction) continue;
            if (edge(previous(i)).kind != Edge::Kind::reads_from) return false;
            if (edge(i).same) continue;
            if (edge(next).kind == Edge::Kind::coherence) return false;
            if (edge(next).kind != Edge::Kind::reads_from) layout_.last[location(next)] = final_value(location(next));
        }
        return true;
    }
    bool ends_line(size_t event) const {
        const std::vector<size_t>& line = lines_[location(event)];
        const auto at = std::find(line.begin(), line.end(), event);
        return std::none_of(at + 1, line.end(), [&](size_t i) { return access(i).direction == Direction::write; });
    }
    uint64_t final_value(size_t l) const {
        uint64_t now = 0;
        for (const size_t i : lines_[l])
            if (access(i).direction == Direction::write) now = access(i).adds ? now + layout_.value[i] : layout_.value[i];
        return now;
    }

    const Cycle& cycle_;
    size_t n_;
    CycleLayout layout_;
    std::vector<std::vector<size_t>> lines_;  // by location
};

}  // namespace

std::optional<CycleLayout> layout(const Cycle& cycle) {
    Layouter layouter(cycle);
    if (!layouter.lay_out()) return std::nullopt;
    return layouter.take();
}

}  // namespace litmus::gen
