// Operations on multimem addresses (ISA 8.2.3, 9.7.9.14).
//
// Such an operation is, at each location that its address points to, what its like is at one, in no order. The address is another one there
// than the location's own. Two accesses by the two are ordered only where an alias proxy fence lies between (8.9.5, Causes::aliased). Two
// strong accesses may be morally strong all the same: that is the reading `multimem-signals`.
#include "ptx/value.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr size_t most_addressed = UINT8_MAX;  // objects, of which some may be multimem addresses
constexpr size_t most_added = 2;              // floating-point numbers that have one sum in every order

// Halves are added as f32 where that is asked for, and the sum is rounded once more.
std::optional<uint64_t> reduced(const Step& step, uint64_t a, uint64_t b) {
    const Operator does = operation(*step.form);
    if (!step.has("acc::f32")) return apply(does, step.type, a, b);
    const Type part = lane_type(step.type);
    const int width = bits(part);
    uint64_t all = 0;
    for (int lane = 0; lane < lanes(step.type); ++lane) {
        const auto wide = [&](uint64_t from) { return converted(part, Type::f32, truncate(from >> (lane * width), width)); };
        const auto sum = apply(does, Type::f32, wide(a), wide(b));
        if (!sum) return std::nullopt;
        all |= converted(Type::f32, part, *sum) << (lane * width);
    }
    return all;
}

}  // namespace

std::vector<Spot> Machine::replicas(const Warp& warp, uint32_t lane, const Step& step, const Spot& named) {
    const size_t address = instances_[named.number].object;
    const std::vector<size_t>& objects = task_.layout.objects()[address].points_to;
    if (objects.empty()) fail(warp, lane, step, "it is for a multimem address, and this is another one (ISA 8.2.3)");
    if (address >= most_addressed) fail(warp, lane, step, "the launch has more arrays than the sweep tells multimem addresses apart");
    std::vector<Spot> spots;
    for (const size_t object : objects) {
        Spot& one = spots.emplace_back();
        one.offset = named.offset;
        one.object = object;
        one.address = static_cast<uint8_t>(address + 1);
        instance(object, 0, one.number);
    }
    return spots;
}

void Machine::multimem(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        const auto named = spot(warp, lane, step, Role::address);
        if (!named) fail(warp, lane, step, "it names no memory");
        const std::vector<Spot> spots = replicas(warp, lane, step, *named);
        if (step.form->op == Op::multimem_load) {
            load_reduced(warp, lane, step, spots);
            continue;
        }
        for (const Spot& one : spots)
            step.form->op == Op::multimem_store ? store_at(warp, lane, step, one) : reduce_at(warp, lane, step, one);
    }
}

// Sums of more than two floating-point numbers depend on an order that the ISA leaves open.
void Machine::load_reduced(Warp& warp, uint32_t lane, const Step& step, const std::vector<Spot>& spots) {
    Thread& own = thread(warp, lane);
    const bool in_one_order = spots.size() <= most_added || operation(*step.form) != Operator::add || !is_float(lane_type(step.type));
    std::vector<Value> values;
    for (const Spot& one : spots) {
        Access access = observer_.own_access(own, step, false);
        access.finds = step.scope != Scope::none;
        warp.looked = warp.looked || access.finds;
        observer_.touch(one, uint64_t{step.bytes} * step.elements, access, step);
        observer_.observe(own, one, step, false);
        account_.log_flag({.reads = true}, own, one, step);
        for (uint32_t e = 0; e < step.elements; ++e) {
            Value found = instances_[one.number].get(one.offset + uint64_t{e} * step.bytes, step.bytes, doubts_);
            found.doubt = doubts_.join(found.doubt, observer_.doubt_of_strong(one, step, e));
            if (&one == &spots.front()) {
                values.push_back(found);
                continue;
            }
            Value both;
            if (in_one_order && values[e] && found) both = reduced(step, *values[e], *found);
            both.doubt = doubts_.join(values[e].doubt, found.doubt);
            values[e] = both;
        }
    }
    for (Value& value : values) value = extended(value, step.type);
    write(warp, lane, step.statement->arguments[0], values);
}

void Machine::store_at(Warp& warp, uint32_t lane, const Step& step, const Spot& to) {
    Thread& own = thread(warp, lane);
    const Argument& what = *step.find(Role::source);
    Access access = observer_.own_access(own, step, true);
    access.address = to.address;
    const bool last = observer_.touch(to, uint64_t{step.bytes} * step.elements, access, step) == Unordered::none;
    const Value first = read(warp, lane, element_of(what, 0));
    account_.log_flag({.writes = true, .operand = first}, own, to, step);
    observer_.note_written(to, step, instances_[to.number].get(to.offset, step.bytes, doubts_),
                           {first, access, {.type = step.type, .by = first, .swapped = {}}, !last});
    observer_.publish(own, to, step);
    std::vector<Value> values;
    for (uint32_t e = 0; e < step.elements; ++e) {
        Value& value = values.emplace_back(read(warp, lane, element_of(what, e)));
        if (!last) value.doubt = doubts_.join(value.doubt, observer_.doubt_of_strong(to, step, e));
    }
    put_elements(to, step.bytes, values);
}

void Machine::reduce_at(Warp& warp, uint32_t lane, const Step& step, const Spot& to) {
    Thread& own = thread(warp, lane);
    auto [old, by, now] = update_from_registers(warp, lane, step, to);
    Access access = observer_.own_access(own, step, true);
    access.address = to.address;
    access.reduces = true;
    const Unordered others = observer_.touch(to, uint64_t{step.bytes} * step.elements, access, step);
    observer_.publish(own, to, step);
    account_.log_flag({.writes = true, .operand = by[0], .does = operation(*step.form)}, own, to, step);
    for (uint32_t e = 0; e < now.size(); ++e)
        if (others == Unordered::unlike) now[e].doubt = doubts_.join(now[e].doubt, observer_.doubt_of_strong(to, step, step.element_of(e)));
    observer_.note_written(to, step, old[0], {now[0], access, {operation(*step.form), step.type, by[0], {}}, others != Unordered::none});
    put_elements(to, step.bytes, now);
}

}  // namespace litmus::sweep
