// Tensor maps in memory (ISA 5.5.8, model/semantics.md section 6): who writes them, and how a tensor copy reads one.
//
// A map is one cell. Its value is the number of the location that it stands for: of all that a map says only the array changes.
#include <algorithm>

#include "event/builder.h"
#include "language/tensor.h"
#include "ptx/traits.h"

namespace litmus {

// The read of a map by a tensor copy (9.7.9.27.1.2): asynchronous, through the tensormap proxy.
size_t Builder::read_map(const Context& c, size_t start, const Operand& box) {
    const MemoryPlace at = places_.place(location_index(test_, box.name), -1, 0, Type::b32, box.span);
    const size_t id = asynchronous_event(c, start, Event::Kind::read, at, Type::b32, 0);
    draft_.events[id].sem = Sem::weak;
    draft_.events[id].scope = Scope::none;
    draft_.events[id].proxy = Proxy::tensormap;
    return id;
}

// tensormap.replace of the array's address (9.7.9.28): weak, on the whole map. All else that a map says is the same whatever it held
// before.
void Builder::replace_array(const Context& c, State& state) {
    const Operand& map = c.instruction.at(Role::address);
    Operand address = c.instruction.at(Role::source);
    const Target t = target(map, state);
    address.kind = Operand::Kind::address;
    address.indirect = true;
    const Target array = target(address, state);
    const TensorMap& declared = *find_tensor_map(test_, test_.locations[static_cast<size_t>(t.location)].name);
    const std::vector<int> possible = possible_arrays(test_, declared);
    if (array.offset != 0 || std::find(possible.begin(), possible.end(), array.location) == possible.end())
        fail(address.span, "`" + address.name + "` does not hold the address of an array in global memory like `" + declared.array + "`",
             "the array that a tensor map stands for changes to one with elements of its type, and with room for the tensor, from its "
             "beginning");
    const MemoryPlace at = places_.place(t.location, t.instance, t.offset, Type::b32, map.span);
    const size_t write = memory_event(c, state, Event::Kind::write, at, Type::b32, 0);
    draft_.events[write].value = exprs_.constant(static_cast<uint64_t>(array.location), bits(Type::b32));
    depend_address(state, map, write);
    depend("data", register_reads(state, address.name), write);
}

// tensormap.replace of another field (9.7.9.28), weak, on the whole map: what it stands for stays. The static rules see that the field gets
// what it has; here its value has to be known.
void Builder::replace_field(const Context& c, State& state) {
    const Operand &map = c.instruction.at(Role::address), &value = c.instruction.at(Role::source);
    constant_operand(state, value, "what a field of a tensor map gets");
    const MemoryPlace at = resolve(map, Type::b32, 0, state);
    const size_t read = memory_event(c, state, Event::Kind::read, at, Type::b32, 0);
    draft_.events[read].value = exprs_.read(static_cast<uint32_t>(read), bits(Type::b32));
    const size_t write = memory_event(c, state, Event::Kind::write, at, Type::b32, 0);
    draft_.events[write].value = draft_.events[read].value;
    for (const size_t e : {read, write}) depend_address(state, map, e);
    depend("data", {{read, ExprPool::yes}}, write);
    if (value.kind == Operand::Kind::reg) depend("data", register_reads(state, value.name), write);
}

// tensormap.cp_fenceproxy (9.7.13.16): a map is copied from shared to global memory, in the generic proxy, and a fence follows: the
// releasing half of a proxy fence, of this one write.
void Builder::copy_map(const Context& c, State& state) {
    const Operand &to = c.instruction.at(Role::copy_to), &from = c.instruction.at(Role::copy_from);
    const size_t read = memory_event(c, state, Event::Kind::read, resolve(from, Type::b32, 0, state), Type::b32, 0);
    draft_.events[read].value = exprs_.read(static_cast<uint32_t>(read), bits(Type::b32));
    depend_address(state, from, read);
    const size_t write = memory_event(c, state, Event::Kind::write, resolve(to, Type::b32, 0, state), Type::b32, 0);
    draft_.events[write].value = draft_.events[read].value;
    depend_address(state, to, write);
    depend("data", {{read, ExprPool::yes}}, write);
    for (const size_t e : {read, write}) draft_.events[e].scope = Scope::none;
    Event fence = event_of(c, Event::Kind::proxy_fence);
    fence.sem = Sem::release;
    fence.proxy = Proxy::tensormap;
    fence.reach = Event::Reach::tensor_map;
    fence.covered = draft_.events[write].cell;
    const size_t id = add_event(fence);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
}

}  // namespace litmus
