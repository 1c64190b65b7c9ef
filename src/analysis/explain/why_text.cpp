// The axioms in one sentence, an execution as lines of text, and the cycle on which it breaks.
#include "analysis/explain/why_text.h"

#include <sstream>

#include "analysis/explain/dot.h"
#include "event/program.h"
#include "print/columns.h"

namespace litmus {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// One set of axioms: each forbids the outcome by itself. Several: they do so together.
std::string forbidden_by(const WhyNot& refusal) {
    if (!refusal.known) return "forbidden; which axioms forbid it was not decided within the time limit";
    if (refusal.axioms.empty()) return "no execution at all ends so, whatever the axioms: nothing computes these values";
    if (refusal.axioms.size() == 1) return "forbidden by " + joined(refusal.axioms.front(), " and by ");
    std::vector<std::string> sets;
    for (const std::vector<std::string>& set : refusal.axioms) sets.push_back(joined(set, " and "));
    return "forbidden by several axioms together: it would be allowed without " + joined(sets, ", or without ");
}

std::string breach_text(const Program& program, const BrokenAxiom& breach) {
    std::string text = breach.axiom + (breach.cycle ? " breaks on the cycle" : " breaks at");
    std::string separator = " ";
    for (const size_t e : breach.events) {
        text += separator + describe(program, e);
        separator = breach.cycle ? " -> " : " and ";
    }
    if (breach.cycle && !breach.events.empty()) text += " -> " + describe(program, breach.events.front());
    return text;
}

}  // namespace

WhyForbidden in_words(const Program& program, const Model& model, const WhyNot& refusal, const std::string& title) {
    WhyForbidden why;
    why.axioms = refusal.axioms;
    why.lines.push_back(forbidden_by(refusal));
    if (refusal.refuted.empty()) return why;
    const Refuted& refuted = refusal.refuted.front();
    why.lines.back() += "; the execution would be";
    for (const std::string& line : lines_of(execution_text({program, model, refuted.execution, title}))) why.lines.push_back("  " + line);
    for (const BrokenAxiom& breach : refuted.breaches) why.lines.push_back("  " + breach_text(program, breach));
    return why;
}

}  // namespace litmus
