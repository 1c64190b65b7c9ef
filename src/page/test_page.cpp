// From top to bottom: what the test is and what came of it; its source beside the ways in which it can end, each with a picture of an
// execution or with the reason why there is none; what else can go wrong; the repair; what the verdict rests on.
#include "page/test_page.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "base/visible.h"
#include "report/columns.h"
#include "report/missing.h"
#include "report/text.h"

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

class Writer {
public:
    Writer(const Site& site, const TestPage& page, const Highlighter& highlighter) : site_(site), page_(page), highlighter_(highlighter) {}

    std::string run() {
        put_head();
        html_.open("div", {{"class", "columns"}}).line_end();
        put_source();
        html_.open("div", {{"class", "findings"}}).line_end();
        put_outcomes();
        put_hazards();
        put_missing();
        put_repairs();
        put_rest();
        html_.close().close().line_end();
        put_neighbours();
        const Result& r = page_.result;
        const PageHead head{page_.path, r.test + " - litmus", "Tests", "test", page_.doc};
        return framed(site_, head, html_.take());
    }

private:
    std::string to(const Link& link) const { return relative_to(page_.path, link.target); }

    void put_links(std::string_view what, const std::vector<Link>& links) {
        if (links.empty()) return;
        html_.open("p", {{"class", "links"}}).text(what);
        for (const Link& link : links) html_.text(&link == &links.front() ? " " : ", ").link(to(link), link.text);
        html_.close().line_end();
    }

    void put_head() {
        const Result& r = page_.result;
        html_.open("nav", {{"class", "crumbs"}, {"aria-label", "Where this test stands"}});
        html_.link(relative_to(page_.path, "index.html"), "Tests").text(" / ").link(to(page_.topic), page_.topic.text);
        html_.close().line_end();
        html_.element("h1", visible(r.test)).line_end();
        if (!page_.doc.empty()) html_.element("p", {{"class", "doc"}}, page_.doc).line_end();
        put_links("It answers:", page_.questions);
        const std::string verdict(name(r.judgement.verdict));
        if (r.judgement.verdict == Verdict::error) return put_errors();
        html_.open("p", {{"class", "claim"}});
        if (r.claim_text.empty() || r.claim_text == "none")
            html_.text("It claims nothing.");
        else
            html_.text("It claims ").element("code", r.claim_text);
        html_.close().line_end();
        html_.open("p", {{"class", "verdict " + verdict}, {"data-hide", "guess"}});
        html_.element("span", {{"class", "label"}}, "Verdict").text(" ").element("strong", verdict_line(r)).close().line_end();
        if (!page_.refs.empty()) html_.element("p", {{"class", "refs"}}, "Source: " + joined(page_.refs, "; ")).line_end();
    }

    void put_errors() {
        const Result& r = page_.result;
        html_.open("div", {{"class", "errors"}, {"role", "note"}}).element("h2", "Not checked");
        for (const Diagnostic& error : r.errors) html_.element("pre", render(error, false));
        if (!r.internal_error.empty()) html_.element("pre", "internal error: " + r.internal_error + " (please report)");
        html_.close().line_end();
    }

    void put_source() {
        if (!page_.source) return;
        html_.open("section", {{"class", "source"}, {"aria-labelledby", "source"}});
        html_.element("h2", {{"id", "source"}}, "Source").line_end();
        html_.open("pre", {{"tabindex", "0"}, {"aria-label", "The test's text"}}).open("code");
        size_t number = 0;
        for (const std::string& line : highlighter_.lines(page_.source->text)) {
            const std::string n = std::to_string(++number);
            html_.open("span", {{"class", "line"}, {"id", "L" + n}}).markup(line).text("\n").close();
        }
        html_.close().close();
        html_.element("p", {{"class", "file"}}, page_.result.file).close().line_end();
    }

    // ---- outcomes ---------------------------------------------------------------------------------

    void put_outcomes() {
        if (page_.outcomes.empty() && page_.impossible.empty()) return;
        html_.open("section", {{"class", "outcomes"}, {"aria-labelledby", "outcomes"}});
        html_.open("div", {{"class", "title"}}).element("h2", {{"id", "outcomes"}}, "Outcomes");
        html_.element("button", {{"type", "button"}, {"id", "guess"}, {"hidden", "hidden"}}, "Guess first").close().line_end();
        if (!page_.devices.empty()) put_devices();
        const bool some_asked = std::any_of(page_.outcomes.begin(), page_.outcomes.end(), [](const PageOutcome& o) { return o.asked; });
        bool open = true;  // the first of those that the claim is about, or of all
        size_t number = 0;
        for (const PageOutcome& outcome : page_.outcomes) {
            const bool shown = open && (outcome.asked || !some_asked);
            if (shown) open = false;
            put_outcome(outcome, ++number, shown);
        }
        if (page_.more_outcomes) html_.element("p", "There are other outcomes, which are not listed here.").line_end();
        for (const std::string& line : page_.impossible)
            html_.element("p", {{"class", "impossible"}, {"data-hide", "guess"}}, line).line_end();
        html_.close().line_end();
    }

    void put_devices() {
        html_.open("p", {{"class", "ran"}}).text("Run on ");
        for (const RanOn& device : page_.devices) {
            html_.text(&device == &page_.devices.front() ? "" : " and on ");
            html_.text(device.device + ", " + count_text(device.instances) + " times");
            if (device.unlisted > 0) html_.text(" (" + count_text(device.unlisted) + " more ended in ways that found no room)");
        }
        html_.text(".").close().line_end();
    }

    void put_outcome(const PageOutcome& outcome, size_t number, bool open) {
        const std::string standing(name(outcome.standing));
        html_.open("details", {{"class", "outcome " + standing + (outcome.asked ? " asked" : "")},
                               {"id", "o" + std::to_string(number)},
                               {"data-standing", standing},
                               {"open", "open", open}});
        html_.open("summary");
        html_.element("span", {{"class", "standing"}, {"data-hide", "guess"}}, word(outcome.standing));
        html_.open("span", {{"class", "values"}});
        if (outcome.values.empty()) html_.text("it ends");
        for (const std::string& value : outcome.values) html_.element("code", value).text(" ");
        html_.close();
        if (outcome.asked) html_.element("span", {{"class", "mark"}}, "what is asked");
        html_.open("span", {{"class", "seen"}, {"data-hide", "guess"}});
        for (size_t d = 0; d < outcome.counts.size(); ++d) {
            const RanOn& device = page_.devices[d];
            html_.open("span", {{"class", outcome.counts[d] > 0 ? "yes" : "no"}});
            html_.element("b", short_device(device.device)).text(" " + rate_text(outcome.counts[d], device.instances)).close().text(" ");
        }
        html_.close().close().line_end();
        put_behind(outcome);
        html_.close().line_end();
    }

    void put_behind(const PageOutcome& outcome) {
        html_.open("div", {{"class", "behind"}, {"data-hide", "guess"}});
        if (outcome.standing == Standing::forbidden &&
            std::any_of(outcome.counts.begin(), outcome.counts.end(), [](uint64_t n) { return n > 0; }))
            html_.element("p", {{"class", "alarm"}}, "A device showed what the model forbids.");
        if (!outcome.ruled_out_by.empty()) {
            html_.open("p").text("It would be forbidden under the reading ");
            for (const std::string& reading : outcome.ruled_out_by) {
                html_.text(&reading == &outcome.ruled_out_by.front() ? "" : ", or ");
                html_.link(relative_to(page_.path, "readings.html#" + reading), reading);
            }
            html_.text(".").close().line_end();
        }
        if (outcome.figure) put_figure(*outcome.figure);
        if (outcome.why) put_why(*outcome.why);
        html_.close();
    }

    void put_figure(const Figure& figure) {
        html_.open("figure", {{"class", "execution"}});
        html_.open("div", {{"class", "canvas"}, {"tabindex", "0"}, {"role", "group"}, {"aria-label", "Execution"}});
        html_.markup(figure.svg).close();
        html_.element("figcaption", {{"class", "readout"}, {"aria-live", "polite"}},
                      "Point at an edge, or go to it with the Tab key: its meaning stands here.");
        html_.close().line_end();
        for (const MbarrierStory& story : figure.mbarriers) put_story(story);
    }

    void put_story(const MbarrierStory& story) {
        html_.open("div", {{"class", "mbarrier"}});
        html_.open("h3").text("The story of ").element("code", story.object).close();
        html_.open("ol");
        for (const MbarrierStory::Step& step : story.steps) {
            html_.open("li", {{"class", "completes", !step.completes.empty()}});
            html_.element("span", {{"class", "what"}}, step.what).text(" ").element("code", step.state);
            if (!step.completes.empty()) html_.text(" ").element("strong", step.completes + " completes");
            html_.close();
        }
        html_.close().close().line_end();
    }

    // ---- why not ----------------------------------------------------------------------------------

    void put_sentences(const std::vector<Sentence>& sentences) {
        if (sentences.empty()) return;
        html_.open("ul");
        for (const Sentence& sentence : sentences) {
            html_.open("li").text(sentence.text);
            if (!sentence.section.empty()) html_.text(" ").element("span", {{"class", "section"}}, "ISA " + sentence.section);
            put_sentences(sentence.because);
            html_.close();
        }
        html_.close();
    }

    void put_why(const Explanation::Case& why) {
        html_.open("div", {{"class", "why"}}).element("h3", "Why it cannot happen");
        if (!why.known) html_.element("p", "Which axioms forbid it was not decided within the time limit.");
        const bool several = why.ways.size() > 1 || !why.all_ways;
        if (several && !why.ways.empty())
            html_.element("p", why.all_ways
                                   ? "It could come about in " + std::to_string(why.ways.size()) + " ways, and each breaks an axiom."
                                   : "It could come about in these ways, and perhaps in others; each breaks an axiom.");
        for (const Explanation::Way& way : why.ways) {
            html_.open("p", {{"class", "axiom"}}).text("It would break ").element("strong", way.axiom);
            if (!way.section.empty()) html_.text(" ").element("span", {{"class", "section"}}, "ISA " + way.section);
            html_.text(way.meaning.empty() ? "." : ": " + way.meaning).close();
            put_sentences(way.story);
        }
        html_.close().line_end();
    }

    // ---- the rest ---------------------------------------------------------------------------------

    void put_hazards() {
        if (page_.hazards.empty()) return;
        html_.open("section", {{"class", "hazards"}, {"aria-labelledby", "hazards"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "hazards"}}, "What else can come up").line_end();
        for (const PageHazard& hazard : page_.hazards) {
            html_.open("details", {{"class", "hazard"}, {"open", "open", page_.outcomes.empty() && &hazard == &page_.hazards.front()}});
            const bool race = hazard.text.kind == Hazard::Kind::race;
            const std::string_view kind = race ? "race on " : hazard.text.kind == Hazard::Kind::undefined ? "undefined behaviour: " : "";
            html_.open("summary").element("span", {{"class", "standing"}}, std::string(kind) + hazard.text.title).close();
            html_.open("div", {{"class", "behind"}}).open("ul");
            for (const std::string& line : hazard.text.lines) html_.element("li", line);
            html_.close();
            if (hazard.figure) put_figure(*hazard.figure);
            html_.close().close().line_end();
        }
        html_.close().line_end();
    }

    void put_missing() {
        if (!page_.missing || page_.missing->best.empty()) return;
        html_.open("section", {{"class", "missing"}, {"aria-labelledby", "missing"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "missing"}}, "What is missing").open("ul");
        std::istringstream lines(missing_text(*page_.missing, page_.result.file));
        for (std::string line; std::getline(lines, line);) html_.element("li", line);
        html_.close().close().line_end();
    }

    void put_repairs() {
        if (page_.mends.empty() && page_.mended_by.empty()) return;
        html_.open("section", {{"class", "repairs"}, {"aria-labelledby", "repairs"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "repairs"}}, "The repair").line_end();
        put_links("This test is the repair of", page_.mends);
        put_links("Mended in", page_.mended_by);
        for (const std::string& patch : page_.changes) put_patch(patch);
        html_.close().line_end();
    }

    void put_patch(const std::string& patch) {
        html_.open("pre", {{"class", "patch"}, {"tabindex", "0"}, {"aria-label", "What the repair changes"}});
        std::istringstream lines(patch);
        for (std::string line; std::getline(lines, line);) {
            const char first = line.empty() ? ' ' : line[0];
            if (first == '+')
                html_.element("ins", line);
            else if (first == '-')
                html_.element("del", line);
            else
                html_.text(line);
            html_.text("\n");
        }
        html_.close().line_end();
    }

    void put_rest() {
        if (page_.readings.empty() && page_.not_known.empty()) return;
        html_.open("section", {{"class", "readings"}, {"aria-labelledby", "readings"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "readings"}}, "What it rests on").line_end();
        for (const std::string& line : page_.readings) html_.element("p", line);
        for (const std::string& line : page_.not_known) html_.element("p", {{"class", "alarm"}}, line);
        html_.close().line_end();
    }

    void put_neighbours() {
        if (!page_.previous && !page_.next) return;
        html_.open("nav", {{"class", "neighbours"}, {"aria-label", "Tests before and after"}});
        if (page_.previous) html_.element("a", {{"rel", "prev"}, {"href", to(*page_.previous)}}, page_.previous->text);
        if (page_.next) html_.element("a", {{"rel", "next"}, {"href", to(*page_.next)}}, page_.next->text);
        html_.close().line_end();
    }

    const Site& site_;
    const TestPage& page_;
    const Highlighter& highlighter_;
    Html html_;
};

}  // namespace

std::string test_page(const Site& site, const TestPage& page, const Highlighter& highlighter) {
    return Writer(site, page, highlighter).run();
}

}  // namespace litmus
