// Edits of a kernel's test: what stands once in the source stands in every thread that executes it, and as often as a loop
// was unrolled. Who changes a line changes all of these.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/edits/edits.h"

namespace litmus {

namespace {

// The line that an instruction comes from, and which of its instructions it is.
using Compiled = std::tuple<int, int, std::string>;  // file and line, 0 where they are not known; the dotted name
Compiled compiled_from(const Instruction& instruction) {
    std::string name = instruction.mnemonic;
    for (const std::string& qualifier : instruction.qualifiers) name += "." + qualifier;
    return {instruction.origin.file, instruction.origin.line, name};
}

// The changes of both, each once: a barrier is left out of all threads by each of its parts.
void add(Edit& edit, const Edit& more) {
    for (const Change& change : more.changes) {
        const bool known = std::any_of(edit.changes.begin(), edit.changes.end(), [&](const Change& other) {
            return other.span.begin == change.span.begin && other.span.end == change.span.end;
        });
        if (!known) edit.changes.push_back(change);
    }
    if (edit.places.empty()) edit.places.push_back(edit.place);
    const std::vector<ProgramPoint> others = more.places.empty() ? std::vector<ProgramPoint>{more.place} : more.places;
    edit.places.insert(edit.places.end(), others.begin(), others.end());
}

// What is compiled at a place, and before it. Of two places in one source both are equal; an instruction that is not there has no line.
using Site = std::pair<Compiled, Compiled>;
Site site(const Test& test, ProgramPoint place) {
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(place.thread)].body;
    const auto compiled = [&](int i) {
        return i < 0 || i >= static_cast<int>(body.size()) ? Compiled() : compiled_from(body[static_cast<size_t>(i)]);
    };
    return {compiled(place.instruction), compiled(place.instruction - 1)};
}

std::vector<ProgramPoint> places_of(const Edit& edit) {
    return edit.places.empty() ? std::vector<ProgramPoint>{edit.place} : edit.places;
}

// Edits that are one in the source have the same of these; nothing for an edit of a place whose line is not known.
using SourceEdit = std::tuple<std::set<Site>, Fault, std::string>;
std::optional<SourceEdit> in_source(const Test& test, const Edit& edit) {
    std::set<Site> sites;
    for (const ProgramPoint place : places_of(edit)) {
        if (place.thread < 0) return std::nullopt;
        Site where = site(test, place);
        if (std::get<1>(where.first) == 0 && std::get<1>(where.second) == 0) return std::nullopt;
        if (!edit.inserts) where.second = {};
        sites.insert(std::move(where));
    }
    return SourceEdit{std::move(sites), edit.fault, edit.what};
}

// Whether both change one place: then they are two ways to put lines into several threads, not two parts of one.
bool share_a_place(const Edit& a, const Edit& b) {
    const std::vector<ProgramPoint> mine = places_of(a), others = places_of(b);
    return std::any_of(mine.begin(), mine.end(), [&](ProgramPoint place) { return std::count(others.begin(), others.end(), place) > 0; });
}

// The smallest number that instructions have which are respelled together: by the number of each.
std::map<int, int> shared_numbers(const std::vector<std::vector<int>>& together) {
    std::map<int, int> number;
    for (const std::vector<int>& group : together)
        for (const int one : group) number.emplace(one, one);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::vector<int>& group : together) {
            int least = group.front();
            for (const int one : group) least = std::min(least, number[one]);
            for (const int one : group) changed |= std::exchange(number[one], least) != least;
        }
    }
    return number;
}

}  // namespace

std::vector<Edit> joined_by_line(const Test& test, std::vector<Edit> edits) {
    std::multimap<SourceEdit, size_t> known;
    std::vector<size_t> joined_into(edits.size());
    std::vector<std::vector<size_t>> members;
    std::vector<Edit> result;
    for (size_t e = 0; e < edits.size(); ++e) {
        const std::optional<SourceEdit> key = in_source(test, edits[e]);
        size_t into = result.size();
        if (key)
            for (auto [at, end] = known.equal_range(*key); at != end && into == result.size(); ++at)
                if (std::none_of(members[at->second].begin(), members[at->second].end(),
                                 [&](size_t other) { return share_a_place(edits[other], edits[e]); }))
                    into = at->second;
        joined_into[e] = into;
        if (into == result.size()) {
            result.push_back(edits[e]);
            members.emplace_back();
            if (key) known.emplace(*key, into);
        } else {
            add(result[into], edits[e]);
            result[into].only_orders &= edits[e].only_orders;
        }
        members[into].push_back(e);
    }

    std::vector<std::vector<int>> respelled;
    for (const std::vector<size_t>& group : members)
        if (edits[group.front()].respells != no_instruction) {
            respelled.emplace_back();
            for (const size_t e : group) respelled.back().push_back(edits[e].respells);
        }
    const std::map<int, int> number = shared_numbers(respelled);

    // one adds no more than another if each of its members adds no more than a member of that
    for (size_t i = 0; i < result.size(); ++i) {
        std::map<size_t, std::set<size_t>> covered;  // by what may be included: which of its members are
        for (const size_t e : members[i])
            for (const size_t less : edits[e].includes) covered[joined_into[less]].insert(less);
        result[i].includes.clear();
        for (const auto& [less, which] : covered)
            if (less != i && which.size() == members[less].size()) result[i].includes.push_back(less);
        if (result[i].respells != no_instruction) result[i].respells = number.at(result[i].respells);
    }
    return result;
}

}  // namespace litmus
