// The static checks of a native test: pure functions of the parsed test.
//
// Each rule stands beside the ISA section it comes from. What depends on the value of a register (an indirect
// address, a barrier's number in a register) is left to the event builder.
#include "syntax/dsl_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ptx/table.h"
#include "syntax/dsl_rules.h"

namespace litmus::dsl {
namespace {

constexpr uint64_t barriers = 16;  // ISA 9.7.13.1: 0..15
constexpr uint64_t warp = 32;
constexpr uint64_t most_threads = 1024;  // of a CTA

class Checker {
public:
    Checker(const Test& test, bool complete) : test_(test), complete_(complete), rules_(test, complete) {}

    std::vector<Diagnostic> run() {
        check_placements();
        for (const Thread& thread : test_.threads) check_thread(thread);
        if (test_.filter) check_condition(*test_.filter);
        if (test_.claim.kind != Claim::Kind::none) check_condition(test_.claim.condition);
        std::stable_sort(rules_.found.begin(), rules_.found.end(),
                         [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
        return std::move(rules_.found);
    }

private:
    void report(Span span, std::string message, std::string hint = {}) { rules_.report(span, std::move(message), std::move(hint)); }

    // ---- placements -----------------------------------------------------------------------------------

    // CTA numbers are unique in a test, and two threads are not the same lane of a warp.
    void check_placements() {
        std::map<std::tuple<int, int, int>, const Thread*> lanes;
        for (const Thread& thread : test_.threads) {
            if (!rules_.same_cluster(thread.at.cta, thread))
                report(thread.span, "cta" + std::to_string(thread.at.cta) + " stands in two clusters", "CTA numbers are unique in a test");
            const auto [other, free] = lanes.emplace(std::tuple(thread.at.cta, thread.at.warp, thread.at.lane), &thread);
            if (!free)
                report(thread.span, "thread `" + thread.name + "` is the same lane as `" + other->second->name + "`",
                       "give it another lane or warp");
        }
    }

    // ---- threads --------------------------------------------------------------------------------------

    struct Mention {
        bool predicate = false;
        Span span;
        std::string text;
    };

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
        const auto found = resolve(spelling(instruction));
        const Spelling* spelled = std::get_if<Spelling>(&found);
        const Form* form = spelled ? spelled->form : nullptr;
        const Version least = least_version(instruction);
        if (!target_has(test_, least)) {
            const bool operands_ask = spelled && target_has(test_, spelled->least);
            report(instruction.span, "`" + spelling(instruction) + "`" + (operands_ask ? " with all these operands" : "") + " needs " +
                                         target_name(least.sm, least.specific) + ", and the target is " +
                                         target_name(*test_.target, test_.target_specific));
        }
        for (const Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::label && !labels.count(operand.name) && complete_)
                report(operand.span, "there is no label `" + operand.name + "` in thread `" + thread.name + "`",
                       near_hint(operand.name, {labels.begin(), labels.end()}));
            if (operand.kind == Operand::Kind::address && !operand.indirect && form && !is_async_operand(instruction, *form, operand))
                check_access(thread, instruction, operand, *form);
            if (operand.kind == Operand::Kind::symbol) check_symbol(instruction, operand);
            if (operand.kind == Operand::Kind::vector) check_vector(instruction, operand);
        }
        check_barrier(thread, instruction);
        if (form) check_async(rules_, thread, instruction, *form);
    }

    void check_vector(const Instruction& instruction, const Operand& operand) {
        if (!written_type(instruction) || &operand != &instruction.operands[0]) return;
        std::set<std::string> names;
        for (const Operand& element : operand.elements)
            if (element.kind == Operand::Kind::reg && !names.insert(element.name).second)
                report(element.span, "register `" + element.name + "` stands twice in this vector");
    }

    // ---- accesses -------------------------------------------------------------------------------------

    void check_access(const Thread& thread, const Instruction& instruction, const Operand& operand, const Form& form) {
        const Location& location = *find_location(test_, operand.name);
        if (location.is_mbarrier)
            return report(operand.span,
                          "`" + location.name + "` is an mbarrier object; only mbarrier instructions use it (ISA 9.7.13.15.1)");
        if (!check_proxy(instruction, operand, location)) return;
        if (!check_space(thread, instruction, operand, location, form)) return;
        check_size(instruction, operand, location);
    }

    // Surface, texture and constant addresses are of their own instructions (ISA 8.3).
    bool check_proxy(const Instruction& instruction, const Operand& operand, const Location& location) {
        const Proxy used = proxy(instruction);
        if (used == location.proxy) return true;
        if (location.proxy == Proxy::generic)
            report(operand.span, "`" + location.name + "` is no " + std::string(name(used)) + " address",
                   "declare one: .global ." + std::string(name(location.type)) + " s alias " + std::string(name(used)) + " " +
                       location.name + ";");
        else
            report(operand.span, "`" + location.name + "` is a " + std::string(name(location.proxy)) + " address, which `" +
                                     instruction.mnemonic + "` does not access");
        return false;
    }

    // The state space that the text names: "global", "shared", "shared::cta", "shared::cluster" or none.
    static std::string_view named_space(const Instruction& instruction) {
        for (const std::string_view space : {"global", "shared", "shared::cta", "shared::cluster"})
            if (instruction.has(space)) return space;
        return {};
    }

    // Forms that name one state space only do not reach the other through generic addresses either.
    static bool reaches(const Form& form, Space space) {
        bool names_global = false, names_shared = false;
        for (const Slot& slot : form.slots)
            for (const Alternative& alternative : slot.alternatives) {
                names_global = names_global || alternative.word == "global";
                names_shared = names_shared || alternative.word.rfind("shared", 0) == 0;
            }
        return names_global == names_shared || (space == Space::global ? names_global : names_shared);
    }

    bool check_space(const Thread& thread, const Instruction& instruction, const Operand& operand, const Location& location,
                     const Form& form) {
        const std::string_view space = named_space(instruction);
        const bool shared = location.space == Space::shared;
        if (!reaches(form, location.space)) {
            const std::string here = shared ? "shared" : "global", there = shared ? "global" : "shared";
            const bool has_other_form = instruction.op == Op::red_async || instruction.op == Op::st_async;
            const std::string other =
                shared ? "weak or relaxed, and with an mbarrier object" : "`.release`, and without an mbarrier object";
            report(operand.span,
                   "`" + location.name + "` lies in " + here + " memory, and this form reaches " + there + " memory only (ISA " +
                       form.section + ")",
                   has_other_form ? "the form for " + here + " memory is " + other : "");
            return false;
        }
        return rules_.check_named_space(operand, location, space) && rules_.check_instance(operand.span, operand.cta, location) &&
               (!shared || rules_.check_reach(thread, operand, location, space));
    }

    void check_size(const Instruction& instruction, const Operand& operand, const Location& location) {
        const Type type = data_type(instruction);
        const int64_t element = bits(location.type) / 8;
        const bool fits = bits(type) == bits(location.type) || (lanes(type) > 1 && bits(lane_type(type)) == bits(location.type));
        if (!fits && !(is_wide_load(instruction, location) && written_by_vectors(location)))
            return report(operand.span,
                          "a `." + std::string(name(type)) + "` access to `" + location.name + "`, whose elements are `." +
                              std::string(name(location.type)) + "`: partial overlaps are outside the memory model (ISA 8.7.2)",
                          "access it with " + std::to_string(bits(location.type)) + " bits");
        const int64_t size = vector_width(instruction) * bits(type) / 8;
        if (operand.offset % element != 0)
            return report(operand.span,
                          "offset " + std::to_string(operand.offset) + " is not at an element of `" + location.name + "` (ISA 8.7.2)",
                          "elements are " + std::to_string(element) + " bytes apart");
        if (operand.offset < 0 || operand.offset + size > element * location.count)
            return report(operand.span, "the access ends outside `" + location.name + "`, which has " +
                                            std::to_string(element * location.count) + " bytes");
        if (operand.offset % size != 0)
            report(operand.span, "a vector of " + std::to_string(size) + " bytes is aligned to its size (ISA 6.4.1)",
                   "offset " + std::to_string(operand.offset) + " is not a multiple");
    }

    // The one partial overlap that has a meaning: a wider scalar load of what vector or packed operations
    // wrote, element by element (ISA 8.2.4, 8.2.5; semantics.md section 3).
    static bool is_wide_load(const Instruction& instruction, const Location& location) {
        return instruction.op == Op::ld && vector_width(instruction) == 1 && bits(data_type(instruction)) > bits(location.type);
    }

    static bool is_write(Op op) {
        static constexpr std::array ops = {Op::st,       Op::atom,        Op::red,       Op::red_async,
                                           Op::st_async, Op::bulk_reduce, Op::bulk_copy, Op::async_copy};
        return std::find(ops.begin(), ops.end(), op) != ops.end();
    }

    bool written_by_vectors(const Location& location) const {
        for (const Thread& thread : test_.threads)
            for (const Instruction& instruction : thread.body) {
                const bool split = vector_width(instruction) > 1 || lanes(data_type(instruction)) > 1;
                if (!is_write(instruction.op) || split) continue;
                const auto written = std::find_if(instruction.operands.begin(), instruction.operands.end(),
                                                  [](const Operand& operand) { return operand.kind == Operand::Kind::address; });
                if (written != instruction.operands.end() && written->name == location.name && !written->indirect) return false;
            }
        return true;
    }

    // mov of an address: 64 bits, or 32 for shared memory.
    void check_symbol(const Instruction& instruction, const Operand& operand) {
        const Location& location = *find_location(test_, operand.name);
        const Type type = data_type(instruction);
        const bool wide_enough = bits(type) == 64 || (bits(type) == 32 && location.space == Space::shared);
        if (is_float(type) || !wide_enough)
            return report(operand.span, "the address of `" + location.name + "` does not fit `." + std::string(name(type)) + "`",
                          "to read its value, use `ld`; its address is `.u64`");
        rules_.check_instance(operand.span, operand.cta, location);
    }

    // ---- barriers (ISA 9.7.13.1, 9.7.13.2) ----------------------------------------------------------------

    void check_barrier(const Thread& thread, const Instruction& instruction) {
        const std::vector<Operand>& operands = instruction.operands;
        if (instruction.op == Op::bar_warp_sync) return check_mask(thread, operands[0]);
        const bool reduction = instruction.op == Op::bar_red;
        if (!reduction && instruction.op != Op::bar_sync && instruction.op != Op::bar_arrive) return;
        const size_t id = reduction ? 1 : 0;
        if (operands[id].kind == Operand::Kind::immediate && operands[id].value >= barriers)
            report(operands[id].span, "a CTA has the barriers 0 to 15 (ISA 9.7.13.1)");
        const bool counted = operands.size() > id + (reduction ? 2 : 1);
        if (counted && operands[id + 1].kind == Operand::Kind::immediate) check_count(operands[id + 1]);
    }

    void check_count(const Operand& operand) {
        if (operand.value == 0 || operand.value % warp != 0)
            report(operand.span, "a thread count is a positive multiple of the warp size, 32 (ISA 9.7.13.1)",
                   "a litmus thread stands for its whole warp");
        else if (operand.value > most_threads)
            report(operand.span, "a CTA has at most 1024 threads");
    }

    void check_mask(const Thread& thread, const Operand& operand) {
        if (operand.kind != Operand::Kind::immediate || !thread.at.warp_named) return;
        if ((operand.value >> thread.at.lane & 1) == 0)
            report(operand.span, "the mask leaves out lane " + std::to_string(thread.at.lane) + ", which executes this (ISA 9.7.13.2)");
    }

    // ---- registers ------------------------------------------------------------------------------------

    // A register is a predicate or not, throughout its thread (ISA 5.2.1); one that is read is written somewhere.
    void check_registers(const Thread& thread) {
        std::map<std::string, Mention> kinds;
        std::set<std::string> written;
        std::vector<std::pair<std::string, const Operand*>> reads;
        const auto mention = [&](const std::string& reg, bool predicate, Span span) {
            const auto [first, fresh] = kinds.emplace(reg, Mention{predicate, span, ""});
            if (!fresh && first->second.predicate != predicate)
                report(span, "register `" + reg + "` is used both as a predicate and as a value");
        };
        for (const auto& [reg, value] : thread.registers) written.insert(reg);
        for (const Instruction& instruction : thread.body)
            for_each_register(instruction, [&](const Operand& operand, bool predicate, bool writes) {
                mention(operand.name, predicate, operand.span);
                if (writes) written.insert(operand.name);
            });
        if (!complete_) return;
        std::set<std::string> missed;
        const auto read = [&](const Operand& operand, bool, bool writes) {
            if (writes || written.count(operand.name) || !missed.insert(operand.name).second) return;
            const bool address = operand.kind == Operand::Kind::address;
            std::vector<std::string> known(written.begin(), written.end());
            for (const Location& location : test_.locations) known.push_back(location.name);
            report(operand.span,
                   "`" + operand.name + "` is " + (address ? "neither a declared location nor a register" : "a register") +
                       " that thread `" + thread.name + "` " + (address ? "writes" : "never writes"),
                   near_hint(operand.name, known));
        };
        for (const Instruction& instruction : thread.body) for_each_register(instruction, read);
    }

    // visit(operand, is a predicate, is written) for every register an instruction names
    template <typename Visit>
    static void for_each_register(const Instruction& instruction, Visit visit) {
        if (instruction.guard) {
            Operand guard;
            guard.name = instruction.guard->reg;
            guard.span = instruction.span;
            visit(guard, true, false);
        }
        const std::optional<Type> result = written_type(instruction);
        for (size_t i = 0; i < instruction.operands.size(); ++i) {
            const bool writes = i == 0 && result;
            visit_operand(instruction.operands[i], is_predicate(instruction, i, writes ? *result : data_type(instruction)), writes, visit);
        }
        if (instruction.expect) visit_operand(instruction.expect->value, false, false, visit);
    }

    template <typename Visit>
    static void visit_operand(const Operand& operand, bool predicate, bool writes, Visit visit) {
        if (operand.kind == Operand::Kind::reg) visit(operand, predicate, writes);
        if (operand.kind == Operand::Kind::address && operand.indirect) visit(operand, false, false);
        for (const Operand& element : operand.elements)
            if (element.kind == Operand::Kind::reg) visit(element, predicate, writes);
    }

    static bool is_predicate(const Instruction& instruction, size_t operand, Type type) {
        if (instruction.op == Op::selp) return operand == 3;
        if (instruction.op == Op::bar_red) return operand + 1 == instruction.operands.size() || (operand == 0 && type == Type::pred);
        return type == Type::pred;
    }

    // ---- conditions -----------------------------------------------------------------------------------

    void check_condition(const Condition& condition) {
        for (const Condition& operand : condition.operands) check_condition(operand);
        if (condition.kind != Condition::Kind::atom) return;
        for (const Term* term : {&condition.left, &condition.right}) {
            if (term->kind == Term::Kind::reg) check_opaque(*term);
            if (term->kind != Term::Kind::location) continue;
            const Location& location = *find_location(test_, term->name);
            rules_.check_instance(term->span, term->cta, location);
            if (location.space == Space::shared && !location.cta && term->cta < 0)
                report(term->span, "`" + location.name + "` has an instance in every CTA", "name one: `" + location.name + "@cta0`");
        }
    }

    // ISA 9.7.13.15.13: what a state holds is the implementation's.
    void check_opaque(const Term& term) {
        bool some = false, all = true;
        for (const Instruction& instruction : test_.threads[static_cast<size_t>(term.thread)].body) {
            if (!written_type(instruction) || instruction.operands.empty() || instruction.operands[0].name != term.name) continue;
            some = true;
            all = all && (instruction.op == Op::mbarrier_arrive || instruction.op == Op::mbarrier_arrive_drop);
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
