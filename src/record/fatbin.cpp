// Headers of images (see fatbin.h).
#include "record/fatbin.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "record/unpack.h"

namespace litmus::record {

namespace {

constexpr uint32_t fatbin_magic = 0xBA55ED50, wrapper_magic = 0x466243B1;
constexpr size_t fatbin_header = 16;  // magic, version, bytes of the header, bytes of all entries
constexpr size_t entry_header = 64;   // the part of an entry's header that is always there
constexpr uint16_t kind_ptx = 1;      // of an entry
constexpr uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

template <typename Number>
Number number_at(std::string_view bytes, size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

bool begins_with(std::string_view bytes, uint32_t magic) {
    return bytes.size() >= sizeof magic && number_at<uint32_t>(bytes, 0) == magic;
}

bool begins_as_cubin(std::string_view bytes) {
    return bytes.substr(0, 4) ==
           "\x7f"
           "ELF";
}

std::string_view without_zeros(std::string_view text) {
    return text.substr(0, std::min(text.find('\0'), text.size()));
}

// An entry's header and payload; the payload is padded to its size.
PackedPtx packed_ptx(std::string_view header, std::string_view payload) {
    PackedPtx ptx;
    ptx.architecture = number_at<uint32_t>(header, 28);
    const auto packed_bytes = number_at<uint32_t>(header, 16);
    const auto flags = number_at<uint64_t>(header, 40);
    ptx.packing = (flags & flag_zstd) != 0 ? PackedPtx::Packing::zstd : (flags & flag_lz4) != 0 ? PackedPtx::Packing::lz4 : ptx.packing;
    const bool packed = ptx.packing != PackedPtx::Packing::none;
    ptx.bytes = packed ? number_at<uint64_t>(header, 56) : payload.size();
    ptx.packed = packed ? payload.substr(0, packed_bytes) : payload;
    return ptx;
}

void read_entries(std::string_view bytes, Image& image) {
    size_t at = number_at<uint16_t>(bytes, 6);
    while (at <= bytes.size() && bytes.size() - at >= entry_header) {
        const std::string_view entry = bytes.substr(at);
        const auto header = number_at<uint32_t>(entry, 4);
        const auto payload = number_at<uint64_t>(entry, 8);
        if (header < entry_header || header > entry.size() || payload > entry.size() - header) return;
        if (number_at<uint16_t>(entry, 0) == kind_ptx) image.ptx.push_back(packed_ptx(entry, entry.substr(header, payload)));
        at += header + payload;
    }
}

}  // namespace

Image read_image(std::string_view bytes) {
    if (begins_as_cubin(bytes)) return {"a cubin", {}};
    if (begins_with(bytes, fatbin_magic) && bytes.size() >= fatbin_header) {
        Image image{"a fatbin", {}};
        read_entries(bytes, image);
        return image;
    }
    const std::string_view text = without_zeros(bytes);
    if (text.find(".version") == std::string_view::npos) return {"an image of an unknown kind", {}};
    return {"PTX", {{PackedPtx::Packing::none, 0, text.size(), std::string(text)}}};
}

std::string_view image_at(const void* image) {
    const auto* bytes = static_cast<const char*>(image);
    const auto begins = [&](uint32_t magic) { return std::memcmp(bytes, &magic, sizeof magic) == 0; };
    if (begins(wrapper_magic)) {
        constexpr size_t data = 8;  // behind magic and version
        std::memcpy(&bytes, bytes + data, sizeof bytes);
    }
    if (begins(fatbin_magic)) {
        const std::string_view header(bytes, fatbin_header);
        return {bytes, number_at<uint16_t>(header, 6) + number_at<uint64_t>(header, 8)};
    }
    if (begins_as_cubin({bytes, 4})) return {bytes, 4};
    return {bytes, ::strnlen(bytes, most_ptx_bytes)};
}

std::string unpack(const PackedPtx& ptx) {
    if (ptx.bytes > most_ptx_bytes) throw std::runtime_error("the PTX has more than 64 MiB");
    switch (ptx.packing) {
        case PackedPtx::Packing::lz4:
            return std::string(without_zeros(unpack_lz4(ptx.packed, ptx.bytes)));
        case PackedPtx::Packing::zstd:
            return std::string(without_zeros(unpack_zstd(ptx.packed, ptx.bytes)));
        case PackedPtx::Packing::none:
            break;
    }
    return std::string(without_zeros(ptx.packed));
}

const PackedPtx* chosen(const std::vector<PackedPtx>& ptx, uint32_t capability) {
    const PackedPtx* best = nullptr;
    for (const PackedPtx& one : ptx)
        if (one.architecture <= capability && (best == nullptr || one.architecture >= best->architecture)) best = &one;
    return best;
}

}  // namespace litmus::record
