// The bits of one type as another's: std::bit_cast, which the library of Debian's emscripten does not have yet.
#pragma once

#include <cstring>
#include <type_traits>

namespace litmus {

template <typename To, typename From>
To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

}  // namespace litmus
