// A thread of a test is a lane of a warp of a CTA of a cluster of a grid. CTAs have the numbers that the test gives them, in one dimension;
// the others have size 1. A CTA has as many warps as the fullest of its grid.
#include "language/syntax/native/dsl_special.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"

namespace litmus::dsl {

namespace {

constexpr uint64_t lanes_of_warp = 32;

// What the threads of a grid are, all together.
struct Launch {
    Launch(const Test& test, int grid) : unlaunched(test.unlaunched.value_or(0)) {
        for (const auto& [number, at] : ctas_of(test))
            if (grid_of(number) == grid) ctas.emplace(number, at);
        for (const Thread& thread : test.threads)
            if (grid_of(thread.at.cta) == grid) warps = std::max(warps, thread.at.warp + 1);
        for (const auto& [number, at] : ctas) clusters = std::max(clusters, number_in_grid(at.cluster) + 1);
    }
    // The CTAs of this cluster, in the order of their ranks.
    std::vector<int> cluster(const Placement& at) const {
        std::vector<int> numbers;
        for (const auto& [number, other] : ctas)
            if (same_cluster(at, other)) numbers.push_back(number);
        return numbers;
    }
    uint64_t rank(const Placement& at) const {
        const std::vector<int> all = cluster(at);
        return static_cast<uint64_t>(std::find(all.begin(), all.end(), at.cta) - all.begin());
    }

    // The CTAs of the grid, those of the clusters included that have not started: each has as many as the first one.
    uint64_t all_ctas() const {
        return static_cast<uint64_t>(number_in_grid(ctas.rbegin()->first)) + 1 +
               static_cast<uint64_t>(unlaunched) * cluster(ctas.begin()->second).size();
    }

    std::map<int, Placement> ctas;
    int warps = 1, clusters = 1, unlaunched = 0;
};

using Value = uint64_t (*)(const Launch& launch, const Placement& at);

uint64_t count(size_t n) {
    return static_cast<uint64_t>(n);
}

// With the name of a register of three dimensions, the value of its .x; that of .y and .z is the size 1 or the place 0.
struct Special {
    std::string_view name;
    bool dimensions = false;
    uint64_t beyond = 0;  // in the other dimensions
    Value value = nullptr;
};

constexpr uint64_t bit(const Placement& at) {
    return uint64_t{1} << at.lane;
}

constexpr std::array<Special, 16> specials = {{
    {"tid", true, 0,
     [](const Launch&, const Placement& at) {
         return count(static_cast<size_t>(at.warp)) * lanes_of_warp + count(static_cast<size_t>(at.lane));
     }},
    {"ntid", true, 1, [](const Launch& all, const Placement&) { return count(static_cast<size_t>(all.warps)) * lanes_of_warp; }},
    {"laneid", false, 0, [](const Launch&, const Placement& at) { return count(static_cast<size_t>(at.lane)); }},
    {"ctaid", true, 0, [](const Launch&, const Placement& at) { return count(static_cast<size_t>(number_in_grid(at.cta))); }},
    {"nctaid", true, 1, [](const Launch& all, const Placement&) { return all.all_ctas(); }},
    {"clusterid", true, 0, [](const Launch&, const Placement& at) { return count(static_cast<size_t>(number_in_grid(at.cluster))); }},
    {"nclusterid", true, 1,
     [](const Launch& all, const Placement&) { return count(static_cast<size_t>(all.clusters) + static_cast<size_t>(all.unlaunched)); }},
    {"cluster_ctaid", true, 0, [](const Launch& all, const Placement& at) { return all.rank(at); }},
    {"cluster_nctaid", true, 1, [](const Launch& all, const Placement& at) { return count(all.cluster(at).size()); }},
    {"cluster_ctarank", false, 0, [](const Launch& all, const Placement& at) { return all.rank(at); }},
    {"cluster_nctarank", false, 0, [](const Launch& all, const Placement& at) { return count(all.cluster(at).size()); }},
    {"lanemask_eq", false, 0, [](const Launch&, const Placement& at) { return bit(at); }},
    {"lanemask_lt", false, 0, [](const Launch&, const Placement& at) { return bit(at) - 1; }},
    {"lanemask_le", false, 0, [](const Launch&, const Placement& at) { return 2 * bit(at) - 1; }},
    {"lanemask_gt", false, 0, [](const Launch&, const Placement& at) { return 0xffffffff & ~(2 * bit(at) - 1); }},
    {"lanemask_ge", false, 0, [](const Launch&, const Placement& at) { return 0xffffffff & ~(bit(at) - 1); }},
}};

// Those that no place of a thread says, though they are the same all the time. What a clock says nobody knows, and a test may ask it.
constexpr std::array<std::string_view, 11> without_value = {"nsmid",
                                                            "nwarpid",
                                                            "gridid",
                                                            "is_explicit_cluster",
                                                            "dynamic_smem_size",
                                                            "total_smem_size",
                                                            "aggr_smem_size",
                                                            "reserved_smem_offset_begin",
                                                            "reserved_smem_offset_end",
                                                            "reserved_smem_offset_cap",
                                                            "current_graph_exec"};

const Special* special_named(std::string_view name) {
    const auto* found = std::find_if(specials.begin(), specials.end(), [&](const Special& s) { return s.name == name; });
    return found == specials.end() ? nullptr : found;
}

uint64_t value_of(const Operand& operand, const Launch& launch, const Placement& at) {
    const std::string_view whole = operand.name;
    const size_t dot = whole.find('.');
    const Special& special = *special_named(whole.substr(0, dot));
    const bool other_dimension = dot != std::string_view::npos && whole.substr(dot) != ".x";
    return other_dimension ? special.beyond : special.value(launch, at);
}

}  // namespace

std::optional<Operand> take_special_register(Reader& in, const DslToken& token) {
    if (token.text[0] != '%') return std::nullopt;
    const std::string_view name = token.text.substr(1);
    if (std::find(without_value.begin(), without_value.end(), name) != without_value.end())
        in.fail(token.span, "the special register `" + std::string(token.text) + "` has no value in a test", "write a number in its place");
    const Special* special = special_named(name);
    if (!special && !width_of_unknown(name)) {
        if (in.at(".")) in.fail(token.span, "`" + std::string(token.text) + "` is no special register that a test has");
        return std::nullopt;
    }
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.name = name;
    if (special != nullptr && special->dimensions) {
        in.expect(".", " and a dimension, as in `%" + operand.name + ".x`");
        const DslToken dimension = in.take(DslToken::Kind::word, "`x`, `y` or `z`");
        if (dimension.text != "x" && dimension.text != "y" && dimension.text != "z")
            in.fail(dimension.span, "expected `x`, `y` or `z`, not " + shown(dimension));
        operand.name += "." + std::string(dimension.text);
    }
    return operand;
}

void set_special_registers(Test& test) {
    std::map<int, Launch> launches;  // by grid
    for (const Thread& thread : test.threads) launches.try_emplace(grid_of(thread.at.cta), test, grid_of(thread.at.cta));
    for (Thread& thread : test.threads)
        for (Instruction& instruction : thread.body)
            for (Operand& operand : instruction.operands)
                if (operand.kind == Operand::Kind::immediate && !operand.name.empty() && !width_of_unknown(operand.name))
                    operand.value = value_of(operand, launches.at(grid_of(thread.at.cta)), thread.at);
}

}  // namespace litmus::dsl
