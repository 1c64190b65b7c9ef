// The n-th instruction of a kind that one thread executes is the n-th of each that has to execute it too. Two threads of a test have texts
// of their own, so instructions with the same qualifiers and numbers count as the same. The ISA says of them: "The behavior ... is
// undefined if all threads do not use the same qualifiers, or if any thread in the warp has exited" (9.7.14.5.14
// to 9.7.14.5.16, 9.7.14.6.3). And it says of setmaxnreg: "if ... not executed by all warps in the warpgroup" (9.7.19.5). A thread that is
// still there, and waits elsewhere, breaks no rule.
#include "event/aligned.h"

#include "event/barrier_uses.h"
#include "language/aligned.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

class Aligned : BarrierUses {
public:
    using BarrierUses::BarrierUses;

    void add(const Uses& uses) {
        const Count counted = count_in_threads(uses);
        for (const BarrierUse& u : uses) {
            p_.budget.check();
            const ExprId index = counted.before(u.event, thread_of(u));
            for (size_t t = 0; t < p_.test->threads.size(); ++t)
                if (has_to_execute(*p_.test, *u.instruction, thread(thread_of(u)), p_.test->threads[t]))
                    compare(u, index, counted, static_cast<int>(t));
        }
    }

private:
    const Thread& thread(int t) const { return p_.test->threads[static_cast<size_t>(t)]; }

    void compare(const BarrierUse& u, ExprId index, const Count& counted, int other) {
        const std::string who = "`" + thread(other).name + "`, of the same warp" + (is_executed_once(*u.instruction) ? "group" : "") + ", ",
                          isa = " (ISA " + u.instruction->row.form->section + ")";
        if (const auto uses = counted.uses.find(other); uses != counted.uses.end())
            for (const auto& [v, before] : uses->second)
                if (!is_same_execution(*u.instruction, *v->instruction))
                    violate(u, x_.both(guard(*v), equal(before, index)), who + "executes another instruction" + isa);
        if (const auto exit = exits_.find(other); exit != exits_.end()) {
            const ExprId fewer = x_.compare(Operator::le, Type::u16, uses_of_thread(counted, other), index);
            violate(u, x_.both(p_.events[exit->second].guard, fewer), who + "exits without it" + isa);
        }
    }

    void violate(const BarrierUse& u, ExprId when, std::string what) {
        if (when == ExprPool::no) return;
        p_.violations.push_back({u.event, when, std::move(what)});
        p_.conditional["faulty"].push_back({u.event, u.event, when});
    }
};

}  // namespace

void add_aligned(Program& program, const std::vector<BarrierUse>& uses, const std::map<int, size_t>& exits) {
    std::map<std::string, Uses> by_instruction;
    for (const BarrierUse& u : uses)
        by_instruction[kind(u.instruction->op) == Traits::Kind::warp_matrix ? "" : u.instruction->mnemonic].push_back(u);
    for (const auto& [mnemonic, some] : by_instruction) Aligned(program, exits).add(some);
}

}  // namespace litmus
