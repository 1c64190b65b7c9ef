// `new` and `delete` that count what a thread has of memory (base/budget.h).
//
// No part of the library: the language lets a program replace these functions, and it is for the program to say so. The executables are
// linked with it (litmus_counting); a program that is not has no bound on memory. The sizes are those that malloc really sets aside.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "base/budget.h"

// AddressSanitizer has functions of its own, which must not be mixed with others: with it nothing is counted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LITMUS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LITMUS_ADDRESS_SANITIZER
#endif
#ifndef LITMUS_ADDRESS_SANITIZER

void* operator new(std::size_t size) {
    void* block = std::malloc(size > 0 ? size : 1);
    if (block == nullptr) throw std::bad_alloc();
    litmus::count_allocated(static_cast<int64_t>(malloc_usable_size(block)));
    return block;
}

void operator delete(void* block) noexcept {
    litmus::count_allocated(-static_cast<int64_t>(malloc_usable_size(block)));
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

#endif
