// The lines that say what to do.
#include "gpu/run/advice.h"

namespace litmus::gpu {

namespace {

// Values of CUresult that a machine answers when its driver or device is not ready for use.
constexpr int out_of_memory = 2, stub_library = 34, devices_unavailable = 46, no_device = 100, not_licensed = 102, not_permitted = 800,
              system_not_ready = 802, driver_mismatch = 803, no_compatibility = 804;

std::string step(int code) {
    switch (code) {
        case out_of_memory:
            return "another process holds the GPU's memory: end it, or take another GPU with --device";
        case stub_library:
            return "this libcuda.so.1 is the stub of the toolkit: take its folder out of LD_LIBRARY_PATH, or install the driver";
        case devices_unavailable:
            return "another process has the GPU for itself: end it, or take another GPU with --device";
        case no_device:
            return "run this where nvidia-smi lists a GPU, and leave it in CUDA_VISIBLE_DEVICES";
        case not_licensed:
            return "license this vGPU, or run this on a GPU of its own";
        case not_permitted:
            return "let this process use the GPU (the rights of /dev/nvidia*, the settings of the container)";
        case system_not_ready:
            return "start the system's services (on HGX machines nvidia-fabricmanager) and try again";
        case driver_mismatch:
            return "libcuda.so.1 and the kernel module are of different drivers: restart the machine, or install the driver anew";
        case no_compatibility:
            return "this GPU does not take the compatibility package's libcuda.so.1: leave it out of LD_LIBRARY_PATH, or install a newer "
                   "driver";
        default:
            return "check that nvidia-smi lists a GPU that works";
    }
}

}  // namespace

int cuda_of_ptx(int ptx) {
    if (ptx >= 90) return 13000 + (ptx - 90) * 10;
    if (ptx >= 86) return 12070 + (ptx - 86) * 10;  // 12.6 brought none
    return ptx >= 80 ? 12000 + (ptx - 80) * 10 : 11080;
}

std::string cuda_version(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string advice(const std::string& call, int code, const std::string& text) {
    return "no usable GPU (" + call + ": " + text + "): " + step(code);
}

// CUresult: illegal address, time-out, ECC error, assertion, hardware stack error, illegal instruction, misaligned address, invalid address
// space, invalid program counter, launch failure.
bool ends_everything(int code) {
    for (const int fault : {214, 700, 702, 710, 714, 715, 716, 717, 718, 719})
        if (code == fault) return true;
    return false;
}

std::string too_old_driver(const std::string& what, int ptx, int driver) {
    const int least = cuda_of_ptx(ptx);
    if (driver >= least) return {};
    return what + " needs PTX " + std::to_string(ptx / 10) + "." + std::to_string(ptx % 10) + ", and the driver is for CUDA " +
           cuda_version(driver) + ": install a driver for CUDA " + cuda_version(least) + " or newer";
}

std::string too_small_device(const std::string& name, int sm) {
    if (sm >= 90) return {};
    return "the GPU (" + name + ") is sm_" + std::to_string(sm) +
           ", and clusters and bulk copies need sm_90: take a Hopper GPU or a newer one, --device chooses";
}

}  // namespace litmus::gpu
