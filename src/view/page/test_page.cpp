// From top to bottom: what the test is and what came of it; its source beside the ways in which it can end, each with a picture of an
// execution or with the reason why there is none; what else can go wrong; the repair; what the verdict rests on.
#include "view/page/test_page.h"

#include <algorithm>
#include <sstream>

#include "analysis/repair/missing_text.h"
#include "base/visible.h"
#include "print/columns.h"
#include "view/page/pieces.h"

namespace litmus {

namespace {

class TestWriter {
public:
    TestWriter(const Site& site, const TestPage& page, const Highlighter& highlighter)
        : site_(site), page_(page), highlighter_(highlighter) {}

    std::string run() {
        put_head();
        html_.open("div", {{"class", "columns"}}).line_end();
        put_text();
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
        html_.open("p", {{"class", "links"}, {"data-hide", "guess"}}).text(what);
        for (const Link& link : links) html_.text(&link == &links.front() ? " " : ", ").link(to(link), link.text);
        html_.close().line_end();
    }

    void put_head() {
        const Result& r = page_.result;
        html_.open("nav", {{"class", "crumbs"}, {"aria-label", "Where this test stands"}});
        html_.link(relative_to(page_.path, "index.html"), "Tests").text(" / ").link(to(page_.topic), page_.topic.text);
        html_.close().line_end();
        html_.element("h1", visible(r.test)).line_end();
        if (!page_.doc.empty()) {
            html_.open("p", {{"class", "doc"}, {"data-hide", "guess"}});
            put_inline(html_, page_.doc);
            html_.close().line_end();
        }
        put_links("It answers:", page_.questions);
        if (r.judgement.verdict == Verdict::error) return put_errors();
        put_conduct(html_, r);
        if (!page_.refs.empty()) html_.element("p", {{"class", "refs"}}, "Source: " + joined(page_.refs, "; ")).line_end();
    }

    void put_errors() {
        const Result& r = page_.result;
        html_.open("div", {{"class", "errors"}, {"role", "note"}}).element("h2", "Not checked");
        for (const Diagnostic& error : r.errors) html_.element("pre", render(error, false));
        if (!r.internal_error.empty()) html_.element("pre", "internal error: " + r.internal_error + " (please report)");
        html_.close().line_end();
    }

    void put_text() {
        if (!page_.source) return;
        html_.open("section", {{"class", "source"}, {"aria-labelledby", "source"}});
        html_.element("h2", {{"id", "source"}}, "Source").line_end();
        put_source(html_, page_, highlighter_, false);
        html_.element("p", {{"class", "file"}}, page_.result.file);
        const std::string laboratory = laboratory_link(site_, page_.path, page_.source->text);
        if (!laboratory.empty()) html_.open("p", {{"class", "links"}}).link(laboratory, "Change it in the laboratory").close();
        html_.close().line_end();
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
            put_outcome(html_, page_, outcome, {page_.path, "o" + std::to_string(++number), shown});
        }
        if (page_.more_outcomes) html_.element("p", "There are other outcomes, which are not listed here.").line_end();
        for (const std::string& line : page_.impossible)
            html_.element("p", {{"class", "impossible"}, {"data-hide", "guess"}}, line).line_end();
        html_.close().line_end();
    }

    void put_devices() {
        std::string ran;
        for (const RanOn& device : page_.devices) {
            if (device.instances == 0 && device.unlisted == 0) continue;
            ran += (ran.empty() ? "Run on " : " and on ") + device.device + ", " + count_text(device.instances) + " times";
            if (device.unlisted > 0) ran += " (" + count_text(device.unlisted) + " more ended in ways that found no room)";
        }
        if (!ran.empty()) html_.element("p", {{"class", "ran"}}, ran + ".").line_end();
        for (const RanOn& device : page_.devices) {
            if (device.disturbances.empty()) continue;
            html_.open("details", {{"class", "ran"}});
            html_.element("summary", "What the compiler moved, merged or dropped for " + device.device).open("ul");
            for (const std::string& line : device.disturbances) {
                html_.open("li");
                put_inline(html_, line);
                html_.close();
            }
            html_.close().close().line_end();
        }
    }

    // ---- the rest ---------------------------------------------------------------------------------

    void put_hazards() {
        if (page_.hazards.empty()) return;
        html_.open("section", {{"class", "hazards"}, {"aria-labelledby", "hazards"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "hazards"}}, "Hazards").line_end();
        for (const PageHazard& hazard : page_.hazards) {
            html_.open("details", {{"class", "hazard"}, {"open", "open", page_.outcomes.empty() && &hazard == &page_.hazards.front()}});
            html_.open("summary").element("span", {{"class", "standing"}}, hazard_title(hazard.text)).close();
            html_.open("div", {{"class", "behind"}}).open("ul");
            for (const std::string& line : hazard.text.lines) html_.element("li", line);
            html_.close();
            if (hazard.figure)
                put_figure(html_, *hazard.figure);
            else
                html_.element("p", "Only the first hazards have a picture.").line_end();
            html_.close().close().line_end();
        }
        html_.close().line_end();
    }

    void put_missing() {
        if (!page_.missing || page_.missing->best.empty()) return;
        html_.open("section", {{"class", "missing"}, {"aria-labelledby", "missing"}, {"data-hide", "guess"}});
        html_.element("h2", {{"id", "missing"}}, "What is missing").open("ul");
        std::istringstream lines(missing_text(*page_.missing, page_.repaired_by));
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
    return TestWriter(site, page, highlighter).run();
}

}  // namespace litmus
