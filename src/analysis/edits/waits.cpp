// Waits: for groups of asynchronous operations, and for phases of mbarrier objects.
#include <algorithm>
#include <set>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "analysis/edits/mends.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

// ---- groups ------------------------------------------------------------------------------------

// The kinds of groups, which know nothing of each other.
struct Groups {
    Op commit, wait;
    std::string commit_name;
    std::vector<std::string> waits;  // complete instructions that wait for all groups
    bool (*takes_part)(const Instruction&);
    bool waits_for_open = false;  // those waits cover what no commit has closed, too
};

bool in_bulk_group(const Instruction& i) {
    return (kind(i.op) == Traits::Kind::bulk || kind(i.op) == Traits::Kind::tensor) && i.has("bulk_group");
}
bool in_mma_group(const Instruction& i) {
    return kind(i.op) == Traits::Kind::mma;
}
bool is_plain_copy(const Instruction& i) {
    return i.op == Op::async_copy;
}

std::vector<Groups> kinds_of_groups() {
    const auto text = [](std::string_view one) { return std::string(one); };
    using namespace mends;
    return {
        {Op::bulk_commit,
         Op::bulk_wait,
         text(wait_for_bulk.first),
         {text(wait_for_bulk_reads.second), text(wait_for_bulk.second)},
         in_bulk_group},
        {Op::wgmma_commit, Op::wgmma_wait, text(wait_for_products.first), {text(wait_for_products.second)}, in_mma_group},
        {Op::async_commit, Op::async_wait, "cp.async.commit_group", {text(wait_for_copies.first)}, is_plain_copy, true},
    };
}

// A commit that an existing wait lacks: alone, before that wait.
void put_commits(EditList& list, int t, const Groups& groups) {
    const Thread& thread = list.thread(t);
    for (const int gap : gaps(thread, false, false)) {
        bool open = false;
        for (int i = 0; i < gap; ++i) {
            const Instruction& instruction = thread.body[static_cast<size_t>(i)];
            if (groups.takes_part(instruction)) open = true;
            if (instruction.op == groups.commit) open = false;
        }
        if (!open || list.full() || !is_behind(thread, gap, [&](const Instruction& i) { return i.op == groups.wait; })) continue;
        Edit edit{Fault::wait_missing, {t, gap}, "put " + as_code(groups.commit_name), {}, price::place};
        edit.changes = {insertion(list.test, edit.place, groups.commit_name)};
        edit.inserts = true;
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
}

void put_group_waits(EditList& list, int t, const Groups& groups) {
    const Thread& thread = list.thread(t);
    for (const int gap : gaps(thread, false, true)) {
        if (list.full()) return;
        bool any = false, open = false;  // an operation before, one that no commit has closed
        for (int i = 0; i < gap; ++i) {
            const Instruction& instruction = thread.body[static_cast<size_t>(i)];
            if (groups.takes_part(instruction)) any = open = true;
            if (instruction.op == groups.commit) open = false;
        }
        if (!any) continue;
        for (const std::string& wait : groups.waits) {
            const bool commits = open && !groups.waits_for_open;
            Edit edit;
            edit.fault = Fault::wait_missing;
            edit.place = {t, gap};
            if (commits) edit.changes.push_back(insertion(list.test, edit.place, groups.commit_name));
            edit.changes.push_back(insertion(list.test, edit.place, wait));
            edit.what = "put " + (commits ? as_code(groups.commit_name) + " and " : "") + as_code(wait);
            edit.price = price::place;
            edit.inserts = true;
            edit.only_orders = false;
            list.edits.push_back(std::move(edit));
        }
    }
}

// An empty group, as kernels commit when there is nothing left to copy: one of the others is then no longer among those left pending.
void put_empty_group(EditList& list, ProgramPoint place, const Instruction& wait) {
    const Operand* pending = wait.find(Role::groups);
    if (pending == nullptr || pending->kind != Operand::Kind::immediate || pending->value == 0) return;
    for (const Groups& groups : kinds_of_groups()) {
        if (groups.wait != wait.op) continue;
        Edit edit{Fault::group_left_pending, place, "put " + as_code(groups.commit_name) + ", an empty group", {}, price::place};
        edit.changes = {insertion(list.test, place, groups.commit_name)};
        edit.inserts = true;
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
}

// What is there waits for fewer groups, or for the reads of the sources alone.
void widen_group_wait(EditList& list, ProgramPoint place, const Instruction& wait, int number) {
    const std::string written = litmus::written(list.test, place);
    if (wait.has("read")) {
        std::string name = list.test.source->text.substr(wait.spelled.begin, wait.spelled.end - wait.spelled.begin);
        name.erase(name.find(".read"), 5);
        Edit edit{Fault::read_waits_for_source_only, place, "make it " + as_code(name), {respelling(list.test, place, name)}, price::place};
        edit.respells = number;
        list.edits.push_back(std::move(edit));
    }
    const Operand* pending = wait.find(Role::groups);
    if (pending == nullptr || pending->kind != Operand::Kind::immediate) return;
    for (uint64_t n = 0; n < std::min<uint64_t>(pending->value, 4); ++n) {
        Edit edit{Fault::group_left_pending,
                  place,
                  "leave " + std::to_string(n) + " pending",
                  {{pending->span, std::to_string(n)}},
                  price::place};
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
}

// ---- tensor memory -------------------------------------------------------------------------------

// Behind loads from tensor memory, or stores to it, of the thread: the wait for all of them.
void put_tensor_waits(EditList& list, int t) {
    const Thread& thread = list.thread(t);
    for (const auto& [op, wait] : {std::pair(Op::tcgen_load, std::string(mends::wait_for_tensor_loads.first)),
                                   std::pair(Op::tcgen_store, std::string(mends::wait_for_tensor_stores.first))})
        for (const int gap : gaps(thread, false, true)) {
            if (list.full()) return;
            if (std::none_of(thread.body.begin(), thread.body.begin() + gap, [&op = op](const Instruction& i) { return i.op == op; }))
                continue;
            Edit edit{Fault::wait_missing, {t, gap}, "put " + as_code(wait), {insertion(list.test, {t, gap}, wait)}, price::place};
            edit.inserts = true;
            edit.only_orders = false;
            list.edits.push_back(std::move(edit));
        }
}

// ---- grids -----------------------------------------------------------------------------------------

// In a grid that may begin before those that it depends on have completed.
void put_grid_waits(EditList& list, int t) {
    const std::string wait(mends::wait_for_grids.first);
    const Thread& thread = list.thread(t);
    const bool begins_early = std::any_of(list.test.grids.begin(), list.test.grids.end(),
                                          [&](const Grid& g) { return g.number == grid_of(thread.at.cta) && !g.programmatic.empty(); });
    if (!begins_early) return;
    for (const int gap : gaps(thread, true, true)) {
        if (list.full()) return;
        if (std::any_of(thread.body.begin(), thread.body.begin() + gap, [](const Instruction& i) { return i.op == Op::grid_wait; }))
            continue;
        Edit edit{Fault::grid_wait_missing, {t, gap}, "put " + as_code(wait), {insertion(list.test, {t, gap}, wait)}, price::place};
        edit.inserts = true;
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
}

// ---- phases ------------------------------------------------------------------------------------

// How threads of that CTA may wait for a phase of the object: as those do that wait for it already; where none does, in each scope.
std::vector<std::string> phase_waits(const EditList& list, const Location& object, int cta) {
    std::set<std::string> names;
    for (const Thread& thread : list.test.threads)
        for (const Instruction& instruction : thread.body) {
            const Operand* waited = instruction.find(Role::mbarrier);
            if (kind(instruction.op) != Traits::Kind::mbarrier_wait || waited == nullptr || waited->name != object.name ||
                thread.at.cta != cta)
                continue;
            if (!instruction.has("parity")) continue;
            names.insert(spelling(instruction));
            // Where clusters matter, so may the completions of asynchronous operations, which have their scope.
            const std::string wide = renamed(instruction, spelling(instruction), semantics(instruction), Scope::cluster);
            if (list.catalogue.scopes().back() >= Scope::cluster && list.catalogue.has(wide)) names.insert(wide);
        }
    if (!names.empty()) return {names.begin(), names.end()};
    for (const Scope scope : list.catalogue.scopes()) {
        const std::string rest = "_wait.parity.acquire." + std::string(name(scope)) + ".shared::cta.b64";
        if (scope <= Scope::cluster) names.insert((list.catalogue.has("mbarrier.try" + rest) ? "mbarrier.try" : "mbarrier.test") + rest);
    }
    return {names.begin(), names.end()};
}

// Whether the thread initialises the object behind that place: a wait there would come too early in every order.
bool is_initialised_behind(const Thread& thread, int gap, const Location& object) {
    return std::any_of(thread.body.begin() + gap, thread.body.end(), [&](const Instruction& i) {
        const Operand* made = i.find(Role::mbarrier);
        return i.op == Op::mbarrier_init && made != nullptr && made->name == object.name;
    });
}

void put_phase_waits(EditList& list, int t) {
    const Thread& thread = list.thread(t);
    for (const Location& object : list.test.locations) {
        if (!object.is_mbarrier || (object.cta && *object.cta != thread.at.cta)) continue;
        for (const std::string& dotted : phase_waits(list, object, thread.at.cta)) {
            const auto found = resolve(dotted);
            Instruction meaning;
            meaning.op = Op::mbarrier_try_wait;
            meaning.qualifiers = std::get<Spelling>(found).qualifiers;
            for (const int gap : gaps(thread, true, true)) {
                if (list.full()) return;
                if (is_initialised_behind(thread, gap, object)) continue;
                const auto next = std::find_if(thread.body.begin() + gap, thread.body.end(),
                                               [](const Instruction& i) { return on_tensor_memory(i) || i.mnemonic == after_sync; });
                const bool lacks_fence = next != thread.body.end() && on_tensor_memory(*next);
                for (const int parity : {0, 1}) {
                    const std::string text = "await " + dotted + " [" + object.name + "], " + std::to_string(parity);
                    Edit edit{Fault::wait_missing, {t, gap}, "put " + as_code(text), {insertion(list.test, {t, gap}, text)}, 0};
                    edit.price = price::of(meaning);
                    edit.inserts = true;
                    edit.only_orders = false;
                    list.edits.push_back(edit);
                    // What then accesses tensor memory is ordered behind the wait by a fence of its own.
                    if (!lacks_fence) continue;
                    edit.includes = {list.edits.size() - 1};
                    edit.what += " and " + as_code(std::string(after_sync));
                    edit.changes.push_back(insertion(list.test, {t, gap}, std::string(after_sync)));
                    list.edits.push_back(std::move(edit));
                }
            }
        }
    }
}

// Whether the test has as many arrivals as a phase of the object takes. Where it has fewer no phase ends: with the other parity the wait
// would be for nothing, and nothing would be mended but that it is waited for.
bool phases_can_end(const Test& test, const Instruction& wait) {
    const Operand* object = wait.find(Role::mbarrier);
    if (object == nullptr || object->indirect) return true;
    for (const Location& location : test.locations) {
        if (!location.is_mbarrier || location.name != object->name) continue;
        const std::optional<uint64_t> most = most_arrivals(test, location), now = arrivals_now(test, location);
        if (most && now && *most < *now) return false;
    }
    return true;
}

// Whether the wait waits for something with that parity, or is one of several of its thread for the object. Before the first phase ends, a
// wait for parity 1 ends at once: alone it would only be dropped.
bool waits_with(const Test& test, ProgramPoint place, const Instruction& wait, uint64_t parity) {
    const Operand* object = wait.find(Role::mbarrier);
    if (parity == 0 || object == nullptr) return true;
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(place.thread)].body;
    const auto waits_for_it = [&](const Instruction& other) {
        const Operand* waited = other.find(Role::mbarrier);
        return kind(other.op) == Traits::Kind::mbarrier_wait && waited != nullptr && waited->name == object->name;
    };
    return std::count_if(body.begin(), body.end(), waits_for_it) > 1;
}

// The other parity, or a flip of the one that a register holds; and for a wait that is made once and may fail, one that is made until it
// succeeds.
void change_phase_wait(EditList& list, ProgramPoint place, const Instruction& wait) {
    const Operand* parity = wait.find(Role::parity);
    if (parity != nullptr && parity->kind == Operand::Kind::immediate && phases_can_end(list.test, wait) &&
        waits_with(list.test, place, wait, 1 - (parity->value & 1))) {
        const std::string other = std::to_string(1 - (parity->value & 1));
        Edit edit{Fault::wrong_parity, place, "wait for parity " + other, {{parity->span, other}}, price::of(wait)};
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
    if (parity != nullptr && parity->kind == Operand::Kind::reg) {
        const ProgramPoint behind{place.thread, place.instruction + 1};
        const std::string flip = "xor.b32 " + parity->name + ", " + parity->name + ", 1";
        Edit edit{Fault::wrong_parity, behind, "put " + as_code(flip), {insertion(list.test, behind, flip)}, price::of(wait)};
        edit.inserts = true;
        edit.only_orders = false;
        list.edits.push_back(std::move(edit));
    }
    const Operand* result = wait.find(Role::result);
    if (wait.await || result == nullptr) return;
    std::string text = written(list.test, place);
    const size_t from = result->span.begin - (wait.spelled.begin);
    const size_t comma = text.find(',', from);
    text.erase(from, text.find_first_not_of(" \t", comma + 1) - from);
    Edit edit{Fault::wait_not_checked,
              place,
              "make it " + as_code("await " + text),
              {replacement(list.test, place, "await " + text)},
              price::place};
    edit.only_orders = false;
    list.edits.push_back(std::move(edit));
}

}  // namespace

void add_waits(EditList& list) {
    int number = -2;
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        for (const Groups& groups : kinds_of_groups()) {
            put_commits(list, t, groups);
            put_group_waits(list, t, groups);
        }
        put_tensor_waits(list, t);
        put_phase_waits(list, t);
        put_grid_waits(list, t);
        const std::vector<Instruction>& body = list.thread(t).body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            const Instruction& instruction = body[static_cast<size_t>(i)];
            const Traits::Kind what = kind(instruction.op);
            if (what == Traits::Kind::bulk_wait || what == Traits::Kind::copy_wait || what == Traits::Kind::mma_wait) {
                widen_group_wait(list, {t, i}, instruction, --number);
                put_empty_group(list, {t, i}, instruction);
            }
            if (what == Traits::Kind::mbarrier_wait) change_phase_wait(list, {t, i}, instruction);
        }
    }
}

}  // namespace litmus
