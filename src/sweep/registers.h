// The registers of a warp: by register and lane a value, of which all is computed, or some, or nothing (value.h).
//
// Most registers of most kernels hold values that are computed as a whole, and that nobody doubts. Those are plain numbers in a row; the
// rest stands aside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ptx/value.h"
#include "sweep/doubt.h"
#include "sweep/lanes.h"
#include "sweep/value.h"

namespace litmus::sweep {

class Registers {
public:
    Registers() = default;
    explicit Registers(size_t count) : rows_(count), doubts_(count), known_(count), written_(count) {}

    size_t count() const { return rows_.size(); }
    // The lanes in which all of it is computed; `bits` is for these alone.
    Lanes known(size_t reg) const { return known_[reg]; }
    Lanes written(size_t reg) const { return written_[reg]; }  // the lanes that have written it
    bool is_known(size_t reg, uint32_t lane) const { return (known_[reg] >> lane & 1) != 0; }
    uint64_t bits(size_t reg, uint32_t lane) const { return (*rows_[reg])[lane]; }
    Doubt doubt(size_t reg, uint32_t lane) const { return doubts_[reg] ? (*doubts_[reg])[lane] : 0; }
    bool has_parts() const { return !parts_.empty(); }  // some register is computed in part
    Value at(size_t reg, uint32_t lane) const;
    // Whether both lanes have one value, all of which is computed.
    bool are_alike(size_t reg, uint32_t lane, uint32_t other) const;

    // `width`: of the register, in bits.
    void write(size_t reg, Lanes lanes, const Value& value, int width);

    // Calls `add` with numbers that are the same where these lanes hold the same.
    template <typename Add>
    void sum_up(Lanes lanes, const Add& add) const {
        for (size_t reg = 0; reg < rows_.size(); ++reg) {
            add(known_[reg] & lanes);
            if (rows_[reg])
                for (const uint32_t lane : each(lanes & known_[reg])) add((*rows_[reg])[lane]);
            if (doubts_[reg])
                for (const uint32_t lane : each(lanes)) add((*doubts_[reg])[lane]);
        }
        for (const auto& [reg, parts] : parts_)
            for (const uint32_t lane : each(lanes & ~known_[reg])) {
                add(parts[lane].known());
                add(parts[lane].bits());
            }
    }

private:
    // Null: in no lane the value was ever computed.
    std::vector<std::unique_ptr<std::array<uint64_t, warp_size>>> rows_;
    std::vector<std::unique_ptr<std::array<Doubt, warp_size>>> doubts_;  // null: no lane ever had one
    std::vector<Lanes> known_, written_;
    std::map<size_t, std::array<Value, warp_size>> parts_;  // of registers that are computed in part in some lane
};

inline Value Registers::at(size_t reg, uint32_t lane) const {
    if (!is_known(reg, lane)) {
        const auto part = parts_.find(reg);
        return part == parts_.end() ? Value() : part->second[lane];
    }
    Value value = bits(reg, lane);
    value.doubt = doubt(reg, lane);
    return value;
}

inline bool Registers::are_alike(size_t reg, uint32_t lane, uint32_t other) const {
    if (!is_known(reg, lane) || !is_known(reg, other)) return false;
    const auto& row = *rows_[reg];
    return row[lane] == row[other] && doubt(reg, lane) == doubt(reg, other);
}

inline void Registers::write(size_t reg, Lanes lanes, const Value& value, int width) {
    const uint64_t above = ~truncate(~uint64_t{0}, width);  // bits that the register does not have
    const bool computed = (value.known() | above) == ~uint64_t{0};
    written_[reg] |= lanes;
    known_[reg] = computed ? known_[reg] | lanes : known_[reg] & ~lanes;
    auto& row = rows_[reg];
    if (computed && !row) row = std::make_unique<std::array<uint64_t, warp_size>>();
    if (computed)
        for (const uint64_t bits = value.bits() & ~above; const uint32_t lane : each(lanes)) (*row)[lane] = bits;
    if (!computed && (value.known() != 0 || parts_.contains(reg)))
        for (const uint32_t lane : each(lanes)) {
            Value& part = parts_[reg][lane];
            part = Value::in_part(value.bits() & ~above, value.known() | above);
            part.doubt = value.doubt;
        }
    auto& doubts = doubts_[reg];
    if (value.doubt != 0 && !doubts) doubts = std::make_unique<std::array<Doubt, warp_size>>();
    if (doubts)
        for (const uint32_t lane : each(lanes)) (*doubts)[lane] = value.doubt;
}

}  // namespace litmus::sweep
