// The sweep runs the test as a kernel (as_kernel.h); the model's answer is that of `litmus check`.
#include "sweep/against_model.h"

#include <algorithm>
#include <optional>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/support.h"
#include "ptx/value.h"
#include "sweep/as_kernel.h"
#include "sweep/left.h"
#include "sweep/orders.h"

namespace litmus {

namespace {

constexpr size_t most_outcomes = 512;
constexpr double most_seconds = 20;

// The model does not cover everything, and has no room for everything: such a refusal is no broken rule (model/semantics.md, 9, "Not
// modelled").
bool is_outside_of_the_model(const std::string& refusal) {
    return refusal.find("partial overlap") != std::string::npos || refusal.find("not modelled") != std::string::npos ||
           refusal.find("overlaps both halves") != std::string::npos || refusal.find("this test has more than") != std::string::npos;
}

std::string findings_of(const sweep::Swept& swept) {
    std::string text;
    for (const sweep::Finding& finding : swept.findings) text += "    " + finding.text + "\n";
    for (const std::string& condition : swept.conditions) text += "    (condition) " + condition + "\n";
    return text.empty() ? "    nothing\n" : text;
}

std::string hazards_of(const Program& program, const Hazards& hazards) {
    std::string text;
    for (const HazardText& hazard : explain(program, hazards)) {
        text += "    " + hazard.title + "\n";
        for (const std::string& line : hazard.lines) text += "      " + line + "\n";
    }
    return text.empty() ? "    nothing\n" : text;
}

// A word in global memory, if the sweep has computed it and no other order of the threads may leave something else.
std::optional<uint64_t> computed(const sweep::Contents& contents, size_t begin, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
        if (!contents.known[begin + i] || contents.doubts.contains(begin + i)) return std::nullopt;
        value |= static_cast<uint64_t>(contents.bytes[begin + i]) << (8 * i);
    }
    return value;
}

// Compares each word with all outcomes; the first one that differs, in words.
std::string different_word(const Test& test, const sweep::Left& left, const Answer& answer, size_t& compared) {
    size_t array = 0;
    for (const Location& location : test.locations) {
        if (location.space != Space::global) continue;
        const sweep::Contents& contents = left.arrays[array++];
        const auto bytes = static_cast<size_t>(bits(location.type) / 8);
        for (size_t e = 0; e < static_cast<size_t>(location.count); ++e) {
            const std::string name = location.name + (location.count > 1 ? "[" + std::to_string(e) + "]" : "");
            const auto shown = std::find_if(answer.observables.begin(), answer.observables.end(),
                                            [&](const Observable& one) { return one.in_memory && one.name == name; });
            const auto value = computed(contents, e * bytes, bytes);
            if (shown == answer.observables.end() || !value) continue;
            ++compared;
            for (const Outcome& outcome : answer.outcomes) {
                const uint64_t other =
                    truncate(outcome.values[static_cast<size_t>(shown - answer.observables.begin())], bits(location.type));
                if (other != *value)
                    return "  the sweep leaves " + std::to_string(*value) + " in " + name + ", an outcome of the model has " +
                           std::to_string(other) + "\n";
            }
        }
    }
    return {};
}

// Runs the kernel, and in more orders where it has a condition or elects a lane. So does `litmus kernel`.
sweep::Swept sweep_of(const TestAsKernel& kernel) {
    sweep::Options how;
    how.gpus = kernel.gpus;
    how.leaves = true;
    sweep::Swept swept = sweep::sweep(kernel.module, kernel.launch, how);
    if (swept.conditions.empty() && !swept.elects) return swept;
    how.explores = true;
    sweep::Swept all = std::move(sweep::sweep_stream({{&kernel.module, &kernel.launch}}, how).front().swept);
    return all;  // what memory holds in the end is that of one order
}

}  // namespace

std::string kind_of_refusal(const std::string& refusal) {
    std::string why = refusal.substr(0, refusal.find('\n'));
    for (const std::string mark : {" of block ", "error: ", "cannot run on the GPU"})
        if (const size_t at = why.find(mark); at != std::string::npos) why = why.substr(at + mark.size());
    std::erase_if(why, [](char c) { return c >= '0' && c <= '9'; });
    return why.substr(0, 100);
}

std::string text_of(const Judged& said) {
    return said.wrong ? said.stuck ? "wrong, and stuck" : "wrong" : said.stuck ? "stuck" : "nothing";
}

Judged judged(const sweep::Swept& swept, bool leaves) {
    Judged said;
    for (const sweep::Finding& finding : swept.findings)
        if (finding.kind != sweep::Kind::in_flight || !leaves) (finding.kind == sweep::Kind::stuck ? said.stuck : said.wrong) = true;
    return said;
}

Judged judged(const Hazards& hazards) {
    const bool races =
        std::any_of(hazards.found.begin(), hazards.found.end(), [](const Hazard& h) { return h.kind == Hazard::Kind::race; });
    return {races || hazards.undefined != Truth::no, hazards.blocked != Truth::no};
}

bool agree(const Judged& one, const Judged& other) {
    return one == other || (one.wrong && other.wrong) || (one.stuck && other.stuck);
}

Comparison compare_with_model(const Test& test, ModelFamily& models, Solver& solver) {
    Comparison result;
    const auto refused = [&](const std::string& who, const std::string& why) {
        result.kind = Comparison::Kind::refused;
        result.why = who + ": " + kind_of_refusal(why);
        return result;
    };
    sweep::Swept swept;
    try {
        swept = sweep_of(as_kernel(test));
    } catch (const Failure& failure) {
        return refused("the sweep", failure.what());
    }
    result.condition = !swept.conditions.empty();
    result.practice = !swept.practices.empty() && swept.findings.empty();  // a finding is one by the letter
    result.detours = swept.took_detours;
    const Model& model = result.practice ? models.under(models.readings("default,vector-whole")) : models.by_default();
    result.strong_races = std::all_of(swept.findings.begin(), swept.findings.end(), [](const sweep::Finding& f) {
        return f.clash && (f.clash->earlier.scope != Scope::none || f.clash->later.scope != Scope::none);
    });
    const bool by_schedule =
        std::any_of(swept.findings.begin(), swept.findings.end(), [](const sweep::Finding& f) { return f.kind == sweep::Kind::phase; });
    const auto differ = [&](const std::string& answer) {
        result.kind = Comparison::Kind::differs;
        result.why = "  the sweep says\n" + findings_of(swept) + "  the model says\n" + answer;
        return result;
    };
    // Compares the two answers; `answer` is the model's in words.
    const auto settle = [&](const Judged& of_model, const Judged& of_sweep, const std::string& answer) {
        result.model = of_model;
        result.sweep = of_sweep;
        if (agree(of_model, of_sweep) || (by_schedule && of_model.any()))
            result.kind = of_model.any()     ? Comparison::Kind::found
                          : result.condition ? Comparison::Kind::conditional
                                             : Comparison::Kind::clean;
        else if (by_schedule)
            result.kind = Comparison::Kind::by_schedule;
        else if (result.condition && of_model.any())
            result.kind = Comparison::Kind::conditional;  // what is wrong may come up in another order alone
        else
            return differ(answer);
        return result;
    };
    std::optional<Program> program;
    try {
        program.emplace(build_program(test, {.blocked = true, .budget = Budget(most_seconds)}));
        require_support(*program, model);
    } catch (const Failure& failure) {
        if (is_outside_of_the_model(failure.what())) return refused("the model", failure.what());
        result.rule = kind_of_refusal(failure.what());
        const Judged of_sweep = judged(swept, false);
        return settle({true, of_sweep.stuck}, of_sweep, "    " + std::string(failure.what()) + "\n");
    }
    SolveOptions how;
    how.max_outcomes = most_outcomes;
    how.all_state = true;
    const Answer answer = solver.solve(*program, model, how);
    const Hazards& hazards = *answer.hazards;
    const bool open = answer.timed_out || answer.out_of_memory || !answer.gave_up.empty() || answer.bound_hit ||
                      hazards.undefined == Truth::unknown || hazards.blocked == Truth::unknown || !hazards.races_complete;
    if (open) return refused("the model", "it leaves an answer open");
    for (const HazardText& hazard : explain(*program, hazards))
        if (std::find(result.hazards.begin(), result.hazards.end(), hazard.title) == result.hazards.end())
            result.hazards.push_back(hazard.title);
    const Judged of_model = judged(hazards), all = judged(swept, false), here = judged(swept, raises(hazards, in_flight_at_exit));
    settle(of_model, of_model == here ? here : all, hazards_of(*program, hazards));
    // which lane is elected, the sweep takes for all the same
    if (result.kind != Comparison::Kind::clean || !answer.complete || !swept.left || swept.elects) return result;
    const std::string other = different_word(test, *swept.left, answer, result.values);
    return other.empty() ? result : differ(other);
}

}  // namespace litmus
