// The state of an mbarrier object as one value, and what its operations make of it.
//
// ISA 9.7.13.15.1-5 and model/semantics.md section 5: phase (how many have completed), pending and expected
// arrivals, tx-count. The object is opaque in PTX; here 64 bits hold all of it, so that the state flows
// through reads and writes like any other value.
#pragma once

#include <cstdint>

namespace litmus {

struct MbarrierState {
    uint32_t life = 0;      // which initialisation of the object this state comes of, counted from 1; 0: not initialised
    uint32_t phase = 0;     // completed phases
    uint32_t pending = 0;   // arrivals that the current phase still waits for
    uint32_t expected = 0;  // arrivals of each later phase
    int32_t tx = 0;         // bytes expected less bytes completed; may be negative in between
    friend bool operator==(const MbarrierState&, const MbarrierState&) = default;
};

// What one operation adds and subtracts, before the phase perhaps completes.
struct MbarrierStep {
    int32_t tx = 0;        // added to the tx-count
    int32_t arrivals = 0;  // subtracted from the pending count; negative: added
    int32_t drops = 0;     // subtracted from the expected count
};

// Where the fields stand in the 64 bits: first bit and width. The tx-count has room beyond its range of 2^20 - 1
// either way (ISA 9.7.13.15.2), so that leaving the range shows. Of the rest the phase gets enough for all operations that
// a test has room for, and the two counts less than the 20 bits that the ISA gives them: kernels count threads. A state token, which an
// arrival returns, has the first three fields of the state that it found and, instead of the others, which object that was.
struct Field {
    int at;
    int width;
};
inline constexpr Field mbarrier_life{0, 3};
inline constexpr Field mbarrier_phase{3, 9};
inline constexpr Field mbarrier_pending{12, 15};
inline constexpr Field mbarrier_expected{27, 15};
inline constexpr Field mbarrier_tx{42, 22};       // two's complement
inline constexpr Field token_object{27, 36};      // of a token
inline constexpr Field token_no_complete{63, 1};  // of a token: a .noComplete arrival gave it
inline constexpr int32_t most_tx = (1 << 20) - 1;
inline constexpr uint32_t most_phases = (1U << mbarrier_phase.width) - 1;   // of one object
inline constexpr uint32_t most_count = (1U << mbarrier_pending.width) - 1;  // pending and expected arrivals

uint64_t pack(const MbarrierState& state);
MbarrierState unpack(uint64_t state);
uint64_t pack(const MbarrierStep& step);
MbarrierStep unpack_step(uint64_t step);

// The state after an operation: counts changed, then, with neither arrivals nor transactions pending,
// the next phase (model/semantics.md section 5, "maybe complete"). Counts wrap at their widths.
uint64_t after_step(uint64_t state, uint64_t step);

}  // namespace litmus
