// Strongly live registers, backwards to a fixpoint.
//
// An instruction makes what it writes dead before it, unless a guard may switch it off, and what it reads live; but arithmetic
// only if what it writes is live. So a counter that nothing looks at is never live, though it is read in each turn of its loop.
#include "event/liveness.h"

#include "ptx/traits.h"

namespace litmus {

namespace {

void add_term(const Term& term, size_t thread, RegisterNames& names) {
    if (term.kind == Term::Kind::reg && static_cast<size_t>(term.thread) == thread) names.insert(term.name);
}

void add_condition(const Condition& condition, size_t thread, RegisterNames& names) {
    add_term(condition.left, thread, names);
    add_term(condition.right, thread, names);
    for (const Condition& part : condition.operands) add_condition(part, thread, names);
}

void add_operand(const Operand& operand, RegisterNames& names) {
    if (operand.kind == Operand::Kind::reg || operand.indirect) names.insert(operand.name);
    for (const Operand& element : operand.elements) add_operand(element, names);
}

// Where control goes on after an instruction; the size of the body is the end of the thread.
std::vector<size_t> next_of(const Thread& thread, size_t at) {
    const Instruction& i = thread.body[at];
    const bool leaves = kind(i.op) == Traits::Kind::exit, jumps = kind(i.op) == Traits::Kind::branch;
    std::vector<size_t> next;
    if (i.op == Op::exit) next.push_back(thread.body.size());
    if (jumps) {
        size_t target = thread.body.size();
        for (size_t k = 0; k < thread.body.size(); ++k)
            for (const std::string& label : thread.body[k].labels)
                if (label == i.at(Role::label).name) target = k;
        next.push_back(target);
    }
    const bool may_not = i.guard || i.find(Role::source);  // beq and bne of the column format compare
    if (!(leaves || jumps) || may_not) next.push_back(at + 1);
    return next;
}

// What is live before an instruction, of what is live behind it.
RegisterNames before(const Instruction& i, RegisterNames live) {
    const std::vector<std::string> written = written_registers(i);
    bool matters = !is_arithmetic(i.op);
    for (const std::string& name : written) matters = matters || live.count(name) > 0;
    if (!i.guard)
        for (const std::string& name : written) live.erase(name);
    if (!matters) return live;
    if (i.guard) live.insert(i.guard->reg);
    for (const Operand& operand : i.operands)
        if (is_read(operand.role)) add_operand(operand, live);
    if (i.expect) add_operand(i.expect->value, live);
    return live;
}

// The registers that hold what a clock says, or what was computed or compared with that.
RegisterNames told_by_clocks(const Thread& thread) {
    RegisterNames told;
    for (bool changed = true; changed;) {
        changed = false;
        for (const Instruction& i : thread.body) {
            if (!is_arithmetic(i.op)) continue;
            RegisterNames read;
            bool by_clock = false;
            for (const Operand& operand : i.operands) {
                if (!is_read(operand.role)) continue;
                by_clock = by_clock || (operand.kind == Operand::Kind::immediate && width_of_unknown(operand.name));
                add_operand(operand, read);
            }
            for (const std::string& name : read) by_clock = by_clock || told.count(name) > 0;
            if (!by_clock) continue;
            for (const std::string& name : written_registers(i)) changed = told.insert(name).second || changed;
        }
    }
    return told;
}

}  // namespace

RegisterNames observed_registers(const Test& test, size_t thread) {
    RegisterNames names;
    if (test.claim.kind == Claim::Kind::none) {
        for (const Instruction& i : test.threads[thread].body)
            for (const std::string& name : written_registers(i)) names.insert(name);
        for (const std::string& name : told_by_clocks(test.threads[thread])) names.erase(name);
        return names;
    }
    add_condition(test.claim.condition, thread, names);
    if (test.filter) add_condition(*test.filter, thread, names);
    for (const Term& term : test.observed) add_term(term, thread, names);
    return names;
}

std::vector<RegisterNames> live_registers(const Thread& thread, const RegisterNames& at_end) {
    const auto& body = thread.body;
    std::vector<RegisterNames> live(body.size() + 1);
    live.back() = at_end;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t at = body.size(); at-- > 0;) {
            RegisterNames behind;
            for (const size_t next : next_of(thread, at)) behind.insert(live[next].begin(), live[next].end());
            RegisterNames now = before(body[at], std::move(behind));
            if (now == live[at]) continue;
            live[at] = std::move(now);
            changed = true;
        }
    }
    return live;
}

}  // namespace litmus
