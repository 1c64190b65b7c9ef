// Bit-vector sets and bit-matrix relations (see relation.h): a row of a relation is the set of its
// successors, so composition and closure work on 64 pairs at a time.
#include "base/relation.h"

#include <algorithm>
#include <bit>

namespace litmus {

namespace {

// Calls `visit` with every set bit, in order.
template <class Visit>
void for_each_bit(const uint64_t* words, size_t count, const Visit& visit) {
    for (size_t w = 0; w < count; ++w) {
        for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) visit(w * 64 + static_cast<size_t>(std::countr_zero(bits)));
    }
}

bool none(const std::vector<uint64_t>& words) {
    return std::all_of(words.begin(), words.end(), [](uint64_t word) { return word == 0; });
}

size_t population(const std::vector<uint64_t>& words) {
    size_t total = 0;
    for (const uint64_t word : words) total += static_cast<size_t>(std::popcount(word));
    return total;
}

void unite(uint64_t* to, const uint64_t* from, size_t count) {
    for (size_t w = 0; w < count; ++w) to[w] |= from[w];
}

void unite(std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    unite(a.data(), b.data(), a.size());
}

void intersect(std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    for (size_t w = 0; w < a.size(); ++w) a[w] &= b[w];
}

void subtract(std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    for (size_t w = 0; w < a.size(); ++w) a[w] &= ~b[w];
}

}  // namespace

bool EventSet::empty() const {
    return none(words_);
}
size_t EventSet::count() const {
    return population(words_);
}

std::vector<size_t> EventSet::elements() const {
    std::vector<size_t> result;
    for_each_bit(words_.data(), words_.size(), [&](size_t e) { result.push_back(e); });
    return result;
}

EventSet& EventSet::operator|=(const EventSet& other) {
    unite(words_, other.words_);
    return *this;
}

EventSet& EventSet::operator&=(const EventSet& other) {
    intersect(words_, other.words_);
    return *this;
}

EventSet& EventSet::operator-=(const EventSet& other) {
    subtract(words_, other.words_);
    return *this;
}

EventSet EventSet::all(size_t size) {
    EventSet result(size);
    for (size_t e = 0; e < size; ++e) result.add(e);
    return result;
}

bool Relation::empty() const {
    return none(words_);
}
size_t Relation::count() const {
    return population(words_);
}

std::vector<Relation::Pair> Relation::pairs() const {
    std::vector<Pair> result;
    for (size_t a = 0; a < size_; ++a) {
        for_each_bit(&words_[a * stride_], stride_, [&](size_t b) { result.emplace_back(a, b); });
    }
    return result;
}

std::vector<size_t> Relation::successors(size_t a) const {
    std::vector<size_t> result;
    for_each_bit(&words_[a * stride_], stride_, [&](size_t b) { result.push_back(b); });
    return result;
}

Relation& Relation::operator|=(const Relation& other) {
    unite(words_, other.words_);
    return *this;
}

Relation& Relation::operator&=(const Relation& other) {
    intersect(words_, other.words_);
    return *this;
}

Relation& Relation::operator-=(const Relation& other) {
    subtract(words_, other.words_);
    return *this;
}

EventSet Relation::domain() const {
    EventSet result(size_);
    for (size_t a = 0; a < size_; ++a) {
        const auto row = words_.begin() + static_cast<std::ptrdiff_t>(a * stride_);
        if (std::any_of(row, row + static_cast<std::ptrdiff_t>(stride_), [](uint64_t word) { return word != 0; })) result.add(a);
    }
    return result;
}

EventSet Relation::range() const {
    EventSet result(size_);
    for (size_t a = 0; a < size_; ++a) unite(result.words_.data(), &words_[a * stride_], stride_);
    return result;
}

Relation Relation::inverse() const {
    Relation result(size_);
    for (size_t a = 0; a < size_; ++a) {
        for_each_bit(&words_[a * stride_], stride_, [&](size_t b) { result.add(b, a); });
    }
    return result;
}

bool Relation::irreflexive() const {
    for (size_t a = 0; a < size_; ++a) {
        if (contains(a, a)) return false;
    }
    return true;
}

bool Relation::acyclic() const {
    return transitive_closure(*this).irreflexive();
}

Relation Relation::all(size_t size) {
    const EventSet everything = EventSet::all(size);
    return product(everything, everything);
}

Relation Relation::identity(size_t size) {
    return identity(EventSet::all(size));
}

Relation Relation::identity(const EventSet& set) {
    Relation result(set.size());
    for_each_bit(set.words_.data(), set.words_.size(), [&](size_t e) { result.add(e, e); });
    return result;
}

Relation Relation::product(const EventSet& a, const EventSet& b) {
    Relation result(a.size());
    for_each_bit(a.words_.data(), a.words_.size(),
                 [&](size_t e) { unite(&result.words_[e * result.stride_], b.words_.data(), result.stride_); });
    return result;
}

// A row of a;b is the union of b's rows at the successors in a.
Relation sequence(const Relation& a, const Relation& b) {
    Relation result(a.size_);
    const size_t stride = a.stride_;
    for (size_t from = 0; from < a.size_; ++from) {
        uint64_t* row = result.words_.data() + from * stride;
        for_each_bit(a.words_.data() + from * stride, stride, [&](size_t via) { unite(row, b.words_.data() + via * stride, stride); });
    }
    return result;
}

// Warshall's algorithm, a row at a time: after step `via`, a row holds everything its element reaches
// through intermediate elements up to `via`.
Relation transitive_closure(Relation r) {
    for (size_t via = 0; via < r.size_; ++via) {
        const uint64_t* reached = r.words_.data() + via * r.stride_;
        for (size_t from = 0; from < r.size_; ++from) {
            if (r.contains(from, via)) unite(r.words_.data() + from * r.stride_, reached, r.stride_);
        }
    }
    return r;
}

}  // namespace litmus
