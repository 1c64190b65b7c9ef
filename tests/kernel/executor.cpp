// Instructions of the language of tests on concrete values (see executor.h).
#include "executor.h"

#include <map>
#include <stdexcept>

namespace litmus::kernel::testing {
namespace {

constexpr size_t most_steps = 1'000'000;

class Thread {
public:
    Thread(const Traces& traces, const Trace& trace, Memory& memory) : traces_(traces), trace_(trace), memory_(memory) {
        for (size_t i = 0; i < trace.body.size(); ++i)
            for (const std::string& label : trace.body[i].labels) labels_[label] = i;
        for (const std::string& label : trace.end_labels) labels_[label] = trace.body.size();
        for (size_t i = 0; i < traces.objects.size(); ++i) objects_[traces.objects[i].name] = i;
    }

    void run() {
        size_t at = 0;
        for (size_t step = 0; at < trace_.body.size(); ++step) {
            if (step == most_steps) throw std::runtime_error("the executor runs too long");
            const Instruction& instruction = trace_.body[at++];
            if (instruction.guard && (registers_.at(instruction.guard->reg) != 0) == instruction.guard->negated) continue;
            if (instruction.op == Op::exit) return;
            if (instruction.op == Op::bra)
                at = labels_.at(instruction.operands.at(0).name);
            else
                execute(instruction);
        }
    }

private:
    uint64_t value(const Operand& operand) const {
        if (operand.kind == Operand::Kind::immediate) return operand.value;
        if (operand.kind != Operand::Kind::reg) throw std::runtime_error("the executor does not know this operand");
        const uint64_t bits = registers_.at(operand.name);
        return operand.negated ? bits ^ 1 : bits;
    }

    uint8_t* bytes(const Operand& address, size_t count) {
        const size_t object = objects_.at(address.name);
        if (address.indirect || traces_.objects[object].space != Space::global)
            throw std::runtime_error("the executor does not know this address");
        std::vector<uint8_t>& room = memory_.at(object);
        if (static_cast<size_t>(address.offset) + count > room.size()) throw std::runtime_error("the executor left an object");
        return room.data() + address.offset;
    }

    void execute(const Instruction& instruction) {
        const Type type = data_type(instruction);
        const auto width = bits(type);
        const auto count = static_cast<size_t>(width) / 8;
        const auto source = [&](size_t nth) { return truncate(value(instruction.at(Role::source, nth)), width); };
        const auto set = [&](uint64_t bits) { registers_[instruction.at(Role::result).name] = bits; };
        if (instruction.mnemonic == "ld") {
            const uint8_t* from = bytes(instruction.at(Role::address), count);
            uint64_t read = 0;
            for (size_t i = 0; i < count; ++i) read |= uint64_t{from[i]} << (8 * i);
            return set(is_signed(type) ? static_cast<uint64_t>(sign_extend(read, width)) : read);
        }
        if (instruction.mnemonic == "st") {
            uint8_t* to = bytes(instruction.at(Role::address), count);
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(source(0) >> (8 * i));
            return;
        }
        set(computed(instruction, type, source));
    }

    template <typename Source>
    uint64_t computed(const Instruction& instruction, Type type, const Source& source) const {
        const std::string& name = instruction.mnemonic;
        const auto width = bits(type);
        const auto less = [&](uint64_t a, uint64_t b) { return is_signed(type) ? sign_extend(a, width) < sign_extend(b, width) : a < b; };
        if (name == "mov") return source(0);
        if (name == "cvt") {
            const Type from = source_type(instruction);
            const uint64_t read = value(instruction.at(Role::source));
            return truncate(is_signed(from) ? static_cast<uint64_t>(sign_extend(read, bits(from))) : truncate(read, bits(from)), width);
        }
        if (name == "add") return truncate(source(0) + source(1), width);
        if (name == "sub") return truncate(source(0) - source(1), width);
        if (name == "mul") return truncate(source(0) * source(1), width);
        if (name == "mad") return truncate(source(0) * source(1) + source(2), width);
        if (name == "and") return source(0) & source(1);
        if (name == "or") return source(0) | source(1);
        if (name == "xor") return source(0) ^ source(1);
        if (name == "not") return truncate(~source(0), width);
        if (name == "neg") return truncate(0 - source(0), width);
        if (name == "min") return less(source(0), source(1)) ? source(0) : source(1);
        if (name == "max") return less(source(0), source(1)) ? source(1) : source(0);
        if (name == "shl" || name == "shr") {
            const uint64_t by = truncate(value(instruction.at(Role::source, 1)), 32);
            const bool beyond = by >= static_cast<uint64_t>(width);
            if (name == "shl") return beyond ? 0 : truncate(source(0) << by, width);
            if (!is_signed(type)) return beyond ? 0 : source(0) >> by;
            return truncate(static_cast<uint64_t>(sign_extend(source(0), width) >> (beyond ? 63 : by)), width);
        }
        if (name == "selp") return value(instruction.at(Role::predicate)) != 0 ? source(0) : source(1);
        if (name == "setp") {
            for (const std::string& how : instruction.qualifiers) {
                if (how == "eq") return source(0) == source(1);
                if (how == "ne") return source(0) != source(1);
                if (how == "lt" || how == "lo") return less(source(0), source(1));
                if (how == "ge" || how == "hs") return !less(source(0), source(1));
                if (how == "gt" || how == "hi") return less(source(1), source(0));
                if (how == "le" || how == "ls") return !less(source(1), source(0));
            }
        }
        throw std::runtime_error("the executor does not know " + name);
    }

    const Traces& traces_;
    const Trace& trace_;
    Memory& memory_;
    std::map<std::string, size_t> labels_, objects_;
    std::map<std::string, uint64_t> registers_;
};

}  // namespace

Memory executed(const Traces& traces, size_t arrays) {
    Memory memory;
    for (const Object& object : traces.objects) memory.push_back(object.bytes);
    for (const Trace& trace : traces.threads) Thread(traces, trace, memory).run();
    memory.resize(arrays);
    return memory;
}

}  // namespace litmus::kernel::testing
