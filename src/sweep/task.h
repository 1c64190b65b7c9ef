// The task of a run: a kernel as steps, its launch, and the launches before it that may still run.
//
// Threads, statements and their accesses have numbers. Those of earlier launches come behind the own ones (grids.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/dimensions.h"
#include "kernel/layout.h"
#include "kernel/module.h"
#include "sweep/code.h"
#include "sweep/groups.h"
#include "sweep/shadow.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

struct Running;

struct Task {
    // Throws Failure where the kernel or its launch cannot be swept.
    Task(const kernel::Module& module, const kernel::Launch& launch, const Options& options);

    bool is_earlier(uint32_t thread) const { return thread >= seats.size(); }
    const kernel::Seat& seat_of(uint32_t thread) const;
    const Step& step_of(uint32_t statement) const;
    uint32_t number_of(const Step& step) const { return static_cast<uint32_t>(&step - code.data()); }
    Place place_of(const Access& access) const;
    // Both are strong, and each has the other's thread in its scope.
    bool meet(const Access& a, const Access& b) const { return groups.meet(a, seat_of(a.thread), b, seat_of(b.thread)); }

    const kernel::Module& module;
    const kernel::Launch& launch;
    const Options& options;
    const kernel::Function& entry;
    kernel::MemoryLayout layout;  // grows where the kernel allocates
    const kernel::Geometry geometry;
    const std::shared_ptr<const Decoded> decoded;
    const std::shared_ptr<const Linked>& linked;
    const std::vector<Step>& code;
    std::vector<kernel::Seat> seats;  // of threads
    const ScopeGroups groups;
    const bool narrow;                       // Shadow::Before::narrow
    const std::vector<Scope> scopes;         // that the kernel names, the narrowest first: others tell no two threads apart
    const bool asks_wide;                    // Knowledge::wide is kept
    const Left* const before;                // null: this is the first launch
    std::shared_ptr<const Running> running;  // null: nothing else runs
};

}  // namespace litmus::sweep
