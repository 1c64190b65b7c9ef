// Operations by number. Those that touch memory are from 0x180 to 0x1ff, with a few between that do not.
#include "sass/code.h"

#include <algorithm>
#include <array>

namespace litmus::sass {

namespace {

uint64_t word_at(std::string_view code, uint64_t address) {
    uint64_t word = 0;
    for (uint64_t i = 8; i-- > 0;) word = word << 8U | static_cast<unsigned char>(code[address + i]);
    return word;
}

unsigned operation_at(std::string_view code, uint64_t address) {
    return static_cast<unsigned>(word_at(code, address) & 0x1ffU);
}

bool is_one_of(unsigned operation, std::initializer_list<unsigned> list) {
    return std::find(list.begin(), list.end(), operation) != list.end();
}

}  // namespace

Effect effect_at(std::string_view code, uint64_t address) {
    const unsigned operation = operation_at(code, address);
    if (operation == 0x118) return Effect::empty;
    // ACQBULK and its like, DEPBAR, BAR, NANOSLEEP
    if (is_one_of(operation, {0x02d, 0x02e, 0x11a, 0x11d, 0x15d})) return Effect::memory;
    // LDC, SHFL, MATCH, QSPC, R2UR, S2UR, REDUX; and HGMMA and its like, which have no line of their own but stand under that before them
    if (is_one_of(operation, {0x182, 0x189, 0x1a1, 0x1aa, 0x1c2, 0x1c3, 0x1c4, 0x1f0, 0x1f1, 0x1f2, 0x1f3})) return Effect::none;
    return operation >= 0x180 ? Effect::memory : Effect::none;
}

int access_bits(std::string_view code, uint64_t address) {
    if (!is_one_of(operation_at(code, address), {0x180, 0x181, 0x184, 0x185, 0x186, 0x188})) return 0;
    constexpr std::array<int, 8> widths = {8, 8, 16, 16, 32, 64, 128, 0};
    return widths.at(word_at(code, address + 8) >> 9U & 7U);
}

}  // namespace litmus::sass
