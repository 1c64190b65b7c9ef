// Qualifiers say what an instruction means (ptx/instruction.h); this notes the answers, so that the run does not ask for each lane.
#include "sweep/code.h"

#include <algorithm>

#include "kernel/residual.h"

namespace litmus::sweep {

bool Step::has(std::string_view word) const {
    return std::find(statement->words.begin(), statement->words.end(), word) != statement->words.end();
}

const kernel::Argument* Step::find(Role role) const {
    for (size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == role) return &statement->arguments[i];
    return nullptr;
}

// Of several state spaces the first is the destination's, the second the source's; an mbarrier object lies in shared memory.
std::string_view Step::space(Role role) const {
    std::vector<std::string_view> named;
    for (const std::string& word : statement->words) {
        const bool is_space = word == "global" || word == "local" || word == "const" || word.rfind("param", 0) == 0 || word == "shared" ||
                              word.rfind("shared::", 0) == 0;
        if (is_space) named.push_back(word);
    }
    if (named.empty()) return {};
    if (named.size() == 1) return named[0];
    if (role == Role::copy_from) return named[1];
    if (role == Role::mbarrier && named[0] == "global") return named[1];
    return named[0];
}

std::vector<Step> steps_of(const kernel::Function& function, const Budget& budget) {
    const kernel::Plan plan = kernel::plan(function, budget);
    std::vector<Step> steps;
    for (size_t s = 0; s < function.code.size(); ++s) {
        const kernel::Planned& planned = plan.statements[s];
        Step& step = steps.emplace_back();
        step.statement = &function.code[s];
        step.writes_first = planned.writes_first;
        const auto& arguments = step.statement->arguments;
        if (planned.form && planned.form->form->op) {
            step.form = kernel::make(*planned.form, {});
            for (const Shape* shape : shapes_of(*planned.form->form, false, arguments.size(), step.has("L2::cache_hint")))
                step.roles.push_back(shape->role);
            step.roles.resize(arguments.size(), Role::none);
            step.type = data_type(*step.form);
            step.bytes = static_cast<uint32_t>(std::max(8, bits(step.type)) / 8);
            step.elements = static_cast<uint32_t>(vector_width(*step.form));
            step.sem = semantics(*step.form);
            step.scope = step.sem == Sem::weak ? Scope::none : scope(*step.form);
        } else if (const auto type = type_named(step.statement->words.back())) {
            step.type = *type;
            step.bytes = static_cast<uint32_t>(std::max(8, bits(*type)) / 8);
            step.elements = step.has("v8") ? 8 : step.has("v4") ? 4 : step.has("v2") ? 2 : 1;
        }
        if (step.name() == "bra" && !arguments.empty()) {
            const auto label = function.labels.find(arguments[0].name);
            step.target = label == function.labels.end() ? function.code.size() : label->second;
        }
        if (step.name() == "brx" && arguments.size() > 1) {
            const auto list = function.targets.find(arguments[1].name);
            if (list != function.targets.end())
                for (const std::string& label : list->second) step.targets.push_back(function.labels.at(label));
        }
    }
    return steps;
}

}  // namespace litmus::sweep
