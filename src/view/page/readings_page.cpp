// A section for each reading, in the order of the model.
#include "view/page/readings_page.h"

#include "cat/readings.h"
#include "print/columns.h"
#include "view/page/pieces.h"

namespace litmus {

namespace {

constexpr const char* page_path = "readings.html";
constexpr size_t most_shown = 6;  // refutations of one reading by one device, changes by compilers

std::string times(uint64_t count) {
    return count_text(count) + (count == 1 ? " time" : " times");
}

void put_rest(Html& html, size_t all) {
    if (all > most_shown) html.element("li", "and " + std::to_string(all - most_shown) + " more");
}

void put_text(Html& html, std::string_view text) {
    html.open("p");
    put_inline(html, text);
    html.close().line_end();
}

// ---- the argument -----------------------------------------------------------------------------------

void put_side(Html& html, std::string_view heading, std::string_view text) {
    html.open("div").element("h3", heading);
    put_text(html, text);
    html.close();
}

void put_sides(Html& html, const Reading::Argument& argument) {
    html.open("div", {{"class", "sides"}});
    put_side(html, "For it", argument.in_favour);
    put_side(html, "Against it", argument.against);
    html.close().line_end();
}

// ---- tests ------------------------------------------------------------------------------------------

void put_example(Html& html, const ReadingExample& example, const Highlighter& highlighter) {
    html.open("div", {{"class", "source"}});
    put_source(html, example.test, highlighter, true);
    html.open("p", {{"class", "file"}}).link(example.page.target, example.page.text).close().close().line_end();
}

void put_smallest(Html& html, const PageReading& entry, const Highlighter& highlighter) {
    html.element("h3", "The smallest test").line_end();
    if (!entry.smallest) {
        html.element("p", {{"class", "base"}}, "No test of this report tells it.").line_end();
        return;
    }
    put_example(html, *entry.smallest, highlighter);
    html.open("p");
    if (!entry.smallest->outcome.empty())
        html.text("Without the reading it can end with ").element("code", entry.smallest->outcome).text(". With it, it cannot.");
    else if (entry.smallest->undefined)
        html.text("Without the reading its behaviour is undefined. With it, it is defined.");
    else
        html.text("It ends in the same ways with the reading and without. What changes is the verdict: whether there is a race.");
    html.close().line_end();
    html.open("details").element("summary", "All that it changes: " + counted(entry.tests.size(), "test"));
    html.open("p", {{"class", "links"}});
    for (const Link& test : entry.tests) html.text(&test == &entry.tests.front() ? "" : ", ").link(test.target, test.text);
    html.close().close().line_end();
}

void put_safe(Html& html, const PageReading& entry, const Highlighter& highlighter) {
    html.element("h3", "Right either way").line_end();
    put_text(html, entry.reading.argument.safe);
    if (!entry.safe) return;
    html.element("p", "So this test holds in every reading:").line_end();
    put_example(html, *entry.safe, highlighter);
}

// ---- what was seen ----------------------------------------------------------------------------------

void put_device(Html& html, const ReadingOnDevice& on) {
    html.open("li", {{"class", name(on.verdict)}});
    html.element("b", short_device(on.device)).text(": ").element("strong", name(on.verdict));
    if (on.verdict == Evidence::Verdict::untested) {
        html.text(", no test that it changes ran").close().line_end();
        return;
    }
    if (on.verdict == Evidence::Verdict::by_compiler)
        html.text(", not by the device: what it forbids was seen only where the compiler did not leave the code in the order of the test");
    else
        html.text(" by " + counted(on.tests, "test") + " that could tell, " + count_text(on.instances) + " runs");
    if (!on.refutations.empty()) {
        html.open("ul");
        for (size_t i = 0; i < on.refutations.size() && i < most_shown; ++i) {
            const ReadingOnDevice::Shown& shown = on.refutations[i];
            html.open("li").link(shown.test.target, shown.test.text).text(" ended with ").element("code", shown.outcome);
            html.text(" " + times(shown.count)).close();
        }
        put_rest(html, on.refutations.size());
        html.close();
    }
    html.close().line_end();
}

void put_devices(Html& html, const std::vector<ReadingOnDevice>& devices) {
    html.element("h3", "What GPUs did").line_end();
    if (devices.empty()) {
        html.element("p", {{"class", "base"}}, "No run on a GPU stands beside this report (--observed).").line_end();
        return;
    }
    html.open("ul", {{"class", "silicon"}});
    for (const ReadingOnDevice& on : devices) put_device(html, on);
    html.close().line_end();
}

void put_compilers(Html& html, const PageReading& entry) {
    const ReadingOnCompilers& on = entry.compilers;
    const std::string refuted = refutation(entry.reading.refuted);
    html.element("h3", "What compilers did").line_end();
    if (!refuted.empty()) html.element("p", {{"class", "alarm"}}, "The model says: " + refuted + ".").line_end();
    if (on.in_order + on.disturbed == 0) {
        html.element("p", {{"class", "base"}}, "Of no run of such a test is it known what the compiler made of it.").line_end();
        return;
    }
    std::string runs = "In " + count_text(on.in_order) + " runs every instruction stood in its place";
    if (on.disturbed > 0) runs += "; in " + count_text(on.disturbed) + " something had been moved, merged or dropped";
    if (on.unknown > 0) runs += "; of " + count_text(on.unknown) + " the code is not known";
    html.element("p", runs + ".").line_end();
    if (on.changes.empty()) return;
    html.open("ul");
    for (size_t i = 0; i < on.changes.size() && i < most_shown; ++i) {
        html.open("li").link(on.changes[i].test.target, on.changes[i].test.text).text(": ");
        put_inline(html, on.changes[i].what);
        html.close();
    }
    put_rest(html, on.changes.size());
    html.close().line_end();
}

void put_reading(Html& html, const PageReading& entry, const Highlighter& highlighter) {
    const Reading& reading = entry.reading;
    html.open("section", {{"class", "reading"}, {"id", reading.name}, {"aria-labelledby", "r-" + reading.name}});
    html.element("h2", {{"id", "r-" + reading.name}}, reading.name);
    html.open("p", {{"class", "doc"}});
    put_inline(html, reading.meaning);
    html.close();
    html.open("p", {{"class", "base"}}).text("First in the base ").element("code", name(reading.base));
    html.text(entry.on ? "; it is on in this report." : "; it is off in this report.").close().line_end();
    put_sides(html, reading.argument);
    put_smallest(html, entry, highlighter);
    put_devices(html, entry.devices);
    put_compilers(html, entry);
    put_safe(html, entry, highlighter);
    html.close().line_end();
}

}  // namespace

std::string readings_page(const Site& site, const std::vector<PageReading>& readings, const Highlighter& highlighter) {
    Html html;
    html.element("h1", "Readings").line_end();
    html.element("p", {{"class", "doc"}},
                 "Where the ISA is silent it can be read in more than one way. Each reading adds an order, and so forbids outcomes. A "
                 "device that shows one of these refutes the reading. That no device has shown one yet proves nothing.");
    html.line_end();
    for (const PageReading& entry : readings) put_reading(html, entry, highlighter);
    return framed(site, {page_path, "Readings of the ISA - litmus", "Readings", "readings-page"}, html.take());
}

}  // namespace litmus
