// An execution as a picture: SVG, with a layout of our own.
#pragma once

#include <string>

#include "repair/missing.h"
#include "report/dot.h"

namespace litmus {

struct PictureOptions {
    bool legend = true;                      // below the picture: what each relation that is drawn means, and its section of the ISA
    bool title = true;                       // above it; the <title> element is always there
    const WhatIsMissing* missing = nullptr;  // where given: its instructions stand as dashed boxes where they would be put
};

// One `<svg>` element that stands alone and may also stand in a page, beside others: it has no ids, and its styles apply to
// `.litmus-picture` only. It follows `prefers-color-scheme`, and `data-theme="light"` or "dark" on the page's root. Units are
// CSS pixels. Each event is a `<g class="event" data-event="a" data-line="8">`, each edge a `<g class="edge rf" tabindex="0"
// data-relation="rf" data-meaning="..." data-section="8.9.7" data-from="a" data-to="b">` (several relations of one pair: words
// separated by spaces in `data-relation`, meanings and sections by "; "), each state of an mbarrier object a
// `<g class="state" data-cell="bar" data-event="c">`, where the event is the write that brought it about (none: the state at the
// beginning). Letters of events are those of `execution_text`. The same execution gives the same bytes.
// Throws OverBudget when the budget of the program is spent.
std::string svg_picture(const Drawing& drawing, const PictureOptions& options = {});

}  // namespace litmus
