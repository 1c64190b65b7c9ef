// Parts of a kernel's test: what stands once in the source stands in every thread that executes it.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "repair/weaken.h"

namespace litmus {

namespace {

const Instruction& at(const Test& test, Place place) {
    return test.threads[static_cast<size_t>(place.thread)].body[static_cast<size_t>(place.instruction)];
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
    edit.places.push_back(more.place);
}

void join(Part& part, const Part& more) {
    std::vector<Edit> ways;
    for (Edit& way : part.ways) {
        const auto same = std::find_if(more.ways.begin(), more.ways.end(), [&](const Edit& other) { return other.what == way.what; });
        if (same == more.ways.end()) continue;
        add(way, *same);
        ways.push_back(std::move(way));
    }
    part.ways = std::move(ways);
}

}  // namespace

std::vector<Part> joined_by_line(const Test& test, std::vector<Part> parts) {
    using Key = std::tuple<int, int, std::string, Fault>;
    std::map<Key, size_t> known;
    std::vector<Part> result;
    for (Part& part : parts) {
        const Instruction& instruction = at(test, part.place);
        std::string name = instruction.mnemonic;
        for (const std::string& qualifier : instruction.qualifiers) name += "." + qualifier;
        const Key key{instruction.origin.file, instruction.origin.line, name, part.ways.front().fault};
        const auto [place, is_new] = known.emplace(key, result.size());
        if (instruction.origin.line == 0 || is_new)
            result.push_back(std::move(part));
        else
            join(result[place->second], part);
    }
    result.erase(std::remove_if(result.begin(), result.end(), [](const Part& part) { return part.ways.empty(); }), result.end());
    return result;
}

}  // namespace litmus
