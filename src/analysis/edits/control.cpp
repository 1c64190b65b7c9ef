// What branches skip or repeat: an arrival that a thread does not make when it leaves early, a wait whose loop does more than wait.
#include <algorithm>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using InstructionKind = Traits::Kind;

std::string guard_text(const Guard& guard) {
    return std::string(guard.negated ? "@!" : "@") + guard.reg + " ";
}

bool leads_back(const std::vector<Instruction>& body, int branch) {
    const Operand* target = body[static_cast<size_t>(branch)].find(Role::label);
    return target != nullptr && std::any_of(body.begin(), body.begin() + branch + 1, [&](const Instruction& instruction) {
               return std::count(instruction.labels.begin(), instruction.labels.end(), target->name) > 0;
           });
}

// Before a thread leaves over an arrival that stands behind: it arrives under the same condition, or arrives and takes part no more.
void arrive_before_leaving(EditList& list, ProgramPoint place, const Instruction& leaving) {
    const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(place.thread)].body;
    for (int i = place.instruction + 1; i < static_cast<int>(body.size()); ++i) {
        const Instruction& arrival = body[static_cast<size_t>(i)];
        if (arrival.op != Op::mbarrier_arrive || arrival.guard || arrival.has("noComplete")) continue;
        const std::string now = written(list.test, {place.thread, i});
        std::string dropping = now;
        dropping.replace(0, std::string("mbarrier.arrive").size(), "mbarrier.arrive_drop");
        for (const std::string& text : {now, dropping}) {
            const std::string guarded = guard_text(*leaving.guard) + text;
            Edit edit{Fault::arrival_missing, place, "put " + as_code(guarded), {insertion(list.test, place, guarded)}, price::of(arrival)};
            edit.inserts = true;
            edit.only_orders = false;
            list.edits.push_back(std::move(edit));
        }
    }
}

// A branch that repeats a wait until it succeeded, moved up to it: what stood between is then done once, and after.
void ask_at_once(EditList& list, ProgramPoint place, const Instruction& branch) {
    const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(place.thread)].body;
    for (int i = place.instruction - 1; i >= 0 && body[static_cast<size_t>(i) + 1].labels.empty(); --i) {
        const Instruction& wait = body[static_cast<size_t>(i)];
        if (kind(wait.op) == InstructionKind::branch || kind(wait.op) == InstructionKind::exit) return;
        const Operand* result = wait.find(Role::result);
        if (kind(wait.op) != InstructionKind::mbarrier_wait || result == nullptr || result->name != branch.guard->reg) continue;
        if (i + 1 == place.instruction) return;
        const std::string text = source_text(list.test, branch.span);
        Edit edit{Fault::wait_not_checked, place, "move it after " + text_beside(list.test, {place.thread, i}), {}, price::place};
        edit.changes = {deletion(list.test, place), insertion(list.test, {place.thread, i + 1}, text)};
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
        return;
    }
}

}  // namespace

void add_control(EditList& list) {
    if (list.test.dialect != Dialect::native) return;
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            const Instruction& instruction = body[static_cast<size_t>(i)];
            const InstructionKind what = kind(instruction.op);
            if (list.full()) return;
            if (!instruction.guard || (what != InstructionKind::branch && what != InstructionKind::exit)) continue;
            if (what == InstructionKind::branch && leads_back(body, i))
                ask_at_once(list, {t, i}, instruction);
            else
                arrive_before_leaving(list, {t, i}, instruction);
        }
    }
}

}  // namespace litmus
