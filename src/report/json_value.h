// A value of a register or a location in JSON.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "ptx/type.h"
#include "ptx/value.h"

namespace litmus {

// Integers in the type's own signedness; floats as PTX literals, since JSON has no NaN.
inline nlohmann::ordered_json value_json(uint64_t value, Type type) {
    if (is_float(type)) return format_value(value, type);
    if (is_signed(type)) return sign_extend(value, bits(type));
    return truncate(value, std::min(bits(type), 64));
}

}  // namespace litmus
