// The static checks of a native test: pure functions of the parsed test.
//
// Each rule stands beside the ISA section it comes from. Those of an instruction's operands, which the event builder
// asks again of what registers hold, stand in language/static_rules.h.
#include "language/syntax/native/dsl_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "language/compared.h"
#include "language/static_rules.h"
#include "language/syntax/native/dsl_rules.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::dsl {
namespace {

class Checker {
public:
    Checker(const Test& test, bool complete) : test_(test), complete_(complete), rules_(test, complete) {}

    std::vector<Diagnostic> run() {
        check_placements();
        check_grids();
        for (const Thread& thread : test_.threads)
            if (!is_known_wrong(thread)) check_thread(thread);
        if (test_.filter) check_condition(*test_.filter);
        if (test_.claim.kind != Claim::Kind::none) check_condition(test_.claim.condition);
        std::stable_sort(rules_.found.begin(), rules_.found.end(),
                         [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
        return std::move(rules_.found);
    }

private:
    void report(Span span, std::string message, std::string hint = {}) { rules_.report(span, std::move(message), std::move(hint)); }

    // Of threads with one text, what is wrong with the first that has a mistake is said.
    bool is_known_wrong(const Thread& thread) const {
        if (thread.body.empty() || thread.body.front().wording.own) return false;
        const Span text{thread.span.end, thread.body.back().span.end};
        return std::any_of(rules_.found.begin(), rules_.found.end(),
                           [&](const Diagnostic& d) { return d.span.begin >= text.begin && d.span.begin < text.end; });
    }

    // ---- placements -----------------------------------------------------------------------------------

    // CTA numbers are unique in a test, and two threads are not the same lane of a warp.
    void check_placements() {
        std::map<std::tuple<int, int, int>, const Thread*> lanes;
        for (const Thread& thread : test_.threads) {
            if (!same_cluster(rules_.ctas.at(thread.at.cta), thread.at))
                report(thread.span, cta_name(thread.at.cta) + " stands in two clusters", "CTA numbers are unique in a test");
            const auto [other, free] = lanes.emplace(std::tuple(thread.at.cta, thread.at.warp, thread.at.lane), &thread);
            if (!free)
                report(thread.span, "thread `" + thread.name + "` is the same lane as `" + other->second->name + "`",
                       "give it another lane or warp");
        }
    }

    // A grid runs on one GPU; of what a grid depends on, and of what is said when it begins, there are threads.
    void check_grids() {
        std::map<int, int> gpus;                          // by grid
        const bool several = grids_of(test_).size() > 1;  // where one is all, its threads on another GPU are those of another kernel
        for (const Thread& thread : test_.threads)
            if (gpus.emplace(grid_of(thread.at.cta), thread.at.gpu).first->second != thread.at.gpu && several)
                report(thread.span, "grid " + std::to_string(grid_of(thread.at.cta)) + " stands on two GPUs",
                       "give the threads of the other one a grid of their own");
        if (several && test_.unlaunched.value_or(0) > 0)
            report(test_.threads.front().span, "`.unlaunched` does not say of which of several grids its clusters are",
                   "put the kernel that cancels them into a test of its own");
        for (const Grid& grid : test_.grids)
            for (const std::vector<int>& named : {std::vector<int>{grid.number}, grid.after, grid.programmatic})
                for (const int number : named)
                    if (complete_ && gpus.count(number) == 0) report(grid.span, "grid " + std::to_string(number) + " has no thread");
    }

    // ---- threads --------------------------------------------------------------------------------------

    // What a register is, throughout its thread (ISA 5.2.1).
    enum class Holds : uint8_t { value, predicate, wide, answer };

    void check_thread(const Thread& thread) {
        std::set<std::string> labels;
        const auto define = [&](const std::string& label, Span span) {
            if (!labels.insert(label).second) report(span, "duplicate label `" + label + "` in thread `" + thread.name + "`");
        };
        for (const Instruction& instruction : thread.body)
            for (const std::string& label : instruction.labels) define(label, instruction.span);
        for (const std::string& label : thread.end_labels) define(label, thread.span);
        for (const Instruction& instruction : thread.body) check_instruction(thread, instruction, labels);
        check_registers(thread);
    }

    static std::string target_name(int sm, bool specific) { return "sm_" + std::to_string(sm) + (specific ? "a" : ""); }

    void check_instruction(const Thread& thread, const Instruction& instruction, const std::set<std::string>& labels) {
        const Version least = least_version(instruction);
        if (!target_has(test_, least)) {
            const bool operands_ask = target_has(test_, least_version_of_name(instruction));
            report(instruction.span, "`" + spelling(instruction) + "`" + (operands_ask ? " with all these operands" : "") + " needs " +
                                         target_name(least.sm, least.specific) + ", and the target is " +
                                         target_name(*test_.target, test_.target_specific));
        }
        for (const Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::label && !labels.count(operand.name) && complete_)
                report(operand.span, "there is no label `" + operand.name + "` in thread `" + thread.name + "`",
                       near_hint(operand.name, {labels.begin(), labels.end()}));
            if (instruction.op == Op::tcgen_dealloc && operand.role == Role::source)
                check_deallocated(thread, operand);
            else if (operand.kind == Operand::Kind::symbol)
                check_symbol(instruction, operand);
            if (operand.kind == Operand::Kind::vector) check_vector(operand);
        }
        for (Diagnostic& broken : broken_rules({test_, thread, instruction, written_operands(thread, instruction), complete_}))
            rules_.found.push_back(std::move(broken));
        check_states(rules_, thread, instruction);
    }

    // What the text says of an instruction's operands: where names point, and numbers.
    std::vector<KnownOperand> written_operands(const Thread& thread, const Instruction& instruction) {
        std::vector<KnownOperand> known(instruction.operands.size());
        for (size_t i = 0; i < known.size(); ++i) {
            const Operand& operand = instruction.operands[i];
            if (operand.kind == Operand::Kind::immediate) known[i].value = operand.value;
            if (operand.kind == Operand::Kind::tensor || operand.role == Role::image)
                for (const Operand& element : operand.elements)
                    known[i].elements.push_back(element.kind == Operand::Kind::immediate ? std::optional(element.value) : std::nullopt);
            if (operand.kind != Operand::Kind::address || operand.indirect) continue;
            const Location& location = *find_location(test_, operand.name);
            if (!rules_.check_instance(operand.span, operand.cta, location)) continue;
            const bool shared = location.space == Space::shared;
            const int cta = operand.cta >= 0 ? operand.cta : location.cta.value_or(thread.at.cta);
            known[i] = {&location, shared ? cta : -1, operand.offset, std::nullopt};
        }
        return known;
    }

    void check_vector(const Operand& operand) {
        if (!is_written(operand.role)) return;
        std::set<std::string> names;
        for (const Operand& element : operand.elements)
            if (element.kind == Operand::Kind::reg && !names.insert(element.name).second)
                report(element.span, "register `" + element.name + "` stands twice in this vector");
    }

    // ---- tensor memory that is given back --------------------------------------------------------------

    static bool has_value(const Thread& thread, const std::string& reg) {
        if (thread.registers.count(reg) > 0) return true;
        return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& instruction) {
            const std::vector<std::string> written = written_registers(instruction);
            return std::find(written.begin(), written.end(), reg) != written.end();
        });
    }

    // The operand stands for the address that tcgen05.alloc wrote into shared memory (ISA 9.7.16.7.1); here it is the name of the part.
    // A register that nothing writes is told as one.
    void check_deallocated(const Thread& thread, const Operand& operand) {
        if (operand.kind == Operand::Kind::reg && !has_value(thread, operand.name)) return;
        const Location* location = operand.kind == Operand::Kind::symbol ? find_location(test_, operand.name) : nullptr;
        if (location != nullptr && location->is_tensor) return;
        const std::string what = operand.name.empty() ? "a number" : "`" + operand.name + "`";
        report(operand.span, what + " is no tensor memory, which is what `tcgen05.dealloc` gives back (ISA 9.7.16.7.1)",
               "name the part that `.tmem` declares, not where `tcgen05.alloc` put its address");
    }

    // ---- addresses as values ---------------------------------------------------------------------------

    // mov of an address: 64 bits, or 32 for shared memory.
    void check_symbol(const Instruction& instruction, const Operand& operand) {
        const Location& location = *find_location(test_, operand.name);
        if (location.is_tensor)
            return report(operand.span, "the address of tensor memory is no value here",
                          "name it where it is used: `[" + location.name + "]`");
        const Type type = data_type(instruction);
        const bool wide_enough = bits(type) == 64 || (bits(type) == 32 && location.space == Space::shared);
        if (is_float(type) || !wide_enough)
            return report(operand.span, "the address of `" + location.name + "` does not fit `." + std::string(name(type)) + "`",
                          "to read its value, use `ld`; its address is `.u64`");
        rules_.check_instance(operand.span, operand.cta, location);
    }

    // ---- registers ------------------------------------------------------------------------------------

    // A register is a predicate or not, has 128 bits or not, and these are an answer, which a load writes, or data; one that is read is
    // written somewhere.
    void check_registers(const Thread& thread) {
        std::map<std::string, Holds> kinds;
        std::set<std::string> written;
        std::vector<std::pair<std::string, const Operand*>> reads;
        const auto mention = [&](const Instruction& instruction, const std::string& reg, Holds holds, Span span) {
            const bool loads = kind(instruction.op) == Traits::Kind::load || instruction.find(Role::response) != nullptr;
            if (holds == Holds::wide && loads && holds_answer(thread, reg)) holds = Holds::answer;
            const auto [first, fresh] = kinds.emplace(reg, holds);
            if (fresh || first->second == holds) return;
            const std::string name = "register `" + reg + "`", answer = "an answer of `clusterlaunchcontrol.try_cancel` (ISA 9.7.13.17)";
            if (first->second == Holds::answer)
                report(span, name + " holds " + answer + ", and is no value", "`clusterlaunchcontrol.query_cancel` reads it");
            else if (holds == Holds::answer)
                report(span, name + " holds a value, and not " + answer, "load the answer into one of its own: ld.shared.b128 h, [a];");
            else if (first->second == Holds::wide || holds == Holds::wide)
                report(span, name + " has 128 bits in some instructions of the thread, and not in others",
                       "unpack it into two others: mov.b128 {a, b}, " + reg + ";");
            else
                report(span, name + " is used both as a predicate and as a value");
        };
        for (const auto& [reg, value] : thread.registers) written.insert(reg);
        for (const Instruction& instruction : thread.body)
            for_each_register(instruction, [&](const Operand& operand, Holds holds, bool writes) {
                mention(instruction, operand.name, holds, operand.span);
                if (writes) written.insert(operand.name);
            });
        if (!complete_) return;
        std::set<std::string> missed;
        const auto read = [&](const Instruction& instruction, const Operand& operand) {
            if (written.count(operand.name) || !missed.insert(operand.name).second) return;
            const bool address = operand.kind == Operand::Kind::address;
            report(operand.span,
                   "`" + operand.name + "` is " + (address ? "neither a declared location nor a register" : "a register") +
                       " that thread `" + thread.name + "` " + (address ? "writes" : "never writes"),
                   undeclared_hint(test_, instruction, operand, {written.begin(), written.end()}));
        };
        for (const Instruction& instruction : thread.body)
            for_each_register(instruction, [&](const Operand& operand, Holds, bool) { read(instruction, operand); });
    }

    // visit(operand, what it holds, whether it is written) for every register an instruction names
    template <typename Visit>
    static void for_each_register(const Instruction& instruction, Visit visit) {
        if (instruction.guard) {
            Operand guard;
            guard.name = instruction.guard->reg;
            guard.span = instruction.span;
            visit(guard, Holds::predicate, false);
        }
        for (const Operand& operand : instruction.operands)
            visit_operand(operand, operand_type(instruction, operand) == Type::pred ? Holds::predicate : Holds::value,
                          is_written(operand.role), visit);
        if (instruction.expect) visit_operand(instruction.expect->value, Holds::value, false, visit);
    }

    template <typename Visit>
    static void visit_operand(const Operand& operand, Holds holds, bool writes, Visit visit) {
        if (is_wide(operand)) return visit(operand, Holds::wide, writes);
        if (operand.kind == Operand::Kind::reg) visit(operand, holds, writes);
        if (operand.kind == Operand::Kind::address && operand.indirect) visit(operand, Holds::value, false);
        for (const Operand& element : operand.elements)
            if (element.kind == Operand::Kind::reg) visit(element, holds, writes);
    }

    // ---- conditions -----------------------------------------------------------------------------------

    void check_condition(const Condition& condition) {
        for (const Condition& operand : condition.operands) check_condition(operand);
        if (condition.kind != Condition::Kind::atom) return;
        for (const Term* term : {&condition.left, &condition.right}) {
            if (term->kind == Term::Kind::reg) check_opaque(*term);
            if (term->kind == Term::Kind::reg) check_wide(*term);
            if (term->kind != Term::Kind::location) continue;
            const Location& location = *find_location(test_, term->name);
            if (!location.points_to.empty())
                report(term->span, "`" + location.name + "` points to several locations (ISA 8.2.3)",
                       "compare one of them: `" + location.points_to[0] + "`");
            rules_.check_instance(term->span, term->cta, location);
            if (location.space == Space::shared && !location.cta && term->cta < 0)
                report(term->span, "`" + location.name + "` has an instance in every CTA", "name one: `" + location.name + "@cta0`");
        }
    }

    // A register of 128 bits, or a half of it.
    void check_wide(const Term& term) {
        const Thread& thread = test_.threads[static_cast<size_t>(term.thread)];
        for (const Instruction& instruction : thread.body)
            for (const Operand& operand : instruction.operands) {
                const bool whole = operand.name == term.name;
                if (!is_wide(operand) || !(whole || operand.elements[0].name == term.name || operand.elements[1].name == term.name))
                    continue;
                if (holds_answer(thread, operand.name))
                    return report(
                        term.span,
                        "`" + operand.name + "` holds an answer of `clusterlaunchcontrol.try_cancel`, which is opaque (ISA 9.7.13.17)",
                        "compare what `clusterlaunchcontrol.query_cancel.is_canceled` writes");
                if (!whole) return;
                return report(term.span, "`" + term.name + "` has 128 bits, and a comparison is of 64 at most",
                              "compare its halves, `" + thread.name + ":" + term.name + ".lo` and `" + thread.name + ":" + term.name +
                                  ".hi`, or both: `" + thread.name + ":" + term.name + " == {1, 2}`");
            }
        if (term.name.find('.') != std::string::npos)
            report(term.span, "no register of 128 bits has the half `" + term.name + "` in thread `" + thread.name + "`");
    }

    // ISA 9.7.13.15.13: what a state holds is the implementation's.
    void check_opaque(const Term& term) {
        bool some = false, all = true;
        for (const Instruction& instruction : test_.threads[static_cast<size_t>(term.thread)].body) {
            const std::vector<std::string> written = written_registers(instruction);
            if (std::find(written.begin(), written.end(), term.name) == written.end()) continue;
            some = true;
            all = all && traits(instruction.op).result == Traits::Result::state;
        }
        if (some && all)
            report(term.span, "`" + term.name + "` holds the state of an mbarrier object, which has no value to compare (ISA 9.7.13.15.13)",
                   "compare what a wait on it, or `mbarrier.pending_count`, writes");
    }

    const Test& test_;
    bool complete_;
    Rules rules_;
};

}  // namespace

std::vector<Diagnostic> check(const Test& test, bool complete) {
    return Checker(test, complete).run();
}

}  // namespace litmus::dsl
