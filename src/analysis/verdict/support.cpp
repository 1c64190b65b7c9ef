// What a test needs of a model, by the base names that a model must mention to speak of it.
#include "analysis/verdict/support.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "ptx/traits.h"

namespace litmus {

namespace {

// One thing a program may do, and the base names of which a model must mention at least one.
struct SupportNeed {
    std::string_view what;
    std::vector<std::string_view> names;
    std::function<bool(const Event&)> applies;
};

bool uses_proxy(const Event& event, Proxy proxy) {
    return event.kind != Event::Kind::init && event.proxy == proxy && !event.alias_fence;
}

bool is_of_kind(const Program& program, const Event& event, std::initializer_list<Traits::Kind> kinds) {
    if (event.thread < 0 || event.instruction < 0) return false;
    const auto& body = program.test->threads[static_cast<size_t>(event.thread)].body;
    return std::find(kinds.begin(), kinds.end(), kind(body[static_cast<size_t>(event.instruction)].op)) != kinds.end();
}

std::vector<SupportNeed> support_needs(const Program& program) {
    return {
        {"the surface proxy", {"SUR"}, [](const Event& e) { return uses_proxy(e, Proxy::surface); }},
        {"the texture proxy", {"TEX"}, [](const Event& e) { return uses_proxy(e, Proxy::texture); }},
        {"the constant proxy", {"CON"}, [](const Event& e) { return uses_proxy(e, Proxy::constant); }},
        {"the async proxy", {"ASYNC"}, [](const Event& e) { return uses_proxy(e, Proxy::async); }},
        {"the tensormap proxy", {"TENSORMAP"}, [](const Event& e) { return uses_proxy(e, Proxy::tensormap); }},
        {"tensor memory", {"TMEM"}, [](const Event& e) { return uses_proxy(e, Proxy::tensor); }},
        {"alias proxy fences", {"ALIAS"}, [](const Event& e) { return e.alias_fence; }},
        {"barriers of a CTA",
         {"syncbar"},
         [&program](const Event& e) {
             return is_of_kind(program, e, {Traits::Kind::cta_barrier, Traits::Kind::quorum, Traits::Kind::warp_barrier});
         }},
        {"asynchronous operations", {"iss"}, [](const Event& e) { return e.kind == Event::Kind::issue; }},
        {"mbarrier objects",
         {"returned"},
         [&program](const Event& e) { return e.is_memory() && program.cells[static_cast<size_t>(e.cell)].is_mbarrier; }},
        {"accesses of 128 bits",
         {"parts"},
         [&program](const Event& e) {
             return e.instruction >= 0 && e.is_memory() &&
                    program.test->locations[static_cast<size_t>(program.cells[static_cast<size_t>(e.cell)].location)].wide;
         }},
        {"strong stores over several locations of other accesses",
         {"parts"},
         [](const Event& e) { return e.kind == Event::Kind::write && e.cells > 1 && e.sem != Sem::weak; }},
        {"several grids", {"completes-grid"}, [](const Event& e) { return e.kind == Event::Kind::grid_start; }},
        {"cluster barriers",
         {"clusterbar"},
         [&program](const Event& e) { return is_of_kind(program, e, {Traits::Kind::cluster_barrier}); }},
    };
}

// The first event that reaches its cell by another address than an event before it did.
std::optional<size_t> second_address(const Program& program) {
    std::map<int, int> address_of;
    for (size_t e = 0; e < program.size(); ++e) {
        const Event& event = program.events[e];
        if (!event.is_memory() || event.kind == Event::Kind::init) continue;
        const auto [known, is_new] = address_of.emplace(event.cell, event.address);
        if (!is_new && known->second != event.address) return e;
    }
    return std::nullopt;
}

bool mentions_any(const Model& model, const std::vector<std::string_view>& names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return model.mentions(name); });
}

[[noreturn]] void refuse(const Program& program, const Model& model, size_t event, std::string_view what,
                         const std::vector<std::string_view>& names) {
    std::string wanted;
    for (const std::string_view name : names) wanted += (wanted.empty() ? "'" : " or '") + std::string(name) + "'";
    throw Failure(program.test->source, span_of(program, event),
                  "model '" + model.name + "' does not cover " + std::string(what) + ": it never mentions " + wanted,
                  "choose a model that does, such as --model ptx");
}

// Calls `visit` for each comparison in the condition.
void for_each_atom(const Condition& condition, const std::function<void(const Condition&)>& visit) {
    if (condition.kind == Condition::Kind::atom) visit(condition);
    for (const Condition& operand : condition.operands) for_each_atom(operand, visit);
}

const Register* find_register(const Program& program, const Term& term) {
    for (const Register& candidate : program.registers)
        if (candidate.thread == term.thread && candidate.name == term.name) return &candidate;
    return nullptr;
}

class ClaimCheck {
public:
    explicit ClaimCheck(const Program& program) : program_(program) {}

    void check(const Condition& condition) {
        for_each_atom(condition, [this](const Condition& atom) {
            check_register(atom.left);
            check_register(atom.right);
        });
    }

    void warn(Span span, std::string message, std::string hint = {}) {
        warnings_.push_back({Diagnostic::Level::warning, program_.test->source, span, std::move(message), std::move(hint)});
    }

    std::vector<Diagnostic> take() { return std::move(warnings_); }

private:
    void check_register(const Term& term) {
        if (term.kind != Term::Kind::reg) return;
        const Register* found = find_register(program_, term);
        if (found != nullptr && found->written) return;
        const std::string& thread = program_.test->threads[static_cast<size_t>(term.thread)].name;
        if (seen_.insert(thread + ":" + term.name).second)
            warn(term.span, "no instruction writes " + thread + ":" + term.name + ", so it is 0 in every execution");
    }

    const Program& program_;
    std::set<std::string> seen_;
    std::vector<Diagnostic> warnings_;
};

// In a test of several grids that does not say when they begin: griddepcontrol, which has no effect there.
const Instruction* idle_grid_dependency(const Test& test) {
    if (!test.grids.empty() || grids_of(test).size() < 2) return nullptr;
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (kind(i.op) == Traits::Kind::grid_trigger || kind(i.op) == Traits::Kind::grid_wait) return &i;
    return nullptr;
}

}  // namespace

void require_support(const Program& program, const Model& model) {
    for (const SupportNeed& need : support_needs(program)) {
        if (mentions_any(model, need.names)) continue;
        for (size_t e = 0; e < program.size(); ++e)
            if (need.applies(program.events[e])) refuse(program, model, e, need.what, need.names);
    }
    const std::vector<std::string_view> virtual_names{"vloc", "ALIAS"};
    if (mentions_any(model, virtual_names)) return;
    if (const auto event = second_address(program))
        refuse(program, model, *event, "virtual aliases, two addresses of one location", virtual_names);
}

std::vector<Diagnostic> claim_warnings(const Program& program, const Answer& answer) {
    const Test& test = *program.test;
    ClaimCheck check(program);
    if (test.filter) check.check(*test.filter);
    check.check(test.claim.condition);
    if (test.filter && answer.nonempty == Answer::Truth::yes && answer.filtered_nonempty == Answer::Truth::no && !answer.bound_hit)
        check.warn(test.filter->span, "no execution passes the filter, so the claim says nothing");
    if (const Instruction* const idle = idle_grid_dependency(test))
        check.warn(idle->span, "nothing says that a grid is launched programmatically, so this does nothing",
                   "`.grid 1 programmatic 0;` lets grid 1 begin before grid 0 has ended; `.grid 1 after 0;` says that it does not");
    return check.take();
}

}  // namespace litmus
