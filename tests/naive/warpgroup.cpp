// Matrix operations of a warpgroup (model/semantics.md sections 2, 3, 6 and 9).
#include <algorithm>

#include "machine.h"
#include "ptx/matrix.h"

namespace litmus::naive {

namespace {

using Names = std::set<std::string>;

Names names_in(const Instruction& i, Role role) {
    Names names;
    for (const Operand& o : i.operands)
        if (o.role == role)
            for (const Operand& element : o.elements) names.insert(element.name);
    return names;
}

bool meet(const Names& a, const Names& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.count(name) > 0; });
}

Names joined(Names a, const Names& b) {
    a.insert(b.begin(), b.end());
    return a;
}

}  // namespace

// Registers that an instruction names must not be those of an operation in flight, and are unfenced from now on.
void Machine::touch_registers() {
    const Instruction& i = instruction();
    if (i.op == Op::wgmma_mma) return;
    Names names;
    for (const Operand& o : i.operands) {
        if (o.kind == Operand::Kind::reg || o.indirect) names.insert(o.name);
        for (const Operand& element : o.elements) names.insert(element.name);
    }
    for (const Multiplication& m : multiplications_)
        if (!m.done && meet(names, joined(m.accumulators, m.fragments))) trace_.steps[m.issue].is_faulty = true;
    unfenced_.insert(names.begin(), names.end());
}

// What the bytes of a matrix hold, with the reads that found them.
std::vector<uint8_t> Machine::matrix_at(uint64_t from, int64_t bytes, size_t start, std::vector<size_t>& reads) {
    std::vector<uint8_t> found;
    const Type type = memory_.cell_at(from).type;
    const auto step = static_cast<int64_t>(bits(type) / 8);
    for (int64_t at = 0; at < bytes && memory_.is_inside(from + static_cast<uint64_t>(at)); at += step) {
        const MemoryPlace place = memory_.at(from + static_cast<uint64_t>(at), type);
        const uint64_t word = ask(place);
        const size_t r = inside(start, Event::Kind::read, place, type, memory_.cells()[static_cast<size_t>(place.cell)].element, word);
        trace_.steps[r].event.sem = Sem::weak;
        trace_.steps[r].event.scope = Scope::none;
        reads.push_back(r);
        for (int64_t byte = 0; byte < step; ++byte) found.push_back(static_cast<uint8_t>(word >> (8 * byte)));
    }
    found.resize(static_cast<size_t>(bytes));
    return found;
}

void Machine::multiply() {
    const Instruction& i = instruction();
    std::vector<Operand> named;
    for (const Operand& o : i.operands)
        if (o.role == Role::matrix) named.push_back(o);
    const size_t start = issue(named);
    std::vector<std::vector<uint8_t>> matrices;
    std::vector<size_t> reads;
    for (size_t n = 0; n < named.size(); ++n) matrices.push_back(matrix_at(address(named[n]), matrix_bytes(i, n), start, reads));
    const size_t done = completion(start, reads);
    mma_groups_.members.push_back({done, std::nullopt, mma_groups_.commits});
    trace_.multiplications.push_back({start, done, reads});
    Multiplication m{start, mma_groups_.commits, names_in(i, Role::accumulator), names_in(i, Role::fragment), i.qualifiers.at(2), false,
                     false};
    bool undefined = !fenced_ || meet(unfenced_, joined(m.accumulators, m.fragments));
    for (const Multiplication& before : multiplications_) {
        Names mine = joined(m.accumulators, m.fragments);
        if (before.shape == m.shape)
            for (const std::string& name : m.accumulators)
                if (before.accumulators.count(name) > 0) mine.erase(name);
        if (!meet(mine, joined(before.accumulators, before.fragments))) continue;
        if (!before.done) trace_.steps[before.issue].is_faulty = true;
        undefined = undefined || !before.fenced;
    }
    if (undefined) trace_.steps[start].is_faulty = true;
    multiplications_.push_back(m);
    const Operand& d = i.at(Role::accumulator);
    const bool adds = value(i.at(Role::scale_d), Type::pred) != 0;
    for (size_t k = 0; k < d.elements.size(); ++k) {
        int32_t sum = adds ? static_cast<int32_t>(read(d.elements[k].name, Type::s32)) : 0;
        for (int64_t byte = 0; byte < matrix_row_bytes && has_exact_result(i); ++byte) {
            const auto element = [&](size_t n, size_t row) -> int32_t {
                const uint8_t found = matrices[n][static_cast<size_t>(matrix_offset(static_cast<int64_t>(row), byte))];
                return i.qualifiers[i.qualifiers.size() - 2 + n] == "s8" ? static_cast<int8_t>(found) : found;
            };
            sum += element(0, k % 4 < 2 ? 0 : 8) * element(1, k / 4 * 8 + k % 2);
        }
        const std::set<size_t> from(reads.begin(), reads.end());
        assign(d.elements[k], operand_type(i, d), static_cast<uint32_t>(sum), from, {});
    }
}

void Machine::fence_registers() {
    fenced_ = true;
    unfenced_.clear();
    for (Multiplication& m : multiplications_) m.fenced = true;
}

void Machine::wait_for_multiplications() {
    wait_for_groups(mma_groups_);
    const uint64_t pending = instruction().at(Role::groups).value;
    for (Multiplication& m : multiplications_)
        if (m.group + pending < mma_groups_.commits) m.done = true;
}

}  // namespace litmus::naive
