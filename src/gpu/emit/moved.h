// What the assembler moves, merges and drops of many tests: a table by pairs of kinds of instructions.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/emit/compiled.h"
#include "language/test.h"
#include "sass/assembler.h"

namespace litmus::gpu {

// The kind of an instruction: its name without scope, type, vector and shape. "ld.weak.shared::cta", "cp.async.bulk.wait_group.read".
std::string kind_of(const Instruction& instruction);

struct MovedTable {
    struct Pair {
        uint64_t stand = 0;  // in so many places a thread has the second kind behind the first
        uint64_t moved = 0;  // of these, issued before it
    };
    struct Kind {
        uint64_t stand = 0, dropped = 0, merged = 0;
    };
    struct Entry {  // a test in which something moved or is gone
        std::string test, file;
        Compiled compiled;
    };
    std::string compiler;
    Pins pins = Pins::none;
    std::map<std::pair<std::string, std::string>, Pair> pairs;  // earlier, later
    std::map<std::string, Kind> kinds;
    std::vector<Entry> entries;
    uint64_t tests = 0;                                         // that were assembled
    std::vector<std::pair<std::string, std::string>> left_out;  // test, and why it was not

    uint64_t moved() const;  // pairs
    uint64_t gone() const;   // instructions
};

// Assembles the test and counts what became of it. A test that cannot be emitted or assembled is left out, with the reason.
void count(const Test& test, const std::string& file, const sass::Assembler& assembler, MovedTable& table);

// Tests, then the table of pairs and that of what is gone, those of which something moved or is gone.
std::string to_text(const MovedTable& table);
// compiler, pinned, tests, left_out (test, reason), moved (test, file, thread, instruction, past), gone (test, file, thread, instruction,
// into), pairs (earlier, later, stand, moved) and kinds (kind, stand, dropped, merged), both with all that stand somewhere.
std::string to_json(const MovedTable& table);

}  // namespace litmus::gpu
