// The reader of the table's notation. A row's text is read once, from left to right: the box's slots, its operands, and
// behind them the row's own sets, which come before the common ones.
#include "ptx/notation.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <utility>

#include "ptx/helper_rows.h"
#include "ptx/matrix_rows.h"
#include "ptx/multimem_rows.h"
#include "ptx/rows.h"
#include "ptx/tcgen05_rows.h"
#include "ptx/tensor_rows.h"
#include "ptx/words.h"

namespace litmus {
namespace {

using namespace rows;

using Sets = Notation::Sets;

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
    // letters, digits and '-', and '_' behind them
    std::string_view operand_name() {
        const size_t begin = at;
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || (peek() == '_' && at > begin)) ++at;
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

Role role_named(std::string_view name, const Cursor& in) {
    const auto* found = std::find_if(operand_roles.begin(), operand_roles.end(), [&](const OperandRole& r) { return r.name == name; });
    if (found == operand_roles.end())
        throw std::logic_error("instruction table: no role for `" + std::string(name) + "` in: " + std::string(in.text));
    return found->role;
}

// "|p" behind a result.
bool second_result(const Cursor& in) {
    const std::string_view rest = in.text.substr(in.at);
    return rest.substr(0, 2) == "|p" && (rest.size() == 2 || !std::isalnum(static_cast<unsigned char>(rest[2])));
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
        shape.name = "[" + std::string(in.word());
        if (in.accept(',')) {
            in.skip_space();
            shape.name += ", " + std::string(in.word());
            shape.type = Type::s32;  // of the coordinates
        }
        shape.name += "]";
        in.expect(']');
        shape.role = role_named(shape.name, in);
        shape.fragment = in.accept('|');
        if (shape.fragment) in.word();
        return shape;
    }
    shape.only_sink = in.accept('_');
    if (shape.only_sink) shape.name = "_";
    if (!shape.only_sink) shape.name = in.operand_name();
    shape.role = role_named(in.accept('=') ? in.operand_name() : std::string_view(shape.name), in);
    if (shape.name == "p") shape.type = Type::pred;
    if (in.peek() == '|' && !second_result(in)) {
        in.expect('|');
        (in.accept('_') ? shape.sink : shape.symbol) = true;
        if (shape.symbol) in.word();
    }
    if (in.accept(':')) {
        const std::string_view type = in.word();
        shape.from_source_type = type == "atype";
        shape.constant = type == "constant" || type == "sign";
        shape.type = type == "constant" ? Type::u32 : type == "sign" ? Type::s32 : type_named(type);
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
        const bool second_optional = in.text.substr(in.at, 2) == "{|";
        if (second_optional) ++in.at;
        if (second_result(in)) {
            in.expect('|');
            operands.push_back(read_shape(in, second_optional));
            operands.back().beside = true;
            if (second_optional) in.expect('}');
        }
        in.skip_space();
    }
}

// The box as messages show it: without hints and our annotations.
std::string shown_box(const Form& form) {
    std::string text;
    for (const Slot& slot : form.slots) {
        if (!slot.effect) continue;
        if (slot.joined)
            text.pop_back();
        else if (slot.optional)
            text += '{';
        if (!text.empty()) text += '.';
        text += slot.name;
        if (slot.optional) text += '}';
    }
    std::string separator = " ";
    for (const Shape& shape : form.operands) {
        if (shape.role == Role::policy) continue;
        if (shape.beside) separator = "|";
        const std::string operand = (shape.negatable ? "{!}" : "") + shape.name;
        text += shape.optional ? "{" + separator + operand + "}" : separator + operand;
        separator = ", ";
    }
    return text;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> found;
    each_part(text, separator, [&](std::string_view part) {
        found.emplace_back(part);
        return true;
    });
    return found;
}

Notation::Notation() {
    for (const std::string_view text : {common_sets, matrix_sets, tensor_sets, tcgen05_sets}) {
        Cursor common{text};
        read_sets(common, common_);
    }
    for (const std::span<const Row> rows :
         {load_store_rows(), atomic_rows(), asynchronous_rows(), mbarrier_rows(), proxy_rows(), synchronization_rows(), arithmetic_rows(),
          warp_matrix_rows(), wgmma_rows(), multimem_rows(), multimem_float_rows(), multimem_byte_rows(), tensor_rows(), tensor_row_rows(),
          tensor_column_rows(), map_field_rows(), helper_rows(), tcgen05_rows()})
        for (const Row& row : rows)
            for (const std::string_view variant : row.cases)
                texts_.push_back({row.op, row.section, row.least, row.mnemonic, row.box, variant});
    for (const NameRow& row : not_modelled)
        each_part(row.mnemonics, ' ', [&](std::string_view mnemonic) {
            texts_.push_back({later, row.section, {}, mnemonic, {}, {}});
            return true;
        });
}

Form Notation::read(size_t form) const {
    const Text& text = texts_[form];
    if (!text.box.empty()) return read_box(text);
    return {text.op,
            std::string(text.mnemonic),
            split(text.mnemonic, '.'),
            std::string(text.section),
            text.least,
            std::string(text.mnemonic),
            true,
            {},
            {}};
}

Form Notation::read_box(const Text& text) const {
    KnownSets sets{common_};
    const size_t own = text.box.find(';');
    if (own != std::string_view::npos) {
        Cursor in{text.box.substr(own + 1)};
        read_sets(in, sets.own);
    }
    Cursor extra{text.variant};
    read_sets(extra, sets.own);

    const std::vector<std::string> mnemonic = split(text.mnemonic, '.');
    Form form{text.op, std::string(text.mnemonic), mnemonic, std::string(text.section), text.least, "", false, {}, {}};
    Cursor in{text.box.substr(0, own)};
    Slot first;
    first.name = in.word();
    first.alternatives = {{first.name, {}}};
    first.in_mnemonic = true;
    form.slots.reserve(static_cast<size_t>(std::count(text.box.begin(), text.box.end(), '.')) + 1);
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

}  // namespace litmus
