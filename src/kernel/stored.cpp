// Sets of words by place.
#include "kernel/stored.h"

#include <algorithm>

namespace litmus::kernel {

namespace {

constexpr uint64_t word_bytes = 8;

}  // namespace

void StoredWords::store(size_t object, uint64_t offset, const std::vector<uint64_t>& words) {
    if (offset % word_bytes != 0) return spoil(object, offset, word_bytes);
    words_[{object, offset}].insert(words.begin(), words.end());
}

void StoredWords::spoil(size_t object, uint64_t offset, uint64_t bytes) {
    for (uint64_t at = offset - offset % word_bytes; at < offset + bytes; at += word_bytes) spoilt_.insert({object, at});
}

void StoredWords::join(const StoredWords& other) {
    for (const auto& [place, words] : other.words_) words_[place].insert(words.begin(), words.end());
    spoilt_.insert(other.spoilt_.begin(), other.spoilt_.end());
    objects_.insert(other.objects_.begin(), other.objects_.end());
}

StoredWords::Words StoredWords::pointers(const std::function<bool(uint64_t)>& is_pointer) const {
    Words found;
    for (const auto& [place, words] : words_) {
        const bool is_spoilt = objects_.contains(place.first) || spoilt_.contains(place);
        if (!is_spoilt && std::any_of(words.begin(), words.end(), is_pointer)) found.emplace(place, words);
    }
    return found;
}

}  // namespace litmus::kernel
