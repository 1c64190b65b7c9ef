// What of a test synchronizes, and the ways to have less of it.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "analysis/weaken/weaken.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using InstructionKind = Traits::Kind;
using Orders = KindTraits::Orders;

Edit way(Fault fault, ProgramPoint place, const std::string& what, std::vector<Change> changes) {
    Edit edit{fault, place, what, std::move(changes), 0};
    edit.only_orders = false;
    return edit;
}

// ---- one instruction ----------------------------------------------------------------------------

void fence_ways(const Test& test, const Catalogue& catalogue, ProgramPoint place, std::vector<Edit>& ways) {
    const Instruction& fence = instruction_at(test, place);
    const bool proxies = fence.op == Op::fence_proxy;
    const Fault gone = proxies ? Fault::proxy_fence_missing : fence.has("mbarrier_init") ? Fault::init_not_ordered : Fault::fence_missing;
    ways.push_back(way(gone, place, "leave it out", {deletion(test, place)}));
    for (const Catalogue::Fence& other : catalogue.fences()) {
        if (!no_stronger(other.meaning, fence) || no_stronger(fence, other.meaning)) continue;
        const Fault fault = proxies                                        ? Fault::proxy_fence_wrong_space
                            : semantics(other.meaning) != semantics(fence) ? Fault::fence_too_weak
                            : scope(other.meaning) != scope(fence)         ? Fault::scope_too_narrow
                                                                           : Fault::fence_too_restricted;
        ways.push_back(way(fault, place, "make it " + as_code(other.name), {respelling(test, place, other.name)}));
    }
}

void access_ways(const Test& test, const Catalogue& catalogue, ProgramPoint place, std::vector<Edit>& ways) {
    const Instruction& access = instruction_at(test, place);
    if (access.has("volatile") || access.has("mmio")) return;
    const std::string spelled = test.source->text.substr(access.spelled.begin, access.spelled.end - access.spelled.begin);
    std::vector<Scope> scopes{Scope::none};
    for (const Scope narrow : catalogue.scopes())
        if (narrow < scope(access)) scopes.push_back(narrow);
    if (scope(access) != Scope::none) scopes.push_back(scope(access));
    for (const Sem sem : {Sem::weak, Sem::relaxed, Sem::acquire, Sem::release, Sem::acq_rel}) {
        if (!no_stronger(sem, semantics(access))) continue;
        for (const Scope narrow : scopes) {
            if (sem == semantics(access) && narrow == scope(access)) continue;
            if (narrow == Scope::none && sem != Sem::weak && scope(access) != Scope::none) continue;  // the default, which may be wider
            const std::string dotted = renamed(access, spelled, sem, narrow);
            if (dotted == spelled || (test.dialect == Dialect::native && !catalogue.has(dotted))) continue;
            const Fault fault = sem == semantics(access)                       ? Fault::scope_too_narrow
                                : sem == Sem::weak                             ? Fault::weak_where_strong_needed
                                : sem == Sem::acquire                          ? Fault::release_missing
                                : sem == Sem::release                          ? Fault::acquire_missing
                                : no_stronger(Sem::acquire, semantics(access)) ? Fault::acquire_missing
                                                                               : Fault::release_missing;
            ways.push_back(way(fault, place, "make it " + as_code(dotted), {respelling(test, place, dotted)}));
        }
    }
}

void wait_ways(const Test& test, const Catalogue& catalogue, ProgramPoint place, std::vector<Edit>& ways) {
    const Instruction& wait = instruction_at(test, place);
    ways.push_back(way(Fault::wait_missing, place, "leave it out", {deletion(test, place)}));
    const std::string spelled = test.source->text.substr(wait.spelled.begin, wait.spelled.end - wait.spelled.begin);
    if (kind(wait.op) == InstructionKind::bulk_wait && catalogue.has(spelled + ".read") && !wait.has("read"))
        ways.push_back(way(Fault::read_waits_for_source_only, place, "make it " + as_code(spelled + ".read"),
                           {respelling(test, place, spelled + ".read")}));
    if (kind(wait.op) == InstructionKind::mbarrier_wait) access_ways(test, catalogue, place, ways);
}

// ---- barriers -----------------------------------------------------------------------------------

bool is_number(const Operand* operand) {
    return operand != nullptr && operand->kind == Operand::Kind::immediate;
}

// Leaves out one use of a barrier in every thread that it is for: the n-th, where all have as many. `barrier` tells which one an
// instruction uses, empty where it uses none.
void add_barrier_parts(const Test& test, std::vector<Part>& parts,
                       const std::function<std::string(const Thread&, const Instruction&)>& barrier) {
    std::map<std::string, std::map<int, std::vector<ProgramPoint>>> uses;  // by barrier and thread
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        const Thread& thread = test.threads[static_cast<size_t>(t)];
        for (int i = 0; i < static_cast<int>(thread.body.size()); ++i) {
            const std::string which = barrier(thread, thread.body[static_cast<size_t>(i)]);
            if (!which.empty()) uses[which][t].push_back({t, i});
        }
    }
    for (const auto& [which, threads] : uses) {
        const size_t count = threads.begin()->second.size();
        if (std::any_of(threads.begin(), threads.end(), [&](const auto& entry) { return entry.second.size() != count; })) continue;
        const bool of_cluster = kind(instruction_at(test, threads.begin()->second.front()).op) == InstructionKind::cluster_barrier;
        const size_t together = of_cluster ? 2 : 1;  // an arrival and a wait
        for (size_t n = 0; n + together <= count; n += together) {
            Part part;
            part.place = threads.begin()->second[n];
            Edit edit = way(Fault::barrier_missing, part.place, "leave it out in all threads", {});
            for (const auto& [t, places] : threads)
                for (size_t k = 0; k < together; ++k) {
                    edit.places.push_back(places[n + k]);
                    edit.changes.push_back(deletion(test, places[n + k]));
                }
            part.ways.push_back(std::move(edit));
            parts.push_back(std::move(part));
        }
    }
}

// ---- what a rule of the ISA asks for ------------------------------------------------------------

// The barrier of the cluster before a pair gives tensor memory back (9.7.16.5, table 47): a test may have none of the accesses for which it
// stands there. It is the last one before.
bool precedes_dealloc_of_pair(const Test& test, ProgramPoint place) {
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(place.thread)].body;
    if (kind(instruction_at(test, place).op) != InstructionKind::cluster_barrier) return false;
    for (size_t i = static_cast<size_t>(place.instruction) + 1; i < body.size(); ++i) {
        if (body[i].op == Op::cluster_arrive) return false;
        if (body[i].op == Op::tcgen_dealloc && cta_group(body[i]) == 2) return true;
    }
    return false;
}

void note_rules(const Test& test, std::vector<Part>& parts) {
    for (Part& part : parts) {
        std::vector<ProgramPoint> places = part.ways.front().places;
        if (places.empty()) places = {part.place};
        if (std::any_of(places.begin(), places.end(), [&](ProgramPoint place) { return precedes_dealloc_of_pair(test, place); }))
            part.asked = "a `tcgen05.dealloc` of a pair lacks the barrier that ISA 9.7.16.5 has before it";
    }
}

}  // namespace

std::vector<Part> parts_of(const Test& test) {
    const Catalogue catalogue(test);
    std::vector<Part> parts;
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        for (int i = 0; i < static_cast<int>(test.threads[static_cast<size_t>(t)].body.size()); ++i) {
            Part part;
            part.place = {t, i};
            const Instruction& instruction = instruction_at(test, part.place);
            const InstructionKind what = kind(instruction.op);
            const Orders orders = traits(what).orders;
            if (orders == Orders::fence)
                fence_ways(test, catalogue, part.place, part.ways);
            else if (orders == Orders::wait && (what != InstructionKind::mbarrier_wait || instruction.await))
                wait_ways(test, catalogue, part.place, part.ways);
            else
                access_ways(test, catalogue, part.place, part.ways);
            if (!part.ways.empty()) parts.push_back(std::move(part));
        }
    }
    const auto owner = [](const Thread& thread) { return std::to_string(thread.at.gpu) + "." + std::to_string(thread.at.cluster); };
    add_barrier_parts(test, parts, [&](const Thread& thread, const Instruction& i) {
        const Operand* count = i.find(Role::threads);
        const bool literal = i.op == Op::bar_sync || (i.op == Op::bar_arrive && count != nullptr);
        if (!literal || i.guard || !is_number(i.find(Role::barrier)) || (count != nullptr && !is_number(count))) return std::string();
        return owner(thread) + "." + std::to_string(thread.at.cta) + " " + std::to_string(i.at(Role::barrier).value) +
               (count != nullptr ? ", " + std::to_string(count->value) : "");
    });
    add_barrier_parts(test, parts, [&](const Thread& thread, const Instruction& i) {
        return kind(i.op) == InstructionKind::cluster_barrier && !i.guard ? owner(thread) : std::string();
    });
    note_rules(test, parts);
    return parts;
}

std::vector<ProgramPoint> not_tried(const Test& test, const std::vector<Part>& parts) {
    std::set<ProgramPoint> tried;
    for (const Part& part : parts) {
        tried.insert(part.place);
        for (const Edit& way : part.ways) tried.insert(way.places.begin(), way.places.end());
    }
    std::vector<ProgramPoint> result;
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t)
        for (int i = 0; i < static_cast<int>(test.threads[static_cast<size_t>(t)].body.size()); ++i) {
            const Instruction& instruction = instruction_at(test, {t, i});
            const bool orders = traits(kind(instruction.op)).orders != Orders::none;
            if (orders && tried.count({t, i}) == 0) result.push_back({t, i});
        }
    return result;
}

}  // namespace litmus
