// Which events happen wherever others do, and compositions of relations that hold wherever their ends happen.
#pragma once

#include "base/budget.h"
#include "event/program.h"

namespace litmus {

class Together {
public:
    // As far as guards show: the conjuncts of an event's guard are among those of another event that happens only with it.
    explicit Together(const Program& program);

    // Wherever a happens, b does.
    bool contains(size_t a, size_t b) const { return all_ || with_.contains(a, b); }
    void add(size_t a, size_t b) { with_.add(a, b); }
    // After additions: what follows from them.
    void close();

    // A relation that is closed under composition, for what was known to happen together then.
    struct Closed {
        Relation pairs, with;
    };
    // It, with more pairs and with what is known now. New ones begin empty.
    void close(Closed& closed, const Relation& more) const;

    // a; b and a+, of pairs that are there wherever both of their events happen. So are those of the result.
    Relation sequence(const Relation& a, const Relation& b) const;
    Relation closure(const Relation& r) const;

private:
    const Budget& budget_;
    bool all_ = true;  // each with each: no event may not happen
    Relation with_, back_;
};

}  // namespace litmus
