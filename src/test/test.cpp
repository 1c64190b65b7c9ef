// Equality of tests, look-up by name, and the target a test needs.
#include "test/test.h"

#include <algorithm>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {
namespace {

template <typename T, typename Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

template <typename T, typename Same>
bool both_same(const std::optional<T>& a, const std::optional<T>& b, Same same) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same_operand(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.name == b.name && a.value == b.value && a.is_float == b.is_float && a.negated == b.negated &&
           a.indirect == b.indirect && a.offset == b.offset && a.cta == b.cta && all_same(a.elements, b.elements, same_operand);
}

bool same_guard(const Guard& a, const Guard& b) {
    return a.reg == b.reg && a.negated == b.negated;
}

bool same_expectation(const Expectation& a, const Expectation& b) {
    return a.comparison == b.comparison && same_operand(a.value, b.value);
}

bool same_instruction(const Instruction& a, const Instruction& b) {
    return a.op == b.op && a.mnemonic == b.mnemonic && a.qualifiers == b.qualifiers && all_same(a.operands, b.operands, same_operand) &&
           both_same(a.guard, b.guard, same_guard) && a.await == b.await && both_same(a.expect, b.expect, same_expectation) &&
           a.labels == b.labels;
}

bool same_location(const Location& a, const Location& b) {
    return a.name == b.name && a.space == b.space && a.cta == b.cta && a.type == b.type && a.count == b.count && a.array == b.array &&
           a.init == b.init && a.alias_of == b.alias_of && a.proxy == b.proxy && a.is_mbarrier == b.is_mbarrier && a.arrivals == b.arrivals;
}

bool same_thread(const Thread& a, const Thread& b) {
    return a.name == b.name && a.at == b.at && a.end_labels == b.end_labels && a.registers == b.registers &&
           all_same(a.body, b.body, same_instruction);
}

bool same_term(const Term& a, const Term& b) {
    return a.kind == b.kind && a.thread == b.thread && a.name == b.name && a.cta == b.cta && a.element == b.element && a.value == b.value &&
           a.is_float == b.is_float && a.raw == b.raw;
}

bool same_condition(const Condition& a, const Condition& b) {
    return a.kind == b.kind && a.value == b.value && a.comparison == b.comparison && same_term(a.left, b.left) &&
           same_term(a.right, b.right) && all_same(a.operands, b.operands, same_condition);
}

bool same_claim(const Claim& a, const Claim& b) {
    return a.kind == b.kind && same_condition(a.condition, b.condition);
}

}  // namespace

bool same_test(const Test& a, const Test& b) {
    return a.dialect == b.dialect && a.name == b.name && a.doc == b.doc && a.refs == b.refs && a.target == b.target &&
           a.target_specific == b.target_specific && a.repairs == b.repairs && all_same(a.locations, b.locations, same_location) &&
           all_same(a.threads, b.threads, same_thread) && both_same(a.filter, b.filter, same_condition) && same_claim(a.claim, b.claim) &&
           a.claims_racefree == b.claims_racefree && a.claims_undefined == b.claims_undefined && a.claims_deadlock == b.claims_deadlock &&
           a.claims_may_deadlock == b.claims_may_deadlock && a.claims_terminates == b.claims_terminates && a.report_only == b.report_only;
}

const Location* find_location(const Test& test, std::string_view name) {
    const auto found = std::find_if(test.locations.begin(), test.locations.end(), [&](const Location& l) { return l.name == name; });
    return found == test.locations.end() ? nullptr : &*found;
}

int find_thread(const Test& test, std::string_view name) {
    const auto found = std::find_if(test.threads.begin(), test.threads.end(), [&](const Thread& t) { return t.name == name; });
    return found == test.threads.end() ? -1 : static_cast<int>(found - test.threads.begin());
}

std::optional<Type> written_type(const Instruction& instruction) {
    switch (traits(instruction.op).result) {
        case Traits::Result::none:
            return std::nullopt;
        case Traits::Result::data:
            return data_type(instruction);
        case Traits::Result::predicate:
            return instruction.await ? std::nullopt : std::optional(Type::pred);  // an awaited wait writes none
        case Traits::Result::count:
            return Type::u32;
        case Traits::Result::state:
            return Type::b64;
    }
    return std::nullopt;
}

std::vector<std::string> written_registers(const Instruction& instruction) {
    std::vector<std::string> names;
    if (!written_type(instruction) || instruction.operands.empty()) return names;
    const auto note = [&names](const Operand& o) {
        if (o.kind == Operand::Kind::reg) names.push_back(o.name);
    };
    note(instruction.operands[0]);
    for (const Operand& element : instruction.operands[0].elements) note(element);
    if (instruction.op == Op::setp && instruction.operands.size() > 3) note(instruction.operands[1]);
    return names;
}

int location_index(const Test& test, std::string_view name) {
    const Location* found = find_location(test, name);
    return found ? static_cast<int>(found - test.locations.data()) : -1;
}

int physical_location(const Test& test, int location) {
    for (size_t steps = 0; steps <= test.locations.size(); ++steps) {
        const std::string& alias = test.locations[static_cast<size_t>(location)].alias_of;
        if (alias.empty()) break;
        location = location_index(test, alias);
    }
    return location;
}

namespace {

bool names_register(const Operand& operand, std::string_view name) {
    if (operand.kind == Operand::Kind::vector)
        return std::any_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& e) { return names_register(e, name); });
    return operand.kind == Operand::Kind::reg && operand.name == name;
}

}  // namespace

std::optional<Type> term_type(const Test& test, const Term& term) {
    if (term.kind == Term::Kind::location) {
        const Location* location = find_location(test, term.name);
        return location ? std::optional(location->type) : std::nullopt;
    }
    std::optional<Type> widest;
    if (term.kind != Term::Kind::reg) return widest;
    for (const Instruction& instruction : test.threads[static_cast<size_t>(term.thread)].body) {
        const auto type = written_type(instruction);
        if (!type || instruction.operands.empty() || !names_register(instruction.operands[0], term.name)) continue;
        if (!widest || bits(*type) > bits(*widest)) widest = type;
    }
    return widest;
}

std::map<int, Placement> ctas_of(const Test& test) {
    std::map<int, Placement> ctas;
    for (const Thread& thread : test.threads) ctas.emplace(thread.at.cta, thread.at);
    for (const Location& location : test.locations)
        if (location.cta) ctas.emplace(*location.cta, Placement{0, 0, *location.cta, 0, 0, false});
    return ctas;
}

bool same_cluster(const Placement& a, const Placement& b) {
    return a.gpu == b.gpu && a.cluster == b.cluster;
}

int least_target(const Test& test) {
    int target = Version{}.sm;
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body) target = std::max(target, least_version(instruction).sm);
    return target;
}

// ISA 11.1.2: what needs sm_100a is on sm_100a and on the later ones of its family, sm_103a.
bool target_has(const Test& test, Version least) {
    if (!test.target) return true;
    const bool own = !least.specific || (test.target_specific && *test.target / 10 == least.sm / 10);
    return *test.target >= least.sm && own;
}

}  // namespace litmus
