// What can be wrong with a kernel: a row for each way, with its words and what is advised.
//
// `Breach` says which rule is broken, and decides how a finding is advised on. `Kind` is what readers and other tools see of it. All that
// is said of a breach, whatever the finding, stands in its row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litmus::sweep {

// A kind of mistake. Kinds stand about in the order in which causes come before consequences (comes_before).
enum class Kind : uint8_t {
    not_initialised,  // an operation on an mbarrier object that is not known to be initialised
    arrivals,         // more arrivals at a phase than the object was initialised for, or bytes that it does not expect
    phase,            // a wait or an arrival whose phase depends on the schedule
    race,
    undefined,  // what the ISA forbids, whatever is ordered
    stuck,      // a thread that waits for ever
    in_flight,  // an operation on a block's shared memory that may come before the block begins, or after it ends
};

// The rule that is broken: a kind has several.
enum class Breach : uint8_t {
    // not_initialised
    never_initialised,
    not_known_initialised,  // to the thread that uses it
    // arrivals
    arrivals,
    // phase
    phase_of_bytes,    // that are expected
    phase_of_copy,     // that completes it
    bytes_unexpected,  // by the phase that is open
    phase_of_arrival,  // or of an operation that arrives when it is complete
    phase_over,        // that it adds to
    wait_late,
    wait_at_once,  // the same, of a wait for what the thread knew to be over
    barrier_turn,
    invalidated,
    // race
    unordered,
    incomplete,  // the earlier operation goes on by itself, and nothing says that it is complete
    proxy,       // ordered, and no proxy fence lies between
    alias,       // the same of the alias proxy fence between two addresses
    overlap,     // of two launches
    uncached,    // read past the coherent caches
    tensor_map,
    tensor_memory,
    // undefined
    trap,
    barrier_mixed,    // .red and .sync
    cluster_arrival,  // a second one before a wait
    byte_count,
    initialised_again,
    over_object,  // another access to its place
    misaligned,
    out_of_range,  // a number
    outside_mask,
    absent_lane,  // the source of a shuffle
    exited_lanes,
    half_warpgroup,
    foreign_state,    // of an mbarrier object
    completes_phase,  // an arrival that must not
    end_unseen,       // an arrival at the next phase, with no wait before
    own_block,        // red.async
    no_cluster,       // st.async
    same_group,       // cp.async to one place
    object_elsewhere,
    not_global,  // red.async and st.async that release
    foreign_block,
    not_generic,
    product_unfenced,
    product_open,  // its registers are accessed
    load_open,     // a register of tcgen05.ld is written again
    allocation,
    not_allocated,
    kept,
    foreign_lanes,
    request_after_failure,
    no_answer,     // for query_cancel
    mixed_groups,  // .cta_group::1 and ::2
    // stuck, what others may wait for first
    few_arrivals,  // some came to the phase
    few_bytes,
    many_bytes,
    no_first_arrival,  // none came to phase 0
    no_arrival,
    stuck,  // of another kind
    few_lanes,
    few_lanes_at_barrier,  // of one warp, where all come to it together
    few_threads,           // at a barrier
    few_in_cluster,
    // in_flight
    block_not_begun,
    block_ended,
    copy_at_exit,
};
inline constexpr Breach last_breach = Breach::copy_at_exit;

// In `words` each `{}` is filled in by who finds it; in the advice it is the line of the finding's
// first place, and of a phase the last one.
struct BreachRow {
    Breach breach;
    Kind kind;
    std::string_view words;
    std::string_view section = {};  // of the ISA, cited behind the words; empty: none, or one that depends on the instruction
    // One change at one place, why it helps, and what of the library shows that; no change: the advice depends on more than the line
    // (analysis/sweep/advice.h).
    std::string_view change = {}, why = {}, see = {};
};
const BreachRow& row_of(Breach breach);
std::span<const BreachRow> breaches();  // in their order
inline Kind kind_of(Breach breach) {
    return row_of(breach).kind;
}

// No remedy helps, and the finding may have more than one cause.
inline constexpr const char* nothing_found = "nothing was found that mends it";

struct KindRow {
    Kind kind;
    const char* id;    // for other tools: "not-initialised"
    const char* text;  // what findings of this kind say
};
const KindRow& row_of(Kind kind);
std::span<const KindRow> kinds();

// A text for each `{}`, in their order.
using Filling = std::vector<std::string>;
std::string filled(std::string_view words, const Filling& with);
// The words of a breach, with the section that they cite.
std::string says(Breach breach, const Filling& with);

}  // namespace litmus::sweep
