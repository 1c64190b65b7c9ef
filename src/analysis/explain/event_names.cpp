// An instruction is named by thread and line, an event by its instruction and its part in it.
#include "analysis/explain/event_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace litmus {

namespace {

using InBody = std::pair<int, int>;

InBody place_of(const Event& event) {
    return {event.thread, event.instruction};
}

int line_of(const Program& program, size_t event) {
    return program.test->source ? position(*program.test->source, span_of(program, event).begin).line : 0;
}

}  // namespace

EventNames::EventNames(const Execution& execution) : program_(*execution.program) {
    std::map<std::pair<int, int>, std::set<int>> on_line;  // by thread and line: instructions
    for (const size_t e : execution.executed.elements()) {
        const Event& event = program_.events[e];
        of_instruction_[place_of(event)].push_back(e);
        if (event.thread >= 0 && event.instruction >= 0) on_line[{event.thread, line_of(program_, e)}].insert(event.instruction);
    }
    for (const auto& [where, instructions] : on_line)
        for (const int i : instructions)
            if (instructions.size() > 1) ambiguous_.insert({where.first, i});
}

std::string EventNames::full(size_t event) const {
    const Event& e = program_.events[event];
    if (e.thread >= 0 && e.instruction < 0)
        return (e.kind == Event::Kind::grid_start ? "the start of " : "the exit of ") +
               program_.test->threads[static_cast<size_t>(e.thread)].name;
    return e.thread < 0 ? describe(program_, event) : role(event) + describe(program_, event) + round(event);
}

std::string EventNames::mention(size_t event) {
    const InBody place = place_of(program_.events[event]);
    const bool first = mentioned_.insert(place).second;
    if (first || place.first < 0 || place.second < 0 || ambiguous_.count(place) > 0) return full(event);
    const std::string text = describe(program_, event);
    return role(event) + text.substr(0, text.find(' ')) + round(event);
}

// "the read of ", "the write of s[1] by ": nothing for the only event of its instruction.
std::string EventNames::role(size_t event) const {
    const Event& e = program_.events[event];
    const std::vector<size_t>& all = of_instruction_.at(place_of(e));
    const auto like = [&](const auto& is) {
        return std::count_if(all.begin(), all.end(), [&](size_t o) {
            const Event& other = program_.events[o];
            return other.iteration == e.iteration && is(other);
        });
    };
    if (like([](const Event&) { return true; }) == 1) return {};
    if (e.kind == Event::Kind::issue) return "the issue of ";
    const auto same = [&](const Event& o) { return o.kind == e.kind && o.completes == e.completes; };
    const bool one_of_many = e.cell >= 0 && like(same) > 1;
    const std::string where = one_of_many ? " of " + program_.cells[static_cast<size_t>(e.cell)].name + " by " : " of ";
    if (e.completes) return std::string("the completion") + (e.kind == Event::Kind::read ? "'s read" : "") + where;
    if (e.is_memory()) return std::string(e.kind == Event::Kind::read ? "the read" : "the write") + where;
    return {};
}

// " (round 2)" of an instruction that is executed several times.
std::string EventNames::round(size_t event) const {
    const Event& e = program_.events[event];
    std::set<int> iterations;
    for (const size_t other : of_instruction_.at(place_of(e))) iterations.insert(program_.events[other].iteration);
    if (iterations.size() < 2) return {};
    return " (round " + std::to_string(std::distance(iterations.begin(), iterations.find(e.iteration)) + 1) + ")";
}

}  // namespace litmus
