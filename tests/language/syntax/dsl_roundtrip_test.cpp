// parse(print(t)) is t: over the library, and over a snippet for every form of the instruction table.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "base/source.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "language/tensor.h"
#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"
#include "turn.h"

using namespace litmus;

namespace {

void check_round_trip(const Test& test, const std::string& what) {
    const std::string text = print(test);
    const Test again = parse_dsl(make_source("printed", text));
    CHECK_MESSAGE(test == again, what, "\n", text);
    CHECK_MESSAGE(print(again) == text, what);
}

// Where the operands of an instruction lie: `own` and `own_bar` in cta0, which executes it, `far` and `far_bar` in cta1.
struct Places {
    std::string first, second;  // of the first and the second address
    std::string bar;
    std::string box = {};      // of a tensor
    std::string offsets = {};  // to its coordinates
};

// ", 1" for each of so many dimensions but the first.
std::string more_dimensions(int count, const std::string& text) {
    std::string all;
    for (int d = 1; d < count; ++d) all += text;
    return all;
}

Places places(const Instruction& instruction) {
    const bool mbarrier = instruction.has("mbarrier::complete_tx::bytes");
    if (is_multimem(instruction.op)) return {"all", "own", ""};
    switch (instruction.op) {
        case Op::red_async:
        case Op::st_async:
            return instruction.has("release") ? Places{"gl", "", ""} : Places{"far", "", "far_bar"};
        case Op::bulk_reduce:
            return mbarrier ? Places{"far", "own", "far_bar"} : Places{"gl", "own", ""};
        case Op::bulk_copy:
            if (!mbarrier) return {"gl", "own", ""};
            return instruction.has("global") ? Places{"own", "gl", "own_bar"} : Places{"far", "own", "far_bar"};
        case Op::async_copy:
            return {"own", "gl", ""};
        case Op::st_bulk:
        case Op::tcgen_alloc:
        case Op::ldmatrix:
        case Op::stmatrix:
            return {"own", "", ""};
        case Op::discard:
            return {"long", "", ""};
        case Op::map_replace:
        case Op::map_field:
            return {instruction.has("shared::cta") ? "prepared" : "changed", "", ""};
        case Op::map_copy:
            return {"changed", "prepared", ""};
        case Op::fence_proxy:
            return {"changed", "", ""};
        case Op::tensor_copy:
        case Op::tensor_reduce:
        case Op::try_cancel:
            return {"own", "", "own_bar"};
        default:
            break;
    }
    for (const std::string& qualifier : instruction.qualifiers)
        if (qualifier.rfind("shared", 0) == 0) return {"own", "", "own_bar"};
    return {"gl", "", "own_bar"};
}

// The text that stands for an operand of this type: registers are written before the instruction.
std::string operand_for(const Shape& shape, Type type, int width, std::string& address, const Places& at) {
    const bool writes = is_written(shape.role);
    if (shape.role == Role::mbarrier) return "[" + at.bar + "]";
    if (shape.role == Role::matrix) return "[own]";
    if (shape.role == Role::tensor) return at.box;
    if (shape.role == Role::image) return at.offsets;
    if (shape.role == Role::scale || shape.role == Role::transpose || shape.role == Role::exponent) return "1";
    if (shape.role == Role::tensor_memory || shape.role == Role::scales || shape.role == Role::metadata) return "[part]";
    if (shape.role == Role::ordinal) return "0";
    if (shape.role == Role::column_mask) return "r0";
    if (shape.name == "taddr") return "part";
    if (shape.role == Role::initial) return "0";
    if (shape.role == Role::columns) return "32";
    if (shape.role == Role::response) return "h";
    if (shape.role == Role::descriptor) return "0x08020000";
    if (shape.role == Role::size && (at.first == "long" || at.first == "changed")) return "128";
    if (width == 1 && (shape.role == Role::tile || shape.role == Role::fragment)) return writes ? "{d0}" : "{r0}";
    if (is_address(shape.role)) return "[" + std::exchange(address, at.second) + "]";
    if (shape.only_sink) return "_";
    if (shape.role == Role::label) return "END";
    if (shape.role == Role::policy) return "pol";
    if (type == Type::b128) return writes ? "word" : "given";
    if (type == Type::pred) return writes ? "q" : shape.negatable ? "!p" : "p";
    if (shape.role == Role::barrier || shape.role == Role::cta_mask || shape.role == Role::parity) return "1";
    if (shape.name == "event") return "7";
    if (shape.role == Role::threads || (shape.role == Role::source && shape.type == Type::u32)) return "64";
    if (shape.role == Role::size || shape.constant) return "16";
    if (width == 1) return writes ? (type == Type::b64 ? "w0" : "d0") : lanes(type) > 1 ? "0x3c003c00" : is_float(type) ? "1.5" : "r0";
    std::string text;
    for (int i = 0; i < width; ++i) text += (i == 0 ? "{" : ", ") + std::string(writes ? "d" : "r") + std::to_string(writes ? i : 0);
    return text + "}";
}

// An instruction of an unknown binding is bound as the parser bound it.
void check_binding(const Test& test) {
    for (const Instruction& parsed : test.threads.at(0).body) {
        Instruction again = parsed;
        again.row.form = nullptr;
        for (Operand& operand : again.operands) operand.role = Role::none;
        bind(again);
        CHECK_MESSAGE(again == parsed, print(parsed));
        CHECK(again.row.form != nullptr);
    }
}

// What the maps of `snippet` are declared with.
std::string field_value(const Instruction& instruction) {
    const std::string& field = instruction.qualifiers.at(1);
    if (field == "box_dim") return "2";
    if (field == "global_dim" || field == "elemtype") return "4";
    if (field == "global_stride") return "32";
    return field == "rank" || field == "element_stride" ? "1" : "0";
}

// A test that holds the one instruction `name`, with locations of its type; waits awaited or not.
std::string snippet(const Form& form, const std::string& name, bool with_optional, bool await) {
    Instruction instruction;
    const Spelling spelled = std::get<Spelling>(resolve(name));
    instruction.op = *form.op;
    instruction.mnemonic = form.mnemonic;
    instruction.qualifiers = spelled.qualifiers;
    const Type type = data_type(instruction);
    const int width = vector_width(instruction);
    Places at = places(instruction);
    const int dimensions = litmus::dimensions(instruction);
    at.box = "[map, {0" + more_dimensions(static_cast<int>(coordinate_count(instruction)), ", r0") + "}]";
    at.offsets = "{r0" + more_dimensions(static_cast<int>(offset_count(instruction)), ", r0") + "}";
    const std::string element = type == Type::pred ? "u32" : form.op == Op::try_cancel ? "u64" : std::string(litmus::name(type));
    std::string operands, address = at.first;
    const auto widths = [&](const Shape& shape) {
        if (shape.role == Role::accumulator) return fragment_registers(instruction, shape.role);
        std::vector<std::string> words = instruction.qualifiers;
        words.push_back(instruction.mnemonic);
        if (shape.role == Role::tile || shape.role == Role::fragment) return tile_registers(words, shape.name);
        return shape.type ? 1 : width;
    };
    const bool in_registers = !with_optional && std::any_of(form.operands.begin(), form.operands.end(), [](const Shape& s) {
        return s.role == Role::transpose && s.optional;
    });  // a matrix that has no operand for its transposition
    for (const Shape& shape : form.operands) {
        if (shape.optional && !with_optional) continue;
        if (shape.fragment && in_registers) {
            operands += ", {r0, r0, r0, r0}";
            continue;
        }
        if (shape.role == Role::policy && name.find(".L2::cache_hint") == std::string::npos) continue;
        if (shape.role == Role::result && await) continue;
        if (form.op == Op::map_field && shape.role == Role::source) {
            operands += ", " + field_value(instruction);
            continue;
        }
        const Type own = shape.from_source_type ? source_type(instruction) : shape.type.value_or(type);
        operands += (operands.empty() ? " " : shape.beside ? "|" : ", ") + operand_for(shape, own, widths(shape), address, at);
    }
    const Proxy used = proxy(instruction);
    const bool foreign =
        used != Proxy::generic && used != Proxy::async && used != Proxy::tensor && form.op != Op::fence_proxy && form.op != Op::ld_nc;
    const std::string type_of = " ." + element + " ";
    std::string text = "test \"one\"\n";
    text += foreign ? ".global" + type_of + "x[8];\n.global" + type_of + "gl[8] alias " + std::string(litmus::name(used)) + " x;\n"
                    : ".global" + type_of + "gl[8];\n";
    if (is_multimem(*form.op)) text += ".multimem all = gl;\n";
    if (dimensions > 0) {
        const std::string corner = " 0" + more_dimensions(dimensions - 2, ", 0");
        text += ".tensormap map = gl, dim 4" + more_dimensions(dimensions, ", 1") +
                (tensor_mode(instruction) == TensorMode::column ? ", lower" + corner + ", upper" + corner + ", channels 4, pixels 1;\n"
                                                                : ", box 4" + more_dimensions(dimensions, ", 1") + ";\n");
    }
    text += ".global .u64 long[16];\n.tmem part;\n";
    text += ".global .tensormap changed = long, dim 4, 2, box 2, 1;\n.shared.cta0 .tensormap prepared = long, dim 4, 2, box 2, 1;\n";
    text += ".shared.cta0" + type_of + "own[16];\n.shared.cta1" + type_of + "far[8];\n";
    text += ".shared.cta0 .mbarrier own_bar;\n.shared.cta1 .mbarrier far_bar;\n";
    text += ".shared.cta0 .u64 answer[2];\n";
    text +=
        "thread P0 @ cta0 {\n  mov.u64 r0, 1;\n  setp.eq.u32 p, 1, 1;\n  mov.b128 given, {r0, r0};\n  ld.shared::cta.b128 h, [answer];\n  ";
    return text + (await ? "await " : "") + name + operands + ";\nEND:\n}\n";
}

template <typename Visit>
void each_name(const Form& form, Visit visit, size_t slot = 0, const std::string& text = {}) {
    if (slot == form.slots.size()) return visit(text);
    if (form.slots[slot].optional) {
        size_t next = slot + 1;
        while (next < form.slots.size() && form.slots[next].joined) ++next;  // left out together
        each_name(form, visit, next, text);
    }
    for (const Alternative& alternative : form.slots[slot].alternatives)
        each_name(form, visit, slot + 1, text + (text.empty() ? "" : ".") + std::string(alternative.word));
}

}  // namespace

TEST_CASE("an array of words of 128 bits that are alike is no list of halves") {
    for (const std::string declaration : {".global .b128 x[1] = {{2, 3}};", ".global .b128 x[2] = {{2, 3}, {2, 3}};",
                                          ".global .b128 x[2] = 5;", ".global .b128 x = {2, 3};", ".global .b128 x[2] = {{2, 3}, 5};"}) {
        INFO(declaration);
        const Test test = parse_tests(make_source("a.litmus", "test \"a\"\n" + declaration + "\nthread P0 @ cta0 {\n}\n")).front();
        CHECK(print(test).find(declaration) != std::string::npos);
        CHECK(parse_tests(make_source("b.litmus", print(test))).front() == test);
    }
}

TEST_CASE("every form of the table parses, prints and parses again") {
    const Turn turn = turn_in_brief();
    size_t tried = 0, number = 0;
    for (const Form& form : forms()) {
        if (!form.op || !turn.has(number++)) continue;
        size_t count = 0;
        each_name(form, [&](const std::string& name) {
            const size_t nth = count++;
            if (nth > 60 && nth % 97 != 0) return;                       // hints multiply the names without adding forms
            if (std::holds_alternative<Refusal>(resolve(name))) return;  // slots that exclude each other: a prefetch of shared memory
            const bool wait = form.op == Op::mbarrier_test_wait || form.op == Op::mbarrier_try_wait;
            for (const auto& [with_optional, await] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
                if (await && !wait) continue;
                const std::string text = snippet(form, name, with_optional, await);
                try {
                    const Test parsed = parse_dsl(make_source(name, text));
                    check_round_trip(parsed, text);
                    check_binding(parsed);
                    ++tried;
                } catch (const Failure& failure) {
                    FAIL_CHECK(std::string(failure.what()));
                }
            }
        });
    }
    CHECK(tried > (turn.whole() ? 3000 : 0));
}

TEST_CASE("the library survives printing") {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LITMUS_SOURCE_DIR "/litmus"))
        if (entry.path().extension() == ".litmus") files.insert(entry.path().string());
    const Turn turn = turn_in_brief();
    size_t number = 0;
    for (const std::string& file : files) {
        if (!turn.has(number++)) continue;
        try {
            check_round_trip(parse_dsl(read_source(file)), file);
        } catch (const Failure& failure) {
            FAIL_CHECK(std::string(failure.what()));
        }
    }
    CHECK(files.size() >= 100);
}

TEST_CASE("negations as deep as the parser reads them are read back") {
    const std::string head = "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (";
    for (const char* innermost : {"true", "x == 1", "(x == 1)", "(x == 1 /\\ x == 2)"}) {
        for (const size_t depth : {1U, 50U, 98U}) {
            const std::string what = std::string(depth, '~') + innermost;
            check_round_trip(parse_dsl(make_source("t", head + what + ")")), what);
        }
    }
    CHECK_THROWS_AS(parse_dsl(make_source("t", head + std::string(200, '~') + "true)")), Failure);
    CHECK_THROWS_AS(parse_dsl(make_source("t", head + std::string(200, '(') + "true" + std::string(200, ')') + ")")), Failure);
}
