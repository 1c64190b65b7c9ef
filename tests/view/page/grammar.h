// The grammar of editors (src/view/page/litmus.tmLanguage.json), read and applied in the simplest way: for tests.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "documents/repository.h"

namespace grammar {

// A rule of the grammar; `end` where it spans lines.
struct Rule {
    std::string scope;
    std::regex begin;
    std::optional<std::regex> end;
};

inline std::vector<Rule> rules() {
    const auto file = nlohmann::json::parse(documents::contents("src/view/page/litmus.tmLanguage.json"));
    std::vector<Rule> found;
    for (const auto& pattern : file.at("patterns")) {
        Rule rule{pattern.at("name"), std::regex(pattern.at(pattern.contains("end") ? "begin" : "match").get<std::string>()), {}};
        if (pattern.contains("end")) rule.end = std::regex(pattern.at("end").get<std::string>());
        found.push_back(rule);
    }
    return found;
}

// Of each character of a text the scope it has; empty: none. As an editor does it: line by line, at each place the first rule that matches.
inline std::vector<std::string> scopes(const std::vector<Rule>& rules, const std::string& text) {
    std::vector<std::string> found(text.size());
    const Rule* inside = nullptr;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        for (size_t at = begin; at < end;) {
            const auto flags = std::regex_constants::match_continuous |
                               (at > begin ? std::regex_constants::match_prev_avail : std::regex_constants::match_default);
            const auto here = text.begin() + static_cast<std::ptrdiff_t>(at);
            const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
            std::smatch match;
            size_t length = 1;
            std::string scope = inside != nullptr ? inside->scope : "";
            if (inside != nullptr) {
                if (std::regex_search(here, stop, match, *inside->end, flags))
                    length = static_cast<size_t>(match.length()), inside = nullptr;
            } else {
                for (const Rule& rule : rules) {
                    if (!std::regex_search(here, stop, match, rule.begin, flags)) continue;
                    REQUIRE_MESSAGE(match.length() > 0, rule.scope, " matches nothing");
                    length = static_cast<size_t>(match.length());
                    scope = rule.scope;
                    if (rule.end) inside = &rule;
                    break;
                }
            }
            for (size_t i = 0; i < length; ++i) found[at + i] = scope;
            at += length;
        }
        begin = end + 1;
    }
    return found;
}

}  // namespace grammar
