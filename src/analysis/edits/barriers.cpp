// Barriers, put into all threads that they are for at once: one edit, a line for each thread.
#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "analysis/edits/mends.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr size_t most_places = 400;  // ways to place one barrier; where there are more it is not tried

// Whether the place is within a loop: some branch behind it leads to a label before it.
bool in_loop(const Thread& thread, int gap) {
    for (int i = gap; i < static_cast<int>(thread.body.size()); ++i) {
        const Operand* target = thread.body[static_cast<size_t>(i)].find(Role::label);
        if (target == nullptr) continue;
        for (int label = 0; label < gap; ++label) {
            const std::vector<std::string>& labels = thread.body[static_cast<size_t>(label)].labels;
            if (std::count(labels.begin(), labels.end(), target->name) > 0) return true;
        }
    }
    return false;
}

struct Barrier {
    Fault fault = Fault::barrier_missing;
    std::vector<int> threads;
    std::vector<std::string> lines;  // in each thread
    Scope reach = Scope::cta;
    std::string where_init = {};  // a line more in front, in threads that initialise an mbarrier object
};

bool initialises(const Thread& thread) {
    return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return i.op == Op::mbarrier_init; });
}

// The edit with the barrier at these places. `parting`: where it stands at the end of a thread, that thread arrives and goes.
Edit barrier_edit(const EditList& list, const Barrier& barrier, const std::vector<ProgramPoint>& places, bool parting) {
    std::string text;
    for (const std::string& line : barrier.lines) text += (text.empty() ? "" : " and ") + as_code(line);
    Edit edit{barrier.fault, places.front(), "put " + text, {}, static_cast<int>(places.size()) * price::at(barrier.reach)};
    for (const ProgramPoint& place : places) {
        const Thread& thread = list.thread(place.thread);
        if (!barrier.where_init.empty() && initialises(thread)) edit.changes.push_back(insertion(list.test, place, barrier.where_init));
        const bool last = place.instruction == static_cast<int>(thread.body.size());
        for (const std::string& line : barrier.lines)
            if (!parting || !last || &line == &barrier.lines.front()) edit.changes.push_back(insertion(list.test, place, line));
    }
    if (!barrier.where_init.empty()) edit.what += ", after " + as_code(barrier.where_init) + " where an object was initialised";
    if (parting) edit.what += ", which the thread that ends with it need not wait for";
    edit.inserts = true;
    edit.only_orders = false;
    edit.places = places;
    return edit;
}

void put_everywhere(EditList& list, const Barrier& barrier) {
    std::vector<std::vector<int>> places;
    size_t ways = 1;
    for (const int t : barrier.threads) {
        places.emplace_back();
        for (const int gap : gaps(list.thread(t), true, true))
            if (!in_loop(list.thread(t), gap)) places.back().push_back(gap);
        ways *= places.back().size();
    }
    if (ways > most_places) list.leave_out(static_cast<int>(barrier.threads.size()) * price::at(barrier.reach));
    if (ways == 0 || ways > most_places) return;
    for (size_t way = 0; way < ways; ++way) {
        if (list.full()) return;
        std::vector<ProgramPoint> chosen;
        size_t rest = way, at_end = 0;
        for (size_t k = 0; k < barrier.threads.size(); ++k) {
            chosen.push_back({barrier.threads[k], places[k][rest % places[k].size()]});
            rest /= places[k].size();
            at_end += chosen.back().instruction == static_cast<int>(list.thread(chosen.back().thread).body.size()) ? 1 : 0;
        }
        list.edits.push_back(barrier_edit(list, barrier, chosen, false));
        const bool arrives_and_waits = barrier.lines.size() > 1;
        if (arrives_and_waits && at_end > 0 && at_end < chosen.size()) list.edits.push_back(barrier_edit(list, barrier, chosen, true));
    }
}

// Where a thread passes a line of a CUDA file: between what comes from lines before it and what comes from it or later lines. What comes
// from other files belongs to what precedes it. In a loop there is such a place in each round.
std::vector<ProgramPoint> passing(const EditList& list, int t, int file, int line) {
    const std::vector<Instruction>& body = list.thread(t).body;
    std::vector<ProgramPoint> places;
    bool before = true;
    for (int i = 0; i < static_cast<int>(body.size()); ++i) {
        const Instruction& instruction = body[static_cast<size_t>(i)];
        if (instruction.origin.file != file || instruction.origin.line == 0) continue;
        const bool now_before = instruction.origin.line < line;
        if (before && !now_before) places.push_back({t, i});
        before = now_before;
    }
    if (before) places.push_back({t, static_cast<int>(body.size())});
    return places;
}

// In a test of a kernel: a barrier at a line of CUDA, where all threads pass it equally often. It is one line, and costs as much.
void put_at_lines(EditList& list, const Barrier& barrier) {
    std::set<std::pair<int, int>> lines;
    for (const int t : barrier.threads)
        for (const Instruction& instruction : list.thread(t).body)
            if (instruction.origin.line > 0) {
                lines.emplace(instruction.origin.file, instruction.origin.line);
                lines.emplace(instruction.origin.file, std::numeric_limits<int>::max());  // the end
            }
    std::set<std::vector<ProgramPoint>> known;
    for (const auto& [file, line] : lines) {
        if (list.full()) return;
        std::vector<ProgramPoint> places;
        size_t at_end = 0, rounds = 0;
        bool alike = true;
        for (const int t : barrier.threads) {
            const std::vector<ProgramPoint> passed = passing(list, t, file, line);
            if (t == barrier.threads.front()) rounds = passed.size();
            alike &= !passed.empty() && passed.size() == rounds;
            for (const ProgramPoint place : passed) at_end += place.instruction == static_cast<int>(list.thread(t).body.size()) ? 1 : 0;
            places.insert(places.end(), passed.begin(), passed.end());
        }
        if (!alike || !known.insert(places).second) continue;
        const bool arrives_and_waits = barrier.lines.size() > 1;
        for (const bool parting : {false, true}) {
            if (parting && !(arrives_and_waits && at_end > 0 && at_end < places.size())) continue;
            list.edits.push_back(barrier_edit(list, barrier, places, parting));
            list.edits.back().price = price::at(barrier.reach);
        }
    }
}

bool of_a_kernel(const Test& test) {
    return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return i.origin.line > 0; });
    });
}

void put_somewhere(EditList& list, const Barrier& barrier) {
    if (of_a_kernel(list.test))
        put_at_lines(list, barrier);
    else
        put_everywhere(list, barrier);
}

// The threads of each group, groups being told apart by `same`; those of one thread left out.
std::vector<std::vector<int>> groups_of(const Test& test, const std::function<bool(const Placement&, const Placement&)>& same) {
    std::vector<std::vector<int>> groups;
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
            return same(test.threads[static_cast<size_t>(group.front())].at, test.threads[static_cast<size_t>(t)].at);
        });
        if (found == groups.end())
            groups.push_back({t});
        else
            found->push_back(t);
    }
    groups.erase(std::remove_if(groups.begin(), groups.end(), [](const std::vector<int>& group) { return group.size() < 2; }),
                 groups.end());
    return groups;
}

// A barrier of the CTA that no instruction uses; of a kernel that of `__syncthreads()`.
std::string unused_barrier(const Test& test) {
    if (of_a_kernel(test)) return "0";
    std::set<uint64_t> used;
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body)
            if (const Operand* barrier = instruction.find(Role::barrier)) used.insert(barrier->value);
    uint64_t number = 0;
    while (used.count(number) > 0) ++number;
    return std::to_string(number);
}

bool same_warp(const Placement& a, const Placement& b) {
    return same_cta(a, b) && a.warp_named && b.warp_named && a.warp == b.warp;
}

// Of the warp that these threads are lanes of.
std::string mask_of(const Test& test, const std::vector<int>& threads) {
    uint64_t mask = 0;
    for (const int t : threads) mask |= uint64_t{1} << test.threads[static_cast<size_t>(t)].at.lane;
    return std::to_string(mask);
}

// Barriers of a CTA that should be the cluster's: each `bar.sync` of one number becomes an arrival and a wait.
void widen(EditList& list, const std::vector<int>& cluster) {
    Edit edit;
    edit.fault = Fault::barrier_of_one_cta;
    std::set<std::pair<int, int>> lines;  // of CUDA, or of the test: by thread and instruction
    for (const int t : cluster) {
        const std::vector<Instruction>& body = list.thread(t).body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            if (body[static_cast<size_t>(i)].op != Op::bar_sync) continue;
            if (lines.empty()) edit.place = {t, i};
            const CudaLine& origin = body[static_cast<size_t>(i)].origin;
            lines.insert(origin.line > 0 ? std::pair(origin.file, origin.line) : std::pair(t, i));
            edit.places.push_back({t, i});
            edit.changes.push_back(insertion(list.test, {t, i}, "barrier.cluster.arrive"));
            edit.changes.push_back(replacement(list.test, {t, i}, "barrier.cluster.wait"));
        }
    }
    if (lines.empty()) return;
    edit.what = "make it " + as_code("barrier.cluster.arrive") + " and " + as_code("barrier.cluster.wait");
    edit.price = static_cast<int>(lines.size()) * price::at(Scope::cluster);
    edit.only_orders = false;
    list.edits.push_back(std::move(edit));
}

// The wait that belongs to an arrival at the cluster's barrier, in a thread that arrives and goes on.
void wait_for_arrivals(EditList& list) {
    const std::string wait(mends::barrier_of_cluster.second);
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.thread(t).body;
        bool open = false;  // an arrival that nothing has waited for
        for (int gap = 0; gap <= static_cast<int>(body.size()); ++gap) {
            if (open && !list.full()) {
                Edit edit{Fault::wait_missing, {t, gap}, "put " + as_code(wait), {insertion(list.test, {t, gap}, wait)}};
                edit.price = price::at(Scope::cluster);
                edit.inserts = true;
                edit.only_orders = false;
                list.edits.push_back(std::move(edit));
            }
            if (gap == static_cast<int>(body.size())) break;
            const Instruction& instruction = body[static_cast<size_t>(gap)];
            if (instruction.op == Op::cluster_arrive) open = true;
            if (instruction.op == Op::cluster_wait) open = false;
        }
    }
}

}  // namespace

void add_barriers(EditList& list) {
    if (list.test.dialect != Dialect::native) return;
    wait_for_arrivals(list);
    for (const std::vector<int>& threads : groups_of(list.test, same_cta))
        put_somewhere(list, {Fault::barrier_missing, threads, {"bar.sync " + unused_barrier(list.test)}, Scope::cta});
    // Lanes that a test of a kernel has stand for others, which may be in other warps.
    if (!of_a_kernel(list.test))
        for (const std::vector<int>& threads : groups_of(list.test, same_warp))
            put_everywhere(list, {Fault::barrier_missing, threads, {"bar.warp.sync " + mask_of(list.test, threads)}, Scope::none});
    if (!list.catalogue.has("barrier.cluster.arrive") || !list.catalogue.speaks_of_clusters()) return;
    for (const std::vector<int>& threads : groups_of(list.test, same_cluster)) {
        const Placement& first = list.thread(threads.front()).at;
        if (std::all_of(threads.begin(), threads.end(), [&](int t) { return same_cta(first, list.thread(t).at); })) continue;
        put_somewhere(list, {mends::barrier_of_cluster.fault, threads, lines_of(mends::barrier_of_cluster), Scope::cluster});
        // The usual way to make objects known in the cluster: the fence is about them alone, the arrival publishes nothing else.
        if (std::any_of(threads.begin(), threads.end(), [&](int t) { return initialises(list.thread(t)); }))
            put_somewhere(list, {Fault::init_not_ordered,
                                 threads,
                                 {"barrier.cluster.arrive.relaxed", "barrier.cluster.wait"},
                                 Scope::cluster,
                                 "fence.mbarrier_init.release.cluster"});
        widen(list, threads);
    }
}

}  // namespace litmus
