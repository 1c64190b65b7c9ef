// Constant folding on the graph of a model.
//
// A program without, say, asynchronous operations has an empty `iss`, and whatever is made of it by composition or
// intersection is empty too. Which nodes can be non-empty is a least fixpoint, the variables of a `let rec` starting
// empty. Then nodes are rebuilt: the empty ones are the constant 0, unions lose their empty parts, r? and r* of an
// empty r are the identity, which compositions lose, and what is left with one argument is that argument.
#include "solve/specialise.h"

#include <algorithm>
#include <map>
#include <optional>

namespace litmus {

namespace {

bool may_have_members(const Program& program, std::string_view name, bool is_set) {
    if (is_set) return !base_set(program, name).empty();
    const auto fixed = program.relations.find(name);
    const auto conditional = program.conditional.find(name);
    const bool stored = fixed != program.relations.end() || conditional != program.conditional.end();
    if (stored) return (fixed != program.relations.end() && !fixed->second.empty()) || conditional != program.conditional.end();
    return !is_stored_relation(name);
}

class Specialiser {
public:
    Specialiser(const Program& program, const Model& model) : model_(model), nonempty_(model.nodes.size(), false) {
        for (NodeId n = 0; n < model.nodes.size(); ++n)
            if (model.nodes[n].op == Node::Op::base) nonempty_[n] = may_have_members(program, model.nodes[n].name, model.nodes[n].is_set);
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
        Model result = restricted(model_, [](const Constraint&) { return false; });
        result.constraints = model_.constraints;
        target_.resize(model_.nodes.size());
        for (NodeId n = 0; n < model_.nodes.size(); ++n) target_[n] = rebuild(result, n);
        for (Node& node : result.nodes)  // bodies of recursive nodes come after them
            if (node.op == Node::Op::recursive) node.args[0] = target_[node.args[0]];
        for (Constraint& c : result.constraints) c.node = target_[c.node];
        return restricted(result, [](const Constraint&) { return true; });
    }

private:
    using Op = Node::Op;

    bool can_be_nonempty(const Node& node) const {
        const auto is = [&](size_t i) { return static_cast<bool>(nonempty_[node.args[i]]); };
        const auto any = [&] { return std::any_of(node.args.begin(), node.args.end(), [&](NodeId a) { return nonempty_[a]; }); };
        const auto all = [&] { return std::all_of(node.args.begin(), node.args.end(), [&](NodeId a) { return nonempty_[a]; }); };
        switch (node.op) {
            case Op::base:
            case Op::empty:
                return false;  // bases are settled before
            case Op::union_:
                return any();
            case Op::intersection:
            case Op::sequence:
            case Op::product:
                return all();
            case Op::difference:
                return is(0);
            case Op::complement:
            case Op::optional:
            case Op::star:
                return true;
            default:
                return is(0);
        }
    }

    NodeId add(Model& result, Node node) {
        result.nodes.push_back(std::move(node));
        return static_cast<NodeId>(result.nodes.size() - 1);
    }

    NodeId constant(Model& result, std::optional<NodeId>& known, Op op, bool is_set, const std::string& name) {
        if (!known) {
            Node node;
            node.op = op;
            node.is_set = is_set;
            node.name = name;
            known = add(result, std::move(node));
        }
        return *known;
    }

    bool is_identity(NodeId n) const {
        const Node& node = model_.nodes[n];
        if (node.op == Op::optional || node.op == Op::star) return !nonempty_[node.args[0]] || is_identity(node.args[0]);
        return node.op == Op::sequence && std::all_of(node.args.begin(), node.args.end(), [&](NodeId a) { return is_identity(a); });
    }

    NodeId rebuild(Model& result, NodeId n) {
        const Node& node = model_.nodes[n];
        if (!nonempty_[n]) return constant(result, node.is_set ? no_events_ : no_pairs_, Op::empty, node.is_set, "");
        if (is_identity(n)) return constant(result, identity_, Op::base, false, "id");
        Node copy = node;
        if (node.op == Op::recursive) return add(result, std::move(copy));  // its body follows
        if (node.op == Op::union_ || node.op == Op::sequence) {
            const bool sequence = node.op == Op::sequence;
            copy.args.erase(
                std::remove_if(copy.args.begin(), copy.args.end(), [&](NodeId a) { return sequence ? is_identity(a) : !nonempty_[a]; }),
                copy.args.end());
            if (copy.args.size() == 1) return target_[copy.args[0]];
        }
        if (node.op == Op::difference && !nonempty_[node.args[1]]) return target_[node.args[0]];
        for (NodeId& arg : copy.args) arg = target_[arg];
        return add(result, std::move(copy));
    }

    const Model& model_;
    std::vector<bool> nonempty_;
    std::vector<NodeId> target_;
    std::optional<NodeId> no_events_, no_pairs_, identity_;
};

}  // namespace

Model specialised(const Program& program, const Model& model) {
    return Specialiser(program, model).run();
}

namespace {

// Writes down a graph: nodes get numbers as a walk from the constraints leaves them, equal nodes the same one.
class Writer {
public:
    explicit Writer(const Model& model) : model_(model), number_(model.nodes.size()) {}

    std::string run() {
        for (const Constraint& c : model_.constraints) {
            const size_t n = number(c.node);
            line({static_cast<size_t>(c.kind), c.negated ? 1U : 0U, c.flag ? 1U : 0U, n}, c.name);
        }
        return std::move(text_);
    }

private:
    size_t number(NodeId id) {
        if (number_[id]) return *number_[id];
        const Node& node = model_.nodes[id];
        if (node.op == Node::Op::recursive) {  // its number comes before its equation's
            const size_t n = *(number_[id] = next_++);
            line({n, number(node.args[0])}, "recursive");
            return n;
        }
        std::vector<size_t> key{static_cast<size_t>(node.op), node.is_set ? 1U : 0U};
        for (const NodeId arg : node.args) key.push_back(number(arg));
        const std::string& name = node.op == Node::Op::base ? node.name : no_name_;
        const auto [known, is_new] = known_.emplace(std::pair(key, name), next_);
        if (is_new) {
            line(key, name);
            ++next_;
        }
        return *(number_[id] = known->second);
    }

    void line(const std::vector<size_t>& numbers, const std::string& name) {
        for (const size_t n : numbers) text_ += std::to_string(n) + " ";
        text_ += name + "\n";
    }

    const Model& model_;
    const std::string no_name_;
    std::vector<std::optional<size_t>> number_;  // by node
    std::map<std::pair<std::vector<size_t>, std::string>, size_t> known_;
    size_t next_ = 0;
    std::string text_;
};

}  // namespace

std::vector<bool> possible_bases(const Program& program) {
    std::vector<bool> result;
    for (const BaseName& base : base_names()) result.push_back(may_have_members(program, base.name, base.is_set));
    return result;
}

std::string specialised_text(const Program& program, const Model& model) {
    return Writer(specialised(program, model)).run();
}

}  // namespace litmus
