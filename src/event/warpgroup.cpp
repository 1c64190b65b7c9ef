// wgmma: what the matrix operations of a warpgroup become (ISA 9.7.15, model/semantics.md section 6).
//
// The thread of the test stands for its warpgroup where it multiplies matrices; where several warps of a warpgroup do, each stands for
// itself. An operation is an issue, the reads of its matrices in the async proxy, and a completion for its wgmma-group, as of a bulk
// operation that only reads. The operations of the warps of a warpgroup are one: the n-th of each (Relations::relate_warpgroups). What an
// operation does with registers is no event. The ISA says what is undefined there, and steps of the thread tell it: the accesses to
// registers that hold matrices, the operations, their fences, commits and waits, in program order, each with its condition.
#include <algorithm>

#include "event/builder.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

namespace litmus {

using Step = MatrixStep;

namespace {

std::set<std::string> names_of(const Operand* operand) {
    std::set<std::string> names;
    if (operand != nullptr)
        for (const Operand& element : operand->elements) names.insert(element.name);
    return names;
}

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::set<std::string> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}

}  // namespace

void note_names(const Operand& operand, std::set<std::string>& names) {
    if (operand.kind == Operand::Kind::reg || operand.indirect) names.insert(operand.name);
    for (const Operand& element : operand.elements) note_names(element, names);
}

// ---- matrices in shared memory ---------------------------------------------------------------------------

// Of which bytes of the n-th matrix a product is made that is known: of rows of A and columns of B of which the first lane has elements,
// or of the first of each where tensor memory gets the product, or the copy.
std::set<int64_t> Builder::counted_bytes(const Instruction& i, size_t nth) const {
    const bool first_element = kind(i.op) == Traits::Kind::tcgen;
    if (first_element ? !has_exact_tensors(test_) : !has_exact_result(i)) return {};
    constexpr int64_t second_row = 8;  // of A's that the first lane has
    const int64_t rows = first_element ? 1 : nth == 0 ? second_row + 1 : matrix_shape(i).n;
    std::set<int64_t> bytes;
    for (int64_t row = 0; row < rows; ++row) {
        const bool is_first_lanes = nth == 0 ? row % 8 == 0 : row % 8 < 2;
        for (int64_t byte = 0; byte < matrix_row_bytes && is_first_lanes; ++byte) bytes.insert(matrix_offset(row, byte));
    }
    return bytes;
}

// One matrix: reads of those of its elements that are kept; the array may end before the matrix does.
Builder::Matrix Builder::read_matrix(const Context& c, const State& state, const Operand& operand, int64_t bytes,
                                     const std::set<int64_t>& counted, size_t start) {
    const Target t = target(operand, state);
    Matrix matrix{t.location, static_cast<int64_t>(t.offset), {}, {}};
    const Location& location = test_.locations[static_cast<size_t>(t.location)];
    const int64_t step = bits(location.type) / 8;
    const int64_t end = std::min(matrix.offset + bytes, step * location.count);
    std::vector<Sweep::Row> rows;
    for (int64_t at = matrix.offset; at < end; at += step) {
        const auto first = counted.lower_bound(at - matrix.offset);
        rows.push_back({element_at(t, at - matrix.offset), {}, first != counted.end() && *first < at - matrix.offset + step});
    }
    for (const size_t k : kept_rows(c, rows)) {
        const int64_t at = matrix.offset + static_cast<int64_t>(k) * step;
        const MemoryPlace place = resolve(operand, location.type, static_cast<uint64_t>(at - matrix.offset), state);
        const size_t r = asynchronous_event(c, start, Event::Kind::read, place, location.type, static_cast<int>(at / step));
        draft_.events[r].sem = Sem::weak;
        draft_.events[r].scope = Scope::none;
        draft_.events[r].proxy = Proxy::async;
        matrix.reads[at] = r;
        if (rows[k].counted && kept_.varies(*rows[k].from)) matrix.factors[at] = r;
    }
    return matrix;
}

// A byte of a matrix, extended to 32 bits; what nothing writes has its initial value, and behind the array there are zeros.
ExprId Builder::matrix_byte(const Matrix& matrix, int64_t at, bool sign) {
    const Location& location = test_.locations[static_cast<size_t>(matrix.location)];
    const int64_t step = bits(location.type) / 8, byte = matrix.offset + at, element = byte / step * step;
    if (byte >= step * location.count) return exprs_.constant(0, 32);
    const auto read = matrix.factors.find(element);
    const ExprId word = read != matrix.factors.end()
                            ? draft_.events[read->second].value
                            : exprs_.constant(location.init[static_cast<size_t>(element / step)], bits(location.type));
    const Type type = step == 8 ? Type::u64 : Type::u32;
    const ExprId shifted = exprs_.apply(Operator::shr, type, exprs_.resize(word, bits(type), false),
                                        exprs_.constant(static_cast<uint64_t>(8 * (byte - element)), bits(type)));
    return exprs_.resize(exprs_.resize(shifted, 8, false), 32, sign);
}

// An element of A * B, of integers (ISA 9.7.15.5.2).
ExprId Builder::product(const Instruction& i, const std::vector<Matrix>& matrices, int64_t row, int64_t column) {
    const auto is_signed_type = [&](size_t nth) { return i.qualifiers.at(i.qualifiers.size() - 2 + nth) == "s8"; };
    ExprId sum = exprs_.constant(0, 32);
    for (int64_t k = 0; k < matrix_row_bytes; ++k) {
        const ExprId a = matrix_byte(matrices[0], matrix_offset(row, k), is_signed_type(0));
        const ExprId b = matrix_byte(matrices[1], matrix_offset(column, k), is_signed_type(1));
        const ExprId zero = exprs_.constant(0, 32);
        if (a != zero && b != zero) sum = exprs_.apply(Operator::add, Type::s32, sum, exprs_.apply(Operator::mul, Type::s32, a, b));
    }
    return sum;
}

// The accumulator's registers that the first lane of the warpgroup has: rows 0 and 8, two columns of each eight (ISA 9.7.15.5.1.1.3).
void Builder::accumulate(const Context& c, State& state, const std::vector<Matrix>& matrices) {
    const Instruction& i = c.instruction;
    const Operand& d = i.at(Role::accumulator);
    const Type type = operand_type(i, d);
    Dependencies reads;
    for (const Matrix& matrix : matrices)
        for (const auto& [at, read] : matrix.reads) reads[read] = ExprPool::yes;
    const ExprId adds = value_of(state, i.at(Role::scale_d), Type::pred, reads);
    for (size_t k = 0; k < d.elements.size(); ++k) {
        ExprId value = exprs_.read(opaque_value, bits(type));
        if (has_exact_result(i) && has_first_lane(thread().at)) {
            const auto n = static_cast<int64_t>(k);
            const ExprId sum = product(i, matrices, n % 4 / 2 * 8, n / 4 * 8 + n % 2);
            const ExprId before =
                adds == ExprPool::no ? exprs_.constant(0, bits(type)) : read_register(exprs_, state, d.elements[k].name, type);
            value = exprs_.apply(Operator::add, type, exprs_.ite(adds, before, exprs_.constant(0, bits(type))), sum);
        }
        assign(state, d.elements[k], type, value, reads, c.when, c.guard_reads);
    }
}

void Builder::mma(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const size_t start = issue(c, state);
    std::vector<Matrix> matrices;
    std::vector<size_t> reads;
    for (size_t nth = 0; const Operand* operand = i.find(Role::matrix, nth); ++nth) {
        depend_address(state, *operand, start);
        matrices.push_back(read_matrix(c, state, *operand, matrix_bytes(i, nth), counted_bytes(i, nth), start));
        for (const auto& [at, read] : matrices.back().reads) reads.push_back(read);
    }
    Groups::Member member{draft_.events.size(), c.guard, 0, std::nullopt};
    member.completion = group_completion(c, start, reads);
    ExprId earlier = exprs_.constant(0, 16);
    for (const Groups::Member& before : draft_.thread.mma_groups.members)
        earlier = exprs_.apply(Operator::add, Type::u16, earlier, exprs_.ite(before.guard, exprs_.constant(1, 16), exprs_.constant(0, 16)));
    draft_.notes.multiplications.push_back({thread_, start, reads, member.completion, earlier});
    draft_.thread.mma_groups.members.push_back(member);
    Step step{Step::Kind::operation, c.guard, names_of(&i.at(Role::accumulator)), names_of(i.find(Role::fragment)), start, 0,
              i.qualifiers.at(2)};
    check_registers(step);
    draft_.thread.matrix_steps.push_back(std::move(step));
    accumulate(c, state, matrices);
}

// ---- registers that hold matrices --------------------------------------------------------------------------

// Any other instruction that names registers which may hold what is not modelled, or matrices, in this thread.
void Builder::note_matrix_registers(const Context& c, const State& state) {
    if (opaque_registers_.empty() || kind(c.instruction.op) == Traits::Kind::mma ||
        (c.instruction.op == Op::tcgen_store && !has_exact_tensors(test_)))
        return;
    std::set<std::string> names;
    if (c.instruction.guard) names.insert(c.instruction.guard->reg);
    for (const Operand& operand : c.instruction.operands) note_names(operand, names);
    if (!common(names, opaque_registers_).empty() && c.instruction.op != Op::warp_mma) require_known(c.instruction, state);
    Step step{Step::Kind::access, c.guard, common(names, matrix_registers_), {}, 0, 0, {}};
    if (step.accumulators.empty()) return;
    for (size_t before = 0; before < draft_.thread.matrix_steps.size(); ++before) check_access(before, step, step.accumulators);
    draft_.thread.matrix_steps.push_back(std::move(step));
}

// A floating-point result has no value that the model knows, nor has, often, the number of a cluster that was cancelled.
void Builder::require_known(const Instruction& i, const State& state) {
    const auto check = [&](auto&& self, const Operand& operand) -> void {
        const auto found = state.registers.find(operand.name);
        if (operand.kind == Operand::Kind::reg && found != state.registers.end() && has_read(exprs_, found->second.value, opaque_value))
            fail_unknown(operand.span, operand.name, "leave out what uses the value: races and undefined behaviour are told without");
        for (const Operand& element : operand.elements) self(self, element);
    };
    for (const Operand& operand : i.operands)
        if (is_read(operand.role)) check(check, operand);
}

void Builder::fail_unknown(const Span& span, const std::string& name, std::string hint) const {
    fail(span, "the value of `" + name + "` is not modelled: " + why_unknown(test_, thread(), name), std::move(hint));
}

// Whether the group of the operation at step `from` has been waited for at the end of the steps.
ExprId Builder::is_complete(size_t from) {
    const std::vector<Step>& steps = draft_.thread.matrix_steps;
    ExprId commits = exprs_.constant(0, 16), complete = ExprPool::no;
    for (size_t s = from + 1; s < steps.size(); ++s) {
        if (steps[s].kind == Step::Kind::commit)
            commits =
                exprs_.apply(Operator::add, Type::u16, commits, exprs_.ite(steps[s].guard, exprs_.constant(1, 16), exprs_.constant(0, 16)));
        if (steps[s].kind != Step::Kind::wait) continue;
        const ExprId enough = exprs_.compare(Operator::lt, Type::u16, exprs_.constant(steps[s].pending, 16), commits);
        complete = exprs_.either(complete, exprs_.both(steps[s].guard, enough));
    }
    return complete;
}

// Undefined behaviour (ISA 9.7.15.7.3): registers of an operation are accessed before a wait for its group.
void Builder::check_access(size_t before, const Step& access, const std::set<std::string>& registers) {
    const Step& earlier = draft_.thread.matrix_steps[before];
    if (earlier.kind != Step::Kind::operation) return;
    std::set<std::string> used = common(earlier.accumulators, registers);
    used.merge(common(earlier.fragments, registers));
    if (used.empty()) return;
    draft_.violations.push_back({earlier.issue, exprs_.both(access.guard, exprs_.negate(is_complete(before))),
                                 "`" + *used.begin() + "` is accessed before a wgmma.wait_group for this operation (ISA 9.7.15.7.3)"});
}

// Undefined behaviour (ISA 9.7.15.7.1): no wgmma.fence before the first operation, or between an access to a register and an operation
// that uses it. Operations of one shape may follow each other on one accumulator.
void Builder::check_registers(const Step& operation) {
    const std::vector<Step>& steps = draft_.thread.matrix_steps;
    std::set<std::string> registers = operation.accumulators;
    registers.insert(operation.fragments.begin(), operation.fragments.end());
    ExprId fenced = ExprPool::no;
    for (size_t s = steps.size(); s-- > 0;) {
        const Step& before = steps[s];
        if (before.kind == Step::Kind::fence) fenced = exprs_.either(fenced, before.guard);
        if (before.kind != Step::Kind::operation && before.kind != Step::Kind::access) continue;
        std::set<std::string> shared = registers;
        const bool pipelined = before.kind == Step::Kind::operation && before.shape == operation.shape;
        if (pipelined)
            for (const std::string& name : common(before.accumulators, operation.accumulators)) shared.erase(name);
        check_access(s, operation, shared);
        std::set<std::string> used = common(before.accumulators, shared);
        used.merge(common(before.fragments, shared));
        if (used.empty()) continue;
        draft_.violations.push_back({operation.issue, exprs_.both(before.guard, exprs_.negate(fenced)),
                                     "no wgmma.fence between an access to `" + *used.begin() + "` and this use (ISA 9.7.15.7.1)"});
    }
    draft_.violations.push_back({operation.issue, exprs_.negate(fenced), "no wgmma.fence before this operation (ISA 9.7.15.7.1)"});
}

std::set<std::string> matrix_registers(const Thread& thread) {
    std::set<std::string> names;
    for (const Instruction& i : thread.body)
        for (const Operand& operand : i.operands)
            if (operand.role == Role::accumulator || operand.role == Role::fragment || operand.role == Role::tile || i.op == Op::warp_mma)
                note_names(operand, names);
    return names;
}

}  // namespace litmus
