// A stack of open tags: what is opened has to be closed, in order.
#include "view/page/html.h"

#include <stdexcept>

#include "base/visible.h"

namespace litmus {

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (const size_t length = c == '\n' || c == '\t' ? 0 : acting(text.substr(at)); length > 0) {
            out += "\xEF\xBF\xBD";  // U+FFFD: no page may hold the character itself
            at += length - 1;
        } else {
            out += c;
        }
    }
    return out;
}

void Html::tag(std::string_view name, Attributes attributes) {
    (out_ += '<') += name;
    for (const Attribute& attribute : attributes) {
        if (!attribute.given) continue;
        ((out_ += ' ') += attribute.name) += "=\"";
        (out_ += escaped(attribute.value)) += '"';
    }
    out_ += '>';
}

Html& Html::open(std::string_view name, Attributes attributes) {
    tag(name, attributes);
    open_.emplace_back(name);
    return *this;
}

Html& Html::close() {
    if (open_.empty()) throw std::logic_error("a tag is closed that was not opened");
    ((out_ += "</") += open_.back()) += '>';
    open_.pop_back();
    return *this;
}

Html& Html::leaf(std::string_view name, Attributes attributes) {
    tag(name, attributes);
    return *this;
}

Html& Html::text(std::string_view text) {
    out_ += escaped(text);
    return *this;
}

std::string Html::take() {
    if (!open_.empty()) throw std::logic_error("<" + open_.back() + "> is not closed");
    return std::move(out_);
}

void put_inline(Html& html, std::string_view markdown) {
    bool code = false;
    while (!markdown.empty()) {
        const size_t end = markdown.find('`');
        const std::string_view part = markdown.substr(0, end);
        if (code)
            html.element("code", part);
        else
            html.text(part);
        if (end == std::string_view::npos) break;
        markdown.remove_prefix(end + 1);
        code = !code;
    }
}

}  // namespace litmus
