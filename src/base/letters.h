// Kinds of letters, whatever the locale: what readers of tests and of PTX ask alike.
#pragma once

namespace litmus {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace litmus
