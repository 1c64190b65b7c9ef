// Packing and stepping of mbarrier states (ISA 9.7.13.15.1-5).
#include "ptx/mbarrier.h"

#include "ptx/type.h"

namespace litmus {
namespace {

uint64_t put(uint64_t value, Field field) {
    return truncate(value, field.width) << field.at;
}
uint64_t get(uint64_t state, Field field) {
    return truncate(state >> field.at, field.width);
}

// Of a packed step: three signed numbers.
constexpr Field step_tx{0, 22}, step_arrivals{22, 20}, step_drops{42, 20};

}  // namespace

uint64_t pack(const MbarrierState& s) {
    return put(s.life, mbarrier_life) | put(s.phase, mbarrier_phase) | put(s.pending, mbarrier_pending) |
           put(s.expected, mbarrier_expected) | put(static_cast<uint64_t>(static_cast<int64_t>(s.tx)), mbarrier_tx);
}

MbarrierState unpack(uint64_t state) {
    MbarrierState s;
    s.life = static_cast<uint32_t>(get(state, mbarrier_life));
    s.phase = static_cast<uint32_t>(get(state, mbarrier_phase));
    s.pending = static_cast<uint32_t>(get(state, mbarrier_pending));
    s.expected = static_cast<uint32_t>(get(state, mbarrier_expected));
    s.tx = static_cast<int32_t>(sign_extend(get(state, mbarrier_tx), mbarrier_tx.width));
    return s;
}

uint64_t pack(const MbarrierStep& s) {
    return put(static_cast<uint64_t>(static_cast<int64_t>(s.tx)), step_tx) |
           put(static_cast<uint64_t>(static_cast<int64_t>(s.arrivals)), step_arrivals) |
           put(static_cast<uint64_t>(static_cast<int64_t>(s.drops)), step_drops);
}

MbarrierStep unpack_step(uint64_t step) {
    const auto number = [step](Field field) { return static_cast<int32_t>(sign_extend(get(step, field), field.width)); };
    return {number(step_tx), number(step_arrivals), number(step_drops)};
}

uint64_t after_step(uint64_t state, uint64_t step) {
    MbarrierState s = unpack(state);
    const MbarrierStep by = unpack_step(step);
    const auto wrap = [](uint32_t value, Field field) { return static_cast<uint32_t>(truncate(value, field.width)); };
    s.tx = static_cast<int32_t>(sign_extend(static_cast<uint64_t>(static_cast<int64_t>(s.tx) + by.tx), mbarrier_tx.width));
    s.expected = wrap(s.expected - static_cast<uint32_t>(by.drops), mbarrier_expected);
    s.pending = wrap(s.pending - static_cast<uint32_t>(by.arrivals), mbarrier_pending);
    if (s.pending == 0 && s.tx == 0) {
        ++s.phase;
        s.pending = s.expected;
    }
    return pack(s);
}

}  // namespace litmus
