// Sets of events and binary relations over events, as bit vectors and bit matrices.
//
// Everything a cat model computes is one of the two. Elements are 0..size-1. All operands of an
// operation have the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace litmus {

class EventSet {
public:
    EventSet() = default;
    explicit EventSet(size_t size) : size_(size), words_((size + 63) / 64) {}

    size_t size() const { return size_; }
    bool contains(size_t e) const { return (words_[e / 64] >> (e % 64)) & 1U; }
    void add(size_t e) { words_[e / 64] |= uint64_t{1} << (e % 64); }
    void remove(size_t e) { words_[e / 64] &= ~(uint64_t{1} << (e % 64)); }
    bool empty() const;
    size_t count() const;
    std::vector<size_t> elements() const;

    EventSet& operator|=(const EventSet& other);
    EventSet& operator&=(const EventSet& other);
    EventSet& operator-=(const EventSet& other);
    friend EventSet operator|(EventSet a, const EventSet& b) { return a |= b; }
    friend EventSet operator&(EventSet a, const EventSet& b) { return a &= b; }
    friend EventSet operator-(EventSet a, const EventSet& b) { return a -= b; }
    friend bool operator==(const EventSet&, const EventSet&) = default;

    static EventSet all(size_t size);

private:
    friend class Relation;
    size_t size_ = 0;
    std::vector<uint64_t> words_;
};

class Relation {
public:
    using Pair = std::pair<size_t, size_t>;

    Relation() = default;
    explicit Relation(size_t size) : size_(size), stride_((size + 63) / 64), words_(size * stride_) {}

    size_t size() const { return size_; }
    bool contains(size_t a, size_t b) const { return (words_[a * stride_ + b / 64] >> (b % 64)) & 1U; }
    void add(size_t a, size_t b) { words_[a * stride_ + b / 64] |= uint64_t{1} << (b % 64); }
    void remove(size_t a, size_t b) { words_[a * stride_ + b / 64] &= ~(uint64_t{1} << (b % 64)); }
    bool empty() const;
    size_t count() const;
    std::vector<Pair> pairs() const;  // in row order
    std::vector<size_t> successors(size_t a) const;

    Relation& operator|=(const Relation& other);
    Relation& operator&=(const Relation& other);
    Relation& operator-=(const Relation& other);
    friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
    friend Relation operator&(Relation a, const Relation& b) { return a &= b; }
    friend Relation operator-(Relation a, const Relation& b) { return a -= b; }
    friend bool operator==(const Relation&, const Relation&) = default;

    EventSet domain() const;
    EventSet range() const;
    Relation inverse() const;
    bool irreflexive() const;
    bool acyclic() const;

    static Relation all(size_t size);
    static Relation identity(size_t size);
    static Relation identity(const EventSet& set);
    static Relation product(const EventSet& a, const EventSet& b);

    friend Relation sequence(const Relation& a, const Relation& b);
    friend Relation transitive_closure(Relation r);

private:
    size_t size_ = 0;
    size_t stride_ = 0;
    std::vector<uint64_t> words_;
};

Relation sequence(const Relation& a, const Relation& b);  // a ; b
Relation transitive_closure(Relation r);                  // r+

}  // namespace litmus
