// Places in words.
#include "analysis/repair/missing.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace litmus {

namespace {

// The line of a place; at the end of a thread that of its last instruction.
int line_of(const Test& test, ProgramPoint place) {
    if (place.thread < 0) return position(*test.source, test.locations.at(static_cast<size_t>(place.instruction)).span.begin).line;
    const Thread& thread = test.threads.at(static_cast<size_t>(place.thread));
    if (thread.body.empty()) return position(*test.source, thread.span.begin).line;
    const size_t i = std::min(static_cast<size_t>(place.instruction), thread.body.size() - 1);
    return position(*test.source, thread.body[i].spelled.begin).line;
}

std::string owner(const Test& test, ProgramPoint place) {
    return place.thread < 0 ? test.locations.at(static_cast<size_t>(place.instruction)).name
                            : test.threads.at(static_cast<size_t>(place.thread)).name;
}

// The CUDA line of the instruction at a place, or of the one so many places from it; none where there is none.
CudaPlace origin_at(const Test& test, ProgramPoint place, int away = 0) {
    if (place.thread < 0) return {};
    const std::vector<Instruction>& body = test.threads.at(static_cast<size_t>(place.thread)).body;
    const int at = place.instruction + away;
    return at < 0 || at >= static_cast<int>(body.size()) ? CudaPlace() : origin_of(test, body[static_cast<size_t>(at)]);
}

// " (between ws_pipeline.cu:38 and :39)" of what is put there, " (ws_pipeline.cu:39)" of what is there; empty where no line is known.
std::string origin_shown(const Test& test, ProgramPoint place, bool put_in) {
    const CudaPlace at = origin_at(test, place), after = put_in ? origin_at(test, place, -1) : CudaPlace();
    if (!put_in || at == after) return at ? " (" + short_text(at) + ")" : std::string();
    if (at && after) return " (between " + short_text(after, at) + ")";
    return at ? " (before " + short_text(at) + ")" : " (after " + short_text(after) + ")";
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    return text;
}

// "P0 line 10", "P0 lines 10 and 12"; of what is put in, "P0 before line 10" or "at the end of P0". The places are in one thread.
std::string shown_in_thread(const Test& test, const std::vector<ProgramPoint>& places, bool put_in) {
    const ProgramPoint first = places.front();
    const bool at_end =
        first.thread >= 0 && first.instruction == static_cast<int>(test.threads[static_cast<size_t>(first.thread)].body.size());
    if (at_end) return "at the end of " + owner(test, first);
    std::vector<std::string> lines;
    for (const ProgramPoint place : places) lines.push_back(std::to_string(line_of(test, place)));
    return owner(test, first) + (put_in ? " before" : "") + (lines.size() == 1 ? " line " : " lines ") + listed(lines);
}

// The places, each with its CUDA line; that of several which share it once, behind the last. Of many threads that share it, a few are
// named.
std::string shown(const Test& test, const std::vector<ProgramPoint>& places, bool put_in) {
    constexpr size_t few = 4;
    std::vector<std::string> parts;
    for (size_t i = 0; i < places.size();) {
        const std::string origin = origin_shown(test, places[i], put_in);
        std::vector<std::string> threads;
        do {
            std::vector<ProgramPoint> of_thread{places[i++]};
            while (!origin.empty() && i < places.size() && places[i].thread == of_thread.front().thread &&
                   origin_shown(test, places[i], put_in) == origin)
                of_thread.push_back(places[i++]);
            threads.push_back(shown_in_thread(test, of_thread, put_in));
        } while (!origin.empty() && i < places.size() && origin_shown(test, places[i], put_in) == origin);
        if (threads.size() > few) {
            const size_t more = threads.size() - (few - 1);
            threads.resize(few - 1);
            threads.push_back(std::to_string(more) + " more threads");
        }
        parts.push_back(listed(threads) + origin);
    }
    return listed(parts);
}

}  // namespace

Missing missing_of(const Test& test, const Edit& edit) {
    Missing result{edit.fault, edit.place, owner(test, edit.place), line_of(test, edit.place), {}, {}, origin_at(test, edit.place), {}};
    if (edit.inserts) result.after = origin_at(test, edit.place, -1);
    const std::vector<ProgramPoint> places = edit.places.empty() ? std::vector<ProgramPoint>{edit.place} : edit.places;
    result.sentence = shown(test, places, edit.inserts) + ": " + edit.what;
    return result;
}

namespace {

// The kinds of a repair's edits and the threads they are in, in order.
using FaultsOfThreads = std::vector<std::pair<Fault, int>>;
FaultsOfThreads names_of(const std::vector<Missing>& parts) {
    FaultsOfThreads names;
    for (const Missing& part : parts) names.emplace_back(part.fault, part.place.thread);
    std::sort(names.begin(), names.end());
    return names;
}

bool say_alike(const Missing& a, const Missing& b) {
    return a.fault == b.fault && a.place.thread == b.place.thread;
}

// Whether each part can be taken for one of the best, or for what stands beside it, no two for the same.
bool covered(const std::vector<Missing>& parts, const std::vector<Missing>& best) {
    if (parts.size() != best.size()) return false;
    std::vector<size_t> order(best.size());
    std::iota(order.begin(), order.end(), size_t{0});
    do {
        bool all = true;
        for (size_t i = 0; i < parts.size() && all; ++i) {
            const Missing& one = best[order[i]];
            all = say_alike(parts[i], one) ||
                  std::any_of(one.instead.begin(), one.instead.end(), [&](const Missing& other) { return say_alike(parts[i], other); });
        }
        if (all) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

// Notes the one edit in which the other repair differs from the best, if it is just one.
void note_exchange(const Test& test, const Repairs& repairs, const Repair& other, std::vector<Missing>& best) {
    const EditSet& ours = repairs.repairs.front().edits;
    EditSet only_ours, only_theirs;
    std::set_difference(ours.begin(), ours.end(), other.edits.begin(), other.edits.end(), std::back_inserter(only_ours));
    std::set_difference(other.edits.begin(), other.edits.end(), ours.begin(), ours.end(), std::back_inserter(only_theirs));
    if (only_ours.size() != 1 || only_theirs.size() != 1) return;
    const std::vector<size_t>& less = repairs.edits[only_theirs.front()].includes;
    if (std::count(less.begin(), less.end(), only_ours.front()) > 0) return;  // more than needed
    Missing& part = best[static_cast<size_t>(std::find(ours.begin(), ours.end(), only_ours.front()) - ours.begin())];
    Missing found = missing_of(test, repairs.edits[only_theirs.front()]);
    const auto known = [&](const Missing& one) { return say_alike(one, found); };
    if (!known(part) && std::none_of(part.instead.begin(), part.instead.end(), known)) part.instead.push_back(std::move(found));
}

}  // namespace

std::vector<Missing> parts_of(const Test& test, const Repairs& repairs, const Repair& repair) {
    std::vector<Missing> parts;
    for (const size_t e : repair.edits) parts.push_back(missing_of(test, repairs.edits[e]));
    return parts;
}

WhatIsMissing what_is_missing(const Test& test, const Repairs& repairs) {
    WhatIsMissing result;
    if (repairs.repairs.empty()) return result;
    const Repair& best = repairs.repairs.front();
    result.best = parts_of(test, repairs, best);
    std::vector<const Repair*> others;
    for (const Repair& repair : repairs.repairs)
        if (&repair != &best && repair.price == best.price) others.push_back(&repair);
    for (const Repair* other : others) note_exchange(test, repairs, *other, result.best);
    std::set<FaultsOfThreads> told;
    for (const Repair* other : others) {
        std::vector<Missing> parts = parts_of(test, repairs, *other);
        if (!covered(parts, result.best) && told.insert(names_of(parts)).second) result.otherwise.push_back({std::move(parts), false});
    }
    told.clear();
    for (const Repair& robust : repairs.robust) {
        std::vector<Missing> parts = parts_of(test, repairs, robust);
        if (told.insert(names_of(parts)).second) result.otherwise.push_back({std::move(parts), true});
    }
    std::stable_sort(result.best.begin(), result.best.end(), [](const Missing& a, const Missing& b) { return a.place < b.place; });
    return result;
}

}  // namespace litmus
