// Look-up: the form that accepts a dotted name, the names that a form accepts, and the binding of an instruction's operands.
//
// Only forms of the most specific mnemonic are tried, in the order of the rows; the first that accepts the name has it.
#include "ptx/table.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "ptx/notation.h"
#include "ptx/refusal.h"
#include "ptx/rows.h"
#include "ptx/traits.h"
#include "ptx/words.h"

namespace litmus {
namespace {

constexpr size_t max_words = 16;

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

bool begins_with(const std::vector<std::string>& words, std::string_view mnemonic) {
    size_t at = 0;
    return each_part(mnemonic, '.', [&](std::string_view word) { return at < words.size() && words[at++] == word; });
}

// The forms in the order of the rows. Each is read when it is first asked for, since a test has few of them.
class Table {
public:
    Table() : forms_(notation_.size()), read_(notation_.size()) {
        for (size_t form = 0; form < forms_.size(); ++form) {
            const std::string_view mnemonic = notation_.mnemonic(form);
            families_[mnemonic.substr(0, mnemonic.find('.'))].push_back(form);
        }
    }

    const std::vector<Form>& all() {
        for (size_t form = 0; form < forms_.size(); ++form) at(form);
        return forms_;
    }

    const Form& at(size_t form) {
        std::call_once(read_[form], [&] { forms_[form] = notation_.read(form); });
        return forms_[form];
    }

    std::string_view mnemonic(size_t form) const { return notation_.mnemonic(form); }

    // The forms whose mnemonics have this first word.
    const std::vector<size_t>& family(std::string_view word) const {
        static const std::vector<size_t> none;
        const auto found = families_.find(word);
        return found == families_.end() ? none : found->second;
    }

private:
    const Notation notation_;
    std::vector<Form> forms_;
    std::vector<std::once_flag> read_;  // of each form
    std::unordered_map<std::string_view, std::vector<size_t>> families_;
};

Table& table() {
    static Table table;
    return table;
}

// The forms of the most specific mnemonic all of whose words occur: fence.proxy before fence. Among
// equals those that the name begins with come first: mbarrier.arrive before mbarrier.expect_tx.
std::vector<size_t> forms_for(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    std::vector<size_t> found;
    std::string_view best;  // the mnemonic
    const auto length = [](std::string_view mnemonic) { return std::count(mnemonic.begin(), mnemonic.end(), '.'); };
    for (const size_t form : table().family(words[0])) {
        const std::string_view mnemonic = table().mnemonic(form);
        if (length(mnemonic) < length(best)) continue;
        if (!each_part(mnemonic, '.', [&](std::string_view word) { return contains(words, word); })) continue;
        if (length(mnemonic) > length(best)) found.clear();
        best = mnemonic;
        found.push_back(form);
    }
    std::stable_partition(found.begin(), found.end(), [&](size_t form) { return begins_with(words, table().mnemonic(form)); });
    return found;
}

// The modelled form that has this name; null where none does.
const Form* accepting(const std::vector<std::string>& words) {
    for (const size_t place : forms_for(words)) {
        const Form& form = table().at(place);
        if (form.any_qualifiers || match(form, words)) return form.op ? &form : nullptr;
    }
    return nullptr;
}

}  // namespace

Version latest(Version a, Version b) {
    return {std::max(a.ptx, b.ptx), std::max(a.sm, b.sm), a.specific || b.specific};
}

const std::vector<Form>& forms() {
    return table().all();
}

std::string_view section_of(const std::vector<std::string>& words) {
    std::string_view section, longest;
    for (const size_t form : table().family(words.front())) {
        const std::string_view mnemonic = table().mnemonic(form);
        if (mnemonic.size() <= longest.size() || !begins_with(words, mnemonic)) continue;
        longest = mnemonic;
        section = table().at(form).section;
    }
    return section;
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
    std::vector<const Form*> candidates;
    for (const size_t place : forms_for(words)) {
        const Form& form = table().at(place);
        if (form.any_qualifiers) return refuse_unmodelled(form.mnemonic, form, length);
        if (const auto assignment = match(form, words)) {
            if (!form.op) return refuse_unmodelled(std::string(dotted), form, length);
            return spell(form, words, *assignment);
        }
        candidates.push_back(&form);
    }
    return candidates.empty() ? refuse_unknown(dotted, words) : refuse(dotted, words, candidates);
}

std::string without_hints_refused(const std::string& dotted) {
    const auto is_name = [](const std::string& text) { return std::holds_alternative<Spelling>(resolve(text)); };
    std::vector<std::string> words = split(dotted, '.');
    const auto is_hint = [&](const std::string& word) {
        bool hint = false;
        for (const size_t place : forms_for(words))
            for (const Slot& slot : table().at(place).slots) {
                if (member(slot, word) == nullptr) continue;
                if (slot.effect) return false;
                hint = true;
            }
        return hint;
    };
    std::string name = dotted;
    for (size_t w = 1; w < words.size() && !is_name(name);) {
        if (!is_hint(words[w])) {
            ++w;
            continue;
        }
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(w));
        name = words.front();
        for (size_t i = 1; i < words.size(); ++i) name += "." + words[i];
    }
    return is_name(name) ? name : dotted;
}

std::vector<const Shape*> shapes_of(const Form& form, bool awaited, size_t count, bool policy) {
    const bool no_predicate = awaited && form.op && kind(*form.op) == Traits::Kind::mbarrier_wait;
    std::vector<const Shape*> shapes;
    for (const Shape& shape : form.operands) {
        const bool left_out = (shape.role == Role::policy && !policy) || (shape.role == Role::result && no_predicate);
        if (!left_out) shapes.push_back(&shape);
    }
    size_t absent = shapes.size() - std::min(shapes.size(), count);
    for (const bool last : {false, true})  // a cache policy is the last to go: its qualifier asked for it
        for (size_t s = shapes.size(); s-- > 0 && absent > 0;)
            if (shapes[s]->optional && (last || shapes[s]->role != Role::policy))
                shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(s)), --absent;
    return shapes;
}

Role role_of(const Shape& shape, const Operand& operand) {
    return shape.fragment && operand.kind == Operand::Kind::vector ? Role::fragment : shape.role;
}

void bind(Instruction& instruction) {
    const Form* form = accepting(split(spelling(instruction), '.'));
    instruction.row.form = form && form->op == instruction.op ? form : nullptr;
    if (!instruction.row.form) return;
    const std::vector<const Shape*> shapes = shapes_of(*form, instruction.await, instruction.operands.size());
    for (size_t i = 0; i < instruction.operands.size(); ++i)
        instruction.operands[i].role = i < shapes.size() ? role_of(*shapes[i], instruction.operands[i]) : Role::none;
}

const Shape* shape_of(const Instruction& instruction, const Operand& operand) {
    if (!instruction.row.form) return nullptr;
    size_t nth = 0;
    for (const Operand& other : instruction.operands) {
        if (&other == &operand) break;
        if (other.role == operand.role) ++nth;
    }
    for (const Shape& shape : instruction.row.form->operands)
        if (shape.role == operand.role && nth-- == 0) return &shape;
    return nullptr;
}

Type operand_type(const Instruction& instruction, const Operand& operand) {
    if (operand.role == Role::fragment) return Type::b32;
    if (is_wide(operand)) return Type::b64;
    if (instruction.op == Op::mov && operand.kind == Operand::Kind::vector)
        return part_type(data_type(instruction), static_cast<int>(operand.elements.size()));
    const Shape* shape = shape_of(instruction, operand);
    if (shape && shape->from_source_type) return source_type(instruction);
    return shape && shape->type ? *shape->type : data_type(instruction);
}

std::string spelling(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    for (const std::string& qualifier : instruction.qualifiers) text += "." + qualifier;
    return text;
}

Version least_version_of_name(const Instruction& instruction) {
    const Form* form = instruction.row.form;
    if (!form) return {};
    const std::vector<std::string> words = split(spelling(instruction), '.');
    const auto assignment = match(*form, words);
    return assignment ? spell(*form, words, *assignment).least : form->least;
}

Version least_version(const Instruction& instruction) {
    Version least = least_version_of_name(instruction);
    for (const Operand& operand : instruction.operands)
        if (const Shape* shape = shape_of(instruction, operand)) least = latest(least, shape->least);
    return least;
}

bool known_target(int sm) {
    return std::find(rows::known_targets.begin(), rows::known_targets.end(), sm) != rows::known_targets.end();
}

}  // namespace litmus
