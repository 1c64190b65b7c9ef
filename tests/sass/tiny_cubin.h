// Cubins made by hand: a function of the instructions that a test wants, with their lines.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace litmus::sass {

// An instruction: the line of PTX that it belongs to, its operation, and the field of its width (4: 32 bits, 5: 64). What is behind these
// is rarely said: which scoreboard it releases, which it waits for, under which predicate it is executed, and of a branch by how many
// instructions it leads on, and what an access adds to its address.
struct Coded {
    uint32_t line = 1;
    uint16_t operation = 0;
    unsigned width = 4;
    unsigned result = 7;   // none
    unsigned awaited = 0;  // a mask
    unsigned guard = 7;    // always
    int branch = 0;
    unsigned offset = 0;  // of an address
};

// Operations that several files of this folder are about.
inline constexpr uint16_t ldg = 0x981, stg = 0x986, lds = 0x984, membar = 0x992, nop = 0x918, imad = 0x824;

inline std::string bytes_of(uint64_t value, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i, value >>= 8U) bytes += static_cast<char>(value);
    return bytes;
}

inline std::string code_of(const std::vector<Coded>& instructions) {
    std::string code;
    for (const Coded& i : instructions) {
        const auto words = static_cast<uint64_t>(int64_t{i.branch} * 4);  // of 4 bytes: 8 bits from bit 16 on, the others from bit 34 on
        const uint64_t above = words >> 8U & 0xffffffffffffU;
        const uint64_t low = i.operation | uint64_t{i.guard} << 12U | (words & 0xffU) << 16U | above << 34U | uint64_t{i.offset} << 40U;
        const uint64_t high = (i.branch == 0 ? uint64_t{i.width} << 9U : above >> 30U) | uint64_t{i.result} << 46U | uint64_t{7} << 49U |
                              uint64_t{i.awaited} << 52U;
        code += bytes_of(low, 8) + bytes_of(high, 8);
    }
    return code;
}

// A row for each instruction: DW_LNE_set_address, then DW_LNS_advance_line, DW_LNS_copy, DW_LNS_advance_pc.
inline std::string line_program(const std::vector<Coded>& instructions) {
    std::string head;  // from the length of instructions on
    head += bytes_of(1, 1) + bytes_of(1, 1) + bytes_of(0xfb, 1) + bytes_of(14, 1) + bytes_of(10, 1);
    head += std::string("\0\1\1\1\1\0\0\0\1", 9);
    head += std::string("\0\0", 2);  // no folders, no files
    std::string program = std::string("\0\x09\x02", 3) + bytes_of(0, 8);
    int64_t line = 1;
    for (const Coded& i : instructions) {
        int64_t by = static_cast<int64_t>(i.line) - line;
        program += '\3';
        for (bool last = false; !last; by >>= 7) {
            last = by >= -64 && by < 64;
            program += static_cast<char>((by & 0x7f) | (last ? 0 : 0x80));
        }
        line = i.line;
        program += std::string("\1\2\x10", 3);
    }
    program += std::string("\0\1\1", 3);
    const std::string unit = bytes_of(2, 2) + bytes_of(head.size(), 4) + head + program;
    return bytes_of(unit.size(), 4) + unit;
}

// Where the address of DW_LNE_set_address stands in it.
inline constexpr uint64_t address_place = 4 + 2 + 4 + 16 + 3;

// The file: its sections one behind the other, and the table of sections at the end.
inline std::string tiny_cubin(const std::vector<std::string>& ptx, const std::vector<Coded>& instructions) {
    std::string text;
    for (const std::string& line : ptx) text += line + '\0';
    const std::string strings = std::string("\0f\0", 3);
    const std::string code = code_of(instructions);
    const std::string symbols =
        std::string(24, '\0') + bytes_of(1, 4) + bytes_of(0x12, 2) + bytes_of(4, 2) + bytes_of(0, 8) + bytes_of(code.size(), 8);
    const std::string relocations = bytes_of(address_place, 8) + bytes_of(uint64_t{1} << 32U | 2, 8) + bytes_of(0, 8);
    struct Section {
        std::string name, bytes;
        uint32_t kind = 1, link = 0;
    };
    std::vector<Section> sections = {{"", "", 0},
                                     {".shstrtab", "", 3},
                                     {".strtab", strings, 3},
                                     {".symtab", symbols, 2, 2},
                                     {".text.f", code},
                                     {".nv_debug_ptx_txt", text},
                                     {".nv_debug_line_sass", line_program(instructions)},
                                     {".rela.nv_debug_line_sass", relocations, 4, 3}};
    std::vector<uint64_t> names;
    for (const Section& s : sections) {
        names.push_back(sections[1].bytes.size());
        sections[1].bytes += s.name + '\0';
    }
    std::string body, table;
    for (size_t s = 0; s < sections.size(); ++s) {
        table += bytes_of(names[s], 4) + bytes_of(sections[s].kind, 4) + bytes_of(0, 16) + bytes_of(64 + body.size(), 8) +
                 bytes_of(sections[s].bytes.size(), 8) + bytes_of(sections[s].link, 4) + bytes_of(0, 20);
        body += sections[s].bytes;
    }
    std::string head = std::string(
                           "\x7f"
                           "ELF\2\1\1",
                           7) +
                       std::string(9, '\0');
    head += bytes_of(2, 2) + bytes_of(190, 2) + bytes_of(1, 4) + bytes_of(0, 16) + bytes_of(64 + body.size(), 8) + bytes_of(0, 4);
    head += bytes_of(64, 2) + bytes_of(0, 4) + bytes_of(64, 2) + bytes_of(sections.size(), 2) + bytes_of(1, 2);
    return head + body + table;
}

}  // namespace litmus::sass
