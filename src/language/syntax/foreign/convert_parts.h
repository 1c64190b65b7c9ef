// What the conversions to and from the native format share. Private to them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/test.h"

namespace litmus {

// The error that a format cannot express something.
Failure refuse(const Test& test, Span span, const std::string& format, const std::string& what, const std::string& hint = {});

void for_each_atom(const Condition& condition, const std::function<void(const Condition&)>& visit);

// The registers of each thread that the claim and the filter look at.
std::vector<std::set<std::string>> claimed_registers(const Test& test);

// The parts of a conjunction; another condition is its only part.
std::vector<Condition> conjuncts(const std::optional<Condition>& condition);

// The braces format names its claims; in the native format the name is a last line of the doc.
inline constexpr std::string_view claim_line = "claim ";
inline constexpr const char* default_claim = "claim";

Operand register_operand(const std::string& name);
Operand immediate_operand(uint64_t value, Role role = Role::none);

// The table tells what the operands of PTX are; those of an instruction that only a foreign format has bring their roles along.
Instruction make_instruction(Op op, std::string mnemonic, std::vector<std::string> qualifiers, std::vector<Operand> operands, Span span);

}  // namespace litmus
