// Source text in colours: the tokens of a TextMate grammar, as spans of HTML.
//
// Of a grammar as editors have it (src/view/page/litmus.tmLanguage.json) this reads its patterns in order: `match` with `name`, and `begin`
// with `end` for comments and strings, which may go over several lines, and `include` of a `#name` in its repository. The expressions are
// to be such that ECMAScript's mean the same. At each place of a line the pattern that matches first wins, the earlier of two.
#pragma once

#include <mutex>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace litmus {

class Highlighter {
public:
    // Of the grammar that travels inside the executable.
    Highlighter();
    // Throws std::logic_error for a grammar that says more than is read here.
    explicit Highlighter(std::string_view grammar);

    // May be called from several threads. The lines of a text, each as escaped HTML with `<span class="keyword">` around its tokens: the
    // class is the kind of the scope, as style.css names its colours.
    std::vector<std::string> lines(std::string_view text) const;

private:
    struct Pattern {
        std::regex begin, end;
        bool spans = false;  // from `begin` to `end`
        std::string kind;
    };

    // A line in colours, and the pattern whose `end` was not seen yet behind it; null: none.
    struct Coloured {
        std::string html;
        const Pattern* inside = nullptr;
    };

    Coloured from_outside(const std::string& line) const;
    std::string coloured(const std::string& line, const Pattern*& inside) const;

    std::vector<Pattern> patterns_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string, Coloured> known_;  // lines that begin outside of all patterns: most stand in many tests
};

}  // namespace litmus
