// The closed list of what may be missing, and the prices.
#include "analysis/edits/edit.h"

#include <stdexcept>

#include "ptx/traits.h"

namespace litmus {

const std::vector<FaultRow>& faults() {
    static const std::vector<FaultRow> rows = {
        {Fault::fence_missing, "fence-missing", "Nothing orders what stands before it with what stands after it.", "9.7.13.4"},
        {Fault::fence_too_weak, "fence-too-weak", "The fence that is there has too little of acquire, release and sc.", "9.7.13.4"},
        {Fault::fence_too_restricted, "fence-too-restricted", "The fence that is there is about other accesses only.", "9.7.13.4"},
        {Fault::fence_misplaced, "fence-misplaced", "The fence stands at the wrong place of its thread.", "9.7.13.4"},
        {Fault::proxy_fence_missing, "proxy-fence-missing",
         "Accesses through two proxies, or two addresses, have no proxy fence between them.", "8.6"},
        {Fault::proxy_fence_wrong_space, "proxy-fence-wrong-space", "The proxy fence that is there covers another state space.",
         "9.7.13.4"},
        {Fault::proxy_fence_wrong_thread, "proxy-fence-wrong-thread", "A proxy fence is there, in a thread where it does not help.", "8.6"},
        {Fault::proxy_fence_misplaced, "proxy-fence-misplaced", "The proxy fence stands at the wrong place of its thread.", "8.6"},
        {Fault::scope_too_narrow, "scope-too-narrow", "The scope leaves out the thread that it shall synchronize with.", "8.5"},
        {Fault::weak_where_strong_needed, "weak-where-strong-needed", "A weak operation takes no part in synchronization.", "8.4"},
        {Fault::release_missing, "release-missing", "A relaxed operation publishes nothing of what stands before it.", "8.8"},
        {Fault::acquire_missing, "acquire-missing", "A relaxed operation orders nothing that stands after it.", "8.8"},
        {Fault::reduction_is_no_acquire, "reduction-is-no-acquire", "The read of a reduction begins no acquire pattern.", "8.11.1"},
        {Fault::store_ends_release, "store-ends-release",
         "A store, unlike an atomic, does not pass on what was released to the value it overwrites.", "8.9.2"},
        {Fault::init_not_ordered, "init-not-ordered", "Nothing orders the mbarrier.init before its use by others.", "9.7.13.15.9"},
        {Fault::inval_missing, "inval-missing", "The object is initialised anew, and nothing ended it before.", "9.7.13.15.10"},
        {Fault::barrier_missing, "barrier-missing", "No barrier stands between the threads.", "9.7.13"},
        {Fault::barrier_of_one_cta, "barrier-of-one-cta", "The barrier is that of a CTA, and the threads are in several.", "9.7.13.1"},
        {Fault::barrier_misplaced, "barrier-misplaced", "The barrier stands at the wrong place of its thread.", "9.7.13"},
        {Fault::wait_missing, "wait-missing", "Nothing waits for the operation, or for the phase, to complete.", "9.7.9.25.2"},
        {Fault::wait_misplaced, "wait-misplaced", "The wait stands at the wrong place of its thread.", "9.7.9.25.2"},
        {Fault::wait_not_checked, "wait-not-checked", "The wait may fail, and nothing asks whether it did.", "9.7.13.15.16"},
        {Fault::read_waits_for_source_only, "read-waits-for-source-only",
         "A wait with .read waits until the sources are read, not until the writes are made.", "9.7.9.27.2.2"},
        {Fault::group_left_pending, "group-left-pending", "The wait lets that many groups stay pending, and it is one of them.",
         "9.7.9.27.2.2"},
        {Fault::grid_wait_missing, "grid-wait-missing", "Nothing waits for the grids that this one depends on to complete.", "9.7.13.13"},
        {Fault::wrong_parity, "wrong-parity", "The wait is for the other parity of the phase.", "9.7.13.15.16"},
        {Fault::arrival_missing, "arrival-missing", "The phase lacks an arrival.", "9.7.13.15.13"},
        {Fault::arrival_misplaced, "arrival-misplaced", "The arrival stands at the wrong place of its thread.", "9.7.13.15.13"},
        {Fault::wrong_arrival_count, "wrong-arrival-count", "The object is initialised for another number of arrivals.", "9.7.13.15.9"},
        {Fault::wrong_byte_count, "wrong-byte-count", "Another number of bytes is expected than comes.", "9.7.13.15.11"},
        {Fault::state_without_count, "state-without-count", "A state is asked for its count that no .noComplete arrival gave.",
         "9.7.13.15.17"},
        {Fault::expectation_misplaced, "expectation-misplaced", "The bytes are expected after the phase can complete.", "9.7.13.15.11"},
        {Fault::completion_does_not_carry, "completion-does-not-carry",
         "The completion of an asynchronous operation publishes that operation alone, not what the thread did before.", "8.9.1.1"},
        {Fault::asynchronous_where_order_needed, "asynchronous-where-order-needed",
         "An asynchronous operation is in no program order: what stands after it in its thread is not ordered after it.", "8.9.1.1"},
        {Fault::value_not_used_before_slot_given_back, "value-not-used-before-slot-given-back",
         "Nothing waits for the value that was read before the slot is given back.", "9.7.13.15.16"},
    };
    return rows;
}

const FaultRow& row(Fault fault) {
    for (const FaultRow& candidate : faults())
        if (candidate.fault == fault) return candidate;
    throw std::logic_error("repair: a fault without a row");
}

namespace price {

int at(Scope reach, Sem sem) {
    return place + 10 * static_cast<int>(reach) + (sem == Sem::sc ? 5 : 0);
}

int of(const Instruction& instruction) {
    const Traits::Kind what = kind(instruction.op);
    if (what == Traits::Kind::cluster_barrier) return at(Scope::cluster);
    if (what == Traits::Kind::cta_barrier || what == Traits::Kind::quorum) return at(Scope::cta);
    return at(scope(instruction), semantics(instruction));
}

}  // namespace price

int strength(Sem sem) {
    switch (sem) {
        case Sem::weak:
        case Sem::relaxed:
            return 0;
        case Sem::acquire:
        case Sem::release:
            return 1;
        case Sem::acq_rel:
            return 2;
        case Sem::sc:
            break;
    }
    return 3;
}

}  // namespace litmus
