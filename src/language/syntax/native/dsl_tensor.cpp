// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col ask of a tensor, its box and its columns is asked here, where the numbers stand.
#include "language/syntax/native/dsl_tensor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "language/tensor.h"

namespace litmus::dsl {

namespace {

constexpr uint64_t most_tensor_maps = 64;
constexpr int most_box_elements = 256;  // in one dimension; of a pixel
constexpr int most_pixels = 1024;       // of a column

struct Extents {
    std::vector<int> sizes;
    Span span;               // of all
    std::vector<Span> each;  // of one
};

// Whether a number comes behind a comma; otherwise the comma is not taken.
bool next_number(Reader& in) {
    const Lexer::Mark mark = in.lexer.mark();
    if (!in.accept(",")) return false;
    if (in.lexer.peek().kind != DslToken::Kind::word) return true;
    in.lexer.go_back(mark);
    return false;
}

// What cuTensorMapEncodeTiled sets besides the dimensions and the box: `swizzle 128B`, `stride 64`.
void refuse_field(Reader& in) {
    const Lexer::Mark mark = in.lexer.mark();
    in.accept(",");
    const DslToken word = in.lexer.peek();
    for (const std::string_view field : {"swizzle", "stride", "element", "interleave", "fill", "oob", "l2"}) {
        if (word.kind != DslToken::Kind::word || word.text.substr(0, field.size()) != field) continue;
        in.fail(word.span, "swizzling, interleaving, strides and what fills the outside of a tensor are not modelled",
                "leave it out: no ordering depends on it");
    }
    in.lexer.go_back(mark);
}

// "dim 8, 2": numbers, until something else stands behind a comma.
Extents take_extents(Reader& in, const std::string& word) {
    refuse_field(in);
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

// A row of a box, or the channels of a pixel (ISA 5.5.3.1).
void check_row(const Reader& in, int elements, const Span& span, const std::string& what, const Location& array) {
    const int64_t row = int64_t{elements} * bits(array.type) / 8;
    if (row % tensor_unit != 0)
        in.fail(span, what + " has " + bytes(row) + ", which is no multiple of 16 (ISA 5.5.3.1)",
                "the next is " + std::to_string((row / tensor_unit + 1) * tensor_unit * 8 / bits(array.type)) + " elements of `." +
                    std::string(name(array.type)) + "`");
}

void check_box(const Reader& in, const Extents& box, const Extents& dim, const Location& array) {
    if (box.sizes.size() != dim.sizes.size())
        in.fail(box.span, "the box has as many dimensions as the tensor: " + std::to_string(dim.sizes.size()) + ", not " +
                              std::to_string(box.sizes.size()) + " (ISA 5.5.3.1)");
    for (size_t d = 0; d < box.sizes.size(); ++d)
        if (box.sizes[d] > most_box_elements)
            in.fail(box.each[d], "a box has at most 256 elements in a dimension (boxDim of cuTensorMapEncodeTiled)");
    check_row(in, box.sizes[0], box.each[0], "a row of the box", array);
}

// "lower -1, -1": a signed number for each of W, H and D (ISA 5.5.4.1).
std::vector<int> take_corner(Reader& in, const std::string& word, size_t dimensions) {
    constexpr std::array<int, 3> limits = {1 << 15, 1 << 7, 1 << 4};  // of tensors of 3, 4 and 5 dimensions
    if (!in.accept(word))
        in.fail(in.lexer.peek().span, "expected `" + word + "` and the corner of the bounding box (ISA 5.5.4.1)",
                "for example: dim 4, 8, 2, lower -1, upper -1, channels 4, pixels 8");
    const int limit = limits[dimensions - least_dimensions];
    std::vector<int> corner;
    Span span = in.lexer.peek().span;
    do {
        const Literal number = in.take_literal("a coordinate of the corner");
        const auto value = bits_of(number, Type::s32);
        if (!value || static_cast<int32_t>(*value) < -limit || static_cast<int32_t>(*value) >= limit)
            in.fail(number.span, "a coordinate of the corner is from -" + std::to_string(limit) + " to " + std::to_string(limit - 1) +
                                     " in a tensor of " + std::to_string(dimensions) + " dimensions (ISA 5.5.4.1)");
        corner.push_back(static_cast<int32_t>(*value));
        span.end = in.lexer.last_end();
    } while (next_number(in));
    if (corner.size() != dimensions - 2)
        in.fail(span,
                "a corner has a coordinate for each dimension but the channels and the images: " + std::to_string(dimensions - 2) +
                    ", not " + std::to_string(corner.size()) + " (ISA 5.5.4.1)",
                "in the order W, H, D");
    return corner;
}

struct Extent {
    int number = 0;
    Span span;
};

// "channels 4"
Extent take_extent(Reader& in, const std::string& word, const std::string& what, int most) {
    in.expect(",", " before `" + word + "`");
    if (!in.accept(word)) in.fail(in.lexer.peek().span, "expected `" + word + "` and " + what + " (ISA 5.5.4.1)");
    Extent extent{.number = 0, .span = in.lexer.peek().span};
    extent.number = static_cast<int>(in.take_count(what, static_cast<uint64_t>(most)));
    if (extent.number == 0) in.fail(extent.span, what + " are 1 or more");
    return extent;
}

// "lower -1, upper -1, channels 4, pixels 8": what cuTensorMapEncodeIm2col takes in place of a box.
void take_column(Reader& in, const Extents& dim, const Location& array, TensorMap& map) {
    if (dim.sizes.size() < least_dimensions)
        in.fail(dim.span, "a tensor that is copied as columns has three dimensions or more, not " + std::to_string(dim.sizes.size()) +
                              " (ISA 9.7.9.27.1.2)");
    map.column.emplace();
    map.column->lower = take_corner(in, "lower", dim.sizes.size());
    in.expect(",", " before the upper corner");
    const Span span = in.lexer.peek().span;
    map.column->upper = take_corner(in, "upper", dim.sizes.size());
    for (size_t d = 0; d < map.column->lower.size(); ++d)
        if (const Interval bounds = bounding_box(map, d); bounds.first > bounds.last)
            in.fail({span.begin, in.lexer.last_end()},
                    "the bounding box is empty: it is from " + std::to_string(bounds.first) + " to " + std::to_string(bounds.last) +
                        " in dimension " + "WHD"[d] + " (ISA 5.5.4.1)",
                    "the lower corner is counted from the first element, the upper one from the last");
    const Extent channels = take_extent(in, "channels", "the channels of a pixel", most_box_elements);
    check_row(in, channels.number, channels.span, "a pixel", array);
    map.box.assign(dim.sizes.size(), 1);
    map.box[0] = channels.number;
    map.column->pixels = take_extent(in, "pixels", "the pixels of a column", most_pixels).number;
}

// What follows the name: the array, the dimensions and the box.
TensorMap take_tensor(Reader& in, const DslToken& name) {
    if (in.test.tensor_maps.size() == most_tensor_maps) in.fail(name.span, "too many tensor maps", "at most 64");
    in.expect("=", " and the array that the map stands for");
    const DslToken target = in.take_name("an array's name");
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
    TensorMap map{.name = std::string(name.text), .array = array.name, .dim = dim.sizes, .box = {}, .span = name.span};
    if (in.at("lower")) {
        take_column(in, dim, array, map);
    } else {
        const Extents box = take_extents(in, "box");
        check_box(in, box, dim, array);
        map.box = box.sizes;
    }
    refuse_field(in);
    return map;
}

}  // namespace

void parse_tensor_map(Reader& in) {
    in.lexer.take();
    const DslToken name = in.take_name("the name of the tensor map");
    if (find_location(in.test, name.text) || find_tensor_map(in.test, name.text))
        in.fail(name.span, "duplicate location `" + std::string(name.text) + "`");
    in.test.tensor_maps.push_back(take_tensor(in, name));
    in.expect_semicolon("the declaration");
}

void parse_map_in_memory(Reader& in, const DslToken& name) {
    const auto constant = std::find_if(in.test.tensor_maps.begin(), in.test.tensor_maps.end(),
                                       [&](const TensorMap& m) { return !is_changeable(in.test, m); });
    in.test.tensor_maps.insert(constant, take_tensor(in, name));
}

}  // namespace litmus::dsl
