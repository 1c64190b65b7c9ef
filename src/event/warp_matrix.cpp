// Matrices of a warp: ldmatrix and stmatrix (ISA 9.7.14.5.15, 9.7.14.5.16), and mma.sync with its like (9.7.14.5.14, 9.7.14.6).
//
// A matrix that is moved has eight rows of 16 bytes, or sixteen. Lane k gives the address of the k-th row, and accesses that row here,
// weakly and through the generic proxy; lanes that have no row access nothing. All lanes of the warp that the test has wait for each other,
// and this orders nothing.
//
// What registers hold of a row are words of 32 bits: word j of row k is that of the j-th of four lanes. So of what a lane loads it knows
// the one register that comes of its own row, if there is one. What a lane stores into its own row comes from other lanes too. A thread
// that stands for its warp has the registers of all of them: then each word of the row is that of the own register. If other lanes store,
// too, a store is refused. Products have no value here. That a register depends on the rows of other lanes, too, is left out, as among
// kernels (kernel/matrix.cpp): without it more may happen, not less.
#include <algorithm>

#include "event/builder.h"
#include "ptx/matrix.h"
#include "ptx/table.h"

namespace litmus {

namespace {

constexpr int word_bits = 32, rows_of_matrix = 8, words_of_row = 4;  // a word for each of four lanes

bool has_row(const Instruction& i, const Placement& at) {
    return at.lane < lanes_with_rows(i);
}

// Which register of ldmatrix holds a word of the lane's own row: that of the n-th matrix comes of row 8 * n + lane / 4.
std::optional<size_t> own_register(const Instruction& i, const Placement& at) {
    const int from = at.lane - at.lane / words_of_row;
    if (i.has("trans") || !i.has("m8n8") || from % rows_of_matrix != 0) return std::nullopt;
    const auto nth = static_cast<size_t>(from / rows_of_matrix);
    return nth < i.at(Role::tile).elements.size() ? std::optional(nth) : std::nullopt;
}

}  // namespace

// Why an instruction that writes this register leaves it without a value; empty: it does not.
std::string why_unknown_matrix(const Thread& thread, const Instruction& i, const std::string& name) {
    if (i.op != Op::ldmatrix && i.op != Op::warp_mma) return {};
    const std::vector<std::string> written = written_registers(i);
    const auto found = std::find(written.begin(), written.end(), name);
    if (found == written.end()) return {};
    if (i.op == Op::warp_mma) return "what `" + spelling(i) + "` computes is not known";
    if (own_register(i, thread.at) == static_cast<size_t>(found - written.begin())) return {};
    return "it comes of rows whose addresses other lanes of the warp give (ISA 9.7.14.5.15)";
}

// Whether it has no other lane of its warp beside it.
bool Builder::stands_for_warp() const {
    return std::count_if(test_.threads.begin(), test_.threads.end(),
                         [&](const Thread& t) { return same_cta(t.at, thread().at) && t.at.warp == thread().at.warp; }) == 1;
}

void Builder::warp_matrix(const Context& c, State& state) {
    std::vector<size_t> row;
    const Dependencies reads = has_row(c.instruction, thread().at) ? access_row(c, state, row) : Dependencies{};
    if (!stands_for_warp()) barrier(c, state);
    const Operand* results = c.instruction.find(Role::tile);
    for (size_t k = 0; results != nullptr && k < results->elements.size(); ++k) {
        const bool known = !row.empty() && own_register(c.instruction, thread().at) == k;
        assign(state, results->elements[k], Type::b32, known ? loaded_word(row) : exprs_.read(opaque_value, word_bits), reads, c.when,
               c.guard_reads);
    }
}

// Its elements, as wide as those of the location. Returns the reads.
Dependencies Builder::access_row(const Context& c, State& state, std::vector<size_t>& row) {
    const bool loads = c.instruction.op == Op::ldmatrix;
    const Operand& address = c.instruction.at(Role::address);
    const Type type = places_.cell_type(physical_location(test_, target(address, state).location));
    const int width = bits(type);
    Dependencies data, reads;
    const ExprId word = loads ? ExprPool::no : stored_word(c, state, data);
    for (int k = 0; k * width < row_of_lane_bytes * 8; ++k) {
        const MemoryPlace at = resolve(address, type, static_cast<uint64_t>(k * width / 8), state);
        const size_t id = memory_event(c, state, loads ? Event::Kind::read : Event::Kind::write, at, type, k);
        Event& e = draft_.events[id];
        e.sem = Sem::weak;
        e.scope = Scope::none;
        if (loads) {
            e.value = exprs_.read(static_cast<uint32_t>(id), width);
            reads[id] = ExprPool::yes;
        } else if (width > word_bits) {
            const ExprId low = exprs_.resize(word, width, false), by = exprs_.constant(word_bits, width);
            e.value = exprs_.apply(Operator::or_, Type::u64, low, exprs_.apply(Operator::shl, Type::u64, low, by));
        } else {
            const ExprId by = exprs_.constant(static_cast<uint64_t>(k * width % word_bits), word_bits);
            e.value = exprs_.resize(exprs_.apply(Operator::shr, Type::u32, word, by), width, false);
        }
        depend_address(state, address, id);
        if (!loads) depend("data", data, id);
        row.push_back(id);
    }
    return reads;
}

// The word that the own row consists of, four times: of `.trans` one half of the register, twice, for there a word has the elements of two
// lanes.
ExprId Builder::stored_word(const Context& c, const State& state, Dependencies& data) {
    const Instruction& i = c.instruction;
    const bool from_others = std::any_of(test_.threads.begin(), test_.threads.end(), [&](const Thread& t) {
        const bool has_it = std::any_of(t.body.begin(), t.body.end(), [](const Instruction& j) { return j.op == Op::stmatrix; });
        return &t != &thread() && same_cta(t.at, thread().at) && t.at.warp == thread().at.warp && has_it;
    });
    if (from_others)  // where no other lane of the test has it, the row is undefined at most (aligned.cpp)
        fail(i.span,
             "a row that `stmatrix` stores comes of four lanes of the warp or more, some of which are other threads here: not modelled",
             "let one thread stand for the warp, or write the row with `st.shared.v4.b32`");
    const int lane = thread().at.lane;
    const Operand& own = i.at(Role::fragment).elements.at(static_cast<size_t>(lane / rows_of_matrix));
    const ExprId word = value_of(state, own, Type::u32, data);
    if (!i.has("trans")) return word;
    const auto apply = [&](Operator op, ExprId a, uint64_t b) { return exprs_.apply(op, Type::u32, a, exprs_.constant(b, word_bits)); };
    const ExprId half = apply(Operator::and_, lane % 2 == 0 ? word : apply(Operator::shr, word, 16), 0xffff);
    return exprs_.apply(Operator::or_, Type::u32, half, apply(Operator::shl, half, 16));
}

// Of the own row the word that the lane gets: the (lane mod 4)-th.
ExprId Builder::loaded_word(const std::vector<size_t>& row) {
    const int width = bits(draft_.events[row.front()].type), first = thread().at.lane % words_of_row * word_bits;
    if (width > word_bits) {
        const ExprId whole = draft_.events[row.at(static_cast<size_t>(first / width))].value;
        const ExprId by = exprs_.constant(static_cast<uint64_t>(first % width), width);
        return exprs_.resize(exprs_.apply(Operator::shr, Type::u64, whole, by), word_bits, false);
    }
    ExprId word = exprs_.constant(0, word_bits);
    for (int at = 0; at < word_bits; at += width) {
        const ExprId part = exprs_.resize(draft_.events[row.at(static_cast<size_t>((first + at) / width))].value, word_bits, false);
        const ExprId by = exprs_.constant(static_cast<uint64_t>(at), word_bits);
        word = exprs_.apply(Operator::or_, Type::u32, word, exprs_.apply(Operator::shl, Type::u32, part, by));
    }
    return word;
}

// mma.sync, mma.sp.sync and movmatrix: what comes out depends on all that goes in, and has no value that is known.
void Builder::multiply_in_registers(const Context& c, State& state) {
    Dependencies reads;
    for (const Operand& operand : c.instruction.operands) {
        std::set<std::string> names;
        if (is_read(operand.role)) note_names(operand, names);
        for (const std::string& name : names) add_reads(exprs_, reads, register_reads(state, name));
    }
    for (const Operand& operand : c.instruction.operands) {
        if (!is_written(operand.role)) continue;
        const size_t count = std::max<size_t>(operand.elements.size(), 1);
        for (size_t k = 0; k < count; ++k)
            assign(state, element_of(operand, static_cast<int>(k)), Type::b32, exprs_.read(opaque_value, word_bits), reads, c.when,
                   c.guard_reads);
    }
}

}  // namespace litmus
