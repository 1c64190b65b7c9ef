// dlsym without this library's own, and libcuda.so.1 through it (see driver.h).
#include "record/preload/driver.h"

#include <dlfcn.h>

#include <initializer_list>

namespace litmus::record {

namespace {

using Dlsym = void*(void*, const char*) noexcept;

// The versions under which glibc has had it on the machines that CUDA runs on; dlvsym is nobody's but glibc's.
Dlsym* find_dlsym() {
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
        if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Dlsym*>(found);
    return nullptr;
}

}  // namespace

void* real_dlsym(void* handle, const char* name) noexcept {
    static Dlsym* const function = find_dlsym();
    return function != nullptr ? function(handle, name) : nullptr;
}

void* driver_symbol(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr ? real_dlsym(library, name) : nullptr;
}

}  // namespace litmus::record
