// Every name is written with operands of the right kinds: the data registers by the type's size, addresses in
// 64-bit registers, so that only the name is in question.
#include "forms.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>

#include "ptx/matrix.h"

namespace litmus::ptxas {
namespace {

using Words = std::vector<std::string>;

// What issue 3 lists; a section stands for its subsections.
constexpr std::array<std::string_view, 45> sections = {
    "9.7.9.12", "9.7.9.25", "9.7.13.1", "9.7.13.2", "9.7.13.3", "9.7.13.4", "9.7.13.5", "9.7.13.6", "9.7.13.7", "9.7.13.12", "9.7.13.15",
    "9.7.15.5", "9.7.15.7", "9.7.9.14", "9.7.9.26", "9.7.9.27", "9.7.16.7", "9.7.16.8", "9.7.16.9", "9.7.16.10.9", "9.7.16.11", "9.7.16.12",
    "9.7.9.13", "9.7.9.17", "9.7.13.17",
    // what kernels have besides; not cvta, whose .u32 makes the assembler refuse the whole module
    "9.7.1.4", "9.7.9.6", "9.7.9.9", "9.7.9.15", "9.7.9.16", "9.7.9.19", "9.7.9.23", "9.7.9.24", "9.7.13.9", "9.7.13.11", "9.7.13.13",
    "9.7.13.14", "9.7.14.5.14", "9.7.14.5.15", "9.7.14.5.16", "9.7.14.5.17", "9.7.14.6", "9.7.19", "9.7.9.18", "9.7.6.2"};

bool compared(const Form& form) {
    if ((form.mnemonic == "setp" || form.mnemonic == "mma") && !form.op) return false;  // of floats
    if (form.mnemonic == "mma.sp") return false;  // the assembler advises against it each time, in favour of `.sp::ordered_metadata`
    return !form.any_qualifiers && std::any_of(sections.begin(), sections.end(), [&](std::string_view section) {
        return form.section == section || form.section.rfind(std::string(section) + ".", 0) == 0;
    });
}

// ---- operands --------------------------------------------------------------------------------------

std::string register_of(Type type, size_t number) {
    const char* prefix = bits(type) == 8 ? "b" : "h";  // st.async takes no wider register, unlike st (ISA 9.4.1)
    if (bits(type) == 1) prefix = "p";
    if (bits(type) == 32) prefix = "r";
    if (bits(type) == 64) prefix = "l";
    if (bits(type) == 128) prefix = "q";
    return prefix + std::to_string(number);
}

Type type_of(const Words& words) {
    for (const std::string& word : words) {
        if (const auto type = type_named(word)) return *type;
        if (word == "e5m2" || word == "e4m3") return Type::b8;  // types that the model has not, by their sizes
        if (word == "e5m2x2" || word == "e4m3x2") return Type::b16;
    }
    return Type::u32;
}

size_t width_of(const Words& words) {
    for (const auto& [word, width] : {std::pair("v2", 2), std::pair("v4", 4), std::pair("v8", 8)})
        if (std::find(words.begin(), words.end(), word) != words.end()) return static_cast<size_t>(width);
    return 1;
}

// N of the word "m64nNkK".
size_t matrix_columns(const Words& words) {
    for (const std::string& word : words)
        if (const size_t n = word.find('n');
            word[0] == 'm' && n != std::string::npos && n + 1 < word.size() && std::isdigit(word[n + 1]) != 0)
            return std::stoul(word.substr(n + 1));
    return 8;
}

std::string value(Type type, size_t width, size_t first) {
    if (width == 1) return register_of(type, first);
    std::string text;
    for (size_t i = 0; i < width; ++i) text += (i ? ", " : "{") + register_of(type, first + i);
    return text + "}";
}

// N of the word "Nd".
size_t dimensions(const Words& words) {
    for (const std::string& word : words)
        if (word.size() == 2 && word[1] == 'd' && std::isdigit(word[0]) != 0) return static_cast<size_t>(word[0] - '0');
    return 1;
}

bool has_any(const Words& words, std::initializer_list<std::string_view> wanted) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return std::find(wanted.begin(), wanted.end(), word) != wanted.end(); });
}

bool has_four_rows(const Words& words) {
    return has_any(words, {"tile::gather4", "tile::scatter4"});
}

bool is_wide(const Words& words) {
    return has_any(words, {"im2col::w", "im2col::w::128"});
}

// At least one element, in braces.
std::string braces(const char* prefix, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += (i ? ", " : "{") + (prefix + std::to_string(i));
    return text + "}";
}

std::string operand(const Shape& shape, const Words& words, size_t index) {
    constexpr size_t most_elements = 8;
    if (shape.role == Role::tensor)
        return "[a" + std::to_string(index) + ", " + braces("r", has_four_rows(words) ? 5 : dimensions(words)) + "]";
    if (shape.role == Role::image) return braces("h", is_wide(words) ? 2 : std::max<size_t>(dimensions(words), 3) - 2);
    if (shape.role == Role::matrix) return register_of(Type::b64, index);
    if (shape.role == Role::accumulator) {
        const size_t elements = matrix_columns(words) / 2;
        const Type type = shape.type.value_or(type_of(words));
        return value(type, shape.type ? elements / 2 : elements, 0);
    }
    if (shape.role == Role::scale || shape.role == Role::transpose || shape.role == Role::exponent) return "1";
    if (shape.role == Role::tensor_memory || shape.role == Role::scales || shape.role == Role::metadata)
        return "[" + register_of(Type::b32, index) + "]";
    if (shape.role == Role::tile || shape.role == Role::fragment) {
        const std::string text = value(Type::b32, static_cast<size_t>(tile_registers(words, shape.name)), 0);
        return text[0] == '{' ? text : "{" + text + "}";
    }
    if (shape.role == Role::initial) return "0";
    if (shape.name == "taddr") return register_of(Type::b32, index);
    if (is_address(shape.role)) return "[a" + std::to_string(index) + "]";
    if (shape.only_sink) return "_";
    if (shape.role == Role::label) return "done";
    if (shape.role == Role::policy) return "policy";
    if (shape.name == "f") return "0";
    if (shape.name == "ord" || (shape.name == "new_val" && shape.constant)) return "0";
    if (shape.name == "event" || shape.name == "events") return "7";
    if (shape.name == "registers") return "64";
    if (shape.constant) return shape.name == "size" ? "128" : "16";  // of a tensormap, of any cp.async
    if (shape.type) return register_of(*shape.type, index);
    return value(type_of(words), width_of(words), index * most_elements);
}

// D has at most 128 registers from r0 on. With A in some of them the widest forms have no room without optimization.
constexpr size_t first_register_of_a = 128;

std::string instruction(const Form& form, const Words& words, bool with_optional) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    const bool hinted = std::find(words.begin(), words.end(), "L2::cache_hint") != words.end();
    std::string separator = " ";
    for (size_t i = 0; i < form.operands.size(); ++i) {
        const Shape& shape = form.operands[i];
        const bool present = shape.role == Role::policy ? hinted : !shape.optional || with_optional;
        if (!present) continue;
        const bool in_registers = shape.fragment && !with_optional;  // a matrix; what follows it there may be left out
        text += (shape.beside ? "|" : separator) + (in_registers ? value(Type::b32, 4, first_register_of_a) : operand(shape, words, i));
        separator = ", ";
    }
    return text + ";";
}

// ---- names -----------------------------------------------------------------------------------------

using Visit = std::function<void(const Words&)>;

// The plainest name of the form, and those that differ from it in one slot (with what is joined to it).
std::vector<Words> plain_names(const Form& form) {
    const auto name = [&](size_t chosen, const std::string& choice) {
        Words words;
        const bool pair = chosen + 1 < form.slots.size() && form.slots[chosen + 1].joined;
        for (size_t s = 0; s < form.slots.size(); ++s) {
            const Slot& slot = form.slots[s];
            if (s == chosen)
                words.push_back(choice);
            else if (!slot.optional || (pair && s == chosen + 1) || (s + 1 == chosen && form.slots[chosen].joined))
                words.emplace_back(slot.alternatives[0].word);
        }
        return words;
    };
    std::vector<Words> names;
    for (size_t s = 0; s < form.slots.size(); ++s)
        for (const Alternative& alternative : form.slots[s].alternatives) names.push_back(name(s, std::string(alternative.word)));
    return names;
}

// Words of one kind replace each other in a near-miss.
const std::vector<Words>& kinds() {
    static const std::vector<Words> groups = {
        {"weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"},
        {"cta", "cluster", "gpu", "sys", "gl"},
        {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"},
        {"mbarrier::complete_tx::bytes", "bulk_group"},
        {"add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "cas", "exch", "popc"},
        {"v2", "v4", "v8"},
        {"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32",
         "f64"},
        {"noftz", "ftz", "sat"},
        {"ca", "cg", "cs"},
        {"expect_tx", "noComplete", "parity", "noinc", "read"},
        {"sync_restrict::shared::cta", "sync_restrict::shared::cluster"},
        {"async", "alias", "async::generic", "tensormap::generic"},
        {"wait_group", "commit_group", "wait_all"},
        {"arrive", "arrive_drop", "test_wait", "try_wait", "init", "inval"},
        {"sync", "arrive", "red", "wait"},
        {"1d", "2d", "3d", "4d", "5d"},
        {"tile", "tile::gather4", "tile::scatter4", "im2col", "im2col_no_offs", "im2col::w", "im2col::w::128"},
        {"cta_group::1", "cta_group::2"},
        {"global_address", "rank", "global_stride", "global_dim", "box_dim", "elemtype", "swizzle_mode"},
    };
    return groups;
}

// Every word that a slot of the mnemonic's forms holds.
Words family_words(const std::string& mnemonic) {
    std::set<std::string> words;
    for (const Form& form : forms())
        if (form.mnemonic == mnemonic)
            for (const Slot& slot : form.slots)
                for (const Alternative& alternative : slot.alternatives) words.insert(std::string(alternative.word));
    return {words.begin(), words.end()};
}

// One word replaced by its kin, one left out, one added.
void each_near_miss(const Form& form, const Words& name, const Words& family, const Visit& visit) {
    for (size_t i = 1; i < name.size(); ++i) {
        Words other = name;
        for (const Words& kind : kinds()) {
            if (std::find(kind.begin(), kind.end(), name[i]) == kind.end()) continue;
            for (const std::string& word : kind)
                if (word != name[i]) other[i] = word, visit(other);
        }
        other = name;
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
        visit(other);
    }
    for (const std::string& word : family) {
        if (std::find(name.begin(), name.end(), word) != name.end()) continue;
        Words other = name;
        other.insert(other.begin() + static_cast<std::ptrdiff_t>(form.mnemonic_words.size()), word);
        visit(other);
    }
}

// Products of a warp are macros of the assembler, which fail without a word about the line where the name does not go on with `.sync`.
bool fails_in_macros(const Form& form, const Words& words) {
    const size_t next = form.mnemonic_words.size();
    return form.mnemonic_words[0] == "mma" && (next >= words.size() || words[next] != "sync");
}

std::string join(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

}  // namespace

std::vector<Case> cases() {
    std::vector<Case> found;
    std::set<std::string> seen, tried;
    const auto add = [&](const std::string& text, const Words& words, bool legal, Version least) {
        if (seen.insert(text).second) found.push_back({join(words), text, legal, least});
    };
    for (const Form& form : forms()) {
        if (!compared(form)) continue;
        const auto legal = [&](const Words& words, Version least) {
            tried.insert(join(words));
            add(instruction(form, words, false), words, true, least);
            for (const Shape& shape : form.operands)
                if (shape.optional && shape.role != Role::policy) least = latest(least, shape.least);
            add(instruction(form, words, true), words, true, least);
        };
        each_name(form, legal);
    }
    for (const Form& form : forms()) {
        if (!compared(form)) continue;
        const Words family = family_words(form.mnemonic);
        for (const Words& name : plain_names(form))
            each_near_miss(form, name, family, [&](const Words& words) {
                if (fails_in_macros(form, words) || !tried.insert(join(words)).second) return;
                const auto result = resolve(join(words));
                const Refusal* refusal = std::get_if<Refusal>(&result);
                if (refusal && !refusal->known) add(instruction(form, words, false), words, false, {});
            });
    }
    return found;
}

std::string registers(int version) {
    constexpr int first_with_128_bits = 83;
    return std::string("    .reg .pred p<10>;\n    .reg .b8 b<80>;\n    .reg .b16 h<80>;\n    .reg .b32 r<132>;\n") +
           "    .reg .b64 l<80>, a<10>, policy;\n" + (version >= first_with_128_bits ? "    .reg .b128 q<80>;\n" : "");
}

}  // namespace litmus::ptxas
