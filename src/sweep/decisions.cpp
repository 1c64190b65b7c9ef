// Why a value might be another one.
#include "sweep/decisions.h"

#include <algorithm>

namespace litmus::sweep {

Parts::Parts(const std::vector<Step>& code) : statements_(code.size()) {
    for (uint32_t s = 0; s < code.size(); ++s) {
        if (code[s].elements == 1) continue;
        behind_[s] = static_cast<uint32_t>(count());
        extra_.insert(extra_.end(), code[s].elements, s);
    }
}

bool Decisions::is_decided_by(uint32_t part) const {
    const uint32_t statement = parts_.statement(part);
    const auto decides = [&](uint32_t one) { return decided_.contains(static_cast<uint32_t>(began_.size()) + one); };
    const uint32_t elements = code_[statement].elements;
    if (decides(part) || elements == 1 || part != parts_.of(statement, elements - 1) || !decides(parts_.of(statement, elements)))
        return decides(part);
    for (uint32_t e = 0; e < elements; ++e)
        if (decides(parts_.of(statement, e))) return false;
    return true;
}

// Strong accesses give what they give where none that conflicts is unordered.
std::optional<std::string> Decisions::why_another(uint32_t part, const std::string& from) const {
    const Step& step = code_[parts_.statement(part)];
    const std::string what = "what `" + kernel::dotted(step.statement->words) + "`" + from;
    const auto is = [&](Traits::Kind kind) { return step.form && traits(step.form->op).kind == kind; };
    if (is(Traits::Kind::cancellation)) return what + " gives depends on the order";
    if (is(Traits::Kind::mbarrier_arrival)) return what + " gives is opaque";
    if (!is(Traits::Kind::load) && !is(Traits::Kind::atomic) && !is(Traits::Kind::store)) {
        const auto& arguments = step.statement->arguments;
        const auto is_special = [](const kernel::Argument& one) { return one.kind == kernel::Argument::Kind::special; };
        const auto special = std::find_if(arguments.begin(), arguments.end(), is_special);
        return what + (special == arguments.end() ? "" : " of `" + special->name + "`") + " gives may be another on a GPU";
    }
    if (!contended_[part]) return std::nullopt;
    return what + " finds depends on the order";
}

void Decisions::report(Findings& findings) const {
    for (const auto& [began, decided] : decided_) {
        const kernel::Statement& at = *code_[decided].statement;
        if (began < began_.size()) {
            if (!began_[began].empty()) findings.condition(began_[began] + ", and decides", at);
            continue;
        }
        const uint32_t part = began - static_cast<uint32_t>(began_.size()), here = parts_.statement(part);
        const kernel::Statement& statement = *code_[here].statement;
        const std::string line = line_of(module_, statement);
        if (guessed_.contains(here) && here == decided)
            findings.condition("a value that is not computed decides whether `" + kernel::dotted(statement.words) +
                                   "` is executed: one way is taken" + (guessed_.at(here).empty() ? "" : "; " + guessed_.at(here)),
                               statement);
        else if (const auto why = why_another(part, here == decided || line.empty() ? "" : " at " + line))
            findings.condition(*why + ", and decides", at, contended_[part] && (code_[here].sum == 0 || code_[here].reduction != 0));
    }
}

bool Decisions::is_of(Traits::Kind kind, uint32_t began) const {
    if (began < began_.size()) return false;
    const Step& step = code_[parts_.statement(began - static_cast<uint32_t>(began_.size()))];
    return step.form && traits(step.form->op).kind == kind;
}

bool Decisions::is_of_order(Doubt doubt) const {
    const std::vector<uint32_t>& all = doubts_.statements(doubt);
    return std::all_of(all.begin(), all.end(), [&](uint32_t began) {
        return is_of(Traits::Kind::load, began) || is_of(Traits::Kind::store, began) || is_of(Traits::Kind::atomic, began);
    });
}

bool Decisions::are_contended() const {
    return std::any_of(decided_.begin(), decided_.end(),
                       [&](const auto& one) { return one.first >= began_.size() && contended_[one.first - began_.size()]; });
}

std::vector<std::string> Decisions::left() const {
    std::vector<std::string> result = began_;
    for (uint32_t part = 0; part < parts_.count(); ++part) {
        const std::string line = line_of(module_, *code_[parts_.statement(part)].statement);
        result.push_back(why_another(part, (line.empty() ? "" : " at " + line) + " in an earlier launch").value_or(""));
    }
    return result;
}

}  // namespace litmus::sweep
