// One instruction after the other (see interpreter.h).
#include "interpreter.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace litmus::kernel::testing {
namespace {

__extension__ using Wide = __int128;

constexpr uint64_t array_base = uint64_t{1} << 40, array_stride = uint64_t{1} << 32;
constexpr uint64_t local_base = uint64_t{1} << 20;
constexpr size_t most_steps = 1'000'000;

struct Kind {
    int bits = 32;
    bool is_signed = false;
};

Kind kind_of(const std::string& type) {
    if (type == "pred") return {1, false};
    return {std::stoi(type.substr(1)), type[0] == 's'};
}

uint64_t low(Wide value, int bits) {
    const auto word = static_cast<uint64_t>(value);
    return bits >= 64 ? word : word & ((uint64_t{1} << bits) - 1);
}

// The number that bits stand for.
Wide number(uint64_t value, Kind kind) {
    const uint64_t bits = low(static_cast<Wide>(value), kind.bits);
    if (kind.is_signed && bits >> (kind.bits - 1) != 0) return static_cast<Wide>(bits) - (static_cast<Wide>(1) << kind.bits);
    return static_cast<Wide>(bits);
}

[[noreturn]] void unknown(const Statement& statement) {
    std::string text;
    for (const std::string& word : statement.words) text += word + ".";
    throw std::runtime_error("the interpreter does not know " + text);
}

// ---- operations on numbers -------------------------------------------------------------------

bool compared(const std::string& how, Wide a, Wide b) {
    if (how == "eq") return a == b;
    if (how == "ne") return a != b;
    if (how == "lt" || how == "lo") return a < b;
    if (how == "le" || how == "ls") return a <= b;
    if (how == "gt" || how == "hi") return a > b;
    return a >= b;
}

int ones(uint64_t value) {
    int count = 0;
    for (; value != 0; value >>= 1) count += static_cast<int>(value & 1);
    return count;
}

// The number of the highest bit that is set; -1: none.
int highest(uint64_t value) {
    int at = -1;
    for (; value != 0; value >>= 1) ++at;
    return at;
}

uint64_t shifted_left(uint64_t value, uint64_t by) {
    return by >= 64 ? 0 : value << by;
}

// bfe (9.7.1.20): `length` bits from `position` on; beyond the word they are zeros or signs.
uint64_t extracted(uint64_t a, uint64_t position, uint64_t length, Kind kind) {
    position &= 0xff;
    length &= 0xff;
    const auto bit = [&](uint64_t at) { return a >> at & 1; };
    const auto last = static_cast<uint64_t>(kind.bits) - 1;
    const uint64_t sign = !kind.is_signed || length == 0 ? 0 : bit(std::min(position + length - 1, last));
    uint64_t result = 0;
    for (uint64_t i = 0; i <= last; ++i) {
        const uint64_t value = i < length && position + i <= last ? bit(position + i) : sign;
        result |= value << i;
    }
    return result;
}

// bfi (9.7.1.21): the low `length` bits of a put into b at `position`.
uint64_t inserted(uint64_t a, uint64_t b, uint64_t position, uint64_t length, int bits) {
    position &= 0xff;
    length &= 0xff;
    for (uint64_t i = 0; i < length && position + i < static_cast<uint64_t>(bits); ++i) {
        const uint64_t mask = uint64_t{1} << (position + i);
        b = (b & ~mask) | ((a >> i & 1) != 0 ? mask : 0);
    }
    return b;
}

// prmt (9.7.9.7), the generic mode: four nibbles choose bytes of b:a, their fourth bit repeats the sign.
uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector) {
    const uint64_t all = low(static_cast<Wide>(b), 32) << 32 | low(static_cast<Wide>(a), 32);
    uint64_t result = 0;
    for (int i = 0; i < 4; ++i) {
        const uint64_t choice = selector >> (4 * i) & 0xf;
        uint64_t byte = all >> (8 * (choice & 7)) & 0xff;
        if ((choice & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

// shf (9.7.8.7): b:a shifted, the high word of it (l) or the low one (r).
uint64_t funnel(bool left, bool wraps, uint64_t a, uint64_t b, uint64_t by) {
    const uint64_t n = wraps ? by & 31 : std::min<uint64_t>(by, 32);
    const uint64_t all = b << 32 | a;
    return left ? (n == 0 ? b : low(static_cast<Wide>(all >> (32 - n)), 32)) : low(static_cast<Wide>(all >> n), 32);
}

// lop3 (9.7.8.6): the truth table's bit for each three bits.
uint64_t looked_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
    uint64_t result = 0;
    for (int i = 0; i < 32; ++i) {
        const uint64_t index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        result |= (table >> index & 1) << i;
    }
    return result;
}

// ---- a thread --------------------------------------------------------------------------------

struct Seat {
    Dimensions block{}, thread{};
};

class Thread {
public:
    Thread(const Launch& launch, const Function& code, const Seat& seat, Memory& memory)
        : launch_(launch), code_(code), seat_(seat), memory_(memory), registers_(code.registers.size()), local_(4096) {}

    void run() {
        size_t at = 0;
        for (size_t step = 0; at < code_.code.size(); ++step) {
            if (step == most_steps) throw std::runtime_error("the interpreter runs too long");
            const Statement& statement = code_.code[at++];
            if (statement.guard >= 0 && (registers_[static_cast<size_t>(statement.guard)] != 0) == statement.guard_negated) continue;
            const std::string& name = statement.words[0];
            if (name == "ret" || name == "exit") return;
            if (name == "bra")
                at = code_.labels.at(statement.arguments[0].name);
            else
                execute(statement);
        }
    }

private:
    uint64_t special(const std::string& name) const {
        const size_t axis = name.back() == 'x' ? 0 : name.back() == 'y' ? 1 : 2;
        if (name.rfind("%tid.", 0) == 0) return seat_.thread[axis];
        if (name.rfind("%ntid.", 0) == 0) return launch_.block[axis];
        if (name.rfind("%ctaid.", 0) == 0) return seat_.block[axis];
        if (name.rfind("%nctaid.", 0) == 0) return launch_.grid[axis];
        throw std::runtime_error("the interpreter does not know " + name);
    }

    uint64_t value(const Argument& argument) const {
        switch (argument.kind) {
            case Argument::Kind::reg:
                return argument.negated ? registers_[static_cast<size_t>(argument.reg)] ^ 1 : registers_[static_cast<size_t>(argument.reg)];
            case Argument::Kind::immediate:
                return argument.bits;
            case Argument::Kind::special:
                return special(argument.name);
            case Argument::Kind::symbol:
                return local_base + static_cast<uint64_t>(argument.offset);  // there is one local array
            default:
                throw std::runtime_error("the interpreter does not know this operand");
        }
    }

    void set(const Argument& argument, Wide value) {
        if (argument.kind != Argument::Kind::reg) throw std::runtime_error("the interpreter writes registers");
        const Register& reg = code_.registers[static_cast<size_t>(argument.reg)];
        registers_[static_cast<size_t>(argument.reg)] = low(value, kind_of(reg.type).bits);
    }

    // Where an address points to.
    uint8_t* bytes(const Argument& address, size_t count) {
        const uint64_t at = value(address.elements[0]) + static_cast<uint64_t>(address.offset);
        std::vector<uint8_t>* room = &local_;
        uint64_t begin = at - local_base;
        if (at >= array_base) {
            room = &memory_.at((at - array_base) / array_stride);
            begin = (at - array_base) % array_stride;
        }
        if (begin + count > room->size()) throw std::runtime_error("the interpreter left an array");
        return room->data() + begin;
    }

    void load_parameter(const Statement& statement) {
        const Argument& name = statement.arguments[1].elements[0];
        for (size_t i = 0; i < code_.parameters.size(); ++i) {
            if (code_.parameters[i].name != name.name) continue;
            const Value& given = launch_.arguments[i];
            uint64_t bits = 0;
            for (size_t byte = 0; byte < std::min<size_t>(8, given.bytes.size()); ++byte) bits |= uint64_t{given.bytes[byte]} << (8 * byte);
            for (const Pointer& pointer : given.pointers) bits = array_base + pointer.array * array_stride;
            return set(statement.arguments[0], static_cast<Wide>(bits));
        }
        throw std::runtime_error("no such parameter");
    }

    void load(const Statement& statement) {
        if (statement.words[1] == "param") return load_parameter(statement);
        const Kind kind = kind_of(statement.words.back());
        const auto count = static_cast<size_t>(kind.bits) / 8;
        const uint8_t* from = bytes(statement.arguments[1], count);
        uint64_t bits = 0;
        for (size_t i = 0; i < count; ++i) bits |= uint64_t{from[i]} << (8 * i);
        set(statement.arguments[0], number(bits, kind));
    }

    void store(const Statement& statement) {
        const auto count = static_cast<size_t>(kind_of(statement.words.back()).bits) / 8;
        uint8_t* to = bytes(statement.arguments[0], count);
        const uint64_t bits = value(statement.arguments[1]);
        for (size_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(bits >> (8 * i));
    }

    void set_predicate(const Statement& statement) {
        const Kind kind = kind_of(statement.words.back());
        const auto& arguments = statement.arguments;
        bool result = compared(statement.words[1], number(value(arguments[1]), kind), number(value(arguments[2]), kind));
        if (statement.words.size() == 4) {  // setp.lt.and.s32
            const bool other = value(arguments[3]) != 0;
            result = statement.words[2] == "and" ? result && other : statement.words[2] == "or" ? result || other : result != other;
        }
        set(arguments[0], result);
    }

    void execute(const Statement& statement) {
        const std::string& name = statement.words[0];
        if (name == "ld") return load(statement);
        if (name == "st") return store(statement);
        if (name == "setp") return set_predicate(statement);
        if (name == "mov" || name == "cvta") return set(statement.arguments[0], static_cast<Wide>(value(statement.arguments[1])));
        set(statement.arguments[0], computed(statement));
    }

    // The value of an operation whose operands have all one type, but for those that take the width of others.
    Wide computed(const Statement& statement) {
        const auto& words = statement.words;
        const std::string& name = words[0];
        const Kind kind = kind_of(words.back());
        const auto bits = [&](size_t i) { return low(static_cast<Wide>(value(statement.arguments.at(i))), kind.bits); };
        const auto num = [&](size_t i) { return number(value(statement.arguments.at(i)), kind); };
        const auto width = static_cast<uint64_t>(kind.bits);
        if (name == "cvt") return number(low(num(1), kind_of(words[1]).bits), kind_of(words[1]));
        if (name == "add") return num(1) + num(2);
        if (name == "sub") return num(1) - num(2);
        if (name == "mul" || name == "mad") {
            const Wide product = num(1) * num(2);
            if (words[1] == "hi") return product >> kind.bits;
            return name == "mul" ? product : product + static_cast<Wide>(value(statement.arguments[3]));
        }
        if (name == "div") return num(1) / num(2);
        if (name == "rem") return num(1) % num(2);
        if (name == "abs") return num(1) < 0 ? -num(1) : num(1);
        if (name == "neg") return -num(1);
        if (name == "min") return std::min(num(1), num(2));
        if (name == "max") return std::max(num(1), num(2));
        if (name == "sad") return num(3) + (num(1) < num(2) ? num(2) - num(1) : num(1) - num(2));
        if (name == "and") return static_cast<Wide>(bits(1) & bits(2));
        if (name == "or") return static_cast<Wide>(bits(1) | bits(2));
        if (name == "xor") return static_cast<Wide>(bits(1) ^ bits(2));
        if (name == "not") return static_cast<Wide>(~bits(1));
        if (name == "cnot") return bits(1) == 0;
        const uint64_t by = low(static_cast<Wide>(statement.arguments.size() > 2 ? value(statement.arguments[2]) : 0), 32);
        if (name == "shl") return static_cast<Wide>(shifted_left(bits(1), by));
        if (name == "shr") return num(1) >> std::min<uint64_t>(by, width);
        if (name == "popc") return ones(bits(1));
        if (name == "clz") return kind.bits - 1 - highest(bits(1));
        if (name == "bfind") return highest(kind.is_signed && num(1) < 0 ? low(~num(1), kind.bits) : bits(1));
        if (name == "brev") {
            uint64_t result = 0;
            for (uint64_t i = 0; i < width; ++i) result |= (bits(1) >> i & 1) << (width - 1 - i);
            return static_cast<Wide>(result);
        }
        if (name == "bfe") return static_cast<Wide>(extracted(bits(1), by, value(statement.arguments[3]), kind));
        if (name == "bfi")
            return static_cast<Wide>(inserted(bits(1), bits(2), value(statement.arguments[3]), value(statement.arguments[4]), kind.bits));
        if (name == "prmt") return static_cast<Wide>(permuted(bits(1), bits(2), bits(3)));
        if (name == "shf") return static_cast<Wide>(funnel(words[1] == "l", words[2] == "wrap", bits(1), bits(2), bits(3)));
        if (name == "lop3") return static_cast<Wide>(looked_up(bits(1), bits(2), bits(3), bits(4)));
        if (name == "selp") return static_cast<Wide>(value(statement.arguments[3]) != 0 ? bits(1) : bits(2));
        if (name == "slct") return static_cast<Wide>(number(value(statement.arguments[3]), {32, true}) >= 0 ? bits(1) : bits(2));
        unknown(statement);
    }

    const Launch& launch_;
    const Function& code_;
    const Seat seat_;
    Memory& memory_;
    std::vector<uint64_t> registers_;
    std::vector<uint8_t> local_;
};

void each(const Dimensions& dimensions, const std::function<void(const Dimensions&)>& action) {
    for (uint32_t z = 0; z < dimensions[2]; ++z)
        for (uint32_t y = 0; y < dimensions[1]; ++y)
            for (uint32_t x = 0; x < dimensions[0]; ++x) action({x, y, z});
}

}  // namespace

Memory interpreted(const Module& module, const Launch& launch) {
    Memory memory;
    for (const Array& array : launch.arrays) memory.push_back(array.bytes);
    const auto entry =
        std::find_if(module.functions.begin(), module.functions.end(), [&](const Function& f) { return f.name == launch.entry; });
    each(launch.grid, [&](const Dimensions& block) {
        each(launch.block, [&](const Dimensions& thread) { Thread(launch, *entry, {block, thread}, memory).run(); });
    });
    return memory;
}

}  // namespace litmus::kernel::testing
