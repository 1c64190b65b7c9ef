// Each form of the table is spelled in all ways that mean something else, its operands are filled by their roles, and what the reader of
// tests does not take is left out.
#include "analysis/compiled/operations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "event/program.h"
#include "gpu/emit/moved.h"
#include "gpu/emit/plan.h"
#include "language/syntax/read.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::compiled {

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

// Which of the spellings that differ in their type only stands for all: one that the locations have.
int rank(const Words& words) {
    int rank = 0;
    for (const std::string& word : words) {
        if (word == "v2" || word == "v4" || word == "v8") rank += 100;
        if (const auto type = type_named(word))
            rank += bits(*type) != 32 ? 10 : is_float(*type) ? 8 : is_signed(*type) ? 2 : *type == Type::u32 ? 0 : 1;
    }
    return rank;
}

// What is left of a spelling without its type, its vector and what it computes.
std::string sort_of(const Form& form, const Words& words) {
    Words left;
    for (const std::string& word : words) {
        const bool computes = std::any_of(form.slots.begin(), form.slots.end(), [&](const Slot& slot) {
            return (slot.name == "op" || slot.name == "redOp") &&
                   std::any_of(slot.alternatives.begin(), slot.alternatives.end(), [&](const Alternative& a) { return a.word == word; });
        });
        if (!computes && !type_named(word) && word != "v2" && word != "v4" && word != "v8") left.push_back(word);
    }
    return joined(left);
}

bool has_hint(const Form& form, const Words& words) {
    return std::any_of(form.slots.begin(), form.slots.end(), [&](const Slot& slot) {
        return !slot.effect && std::any_of(slot.alternatives.begin(), slot.alternatives.end(), [&](const Alternative& a) {
            return std::find(words.begin(), words.end(), a.word) != words.end() && a.word != "aligned" && a.word != "sync";
        });
    });
}

// Operations of a warpgroup, operations on tensor memory, and what has nothing to do with memory. A new kind has to be put here by hand:
// the compiler asks for it.
bool is_left_out(Op op) {
    using Kind = Traits::Kind;
    switch (kind(op)) {
        case Kind::arithmetic:
        case Kind::branch:
        case Kind::exit:
        case Kind::warp_matrix:
        case Kind::mma:
        case Kind::mma_fence:
        case Kind::mma_commit:
        case Kind::mma_wait:
        case Kind::tcgen:
        case Kind::tcgen_commit:
        case Kind::tcgen_wait:
        case Kind::tcgen_fence:
        case Kind::tcgen_life:
        case Kind::quorum:
            return true;
        case Kind::load:
        case Kind::store:
            return traits(op).proxy != Proxy::generic && op != Op::ld_nc;
        case Kind::atomic:
        case Kind::fence:
        case Kind::proxy_fence:
        case Kind::cta_barrier:
        case Kind::warp_barrier:
        case Kind::cluster_barrier:
        case Kind::warp_reduction:
        case Kind::hint:
        case Kind::from_registers:
        case Kind::bulk:
        case Kind::tensor:
        case Kind::map_write:
        case Kind::bulk_commit:
        case Kind::bulk_wait:
        case Kind::copy:
        case Kind::copy_commit:
        case Kind::copy_wait:
        case Kind::copy_arrive:
        case Kind::mbarrier_life:
        case Kind::mbarrier_count:
        case Kind::mbarrier_arrival:
        case Kind::mbarrier_wait:
        case Kind::mbarrier_query:
        case Kind::fill:
        case Kind::cancellation:
        case Kind::cancellation_query:
        case Kind::grid_trigger:
        case Kind::grid_wait:
            return false;
    }
    return false;
}

// The place for an address: the n-th space that the name has.
std::string place(const Words& words, size_t nth) {
    std::vector<std::string> places;
    for (const std::string& word : words) {
        if (word == "global") places.emplace_back("{g}");
        if (word.rfind("shared", 0) == 0) places.emplace_back("{s}");
    }
    return places.empty() ? "{g}" : places[std::min(nth, places.size() - 1)];
}

struct Filled {
    std::string text;
    Words prelude;
};

// The text of an operand; nothing where none is known. `plain`: a value is a number, otherwise a register.
std::optional<std::string> operand(const Form& form, const Shape& shape, const Words& words, bool plain, Words& prelude) {
    const bool map = form.op == Op::map_replace || form.op == Op::map_field || form.op == Op::map_copy;
    switch (shape.role) {
        case Role::result:
            return shape.only_sink ? "_" : shape.type == Type::pred ? "{p}" : "{r}";
        case Role::source:
        case Role::predicate:
            if (map) {
                prelude.emplace_back("mov.u64 {r}, image;");
                return "{r}";
            }
            if (plain) return "{v}";
            prelude.emplace_back(shape.type == Type::pred || shape.role == Role::predicate ? "setp.eq.u32 {p}, {v}, 1;"
                                                                                           : "mov.u32 {r}, {v};");
            return shape.type == Type::pred || shape.role == Role::predicate ? "{p}" : "{r}";
        case Role::compare:
            return "0";
        case Role::swap:
            return "{v}";
        case Role::address:
            return map || form.op == Op::fence_proxy ? "[tm]" : "[" + place(words, 0) + "]";
        case Role::copy_to:
            return "[" + place(words, 0) + "]";
        case Role::copy_from:
            return "[" + place(words, 1) + "]";
        case Role::mbarrier:
            return "[bar]";
        case Role::size:
        case Role::source_size:
        case Role::tx_count:
            return "16";
        case Role::count:
        case Role::cta_mask:
        case Role::member_mask:
        case Role::barrier:
            return "1";
        case Role::threads:
            return "64";
        case Role::parity:
        case Role::groups:
        case Role::initial:
            return "0";
        case Role::time_hint:
            return "100";
        case Role::tensor:
            return "[tm, {0}]";
        default:
            return std::nullopt;
    }
}

std::optional<Filled> fill(const Form& form, const Words& words, bool plain) {
    size_t needed = 0;
    for (const Shape& shape : form.operands) needed += shape.optional ? 0 : 1;
    Filled result{joined(words), {}};
    std::string list;
    for (const Shape* shape : shapes_of(form, false, needed)) {
        const std::optional<std::string> text = operand(form, *shape, words, plain, result.prelude);
        if (!text) return std::nullopt;
        list += (list.empty() ? " " : ", ") + *text;
    }
    result.text += list + ";";
    if (result.text.find("tm, ") != std::string::npos)  // copies of the map's elements
        for (size_t at = result.text.find("{s}"); at != std::string::npos; at = result.text.find("{s}")) result.text.replace(at, 3, "tile");
    return result;
}

// The instruction as a test has it; nothing where that is no test.
std::optional<Instruction> instruction_of(const Filled& what) {
    std::vector<std::string> lines;
    for (const std::string& line : what.prelude) lines.push_back(filled(line, 0, "x", "s"));
    lines.push_back(filled(what.text, 0, "x", "s"));
    try {
        const Test test = parse_tests(make_source("operation", test_text("operation", lines, {}))).at(0);
        gpu::make_plan(test, {});
        build_program(test, {});
        return test.threads[0].body.back();
    } catch (const Failure&) {
        return std::nullopt;
    }
}

// The same for two spellings that mean the same, of which one leaves something out.
std::string meaning(const Instruction& instruction, const std::vector<std::string>& prelude) {
    std::string text = instruction.mnemonic + " " + std::string(litmus::name(semantics(instruction))) + " " +
                       std::string(litmus::name(scope(instruction)));
    for (const std::string& word : instruction.qualifiers) {
        const bool said = word == litmus::name(semantics(instruction)) || word == litmus::name(scope(instruction)) || word == "tile";
        if (!said) text += "." + word;
    }
    for (const std::string& line : prelude) text += line;
    return text;
}

struct Tried {
    Operation operation;
    std::string meaning;
};

// Spelled `.shared` where the table has `.shared::cta`, which means the same (ISA 9.7.9.8).
bool is_short(Words words) {
    const auto word = std::find(words.begin(), words.end(), "shared");
    if (word == words.end()) return false;
    *word = "shared::cta";
    return std::holds_alternative<Spelling>(resolve(joined(words)));
}

std::optional<Tried> operation_of(const Form& form, const Words& words, Version least) {
    for (const bool plain : {true, false}) {
        const std::optional<Filled> what = fill(form, words, plain);
        if (!what) continue;
        const std::optional<Instruction> instruction = instruction_of(*what);
        if (!instruction) continue;
        const Traits::Kind which = kind(instruction->op);
        Operation operation{what->text, what->prelude, gpu::kind_of(*instruction), false, false, which, false, least.sm};
        const Sem sem = semantics(*instruction);
        operation.is_access = which == Traits::Kind::load || which == Traits::Kind::store || which == Traits::Kind::atomic;
        operation.grouped = which == Traits::Kind::copy || instruction->has("bulk_group");
        operation.is_plain = operation.is_access && (sem == Sem::weak || sem == Sem::relaxed);
        return Tried{operation, meaning(*instruction, what->prelude)};
    }
    return std::nullopt;
}

}  // namespace

std::vector<Operation> operations() {
    struct Best {
        int rank = 0;
        const Form* form = nullptr;
        Words words;
        Version least;
    };
    std::map<std::string, Best> best;
    std::vector<std::string> order;
    for (const Form& form : forms()) {
        if (!form.op || is_left_out(*form.op)) continue;
        each_name(form, [&](const Words& words, Version least) {
            if (has_hint(form, words) || is_short(words)) return;
            const std::string sort = sort_of(form, words);
            const auto [known, is_new] = best.emplace(sort, Best{rank(words), &form, words, least});
            if (is_new) order.push_back(sort);
            if (!is_new && rank(words) < known->second.rank) known->second = {rank(words), &form, words, least};
        });
    }
    std::vector<Operation> result;
    std::set<std::string> meanings;
    for (const std::string& sort : order) {
        const Best& one = best.at(sort);
        const std::optional<Tried> tried = operation_of(*one.form, one.words, one.least);
        if (tried && meanings.insert(tried->meaning).second) result.push_back(tried->operation);
    }
    return result;
}

std::string filled(const std::string& text, size_t number, const std::string& global, const std::string& shared) {
    const std::string own = std::to_string(number);
    const std::vector<std::pair<std::string, std::string>> values = {
        {"{r}", "r" + own}, {"{p}", "p" + own}, {"{g}", global}, {"{s}", shared}, {"{v}", std::to_string(number + 2)}};
    std::string result = text;
    for (const auto& [name, value] : values)
        for (size_t at = result.find(name); at != std::string::npos; at = result.find(name, at + value.size()))
            result.replace(at, name.size(), value);
    return result;
}

std::string test_text(const std::string& name, const std::vector<std::string>& thread, const std::vector<std::string>& partner) {
    std::string body = "thread P0 @ cta0 {\n";
    for (const std::string& line : thread) body += "  " + line + "\n";
    body += "}\n";
    if (!partner.empty()) {
        body += "thread P1 @ cta0 {\n";
        for (const std::string& line : partner) body += "  " + line + "\n";
        body += "}\n";
    }
    const bool has_map = body.find("tm") != std::string::npos;
    return "test \"" + name + "\"\n" + Places::declarations + (has_map ? Places::map : "") + body + "exists (true)\n";
}

}  // namespace litmus::compiled
