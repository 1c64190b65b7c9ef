// Pointers in memory: what a thread stores there, and what it may load (stored.h). They are the numbers of the made-up addresses
// (layout.h), in the test, too: a note says which.
#include <algorithm>

#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

constexpr size_t bytes_of_pointer = 8;

// All that a word can be; empty: that is not known.
std::vector<uint64_t> words_of(const Word& word) {
    if (word.known && !word.opaque) return {word.bits};
    std::vector<uint64_t> words;
    if (word.split())
        for (const Case& c : *word.cases) words.push_back(c.value);
    return words;
}

}  // namespace

// Where a number leads that is the address of global memory.
std::optional<Pointee> Walker::pointed_to(uint64_t word) const {
    return word >= window::global ? walks_.layout.find("global", word, seat_.block) : std::nullopt;
}

// What a statement that writes may leave in the words of its object.
void Walker::note_stored(State& state, size_t block, const Statement& statement, const std::map<size_t, Pointee>& places) {
    const auto has = [&](std::string_view word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    };
    const std::string& name = statement.words[0];
    const bool simple = name == "st" || name == "atom" || name == "red", replaces = name == "st" || has("exch") || has("cas");
    for (const auto& [i, place] : places) {
        if (walks_.layout.objects()[place.object].space != Space::global) continue;
        const auto type = type_named(statement.words.back());
        if (!simple || !type) {
            walks_.stored.spoil(place.object);
            for (const size_t object : walks_.layout.objects()[place.object].points_to) walks_.stored.spoil(object);
            continue;
        }
        const Argument& value = statement.arguments[i + (has("cas") ? 2 : 1)];
        const auto bytes = static_cast<uint64_t>(bits(*type) / 8);
        uint64_t offset = place.offset;
        for (const Argument& element : value.kind == Argument::Kind::vector ? value.elements : std::vector<Argument>{value}) {
            const std::vector<uint64_t> words =
                bytes == bytes_of_pointer && replaces ? words_of(read(state, block, element)) : std::vector<uint64_t>();
            if (words.empty())
                walks_.stored.spoil(place.object, offset, bytes);
            else
                walks_.stored.store(place.object, offset, words);
            if (words.size() == 1)
                if (const auto to = pointed_to(words.front()))
                    note(state, "the address of `" + walks_.layout.objects()[to->object].name + "`, byte " + std::to_string(to->offset) +
                                    ", is stored as the number " + std::to_string(words.front()));
            offset += bytes;
        }
    }
}

// A number that memory gives. Where pointers are stored it is one of these, 0, or what was there at the start.
void Walker::set_loaded(State& state, size_t reg, const Pointee& from, uint64_t bytes) {
    set_open(state, reg);
    const Object& object = walks_.layout.objects()[from.object];
    if (bytes != bytes_of_pointer || object.space != Space::global || from.offset + bytes_of_pointer > object.bytes.size()) return;
    const auto known = walks_.assumed.pointers.find({from.object, from.offset});
    if (known == walks_.assumed.pointers.end()) return;
    std::set<uint64_t> words = known->second;
    uint64_t first = 0;  // what was there at the start
    for (size_t byte = 0; byte < bytes_of_pointer; ++byte) first |= static_cast<uint64_t>(object.bytes[from.offset + byte]) << (8 * byte);
    words.insert({0, first});
    std::vector<Case> cases;
    for (const uint64_t word : words) cases.push_back({word, word});
    if (cases.size() <= walks_.options.most_cases) state.top().registers[reg] = split_word(name_of(state, reg), std::move(cases));
}

}  // namespace litmus::kernel
