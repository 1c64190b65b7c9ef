// Sets of words by place.
#include "kernel/stored.h"

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

std::set<uint64_t> StoredWords::at(size_t object, uint64_t offset) const {
    const auto found = words_.find({object, offset});
    if (found == words_.end() || objects_.contains(object) || spoilt_.contains({object, offset})) return {};
    return found->second;
}

}  // namespace litmus::kernel
