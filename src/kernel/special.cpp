// Special registers (ISA 10): where a thread stands in its launch.
#include "kernel/special.h"

#include <array>
#include <utility>

namespace litmus::kernel {

namespace {

constexpr uint32_t threads_of_warp = 32;

std::optional<uint64_t> component(const std::string& name, const std::string& base, const Dimensions& values) {
    if (name == base) return values[0];
    if (name.size() != base.size() + 2 || name.compare(0, base.size(), base) != 0) return std::nullopt;
    const size_t d = std::string("xyz").find(name.back());
    return d == std::string::npos ? std::optional<uint64_t>(0) : values[d];
}

std::optional<uint64_t> lane_mask(const std::string& name, uint32_t lane) {
    const uint64_t self = uint64_t{1} << lane, below = self - 1, all = 0xffffffff;
    if (name == "%lanemask_eq") return self;
    if (name == "%lanemask_le") return below | self;
    if (name == "%lanemask_lt") return below;
    if (name == "%lanemask_ge") return all & ~below;
    if (name == "%lanemask_gt") return all & ~below & ~self;
    return std::nullopt;
}

}  // namespace

std::optional<uint64_t> special_register(const std::string& name, const Seat& seat, const Launch& launch, const MemoryLayout& layout) {
    const Geometry geometry(launch);
    const std::array<std::pair<const char*, Dimensions>, 8> places = {{
        {"%tid", geometry.thread_index(seat.thread)},
        {"%ntid", launch.block},
        {"%ctaid", geometry.block_index(seat.block)},
        {"%nctaid", launch.grid},
        {"%cluster_ctaid", geometry.index_in_cluster(seat.block)},
        {"%cluster_nctaid", launch.cluster},
        {"%clusterid", geometry.cluster_index(seat.block)},
        {"%nclusterid", geometry.clusters()},
    }};
    for (const auto& [base, values] : places)
        if (const auto value = component(name, base, values)) return value;
    if (const auto mask = lane_mask(name, seat.lane())) return mask;
    if (name == "%laneid") return seat.lane();
    if (name == "%cluster_ctarank") return geometry.rank(seat.block);
    if (name == "%cluster_nctarank") return geometry.cluster_size();
    if (name == "%is_explicit_cluster") return geometry.cluster_size() > 1 ? 1 : 0;
    if (name == "%envreg1") return layout.workspace() >> 32;
    if (name == "%envreg2") return layout.workspace() & 0xffffffff;
    if (name.rfind("%envreg", 0) == 0 || name == "%reserved_smem_offset_begin") return 0;
    if (name == "%dynamic_smem_size") return launch.shared_bytes;
    if (name == "%total_smem_size" || name == "%aggr_smem_size") return layout.shared_bytes();
    if (name.rfind("%reserved_smem_offset", 0) == 0) return window::first_shared;
    if (name == "WARP_SZ") return threads_of_warp;
    return std::nullopt;
}

}  // namespace litmus::kernel
