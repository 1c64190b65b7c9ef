// Pseudo-random worlds: in each, every read has a value of its own. One read at a time gets another one; whatever is then
// different in the run, that read can change. (A value that changes something only in worlds that were not drawn is missed;
// programs here are small enough for that to be unlikely.)
#include "influence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "random_program.h"

namespace litmus::naive {
namespace {

constexpr int worlds = 40, worlds_with_clocks = 400;
constexpr int alternatives = 3;
constexpr int result = -2;  // the last number of the StepId of a bar.red's result

class World : public Oracle {
public:
    // `others`: drawn beside what the test itself may read
    World(uint64_t seed, const Memory& memory, const Candidates& candidates, const std::set<uint64_t>& others)
        : seed_(seed), memory_(memory), candidates_(candidates), others_(others) {}

    uint64_t value(const StepId& read, int cell) override {
        const auto number = static_cast<size_t>(cell);
        std::vector<uint64_t> domain(candidates_[number].begin(), candidates_[number].end());
        if (!memory_.cells()[number].is_mbarrier && !memory_.cells()[number].is_tensor_map)
            domain.insert(domain.end(), others_.begin(), others_.end());
        return truncate(domain[draw(read, number + 1) % domain.size()], bits(memory_.cells()[number].type));
    }
    size_t choice(const StepId& at, size_t n) override { return std::get<2>(at) == result ? draw(at) % n : 0; }

    std::map<StepId, uint64_t> changed;  // drawn anew
    std::set<StepId> asked;

private:
    // Another place has another value.
    uint64_t draw(const StepId& id, uint64_t place = 0) {
        asked.insert(id);
        const auto [instruction, iteration, n] = id;
        const auto other = changed.find(id);
        const auto number = static_cast<uint64_t>(instruction * 64 + iteration) * 256 + static_cast<uint64_t>(n + 2);
        return Random(program_seed(seed_ + (other == changed.end() ? 0 : other->second), number + (place << 40))).next() >> 8;
    }
    uint64_t seed_;
    const Memory& memory_;
    const Candidates& candidates_;
    const std::set<uint64_t>& others_;
};

// A thread that looks at a clock in each turn of a loop comes to the last turn in few worlds.
bool has_clock(const Thread& thread) {
    return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) {
        return std::any_of(i.operands.begin(), i.operands.end(),
                           [](const Operand& o) { return o.kind == Operand::Kind::immediate && width_of_unknown(o.name).has_value(); });
    });
}

// Some numbers, and those that the thread compares with or masks by.
std::set<uint64_t> numbers_of(const Thread& thread) {
    std::set<uint64_t> result{0, 1, 2, 3, 0x55, 0xffffffff};
    for (const Instruction& i : thread.body)
        for (const Operand& o : i.operands)
            if (o.kind == Operand::Kind::immediate) result.insert({o.value, o.value + 1});
    return result;
}

// What can be seen of a step. Of a plain store also how and through which address it is made; nothing of these otherwise.
using Manner = std::tuple<int, Sem, Scope, Proxy, bool, bool>;
using Shown = std::tuple<Event::Kind, int, uint64_t, std::optional<Manner>>;

std::optional<Manner> manner(const Event& e) {
    if (e.kind != Event::Kind::write || e.partner >= 0 || e.asynchronous || e.initialises || e.invalidates) return std::nullopt;
    return Manner(e.address, e.sem, e.scope, e.proxy, e.volatile_, e.mmio);
}

struct Run {
    std::map<StepId, Shown> steps;
    std::map<StepId, uint64_t> mentions;
};

Run shown(const Trace& trace) {
    Run run;
    uint64_t uses = 0;  // of barriers, and triggers: an exit stands for those that did not come before it
    for (const Use& use : trace.uses) uses = uses * 64 + static_cast<uint64_t>(use.op) * 16 + use.barrier + 1;
    for (const size_t trigger : trace.triggers) uses = uses * 64 + static_cast<uint64_t>(std::get<0>(trace.steps[trigger].id)) + 1;
    for (const Step& s : trace.steps) {
        const uint64_t value = s.event.kind == Event::Kind::read ? 0 : s.event.kind == Event::Kind::exit ? uses : s.value;
        run.steps[s.id] = {s.event.kind, s.event.cell, value, manner(s.event)};
    }
    for (const Mention& m : trace.mentions) run.mentions[m.id] = m.value;
    return run;
}

// Of a result, the event of its barrier.
StepId event_of(StepId id) {
    if (std::get<2>(id) == result) std::get<2>(id) = 0;
    return id;
}

std::map<StepId, Shown> only_in(const Run& one, const Run& other) {
    std::map<StepId, Shown> result;
    for (const auto& [id, what] : one.steps) {
        const auto there = other.steps.find(id);
        if (there == other.steps.end() || there->second != what) result.emplace(id, what);
    }
    return result;
}

// A store that is made in both runs, whichever instruction makes it, is no difference.
void compare(const Run& a, const Run& b, const StepId& read, Influence& found) {
    std::map<StepId, Shown> here = only_in(a, b), there = only_in(b, a);
    for (auto one = here.begin(); one != here.end();) {
        const auto same = std::find_if(there.begin(), there.end(), [&](const auto& other) {
            return std::get<std::optional<Manner>>(one->second) && other.second == one->second;
        });
        if (same == there.end()) {
            ++one;
            continue;
        }
        there.erase(same);
        one = here.erase(one);
    }
    here.merge(there);
    for (const auto& [id, what] : here)
        if (id != event_of(read)) found.decides.emplace(event_of(read), id);
    for (const auto& [id, value] : a.mentions) {
        const auto there = b.mentions.find(id);
        if (there != b.mentions.end() && there->second != value) found.changes.emplace(event_of(read), id);
    }
}

}  // namespace

Influence influence(const Test& test, Memory& memory, Bounds bounds, int thread, const Candidates& candidates) {
    bounds.drawn = true;
    const Interpreter interpreter(test, memory, bounds);
    const std::set<uint64_t> others = numbers_of(test.threads[static_cast<size_t>(thread)]);
    Influence found;
    const uint64_t drawn = has_clock(test.threads[static_cast<size_t>(thread)]) ? worlds_with_clocks : worlds;
    for (uint64_t w = 0; w < drawn; ++w) {
        World world(w, memory, candidates, others);
        const Run base = shown(interpreter.run(thread, candidates, world, nullptr));
        for (const StepId& read : world.asked) {
            for (uint64_t a = 1; a <= alternatives; ++a) {
                World other(w, memory, candidates, others);
                other.changed[read] = a * 1000;
                compare(base, shown(interpreter.run(thread, candidates, other, nullptr)), read, found);
            }
        }
    }
    return found;
}

}  // namespace litmus::naive
