// An execution as a picture: SVG, with a layout of our own.
#pragma once

#include <string>

#include "analysis/explain/dot.h"
#include "analysis/repair/missing.h"

namespace litmus {

struct PictureOptions {
    bool legend = true;                      // below the picture: what each relation that is drawn means, and its section of the ISA
    bool style = true;                       // in it; without it the page has picture_style() (view/picture/style.h)
    bool title = true;                       // above it, before what there is to see; the <title> element is always there
    const WhatIsMissing* missing = nullptr;  // where given: its instructions stand as dashed boxes where they would be put
};

// One `<svg>` element that stands alone and may also stand in a page, beside others: it has no ids, and its styles apply to
// `.litmus-picture` only. It follows `prefers-color-scheme`, and `data-theme="light"` or "dark" on the page's root; where the page
// has the variables `--paper`, `--ink`, `--rf` and so on, these are its colours. Units are CSS pixels; a page that is narrower lets
// the reader scroll. In it are
//
//     <g class="event" data-event="a" data-line="8">                         each event; letters are those of execution_text()
//     <g class="edge rf" tabindex="0" role="img" aria-label="..."            each edge; several relations of one pair of events are
//        data-relation="rf" data-meaning="..." data-section="8.9.7"          separated by spaces in `data-relation`, by "; " in the
//        data-from="a" data-to="b">                                          other two; `strong` where the eye should meet it first
//     <g class="card state-card state" data-cell="bar" data-event="c">       each state of an mbarrier object, and the write that
//                                                                            brought it about (empty: it is the first)
//
// The same execution gives the same bytes. Throws OverBudget when the budget of the program is spent.
std::string svg_picture(const Drawing& drawing, const PictureOptions& options = {});

}  // namespace litmus
