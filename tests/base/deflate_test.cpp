// What is deflated is what it was, read back by a reader of its own.
#include "base/deflate.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace litmus {
namespace {

// Reads a stream of one block with the fixed codes of RFC 1951.
class Reader {
public:
    explicit Reader(std::string_view stream) : stream_(stream) {}

    std::string run() {
        REQUIRE(bits(1) == 1);
        REQUIRE(bits(2) == 1);
        for (size_t symbol = this->symbol(); symbol != 256; symbol = this->symbol()) {
            if (symbol < 256) {
                out_ += static_cast<char>(symbol);
                continue;
            }
            const size_t length = this->length(symbol - 257), back = distance(code(5));
            REQUIRE(back <= out_.size());
            for (size_t i = 0; i < length; ++i) out_ += out_[out_.size() - back];
        }
        CHECK((at_ + 7) / 8 == stream_.size());
        return out_;
    }

private:
    size_t bits(size_t count) {
        size_t value = 0;
        for (size_t i = 0; i < count; ++i, ++at_) value |= (static_cast<unsigned char>(stream_.at(at_ / 8)) >> at_ % 8 & 1U) << i;
        return value;
    }
    size_t code(size_t count) {
        size_t value = 0;
        for (size_t i = 0; i < count; ++i) value = value << 1U | bits(1);
        return value;
    }
    size_t symbol() {
        const size_t seven = code(7);
        if (seven < 24) return 256 + seven;
        const size_t eight = seven << 1U | bits(1);
        if (eight < 192) return eight - 48;
        if (eight < 200) return 280 + eight - 192;
        return 144 + (eight << 1U | bits(1)) - 400;
    }
    // Each four codes of lengths, and each two of distances, have one more bit than those before.
    size_t length(size_t code) {
        if (code < 8) return 3 + code;
        if (code == 28) return 258;
        const size_t extra = code / 4 - 1;
        return 3 + ((4 + code % 4) << extra) + bits(extra);
    }
    size_t distance(size_t code) {
        if (code < 4) return 1 + code;
        const size_t extra = code / 2 - 1;
        return 1 + ((2 + code % 2) << extra) + bits(extra);
    }

    const std::string_view stream_;
    size_t at_ = 0;
    std::string out_;
};

TEST_CASE("what is deflated is what it was") {
    std::string text;
    uint32_t dice = 1;
    for (size_t i = 0; i < 100'000; ++i) {
        dice = dice * 1664525U + 1013904223U;
        if (dice >> 28U == 0 && text.size() > 40'000) text += text.substr(text.size() - (dice >> 8U) % 40'000 - 1, dice % 700);
        text += static_cast<char>(dice >> 24U);
    }
    for (const std::string& one : {std::string(), std::string("a"), std::string("abcabcabcabc"), std::string(1000, 'x'), text})
        CHECK(Reader(deflated(one)).run() == one);
}

TEST_CASE("what repeats takes little room") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "<text class=\"words\" x=\"" + std::to_string(i) + "\">W x=1</text>";
    CHECK(deflated(text).size() < text.size() / 6);
}

}  // namespace
}  // namespace litmus
