// Edits that only add order: fences, and stronger names for what is there.
#include <algorithm>
#include <set>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

bool is_proxy_fence(const Instruction& instruction) {
    return instruction.op == Op::fence_proxy;
}

// Whether a fence that is there names no other object than these operands do.
bool of_one_object(const Instruction& fence, const std::string& operands) {
    const Operand* address = fence.find(Role::address);
    return address == nullptr || address->indirect || operands.find("[" + address->name + "]") != std::string::npos;
}

// What a fence that is put in stands for.
Fault fault_of_insertion(const Test& test, int thread, const Instruction& fence, const std::string& operands) {
    if (fence.has("mbarrier_init")) return Fault::init_not_ordered;
    if (!is_proxy_fence(fence)) return Fault::fence_missing;
    bool here = false, elsewhere = false;
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (const Instruction& other : test.threads[t].body)
            if (is_proxy_fence(other) && no_stronger(fence, other) && of_one_object(other, operands))
                (static_cast<int>(t) == thread ? here : elsewhere) = true;
    if (here) return Fault::proxy_fence_misplaced;
    return elsewhere ? Fault::proxy_fence_wrong_thread : Fault::proxy_fence_missing;
}

Fault fault_of_respelling(const Instruction& instruction, Sem sem) {
    const Sem now = semantics(instruction);
    if (sem == now) return Fault::scope_too_narrow;
    if (kind(instruction.op) == Traits::Kind::fence) return Fault::fence_too_weak;
    if (now == Sem::weak) return Fault::weak_where_strong_needed;
    return sem == Sem::release || (sem == Sem::acq_rel && now == Sem::acquire) ? Fault::release_missing : Fault::acquire_missing;
}

// Of the edits from `first` on, which respell one instruction: those that add no more than another. `less(i, j)` says whether
// the i-th does not exceed the j-th.
template <class Less>
void note_inclusions(EditList& list, size_t first, const Less& less) {
    for (size_t i = first; i < list.edits.size(); ++i)
        for (size_t j = first; j < list.edits.size(); ++j)
            if (i != j && list.edits[i].only_orders && list.edits[j].only_orders && less(i - first, j - first))
                list.edits[j].includes.push_back(i);
}

// Fences that are there, called otherwise.
void respell_fence(EditList& list, ProgramPoint place, const Instruction& instruction, int number) {
    const size_t first = list.edits.size();
    std::vector<const Instruction*> meanings;
    for (const Catalogue::Fence& fence : list.catalogue.fences()) {
        const bool stronger = no_stronger(instruction, fence.meaning) && !no_stronger(fence.meaning, instruction);
        const bool other_space = is_proxy_fence(instruction) && is_proxy_fence(fence.meaning) &&
                                 proxy(instruction) == proxy(fence.meaning) && semantics(instruction) == semantics(fence.meaning) &&
                                 !no_stronger(fence.meaning, instruction);
        if (!stronger && !other_space) continue;
        Edit edit;
        const bool other_reach = semantics(instruction) != semantics(fence.meaning) || scope(instruction) != scope(fence.meaning);
        edit.fault = is_proxy_fence(instruction) ? (other_reach ? Fault::scope_too_narrow : Fault::proxy_fence_wrong_space)
                     : !other_reach              ? Fault::fence_too_restricted
                     : semantics(instruction) != semantics(fence.meaning) ? Fault::fence_too_weak
                                                                          : Fault::scope_too_narrow;
        edit.place = place;
        edit.what = "make it " + as_code(fence.name);
        edit.changes = {respelling(list.test, place, fence.name)};
        edit.price = price::of(fence.meaning);
        edit.strength = litmus::strength(semantics(fence.meaning));
        edit.only_orders = stronger;
        edit.respells = number;
        list.edits.push_back(std::move(edit));
        meanings.push_back(&fence.meaning);
    }
    note_inclusions(list, first, [&](size_t i, size_t j) { return no_stronger(*meanings[i], *meanings[j]); });
}

void respell_access(EditList& list, ProgramPoint place, const Instruction& instruction, int number) {
    const std::string& text = list.test.source->text;
    const std::string spelled = text.substr(instruction.spelled.begin, instruction.spelled.end - instruction.spelled.begin);
    if (instruction.has("volatile") || instruction.has("mmio")) return;
    const size_t first = list.edits.size();
    std::vector<std::pair<Sem, Scope>> strengths;
    const Sem now = semantics(instruction);
    std::vector<Scope> scopes = list.catalogue.scopes();
    if (std::find(scopes.begin(), scopes.end(), scope(instruction)) == scopes.end()) scopes.push_back(scope(instruction));
    for (const Sem sem : {Sem::relaxed, Sem::acquire, Sem::release, Sem::acq_rel, Sem::sc}) {
        if (!no_stronger(now, sem)) continue;
        for (const Scope wide : scopes) {
            if ((sem == now && wide == scope(instruction)) || wide < scope(instruction)) continue;
            const std::string dotted = renamed(instruction, spelled, sem, wide);
            if (dotted == spelled || (list.test.dialect == Dialect::native && !list.catalogue.has(dotted))) continue;
            Edit edit;
            edit.fault = fault_of_respelling(instruction, sem);
            edit.place = place;
            edit.what = "make it " + as_code(dotted);
            edit.changes = {respelling(list.test, place, dotted)};
            edit.price = price::at(kind(instruction.op) == Traits::Kind::cluster_barrier ? Scope::cluster : wide, sem);
            if (now == Sem::weak && instruction.origin.line > 0) edit.price += price::data_of_a_kernel;
            edit.strength = litmus::strength(sem);
            edit.respells = number;
            list.edits.push_back(std::move(edit));
            strengths.emplace_back(sem, wide);
        }
    }
    note_inclusions(list, first, [&](size_t i, size_t j) {
        return no_stronger(strengths[i].first, strengths[j].first) && strengths[i].second <= strengths[j].second;
    });
}

}  // namespace

namespace {

// Where the ISA has the first word of `put` among the words of a name that lacks it: behind the last of those that it
// has before it. What is no PTX (other formats leave out types) has it behind the mnemonic.
size_t place_of(const std::vector<std::string>& put, const std::vector<std::string>& words, size_t mnemonic) {
    std::vector<std::string> all = words;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(mnemonic), put.begin(), put.end());
    const auto found = resolve(with_dots(all));
    const Spelling* spelled = std::get_if<Spelling>(&found);
    if (!spelled) return mnemonic;
    const std::vector<std::string>& order = spelled->qualifiers;
    const auto behind = std::find(order.begin(), order.end(), put.front());
    size_t at = words.size();
    while (at > mnemonic && std::find(order.begin(), behind, words[at - 1]) == behind) --at;
    return at;
}

}  // namespace

// The words stand where those stood that said it before, and else where the ISA has them.
std::string renamed(const Instruction& instruction, const std::string& dotted, Sem sem, Scope scope) {
    std::vector<std::string> words, result;
    for (size_t from = 0; from <= dotted.size();) {
        const size_t end = std::min(dotted.find('.', from), dotted.size());
        words.push_back(dotted.substr(from, end - from));
        from = end + 1;
    }
    const auto is_strength = [](const std::string& word) {
        for (const Sem s : {Sem::weak, Sem::relaxed, Sem::acquire, Sem::release, Sem::acq_rel, Sem::sc})
            if (word == name(s)) return true;
        for (const Scope s : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys})
            if (word == name(s)) return true;
        return false;
    };
    // `.cluster` may be part of the mnemonic.
    const size_t mnemonic = static_cast<size_t>(std::count(instruction.mnemonic.begin(), instruction.mnemonic.end(), '.')) + 1;
    size_t at = mnemonic;
    while (at < words.size() && !is_strength(words[at])) ++at;
    std::vector<std::string> put{std::string(name(sem))};
    if (scope != Scope::none) put.emplace_back(name(scope));
    if (at == words.size()) at = place_of(put, words, mnemonic);
    for (size_t i = 0; i <= words.size(); ++i) {
        if (i == at) result.insert(result.end(), put.begin(), put.end());
        if (i < words.size() && (i < mnemonic || !is_strength(words[i]))) result.push_back(words[i]);
    }
    return without_hints_refused(with_dots(result));
}

std::vector<int> gaps(const Thread& thread, bool at_start, bool at_end) {
    std::vector<int> result;
    const int size = static_cast<int>(thread.body.size());
    for (int gap = at_start ? 0 : 1; gap <= size; ++gap) {
        if (gap == size && !at_end) break;
        // Behind what makes no event is as well as before it, unless something jumps there.
        const bool silent = gap > 0 && is_arithmetic(thread.body[static_cast<size_t>(gap) - 1].op);
        const bool label = gap < size && !thread.body[static_cast<size_t>(gap)].labels.empty();
        if (!silent || label || (gap == 1 && !at_start)) result.push_back(gap);
    }
    return result;
}

namespace {

// ---- where a fence can matter ---------------------------------------------------------------------

using InstructionKind = Traits::Kind;

bool is_signal(const Instruction& instruction) {
    switch (kind(instruction.op)) {
        case InstructionKind::cta_barrier:
        case InstructionKind::quorum:
        case InstructionKind::warp_barrier:
        case InstructionKind::cluster_barrier:
        case InstructionKind::mbarrier_arrival:
        case InstructionKind::copy_arrive:
        case InstructionKind::from_registers:
            return true;
        case InstructionKind::store:
        case InstructionKind::atomic:
            return semantics(instruction) != Sem::weak;
        default:
            return false;
    }
}

bool is_wait(const Instruction& instruction) {
    const InstructionKind what = kind(instruction.op);
    if (what == InstructionKind::load || what == InstructionKind::atomic) return semantics(instruction) != Sem::weak;
    return what == InstructionKind::mbarrier_wait || (traits(instruction.op).waits && is_signal(instruction));
}

bool writes_memory(const Instruction& instruction) {
    const InstructionKind what = kind(instruction.op);
    return what == InstructionKind::map_write || what == InstructionKind::store || what == InstructionKind::atomic ||
           what == InstructionKind::fill;
}

bool is_branch(const Instruction& instruction) {
    return kind(instruction.op) == InstructionKind::branch;
}

// `tcgen05.fence::before_thread_sync` stands before a signal, behind what it orders; `::after_thread_sync` behind a wait, and behind the
// branch that repeats it. Between these places it orders no more.
bool fits_tensor_fence(const Thread& thread, int gap, const Instruction& fence) {
    const auto next =
        std::find_if_not(thread.body.begin() + gap, thread.body.end(), [](const Instruction& i) { return is_arithmetic(i.op); });
    if (next == thread.body.end()) return false;
    if (fence.mnemonic == before_sync) return is_signal(*next) && is_before(thread, gap, on_tensor_memory);
    int last = gap - 1;
    while (last > 0 && is_branch(thread.body[static_cast<size_t>(last)])) --last;
    return !is_branch(*next) && is_wait(thread.body[static_cast<size_t>(last)]) && is_behind(thread, gap, on_tensor_memory);
}

// With what operands a fence can be put there: one without operands with none, that of wgmma before a multiplication; the acquiring
// half of the fence for tensor maps with each map by which the thread then copies, the releasing half behind what may have written one.
// Nothing where it orders nothing.
std::vector<std::string> operands_at(const Test& test, ProgramPoint place, const Instruction& fence) {
    const Thread& thread = test.threads[static_cast<size_t>(place.thread)];
    const int gap = place.instruction;
    if (kind(fence.op) == InstructionKind::mma_fence) {
        const bool useful = kind(thread.body[static_cast<size_t>(gap)].op) == InstructionKind::mma;
        return useful ? std::vector<std::string>{""} : std::vector<std::string>();
    }
    if (gap == 0) return {};  // nothing before it that it could order
    if (kind(fence.op) == InstructionKind::tcgen_fence)
        return fits_tensor_fence(thread, gap, fence) ? std::vector<std::string>{""} : std::vector<std::string>();
    if (kind(fence.op) != InstructionKind::proxy_fence || proxy(fence) != Proxy::tensormap) return {""};
    if (semantics(fence) == Sem::release)
        return is_before(thread, gap, writes_memory) ? std::vector<std::string>{""} : std::vector<std::string>();
    std::set<std::string> maps;
    for (const Instruction& copy : thread.body) {
        const std::string map = map_used(test, copy);
        if (map.empty() || !is_behind(thread, gap, [&](const Instruction& i) { return map_used(test, i) == map; })) continue;
        const bool known =
            find_location(test, map) != nullptr || std::any_of(thread.body.begin(), thread.body.begin() + gap, [&](const Instruction& i) {
                const std::vector<std::string> written = written_registers(i);
                return std::count(written.begin(), written.end(), map) > 0;
            });
        if (known) maps.insert(" [" + map + "], 128");
    }
    return {maps.begin(), maps.end()};
}

}  // namespace

void add_fences(EditList& list) {
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const Thread& thread = list.test.threads[static_cast<size_t>(t)];
        const std::vector<int> places = gaps(thread, false, false);
        for (int gap = 0; gap < static_cast<int>(thread.body.size()); ++gap) {
            if (std::count(places.begin(), places.end(), gap) == 0 &&
                kind(thread.body[static_cast<size_t>(gap)].op) != InstructionKind::mma)
                continue;
            if (list.full()) return;
            const size_t first = list.edits.size();
            std::vector<std::pair<const Instruction*, std::string>> put;
            for (const Catalogue::Fence& fence : list.catalogue.fences())
                for (const std::string& operands : operands_at(list.test, {t, gap}, fence.meaning)) {
                    Edit edit;
                    edit.fault = fault_of_insertion(list.test, t, fence.meaning, operands);
                    edit.place = {t, gap};
                    edit.what = "put " + as_code(fence.name + operands);
                    edit.changes = {insertion(list.test, edit.place, fence.name + operands)};
                    edit.price = price::of(fence.meaning);
                    edit.strength = litmus::strength(semantics(fence.meaning));
                    edit.inserts = true;
                    edit.only_orders =
                        kind(fence.meaning.op) != InstructionKind::mma_fence;  // it orders no memory: registers may then be used
                    list.edits.push_back(std::move(edit));
                    put.emplace_back(&fence.meaning, operands);
                }
            note_inclusions(list, first, [&](size_t i, size_t j) {
                return put[i].second == put[j].second && no_stronger(*put[i].first, *put[j].first);
            });
        }
    }
}

void add_respellings(EditList& list) {
    int number = 0;
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i, ++number) {
            if (list.full()) return;
            const Instruction& instruction = body[static_cast<size_t>(i)];
            if (instruction.op == Op::fence || instruction.op == Op::fence_proxy)
                respell_fence(list, {t, i}, instruction, number);
            else
                respell_access(list, {t, i}, instruction, number);
        }
    }
}

}  // namespace litmus
