// The ways that a kernel takes, for fuzz targets that have read its launch. Each has a budget that ends soon.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kernel/arguments.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "sweep/slice.h"
#include "sweep/sweep.h"

namespace litmus::fuzzing {

inline void require(bool holds) {
    if (!holds) std::abort();
}

// The sweep relies on this.
inline void check_launch(const kernel::Module& module, const kernel::Launch& launch) {
    const auto check_map = [&](const kernel::TensorMap& map) {
        require(map.array < launch.arrays.size() && !map.sizes.empty() && map.sizes.size() <= 5 && map.box.size() == map.sizes.size());
        require(map.strides.empty() || map.strides.size() + 1 == map.sizes.size());
        require(map.offset <= launch.arrays[map.array].bytes.size());
    };
    const auto check_pointers = [&](const std::vector<kernel::Pointer>& pointers, size_t bytes) {
        for (const kernel::Pointer& pointer : pointers)
            require(pointer.array < launch.arrays.size() && bytes >= 8 && pointer.at <= bytes - 8 &&
                    pointer.offset <= launch.arrays[pointer.array].bytes.size());
    };
    for (const kernel::Value& value : launch.arguments) {
        check_pointers(value.pointers, value.bytes.size());
        for (const kernel::TensorMap& map : value.maps) check_map(map);
    }
    for (const kernel::Array& array : launch.arrays) {
        check_pointers(array.pointers, array.bytes.size());
        if (array.map) check_map(*array.map);
        for (const auto& [begin, bytes] : array.recorded) require(begin <= array.bytes.size() && bytes <= array.bytes.size() - begin);
    }
    for (const uint32_t count : {launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2]})
        require(count > 0);
    require(kernel::entry_named(module, launch.entry).parameters.size() == launch.arguments.size());
}

// Sweeps the kernel and makes a test of it. Either may refuse the kernel, or run out of its budget.
inline void run_kernel(const kernel::Module& module, const kernel::Launch& launch) {
    const auto budget = [] { return Budget::of_work(0.3, 300); };
    check_launch(module, launch);
    try {
        sweep::sweep(module, launch, {.most_steps = 20'000, .budget = budget()});
    } catch (const Failure& failure) {
        require(!failure.diagnostics().empty());
    } catch (const OverBudget&) {
    }
    try {
        const std::vector<std::pair<uint32_t, uint32_t>> some_of_each_kind;
        sweep::slice_of(module, launch, {.most_steps = 20'000, .budget = budget()}, some_of_each_kind);
    } catch (const OverBudget&) {
    }
}

}  // namespace litmus::fuzzing
