// Forms that have one box and differ only in what their slots hold (rows.h calls them cases) make one entry: the slots
// that all of them share are listed once, the others side by side. Defaults are asked of the accessors that the
// rest of the pipeline uses, so that the page cannot disagree with it.
#include "ptx/page.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {
namespace {

// ---- text --------------------------------------------------------------------------------------------

std::string version_text(int ptx) {
    return std::to_string(ptx / 10) + "." + std::to_string(ptx % 10);
}

std::string needs(Version least) {
    return "PTX " + version_text(least.ptx) + ", sm_" + std::to_string(least.sm) + (least.specific ? "a" : "");
}

bool same(Version a, Version b) {
    return a.ptx == b.ptx && a.sm == b.sm && a.specific == b.specific;
}

std::string words_of(const Slot& slot, Version form) {
    std::string text;
    for (const Alternative& alternative : slot.alternatives) {
        text += (text.empty() ? "`." : " `.") + std::string(alternative.word) + "`";
        const Version least = latest(form, alternative.least);
        if (!same(least, form)) text += " (" + needs(least) + ")";
    }
    return text;
}

// The whole box, hints included.
std::string full_box(const Form& form) {
    std::string text;
    for (size_t s = 0; s < form.slots.size(); ++s) {
        const Slot& slot = form.slots[s];
        const std::string word = (s == 0 ? "" : ".") + std::string(slot.name);
        if (slot.joined) text.pop_back();
        text += slot.joined ? word + "}" : slot.optional ? "{" + word + "}" : word;
    }
    std::string separator = " ";
    for (const Shape& shape : form.operands) {
        std::string operand = (shape.negatable ? "{!}" : "") + shape.name + (shape.sink ? "|_" : "");
        text += shape.optional ? "{" + separator + operand + "}" : separator + operand;
        separator = ", ";
    }
    return text;
}

std::string describe(const Shape& shape) {
    const std::string type = shape.from_source_type ? "the source type"
                             : shape.type           ? "`." + std::string(name(*shape.type)) + "`"
                                                    : std::string("the instruction's type");
    if (shape.role == Role::mbarrier) return "the address of an mbarrier object";
    if (shape.role == Role::tensor_memory || shape.role == Role::scales || shape.role == Role::metadata)
        return "the address of tensor memory";
    if (shape.role == Role::tile) return "registers in braces, written, " + type;
    if (shape.role == Role::fragment) return "registers in braces, " + type;
    if (shape.role == Role::matrix)
        return std::string("the address of an array that holds the matrix, in place of its descriptor") +
               (shape.fragment ? ", or registers in braces" : "");
    if (shape.role == Role::tensor)
        return "a tensor map and coordinates in it, each a `.s32`: one for each dimension, or of four rows the column and the rows";
    if (shape.role == Role::image) return "numbers in braces, " + type + ", which are added to the coordinates W, H and D";
    if (is_address(shape.role)) return "an address";
    if (shape.role == Role::accumulator) return "registers in braces, read and written, " + type;
    if (shape.role == Role::label) return "a label";
    if (shape.role == Role::policy) return "a cache policy, without effect";
    if (shape.only_sink) return "no result";
    if (shape.role == Role::result) return "written, " + type;
    return shape.constant ? "a number" : "read, " + type;
}

// ---- entries -----------------------------------------------------------------------------------------

// Forms that are cases of one row.
using Entry = std::vector<const Form*>;

std::vector<Entry> entries_of(Op op) {
    std::vector<Entry> entries;
    std::string last;
    for (const Form& form : forms()) {
        if (form.op != op) continue;
        const std::string box = form.section + full_box(form) + needs(form.least);
        if (box != last) entries.emplace_back();
        entries.back().push_back(&form);
        last = box;
    }
    return entries;
}

bool same_words(const Slot& a, const Slot& b) {
    return std::equal(a.alternatives.begin(), a.alternatives.end(), b.alternatives.begin(), b.alternatives.end(),
                      [](const Alternative& x, const Alternative& y) { return x.word == y.word && same(x.least, y.least); });
}

// A form's plainest instruction: what an accessor says of it is the default.
Instruction plainest(const Form& form) {
    Instruction instruction;
    instruction.op = *form.op;
    instruction.mnemonic = form.mnemonic;
    for (const Slot& slot : form.slots)
        if (!slot.optional && !slot.in_mnemonic) instruction.qualifiers.emplace_back(slot.alternatives[0].word);
    return instruction;
}

// What is meant when the slot is left out.
std::string left_out(const Form& form, const Slot& slot) {
    if (!slot.optional) return "";
    const Instruction instruction = plainest(form);
    const bool only_one = slot.name == "weak" || slot.name.rfind("mbarrier::", 0) == 0;
    const std::string word(slot.name == "sem"     ? name(semantics(instruction))
                           : slot.name == "scope" ? name(scope(instruction))
                           : only_one             ? std::string_view(slot.name)
                                                  : std::string_view());
    if (!word.empty()) return "; left out: `." + word + "`";
    const bool space = slot.name == "ss" || slot.name == "space" || slot.name == "global" || slot.name.rfind("shared", 0) == 0;
    return space ? "; left out: a generic address" : "";
}

// One line for each slot that has a choice or may be left out.
std::string slot_lines(const Entry& entry) {
    const Form& first = *entry[0];
    std::string text;
    std::vector<size_t> different;
    for (size_t s = 0; s < first.slots.size(); ++s) {
        const Slot& slot = first.slots[s];
        if (std::any_of(entry.begin(), entry.end(), [&](const Form* form) { return !same_words(form->slots[s], slot); }))
            different.push_back(s);
        else if (slot.optional || slot.alternatives.size() > 1 || slot.alternatives[0].word != slot.name)
            text += "* " + (slot.alternatives[0].word == slot.name ? "" : "`." + std::string(slot.name) + "`: ") +
                    words_of(slot, first.least) + (slot.effect ? "" : ", without effect") + left_out(first, slot) + "\n";
    }
    if (different.empty()) return text;
    text += "*";
    for (const size_t s : different) text += (s == different[0] ? " `." : ", `.") + std::string(first.slots[s].name) + "`";
    text += " together:\n";
    for (const Form* form : entry) {
        text += "  *";
        for (const size_t s : different) text += (s == different[0] ? " " : " with ") + words_of(form->slots[s], form->least);
        text += "\n";
    }
    return text;
}

std::string operand_line(const Form& form) {
    std::string text;
    for (const Shape& shape : form.operands) {
        text += (text.empty() ? "* operands: `" : "; `") + shape.name + "` " + describe(shape);
        if (shape.sink) text += " or `_`";
        if (shape.symbol) text += " or a location's address";
        if (shape.optional) text += ", may be left out";
        if (shape.optional && !same(shape.least, Version{})) text += " (" + needs(shape.least) + ")";
    }
    return text.empty() ? "" : text + "\n";
}

std::string entry_text(const Entry& entry) {
    const Form& form = *entry[0];
    return "```\n" + full_box(form) + "\n```\n" + needs(form.least) + "; ISA " + form.section + "\n\n" + slot_lines(entry) +
           operand_line(form) + "\n";
}

// The mnemonics of the entries.
std::string title(const std::vector<Entry>& entries) {
    std::string text, last;
    for (const Entry& entry : entries) {
        if (entry[0]->mnemonic != last) text += (text.empty() ? "" : ", ") + entry[0]->mnemonic;
        last = entry[0]->mnemonic;
    }
    return text;
}

// What stands below one heading: all entries of an operation, or those of each mnemonic that is an Operator.
std::vector<std::vector<Entry>> headed(Op op) {
    std::vector<std::vector<Entry>> found;
    for (Entry& entry : entries_of(op)) {
        if (found.empty() || (op == Op::binary && found.back()[0][0]->mnemonic != entry[0]->mnemonic)) found.emplace_back();
        found.back().push_back(std::move(entry));
    }
    return found;
}

std::string op_text(Op op, bool titled) {
    const std::string_view events = traits(op).events;
    std::string text;
    for (const std::vector<Entry>& entries : headed(op)) {
        if (titled) text += "### " + title(entries) + "\n\n";
        if (!events.empty()) text += "*Events.* " + std::string(events) + "\n\n";
        for (const Entry& entry : entries) text += entry_text(entry);
    }
    return text;
}

using Family = Traits::Family;

std::string_view title(Family family) {
    switch (family) {
        case Family::red:
            return "red";
        case Family::red_async:
            return "red.async";
        case Family::bulk_reduction:
            return "cp.reduce.async.bulk";
        case Family::st_async:
            return "st.async";
        case Family::redux:
            return "redux.sync";
        case Family::atom:
            return "atom";
        case Family::ld:
            return "ld";
        case Family::st:
            return "st";
        case Family::bulk_copies:
            return "cp.async.bulk and its groups";
        case Family::copies:
            return "cp.async, its groups and its arrival";
        case Family::mbarrier:
            return "mbarrier";
        case Family::fences:
            return "fence and membar";
        case Family::proxy_fences:
            return "fence.proxy and membar.proxy";
        case Family::barriers:
            return "Barriers";
        case Family::wgmma:
            return "wgmma";
        case Family::multimem:
            return "multimem";
        case Family::tensor:
            return "Tensor copies";
        case Family::tcgen:
            return "tcgen05";
        case Family::proxy_accesses:
            return "Reads past the coherent caches; surface, texture and constant accesses of the mixed-proxy literature";
        case Family::warp_exchange:
            return "Votes, shuffles and elections of a warp";
        case Family::warp_matrices:
            return "Matrices of a warp";
        case Family::addresses:
            return "Addresses";
        case Family::grids:
            return "Grids that depend on others";
        case Family::hints:
            return "Hints";
        case Family::computation:
            return "Values and control";
    }
    return "";
}

// The operations that the table has, by family.
std::map<Family, std::set<Op>> ops_by_family() {
    std::map<Family, std::set<Op>> found;
    for (const Form& form : forms())
        if (form.op) found[traits(*form.op).family].insert(*form.op);
    return found;
}

constexpr std::string_view introduction = R"(# Instructions

Generated from the instruction table (`src/ptx/rows.h`); `LITMUS_PROMOTE=1` and `test_ptx` write it anew.

A box names the qualifiers in the ISA's order; in a test they may stand in any. What stands in braces may be left out,
and `{.sem.scope}` is written whole or not at all. A qualifier that names a set stands for one of its members. "Without
effect" is what a test may say and the checker leaves out. An instruction needs the PTX version and target of its form
and of every word in it. Sections are those of PTX ISA 9.1. Instructions without an *Events* line have no event: they
compute, and carry dependencies from what they read to what they write.

)";

// "9.7.13.5" before "9.7.13.12".
std::vector<int> numbers(const std::string& section) {
    std::vector<int> found;
    std::istringstream parts(section);
    for (std::string part; std::getline(parts, part, '.');) found.push_back(std::stoi(part));
    return found;
}

// Mnemonics and dotted forms that are known and not modelled, by section.
std::string known_only() {
    const auto before = [](const std::string& a, const std::string& b) { return numbers(a) < numbers(b); };
    std::map<std::string, std::vector<std::string>, decltype(before)> found(before);
    for (const Form& form : forms()) {
        if (form.op) continue;
        std::vector<std::string>& names = found[form.section];
        const std::string shown = form.any_qualifiers ? form.mnemonic : form.box.substr(0, form.box.find(' '));
        if (std::find(names.begin(), names.end(), shown) == names.end()) names.push_back(shown);
    }
    std::string text = "## Known, and not modelled\n\nThe checker names these and refuses them.\n\n| ISA | |\n|---|---|\n";
    for (const auto& [section, names] : found) {
        text += "| " + section + " |";
        for (const std::string& shown : names) text += " `" + shown + "`";
        text += " |\n";
    }
    return text;
}

}  // namespace

std::string form_text(const Form& form) {
    const std::string_view events = form.op ? traits(*form.op).events : std::string_view();
    return (events.empty() ? "" : "*Events.* " + std::string(events) + "\n\n") + entry_text({&form});
}

std::string instruction_page(std::string_view appendix) {
    std::string text(introduction);
    for (const auto& [family, ops] : ops_by_family()) {
        text += "## " + std::string(title(family)) + "\n\n";
        for (const Op op : ops) text += op_text(op, ops.size() > 1);
    }
    text += known_only();
    if (!appendix.empty()) text += "\n" + std::string(appendix);
    return text;
}

}  // namespace litmus
