// Outcomes and their reasons are those of a report's page (tool/study.h). Of edits, those that are wrong are tried: with each the whole
// pipeline must still find the bug, for an edit that is stronger than needed repairs, too.
#include "tool/quiz_question.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/explain/exhibit.h"
#include "analysis/repair/repair.h"
#include "language/syntax/read.h"
#include "print/columns.h"
#include "tool/missing.h"
#include "tool/pipeline.h"
#include "tool/study.h"

namespace litmus {

namespace {

constexpr size_t most_wrong = 2;   // choices beside the right one
constexpr size_t most_tried = 60;  // edits, to find those

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

// Races apart, of which many are meant.
bool goes_wrong(const TestPage& page) {
    return std::any_of(page.hazards.begin(), page.hazards.end(), [](const PageHazard& hazard) {
        return hazard.text.kind == Hazard::Kind::undefined || hazard.text.kind == Hazard::Kind::blocked;
    });
}

// ---- outcomes -------------------------------------------------------------------------------------

class OutcomeQuestions {
public:
    OutcomeQuestions(const Input& input, ModelFamily& family, const TestOptions& options)
        : input_(input), family_(family), options_(options), page_(study(input, family, {}, options).page) {}

    std::vector<QuizQuestion> ask(const QuizBounds& bounds, Dice& dice) const {
        const Verdict verdict = page_.result.judgement.verdict;
        if (verdict == Verdict::unknown || verdict == Verdict::error || page_.result.partial) return {};
        const bool undefined = std::any_of(page_.hazards.begin(), page_.hazards.end(),
                                           [](const PageHazard& hazard) { return hazard.text.kind == Hazard::Kind::undefined; });
        if (input_.test->claim.kind == Claim::Kind::none || undefined || page_.outcomes.empty()) return {about_hazards()};
        std::vector<QuizQuestion> questions;
        for (const size_t row : rows(bounds, dice)) questions.push_back(about(row));
        return questions;
    }

private:
    QuizQuestion about_hazards() const {
        QuizQuestion question{.text = "Can it go wrong: can a thread wait for ever, or something happen that is undefined?"};
        question.right = goes_wrong(page_) ? 0 : 1;
        question.truth = goes_wrong(page_) ? "It can." : "It cannot: every execution ends, and is defined.";
        question.hint = {
            "Follow each thread to its end: what does it wait for, and who brings that about? Who may touch memory to which a copy",
            "still writes, and is every object there when it is used?"};
        for (const PageHazard& hazard : page_.hazards) {
            const std::vector<std::string> told = hazard_lines(hazard.text);
            question.why.insert(question.why.end(), told.begin(), told.end());
        }
        return question;
    }

    bool known(size_t row) const {
        const Standing standing = page_.outcomes[row].standing;
        return standing == Standing::allowed || standing == Standing::forbidden;
    }

    // Those that are asked about: by the dice, or first what the claim is about, then the others as they are listed.
    std::vector<size_t> rows(const QuizBounds& bounds, Dice& dice) const {
        std::vector<size_t> all;
        for (size_t row = 0; row < page_.outcomes.size(); ++row)
            if (known(row)) all.push_back(row);
        // by what they are, so that their order does not tell
        std::sort(all.begin(), all.end(), [&](size_t a, size_t b) { return page_.outcomes[a].values < page_.outcomes[b].values; });
        if (!bounds.in_order) dice.shuffle(all);
        if (bounds.in_order && all.size() > bounds.most_outcomes)
            std::stable_partition(all.begin(), all.end(), [&](size_t row) { return page_.outcomes[row].asked; });
        all.resize(std::min(all.size(), bounds.most_outcomes));
        return all;
    }

    QuizQuestion about(size_t row) const {
        const PageOutcome& outcome = page_.outcomes[row];
        const bool can = outcome.standing == Standing::allowed;
        QuizQuestion question{.text = "Can it end so?  " + joined(outcome.values, "; ")};
        question.right = can ? 0 : 1;
        question.truth = can ? "It can." : "It cannot.";
        question.hint = {
            "Look for an order of the lines that ends so. If there is none, look for two lines that nothing keeps in their order."};
        if (can)
            question.why = execution_lines(input_, family_, options_, row + 1);
        else if (outcome.why)
            question.why = story_lines(*outcome.why);
        return question;
    }

    const Input& input_;
    ModelFamily& family_;
    const TestOptions& options_;
    const TestPage page_;
};

// ---- repairs --------------------------------------------------------------------------------------

// Whether the test has a bug: something that is claimed to go wrong, and does.
bool shows_bug(const Test& test) {
    return test.claim.kind == Claim::Kind::exists || test.claims_undefined || test.claims_deadlock || test.claims_may_deadlock;
}

// Whether the text with these edits still shows all that the test claims.
bool still_broken(const Input& input, const std::vector<litmus::Change>& changes, ModelFamily& family, const TestOptions& options) {
    try {
        const Test& test = *input.test;
        const std::vector<Test> edited = parse_tests(make_source(test.source->name, applied(test.source->text, changes)));
        const Input changed{input.file, std::make_shared<const Test>(edited.front()), std::nullopt, edited.front().source};
        return check_input(changed, family, asked(options)).judgement.verdict == Verdict::ok;
    } catch (const Failure&) {  // not every edit that is considered is legal
        return false;
    }
}

std::string sentences(const Test& test, const Repairs& found, const EditSet& edits) {
    std::string text;
    for (const size_t edit : edits) text += (text.empty() ? "" : "; and ") + missing_of(test, found.edits[edit]).sentence;
    return text;
}

// A few edits that do not repair the test: first parts of the repair, then others by the dice.
std::vector<std::string> wrong_edits(const Input& input, const Repairs& found, const EditSet& best, ModelFamily& family,
                                     const TestOptions& options, Dice& dice) {
    std::vector<size_t> others(found.edits.size());
    for (size_t i = 0; i < others.size(); ++i) others[i] = i;
    dice.shuffle(others);
    std::stable_partition(others.begin(), others.end(), [&](size_t edit) { return found.edits[edit].only_orders; });  // the plain ones
    if (best.size() > 1) others.insert(others.begin(), best.begin(), best.end());
    others.resize(std::min(others.size(), most_tried));
    std::vector<std::string> wrong;
    for (const size_t other : others) {
        if (wrong.size() == most_wrong) break;
        const std::string sentence = sentences(*input.test, found, {other});
        if (std::find(wrong.begin(), wrong.end(), sentence) != wrong.end()) continue;
        if (still_broken(input, found.edits[other].changes, family, options)) wrong.push_back(sentence);
    }
    return wrong;
}

}  // namespace

std::vector<std::string> execution_lines(const Input& input, ModelFamily& family, const TestOptions& options, size_t outcome) {
    const Checked checked = check_whole(input, family, asked(options));
    if (!checked.program) return {};
    const auto drawing = exhibit(*checked.program, family.under(family.readings(options.reading)), checked.answer, outcome);
    return drawing ? split(execution_text(*drawing)) : std::vector<std::string>{};
}

std::vector<std::string> hazard_lines(const HazardText& hazard) {
    std::vector<std::string> told{(hazard.kind == Hazard::Kind::race ? "data race on " : "") + hazard.title + ":"};
    for (const std::string& line : hazard.lines) told.push_back("  " + line);
    return told;
}

std::vector<std::string> story_lines(const Explanation::Case& why) {
    std::vector<std::string> told;
    if (why.ways.empty()) return told;
    const Explanation::Way& way = why.ways.front();
    told.push_back("It would break " + way.axiom + (way.section.empty() ? "" : " (ISA " + way.section + ")") + ": " + way.meaning);
    for (const std::string& line : lines(way.story)) told.push_back("  " + line);
    return told;
}

std::vector<QuizQuestion> outcome_questions(const Input& input, ModelFamily& family, const TestOptions& options, const QuizBounds& bounds,
                                            Dice& dice) {
    return OutcomeQuestions(input, family, options).ask(bounds, dice);
}

std::vector<QuizQuestion> repair_questions(const Input& input, ModelFamily& family, const TestOptions& options, Dice& dice) {
    const Test& test = *input.test;
    if (!shows_bug(test) || test.dialect != Dialect::native) return {};
    const double seconds = options.timeout > 0 ? std::min(options.timeout, most_seconds_for_missing) : most_seconds_for_missing;
    Solver solver(Solver::usually, options.engine.value());
    const Repairs found =
        repair(test, family, family.readings(options.reading), solver,
               {.unroll = options.unroll, .most_effort = most_effort_for_missing, .budget = Budget::of_work(seconds, options.memory)});
    // one that needs no reading, where there is one
    const std::vector<Repair>& repairs = found.robust.empty() ? found.repairs : found.robust;
    if (repairs.empty()) return {};
    const EditSet& best = repairs.front().edits;

    const std::string right = sentences(test, found, best);
    std::vector<std::string> choices = wrong_edits(input, found, best, family, options, dice);
    if (choices.empty()) return {};
    choices.push_back(right);
    dice.shuffle(choices);
    const FaultRow& fault = row(found.edits[best.front()].fault);
    QuizQuestion question{.text = "Which of these repairs it?", .choices = choices};
    question.right = static_cast<size_t>(std::find(choices.begin(), choices.end(), right) - choices.begin());
    question.truth = right;
    question.why = {"What was missing is called " + std::string(fault.name) + ": " + std::string(fault.meaning) + " (ISA " +
                    std::string(fault.section) + ")"};
    question.hint = execution_lines(input, family, options, 0);
    question.hint.insert(question.hint.begin(), "This is how it goes wrong:");
    return {question};
}

}  // namespace litmus
