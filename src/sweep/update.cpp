// Stores and reductions change memory element by element. The arithmetic is that of tests (ptx/value.h).
//
// An asynchronous operation is executed where it is issued, as if it were complete at once. Who looks at its destination without knowing
// that it is complete races with it, so nobody else can tell.
#include <algorithm>

#include "ptx/value.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

Value Machine::updated(Operator does, Type type, bool shared, const Value& old, const Value& by) {
    if (does == Operator::none || does == Operator::exch) return by;
    Value now;
    if (old && by) now = apply(memory_operation(does, lane_type(type), !shared), type, *old, *by);
    now.doubt = doubts_.join(old.doubt, by.doubt);
    return now;
}

Machine::Update Machine::update_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& spot) {
    Update update;
    const Operator does = operation(*step.form);
    const bool compares = does == Operator::cas;
    const Argument& source = *step.find(compares ? Role::compare : Role::source);
    for (uint32_t e = 0; e < step.pieces(); ++e) {
        update.old.push_back(instances_[spot.number].get(spot.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), doubts_));
        update.by.push_back(read(warp, lane, element_of(source, e)));
        if (!compares) update.now.push_back(updated(does, step.type, spot.shared, update.old[e], update.by[e]));
    }
    if (!compares) return update;
    const auto& [old, by, now] = update;
    const auto known = [](const std::vector<Value>& values) {
        return std::all_of(values.begin(), values.end(), [](const Value& v) { return v.has_value(); });
    };
    // Whether it writes is decided by what it compares (decide_writing). So a value that is left has no doubt of that.
    const bool equal = std::equal(old.begin(), old.end(), by.begin(), [](const Value& a, const Value& b) { return *a == *b; });
    for (uint32_t e = 0; e < step.pieces(); ++e) {
        const Value swap = read(warp, lane, element_of(*step.find(Role::swap), e));
        Value& left = update.now.emplace_back();
        if (known(old) && known(by)) left = equal ? swap : old[e];
    }
    return update;
}

void Machine::put_elements(const Spot& spot, uint32_t bytes, std::span<const Value> values) {
    for (size_t e = 0; e < values.size(); ++e) instances_[spot.number].put(spot.offset + e * bytes, bytes, values[e]);
}

std::vector<Value> Machine::update_from_memory(const Step& step, Type type, const Spot& from, const Spot& to, std::span<const Run> runs) {
    const auto bytes = static_cast<uint32_t>(bits(type) / 8);
    std::vector<Value> found;
    for (const Run& run : runs)
        for (uint64_t at = 0; at + bytes <= run.bytes; at += bytes)
            found.push_back(updated(operation(*step.form), type, to.shared, instances_[to.number].get(run.to + at, bytes, doubts_),
                                    instances_[from.number].get(run.from + at, bytes, doubts_)));
    return found;
}

void Machine::put_updated(const Step& step, Type type, Spot to, std::span<const Run> runs, std::span<Value> values, Unordered others) {
    const auto bytes = static_cast<uint32_t>(bits(type) / 8);
    if (others == Unordered::unlike) {
        const Doubt doubt = observer_.doubt_of_strong(to, step);
        for (Value& value : values) value.doubt = doubts_.join(value.doubt, doubt);
    }
    for (const Run& run : runs) {
        const size_t count = run.bytes / bytes;
        to.offset = run.to;
        put_elements(to, bytes, values.first(count));
        values = values.subspan(count);
    }
}

// A reduction, or store, of asynchronous data that are in registers.
void Machine::leave_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& to, const Access& access,
                                   Unordered others) {
    auto [old, by, now] = update_from_registers(warp, lane, step, to);
    const Operator does = operation(*step.form);
    if (step.find(Role::mbarrier) == nullptr)
        account_.log_flag({.writes = true, .operand = by[0], .does = does}, thread(warp, lane), to, step);
    if (others == Unordered::unlike)
        for (uint32_t e = 0; e < now.size(); ++e)
            now[e].doubt = doubts_.join(now[e].doubt, observer_.doubt_of_strong(to, step, step.element_of(e)));
    const Operator change = does == Operator::none ? Operator::exch : does;
    observer_.note_written(to, step, old[0], {now[0], access, {change, step.type, by[0], {}}, others != Unordered::none});
    put_elements(to, step.piece_bytes(), now);
}

// red.async and st.async with release semantics (9.7.13.7, 9.7.9.12). The write publishes everything that its thread did before the issue.
void Machine::release_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& to) {
    Thread& own = thread(warp, lane);
    if (to.shared)
        account_.find(Breach::not_global, {std::string(step.form->mnemonic), std::string(step.form->row.form->section)},
                      {place(own, step)});
    const auto [access, others] = observer_.release_apart(own, to, step);
    leave_from_registers(warp, lane, step, to, access, others);
}

}  // namespace litmus::sweep
