// A set of bytes, as the pieces in which they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace litmus::sweep {

class ByteSet {
public:
    void add(uint64_t begin, uint64_t end);
    void add(const ByteSet& other);
    bool has_all(uint64_t begin, uint64_t end) const;
    bool meet(uint64_t begin, uint64_t end) const;
    bool meet(const ByteSet& other) const;
    // Calls `each` with the beginning and the end of each piece, up to this end.
    template <typename Each>
    void pieces(uint64_t until, const Each& each) const {
        if (all_) return each(uint64_t{0}, until);
        for (const auto& [begin, end] : ends_)
            if (begin < until) each(begin, end < until ? end : until);
    }

private:
    static constexpr size_t most = 50'000;
    std::map<uint64_t, uint64_t> ends_;  // by begin, apart
    bool all_ = false;                   // too many pieces: taken for all there are
};

}  // namespace litmus::sweep
