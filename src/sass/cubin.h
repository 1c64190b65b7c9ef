// What a cubin, the file that NVIDIA's assembler ptxas writes, says of the order of its instructions.
//
// A cubin is an ELF file with a section of code for each function. Assembled with line information (`ptxas -lineinfo`) it has two more:
// `.nv_debug_ptx_txt`, the lines of the PTX that it was made from, without their comments; and `.nv_debug_line_sass`, a line program of
// DWARF version 2 that says of each address of the code which of these lines it came from. NVIDIA documents neither; what is read here
// is what ptxas 12 and 13 write. The code itself is taken as it stands: sass/code.h knows of an instruction what order needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace litmus::sass {

// The file is no cubin that can be read; what() says why.
class BadCubin : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// From this address on, up to the next row, code belongs to this line, counted from 1.
struct Row {
    uint64_t address = 0;
    uint32_t line = 0;
    bool operator==(const Row& other) const = default;
};

struct Function {
    std::string name;
    std::string code;       // instructions of 16 bytes
    std::vector<Row> rows;  // by address; of two rows at one address the later one counts
};

struct Cubin {
    std::vector<std::string> lines;   // of the PTX
    std::vector<Function> functions;  // those that have rows
};

// The file may be anything: nothing outside of it is read, and what is kept is bounded by its size. Throws BadCubin.
Cubin read_cubin(std::string_view file);

// The function of this name. Throws BadCubin where there is none.
const Function& function_named(const Cubin& cubin, const std::string& name);

}  // namespace litmus::sass
