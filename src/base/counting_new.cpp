// `new` and `delete` that count what a thread has of memory (base/budget.h), and are quick with small blocks.
//
// No part of the library: the language lets a program replace these functions, and it is for the program to say so. The executables are
// linked with it (litmus_counting); a program that is not has no bound on memory.
//
// Before each block stands its size. A small block that is given back goes to a list of its thread, one for each size, and the next one
// of that size is taken from there; where the list is empty it is cut from a slab. Nearly all blocks are small and live for a moment.
// malloc, which joins neighbours and serves all threads, took a third of the time of a run. A thread that ends leaves its lists to those
// that go on.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

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

namespace {

// A block begins at a multiple of the unit, and its size, with the word that says it, is one, too.
constexpr std::size_t unit = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr std::size_t largest_small = 2048, slab_bytes = 64 * 1024;

std::size_t& size_of(void* block) {
    return static_cast<std::size_t*>(block)[-1];
}

// A block that is free.
struct Free {
    Free* next = nullptr;
};

struct List {
    Free *first = nullptr, *last = nullptr;  // last: where there is a first

    void put(void* block) {
        Free* const free = new (block) Free{first};
        if (first == nullptr) last = free;
        first = free;
    }
    void* take() {
        Free* const taken = std::exchange(first, first->next);
        __builtin_prefetch(first, 1);  // what is taken next may have been free for long, and is in no cache
        return taken;
    }
    void put_all(List& other) {
        if (other.first == nullptr) return;
        other.last->next = first;
        if (first == nullptr) last = other.last;
        first = std::exchange(other.first, nullptr);
    }
};

using Lists = std::array<List, largest_small / unit + 1>;  // by size

// What threads left that ended, and what those gave back that have no lists.
struct Left {
    std::mutex mutex;
    Lists lists{};
};
constinit Left left;

// A thread's own, and what is not cut yet of its slab. They need no destructor, so they are there for whatever is destroyed last.
struct Own {
    bool has_lists = false;  // from its first small block to its end
    Lists lists{};
    char *begin = nullptr, *end = nullptr;
};
constinit thread_local Own own;

// At the end of a thread with lists.
struct Leaving {
    Leaving() { own.has_lists = true; }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() {
        own.has_lists = false;
        const std::lock_guard lock(left.mutex);
        for (std::size_t i = 0; i < own.lists.size(); ++i) left.lists[i].put_all(own.lists[i]);
    }
};

void* checked(void* block) {
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

// A small block where the list of its size is empty.
void* cut(std::size_t size) {
    static thread_local const Leaving leaving;
    {
        const std::lock_guard lock(left.mutex);
        List& list = own.lists[size / unit];
        list.put_all(left.lists[size / unit]);
        if (list.first != nullptr) return list.take();
    }
    if (static_cast<std::size_t>(own.end - own.begin) < size) {
        own.begin = static_cast<char*>(checked(std::malloc(slab_bytes)));
        own.end = own.begin + slab_bytes - unit;
        own.begin += unit;
    }
    return std::exchange(own.begin, own.begin + size);
}

void leave(void* block, std::size_t size) {
    const std::lock_guard lock(left.mutex);
    left.lists[size / unit].put(block);
}

}  // namespace

void* operator new(std::size_t wanted) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - 2 * unit;
    if (wanted > most) throw std::bad_alloc();
    const std::size_t size = (wanted + sizeof(std::size_t) + unit - 1) / unit * unit;
    void* block = nullptr;
    if (size > largest_small)
        block = static_cast<char*>(checked(std::malloc(size + unit))) + unit;
    else if (List& list = own.lists[size / unit]; list.first != nullptr)
        block = list.take();
    else
        block = cut(size);
    size_of(block) = size;
    litmus::count_allocated(static_cast<int64_t>(size));
    return block;
}

void operator delete(void* block) noexcept {
    if (block == nullptr) return;
    const std::size_t size = size_of(block);
    litmus::count_allocated(-static_cast<int64_t>(size));
    if (size > largest_small) return std::free(static_cast<char*>(block) - unit);
    if (!own.has_lists) return leave(block, size);
    own.lists[size / unit].put(block);
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

#endif
