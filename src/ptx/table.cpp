// The reader of the table's notation (rows.h), and the look-up.
//
// Look-up: a form accepts a name when its words can be assigned to the form's slots, one each, and
// no slot that must be filled is left empty. Order does not matter, but a word prefers earlier
// slots, so cvt's two types keep theirs. For a name that no form accepts, each form is charged for what must be
// changed (replaced, dropped, added), and the cheapest is the nearest legal form.
#include "ptx/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/nearest.h"
#include "ptx/rows.h"

namespace litmus {
namespace {

using namespace rows;

constexpr size_t max_words = 16;

// ---- reading the notation ------------------------------------------------------------------------

using Sets = std::map<std::string_view, std::vector<Alternative>, std::less<>>;

// A cursor over the text of a row. The rows are ours, so a mistake in one is a bug.
struct Cursor {
    std::string_view text;
    size_t at = 0;

    bool done() const { return at >= text.size(); }
    char peek() const { return done() ? '\0' : text[at]; }
    void skip_space() {
        while (!done() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    }
    bool accept(char c) {
        skip_space();
        if (peek() != c) return false;
        ++at;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) throw std::logic_error("instruction table: expected '" + std::string(1, c) + "' in: " + std::string(text));
    }
    // letters, digits, '_' and "::"
    std::string_view word() {
        const size_t begin = at;
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' || peek() == ':') ++at;
        if (at == begin) throw std::logic_error("instruction table: expected a word in: " + std::string(text));
        return text.substr(begin, at - begin);
    }
    int number() {
        int value = 0;
        while (std::isdigit(static_cast<unsigned char>(peek()))) value = 10 * value + (text[at++] - '0');
        return value;
    }
};

// "@7.8/90", "@8.6/100a", or nothing.
Version read_version(Cursor& in) {
    if (in.peek() != '@') return {};
    ++in.at;
    Version version;
    version.ptx = 10 * in.number();
    in.expect('.');
    version.ptx += in.number();
    in.expect('/');
    version.sm = in.number();
    version.specific = in.peek() == 'a';
    if (version.specific) ++in.at;
    return version;
}

// ".name = { .a, .b@7.8/90 };" repeated
void read_sets(Cursor& in, Sets& sets) {
    while (in.accept('.')) {
        const std::string_view name = in.word();
        in.expect('=');
        in.expect('{');
        std::vector<Alternative> members;
        do {
            in.expect('.');
            const std::string_view word = in.word();
            members.push_back({word, read_version(in)});
        } while (in.accept(','));
        in.expect('}');
        in.accept(';');
        sets[name] = std::move(members);
    }
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The sets of a row: its own, then those of all.
struct KnownSets {
    const Sets& common;
    Sets own = {};

    const std::vector<Alternative>* find(std::string_view name) const {
        for (const Sets* sets : {&own, &common})
            if (const auto set = sets->find(name); set != sets->end()) return &set->second;
        return nullptr;
    }
};

Slot read_slot(Cursor& in, const KnownSets& sets, const std::vector<std::string>& mnemonic, bool optional, bool joined) {
    Slot slot;
    slot.name = in.word();
    slot.optional = optional;
    slot.joined = joined;
    const std::vector<Alternative>* set = sets.find(slot.name);
    slot.alternatives = set != nullptr ? *set : std::vector<Alternative>{{slot.name, {}}};
    slot.in_mnemonic = set == nullptr && !optional && contains(mnemonic, slot.name);
    slot.global_only = std::find(global_hints.begin(), global_hints.end(), slot.name) != global_hints.end();
    slot.effect = std::find(without_effect.begin(), without_effect.end(), slot.name) == without_effect.end() || !optional;
    return slot;
}

Shape read_shape(Cursor& in, bool optional) {
    Shape shape;
    shape.optional = optional;
    if (in.accept('{')) {
        in.expect('!');
        in.expect('}');
        shape.negatable = true;
    }
    if (in.accept('[')) {
        shape.name = "[" + std::string(in.word()) + "]";
        in.expect(']');
        shape.role = shape.name == "[mbar]" ? Shape::Role::mbarrier : Shape::Role::address;
        return shape;
    }
    if (in.accept('_')) {
        shape.name = "_";
        shape.role = Shape::Role::sink;
        return shape;
    }
    while (std::isalpha(static_cast<unsigned char>(in.peek())) || in.peek() == '-') shape.name += in.text[in.at++];
    if (shape.name == "d") shape.role = Shape::Role::destination;
    if (shape.name == "p") shape.role = Shape::Role::destination, shape.type = Type::pred;
    if (shape.name == "tgt") shape.role = Shape::Role::label;
    if (shape.name == "cache-policy") shape.role = Shape::Role::policy;
    if (in.accept('|')) (in.accept('_') ? shape.sink : shape.symbol) = true;
    if (shape.symbol) in.word();
    if (in.accept(':')) {
        const std::string_view type = in.word();
        shape.from_source_type = type == "atype";
        shape.constant = type == "constant";
        shape.type = shape.constant ? Type::u32 : type_named(type);
    }
    shape.least = read_version(in);
    return shape;
}

void read_operands(Cursor& in, std::vector<Shape>& operands) {
    in.skip_space();
    while (!in.done() && in.peek() != ';') {
        // "{, b}" is optional, "{!}c" a negatable operand
        const bool optional = in.peek() == '{' && in.text.substr(in.at, 2) == "{,";
        if (optional)
            in.at += 2;
        else
            in.accept(',');
        in.skip_space();
        operands.push_back(read_shape(in, optional));
        if (optional) in.expect('}');
        in.skip_space();
    }
}

// The box as messages show it: without hints and our annotations.
std::string shown_box(const Form& form) {
    std::string text;
    for (const Slot& slot : form.slots) {
        if (!slot.effect) continue;
        const std::string word = (text.empty() ? "" : ".") + std::string(slot.name);
        if (slot.joined) text.pop_back();
        text += slot.joined ? word + "}" : slot.optional ? "{" + word + "}" : word;
    }
    std::string separator = " ";
    for (const Shape& shape : form.operands) {
        if (shape.role == Shape::Role::policy) continue;
        const std::string operand = (shape.negatable ? "{!}" : "") + shape.name;
        text += shape.optional ? "{" + separator + operand + "}" : separator + operand;
        separator = ", ";
    }
    return text;
}

Form read_row(const Row& row, std::string_view variant, const Sets& common) {
    KnownSets sets{common};
    const size_t own = row.box.find(';');
    const std::string_view box = row.box.substr(0, own);
    if (own != std::string_view::npos) {
        Cursor in{row.box.substr(own + 1)};
        read_sets(in, sets.own);
    }
    Cursor extra{variant};
    read_sets(extra, sets.own);

    const std::vector<std::string> mnemonic = split(row.mnemonic, '.');
    Form form{row.op, std::string(row.mnemonic), mnemonic, std::string(row.section), row.least, "", false, {}, {}};
    Cursor in{box};
    Slot first;
    first.name = in.word();
    first.alternatives = {{first.name, {}}};
    first.in_mnemonic = true;
    form.slots.push_back(std::move(first));
    while (in.peek() == '.' || in.text.substr(in.at, 2) == "{.") {
        const bool optional = in.peek() == '{';
        in.at += optional ? 2 : 1;
        form.slots.push_back(read_slot(in, sets, mnemonic, optional, false));
        while (optional && in.accept('.')) form.slots.push_back(read_slot(in, sets, mnemonic, true, true));
        if (optional) in.expect('}');
    }
    read_operands(in, form.operands);
    form.box = shown_box(form);
    return form;
}

std::vector<Form> read_table() {
    Sets sets;
    Cursor common{common_sets};
    read_sets(common, sets);
    std::vector<Form> table;
    for (const std::vector<Row>& rows :
         {load_store_rows(), atomic_rows(), asynchronous_rows(), mbarrier_rows(), proxy_rows(), synchronization_rows(), arithmetic_rows()})
        for (const Row& row : rows)
            for (const std::string_view variant : row.cases) table.push_back(read_row(row, variant, sets));
    for (const NameRow& row : not_modelled)
        for (const std::string& mnemonic : split(row.mnemonics, ' '))
            table.push_back({later, mnemonic, split(mnemonic, '.'), std::string(row.section), {}, mnemonic, true, {}, {}});
    return table;
}

// ---- look-up ---------------------------------------------------------------------------------------

const Alternative* member(const Slot& slot, std::string_view word) {
    const auto found =
        std::find_if(slot.alternatives.begin(), slot.alternatives.end(), [&](const Alternative& a) { return a.word == word; });
    return found == slot.alternatives.end() ? nullptr : &*found;
}

constexpr int nowhere = -1;

// Which slot each word goes to, and which word each slot holds.
struct Assignment {
    std::vector<int> slot_of;
    std::vector<int> word_of;
};

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

// Places as many words as it can.
Assignment assign(const Form& form, const std::vector<std::string>& words) {
    Assignment assignment{std::vector<int>(words.size(), nowhere), std::vector<int>(form.slots.size(), nowhere)};
    for (size_t w = 0; w < words.size(); ++w) place_first(form, words, static_cast<int>(w), assignment);
    return assignment;
}

// The slot of a hint that stands beside a shared state space, to which it does not apply; `in` tells what a slot holds.
template <typename In>
int misplaced_hint(const Form& form, In in) {
    int hint = nowhere;
    bool shared = false;
    for (size_t s = 0; s < form.slots.size(); ++s) {
        const std::string_view word = in(s);
        if (word.empty()) continue;
        if (form.slots[s].global_only) hint = static_cast<int>(s);
        shared = shared || ((form.slots[s].name == "ss" || form.slots[s].name == "space") && word.substr(0, 6) == "shared");
    }
    return shared ? hint : nowhere;
}

// The assignment by which the form accepts the words, if there is one.
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

Spelling spell(const Form& form, const std::vector<std::string>& words, const Assignment& assignment) {
    Spelling result{&form, {}, form.least};
    for (size_t s = 0; s < form.slots.size(); ++s) {
        if (assignment.word_of[s] == nowhere) continue;
        const std::string& word = words[static_cast<size_t>(assignment.word_of[s])];
        result.least = latest(result.least, member(form.slots[s], word)->least);
        if (form.slots[s].effect && !form.slots[s].in_mnemonic) result.qualifiers.push_back(word);
    }
    return result;
}

bool begins_with(const std::vector<std::string>& words, const std::vector<std::string>& first) {
    return words.size() >= first.size() && std::equal(first.begin(), first.end(), words.begin());
}

// The forms by the first word of their mnemonic.
const std::map<std::string, std::vector<const Form*>, std::less<>>& families() {
    static const auto index = [] {
        std::map<std::string, std::vector<const Form*>, std::less<>> found;
        for (const Form& form : forms()) found[form.mnemonic_words[0]].push_back(&form);
        return found;
    }();
    return index;
}

// The forms of the most specific mnemonic all of whose words occur: fence.proxy before fence. Among
// equals those that the name begins with come first: mbarrier.arrive before mbarrier.expect_tx.
std::vector<const Form*> forms_for(const std::vector<std::string>& words) {
    const auto family = families().find(words[0]);
    if (family == families().end()) return {};
    std::vector<const Form*> found;
    size_t most = 0;
    for (const Form* form : family->second) {
        const std::vector<std::string>& mnemonic = form->mnemonic_words;
        if (mnemonic.size() < most) continue;
        if (!std::all_of(mnemonic.begin(), mnemonic.end(), [&](const std::string& w) { return contains(words, w); })) continue;
        if (mnemonic.size() > most) found.clear();
        most = mnemonic.size();
        found.push_back(form);
    }
    std::stable_partition(found.begin(), found.end(), [&](const Form* form) { return begins_with(words, form->mnemonic_words); });
    return found;
}

// ---- what to say about a name that no form accepts -------------------------------------------------

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

size_t replacement_cost(std::string_view word, std::string_view by) {
    if (kin(word, by)) return type_named(word) && type_named(by) ? 1 : 2;  // rather another type than another operation
    if (word.size() >= 2 && by.substr(0, word.size()) == word) return 1;
    const size_t letters = (edit_cost(word, by) + 1) / 2;
    return letters <= 1 + word.size() / 3 ? 1 + letters : drop_cost + add_cost;
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

// Byte range of the n-th word of a dotted name.
std::pair<uint32_t, uint32_t> word_range(const std::vector<std::string>& words, size_t n) {
    size_t begin = 0;
    for (size_t i = 0; i < n; ++i) begin += words[i].size() + 1;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + words[n].size())};
}

Refusal refuse_unmodelled(const std::string& name, const Form& form, size_t length) {
    return {"`" + name + "` is known PTX (ISA " + form.section + ") but not modelled yet", "", 0, static_cast<uint32_t>(length), true};
}

Refusal refuse(std::string_view dotted, const std::vector<std::string>& words, const std::vector<const Form*>& candidates) {
    Repair best;
    for (const Form* form : candidates) {
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
        refusal.message = "unknown qualifier " + shown + " of `" + best.form->mnemonic + "`";
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

}  // namespace

Version latest(Version a, Version b) {
    return {std::max(a.ptx, b.ptx), std::max(a.sm, b.sm), a.specific || b.specific};
}

const std::vector<Form>& forms() {
    static const std::vector<Form> table = read_table();
    return table;
}

namespace {

using NameVisit = std::function<void(const std::vector<std::string>&, Version)>;

// Fills the slots from `held.size()` on in every way.
void each_name_from(const Form& form, std::vector<std::string>& held, Version least, const NameVisit& visit) {
    const size_t s = held.size();
    if (s == form.slots.size()) {
        if (misplaced_hint(form, [&](size_t i) { return std::string_view(held[i]); }) != nowhere) return;
        std::vector<std::string> words;
        for (const std::string& word : held)
            if (!word.empty()) words.push_back(word);
        return visit(words, least);
    }
    const Slot& slot = form.slots[s];
    const bool follows = slot.joined && !held.back().empty();
    const auto with = [&](std::string_view word, Version needs) {
        held.emplace_back(word);
        each_name_from(form, held, latest(least, needs), visit);
        held.pop_back();
    };
    if (slot.optional && !follows) with("", {});
    if (slot.joined && !follows) return;
    for (const Alternative& alternative : slot.alternatives) with(alternative.word, alternative.least);
}

}  // namespace

void each_name(const Form& form, const NameVisit& visit) {
    std::vector<std::string> held;
    each_name_from(form, held, form.least, visit);
}

std::variant<Spelling, Refusal> resolve(std::string_view dotted) {
    const std::vector<std::string> words = split(dotted, '.');
    const auto length = static_cast<uint32_t>(dotted.size());
    if (words.empty()) return Refusal{"expected an instruction", "", 0, length};
    if (words.size() > max_words) return Refusal{"too many qualifiers", "no instruction has more than 15", 0, length};
    const std::vector<const Form*> candidates = forms_for(words);
    if (candidates.empty()) return refuse_unknown(dotted, words);
    for (const Form* form : candidates) {
        if (form->any_qualifiers) return refuse_unmodelled(form->mnemonic, *form, length);
        const auto assignment = match(*form, words);
        if (!assignment) continue;
        if (!form->op) return refuse_unmodelled(std::string(dotted), *form, length);
        return spell(*form, words, *assignment);
    }
    return refuse(dotted, words, candidates);
}

const Form* form_of(const Instruction& instruction) {
    const auto found = resolve(spelling(instruction));
    const Spelling* spelled = std::get_if<Spelling>(&found);
    return spelled ? spelled->form : nullptr;
}

const Shape* shape_of(const Form& form, const Instruction& instruction, size_t operand) {
    const bool no_predicate = instruction.await && (instruction.op == Op::mbarrier_test_wait || instruction.op == Op::mbarrier_try_wait);
    std::vector<const Shape*> shapes;
    for (const Shape& shape : form.operands)
        if (shape.role != Shape::Role::policy && !(no_predicate && shape.role == Shape::Role::destination)) shapes.push_back(&shape);
    size_t absent = shapes.size() - std::min(shapes.size(), instruction.operands.size());
    for (size_t s = shapes.size(); s-- > 0 && absent > 0;)  // of several optional operands the last ones are left out first
        if (shapes[s]->optional) shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(s)), --absent;
    return operand < shapes.size() ? shapes[operand] : nullptr;
}

std::string spelling(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    for (const std::string& qualifier : instruction.qualifiers) text += "." + qualifier;
    return text;
}

Version least_version(const Instruction& instruction) {
    const auto found = resolve(spelling(instruction));
    const Spelling* spelled = std::get_if<Spelling>(&found);
    if (!spelled) return {};
    Version least = spelled->least;
    for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (const Shape* shape = shape_of(*spelled->form, instruction, i)) least = latest(least, shape->least);
    return least;
}

bool known_target(int sm) {
    return std::find(known_targets.begin(), known_targets.end(), sm) != known_targets.end();
}

}  // namespace litmus
