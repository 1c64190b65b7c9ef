// Conversion between the formats, always through the native one.
//
// What makes the outcomes the same, construct by construct:
// * Everything in the foreign formats is a 32-bit unsigned word in global memory; the native form
//   says so with `.global` and `.u32` (`.b32` where PTX has the operation on bits only).
// * A register without a definition on some path to a use reads its initial value, 0 if none is given, as
//   in herd. The native test sets exactly those with a mov at the start; a mov of a constant makes no event and no
//   dependency.
// * beq/bne a, b, L is setp and a guarded bra on a fresh predicate: the control dependency on a and b stays.
// * bar.cta.sync I[, B[, Q]], and bar.cta.arrive without waiting, synchronizes those uses of one (I, B) in a CTA that complete together
// with each other
//   and with later ones, and opens when Q threads have come (model/semantics.md section 7). A PTX barrier with a count
//   has generations of exactly that many arrivals. The two agree when each of n threads uses (I, B) exactly
//   once on every path and n <= Q: there is one generation, of all uses if n = Q, of none if n < Q
//   (both hang). All else is refused.
// * An expectation `ld r0, [x] == 1` keeps the executions in which r0 is 1 after the load. It becomes a
//   filter on r0, not an await: await would add a control dependency and deadlocks. No other instruction writes r0, so the
//   final r0, which the filter looks at, is the value read.
#include "syntax/foreign/convert.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ptx/table.h"
#include "ptx/traits.h"
#include "syntax/foreign/braces.h"
#include "syntax/foreign/column.h"
#include "syntax/foreign/conditions.h"
#include "syntax/foreign/foreign.h"
#include "syntax/foreign/instructions.h"
#include "syntax/foreign/tokens.h"

namespace litmus {

namespace {

using foreign::read_registers;
using foreign::written_register;

Failure refuse(const Test& test, Span span, const std::string& format, const std::string& what, const std::string& hint = {}) {
    return Failure(test.source, span, format + " cannot express " + what, hint);
}

// ---- control flow of a thread ----------------------------------------------------------------

// For each instruction, which may come next; body.size() is the end of the thread.
using Flow = std::vector<std::vector<size_t>>;

Flow control_flow(const Thread& thread) {
    std::map<std::string, size_t> places;
    for (const std::string& label : thread.end_labels) places[label] = thread.body.size();
    for (size_t i = 0; i < thread.body.size(); ++i) {
        for (const std::string& label : thread.body[i].labels) places[label] = i;
    }
    Flow flow(thread.body.size());
    for (size_t i = 0; i < thread.body.size(); ++i) {
        const Instruction& instruction = thread.body[i];
        const bool jumps = instruction.op == Op::bra;
        const bool leaves = instruction.op == Op::exit;
        const bool always = !instruction.guard && instruction.mnemonic != "beq" && instruction.mnemonic != "bne";
        if (jumps) {
            const auto place = places.find(instruction.at(Role::label).name);
            if (place != places.end()) flow[i].push_back(place->second);
        }
        if (leaves) flow[i].push_back(thread.body.size());
        if (!(jumps || leaves) || !always) flow[i].push_back(i + 1);
    }
    return flow;
}

// Whether a path from one of `start` ends at `goal` without passing `avoided`.
bool reaches(const Flow& flow, std::vector<size_t> start, size_t goal, size_t avoided) {
    std::vector<bool> seen(flow.size() + 1);
    while (!start.empty()) {
        const size_t at = start.back();
        start.pop_back();
        if (at == goal) return true;
        if (seen[at] || at == avoided || at == flow.size()) continue;
        seen[at] = true;
        start.insert(start.end(), flow[at].begin(), flow[at].end());
    }
    return false;
}

// Every path through the thread executes instruction i exactly once.
bool executes_once(const Thread& thread, const Flow& flow, size_t i) {
    const size_t nowhere = flow.size() + 1;
    return !thread.body[i].guard && !reaches(flow, {0}, flow.size(), i) && !reaches(flow, flow[i], i, nowhere);
}

// Whether a path leads from the start to a read of `reg` (the thread's end counts when `at_end`) without a write.
bool reads_initial(const Thread& thread, const Flow& flow, const std::string& reg, bool at_end) {
    std::vector<size_t> work{0};
    std::vector<bool> seen(flow.size() + 1);
    while (!work.empty()) {
        const size_t at = work.back();
        work.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        if (at == flow.size()) {
            if (at_end) return true;
            continue;
        }
        const Instruction& instruction = thread.body[at];
        const std::vector<std::string> reads = read_registers(instruction);
        if (std::find(reads.begin(), reads.end(), reg) != reads.end()) return true;
        if (written_register(instruction) != reg || instruction.guard) work.insert(work.end(), flow[at].begin(), flow[at].end());
    }
    return false;
}

// ---- conditions ------------------------------------------------------------------------------

void for_each_atom(const Condition& condition, const std::function<void(const Condition&)>& visit) {
    if (condition.kind == Condition::Kind::atom) visit(condition);
    for (const Condition& operand : condition.operands) for_each_atom(operand, visit);
}

// The registers of each thread that the claim and the filter look at.
std::vector<std::set<std::string>> claimed_registers(const Test& test) {
    std::vector<std::set<std::string>> result(test.threads.size());
    const auto visit = [&](const Condition& atom) {
        for (const Term* term : {&atom.left, &atom.right}) {
            if (term->kind == Term::Kind::reg) result.at(static_cast<size_t>(term->thread)).insert(term->name);
        }
    };
    for_each_atom(test.claim.condition, visit);
    if (test.filter) for_each_atom(*test.filter, visit);
    return result;
}

Condition conjunction(std::vector<Condition> operands) {
    if (operands.size() == 1) return std::move(operands[0]);
    Condition result;
    result.kind = Condition::Kind::conjunction;
    result.operands = std::move(operands);
    return result;
}

std::vector<Condition> conjuncts(const std::optional<Condition>& condition) {
    if (!condition) return {};
    if (condition->kind == Condition::Kind::conjunction) return condition->operands;
    return {*condition};
}

// ---- to the native format --------------------------------------------------------------------

constexpr const char* native_format = "the native format";

// The braces format names its claims; in the native format the name is a last line of the doc.
constexpr std::string_view claim_line = "claim ";
constexpr const char* default_claim = "claim";

Operand register_operand(const std::string& name) {
    Operand operand;
    operand.name = name;
    return operand;
}

Operand immediate_operand(uint64_t value, Role role = Role::none) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.role = role;
    operand.value = value;
    return operand;
}

// The table tells what the operands of PTX are; those of an instruction that only a foreign format has bring their roles along.
Instruction make_instruction(Op op, std::string mnemonic, std::vector<std::string> qualifiers, std::vector<Operand> operands, Span span) {
    Instruction result;
    result.op = op;
    result.mnemonic = std::move(mnemonic);
    result.qualifiers = std::move(qualifiers);
    result.operands = std::move(operands);
    result.span = span;
    bind(result);
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
        case Op::mul:
            result.emplace_back("lo");
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
using Place = std::pair<size_t, size_t>;                          // thread, instruction
using BarrierKey = std::pair<uint64_t, std::optional<uint64_t>>;  // I, B

// One use of bar.cta.{sync,arrive} I[, B[, Q]], operands resolved.
struct BarrierUse {
    Place place;
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
        const Place place = uses.begin()->second[0].place;
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

std::map<Place, NativeBarrier> native_barriers(const Test& test) {
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
    std::map<Place, NativeBarrier> result;
    for (const auto& [cta, uses] : ctas) {
        const auto ids = barrier_ids(test, uses);
        for (const auto& [key, group] : uses) {
            // keys are sorted: (I, none) stands right before (I, B)
            const auto next = uses.upper_bound(key);
            if (!key.second && next != uses.end() && next->first.first == key.first) {
                const Place place = group[0].place;
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
    BodyConverter(const Test& test, size_t index, const std::map<Place, NativeBarrier>& barriers)
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
            body_.push_back(make_instruction(Op::sub, "sub", {"u32"}, {negative, immediate_operand(0), operand}, from.span));
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
    const std::map<Place, NativeBarrier>& barriers_;
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

// ---- from the native format ------------------------------------------------------------------

constexpr const char* column_format = "the column format";
constexpr const char* braces_format = "the braces format";

// Refuses what neither foreign format has, by name.
void check_plain(const Test& test, const std::string& format) {
    for (const Location& location : test.locations) {
        const std::string named = " (`" + location.name + "`)";
        if (location.is_mbarrier) throw refuse(test, location.span, format, "mbarrier objects" + named);
        if (location.space == Space::shared) throw refuse(test, location.span, format, "shared memory" + named);
        if (location.array || location.count != 1) throw refuse(test, location.span, format, "arrays" + named);
        if (location.type != Type::u32 && location.type != Type::b32) {
            throw refuse(test, location.span, format, "type ." + std::string(name(location.type)) + named, "everything is a .u32");
        }
    }
    for (const Thread& thread : test.threads) {
        if (thread.at.cluster != 0) throw refuse(test, thread.span, format, "clusters (" + thread.name + ")");
        if (thread.at.warp_named) throw refuse(test, thread.span, format, "warps and lanes (" + thread.name + ")");
    }
    if (test.target_specific) throw refuse(test, {}, format, "the target sm_" + std::to_string(*test.target) + "a");
    if (test.claims_racefree) throw refuse(test, test.claim.span, format, "the claim `racefree`");
    if (test.claims_undefined) throw refuse(test, test.claim.span, format, "the claim `undefined`");
    if (test.claims_deadlock) throw refuse(test, test.claim.span, format, "the claim `deadlock`");
    if (test.claims_may_deadlock) throw refuse(test, test.claim.span, format, "the claim `may-deadlock`");
    if (test.claims_terminates) throw refuse(test, test.claim.span, format, "the claim `terminates`");
    const auto check_term = [&](const Condition& atom) {
        for (const Term* term : {&atom.left, &atom.right}) {
            if (term->element != 0 || term->cta >= 0) throw refuse(test, term->span, format, "array elements and instances in a condition");
            const auto number = static_cast<int64_t>(term->value);
            if (term->is_float || term->raw || number < INT32_MIN || number > int64_t{UINT32_MAX}) {
                throw refuse(test, term->span, format, "a constant that is not a 32-bit integer");
            }
        }
    };
    for_each_atom(test.claim.condition, check_term);
    if (test.filter) for_each_atom(*test.filter, check_term);
}

void check_instruction(const Test& test, const Instruction& instruction, const std::string& format) {
    if (instruction.await) throw refuse(test, instruction.span, format, "`await`");
    if (vector_width(instruction) > 1) throw refuse(test, instruction.span, format, "vector accesses");
    for (const std::string& qualifier : instruction.qualifiers) {
        const auto type = type_named(qualifier);
        if (type && *type != Type::u32 && *type != Type::b32)
            throw refuse(test, instruction.span, format, "type ." + qualifier, "everything is a .u32");
        if (qualifier == "cluster") throw refuse(test, instruction.span, format, "scope .cluster");
        if (qualifier.rfind("shared", 0) == 0) throw refuse(test, instruction.span, format, "shared memory");
        if (qualifier == "mmio") throw refuse(test, instruction.span, format, "`.mmio`");
    }
    for (const Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::address && operand.indirect)
            throw refuse(test, instruction.span, format, "a register as address");
        if (operand.kind == Operand::Kind::address && (operand.offset != 0 || operand.cta >= 0)) {
            throw refuse(test, instruction.span, format, "an address other than a location's name");
        }
        if (operand.kind == Operand::Kind::symbol) throw refuse(test, instruction.span, format, "an address as a value");
        if (operand.kind == Operand::Kind::sink) throw refuse(test, instruction.span, format, "the sink `_`");
        if (operand.is_float) throw refuse(test, instruction.span, format, "floating-point numbers");
    }
}

// The instruction without state space and type. Its values are 32 bits wide, so immediates are cut to that.
Instruction foreign_instruction(const Test& test, const Instruction& from, const std::string& format) {
    check_instruction(test, from, format);
    Instruction to = from;
    to.row.form = nullptr;
    if (to.mnemonic == "membar.proxy") to.mnemonic = "fence.proxy";  // ISA 9.7.13.4: a synonym
    const auto implied = [&](const std::string& q) { return q == "global" || q == "lo" || q == "uni" || type_named(q).has_value(); };
    to.qualifiers.erase(std::remove_if(to.qualifiers.begin(), to.qualifiers.end(), implied), to.qualifiers.end());
    for (Operand& operand : to.operands) {
        const auto number = static_cast<int64_t>(operand.value);
        if (operand.kind == Operand::Kind::immediate && (number < INT32_MIN || number > int64_t{UINT32_MAX}))
            operand.value = truncate(operand.value, 32);
    }
    return to;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return foreign::trimmed(text);
}

// P0, r1: a letter and a number.
bool is_numbered(const std::string& name, char letter) {
    return name.size() > 1 && name[0] == letter && name.find_first_not_of("0123456789", 1) == std::string::npos;
}

// What both foreign formats take over unchanged; bodies are left to the caller.
Test foreign_test(const Test& native, Dialect dialect, const std::string& format) {
    check_plain(native, format);
    Test test = native;
    test.dialect = dialect;
    test.name = one_line(test.name);
    if (test.name.empty()) test.name = "test";
    test.repairs = one_line(test.repairs);
    for (std::string& ref : test.refs) ref = one_line(ref);
    for (Location& location : test.locations) location.type = Type::u32;
    for (Thread& thread : test.threads) thread.body.clear();
    return test;
}

// How many instructions mention a register of a thread.
size_t mentions(const Thread& thread, const std::string& reg) {
    size_t count = 0;
    for (const Instruction& instruction : thread.body) {
        const auto reads = read_registers(instruction);
        count += written_register(instruction) == reg ? 1 : 0;
        count += static_cast<size_t>(std::count(reads.begin(), reads.end(), reg));
    }
    return count;
}

// `setp.eq p, a, b; @p bra L;` where nothing else looks at p is beq a, b, L; with @!p it is bne.
std::optional<Instruction> fused_branch(const Thread& thread, size_t i, const std::set<std::string>& claimed) {
    if (i + 1 >= thread.body.size()) return std::nullopt;
    const Instruction& setp = thread.body[i];
    const Instruction& bra = thread.body[i + 1];
    if (setp.op != Op::setp || setp.guard || !(setp.has("eq") || setp.has("ne"))) return std::nullopt;
    if (bra.op != Op::bra || !bra.guard || !bra.labels.empty()) return std::nullopt;
    const std::string predicate = written_register(setp);
    if (bra.guard->reg != predicate || mentions(thread, predicate) != 2 || claimed.count(predicate) > 0) return std::nullopt;
    const bool equal = setp.has("eq") != bra.guard->negated;
    return make_instruction(Op::bra, equal ? "beq" : "bne", {}, {setp.at(Role::source, 0), setp.at(Role::source, 1), bra.at(Role::label)},
                            setp.span);
}

// Whether each thread of the CTA that uses barrier `id` does so exactly once, with bar.sync or bar.arrive; gives how many do.
size_t single_uses(const Test& native, const Thread& of, uint64_t id, Span span) {
    size_t users = 0;
    for (const Thread& thread : native.threads) {
        if (thread.at.gpu != of.at.gpu || thread.at.cta != of.at.cta) continue;
        const Flow flow = control_flow(thread);
        size_t uses = 0;
        for (size_t i = 0; i < thread.body.size(); ++i) {
            const Instruction& other = thread.body[i];
            if (kind(other.op) != Traits::Kind::cta_barrier) continue;
            const Operand& number = other.at(Role::barrier);
            const bool same = number.kind != Operand::Kind::immediate || number.value == id;
            if (!same) continue;
            ++uses;
            if (other.op == Op::bar_red || uses > 1 || number.kind != Operand::Kind::immediate || !executes_once(thread, flow, i)) {
                throw refuse(native, span, column_format,
                             "a barrier unless each thread uses it once, without bar.red and with a constant number");
            }
        }
        users += uses;
    }
    return users;
}

// bar.sync id[, count] as bar.cta.sync id[, id, Q], and bar.arrive as bar.cta.arrive.
Instruction quorum_barrier(const Test& native, const Thread& thread, const Instruction& from) {
    const Operand& number = from.at(Role::barrier);
    if (from.guard || number.kind != Operand::Kind::immediate) {
        throw refuse(native, from.span, column_format, "a barrier that is guarded or whose number is not constant");
    }
    const uint64_t id = number.value;
    const size_t users = single_uses(native, thread, id, from.span);
    std::vector<Operand> operands{immediate_operand(id, Role::barrier)};
    if (const Operand* count = from.find(Role::threads)) {
        if (count->kind != Operand::Kind::immediate || count->value % 32 != 0 || count->value / 32 < users) {
            throw refuse(native, from.span, column_format, "this count of a barrier", "32 for each thread that uses it, or more");
        }
        if (count->value / 32 > users) {
            operands.push_back(immediate_operand(id, Role::barrier));
            operands.push_back(immediate_operand(count->value / 32, Role::threads));
        }
    } else {
        const auto all = std::count_if(native.threads.begin(), native.threads.end(),
                                       [&](const Thread& other) { return other.at.gpu == thread.at.gpu && other.at.cta == thread.at.cta; });
        if (static_cast<size_t>(all) != users)
            throw refuse(native, from.span, column_format, "a barrier of the whole CTA that some of its threads do not use");
    }
    return from.op == Op::bar_sync ? make_instruction(Op::bar_quorum, "bar.cta.sync", {}, operands, from.span)
                                   : make_instruction(Op::bar_quorum_arrive, "bar.cta.arrive", {}, operands, from.span);
}

std::vector<Instruction> column_body(const Test& native, const Thread& thread, const std::set<std::string>& claimed) {
    std::vector<Instruction> body;
    for (size_t i = 0; i < thread.body.size(); ++i) {
        const Instruction& from = thread.body[i];
        const auto branch = fused_branch(thread, i, claimed);
        if (branch) {
            body.push_back(*branch);
            ++i;
        } else if (from.op == Op::bar_sync || from.op == Op::bar_arrive) {
            body.push_back(quorum_barrier(native, thread, from));
        } else if (from.op == Op::bra && !from.guard) {
            body.push_back(make_instruction(Op::bra, "goto", {}, from.operands, from.span));
        } else {
            body.push_back(foreign_instruction(native, from, column_format));
        }
        body.back().labels = from.labels;
    }
    return body;
}

bool is_web_address(const std::string& text) {
    return text.rfind("http://", 0) == 0 || text.rfind("https://", 0) == 0;
}

Test column_from_native(const Test& native) {
    Test test = foreign_test(native, Dialect::column, column_format);
    const auto claimed = claimed_registers(native);
    const bool named =
        std::all_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) { return is_numbered(thread.name, 'P'); });
    for (size_t i = 0; i < test.threads.size(); ++i) {
        if (!named) test.threads[i].name = "P" + std::to_string(i);
        test.threads[i].body = column_body(native, native.threads[i], claimed[i]);
    }
    foreign::assign_warps(test);
    if (is_web_address(test.doc) && test.doc.find_first_of(" \t\r\n\f\v") == std::string::npos) {
        test.refs.insert(test.refs.begin(), std::exchange(test.doc, ""));  // the format tells them apart by their form
    }
    print_column(test);  // refuses the rest, by name
    return test;
}

// ---- to the braces format --------------------------------------------------------------------

// Gives every definition of a register a name of its own in the test, and conditions the last one.
class SingleAssignment {
public:
    explicit SingleAssignment(Test& test) : test_(test), keep_(already_single()) {}

    void rename() {
        for (Thread& thread : test_.threads) {
            current_.emplace_back();
            for (Instruction& instruction : thread.body) rename_instruction(instruction);
        }
        rename_condition(test_.claim.condition);
        if (test_.filter) rename_condition(*test_.filter);
    }

private:
    bool already_single() const {
        std::set<std::string> seen;
        for (const Thread& thread : test_.threads) {
            for (const Instruction& instruction : thread.body) {
                const std::string reg = written_register(instruction);
                if (!reg.empty() && (!is_numbered(reg, 'r') || !seen.insert(reg).second || find_location(test_, reg) != nullptr))
                    return false;
            }
        }
        return true;
    }

    const std::string& current(const std::string& reg, size_t thread, Span span) const {
        const auto found = current_[thread].find(reg);
        if (found == current_[thread].end()) throw refuse(test_, span, braces_format, "register `" + reg + "`, which nothing has written");
        return found->second;
    }

    void rename_instruction(Instruction& instruction) {
        const bool writes = !written_register(instruction).empty();
        const size_t thread = current_.size() - 1;
        for (Operand& operand : instruction.operands) {
            const bool read = operand.kind == Operand::Kind::reg && operand.role != Role::result;
            if (read) operand.name = current(operand.name, thread, instruction.span);
        }
        if (writes) {
            Operand& destination = instruction.at(Role::result);
            const std::string name = keep_ ? destination.name : fresh();
            current_[thread][destination.name] = name;
            destination.name = name;
        }
    }

    std::string fresh() {
        std::string name;
        do {
            name = "r" + std::to_string(next_++);
        } while (find_location(test_, name) != nullptr);
        return name;
    }

    void rename_condition(Condition& condition) {
        for (Term* term : {&condition.left, &condition.right}) {
            if (term->kind == Term::Kind::reg) term->name = current(term->name, static_cast<size_t>(term->thread), term->span);
        }
        for (Condition& operand : condition.operands) rename_condition(operand);
    }

    Test& test_;
    bool keep_;
    int next_ = 0;
    std::vector<std::map<std::string, std::string>> current_;  // of each thread: its register to the latest name
};

// Each conjunct `r == constant` on what a load read becomes that load's expectation (the reverse of
// filter_with_expectations; registers are written once by now).
void filter_to_expectations(Test& test) {
    for (const Condition& atom : conjuncts(std::exchange(test.filter, std::nullopt))) {
        const bool plain = atom.kind == Condition::Kind::atom && atom.comparison == "==" && atom.left.kind == Term::Kind::reg &&
                           atom.right.kind == Term::Kind::constant;
        Instruction* load = nullptr;
        if (plain) {
            for (Instruction& instruction : test.threads[static_cast<size_t>(atom.left.thread)].body) {
                if (is_load(instruction.op) && written_register(instruction) == atom.left.name) load = &instruction;
            }
        }
        if (load == nullptr || load->expect) {
            throw refuse(test, atom.span, braces_format, "this `filter`",
                         "only what a load reads can be filtered: P0:r0 == 1, joined with `/\\`");
        }
        load->expect = Expectation{"==", immediate_operand(atom.right.value)};
    }
}

void check_braces_condition(const Test& test) {
    for_each_atom(test.claim.condition, [&](const Condition& atom) {
        for (const Term* term : {&atom.left, &atom.right}) {
            if (term->kind == Term::Kind::location)
                throw refuse(test, atom.span, braces_format, "final memory in a condition (`" + term->name + "`)");
        }
        if (atom.comparison != "==" && atom.comparison != "!=") throw refuse(test, atom.span, braces_format, "`" + atom.comparison + "`");
    });
}

// ~exists (c) is forall (not c). The command's name is the one that to_native left in the doc, if any.
void name_claim(Test& test) {
    if (test.claim.kind == Claim::Kind::not_exists) {
        Condition negation;
        negation.kind = Condition::Kind::negation;
        negation.operands.push_back(std::move(test.claim.condition));
        test.claim.condition = std::move(negation);
        test.claim.kind = Claim::Kind::forall;
    }
    if (test.claim.kind == Claim::Kind::none) return;
    const size_t line = test.doc.rfind('\n') == std::string::npos ? 0 : test.doc.rfind('\n') + 1;
    const std::string last = test.doc.substr(line);
    const std::string name = last.rfind(claim_line, 0) == 0 ? last.substr(claim_line.size()) : "";
    test.claim.name = foreign::is_name(name) ? name : default_claim;
    if (foreign::is_name(name)) test.doc.erase(line == 0 ? 0 : line - 1);
}

Test braces_from_native(const Test& native) {
    Test test = foreign_test(native, Dialect::braces, braces_format);
    std::map<std::pair<int, int>, int> next;
    for (size_t i = 0; i < test.threads.size(); ++i) {
        Thread& thread = test.threads[i];
        thread.name = "d" + std::to_string(thread.at.gpu) + ".b" + std::to_string(thread.at.cta) + ".t" +
                      std::to_string(next[{thread.at.gpu, thread.at.cta}]++);
        for (const Instruction& from : native.threads[i].body) {
            thread.body.push_back(foreign_instruction(native, from, braces_format));
            const Instruction& to = thread.body.back();
            if (kind(to.op) == Traits::Kind::atomic && operation(to) != "add") {
                throw refuse(native, to.span, braces_format, "`." + std::string(operation(to)) + "`", "its only atomic operation is add");
            }
            foreign::print_instruction(to, native, Dialect::braces);  // refuses the rest, by name
        }
    }
    check_braces_condition(test);
    SingleAssignment(test).rename();
    filter_to_expectations(test);
    name_claim(test);
    foreign::assign_warps(test);
    std::string doc;
    for (size_t at = 0; at <= test.doc.size() && !test.doc.empty();) {
        const size_t end = std::min(test.doc.find('\n', at), test.doc.size());
        doc += (at == 0 ? "" : "\n") + foreign::trimmed(std::string_view(test.doc).substr(at, end - at));
        at = end + 1;
    }
    test.doc = doc;
    print_braces(test);
    return test;
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

Test to_column(const Test& test) {
    return test.dialect == Dialect::column ? test : column_from_native(to_native(test));
}

Test to_braces(const Test& test) {
    return test.dialect == Dialect::braces ? test : braces_from_native(to_native(test));
}

}  // namespace litmus
