// What waits say of rf and co before any search.
//
// Idea. A thread that has passed a wait has read a value that only some writes can give. Of an mbarrier object, and of other words that
// many threads update, this is a matter of counting: a phase is complete only when all arrivals have come, so a wait for it is behind each
// of them, whichever was the last. What is behind a wait cannot bring it about; so each write that comes after the wait is out of what it
// may read, which leaves the next wait fewer writes to count, and so on. A ring of buffers, used again and again, has then one way to go,
// and nothing is left to search.
//
// What is known. For a chain (chains.h: its writes have one order, each update reads from its predecessor) let the *past* of a read of its
// location be the updates up to the one that it reads from. Three relations grow from round to round. For an update's write w and a read r,
//   in(w, r):    in each execution that counts where both happen, w is in the past of r;
//   out(w, r):   in each such execution w is not;
//   with(a, b):  in each execution that counts and where a happens, b happens.
// An execution counts if it is consistent and keeps the constraints of its program (SymbolicRun::constraints: those of its waits).
//
// Lemma. Each rule keeps these meanings, and drops from rf and co only what no execution that counts has.
//   * Counting. The value that r reads is a function of its past and the order in it. Let the writes fall into sections such that each
//     write of a section is co-after all writes of the earlier ones, and happens only if these do. Then the past of r is all of some
//     sections and, for each kind of update, a number of the next one. This number is at least that of the updates which are in, and
//     happen where r does, and at most that of those which are not out. Of the vectors of such numbers those count to which a value
//     belongs that passes the waits of r. Let fewest(k) and most(k) be the extremes of kind k over them. If without u, and without what
//     has u in its past, fewer than fewest(k) may be in, then u is in, and happens wherever r does. If with u, and with what is in its
//     past, more than most(k) would be in, then u is out.
//   * The first of the others. Suppose that a section falls into two sets, the first updates and the others, and that each of the others,
//     u, has a read r such that r happens where u does, u is out of the past of r, and this: if none of the others is in the past of r,
//     only a past with all of the first updates gives a value that passes the waits of r. Then all of the first updates are co-before all
//     of the others, and happen where one of these does. Proof: of the others that happen let u be the first in co. What is in the past of
//     its r is co-before u, since u is not. So none of the others is in that past, and all of the first updates are. They are co-before
//     u, and u is co-before the rest of the others. (If a wait is also about the read of an update in that past, what this returns has
//     none of the others in its past either.) This tells the rounds of a barrier apart that threads use again.
//   * Order. Let a constraint say that X is acyclic, or that S; C is irreflexive (then X is C, one pair of it, and the edge is in S). If X
//     leads from r to w, through events that happen where the ends do, then: rf(w, r) is not there, if it would be an edge; and w is out,
//     if each link of rf on any way from w to r would be an edge, and the step from the read of each update to its write is one. If X leads
//     from w to r, then w is in, if fr(r, w) would be an edge: of a chain's writes the one that is read is w, or before it, or after it.
//     Likewise co. What leads to all the writes that a read may take its value from leads to the read, if each rf is an edge: one of them
//     happens.
//   * Pasts. If a is in and b is out of the past of one read, which happens where a or b does, a is co-before b. What is co-before a member
//     and happens with it is a member. The past of an update's read is what is co-before its write.
//   * Sources. No read takes its value from what is out of its past, nor from what is co-before a member of it. If one write is left, it
//     happens where the read does.
//
// What follows for the encoding. A node whose pairs are bounded by this no longer shows what excludes the others: where in(w, r) came of an
// acyclic X, the bounds of fr lack (r, w), and so X has no edge left that would make the circle. So the encoding has to ask for what is
// known by clauses of its own. ModelBounds hands it over: in, out, which members happen wherever the read does, and the values
// that follow. What rf and co lost, no literal stands for.
//
// Premises. Chains are proved from the model (chains.h). Which edges a constraint has is read off its expression: the pairs of rf, co and
// fr that a node contains whenever they are there (contained()). An X that contains no fr teaches nothing about what is in. Constraints of
// a program hold in the executions that are asked for: those that terminate, and those that are cut while the threads wait for what has
// come (Encoding::cut). Where a loop may be cut in a program without such choices, they need not, and nothing is learnt here (can_narrow).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cat/model.h"
#include "event/program.h"
#include "solve/bounds.h"
#include "solve/together.h"

namespace litmus {

// Whether every execution that is asked for keeps the constraints of the program, and some of them are about what a read returns.
bool can_narrow(const Program& program);

class Narrowing {
public:
    // All outlive it.
    Narrowing(const Program& program, const Model& model, Together& with);
    ~Narrowing();

    // Learns from the bounds of the model's nodes, which are those of rf and co as they are given, until nothing more follows: narrows the
    // two, and widens `with`. Whether anything was new. Throws OverBudget.
    bool learn(const std::vector<NodeBounds>& bounds, Bounds& rf, Bounds& co);

    // What is known of a node's pairs beside what its operator shows. `bounds` are the node's.
    void refine(NodeId node, NodeBounds& bounds) const;

    const Relation& in() const;
    const Relation& out() const;
    // Of reads of chains: what they can return, in ascending order; none of those of which that is not known.
    std::map<size_t, std::vector<uint64_t>> values() const;

private:
    class Learner;
    std::unique_ptr<Learner> learner_;
};

}  // namespace litmus
