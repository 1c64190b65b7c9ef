// What the assembler made of a test: which of its instructions moved, and which are gone.
//
// Between a test and the machine stands ptxas, which may issue the instructions of a thread in another order, merge accesses and leave some
// out. What was observed is then the assembler's doing as much as the machine's. So where it can be known, it is kept with a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/emit/emit.h"
#include "language/test.h"
#include "sass/assembler.h"
#include "sass/order.h"

namespace litmus::gpu {

// Instructions as the test writes them.
struct MovedInstruction {
    std::string thread;
    std::string instruction;  // this one is issued
    std::string past;         // before this one, which stands above it
    bool operator==(const MovedInstruction& other) const = default;
};

struct GoneInstruction {
    std::string thread;
    std::string instruction;
    std::string into;  // the one whose access is wider for it; empty: it was dropped
    bool operator==(const GoneInstruction& other) const = default;
};

struct Compiled {
    std::string compiler;  // "ptxas 13.0.88"
    std::vector<MovedInstruction> moved;
    std::vector<GoneInstruction> gone;

    bool in_order() const { return moved.empty() && gone.empty(); }
    bool operator==(const Compiled& other) const = default;
};

// "P0: `st.weak.shared::cta.u32 [s], 1` after ..."; a line for each, without its end.
std::vector<std::string> lines_of(const Compiled& compiled);

// The name of a target as the assembler takes it: that of the plan, or the one of a device on which it runs.
std::string target_of(const Plan& plan, std::optional<int> device_sm = std::nullopt);

struct ThreadOrder {
    size_t thread = 0;
    std::vector<size_t> instructions;  // of its body, those of which the order is known
    sass::Order order;                 // of them
};

struct Assembled {
    std::string cubin;
    Compiled compiled;
    std::vector<ThreadOrder> threads;
};

// Assembles the module of the test (native), and reads the order. Throws std::runtime_error where the assembler refuses it, and
// sass::BadCubin where it wrote what cannot be read.
Assembled assemble(const Test& test, const Emitted& emitted, const sass::Assembler& assembler, const std::string& target);

}  // namespace litmus::gpu
