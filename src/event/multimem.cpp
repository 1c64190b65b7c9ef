// Operations on multimem addresses (ISA 8.2.3, 9.7.9.14, model/semantics.md section 2).
//
// Such an operation is, at each location that the address points to, the access that its like is at one: a read, a write, a
// reduction. They stand beside each other as the elements of a vector access do. The address is one of its own at each location, another
// than the location's.
#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

void Builder::multimem(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i);
    const Operand& address = i.at(Role::address);
    const Operator operation = litmus::operation(i);
    Dependencies data, reads;
    const Operand* source = i.find(Role::source);
    const ExprId stored = source ? value_of(state, *source, type, data) : 0;
    std::optional<ExprId> reduced;
    int element = 0;
    for (const MemoryPlace& at : resolve_all(address, type, 0, state)) {
        if (kind(i.op) == Traits::Kind::atomic) {
            atomic_scalar(c, state, at, type, element++, {stored}, data);
            continue;
        }
        const bool loads = kind(i.op) == Traits::Kind::load;
        const size_t id = memory_event(c, state, loads ? Event::Kind::read : Event::Kind::write, at, type, element++);
        draft_.events[id].sem = semantics(i);
        draft_.events[id].value = loads ? exprs_.read(static_cast<uint32_t>(id), bits(type)) : stored;
        depend_address(state, address, id);
        depend("data", data, id);
        if (!loads) continue;
        reads[id] = ExprPool::yes;
        const ExprId value = draft_.events[id].value;
        reduced = reduced ? exprs_.apply(operation, type, *reduced, value) : value;
    }
    if (!reduced) return;
    assign(state, i.at(Role::result), type, *reduced, reads, c.when, c.guard_reads);
    expect(c, state, *reduced, type, reads);
}

}  // namespace litmus
