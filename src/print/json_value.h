// Parts of what is told in JSON: a value of a register or a location, a place in a CUDA source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "language/origin.h"
#include "ptx/type.h"
#include "ptx/value.h"

namespace litmus {

// Integers in the type's own signedness; floats as PTX literals, since JSON has no NaN.
inline nlohmann::ordered_json value_json(uint64_t value, Type type) {
    if (is_float(type)) return format_value(value, type);
    if (is_signed(type)) return sign_extend(value, bits(type));
    return truncate(value, std::min(bits(type), 64));
}

// A place in a CUDA source.
inline nlohmann::ordered_json origin_json(const CudaPlace& place) {
    nlohmann::ordered_json object = {{"file", place.file}, {"line", place.line}};
    if (place.column > 0) object["column"] = place.column;
    return object;
}

}  // namespace litmus
