// Variables with their types, dimensions and initialisers (see variable.h).
#include "kernel/read/variable.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ptx/type.h"

namespace litmus::kernel {
namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40;
constexpr uint32_t most_align = 1U << 20;
constexpr int most_braces = 16;
constexpr uint32_t handle_bytes = 8;  // of textures, samplers and surfaces (5.3): a handle

struct SpaceName {
    std::string_view written;
    StateSpace space;
};
constexpr std::array<SpaceName, 5> spaces{{{".global", StateSpace::global},
                                           {".shared", StateSpace::shared},
                                           {".const", StateSpace::constant},
                                           {".local", StateSpace::local},
                                           {".param", StateSpace::param}}};

// What is said of a variable's elements before its name.
struct Element {
    std::string type;
    uint32_t bytes = 0;
    std::optional<uint32_t> align;
};

uint32_t read_align(Cursor& cursor) {
    const Span span = cursor.peek().span;
    const auto align = static_cast<uint32_t>(read_number(cursor, "an alignment in bytes", most_align));
    if (align == 0 || (align & (align - 1)) != 0) cursor.fail(span, "an alignment is a power of two");
    return align;
}

uint32_t lanes_named(const PtxToken& token) {
    if (token.is(".v2")) return 2;
    if (token.is(".v4")) return 4;
    return token.is(".v8") ? 8 : 0;
}

// `.attribute(.managed)`, which does not matter here.
void skip_attribute(Cursor& cursor) {
    cursor.take();
    cursor.expect("(", "after `.attribute`");
    while (!cursor.at(")") && cursor.peek().kind != PtxToken::Kind::end) cursor.take();
    cursor.expect(")", "after the attributes");
}

Element read_element(Cursor& cursor) {
    Element element;
    uint32_t lanes = 1;
    while (element.bytes == 0) {
        const PtxToken token = cursor.peek();
        if (token.is(".align")) {
            cursor.take();
            element.align = read_align(cursor);
        } else if (token.is(".attribute")) {
            skip_attribute(cursor);
        } else if (lanes_named(token) != 0) {
            lanes = lanes_named(cursor.take());
        } else {
            element.bytes = token.kind == PtxToken::Kind::dotted ? bytes_of_type(token.text.substr(1)) : 0;
            if (element.bytes == 0) cursor.fail_expected("a type");
            element.type = cursor.take().text.substr(1);
        }
    }
    if (!element.align) element.align = lanes * element.bytes;
    element.bytes *= lanes;
    return element;
}

struct ArrayDimensions {
    uint64_t bytes = 0;    // 0: without a size
    bool is_open = false;  // x[]
};

// `x`, `x[4]`, `x[2][3]`, `x[]`.
ArrayDimensions read_dimensions(Cursor& cursor, uint32_t element_bytes) {
    ArrayDimensions result{element_bytes, false};
    while (cursor.accept("[")) {
        const Span span = cursor.peek().span;
        const uint64_t count = cursor.at("]") ? 0 : read_number(cursor, "a number of elements", most_bytes);
        result.is_open |= cursor.at("]") && count == 0;
        cursor.expect("]", "after the number of elements");
        if (count != 0 && result.bytes > most_bytes / count) cursor.fail(span, "this array is larger than 1 TiB");
        result.bytes *= count;
    }
    return result;
}

// The bytes of an initialiser, one element after the other.
class Initialiser {
public:
    Initialiser(Cursor& cursor, const FindSymbol& find, Variable& variable, uint32_t element_bytes, uint64_t room)
        : cursor_(cursor), find_(find), variable_(variable), bytes_(element_bytes), room_(room) {}

    void read(int depth = 0) {
        if (depth > most_braces) cursor_.fail(cursor_.peek().span, "this initialiser nests too deeply");
        if (cursor_.peek().kind == PtxToken::Kind::string) return text();
        if (!cursor_.accept("{")) return element();
        while (!cursor_.at("}")) {
            read(depth + 1);
            if (!cursor_.accept(",")) break;
        }
        cursor_.expect("}", "after the values");
    }

private:
    void element() {
        const Constant constant = read_constant(cursor_, find_);
        if (constant.kind == Constant::Kind::address) {
            const uint32_t kept = constant.byte ? 1 : bytes_;
            variable_.relocations.push_back({variable_.init.size(), kept, constant.byte.value_or(0), constant.is_generic, constant.symbol,
                                             static_cast<int64_t>(constant.bits)});
        }
        const uint64_t bits = constant.kind == Constant::Kind::address ? 0 : bits_in(constant, variable_.type);
        for (uint32_t i = 0; i < bytes_; ++i) put(i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : uint8_t{0}, constant.span);
    }

    void text() {
        const PtxToken token = cursor_.take();
        for (const char c : token.text.substr(1, token.text.size() - 2)) put(static_cast<uint8_t>(c), token.span);
    }

    void put(uint8_t byte, Span span) {
        if (variable_.init.size() >= room_) cursor_.fail(span, "there are more values than elements");
        variable_.init.push_back(byte);
    }

    Cursor& cursor_;
    const FindSymbol& find_;
    Variable& variable_;
    uint32_t bytes_;
    uint64_t room_;
};

Variable read_variable(Cursor& cursor, StateSpace space, const Element& element, const Declare& declare, const FindSymbol& find) {
    const PtxToken name = cursor.expect(PtxToken::Kind::word, "the name of a variable");
    Variable variable;
    variable.name = declare(name);
    variable.space = space;
    variable.type = element.type;
    variable.align = *element.align;
    variable.span = name.span;
    const ArrayDimensions dimensions = read_dimensions(cursor, element.bytes);
    variable.bytes = dimensions.is_open ? 0 : dimensions.bytes;
    if (!dimensions.is_open && variable.bytes == 0) cursor.fail(name.span, "this array has no elements");
    if (cursor.accept("=")) {
        const uint32_t lane = bytes_of_type(element.type);
        Initialiser(cursor, find, variable, lane, dimensions.is_open ? most_bytes : variable.bytes).read();
        if (dimensions.is_open) variable.bytes = variable.init.size();
    }
    return variable;
}

}  // namespace

uint32_t bytes_of_type(std::string_view name) {
    if (name == "texref" || name == "samplerref" || name == "surfref") return handle_bytes;
    const auto type = type_named(name);
    return type && *type != Type::pred ? static_cast<uint32_t>(bits(*type)) / 8 : 0;
}

bool is_space(const PtxToken& token) {
    return std::any_of(spaces.begin(), spaces.end(), [&](const SpaceName& space) { return token.is(space.written); });
}

std::vector<Variable> read_variables(Cursor& cursor, const Declare& declare, const FindSymbol& find) {
    const PtxToken written = cursor.take();
    const auto space =
        std::find_if(spaces.begin(), spaces.end(), [&](const SpaceName& candidate) { return written.is(candidate.written); });
    const Element element = read_element(cursor);
    std::vector<Variable> variables;
    do variables.push_back(read_variable(cursor, space->space, element, declare, find));
    while (cursor.accept(","));
    cursor.expect(";", "after the declaration");
    return variables;
}

Parameter read_parameter(Cursor& cursor) {
    if (cursor.at(".reg"))
        cursor.fail(cursor.peek().span, "parameters in registers are not read", "compile with nvcc, which writes `.param`");
    cursor.expect(".param", "before a parameter");
    const Element element = read_element(cursor);
    if (cursor.accept(".ptr")) {
        if (is_space(cursor.peek())) cursor.take();
        if (cursor.accept(".align")) read_align(cursor);
    }
    const PtxToken name = cursor.expect(PtxToken::Kind::word, "the name of a parameter");
    Parameter parameter;
    parameter.name = name.text;
    parameter.type = element.type;
    parameter.align = *element.align;
    parameter.span = name.span;
    const ArrayDimensions dimensions = read_dimensions(cursor, element.bytes);
    constexpr uint64_t most_parameter = 1U << 20;
    if (dimensions.bytes > most_parameter) cursor.fail(name.span, "this parameter is larger than 1 MiB");
    parameter.bytes = dimensions.is_open ? 0 : static_cast<uint32_t>(dimensions.bytes);
    return parameter;
}

}  // namespace litmus::kernel
