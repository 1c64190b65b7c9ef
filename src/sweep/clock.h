// Vector clocks: what a thread knows to have happened.
//
// Each thread, each mbarrier object and each queue of asynchronous operations of a thread has a component. An access carries the number
// that its component had; whoever knows at least that number of this component is ordered after the access. An asynchronous operation that
// an mbarrier object completes has the object's component, with the number of the phase: no component grows out of the number of
// operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace litmus::sweep {

// What many threads know alike is one vector that they share: after a barrier all know the same, but for what each goes on to do. So the
// one component that was raised last stands apart, and the vector is copied only where another one is raised, or where two clocks that do
// not cover each other are joined.
class Clock {
public:
    uint32_t operator[](size_t component) const {
        const uint32_t shared = at_ && component < at_->size() ? (*at_)[component] : 0;
        return component == last_ ? std::max(shared, raised_) : shared;
    }
    void raise(size_t component, uint32_t to) {
        if ((*this)[component] >= to) return;
        if (raised_ > 0 && last_ != component) settle();
        last_ = component;
        raised_ = to;
    }
    void join(const Clock& other) {
        if (other.at_ && at_ != other.at_) {
            if (!at_ || contains(*other.at_, *at_)) {
                at_ = other.at_;
            } else if (!contains(*at_, *other.at_)) {
                std::vector<uint32_t>& own = writable(other.at_->size());
                for (size_t i = 0; i < other.at_->size(); ++i) own[i] = std::max(own[i], (*other.at_)[i]);
            }
        }
        if (other.raised_ > 0) raise(other.last_, other.raised_);
    }
    bool covers(const Clock& other) const {
        if (other.raised_ > 0 && (*this)[other.last_] < other.raised_) return false;
        if (!other.at_ || at_ == other.at_) return true;
        for (size_t i = 0; i < other.at_->size(); ++i)
            if ((*this)[i] < (*other.at_)[i]) return false;
        return true;
    }

private:
    using Vector = std::vector<uint32_t>;  // by component; 0 beyond

    static bool contains(const Vector& a, const Vector& b) {
        for (size_t i = 0; i < b.size(); ++i)
            if (b[i] > (i < a.size() ? a[i] : 0)) return false;
        return true;
    }
    // The vector, for this clock alone, with so many components at least.
    Vector& writable(size_t components) {
        if (!at_)
            at_ = std::make_shared<Vector>();
        else if (at_.use_count() > 1)
            at_ = std::make_shared<Vector>(*at_);
        if (at_->size() < components) at_->resize(components);
        return *at_;
    }
    void settle() {
        Vector& own = writable(last_ + 1);
        own[last_] = std::max(own[last_], raised_);
        raised_ = 0;
    }

    std::shared_ptr<Vector> at_;
    size_t last_ = 0;      // the component that was raised last
    uint32_t raised_ = 0;  // to which number; 0: to none
};

// Memory as a proxy fence names it (9.7.13.4), of the block that executes the fence.
enum class FencedSpace : uint8_t { global, own_shared, shared_of_peers };

// What comes before in time. Of an asynchronous operation that is complete it is known that its thread came to it; what the thread accessed
// before may still be under way then.
struct Time {
    Clock events;    // of everything that counts for a phase or a turn
    Clock accesses;  // of accesses that were performed

    uint32_t operator[](size_t component) const { return events[component]; }
    void raise(size_t component, uint32_t to) {
        events.raise(component, to);
        accesses.raise(component, to);
    }
    void join(const Time& other) {
        events.join(other.events);
        accesses.join(other.accesses);
    }
};

// Several orders at once. Base causality order (ISA 8.9.5) decides races of generic accesses. A generic access is ordered before an
// asynchronous one only where a proxy fence lies between, in the block of the latter (8.9.2); what an asynchronous operation did is ordered
// before both kinds once it is known to be complete. A read before an asynchronous write needs no fence where an mbarrier object gave the
// place back (model/semantics.md, section 8, `war-performed`). `time` adds what publishes nothing and yet comes before, as a shuffle does:
// it decides which phase a wait can see.
struct Knowledge {
    Clock order, completed;
    Time time;
    Clock given;                       // what mbarrier objects ordered
    Clock initialised;                 // what fence.mbarrier_init published (9.7.13.4): of mbarrier objects alone
    std::map<uint32_t, Clock> fenced;  // by fence_key()

    static uint32_t fence_key(uint32_t block, FencedSpace space) { return block * 4 + static_cast<uint32_t>(space); }

    void join(const Knowledge& other) {
        order.join(other.order);
        completed.join(other.completed);
        time.join(other.time);
        given.join(other.given);
        initialised.join(other.initialised);
        for (const auto& [block, clock] : other.fenced) fenced[block].join(clock);
    }
    // Of an asynchronous operation.
    void complete(size_t component, uint32_t to) {
        order.raise(component, to);
        completed.raise(component, to);
        time.raise(component, to);
    }
    // Of a thread's own accesses.
    void own(size_t component, uint32_t to) {
        order.raise(component, to);
        time.raise(component, to);
    }
    // Generic accesses that are ordered before an asynchronous one of that block there, and asynchronous ones of other blocks.
    Clock before_async(uint32_t block, FencedSpace space) const {
        const auto found = fenced.find(fence_key(block, space));
        return found != fenced.end() ? found->second : Clock();
    }
};

}  // namespace litmus::sweep
