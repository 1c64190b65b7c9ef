// Computed in double and rounded once.
#include "kernel/fold_approximately.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "ptx/value.h"

namespace litmus::kernel {

namespace {

struct Approximation {
    std::string_view name;
    size_t sources = 0;
    double (*of)(std::span<const double> x) = nullptr;
};

constexpr std::array approximations{
    Approximation{"add", 2, [](std::span<const double> x) { return x[0] + x[1]; }},
    Approximation{"sub", 2, [](std::span<const double> x) { return x[0] - x[1]; }},
    Approximation{"mul", 2, [](std::span<const double> x) { return x[0] * x[1]; }},
    Approximation{"fma", 3, [](std::span<const double> x) { return std::fma(x[0], x[1], x[2]); }},
    Approximation{"mad", 3, [](std::span<const double> x) { return std::fma(x[0], x[1], x[2]); }},
    Approximation{"div", 2, [](std::span<const double> x) { return x[0] / x[1]; }},
    Approximation{"rcp", 1, [](std::span<const double> x) { return 1 / x[0]; }},
    Approximation{"sqrt", 1, [](std::span<const double> x) { return std::sqrt(x[0]); }},
    Approximation{"rsqrt", 1, [](std::span<const double> x) { return 1 / std::sqrt(x[0]); }},
    Approximation{"sin", 1, [](std::span<const double> x) { return std::sin(x[0]); }},
    Approximation{"cos", 1, [](std::span<const double> x) { return std::cos(x[0]); }},
    Approximation{"tanh", 1, [](std::span<const double> x) { return std::tanh(x[0]); }},
    Approximation{"ex2", 1, [](std::span<const double> x) { return std::exp2(x[0]); }},
    Approximation{"lg2", 1, [](std::span<const double> x) { return std::log2(x[0]); }},
};

}  // namespace

std::optional<Results> fold_approximately(std::span<const std::string> words, std::span<const uint64_t> sources) {
    if (words.size() < 2) return std::nullopt;
    const auto type = type_named(words.back());
    const auto known = std::find_if(approximations.begin(), approximations.end(), [&](const auto& one) { return one.name == words[0]; });
    if (!type || (*type != Type::f32 && *type != Type::f64) || known == approximations.end() || sources.size() != known->sources)
        return std::nullopt;
    std::vector<double> x;
    for (const uint64_t source : sources) x.push_back(float_value(*type, source));
    const double result = known->of(x);
    const bool saturates = std::find(words.begin(), words.end(), "sat") != words.end();
    return Results{float_bits(*type, !saturates ? result : std::isnan(result) ? 0 : std::clamp(result, 0.0, 1.0))};
}

}  // namespace litmus::kernel
