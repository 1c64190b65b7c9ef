// First the facts that a term needs are collected in their order: steps (terms with a phrase), base edges, conditions on two
// events, and what is absent. Then each becomes a sentence, the conditions on two events together one.
#include "analysis/explain/story.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "event/program.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr size_t widest_line = 120;
constexpr std::string_view pair_phrase = "A and B ";

std::string phrase_of(const Node& node) {
    if (!node.phrase.empty() || node.op != Node::Op::base) return std::string(node.phrase);
    for (const BaseName& base : base_names())
        if (base.name == node.name && !base.is_set && !base.phrase.empty()) return std::string(base.phrase);
    return "`" + std::string(node.name) + "` leads from A to B";
}

bool is_same_pair(const std::pair<size_t, size_t>& pair, const Derivation& d) {
    return pair == std::pair(d.from, d.to) || pair == std::pair(d.to, d.from);
}

std::string scopes_of(const Event& a, const Event& b) {
    if (a.scope == b.scope) return "." + std::string(name(a.scope));
    return "." + std::string(name(a.scope)) + ", ." + std::string(name(b.scope));
}

}  // namespace

struct Storyteller::Fact {
    enum class Kind : uint8_t { step, edge, condition, absence };
    Kind kind;
    const Derivation* derivation;
};

Storyteller::Storyteller(const Model& model, const Execution& execution)
    : model_(model), execution_(execution), names_(execution), is_condition_(about_events(model)) {}

std::vector<Sentence> Storyteller::tell(const std::vector<Derivation>& derivations) {
    std::vector<Fact> facts;
    for (const Derivation& d : derivations) collect(d, facts);
    return sentences(facts, nullptr);
}

// ---- facts --------------------------------------------------------------------------------------

void Storyteller::collect(const Derivation& d, std::vector<Fact>& facts) const {
    const Node& node = model_.nodes[d.node];
    if (d.absent) return collect_absent(d, facts);
    const bool is_base = node.op == Node::Op::base;
    if (node.is_set && is_base) return;
    if (is_base && node.name == "id") return;
    if (is_condition_[d.node] && (is_base || !node.phrase.empty())) {
        facts.push_back({Fact::Kind::condition, &d});
    } else if (is_base) {
        facts.push_back({Fact::Kind::edge, &d});
    } else if (!node.phrase.empty() && !node.is_set && d.from != d.to) {
        facts.push_back({Fact::Kind::step, &d});
    } else {
        collect_parts(d, facts);
    }
}

// What is absent is said where it is more than a fact about two events.
void Storyteller::collect_absent(const Derivation& d, std::vector<Fact>& facts) const {
    if (!is_condition_[d.node]) facts.push_back({Fact::Kind::absence, &d});
}

void Storyteller::collect_parts(const Derivation& d, std::vector<Fact>& facts) const {
    for (const Derivation& part : d.parts) collect(part, facts);
}

// Of a step that says no more than another one about the same two events, the facts of that one.
std::vector<Storyteller::Fact> Storyteller::facts_of(const Derivation& step, std::string& section) const {
    std::vector<Fact> facts;
    collect_parts(step, facts);
    const auto is_more = [](const Fact& fact) { return fact.kind != Fact::Kind::condition; };
    const auto only = std::find_if(facts.begin(), facts.end(), is_more);
    if (only == facts.end() || only->kind != Fact::Kind::step || std::count_if(facts.begin(), facts.end(), is_more) > 1) return facts;
    const Derivation& inner = *only->derivation;
    if (inner.from != step.from || inner.to != step.to) return facts;
    const std::string_view cited = model_.nodes[inner.node].section;
    if (cited != section) section.append(section.empty() || cited.empty() ? "" : ", ").append(cited);
    facts.erase(only);
    const std::vector<Fact> lifted = facts_of(inner, section);
    facts.insert(facts.begin(), lifted.begin(), lifted.end());
    return facts;
}

// ---- sentences ----------------------------------------------------------------------------------

std::vector<Sentence> Storyteller::sentences(const std::vector<Fact>& facts, const Pair* subject) {
    std::vector<Sentence> result = subject == nullptr ? std::vector<Sentence>{} : conditions(facts, subject, true);
    for (const Fact& fact : facts) {
        const Derivation& d = *fact.derivation;
        switch (fact.kind) {
            case Fact::Kind::step:
                if (Sentence told = step(d, subject); !told.text.empty()) result.push_back(std::move(told));
                break;
            case Fact::Kind::edge:
                result.push_back(edge(d));
                break;
            case Fact::Kind::absence:
                result.push_back({.text = absence(d)});
                break;
            case Fact::Kind::condition:
                break;
        }
    }
    for (Sentence& condition : conditions(facts, subject, false)) result.push_back(std::move(condition));
    return result;
}

// Nothing for conditions that were told.
Sentence Storyteller::step(const Derivation& d, const Pair* subject) {
    const Node& node = model_.nodes[d.node];
    std::string section(node.section);
    const std::vector<Fact> facts = facts_of(d, section);
    const bool is_new = told_.insert({d.node, d.from, d.to}).second;
    const bool only_conditions = std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return f.kind == Fact::Kind::condition; });
    if (!is_new && only_conditions) return {};
    const bool they = subject != nullptr && is_same_pair(*subject, d) && node.phrase.rfind(pair_phrase, 0) == 0;
    Sentence told{.text = they ? "they " + std::string(node.phrase.substr(pair_phrase.size())) : said(node.phrase, d.from, d.to),
                  .section = section};
    name_ends(told, d);
    if (is_new) {
        const Pair pair{d.from, d.to};
        told.because = sentences(facts, &pair);
    } else {
        told.text += ", as above";
    }
    return told;
}

// The r of r | r^-1.
std::optional<NodeId> Storyteller::one_direction(const Node& node) const {
    if (node.op != Node::Op::union_) return std::nullopt;
    const Node& other = model_.nodes[node.args[1]];
    const bool both_ways = other.op == Node::Op::inverse && other.args[0] == node.args[0];
    return both_ways ? std::optional(node.args[0]) : std::nullopt;
}

Sentence Storyteller::edge(const Derivation& d) {
    const Node& node = model_.nodes[d.node];
    Sentence told{.text = node.name == "rf" ? reading(d) : said(phrase_of(node), d.from, d.to)};
    name_ends(told, d);
    return told;
}

void Storyteller::name_ends(Sentence& sentence, const Derivation& d) const {
    sentence.relation = model_.nodes[d.node].name;
    sentence.from = names_.full(d.from);
    sentence.to = names_.full(d.to);
}

// "P1:14 reads 1 from P0:9"
std::string Storyteller::reading(const Derivation& d) {
    const auto cell = static_cast<size_t>(execution_.program->events[d.to].cell);
    const std::string value = format_cell(*execution_.program, cell, execution_.values[d.to]);
    const std::string reader = names_.mention(d.to);
    return reader + " reads " + value + " from " + names_.mention(d.from);
}

// Where the relation holds the other way round, that is said.
std::string Storyteller::absence(const Derivation& d) {
    const Node& node = model_.nodes[d.node];
    if (node.op == Node::Op::base && base_relation(execution_, node.name).contains(d.to, d.from))
        return said(phrase_of(node), d.to, d.from);
    if (const auto one = one_direction(node)) return absence({*one, d.from, d.to, true, {}}) + ", nor the other way round";
    if (!phrase_of(node).empty()) return "it is not so that " + said(phrase_of(node), d.from, d.to);
    const Source& source = *model_.sources[node.file];
    const std::string term = source.text.substr(node.span.begin, node.span.end - node.span.begin);
    return "`" + term + "` does not lead from " + names_.mention(d.from) + " to " + names_.mention(d.to);
}

// Those on the same two events in one sentence: on the subject, or on others.
std::vector<Sentence> Storyteller::conditions(const std::vector<Fact>& facts, const Pair* subject, bool of_subject) {
    std::vector<std::pair<Pair, std::vector<std::string>>> of_both;
    std::vector<Sentence> result;
    for (const Fact& fact : facts) {
        const Derivation& d = *fact.derivation;
        if (fact.kind != Fact::Kind::condition || (subject != nullptr && is_same_pair(*subject, d)) != of_subject) continue;
        if (!told_.insert({d.node, d.from, d.to}).second || d.from == d.to) continue;
        const std::string phrase = phrase_of(model_.nodes[d.node]);
        if (phrase.rfind(pair_phrase, 0) != 0) {
            result.push_back({.text = said(phrase, d.from, d.to)});
            continue;
        }
        auto group = std::find_if(of_both.begin(), of_both.end(), [&](const auto& g) { return is_same_pair(g.first, d); });
        if (group == of_both.end()) group = of_both.insert(group, {{d.from, d.to}, {}});
        group->second.push_back(predicate(d));
    }
    for (const auto& [pair, predicates] : of_both)
        result.push_back({.text = (of_subject ? "they" : said("A and B", pair.first, pair.second)) + " " + joined(predicates, ", ")});
    return result;
}

std::string Storyteller::predicate(const Derivation& d) const {
    const Node& node = model_.nodes[d.node];
    const std::string words = phrase_of(node).substr(pair_phrase.size());
    if (node.op != Node::Op::base || node.name != "sr") return words;
    const std::vector<Event>& events = execution_.program->events;
    return words + " (" + scopes_of(events[d.from], events[d.to]) + ")";
}

// The phrase with the events for A and B, where these stand alone.
std::string Storyteller::said(std::string_view phrase, size_t a, size_t b) {
    std::string text;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (size_t i = 0; i < phrase.size(); ++i) {
        const bool alone = (i == 0 || !is_word(phrase[i - 1])) && (i + 1 == phrase.size() || !is_word(phrase[i + 1]));
        if (alone && (phrase[i] == 'A' || phrase[i] == 'B')) {
            text += names_.mention(phrase[i] == 'A' ? a : b);
        } else {
            text += phrase[i];
        }
    }
    return text;
}

// ---- lines --------------------------------------------------------------------------------------

namespace {

std::string with_section(const Sentence& sentence) {
    return sentence.text + (sentence.section.empty() ? "" : " (" + sentence.section + ")");
}

bool is_leaf(const Sentence& sentence) {
    return sentence.because.empty();
}

// Sentences without reasons share a line as far as they fit.
void write(const std::vector<Sentence>& story, size_t indent, std::vector<std::string>& lines) {
    bool open = false;  // the last line may go on
    for (const Sentence& sentence : story) {
        const std::string text = with_section(sentence);
        if (is_leaf(sentence) && open && display_width(lines.back()) + 2 + display_width(text) <= widest_line) {
            lines.back() += "; " + text;
            continue;
        }
        lines.push_back(std::string(indent, ' ') + text);
        open = is_leaf(sentence);
        if (open) continue;
        std::vector<std::string> reasons;
        write(sentence.because, indent + 2, reasons);
        const std::string after_colon = lines.back() + ": " + reasons.front().substr(indent + 2);
        if (reasons.size() == 1 && display_width(after_colon) <= widest_line) {
            lines.back() = after_colon;
        } else {
            lines.insert(lines.end(), reasons.begin(), reasons.end());
        }
    }
}

}  // namespace

std::vector<std::string> lines(const std::vector<Sentence>& story) {
    std::vector<std::string> result;
    write(story, 0, result);
    return result;
}

}  // namespace litmus
