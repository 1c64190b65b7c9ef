// Look-up by name, types of terms, CTAs, and what a target has.
#include "language/test.h"

#include <algorithm>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

const Location* find_location(const Test& test, std::string_view name) {
    const auto found = std::find_if(test.locations.begin(), test.locations.end(), [&](const Location& l) { return l.name == name; });
    return found == test.locations.end() ? nullptr : &*found;
}

int element_bytes(const Location& location) {
    return bits(location.wide ? Type::b128 : location.type) / 8;
}

std::string_view element_type(const Location& location) {
    return name(location.wide ? Type::b128 : location.type);
}

std::string element_suffix(const Location& location, int element) {
    const int parts = location.wide ? 2 : 1;
    const std::string index = location.array ? "[" + std::to_string(element / parts) + "]" : "";
    return index + (!location.wide ? "" : element % parts == 0 ? ".lo" : ".hi");
}

int find_thread(const Test& test, std::string_view name) {
    const auto found = std::find_if(test.threads.begin(), test.threads.end(), [&](const Thread& t) { return t.name == name; });
    return found == test.threads.end() ? -1 : static_cast<int>(found - test.threads.begin());
}

Condition in_question(const Claim& claim) {
    if (claim.kind != Claim::Kind::forall) return claim.condition;
    Condition contrary;
    contrary.kind = Condition::Kind::negation;
    contrary.operands = {claim.condition};
    return contrary;
}

const Instruction* first_reworded(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body)
            if (!instruction.wording.own) return &instruction;
    return nullptr;
}

std::optional<Type> written_type(const Instruction& instruction) {
    switch (traits(instruction.op).result) {
        case Traits::Result::none:
            return std::nullopt;
        case Traits::Result::data: {
            const auto written =
                std::find_if(instruction.operands.begin(), instruction.operands.end(), [](const Operand& o) { return is_written(o.role); });
            return written != instruction.operands.end() ? operand_type(instruction, *written) : data_type(instruction);
        }
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
    const auto note = [&names](const Operand& o) {
        if (o.kind == Operand::Kind::reg) names.push_back(o.name);
    };
    for (const Operand& result : instruction.operands) {
        if (!is_written(result.role)) continue;
        note(result);
        for (const Operand& element : result.elements) note(element);
    }
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
        std::optional<Type> type = written_type(instruction);  // of the first result
        for (const Operand& result : instruction.operands) {
            if (!type || !is_written(result.role)) continue;
            if (names_register(result, term.name) && (!widest || bits(*type) > bits(*widest))) widest = type;
            type = Type::pred;  // of a second one, `d|p`
        }
    }
    return widest;
}

std::map<int, Placement> ctas_of(const Test& test) {
    std::map<int, Placement> ctas;
    for (const Thread& thread : test.threads) ctas.emplace(thread.at.cta, thread.at);
    for (const Location& location : test.locations)
        if (location.cta) ctas.emplace(*location.cta, Placement{0, in_grid(grid_of(*location.cta), 0), *location.cta, 0, 0, false});
    return ctas;
}

std::string cta_name(int cta) {
    const std::string grid = grid_of(cta) == 0 ? "" : "grid" + std::to_string(grid_of(cta)) + ".";
    return grid + "cta" + std::to_string(number_in_grid(cta));
}

std::vector<Grid> grids_of(const Test& test) {
    std::map<int, Grid> grids;
    for (const Thread& thread : test.threads) grids[grid_of(thread.at.cta)];
    std::vector<int> of_stream;
    for (auto& [number, grid] : grids) {
        const auto said = std::find_if(test.grids.begin(), test.grids.end(), [n = number](const Grid& g) { return g.number == n; });
        grid.number = number;
        grid.after = of_stream;
        if (said != test.grids.end()) grid = *said;
        if (!grid.apart) of_stream.push_back(number);
    }
    std::vector<Grid> result;
    for (auto& [number, grid] : grids) result.push_back(std::move(grid));
    return result;
}

bool same_cluster(const Placement& a, const Placement& b) {
    return a.gpu == b.gpu && a.cluster == b.cluster;
}

// ISA 11.1.2: what needs sm_100a is on sm_100a and on the later ones of its family, sm_103a.
bool target_has(const Test& test, Version least) {
    if (!test.target) return true;
    const bool own = !least.specific || (test.target_specific && *test.target / 10 == least.sm / 10);
    return *test.target >= least.sm && own;
}

}  // namespace litmus
