// Registers, plain computation, accesses to memory, fences and barriers (model/semantics.md sections 2, 3 and 7).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "executions.h"
#include "machine.h"
#include "ptx/traits.h"
#include "ptx/value.h"

namespace litmus::naive {

namespace {

uint64_t resized(uint64_t value, Type from, Type to) {
    if (bits(to) <= bits(from)) return truncate(value, bits(to));
    return is_signed(from) ? truncate(static_cast<uint64_t>(sign_extend(value, bits(from))), bits(to)) : value;
}

// The product in full, or its lower or upper half (ISA 9.7.1.3).
uint64_t product(const Instruction& i, Type type, uint64_t a, uint64_t b) {
    if (!i.has("hi") && !i.has("wide")) return a * b;
    const int width = bits(type);
    const uint64_t whole = is_signed(type) ? static_cast<uint64_t>(sign_extend(a, width) * sign_extend(b, width)) : a * b;
    return i.has("wide") ? whole : whole >> width;
}

// A quotient towards zero or what remains, by taking the divisor away (ISA 9.7.1.8, 9.7.1.9): of magnitudes, and by doubling it first.
uint64_t quotient(bool whole, Type type, uint64_t a, uint64_t b) {
    const int width = bits(type);
    const bool a_below = is_signed(type) && (a >> (width - 1) & 1) != 0, b_below = is_signed(type) && (b >> (width - 1) & 1) != 0;
    uint64_t left = a_below ? truncate(0 - a, width) : a, times = 0;
    const uint64_t by = b_below ? truncate(0 - b, width) : b;
    if (by == 0) throw Unsupported("a division by 0");
    for (int shift = width - 1; shift >= 0; --shift) {
        if (by > (truncate(~uint64_t{0}, width) >> shift) || left < (by << shift)) continue;
        left -= by << shift;
        times |= uint64_t{1} << shift;
    }
    if (!whole) return a_below ? 0 - left : left;
    return a_below != b_below ? 0 - times : times;
}

// What an instruction of two sources makes of them (ISA 9.7.1 and 9.7.8), its name told without the table of operators.
uint64_t combined(const Instruction& i, Type type, uint64_t a, uint64_t b) {
    const std::string& name = i.mnemonic;
    const int width = bits(type);
    const bool a_first = compare(Operator::lt, type, a, b), beyond = b >= static_cast<uint64_t>(width);
    if (name == "add") return a + b;
    if (name == "sub") return a - b;
    if (name == "mul") return product(i, type, a, b);
    if (name == "div" || name == "rem") return quotient(name == "div", type, a, b);
    if (name == "and") return a & b;
    if (name == "or") return a | b;
    if (name == "xor") return a ^ b;
    if (name == "min") return a_first ? a : b;
    if (name == "max") return a_first ? b : a;
    if (name == "shl") return beyond ? 0 : a << b;
    if (name != "shr") throw std::logic_error("arithmetic that the naive interpreter does not know: " + name);
    if (is_signed(type)) return static_cast<uint64_t>(sign_extend(a, width) >> std::min<uint64_t>(b, 63));
    return beyond ? 0 : a >> b;
}

const Operand& part(const Operand& operand, int k) {
    return operand.kind == Operand::Kind::vector ? operand.elements.at(static_cast<size_t>(k)) : operand;
}

std::set<size_t> joined(std::set<size_t> a, const std::set<size_t>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

}  // namespace

// ---- registers and operands --------------------------------------------------------------------------

uint64_t Machine::read(const std::string& name, Type type) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? 0 : resized(found->second.value, found->second.type, type);
}

uint64_t Machine::value(const Operand& operand, Type type) {
    if (waits_) mention(operand);
    if (waits_ && is_unknown(operand)) throw Unsupported("a value that nobody knows");
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return truncate(operand.value, bits(type));
        case Operand::Kind::reg:
            return operand.negated ? 1 - read(operand.name, Type::pred) : read(operand.name, type);
        case Operand::Kind::symbol:
            return truncate(memory_.address_of(operand, cta_), bits(type));
        default:
            throw Unsupported("an operand of another kind");
    }
}

uint64_t Machine::address(const Operand& operand) {
    if (!operand.indirect) return memory_.address_of(operand, cta_);
    mention_register(operand.name);
    if (const auto found = registers_.find(operand.name); found != registers_.end() && !found->second.unknown.empty())
        throw Unsupported("an address that nobody knows");
    return read(operand.name, Type::u64) + static_cast<uint64_t>(operand.offset);
}

std::set<size_t> Machine::reads_of(const Operand& operand) const {
    std::set<size_t> result;
    for (const Operand& element : operand.elements) result = joined(result, reads_of(element));
    const auto found = registers_.find(operand.name);
    const bool is_register = operand.kind == Operand::Kind::reg || operand.indirect;
    return is_register && found != registers_.end() ? found->second.reads : result;
}

void Machine::assign(const Operand& to, Type type, uint64_t value, std::set<size_t> reads, std::set<size_t> direct) {
    if (to.kind == Operand::Kind::sink) return;
    if (to.kind != Operand::Kind::reg) throw Unsupported("a destination that is no register");
    reads.insert(guard_reads_.begin(), guard_reads_.end());
    for (const Operand& operand : instruction().operands)  // what comes from an address depends on it
        if (operand.kind == Operand::Kind::address) reads = joined(std::move(reads), reads_of(operand));
    registers_[to.name] = {truncate(value, bits(type)), type, std::move(reads), std::move(direct)};
}

void Machine::mention(const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) mention_register(operand.name);
}

void Machine::mention_register(const std::string& name, bool tested) {
    const auto found = registers_.find(name);
    if (found == registers_.end()) return;
    const Register& r = found->second;
    trace_.mentions.push_back(
        {{static_cast<int>(pc_), iteration_, mentioned_++}, first_, r.value, r.direct, r.reads, false, tested, false});
}

// An event that orders nothing says that other lanes of the warp, or other warps of the warpgroup, have to execute this, too.
void Machine::note_aligned() {
    const auto& threads = test_.threads;
    const Thread& here = threads[static_cast<size_t>(thread_)];
    if (std::none_of(threads.begin(), threads.end(), [&](const Thread& other) { return executes_with(test_, here, instruction(), other); }))
        return;
    Event e = event(Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t step = add(e, 0);
    trace_.aligned.emplace_back(step, &instruction());
}

// The first address in a register that is none of what the instruction may access.
std::optional<Operand> Machine::astray() {
    const Instruction& i = instruction();
    const bool plain = is_load(i.op) || i.op == Op::st || kind(i.op) == Traits::Kind::atomic || is_multimem(i.op);
    for (const Operand& operand : i.operands) {
        if (operand.kind != Operand::Kind::address || !operand.indirect || operand.role == Role::tensor_memory ||
            operand.role == Role::matrix)
            continue;
        const uint64_t at = read(operand.name, Type::u64) + static_cast<uint64_t>(operand.offset);
        if (!memory_.holds(at, 1, 1)) return operand;
        const Cell& first = memory_.cell_at(at);
        const bool object = operand.role == Role::mbarrier || is_mbarrier(i.op);
        const auto element = static_cast<uint64_t>(bits(first.type) / 8);
        const Operand* size = i.find(Role::size);
        uint64_t bytes = element, alignment = element;
        if (i.op == Op::ldmatrix || i.op == Op::stmatrix) bytes = alignment = 16;
        if (plain) bytes = alignment = static_cast<uint64_t>(vector_width(i) * bits(data_type(i)) / 8);
        if (!object && size != nullptr)
            bytes = size->kind == Operand::Kind::reg ? read(size->name, Type::u32) : size->value, alignment = 16;
        const bool shared = first.instance >= 0;
        const bool elsewhere = (i.has("global") && plain && shared) || (plain && !shared && (i.has("shared") || i.has("shared::cta"))) ||
                               (plain && shared && first.instance != cta_ && i.has("shared::cta"));
        const bool no_own = (i.op == Op::ldmatrix || i.op == Op::stmatrix) && first.instance != cta_;
        if (first.is_mbarrier != object || no_own || elsewhere || !memory_.holds(at, bytes, alignment)) return operand;
        if (plain && bits(data_type(i)) < bits(first.type)) throw Unsupported("an access to a part of an element");
    }
    return std::nullopt;
}

// An access of nothing: it says so, and gives 0.
void Machine::stray(const Operand& address) {
    const Instruction& i = instruction();
    for (const Operand& operand : i.operands) {
        if (operand.indirect) mention_register(operand.name);
        if (is_read(operand.role)) mention(operand);
    }
    Event e = event(Event::Kind::astray);
    e.scope = Scope::none;
    e.volatile_ = e.mmio = false;
    const size_t step = add(e, 0);
    depend(trace_.addr, reads_of(address), step);
    for (const Operand& operand : i.operands) {
        if (!is_written(operand.role) || !written_type(i)) continue;
        const size_t width = operand.kind == Operand::Kind::vector ? operand.elements.size() : 1;
        for (size_t k = 0; k < width; ++k) assign(part(operand, static_cast<int>(k)), *written_type(i), 0, reads_of(address), {});
    }
}

// ---- addresses (ISA 9.7.9.19, 9.7.9.20, 9.7.9.23, 9.7.9.24) --------------------------------------------

uint64_t Machine::address_result(const Instruction& i, const std::vector<uint64_t>& in) const {
    if (i.op == Op::cvta) return in[0];
    const Cell& there = memory_.cell_at(in[0]);
    const std::vector<int> ranks = ctas_by_rank();
    if (i.op == Op::isspacep) {
        const bool own = there.instance == cta_, shared = there.instance >= 0;
        if (i.has("global")) return shared ? 0 : 1;
        if (i.has("shared::cluster")) return shared ? 1 : 0;
        return (i.has("shared") || i.has("shared::cta")) && own ? 1 : 0;
    }
    if (there.instance < 0) throw Unsupported("an address that is no shared memory");
    if (i.op == Op::getctarank) return static_cast<uint64_t>(std::find(ranks.begin(), ranks.end(), there.instance) - ranks.begin());
    if (in[1] >= ranks.size()) throw Unsupported("a rank that no CTA has");
    return memory_.counterpart(in[0], ranks[in[1]]);
}

// The CTAs of the cluster, in the order of their numbers.
std::vector<int> Machine::ctas_by_rank() const {
    const Placement& here = memory_.ctas()[static_cast<size_t>(cta_)];
    std::map<int, int> found;
    for (size_t c = 0; c < memory_.ctas().size(); ++c)
        if (same_cluster(memory_.ctas()[c], here)) found[memory_.ctas()[c].cta] = static_cast<int>(c);
    std::vector<int> result;
    for (const auto& [number, cta] : found) result.push_back(cta);
    return result;
}

// ---- computation ---------------------------------------------------------------------------------------

void Machine::compute() {
    const Instruction& i = instruction();
    const Type type = data_type(i);
    if (i.op == Op::mov && (!i.operands[0].elements.empty() || !i.operands[1].elements.empty())) return move_parts();
    const Type from = i.op == Op::cvt ? source_type(i) : type;
    std::vector<uint64_t> in;
    std::set<size_t> reads;
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const bool amount = (i.mnemonic == "shl" || i.mnemonic == "shr") && k == 2;
        const Type at = i.op == Op::selp && k == 3 ? Type::pred
                        : amount                   ? Type::u32
                        : i.op == Op::cvt          ? from
                                                   : operand_type(i, i.operands[k]);
        in.push_back(value(i.operands[k], at));
        reads = joined(reads, reads_of(i.operands[k]));
    }
    uint64_t result = 0;
    bool unknown = i.op == Op::policy;
    std::string words = i.mnemonic;
    for (const std::string& qualifier : i.qualifiers) words += "." + qualifier;
    for (size_t k = 1; k < i.operands.size(); ++k) {
        unknown = unknown || is_unknown(i.operands[k]);
        words += " " + words_of(i.operands[k]);
    }
    const bool fresh = i.op == Op::policy || (i.operands.size() > 1 && i.operands[1].kind == Operand::Kind::immediate);
    switch (i.op) {
        case Op::policy:
            break;
        case Op::mov:
            result = in[0];
            break;
        case Op::cvt:
            result = resized(in[0], from, type);
            break;
        case Op::binary:
            result = combined(i, type, in[0], in[1]);
            break;
        case Op::mad:
            result = product(i, type, in[0], in[1]) + in[2];
            break;
        case Op::cvta:
        case Op::mapa:
        case Op::getctarank:
        case Op::isspacep:
            result = address_result(i, in);
            break;
        case Op::not_:
            result = ~in[0];
            break;
        case Op::neg:
            result = 0 - in[0];
            break;
        case Op::selp:
            result = in[2] != 0 ? in[0] : in[1];
            break;
        default:
            throw std::logic_error("arithmetic that the naive interpreter does not know");
    }
    assign(i.operands[0], written_type(i).value(), result, reads, {});
    if (unknown) registers_[i.operands[0].name].unknown = fresh ? "?" + std::to_string(unknown_++) : "(" + words + ")";
}

// ---- values that nobody knows ----------------------------------------------------------------------------

bool Machine::is_unknown(const Operand& operand) const {
    if (operand.kind == Operand::Kind::immediate) return width_of_unknown(operand.name).has_value();
    const auto found = registers_.find(operand.name);
    return operand.kind == Operand::Kind::reg && found != registers_.end() && !found->second.unknown.empty();
}

std::string Machine::words_of(const Operand& operand) const {
    const auto found = registers_.find(operand.name);
    if (operand.kind != Operand::Kind::reg || found == registers_.end()) return std::to_string(operand.value);
    return found->second.unknown.empty() ? std::to_string(found->second.value) : found->second.unknown;
}

// A comparison with such a value comes out in one way or the other, and each time in the same; so does its contrary, and the same with
// sides changed: all of them ask which is less, or whether the two are equal.
bool Machine::compared(Operator comparison, Type type, const Operand& a, const Operand& b) {
    const uint64_t left = value(a, type), right = value(b, type);
    if (!is_unknown(a) && !is_unknown(b)) return compare(comparison, type, left, right);
    if (!is_float(type)) {
        if (comparison == Operator::ne) return !compared(Operator::eq, type, a, b);
        if (comparison == Operator::ge) return !compared(Operator::lt, type, a, b);
        if (comparison == Operator::gt) return compared(Operator::lt, type, b, a);
        if (comparison == Operator::le) return !compared(Operator::lt, type, b, a);
    }
    std::string left_words = words_of(a), right_words = words_of(b);
    if (comparison == Operator::eq && right_words < left_words) std::swap(left_words, right_words);
    const std::string words = std::to_string(static_cast<int>(comparison)) + " " + left_words + " " + right_words;
    const auto [found, fresh] = decided_.try_emplace(words, false);
    undecided_ = undecided_ || fresh;
    if (fresh) found->second = oracle_->choice({static_cast<int>(pc_), iteration_, -2}, 2) == 1;
    return found->second;
}

// 16 bits at a time, the lowest first, whatever the sizes are.
void Machine::move_parts() {
    constexpr int unit = 16;
    const Instruction& i = instruction();
    std::vector<std::pair<uint64_t, std::set<size_t>>> units;
    const auto each = [&](const Operand& operand, auto visit) {
        const auto count = std::max<size_t>(operand.elements.size(), 1);
        const auto units_of_one = static_cast<size_t>(bits(data_type(i)) / unit) / count;
        for (size_t k = 0; k < count; ++k) visit(operand.elements.empty() ? operand : operand.elements[k], units_of_one);
    };
    const auto type_of = [](size_t units_of_one) { return units_of_one == 1 ? Type::b16 : units_of_one == 2 ? Type::b32 : Type::b64; };
    each(i.operands[1], [&](const Operand& from, size_t count) {
        const uint64_t whole = value(from, type_of(count));
        for (size_t u = 0; u < count; ++u) units.emplace_back(truncate(whole >> (unit * u), unit), reads_of(from));
    });
    size_t at = 0;
    each(i.operands[0], [&](const Operand& to, size_t count) {
        uint64_t whole = 0;
        std::set<size_t> reads;
        for (size_t u = 0; u < count; ++u, ++at) {
            whole |= units[at].first << (unit * u);
            reads = joined(reads, units[at].second);
        }
        assign(to, type_of(count), whole, reads, {});
    });
}

void Machine::set_predicate() {
    static const std::map<std::string, Operator> comparisons = {
        {"eq", Operator::eq}, {"ne", Operator::ne}, {"lt", Operator::lt}, {"le", Operator::le}, {"gt", Operator::gt},
        {"ge", Operator::ge}, {"lo", Operator::lt}, {"ls", Operator::le}, {"hi", Operator::gt}, {"hs", Operator::ge}};
    const Instruction& i = instruction();
    const Type type = data_type(i);
    const auto comparison = comparisons.find(i.qualifiers.at(0));
    if (comparison == comparisons.end()) throw Unsupported("this setp");
    bool holds = compared(comparison->second, type, i.operands[1], i.operands[2]);
    std::set<size_t> reads = joined(reads_of(i.operands[1]), reads_of(i.operands[2]));
    if (i.operands.size() > 3) {
        const bool other = value(i.operands[3], Type::pred) != 0;
        const std::string& joint = i.qualifiers.at(1);
        holds = joint == "and" ? holds && other : joint == "or" ? holds || other : holds != other;
        reads = joined(reads, reads_of(i.operands[3]));
    }
    assign(i.operands[0], Type::pred, holds ? 1 : 0, reads, {});
}

// ---- matrices of a warp --------------------------------------------------------------------------------

// ldmatrix and stmatrix of a thread that is its warp: the 16 bytes that its lane names, if it names any. All lanes hold the same registers.
void Machine::move_row() {
    const Instruction& i = instruction();
    const Placement& here = test_.threads[static_cast<size_t>(thread_)].at;
    for (const Thread& other : test_.threads)
        if (&other != &test_.threads[static_cast<size_t>(thread_)] && same_cta(other.at, here) && other.at.warp == here.warp)
            throw Unsupported("several lanes of a warp");
    const bool loads = i.op == Op::ldmatrix;
    const int matrices = has_word("x4") ? 4 : has_word("x2") ? 2 : 1, lanes = matrices * (has_word("m16n16") ? 16 : 8);
    const Operand &place = i.operands.at(loads ? 1 : 0), &tile = i.operands.at(loads ? 0 : 1);
    for (const Operand& r : tile.elements)
        if (!loads) mention(r);
    std::vector<uint8_t> row;
    std::set<size_t> reads;
    uint64_t stored = 0;
    if (!loads && here.lane < lanes) {
        stored = value(tile.elements.at(static_cast<size_t>(here.lane / 8)), Type::u32);
        if (has_word("trans")) {
            const uint64_t half = here.lane % 2 == 0 ? stored & 0xffff : stored >> 16;
            stored = half * 0x10001;
        }
    }
    for (uint64_t at = 0; at < 16 && here.lane < lanes;) {
        const uint64_t from = address(place) + at;
        const Type type = memory_.cell_at(from).type;
        const auto bytes = static_cast<uint64_t>(bits(type)) / 8;
        const MemoryPlace there = memory_.at(from, type);
        uint64_t found = 0;
        for (uint64_t byte = 0; byte < bytes && !loads; ++byte) found |= (stored >> (8 * ((at + byte) % 4)) & 0xff) << (8 * byte);
        if (loads) found = ask(there);
        const size_t step = access(loads ? Event::Kind::read : Event::Kind::write, there, type, static_cast<int>(at / bytes), place, found);
        trace_.steps[step].event.scope = Scope::none;
        if (loads) reads.insert(step);
        if (!loads) depend(trace_.data, reads_of(tile.elements.at(static_cast<size_t>(here.lane / 8))), step);
        for (uint64_t byte = 0; byte < bytes; ++byte) row.push_back(static_cast<uint8_t>(found >> (8 * byte)));
        at += bytes;
    }
    for (size_t k = 0; loads && k < tile.elements.size(); ++k) {
        // of matrix k the lane gets the word of row lane / 4 that is its turn among four lanes
        const bool own = !row.empty() && has_word("m8n8") && !has_word("trans") && 8 * static_cast<int>(k) + here.lane / 4 == here.lane;
        uint64_t word = 0;
        for (size_t byte = 0; byte < 4 && own; ++byte) word |= uint64_t{row[static_cast<size_t>(here.lane % 4) * 4 + byte]} << (8 * byte);
        assign(tile.elements[k], Type::b32, word, reads, own ? reads : std::set<size_t>{});
        if (!own) registers_[tile.elements[k].name].unknown = "?" + std::to_string(unknown_++);
    }
}

// Nobody says what mma.sync computes.
void Machine::multiply_registers() {
    std::set<size_t> reads;
    for (const Operand& operand : instruction().operands)
        if (is_read(operand.role)) reads = joined(std::move(reads), reads_of(operand));
    for (const std::string& name : written_registers(instruction())) {
        registers_[name] = {0, Type::b32, joined(reads, guard_reads_), {}};
        registers_[name].unknown = "?" + std::to_string(unknown_++);
    }
}

// ---- events --------------------------------------------------------------------------------------------

Event Machine::event(Event::Kind kind) const {
    const Instruction& i = instruction();
    Event e;
    e.kind = kind;
    e.sem = Sem::weak;
    e.scope = scope(i);
    e.volatile_ = i.has("volatile");
    e.mmio = i.has("mmio");
    return e;
}

void Machine::depend(Pairs& relation, const std::set<size_t>& reads, size_t step) const {
    for (const size_t read : reads)
        if (read != step) relation.emplace(read, step);
}

// Program order, and what has been waited for, reach all but the events of asynchronous operations.
size_t Machine::add(const Event& event, uint64_t value) {
    const bool writes_the_same = event.kind == Event::Kind::write && !event.asynchronous && event.cell >= 0;
    if (spinning_ && event.kind != Event::Kind::read && event.kind != Event::Kind::fence && event.kind != Event::Kind::proxy_fence &&
        !(writes_the_same && oracle_->value(next_id(), event.cell) == value))
        throw Leaves{};
    Step step;
    step.event = event;
    step.event.thread = thread_;
    const bool of_thread = event.kind == Event::Kind::exit || event.kind == Event::Kind::grid_start;
    step.event.instruction = of_thread ? -1 : static_cast<int>(pc_);
    step.event.iteration = iteration_;
    step.id = next_id();
    ++ordinal_;
    step.value = value;
    const size_t at = trace_.steps.size();
    trace_.steps.push_back(step);
    if (event.kind == Event::Kind::write && written_ != nullptr) (*written_)[static_cast<size_t>(event.cell)].insert(value);
    if (!event.asynchronous) {
        depend(trace_.ctrl, control_, at);
        depend(trace_.ctrl, guard_reads_, at);
        depend(trace_.blocks, blocking_, at);
    }
    return at;
}

// From now on everything waits for this.
void Machine::block(size_t step) {
    control_.insert(step);
    blocking_.insert(step);
}

// An await: all that follows waits for these reads, and for what can change the operand that they are compared with.
void Machine::wait_for(const std::set<size_t>& reads, const Operand& operand) {
    for (const size_t read : reads) block(read);
    const std::set<size_t> others = reads_of(operand);
    control_ = joined(control_, others);
    const size_t next = trace_.steps.size();
    const StepId id{static_cast<int>(pc_), iteration_, mentioned_++};
    trace_.mentions.push_back({id, next, 0, reads, reads, false, false, true});
    if (operand.kind != Operand::Kind::reg || registers_.count(operand.name) == 0) return;
    const Register& r = registers_[operand.name];
    trace_.mentions.push_back({{std::get<0>(id), std::get<1>(id), mentioned_++}, next, r.value, r.direct, r.reads, true, false, false});
}

size_t Machine::access(Event::Kind kind, const MemoryPlace& at, Type type, int element, const Operand& address, uint64_t value) {
    const Instruction& i = instruction();
    Event e = event(kind);
    e.cell = at.cell;
    e.address = at.address;
    e.proxy = at.proxy != Proxy::generic ? at.proxy : proxy(i);
    e.type = type;
    e.element = element;
    e.sem = semantics(i);
    const size_t step = add(e, value);
    if (address.indirect) depend(trace_.addr, reads_of(address), step);
    return step;
}

// ---- accesses --------------------------------------------------------------------------------------------

// Whether an awaited value is not the one waited for.
bool Machine::awaits_in_vain(uint64_t value, Type type) {
    const Instruction& i = instruction();
    if (!i.expect) return false;
    const uint64_t wanted = this->value(i.expect->value, type);
    const bool met = compare(i.expect->comparison, type, value, wanted);
    if (!met && !i.await) throw DeadEnd{};
    return !met;
}

// One access, in as many cells: it overlaps in part what has another number of them.
void Machine::join(const std::set<size_t>& parts) {
    for (const size_t part : parts) trace_.steps[part].event.cells = static_cast<int>(parts.size());
}

// A strong one is performed at once.
void Machine::tie(const std::set<size_t>& parts) {
    join(parts);
    for (const size_t a : parts)
        for (const size_t b : parts)
            if (a != b && trace_.steps[a].event.sem != Sem::weak) trace_.parts.emplace(a, b);
}

// The elements of a vector of 16 bytes at most, if it is strong.
void Machine::tie_elements(const std::set<size_t>& elements) {
    const Instruction& i = instruction();
    if (vector_width(i) == 1 || vector_width(i) * bits(data_type(i)) > 128) return;
    for (const size_t a : elements)
        for (const size_t b : elements)
            if (a != b && trace_.steps[a].event.sem != Sem::weak) trace_.elements.emplace(a, b);
}

// A load of wider elements than were declared reads these one by one; of 128 bits, where these are declared, both halves at once.
void Machine::load() {
    const Instruction& i = instruction();
    for (;;) {
        const uint64_t start = address(i.operands.at(1));
        const bool whole = data_type(i) == Type::b128;
        if (whole && !test_.locations[static_cast<size_t>(memory_.cell_at(start).location)].wide) return load_answer();
        const Type type = whole ? Type::b64 : data_type(i);
        const int width = whole ? 2 : vector_width(i);
        const Type declared = memory_.cell_at(start).type;
        const int parts = std::max(1, bits(type) / bits(declared));
        const Type read_type = parts > 1 ? declared : type;
        std::set<size_t> all;
        std::vector<std::set<size_t>> reads;  // of each element, with its value
        std::vector<uint64_t> values;
        for (int k = 0; k < width; ++k) {
            reads.emplace_back();
            values.push_back(0);
            for (int p = 0; p < parts; ++p) {
                const int element = k * parts + p;
                const MemoryPlace at = memory_.at(start + static_cast<uint64_t>(element * bits(read_type) / 8), read_type);
                if (memory_.cells()[static_cast<size_t>(at.cell)].is_mbarrier) throw Unsupported("a load of an mbarrier object");
                const uint64_t found = ask(at);
                const size_t step = access(Event::Kind::read, at, read_type, element, i.operands[1], found);
                reads.back().insert(step);
                values.back() |= found << (p * bits(read_type));
            }
            all.insert(reads.back().begin(), reads.back().end());
            if (memory_.cell_at(start).lane >= 0 && bits(type) == 32)
                tie(reads.back());
            else
                join(reads.back());
        }
        if (whole) tie(all);
        tie_elements(all);
        bool fails = false;
        for (int k = 0; k < width; ++k) {
            const auto n = static_cast<size_t>(k);
            assign(part(i.operands[0], k), type, values[n], reads[n], all);
            fails = awaits_in_vain(values[n], type) || fails;
        }
        if (!i.await) return;
        wait_for(all, i.expect->value);
        if (!fails || bounds_.drawn) return;
        if (!retries()) {
            if (all.size() != 1) throw Unsupported("an await of several elements");
            const int cell = trace_.steps[*all.begin()].event.cell;
            for (const uint64_t v : (*candidates_)[static_cast<size_t>(cell)])
                if (!compare(i.expect->comparison, type, v, value(i.expect->value, type))) trace_.hopeless.push_back({{cell, v}});
            return stay();
        }
        iteration_ = executed_[pc_]++;
        ordinal_ = 0;
    }
}

void Machine::store() {
    const Instruction& i = instruction();
    const bool whole = data_type(i) == Type::b128;
    const Type type = whole ? Type::b64 : data_type(i);
    const uint64_t start = address(i.operands.at(0));
    const bool halved = memory_.cell_at(start).lane >= 0 && bits(type) == 32;
    const Type stored = halved ? memory_.cell_at(start).type : type;
    std::set<size_t> all;
    int element = 0;
    for (int k = 0; k < (whole ? 2 : vector_width(i)); ++k) {
        const Operand& from = part(i.operands.at(1), k);
        uint64_t rest = value(from, type);
        std::set<size_t> writes;
        for (int half = 0; half < (halved ? 2 : 1); ++half, ++element, rest >>= 16) {
            const MemoryPlace at = memory_.at(start + static_cast<uint64_t>(element * bits(stored) / 8), stored);
            const size_t write = access(Event::Kind::write, at, stored, element, i.operands[0], truncate(rest, bits(stored)));
            depend(trace_.data, reads_of(from), write);
            writes.insert(write);
        }
        tie(writes);
        all.insert(writes.begin(), writes.end());
    }
    if (whole) tie(all);
    tie_elements(all);
}

// multimem.ld_reduce, st and red: of each scalar, at each location that the address points to, what the plain instruction is at one. And
// red of vectors and packed values, whose address points to one.
void Machine::scalar_by_scalar() {
    const Instruction& i = instruction();
    const Type type = data_type(i);
    const bool halved =
        i.op == Op::multimem_store && lanes(type) == 1 && bits(type) == 32 && memory_.cell_at(address(i.operands.at(0))).lane >= 0;
    const Type scalar = halved ? Type::b16 : lane_type(type);
    const int per_value = bits(type) / bits(scalar);
    const bool loads = i.op == Op::multimem_load, reduces = kind(i.op) == Traits::Kind::atomic;
    const Operand& named = i.operands.at(loads ? 1 : 0);
    if (i.await) throw Unsupported("an await of several locations");
    const uint64_t start = address(named);
    const int width = bits(scalar), scalars = vector_width(i) * per_value;
    std::vector<uint64_t> values(static_cast<size_t>(vector_width(i)));
    std::vector<std::set<size_t>> reads(values.size());
    if (!loads)
        for (size_t k = 0; k < values.size(); ++k) values[k] = value(part(i.operands.at(1), static_cast<int>(k)), type);
    std::set<size_t> all;
    std::map<std::pair<size_t, size_t>, std::set<size_t>> whole;  // the halves of each value, at each location
    int element = 0;
    for (int s = 0; s < scalars; ++s) {
        const auto k = static_cast<size_t>(s / per_value);
        const int shift = s % per_value * width;
        const uint64_t operand = truncate(values[k] >> shift, width);
        std::vector<uint64_t> found;
        size_t location = 0;
        for (const MemoryPlace& at : memory_.all_at(start + static_cast<uint64_t>(s * width / 8), scalar)) {
            size_t read = 0;
            if (loads || reduces) {
                found.push_back(ask(at));
                read = access(Event::Kind::read, at, scalar, element, named, found.back());
            }
            if (loads) {
                reads[k].insert(read);
                all.insert(read);
            } else {
                const bool global = memory_.cells()[static_cast<size_t>(at.cell)].instance < 0;
                const Operator name = memory_operation(operation(i), scalar, global);
                const uint64_t stored = reduces ? *apply(name, scalar, found.back(), operand) : operand;
                const size_t write = access(Event::Kind::write, at, scalar, element, named, stored);
                if (halved) whole[{k, location}].insert(write);
                depend(trace_.data, reads_of(part(i.operands.at(1), static_cast<int>(k))), write);
                if (reduces) {
                    Event &r = trace_.steps[read].event, &w = trace_.steps[write].event;
                    r.reduction = true;
                    r.sem = Sem::relaxed;
                    r.partner = static_cast<int>(write);
                    w.partner = static_cast<int>(read);
                    trace_.data.emplace(read, write);
                }
            }
            ++element;
            ++location;
        }
        if (loads) values[k] |= reduction(found, scalar, s) << shift;
    }
    for (const auto& [scalar_at, writes] : whole) tie(writes);
    for (size_t k = 0; loads && k < values.size(); ++k) assign(part(i.operands[0], static_cast<int>(k)), type, values[k], reads[k], all);
}

// What multimem.ld_reduce makes of the values that it found: any two of them, and then any two of what is left, as long as there are two.
uint64_t Machine::reduction(std::vector<uint64_t> found, Type type, int scalar) {
    const Instruction& i = instruction();
    const bool adds = is_float(type) && i.has("add"), as_f32 = adds && i.has("acc::f32");
    std::vector<float> sums;
    for (const uint64_t value : found) sums.push_back(as_f32 ? static_cast<float>(float_value(type, value)) : 0);
    for (int step = 0; found.size() > 1; ++step) {
        size_t first = 0, second = 1;
        const size_t n = found.size(), pairs = n * (n - 1) / 2;
        size_t drawn = adds && n > 2 ? oracle_->choice({static_cast<int>(pc_), iteration_, -10 - 10 * scalar - step}, pairs) : 0;
        while (drawn-- > 0)
            if (++second == n) second = ++first + 1;
        found[first] = *apply(operation(i), type, found[first], found[second]);
        sums[first] += sums[second];
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(second));
        sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(second));
    }
    if (!as_f32) return found[0];
    return std::isnan(sums[0]) ? canonical_nan(type) : float_bits(type, static_cast<double>(sums[0]));
}

// atom of 128 bits: what it finds in both halves, and then both new ones.
void Machine::wide_atomic() {
    const Instruction& i = instruction();
    const bool compares = i.has("cas");
    const Operand& named = i.operands.at(1);
    const uint64_t start = address(named);
    const Sem sem = semantics(i);
    std::set<size_t> operands;
    for (size_t k = 2; k < i.operands.size(); ++k) operands = joined(operands, reads_of(i.operands[k]));
    std::vector<size_t> reads, writes;
    std::vector<uint64_t> found;
    bool writes_it = true;
    for (int half = 0; half < 2; ++half) {
        const MemoryPlace at = memory_.at(start + static_cast<uint64_t>(8 * half), Type::b64);
        found.push_back(ask(at));
        reads.push_back(access(Event::Kind::read, at, Type::b64, half, named, found.back()));
        trace_.steps[reads.back()].event.sem = sem == Sem::acquire || sem == Sem::acq_rel ? Sem::acquire : Sem::relaxed;
        if (compares) depend(trace_.data, operands, reads.back());
        if (compares) writes_it = value(part(i.operands.at(2), half), Type::b64) == found.back() && writes_it;
    }
    for (int half = 0; half < 2; ++half) {
        const uint64_t stored = value(part(i.operands.back(), half), Type::b64);
        if (!writes_it) continue;
        const auto n = static_cast<size_t>(half);
        const MemoryPlace at = memory_.at(start + 8 * n, Type::b64);
        writes.push_back(access(Event::Kind::write, at, Type::b64, half, named, stored));
        Event &r = trace_.steps[reads[n]].event, &w = trace_.steps[writes[n]].event;
        w.sem = sem == Sem::release || sem == Sem::acq_rel ? Sem::release : Sem::relaxed;
        r.partner = static_cast<int>(writes[n]);
        w.partner = static_cast<int>(reads[n]);
        depend(trace_.data, operands, writes[n]);
        for (const size_t read : reads)
            if (compares) trace_.data.emplace(read, writes[n]);
    }
    tie({reads.begin(), reads.end()});
    tie({writes.begin(), writes.end()});
    for (int half = 0; half < 2; ++half) {
        const auto n = static_cast<size_t>(half);
        assign(part(i.operands[0], half), Type::b64, found[n], {reads[n]}, {reads.begin(), reads.end()});
    }
}

void Machine::atomic() {
    const Instruction& i = instruction();
    if (data_type(i) == Type::b128) return wide_atomic();
    const bool gives = traits(i.op).result != Traits::Result::none, several = vector_width(i) > 1 || lanes(data_type(i)) > 1;
    if (several && !gives) return scalar_by_scalar();
    if (several || i.expect) throw Unsupported("vector and packed atomics that return something");
    const size_t first = gives ? 1 : 0;
    const Type type = data_type(i);
    const Operand& named = i.operands.at(first);
    const MemoryPlace at = memory_.at(address(named), type);
    const Operator name = operation(i);
    const uint64_t a = value(i.operands.at(first + 1), type);
    std::set<size_t> operands = reads_of(i.operands[first + 1]);
    const uint64_t old = ask(at);
    const size_t read = access(Event::Kind::read, at, type, 0, named, old);
    Event& r = trace_.steps[read].event;
    const Sem sem = semantics(i);
    r.reduction = !gives;
    r.sem = sem == Sem::acquire || sem == Sem::acq_rel ? Sem::acquire : Sem::relaxed;
    uint64_t stored = a;
    bool writes = true;
    if (name == Operator::cas) {
        stored = value(i.operands.at(first + 2), type);
        operands = joined(operands, reads_of(i.operands[first + 2]));
        depend(trace_.data, operands, read);
        writes = old == a;
    } else if (name != Operator::exch) {
        const bool global = memory_.cells()[static_cast<size_t>(at.cell)].instance < 0;
        const auto result = apply(memory_operation(name, type, global), type, old, a);
        if (!result) throw Unsupported("this atomic operation");
        stored = *result;
    }
    if (writes) {
        const size_t write = access(Event::Kind::write, at, type, 0, named, stored);
        trace_.steps[read].event.partner = static_cast<int>(write);
        trace_.steps[write].event.partner = static_cast<int>(read);
        trace_.steps[write].event.sem = sem == Sem::release || sem == Sem::acq_rel ? Sem::release : Sem::relaxed;
        depend(trace_.data, operands, write);
        if (name != Operator::exch) trace_.data.emplace(read, write);
    }
    if (gives) assign(i.operands[0], type, old, {read}, {read});
}

void Machine::fence() {
    const Instruction& i = instruction();
    Event e = event(i.op == Op::fence_proxy ? Event::Kind::proxy_fence : Event::Kind::fence);
    e.sem = semantics(i);
    e.proxy = proxy(i);
    e.alias_fence = i.op == Op::fence_proxy && i.has("alias");
    for (const auto& [word, reach] : {std::pair("mbarrier_init", Event::Reach::mbarrier_init),
                                      {"global", Event::Reach::global},
                                      {"shared::cta", Event::Reach::shared_cta},
                                      {"sync_restrict::shared::cta", Event::Reach::shared_cta},
                                      {"shared::cluster", Event::Reach::shared_cluster},
                                      {"sync_restrict::shared::cluster", Event::Reach::shared_cluster}})
        if (i.has(word)) e.reach = reach;
    if (i.operands.empty()) {
        add(e, 0);
        return;
    }
    e.reach = Event::Reach::tensor_map;
    e.covered = memory_.at(address(i.operands[0]), Type::b32).cell;
    const size_t step = add(e, 0);
    if (i.operands[0].indirect) depend(trace_.addr, reads_of(i.operands[0]), step);
}

// ---- barriers ----------------------------------------------------------------------------------------------

void Machine::barrier() {
    const Instruction& i = instruction();
    const bool of_cluster = i.op == Op::cluster_arrive || i.op == Op::cluster_wait;
    if (!of_cluster && i.op != Op::bar_sync && i.op != Op::bar_arrive && i.op != Op::bar_red) throw Unsupported(i.mnemonic);
    Use use;
    use.op = i.op;
    size_t next = i.op == Op::bar_red ? 1 : 0;
    std::set<size_t> reads;
    if (!of_cluster) {
        use.barrier = value(i.operands.at(next), Type::u32);
        reads = reads_of(i.operands[next++]);
    }
    if (i.op == Op::bar_red) {
        use.predicate = value(i.operands.back(), Type::pred) != 0;
        reads = joined(reads, reads_of(i.operands.back()));
    }
    if (!of_cluster && next + (i.op == Op::bar_red ? 1 : 0) < i.operands.size()) {
        use.count = value(i.operands[next], Type::u32);
        reads = joined(reads, reads_of(i.operands[next]));
    }
    const auto& threads = test_.threads;
    const bool lanes = std::any_of(threads.begin(), threads.end(), [](const Thread& t) { return t.at.lane > 0; });
    if (lanes && i.op == Op::bar_red && operation(i) == Operator::popc) throw Unsupported("single lanes at a barrier that counts them");
    Event e = event(Event::Kind::barrier);
    e.scope = Scope::none;
    if (of_cluster) e.sem = semantics(i);
    use.step = add(e, use.predicate ? 1 : 0);
    depend(trace_.ctrl, reads, use.step);
    const bool blocks = i.op != Op::bar_arrive && i.op != Op::cluster_arrive;
    if (blocks) {
        use.passed = oracle_->choice({static_cast<int>(pc_), iteration_, -1}, 2) == 0;
        block(use.step);
    }
    if (i.op == Op::bar_red && use.passed) {
        const bool popc = operation(i) == Operator::popc;
        const auto most = popc ? test_.threads.size() + 1 : 2;
        use.result = oracle_->choice({static_cast<int>(pc_), iteration_, -2}, most) * (popc ? 32 : 1);
        assign(i.operands[0], popc ? Type::u32 : Type::pred, use.result, {use.step}, {});
    }
    trace_.uses.push_back(use);
    if (!use.passed) stay();
}

}  // namespace litmus::naive
