// Qualifiers say what an instruction means (ptx/instruction.h); this notes the answers, so that the run does not ask for each lane.
#include "sweep/code.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "kernel/fold.h"
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

const Demands* Step::demands_of(const kernel::Argument& argument) const {
    const kernel::Argument* const first = statement->arguments.data();
    const std::less<> before;  // of any two pointers
    return before(&argument, first) || !before(&argument, first + demands.size()) ? nullptr
                                                                                  : &demands[static_cast<size_t>(&argument - first)];
}

// Of several state spaces the first is the destination's, the second the source's; an mbarrier object lies in shared memory.
std::string_view Step::space(Role role) const {
    if (spaces[1].empty()) return spaces[0];
    const bool is_second = role == Role::copy_from || (role == Role::mbarrier && spaces[0] == "global");
    return spaces[is_second ? 1 : 0];
}

namespace {

constexpr size_t statements_to_check = 256;  // between two looks at the budget

std::array<std::string_view, 2> spaces_of(const kernel::Statement& statement) {
    std::array<std::string_view, 2> spaces;
    size_t n = 0;
    for (const std::string& word : statement.words) {
        const bool is_space = word == "global" || word == "local" || word == "const" || word.rfind("param", 0) == 0 || word == "shared" ||
                              word.rfind("shared::", 0) == 0;
        if (is_space && n < spaces.size()) spaces[n++] = word;
    }
    return spaces;
}

// The role of each argument; a pair, `d|p`, fills two shapes of the form and has the role of the first.
std::vector<Role> roles_of(const Form& form, const std::vector<kernel::Argument>& arguments, bool policy) {
    const auto width = [](const kernel::Argument& argument) {
        return argument.kind == kernel::Argument::Kind::pair ? argument.elements.size() : 1;
    };
    size_t operands = 0, next = 0;
    for (const kernel::Argument& argument : arguments) operands += width(argument);
    const std::vector<const Shape*> shapes = shapes_of(form, false, operands, policy);
    std::vector<Role> roles;
    for (const kernel::Argument& argument : arguments) {
        roles.push_back(next < shapes.size() ? shapes[next]->role : Role::none);
        next += width(argument);
    }
    return roles;
}

// Whether it may read shared memory: a read of what an asynchronous operation writes later has to be performed before.
bool reads_shared(const Step& step) {
    const bool loads = step.name() == "ld" || step.name() == "ldmatrix";
    const std::string_view space = loads ? step.space(Role::address) : "none";
    return space.empty() || space.rfind("shared", 0) == 0;
}

// Arithmetic holds nothing back, nor does a further load; who exchanges values with other lanes does not, either.
bool waits_for_operands(const Step& step) {
    if (!step.form) return step.name() == "bra" || step.name() == "st" || step.name() == "call";
    if (step.form->op == Op::ldmatrix) return false;
    using K = Traits::Kind;
    const K kind = traits(step.form->op).kind;
    return kind != K::arithmetic && kind != K::load && kind != K::warp_reduction && kind != K::hint && kind != K::cancellation_query;
}

// Which reads each statement waits for: those on whose values its operands depend, through whatever arithmetic. Registers are taken to be
// written once, as compilers do it, or each time by the same reads.
void note_waits(std::vector<Step>& steps, const kernel::Plan& plan, const Budget& budget) {
    const auto has_kind = [&](auto... kinds) {
        return std::any_of(steps.begin(), steps.end(),
                           [&](const Step& step) { return step.form && ((traits(step.form->op).kind == kinds) || ...); });
    };
    using K = Traits::Kind;
    if (!has_kind(K::bulk, K::tensor, K::cancellation) || !has_kind(K::mbarrier_arrival)) return;
    constexpr size_t most = 64;  // reads of a register; nobody is taken to wait for more
    std::vector<std::set<uint32_t>> reads(plan.carry + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = 0; s < steps.size(); ++s) {
            if (s % statements_to_check == 0) budget.check();
            std::set<uint32_t> from;
            for (const size_t reg : plan.statements[s].reads) from.insert(reads[reg].begin(), reads[reg].end());
            if (waits_for_operands(steps[s])) {
                steps[s].waits_for.assign(from.begin(), from.end());
                continue;
            }
            if (reads_shared(steps[s])) {
                from.insert(static_cast<uint32_t>(s));
                steps[s].awaited = true;
            }
            for (const size_t reg : plan.statements[s].writes)
                for (const uint32_t read : from)
                    if (reads[reg].size() < most) changed = reads[reg].insert(read).second || changed;
        }
    }
}

bool reads_clock(const kernel::Argument& argument) {
    const bool is_clock = argument.name.rfind("%clock", 0) == 0 || argument.name.rfind("%globaltimer", 0) == 0;
    return (argument.kind == kernel::Argument::Kind::special && is_clock) ||
           std::any_of(argument.elements.begin(), argument.elements.end(), reads_clock);
}

bool is_wait(const Step& step) {
    return step.form && traits(step.form->op).kind == Traits::Kind::mbarrier_wait;
}

// Whether each way from a wait that gave false comes to a wait again, with nothing but arithmetic between. Registers whose values are known
// decide branches; at others both ways are gone.
class Repetition {
public:
    Repetition(const std::vector<Step>& steps, const kernel::Plan& plan) : steps_(steps), plan_(plan) {}

    bool holds(size_t wait) {
        left_ = 400;
        std::map<size_t, uint64_t> known;
        for (const size_t reg : plan_.statements[wait].writes) known[reg] = 0;
        return follow(wait + 1, std::move(known));
    }

private:
    std::optional<uint64_t> value(const kernel::Argument& argument, const std::map<size_t, uint64_t>& known) const {
        if (argument.kind == kernel::Argument::Kind::immediate) return argument.bits;
        if (argument.kind != kernel::Argument::Kind::reg) return std::nullopt;
        const auto found = known.find(static_cast<size_t>(argument.reg));
        if (found == known.end()) return std::nullopt;
        return argument.negated ? 1 - found->second : found->second;
    }

    void compute(const Step& step, size_t at, std::map<size_t, uint64_t>& known) const {
        const auto& arguments = step.statement->arguments;
        std::vector<uint64_t> sources;
        bool all = !arguments.empty();
        for (size_t a = 1; a < arguments.size() && all; ++a) {
            const auto source = value(arguments[a], known);
            all = source.has_value();
            sources.push_back(source.value_or(0));
        }
        for (const size_t reg : plan_.statements[at].writes) known.erase(reg);
        if (!all || arguments[0].kind != kernel::Argument::Kind::reg) return;
        bool carry = false;
        const auto results = step.name() == "mov" ? std::optional(sources) : kernel::fold(step.statement->words, sources, carry);
        if (results) known[static_cast<size_t>(arguments[0].reg)] = results->front();  // setp has two, and one register here
    }

    bool follow(size_t at, std::map<size_t, uint64_t> known) {
        for (; at < steps_.size(); ++at) {
            if (left_-- == 0) return false;
            const Step& step = steps_[at];
            if (is_wait(step)) return true;
            const int guard = step.statement->guard;
            std::optional<bool> taken = guard < 0 ? std::optional(true) : std::nullopt;
            if (guard >= 0 && known.contains(static_cast<size_t>(guard)))
                taken = (known[static_cast<size_t>(guard)] != 0) != step.statement->guard_negated;
            if (step.name() == "bra") {
                if (!taken && !follow(at + 1, known)) return false;
                if (!taken || *taken) at = step.target - 1;
                continue;
            }
            if (taken && !*taken) continue;
            const bool harmless =
                step.form ? traits(step.form->op).kind == Traits::Kind::arithmetic || traits(step.form->op).kind == Traits::Kind::hint
                          : step.computes;
            if (!harmless) return false;
            if (taken)
                compute(step, at, known);
            else
                for (const size_t reg : plan_.statements[at].writes) known.erase(reg);
        }
        return false;
    }

    const std::vector<Step>& steps_;
    const kernel::Plan& plan_;
    size_t left_ = 0;  // steps that are still looked at
};

// Of a load or store that the model does not have, as one of 128 bits, its own words say how strong it is (8.3, 8.4.2).
// Integer reductions of one kind may be exchanged. Sums of floating-point numbers depend on the order, and so do operations of two kinds;
// a minimum of signed numbers is of another kind than one of unsigned numbers.
uint8_t reduction_of(const Instruction& form, Type type) {
    const Operator does = operation(form);
    if (!row(does).commutes || is_float(type)) return 0;
    const bool is_of_signed = row(does).signedness && is_signed(type);
    return static_cast<uint8_t>(2 * static_cast<uint8_t>(does) + (is_of_signed ? 1 : 0));
}

void note_strength(Step& step) {
    if (step.name() != "ld" && step.name() != "st") return;
    if (step.has("volatile")) {
        step.sem = Sem::relaxed;
        step.scope = Scope::sys;
    }
    for (const Sem sem : {Sem::relaxed, Sem::acquire, Sem::release})
        if (step.has(name(sem))) step.sem = sem;
    for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys})
        if (step.has(name(scope))) step.scope = scope;
}

}  // namespace

std::vector<Step> steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget) {
    const kernel::Plan plan = kernel::plan(file, function, budget);
    std::vector<Step> steps;
    for (size_t s = 0; s < function.code.size(); ++s) {
        if (s % statements_to_check == 0) budget.check();
        const kernel::Planned& planned = plan.statements[s];
        Step& step = steps.emplace_back();
        step.statement = &function.code[s];
        step.spaces = spaces_of(*step.statement);
        step.past_caches = step.has("nc");
        step.reads_clock = std::any_of(step.statement->arguments.begin(), step.statement->arguments.end(), reads_clock);
        step.writes_first = planned.writes_first;
        step.computes = planned.writes_first && kernel::computes(step.statement->words);
        step.named = kernel::named(step.statement->words);
        step.reads_carry = kernel::reads_carry(step.statement->words);
        step.converts = kernel::address_conversion(step.statement->words);
        step.writes_carry = kernel::writes_carry(step.statement->words);
        const auto& arguments = step.statement->arguments;
        if (planned.form && planned.form->form->op) {
            step.form = kernel::make(*planned.form, {});
            step.roles = roles_of(*planned.form->form, arguments, step.has("L2::cache_hint"));
            for (const Role role : step.roles)
                step.demands.push_back(
                    {role, number_demands(*step.form, role), alignment_demand(*step.form, role), owner_demand(*step.form, role)});
            step.type = data_type(*step.form);
            step.bytes = static_cast<uint32_t>(std::max(8, bits(step.type)) / 8);
            step.elements = static_cast<uint32_t>(vector_width(*step.form));
            step.sem = semantics(*step.form);
            step.scope = step.sem == Sem::weak ? Scope::none : scope(*step.form);
            if (traits(step.form->op).reduces) step.reduction = reduction_of(*step.form, step.type);
        } else if (const auto type = type_named(step.statement->words.back())) {
            step.type = *type;
            step.bytes = static_cast<uint32_t>(std::max(8, bits(*type)) / 8);
            step.elements = step.has("v8") ? 8 : step.has("v4") ? 4 : step.has("v2") ? 2 : 1;
            note_strength(step);
            step.demands.resize(arguments.size());
            const size_t address = step.name() == "st" ? 0 : 1;
            if (address < arguments.size()) step.demands[address].alignment = {uint64_t{step.bytes} * step.elements, Role::none, "6.4.1"};
        }
        if (step.name() == "bra" && !arguments.empty()) {
            const auto label = function.labels.find(arguments[0].name);
            step.target = label == function.labels.end() ? function.code.size() : label->second;
        }
        if (step.name() == "brx" && arguments.size() > 1) {
            const auto list = function.targets.find(arguments[1].name);
            if (list != function.targets.end()) budget.check();
            if (list != function.targets.end())
                for (const std::string& label : list->second) step.targets.push_back(function.labels.at(label));
        }
    }
    const bool has_open_registers = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
        return step.form && (step.form->op == Op::wgmma_mma || step.form->op == Op::tcgen_load);
    });
    for (size_t s = 0; s < steps.size() && has_open_registers; ++s) {
        steps[s].reads = plan.statements[s].reads;
        steps[s].writes = plan.statements[s].writes;
    }
    note_waits(steps, plan, budget);
    Repetition repetition(steps, plan);
    for (size_t s = 0; s < steps.size(); ++s)
        if (is_wait(steps[s])) {
            budget.check();
            steps[s].repeated = repetition.holds(s);
        }
    return steps;
}

}  // namespace litmus::sweep
