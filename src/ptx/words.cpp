// Bipartite matching between words and slots, and what a matching must fulfil besides.
#include "ptx/words.h"

#include <algorithm>

namespace litmus {

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

const Alternative* member(const Slot& slot, std::string_view word) {
    const auto found =
        std::find_if(slot.alternatives.begin(), slot.alternatives.end(), [&](const Alternative& a) { return a.word == word; });
    return found == slot.alternatives.end() ? nullptr : &*found;
}

namespace {

// One step of bipartite matching: puts `word` somewhere, moving others along if need be.
bool place(const Form& form, const std::vector<std::string>& words, int word, Assignment& assignment, std::vector<bool>& tried) {
    for (size_t s = 0; s < form.slots.size(); ++s) {
        if (tried[s] || !member(form.slots[s], words[static_cast<size_t>(word)])) continue;
        tried[s] = true;
        if (assignment.word_of[s] == nowhere || place(form, words, assignment.word_of[s], assignment, tried)) {
            assignment.word_of[s] = word;
            assignment.slot_of[static_cast<size_t>(word)] = static_cast<int>(s);
            return true;
        }
    }
    return false;
}

// Prefers a free slot over moving a word, so that equal words keep the order they were written in.
bool place_first(const Form& form, const std::vector<std::string>& words, int word, Assignment& assignment) {
    for (size_t s = 0; s < form.slots.size(); ++s) {
        if (assignment.word_of[s] != nowhere || !member(form.slots[s], words[static_cast<size_t>(word)])) continue;
        assignment.word_of[s] = word;
        assignment.slot_of[static_cast<size_t>(word)] = static_cast<int>(s);
        return true;
    }
    std::vector<bool> tried(form.slots.size(), false);
    return place(form, words, word, assignment, tried);
}

}  // namespace

Assignment assign(const Form& form, const std::vector<std::string>& words) {
    Assignment assignment{std::vector<int>(words.size(), nowhere), std::vector<int>(form.slots.size(), nowhere)};
    for (size_t w = 0; w < words.size(); ++w) place_first(form, words, static_cast<int>(w), assignment);
    return assignment;
}

int misplaced_hint(const Form& form, const std::function<std::string_view(size_t)>& held) {
    int hint = nowhere;
    bool shared = false;
    for (size_t s = 0; s < form.slots.size(); ++s) {
        const std::string_view word = held(s);
        if (word.empty()) continue;
        if (form.slots[s].global_only) hint = static_cast<int>(s);
        shared = shared || ((form.slots[s].name == "ss" || form.slots[s].name == "space") && word.substr(0, 6) == "shared");
    }
    return shared ? hint : nowhere;
}

std::optional<Assignment> match(const Form& form, const std::vector<std::string>& words) {
    Assignment assignment{std::vector<int>(words.size(), nowhere), std::vector<int>(form.slots.size(), nowhere)};
    for (size_t w = words.size(); w-- > 1;)  // a word that no slot takes decides at once, and the types stand last
        if (std::none_of(form.slots.begin(), form.slots.end(), [&](const Slot& slot) { return member(slot, words[w]); }))
            return std::nullopt;
    for (size_t w = 0; w < words.size(); ++w)
        if (!place_first(form, words, static_cast<int>(w), assignment)) return std::nullopt;
    const auto filled = [&](size_t s) { return assignment.word_of[s] != nowhere; };
    for (size_t s = 0; s < form.slots.size(); ++s) {
        if (!form.slots[s].optional && !filled(s)) return std::nullopt;
        if (form.slots[s].joined && filled(s) != filled(s - 1)) return std::nullopt;
    }
    const auto held = [&](size_t s) { return filled(s) ? std::string_view(words[static_cast<size_t>(assignment.word_of[s])]) : ""; };
    if (misplaced_hint(form, held) != nowhere) return std::nullopt;
    return assignment;
}

}  // namespace litmus
