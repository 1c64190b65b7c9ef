// The groups of threads that scopes have around a thread (ISA 8.5), and which strong accesses are in each other's.
#pragma once

#include <cstdint>

#include "kernel/dimensions.h"
#include "kernel/seat.h"
#include "sweep/levels.h"
#include "sweep/shadow.h"

namespace litmus::sweep {

class ScopeGroups {
public:
    ScopeGroups(const kernel::Geometry& geometry, uint32_t gpus) : geometry_(geometry), gpus_(gpus) {}

    uint32_t gpu_of(uint32_t block) const { return gpus_ == 1 ? 0 : block / (geometry_.blocks() / gpus_); }
    Scope widest(Scope scope) const { return sweep::widest(scope, gpus_); }
    // The number of the group that this scope has around a thread.
    uint32_t of(Scope scope, const kernel::Seat& seat) const {
        switch (scope) {
            case Scope::cta:
                return seat.block;
            case Scope::cluster:
                return seat.cluster;
            case Scope::gpu:
                return gpu_of(seat.block);
            case Scope::none:
            case Scope::sys:
                break;
        }
        return 0;
    }
    // Both are strong, each scope has the other's thread, and they overlap completely (ISA 8.7.1): elements are aligned, so those of one
    // size do.
    bool meet(const Access& a, const kernel::Seat& one, const Access& b, const kernel::Seat& other) const {
        const auto reaches = [&](Scope scope) { return scope != Scope::none && of(scope, one) == of(scope, other); };
        return reaches(a.scope) && reaches(b.scope) && a.size == b.size && a.asynchronous == b.asynchronous;
    }

private:
    const kernel::Geometry& geometry_;
    const uint32_t gpus_;
};

}  // namespace litmus::sweep
