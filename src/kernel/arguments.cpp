// Arguments of a kernel (see arguments.h).
#include "kernel/arguments.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "kernel/dimensions.h"
#include "kernel/plain_name.h"
#include "kernel/read/constant.h"
#include "kernel/read/lexer.h"
#include "kernel/source_name.h"
#include "kernel/suggest.h"
#include "kernel/tensor_shape.h"
#include "ptx/value.h"

namespace litmus::kernel {
namespace {

constexpr uint64_t most_array_bytes = uint64_t{64} << 20;  // of all arrays together
constexpr uint32_t pointer_bytes = 8, map_bytes = 128;

std::string count_of(size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

constexpr const char* signs = "=[({:@";  // the first of them in an argument is the "=" behind its name, if it has one

std::string name_in(const std::string& text) {
    const size_t end = text.find_first_of(signs);
    return end != std::string::npos && text[end] == '=' ? text.substr(0, end) : std::string();
}

// The bits of a constant in a type; nothing where it does not fit.
std::optional<uint64_t> bits_of(const Constant& constant, Type type) {
    const int width = bits(type);
    if (is_float(type)) {
        if (lanes(type) > 1) return constant.kind == Constant::Kind::integer ? std::optional(truncate(constant.bits, width)) : std::nullopt;
        switch (constant.kind) {
            case Constant::Kind::integer:
                return float_bits(type, static_cast<double>(static_cast<int64_t>(constant.bits)));
            case Constant::Kind::single:
                return type == Type::f32 ? constant.bits : float_bits(type, float_value(Type::f32, constant.bits));
            case Constant::Kind::real:
                return float_bits(type, float_value(Type::f64, constant.bits));
            case Constant::Kind::address:
                return std::nullopt;
        }
    }
    if (constant.kind != Constant::Kind::integer) return std::nullopt;
    const bool fits =
        width >= 64 || constant.bits >> width == 0 || sign_extend(constant.bits, width) == static_cast<int64_t>(constant.bits);
    return fits ? std::optional(truncate(constant.bits, width)) : std::nullopt;
}

void append(std::vector<uint8_t>& bytes, uint64_t value, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) bytes.push_back(i < 8 ? static_cast<uint8_t>(value >> (8 * i)) : uint8_t{0});
}

// The arguments of one launch, in order.
class Arguments {
public:
    Arguments(const Function& entry, const std::vector<std::string>& texts, const ReadBytes& read, Launch& launch, std::string suffix,
              const Budget& budget)
        : entry_(entry), texts_(texts), read_(read), launch_(launch), suffix_(std::move(suffix)), budget_(budget) {}

    void fill() {
        require_count();
        const std::vector<size_t> places = parameter_of_each();
        launch_.arguments.resize(entry_.parameters.size());
        // arrays first, since a list of pointers may name one that comes later
        for (size_t i = 0; i < texts_.size(); ++i) declare(i, places[i]);
        for (size_t i = 0; i < texts_.size(); ++i)
            if (!declared_.count(i)) launch_.arguments[places[i]] = value(i, entry_.parameters[places[i]]);
    }

private:
    // As people do: nvcc knows no names, and its `_Z1kPi_param_0` is `p0`, as in the line to begin with (suggest.h).
    std::string called(const Parameter& parameter) const {
        const std::string number = std::to_string(&parameter - entry_.parameters.data());
        return parameter.name == entry_.name + "_param_" + number ? "p" + number : parameter.name;
    }
    // "in (8 bytes), n (4 bytes)"
    template <class Name>
    std::string parameters_text(const Name& name) const {
        std::string text;
        for (const Parameter& parameter : entry_.parameters)
            text += (text.empty() ? "" : ", ") + name(parameter) + " (" + count_of(parameter.bytes, "byte") + ")";
        return text;
    }

    void require_count() const {
        const size_t wanted = entry_.parameters.size(), given = texts_.size();
        if (wanted == given) return;
        throw Failure(nullptr, {},
                      "`" + source_name(entry_.name) + "` has " + count_of(wanted, "parameter") + ", and " + count_of(given, "argument") +
                          (given == 1 ? " is" : " are") + " given",
                      wanted == 0 ? "leave out --arg" : "one --arg for each of " + parameters_text([&](const Parameter& one) {
                                                            return called(one);
                                                        }) + "; as in --arg in=s32[256]:iota --arg n=3");
    }

    SourcePtr source(size_t i) const { return make_source("--arg", texts_[i]); }

    // Which parameter each argument is for: by name where names are the parameters' own, else in order.
    std::vector<size_t> parameter_of_each() const {
        std::vector<size_t> places(texts_.size());
        std::optional<size_t> by_name, in_order;
        std::vector<bool> taken(places.size());
        std::map<std::string_view, size_t> parameters;  // by name
        for (size_t p = 0; p < entry_.parameters.size(); ++p) parameters.emplace(entry_.parameters[p].name, p);
        for (size_t i = 0; i < texts_.size(); ++i) {
            const std::string name = name_in(texts_[i]);
            const auto at = parameters.find(name);
            const bool named = at != parameters.end();
            (named ? by_name : in_order) = i;
            places[i] = named ? at->second : i;
            if (named && taken[places[i]])
                throw Failure(source(i), {0, static_cast<uint32_t>(name.size())}, "this parameter is given twice");
            taken[places[i]] = taken[places[i]] || named;
        }
        if (by_name && in_order)
            throw Failure(source(*in_order), {0, static_cast<uint32_t>(name_in(texts_[*in_order]).size())},
                          "other arguments are given by the names of parameters, and this is none of them",
                          "name each argument after its parameter, or none: then they count in order. The parameters: " +
                              parameters_text([](const Parameter& one) { return one.name; }));
        return places;
    }

    // Walks through what stands behind the name.
    Cursor after_name(size_t i) const {
        Cursor cursor(source(i));
        const size_t sign = texts_[i].find_first_of(signs);
        if (sign == std::string::npos || texts_[i][sign] != '=') return cursor;
        cursor.expect(PtxToken::Kind::word, "a name before `=`");
        cursor.expect("=", "after the name, which is made of letters, digits and `_`");
        return cursor;
    }

    // The array that an argument declares, if it does.
    void declare(size_t i, size_t place) {
        const std::string name = name_in(texts_[i]);
        Cursor cursor = after_name(i);
        const Parameter& parameter = entry_.parameters[place];
        const auto type = cursor.peek().kind == PtxToken::Kind::word ? type_named(cursor.peek().text) : std::nullopt;
        if (!type || !(cursor.peek(1).is("[") || cursor.peek(1).kind == PtxToken::Kind::end)) return;
        const Span at{cursor.peek().span.begin, static_cast<uint32_t>(texts_[i].size())};
        if (parameter.bytes != pointer_bytes)
            cursor.fail(at, "`" + called(parameter) + "` takes " + count_of(parameter.bytes, "byte") + ", and the address of an array 8",
                        "give a number, or for a struct ptrs(...) or @FILE");
        Array array = read_array(cursor, *type);
        require_end(cursor);
        array.name = name.empty() ? "arg" + std::to_string(place) + suffix_ : name;
        declared_.insert(i);
        launch_.arguments[place] = {texts_[i], std::vector<uint8_t>(pointer_bytes), {{0, keep(cursor, std::move(array))}}};
    }

    // The number that the array gets.
    size_t keep(const Cursor& cursor, Array array) {
        const size_t number = launch_.arrays.size();
        if (!array_of_.emplace(array.name, number).second)
            cursor.fail({0, cursor.taken()}, "two arrays are called `" + array.name + "`", "give them names, as in a=u32[4]");
        launch_.arrays.push_back(std::move(array));
        return number;
    }

    // `s32[256]:iota`
    Array read_array(Cursor& cursor, Type type) {
        Array array;
        array.type = type;
        const auto size = static_cast<uint32_t>(bits(type) / 8);
        const PtxToken written = cursor.take();
        if (size == 0) cursor.fail(written.span, "arrays have no elements of this type");
        std::optional<uint64_t> count = 1;
        if (cursor.accept("[")) {
            count = std::nullopt;
            const Span span = cursor.peek().span;
            if (!cursor.at("]")) count = read_number(cursor, "a number of elements", most_array_bytes);
            if (count && *count == 0) cursor.fail(span, "an array has one element at least");
            close(cursor, "]", "after the number of elements");
        }
        const uint32_t end = cursor.taken();
        if (count) reserve(cursor, {written.span.begin, end}, *count * size);
        const bool filled = cursor.accept(":");
        if (!count && !(filled && cursor.at("@")))
            cursor.fail({end - 1, end}, "expected a number of elements",
                        "only what comes from a file, u32[]:@FILE, has its number from there");
        if (filled)
            fill(cursor, array, count, size);
        else
            array.bytes.resize(*count * size);
        return array;
    }

    void reserve(const Cursor& cursor, Span span, uint64_t bytes) {
        if (bytes > most_array_bytes - total_)
            cursor.fail(span, "the arrays take more than " + std::to_string(most_array_bytes >> 20) + " MiB together");
        budget_.check();
        total_ += bytes;
    }

    void fill(Cursor& cursor, Array& array, std::optional<uint64_t> count, uint32_t size) {
        const Span span{cursor.peek().span.begin, static_cast<uint32_t>(cursor.source()->text.size())};
        if (cursor.at("@")) {
            array.bytes = file(cursor);
            if (!count) reserve(cursor, span, array.bytes.size());
            const uint64_t wanted = count.value_or((array.bytes.size() + size - 1) / size) * size;
            if (array.bytes.empty() || array.bytes.size() != wanted)
                cursor.fail(span,
                            "the file has " + count_of(array.bytes.size(), "byte") + ", and the array takes " + std::to_string(wanted));
            return;
        }
        const bool iota = cursor.accept("iota");
        Constant constant;
        if (!iota) constant = number(cursor, "`iota`, a number, or @FILE");
        for (uint64_t i = 0; i < *count; ++i) {
            if (iota) constant.bits = i;
            const auto value = iota && !is_float(array.type) ? std::optional(i) : bits_of(constant, array.type);
            if (!value) cursor.fail(span, "this does not fit into an element of type " + std::string(litmus::name(array.type)));
            append(array.bytes, *value, size);
        }
    }

    static Constant number(Cursor& cursor, const std::string& wanted) {
        const PtxToken& token = cursor.peek();
        const bool begins = token.kind == PtxToken::Kind::number || token.is("-") || token.is("+") || token.is("~") || token.is("(");
        if (!begins) cursor.fail_expected(wanted);
        return read_constant(cursor, [](std::string_view) { return std::nullopt; });
    }

    static void close(Cursor& cursor, const std::string& bracket, const std::string& where) {
        if (cursor.peek().kind == PtxToken::Kind::end)
            cursor.fail(cursor.peek().span, "a bracket is open where the argument ends",
                        "put `" + bracket + "` " + where + ", and the whole argument between quotes");
        cursor.expect(bracket, where);
    }

    static void require_end(Cursor& cursor) {
        if (cursor.peek().kind != PtxToken::Kind::end) cursor.fail_expected("nothing more");
    }

    // The bytes of the file that is named behind the `@`; in braces the name ends with its member.
    std::vector<uint8_t> file(Cursor& cursor) const {
        cursor.take();
        const std::string path(cursor.take_text(in_braces_ ? ",}" : ""));
        if (path.empty()) cursor.fail({cursor.taken(), cursor.taken()}, "expected the name of a file");
        const std::string bytes = read_(path);
        return {bytes.begin(), bytes.end()};
    }

    // What is no array.
    Value value(size_t i, const Parameter& parameter) {
        Cursor cursor = after_name(i);
        if (cursor.at("ptrs") && cursor.peek(1).is("(")) return pointers(cursor, parameter, i);
        if (cursor.at("multimem") && cursor.peek(1).is("(")) return multimem_address(cursor, parameter, i);
        if (cursor.at("{")) return structure(cursor, parameter, i);
        if (cursor.at("tensor") && cursor.peek(1).is("(")) return tensor_map(cursor, parameter, i);
        const Span span{cursor.peek().span.begin, static_cast<uint32_t>(texts_[i].size())};
        Value result;
        result.text = texts_[i];
        if (cursor.at("@")) {
            result.bytes = file(cursor);
            if (result.bytes.size() != parameter.bytes)
                cursor.fail(span, "the file has " + count_of(result.bytes.size(), "byte") + ", and `" + called(parameter) + "` takes " +
                                      std::to_string(parameter.bytes));
            return result;
        }
        const auto type = type_named(parameter.type);
        if (!type || static_cast<uint32_t>(bits(*type)) / 8 != parameter.bytes)
            cursor.fail(span, "`" + called(parameter) + "` is a struct of " + count_of(parameter.bytes, "byte"),
                        "give its members, as in {u32[64], s32:3}, or its bytes, @FILE");
        const Constant constant = number(cursor, "a number, TYPE[COUNT] as in s32[64], ptrs(...) or @FILE");
        require_end(cursor);
        const auto value = bits_of(constant, *type);
        const std::string& written = texts_[i];
        const std::string number_text = "`" + written.substr(span.begin) + "`", name = written.substr(0, span.begin);
        if (!value && constant.kind != Constant::Kind::integer && !is_float(*type))
            cursor.fail(span, number_text + " is no whole number, and `" + called(parameter) + "` is one, of type " + parameter.type,
                        "give a whole number, as in " + name + "1; fractions are for parameters of type f32 or f64");
        if (!value)
            cursor.fail(span, number_text + " does not fit into `" + called(parameter) + "`, whose type is " + parameter.type,
                        "give a number of at most " + std::to_string(bits(*type)) + " bits");
        const std::string element = *value == 0 ? "" : element_behind(entry_, static_cast<size_t>(&parameter - entry_.parameters.data()));
        if (!element.empty())
            cursor.fail(span, number_text + " is a number, and `" + called(parameter) + "` is the address of an array",
                        "for an array of so many elements: " + name + element + "[" + written.substr(span.begin) + "]");
        append(result.bytes, *value, parameter.bytes);
        return result;
    }

    Value multimem_address(Cursor& cursor, const Parameter& parameter, size_t i) {
        const Span whole{cursor.peek().span.begin, static_cast<uint32_t>(texts_[i].size())};
        if (parameter.bytes != pointer_bytes)
            cursor.fail(whole, "`" + called(parameter) + "` takes " + count_of(parameter.bytes, "byte") + ", and an address 8");
        const std::string name = name_in(texts_[i]);
        const size_t array = keep_multimem(cursor, name.empty() ? "multimem" + std::to_string(i) + suffix_ : name);
        require_end(cursor);
        return {texts_[i], std::vector<uint8_t>(pointer_bytes), {{0, array}}};
    }

    // `multimem(x, y)`. The number of the address among the arrays.
    size_t keep_multimem(Cursor& cursor, const std::string& name) {
        const uint32_t begin = cursor.take().span.begin;
        cursor.take();
        Array made;
        do {
            const size_t array = array_named(cursor);
            const Array& other = launch_.arrays[array];
            const Span span{begin, cursor.taken()};
            if (!other.points_to.empty() || std::find(made.points_to.begin(), made.points_to.end(), array) != made.points_to.end())
                cursor.fail(span, "a multimem address points to distinct arrays (ISA 8.2.3)");
            if (!made.points_to.empty() && other.bytes.size() != made.bytes.size())
                cursor.fail(span, "the arrays of one multimem address have one size");
            made.type = other.type;
            if (made.points_to.empty()) reserve(cursor, span, other.bytes.size());
            made.bytes.resize(other.bytes.size());
            made.points_to.push_back(array);
        } while (cursor.accept(","));
        close(cursor, ")", "after the names");
        made.name = name;
        return keep(cursor, std::move(made));
    }

    // "128,64", the last one first.
    std::vector<uint64_t> sizes(Cursor& cursor) {
        std::vector<uint64_t> found;
        do found.push_back(read_number(cursor, "a number of elements", most_array_bytes));
        while (cursor.accept(","));
        std::reverse(found.begin(), found.end());
        return found;
    }

    // `tensor(u16[128,64], box=64,64)`, of an array with this name.
    TensorMap read_map(Cursor& cursor, const std::string& name) {
        const uint32_t begin = cursor.take().span.begin;
        cursor.take();
        const PtxToken written = cursor.expect(PtxToken::Kind::word, "the type of an element");
        const auto type = type_named(written.text);
        if (!type || bits(*type) < 8) cursor.fail(written.span, "`" + std::string(written.text) + "` is no type of elements");
        TensorMap map;
        map.type = *type;
        const auto size = static_cast<uint32_t>(bits(*type) / 8);
        cursor.expect("[", "before the sizes of the tensor");
        map.sizes = sizes(cursor);
        close(cursor, "]", "after the sizes of the tensor");
        const Span tensor{begin, cursor.taken()};
        if (const std::string why = wrong_shape(0, size, map.sizes, {}); !why.empty()) cursor.fail(tensor, why);
        uint64_t count = 1;
        for (const uint64_t each : map.sizes) count *= each;
        reserve(cursor, tensor, count * size);
        Array array;
        array.type = *type;
        array.name = name;
        array.bytes.resize(count * size);
        cursor.expect(",", "after the tensor, before its box");
        cursor.expect("box", "which says what a copy takes, as in box=64,64");
        cursor.expect("=", "after `box`");
        map.box = sizes(cursor);
        if (const std::string why = wrong_box(map.box, map.sizes.size()); !why.empty()) cursor.fail({begin, cursor.taken()}, why);
        close(cursor, ")", "after the box");
        map.array = keep(cursor, std::move(array));
        return map;
    }

    Value tensor_map(Cursor& cursor, const Parameter& parameter, size_t i) {
        const Span whole{cursor.peek().span.begin, static_cast<uint32_t>(texts_[i].size())};
        const std::string name = name_in(texts_[i]).empty() ? "tensor" + std::to_string(i) + suffix_ : name_in(texts_[i]);
        TensorMap map = read_map(cursor, name);
        require_end(cursor);
        if (parameter.bytes == pointer_bytes) {
            Array in_memory{name + "_map", Type::u64, std::vector<uint8_t>(map_bytes), {}, std::move(map)};
            return {texts_[i], std::vector<uint8_t>(pointer_bytes), {{0, keep(cursor, std::move(in_memory))}}, {}};
        }
        if (parameter.bytes != map_bytes)
            cursor.fail(
                whole,
                "a tensor map takes 128 bytes, its address 8, and `" + called(parameter) + "` has " + std::to_string(parameter.bytes),
                parameter.bytes > map_bytes ? "in a struct it stands in braces: {" + texts_[i].substr(whole.begin) + ",s32:1}" : "");
        Value value;
        value.text = texts_[i];
        value.bytes.resize(map_bytes);
        value.maps.push_back(std::move(map));
        return value;
    }

    // `{in=s32[8]:iota, out, s32:2}`: each member where its alignment allows, and room behind the last for that of the whole.
    // `{[64]=s32:2}`: a member at the byte that is named. Then the struct is larger than what is said of it, and its other bytes are zeros.
    Value structure(Cursor& cursor, const Parameter& parameter, size_t i) {
        Value result;
        result.text = texts_[i];
        in_braces_ = true;
        const uint32_t begin = cursor.take().span.begin;
        uint32_t align = parameter.align;
        bool is_partial = cursor.at("}");
        for (bool more = !is_partial; more; more = cursor.accept(",")) {
            const std::optional<Place> place = place_of_member(cursor, result, parameter);
            // CUtensorMap has an alignment of 64 bytes, from CUDA 13 on of 128; a struct has that of its members at least
            const uint32_t of_map = place ? map_bytes / 2 : std::clamp(parameter.align, map_bytes / 2, map_bytes);
            const uint32_t of_member = member(cursor, result, i, of_map);
            if (place && place->at % of_member != 0)
                cursor.fail(place->span, "such a member begins at a multiple of " + count_of(of_member, "byte"));
            is_partial = is_partial || place;
            align = std::max(align, of_member);
        }
        close(cursor, "}", "after the members");
        in_braces_ = false;
        require_end(cursor);
        pad(result.bytes, align);
        if (is_partial && result.bytes.size() < parameter.bytes) result.bytes.resize(parameter.bytes);
        if (result.bytes.size() != parameter.bytes)
            cursor.fail({begin, cursor.taken()},
                        "these members take " + count_of(result.bytes.size(), "byte") + ", and `" + called(parameter) + "` has " +
                            std::to_string(parameter.bytes),
                        result.bytes.size() < parameter.bytes
                            ? "[64]=s32:3 is a member at byte 64; where one is so given, all bytes that no member says are zeros"
                            : "");
        return result;
    }

    // The byte of a struct at which a member begins, where it is said.
    struct Place {
        uint64_t at = 0;
        Span span;
    };
    // `[64]=`
    static std::optional<Place> place_of_member(Cursor& cursor, Value& result, const Parameter& parameter) {
        const uint32_t begin = cursor.peek().span.begin;
        if (!cursor.accept("[")) return std::nullopt;
        const uint64_t at = read_number(cursor, "the byte at which the member begins", parameter.bytes);
        close(cursor, "]", "after the byte at which the member begins");
        const Span span{begin, cursor.taken()};
        cursor.expect("=", "after the byte at which the member begins");
        if (at < result.bytes.size()) cursor.fail(span, "the members before this one take " + count_of(result.bytes.size(), "byte"));
        result.bytes.resize(at);
        return Place{at, span};
    }

    static void pad(std::vector<uint8_t>& bytes, uint32_t align) { bytes.resize((bytes.size() + align - 1) / align * align); }

    // Gives its alignment; `of_map` is that of a tensor map.
    uint32_t member(Cursor& cursor, Value& result, size_t i, uint32_t of_map) {
        std::string name;
        if (cursor.peek(1).is("=")) {
            name = cursor.expect(PtxToken::Kind::word, "a name before `=`").text;
            cursor.take();
        }
        const PtxToken written = cursor.peek();
        if (written.kind != PtxToken::Kind::word)
            cursor.fail_expected("a member: TYPE[COUNT], TYPE:NUMBER, tensor(...), or the name of an array");
        const auto type = type_named(written.text);
        const std::string outer = name_in(texts_[i]);
        const std::string unnamed = (outer.empty() ? "arg" + std::to_string(i) + suffix_ : outer) + "_" +
                                    std::to_string(result.pointers.size() + result.maps.size());
        if (type && cursor.peek(1).is(":")) {
            cursor.take();
            cursor.take();
            const auto value = bits_of(number(cursor, "a number"), *type);
            const auto size = static_cast<uint32_t>(bits(*type)) / 8;
            if (!value || size == 0)
                cursor.fail({written.span.begin, cursor.taken()}, "this is no number of type " + std::string(written.text));
            pad(result.bytes, size);
            append(result.bytes, *value, size);
            return size;
        }
        if (cursor.at("tensor") && cursor.peek(1).is("(")) {
            TensorMap map = read_map(cursor, name.empty() ? unnamed : name);
            pad(result.bytes, of_map);
            map.at = static_cast<uint32_t>(result.bytes.size());
            result.maps.push_back(std::move(map));
            append(result.bytes, 0, map_bytes);
            return of_map;
        }
        size_t array = 0;
        if (type && cursor.peek(1).is("[")) {
            Array made = read_array(cursor, *type);
            made.name = name.empty() ? unnamed : name;
            array = keep(cursor, std::move(made));
        } else if (cursor.at("multimem") && cursor.peek(1).is("(")) {
            array = keep_multimem(cursor, name.empty() ? unnamed : name);
        } else {
            array = array_named(cursor);
        }
        pad(result.bytes, pointer_bytes);
        result.pointers.push_back({static_cast<uint32_t>(result.bytes.size()), array});
        append(result.bytes, 0, pointer_bytes);
        return pointer_bytes;
    }

    size_t array_named(Cursor& cursor) {
        const PtxToken name = cursor.expect(PtxToken::Kind::word, "the name of an array");
        const auto known = array_of_.find(std::string(name.text));
        if (known != array_of_.end()) return known->second;
        std::vector<std::string_view> names;
        for (const auto& [array, index] : array_of_) names.push_back(array);
        const std::string near = nearest(name.text, names);
        cursor.fail(name.span, "no array is called `" + std::string(name.text) + "`",
                    near.empty() ? "it is declared by another argument, such as --arg " + std::string(name.text) + "=s32[64]"
                                 : "did you mean `" + near + "`?");
    }

    // `ptrs(a, b)`: where the parameter has room for them it holds them; one that is itself an address gets a table of them.
    Value pointers(Cursor& cursor, const Parameter& parameter, size_t i) {
        const uint32_t begin = cursor.take().span.begin;
        cursor.take();
        std::vector<Pointer> pointers;
        do pointers.push_back({static_cast<uint32_t>(pointers.size()) * pointer_bytes, array_named(cursor)});
        while (cursor.accept(","));
        close(cursor, ")", "after the names");
        require_end(cursor);
        std::vector<uint8_t> bytes(pointers.size() * pointer_bytes);
        if (bytes.size() == parameter.bytes) return {texts_[i], std::move(bytes), std::move(pointers)};
        if (parameter.bytes != pointer_bytes)
            cursor.fail({begin, cursor.taken()}, std::to_string(pointers.size()) + " addresses" + " take " +
                                                     count_of(bytes.size(), "byte") + ", and `" + called(parameter) + "` has " +
                                                     std::to_string(parameter.bytes));
        const std::string name = name_in(texts_[i]);
        Array table{name.empty() ? "table" + std::to_string(i) + suffix_ : name, Type::u64, std::move(bytes), std::move(pointers)};
        return {texts_[i], std::vector<uint8_t>(pointer_bytes), {{0, keep(cursor, std::move(table))}}};
    }

    const Function& entry_;
    const std::vector<std::string>& texts_;
    const ReadBytes& read_;
    Launch& launch_;
    const std::string suffix_;  // of names that are not given
    const Budget& budget_;
    std::map<std::string, size_t> array_of_;
    std::set<size_t> declared_;  // arguments that are arrays
    uint64_t total_ = 0;         // bytes of the arrays
    bool in_braces_ = false;
};

// Whether a text matches a pattern, in which `*` stands for any characters and `?` for one.
bool matches(std::string_view text, std::string_view pattern) {
    size_t t = 0, p = 0, star = std::string_view::npos, after_star = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after_star = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++t;
            ++p;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++after_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Whether a kernel is meant: by its name in the source, from any of its scopes on, with or without the arguments of a template; or by
// its mangled name.
bool is_called(const Function& function, const std::string& pattern) {
    std::string spaceless;
    for (const char c : pattern)
        if (c != ' ') spaceless += c;
    if (matches(function.name, spaceless)) return true;
    const std::string full = source_name(function.name);
    for (std::string name : {full, without_arguments(full), last_part(full), last_part(without_arguments(full))}) {
        std::erase(name, ' ');
        if (matches(name, spaceless) || matches(name, "*::" + spaceless)) return true;
    }
    return false;
}

// "1 `n::sum<16>`, 2 `n::sum<32>`": their numbers in the file, and their names.
std::string list_of(const std::vector<const Function*>& all, const std::vector<const Function*>& some) {
    constexpr size_t most_listed = 10, most_letters = 300;
    std::string list;
    for (size_t i = 0, listed = 0; i < all.size(); ++i) {
        if (std::find(some.begin(), some.end(), all[i]) == some.end()) continue;
        if (listed == most_listed) return list + ", and " + std::to_string(some.size() - listed) + " more";
        std::string name = source_name(all[i]->name);
        if (name.size() > most_letters) name.replace(most_letters, std::string::npos, "...");
        list += (listed++ == 0 ? "" : ", ") + std::to_string(i + 1) + " `" + name + "`";
    }
    return list;
}

// The number that a text is; 0: it is none.
size_t number_in(const std::string& text) {
    size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && rest == text.data() + text.size() ? number : 0;
}

}  // namespace

const Function& entry_named(const Module& module, const std::string& name) {
    std::vector<const Function*> entries, called;
    for (const Function& function : module.functions) {
        if (!function.entry || !function.body) continue;
        if (function.name == name) return function;
        entries.push_back(&function);
        if (!name.empty() && is_called(function, name)) called.push_back(&function);
    }
    if (entries.empty())
        throw Failure(module.source, {}, "this file has no kernel", "one is an `.entry`; from CUDA, a `__global__` function");
    if (name.empty() && entries.size() == 1) return *entries.front();
    if (name.empty())
        throw Failure(module.source, entries[1]->span, "this file has several kernels",
                      "say which, with --entry and its number or name: " + list_of(entries, entries));
    if (const size_t number = number_in(name); number >= 1 && number <= entries.size()) return *entries[number - 1];
    if (called.size() == 1) return *called.front();
    if (called.size() > 1)
        throw Failure(module.source, called[1]->span, "several kernels are called `" + name + "`",
                      "give --entry the number or the whole name, of " + list_of(entries, called));
    std::vector<std::string> names;
    for (const Function* entry : entries)
        for (const std::string& known : {entry->name, source_name(entry->name), last_part(without_arguments(source_name(entry->name)))})
            names.push_back(known);
    const std::string near = nearest(name, {names.begin(), names.end()});
    throw Failure(module.source, entries.front()->span, "there is no kernel `" + name + "` in this file",
                  (near.empty() ? "" : "did you mean `" + near + "`? ") + "it has " + list_of(entries, entries));
}

namespace {

// `suffix` of the names of arrays that are given none.
Launch launch_with_names(const Module& module, const LaunchTexts& texts, const ReadBytes& read, const std::string& suffix,
                         const Budget& budget) {
    const Function& entry = entry_named(module, texts.entry);
    Launch launch;
    launch.entry = entry.name;
    launch.shared_bytes = texts.shared_bytes;
    set_dimensions(launch, module, entry, {texts.grid, texts.block, texts.cluster});
    set_unlaunched(launch, texts.unlaunched);
    Arguments(entry, texts.arguments, read, launch, suffix, budget).fill();
    return launch;
}

}  // namespace

Launch launch_of(const Module& module, const LaunchTexts& texts, const ReadBytes& read, const Budget& budget) {
    return launch_with_names(module, texts, read, {}, budget);
}

std::vector<Launch> launches_of(const Module& module, const std::vector<LaunchTexts>& texts, const ReadBytes& read, const Budget& budget) {
    std::vector<Launch> launches;
    std::vector<Array> arrays;  // of all
    for (const LaunchTexts& text : texts) {
        Launch launch = launch_with_names(module, text, read, launches.empty() ? "" : "_" + std::to_string(launches.size()), budget);
        std::vector<size_t> among_all;  // of each of its arrays
        const size_t known = arrays.size();
        for (Array& array : launch.arrays) {
            const auto same = std::find_if(arrays.begin(), arrays.end(), [&](const Array& one) { return one.name == array.name; });
            among_all.push_back(static_cast<size_t>(same - arrays.begin()));
            if (same == arrays.end())
                arrays.push_back(std::move(array));
            else if (same->bytes.size() != array.bytes.size())
                throw Failure(nullptr, {},
                              "two launches have an array `" + array.name + "`, of " + count_of(same->bytes.size(), "byte") + " and of " +
                                  count_of(array.bytes.size(), "byte"),
                              "what is called alike is the same memory: give one of them another name");
        }
        const auto renumber = [&among_all](auto& with_array) { with_array.array = among_all[with_array.array]; };
        for (size_t a = known; a < arrays.size(); ++a) {
            std::for_each(arrays[a].pointers.begin(), arrays[a].pointers.end(), renumber);
            if (arrays[a].map) renumber(*arrays[a].map);
            for (size_t& other : arrays[a].points_to) other = among_all[other];
        }
        for (Value& value : launch.arguments) {
            std::for_each(value.pointers.begin(), value.pointers.end(), renumber);
            std::for_each(value.maps.begin(), value.maps.end(), renumber);
        }
        launches.push_back(std::move(launch));
    }
    for (Launch& launch : launches) {
        budget.check();
        launch.arrays = arrays;
    }
    return launches;
}

}  // namespace litmus::kernel
