// Edits: what may be missing in a test, and the change of its text that adds it.
//
// The kinds of what is missing are a closed list (`faults`), the one place that names them; commands print their names. What an
// edit costs is said by `Price`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/edits/text.h"

namespace litmus {

enum class Fault : uint8_t {
    fence_missing,
    fence_too_weak,
    fence_too_restricted,
    fence_misplaced,
    proxy_fence_missing,
    proxy_fence_wrong_space,
    proxy_fence_wrong_thread,
    proxy_fence_misplaced,
    scope_too_narrow,
    weak_where_strong_needed,
    release_missing,
    acquire_missing,
    reduction_is_no_acquire,
    store_ends_release,
    init_not_ordered,
    inval_missing,
    barrier_missing,
    barrier_of_one_cta,
    barrier_misplaced,
    wait_missing,
    wait_misplaced,
    wait_not_checked,
    read_waits_for_source_only,
    group_left_pending,
    grid_wait_missing,
    wrong_parity,
    arrival_missing,
    arrival_misplaced,
    wrong_arrival_count,
    wrong_byte_count,
    state_without_count,
    expectation_misplaced,
    completion_does_not_carry,
    asynchronous_where_order_needed,
    value_not_used_before_slot_given_back,
};

struct FaultRow {
    Fault fault;
    std::string_view name;     // as commands print it: "proxy-fence-missing"
    std::string_view meaning;  // one sentence
    std::string_view section;  // of the ISA
};
const std::vector<FaultRow>& faults();
const FaultRow& row(Fault fault);

// What an edit costs; a repair costs the sum of its edits. Each place at which lines are put in, changed, moved or taken out costs
//
//     100, and for how far it reaches: the thread alone (proxy fences without a scope, waits for its own groups) 0; cta 10; cluster 20; gpu
//     30; sys 40;
//          and for fence.sc 5.
//
// A weak access of a kernel that is made strong costs 150 more: what a kernel's test claims is that nothing races, which strong accesses
// do not, whatever they read; so that what orders the accesses comes first.
//
// Of repairs of one price, those come first that hold under the weakest readings, too; then those that put in fewer instructions;
// then those with less semantics: relaxed, acquire or release, both, sc.
namespace price {
inline constexpr int place = 100;
inline constexpr int data_of_a_kernel = 150;
int at(Scope reach, Sem sem = Sem::relaxed);
// Of an instruction that is put in, changed or moved.
int of(const Instruction& instruction);
}  // namespace price

// How an edit stands among others of its price: 0 nothing or relaxed, 1 acquire or release, 2 both, 3 sc.
int strength(Sem sem);

inline constexpr int no_instruction = -1;

struct Edit {
    Fault fault = Fault::fence_missing;
    ProgramPoint place;  // where
    std::string what;    // "put `fence.acq_rel.gpu`", "make it `ld.acquire...`"
    std::vector<Change> changes;
    int price = 0;
    int strength = 0;      // see litmus::strength
    bool inserts = false;  // an instruction that was not there
    // Whether the edit only adds order: then every execution of the program with it is one of the program without it. Edits that
    // do not are structural: they change what the threads do or wait for.
    bool only_orders = true;
    // Those among all edits of the test that add no more than this one, by their indices: of edits that only order, or of a wait with a
    // fence.
    std::vector<size_t> includes = {};
    // The instruction that it respells, by a number of its own: two edits of one exclude each other.
    int respells = no_instruction;
    std::vector<ProgramPoint> places = {};  // of one that changes several threads: where in each
};

}  // namespace litmus
