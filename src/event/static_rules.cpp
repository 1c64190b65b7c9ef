// The static rules of language/static_rules.h, asked of what an instruction's registers hold, where constant folding knows it.
//
// The reader of the text has checked names and numbers; here come addresses, sizes, counts and masks that reach the
// instruction through `mov`, arithmetic or a loop's counter. A guard that may be false excuses nothing: the rules are static.
// One rule needs all the events of a test: what else writes the parts of a wide load.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

bool has_register(const Operand& operand) {
    return operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.indirect) ||
           ((operand.kind == Operand::Kind::tensor || operand.role == Role::image) &&
            std::any_of(operand.elements.begin(), operand.elements.end(), has_register));
}

// What the register that stands here holds; empty: no register does.
std::string held_at(const Span& span, const KnownInstruction& known) {
    for (size_t i = 0; i < known.operands.size(); ++i) {
        const Operand& operand = known.instruction.operands[i];
        const KnownOperand& what = known.operands[i];
        if (!has_register(operand) || operand.span.begin != span.begin) continue;
        const bool one = operand.name.rfind(one_value, 0) == 0;  // of several
        const std::string holds = "`" + operand.name.substr(one ? one_value.size() : 0) + (one ? "` may hold " : "` holds ");
        if (what.value) return holds + std::to_string(*what.value) + " here";
        if (!what.location) continue;
        const int64_t offset = what.offset - operand.offset;
        const std::string bytes = offset == 0 ? "" : (offset > 0 ? "+" : "") + std::to_string(offset);
        return holds + "the address " + what.location->name + bytes + " here";
    }
    return {};
}

}  // namespace

KnownOperand Builder::known_operand(const Operand& operand, const State& state) {
    KnownOperand known;
    if (operand.kind == Operand::Kind::immediate) known.value = operand.value;
    if (operand.kind == Operand::Kind::reg && !operand.negated) {
        const ExprId value = read_register(exprs_, state, operand.name, Type::u64);
        if (exprs_.is_constant(value)) known.value = exprs_[value].value;
    }
    if (operand.kind == Operand::Kind::tensor || operand.role == Role::image)
        for (const Operand& element : operand.elements) known.elements.push_back(known_operand(element, state).value);
    if (operand.kind != Operand::Kind::address) return known;
    const ExprId held = operand.indirect ? read_register(exprs_, state, operand.name, Type::u64) : ExprPool::no;
    if (!exprs_.is_constant(held)) return known;
    known.generic = (exprs_[held].value & Places::generic_bit) != 0;
    const Target t = target(operand, state);
    known.location = &test_.locations[static_cast<size_t>(t.location)];
    known.offset = static_cast<int64_t>(t.offset);
    if (t.instance >= 0) known.cta = draft_.ctas[static_cast<size_t>(t.instance)].cta;
    return known;
}

void Builder::check_static_rules(const Context& c, const State& state) {
    const Instruction& instruction = c.instruction;
    if (kind(instruction.op) == Traits::Kind::arithmetic || test_.dialect != Dialect::native) return;
    if (std::none_of(instruction.operands.begin(), instruction.operands.end(), has_register)) return;
    KnownInstruction known{test_, thread(), instruction, {}};
    for (const Operand& operand : instruction.operands)
        known.operands.push_back(is_written(operand.role) ? KnownOperand{} : known_operand(operand, state));
    std::vector<Diagnostic> broken = broken_rules(known);
    for (Diagnostic& diagnostic : broken) {
        const std::string held = held_at(diagnostic.span, known);
        if (!held.empty()) diagnostic.hint += (diagnostic.hint.empty() ? "" : "; ") + held;
    }
    if (!broken.empty() && is_unmodelled(known)) throw UnmodelledAccess(broken);
    if (!broken.empty()) throw Failure(broken);
}

// Whether what it writes in memory is a range of elements, each on its own: a vector or a packed value (ISA 8.2.4, 8.2.5), or what the
// async proxy or cp.async copies, fills or answers.
bool writes_elements(const Instruction& writer) {
    const Traits::Kind what = kind(writer.op);
    return is_copy(writer.op) || what == Traits::Kind::fill || what == Traits::Kind::cancellation || vector_width(writer) > 1 ||
           lanes(data_type(writer)) > 1;
}

// Whoever writes an element of it, by whatever address: all events are known when this is asked (ISA 8.2.4, 8.2.5, 8.7.2).
void check_wide_loads(const Program& program) {
    const auto instruction_of = [&program](const Event& e) -> const Instruction& {
        return program.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)];
    };
    for (const Event& read : program.events) {
        if (read.kind != Event::Kind::read || (instruction_of(read).op != Op::ld && instruction_of(read).op != Op::ld_nc)) continue;
        const Instruction& load = instruction_of(read);
        const Cell& part = program.cells[static_cast<size_t>(read.cell)];
        const Location& declared = program.test->locations[static_cast<size_t>(part.location)];
        if (bits(data_type(load)) <= bits(declared.type) || declared.wide) continue;
        for (const Event& write : program.events) {
            if (write.kind != Event::Kind::write || write.cell != read.cell) continue;
            const Instruction& writer = instruction_of(write);
            const bool answers = data_type(load) == Type::b128;
            if (answers ? writer.op == Op::try_cancel : writes_elements(writer)) continue;
            if (answers)
                throw Failure(program.test->source, load.at(Role::address).span,
                              "this loads an answer of `clusterlaunchcontrol.try_cancel` from `" + part.name + "`, which thread " +
                                  program.test->threads[static_cast<size_t>(write.thread)].name + " writes by `" + spelling(writer) + "`",
                              "let answers have a place of their own, and declare data of 128 bits as `.b128`");
            throw Failure(program.test->source, load.at(Role::address).span,
                          "a `." + std::string(name(data_type(load))) + "` load of `" + part.name + "`, which thread " +
                              program.test->threads[static_cast<size_t>(write.thread)].name + " writes by `" + spelling(writer) +
                              "`: partial overlaps are outside the memory model (ISA 8.7.2)",
                          "a wider load reads what vector or packed operations and asynchronous copies write: load it with " +
                              std::to_string(bits(declared.type)) + " bits");
        }
    }
}

}  // namespace litmus
