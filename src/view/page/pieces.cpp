// Counts, rates, sources, outcomes, executions and reasons as HTML. What tells the answer is marked data-hide="guess" (page.js).
#include "view/page/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "analysis/verdict/conduct.h"
#include "analysis/verdict/text.h"
#include "base/visible.h"
#include "view/page/bare_source.h"

namespace litmus {

std::string short_device(std::string_view name) {
    constexpr std::string_view maker = "NVIDIA ";
    if (name.substr(0, maker.size()) == maker) name.remove_prefix(maker.size());
    const size_t memory = name.find("GB");
    if (memory == std::string_view::npos) return std::string(name);
    const size_t blank = name.rfind(' ', memory);
    return std::string(name.substr(0, blank));
}

std::string count_text(uint64_t count) {
    if (count < 100000) return std::to_string(count);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1e", static_cast<double>(count));
    std::string plain = text.data();  // "1.2e+10"
    plain.erase(std::remove(plain.begin(), plain.end(), '+'), plain.end());
    return plain;
}

std::string rate_text(uint64_t count, uint64_t instances) {
    if (count == 0) return "never in " + count_text(instances);
    std::array<char, 32> text{};
    const double share = static_cast<double>(count) / static_cast<double>(instances);
    if (share > 0.999 && count < instances) return "> 99.9 % of " + count_text(instances);
    if (share >= 1e-5)
        std::snprintf(text.data(), text.size(), "%.2g %%", 100 * share);
    else
        std::snprintf(text.data(), text.size(), "%.1e", share);
    std::string shown = count == instances ? "100 %" : text.data();
    return (share >= 1e-5 ? shown + " of " : count_text(count) + " of ") + count_text(instances);
}

namespace {

// The word of a standing on the page, and its class.
std::string_view word(Standing standing) {
    return standing == Standing::undefined ? "undefined behaviour" : name(standing);
}

// "632" of `<svg ... width="631.8">`.
std::string width_of(const std::string& svg) {
    constexpr std::string_view attribute = " width=\"";
    const size_t at = svg.find(attribute);
    return at == std::string::npos ? "0" : std::to_string(std::lround(std::strtod(svg.c_str() + at + attribute.size(), nullptr)));
}

void put_story(Html& html, const MbarrierStory& story) {
    html.open("div", {{"class", "mbarrier"}});
    html.open("h3").text("The story of ").element("code", story.object).close();
    html.open("ol");
    for (const MbarrierStory::Step& step : story.steps) {
        html.open("li", {{"class", "completes", !step.completes.empty()}});
        html.element("span", {{"class", "what"}}, step.what).text(" ").element("code", step.state);
        if (!step.completes.empty()) html.text(" ").element("strong", step.completes + " completes");
        html.close();
    }
    html.close().close().line_end();
}

void put_sentences(Html& html, const std::vector<Sentence>& sentences) {
    if (sentences.empty()) return;
    html.open("ul");
    for (const Sentence& sentence : sentences) {
        html.open("li").text(sentence.text);
        if (!sentence.section.empty()) html.text(" ").element("span", {{"class", "section"}}, "ISA " + sentence.section);
        put_sentences(html, sentence.because);
        html.close();
    }
    html.close();
}

void put_behind(Html& html, const PageOutcome& outcome, const std::string& path) {
    html.open("div", {{"class", "behind"}, {"data-hide", "guess"}});
    if (outcome.standing == Standing::forbidden &&
        std::any_of(outcome.counts.begin(), outcome.counts.end(), [](uint64_t n) { return n > 0; }))
        html.element("p", {{"class", "alarm"}}, "A device showed what the model forbids.");
    if (!outcome.ruled_out_by.empty()) {
        html.open("p").text(outcome.standing == Standing::forbidden
                                ? "Under the weakest readings it is allowed; what forbids it is the reading "
                                : "It would be forbidden under the reading ");
        for (const std::string& reading : outcome.ruled_out_by) {
            html.text(&reading == &outcome.ruled_out_by.front() ? "" : ", or ");
            html.link(relative_to(path, "readings.html#" + reading), reading);
        }
        html.text(".").close().line_end();
    }
    if (outcome.figure) put_figure(html, *outcome.figure);
    if (!outcome.drawn_by.empty()) html.open("p").text("A picture of it: ").element("code", outcome.drawn_by).close().line_end();
    if (outcome.why) put_why(html, *outcome.why);
    html.close();
}

}  // namespace

void put_outcome(Html& html, const TestPage& page, const PageOutcome& outcome, const OutcomeLook& look) {
    const std::string standing(name(outcome.standing));
    html.open("details", {{"class", "outcome " + standing + (outcome.asked ? " asked" : "")},
                          {"id", look.id, !look.id.empty()},
                          {"data-standing", standing},
                          {"open", "open", look.open}});
    html.open("summary");
    html.element("span", {{"class", "standing"}, {"data-hide", "guess"}}, word(outcome.standing));
    html.open("span", {{"class", "values"}});
    if (outcome.values.empty()) html.text("it ends");
    for (const std::string& value : outcome.values) html.element("code", value).text(" ");
    html.close();
    if (outcome.asked) html.element("span", {{"class", "mark"}}, "what is asked");
    html.open("span", {{"class", "seen"}, {"data-hide", "guess"}});
    for (size_t d = 0; d < outcome.counts.size(); ++d) {
        const RanOn& device = page.devices[d];
        if (device.instances == 0) continue;  // nothing is known of how often
        html.open("span", {{"class", outcome.counts[d] > 0 ? "yes" : "no"}});
        html.element("b", short_device(device.device)).text(" " + rate_text(outcome.counts[d], device.instances)).close().text(" ");
    }
    html.close().close().line_end();
    put_behind(html, outcome, look.path);
    html.close().line_end();
}

void put_figure(Html& html, const Figure& figure) {
    html.open("figure", {{"class", "execution"}, {"style", "--width: " + width_of(figure.svg) + "px"}});
    html.open("div", {{"class", "canvas"}, {"tabindex", "0"}, {"role", "group"}, {"aria-label", "Execution"}});
    html.markup(figure.svg).close();
    html.element("figcaption", {{"class", "readout"}, {"aria-live", "polite"}},
                 "Point at an edge, or go to it with the Tab key: its meaning stands here.");
    html.close().line_end();
    for (const MbarrierStory& story : figure.mbarriers) put_story(html, story);
}

void put_why(Html& html, const Explanation::Case& why) {
    html.open("div", {{"class", "why"}}).element("h3", "Why it cannot happen");
    if (!why.known) html.element("p", "Which axioms forbid it was not decided within the time limit.");
    if (why.ways.size() > 1 && why.all_ways)
        html.element("p", "It could come about in " + std::to_string(why.ways.size()) + " ways, and each breaks an axiom.");
    else if (!why.ways.empty() && !why.all_ways)
        html.element("p", "A way in which it could come about (there may be others):");
    for (const Explanation::Way& way : why.ways) {
        html.open("p", {{"class", "axiom"}}).text("It would break ").element("strong", way.axiom);
        if (!way.section.empty()) html.text(" ").element("span", {{"class", "section"}}, "ISA " + way.section);
        html.text(way.meaning.empty() ? "." : ": " + way.meaning).close();
        put_sentences(html, way.story);
    }
    html.close().line_end();
}

void put_conduct(Html& html, const Result& result) {
    const auto conduct = conduct_of(result);
    if (!conduct) return;
    html.open("p", {{"class", "program " + std::string(name(conduct->kind))}, {"data-hide", "guess"}});
    html.text("The program ").element("strong", conduct->sentence).text(".").close().line_end();
    std::string label(conduct->claimed);
    label[0] = static_cast<char>(label[0] - 'a' + 'A');
    html.open("p", {{"class", "verdict " + std::string(name(result.judgement.verdict))}, {"data-hide", "guess"}});
    html.element("span", {{"class", "label"}}, label);
    if (!result.claim_text.empty() && result.claim_text != "none") html.text(": ").element("code", visible(result.claim_text));
    html.text(". ").element("span", {{"class", "label"}}, "Verdict:").text(" ").element("strong", verdict_line(result)).close().line_end();
}

std::string hazard_title(const HazardText& hazard) {
    const bool race = hazard.kind == Hazard::Kind::race, undefined = hazard.kind == Hazard::Kind::undefined;
    return (race ? "race on " : undefined ? "undefined behaviour: " : "") + hazard.title;
}

void put_source(Html& html, const TestPage& page, const Highlighter& highlighter, bool bare) {
    std::set<size_t> silent;
    for (const SourceLine& line : page.bare) silent.insert(static_cast<size_t>(line.number));
    html.open("pre", {{"tabindex", "0"}, {"aria-label", "The text of " + visible(page.result.test)}}).open("code");
    size_t number = 0;
    for (const std::string& line : highlighter.lines(page.source->text)) {
        const std::string digits = std::to_string(++number);
        const bool tells = silent.count(number) == 0;
        if (tells && bare) continue;
        html.open("span", {{"class", "line"}, {"data-line", digits}, {"id", "L" + digits, !bare}, {"data-hide", "guess", tells}});
        html.markup(line).text("\n").close();
    }
    html.close().close().line_end();
}

}  // namespace litmus
