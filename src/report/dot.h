// One execution as a picture: a Graphviz graph, or the same in words.
#pragma once

#include <string>

#include "cat/model.h"
#include "event/execution.h"
#include "explain/why.h"
#include "solve/solve.h"

namespace litmus {

// An execution of a program, and what it is shown for.
struct Drawing {
    const Program& program;
    const Model& model;
    const Execution& execution;
    std::string title;
    const Hazard* hazard = nullptr;  // of this execution: what races or is undefined is marked, a thread that stays says where
    bool legend = false;             // what each relation that is drawn means
    const Breach* breach = nullptr;  // of this execution: its events are marked, its steps drawn
};

// A graph for `dot`: a box per thread inside boxes for its CTA, cluster and GPU, events from top to
// bottom in program order (transitively reduced), each with its line in the test, and rf, co, fr, sc, rmw, barrier edges,
// with `sync` and `observation` where the model names relations so. The same execution gives the same bytes.
std::string dot_graph(const Drawing& drawing);

// The same events and edges as lines of text, then what explains the hazard, if there is one.
std::string execution_text(const Drawing& drawing);

}  // namespace litmus
