// The phases of mbarrier objects (ISA 9.7.13.15): arrivals, expected bytes, and what a wait gives.
#pragma once

#include <cstdint>

#include "sweep/mbarrier.h"
#include "sweep/observer.h"

namespace litmus::sweep {

class Phases {
public:
    Phases(const Task& task, Account& account, Observer& observer) : task_(task), account_(account), observer_(observer) {}

    // The object at a place, for an operation of the thread on it; that it is not initialised is a finding.
    Mbarrier& at(const Thread& thread, const Spot& spot, const Step& step);
    void initialise(Thread& thread, const Spot& spot, int64_t count, const Step& step);
    void invalidate(const Thread& thread, Mbarrier& object, const Step& step);
    void expect(const Thread& thread, Mbarrier& object, int64_t bytes, const Step& step);
    void complete(Thread& thread, Mbarrier& object, int64_t bytes, const Step& step);  // the thread itself says that they have come
    void arrive(Thread& thread, Mbarrier& object, int64_t arrivals, const Step& step);
    // Hands on what the thread publishes to those who wait for the open phase.
    void publish(const Thread& thread, Mbarrier& object, const Step& step) const;
    void settle(Mbarrier& object);  // the phase ends where nothing is pending
    // A wait for a phase that is over, the last one unless something is wrong; `completed`: phases that the thread knew to be over.
    void pass(Thread& thread, Mbarrier& object, int64_t phase, uint32_t completed, const Step& step);

private:
    Mbarrier& object_in(const Spot& spot);  // initialised or not
    // All waits of one kind get one and the same.
    const Gain& gain(Mbarrier& object, uint32_t block, Scope scope, bool acquires, uint32_t phase) const;

    const Task& task_;
    Account& account_;
    Observer& observer_;
};

}  // namespace litmus::sweep
