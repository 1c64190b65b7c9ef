// Findings are told apart by their kinds and lines, conditions by their texts and lines.
#include "sweep/findings.h"

#include <algorithm>

namespace litmus::sweep {

namespace {

constexpr size_t most_findings = 200;  // that are kept

}  // namespace

std::string line_of(const kernel::Module& module, const kernel::Statement& statement) {
    return text_of(module, shown_line(module, statement.origin));
}

std::string some_line(const kernel::Module& module, const kernel::Statement& statement) {
    const std::string line = line_of(module, statement);
    return line.empty() ? "PTX line " + std::to_string(position(*module.source, statement.span.begin).line) : line;
}

Findings::Source Findings::source_of(const kernel::Statement* statement) {
    const bool has_line = statement != nullptr && !statement->origin.empty();
    return {has_line ? statement->origin : kernel::Origin(), has_line ? nullptr : statement};
}

Finding* Findings::add(Breach breach, const Filling& with, std::vector<Place> places, bool guessed, std::optional<Memory> byte,
                       std::optional<Clash> clash) {
    const Kind kind = kind_of(breach);
    std::vector<Source> sources;
    for (const Place& place : places) sources.push_back(source_of(place.statement));
    std::sort(sources.begin(), sources.end());
    if (findings_.size() >= most_findings || !said_.emplace(row_of(kind).id, sources).second) return nullptr;
    const size_t number = findings_.size();
    const std::string doubt = guessed ? ", if a thread can come there: which way it goes depends on a value that is not computed" : "";
    findings_.push_back(
        {kind, breach, says(breach, with) + doubt, std::move(places), byte, number, options_.schedule, std::move(clash), {}});
    const bool is_awaited = options_.watch && options_.watch->until == number;
    done_ = done_ || is_awaited || (options_.ends_with && options_.ends_with(findings_.back()));
    return &findings_.back();
}

void Findings::condition(const std::string& text, const kernel::Statement& statement, bool of_order) {
    if (!said_.emplace(text, std::vector<Source>{source_of(&statement)}).second) return;
    conditions_.push_back(text + " (" + some_line(module_, statement) + ")");
    if (of_order) of_order_.insert(conditions_.back());
}

void Findings::break_off(const std::string& why) {
    conditions_.push_back("what comes behind this is not swept: " + why);
}

void Findings::wait_out_of_scope(const Place& wait) {
    if (said_.emplace("scope", std::vector<Source>{source_of(wait.statement)}).second) out_of_scope_.push_back(wait);
}

void Findings::give(Swept& swept) {
    std::stable_sort(findings_.begin(), findings_.end(), comes_before);
    swept.findings = std::move(findings_);
    swept.conditions = std::move(conditions_);
    swept.of_order = std::move(of_order_);
    swept.out_of_scope = std::move(out_of_scope_);
}

}  // namespace litmus::sweep
