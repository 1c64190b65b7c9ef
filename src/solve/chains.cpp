// Finding chains, and their tables.
#include "solve/chains.h"

#include <algorithm>
#include <map>
#include <set>

namespace litmus {

namespace {

constexpr size_t most_counts = 4096;  // entries of a table
constexpr size_t most_values = 8;     // that one vector of numbers may give in different orders

// Whether two expressions are the same function of the value of a read, each of its own one.
class SameFunction {
public:
    SameFunction(const ExprPool& pool, const std::map<size_t, uint64_t>& known, size_t read_a, size_t read_b)
        : pool_(pool), known_reads_(known), read_a_(read_a), read_b_(read_b) {}

    bool operator()(ExprId a, ExprId b) {
        const Expr &x = pool_[a], &y = pool_[b];
        if (x.op == Expr::Op::read && y.op == Expr::Op::read) {
            if (x.index == read_a_ || y.index == read_b_) return x.index == read_a_ && y.index == read_b_ && x.bits == y.bits;
            return x.bits == y.bits && known_reads_.at(x.index) == known_reads_.at(y.index);
        }
        if (a == b) return true;
        const std::vector<ExprId> of_x = operands(x), of_y = operands(y);
        if (of_x.empty() || of_x.size() != of_y.size()) return false;
        if (x.op != y.op || x.bits != y.bits || x.type != y.type || x.operation != y.operation) return false;
        const auto [known, is_new] = known_.try_emplace({a, b}, false);
        if (!is_new) return known->second;
        bool same = true;
        for (size_t i = 0; i < of_x.size(); ++i) same = same && (*this)(of_x[i], of_y[i]);
        return known_[{a, b}] = same;
    }

private:
    const ExprPool& pool_;
    const std::map<size_t, uint64_t>& known_reads_;
    size_t read_a_, read_b_;
    std::map<std::pair<ExprId, ExprId>, bool> known_;
};

class Finder {
public:
    Finder(const Program& program, const Model& model, const std::vector<NodeBounds>& bounds, const Bounds& rf, const Bounds& co,
           const Relation& in, size_t fewest)
        : p_(program), rf_(rf.may), sources_(rf.may.inverse()), co_(co), in_(in), implied_(model, bounds), fewest_(fewest) {}

    std::vector<Chain> run() {
        std::map<int, std::vector<size_t>> writes;
        for (size_t e = 0; e < p_.size(); ++e)
            if (p_.events[e].is_write()) writes[p_.events[e].cell].push_back(e);
        std::vector<Chain> result;
        for (const auto& [cell, of_cell] : writes) {
            std::optional<Chain> chain = chain_of(of_cell);
            if (chain && is_total(*chain) && is_atomic(*chain) && looks_back(*chain)) result.push_back(std::move(*chain));
        }
        return result;
    }

private:
    std::optional<Chain> chain_of(const std::vector<size_t>& writes) const {
        Chain chain;
        for (const size_t w : writes) {
            const Event& write = p_.events[w];
            if (write.partner < 0) {
                chain.bases.push_back(w);
                continue;
            }
            const auto read = static_cast<size_t>(write.partner);
            if (p_.events[read].guard != write.guard || !is_function_of(write.value, read, chain.known)) return std::nullopt;
            chain.updates.push_back({read, w, kind_of(chain, read, w)});
            if (chain.updates.back().kind == chain.kinds.size()) chain.kinds.push_back(0);
            ++chain.kinds[chain.updates.back().kind];
        }
        if (chain.updates.size() < fewest_ || chain.bases.empty() || p_.events[chain.bases.front()].kind != Event::Kind::init)
            return std::nullopt;
        return chain;
    }

    // Whether an expression has no leaves but the value of this read and others that are known, which are noted.
    bool is_function_of(ExprId e, size_t read, std::map<size_t, uint64_t>& known) const {
        bool only = true;
        for_each_leaf(p_.exprs, e, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::read && leaf.index == read) return;
            const std::optional<uint64_t> value = leaf.op == Expr::Op::read ? known_value(leaf.index) : std::nullopt;
            if (value) known[leaf.index] = *value;
            only = only && value;
        });
        return only;
    }

    // The value of a read, when all writes that it may read from write the same constant.
    std::optional<uint64_t> known_value(size_t read) const {
        std::optional<uint64_t> value;
        for (const size_t w : sources_.successors(read)) {
            const Expr& written = p_.exprs[p_.events[w].value];
            if (written.op != Expr::Op::constant || (value && *value != written.value)) return std::nullopt;
            value = written.value;
        }
        return value;
    }

    size_t kind_of(const Chain& chain, size_t read, size_t write) const {
        for (const Chain::Update& u : chain.updates)
            if (SameFunction(p_.exprs, chain.known, u.read, read)(p_.events[u.write].value, p_.events[write].value)) return u.kind;
        return chain.kinds.size();
    }

    // Any two of the writes are related by co.
    bool is_total(const Chain& chain) {
        const std::vector<size_t> writes = chain.writes();
        for (size_t i = 0; i < writes.size(); ++i)
            for (size_t j = 0; j < i; ++j) {
                const size_t a = writes[i], b = writes[j];
                if (co_.must.contains(a, b) || co_.must.contains(b, a)) continue;
                p_.budget.check();
                if (!implied_.impossible({{}, {}, {{a, b}, {b, a}}, {a, b}})) return false;
            }
        return true;
    }

    // No write lies between the one that an update reads from, whichever it is, and the update's own.
    bool is_atomic(const Chain& chain) {
        const std::vector<size_t> writes = chain.writes();
        for (const Chain::Update& u : chain.updates)
            for (const size_t between : writes) {
                if (between == u.write || !co_.may.contains(between, u.write)) continue;
                if (between == chain.bases.front()) continue;  // nothing is before the initial write
                if (in_.contains(between, u.read)) continue;   // it is the source, or before it
                p_.budget.check();
                constexpr size_t source = Implied::any;
                if (!implied_.impossible(
                        {{{source, u.read}}, {{source, between}, {between, u.write}}, {}, {u.read, u.write, between, source}}))
                    return false;
            }
        return true;
    }

    // No update reads from itself or from a write that is after it.
    bool looks_back(const Chain& chain) {
        const std::vector<size_t> writes = chain.writes();
        for (const Chain::Update& u : chain.updates)
            for (const size_t later : writes) {
                if (!rf_.contains(later, u.read) || (later != u.write && !co_.may.contains(u.write, later))) continue;
                p_.budget.check();
                Implied::Assumptions given{{{later, u.read}}, {}, {}, {later, u.read, u.write}};
                if (later != u.write) given.co = {{u.write, later}};
                if (!implied_.impossible(given)) return false;
            }
        return true;
    }

    const Program& p_;
    const Relation& rf_;
    const Relation sources_;
    const Bounds& co_;
    const Relation& in_;
    Implied implied_;
    size_t fewest_;  // updates of a chain
};

}  // namespace

std::vector<size_t> Chain::writes() const {
    std::vector<size_t> result = bases;
    for (const Update& u : updates) result.push_back(u.write);
    return result;
}

std::vector<Chain> find_chains(const Program& program, const Model& model, const std::vector<NodeBounds>& bounds, const Bounds& rf,
                               const Bounds& co, const Relation& in, size_t fewest) {
    return Finder(program, model, bounds, rf, co, in, fewest).run();
}

// The values that some order gives are found by taking away one update after the other: what it is after the rest, passed
// through the one.
std::optional<std::vector<std::optional<uint64_t>>> values_by_count(const Program& program, const Chain& chain, size_t base) {
    const ExprPool& pool = program.exprs;
    if (!pool.is_constant(program.events[base].value)) return std::nullopt;
    size_t entries = 1;
    std::vector<size_t> stride;
    for (const size_t most : chain.kinds) {
        stride.push_back(entries);
        entries *= most + 1;
        if (entries > most_counts) return std::nullopt;
    }
    std::vector<const Chain::Update*> one_of(chain.kinds.size());
    for (const Chain::Update& u : chain.updates) one_of[u.kind] = &u;
    std::vector<std::set<uint64_t>> values(entries);
    std::vector<bool> too_many(entries);
    values[0] = {pool[program.events[base].value].value};
    for (size_t entry = 1; entry < entries; ++entry) {
        for (size_t kind = 0; kind < chain.kinds.size(); ++kind) {
            if (entry / stride[kind] % (chain.kinds[kind] + 1) == 0) continue;
            const size_t rest = entry - stride[kind];
            if (too_many[rest]) too_many[entry] = true;
            for (const uint64_t before : values[rest])
                values[entry].insert(evaluate(pool, program.events[one_of[kind]->write].value, [&](const Expr& leaf) {
                    return leaf.index == one_of[kind]->read ? before : chain.known.at(leaf.index);
                }));
        }
        if (values[entry].size() > most_values) too_many[entry] = true;
        if (too_many[entry]) values[entry].clear();
    }
    std::vector<std::optional<uint64_t>> result(entries);
    for (size_t entry = 0; entry < entries; ++entry)
        if (values[entry].size() == 1) result[entry] = *values[entry].begin();
    return result;
}

std::vector<ChainNode> chain_nodes(const Model& model) {
    std::vector<ChainNode> result;
    for (NodeId id = 0; id < model.nodes.size(); ++id) {
        const Node& node = model.nodes[id];
        if (node.op != Node::Op::sequence || node.args.size() != 2) continue;
        const Node& rest = model.nodes[node.args[1]];
        if (rest.op != Node::Op::star) continue;
        const Node& step = model.nodes[rest.args[0]];
        if (step.op != Node::Op::sequence || step.args.size() != 2 || step.args[1] != node.args[0]) continue;
        const Node& first = model.nodes[step.args[0]];
        if (first.op == Node::Op::base && first.name == "rmw") result.push_back({id, node.args[0]});
    }
    return result;
}

bool is_fr(const Model& model, NodeId id) {
    const auto is_base = [&](NodeId node, std::string_view name) {
        return model.nodes[node].op == Node::Op::base && model.nodes[node].name == name;
    };
    const Node& node = model.nodes[id];
    if (node.op != Node::Op::sequence || node.args.size() != 2 || !is_base(node.args[1], "co")) return false;
    const Node& first = model.nodes[node.args[0]];
    return first.op == Node::Op::inverse && is_base(first.args[0], "rf");
}

bool is_part_of_rf(const Model& model, NodeId id) {
    const Node& node = model.nodes[id];
    const auto part = [&](NodeId argument) { return is_part_of_rf(model, argument); };
    if (node.op == Node::Op::base) return node.name == "rf";
    if (node.op == Node::Op::intersection) return std::any_of(node.args.begin(), node.args.end(), part);
    if (node.op == Node::Op::union_) return std::all_of(node.args.begin(), node.args.end(), part);
    return node.op == Node::Op::difference && part(node.args[0]);
}

}  // namespace litmus
