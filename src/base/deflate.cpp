// One block with the fixed codes of RFC 1951: what repeats is named by how long it is and how far back it stood, up to 32,768 bytes.
//
// Where it stood is found by a table: for the hash of four bytes the last place with that hash, and for each place the one before with the
// same. Of the last places the one with the longest match is taken. A match is put off by a byte where one that begins there is longer.
#include "base/deflate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace litmus {

namespace {

constexpr size_t window = 32768, shortest = 4, longest = 258;
constexpr size_t most_tries = 64;  // places that are looked at for one match
constexpr size_t hashes = 1U << 15U;
constexpr size_t nowhere = ~size_t{0};

// The least length, and the least distance, of each code, and how many bits say what is above that (RFC 1951).
struct Range {
    uint16_t least;
    uint8_t bits;
};
constexpr std::array<Range, 29> lengths{{{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
                                         {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
                                         {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Range, 30> distances{{{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
                                           {17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
                                           {257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
                                           {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

template <size_t n>
size_t code_of(const std::array<Range, n>& ranges, size_t value) {
    const auto above = std::upper_bound(ranges.begin(), ranges.end(), value, [](size_t v, const Range& r) { return v < r.least; });
    return static_cast<size_t>(above - ranges.begin()) - 1;
}

class Bits {
public:
    // The lowest bit first.
    void put(size_t value, unsigned count) {
        open_ |= static_cast<uint64_t>(value) << held_;
        for (held_ += count; held_ >= 8; held_ -= 8, open_ >>= 8U) out_ += static_cast<char>(open_ & 255U);
    }
    // A code, the highest bit first.
    void put_code(size_t code, unsigned count) {
        size_t turned = 0;
        for (unsigned i = 0; i < count; ++i) turned |= (code >> i & 1U) << (count - 1 - i);
        put(turned, count);
    }
    std::string take() {
        if (held_ > 0) put(0, 8 - held_);
        return std::move(out_);
    }

private:
    std::string out_;
    uint64_t open_ = 0;
    unsigned held_ = 0;
};

struct Match {
    size_t length = 0, distance = 0;
};

class Deflater {
public:
    explicit Deflater(std::string_view bytes) : bytes_(bytes), last_(hashes, nowhere), before_(bytes.size(), nowhere) {}

    std::string run() {
        bits_.put(1, 1);  // the last block
        bits_.put(1, 2);  // with the fixed codes
        for (size_t at = 0; at < bytes_.size();) {
            const Match match = found(at);
            note(at);
            if (match.length < shortest || (match.length < longest && found(at + 1).length > match.length)) {
                put_symbol(static_cast<unsigned char>(bytes_[at++]));
                continue;
            }
            put_match(match);
            for (size_t i = 1; i < match.length; ++i) note(at + i);
            at += match.length;
        }
        put_symbol(256);  // the end
        return bits_.take();
    }

private:
    size_t hash(size_t at) const {
        uint32_t four = 0;
        for (size_t i = 0; i < shortest; ++i) four = four << 8U | static_cast<unsigned char>(bytes_[at + i]);
        return (four * 2654435761U) >> 17U;
    }

    void note(size_t at) {
        if (at + shortest > bytes_.size()) return;
        size_t& last = last_[hash(at)];
        before_[at] = last;
        last = at;
    }

    // The longest match that begins here.
    Match found(size_t at) const {
        Match best;
        if (at + shortest > bytes_.size()) return best;
        const size_t most = std::min(longest, bytes_.size() - at);
        size_t place = last_[hash(at)];
        for (size_t tries = 0; tries < most_tries && place != nowhere && at - place <= window; ++tries, place = before_[place]) {
            if (best.length > 0 && bytes_[place + best.length] != bytes_[at + best.length]) continue;
            size_t length = 0;
            while (length < most && bytes_[place + length] == bytes_[at + length]) ++length;
            if (length > best.length) best = {length, at - place};
            if (length == most) break;
        }
        return best;
    }

    void put_symbol(size_t symbol) {
        if (symbol < 144) return bits_.put_code(0x30 + symbol, 8);
        if (symbol < 256) return bits_.put_code(0x190 + symbol - 144, 9);
        if (symbol < 280) return bits_.put_code(symbol - 256, 7);
        bits_.put_code(0xC0 + symbol - 280, 8);
    }

    void put_match(const Match& match) {
        const size_t length = code_of(lengths, match.length), distance = code_of(distances, match.distance);
        put_symbol(257 + length);
        bits_.put(match.length - lengths[length].least, lengths[length].bits);
        bits_.put_code(distance, 5);
        bits_.put(match.distance - distances[distance].least, distances[distance].bits);
    }

    const std::string_view bytes_;
    std::vector<size_t> last_;    // by hash
    std::vector<size_t> before_;  // by place
    Bits bits_;
};

}  // namespace

std::string deflated(std::string_view bytes) {
    return Deflater(bytes).run();
}

}  // namespace litmus
