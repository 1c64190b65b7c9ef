// From the native format to the foreign ones. What these do not have is refused by name; the printer of the format has the last word.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/column.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/foreign/convert_parts.h"
#include "language/syntax/foreign/flow.h"
#include "language/syntax/foreign/foreign.h"
#include "language/syntax/foreign/instructions.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using foreign::read_registers;
using foreign::written_register;

constexpr const char* column_format = "the column format";
constexpr const char* braces_format = "the braces format";

// Refuses what neither foreign format has, by name.
void check_plain(const Test& test, const std::string& format) {
    for (const Location& location : test.locations) {
        const std::string named = " (`" + location.name + "`)";
        if (!location.points_to.empty()) throw refuse(test, location.span, format, "multimem addresses" + named);
        if (location.is_tensor) throw refuse(test, location.span, format, "tensor memory" + named);
        if (location.is_tensor_map) throw refuse(test, location.span, format, "tensor maps" + named);
        if (location.is_mbarrier) throw refuse(test, location.span, format, "mbarrier objects" + named);
        if (location.space == Space::shared) throw refuse(test, location.span, format, "shared memory" + named);
        if (location.array || location.count != 1) throw refuse(test, location.span, format, "arrays" + named);
        if (location.type != Type::u32 && location.type != Type::b32) {
            throw refuse(test, location.span, format, "type ." + std::string(name(location.type)) + named, "everything is a .u32");
        }
    }
    for (const Thread& thread : test.threads) {
        if (grid_of(thread.at.cta) != 0) throw refuse(test, thread.span, format, "several grids (" + thread.name + ")");
        if (thread.at.cluster != 0) throw refuse(test, thread.span, format, "clusters (" + thread.name + ")");
        if (thread.at.warp_named) throw refuse(test, thread.span, format, "warps and lanes (" + thread.name + ")");
    }
    if (test.unlaunched) throw refuse(test, {}, format, "clusters that have not started (`.unlaunched`)");
    if (test.unroll) throw refuse(test, {}, format, "a bound of its loops (`unroll`)");
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
    if (setp.op != Op::setp || setp.guard || setp.find(Role::predicate) || !(setp.has("eq") || setp.has("ne"))) return std::nullopt;
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
        const bool plain = atom.kind == Condition::Kind::atom && atom.comparison == Operator::eq && atom.left.kind == Term::Kind::reg &&
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
        load->expect = Expectation{Operator::eq, immediate_operand(atom.right.value)};
    }
}

void check_braces_condition(const Test& test) {
    for_each_atom(test.claim.condition, [&](const Condition& atom) {
        for (const Term* term : {&atom.left, &atom.right}) {
            if (term->kind == Term::Kind::location)
                throw refuse(test, atom.span, braces_format, "final memory in a condition (`" + term->name + "`)");
        }
        if (atom.comparison != Operator::eq && atom.comparison != Operator::ne)
            throw refuse(test, atom.span, braces_format, "`" + std::string(symbol(atom.comparison)) + "`");
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
            if (kind(to.op) == Traits::Kind::atomic && operation(to) != Operator::add) {
                throw refuse(native, to.span, braces_format, "`." + std::string(name(operation(to))) + "`",
                             "its only atomic operation is add");
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

Test to_column(const Test& test) {
    return test.dialect == Dialect::column ? test : column_from_native(to_native(test));
}

Test to_braces(const Test& test) {
    return test.dialect == Dialect::braces ? test : braces_from_native(to_native(test));
}

}  // namespace litmus
