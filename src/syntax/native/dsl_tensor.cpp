// What cuTensorMapEncodeTiled asks of a tensor and its box is asked here, where the numbers stand.
#include "syntax/native/dsl_tensor.h"

#include <algorithm>

#include "test/tensor.h"

namespace litmus::dsl {

namespace {

constexpr uint64_t most_tensor_maps = 64;
constexpr int most_box_elements = 256;  // in one dimension

struct Extents {
    std::vector<int> sizes;
    Span span;               // of all
    std::vector<Span> each;  // of one
};

// Whether a number comes behind a comma; otherwise the comma is not taken.
bool next_number(Reader& in) {
    const Lexer::Mark mark = in.lexer.mark();
    if (!in.accept(",")) return false;
    if (in.lexer.peek().kind != Token::Kind::word) return true;
    in.lexer.go_back(mark);
    return false;
}

// "dim 8, 2": numbers, until something else stands behind a comma.
Extents take_extents(Reader& in, const std::string& word) {
    if (!in.accept(word))
        in.fail(in.lexer.peek().span, "expected `" + word + "` and a number for each dimension", "innermost first: dim 8, 2, box 4, 2");
    Extents extents;
    extents.span = in.lexer.peek().span;
    do {
        if (extents.sizes.size() == most_dimensions)
            in.fail(in.lexer.peek().span, "a tensor has at most five dimensions (ISA 9.7.9.27.1.2)");
        const Span span = in.lexer.peek().span;
        extents.sizes.push_back(static_cast<int>(in.take_count("the elements in a dimension, innermost first", max_elements)));
        extents.each.push_back(span);
        if (extents.sizes.back() == 0) in.fail(span, "a dimension has at least one element");
        extents.span.end = in.lexer.last_end();
    } while (next_number(in));
    return extents;
}

std::string bytes(int64_t n) {
    return std::to_string(n) + " bytes";
}

// The distances of rows, planes and so on (ISA 5.5.3.1; globalStrides of cuTensorMapEncodeTiled).
void check_dimensions(const Reader& in, const Extents& dim, const Location& array) {
    int64_t elements = 1;
    for (size_t d = 0; d < dim.sizes.size(); ++d) {
        elements *= dim.sizes[d];
        const int64_t distance = elements * bits(array.type) / 8;
        if (d + 1 < dim.sizes.size() && distance % tensor_unit != 0)
            in.fail(dim.each[d], "the rows of this tensor are " + bytes(distance) + " apart, which is no multiple of 16 (ISA 5.5.3.1)",
                    "a row begins at a multiple of 16 bytes: the innermost dimension has a multiple of " +
                        std::to_string(tensor_unit * 8 / bits(array.type)) + " elements");
    }
    if (elements > array.count)
        in.fail(dim.span,
                "the tensor has " + std::to_string(elements) + " elements, and `" + array.name + "` has " + std::to_string(array.count),
                "the product of the dimensions is at most the size of the array");
}

void check_box(const Reader& in, const Extents& box, const Extents& dim, const Location& array) {
    if (box.sizes.size() != dim.sizes.size())
        in.fail(box.span, "the box has as many dimensions as the tensor: " + std::to_string(dim.sizes.size()) + ", not " +
                              std::to_string(box.sizes.size()) + " (ISA 5.5.3.1)");
    for (size_t d = 0; d < box.sizes.size(); ++d)
        if (box.sizes[d] > most_box_elements)
            in.fail(box.each[d], "a box has at most 256 elements in a dimension (boxDim of cuTensorMapEncodeTiled)");
    const int64_t row = int64_t{box.sizes[0]} * bits(array.type) / 8;
    if (row % tensor_unit != 0)
        in.fail(box.each[0], "a row of the box has " + bytes(row) + ", which is no multiple of 16 (ISA 5.5.3.1)",
                "the next is " + std::to_string((row / tensor_unit + 1) * tensor_unit * 8 / bits(array.type)) + " elements of `." +
                    std::string(name(array.type)) + "`");
}

// What follows the name: the array, the dimensions and the box.
TensorMap take_tensor(Reader& in, const Token& name) {
    if (in.test.tensor_maps.size() == most_tensor_maps) in.fail(name.span, "too many tensor maps", "at most 64");
    in.expect("=", " and the array that the map stands for");
    const Token target = in.take_name("an array's name");
    const Location& array = in.declared(target);
    if (array.space != Space::global || !array.array || !array.points_to.empty() || array.proxy != Proxy::generic)
        in.fail(target.span, "a tensor is an array in global memory (ISA 9.7.9.27.1.2)", "declare one: .global .u32 g[16] = 0;");
    if (lanes(array.type) > 1)
        in.fail(target.span, "the elements of a tensor are scalars (ISA 5.5.1)",
                "declare `" + array.name + "` as `." + std::string(litmus::name(lane_type(array.type))) + "`");
    in.expect(",", " before the dimensions");
    const Extents dim = take_extents(in, "dim");
    check_dimensions(in, dim, array);
    in.expect(",", " before the box");
    const Extents box = take_extents(in, "box");
    check_box(in, box, dim, array);
    return {std::string(name.text), array.name, dim.sizes, box.sizes, name.span};
}

}  // namespace

void parse_tensor_map(Reader& in) {
    in.lexer.take();
    const Token name = in.take_name("the name of the tensor map");
    if (find_location(in.test, name.text) || find_tensor_map(in.test, name.text))
        in.fail(name.span, "duplicate location `" + std::string(name.text) + "`");
    in.test.tensor_maps.push_back(take_tensor(in, name));
    in.expect_semicolon("the declaration");
}

void parse_map_in_memory(Reader& in, const Token& name) {
    const auto constant = std::find_if(in.test.tensor_maps.begin(), in.test.tensor_maps.end(),
                                       [&](const TensorMap& m) { return !is_changeable(in.test, m); });
    in.test.tensor_maps.insert(constant, take_tensor(in, name));
}

}  // namespace litmus::dsl
