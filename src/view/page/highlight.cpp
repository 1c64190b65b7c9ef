// Each pattern is searched once from where the line stands, and again only when what it found was passed: a line of n tokens takes about n
// searches, not one for each character and pattern.
#include "view/page/highlight.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "view/page/assets.h"
#include "view/page/html.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

// The kind that the page colours a scope as: of scopes.json's pairs the first whose scope this one begins with.
std::string kind_of(const std::string& scope, const Json& kinds) {
    for (const Json& pair : kinds)
        if (scope.rfind(pair.at(0).get<std::string>(), 0) == 0) return pair.at(1);
    return {};
}

// The patterns in order, those of the repository in the place of what includes them.
void flatten(const Json& patterns, const Json& grammar, std::vector<Json>& flat) {
    for (const Json& pattern : patterns) {
        if (!pattern.contains("include")) {
            flat.push_back(pattern);
            continue;
        }
        const std::string name = pattern.at("include");
        if (name.empty() || name[0] != '#') throw std::logic_error("the grammar includes " + name);
        const Json& included = grammar.at("repository").at(name.substr(1));
        flatten(included.contains("patterns") ? included.at("patterns") : Json::array({included}), grammar, flat);
    }
}

std::regex expression(const Json& text) {
    return std::regex(text.get<std::string>(), std::regex::ECMAScript | std::regex::optimize);
}

// Neighbours of one kind, such as the qualifiers of an instruction, are one element.
void append(std::string& out, const std::string& kind, std::string_view text) {
    if (text.empty()) return;
    if (kind.empty()) {
        out += escaped(text);
        return;
    }
    const std::string open = "<span class=\"" + kind + "\">";
    const std::string_view close = "</span>";
    const size_t last = out.rfind("<span");
    if (out.ends_with(close) && out.compare(last, open.size(), open) == 0)
        out.resize(out.size() - close.size());
    else
        out += open;
    out += escaped(text);
    out += close;
}

}  // namespace

Highlighter::Highlighter() : Highlighter(asset("litmus.tmLanguage.json")) {}

Highlighter::Highlighter(std::string_view text) {
    const Json grammar = Json::parse(text), kinds = Json::parse(asset("scopes.json"));
    std::vector<Json> flat;
    flatten(grammar.at("patterns"), grammar, flat);
    for (const Json& from : flat) {
        const bool spans = from.contains("begin");
        const std::string scope = from.value("name", std::string());
        patterns_.push_back({expression(from.at(spans ? "begin" : "match")), spans ? expression(from.at("end")) : std::regex(), spans,
                             kind_of(scope, kinds)});
    }
}

// `inside`: the pattern whose `end` was not seen yet, before the line and then behind it; null: none. A line that is too long has no
// colours, and begins no comment: the expressions of the standard library recurse for each character.
std::string Highlighter::coloured(const std::string& line, const Pattern*& inside) const {
    constexpr size_t longest = 4096;
    std::string out;
    if (line.size() > longest) {
        append(out, inside == nullptr ? "" : inside->kind, line);
        if (line.find("*/") != std::string::npos) inside = nullptr;
        return out;
    }
    std::vector<std::optional<std::smatch>> found(patterns_.size());
    auto at = line.begin();
    const auto search = [&](const std::regex& wanted, std::smatch& match) {
        auto flags = std::regex_constants::match_not_null;
        if (at != line.begin()) flags |= std::regex_constants::match_prev_avail;
        return std::regex_search(at, line.end(), match, wanted, flags);
    };
    while (at != line.end()) {
        if (inside != nullptr) {
            std::smatch end;
            const auto stop = search(inside->end, end) ? end[0].second : line.end();
            append(out, inside->kind, {&*at, static_cast<size_t>(stop - at)});
            at = stop;
            if (!end.empty()) inside = nullptr;
            continue;
        }
        size_t best = patterns_.size();
        for (size_t p = 0; p < patterns_.size(); ++p) {
            const bool passed = found[p] && !found[p]->empty() && (*found[p])[0].first < at;
            if (!found[p] || passed) {
                std::smatch match;
                search(patterns_[p].begin, match);
                found[p] = match;
            }
            if (found[p]->empty()) continue;
            if (best == patterns_.size() || (*found[p])[0].first < (*found[best])[0].first) best = p;
        }
        const auto begin = best < patterns_.size() ? (*found[best])[0].first : line.end();
        append(out, {}, {&*at, static_cast<size_t>(begin - at)});
        at = begin;
        if (best == patterns_.size()) break;
        const auto stop = (*found[best])[0].second;
        append(out, patterns_[best].kind, {&*at, static_cast<size_t>(stop - at)});
        if (patterns_[best].spans) inside = &patterns_[best];
        at = stop;
    }
    return out;
}

Highlighter::Coloured Highlighter::from_outside(const std::string& line) const {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = known_.find(line);
        if (known != known_.end()) return known->second;
    }
    Coloured whole;
    whole.html = coloured(line, whole.inside);
    const std::lock_guard<std::mutex> lock(mutex_);
    return known_.emplace(line, std::move(whole)).first->second;
}

std::vector<std::string> Highlighter::lines(std::string_view text) const {
    std::vector<std::string> result;
    const Pattern* inside = nullptr;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const std::string line(text.substr(0, end));
        if (inside == nullptr) {
            const Coloured whole = from_outside(line);
            result.push_back(whole.html);
            inside = whole.inside;
        } else {
            result.push_back(coloured(line, inside));
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return result;
}

}  // namespace litmus
