// Asynchronous operations: what is sent without a completion, and what a completion does not publish.
//
// An asynchronous operation is in no program order, so nothing that stands behind it in its thread comes after it. A store or reduction
// without an mbarrier object can be made the synchronous one, or its value awaited. Where there is an object, the completion publishes
// the operation alone; who then reads its data with an acquire synchronizes with what released through that data. An arrival does not wait
// for the operations on tensor memory before it; that of a tcgen05.commit does.
#include <algorithm>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "ptx/traits.h"
#include "ptx/type.h"

namespace litmus {

namespace {

bool from_registers(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::from_registers;
}

// `st.async.release.gpu.global.u32` as `st.release.gpu.global.u32`, or `st.relaxed...`.
void make_synchronous(EditList& list, ProgramPoint place, const Instruction& operation) {
    const std::string spelled = spelling(operation), word = ".async";
    const size_t at = spelled.find(word);
    if (at == std::string::npos || operation.has("mmio")) return;
    Instruction synchronous = operation;
    synchronous.mnemonic = spelled.substr(0, at);
    for (const Sem sem : {Sem::relaxed, Sem::release}) {
        const std::string dotted = renamed(synchronous, std::string(spelled).erase(at, word.size()), sem, scope(operation));
        if (!list.catalogue.has(dotted)) continue;
        Edit edit{Fault::asynchronous_where_order_needed, place, "make it " + as_code(dotted), {respelling(list.test, place, dotted)}, 0};
        edit.price = price::at(scope(operation), sem);
        edit.strength = strength(sem);
        list.put(std::move(edit));
    }
}

// Behind a store of a known value: a load that is made until it reads it.
void await_own_store(EditList& list, ProgramPoint place, const Instruction& store) {
    const Operand* value = store.find(Role::source);
    const Operand* address = store.find(Role::address);
    if (store.op != Op::st_async || value == nullptr || value->kind != Operand::Kind::immediate || address == nullptr) return;
    const std::string dotted = "ld.relaxed." + std::string(name(scope(store))) + ".global." + std::string(name(data_type(store)));
    if (!list.catalogue.has(dotted)) return;
    const std::string text = "await " + dotted + " " + fresh_name(list.test, "seen") + ", " + source_text(list.test, address->span) +
                             " == " + source_text(list.test, value->span);
    const ProgramPoint behind{place.thread, place.instruction + 1};
    Edit edit{Fault::wait_missing, behind, "put " + as_code(text), {insertion(list.test, behind, text)}, price::at(scope(store))};
    edit.inserts = true;
    list.put(std::move(edit));
}

// Behind a wait for the phase that the operation completes: a load of what it wrote, with an acquire.
void read_with_acquire(EditList& list, const Instruction& operation) {
    const Operand* object = operation.find(Role::mbarrier);
    const Operand* address = operation.find(Role::address);
    if (object == nullptr || address == nullptr || address->indirect || semantics(operation) == Sem::weak) return;
    const std::string dotted =
        "ld.acquire." + std::string(name(scope(operation))) + ".shared::cta." + std::string(name(data_type(operation)));
    if (!list.catalogue.has(dotted)) return;
    const Location* read = find_location(list.test, address->name);
    const std::string text = dotted + " " + fresh_name(list.test, "seen") + ", " + source_text(list.test, address->span);
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const Thread& thread = list.test.threads[static_cast<size_t>(t)];
        if (read == nullptr || (read->cta && *read->cta != thread.at.cta)) continue;
        for (int i = 0; i < static_cast<int>(thread.body.size()); ++i) {
            const Instruction& wait = thread.body[static_cast<size_t>(i)];
            if (kind(wait.op) != Traits::Kind::mbarrier_wait || !wait.await || wait.at(Role::mbarrier).name != object->name) continue;
            const ProgramPoint behind{t, i + 1};
            Edit edit{Fault::completion_does_not_carry, behind, "put " + as_code(text), {insertion(list.test, behind, text)}, 0};
            edit.price = price::at(scope(operation));
            edit.inserts = true;
            list.put(std::move(edit));
        }
    }
}

// An arrival behind operations on tensor memory: the one that waits for them, if it counts as one.
void arrive_when_complete(EditList& list, ProgramPoint place, const Instruction& arrival) {
    const Operand* object = arrival.find(Role::mbarrier);
    const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(place.thread)].body;
    if (object == nullptr || object->kind != Operand::Kind::address || object->indirect || arrival.find(Role::count) != nullptr ||
        arrival.has("expect_tx") || arrival.has("noComplete"))
        return;
    const auto tracked = std::find_if(body.begin(), body.begin() + place.instruction,
                                      [](const Instruction& i) { return i.op == Op::tcgen_mma || i.op == Op::tcgen_copy; });
    if (tracked == body.begin() + place.instruction) return;
    const std::string group = tracked->has("cta_group::2") ? "cta_group::2" : "cta_group::1";
    const std::string dotted = "tcgen05.commit." + group + ".mbarrier::arrive::one.shared::cluster.b64";
    if (!list.catalogue.has(dotted)) return;
    const std::string text = dotted + " " + source_text(list.test, object->span);
    Edit edit{Fault::asynchronous_where_order_needed, place, "make it " + as_code(text), {replacement(list.test, place, text)}, 0};
    edit.price = price::at(Scope::cluster);
    list.put(std::move(edit));
}

}  // namespace

void add_asynchronous(EditList& list) {
    if (list.test.dialect != Dialect::native) return;
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            const Instruction& instruction = body[static_cast<size_t>(i)];
            if (instruction.op == Op::mbarrier_arrive && !list.full()) arrive_when_complete(list, {t, i}, instruction);
            if (!from_registers(instruction) || list.full()) continue;
            if (instruction.find(Role::mbarrier) != nullptr) {
                read_with_acquire(list, instruction);
                continue;
            }
            make_synchronous(list, {t, i}, instruction);
            await_own_store(list, {t, i}, instruction);
        }
    }
}

}  // namespace litmus
