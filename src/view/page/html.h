// HTML, written piece by piece: the one place where text becomes markup, so that nothing a test says can become a tag.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace litmus {

// Text as it may stand between tags and in quotes: `&lt;` for `<`. Control characters but the end of a line become visible.
std::string escaped(std::string_view text);

class Html {
public:
    struct Attribute {
        std::string_view name;
        std::string_view value;
        bool given = true;  // false: left out
    };
    using Attributes = std::initializer_list<Attribute>;

    Html& open(std::string_view tag, Attributes attributes = {});
    Html& close();                                                 // what was opened last
    Html& leaf(std::string_view tag, Attributes attributes = {});  // a tag without an end: <meta>, <input>
    Html& text(std::string_view text);
    Html& element(std::string_view tag, std::string_view text) { return open(tag).Html::text(text).close(); }
    Html& element(std::string_view tag, Attributes attributes, std::string_view text) {
        return open(tag, attributes).Html::text(text).close();
    }
    Html& link(std::string_view target, std::string_view text) { return element("a", {{"href", target}}, text); }
    // Markup that was made elsewhere: a picture, another Html.
    Html& markup(std::string_view made) {
        out_ += made;
        return *this;
    }
    Html& line_end() { return markup("\n"); }  // between blocks, for whoever reads the source

    // All of it; std::logic_error when something is still open.
    std::string take();

private:
    void tag(std::string_view name, Attributes attributes);

    std::string out_;
    std::vector<std::string> open_;
};

// Text with code in backticks.
void put_inline(Html& html, std::string_view markdown);

}  // namespace litmus
