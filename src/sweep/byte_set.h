// A set of bytes, as the pieces in which they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace litmus::sweep {

class ByteSet {
public:
    void add(uint64_t begin, uint64_t end);
    bool meet(uint64_t begin, uint64_t end) const;
    bool meet(const ByteSet& other) const;

private:
    static constexpr size_t most = 50'000;
    std::map<uint64_t, uint64_t> ends_;  // by begin, apart
    bool all_ = false;                   // too many pieces: taken for all there are
};

}  // namespace litmus::sweep
