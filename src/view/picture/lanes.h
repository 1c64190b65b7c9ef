// An execution as a chart in time: who does what, beside whom.
#pragma once

#include <string>
#include <vector>

#include "view/picture/svg.h"

namespace litmus {

// One `<svg>` element, as svg_picture() gives it and in its colours: a row for each thread, for what its asynchronous operations do, for
// each mbarrier object with its phases, and for each piece of memory that several of them use; time runs to the right, and goes on in a
// next line where it would be wider than a page. Throws OverBudget when the budget of the program is spent.
std::string lanes_picture(const Drawing& drawing, const PictureOptions& options = {});

namespace picture {

struct Sketch;

// What the chart says, before it is drawn. Times are steps, from 0.
struct Chart {
    struct Step {  // of a thread, of an asynchronous operation, or a state of an mbarrier object
        size_t column = 0;
        size_t time = 0, until = 0;     // a state lasts until the next one: `until` is the first step after it
        std::string verb, object = {};  // "arrive", "full0"
        size_t card = 0;                // of the scene
        bool marked = false;
    };
    struct Hold {  // a lane has a piece of memory: from its first access until its last one before another lane's
        size_t slot = 0, column = 0;
        size_t time = 0, until = 0;
        bool contested = false;  // another lane has it at the same time: this is what is wrong
    };
    std::vector<Step> steps;
    std::vector<std::string> slots;  // by name, those that several lanes use
    std::vector<Hold> holds;
    size_t length = 0;  // in steps
};
Chart chart_of(const Sketch& sketch);

}  // namespace picture

}  // namespace litmus
