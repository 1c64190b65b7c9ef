// Operations on multimem addresses (ISA 8.2.3, 9.7.9.14, model/semantics.md section 2).
//
// Such an operation is, at each location that the address points to, the access that its like is at one: a read, a write, a
// reduction. They stand beside each other as the elements of a vector access do. The address is one of its own at each location, another
// than the location's. A vector or packed value is one scalar beside the other (ISA 8.2.4, 8.2.5), each at all locations.
//
// *The order of additions.* multimem.ld_reduce adds what it has read, and no sentence says in which order. Sums of floating-point numbers
// depend on it: each addition rounds. So a choice of the execution names one of the orders, for each scalar on its own: a sum of n values
// is that of some of them and that of the others, so one value has one order, two have one, three have three and four have fifteen, since
// a + b is b + a. Integers, and the least and the greatest of numbers, are the same in any order.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr size_t most_added = 4;  // floating-point numbers in any order: of five there are 105

}  // namespace

void Builder::multimem(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i);
    const bool stores = kind(i.op) == Traits::Kind::store;
    const std::optional<Type> half = stores && lanes(type) == 1 ? half_of(i.at(Role::address), type, state) : std::nullopt;
    const Type scalar = half.value_or(lane_type(type));
    const int parts = bits(type) / bits(scalar);
    const Operand *source = i.find(Role::source), *result = i.find(Role::result);
    for (int n = 0; n < vector_width(i); ++n) {
        Dependencies data, reads;
        const ExprId operand = source ? value_of(state, element_of(*source, n), type, data) : 0;
        ExprId found = exprs_.constant(0, bits(type));
        std::map<size_t, std::vector<size_t>> whole;  // at each location, where a scalar has several cells there
        for (int k = 0; k < parts; ++k) {
            const ExprId part = parts == 1 || !source ? operand : part_of(exprs_, operand, type, k * bits(scalar), bits(scalar));
            const std::vector<size_t> events = access_replicas(c, state, scalar, n * parts + k, part, data);
            for (size_t at = 0; half && at < events.size(); ++at) whole[at].push_back(events[at]);
            if (!result) continue;
            std::vector<ExprId> values;
            for (const size_t read : events) {
                reads[read] = ExprPool::yes;
                values.push_back(draft_.events[read].value);
            }
            const ExprId one = reduced(c, scalar, std::move(values));
            found = parts == 1 ? one : place_part(exprs_, found, one, type, k * bits(scalar));
        }
        for (const auto& [at, of_scalar] : whole) tie(of_scalar);
        if (!result) continue;
        assign(state, element_of(*result, n), type, found, reads, c.when, c.guard_reads);
        expect(c, state, found, type, reads);
    }
}

// One scalar of it, at each location that the address points to: the reads, or the writes of a store.
std::vector<size_t> Builder::access_replicas(const Context& c, const State& state, Type type, int element, ExprId operand,
                                             const Dependencies& data) {
    const Operand& address = c.instruction.at(Role::address);
    const std::vector<MemoryPlace> places = resolve_all(address, type, static_cast<uint64_t>(element * bits(type) / 8), state);
    const bool loads = kind(c.instruction.op) == Traits::Kind::load;
    std::vector<size_t> events;
    for (size_t at = 0; at < places.size(); ++at) {
        const int number = element * static_cast<int>(places.size()) + static_cast<int>(at);  // all of them are in no order
        if (kind(c.instruction.op) == Traits::Kind::atomic) {
            events.push_back(atomic_scalar(c, state, places[at], type, number, {operand}, data));
            continue;
        }
        const size_t id = memory_event(c, state, loads ? Event::Kind::read : Event::Kind::write, places[at], type, number);
        draft_.events[id].sem = semantics(c.instruction);
        draft_.events[id].value = loads ? exprs_.read(static_cast<uint32_t>(id), bits(type)) : operand;
        depend_address(state, address, id);
        depend("data", data, id);
        events.push_back(id);
    }
    return events;
}

// What multimem.ld_reduce makes of the values it has read. With `.acc::f32` halves are added as f32, and the sum is rounded once more.
ExprId Builder::reduced(const Context& c, Type type, std::vector<ExprId> values) {
    const Operator operation = litmus::operation(c.instruction);
    if (!is_float(type) || operation != Operator::add) {
        ExprId result = values.front();
        for (size_t k = 1; k < values.size(); ++k) result = exprs_.apply(operation, type, result, values[k]);
        return result;
    }
    if (values.size() > most_added)
        fail(c.instruction.at(Role::address).span,
             "this adds the numbers at " + std::to_string(values.size()) + " locations, in an order that PTX leaves open (ISA 9.7.9.14): " +
                 "at most " + std::to_string(most_added) + " are followed",
             "add integers, or let the address point to fewer locations");
    const bool as_f32 = c.instruction.has("acc::f32");
    if (as_f32)
        for (ExprId& value : values) value = exprs_.widen(type, value);
    const ExprId sum = one_of(sums(as_f32 ? Type::f32 : type, values));
    return as_f32 ? exprs_.narrow(type, sum) : sum;
}

// The sum of these values in each order. The first value is on the left; `beside` says which of the others are there, too.
std::vector<ExprId> Builder::sums(Type type, const std::vector<ExprId>& values) {
    if (values.size() == 1) return values;
    std::vector<ExprId> result;
    const size_t all = (size_t{1} << (values.size() - 1)) - 1;
    for (size_t beside = 0; beside < all; ++beside) {
        std::vector<ExprId> left{values[0]}, right;
        for (size_t k = 1; k < values.size(); ++k) ((beside >> (k - 1) & 1) != 0 ? left : right).push_back(values[k]);
        for (const ExprId a : sums(type, left))
            for (const ExprId b : sums(type, right)) result.push_back(exprs_.apply(Operator::add, type, a, b));
    }
    return result;
}

// One of these values, by a number whose bits are choices. They are free where the instruction is not executed: an await that a thread
// stays at asks what it would return in any order.
ExprId Builder::one_of(const std::vector<ExprId>& values) {
    std::vector<ExprId> bits;
    while (size_t{1} << bits.size() < values.size()) bits.push_back(exprs_.choice(draft_.choices++));
    const auto is = [&](size_t number) {
        ExprId all = ExprPool::yes;
        for (size_t b = 0; b < bits.size(); ++b) all = exprs_.both(all, (number >> b & 1) != 0 ? bits[b] : exprs_.negate(bits[b]));
        return all;
    };
    ExprId result = values[0];
    for (size_t k = 1; k < values.size(); ++k) result = exprs_.ite(is(k), values[k], result);
    for (size_t k = values.size(); k < size_t{1} << bits.size(); ++k) draft_.constraints.push_back(exprs_.negate(is(k)));
    return result;
}

}  // namespace litmus
