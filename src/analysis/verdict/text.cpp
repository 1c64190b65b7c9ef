// Plain text for terminals. Every byte but times depends on the results alone.
#include "analysis/verdict/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "analysis/verdict/conduct.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Truth = Answer::Truth;

// ---- words and colours -----------------------------------------------------------------------

// `ok` has no colour: it says that the claim holds, and not whether the program is right.
std::string_view colour_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return {};
        case Verdict::unknown:
            return "33";  // yellow
        default:
            return "31";  // red
    }
}

std::string_view colour_of(Conduct::Kind kind) {
    switch (kind) {
        case Conduct::Kind::goes_wrong:
            return "31";  // red
        case Conduct::Kind::safe:
            return "32";  // green
        default:
            return "33";  // yellow
    }
}

std::string fixed(double value, int digits) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
    return buffer.data();
}

// What the claim expects of its condition, in herd's words.
std::string_view expectation(Claim::Kind kind) {
    switch (kind) {
        case Claim::Kind::exists:
            return "Allowed";
        case Claim::Kind::not_exists:
            return "Forbidden";
        case Claim::Kind::forall:
            return "Required";
        case Claim::Kind::none:
            return "States";
    }
    return "";
}

// "Ok", "No", "May deadlock".
std::string spoken(Verdict verdict) {
    std::string word(name(verdict));
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    std::replace(word.begin(), word.end(), '-', ' ');
    return word;
}

// "by default", "under strongest", "under --reading weakest,fence-path".
std::string under(const std::string& reading) {
    if (reading.empty() || reading == "default") return "by default";
    const bool base = reading == "weakest" || reading == "strongest";
    return (base ? "under " : "under --reading ") + reading;
}

// "fence-cta | war-mbarrier (refuted on H100, H200) + fence-path".
std::string alternatives(const Reliance& reliance, const std::vector<std::vector<std::string>>& sets) {
    std::string text;
    for (const std::vector<std::string>& set : sets) {
        text += text.empty() ? "" : " | ";
        for (size_t i = 0; i < set.size(); ++i) {
            text += (i == 0 ? "" : " + ") + visible(set[i]);
            const auto refuted = reliance.refuted.find(set[i]);
            if (refuted != reliance.refuted.end()) text += " (" + visible(refutation(refuted->second)) + ")";
        }
    }
    return text;
}

// Whether the verdict is another one under the weakest readings.
bool rests(const Result& result) {
    return result.reliance && result.reliance->depends.known && result.reliance->verdict != result.reliance->weakest;
}

// ", No under weakest: rests on fence-cta" of a verdict that is Ok.
std::string weakest_says(const Reliance& reliance) {
    const std::string sets = alternatives(reliance, reliance.rests_on);
    return spoken(reliance.weakest) + " under weakest" + (sets.empty() ? "" : ": rests on " + sets);
}

std::string notes_text(const Judgement& judgement) {
    std::string text;
    for (const std::string& note : judgement.notes) text += (text.empty() ? " (" : "; ") + visible(note);
    return text.empty() ? text : text + ")";
}

// How often the condition comes out true, by what was decided and not only by what was listed.
std::string_view observation(const Result& result) {
    const bool some = result.satisfiable == Truth::yes;
    const bool not_all = result.violable == Truth::yes;
    if (some && not_all) return "Sometimes";
    if (result.unrolled) return "Unknown";  // what was not found may come after the bound
    if (result.satisfiable == Truth::no) return "Never";
    return some && result.violable == Truth::no ? "Always" : "Unknown";
}

std::string shown(const Result::Column& column) {
    const bool bare = column.name.find_first_of(":[") != std::string::npos;
    return bare ? column.name : "[" + column.name + "]";
}

std::string state_line(const Result& result, const Result::State& state) {
    std::string line;
    for (size_t i = 0; i < result.columns.size(); ++i)
        line += (i == 0 ? "" : " ") + visible(shown(result.columns[i])) + "=" + format_value(state.values[i], result.columns[i].type) + ";";
    return line;
}

// ---- one test --------------------------------------------------------------------------------

// Nothing where no list was asked for.
std::string states(const Result& result) {
    if (result.states.empty() && !result.complete && !result.judged.empty()) return {};
    std::string text = "States " + std::to_string(result.states.size());
    text += result.complete ? "\n" : " (not all)\n";
    for (const Result::State& state : result.states) text += state_line(result, state) + "\n";
    return text;
}

std::string condition_lines(const Result& result) {
    const size_t positive = satisfying(result);
    const std::string positives = std::to_string(positive);
    const std::string negatives = std::to_string(result.states.size() - positive);
    std::string text = "Witnesses\nPositive: " + positives + " Negative: " + negatives + "\n";
    text += "Condition " + visible(result.claim_text) + "\n";
    text += "Observation " + visible(result.test) + " " + std::string(observation(result)) + " " + positives + " " + negatives + "\n";
    return text;
}

// Whether both are between the same two lines of CUDA.
bool alike(const Result::RacingPair& a, const Result::RacingPair& b) {
    const auto same = [](const Result::Access& x, const Result::Access& y) {
        return x.origin && x.origin.file == y.origin.file && x.origin.line == y.origin.line;
    };
    return (same(a.first, b.first) && same(a.second, b.second)) || (same(a.first, b.second) && same(a.second, b.first));
}

// Of races between the same two lines of CUDA the first, and how many more there are.
std::string race_lines(const Result& result) {
    std::string text;
    for (auto race = result.races.begin(); race != result.races.end(); ++race) {
        const auto like_this = [&](const Result::RacingPair& other) { return alike(*race, other); };
        if (std::any_of(result.races.begin(), race, like_this)) continue;
        text +=
            "Race on " + visible(race->location) + " between\n  " + visible(race->first.text) + "\n  " + visible(race->second.text) + "\n";
        const auto more = std::count_if(std::next(race), result.races.end(), like_this);
        if (more > 0) text += "  and " + std::to_string(more) + " more between these lines of CUDA\n";
    }
    return text;
}

std::string hazard_lines(const Result& result) {
    std::string text;
    for (const Result::Harm& hazard : result.hazards) {
        text += hazard.kind == Hazard::Kind::undefined ? "Undefined behaviour: " : result.never_ends ? "Deadlock: " : "May deadlock: ";
        text += visible(hazard.title) + "\n";
        for (const std::string& line : hazard.lines) text += "  " + visible(line) + "\n";
    }
    return text;
}

// "Readings holds in every reading", "Readings No under weakest, Ok by default, Ok under strongest: depends on fence-cta".
std::string reading_line(const Result& result) {
    if (!result.reliance) return {};
    const Reliance& reliance = *result.reliance;
    if (!reliance.depends.known) return "Readings not decided\n";
    if (reliance.depends.flips.empty()) {
        const Verdict verdict = result.judgement.verdict;
        if (verdict == Verdict::ok) return "Readings holds in every reading\n";
        return verdict == Verdict::no ? "Readings fails in every reading\n" : "Readings the same in every reading\n";
    }
    return "Readings " + spoken(reliance.weakest) + " under weakest, " + spoken(reliance.by_default) + " by default, " +
           spoken(reliance.strongest) + " under strongest: depends on " + alternatives(reliance, reliance.depends.flips) + "\n";
}

std::string compiled_lines(const Result& result) {
    if (!result.compiled) return {};
    const Result::Compiled& compiled = *result.compiled;
    std::string text;
    for (const std::string& line : compiled.settings)
        text += "Compiled by " + visible(line) + (compiled.changes.empty() ? ": as it is written\n" : "\n");
    for (const std::string& line : compiled.changes) text += "  " + visible(line) + "\n";
    for (const std::string& line : compiled.refused) text += "Not compiled by " + visible(line) + "\n";
    return text;
}

std::string flag_lines(const Result& result) {
    std::string text;
    for (const std::string& flag : result.flags) text += "Flag " + visible(flag) + "\n";
    if (result.unrolled) {
        text += "Unrolled a loop was cut at the unroll bound";
        for (const std::string& loop : result.unrolled_at) text += (&loop == &result.unrolled_at.front() ? ": " : ", ") + visible(loop);
        text += "\n";
    }
    return text;
}

// ---- tables ----------------------------------------------------------------------------------

bool continues_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::string cut(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    size_t end = 0;
    for (size_t columns = 0; columns + 3 < width; ++columns)
        for (++end; end < text.size() && continues_code_point(text[end]);) ++end;
    return text.substr(0, end) + "...";
}

// Of a path the end tells more.
std::string cut_front(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    size_t begin = text.size();
    for (size_t columns = 0; columns + 3 < width; ++columns)
        for (--begin; continues_code_point(text[begin]);) --begin;
    return "..." + text.substr(begin);
}

std::string outcome_count(const Result& result) {
    if (result.judgement.verdict == Verdict::error) return "-";
    return std::to_string(result.states.size()) + (result.complete ? "" : "+");
}

// Beside a verdict: `*` when it rests on readings, `?` when that is not decided.
std::string mark(const Result& result) {
    if (rests(result)) return "*";
    const bool decided = result.judgement.verdict != Verdict::unknown;
    return result.reliance && !result.reliance->depends.known && decided ? "?" : "";
}

// ---- outcomes --------------------------------------------------------------------------------

size_t digits_of(size_t number) {
    return std::to_string(number).size();
}

std::string outcomes_title(const Result& result) {
    std::string text = visible(result.test) + ": " + counted(result.states.size(), "outcome");
    if (result.unrolled) {
        text += " (a loop was cut at the unroll bound: there may be more)";
    } else if (!result.complete) {
        text += " (not all)";
    } else if (result.judgement.verdict == Verdict::deadlock) {
        text += " (no execution terminates)";
    }
    if (result.claim != Claim::Kind::none) {
        const size_t positive = satisfying(result);
        text += ", " + std::to_string(positive) + (positive == 1 ? " satisfies " : " satisfy ") + visible(result.condition);
    }
    return text + "\n";
}

}  // namespace

std::string verdict_line(const Result& result) {
    std::string line = spoken(result.judgement.verdict) + (is_reserved(result) ? "* with reservations" : "");
    if (rests(result)) line += " " + under(result.reliance->asked) + ", " + weakest_says(*result.reliance);
    return line + notes_text(result.judgement);
}

std::string text_report(const Result& result, const TextStyle& style) {
    const Verdict verdict = result.judgement.verdict;
    if (verdict == Verdict::error) return {};
    const Conduct conduct = *conduct_of(result);
    std::string text = painted("Program " + conduct.sentence, colour_of(conduct.kind), style) + "\n";
    text += "Test " + visible(result.test) + " " + std::string(expectation(result.claim)) + "\n";
    text += states(result);
    text += painted(verdict_line(result), colour_of(is_reserved(result) ? Verdict::unknown : verdict), style) + "\n";
    if (result.claim != Claim::Kind::none) text += condition_lines(result);
    text += hazard_lines(result) + race_lines(result) + flag_lines(result) + reading_line(result) + compiled_lines(result);
    for (const std::string& line : result.reservations) text += "Reservation: " + visible(line) + "\n";
    for (const std::string& line : result.judged) text += (&line == &result.judged.front() ? "Judged: " : "  ") + visible(line) + "\n";
    if (style.times) text += "Time " + visible(result.test) + " " + fixed(result.seconds, 3) + "\n";
    return text;
}

std::string test_name(const std::string& file, const std::string& test) {
    const size_t slash = file.rfind('/'), begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string base = file.substr(begin);
    if (test == file || test == base.substr(0, base.rfind('.'))) return visible(file);
    if (test.rfind(base + ":", 0) == 0) return visible(file.substr(0, begin) + test);  // of several in a file
    return visible(file) + ": " + visible(test);
}

void TableWidths::make_room_for(const TableTitle& title) {
    name = std::max(name, display_width(test_name(title.file, title.test)));
    claim = std::max(claim, display_width(visible(title.claim)));
}

void TableWidths::fit(const TextStyle& style) {
    // Names first: they are what one looks for. Claims get the rest, at least their beginning; where that would leave little of the names,
    // none are shown.
    constexpr size_t least_name = 20, least_claim = 12;
    const size_t fixed_columns = program + verdict + outcomes + (style.times ? time + 2 : 0) + 6;
    const size_t rest = std::max<size_t>(style.width, 60) - fixed_columns;
    if (rest < least_name + 2 + least_claim) {
        name = std::min(name, rest);
        claim = 0;
        return;
    }
    name = std::min(name, rest - 2 - least_claim);
    claim = std::min(claim, rest - 2 - name);
}

namespace {

// A column with the space before it; nothing where it has no width.
std::string claim_column(const std::string& text, const TableWidths& widths) {
    return widths.claim == 0 ? std::string() : "  " + left(cut(text, widths.claim), widths.claim);
}

}  // namespace

std::string table_header(const TableWidths& widths, const TextStyle& style) {
    std::string line = left("test", widths.name) + "  " + left("program", widths.program) + claim_column("claim", widths) + "  " +
                       left("verdict", widths.verdict) + "  " + right("outcomes", widths.outcomes);
    if (style.times) line += "  " + right("seconds", widths.time);
    return painted(line, "1", style) + "\n";
}

std::string table_row(const Result& result, const TableWidths& widths, const TextStyle& style) {
    const Verdict verdict = result.judgement.verdict;
    const auto conduct = conduct_of(result);
    const std::string_view does = conduct ? name(conduct->kind) : "-";
    std::string line = left(cut_front(test_name(result.file, result.test), widths.name), widths.name) + "  " +
                       painted(left(std::string(does), widths.program), conduct ? colour_of(conduct->kind) : "", style) +
                       claim_column(visible(result.claim_text), widths) + "  " +
                       painted(left(std::string(name(verdict)) + mark(result), widths.verdict), colour_of(verdict), style) + "  " +
                       right(outcome_count(result), widths.outcomes);
    if (style.times) line += "  " + right(fixed(result.seconds, 3), widths.time);
    return line + "\n";
}

void TableEnd::take(const Result& result) {
    const Verdict verdict = result.judgement.verdict;
    const std::string test = visible(result.file) + (result.test == result.file ? "" : ": " + visible(result.test));
    ++tests_;
    ++counts_[verdict];
    if (verdict != Verdict::ok) {
        const std::string claim = result.claim_text.empty() ? "" : ": " + visible(result.claim_text);
        failures_ += painted(name(verdict), colour_of(verdict), style_) + " " + test + claim + notes_text(result.judgement) + "\n";
    }
    const std::string marked = std::string(name(verdict)) + mark(result) + " " + test;
    if (rests(result)) {
        ++rest_;
        resting_ += marked + ": " + spoken(verdict) + " " + under(result.reliance->asked) + ", " + weakest_says(*result.reliance) + "\n";
    } else if (!mark(result).empty()) {
        open_ += marked + "\n";
    }
}

std::string TableEnd::text() const {
    std::string text;
    if (!failures_.empty()) text += "\nNot ok:\n" + failures_;
    if (!resting_.empty()) text += "\nOther verdicts under the weakest readings of the ISA:\n" + resting_;
    if (!open_.empty()) text += "\nNot decided under other readings of the ISA:\n" + open_;
    std::string totals;
    for (const Verdict verdict : {Verdict::ok, Verdict::no, Verdict::undefined, Verdict::deadlock, Verdict::may_deadlock, Verdict::race,
                                  Verdict::unknown, Verdict::error}) {
        const auto count = counts_.find(verdict);
        const size_t tests = count == counts_.end() ? 0 : count->second;
        if (tests == 0 && verdict != Verdict::ok) continue;
        const std::string part = std::to_string(tests) + " " + std::string(name(verdict));
        totals += (totals.empty() ? "" : ", ") + painted(part, colour_of(verdict), style_);
    }
    if (rest_ > 0) totals += "; " + std::to_string(rest_) + (rest_ == 1 ? " rests" : " rest") + " on readings";
    return text + "\n" + counted(tests_, "test") + ": " + totals + "\n";
}

std::string text_outcomes(const Result& result, const TextStyle& style) {
    if (result.judgement.verdict == Verdict::error) return {};
    std::vector<size_t> widths;
    for (size_t i = 0; i < result.columns.size(); ++i) {
        size_t width = display_width(result.columns[i].name);
        for (const Result::State& state : result.states)
            width = std::max(width, format_value(state.values[i], result.columns[i].type).size());
        widths.push_back(width);
    }
    const size_t number_width = std::max<size_t>(2, digits_of(result.states.size()));

    std::string text = outcomes_title(result);
    std::string head = right("#", number_width);
    for (size_t i = 0; i < widths.size(); ++i) head += "  " + right(result.columns[i].name, widths[i]);
    text += painted(head, "1", style) + "\n";
    for (size_t n = 0; n < result.states.size(); ++n) {
        const Result::State& state = result.states[n];
        text += right(std::to_string(n + 1), number_width);
        for (size_t i = 0; i < widths.size(); ++i) text += "  " + right(format_value(state.values[i], result.columns[i].type), widths[i]);
        if (state.satisfies && result.claim != Claim::Kind::none) text += "  *";
        text += "\n";
    }
    return text;
}

}  // namespace litmus
