// Addresses that depend on values read from memory: a slot of a queue, a pointer in a mailbox, an index out of a table.
//
// Such an instruction is executed once for each place where its address may lead, each time under the condition that it leads there. At
// most one of these conditions holds, so of the events at most those of one place happen, and the results are one if-then-else over all
// places. (A guarded instruction behaves in the same way: the state of the thread is one, and need not be copied for each place.)
//
// *Which places.* An address is made of others, by additions and choices. What `mov` put into it, the name of a location, is its origin; an
// address with an origin leads into that object or nowhere, whatever lies behind it. An address without one was read from memory; it leads
// to an object whose address some thread takes, or nowhere. Each way through the choices has an address of its own, with an origin or
// without. In each object its elements are the places, as far as the instruction may access them. There must not be too many; none is left
// out. An access that the ISA allows and the model does not have, to a part of an element, is refused where the address may lead there.
//
// *Nowhere.* An execution in which the address is none of them has undefined behaviour: it has an event that says so (`astray`), and
// results of 0. A coordinate of a tensor copy may be outside, and so is all of the box then; towards global memory it is not negative.
#include <algorithm>
#include <bitset>
#include <climits>
#include <exception>
#include <utility>

#include "event/builder.h"
#include "language/tensor.h"
#include "ptx/traits.h"
#include "ptx/value.h"

namespace litmus {

namespace {

constexpr size_t most_places = 64;               // that are followed
constexpr uint64_t outside_of_all = 0x7fffffff;  // a coordinate at which no tensor has an element
constexpr int whole_elements = INT_MAX;          // bytes of an access that is to no part of an element

// Whether it is the address of an access to memory, or of an mbarrier object, in a register.
bool is_indirect_place(const Operand& operand) {
    const bool place =
        operand.role == Role::address || operand.role == Role::copy_to || operand.role == Role::copy_from || operand.role == Role::mbarrier;
    return place && operand.kind == Operand::Kind::address && operand.indirect;
}

// The bytes of one element of an access to data; what an asynchronous operation or one on an object accesses has a rule for its elements.
int accessed_bytes(const Instruction& i) {
    const Traits::Kind what = kind(i.op);
    const bool is_data = what == Traits::Kind::load || what == Traits::Kind::store || what == Traits::Kind::atomic;
    return is_data ? bits(data_type(i)) / 8 : whole_elements;
}

// Another register in the place of one.
void rename(Operand& operand, const std::string& from, const std::string& to) {
    if (operand.name == from) operand.name = to;
}

// Which of a tensor's dimensions a coordinate is in: of several rows, each has one.
size_t dimension_of(const Instruction& copy, size_t coordinate) {
    return tensor_mode(copy) == TensorMode::rows ? std::min<size_t>(coordinate, 1) : coordinate;
}

// Whether a tensor copy goes to global memory.
bool is_store(const Instruction& copy) {
    return copy.find(Role::copy_from) != nullptr;
}

const Operand* find_unknown(const ExprPool& pool, const Instruction& i, const State& state) {
    const auto is_unknown = [&](const Operand& operand) {
        const auto found = state.registers.find(operand.name);
        return found != state.registers.end() && !pool.is_constant(found->second.value);
    };
    for (const Operand& operand : i.operands)
        if (is_indirect_place(operand) && is_unknown(operand)) return &operand;
    const Operand* box = i.find(Role::tensor);
    if (box == nullptr || tensor_mode(i) == TensorMode::column) return nullptr;
    for (const Operand& coordinate : box->elements)
        if (coordinate.kind == Operand::Kind::reg && is_unknown(coordinate)) return &coordinate;
    return nullptr;
}

Type unsigned_type(int width) {
    return width == 64 ? Type::u64 : width == 32 ? Type::u32 : width == 16 ? Type::u16 : width == 8 ? Type::u8 : Type::pred;
}

[[noreturn]] void refuse_many(const SourcePtr& source, const Operand& operand, size_t places) {
    throw Failure(source, operand.span,
                  "`" + operand.name + "` may lead to " + std::to_string(places) + " places; at most " + std::to_string(most_places) +
                      " are followed",
                  "mask the index (`and.b32`), or declare smaller arrays");
}

}  // namespace

// Of an instruction that may not happen: an address in a register that is known, and lies outside the object that it was made of. That is
// undefined behaviour of the executions in which it happens, and no mistake of the text.
const Operand* Builder::find_outside(const Context& c, const State& state) {
    if (c.guard == ExprPool::yes || test_.dialect != Dialect::native) return nullptr;
    for (const Operand& operand : c.instruction.operands) {
        const auto found = is_indirect_place(operand) ? state.registers.find(operand.name) : state.registers.end();
        if (found == state.registers.end()) continue;
        if (!places_.location_at(exprs_[found->second.value].value + static_cast<uint64_t>(operand.offset))) continue;
        const Target at = target(operand, state);
        const Location& location = test_.locations[static_cast<size_t>(at.location)];
        const auto offset = static_cast<int64_t>(at.offset);
        if (offset < 0 || offset >= location.count * (bits(location.type) / 8)) return &operand;
    }
    return nullptr;
}

void Builder::execute_everywhere(const Context& c, State& state) {
    const Operand* found = find_unknown(exprs_, c.instruction, state);
    if (found == nullptr) found = find_outside(c, state);
    if (found == nullptr) return perform(c, state);
    const Operand unknown = *found;
    const bool is_address = unknown.kind == Operand::Kind::address;
    const RegisterState held = state.registers.at(unknown.name);
    require_read(held.value, unknown);

    // the same instruction with other registers: one that holds the value it is executed for, and others for the results, so that what it
    // reads beside its address is what was there before
    Instruction at_one = c.instruction;
    const std::string value_name = std::string(one_value) + unknown.name;
    std::vector<std::pair<Operand, std::string>> results;
    const auto take_result = [&](Operand& result) {
        if (result.kind != Operand::Kind::reg) return;
        results.emplace_back(result, "what " + result.name + " gets");
        result.name = results.back().second;
    };
    for (Operand& operand : at_one.operands) {
        if (is_address && is_indirect_place(operand)) rename(operand, unknown.name, value_name);
        if (!is_address && operand.role == Role::tensor)
            for (Operand& coordinate : operand.elements) rename(coordinate, unknown.name, value_name);
        if (!is_written(operand.role)) continue;
        take_result(operand);
        for (Operand& element : operand.elements) take_result(element);
    }
    const Type type = written_type(c.instruction).value_or(Type::u32);
    std::vector<Dependencies> reads(results.size());
    for (const auto& result : results)
        state.registers[result.second] = {exprs_.constant(0, bits(type)), is_signed(type), {}, ExprPool::yes};

    Context there{at_one, c.index, c.guard, c.when, c.guard_reads, c.fails};
    const auto execute_for = [&](uint64_t value, ExprId when) {
        there.guard = exprs_.both(c.guard, when);
        there.when = exprs_.both(c.when, when);
        if (there.guard == ExprPool::no) return;
        state.registers[value_name] = {exprs_.constant(value, 64), false, held.reads, ExprPool::yes};
        execute_everywhere(there, state);
        for (size_t r = 0; r < results.size(); ++r)
            for (const auto& [read, when_read] : state.registers[results[r].second].reads) reads[r].try_emplace(read, when_read);
    };
    const std::vector<Choice> choices =
        is_address ? choices_of_address(there, state, unknown, held) : choices_of_coordinate(c, unknown, held);
    for (const Choice& choice : choices) execute_for(choice.value, choice.when);
    const ExprId none = otherwise(choices);
    const size_t first = draft_.events.size();
    if (!exclude(exprs_, c.guard, none)) is_address ? stray(c, state, unknown, none) : execute_for(outside_of_all, none);
    if (!is_address && is_store(c.instruction)) forbid_negative(first, exprs_.resize(held.value, 32, held.sign));
    state.registers.erase(value_name);
    for (size_t r = 0; r < results.size(); ++r) {
        const ExprId value = state.registers[results[r].second].value;
        state.registers.erase(results[r].second);
        add_reads(exprs_, reads[r], held.reads);
        assign(state, results[r].first, type, value, reads[r], c.when, c.guard_reads);
    }
}

// Undefined behaviour of the copies to global memory that have been issued since: such a coordinate is not negative (ISA 9.7.9.27.1.1).
void Builder::forbid_negative(size_t first, ExprId coordinate) {
    const ExprId negative = exprs_.compare(Operator::lt, Type::s32, coordinate, exprs_.constant(0, 32));
    for (size_t e = first; e < draft_.events.size(); ++e)
        if (draft_.events[e].kind == Event::Kind::issue)
            draft_.violations.push_back({e, negative, "a copy to global memory has no negative coordinate (ISA 9.7.9.27.1.1)"});
}

// An access whose address is that of no place: this only says so.
void Builder::stray(const Context& c, const State& state, const Operand& address, ExprId when) {
    Event e = event_of(c, Event::Kind::astray);
    e.guard = exprs_.both(c.guard, when);
    e.scope = Scope::none;
    e.volatile_ = e.mmio = false;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    depend_address(state, address, id);
}

// ---- which places ---------------------------------------------------------------------------------------------

// Of an instruction in which `one value of ...` stands for the register: the places that it may access, of those where the address may
// lead.
std::vector<Builder::Choice> Builder::choices_of_address(const Context& at_one, State& state, const Operand& unknown,
                                                         const RegisterState& held) {
    const ExprId value = exprs_.resize(held.value, 64, held.sign);
    const std::set<Origin> origins = origins_of(value, at_one.guard);
    if (origins.empty())
        fail(unknown.span, "the address in " + unknown.name + " is read from memory, and no thread of the test takes an address",
             "`mov.u64 a, x;` takes the address of `x`, and a store puts it into memory");
    std::vector<Choice> choices;
    std::exception_ptr broken;
    for (const Origin& origin : origins)
        for (const uint64_t place : places_in(origin, accessed_bytes(at_one.instruction), unknown.span)) {
            const uint64_t at = place - static_cast<uint64_t>(unknown.offset);
            const ExprId when = equals(value, at);
            if (exclude(exprs_, at_one.guard, when)) continue;
            state.registers[std::string(one_value) + unknown.name] = {exprs_.constant(at, 64), false, {}, ExprPool::yes};
            try {
                check_static_rules(at_one, state);
                choices.push_back({at, when});
            } catch (const UnmodelledAccess&) {
                throw;
            } catch (const Failure&) {
                broken = std::current_exception();
            }
        }
    if (choices.empty() && broken) std::rethrow_exception(broken);
    if (choices.size() > most_places) refuse_many(test_.source, unknown, choices.size());
    return choices;
}

// The coordinates at which some of a box is inside the tensor.
std::vector<Builder::Choice> Builder::choices_of_coordinate(const Context& c, const Operand& unknown, const RegisterState& held) {
    const Instruction& copy = c.instruction;
    const Operand& box = copy.at(Role::tensor);
    const TensorMap& map = *find_tensor_map(test_, box.name);
    int first = 0, end = 0;
    for (size_t k = 0; k < box.elements.size(); ++k) {
        if (box.elements[k].name != unknown.name) continue;
        const size_t d = dimension_of(copy, k);
        if (!is_store(copy)) first = std::min(first, 1 - map.box[d]);
        end = std::max(end, map.dim[d]);
    }
    const ExprId value = exprs_.resize(held.value, 32, held.sign);
    std::vector<Choice> choices;
    for (int at = first; at < end; ++at) {
        const uint64_t bits = static_cast<uint32_t>(at);
        const ExprId when = equals(value, bits);
        if (!exclude(exprs_, c.guard, when)) choices.push_back({bits, when});
    }
    if (choices.size() > most_places) refuse_many(test_.source, unknown, choices.size());
    return choices;
}

// When the value is none of the choices. A value that can have no more values than there are choices is always one of them.
ExprId Builder::otherwise(const std::vector<Choice>& choices) {
    ExprId some = ExprPool::no;
    std::set<ExprId> compared;
    for (const Choice& choice : choices) {
        some = exprs_.either(some, choice.when);
        const Expr& e = exprs_[choice.when];
        const bool equality = e.op == Expr::Op::compare && e.operation == Operator::eq;
        compared.insert(!equality ? choice.when : exprs_.is_constant(e.a) ? e.b : e.a);
    }
    const size_t values = compared.size() == 1 ? std::bitset<64>(exprs_.ones(*compared.begin())).count() : 64;
    if (values < 63 && choices.size() == size_t{1} << values) return ExprPool::no;
    return exprs_.negate(some);
}

std::set<Builder::Origin> Builder::origins_of(ExprId address, ExprId guard) {
    std::map<ExprId, Made> known;
    Made made = what_made(address, guard, known);
    if (made.read || made.named.empty()) made.named.merge(addresses_taken());
    return std::move(made.named);
}

// The parts that an address is made of where `guard` holds. In a sum one part is the address: the one that names an object. Where neither
// does, it is one that was read, and so is the sum. A subtrahend is no address.
Builder::Made Builder::what_made(ExprId value, ExprId guard, std::map<ExprId, Made>& known) {
    if (const auto found = known.find(value); found != known.end()) return found->second;
    const Expr e = exprs_[value];
    const auto part = [&](ExprId of) { return what_made(of, guard, known); };
    Made made;
    if (e.op == Expr::Op::constant) {
        const auto at = places_.location_at(e.value);
        if (at) made.named.insert({at->first, at->second, (e.value & Places::generic_bit) != 0});
        made.number = !at;
    } else if (e.op == Expr::Op::resize) {
        made = part(e.a);
    } else if (e.op == Expr::Op::ite) {
        for (const auto& [branch, when] : {std::pair{e.b, e.a}, std::pair{e.c, exprs_.negate(e.a)}}) {
            if (exclude(exprs_, guard, when)) continue;
            Made one = part(branch);
            made.named.merge(one.named);
            made.read = made.read || one.read;
            made.number = made.number || one.number;
        }
    } else if (e.op == Expr::Op::apply && (e.operation == Operator::add || e.operation == Operator::sub || e.operation == Operator::and_ ||
                                           e.operation == Operator::or_)) {
        made = part(e.a);
        Made other = part(e.b);
        if (e.operation == Operator::sub) other.number = other.number || !std::exchange(other.named, {}).empty();
        made.named.merge(other.named);
        const bool first = made.read || made.number, second = other.read || other.number;  // names no object on some way
        made.read = (made.read && second) || (other.read && first);
        made.number = made.number && other.number;
    } else {
        made.read = true;
    }
    return known[value] = made;
}

// Every object that some thread has the address of, and may have written it to memory.
std::set<Builder::Origin> Builder::addresses_taken() {
    std::set<Origin> taken;
    bool maps = false, generic = false;
    for (const Thread& thread : test_.threads)
        for (const Instruction& i : thread.body) {
            maps = maps || i.op == Op::mapa;
            generic = generic || (i.op == Op::cvta && !i.has("to"));
            for (const Operand& operand : i.operands) {
                if (operand.kind != Operand::Kind::symbol) continue;
                const int location = location_index(test_, operand.name);
                const int instance = places_.instance_of(test_.locations[static_cast<size_t>(location)], operand.cta, thread.at);
                taken.insert({location, instance, false});
            }
        }
    const std::set<Origin> named = taken;
    for (const Origin& origin : named) {
        if (origin.instance < 0) continue;
        const bool in_each = maps && !test_.locations[static_cast<size_t>(origin.location)].cta;
        for (int cta = 0; cta < static_cast<int>(draft_.ctas.size()); ++cta) {
            if (cta != origin.instance && !in_each) continue;
            taken.insert({origin.location, cta, false});
            if (generic) taken.insert({origin.location, cta, true});
        }
    }
    return taken;
}

// Its elements, or, where an access has fewer bytes, the parts of them that it may be to.
std::vector<uint64_t> Builder::places_in(const Origin& origin, int bytes, const Span& span) {
    const Location& location = test_.locations[static_cast<size_t>(origin.location)];
    const uint64_t first = places_.address_value(origin.location, origin.instance, span) | (origin.generic ? Places::generic_bit : 0);
    const int element = bits(location.type) / 8, step = std::min(element, bytes);
    std::vector<uint64_t> result;
    for (int at = 0; at < location.count * element; at += step) result.push_back(first + static_cast<uint64_t>(at));
    return result;
}

// Whether an expression equals a constant, as a condition of what it is computed from: x + 4 * r == x + 8 is r == 2. Each step is an
// equivalence, in the arithmetic of the expression's width.
ExprId Builder::equals(ExprId e, uint64_t value) {
    const Expr x = exprs_[e];
    const uint64_t mask = x.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << x.bits) - 1;
    if ((value & ~exprs_.ones(e)) != 0) return ExprPool::no;
    if (x.op == Expr::Op::ite) return exprs_.ite(x.a, equals(x.b, value), equals(x.c, value));
    if (x.op == Expr::Op::resize && x.bits > exprs_[x.a].bits) {
        const int from = exprs_[x.a].bits;
        const uint64_t inner = truncate(value, from);
        const uint64_t back = is_signed(x.type) ? static_cast<uint64_t>(sign_extend(inner, from)) & mask : inner;
        return back == value ? equals(x.a, inner) : ExprPool::no;
    }
    if (x.op == Expr::Op::apply && !is_float(x.type)) {
        const bool first = exprs_.is_constant(x.a), second = exprs_.is_constant(x.b);
        const uint64_t constant = exprs_[first ? x.a : x.b].value;
        const ExprId rest = first ? x.b : x.a;
        if (first || second) {
            if (x.operation == Operator::add) return equals(rest, (value - constant) & mask);
            if (x.operation == Operator::sub) return equals(rest, (first ? constant - value : value + constant) & mask);
            if (x.operation == Operator::xor_) return equals(rest, value ^ constant);
            // a product that no bit is lost of: x << 2 and 4 * x of what has less than 62 bits
            const bool shifts = x.operation == Operator::shl && second && constant < 64;
            const uint64_t factor = shifts ? uint64_t{1} << constant : x.operation == Operator::mul ? constant : 0;
            if (factor != 0 && exprs_.ones(rest) <= mask / factor) return value % factor == 0 ? equals(rest, value / factor) : ExprPool::no;
        }
    }
    return exprs_.compare(Operator::eq, unsigned_type(x.bits), e, exprs_.constant(value, x.bits));
}

// What a loop brings from its last iteration while it is tried as an await, or what is not modelled, leads nowhere that could be told.
void Builder::require_read(ExprId e, const Operand& operand) const {
    for_each_leaf(exprs_, e, [&](const Expr& leaf) {
        if (leaf.op == Expr::Op::read && leaf.index >= draft_.events.size())
            throw UnknownOperand(test_.source, operand.span, "`" + operand.name + "` depends on a value that is not modelled");
    });
}

// ---- addresses of addresses -------------------------------------------------------------------------------------

// cvta of an address in global memory leaves it as it is, whatever it is; what another address becomes is found for each.
ExprId Builder::convert_unknown_address(const Context& c, const State& state, ExprId given) {
    const Instruction& i = c.instruction;
    const Operand& source = i.at(Role::source);
    require_read(given, source);
    const int width = bits(*written_type(i));
    const ExprId value = exprs_.resize(given, 64, false);
    ExprId result = i.op == Op::cvta ? exprs_.resize(given, width, false) : exprs_.constant(0, width);
    size_t places = 0, converted = 0;
    std::exception_ptr wrong;
    for (const Origin& origin : origins_of(value, c.guard))
        for (const uint64_t address : places_in(origin, whole_elements, source.span)) {
            const ExprId when = equals(value, address);
            if (exclude(exprs_, c.guard, when)) continue;
            try {
                const ExprId one = convert_address(c, state, address);
                ++places;
                if (i.op == Op::cvta && exprs_[one].value == address) continue;
                ++converted;
                result = exprs_.ite(when, exprs_.resize(one, width, false), result);
            } catch (const UnknownOperand&) {
                throw;
            } catch (const Failure&) {  // in a state space that the instruction does not take: undefined where the address is used
                wrong = std::current_exception();
            }
        }
    if (places == 0 && wrong) std::rethrow_exception(wrong);
    if (converted > most_places) refuse_many(test_.source, source, converted);
    return result;
}

}  // namespace litmus
