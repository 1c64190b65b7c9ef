// `performed`: from which event on a read is known to have its value, because something has waited for it.
//
// A branch or a guard waits for the values that can change it; an instruction that accesses memory or synchronizes waits for
// its operands. But only what the assembler keeps in its place waits at all. ptxas moves arithmetic; it drops a branch whose
// ways meet again without having done anything, a load or a redux.sync whose result nobody uses, and a weak store that a later
// one overwrites (seen in SASS, ptxas 13.0, sm_90). So each reason to wait is noted with the read, and judged when the whole
// thread is known: a branch or guard counts once some event that the assembler keeps depends on it.
#include <algorithm>
#include <limits>

#include "event/builder.h"
#include "event/relations.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

// A read and the reason to wait for it, as one key of State::awaited. Reasons from `first_use` on are numbers of Notes::uses.
constexpr size_t always = 0, by_test = 1, first_use = 2;
constexpr int reason_shift =
    std::numeric_limits<size_t>::digits / 2;  // of 32 bits, 16 will do: one relation on so many events takes 512 MB

size_t key(size_t read, size_t reason) {
    return reason << reason_shift | read;
}
size_t read_of(size_t key) {
    return key & ((size_t{1} << reason_shift) - 1);
}
size_t reason_of(size_t key) {
    return key >> reason_shift;
}

}  // namespace

void Builder::wait_for_operands(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    if (is_arithmetic(i.op)) return;
    if (i.guard) wait_for(state, i.guard->reg, ExprPool::yes, by_test);
    const bool branches = kind(i.op) == Traits::Kind::branch;
    if (!branches) draft_.notes.uses.push_back({thread_, c.index, iteration_});
    const size_t reason = branches ? by_test : first_use + draft_.notes.uses.size() - 1;
    const std::vector<std::string> names = written_registers(i);
    const auto wait = [&](auto&& self, const Operand& o) -> void {
        const bool source = o.kind == Operand::Kind::reg && std::find(names.begin(), names.end(), o.name) == names.end();
        if (source || o.indirect) wait_for(state, o.name, c.when, reason);
        for (const Operand& element : o.elements) self(self, element);
    };
    for (const Operand& o : i.operands) wait(wait, o);
}

// Waits for the reads that a register's value is made of. The elements of one load come together.
void Builder::wait_for(State& state, const std::string& name, ExprId when, size_t reason) {
    const auto it = state.registers.find(name);
    if (it == state.registers.end()) return;
    Dependencies waits;
    for (const uint32_t leaf : influence_.of(it->second.value)) {
        if (leaf >= draft_.events.size()) continue;
        const Event& read = draft_.events[leaf];
        for (size_t e = 0; e < draft_.events.size(); ++e) {
            const Event& part = draft_.events[e];
            if (part.thread == read.thread && part.instruction == read.instruction && part.iteration == read.iteration)
                waits[key(e, reason)] = when;
        }
    }
    add_reads(exprs_, state.awaited, waits);
}

// A wait that blocks: when it is over these reads have their values, whatever the assembler does.
void Builder::wait_always(State& state, const Dependencies& reads) {
    for (const auto& [read, when] : reads) add_reads(exprs_, state.awaited, {{key(read, always), when}});
}

// The event comes after all that has been waited for.
void Builder::note_performed(const State& state, size_t event) {
    for (const auto& [waited, when] : state.awaited)
        if (read_of(waited) != event) draft_.notes.performed.push_back({waited, event, when});
}

bool Relations::is_kept_in_place(size_t event) const {
    const Event& e = program_.events[event];
    if (e.thread < 0 || e.instruction < 0) return false;
    const Op op = program_.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)].op;
    if (kind(op) == Traits::Kind::warp_reduction || op == Op::ldmatrix || op == Op::ld || op == Op::ld_nc || op == Op::multimem_load)
        return false;
    if ((op != Op::st && op != Op::stmatrix) || e.sem != Sem::weak || e.volatile_) return true;
    for (size_t later = event + 1; later < program_.events.size(); ++later) {
        const Event& w = program_.events[later];
        if (w.kind != Event::Kind::write || w.thread != e.thread || w.asynchronous || w.cell != e.cell) continue;
        // one of several places: only what goes to the same one, whichever it is, overwrites it for sure
        if (w.guard == e.guard || (!is_one_of_several(event) && !is_one_of_several(later))) return false;
    }
    return true;
}

// Whether the address of its instruction may lead elsewhere, too (choose_place.cpp).
bool Relations::is_one_of_several(size_t event) const {
    const Event& e = program_.events[event];
    return std::any_of(program_.events.begin(), program_.events.end(), [&](const Event& other) {
        const bool same = other.thread == e.thread && other.instruction == e.instruction && other.iteration == e.iteration;
        return same && other.element == e.element && other.cell != e.cell;
    });
}

void Relations::relate_performed() {
    std::map<size_t, Reads> tested;  // by event: the reads that decide whether it happens
    const auto tests = [&](size_t event, size_t read) {
        const auto [it, fresh] = tested.try_emplace(event);
        if (fresh) it->second = deciding_guard(event);
        const Event& r = program_.events[read];
        return std::any_of(it->second.begin(), it->second.end(), [&](size_t leaf) {
            if (leaf >= program_.events.size()) return false;
            const Event& part = program_.events[leaf];
            return part.thread == r.thread && part.instruction == r.instruction && part.iteration == r.iteration;
        });
    };
    const auto waits = [&](const Notes::Performed& p) {
        const size_t read = read_of(p.waited), reason = reason_of(p.waited);
        if (reason == always) return true;
        for (size_t e = read + 1; e <= p.event; ++e) {
            const Event& event = program_.events[e];
            if (event.thread != program_.events[read].thread || !is_kept_in_place(e)) continue;
            if (reason == by_test) {
                if (tests(e, read)) return true;
                continue;
            }
            const Notes::Use& use = notes_.uses[reason - first_use];
            if (event.instruction == use.instruction && event.iteration == use.iteration) return true;
        }
        return false;
    };
    for (const Notes::Performed& p : notes_.performed)
        if (waits(p)) notes_.dependencies.push_back({"performed", read_of(p.waited), p.event, p.when});
}

}  // namespace litmus
