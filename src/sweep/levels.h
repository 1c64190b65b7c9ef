// Scopes, and what is known for each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ptx/instruction.h"
#include "sweep/clock.h"

namespace litmus::sweep {

// The scopes .gpu and .sys have the same threads on one GPU.
inline Scope widest(Scope scope, uint32_t gpus) {
    return scope == Scope::gpu && gpus == 1 ? Scope::sys : scope;
}

inline bool acquires(Sem sem) {
    return sem == Sem::acquire || sem == Sem::acq_rel || sem == Sem::sc;
}
inline bool releases(Sem sem) {
    return sem == Sem::release || sem == Sem::acq_rel || sem == Sem::sc;
}

// Knowledge that a thread has released, or observed, for each scope. A scope stands for the group of threads that it has around the thread
// (ISA 8.5). A release and an acquire synchronize if each scope has the other's thread (8.9.4). Groups are nested. So this holds if both
// threads are in one group of the narrower scope. A release is kept for its scope and for each narrower one. An acquire gets what is kept
// for its scope and for each narrower one.
class Levels {
public:
    Knowledge& operator[](Scope scope) { return levels_[index(scope)]; }
    const Knowledge& operator[](Scope scope) const { return levels_[index(scope)]; }
    // A fence of this scope releases it.
    void set(Scope scope, const Knowledge& known) {
        for (size_t i = 0; i <= index(scope); ++i) levels_[i] = known;
        widest_ = std::max(widest_, scope);
    }
    // Whether there was such a fence.
    bool has(Scope scope) const { return scope <= widest_; }

private:
    static size_t index(Scope scope) { return scope == Scope::none ? 0 : static_cast<size_t>(scope) - static_cast<size_t>(Scope::cta); }
    std::array<Knowledge, 4> levels_;
    Scope widest_ = Scope::none;
};

}  // namespace litmus::sweep
