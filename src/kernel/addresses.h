// Addresses as numbers: the one convention of all who execute a kernel.
//
// Addresses are made up, so that arithmetic on addresses is arithmetic on numbers. The windows of the state spaces (ISA 5.1, 6.4.1.1) are:
//
//   generic addresses   global memory as it is; the other spaces lie in windows of 2^40 bytes that begin at the constants below
//   .shared             `cta_stride` * rank of the CTA in its cluster + the number of the byte, from `first_shared` on. Kernels clear a
//                       bit of such an address to name the first CTA of a pair.
//                       `mapa` may name a rank that the cluster does not have, and the ISA says nothing of it (9.7.9.23). No object is
//                       at the address that it gives then, so that an access is refused. `mapa` alone is not: compilers move it before
//                       the branch that asks for the rank.
//   functions           an address each, for calls through pointers
//   .local, .param of functions, parameters of the kernel, .const: the same number in the space and as a generic address. That of a
//                       parameter of the kernel is in .global, too (9.7.9.19: "`.param` window is contained within the `.global` window")
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace litmus::kernel {

namespace window {
inline constexpr uint64_t code = 0x790000000000, constant = 0x7a0000000000, parameters = 0x7b0000000000, local = 0x7c0000000000,
                          shared = 0x7d0000000000, global = 0x7e0000000000;
inline constexpr uint64_t global_stride = uint64_t{1} << 28;  // between global objects
inline constexpr uint64_t frame_stride = uint64_t{1} << 24;   // between the local memories of a function and one that it calls
inline constexpr uint64_t code_stride = 16;                   // between functions
inline constexpr uint64_t first_shared = 1024;                // below it lies what the system keeps for itself
inline constexpr uint64_t cta_stride = 0x01000000;

inline bool is_in_shared(uint64_t generic) {
    return generic >= shared && generic < global;
}
inline constexpr uint64_t last_rank = 255;  // that an address of 32 bits can name; clusters are far smaller
// Where the shared memory of the CTA of this rank begins in a window of shared memory. A rank that no cluster has leads to where no CTA is.
inline uint64_t of_cta(uint64_t rank) {
    return cta_stride * std::min(rank, last_rank);
}
}  // namespace window

// The conversion of an address by an instruction: cvta, mapa, getctarank, isspacep (9.7.9.19, .20, .23, .24).
struct AddressConversion {
    enum class Gives : uint8_t {
        nothing,           // it is another instruction
        generic,           // cvta
        in_space,          // cvta.to
        of_rank,           // mapa: the same byte of another CTA
        rank,              // getctarank
        whether_in_space,  // isspacep
    };
    Gives gives = Gives::nothing;
    std::string_view space;  // that it names, in the words of the instruction; empty: addresses are generic

    // `rank`: of the CTA that `mapa` names; for others that of the executing one.
    uint64_t of(uint64_t address, uint64_t rank) const;
};
AddressConversion address_conversion(const std::vector<std::string>& words);

}  // namespace litmus::kernel
