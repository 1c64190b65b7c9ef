// Registers that an asynchronous operation reads or writes when its instruction is over.
//
// wgmma (ISA 9.7.15.7): its accumulators, and a matrix A in registers, belong to an operation until a wgmma.wait_group for its group: no
// other instruction may access them before (9.7.15.7.3). A wgmma.fence stands between an access to such a register and the operation
// (9.7.15.7.1). Operations that follow each other on the same accumulators need none. nvcc puts `mov` between any two of these in PTX, and
// the assembler takes it out again. So a `mov` counts as another name of what it copies.
//
// tcgen05.ld (9.7.16.6.4.5): "an intra-thread ordering through true register dependency will be respected", so that what reads a register
// waits for the load of it. Another write of the register does not wait: "avoiding anti-dependency hazards around tcgen05.ld,
// tcgen05.wait::ld must be used".
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
    const bool is_wait = step.form && step.form->op == Op::tcgen_wait;
    if (step.reads.empty() && step.writes.empty() && step.name() != "wgmma" && !is_wait) return;
    AsyncRegisters& registers = warp.async_registers;
    for (std::vector<bool>* flags : {&registers.accessed, &registers.loading}) flags->resize(warp.registers.count());
    registers.product.resize(warp.registers.count());
    const Place here = place(thread(warp, *each(lanes).begin()), step);
    use_products(registers, warp.products + 1, step, here);
    use_loads(registers, step, here);
}

// `product`: the number of the next operation.
void Machine::use_products(AsyncRegisters& registers, uint32_t product, const Step& step, const Place& here) {
    if (step.form && step.form->op == Op::wgmma_fence) {
        registers.fenced = true;
        registers.accessed.assign(registers.accessed.size(), false);
        return;
    }
    if (step.form && step.form->op == Op::wgmma_mma) {
        const std::vector<size_t> used = registers_of_product(step);
        const bool accessed = std::any_of(used.begin(), used.end(), [&](size_t r) { return registers.accessed[r]; });
        if (!registers.fenced || accessed) account_.find(Breach::product_unfenced, {}, {here});
        for (const size_t r : used) registers.product[r] = product;
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
    if (opens && !copies) account_.find(Breach::product_open, {}, {here});
    for (const size_t r : step.writes) {
        registers.product[r] = copies ? copied : 0;
        registers.accessed[r] = copies ? accessed : true;
    }
}

void Machine::use_loads(AsyncRegisters& registers, const Step& step, const Place& here) {
    const bool loads = step.form && step.form->op == Op::tcgen_load;
    std::vector<size_t> loaded;
    if (loads) note(step.statement->arguments.at(0), loaded);
    const std::vector<size_t>& written = loads ? loaded : step.writes;
    if (step.has("wait::ld")) registers.loading.assign(registers.loading.size(), false);
    for (const size_t r : step.reads)
        if (!loads) registers.loading[r] = false;
    if (std::any_of(written.begin(), written.end(), [&](size_t r) { return registers.loading[r]; }))
        account_.find(Breach::load_open, {}, {here});
    for (const size_t r : written) registers.loading[r] = loads;
}

}  // namespace litmus::sweep
