// LZ4 by hand, which is short, and Zstandard by its library, which nearly every system has (see unpack.h).
#include "record/unpack.h"

#include <dlfcn.h>

#include <stdexcept>

namespace litmus::record {

namespace {

class Lz4 {
public:
    Lz4(std::string_view packed, size_t bytes) : packed_(packed), bytes_(bytes) {}

    // Sequences: literals, then a copy of what came before. The last one has literals alone.
    std::string unpacked() {
        while (at_ < packed_.size()) {
            const unsigned token = next();
            take_literals(length(token >> 4U));
            if (at_ == packed_.size()) break;
            size_t distance = next();
            distance |= size_t{next()} << 8U;
            constexpr size_t shortest = 4;
            repeat(distance, length(token & 15U) + shortest);
        }
        if (text_.size() != bytes_) broken();
        return std::move(text_);
    }

private:
    [[noreturn]] static void broken() { throw std::runtime_error("its LZ4 data is broken"); }

    unsigned next() {
        if (at_ == packed_.size()) broken();
        return static_cast<unsigned char>(packed_[at_++]);
    }

    // 15 is continued in bytes, up to one that is not 255.
    size_t length(size_t begun) {
        if (begun < 15) return begun;
        for (unsigned more = 255; more == 255; begun += more) more = next();
        return begun;
    }

    void require_room(size_t count) const {
        if (count > bytes_ - text_.size()) broken();
    }

    void take_literals(size_t count) {
        require_room(count);
        if (count > packed_.size() - at_) broken();
        text_ += packed_.substr(at_, count);
        at_ += count;
    }

    // The copy may overlap what it writes.
    void repeat(size_t distance, size_t count) {
        require_room(count);
        if (distance == 0 || distance > text_.size()) broken();
        for (size_t i = 0; i < count; ++i) text_ += text_[text_.size() - distance];
    }

    std::string_view packed_;
    size_t bytes_, at_ = 0;
    std::string text_;
};

}  // namespace

std::string unpack_lz4(std::string_view packed, size_t bytes) {
    return Lz4(packed, bytes).unpacked();
}

std::string unpack_zstd(std::string_view packed, size_t bytes) {
    void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library != nullptr ? dlsym(library, "ZSTD_decompress") : nullptr;
    if (symbol == nullptr)
        throw std::runtime_error(
            "it is compressed with Zstandard, and there is no libzstd.so.1: install it, or compile with -Xfatbinary -compress-mode=none");
    using Decompress = size_t(void* to, size_t room, const void* from, size_t count);
    std::string text(bytes, '\0');
    const size_t count = reinterpret_cast<Decompress*>(symbol)(text.data(), text.size(), packed.data(), packed.size());
    dlclose(library);
    if (count != bytes) throw std::runtime_error("its Zstandard data is broken");
    return text;
}

}  // namespace litmus::record
