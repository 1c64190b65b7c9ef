// From the foreign formats to the native one; convert.h says why outcomes stay the same.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "language/syntax/foreign/convert.h"
#include "language/syntax/foreign/convert_parts.h"
#include "language/syntax/foreign/flow.h"
#include "language/syntax/foreign/instructions.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using foreign::read_registers;
using foreign::written_register;

constexpr const char* native_format = "the native format";

Condition conjunction(std::vector<Condition> operands) {
    if (operands.size() == 1) return std::move(operands[0]);
    Condition result;
    result.kind = Condition::Kind::conjunction;
    result.operands = std::move(operands);
    return result;
}

// Qualifiers of the foreign instruction with state space and type in their places (ISA 9.7).
std::vector<std::string> native_qualifiers(const Instruction& instruction, const char* type) {
    std::vector<std::string> result = instruction.qualifiers;
    switch (instruction.op) {
        case Op::fence:
        case Op::fence_proxy:
            return result;
        case Op::ld:
        case Op::st:
            result.emplace_back("global");
            break;
        case Op::atom:
        case Op::red:
            result.insert(result.end() - 1, "global");
            break;
        case Op::binary:
            if (operation(instruction) == Operator::mul) result.emplace_back("lo");
            break;
        default:
            break;
    }
    result.emplace_back(type);
    return result;
}

// A bar.sync or bar.arrive that stands for one of these: its barrier and its count of threads.
struct NativeBarrier {
    uint64_t id = 0;
    uint64_t count = 0;
};
using Where = std::pair<size_t, size_t>;                          // thread, instruction
using BarrierKey = std::pair<uint64_t, std::optional<uint64_t>>;  // I, B

// One use of bar.cta.{sync,arrive} I[, B[, Q]], operands resolved.
struct BarrierUse {
    Where place;
    BarrierKey key;
    std::optional<uint64_t> quorum;
};

// The value of a barrier's operand when no execution can change it: an immediate or a register never written.
uint64_t static_value(const Test& test, const Thread& thread, const Instruction& instruction, const Operand& operand) {
    if (operand.kind == Operand::Kind::immediate) return operand.value;
    for (const Instruction& other : thread.body) {
        if (written_register(other) == operand.name) {
            throw refuse(test, instruction.span, native_format,
                         "a barrier whose number or quorum depends on the execution (`" + operand.name + "`)");
        }
    }
    const auto initial = thread.registers.find(operand.name);
    return initial == thread.registers.end() ? 0 : initial->second;
}

using UsesByKey = std::map<BarrierKey, std::vector<BarrierUse>>;

// The barrier numbers of one CTA: B or else I where these are distinct and PTX has them (0 to 15), else in order.
std::map<BarrierKey, uint64_t> barrier_ids(const Test& test, const UsesByKey& uses) {
    std::map<BarrierKey, uint64_t> ids;
    std::set<uint64_t> taken;
    for (const auto& [key, group] : uses) ids[key] = key.second.value_or(key.first);
    for (const auto& [key, id] : ids) taken.insert(id);
    if (taken.size() == ids.size() && (taken.empty() || *taken.rbegin() < 16)) return ids;
    uint64_t next = 0;
    for (auto& [key, id] : ids) id = next++;
    if (next > 16) {
        const Where place = uses.begin()->second[0].place;
        throw refuse(test, test.threads[place.first].body[place.second].span, native_format, "more than 16 barriers in a CTA");
    }
    return ids;
}

// Checks one (I, B) of a CTA and gives its count of threads.
uint64_t barrier_count(const Test& test, const std::vector<BarrierUse>& uses) {
    std::set<size_t> threads;
    for (const BarrierUse& use : uses) {
        const Thread& thread = test.threads[use.place.first];
        const Span span = thread.body[use.place.second].span;
        const bool once = threads.insert(use.place.first).second && executes_once(thread, control_flow(thread), use.place.second);
        if (!once)
            throw refuse(test, span, native_format, "a quorum barrier that a thread may use never or again",
                         "its generations would differ");
        if (use.quorum != uses[0].quorum) throw refuse(test, span, native_format, "one barrier with different quorums");
        const uint64_t quorum = use.quorum.value_or(uses.size());
        if (quorum < uses.size()) throw refuse(test, span, native_format, "a quorum below the number of threads that use the barrier");
    }
    return 32 * uses[0].quorum.value_or(uses.size());
}

std::map<Where, NativeBarrier> native_barriers(const Test& test) {
    std::map<std::pair<int, int>, UsesByKey> ctas;
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const Thread& thread = test.threads[t];
        for (size_t i = 0; i < thread.body.size(); ++i) {
            const Instruction& instruction = thread.body[i];
            if (kind(instruction.op) != Traits::Kind::quorum) continue;
            const auto value = [&](Role role, size_t nth) {
                const Operand* operand = instruction.find(role, nth);
                return operand ? std::optional(static_value(test, thread, instruction, *operand)) : std::nullopt;
            };
            BarrierUse use{{t, i}, {*value(Role::barrier, 0), value(Role::barrier, 1)}, value(Role::threads, 0)};
            ctas[{thread.at.gpu, thread.at.cta}][use.key].push_back(use);
        }
    }
    std::map<Where, NativeBarrier> result;
    for (const auto& [cta, uses] : ctas) {
        const auto ids = barrier_ids(test, uses);
        for (const auto& [key, group] : uses) {
            // keys are sorted: (I, none) stands right before (I, B)
            const auto next = uses.upper_bound(key);
            if (!key.second && next != uses.end() && next->first.first == key.first) {
                const Where place = group[0].place;
                throw refuse(test, test.threads[place.first].body[place.second].span, native_format,
                             "barrier " + std::to_string(key.first) + " with and without a second number");
            }
            const NativeBarrier barrier{ids.at(key), barrier_count(test, group)};
            for (const BarrierUse& use : group) result[use.place] = barrier;
        }
    }
    return result;
}

// The body of one thread in native form.
class BodyConverter {
public:
    BodyConverter(const Test& test, size_t index, const std::map<Where, NativeBarrier>& barriers)
        : test_(test), index_(index), thread_(test.threads[index]), barriers_(barriers) {
        for (const auto& [reg, value] : thread_.registers) registers_.insert(reg);
        for (const Instruction& instruction : thread_.body) {
            registers_.insert(written_register(instruction));
            for (const std::string& reg : read_registers(instruction)) registers_.insert(reg);
        }
        registers_.erase("");
    }

    std::vector<Instruction> convert(const std::set<std::string>& claimed) {
        initial_registers(claimed);
        for (size_t i = 0; i < thread_.body.size(); ++i) {
            const size_t first = body_.size();
            one(i);
            body_[first].labels = thread_.body[i].labels;
        }
        return std::move(body_);
    }

private:
    void initial_registers(const std::set<std::string>& claimed) {
        const Flow flow = control_flow(thread_);
        std::set<std::string> registers = registers_;
        registers.insert(claimed.begin(), claimed.end());
        for (const std::string& reg : registers) {
            if (!reads_initial(thread_, flow, reg, claimed.count(reg) > 0)) continue;
            const auto initial = thread_.registers.find(reg);
            const uint64_t value = initial == thread_.registers.end() ? 0 : initial->second;
            if (only_in_barriers(reg)) continue;
            body_.push_back(make_instruction(Op::mov, "mov", {"u32"}, {register_operand(reg), immediate_operand(value)}, thread_.span));
        }
    }

    // The value of such a register has gone into the barrier's number.
    bool only_in_barriers(const std::string& reg) const {
        return std::all_of(thread_.body.begin(), thread_.body.end(),
                           [&](const Instruction& instruction) {
                               const auto reads = read_registers(instruction);
                               return kind(instruction.op) == Traits::Kind::quorum ||
                                      std::find(reads.begin(), reads.end(), reg) == reads.end();
                           }) &&
               std::any_of(thread_.body.begin(), thread_.body.end(), [&](const Instruction& instruction) {
                   const auto reads = read_registers(instruction);
                   return std::find(reads.begin(), reads.end(), reg) != reads.end();
               });
    }

    void one(size_t i) {
        const Instruction& from = thread_.body[i];
        if (kind(from.op) == Traits::Kind::quorum) {
            const NativeBarrier barrier = barriers_.at({index_, i});
            const std::vector<Operand> operands = {immediate_operand(barrier.id), immediate_operand(barrier.count)};
            body_.push_back(from.op == Op::bar_quorum ? make_instruction(Op::bar_sync, "bar.sync", {}, operands, from.span)
                                                      : make_instruction(Op::bar_arrive, "bar.arrive", {}, operands, from.span));
        } else if (from.has("sub")) {
            add_negative(from);
        } else if (from.mnemonic == "goto") {
            body_.push_back(make_instruction(Op::bra, "bra", {}, {from.at(Role::label)}, from.span));
        } else if (from.op == Op::bra) {
            branch(from);
        } else {
            as_written(from);
        }
    }

    void branch(const Instruction& from) {
        const std::string predicate = fresh("p");
        const std::string comparison = from.mnemonic.substr(1);
        body_.push_back(make_instruction(Op::setp, "setp", {comparison, "u32"},
                                         {register_operand(predicate), from.at(Role::source, 0), from.at(Role::source, 1)}, from.span));
        body_.push_back(make_instruction(Op::bra, "bra", {}, {from.at(Role::label)}, from.span));
        body_.back().guard = Guard{predicate, false};
    }

    // An atomic subtraction adds the negative, which a register that holds what is subtracted gets beforehand.
    void add_negative(Instruction from) {
        std::replace(from.qualifiers.begin(), from.qualifiers.end(), std::string("sub"), std::string("add"));
        Operand& operand = from.at(Role::source);
        if (operand.kind == Operand::Kind::immediate) {
            operand.value = truncate(uint64_t{0} - operand.value, 32);
        } else {
            const Operand negative = register_operand(fresh("n"));
            body_.push_back(make_instruction(Op::binary, "sub", {"u32"}, {negative, immediate_operand(0), operand}, from.span));
            operand = negative;
        }
        as_written(from);
    }

    // An instruction that PTX has too, with the types that it wants.
    void as_written(const Instruction& from) {
        for (const char* type : {"u32", "b32"}) {  // of bits where PTX has the operation on bits only
            const Instruction to = make_instruction(from.op, from.mnemonic, native_qualifiers(from, type), from.operands, from.span);
            if (to.row.form) return body_.push_back(to);
        }
        throw refuse(test_, from.span, native_format, "`" + from.mnemonic + spelled(from.qualifiers) + "`", hint(from));
    }

    std::string fresh(const std::string& prefix) {
        std::string name;
        do {
            name = prefix + std::to_string(next_++);
        } while (!registers_.insert(name).second || find_location(test_, name) != nullptr);
        return name;
    }

    static std::string spelled(const std::vector<std::string>& qualifiers) {
        std::string text;
        for (const std::string& qualifier : qualifiers) text += "." + qualifier;
        return text;
    }

    static std::string hint(const Instruction& from) {
        return from.op == Op::red ? "PTX has red.relaxed and red.release (ISA 9.7.13.6): a reduction acquires nothing" : "";
    }

    const Test& test_;
    size_t index_;
    const Thread& thread_;
    const std::map<Where, NativeBarrier>& barriers_;
    std::set<std::string> registers_;
    std::vector<Instruction> body_;
    int next_ = 0;
};

// CTA numbers unique in the test: each keeps its own unless another GPU or cluster has it.
std::map<std::pair<int, int>, int> unique_ctas(const Test& test) {
    std::map<std::pair<int, int>, int> numbers;
    std::set<int> taken;
    for (const Thread& thread : test.threads) taken.insert(thread.at.cta);
    std::set<int> used;
    int next = 0;
    for (const Thread& thread : test.threads) {
        const std::pair<int, int> cta{thread.at.gpu, thread.at.cta};
        if (numbers.count(cta) > 0) continue;
        int number = thread.at.cta;
        if (!used.insert(number).second) {
            while (taken.count(next) > 0) ++next;
            number = next;
            taken.insert(number);
            used.insert(number);
        }
        numbers[cta] = number;
    }
    return numbers;
}

Condition expectation_atom(size_t thread, const Instruction& instruction) {
    Condition atom;
    atom.kind = Condition::Kind::atom;
    atom.comparison = instruction.expect->comparison;
    atom.left.kind = Term::Kind::reg;
    atom.left.thread = static_cast<int>(thread);
    atom.left.name = instruction.at(Role::result).name;
    atom.right.value = instruction.expect->value.value;
    atom.span = instruction.span;
    return atom;
}

std::optional<Condition> filter_with_expectations(const Test& test) {
    std::vector<Condition> atoms = conjuncts(test.filter);
    for (size_t t = 0; t < test.threads.size(); ++t) {
        for (const Instruction& instruction : test.threads[t].body) {
            if (!instruction.expect) continue;
            const std::string reg = written_register(instruction);
            const auto writers = std::count_if(test.threads[t].body.begin(), test.threads[t].body.end(),
                                               [&](const Instruction& other) { return written_register(other) == reg; });
            if (reg.empty() || writers != 1 || instruction.expect->value.kind != Operand::Kind::immediate) {
                throw refuse(test, instruction.span, native_format, "this expectation", "its register must be written once");
            }
            atoms.push_back(expectation_atom(t, instruction));
        }
    }
    if (atoms.empty()) return std::nullopt;
    return conjunction(std::move(atoms));
}

}  // namespace

Test to_native(const Test& test) {
    if (test.dialect == Dialect::native) return test;
    if (test.report_only) {
        throw refuse(test, test.claim.span, native_format, "`check`, which expects nothing", "write `permit` or `assert`");
    }
    if (!test.observed.empty()) throw refuse(test, test.observed[0].span, native_format, "`locations`", "leave it out: it claims nothing");
    Test result = test;
    result.dialect = Dialect::native;
    result.filter = filter_with_expectations(test);
    if (!test.claim.name.empty() && test.claim.name != default_claim) {
        result.doc += (result.doc.empty() ? "" : "\n") + std::string(claim_line) + test.claim.name;
    }
    result.claim.name.clear();
    const auto claimed = claimed_registers(result);
    const auto ctas = unique_ctas(test);
    const auto barriers = native_barriers(test);
    for (size_t i = 0; i < result.threads.size(); ++i) {
        Thread& thread = result.threads[i];
        if (test.dialect == Dialect::braces) thread.name = "P" + std::to_string(i);
        thread.body = BodyConverter(test, i, barriers).convert(claimed[i]);
        thread.registers.clear();
        thread.at.cta = ctas.at({thread.at.gpu, thread.at.cta});
    }
    return result;
}

}  // namespace litmus
