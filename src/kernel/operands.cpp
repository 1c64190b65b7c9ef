// The shapes of the form say it, where the table has one (see operands.h).
#include "kernel/operands.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kernel/program.h"

namespace litmus::kernel {

namespace {

using Kind = Argument::Kind;

// A pair, `d|p`, fills two shapes.
size_t width(const Argument& argument) {
    return argument.kind == Kind::pair ? argument.elements.size() : 1;
}

bool can_be_written(const Argument& argument) {
    const bool composed = argument.kind == Kind::vector || argument.kind == Kind::pair;
    return argument.kind == Kind::reg || argument.kind == Kind::sink ||
           (composed && std::all_of(argument.elements.begin(), argument.elements.end(), can_be_written));
}

bool can_be_read(const Argument& argument) {
    return argument.kind != Kind::pair && argument.kind != Kind::list && argument.kind != Kind::address;
}

constexpr const char* of_memory = "an address in brackets is due";
constexpr const char* of_registers = "a register for the result is due";
constexpr const char* of_value = "a value is due";

// Says what is due where the argument stands, and is not there; empty: nothing.
std::string wrong_argument(const Argument& argument, const Shape& shape, bool pair) {
    static constexpr std::array in_memory = {Role::address, Role::copy_to, Role::copy_from, Role::mbarrier, Role::tensor};
    if (std::find(in_memory.begin(), in_memory.end(), shape.role) != in_memory.end())
        return argument.kind == Kind::address ? "" : of_memory;
    if (is_written(shape.role)) return can_be_written(argument) && (pair || argument.kind != Kind::pair) ? "" : of_registers;
    if (steers(shape.role)) return can_be_read(argument) && argument.kind != Kind::vector ? "" : "a number is due";
    return can_be_read(argument) || (is_address(shape.role) && argument.kind == Kind::address) ? "" : of_value;
}

std::string wrong_in_form(const Statement& statement, const Form& form) {
    const auto& words = statement.words;
    const bool policy = std::find(words.begin(), words.end(), "L2::cache_hint") != words.end();
    size_t count = 0, next = 0;
    for (const Argument& argument : statement.arguments) count += width(argument);
    const std::vector<const Shape*> shapes = shapes_of(form, false, count, policy);
    if (count < shapes.size()) return "operands are missing";
    if (count > shapes.size()) return "too many operands";
    for (const Argument& argument : statement.arguments) {
        const bool pair = next + 1 < shapes.size() && shapes[next + 1]->beside;
        if (std::string why = wrong_argument(argument, *shapes[next], pair); !why.empty()) return why;
        next += width(argument);
    }
    return {};
}

// The least operands of instructions that the table lacks, and that are executed all the same. The first of them is the result.
size_t least_operands(const Statement& statement) {
    static constexpr std::array<std::pair<std::string_view, size_t>, 12> known{{{"ld", 2},
                                                                                {"ldu", 2},
                                                                                {"cvta", 2},
                                                                                {"mapa", 3},
                                                                                {"getctarank", 2},
                                                                                {"isspacep", 2},
                                                                                {"shfl", 4},
                                                                                {"vote", 2},
                                                                                {"match", 3},
                                                                                {"elect", 2},
                                                                                {"activemask", 1},
                                                                                {"redux", 2}}};
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == statement.words[0]; });
    return found != known.end() ? found->second : computes(statement.words) ? 2 : 0;
}

std::string wrong_without_form(const Statement& statement) {
    const auto& arguments = statement.arguments;
    const std::string& name = statement.words[0];
    if (name == "st") {
        if (arguments.size() < 2) return "operands are missing";
        return arguments[0].kind != Kind::address ? of_memory : can_be_read(arguments[1]) ? "" : of_value;
    }
    const size_t least = least_operands(statement);
    if (arguments.size() < least) return "operands are missing";
    if (least > 0 && !can_be_written(arguments[0])) return of_registers;
    if (name == "ld" || name == "ldu") return arguments[1].kind == Kind::address ? "" : of_memory;
    return {};
}

}  // namespace

bool steers(Role role) {
    static constexpr std::array roles = {Role::size,  Role::source_size, Role::byte_mask, Role::cta_mask, Role::member_mask,
                                         Role::count, Role::tx_count,    Role::groups,    Role::barrier,  Role::threads};
    return std::find(roles.begin(), roles.end(), role) != roles.end();
}

std::string wrong_operands(const Statement& statement, const Form* form) {
    for (const Argument& argument : statement.arguments)
        if (argument.kind == Kind::vector && argument.elements.empty()) return "a vector has elements";
    return form != nullptr ? wrong_in_form(statement, *form) : wrong_without_form(statement);
}

}  // namespace litmus::kernel
