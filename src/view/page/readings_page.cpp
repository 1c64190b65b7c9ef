// A section for each reading, in the order of the model.
#include "view/page/readings_page.h"

#include "cat/readings.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr const char* page_path = "readings.html";
constexpr size_t most_shown = 6;  // refutations of one reading by one device

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
            html.text(" " + count_text(shown.count) + (shown.count == 1 ? " time" : " times")).close();
        }
        if (on.refutations.size() > most_shown) html.element("li", "and " + std::to_string(on.refutations.size() - most_shown) + " more");
        html.close();
    }
    html.close().line_end();
}

void put_reading(Html& html, const PageReading& entry) {
    const Reading& reading = entry.reading;
    html.open("section", {{"class", "reading"}, {"id", reading.name}, {"aria-labelledby", "r-" + reading.name}});
    html.element("h2", {{"id", "r-" + reading.name}}, reading.name);
    html.open("p", {{"class", "doc"}});
    put_inline(html, reading.meaning);
    html.close();
    html.open("p", {{"class", "base"}}).text("First in the base ").element("code", name(reading.base));
    html.text(entry.on ? "; it is on in this report." : "; it is off in this report.").close();
    if (!reading.refuted.empty()) html.element("p", {{"class", "alarm"}}, "The model says: " + refutation(reading.refuted) + ".");
    if (!entry.devices.empty()) {
        html.element("h3", "What silicon says").open("ul", {{"class", "silicon"}});
        for (const ReadingOnDevice& on : entry.devices) put_device(html, on);
        html.close();
    }
    if (entry.tests.empty()) {
        html.element("p", {{"class", "base"}}, "No test of this report tells it.").close().line_end();
        return;
    }
    html.open("details").element("summary", "It changes the outcomes of " + counted(entry.tests.size(), "test"));
    html.open("p", {{"class", "links"}});
    for (const Link& test : entry.tests) html.text(&test == &entry.tests.front() ? "" : ", ").link(test.target, test.text);
    html.close().close().close().line_end();
}

}  // namespace

std::string readings_page(const Site& site, const std::vector<PageReading>& readings) {
    Html html;
    html.element("h1", "Readings").line_end();
    html.element("p", {{"class", "doc"}},
                 "Where the ISA is silent it can be read in more than one way. Each reading adds orderings, and so forbids outcomes: a "
                 "device that shows one of these refutes it. That no device has shown one yet proves nothing.");
    html.line_end();
    for (const PageReading& entry : readings) put_reading(html, entry);
    return framed(site, {page_path, "Readings of the ISA - litmus", "Readings", "readings-page"}, html.take());
}

}  // namespace litmus
