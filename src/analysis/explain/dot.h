// One execution as a picture: a Graphviz graph, or the same in words.
#pragma once

#include <string>

#include "analysis/explain/drawing.h"

namespace litmus {

// A graph for `dot`: a box per thread inside boxes for its CTA, cluster and GPU, events from top to
// bottom in program order (transitively reduced), each with its line in the test, and rf, co, fr, sc, rmw, barrier edges,
// with `sync` and `observation` where the model names relations so. The same execution gives the same bytes.
std::string dot_graph(const Drawing& drawing);

// The same events and edges as lines of text, then what explains the hazard, if there is one.
std::string execution_text(const Drawing& drawing);

}  // namespace litmus
