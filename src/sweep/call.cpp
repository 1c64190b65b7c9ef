// Calls (ISA 9.7.12.5): functions whose code is here, and a few of the CUDA runtime whose code is not.
#include <algorithm>
#include <bit>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

struct CallParts {
    const Argument* function = nullptr;  // a name, or the register that holds its address
    std::vector<Argument> results, parameters;
};

CallParts parts_of(const kernel::Statement& statement) {
    CallParts parts;
    for (const Argument& argument : statement.arguments) {
        const bool named = parts.function != nullptr;
        if (argument.kind != Argument::Kind::list && !named) parts.function = &argument;
        if (argument.kind == Argument::Kind::list) (named ? parts.parameters : parts.results) = argument.elements;
    }
    return parts;
}

constexpr size_t most_calls = 256;                      // one within another
constexpr uint64_t most_allocated = uint64_t{1} << 24;  // bytes at once
constexpr uint32_t own_bytes_of_work = 16;              // of a thread alone that are copied in the time of an instruction

}  // namespace

void Machine::copy_own(size_t thread, uint64_t from, const Piece& to) {
    effort_.add(to.bytes / own_bytes_of_work);
    own_memory_[thread].copy(from, to.offset, to.bytes, doubts_);
}

// ---- calls ---------------------------------------------------------------------------------------------------------------------------

void Machine::call(Warp& warp, Lanes lanes, const Step& step) {
    const CallParts parts = parts_of(*step.statement);
    for (const uint32_t lane : each(lanes)) {
        if (parts.function == nullptr) fail(warp, lane, step, "it is a call of no function");
        uint64_t number = parts.function->bits;
        if (parts.function->kind == Argument::Kind::reg) {
            const auto* const function = task_.layout.function_at(need(warp, lane, step, *parts.function, "which function is called"));
            const auto& callees = task_.linked->callees;
            const auto at = std::find_if(callees.begin(), callees.end(), [&](const Callee& callee) { return callee.function == function; });
            if (at == callees.end()) fail(warp, lane, step, "it is a call through a pointer that points to no function");
            number = static_cast<uint64_t>(at - callees.begin());
        }
        if (number == outside)
            call_outside(warp, lane, step, *parts.function, parts.results, parts.parameters);
        else
            enter(warp, lane, step, task_.linked->callees[number], parts.parameters);
    }
}

// The function whose statement this is.
const Callee& Machine::callee_at(size_t statement) const {
    const auto& callees = task_.linked->callees;
    const auto after = std::upper_bound(callees.begin(), callees.end(), statement, [](size_t at, const Callee& c) { return at < c.first; });
    return *std::prev(after);
}

void Machine::enter(Warp& warp, uint32_t lane, const Step& step, const Callee& callee, const std::vector<Argument>& given) {
    const auto is_in_it = [&](size_t at) { return &callee_at(at) == &callee; };
    auto& calls = warp.calls[lane];
    if (is_in_it(warp.at[lane]) || std::any_of(calls.begin(), calls.end(), is_in_it))
        fail(warp, lane, step, "`" + callee.function->name + "` is called within itself: recursion is not executed by the sweep");
    if (calls.size() >= most_calls) fail(warp, lane, step, "calls nest more than " + std::to_string(most_calls) + " deep");
    if (given.size() != callee.parameters.size())
        fail(warp, lane, step, "`" + callee.function->name + "` has another number of parameters");
    const size_t thread = warp.first + lane;
    for (size_t p = 0; p < given.size(); ++p) {
        effort_.add(callee.parameters[p].bytes / own_bytes_of_work);
        if (given[p].kind == Argument::Kind::symbol)
            copy_own(thread, given[p].bits, callee.parameters[p]);
        else
            own_memory_[thread].put(callee.parameters[p].offset, callee.parameters[p].bytes, read(warp, lane, given[p]));
    }
    calls.push_back(warp.at[lane]);
    warp.at[lane] = callee.first;
    warp.waiting[lane] = {};
}

// `ret` goes on behind the call, or leaves the kernel.
void Machine::give_back(Warp& warp, Lanes lanes) {
    Lanes out = 0;
    for (const uint32_t lane : each(lanes)) {
        auto& calls = warp.calls[lane];
        if (calls.empty()) {
            out |= Lanes{1} << lane;
            continue;
        }
        const Callee& callee = callee_at(warp.at[lane]);
        const CallParts parts = parts_of(*task_.code[calls.back()].statement);
        for (size_t r = 0; r < std::min(parts.results.size(), callee.results.size()); ++r)
            copy_own(warp.first + lane, callee.results[r].offset, {parts.results[r].bits, callee.results[r].bytes});
        warp.at[lane] = calls.back() + 1;
        warp.waiting[lane] = {};
        calls.pop_back();
    }
    if (out != 0) leave(warp, out);
}

// What the runtime brings: printf says nothing to other threads; memory is allocated as an array that nobody else has yet, and what frees
// it comes after all who used it, as a write would.
void Machine::call_outside(Warp& warp, uint32_t lane, const Step& step, const Argument& function, const std::vector<Argument>& results,
                           const std::vector<Argument>& parameters) {
    const size_t thread = warp.first + lane;
    const Lanes own = Lanes{1} << lane;
    const auto parameter = [&]() -> uint64_t {
        const Value value = parameters.size() == 1 ? own_memory_[thread].get(parameters[0].bits, 8, doubts_) : std::nullopt;
        if (!value) fail(warp, lane, step, "what `" + function.name + "` is given is not computed");
        return *value;
    };
    if (function.name == "__assertfail" || function.name == "__trap") return trap(warp, own, step);
    if (function.name == "malloc") {
        const uint64_t bytes = parameter();
        if (bytes > most_allocated) fail(warp, lane, step, "it allocates more than " + std::to_string(most_allocated) + " bytes");
        const uint64_t address = task_.layout.allocate(bytes);
        Instance& made = instances_[spot_of(warp, lane, step, "", address).number];
        made.known.assign(made.bytes.size(), false);
        for (const Argument& result : results) own_memory_[thread].put(result.bits, 8, address);
    } else if (function.name == "free") {
        const uint64_t address = parameter();
        if (address != 0) {
            const Spot freed = spot_of(warp, lane, step, "", address);
            observer_.touch(freed, instances_[freed.number].bytes.size(), observer_.own_access(observer_.thread(thread), step, true), step);
        }
    } else if (function.name == "vprintf") {
        for (const Argument& result : results) own_memory_[thread].put(result.bits, 4, std::nullopt);
    } else {
        fail(warp, lane, step, "a call of `" + function.name + "`, whose code is not in this file");
    }
    next(warp, own);
}

// Who comes here breaks off the whole kernel (9.7.19.4).
void Machine::trap(Warp& warp, Lanes lanes, const Step& step) {
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    account_.find(Breach::trap, {}, {place(thread(warp, first), step)});
    leave(warp, lanes);
}

}  // namespace litmus::sweep
