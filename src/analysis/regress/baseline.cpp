// One line a test; words apart by blanks.
#include "analysis/regress/baseline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr std::string_view first_line = "# litmus baseline 1";
constexpr std::string_view signs = "-_./:+|=?,[]$%@<>";

bool is_plain(const std::string& text) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || signs.find(c) != std::string_view::npos;
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), plain);
}

std::string as_string(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string word(const std::string& text) {
    return is_plain(text) ? text : as_string(text);
}

std::string rests_of(const Result& result) {
    if (!result.reliance) return {};
    if (!result.reliance->depends.known) return "?";
    std::vector<std::string> sets;
    for (const std::vector<std::string>& set : result.reliance->rests_on) sets.push_back(joined(set, "+"));
    return joined(sets, "|");
}

// Where they are and what the witness shows may change with the text, and with the solver.
std::vector<std::string> hazards_of(const Result& result) {
    std::set<std::string> hazards;
    for (const Result::Harm& harm : result.hazards)
        hazards.insert((harm.kind == Hazard::Kind::undefined ? "undefined: " : "may-deadlock: ") + harm.title);
    for (const Result::RacingPair& race : result.races) hazards.insert("race on " + race.location);
    return {hazards.begin(), hazards.end()};
}

std::string line_of(const BaselineEntry& entry) {
    std::string line = word(entry.file) + " " + word(entry.test) + " " + entry.hash + " " + entry.verdict;
    if (!entry.rests.empty()) line += " rests=" + entry.rests;
    if (!entry.flags.empty()) line += " flags=" + joined(entry.flags, ",");
    for (const std::string& hazard : entry.hazards) line += " hazard=" + as_string(hazard);
    for (const std::string& outcome : entry.outcomes) line += " {" + outcome + "}";
    return line + (entry.complete ? "\n" : " incomplete\n");
}

// ---- reading ---------------------------------------------------------------------------------

class Parser {
public:
    explicit Parser(const SourcePtr& source) : source_(source), text_(source->text) {}

    Baseline parse() {
        Baseline baseline;
        if (!has_first_line()) {
            const bool other = text_.rfind("# litmus baseline", 0) == 0;
            // what is no baseline may be anything, and is not quoted
            throw Failure(make_source(source_->name, text_, false), {},
                          other ? "this is a baseline of a version that this tool does not read" : "this is no baseline",
                          "write one with `litmus regress --promote`, under another name or after moving this file away");
        }
        baseline.head = {head("tool"), head("model"), head("readings"), head("options")};
        while (at_ < text_.size()) {
            if (text_[at_] == '\n' || text_[at_] == '#')
                next_line();
            else
                baseline.entries.push_back(entry());
        }
        return baseline;
    }

private:
    bool has_first_line() const {
        if (text_.rfind(first_line, 0) != 0) return false;
        const char next = text_[first_line.size()];  // in version 1.5 a point
        return next == ':' || next == '\n';
    }
    [[noreturn]] void fail(size_t begin, size_t end, const std::string& message, const std::string& hint = {}) const {
        throw Failure(source_, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, message, hint);
    }
    size_t line_end(size_t from) const { return std::min(text_.find('\n', from), text_.size()); }
    void next_line() {
        at_ = std::min(line_end(at_) + 1, text_.size());
        ++line_;
    }
    void blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool at_end_of_line() const { return at_ == text_.size() || text_[at_] == '\n'; }

    std::string head(const std::string& name) {
        while (at_ < text_.size() && text_[at_] == '#') next_line();
        if (text_.compare(at_, name.size() + 1, name + " ") != 0)
            fail(at_, line_end(at_), "the head of a baseline has here a line `" + name + " ...`",
                 "lines tool, model, readings and options, in this order");
        const size_t begin = at_ + name.size() + 1;
        const std::string value = text_.substr(begin, line_end(begin) - begin);
        next_line();
        return value;
    }

    std::string quoted_text() {
        const size_t begin = at_++;
        while (!at_end_of_line() && text_[at_] != '"') at_ = std::min(at_ + (text_[at_] == '\\' ? 2 : 1), text_.size());
        if (at_ == text_.size() || text_[at_] != '"') fail(begin, begin + 1, "this quotation has no end in its line");
        ++at_;
        const auto value = nlohmann::json::parse(text_.substr(begin, at_ - begin), nullptr, false);
        if (!value.is_string()) fail(begin, at_, "this is no text quoted as in JSON");
        return value;
    }

    std::string next_word(const std::string& what) {
        blanks();
        const size_t begin = at_;
        if (at_end_of_line())
            fail(begin, begin, "the line ends where " + what + " is due", "FILE TEST HASH VERDICT, then outcomes in braces");
        if (text_[at_] == '"') return quoted_text();
        while (!at_end_of_line() && text_[at_] != ' ' && text_[at_] != '"') ++at_;
        if (const std::string word = text_.substr(begin, at_ - begin); is_plain(word)) return word;
        fail(begin, at_, "`" + visible(text_.substr(begin, at_ - begin)) + "` is to be quoted as in JSON", what + " is due here");
    }

    std::string outcome() {
        const size_t begin = at_, end = text_.find_first_of("}\n", at_);
        if (end == std::string::npos || text_[end] == '\n')
            fail(begin, begin + 1, "this outcome has no end in its line", "outcomes are {NAME=VALUE NAME=VALUE}");
        at_ = end + 1;
        return text_.substr(begin + 1, end - begin - 1);
    }

    void item(BaselineEntry& entry) {
        const size_t begin = at_;
        if (text_[at_] == '{') return entry.outcomes.push_back(outcome());
        if (text_[at_] == '"') fail(begin, begin + 1, "a quotation stands for a file or a test, or after `hazard=`");
        const std::string text = next_word("an item");
        if (text == "incomplete") {
            entry.complete = false;
        } else if (text.rfind("rests=", 0) == 0) {
            entry.rests = text.substr(6);
        } else if (text.rfind("flags=", 0) == 0) {
            for (size_t from = 6; from < text.size();) {
                const size_t to = std::min(text.find(',', from), text.size());
                if (to > from) entry.flags.push_back(text.substr(from, to - from));
                from = to + 1;
            }
        } else if (text == "hazard=" && at_ < text_.size() && text_[at_] == '"') {
            entry.hazards.push_back(quoted_text());
        } else {
            fail(begin, at_, "a line of a baseline has no `" + text + "` here",
                 "rests=..., flags=..., hazard=\"...\", outcomes in braces, or incomplete");
        }
    }

    BaselineEntry entry() {
        const size_t begin = at_;
        BaselineEntry entry;
        entry.line = line_;
        entry.file = next_word("the file");
        entry.test = next_word("the name of the test");
        entry.hash = next_word("the hash of the test");
        const size_t before = at_;
        entry.verdict = next_word("the verdict");
        if (entry.hash.rfind("fnv1a-", 0) != 0 || !is_plain(entry.hash))
            fail(before - entry.hash.size(), before, "this is no hash of a test", "`fnv1a-` and 16 digits");
        if (std::none_of(verdicts_.begin(), verdicts_.end(), [&](std::string_view v) { return v == entry.verdict; }))
            fail(at_ - std::min(at_, entry.verdict.size()), at_, "`" + entry.verdict + "` is no verdict");
        for (blanks(); !at_end_of_line(); blanks()) item(entry);
        const auto [first, is_new] = lines_.emplace(std::pair(entry.file, entry.test), line_);
        if (!is_new)
            fail(begin, line_end(begin),
                 "the test '" + entry.test + "' of '" + entry.file + "' is twice in the baseline, first in line " +
                     std::to_string(first->second),
                 "leave one of the lines; after a merge of branches, `litmus regress --promote` writes the file anew");
        next_line();
        return entry;
    }

    const SourcePtr& source_;
    const std::string& text_;
    const std::vector<std::string_view> verdicts_{name(Verdict::ok),       name(Verdict::no),           name(Verdict::undefined),
                                                  name(Verdict::deadlock), name(Verdict::may_deadlock), name(Verdict::race),
                                                  name(Verdict::unknown)};
    size_t at_ = 0;
    int line_ = 1;
    std::map<std::pair<std::string, std::string>, int> lines_;
};

}  // namespace

BaselineEntry baseline_entry(const Result& result, const std::string& file) {
    BaselineEntry entry{file,         result.test,        result.hash, std::string(name(result.judgement.verdict)), rests_of(result),
                        result.flags, hazards_of(result), {},          result.complete && !result.partial,          0};
    std::sort(entry.flags.begin(), entry.flags.end());
    for (const Result::State& state : result.states) {
        std::vector<std::string> values;
        for (size_t i = 0; i < result.columns.size(); ++i)
            values.push_back(result.columns[i].name + "=" + format_value(state.values[i], result.columns[i].type));
        entry.outcomes.push_back(joined(values, " "));
    }
    return entry;
}

std::string baseline_text(Baseline baseline) {
    std::stable_sort(baseline.entries.begin(), baseline.entries.end(),
                     [](const BaselineEntry& a, const BaselineEntry& b) { return a.file < b.file; });
    std::string text = std::string(first_line) + ": a line for each test, written by `litmus regress --promote`\n";
    text += "tool " + baseline.head.tool + "\nmodel " + baseline.head.model + "\nreadings " + baseline.head.readings + "\noptions " +
            baseline.head.options + "\n\n";
    for (const BaselineEntry& entry : baseline.entries) text += line_of(entry);
    return text;
}

Baseline parse_baseline(const SourcePtr& source) {
    return Parser(source).parse();
}

}  // namespace litmus
