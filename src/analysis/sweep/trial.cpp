// Text goes in from the end of the file on, so that earlier places stay where they are.
#include "analysis/sweep/trial.h"

#include <algorithm>
#include <map>

#include "kernel/residual.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"
#include "sweep/orders.h"

namespace litmus {

namespace {

using kernel::Statement;

// All statements beside which an insertion stands.
bool is_place_of(const Insertion& insertion, const Statement& statement) {
    if (!insertion.alike || insertion.at->origin.empty()) return &statement == insertion.at;
    return statement.origin == insertion.at->origin && statement.words == insertion.at->words;
}

}  // namespace

SourcePtr changed(const kernel::Module& module, const std::vector<Insertion>& insertions) {
    std::multimap<uint32_t, std::string> texts;
    for (const Insertion& insertion : insertions)
        for (const kernel::Function& function : module.functions)
            for (const Statement& statement : function.code)
                if (is_place_of(insertion, statement))
                    texts.emplace(insertion.before ? statement.span.begin : statement.span.end, " " + insertion.ptx + " ");
    std::string text = module.source->text;
    for (auto at = texts.rbegin(); at != texts.rend(); ++at) text.insert(at->first, at->second);
    return make_source(module.source->name, std::move(text));
}

FindingKey key_of(const sweep::Finding& finding) {
    FindingKey key{finding.kind, {}};
    for (const sweep::Place& place : finding.places)
        key.second.push_back(place.statement != nullptr ? place.statement->origin : kernel::Origin());
    std::sort(key.second.begin(), key.second.end());
    return key;
}

std::optional<std::set<FindingKey>> tried(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how,
                                          const std::vector<Insertion>& insertions, const sweep::Finding& finding,
                                          const sweep::Swept& before) {
    const FindingKey key = key_of(finding);
    const bool has_lines = std::none_of(key.second.begin(), key.second.end(), [](const kernel::Origin& origin) { return origin.empty(); });
    std::set<FindingKey> known;
    for (const sweep::Finding& one : before.findings) known.insert(key_of(one));
    const auto spoils = [&](const sweep::Finding& now) {
        const FindingKey found = key_of(now);
        return !has_lines || !known.contains(found) || (now.breach == finding.breach && found.second == key.second);
    };
    const auto was_there = [&](const std::string& condition) {
        return std::find(before.conditions.begin(), before.conditions.end(), condition) != before.conditions.end();
    };
    try {
        const kernel::Module with = kernel::read_module(changed(module, insertions), how.budget);
        sweep::Options again = how;
        again.changed_from = &module;
        again.ends_with = spoils;
        const sweep::Swept swept = sweep::sweep_in_orders(with, launch, again);
        if (std::any_of(swept.findings.begin(), swept.findings.end(), spoils) ||
            !std::all_of(swept.conditions.begin(), swept.conditions.end(), was_there))
            return std::nullopt;
        std::set<FindingKey> found;
        for (const sweep::Finding& one : swept.findings) found.insert(key_of(one));
        return found;
    } catch (const Failure&) {
        return std::nullopt;
    }
}

std::optional<Test> test_with(const sweep::Evidence& evidence, const std::vector<Insertion>& insertions) {
    std::vector<Instruction> fences;
    for (const Insertion& insertion : insertions) {
        const size_t end = insertion.ptx.find(';');
        auto fence = kernel::make(insertion.ptx.substr(0, end), {});
        if (!fence || traits(kind(fence->op)).orders != KindTraits::Orders::fence || end + 1 < insertion.ptx.size()) return std::nullopt;
        fences.push_back(std::move(*fence));
    }
    Test test = evidence.test;
    for (size_t t = 0; t < test.threads.size(); ++t) {
        std::vector<Instruction> body;
        const auto put = [&](const Statement& statement, bool before) {
            for (size_t f = 0; f < fences.size(); ++f)
                if (insertions[f].before == before && is_place_of(insertions[f], statement)) body.push_back(fences[f]);
        };
        for (size_t i = 0; i < test.threads[t].body.size(); ++i) {
            const Statement& statement = *evidence.statements[t][i];
            put(statement, true);
            body.push_back(test.threads[t].body[i]);
            put(statement, false);
        }
        test.threads[t].body = std::move(body);
    }
    return parse_tests(make_source("race.litmus", print(test))).front();
}

}  // namespace litmus
