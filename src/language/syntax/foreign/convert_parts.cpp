// Building and walking the parts of tests.
#include "language/syntax/foreign/convert_parts.h"

#include <utility>

#include "ptx/table.h"

namespace litmus {

Failure refuse(const Test& test, Span span, const std::string& format, const std::string& what, const std::string& hint) {
    return Failure(test.source, span, format + " cannot express " + what, hint);
}

void for_each_atom(const Condition& condition, const std::function<void(const Condition&)>& visit) {
    if (condition.kind == Condition::Kind::atom) visit(condition);
    for (const Condition& operand : condition.operands) for_each_atom(operand, visit);
}

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

std::vector<Condition> conjuncts(const std::optional<Condition>& condition) {
    if (!condition) return {};
    if (condition->kind == Condition::Kind::conjunction) return condition->operands;
    return {*condition};
}

Operand register_operand(const std::string& name) {
    Operand operand;
    operand.name = name;
    return operand;
}

Operand immediate_operand(uint64_t value, Role role) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.role = role;
    operand.value = value;
    return operand;
}

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

}  // namespace litmus
