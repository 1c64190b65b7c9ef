// Links are relative: the site works from disk, and wherever it is put.
#include "view/page/frame.h"

#include <cstdint>

namespace litmus {

std::string relative_to(const std::string& from, const std::string& target) {
    std::string up;
    for (const char c : from)
        if (c == '/') up += "../";
    // a page in the same folder needs no way up
    const size_t folder = from.rfind('/');
    if (folder != std::string::npos && target.compare(0, folder + 1, from, 0, folder + 1) == 0) return target.substr(folder + 1);
    return up + target;
}

namespace {

constexpr size_t most_in_a_link = 32768;  // bytes of a test

}  // namespace

std::string base64url(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    uint32_t open = 0;
    int bits = 0;
    for (const char c : bytes) {
        open = open << 8U | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 6; bits -= 6) text += digits[open >> (bits - 6) & 63U];
    }
    if (bits > 0) text += digits[open << (6 - bits) & 63U];
    return text;
}

std::string laboratory_link(const Site& site, const std::string& from, std::string_view text) {
    if (site.laboratory.empty() || text.size() > most_in_a_link) return {};
    return relative_to(from, site.laboratory) + "#source=" + base64url(text);
}

namespace {

void put_head(Html& html, const PageHead& head) {
    html.open("head");
    html.leaf("meta", {{"charset", "utf-8"}});
    // Should markup of a stranger ever get into a page, it loads, runs and sends nothing. Pictures and their widths are styles in the page.
    html.leaf("meta", {{"http-equiv", "Content-Security-Policy"},
                       {"content",
                        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; base-uri 'none'; "
                        "form-action 'none'"}});
    html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.element("title", head.title);
    if (!head.about.empty()) html.leaf("meta", {{"name", "description"}, {"content", head.about}});
    html.leaf("link", {{"rel", "stylesheet"}, {"href", relative_to(head.path, "style.css")}});
    html.open("script", {{"src", relative_to(head.path, "page.js")}, {"defer", "defer"}}).close();
    html.close().line_end();
}

void put_bar(Html& html, const Site& site, const PageHead& head) {
    html.open("header", {{"class", "bar"}});
    html.element("a", {{"class", "brand"}, {"href", relative_to(head.path, "index.html")}}, "litmus");
    html.open("nav", {{"aria-label", "Parts of this site"}});
    for (const SitePart& part : site.parts)
        html.element("a", {{"href", relative_to(head.path, part.target)}, {"aria-current", "true", part.name == head.part}}, part.name);
    html.close();
    // Shown by the script, without which it does nothing.
    html.element("button", {{"type", "button"}, {"id", "theme"}, {"hidden", "hidden"}}, "Theme: auto");
    html.close().line_end();
}

}  // namespace

std::string framed(const Site& site, const PageHead& head, std::string_view content) {
    Html html;
    html.markup("<!DOCTYPE html>\n");
    html.open("html", {{"lang", "en"}}).line_end();
    put_head(html, head);
    html.open("body", {{"class", head.kind}}).line_end();
    html.element("a", {{"class", "skip"}, {"href", "#main"}}, "To the content");
    put_bar(html, site, head);
    html.open("main", {{"id", "main"}, {"tabindex", "-1"}}).line_end().markup(content).close().line_end();
    html.open("footer").element("p", "Made by " + site.made + ". Section numbers are those of PTX ISA 9.1.").close().line_end();
    html.close().line_end().close().line_end();
    return html.take();
}

}  // namespace litmus
