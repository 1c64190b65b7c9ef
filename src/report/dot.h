// One execution as a picture: a Graphviz graph, or the same in words.
#pragma once

#include <string>

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

// A graph for `dot`: a box per thread inside boxes for its CTA, cluster and GPU, events from top to
// bottom in program order (transitively reduced), and rf, co, fr, sc, rmw, barrier edges, with `sync`
// and `observation` where the model names relations so. The same execution gives the same bytes.
std::string dot_graph(const Program& program, const Model& model, const Execution& execution, const std::string& title);

// The same events and edges as lines of text.
std::string execution_text(const Program& program, const Model& model, const Execution& execution, const std::string& title);

}  // namespace litmus
