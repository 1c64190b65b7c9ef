// Values that are used, and atomics in place of what is none.
#include <algorithm>
#include <optional>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

// A store of what was read: an instruction that has to wait for the value.
void use_value(EditList& list, ProgramPoint place, const Instruction& load) {
    const Operand* result = load.find(Role::result);
    if (load.guard || result == nullptr || result->kind != Operand::Kind::reg) return;
    const std::string type(name(data_type(load)));
    const std::string used = fresh_name(
        list.test, "used_" + list.test.threads[static_cast<size_t>(place.thread)].name + "_" + std::to_string(place.instruction));
    const std::string store = "st.weak.global." + type + " [" + used + "], " + result->name;
    const ProgramPoint behind{place.thread, place.instruction + 1};
    Edit edit{Fault::value_not_used_before_slot_given_back, behind, "put " + as_code(store), {}, 0};
    edit.changes = {declaration(list.test, ".global ." + type + " " + used + ";"), insertion(list.test, behind, store)};
    edit.price = price::place;
    edit.inserts = true;
    list.edits.push_back(std::move(edit));
}

// A reduction becomes an atomic, whose read can begin an acquire pattern.
void make_atomic(EditList& list, ProgramPoint place, const Instruction& reduction) {
    const std::string& text = list.test.source->text;
    std::string name = text.substr(reduction.spelled.begin, reduction.spelled.end - reduction.spelled.begin);
    name.replace(0, 3, "atom");
    if (list.test.dialect == Dialect::native && !list.catalogue.has(name)) return;
    const std::string operands = text.substr(reduction.spelled.end, reduction.span.end - reduction.spelled.end);
    const std::string result = fresh_name(list.test, "old");
    Edit edit{Fault::reduction_is_no_acquire, place, "make it " + as_code(name + " " + result + "," + operands), {}, price::place};
    edit.changes = {replacement(list.test, place, name + " " + result + "," + operands)};
    edit.only_orders = false;
    list.edits.push_back(std::move(edit));
}

// A store becomes an exchange, which passes on what was released to the value that it overwrites.
void make_exchange(EditList& list, ProgramPoint place, const Instruction& store) {
    if (semantics(store) == Sem::weak || vector_width(store) != 1 || list.test.dialect != Dialect::native) return;
    const int width = bits(data_type(store));
    if (width != 32 && width != 64) return;
    std::string space;
    for (const std::string& qualifier : store.qualifiers)
        if (qualifier == "global" || qualifier.rfind("shared", 0) == 0) space = "." + qualifier;
    const std::string dotted =
        "atom." + std::string(name(semantics(store))) + "." + std::string(name(scope(store))) + space + ".exch.b" + std::to_string(width);
    if (!list.catalogue.has(dotted)) return;
    const std::string& text = list.test.source->text;
    const std::string operands = text.substr(store.spelled.end, store.span.end - store.spelled.end);
    Edit edit{Fault::store_ends_release, place, "make it " + as_code(dotted + " _," + operands), {}, price::place};
    edit.changes = {replacement(list.test, place, dotted + " _," + operands)};
    edit.strength = strength(semantics(store));
    edit.only_orders = false;
    list.edits.push_back(std::move(edit));
}

bool has_mbarriers(const Test& test) {
    return std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.is_mbarrier; });
}

// The value that the thread knows `location` to have before the place, since it awaited it and no other access of its own followed.
std::optional<uint64_t> awaited_value(const Thread& thread, int before, const Operand& address) {
    for (int i = before; i-- > 0;) {
        const Instruction& instruction = thread.body[static_cast<size_t>(i)];
        const Operand* other = instruction.find(Role::address);
        if (other == nullptr || !(other->name == address.name && other->offset == address.offset)) continue;
        if (instruction.op != Op::ld || !instruction.await || !instruction.expect || instruction.expect->comparison != Operator::eq)
            return std::nullopt;
        const Operand& value = instruction.expect->value;
        return value.kind == Operand::Kind::immediate ? std::optional(value.value) : std::nullopt;
    }
    return std::nullopt;
}

// A store over a value that the thread has waited for becomes the addition that comes to the same, which passes on what was released to it.
void make_addition(EditList& list, ProgramPoint place, const Instruction& store) {
    const Operand* address = store.find(Role::address);
    const Operand* value = store.find(Role::source);
    if (address == nullptr || address->indirect || value == nullptr || value->kind != Operand::Kind::immediate ||
        vector_width(store) != 1 || semantics(store) == Sem::weak || store.find(Role::mbarrier) != nullptr)
        return;
    const std::optional<uint64_t> now = awaited_value(list.test.threads[static_cast<size_t>(place.thread)], place.instruction, *address);
    if (!now || value->value <= *now) return;
    std::string dotted = spelling(store);
    dotted.replace(0, std::string("st").size(), "red");
    dotted.insert(dotted.rfind('.'), ".add");
    const std::string operands = source_text(list.test, {store.spelled.end, value->span.begin}) + std::to_string(value->value - *now);
    for (const Sem sem : {Sem::relaxed, semantics(store)}) {
        const std::string named = renamed(store, dotted, sem, scope(store));
        if (!list.catalogue.has(named)) continue;
        Edit edit{Fault::store_ends_release, place, "make it " + as_code(named + operands), {}, price::place};
        edit.changes = {replacement(list.test, place, named + operands)};
        edit.strength = strength(sem);
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
}

}  // namespace

void add_uses(EditList& list) {
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            const Instruction& instruction = body[static_cast<size_t>(i)];
            if (instruction.op == Op::ld && !instruction.await && vector_width(instruction) == 1 && has_mbarriers(list.test) &&
                list.test.dialect == Dialect::native)
                use_value(list, {t, i}, instruction);
            if (instruction.op == Op::red) make_atomic(list, {t, i}, instruction);
            if (instruction.op == Op::st) make_exchange(list, {t, i}, instruction);
            if ((instruction.op == Op::st || instruction.op == Op::st_async) && list.test.dialect == Dialect::native)
                make_addition(list, {t, i}, instruction);
        }
    }
}

}  // namespace litmus
