// Pieces that touch or overlap become one.
#include "sweep/byte_set.h"

#include <algorithm>
#include <iterator>

namespace litmus::sweep {

void ByteSet::add(uint64_t begin, uint64_t end) {
    if (all_) return;
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ends_.end() && at->first <= end) {
        begin = std::min(begin, at->first);
        end = std::max(end, at->second);
        at = ends_.erase(at);
    }
    ends_.emplace(begin, end);
    all_ = ends_.size() > most;
}

void ByteSet::add(const ByteSet& other) {
    all_ = all_ || other.all_;
    for (const auto& [begin, end] : other.ends_) add(begin, end);
}

bool ByteSet::has_all(uint64_t begin, uint64_t end) const {
    const auto behind = ends_.upper_bound(begin);
    return all_ || (behind != ends_.begin() && std::prev(behind)->second >= end);
}

bool ByteSet::meet(uint64_t begin, uint64_t end) const {
    const auto behind = ends_.lower_bound(end);
    return all_ || (behind != ends_.begin() && std::prev(behind)->second > begin);
}

bool ByteSet::meet(const ByteSet& other) const {
    if (all_ || other.all_) return true;
    return std::any_of(ends_.begin(), ends_.end(), [&](const auto& piece) { return other.meet(piece.first, piece.second); });
}

}  // namespace litmus::sweep
