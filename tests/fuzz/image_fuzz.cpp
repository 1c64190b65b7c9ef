// Fuzz target of the reader of images that programs load: whatever they are, PTX comes out or an error, and no more than was said.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "record/fatbin.h"
#include "record/ptx_text.h"

using namespace litmus::record;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr uint64_t most = uint64_t{1} << 20;  // of one text: memory is not what is looked at
    for (const PackedPtx& ptx : read_image({reinterpret_cast<const char*>(data), size}).ptx) {
        if (ptx.bytes > most) continue;
        try {
            const std::string text = unpack(ptx);
            if (text.size() > ptx.bytes) std::abort();
            for (const char* kernel : {"ring", "k"}) parameters_of(text, kernel);
        } catch (const std::runtime_error&) {
        }
    }
    return 0;
}
