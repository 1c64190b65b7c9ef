// What to do when there is no device to run on: one line for each way in which that happens.
//
// Numbers and strings in, text out, without the driver and its header, so that each line can be tested anywhere.
#pragma once

#include <string>

namespace litmus::gpu {

// The first CUDA version whose driver compiles this PTX (ISA 13, release notes); both as 10 * major + minor and
// 1000 * major + 10 * minor: 80 -> 12000.
int cuda_of_ptx(int ptx);

// "12.4" of 12040.
std::string cuda_version(int version);

// After cuInit, or a later call that needs the device, has failed with `code`, which CUDA calls `text`. `call` names the function.
std::string advice(const std::string& call, int code, const std::string& text);

// Whether the device answers nothing more after a call has failed with `code`: a kernel has faulted.
bool ends_everything(int code);

// Empty: the driver compiles it. `what` is that which needs PTX version `ptx`; `driver` the version that the driver reports.
std::string too_old_driver(const std::string& what, int ptx, int driver);

// Empty: it is large enough for litmus. `sm`: 90 for compute capability 9.0.
std::string too_small_device(const std::string& name, int sm);

}  // namespace litmus::gpu
