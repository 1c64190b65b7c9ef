// The table of instructions says which order and wait (ptx/traits.h) and what they may be called otherwise (ptx/table.h).
#include "analysis/needed/parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "kernel/make.h"
#include "kernel/program.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using kernel::Argument;
using kernel::Statement;
using K = Traits::Kind;
using Orders = KindTraits::Orders;

// A statement as the table has it.
struct Listed {
    const Statement* statement = nullptr;
    Instruction form;
    std::string name;  // dotted
};

std::optional<Listed> known(const Statement& statement) {
    const std::string name = kernel::dotted(statement.words);
    auto form = kernel::make(name, {});
    if (!form) return std::nullopt;
    return Listed{&statement, std::move(*form), name};
}

std::string ptx_of(const kernel::Module& module, TextSpan span) {
    return module.source->text.substr(span.begin, span.end - span.begin);
}

// `text` in place of a statement. Lines of the PTX keep their numbers.
PtxEdit in_place(const kernel::Module& module, const Statement& statement, std::string text) {
    const std::string before = ptx_of(module, statement.span);
    const auto lines = [](const std::string& one) { return std::count(one.begin(), one.end(), '\n'); };
    text.append(static_cast<size_t>(std::max<std::ptrdiff_t>(lines(before) - lines(text), 0)), '\n');
    return {&statement, PtxEdit::Where::instead, false, std::move(text)};
}

// Its guard, which stands before the name.
std::string guard_of(const kernel::Module& module, const Listed& one) {
    const std::string text = ptx_of(module, one.statement->span);
    return text.substr(0, std::min(text.find(one.name), text.size()));
}

// Gone. A wait that says whether it is over says so then.
std::optional<PtxEdit> gone(const kernel::Module& module, const Listed& one) {
    const Traits::Result result = traits(one.form.op).result;
    if (result == Traits::Result::none) return in_place(module, *one.statement, "");
    const auto& arguments = one.statement->arguments;
    if (result != Traits::Result::predicate || arguments.empty() || arguments.front().kind != Argument::Kind::reg) return std::nullopt;
    return in_place(module, *one.statement, guard_of(module, one) + "setp.eq.u32 " + ptx_of(module, arguments.front().span) + ", 0, 0;");
}

// Under another name, with the same operands.
std::optional<PtxEdit> renamed_to(const kernel::Module& module, const Listed& one, const std::string& name) {
    std::string text = ptx_of(module, one.statement->span);
    const size_t at = text.find(one.name);
    if (at == std::string::npos) return std::nullopt;
    return in_place(module, *one.statement, text.replace(at, one.name.size(), name));
}

bool has(const kernel::Module& module, const Version& least) {
    int sm = 0;
    const size_t at = std::min(module.target.find('_') + 1, module.target.size());
    std::from_chars(module.target.data() + at, module.target.data() + module.target.size(), sm);
    return least.ptx <= module.ptx && least.sm <= sm;
}

bool has(const kernel::Module& module, const std::string& name) {
    const auto found = resolve(name);
    const auto* spelling = std::get_if<Spelling>(&found);
    return spelling != nullptr && has(module, spelling->least);
}

// ---- the names of what is weaker, the weakest first -------------------------------------------------------------------------------

// As strong as it can be compared: semantics before scopes, since who releases nothing needs no scope.
auto strength_of(const Instruction& form) {
    return std::tuple(strength(semantics(form)), semantics(form), scope(form));
}

std::vector<std::string> weaker_fences(const kernel::Module& module, const Listed& fence) {
    std::vector<std::pair<Instruction, std::string>> found;
    for (const Form& form : forms()) {
        if (form.op != fence.form.op) continue;
        each_name(form, [&](const std::vector<std::string>& words, Version least) {
            const std::string name = with_dots(words);
            const auto meaning = has(module, least) ? kernel::make(name, {}) : std::nullopt;
            // what its operands are like is the same
            if (meaning && form.operands.size() == fence.statement->arguments.size() && no_stronger(*meaning, fence.form) &&
                !no_stronger(fence.form, *meaning))
                found.emplace_back(*meaning, name);
        });
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return strength_of(a.first) < strength_of(b.first); });
    std::vector<std::string> names;
    for (const auto& [meaning, name] : found)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

// Weak where a plain access may be, and else of no wider a scope.
std::vector<std::string> weaker_accesses(const kernel::Module& module, const Listed& access) {
    const Instruction& form = access.form;
    std::vector<std::string> names;
    if (semantics(form) == Sem::weak || form.has("volatile") || form.has("mmio")) return names;
    for (const Sem sem : {Sem::weak, Sem::relaxed, Sem::acquire, Sem::release, Sem::acq_rel}) {
        if (!no_stronger(sem, semantics(form))) continue;
        for (const Scope narrow : {Scope::none, Scope::cta, Scope::cluster, Scope::gpu, Scope::sys}) {
            if (narrow > scope(form) || (sem == Sem::weak) != (narrow == Scope::none && scope(form) != Scope::none)) continue;
            const std::string name = renamed(form, access.name, sem, narrow);
            const auto meaning = has(module, name) ? kernel::make(name, {}) : std::nullopt;
            const bool is_less = meaning && (semantics(*meaning) != semantics(form) || scope(*meaning) != scope(form));
            if (is_less && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
    }
    return names;
}

std::vector<std::string> weaker_names(const kernel::Module& module, const Listed& one) {
    const K what = kind(one.form.op);
    if (what == K::fence || what == K::proxy_fence) return weaker_fences(module, one);
    const std::string reads = one.name + ".read";
    if (what == K::bulk_wait) return one.form.has("read") || !has(module, reads) ? std::vector<std::string>() : std::vector{reads};
    return weaker_accesses(module, one);
}

// One group more may be pending.
std::optional<LessOfIt> one_more(const kernel::Module& module, const std::vector<Listed>& all) {
    LessOfIt less;
    for (const Listed& one : all) {
        const K what = kind(one.form.op);
        const auto& arguments = one.statement->arguments;
        const bool counts = what == K::bulk_wait || what == K::copy_wait || what == K::mma_wait;
        if (!counts || arguments.empty() || arguments.back().kind != Argument::Kind::immediate) return std::nullopt;
        const std::string more = std::to_string(arguments.back().bits + 1);
        std::string text = ptx_of(module, one.statement->span);
        const auto [begin, end] = arguments.back().span;
        text.replace(begin - one.statement->span.begin, end - begin, more);
        less.name = one.name + " " + more;
        less.edits.push_back(in_place(module, *one.statement, std::move(text)));
    }
    return less;
}

// ---- parts ------------------------------------------------------------------------------------------------------------------------

// Instructions of one CUDA line that are spelled alike; a barrier with a number of threads has all that have its number.
using Key = std::tuple<kernel::Origin, std::string, const Statement*>;

Key grouped_by(const Listed& one) {
    const auto& arguments = one.statement->arguments;
    if (kind(one.form.op) == K::cta_barrier && arguments.size() > 1 && arguments.front().kind == Argument::Kind::immediate)
        return {{}, "barrier " + std::to_string(arguments.front().bits), nullptr};
    const kernel::Origin& origin = one.statement->origin;
    return {origin, one.name, origin.empty() ? one.statement : nullptr};
}

// All of them gone; none: not all can go.
std::optional<LessOfIt> all_gone(const kernel::Module& module, const std::vector<Listed>& all) {
    LessOfIt less;
    for (const Listed& one : all) {
        const auto edit = gone(module, one);
        if (!edit) return std::nullopt;
        less.edits.push_back(*edit);
    }
    return less;
}

std::optional<LessOfIt> all_renamed(const kernel::Module& module, const std::vector<Listed>& all, const std::string& name) {
    LessOfIt less{name, {}};
    for (const Listed& one : all) {
        const auto edit = renamed_to(module, one, name);
        if (!edit) return std::nullopt;
        less.edits.push_back(*edit);
    }
    return less;
}

bool is_barrier_with_result(const Instruction& form) {
    return kind(form.op) == K::cta_barrier && traits(form.op).result != Traits::Result::none;
}

Synchronization part_of(const kernel::Module& module, const std::vector<Listed>& all) {
    Synchronization part;
    for (const Listed& one : all) part.statements.push_back(one.statement);
    const auto put = [&](std::optional<LessOfIt> way) {
        if (way) part.ways.push_back(std::move(*way));
    };
    const Listed& first = all.front();
    const bool is_arrival = first.form.op == Op::cluster_arrive;  // it goes with its wait
    if (traits(kind(first.form.op)).orders != Orders::none && !is_arrival) put(all_gone(module, all));
    const bool is_alike = std::all_of(all.begin(), all.end(), [&](const Listed& one) { return one.name == first.name; });
    if (is_alike) {
        put(one_more(module, all));
        for (const std::string& name : weaker_names(module, first)) put(all_renamed(module, all, name));
    }
    return part;
}

}  // namespace

std::vector<Synchronization> synchronizations(const kernel::Module& module, const std::string& entry) {
    std::vector<std::vector<Listed>> groups;
    std::map<Key, size_t> numbers;  // of groups
    for (const kernel::Function& function : module.functions) {
        if (function.entry && function.name != entry) continue;
        std::optional<Listed> arrival;  // at the cluster's barrier, that nothing has waited for
        for (const Statement& statement : function.code) {
            const auto one = known(statement);
            if (!one) continue;
            const auto [at, is_fresh] = numbers.try_emplace(grouped_by(*one), groups.size());
            if (is_fresh) groups.emplace_back();
            groups[at->second].push_back(*one);
            if (one->form.op == Op::cluster_arrive) arrival = one;
            if (one->form.op == Op::cluster_wait && arrival) groups[at->second].push_back(*std::exchange(arrival, std::nullopt));
        }
    }
    std::vector<Synchronization> parts;
    for (const std::vector<Listed>& group : groups) {
        Synchronization part = part_of(module, group);
        if (!part.ways.empty() || is_barrier_with_result(group.front().form)) parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<PtxEdit> marked(const kernel::Module& module, const Synchronization& part) {
    std::vector<PtxEdit> edits;
    for (const Statement* statement : part.statements)
        if (const auto one = known(*statement)) edits.push_back(in_place(module, *statement, guard_of(module, *one) + "trap;"));
    return edits;
}

}  // namespace litmus
