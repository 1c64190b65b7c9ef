// Groups by a text of what a thread does, with registers and labels numbered in the order in which they come.
#include "kernel/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

// The registers of a thread that decide how it goes on: guards, what an `await` compares with, and what these are computed from, without
// regard to where in the thread they are written.
std::set<std::string> deciding_registers(const Trace& trace) {
    std::set<std::string> deciding;
    const auto mark = [&deciding](const auto& self, const Operand& operand) -> void {
        if (operand.kind == Operand::Kind::reg) deciding.insert(operand.name);
        for (const Operand& element : operand.elements) self(self, element);
    };
    for (const Instruction& instruction : trace.body) {
        if (instruction.guard) deciding.insert(instruction.guard->reg);
        if (instruction.expect) mark(mark, instruction.expect->value);
        if (instruction.op == Op::bar_red || instruction.op == Op::redux_sync)
            for (const Operand& operand : instruction.operands) mark(mark, operand);  // others get what it makes of them
    }
    for (size_t before = 0; before < deciding.size();) {
        before = deciding.size();
        for (const Instruction& instruction : trace.body) {
            const std::vector<std::string> written = written_registers(instruction);
            if (std::none_of(written.begin(), written.end(), [&](const std::string& r) { return deciding.count(r) > 0; })) continue;
            for (const Operand& operand : instruction.operands) mark(mark, operand);
        }
    }
    return deciding;
}

class Signature {
public:
    explicit Signature(const Trace& trace) : deciding_(deciding_registers(trace)) {
        for (const Instruction& instruction : trace.body) add(instruction);
        for (const size_t trap : trace.traps) text_ += "trap " + std::to_string(trap) + ";";
        for (const std::string& label : trace.end_labels) text_ += numbered(label) + ":";
    }
    const std::string& text() const { return text_; }

private:
    // Registers and labels by the order in which they come.
    std::string numbered(const std::string& name) { return "#" + std::to_string(names_.try_emplace(name, names_.size()).first->second); }

    void add(const Instruction& instruction) {
        for (const std::string& label : instruction.labels) text_ += numbered(label) + ":";
        if (instruction.guard) text_ += (instruction.guard->negated ? "@!" : "@") + numbered(instruction.guard->reg) + " ";
        text_ += (instruction.await ? "await " : "") + spelling(instruction);
        for (const Operand& operand : instruction.operands) add(operand, instruction);
        if (instruction.expect) {
            text_ += " " + instruction.expect->comparison;
            add(instruction.expect->value, instruction);
        }
        text_ += ";";
    }

    void add(const Operand& operand, const Instruction& instruction) {
        text_ += " ";
        switch (operand.kind) {
            case Operand::Kind::reg:
                text_ += (operand.negated ? "!" : "") + numbered(operand.name);
                return;
            case Operand::Kind::immediate:  // a number that is stored, and who of the warp takes part, may differ
                if (!is_data(operand, instruction) && operand.role != Role::member_mask) text_ += std::to_string(operand.value);
                return;
            case Operand::Kind::address:
            case Operand::Kind::symbol:
                text_ += "[" + operand.name + "@" + std::to_string(operand.cta);
                if (operand.role == Role::mbarrier) text_ += "+" + std::to_string(operand.offset);  // which object counts
                text_ += "]";
                return;
            case Operand::Kind::vector:
                for (const Operand& element : operand.elements) add(element, instruction);
                return;
            case Operand::Kind::label:
                text_ += numbered(operand.name);
                return;
            case Operand::Kind::sink:
                text_ += "_";
                return;
        }
    }

    // A number that is stored, or computed with, and decides nothing here.
    bool is_data(const Operand& operand, const Instruction& instruction) const {
        const bool stores = kind(instruction.op) == Traits::Kind::store || instruction.op == Op::st_async;
        if (stores) return operand.role == Role::source || operand.role == Role::none;
        if (!is_arithmetic(instruction.op)) return false;
        const std::vector<std::string> written = written_registers(instruction);
        return std::none_of(written.begin(), written.end(), [this](const std::string& r) { return deciding_.count(r) > 0; });
    }

    const std::set<std::string> deciding_;
    std::map<std::string, size_t> names_;
    std::string text_;
};

bool is_idle(const Trace& trace) {
    using Kind = Traits::Kind;
    return std::all_of(trace.body.begin(), trace.body.end(), [](const Instruction& i) {
        const Kind what = kind(i.op);
        return what == Kind::warp_barrier || what == Kind::cluster_barrier || what == Kind::arithmetic || what == Kind::branch ||
               what == Kind::exit || (i.op == Op::bar_sync && !i.find(Role::threads));
    });
}

}  // namespace

std::vector<Group> groups_of(const Traces& traces) {
    std::map<std::pair<uint32_t, std::string>, size_t> known;
    std::vector<Group> groups;
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        const auto [at, fresh] = known.try_emplace(std::pair(trace.seat.block, Signature(trace).text()), groups.size());
        if (fresh) groups.push_back({trace.seat.block, {}, is_idle(trace)});
        groups[at->second].threads.push_back(t);
    }
    return groups;
}

}  // namespace litmus::kernel
