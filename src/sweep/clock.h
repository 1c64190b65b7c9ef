// Vector clocks: what a thread knows to have happened.
//
// Each thread, each mbarrier object and each queue of asynchronous operations of a thread has a component. An access carries the number
// that its component had; whoever knows at least that number of this component is ordered after the access. An asynchronous operation that
// an mbarrier object completes has the object's component, with the number of the phase: no component grows out of the number of
// operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace litmus::sweep {

// A clock has two parts: one number that a thread raises for itself, and a vector of what was learned. What many threads learn alike is one
// vector that they share, whatever each goes on to do by itself: after a barrier all have the very same one.
//
// A vector consists of chunks of as many components as a warp has lanes, of those where something is known: a block that never hears of
// another one has nothing of it. Vectors share chunks, too, so that they are compared and joined by those that they do not share. Where
// one of two vectors covers the other, it is their join, and nothing is copied. The first remembers what came of it: the next lane of a
// warp that joins the same two gets the same vector again.
//
// A vector that several clocks have, or that another one remembers, never changes again: who writes copies it, by chunks. What a clock has
// alone is written in place.
class Clock {
public:
    uint32_t operator[](size_t component) const {
        const Chunk* const chunk = learned_ ? learned_->find(component / width) : nullptr;
        const uint32_t number = chunk != nullptr ? (*chunk->numbers)[component % width] : 0;
        return component == component_ ? std::max(number, own_) : number;
    }
    // What is raised again and again, by its own thread.
    void own(size_t component, uint32_t to) {
        if ((*this)[component] >= to) return;
        if (own_ > 0 && component_ != component) raise(component_, std::exchange(own_, 0));
        component_ = component;
        own_ = to;
    }
    void raise(size_t component, uint32_t to) {
        if ((*this)[component] < to) writable(component / width)[component % width] = to;
    }
    void join(const Clock& other) {
        if (other.learned_ && !shares(other)) learned_ = learned_ ? joined(learned_, other.learned_) : other.learned_;
        if (other.own_ > 0) raise(other.component_, other.own_);
    }
    // Forgets what the other one does not know.
    void meet(const Clock& other) {
        tell();
        Clock told = other;
        told.tell();
        if (shares(told)) return;
        learned_ = learned_ && told.learned_ ? met(*learned_, *told.learned_) : nullptr;
    }
    // The part of it for these components, which are whole widths.
    Clock of(size_t begin, size_t end) const {
        Clock part = *this;
        part.tell();
        if (!part.learned_) return part;
        const auto some = std::make_shared<Vector>();
        for (const Chunk& chunk : part.learned_->chunks)
            if (chunk.index >= begin / width && chunk.index < end / width) some->chunks.push_back(chunk);
        part.learned_ = some->chunks.empty() ? nullptr : some;
        return part;
    }
    bool covers(const Clock& other) const {
        if (other.own_ > 0 && (*this)[other.component_] < other.own_) return false;
        if (!other.learned_ || shares(other)) return true;
        Clock both = *this;
        if (own_ > 0) both.writable(component_ / width)[component_ % width] = (*this)[component_];
        return both.learned_ && contains(*both.learned_, *other.learned_);
    }
    // Whether what both have learned is one and the same vector.
    bool shares(const Clock& other) const { return learned_ == other.learned_; }
    // Whether others may know what the thread raised for itself: it is in the vector, too.
    bool has_told() const {
        const Chunk* const chunk = learned_ && own_ > 0 ? learned_->find(component_ / width) : nullptr;
        return own_ == 0 || (chunk != nullptr && (*chunk->numbers)[component_ % width] >= own_);
    }

    static constexpr size_t width = 32;

private:
    using Numbers = std::array<uint32_t, width>;
    struct Chunk {
        size_t index = 0;  // of its first component, in widths
        std::shared_ptr<Numbers> numbers;
    };
    struct Vector {
        std::vector<Chunk> chunks;           // by index
        std::weak_ptr<Vector> origin;        // that it was copied from, and so covers
        std::weak_ptr<Vector> with, joined;  // the last join of this one
        bool fixed = false;                  // another one remembers it as one of these, or it is joined itself

        // Most of what is known lies without gaps: there it is seen at once where a chunk is.
        size_t place(size_t index) const {
            const size_t guess = chunks.empty() ? 0 : index - chunks.front().index;
            if (guess < chunks.size() && chunks[guess].index == index) return guess;
            const auto at = std::lower_bound(chunks.begin(), chunks.end(), index, [](const Chunk& c, size_t i) { return c.index < i; });
            return static_cast<size_t>(at - chunks.begin());
        }
        const Chunk* find(size_t index) const {
            const size_t at = place(index);
            return at < chunks.size() && chunks[at].index == index ? &chunks[at] : nullptr;
        }
    };
    using Shared = std::shared_ptr<Vector>;

    static bool is(const std::weak_ptr<Vector>& remembered, const Shared& vector) {
        return !remembered.owner_before(vector) && !vector.owner_before(remembered);
    }

    // The thread gives its own number to the vector.
    void tell() {
        if (own_ > 0) raise(component_, std::exchange(own_, 0));
    }

    // The numbers of a chunk, for this clock alone.
    Numbers& writable(size_t index) {
        if (!learned_ || learned_.use_count() > 1 || learned_->fixed) {
            const Shared before = std::exchange(learned_, std::make_shared<Vector>());
            if (before) {
                learned_->chunks = before->chunks;
                learned_->origin = before;
                before->fixed = true;
            }
        }
        auto& chunks = learned_->chunks;
        const size_t place = learned_->place(index);
        if (place == chunks.size() || chunks[place].index != index)
            chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(place), {index, std::make_shared<Numbers>()});
        std::shared_ptr<Numbers>& numbers = chunks[place].numbers;
        if (numbers.use_count() > 1) numbers = std::make_shared<Numbers>(*numbers);
        return *numbers;
    }

    static bool contains(const Numbers& a, const Numbers& b) {
        uint32_t less = 0;
        for (size_t i = 0; i < width; ++i) less |= static_cast<uint32_t>(a[i] < b[i]);
        return less == 0;
    }
    static bool contains(const Vector& a, const Vector& b) {
        auto in_a = a.chunks.begin();
        return std::all_of(b.chunks.begin(), b.chunks.end(), [&](const Chunk& in_b) {
            while (in_a != a.chunks.end() && in_a->index < in_b.index) ++in_a;
            if (in_a == a.chunks.end() || in_a->index > in_b.index) return false;
            return in_a->numbers == in_b.numbers || contains(*in_a->numbers, *in_b.numbers);
        });
    }

    static Shared met(const Vector& a, const Vector& b) {
        auto both = std::make_shared<Vector>();
        auto in_a = a.chunks.begin();
        for (const Chunk& in_b : b.chunks) {
            while (in_a != a.chunks.end() && in_a->index < in_b.index) ++in_a;
            if (in_a == a.chunks.end()) break;
            if (in_a->index != in_b.index) continue;
            std::shared_ptr<Numbers> numbers = in_b.numbers;
            if (in_a->numbers != numbers) {
                numbers = std::make_shared<Numbers>(*numbers);
                for (size_t i = 0; i < width; ++i) (*numbers)[i] = std::min((*numbers)[i], (*in_a->numbers)[i]);
            }
            const bool has_some = std::any_of(numbers->begin(), numbers->end(), [](uint32_t number) { return number > 0; });
            if (has_some) both->chunks.push_back({in_b.index, std::move(numbers)});
        }
        return both->chunks.empty() ? nullptr : both;
    }

    // Where each of two has more than the other.
    struct More {
        bool first = false, second = false;
        bool both() const { return first && second; }
        void look(const Numbers& a, const Numbers& b) {
            uint32_t in_a = 0, in_b = 0;
            for (size_t i = 0; i < width; ++i) {
                in_a |= static_cast<uint32_t>(a[i] > b[i]);
                in_b |= static_cast<uint32_t>(a[i] < b[i]);
            }
            first = first || in_a != 0;
            second = second || in_b != 0;
        }
    };
    static More compare(const Vector& a, const Vector& b) {
        More more;
        auto in_a = a.chunks.begin();
        for (auto in_b = b.chunks.begin(); in_b != b.chunks.end() && !more.both(); ++in_b) {
            for (; in_a != a.chunks.end() && in_a->index < in_b->index; ++in_a) more.first = true;
            if (in_a == a.chunks.end() || in_a->index > in_b->index) {
                more.second = true;
                continue;
            }
            if (in_a->numbers != in_b->numbers) more.look(*in_a->numbers, *in_b->numbers);
            ++in_a;
        }
        more.first = more.first || in_a != a.chunks.end();
        return more;
    }

    // Of two that are equal it is the second: the one that was learned last is the one that others have, too.
    static std::shared_ptr<Numbers> joined(const std::shared_ptr<Numbers>& a, const std::shared_ptr<Numbers>& b) {
        if (a == b) return b;
        More more;
        more.look(*a, *b);
        if (!more.both()) return more.first ? a : b;
        auto both = std::make_shared<Numbers>(*a);
        for (size_t i = 0; i < width; ++i) (*both)[i] = std::max((*both)[i], (*b)[i]);
        return both;
    }
    static Shared joined(const Shared& a, const Shared& b) {
        if (is(a->origin, b)) return a;
        if (is(a->with, b))
            if (Shared known = a->joined.lock()) return known;
        const More more = compare(*a, *b);
        const Shared result = more.both() ? merged(*a, *b) : more.first ? a : b;
        if (more.both() || a.use_count() > 1) {  // others may join the same two
            a->with = b;
            a->joined = result;
            a->fixed = b->fixed = result->fixed = true;
        }
        return result;
    }
    static Shared merged(const Vector& a, const Vector& b) {
        auto both = std::make_shared<Vector>();
        both->chunks.reserve(std::max(a.chunks.size(), b.chunks.size()));
        auto in_a = a.chunks.begin();
        for (const Chunk& in_b : b.chunks) {
            for (; in_a != a.chunks.end() && in_a->index < in_b.index; ++in_a) both->chunks.push_back(*in_a);
            const bool in_both = in_a != a.chunks.end() && in_a->index == in_b.index;
            both->chunks.push_back(in_both ? Chunk{in_b.index, joined(in_a->numbers, in_b.numbers)} : in_b);
            if (in_both) ++in_a;
        }
        both->chunks.insert(both->chunks.end(), in_a, a.chunks.end());
        return both;
    }

    Shared learned_;
    size_t component_ = 0;  // that the thread raises for itself
    uint32_t own_ = 0;      // to which number; 0: to none
};

// Memory as a proxy fence names it (9.7.13.4), of the block that executes the fence.
enum class FencedSpace : uint8_t { global, own_shared, shared_of_peers };

// What comes before in time. Of an asynchronous operation that is complete it is known that its thread came to it; what the thread accessed
// before may still be under way then.
struct Time {
    Clock events;    // of everything that counts for a phase or a turn
    Clock accesses;  // of accesses that were performed
    Clock line;      // of strong accesses, where they are in a line (line.h)
    Clock near;      // likewise, since its thread has begun a life (lives.h)
    Clock awaited;   // likewise of reads that have ended a loop: all that comes behind waits for them (ISA 8.10.4)

    uint32_t operator[](size_t component) const { return events[component]; }
    // Whether a join of the two gives to neither what it does not know: cheap, and false where that is not seen at once.
    bool has_met(const Time& other) const {
        return events.shares(other.events) && accesses.shares(other.accesses) && events.has_told() && accesses.has_told();
    }
    void own(size_t component, uint32_t to) {
        events.own(component, to);
        accesses.own(component, to);
    }
    void raise(size_t component, uint32_t to) {
        events.raise(component, to);
        accesses.raise(component, to);
    }
    void join(const Time& other) {
        follow(other);
        accesses.join(other.accesses);
    }
    // All but the accesses, which may still be under way.
    void follow(const Time& other) {
        events.join(other.events);
        line.join(other.line);
        near.join(other.line);
        awaited.join(other.awaited);
    }
};

// What is ordered: several orders at once. Base causality order (ISA 8.9.5) decides races of generic accesses. A generic access is ordered
// before an asynchronous one only where a proxy fence lies between, in the block of the latter (8.9.2); what an asynchronous operation did
// is ordered before both kinds once it is known to be complete. A read before an asynchronous write needs no fence where an mbarrier object
// gave the place back (model/semantics.md, section 8, `war-performed`). `time` adds what publishes nothing and yet comes before, as a
// shuffle does: it decides which phase a wait can see.
inline constexpr uint32_t maps_as_block = UINT32_MAX, caches_as_block = UINT32_MAX - 1;  // of Causes::fenced

struct Causes {
    Clock order, completed;
    Clock given;                       // what mbarrier objects ordered
    Clock initialised;                 // what fence.mbarrier_init published (9.7.13.4): of mbarrier objects alone
    Clock aliased;                     // what an alias proxy fence has covered (multimem.cpp)
    std::map<uint32_t, Clock> fenced;  // by fence_key()

    static uint32_t fence_key(uint32_t block, FencedSpace space) { return block * 4 + static_cast<uint32_t>(space); }

    void join(const Causes& other) {
        order.join(other.order);
        completed.join(other.completed);
        given.join(other.given);
        initialised.join(other.initialised);
        aliased.join(other.aliased);
        for (const auto& [block, clock] : other.fenced) fenced[block].join(clock);
    }
    void complete(size_t component, uint32_t to) {
        order.raise(component, to);
        completed.raise(component, to);
    }
    // Generic accesses that are ordered before an asynchronous one of that block there, and asynchronous ones of other blocks.
    const Clock& before_async(uint32_t block, FencedSpace space) const {
        static const Clock nothing;
        const auto found = fenced.find(fence_key(block, space));
        return found != fenced.end() ? found->second : nothing;
    }
};

// Something that most have not, in a pointer; a copy of its own for each.
template <typename T>
class Aside {
public:
    Aside() = default;
    Aside(const Aside& other) : it_(other.it_ ? std::make_unique<T>(*other.it_) : nullptr) {}
    Aside(Aside&&) noexcept = default;
    Aside& operator=(const Aside& other) {
        it_ = other.it_ ? std::make_unique<T>(*other.it_) : nullptr;
        return *this;
    }
    Aside& operator=(Aside&&) noexcept = default;
    ~Aside() = default;

    explicit operator bool() const { return it_ != nullptr; }
    const T& operator*() const { return *it_; }
    T* operator->() { return it_.get(); }
    const T* operator->() const { return it_.get(); }
    T& make() {
        if (!it_) it_ = std::make_unique<T>();
        return *it_;
    }

private:
    std::unique_ptr<T> it_;
};

struct Knowledge : Causes {
    Time time;
    Clock phases;  // by mbarrier object: how many of its phases no wait can miss any more that comes behind
    // What would be known if mbarrier objects synchronised whatever the scopes; where that is asked for (Swept::of_scopes_alone).
    Aside<Causes> wide;

    void join(const Knowledge& other) {
        Causes::join(other);
        time.join(other.time);
        phases.join(other.phases);
        if (other.wide) wide.make().join(*other.wide);
    }
    // Of an asynchronous operation.
    void complete(size_t component, uint32_t to) {
        Causes::complete(component, to);
        time.raise(component, to);
        if (wide) wide->complete(component, to);
    }
    // An access of another thread, which nothing but itself has published.
    void find(size_t component, uint32_t to) {
        order.raise(component, to);
        time.raise(component, to);
        if (wide) wide->order.raise(component, to);
    }
    // Of a thread's own accesses.
    void own(size_t component, uint32_t to) {
        order.own(component, to);
        time.own(component, to);
        if (wide) wide->order.own(component, to);
    }
    void cover(uint32_t key) {  // by a proxy fence
        fenced[key] = order;
        if (wide) wide->fenced[key] = wide->order;
    }
    void cover_aliases() {
        aliased = order;
        if (wide) wide->aliased = wide->order;
    }
    void initialise(size_t component, uint32_t to) {
        initialised.raise(component, to);
        if (wide) wide->initialised.raise(component, to);
    }
    void learn_initialised(const Knowledge& other) {
        initialised.join(other.initialised);
        if (other.wide) wide.make().initialised.join(other.wide->initialised);
    }
};

}  // namespace litmus::sweep
