// The bytes of a matrix in shared memory, against the canonical layouts of the ISA (9.7.15.5.1.2.1.3, 9.7.16.3.3). This test takes them at
// their word: it places each element by its CuTe layout, `((T,4,m),(8,k)):((1,T,LBO),(4T,SBO))`, and swizzles the bytes then.
#include "sweep/matrix.h"

#include <doctest/doctest.h>

#include <set>

using namespace litmus::sweep;

namespace {

using Bytes = std::set<uint64_t>;

// How the fields of a descriptor say it.
struct Swizzling {
    uint64_t in_wgmma, in_tensor;  // the mode
    uint64_t bits, base, shift;    // Swizzle<bits, base, shift>
    uint64_t atom;                 // chunks of 16 bytes in a row of an atom
    uint64_t deep;                 // rows of an MN-major atom, along K
};
constexpr uint64_t no_mode = 99;  // wgmma has no such mode
constexpr Swizzling swizzlings[] = {
    {0, 0, 0, 4, 3, 1, 8}, {3, 6, 1, 4, 3, 2, 8}, {2, 4, 2, 4, 3, 4, 8}, {1, 2, 3, 4, 3, 8, 8}, {no_mode, 1, 2, 5, 2, 8, 4}};

struct MatrixCase {
    uint64_t base, leading, stride, rows, depth, element;
    bool across;
};

// The place of element (mn, k), in elements from the beginning of the matrix.
uint64_t offset_of(const Swizzling& s, const MatrixCase& c, uint64_t mn, uint64_t k) {
    const uint64_t t = 16 / c.element, lbo = c.leading / c.element, sbo = c.stride / c.element;
    if (c.across && s.atom == 1) return mn % t + mn / t * sbo + k % 8 * t + k / 8 * lbo;
    if (c.across) return mn % t + mn / t % s.atom * t + mn / t / s.atom * lbo + k % s.deep * s.atom * t + k / s.deep * sbo;
    if (s.atom == 1) return mn % 8 * t + mn / 8 * sbo + k % t + k / t * lbo;
    return mn % 8 * s.atom * t + mn / 8 * sbo + k % t + k / t * t;
}

Bytes by_layout(const Swizzling& s, const MatrixCase& c) {
    Bytes bytes;
    for (uint64_t mn = 0; mn < c.rows; ++mn)
        for (uint64_t k = 0; k < c.depth; ++k)
            for (uint64_t b = 0; b < c.element; ++b) {
                const uint64_t at = c.base + offset_of(s, c, mn, k) * c.element + b;
                const uint64_t mask = ((uint64_t{1} << s.bits) - 1) << s.base;
                bytes.insert(at ^ ((at >> s.shift) & mask));
            }
    return bytes;
}

Bytes of_ranges(const std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
    Bytes bytes;
    uint64_t end = 0;
    bool apart = true;  // ascending, and not divided in vain
    for (const auto& [at, size] : ranges) {
        apart = apart && (bytes.empty() || at > end);
        end = at + size;
        for (uint64_t b = at; b < end; ++b) bytes.insert(b);
    }
    CHECK(apart);
    return bytes;
}

}  // namespace

TEST_CASE("a matrix has the bytes of its canonical layout") {
    size_t cases = 0;
    for (const Swizzling& s : swizzlings)
        for (const bool across : {false, true})
            for (const uint64_t element : {1, 2, 4})
                for (const uint64_t rows : {8, 16, 24, 64, 128})
                    for (const uint64_t inside : {0, 16, 32, 64}) {  // it begins within an atom
                        if (inside >= 16 * s.atom) continue;
                        for (const auto& [leading, stride] : {std::pair<uint64_t, uint64_t>{2048, 1024}, {4096, 512}, {256, 4096}}) {
                            const MatrixCase c{1024 + inside, leading, stride, rows, 32 / element, element, across};
                            const uint64_t fields = c.base >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32;
                            const Bytes expected = by_layout(s, c);
                            const auto bytes = [&](const Matrix& matrix) {
                                return of_ranges(bytes_of(matrix, static_cast<uint32_t>(rows), 32, across, static_cast<uint32_t>(element)));
                            };
                            CAPTURE(s.in_tensor);
                            CAPTURE(across);
                            CAPTURE(element);
                            CAPTURE(rows);
                            CAPTURE(inside);
                            if (s.in_wgmma != no_mode) CHECK(bytes(wgmma_matrix(fields | s.in_wgmma << 62)) == expected);
                            CHECK(bytes(tensor_matrix(fields | s.in_tensor << 61)) == expected);
                            ++cases;
                        }
                    }
    CHECK(cases > 500);
}

// Of 16 columns a row of an atom of 64 bytes has half, and begins there where the second sixteen are asked for.
TEST_CASE("sixteen columns of an atom of 64 bytes are half of its rows") {
    const auto of = [](uint64_t base) {
        return of_ranges(
            bytes_of(wgmma_matrix(base >> 4 | uint64_t{1024 >> 4} << 16 | uint64_t{512 >> 4} << 32 | uint64_t{2} << 62), 16, 32, true, 2));
    };
    const Bytes first = of(0), second = of(32);
    CHECK(first.size() == 16 * 32);
    CHECK(second.size() == 16 * 32);
    for (const uint64_t at : second) CHECK(!first.contains(at));
    CHECK(*first.rbegin() < 1024);
    CHECK(*second.rbegin() < 1024);
}

// "base offset = (pattern start addr >> 0x7) & 0x7": a pattern that begins elsewhere than at its boundary is counted from there.
TEST_CASE("the matrix base offset moves the pattern of swizzling") {
    const auto of = [](uint64_t base) {
        return bytes_of(wgmma_matrix(base >> 4 | uint64_t{1024 >> 4} << 32 | (base >> 7 & 7) << 49 | uint64_t{1} << 62), 8, 32, false, 2);
    };
    const auto at_boundary = of(1024), moved = of(1024 + 256);
    REQUIRE(at_boundary.size() == moved.size());
    for (size_t i = 0; i < moved.size(); ++i) CHECK(moved[i].first - 256 == at_boundary[i].first);
}
