// Events and conditions in terms of the test: labels for people, expressions for claims.
#include <algorithm>
#include <stdexcept>

#include "base/decimal.h"
#include "event/program.h"
#include "language/compared.h"
#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "ptx/mbarrier.h"
#include "ptx/value.h"

namespace litmus {

namespace {

// ---- conditions -------------------------------------------------------------------------------

struct Side {
    ExprId value = 0;
    Type type = Type::u64;
    bool constant = false;
};

// The cell of an element, or of one lane of it; -1 when no event touches it.
int cell_of(const Program& program, const Term& term, int lane) {
    const auto& all = program.test->locations;
    for (size_t c = 0; c < program.cells.size(); ++c) {
        const Cell& cell = program.cells[c];
        const Location& declared = all[static_cast<size_t>(cell.location)];
        if (declared.name != term.name || cell.element != term.element || cell.lane != lane) continue;
        if (term.cta >= 0 && (cell.instance < 0 || program.ctas[static_cast<size_t>(cell.instance)].cta != term.cta)) continue;
        return static_cast<int>(c);
    }
    return -1;
}

// the location that a name means in a condition, through its aliases
const Location& physical(const Test& test, const std::string& name) {
    const Location* location = find_location(test, name);
    for (size_t steps = 0; location && !location->alias_of.empty() && steps <= test.locations.size(); ++steps)
        location = find_location(test, location->alias_of);
    if (!location) throw std::logic_error("a condition names an unknown location: " + name);
    return *location;
}

// The final value of a location's element: that of its cell, or those of its lanes, put together.
ExprId final_value(Program& program, const Location& declared, const Term& at) {
    ExprPool& exprs = program.exprs;
    const auto e = static_cast<size_t>(at.element);
    const ExprId initial = exprs.constant(e < declared.init.size() ? declared.init[e] : 0, bits(declared.type));
    const int whole = cell_of(program, at, -1);
    if (whole >= 0) return exprs.final_value(static_cast<uint32_t>(whole), bits(declared.type));
    const int low = cell_of(program, at, 0), high = cell_of(program, at, 1);
    if (low < 0 || high < 0) return initial;
    const int n = bits(declared.type), half = n / 2;
    const ExprId top = exprs.resize(exprs.final_value(static_cast<uint32_t>(high), half), n, false);
    return exprs.apply(Operator::or_, Type::u32, exprs.resize(exprs.final_value(static_cast<uint32_t>(low), half), n, false),
                       exprs.apply(Operator::shl, Type::u32, top, exprs.constant(static_cast<uint64_t>(half), n)));
}

Side side(Program& program, const Term& term) {
    switch (term.kind) {
        case Term::Kind::reg:
            for (const Register& r : program.registers) {
                if (r.thread == term.thread && r.name == term.name) return {r.value, r.type, false};
            }
            return {program.exprs.constant(0, 32), Type::u32, false};  // never written: 0, as in herd
        case Term::Kind::location: {
            const Location& declared = physical(*program.test, term.name);
            Term at = term;
            at.name = declared.name;
            return {final_value(program, declared, at), declared.type, false};
        }
        case Term::Kind::constant:
            return {0, Type::u64, true};
    }
    return {};
}

// A constant in the type of the other side. A decimal float becomes the bits of that type.
ExprId constant_as(Program& program, const Term& term, Type type) {
    return program.exprs.constant(term.is_float && !term.raw ? float_bits(type, bit_cast<double>(term.value)) : term.value, bits(type));
}

ExprId atom(Program& program, const Condition& c) {
    Side left = side(program, c.left), right = side(program, c.right);
    ExprPool& exprs = program.exprs;
    if (left.constant && right.constant) {
        left.value = exprs.constant(c.left.value, 64);
        right.value = exprs.constant(c.right.value, 64);
        return exprs.compare(c.comparison, Type::s64, left.value, right.value);
    }
    if (left.constant) left = {constant_as(program, c.left, right.type), right.type, true};
    if (right.constant) right = {constant_as(program, c.right, left.type), left.type, true};
    const Type type = bits(left.type) >= bits(right.type) ? left.type : right.type;
    return exprs.compare(c.comparison, type, exprs.resize(left.value, bits(type), is_signed(left.type)),
                         exprs.resize(right.value, bits(type), is_signed(right.type)));
}

void collect_terms(const Condition& condition, std::vector<Term>& terms) {
    if (condition.kind == Condition::Kind::atom) {
        for (const Term& t : {condition.left, condition.right}) {
            if (t.kind != Term::Kind::constant) terms.push_back(t);
        }
    }
    for (const Condition& c : condition.operands) collect_terms(c, terms);
}

std::string term_name(const Program& program, const Term& term) {
    if (term.kind == Term::Kind::reg) return program.test->threads[static_cast<size_t>(term.thread)].name + ":" + term.name;
    const Location& declared = physical(*program.test, term.name);
    std::string name = term.name;
    if (term.cta >= 0) name += "@" + cta_name(term.cta);
    return name + element_suffix(declared, term.element);
}

std::vector<Term> all_terms(const Program& program) {
    std::vector<Term> terms;
    for (const Register& r : program.registers) {
        if (!is_compared(*program.test, r.thread, r.name)) continue;
        Term t;
        t.kind = Term::Kind::reg;
        t.thread = r.thread;
        t.name = r.name;
        terms.push_back(t);
    }
    for (const Cell& c : program.cells) {
        const Location& declared = program.test->locations[static_cast<size_t>(c.location)];
        if (is_opaque(declared) || !is_compared(*program.test, declared)) continue;
        Term t;
        t.kind = Term::Kind::location;
        t.name = declared.name;
        t.element = c.element;
        if (declared.space == Space::shared && !declared.cta) t.cta = program.ctas[static_cast<size_t>(c.instance)].cta;
        terms.push_back(t);
    }
    return terms;
}

// ---- labels -----------------------------------------------------------------------------------

std::string one_line(std::string_view text) {
    std::string out;
    for (const char ch : text) {
        const bool space = ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
        if (!space) {
            out += ch;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == ';')) out.pop_back();
    return out;
}

}  // namespace

ExprId condition_expr(Program& program, const Condition& condition) {
    program.budget.check();
    switch (condition.kind) {
        case Condition::Kind::constant:
            return condition.value ? ExprPool::yes : ExprPool::no;
        case Condition::Kind::atom:
            return atom(program, condition);
        case Condition::Kind::negation:
            return program.exprs.negate(condition_expr(program, condition.operands.at(0)));
        case Condition::Kind::conjunction: {
            ExprId all = ExprPool::yes;
            for (const Condition& c : condition.operands) all = program.exprs.both(all, condition_expr(program, c));
            return all;
        }
        case Condition::Kind::disjunction: {
            ExprId any = ExprPool::no;
            for (const Condition& c : condition.operands) any = program.exprs.either(any, condition_expr(program, c));
            return any;
        }
    }
    return ExprPool::no;
}

std::vector<Observable> observables(Program& program, bool all_state) {
    std::vector<Term> terms;
    if (all_state || program.test->claim.kind == Claim::Kind::none) terms = all_terms(program);
    collect_terms(program.test->claim.condition, terms);
    if (program.test->filter) collect_terms(*program.test->filter, terms);
    std::vector<Observable> result;
    for (const bool registers : {true, false}) {
        for (const Term& t : terms) {
            if ((t.kind == Term::Kind::reg) != registers) continue;
            const Side s = side(program, t);
            const std::string name = term_name(program, t);
            const bool known = std::any_of(result.begin(), result.end(), [&](const Observable& o) { return o.name == name; });
            if (!known) result.push_back({name, s.type, s.value, !registers});
        }
    }
    return result;
}

std::string format_cell(const Program& program, size_t cell, uint64_t value) {
    if (program.cells[cell].is_tensor_map && value < program.test->locations.size())
        return program.test->locations[static_cast<size_t>(value)].name;
    if (!program.cells[cell].is_mbarrier) return format_value(value, program.cells[cell].type);
    const MbarrierState s = unpack(value);
    if (s.life == 0) return "{not initialised}";
    return "{phase " + std::to_string(s.phase) + ", pending " + std::to_string(s.pending) + ", tx " + std::to_string(s.tx) + "}";
}

Span span_of(const Program& program, size_t event) {
    const Event& e = program.events[event];
    if (e.thread < 0) return {};
    const Thread& thread = program.test->threads[static_cast<size_t>(e.thread)];
    return e.instruction < 0 ? thread.span : thread.body[static_cast<size_t>(e.instruction)].span;
}

std::string instruction_text(const Program& program, int thread, int instruction) {
    const Instruction& one = program.test->threads[static_cast<size_t>(thread)].body[static_cast<size_t>(instruction)];
    if (!one.wording.own) return print(one);
    const std::string_view text = std::string_view(program.test->source->text).substr(one.span.begin, one.span.end - one.span.begin);
    return one_line(text.substr(0, text.find_first_of(";\n|")));  // a table's row puts an instruction together from several places
}

std::string describe_instruction(const Program& program, int thread, int instruction) {
    const Thread& in = program.test->threads[static_cast<size_t>(thread)];
    const Instruction& one = in.body[static_cast<size_t>(instruction)];
    const std::string where = in.name + ":" + std::to_string(position(*program.test->source, one.span.begin).line);
    const std::string origin = short_text(origin_of(*program.test, one));
    return where + " " + (origin.empty() ? "" : "(" + origin + ") ") + instruction_text(program, thread, instruction);
}

std::string describe(const Program& program, size_t event) {
    const Event& e = program.events[event];
    if (e.thread < 0) return "the initial value of " + program.cells[static_cast<size_t>(e.cell)].name;
    if (e.instruction < 0)
        return program.test->threads[static_cast<size_t>(e.thread)].name + (e.kind == Event::Kind::grid_start ? ": start" : ": exit");
    return describe_instruction(program, e.thread, e.instruction);
}

}  // namespace litmus
