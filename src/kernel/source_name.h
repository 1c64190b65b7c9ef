// Names as the CUDA source has them, of those that the compiler mangled (Itanium C++ ABI, 5.1.2 to 5.1.5).
#pragma once

#include <string>

namespace litmus::kernel {

// "n::sum<16, float>" of a function in a namespace, without its parameters; of a variable in a function its own name alone. Where the
// arguments of a template have something that is not known here, as an expression, they are dots: "n::sum<...>". A name that is not
// mangled, or is not understood at all, stays as it is. Takes time and memory
// in proportion to the name, up to a bound that no name of a program has.
std::string source_name(const std::string& mangled);

// Without what stands in angle brackets: "n::sum".
std::string without_arguments(const std::string& name);

// The part after the last "::" that is in no angle brackets: "sum<16, float>".
std::string last_part(const std::string& name);

}  // namespace litmus::kernel
