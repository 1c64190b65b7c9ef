// Instances of locations, as a text names them, and names that nothing declares.
#include "language/syntax/native/dsl_rules.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "ptx/traits.h"

namespace litmus::dsl {

Rules::Rules(const Test& of, bool is_complete) : test(of), complete(is_complete), ctas(ctas_of(of)) {}

void Rules::report(Span span, std::string message, std::string hint) {
    found.push_back({Diagnostic::Level::error, test.source, span, std::move(message), std::move(hint)});
}

bool Rules::check_instance(Span span, int cta, const Location& location) {
    if (cta < 0) return true;
    if (location.space == Space::global)
        report(span, "`" + location.name + "` lies in global memory: it has no instances");
    else if (location.cta && *location.cta != cta)
        report(span, "`" + location.name + "` lies in cta" + std::to_string(*location.cta) + " only");
    else if (!ctas.count(cta) && complete)
        report(span, "the test has no cta" + std::to_string(cta));
    else
        return true;
    return false;
}

std::string near_hint(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest_name = nearest(name, {known.begin(), known.end()});
    return nearest_name.empty() ? "" : "the nearest is `" + nearest_name + "`";
}

namespace {

// What the operand's name must be the name of, as far as the instruction says it.
struct Wanted {
    enum class Kind : uint8_t { any, tensor_memory, multimem, map } kind = Kind::any;
    std::optional<Space> space = {};  // of a map
};

Wanted wanted(const Instruction& instruction, Role role) {
    const bool address = role == Role::address;
    const bool deallocated = instruction.op == Op::tcgen_dealloc && role == Role::source;
    if (role == Role::tensor_memory || role == Role::scales || role == Role::metadata || deallocated) return {Wanted::Kind::tensor_memory};
    if (is_multimem(instruction.op) && (address || role == Role::copy_to)) return {Wanted::Kind::multimem};
    if (instruction.op == Op::map_copy && (role == Role::copy_to || role == Role::copy_from))
        return {Wanted::Kind::map, role == Role::copy_to ? Space::global : Space::shared};
    if (kind(instruction.op) == Traits::Kind::proxy_fence && address) return {Wanted::Kind::map, Space::global};
    if ((instruction.op != Op::map_replace && instruction.op != Op::map_field) || !address) return {};
    if (instruction.has("global")) return {Wanted::Kind::map, Space::global};
    return {Wanted::Kind::map, instruction.has("shared::cta") ? std::optional(Space::shared) : std::nullopt};
}

bool fits(const Location& location, const Wanted& wanted) {
    switch (wanted.kind) {
        case Wanted::Kind::any:
            return true;
        case Wanted::Kind::tensor_memory:
            return location.is_tensor;
        case Wanted::Kind::multimem:
            return !location.points_to.empty();
        case Wanted::Kind::map:
            return location.is_tensor_map && (!wanted.space || location.space == *wanted.space);
    }
    return false;
}

// The declaration that is missing.
std::string declaration(const std::string& name, const Wanted& wanted) {
    switch (wanted.kind) {
        case Wanted::Kind::any:
            return {};
        case Wanted::Kind::tensor_memory:
            return "declare it: .tmem " + name + ";";
        case Wanted::Kind::multimem:
            return "declare it: .multimem " + name + " = x, y;";
        case Wanted::Kind::map:
            return std::string("declare it: .") + (wanted.space == Space::shared ? "shared" : "global") + " .tensormap " + name +
                   " = g, dim 8, box 4;";
    }
    return {};
}

}  // namespace

std::string undeclared_hint(const Test& test, const Instruction& instruction, const Operand& operand, std::vector<std::string> registers) {
    const Wanted needed = wanted(instruction, operand.role);
    std::vector<std::string> known = std::move(registers);
    for (const Location& location : test.locations)
        if (fits(location, needed)) known.push_back(location.name);
    const std::string near = near_hint(operand.name, known);
    return near.empty() ? declaration(operand.name, needed) : near;
}

}  // namespace litmus::dsl
