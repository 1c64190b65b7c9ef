// What several kinds of pages show of a test: its source, its outcomes, an execution, a reason.
#pragma once

#include <string>
#include <string_view>

#include "view/page/html.h"
#include "view/page/test_page.h"

namespace litmus {

// The text in colours. `anchors`: each line is a place of the page, `#L8`. Lines that tell the answer (the name, the description, the
// claim) are marked as hidden from who guesses.
void put_source(Html& html, const TestPage& page, const Highlighter& highlighter, bool anchors);

// One way to end, which opens to the execution or the reason behind it. `path`: of the page that it stands on.
struct OutcomeLook {
    std::string path;
    std::string id;     // of the element; empty: none
    bool open = false;  // the reader need not open it
};
void put_outcome(Html& html, const TestPage& page, const PageOutcome& outcome, const OutcomeLook& look);

void put_figure(Html& html, const Figure& figure);
void put_why(Html& html, const Explanation::Case& why);

// What the program does, and what the test says to that; nothing of an input that is no test.
void put_conduct(Html& html, const Result& result);

// A hazard in a few words: "race on x", "undefined behaviour: ...".
std::string hazard_title(const HazardText& hazard);

}  // namespace litmus
