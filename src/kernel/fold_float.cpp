// Computed with the float and the double of the host, which are those of IEEE 754 (fold_float.h).
#include "kernel/fold_float.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernel/mnemonic.h"
#include "ptx/value.h"

namespace litmus::kernel {

namespace {

bool has(std::span<const std::string> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_scalar_float(Type type) {
    return is_float(type) && lanes(type) == 1;
}

// Subnormal numbers are zeros of their sign under .ftz.
float flushed(std::span<const std::string> words, float value) {
    return has(words, "ftz") && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

// Whether the result is rounded to nearest even by this operation: there is no other rounding, and no approximation.
bool rounds_to_nearest(std::span<const std::string> words) {
    static constexpr std::array<std::string_view, 9> others = {"rz", "rm", "rp", "approx", "full", "xorsign", "NaN", "relu", "abs"};
    return std::none_of(others.begin(), others.end(), [&](std::string_view word) { return words[0] != word && has(words, word); });
}

template <typename Number>
std::optional<Number> computed(Mnemonic mnemonic, std::span<const Number> x) {
    if (x.size() != row(mnemonic).sources) return std::nullopt;
    switch (mnemonic) {
        case Mnemonic::add:
            return x[0] + x[1];
        case Mnemonic::sub:
            return x[0] - x[1];
        case Mnemonic::mul:
            return x[0] * x[1];
        case Mnemonic::div:
            return x[0] / x[1];
        case Mnemonic::fma:
        case Mnemonic::mad:
            return std::fma(x[0], x[1], x[2]);
        case Mnemonic::rcp:
            return Number{1} / x[0];
        case Mnemonic::sqrt:
            return std::sqrt(x[0]);
        case Mnemonic::neg:
            return -x[0];
        case Mnemonic::abs:
            return std::fabs(x[0]);
        case Mnemonic::min:
            // -0 is below +0
            return x[0] == x[1] ? (std::signbit(x[0]) ? x[0] : x[1]) : std::fmin(x[0], x[1]);
        case Mnemonic::max:
            return x[0] == x[1] ? (std::signbit(x[0]) ? x[1] : x[0]) : std::fmax(x[0], x[1]);
        default:  // of integers and bits alone
            return std::nullopt;
    }
}

template <typename Number>
Number saturated(std::span<const std::string> words, Number value) {
    if (!has(words, "sat")) return value;
    return std::isnan(value) ? Number{0} : std::clamp(value, Number{0}, Number{1});
}

std::optional<Results> arithmetic(std::span<const std::string> words, std::span<const uint64_t> sources, Type type) {
    if (!rounds_to_nearest(words)) return std::nullopt;
    if (type == Type::f32) {
        std::array<float, 3> x{};
        if (sources.size() > x.size()) return std::nullopt;
        for (size_t i = 0; i < sources.size(); ++i) x[i] = flushed(words, std::bit_cast<float>(static_cast<uint32_t>(sources[i])));
        const auto value = computed<float>(mnemonic_of(words[0]), std::span<const float>(x).first(sources.size()));
        if (!value) return std::nullopt;
        const float result = saturated(words, flushed(words, *value));
        return Results{std::isnan(result) ? canonical_nan(Type::f32) : std::bit_cast<uint32_t>(result)};
    }
    std::array<double, 3> x{};
    if (type != Type::f64 || sources.size() > x.size()) return std::nullopt;
    for (size_t i = 0; i < sources.size(); ++i) x[i] = std::bit_cast<double>(sources[i]);
    const auto value = computed<double>(mnemonic_of(words[0]), std::span<const double>(x).first(sources.size()));
    if (!value || std::isnan(*value)) return std::nullopt;
    return Results{std::bit_cast<uint64_t>(*value)};
}

// setp of floats (9.7.6.2): .ltu and the like also hold where a source is a NaN.
std::optional<Results> compared(std::span<const std::string> words, std::span<const uint64_t> sources, Type type) {
    if (sources.size() < 2 || words.size() < 3) return std::nullopt;
    if (has(words, "ftz")) return std::nullopt;
    const bool unordered = is_nan(type, sources[0]) || is_nan(type, sources[1]);
    const double a = float_value(type, sources[0]), b = float_value(type, sources[1]);
    std::string_view name = words[1];
    bool holds = false;
    if (name == "num" || name == "nan") {
        holds = (name == "nan") == unordered;
    } else {
        const bool or_unordered = name.size() == 3 && name.back() == 'u';
        const OperatorRow& r = litmus::row(comparison_named(name.substr(0, 2)));
        const bool in_order = a < b ? r.less : a == b ? r.equal : r.greater;
        holds = unordered ? or_unordered : in_order;
    }
    const auto joined = [&](bool first) {
        if (sources.size() < 3) return first;
        const bool other = sources[2] != 0;
        return has(words, "and") ? first && other : has(words, "or") ? first || other : first != other;
    };
    return Results{static_cast<uint64_t>(joined(holds)), static_cast<uint64_t>(joined(!holds))};
}

// From a float to an integer (9.7.9.21): rounded as asked, clamped to the range; a NaN is 0.
std::optional<Results> to_integer(std::span<const std::string> words, double value, Type to) {
    const double rounded = has(words, "rzi")   ? std::trunc(value)
                           : has(words, "rni") ? std::nearbyint(value)
                           : has(words, "rmi") ? std::floor(value)
                                               : std::ceil(value);
    if (std::isnan(value)) return bits(to) == 64 ? std::nullopt : std::optional(Results{0});
    const double limit = std::ldexp(1.0, is_signed(to) ? bits(to) - 1 : bits(to));
    if (!is_signed(to)) {
        const uint64_t most = truncate(~uint64_t{0}, bits(to));
        return Results{rounded <= 0 ? 0 : rounded >= limit ? most : static_cast<uint64_t>(rounded)};
    }
    const int64_t most = static_cast<int64_t>(truncate(~uint64_t{0}, bits(to) - 1));
    return Results{static_cast<uint64_t>(rounded >= limit ? most : rounded < -limit ? -most - 1 : static_cast<int64_t>(rounded))};
}

std::optional<Results> converted(std::span<const std::string> words, uint64_t source, Type from) {
    const auto to = type_named(words[words.size() - 2]);
    if (!to || has(words, "sat") || has(words, "ftz") || lanes(*to) > 1) return std::nullopt;
    if (is_float(from) && !is_float(*to)) return to_integer(words, float_value(from, source), *to);
    if (!rounds_to_nearest(words) || has(words, "rzi") || has(words, "rni") || has(words, "rmi") || has(words, "rpi")) return std::nullopt;
    if (is_float(from)) {
        if (is_nan(from, source)) return std::nullopt;
        return Results{float_bits(*to, float_value(from, source))};
    }
    const uint64_t raw = truncate(source, bits(from));
    const int64_t number = is_signed(from) ? sign_extend(raw, bits(from)) : static_cast<int64_t>(raw);
    if (number > int64_t{1} << 53 || number < -(int64_t{1} << 53) || (!is_signed(from) && raw >> 53 != 0))
        return std::nullopt;  // rounded twice
    return Results{float_bits(*to, static_cast<double>(number))};
}

}  // namespace

std::optional<Results> fold_float(std::span<const std::string> words, std::span<const uint64_t> sources) {
    if (words.size() < 2 || sources.empty()) return std::nullopt;
    const auto type = type_named(words.back());
    if (!type) return std::nullopt;
    const Mnemonic mnemonic = mnemonic_of(words[0]);
    if (mnemonic == Mnemonic::cvt && words.size() > 2) return converted(words, sources[0], *type);
    if (!is_scalar_float(*type)) return std::nullopt;
    if (mnemonic == Mnemonic::setp) return compared(words, sources, *type);
    return arithmetic(words, sources, *type);
}

}  // namespace litmus::kernel
