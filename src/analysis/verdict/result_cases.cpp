// One finding for a claim that fails; one for each hazard that decides a verdict.
#include "analysis/verdict/result_cases.h"

#include <algorithm>

#include "base/hash.h"
#include "print/columns.h"

namespace litmus {

namespace {

class CaseList {
public:
    explicit CaseList(const Result& result) : result_(result) {}

    void add(const std::string& rule, const std::string& message, Position begin, Position end,
             CaseFinding::Level level = CaseFinding::Level::error) {
        const auto alike = std::count_if(found_.begin(), found_.end(), [&](const CaseFinding& f) { return f.rule == rule; });
        CaseFinding finding{level, rule, message, result_.file, begin, end, fingerprint({result_.test, rule, std::to_string(alike)})};
        if (!result_.made_of.empty()) finding.file = result_.made_of, finding.begin = finding.end = Position{};
        found_.push_back(std::move(finding));
    }
    // At an access: in the CUDA source, where that is known; its place in the test then goes beside it.
    void add(const std::string& rule, const std::string& message, const Result::Access& at, const Result::Access* other = nullptr) {
        add(rule, message, at.begin, at.end);
        CaseFinding& finding = found_.back();
        if (at.origin) {
            const Related place = place_of(at, "");
            finding.file = place.file, finding.begin = place.begin, finding.end = place.end;
            if (result_.made_of.empty()) finding.related.push_back({"in the test", result_.file, at.begin, at.end});
        }
        if (other && (other->origin || result_.made_of.empty())) finding.related.push_back(place_of(*other, other->text));
    }
    void add(const std::string& rule, const Diagnostic& diagnostic, CaseFinding::Level level) {
        Position begin, end;
        if (diagnostic.source) {
            begin = position(*diagnostic.source, diagnostic.span.begin);
            end = position(*diagnostic.source, diagnostic.span.end);
        }
        const std::string hint = diagnostic.hint.empty() ? "" : " (" + diagnostic.hint + ")";
        add(rule, diagnostic.message + hint, begin, end, level);
    }
    // At the claim.
    void add_verdict() {
        const Judgement& judgement = result_.judgement;
        const std::string notes = joined(judgement.notes, "; ");
        const std::string claim = result_.claim_text.empty() ? "the test" : result_.claim_text;
        const std::string what = judgement.verdict == Verdict::no ? claim + " does not hold" : std::string(name(judgement.verdict));
        add(std::string(name(judgement.verdict)), notes.empty() ? what : what + ": " + notes, result_.begin, result_.end);
    }
    bool any() const { return !found_.empty(); }
    std::vector<CaseFinding> take() { return std::move(found_); }

private:
    Related place_of(const Result::Access& access, const std::string& message) const {
        if (!access.origin) return {message, result_.file, access.begin, access.end};
        const Position at{access.origin.line, std::max(access.origin.column, 1)};
        return {message, access.origin.file, at, at};
    }

    const Result& result_;
    std::vector<CaseFinding> found_;
};

// The hazards that the verdict is about.
void add_hazards(CaseList& findings, const Result& result) {
    const Verdict verdict = result.judgement.verdict;
    if (verdict == Verdict::race)
        for (const Result::RacingPair& race : result.races)
            findings.add("race", "data race on " + race.location + " with " + race.second.text, race.first, &race.second);
    if (verdict != Verdict::undefined && verdict != Verdict::deadlock && verdict != Verdict::may_deadlock) return;
    const Hazard::Kind kind = verdict == Verdict::undefined ? Hazard::Kind::undefined : Hazard::Kind::blocked;
    for (const Result::Harm& harm : result.hazards) {
        if (harm.kind != kind || harm.accesses.empty()) continue;
        const std::string lines = joined(harm.lines, "; ");
        findings.add(std::string(name(verdict)), lines.empty() ? harm.title : harm.title + ": " + lines, harm.accesses.front());
    }
}

}  // namespace

const std::vector<Rule>& result_rules() {
    static const std::vector<Rule> rules{{"no", "A claim of the test fails."},
                                         {"undefined", "Some execution has undefined behaviour that the test does not claim."},
                                         {"deadlock", "No execution terminates, and the test does not claim that."},
                                         {"may-deadlock", "Some execution gets stuck, and the test does not claim that."},
                                         {"race", "Some execution has a data race."},
                                         {"unknown", "Not decided: a limit of time or memory, or a loop bound."},
                                         {"reservation", "Nothing came up, in less of the kernel than it seems."},
                                         {"error", "The input is no test that can be checked."},
                                         {"internal-error", "The tool failed; please report it."},
                                         {"warning", "The test says something that cannot matter."}};
    return rules;
}

Case case_of(const Result& result) {
    const Verdict verdict = result.judgement.verdict;
    CaseList findings(result);
    if (!result.internal_error.empty())
        findings.add("internal-error", result.internal_error, {}, {});
    else if (verdict == Verdict::error)
        findings.add("error", result.errors.front(), CaseFinding::Level::error);
    else
        add_hazards(findings, result);
    if (!findings.any() && verdict != Verdict::ok) findings.add_verdict();
    for (const Diagnostic& warning : result.warnings) findings.add("warning", warning, CaseFinding::Level::warning);
    for (const std::string& line : is_reserved(result) ? result.reservations : std::vector<std::string>{})
        findings.add("reservation", line, result.begin, result.end, CaseFinding::Level::warning);
    const bool broken = verdict == Verdict::error || verdict == Verdict::unknown || is_reserved(result);
    const Case::Outcome outcome = broken ? Case::Outcome::broken : verdict == Verdict::ok ? Case::Outcome::passed : Case::Outcome::failed;
    return {result.file, result.test, outcome, result.seconds, findings.take()};
}

std::string fingerprint(const std::vector<std::string>& parts) {
    uint64_t hash = fnv1a({});
    for (const std::string& part : parts) hash = fnv1a(part + "\n", hash);
    return digits(hash);
}

}  // namespace litmus
