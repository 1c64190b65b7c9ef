// Where shared locations lie (litmus/language.md, "Declarations"): in the order of declaration, those without a CTA first; arrays are
// 16-byte aligned, in a test with tensor maps 128-byte aligned, scalars, mbarrier objects and tensor maps to their size. Every CTA's shared
// memory starts at offset 0.
#pragma once

#include <cstdint>
#include <optional>

#include "language/test.h"

namespace litmus {

// Where an array begins, in shared memory: at a multiple of so many bytes.
int64_t array_alignment(const Test& test);

// The byte offset of a shared location in the shared memory of this CTA, which must hold an instance of it.
int64_t shared_offset(const Test& test, const Location& location, int cta);

// What lies at a byte offset of a CTA's shared memory.
struct SharedPlace {
    const Location* location = nullptr;
    int64_t offset = 0;  // in the location
};
std::optional<SharedPlace> shared_place(const Test& test, int cta, int64_t offset);

}  // namespace litmus
