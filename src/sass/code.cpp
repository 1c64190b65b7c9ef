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

// Executed under no condition: its predicate is PT, or the complement of it.
constexpr unsigned always = 7, never = 15;

unsigned guard_at(std::string_view code, uint64_t address) {
    return static_cast<unsigned>(word_at(code, address) >> 12U & 15U);
}

bool is_one_of(unsigned operation, std::initializer_list<unsigned> list) {
    return std::find(list.begin(), list.end(), operation) != list.end();
}

}  // namespace

Effect effect_at(std::string_view code, uint64_t address) {
    const unsigned operation = operation_at(code, address);
    if (operation == 0x118) return Effect::empty;
    // before MEMBAR, reads of shared memory under !PT, which only take time
    if (guard_at(code, address) == never) return Effect::none;
    // ACQBULK and its like, DEPBAR, BAR, NANOSLEEP
    if (is_one_of(operation, {0x02d, 0x02e, 0x11a, 0x11d, 0x15d})) return Effect::memory;
    // LDC, LDL, STL, SHFL, MATCH, QSPC, LDCU, R2UR, S2UR, REDUX; and HGMMA and its like, which have no line of their own but stand under
    // that before them
    if (is_one_of(operation, {0x182, 0x183, 0x187, 0x189, 0x1a1, 0x1aa, 0x1ac, 0x1c2, 0x1c3, 0x1c4, 0x1f0, 0x1f1, 0x1f2, 0x1f3}))
        return Effect::none;
    return operation >= 0x180 ? Effect::memory : Effect::none;
}

bool forgets_caches(std::string_view code, uint64_t address) {
    return operation_at(code, address) == 0x18f;
}

bool is_fence(std::string_view code, uint64_t address) {
    return operation_at(code, address) == 0x192;
}

bool asks_for_space(std::string_view code, uint64_t address) {
    return operation_at(code, address) == 0x1aa;
}

bool is_phase_test(std::string_view code, uint64_t address) {
    return (word_at(code, address) & 0xfffU) == 0x5a7;  // with operands of another form than SYNCS.ARRIVE, 0x9a7
}

bool reads_through_caches(std::string_view code, uint64_t address) {
    constexpr unsigned weak = 0, constant = 4, cta = 5;
    const unsigned strength = static_cast<unsigned>(word_at(code, address + 8) >> 13U & 15U);
    return is_one_of(operation_at(code, address), {0x180, 0x181}) && is_one_of(strength, {weak, constant, cta});
}

std::optional<int64_t> distance(std::string_view code, uint64_t first, uint64_t second) {
    const int bits = access_bits(code, first);
    const auto address = [&](uint64_t at) { return word_at(code, at) >> 24U & 0xffU; };
    const auto offset = [&](uint64_t at) { return static_cast<int64_t>(word_at(code, at)) >> 40U; };
    const bool alike = bits > 0 && bits == access_bits(code, second) && operation_at(code, first) == operation_at(code, second);
    if (!alike || address(first) != address(second)) return std::nullopt;
    return offset(second) - offset(first);
}

bool are_copies(std::string_view code, uint64_t a, uint64_t b) {
    constexpr uint64_t control = ~uint64_t{0} << 41U;
    return word_at(code, a) == word_at(code, b) && (word_at(code, a + 8) & ~control) == (word_at(code, b + 8) & ~control);
}

Scoreboards scoreboards_at(std::string_view code, uint64_t address) {
    const uint64_t control = word_at(code, address + 8) >> 41U;  // bit 105
    constexpr uint64_t none = 7;
    Scoreboards result;
    if (const uint64_t released = control >> 5U & 7U; released != none) result.result = static_cast<unsigned>(released);
    result.awaited = static_cast<unsigned>(control >> 11U & 0x3fU);
    return result;
}

Next next_of(std::string_view code, uint64_t address) {
    const unsigned operation = operation_at(code, address);
    const bool conditional = guard_at(code, address) != always;
    if (operation == 0x14d) return {conditional, std::nullopt};                          // EXIT
    if (is_one_of(operation, {0x149, 0x158})) return {conditional, std::nullopt, true};  // BRX, BRXU
    if (operation != 0x147) return {};
    // BRA: words of 4 bytes from the next instruction; the lowest eight bits from bit 16 on, the others from bit 34 on
    const uint64_t low = word_at(code, address), high = word_at(code, address + 8);
    const uint64_t above = (low >> 34U | (high & 0x3ffffU) << 30U) << 16U;  // 48 bits at the top
    const int64_t words = static_cast<int64_t>(above) / 256 | static_cast<int64_t>(low >> 16U & 0xffU);
    return {conditional || guard_at(code, address) == never, address + instruction_bytes + static_cast<uint64_t>(words * 4)};
}

bool is_load(std::string_view code, uint64_t address) {
    return is_one_of(operation_at(code, address), {0x180, 0x181, 0x184});
}

int access_bits(std::string_view code, uint64_t address) {
    if (!is_one_of(operation_at(code, address), {0x180, 0x181, 0x184, 0x185, 0x186, 0x188})) return 0;
    constexpr std::array<int, 8> widths = {8, 8, 16, 16, 32, 64, 128, 0};
    return widths.at(word_at(code, address + 8) >> 9U & 7U);
}

}  // namespace litmus::sass
