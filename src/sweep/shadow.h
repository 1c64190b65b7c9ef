// Which accesses a piece of memory has seen that a later one could race with.
//
// Memory is cut into intervals of bytes whose accesses are the same. Each interval keeps the last write, and the reads since then that no
// later read is ordered after. An access that is ordered before a kept one is dropped, since whoever is ordered after the kept one is
// ordered after both. There are two exceptions. The completion of an asynchronous operation publishes itself alone, so what it comes after
// is kept beside it. And a strong write does not race with other strong accesses, so weak writes before it are kept, too.
//
// Intervals lie in pages, in order, and none goes over the end of its page: what an access meets stands side by side, and few others move
// where one is cut.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ptx/instruction.h"
#include "sweep/clock.h"

namespace litmus::sweep {

inline constexpr uint32_t since_begin = UINT32_MAX;  // of Access::since

struct Access {
    size_t component = 0;          // of a Clock; with `number`: when it took place
    uint32_t number = 0;           // 0: there was none
    uint32_t thread = 0;           // of the launch
    uint32_t statement = 0;        // of the kernel
    uint32_t since = since_begin;  // the statement by which its thread has synchronised last with other warps
    Scope scope = Scope::none;     // of a strong access (ISA 8.7.1); none: a weak one
    uint8_t size = 0;              // of an element, bytes
    uint8_t reduction = 0;         // of a strong write: as Step::reduction
    uint8_t address = 0;           // by which it came here: 0, the location's own; else a multimem address
    uint8_t settled = 0;           // the last read of a loop that only waits: bit i: element i is the same in every order
    bool writes : 1 = false;
    bool asynchronous : 1 = false;  // through the async proxy
    bool apart : 1 = false;  // an asynchronous operation whose completion publishes itself alone, not what came before its issue (8.9.1.1)
    bool carries : 1 = false;  // by tcgen05: what is ordered before it is also ordered before what is ordered after it
    bool repeats : 1 = false;  // a read of a loop that only waits, which goes on (poll.cpp): it needs no keeping
    bool reduces : 1 = false;  // and gives nothing: with others like it the order changes nothing
    bool finds : 1 = false;    // a strong one that gives its thread what it finds
    bool by_name : 1 = false;  // by an address that names its block, or its thread (exchange.h)
};

// A list that is empty most of the time, and takes a pointer then: memory has very many intervals.
template <typename T>
class Few {
public:
    Few() = default;
    Few(const Few& other) : some_(other.some_ ? std::make_unique<std::vector<T>>(*other.some_) : nullptr) {}
    Few(Few&&) noexcept = default;
    Few& operator=(const Few&) = delete;
    Few& operator=(Few&&) noexcept = default;
    ~Few() = default;

    T* begin() const { return some_ ? some_->data() : nullptr; }
    T* end() const { return some_ ? some_->data() + some_->size() : nullptr; }
    void push_back(T one) {
        if (!some_) some_ = std::make_unique<std::vector<T>>();
        some_->push_back(std::move(one));
    }
    template <typename Is>
    void erase_if(const Is& is) {
        if (some_) std::erase_if(*some_, is);
    }

private:
    std::unique_ptr<std::vector<T>> some_;
};

// A clock knows accesses, and those by another address only where `aliased` knows them, too. It looks at a component once for all intervals
// that follow each other with it.
class Known {
public:
    Known(const Clock& clock, const Clock* aliased = nullptr) : clock_(&clock), aliased_(aliased) {}
    bool has(size_t component, uint32_t number, bool by_other_address) const {
        if (component != component_) {
            component_ = component;
            number_ = (*clock_)[component];
        }
        return number_ >= number && (!by_other_address || (aliased_ != nullptr && (*aliased_)[component] >= number));
    }

private:
    const Clock* clock_;
    const Clock* aliased_;
    mutable size_t component_ = SIZE_MAX;
    mutable uint32_t number_ = 0;
};

class Shadow {
public:
    // Called with an earlier access that is not ordered before the new one, of which at least one writes, and with the first byte of both.
    using Conflict = std::function<void(const Access& earlier, uint64_t at)>;

    // What is ordered before the new access to [begin, end): of earlier writes, and of earlier reads, where the new one writes.
    struct Before {
        Known writes;
        Known reads;
        Known carried;  // whatever the proxies: of reads that carry
        // Some strong access of the launch has a scope that lacks threads. It may be morally strong with one of two accesses, and not with
        // the other, though both have all threads in their scopes.
        bool narrow = false;
    };
    void access(uint64_t begin, uint64_t end, const Access& access, const Before& before, const Conflict& conflict);
    // Likewise of an access that leaves no trace here.
    void probe(uint64_t begin, uint64_t end, const Access& access, const Before& before, const Conflict& conflict) const;

    bool is_written(uint64_t at) const;  // by any access before
    void change(const std::function<void(Access&)>& each);
    void each(const std::function<void(uint64_t begin, uint64_t end, const Access&)>& each) const;  // that it keeps
    size_t intervals() const;
    // The bytes that were written: beginnings with ends, in order and apart.
    std::map<uint64_t, uint64_t> written() const;

private:
    // A write that a strong one came after. Who is ordered after the latter is ordered after both; who only meets the latter may race with
    // it.
    struct Hidden {
        Access write;
        Access by;             // a later write that it is ordered before; number 0: none
        Few<Access> carriers;  // reads of it that carry
    };
    struct Cell {
        uint32_t begin = 0, end = 0;  // in its page
        Access write;
        Few<Access> reads;
        Few<Hidden> hidden;  // before `write`, where it is strong
    };
    static constexpr uint64_t page_bytes = 512;
    using Page = std::vector<Cell>;  // in order and apart
    static size_t cut(Page& page, size_t cell, uint32_t at);
    static size_t from(Page& page, uint32_t at);
    static void hide_write(Cell& met);
    static void check(const Cell& met, uint64_t at, const Access& access, const Before& before, const Conflict& conflict);
    static void meet(Cell& met, uint64_t at, const Access& access, const Before& before, const Conflict& conflict);
    static void access_page(Page& page, uint64_t first, uint32_t begin, uint32_t end, const Access& access, const Before& before,
                            const Conflict& conflict);

    std::vector<Page> pages_;
};

}  // namespace litmus::sweep
