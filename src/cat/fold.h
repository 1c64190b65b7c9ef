// A model with its choices made, and without the sets and relations that can have no members.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cat/model.h"

namespace litmus {

struct Folding {
    // Whether a set or relation of this name can have members; none: all can.
    std::function<bool(std::string_view base)> possible;
    // Whether a variant is on; nothing: the choice stays open. None: all stay.
    std::function<std::optional<bool>(std::string_view variant)> active;
};

// The same constraints, in the same order, over fewer nodes: on every execution in which impossible bases are empty they
// hold exactly when those of `model` do with its choices made so. Equal terms are one node.
Model folded(const Model& model, const Folding& folding);

// The variants that some choice which is left to make depends on.
std::set<std::string> open_variants(const Model& model);

// The graph of a model as text, whatever its nodes are called and in which order they stand: two models for which it is the
// same allow the same executions and flag the same.
std::string graph_text(const Model& model);

}  // namespace litmus
