// The nearest legal form: each form is charged for what must be changed (replaced, dropped, added) before it accepts the
// name, and the cheapest is named. How far apart two words are is a matter of what they mean first, then of their letters.
#include "ptx/refusal.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/nearest.h"
#include "ptx/words.h"

namespace litmus {
namespace {

// The sets that each word of the table is a member of, by name.
const std::map<std::string, std::vector<std::string>, std::less<>>& sets_of_words() {
    static const auto sets = [] {
        std::map<std::string, std::vector<std::string>, std::less<>> found;
        for (const Form& form : forms())
            for (const Slot& slot : form.slots)
                for (const Alternative& alternative : slot.alternatives) {
                    std::vector<std::string>& names = found[std::string(alternative.word)];
                    if (!contains(names, slot.name)) names.emplace_back(slot.name);
                }
        return found;
    }();
    return sets;
}

bool known_word(std::string_view word) {
    return sets_of_words().count(word) != 0;
}

// Two words are kin when sets of one name hold both: .gpu and .sys, .acquire and .release, .u32 and .s64.
bool kin(std::string_view a, std::string_view b) {
    const auto of_a = sets_of_words().find(a), of_b = sets_of_words().find(b);
    if (of_a == sets_of_words().end() || of_b == sets_of_words().end()) return false;
    return std::any_of(of_a->second.begin(), of_a->second.end(), [&](const std::string& set) { return contains(of_b->second, set); });
}

// Adding is cheaper than dropping: what was written was meant.
constexpr size_t drop_cost = 8;
constexpr size_t add_cost = 3;
constexpr size_t direction_cost = drop_cost + add_cost + 1;  // a copy is turned around only where no word of the other way is left

size_t replacement_cost(std::string_view word, std::string_view by) {
    if (kin(word, by)) return type_named(word) && type_named(by) ? 1 : 2;  // rather another type than another operation
    if (word.size() >= 2 && by.substr(0, word.size()) == word) return 1;
    const size_t most_letters = 1 + word.size() / 3;
    const size_t added = std::max(word.size(), by.size()) - std::min(word.size(), by.size());  // at least so many letters are wrong
    const size_t letters = added > most_letters ? added : (edit_cost(word, by) + 1) / 2;
    return letters <= most_letters ? 1 + letters : drop_cost + add_cost;
}

// The cheapest change that makes a name one of this form's.
struct Repair {
    const Form* form = nullptr;
    size_t cost = 0;
    std::vector<std::string> words;    // the legal name, in the form's order
    std::vector<size_t> wrong;         // words replaced or dropped
    std::vector<const Slot*> missing;  // slots that had to be filled
};

std::string_view usual_member(const Slot& slot) {
    for (const char* word : {"u32", "f32", "gpu"})
        if (const Alternative* found = member(slot, word)) return found->word;
    return slot.alternatives.front().word;
}

// Of a copy, which of two state spaces stands first, as they are written: `.global.shared::cta`. Neither, where there are not two.
enum class Direction : uint8_t { none, to_global, to_shared, within_shared };

Direction direction(const std::vector<std::string>& words) {
    std::vector<bool> global;
    for (const std::string& word : words)
        if (word == "global" || word.substr(0, 6) == "shared") global.push_back(word == "global");
    if (global.size() != 2 || (global[0] && global[1])) return Direction::none;
    return global[0] ? Direction::to_global : global[1] ? Direction::to_shared : Direction::within_shared;
}

Repair repair(const Form& form, const std::vector<std::string>& words) {
    Repair result{&form, 0, {}, {}, {}};
    const Assignment assignment = assign(form, words);
    std::vector<std::string> filled(form.slots.size());
    for (size_t s = 0; s < form.slots.size(); ++s)
        if (assignment.word_of[s] != nowhere) filled[s] = words[static_cast<size_t>(assignment.word_of[s])];
    for (size_t w = 0; w < words.size(); ++w) {
        if (assignment.slot_of[w] != nowhere) continue;
        result.wrong.push_back(w);
        size_t best = drop_cost, place_at = form.slots.size(), distance = 0;
        const Alternative* choice = nullptr;
        for (size_t s = 0; s < form.slots.size(); ++s) {
            if (!filled[s].empty() || !form.slots[s].effect) continue;
            for (const Alternative& alternative : form.slots[s].alternatives) {
                const size_t cost = replacement_cost(words[w], alternative.word);
                if (cost > best) continue;
                const size_t far = edit_cost(words[w], alternative.word);
                if (cost < best || (choice && cost == best && far < distance))
                    best = cost, place_at = s, choice = &alternative, distance = far;
            }
        }
        if (choice) filled[place_at] = choice->word;
        result.cost += best;
    }
    const int hint = misplaced_hint(form, [&](size_t s) { return std::string_view(filled[s]); });
    if (hint != nowhere) {
        result.wrong.push_back(static_cast<size_t>(assignment.word_of[static_cast<size_t>(hint)]));
        result.cost += 1;  // it has no effect anyway
        filled[static_cast<size_t>(hint)].clear();
    }
    const auto needed = [&](size_t s) {
        const bool leads = s + 1 < filled.size() && form.slots[s + 1].joined && !filled[s + 1].empty();
        return !form.slots[s].optional || leads || (form.slots[s].joined && !filled[s - 1].empty());
    };
    for (size_t s = 0; s < form.slots.size(); ++s) {
        if (filled[s].empty() && needed(s)) {
            result.missing.push_back(&form.slots[s]);
            filled[s] = usual_member(form.slots[s]);
            result.cost += add_cost;
        }
        if (!filled[s].empty()) result.words.push_back(filled[s]);
    }
    const Direction written = direction(words);
    if (written != Direction::none && written != direction(result.words)) result.cost += direction_cost;
    return result;
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

// What the slots of this name may hold in the modelled forms of the mnemonic.
std::vector<std::string> members(const std::vector<const Form*>& family, std::string_view name) {
    std::vector<std::string> words;
    for (const Form* form : family)
        for (const Slot& slot : form->slots)
            for (const Alternative& alternative : slot.alternatives)
                if (form->op && slot.name == name && !contains(words, alternative.word)) words.emplace_back(alternative.word);
    return words;
}

// The forms whose mnemonic has one word more, which an unknown word of the name is nearly: `cp.async.bulk.wait_grup`.
std::vector<const Form*> longer_forms(const std::vector<std::string>& words, const Form& shorter) {
    const std::vector<std::string>& first = shorter.mnemonic_words;
    std::vector<const Form*> found;
    for (const Form& form : forms()) {
        const std::vector<std::string>& mnemonic = form.mnemonic_words;
        if (!form.op || mnemonic.size() != first.size() + 1 || !std::equal(first.begin(), first.end(), mnemonic.begin())) continue;
        const bool near = std::any_of(words.begin(), words.end(),
                                      [&](const std::string& w) { return !known_word(w) && !nearest(w, {mnemonic.back()}).empty(); });
        if (near) found.push_back(&form);
    }
    return found;
}

// Byte range of the n-th word of a dotted name.
std::pair<uint32_t, uint32_t> word_range(const std::vector<std::string>& words, size_t n) {
    size_t begin = 0;
    for (size_t i = 0; i < n; ++i) begin += words[i].size() + 1;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + words[n].size())};
}

}  // namespace

Refusal refuse_unmodelled(const std::string& name, const Form& form, size_t length) {
    return {"`" + name + "` is known PTX (ISA " + form.section + ") but not modelled yet", "", 0, static_cast<uint32_t>(length), true};
}

Refusal refuse(std::string_view dotted, const std::vector<std::string>& words, const std::vector<const Form*>& candidates) {
    Repair best;
    for (const std::vector<const Form*>& tried : {candidates, longer_forms(words, *candidates[0])})
        for (const Form* form : tried) {
            if (!form->op) continue;
            Repair next = repair(*form, words);
            if (!best.form || next.cost < best.cost) best = std::move(next);
        }
    const auto length = static_cast<uint32_t>(dotted.size());
    if (!best.form) return {"`" + std::string(dotted) + "` is not a form of `" + candidates[0]->mnemonic + "`", "", 0, length};
    Refusal refusal{"", "nearest legal form: " + join(best.words) + " (ISA " + best.form->section + ": " + best.form->box + ")", 0, length};
    if (best.wrong.empty()) {
        const Slot& slot = *best.missing[0];
        refusal.message = "`" + std::string(dotted) + "` lacks `." + std::string(slot.name) + "`";
        if (slot.alternatives.size() > 1) {
            refusal.message += ", one of";
            for (const std::string& word : members(candidates, slot.name)) refusal.message += " ." + word;
        }
        return refusal;
    }
    const size_t wrong = best.wrong[0];
    std::tie(refusal.begin, refusal.end) = word_range(words, wrong);
    const std::string shown = "`." + words[wrong] + "`";
    if (std::count(words.begin(), words.end(), words[wrong]) > 1)
        refusal.message = shown + " stands twice";
    else if (!known_word(words[wrong]))
        refusal.message = "unknown qualifier " + shown + " of `" + candidates[0]->mnemonic + "`";
    else
        refusal.message = shown + " is not allowed in `" + std::string(dotted) + "`";
    return refusal;
}

Refusal refuse_unknown(std::string_view dotted, const std::vector<std::string>& words) {
    static const std::vector<std::string> mnemonics = [] {
        std::vector<std::string> found;
        for (const Form& form : forms())
            if (!contains(found, form.mnemonic)) found.push_back(form.mnemonic);
        return found;
    }();
    std::string near;
    // "bar.snc 0": compare as many words as were written, then the first word alone
    for (size_t n = std::min<size_t>(words.size(), 3); n > 0 && near.empty(); --n)
        near = nearest(join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n)}), {mnemonics.begin(), mnemonics.end()});
    return {"unknown instruction `" + std::string(dotted) + "`", near.empty() ? "" : "the nearest is `" + near + "`", 0,
            static_cast<uint32_t>(dotted.size())};
}

}  // namespace litmus
