// The canonical printer: the order of litmus/language.md, one statement a line, qualifiers in the ISA's order.
#include "language/syntax/native/print.h"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "base/decimal.h"
#include "language/syntax/native/dsl_lexer.h"
#include "language/tensor.h"
#include "ptx/table.h"

namespace litmus {
namespace {

std::string instance(int cta) {
    return cta < 0 ? "" : "@" + cta_name(cta);
}

// The shortest decimal that reads back as this double, and looks like a float.
std::string decimal(double value) {
    std::string text = shortest_decimal(value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string hexadecimal(uint64_t value) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, 16);
    return error == std::errc{} ? "0x" + std::string(buffer, end) : "";
}

// Small negative numbers as such; 64-bit unsigned ones never.
std::string integer(uint64_t value, std::optional<Type> type) {
    const bool wide_unsigned = type && bits(*type) == 64 && !is_signed(*type);
    return wide_unsigned ? std::to_string(value) : std::to_string(static_cast<int64_t>(value));
}

// A float given by its bits: 0f, 0d, or 0x for the half-width ones.
std::string float_text(uint64_t value, int width) {
    if (width == 64) return format_value(value, Type::f64);
    return width == 32 ? format_value(value, Type::f32) : hexadecimal(value);
}

std::string immediate(const Operand& operand, Type type) {
    if (!operand.is_float) return integer(operand.value, type);
    return lanes(type) > 1 ? hexadecimal(operand.value) : float_text(operand.value, bits(type));
}

std::string offset(int64_t bytes) {
    if (bytes == 0) return "";
    return (bytes > 0 ? "+" : "") + std::to_string(bytes);
}

std::string operand_text(const Operand& operand, Type type) {
    switch (operand.kind) {
        case Operand::Kind::reg:
            return (operand.negated ? "!" : "") + operand.name;
        case Operand::Kind::immediate:
            return operand.name.empty() ? immediate(operand, type) : "%" + operand.name;
        case Operand::Kind::address:
            return "[" + operand.name + instance(operand.cta) + offset(operand.offset) + "]";
        case Operand::Kind::symbol:
            return operand.name + instance(operand.cta) + offset(operand.offset);
        case Operand::Kind::sink:
            return "_";
        case Operand::Kind::label:
            return operand.name;
        case Operand::Kind::vector:
        case Operand::Kind::tensor:
            break;
    }
    if (is_wide(operand)) return operand.name;
    std::string text;
    for (const Operand& element : operand.elements) text += (text.empty() ? "" : ", ") + operand_text(element, type);
    return operand.kind == Operand::Kind::tensor ? "[" + operand.name + ", {" + text + "}]" : "{" + text + "}";
}

std::string initial_text(const Location& location) {
    std::vector<std::string> values;  // of the elements
    for (size_t e = 0; e < location.init.size(); e += location.wide ? 2 : 1) {
        values.push_back(format_value(location.init[e], location.type));
        if (location.wide && location.init.at(e + 1) != 0)
            values.back() = "{" + values.back() + ", " + format_value(location.init[e + 1], location.type) + "}";
    }
    const bool in_halves = location.array && values.at(0)[0] == '{';  // which alone would be the elements
    const bool alike = std::all_of(values.begin(), values.end(), [&](const std::string& value) { return value == values[0]; });
    if (alike && !in_halves) return values.at(0);
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
    return "{" + text + "}";
}

std::string tensor_map_text(const TensorMap& map) {
    std::string text = ".tensormap " + map.name + " = " + map.array;
    const auto add = [&text](const std::string& what, const std::vector<int>& numbers) {
        for (size_t k = 0; k < numbers.size(); ++k) text += (k == 0 ? ", " + what + " " : ", ") + std::to_string(numbers[k]);
    };
    add("dim", map.dim);
    if (!map.column) add("box", map.box);
    if (map.column) {
        add("lower", map.column->lower);
        add("upper", map.column->upper);
        add("channels", {map.box[0]});
        add("pixels", {map.column->pixels});
    }
    return text + ";";
}

std::string location_text(const Test& test, const Location& location) {
    if (!location.points_to.empty()) {
        std::string text = ".multimem " + location.name;
        for (const std::string& name : location.points_to) text += (&name == location.points_to.data() ? " = " : ", ") + name;
        return text + ";";
    }
    const std::string owner = location.cta ? "." + cta_name(*location.cta) : "";
    if (location.is_tensor) return ".tmem" + owner + " " + location.name + ";";
    std::string text = location.space == Space::global ? ".global" : ".shared";
    text += owner;
    if (location.is_tensor_map) return text + " " + tensor_map_text(*find_tensor_map(test, location.name));
    text += location.is_mbarrier ? " .mbarrier" : " ." + std::string(element_type(location));
    text += " " + location.name;
    if (location.array) text += "[" + std::to_string(location.count / (location.wide ? 2 : 1)) + "]";
    if (!location.alias_of.empty()) {
        const std::string proxy = location.proxy == Proxy::generic ? "" : std::string(name(location.proxy)) + " ";
        return text + " alias " + proxy + location.alias_of + ";";
    }
    if (location.arrivals) text += " = " + std::to_string(*location.arrivals);
    if (!location.is_mbarrier) text += " = " + initial_text(location);
    return text + ";";
}

std::string placement_text(const Placement& at) {
    std::string text;
    if (at.gpu != 0) text += "gpu" + std::to_string(at.gpu) + ".";
    if (grid_of(at.cta) != 0) text += "grid" + std::to_string(grid_of(at.cta)) + ".";
    if (number_in_grid(at.cluster) != 0) text += "cluster" + std::to_string(number_in_grid(at.cluster)) + ".";
    text += "cta" + std::to_string(number_in_grid(at.cta));
    if (at.warp_named) text += ".warp" + std::to_string(at.warp);
    if (at.lane != 0) text += ".lane" + std::to_string(at.lane);
    return text;
}

// `.grid 1 after 0;`
std::string grid_text(const Grid& grid) {
    if (grid.apart) return ".grid " + std::to_string(grid.number) + " apart;\n";
    std::string text;
    for (const auto& [word, others] : {std::pair{" after ", &grid.after}, {" programmatic ", &grid.programmatic}})
        for (size_t i = 0; i < others->size(); ++i) {
            text += i > 0 ? ", " : ".grid " + std::to_string(grid.number) + word;
            text += std::to_string((*others)[i]) + (i + 1 == others->size() ? ";\n" : "");
        }
    return text;
}

// ".loc 1 38" where an instruction comes from another line than the one before it, of which `now` is told; a line 0 says that the lines
// end here.
std::string loc_text(const CudaLine& origin, CudaLine& now) {
    const bool known = origin.line > 0;
    if (known ? origin.file == now.file && origin.line == now.line && origin.column == now.column : now.line == 0) return {};
    now = known ? origin : CudaLine{now.file, 0, 0};
    std::string text = "  .loc " + std::to_string(now.file) + " " + std::to_string(now.line);
    if (now.column > 0) text += " " + std::to_string(now.column);
    return text + "\n";
}

std::string thread_text(const Thread& thread) {
    std::string text = "thread " + thread.name + " @ " + placement_text(thread.at) + " {\n";
    CudaLine now;
    for (const Instruction& instruction : thread.body) {
        for (const std::string& label : instruction.labels) text += label + ":\n";
        text += loc_text(instruction.origin, now);
        text += "  " + print(instruction) + ";\n";
    }
    for (const std::string& label : thread.end_labels) text += label + ":\n";
    return text + "}\n";
}

std::string constant_text(const Term& term, std::optional<Type> type) {
    if (term.is_float && !term.raw) return decimal(bit_cast<double>(term.value));
    if (term.is_float) return float_text(term.value, (type && bits(*type) == 64) || term.value >> 32 != 0 ? 64 : 32);
    return term.raw ? hexadecimal(term.value) : integer(term.value, type);
}

std::string term_text(const Term& term, std::optional<Type> other, const Test& test) {
    switch (term.kind) {
        case Term::Kind::reg:
            return test.threads.at(static_cast<size_t>(term.thread)).name + ":" + term.name;
        case Term::Kind::constant:
            return constant_text(term, other);
        case Term::Kind::location:
            break;
    }
    const Location* location = find_location(test, term.name);
    if (location && (location->array || location->wide)) return term.name + instance(term.cta) + element_suffix(*location, term.element);
    return term.name + instance(term.cta) + (location && term.element != 0 ? "[" + std::to_string(term.element) + "]" : "");
}

std::string claim_word(Claim::Kind kind) {
    switch (kind) {
        case Claim::Kind::exists:
            return "exists ";
        case Claim::Kind::not_exists:
            return "~exists ";
        case Claim::Kind::forall:
            return "forall ";
        case Claim::Kind::none:
            break;
    }
    return "";
}

// A condition as a clause needs it: in parentheses.
std::string clause(const Condition& condition, const Test& test) {
    return "(" + print(condition, test) + ")\n";
}

bool is_chain(const Condition& condition) {
    return condition.kind == Condition::Kind::conjunction || condition.kind == Condition::Kind::disjunction;
}

}  // namespace

std::string print(const Instruction& instruction) {
    std::string text;
    if (instruction.guard) text += std::string("@") + (instruction.guard->negated ? "!" : "") + instruction.guard->reg + " ";
    if (instruction.await) text += "await ";
    text += spelling(instruction);
    std::string separator = " ";
    for (const Operand& operand : instruction.operands) {
        const Shape* shape = shape_of(instruction, operand);
        if (shape && shape->beside) separator = "|";
        text += std::exchange(separator, ", ") + operand_text(operand, operand_type(instruction, operand));
    }
    if (instruction.expect)
        text += " " + std::string(symbol(instruction.expect->comparison)) + " " +
                operand_text(instruction.expect->value, data_type(instruction));
    return text;
}

std::string print(const Condition& condition, const Test& test) {
    switch (condition.kind) {
        case Condition::Kind::constant:
            return condition.value ? "true" : "false";
        case Condition::Kind::atom:
            return term_text(condition.left, term_type(test, condition.right), test) + " " + std::string(symbol(condition.comparison)) +
                   " " + term_text(condition.right, term_type(test, condition.left), test);
        case Condition::Kind::negation: {
            const Condition& operand = condition.operands.at(0);
            const bool simple = operand.kind == Condition::Kind::negation || operand.kind == Condition::Kind::constant;
            return simple ? "~" + print(operand, test) : "~(" + print(operand, test) + ")";
        }
        case Condition::Kind::conjunction:
        case Condition::Kind::disjunction:
            break;
    }
    // Parentheses where precedence needs them, and around a chain in a chain of its own kind: they are two nodes.
    const bool conjunction = condition.kind == Condition::Kind::conjunction;
    std::string text;
    for (const Condition& operand : condition.operands) {
        const bool needed = is_chain(operand) && (conjunction || operand.kind == condition.kind);
        const std::string inner = print(operand, test);
        text += (text.empty() ? "" : conjunction ? " /\\ " : " \\/ ") + (needed ? "(" + inner + ")" : inner);
    }
    return text;
}

std::string print(const Test& test) {
    if (test.dialect != Dialect::native) throw std::logic_error("print: the test is not native");
    std::string text = "test " + dsl::quote(test.name) + "\n";
    if (!test.doc.empty()) text += "doc  " + dsl::quote(test.doc) + "\n";
    for (const std::string& ref : test.refs) text += "ref  " + dsl::quote(ref) + "\n";
    if (test.target) text += "target sm_" + std::to_string(*test.target) + (test.target_specific ? "a\n" : "\n");
    if (test.unroll) text += "unroll " + std::to_string(*test.unroll) + "\n";
    if (!test.repairs.empty()) text += "repairs " + dsl::quote(test.repairs) + "\n";
    if (!test.files.empty()) text += "\n";
    for (const auto& [number, name] : test.files) text += ".file " + std::to_string(number) + " " + dsl::quote(name) + "\n";
    if (!test.locations.empty() || test.unlaunched || !test.grids.empty()) text += "\n";
    for (const Grid& grid : test.grids) text += grid_text(grid);
    if (test.unlaunched) text += ".unlaunched " + std::to_string(*test.unlaunched) + ";\n";
    for (const Location& location : test.locations) text += location_text(test, location) + "\n";
    for (const TensorMap& map : test.tensor_maps)
        if (!is_changeable(test, map)) text += tensor_map_text(map) + "\n";
    text += "\n";
    for (const Thread& thread : test.threads) text += thread_text(thread);
    text += "\n";
    if (test.filter) text += "filter " + clause(*test.filter, test);
    if (test.claim.kind != Claim::Kind::none) text += claim_word(test.claim.kind) + clause(test.claim.condition, test);
    if (test.claims_racefree) text += "racefree\n";
    if (test.claims_undefined) text += "undefined\n";
    if (test.claims_deadlock) text += "deadlock\n";
    if (test.claims_may_deadlock) text += "may-deadlock\n";
    if (test.claims_terminates) text += "terminates\n";
    return text;
}

}  // namespace litmus
