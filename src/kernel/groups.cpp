// Groups by a text of what a thread does, with registers and labels numbered in the order in which they come.
#include "kernel/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernel/touch.h"
#include "language/syntax/native/print.h"
#include "ptx/demands.h"
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
            text_ += " " + std::string(symbol(instruction.expect->comparison));
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
                text_ += "%" + std::to_string(static_cast<uint64_t>(operand.offset) % alignment(instruction, operand.role));
                text_ += "]";
                return;
            case Operand::Kind::vector:
            case Operand::Kind::tensor:
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

    // Of the addresses of an instruction: threads whose addresses are not aligned play another role.
    static uint64_t alignment(const Instruction& instruction, Role role) {
        const AlignmentDemand asked = alignment_demand(instruction, role);
        return std::max<uint64_t>(1, asked.to == Role::none ? asked.bytes : number(instruction, asked.to));
    }

    const std::set<std::string> deciding_;
    std::map<std::string, size_t> names_;
    std::string text_;
};

// ---- who may be left out -----------------------------------------------------------------------------------------

bool is_of_lanes(const Instruction& i) {
    return kind(i.op) == Traits::Kind::warp_barrier || is_exchange(i);
}

bool is_of_block(const Instruction& i) {
    return kind(i.op) == Traits::Kind::cluster_barrier || kind(i.op) == Traits::Kind::cta_barrier;
}

// Whether it only waits at barriers that need nobody's count, and then ends: no trap, and no way back in what is left of it.
bool only_waits(const Trace& trace) {
    using Kind = Traits::Kind;
    return trace.traps.empty() && std::all_of(trace.body.begin(), trace.body.end(), [](const Instruction& i) {
               const Kind what = kind(i.op);
               const bool counts_all = what == Kind::cluster_barrier || (i.op == Op::bar_sync && !i.find(Role::threads));
               return counts_all || is_of_lanes(i) || what == Kind::arithmetic || i.op == Op::exit;
           });
}

// The barriers at which a thread waits, in their order.
struct Stops {
    std::string of_block, all;  // those of the CTA and the cluster; with those of a warp
    bool known = true;          // false: which of them come depends on how it goes on
};

Stops stops_of(const Trace& trace) {
    Stops stops;
    for (const Instruction& i : trace.body) {
        const bool stops_here = is_of_block(i) || is_of_lanes(i);
        if (kind(i.op) == Traits::Kind::branch || (stops_here && i.guard)) stops.known = false;
        if (stops_here) stops.all += print(i) + ";";
        if (is_of_block(i)) stops.of_block += print(i) + ";";
    }
    stops.known = stops.known || stops.all.empty();
    return stops;
}

// Whether threads that only wait may be left out. One that has ended counts as arrived everywhere (model/semantics.md, section 7), but one
// that waits at a barrier keeps waiting whoever waits for it at another one. So it is left out where that cannot be, or is seen without it:
//
// * it waits nowhere;
// * among the lanes of a warp, all lanes wait at the same barriers in the same order, or it is no lane of such a warp; and
// * the block has one barrier only, or a thread that stays goes through the same barriers in the same order: where this one keeps
//   others waiting, that one does, too.
class Waits {
public:
    explicit Waits(const Traces& traces) {
        for (const Trace& trace : traces.threads) {
            const Stops stops = stops_of(trace);
            Lanes& lanes = lanes_[{trace.seat.block, trace.seat.warp()}];
            lanes.ways.insert(stops.known ? stops.all : "?");
            for (const Instruction& i : trace.body) {
                lanes.wait = lanes.wait || is_of_lanes(i);
                if (is_of_block(i)) barriers_[trace.seat.block].insert(name(i));
            }
            if (!only_waits(trace) && stops.known) stay_[trace.seat.block].insert(stops.of_block);
        }
    }

    bool may_leave(const Trace& trace) const {
        const Stops stops = stops_of(trace);
        const Lanes& lanes = lanes_.at({trace.seat.block, trace.seat.warp()});
        if (!stops.known || (lanes.wait && lanes.ways.size() > 1 && !stops.all.empty())) return false;
        if (stops.of_block.empty() || barriers_.at(trace.seat.block).size() == 1) return true;
        const auto stay = stay_.find(trace.seat.block);
        return stay != stay_.end() && stay->second.contains(stops.of_block);
    }

private:
    struct Lanes {
        std::set<std::string> ways;  // the barriers of each
        bool wait = false;           // for each other
    };

    static std::string name(const Instruction& i) {
        if (kind(i.op) == Traits::Kind::cluster_barrier) return "cluster";
        return std::to_string(number(i, Role::barrier));
    }

    std::map<std::pair<uint32_t, uint32_t>, Lanes> lanes_;  // by block and warp
    std::map<uint32_t, std::set<std::string>> barriers_;    // by block: at what its threads wait
    std::map<uint32_t, std::set<std::string>> stay_;        // by block: the barriers of threads that do more than wait
};

}  // namespace

bool is_exchange(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::warp_reduction && instruction.op != Op::redux_sync;
}

std::optional<std::string> waits_of(const Trace& trace) {
    using Kind = Traits::Kind;
    std::string text;
    for (const Instruction& i : trace.body) {
        const bool waits = i.await || traits(i.op).waits;
        if (kind(i.op) == Kind::branch || (i.guard && (waits || kind(i.op) == Kind::exit))) return std::nullopt;
        if (waits) text += print(i) + ";";
    }
    return text;
}

std::vector<Group> groups_of(const Traces& traces) {
    std::map<std::pair<uint32_t, std::string>, size_t> known;
    std::vector<Group> groups;
    const Waits waits(traces);
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        const auto [at, fresh] = known.try_emplace(std::pair(trace.seat.block, Signature(trace).text()), groups.size());
        if (fresh) groups.push_back({trace.seat.block, {}, only_waits(trace)});
        Group& group = groups[at->second];
        group.threads.push_back(t);
        group.idle = group.idle && waits.may_leave(trace);
    }
    return groups;
}

}  // namespace litmus::kernel
