// Constant folding on the graph of a model.
//
// A program without, say, asynchronous operations has an empty `iss`, and whatever is made of it by composition or
// intersection is empty too. Which nodes can be non-empty is a least fixpoint, the variables of a `let rec` starting
// empty. Then the nodes are rebuilt, arguments first:
//   * an empty node becomes the constant 0, and a union loses its empty parts;
//   * r? and r* of an empty r become the identity, and a composition loses the identity;
//   * an intersection loses the complement of what is empty;
//   * r+ of a transitive base (co) becomes r: as a closure each of its pairs would have to be justified by steps;
//   * an operation that is left with one argument becomes that argument;
//   * a choice that is made, or whose two branches have become the same, becomes its branch;
//   * equal nodes become one.
#include "cat/fold.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "cat/equal_nodes.h"
#include "event/program.h"

namespace litmus {

namespace {

class Folder {
public:
    Folder(const Model& model, const Folding& folding)
        : model_(model), folding_(folding), nonempty_(model.nodes.size(), false), known_(result_.nodes) {
        for (NodeId n = 0; n < model.nodes.size(); ++n) {
            const Node& node = model.nodes[n];
            if (node.op == Node::Op::base) nonempty_[n] = !folding.possible || folding.possible(node.name);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (NodeId n = 0; n < model.nodes.size(); ++n) {
                if (nonempty_[n] || !can_be_nonempty(model.nodes[n])) continue;
                nonempty_[n] = true;
                changed = true;
            }
        }
    }

    Model run() {
        static_cast<ModelText&>(result_) = model_;
        result_.constraints = model_.constraints;
        result_.nodes.reserve(model_.nodes.size());
        target_.resize(model_.nodes.size());
        for (NodeId n = 0; n < model_.nodes.size(); ++n) target_[n] = rebuild(n);
        for (Node& node : result_.nodes)  // bodies of recursive nodes come after them
            if (node.op == Node::Op::recursive) node.args[0] = target_[node.args[0]];
        for (Constraint& c : result_.constraints) c.node = target_[c.node];
        return restricted(std::move(result_), [](const Constraint&) { return true; });
    }

private:
    using Op = Node::Op;

    // The branch of a choice that is made.
    std::optional<NodeId> chosen(const Node& node) const {
        if (node.op != Op::choice || !folding_.active) return std::nullopt;
        const std::optional<bool> active = folding_.active(node.variant);
        if (!active) return std::nullopt;
        return node.args[*active ? 0 : 1];
    }

    bool can_be_nonempty(const Node& node) const {
        const auto is = [&](size_t i) { return static_cast<bool>(nonempty_[node.args[i]]); };
        const auto any = [&] { return std::any_of(node.args.begin(), node.args.end(), [&](NodeId a) { return nonempty_[a]; }); };
        const auto all = [&] { return std::all_of(node.args.begin(), node.args.end(), [&](NodeId a) { return nonempty_[a]; }); };
        switch (node.op) {
            case Op::base:
            case Op::empty:
                return false;  // bases are settled before
            case Op::choice:
                if (const auto branch = chosen(node)) return nonempty_[*branch];
                return any();
            case Op::union_:
                return any();
            case Op::intersection:
            case Op::sequence:
            case Op::product:
                return all();
            case Op::difference:
            case Op::plus:
            case Op::inverse:
            case Op::restriction:
            case Op::domain:
            case Op::range:
            case Op::recursive:
                return is(0);
            case Op::complement:
            case Op::optional:
            case Op::star:
                return true;
        }
        return true;
    }

    bool is_identity(NodeId n) const {
        const Node& node = model_.nodes[n];
        if (const auto branch = chosen(node)) return is_identity(*branch);
        if (node.op == Op::optional || node.op == Op::star) return !nonempty_[node.args[0]] || is_identity(node.args[0]);
        return node.op == Op::sequence && std::all_of(node.args.begin(), node.args.end(), [&](NodeId a) { return is_identity(a); });
    }

    // All events, or all pairs.
    bool is_all(NodeId n) const {
        const Node& node = model_.nodes[n];
        if (const auto branch = chosen(node)) return is_all(*branch);
        return node.op == Op::complement && !nonempty_[node.args[0]];
    }

    bool is_transitive(NodeId n) const {
        const Node& node = model_.nodes[n];
        return node.op == Op::base && std::any_of(base_names().begin(), base_names().end(),
                                                  [&](const BaseName& b) { return b.transitive && b.name == node.name; });
    }

    NodeId add(const Node& node) {
        NodeId& number = known_.number_of(node);
        if (number == EqualNodes::free) {
            number = static_cast<NodeId>(result_.nodes.size());
            result_.nodes.push_back(node);
        }
        return number;
    }

    NodeId constant(Op op, bool is_set, std::string_view name) {
        Node node;
        node.op = op;
        node.is_set = is_set;
        node.name = name;
        return add(node);
    }

    // The node that replaces an old one. It takes over the old one's name, and what is said of it, if it has none.
    NodeId rebuild(NodeId n) {
        const Node& node = model_.nodes[n];
        const NodeId target = equivalent(n);
        Node& now = result_.nodes[target];
        if (now.name.empty() && now.op != Op::empty) {
            now.name = node.name;
            now.phrase = node.phrase;
            now.section = node.section;
        }
        return target;
    }

    NodeId equivalent(NodeId n) {
        const Node& node = model_.nodes[n];
        if (!nonempty_[n]) return constant(Op::empty, node.is_set, "");
        if (is_identity(n)) return constant(Op::base, false, "id");
        if (const auto branch = chosen(node)) return target_[*branch];
        if (node.op == Op::plus && is_transitive(node.args[0])) return target_[node.args[0]];
        Node copy = node;
        if (node.op == Op::recursive) {  // its body follows; no other node is equal to it
            result_.nodes.push_back(copy);
            return static_cast<NodeId>(result_.nodes.size() - 1);
        }
        if (node.op == Op::union_ || node.op == Op::sequence) {
            copy.args = {};
            for (const NodeId arg : node.args)
                if (node.op == Op::sequence ? !is_identity(arg) : nonempty_[arg]) copy.args.push_back(arg);
        }
        if (node.op == Op::intersection && is_all(node.args[1]))
            copy.args.pop_back();
        else if (node.op == Op::intersection && is_all(node.args[0]))
            copy.args = {node.args[1]};
        if (node.op == Op::difference && !nonempty_[node.args[1]]) copy.args.pop_back();
        for (NodeId& arg : copy.args) arg = target_[arg];
        const bool idempotent = node.op == Op::union_ || node.op == Op::intersection || node.op == Op::choice;
        if (idempotent && copy.args.size() == 2 && copy.args[0] == copy.args[1]) copy.args.pop_back();
        const bool binary = node.args.size() == 2;
        return binary && copy.args.size() == 1 ? copy.args[0] : add(copy);
    }

    const Model& model_;
    const Folding& folding_;
    std::vector<bool> nonempty_;
    std::vector<NodeId> target_;
    Model result_;
    EqualNodes known_;
};

// Writes a graph as text. A depth-first walk from the constraints numbers a node when it leaves it; nodes with equal lines share a number.
class Writer {
public:
    explicit Writer(const Model& model) : model_(model), number_(model.nodes.size()) {}

    std::string run() {
        for (const Constraint& c : model_.constraints) {
            const size_t n = number(c.node);
            line(std::array{static_cast<size_t>(c.kind), size_t{c.negated}, size_t{c.flag}, n}, c.name);
        }
        return std::move(text_);
    }

private:
    size_t number(NodeId id) {
        if (number_[id]) return *number_[id];
        const Node& node = model_.nodes[id];
        if (node.op == Node::Op::recursive) {  // its number comes before its equation's
            const size_t n = *(number_[id] = next_++);
            line(std::array{n, number(node.args[0])}, "recursive");
            return n;
        }
        constexpr size_t none = ~size_t{0};
        std::array key{static_cast<size_t>(node.op), size_t{node.is_set}, none, none};
        for (size_t i = 0; i < node.args.size(); ++i) key.at(2 + i) = number(node.args[i]);
        const std::string_view word = node.op == Node::Op::base ? node.name : node.variant;
        const auto [known, is_new] = known_.emplace(std::pair(key, word), next_);
        if (is_new) {
            line(std::span(key).first(2 + node.args.size()), word);
            ++next_;
        }
        return *(number_[id] = known->second);
    }

    void line(std::span<const size_t> numbers, std::string_view word) {
        std::array<char, std::numeric_limits<size_t>::digits10 + 1> digits{};
        for (const size_t n : numbers) {
            text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr);
            text_ += ' ';
        }
        text_ += word;
        text_ += '\n';
    }

    const Model& model_;
    std::vector<std::optional<size_t>> number_;                                   // by node
    std::map<std::pair<std::array<size_t, 4>, std::string_view>, size_t> known_;  // the words are the model's
    size_t next_ = 0;
    std::string text_;
};

}  // namespace

Model folded(const Model& model, const Folding& folding) {
    return Folder(model, folding).run();
}

std::set<std::string> open_variants(const Model& model) {
    std::set<std::string> variants;
    for (const Node& node : model.nodes)
        if (node.op == Node::Op::choice) variants.emplace(node.variant);
    return variants;
}

std::string graph_text(const Model& model) {
    return Writer(model).run();
}

}  // namespace litmus
