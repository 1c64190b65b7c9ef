// As FIPS 180-4 says it: the text, padded to blocks of 64 bytes, is mixed into eight words, block after block.
#include "base/sha256.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/hash.h"

namespace litmus {

namespace {

using Words = std::array<uint32_t, 8>;

// Of the square roots of the first eight primes, the first 32 bits of the fractions.
constexpr Words initial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The same of the cube roots of the first sixty-four primes.
constexpr std::array<uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t block_bytes = 64;

uint32_t rotated(uint32_t word, unsigned right) {
    return word >> right | word << (32 - right);
}

// With a one bit, zeros, and the length in bits as the last eight bytes of a block.
std::string padded(std::string_view text) {
    std::string result(text);
    result += '\x80';
    result.resize((result.size() + 8 + block_bytes - 1) / block_bytes * block_bytes - 8, '\0');
    const uint64_t bits = uint64_t{text.size()} * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) result += static_cast<char>(bits >> (shift - 8) & 0xffU);
    return result;
}

// One of the 64 rounds of a block.
inline void step(uint32_t a, uint32_t b, uint32_t c, uint32_t& d, uint32_t e, uint32_t f, uint32_t g, uint32_t& h, uint32_t word) {
    const uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
    h += (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + word;
    d += h;
    h += (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
}

// One block into the state.
void mix(Words& state, std::string_view block) {
    std::array<uint32_t, 64> w{};
    for (size_t t = 0; t < 16; ++t) {
        const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(block[4 * t + i])}; };
        w[t] = byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3);
    }
    for (size_t t = 16; t < w.size(); ++t) {
        const uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3U;
        const uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10U;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    // In each round two words change, and then the eight move on by one place. Eight rounds stand in a row, so that words keep their
    // places.
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < w.size(); t += 8) {
        step(a, b, c, d, e, f, g, h, constants[t] + w[t]);
        step(h, a, b, c, d, e, f, g, constants[t + 1] + w[t + 1]);
        step(g, h, a, b, c, d, e, f, constants[t + 2] + w[t + 2]);
        step(f, g, h, a, b, c, d, e, constants[t + 3] + w[t + 3]);
        step(e, f, g, h, a, b, c, d, constants[t + 4] + w[t + 4]);
        step(d, e, f, g, h, a, b, c, constants[t + 5] + w[t + 5]);
        step(c, d, e, f, g, h, a, b, constants[t + 6] + w[t + 6]);
        step(b, c, d, e, f, g, h, a, constants[t + 7] + w[t + 7]);
    }
    const Words mixed{a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

}  // namespace

std::string sha256(std::string_view text) {
    const std::string message = padded(text);
    Words state = initial;
    for (size_t at = 0; at < message.size(); at += block_bytes) mix(state, std::string_view(message).substr(at, block_bytes));
    std::string result;
    for (size_t i = 0; i < state.size(); i += 2) result += digits(uint64_t{state[i]} << 32U | state[i + 1]);
    return result;
}

}  // namespace litmus
