// What words of 64 bits in memory can be, so that a pointer which is read from memory can be followed.
//
// A kernel that links buffers stores addresses that are known, and loads them again. A word of memory is one of what it holds at the
// start, 0, and what is stored there, as long as only such words are stored there, whole. Of any other write it is *spoilt*: it can be
// anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace litmus::kernel {

class StoredWords {
public:
    using Place = std::pair<size_t, uint64_t>;  // an object, and an offset that is a multiple of 8
    using Words = std::map<Place, std::set<uint64_t>>;

    // Bytes from `offset` on of an object get one of these words, of 8 bytes each.
    void store(size_t object, uint64_t offset, const std::vector<uint64_t>& words);
    // They get something else; without a place, all of the object may.
    void spoil(size_t object, uint64_t offset, uint64_t bytes);
    void spoil(size_t object) { objects_.insert(object); }
    // What any of both does.
    void join(const StoredWords& other);

    // The places that hold a pointer and are not spoilt, with what is stored there.
    Words pointers(const std::function<bool(uint64_t word)>& is_pointer) const;

    friend bool operator==(const StoredWords&, const StoredWords&) = default;

private:
    Words words_;
    std::set<Place> spoilt_;
    std::set<size_t> objects_;  // spoilt
};

}  // namespace litmus::kernel
