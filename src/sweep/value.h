// Values of registers and of memory: 64 bits, of which all are computed, or some, or none.
//
// A word with padding that nobody wrote is computed but for its padding. A mask or a shift that takes the padding away gives a value that
// is computed again. Other operations on a value in part give one that is not computed.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/type.h"
#include "sweep/doubt.h"

namespace litmus::sweep {

class Value {
public:
    Value() = default;  // nothing of it is computed
    Value(std::nullopt_t) {}
    Value(uint64_t bits) : bits_(bits), known_(all) {}
    Value(std::optional<uint64_t> computed) : bits_(computed.value_or(0)), known_(computed ? all : 0) {}
    // `known` says which of these bits are computed.
    static Value in_part(uint64_t bits, uint64_t known) {
        Value value;
        value.bits_ = bits & known;
        value.known_ = known;
        return value;
    }

    // Whether all of it is computed, and what it is then.
    bool has_value() const { return known_ == all; }
    explicit operator bool() const { return has_value(); }
    uint64_t operator*() const { return bits_; }
    uint64_t value_or(uint64_t other) const { return has_value() ? bits_ : other; }
    operator std::optional<uint64_t>() const { return has_value() ? std::optional(bits_) : std::nullopt; }

    uint64_t bits() const { return bits_; }    // 0 where they are not computed
    uint64_t known() const { return known_; }  // which are
    bool knows_byte(uint32_t at) const { return at < 8 && (known_ >> (8 * at) & 0xff) == 0xff; }
    uint8_t byte(uint32_t at) const { return static_cast<uint8_t>(bits_ >> (8 * at)); }

    Doubt doubt = 0;

private:
    static constexpr uint64_t all = ~uint64_t{0};
    uint64_t bits_ = 0, known_ = 0;
};

inline bool hold_the_same(const Value& one, const Value& other) {
    return one.known() == other.known() && one.bits() == other.bits() && one.doubt == other.doubt;
}

// A value that a register holds which is wider than the type of the value.
inline Value extended(const Value& value, Type type) {
    if (!is_signed(type)) return value;
    const auto extend = [&](uint64_t bits) { return static_cast<uint64_t>(sign_extend(bits, litmus::bits(type))); };
    Value wider = Value::in_part(extend(value.bits()), extend(value.known()));
    wider.doubt = value.doubt;
    return wider;
}

// The part of a value that a word of so many bytes holds, as memory gives it.
inline Value narrowed(const Value& value, uint32_t bytes) {
    if (bytes >= 8) return value;
    const uint64_t above = ~uint64_t{0} << (8 * bytes);
    Value narrow = value.known() == 0 ? Value() : Value::in_part(value.bits() & ~above, value.known() | above);
    narrow.doubt = value.doubt;
    return narrow;
}

// A value of so many bytes, at most 8, that is put together of those which are known; above them it is 0.
class Gathered {
public:
    explicit Gathered(uint32_t bytes) : known_(bytes < 8 ? ~uint64_t{0} << (8 * bytes) : 0) {}
    void add(uint32_t at, uint8_t byte, Doubt doubt, Doubts& doubts) {
        if (at >= 8) return;
        bits_ |= uint64_t{byte} << (8 * at);
        known_ |= uint64_t{0xff} << (8 * at);
        doubt_ = doubts.join(doubt_, doubt);
    }
    Value value() const {
        if (empty_ == known_) return {};
        Value value = Value::in_part(bits_, known_);
        value.doubt = doubt_;
        return value;
    }

private:
    uint64_t bits_ = 0, known_ = 0;
    uint64_t empty_ = known_;
    Doubt doubt_ = 0;
};

}  // namespace litmus::sweep
