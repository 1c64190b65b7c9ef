// A search through what the program's files have mapped (see program_images.h).
#include "record/preload/program_images.h"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace litmus::record {

namespace {

constexpr size_t fatbin_align = 8, fatbin_header_bytes = 16;
constexpr uint32_t magic = 0xBA55ED50;
constexpr uint16_t version = 1;

struct FatbinHeader {
    uint32_t magic;
    uint16_t version, header;
    uint64_t bytes;
};
static_assert(sizeof(FatbinHeader) == fatbin_header_bytes);

void search(std::string_view memory, std::vector<std::string_view>& found) {
    for (size_t at = 0; at + sizeof(FatbinHeader) <= memory.size(); at += fatbin_align) {
        FatbinHeader header{};
        std::memcpy(&header, memory.data() + at, sizeof header);
        if (header.magic != magic || header.version != version || header.header != sizeof header) continue;
        if (header.bytes > memory.size() - at - sizeof header) continue;
        found.push_back(memory.substr(at, sizeof header + header.bytes));
        at += (header.bytes + fatbin_align - 1) / fatbin_align * fatbin_align;
    }
}

int search_file(dl_phdr_info* info, size_t, void* found) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_R) == 0) continue;
        const uintptr_t begin = (info->dlpi_addr + part.p_vaddr + fatbin_align - 1) / fatbin_align * fatbin_align;
        const uintptr_t end = info->dlpi_addr + part.p_vaddr + part.p_filesz;
        if (begin >= end) continue;
        const auto* const memory = reinterpret_cast<const char*>(begin);  // NOLINT(performance-no-int-to-ptr): as the linker says it
        search({memory, end - begin}, *static_cast<std::vector<std::string_view>*>(found));
    }
    return 0;
}

}  // namespace

std::vector<std::string_view> program_images() {
    std::vector<std::string_view> found;
    dl_iterate_phdr(search_file, &found);
    return found;
}

}  // namespace litmus::record
