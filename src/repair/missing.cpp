// Places in words.
#include "repair/missing.h"

namespace litmus {

namespace {

// The line of a place; at the end of a thread that of its last instruction.
int line_of(const Test& test, Place place) {
    if (place.thread < 0) return position(*test.source, test.locations.at(static_cast<size_t>(place.instruction)).span.begin).line;
    const Thread& thread = test.threads.at(static_cast<size_t>(place.thread));
    if (thread.body.empty()) return position(*test.source, thread.span.begin).line;
    const size_t i = std::min(static_cast<size_t>(place.instruction), thread.body.size() - 1);
    return position(*test.source, thread.body[i].spelled.begin).line;
}

std::string owner(const Test& test, Place place) {
    return place.thread < 0 ? test.locations.at(static_cast<size_t>(place.instruction)).name
                            : test.threads.at(static_cast<size_t>(place.thread)).name;
}

// "P0 line 10"; of what is put in, "P0 before line 10" or "at the end of P0".
std::string shown(const Test& test, Place place, bool put_in) {
    const bool at_end =
        place.thread >= 0 && place.instruction == static_cast<int>(test.threads[static_cast<size_t>(place.thread)].body.size());
    if (at_end) return "at the end of " + owner(test, place);
    return owner(test, place) + (put_in ? " before line " : " line ") + std::to_string(line_of(test, place));
}

}  // namespace

Missing missing_of(const Test& test, const Edit& edit) {
    Missing result{edit.fault, edit.place, owner(test, edit.place), line_of(test, edit.place), {}};
    std::string places = shown(test, edit.place, edit.inserts);
    for (size_t i = 1; i < edit.places.size(); ++i)
        places += (i + 1 < edit.places.size() ? ", " : " and ") + shown(test, edit.places[i], edit.inserts);
    result.sentence = places + ": " + edit.what;
    return result;
}

std::vector<Missing> missing(const Test& test, const Repairs& repairs) {
    std::vector<Missing> result;
    if (repairs.repairs.empty()) return result;
    for (const size_t e : repairs.repairs.front().edits) result.push_back(missing_of(test, repairs.edits[e]));
    return result;
}

}  // namespace litmus
