// Registers of wgmma (ISA 9.7.15.7).
//
// Its accumulators, and a matrix A in registers, belong to an operation until a wgmma.wait_group for its group: no other instruction may
// access them before (9.7.15.7.3). A wgmma.fence stands between an access to such a register and the operation, but for accumulators that
// follow each other (9.7.15.7.1). nvcc puts `mov` between any two of these in PTX, which the assembler takes out again: a `mov` counts as
// another name of what it copies.
#include <algorithm>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

void note(const Argument& argument, std::vector<size_t>& registers) {
    if (argument.kind == Argument::Kind::reg && argument.reg >= 0) registers.push_back(static_cast<size_t>(argument.reg));
    for (const Argument& element : argument.elements) note(element, registers);
}

// The registers that an operation accumulates in, and those that hold its A.
std::vector<size_t> registers_of_product(const Step& step) {
    std::vector<size_t> registers;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.statement->arguments[i].kind == Argument::Kind::vector) note(step.statement->arguments[i], registers);
    return registers;
}

}  // namespace

// Before the instruction is executed; more than once where lanes wait for each other.
void Machine::use_registers(Warp& warp, Lanes lanes, const Step& step) {
    if (step.reads.empty() && step.writes.empty() && step.name() != "wgmma") return;
    ProductRegisters& registers = warp.product_registers;
    registers.product.resize(warp.registers.size());
    registers.accessed.resize(warp.registers.size());
    const Place here = place(thread(warp, *each(lanes).begin()), step);
    if (step.form && step.form->op == Op::wgmma_fence) {
        registers.fenced = true;
        registers.accessed.assign(registers.accessed.size(), false);
        return;
    }
    if (step.form && step.form->op == Op::wgmma_mma) {
        const std::vector<size_t> used = registers_of_product(step);
        const bool accessed = std::any_of(used.begin(), used.end(), [&](size_t r) { return registers.accessed[r]; });
        if (!registers.fenced || accessed)
            find(Breach::product_unfenced, "no wgmma.fence stands between an access to its registers and this operation (ISA 9.7.15.7.1)",
                 {here});
        for (const size_t r : used) registers.product[r] = warp.products + 1;
        return;
    }
    if (step.name() == "wgmma") return;
    uint32_t copied = 0;
    bool accessed = false;
    const bool copies = step.name() == "mov";
    const auto is_open = [&](size_t r) { return registers.product[r] > registers.complete; };
    for (const size_t r : step.reads) {
        copied = std::max(copied, registers.product[r]);
        accessed = accessed || registers.accessed[r];
    }
    const bool opens =
        std::any_of(step.reads.begin(), step.reads.end(), is_open) || std::any_of(step.writes.begin(), step.writes.end(), is_open);
    if (opens && !copies)
        find(Breach::product_open, "it accesses a register of a wgmma.mma_async that no wgmma.wait_group has waited for (ISA 9.7.15.7.3)",
             {here});
    for (const size_t r : step.writes) {
        registers.product[r] = copies ? copied : 0;
        registers.accessed[r] = copies ? accessed : true;
    }
}

}  // namespace litmus::sweep
