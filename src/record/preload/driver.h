// The functions of the CUDA driver itself, which those of preload.cpp stand in front of.
#pragma once

#include <cuda.h>

namespace litmus::record {

// The dlsym of the system, reached by a jump, so that it sees who called this. (Hence noexcept: a caller that is so, too, must not stay.)
void* real_dlsym(void* handle, const char* name) noexcept;

// A function of libcuda.so.1 by the name that the library exports; null: there is none.
void* driver_symbol(const char* name);

// Calls such a function.
template <typename... Arguments>
CUresult pass(const char* name, Arguments... arguments) {
    auto* const function = reinterpret_cast<CUresult (*)(Arguments...)>(driver_symbol(name));
    return function != nullptr ? function(arguments...) : CUDA_ERROR_NOT_FOUND;
}

}  // namespace litmus::record
