// Any text is a model or a Failure with a place in it; a model's nodes stand after their arguments.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cat/model.h"

using namespace litmus;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check(const Model& model) {
    for (NodeId id = 0; id < model.nodes.size(); ++id) {
        const Node& node = model.nodes[id];
        require(node.file < model.sources.size());
        require(node.span.begin <= node.span.end && node.span.end <= model.sources[node.file]->text.size());
        for (const NodeId arg : node.args) require(arg < model.nodes.size() && (arg < id || node.op == Node::Op::recursive));
    }
    for (const Constraint& c : model.constraints) require(c.node < model.nodes.size() && !c.name.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const SourcePtr source = make_source("<fuzz>", std::string(reinterpret_cast<const char*>(data), size));
    try {
        const Model plain = parse_model(source, {});
        check(plain);
        check(parse_model(source, plain.variants));
    } catch (const Failure& failure) {
        for (const Diagnostic& d : failure.diagnostics()) require(d.source != nullptr && !render(d, true).empty());
    }
    return 0;
}
