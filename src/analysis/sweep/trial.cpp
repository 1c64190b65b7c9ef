// Texts go in from the end of the file on, so that earlier places stay where they are.
#include "analysis/sweep/trial.h"

#include <algorithm>
#include <map>

#include "sweep/code.h"
#include "sweep/orders.h"

namespace litmus {

namespace {

using kernel::Statement;
using Where = PtxEdit::Where;

// All statements at which an edit stands.
bool is_place_of(const PtxEdit& edit, const Statement& statement) {
    if (!edit.alike || edit.at->origin.empty()) return &statement == edit.at;
    return statement.origin == edit.at->origin && statement.words == edit.at->words;
}

std::string_view text_of(const kernel::Module& module, const Statement& statement) {
    return std::string_view(module.source->text).substr(statement.span.begin, statement.span.end - statement.span.begin);
}

}  // namespace

SourcePtr changed(const kernel::Module& module, const std::vector<PtxEdit>& edits) {
    struct Piece {
        uint32_t begin, end;
        std::string text;
    };
    std::vector<Piece> pieces;
    for (const PtxEdit& edit : edits)
        for (const kernel::Function& function : module.functions)
            for (const Statement& statement : function.code) {
                if (!is_place_of(edit, statement)) continue;
                const auto [begin, end] = statement.span;
                const uint32_t at = edit.where == Where::before ? begin : end;
                pieces.push_back({edit.where == Where::instead ? begin : at, at, " " + edit.ptx + " "});
            }
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    std::string text = module.source->text;
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) text.replace(piece->begin, piece->end - piece->begin, piece->text);
    return make_source(module.source->name, std::move(text));
}

FindingKey key_of(const sweep::Finding& finding) {
    FindingKey key{finding.kind, {}};
    for (const sweep::Place& place : finding.places)
        key.second.push_back(place.statement != nullptr ? place.statement->origin : kernel::Origin());
    std::sort(key.second.begin(), key.second.end());
    return key;
}

std::optional<SweptChange> KernelTrials::tried(const std::vector<PtxEdit>& edits, const sweep::Finding& finding) {
    const FindingKey key = key_of(finding);
    const bool has_lines = std::none_of(key.second.begin(), key.second.end(), [](const kernel::Origin& origin) { return origin.empty(); });
    std::set<FindingKey> known;
    for (const sweep::Finding& one : before_.findings) known.insert(key_of(one));
    const auto spoils = [&](const sweep::Finding& now) {
        const FindingKey found = key_of(now);
        return !has_lines || !known.contains(found) || (now.breach == finding.breach && found.second == key.second);
    };
    // what is acquired may depend on the order, where other things do that; an access that raced and is strong may find what it found
    const auto becomes_another = [&](const sweep::Place& place) {
        return std::any_of(edits.begin(), edits.end(),
                           [&](const PtxEdit& edit) { return edit.where == Where::instead && edit.at == place.statement; });
    };
    const bool of_strong = finding.clash && (finding.clash->earlier.scope != Scope::none || finding.clash->later.scope != Scope::none ||
                                             std::any_of(finding.places.begin(), finding.places.end(), becomes_another));
    const auto was_there = [&](const std::string& condition) {
        return std::find(before_.conditions.begin(), before_.conditions.end(), condition) != before_.conditions.end() ||
               ((of_strong || !before_.conditions.empty()) && condition.find(" finds depends on the order") != std::string::npos);
    };
    try {
        SweptChange trial{{}, kernel::read_module(changed(module_, edits), how_.budget)};
        sweep::Options again = how_;
        again.changed_from = &module_;
        again.decoded = sweep::decoded(trial.module, launch_, how_.budget);
        again.ends_with = spoils;
        // a wait for a phase that nobody ends is not mended by waiting for another one: somebody has to arrive there then
        const bool lacks_arrival =
            finding.tally && (finding.breach == sweep::Breach::no_first_arrival || finding.breach == sweep::Breach::no_arrival);
        if (lacks_arrival) again.watch = sweep::Watch{};
        sweep::Swept swept = sweep::sweep_in_orders(trial.module, launch_, again);
        if (finding.schedule.choices != nullptr) {  // no usual order shows it
            again.schedule = finding.schedule;
            sweep::add(swept, sweep::sweep(trial.module, launch_, again));
            again.schedule = {};
        }
        const bool is_spoiled = std::any_of(swept.findings.begin(), swept.findings.end(), spoils) ||
                                !std::all_of(swept.conditions.begin(), swept.conditions.end(), was_there);
        // where threads of the kernel exit early, a barrier has to do without them; of what a run did not come to nothing is known
        const bool is_missed = before_.ended && before_.uneven.empty() && !swept.uneven.empty();
        const auto arrives = [&](const sweep::Event& event) {
            return event.what == sweep::Event::What::arrive && event.mbarrier == finding.tally->object &&
                   event.phase == finding.tally->phase;
        };
        if (lacks_arrival && std::none_of(swept.log.begin(), swept.log.end(), arrives)) return std::nullopt;
        if (is_spoiled || is_missed || (before_.ended && !swept.ended) || swept.written < before_.written) return std::nullopt;
        for (const sweep::Finding& one : swept.findings) trial.left.insert(key_of(one));
        return trial;
    } catch (const Failure&) {
        return std::nullopt;
    }
}

// Statements of the two follow each other in one order: those of the changed one that are not next in it were put in.
std::optional<sweep::Finding> carried(const sweep::Finding& finding, const kernel::Module& module, const kernel::Module& changed,
                                      const std::vector<PtxEdit>& edits) {
    std::map<const Statement*, const Statement*> now;
    for (size_t f = 0; f < module.functions.size() && f < changed.functions.size(); ++f) {
        auto next = changed.functions[f].code.begin();
        const auto end = changed.functions[f].code.end();
        for (const Statement& statement : module.functions[f].code) {
            if (std::any_of(edits.begin(), edits.end(),
                            [&](const PtxEdit& edit) { return edit.where == Where::instead && is_place_of(edit, statement); }))
                continue;
            next = std::find_if(next, end, [&](const Statement& one) { return text_of(changed, one) == text_of(module, statement); });
            if (next == end) break;
            now[&statement] = &*next++;
        }
    }
    sweep::Finding result = finding;
    for (sweep::Place& place : result.places) {
        if (!now.contains(place.statement)) return std::nullopt;
        place.statement = now[place.statement];
    }
    result.number = SIZE_MAX;  // there is none at which the run would end
    return result;
}

}  // namespace litmus
