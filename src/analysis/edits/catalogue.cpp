// The fences of the table that concern a test.
#include "analysis/edits/catalogue.h"

#include <algorithm>
#include <set>

#include "ptx/traits.h"

namespace litmus {

namespace {

// A family may have several mnemonics, `membar` for `fence`; the first one is offered.
bool is_some_fence(const Form& form) {
    return form.op && traits(kind(*form.op)).orders == KindTraits::Orders::fence && form.mnemonic_words.front() != "membar";
}

// Whether some instruction or placement of the test has to do with clusters.
bool mentions_clusters(const Test& test) {
    for (const Thread& thread : test.threads) {
        if (number_in_grid(thread.at.cluster) != 0) return true;
        for (const Instruction& instruction : thread.body) {
            if (kind(instruction.op) == Traits::Kind::cluster_barrier) return true;
            for (const std::string& qualifier : instruction.qualifiers)
                if (qualifier.find("cluster") != std::string::npos) return true;
        }
    }
    return false;
}

// What a fence is restricted to: the word of the space, or of another restriction; empty: nothing.
std::string restriction(const Instruction& fence) {
    for (const std::string& qualifier : fence.qualifiers) {
        if (qualifier.rfind("sync_restrict", 0) == 0 || qualifier == "mbarrier_init") return qualifier;
        if (qualifier == "global" || qualifier.rfind("shared", 0) == 0) return qualifier;
    }
    return {};
}

// Of two restrictions, each a word of a fence.
bool no_wider(const std::string& a, const std::string& b) {
    return a == b || b.empty() || (a == "shared::cta" && b == "shared::cluster");
}

// What a proxy fence is about: "alias", "async", "async::generic", "surface" ...
std::string proxy_kind(const Instruction& fence) {
    return fence.qualifiers.empty() ? std::string() : fence.qualifiers.front();
}

}  // namespace

std::string map_used(const Test& test, const Instruction& instruction) {
    const Operand* tensor = instruction.find(Role::tensor);
    if (tensor == nullptr) return {};
    const Location* map = find_location(test, tensor->name);
    return tensor->indirect || (map != nullptr && map->is_tensor_map) ? tensor->name : std::string();
}

std::string with_dots(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

bool no_stronger(Sem a, Sem b) {
    if (a == b || a == Sem::weak) return true;
    if (a == Sem::relaxed) return b != Sem::weak;
    if (a == Sem::acquire || a == Sem::release) return b == Sem::acq_rel || b == Sem::sc;
    return a == Sem::acq_rel && b == Sem::sc;
}

bool no_stronger(const Instruction& a, const Instruction& b) {
    if (a.op != b.op || !no_wider(restriction(a), restriction(b))) return false;
    if (a.op == Op::fence_proxy) return proxy_kind(a) == proxy_kind(b) && semantics(a) == semantics(b) && scope(a) <= scope(b);
    if (a.op != Op::fence) return a.mnemonic == b.mnemonic;
    return no_stronger(semantics(a), semantics(b)) && scope(a) <= scope(b);
}

Catalogue::Catalogue(const Test& test) : test_(test), clusters_(mentions_clusters(test)) {
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body) least_ = latest(least_, least_version(instruction));
    find_scopes();
    find_fences();
}

void Catalogue::find_scopes() {
    const auto some_pair = [&](const auto& together) {
        for (const Thread& a : test_.threads)
            for (const Thread& b : test_.threads)
                if (&a < &b && together(a.at, b.at)) return true;
        return false;
    };
    const bool by_cta = some_pair([](const Placement& a, const Placement& b) { return same_cta(a, b); });
    const bool by_cluster = clusters_ && has("fence.acq_rel.cluster");
    const bool by_gpu = some_pair([&](const Placement& a, const Placement& b) {
        return a.gpu == b.gpu && !same_cta(a, b) && (!by_cluster || a.cluster != b.cluster);
    });
    const bool by_sys = some_pair([](const Placement& a, const Placement& b) { return a.gpu != b.gpu; });
    if (by_cta || !(by_cluster || by_gpu || by_sys)) scopes_.push_back(Scope::cta);
    if (by_cluster) scopes_.push_back(Scope::cluster);
    if (by_gpu) scopes_.push_back(Scope::gpu);
    if (by_sys) scopes_.push_back(Scope::sys);
}

// Whether the test has something that such a fence could order.
bool Catalogue::concerns(const Instruction& fence) const {
    const auto some = [&](const auto& wanted) {
        return std::any_of(test_.threads.begin(), test_.threads.end(),
                           [&](const Thread& t) { return std::any_of(t.body.begin(), t.body.end(), wanted); });
    };
    const std::string restricted = restriction(fence);
    if (restricted == "mbarrier_init") return some([](const Instruction& i) { return i.op == Op::mbarrier_init; });
    if (restricted.rfind("sync_restrict", 0) == 0) {
        const bool used = some([](const Instruction& i) { return restriction(i).rfind("sync_restrict", 0) == 0; });
        if (!clusters_ || (fence.op == Op::fence && !used)) return false;
    }
    if (restricted == "shared::cluster" && !clusters_) return false;
    if (restricted == "global" &&
        std::none_of(test_.locations.begin(), test_.locations.end(), [](const Location& l) { return l.space == Space::global; }))
        return false;
    const bool in_reach = std::count(scopes_.begin(), scopes_.end(), scope(fence)) > 0;
    if (fence.op == Op::fence) return !restricted.empty() || in_reach;
    if (kind(fence.op) == Traits::Kind::tcgen_fence) return some([](const Instruction& i) { return kind(i.op) == Traits::Kind::tcgen; });
    if (kind(fence.op) == Traits::Kind::mma_fence) return some([](const Instruction& i) { return kind(i.op) == Traits::Kind::mma; });
    if (proxy_kind(fence) == "alias")
        return std::any_of(test_.locations.begin(), test_.locations.end(),
                           [](const Location& l) { return !l.alias_of.empty() || !l.points_to.empty(); });
    const Proxy wanted = proxy(fence);
    if (wanted == Proxy::tensormap) return in_reach && some([&](const Instruction& i) { return !map_used(test_, i).empty(); });
    return some([&](const Instruction& i) { return kind(i.op) != Traits::Kind::proxy_fence && proxy(i) == wanted; });
}

void Catalogue::find_fences() {
    std::set<std::string> seen;
    for (const Form& form : forms()) {
        if (!is_some_fence(form)) continue;
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            const std::string name = with_dots(words);
            const auto found = resolve(name);
            const Spelling* spelled = std::get_if<Spelling>(&found);
            if (!spelled || !seen.insert(name).second || !has(name)) return;
            Fence fence{name, {}};
            fence.meaning.op = *spelled->form->op;
            fence.meaning.mnemonic = spelled->form->mnemonic;
            fence.meaning.qualifiers = spelled->qualifiers;
            if (fence.meaning.op == Op::fence && !spelled->qualifiers.empty() &&
                name == "fence." + std::string(litmus::name(scope(fence.meaning))))
                return;  // `fence.gpu` is `fence.acq_rel.gpu`
            if (concerns(fence.meaning)) fences_.push_back(std::move(fence));
        });
    }
}

bool Catalogue::has(const std::string& dotted) const {
    const auto found = resolve(dotted);
    const Spelling* spelled = std::get_if<Spelling>(&found);
    if (!spelled) return false;
    if (test_.target) return target_has(test_, spelled->least);
    return spelled->least.sm <= least_.sm && (!spelled->least.specific || least_.specific);
}

}  // namespace litmus
