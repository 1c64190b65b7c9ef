// Possible values by following every way a value can flow.
//
// A value on its way carries the circular reads that it has passed. In an execution no value passes a
// read twice (rf | values is acyclic), so one that comes back to a read it has passed is dropped, and the
// sets are finite: n reductions of one location give at most one value per order of a subset of them. Of
// two ways to one value, the one that passed fewer reads can go wherever the other can, and is enough.
// What guards, and thus which events happen together, rule out besides is left to the constraints.
#include "solve/possible.h"

#include <algorithm>
#include <map>

#include "ptx/value.h"

namespace litmus {

namespace {

constexpr size_t max_ways = 20'000;        // of values, in the whole program
constexpr size_t max_combinations = 4096;  // of the operands of one value

struct Way {
    uint64_t value = 0;
    uint64_t passed = 0;  // bit i: the i-th circular read
};

class Flow {
public:
    Flow(const Program& program, const Relation& rf, const std::vector<bool>& circular)
        : p_(program), sources_(rf.inverse()), ways_(program.size()), bit_(program.size()) {
        for (size_t r = 0; r < program.size(); ++r) {
            if (circular[r]) bit_[r] = circles_ < 64 ? uint64_t{1} << circles_ : 0;
            circles_ += circular[r] ? 1 : 0;
        }
    }

    std::optional<std::vector<std::vector<uint64_t>>> run() {
        if (circles_ > 64) return std::nullopt;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t e = 0; e < p_.size(); ++e) {
                const size_t before = total_;
                if (!step(e)) return std::nullopt;
                changed = changed || total_ != before;
            }
        }
        std::vector<std::vector<uint64_t>> values(p_.size());
        for (size_t e = 0; e < p_.size(); ++e) {
            for (const Way& way : ways_[e]) values[e].push_back(way.value);
            std::sort(values[e].begin(), values[e].end());
            values[e].erase(std::unique(values[e].begin(), values[e].end()), values[e].end());
        }
        return values;
    }

private:
    // What reaches a read, or the result of a bar.red, from what is known of the others.
    bool step(size_t e) {
        if (const auto result = p_.results.find(e); result != p_.results.end()) return pass(result->second, e);
        if (p_.events[e].kind != Event::Kind::read) return true;
        const std::vector<size_t> writes = sources_.successors(e);
        return std::all_of(writes.begin(), writes.end(), [&](size_t w) { return pass(p_.events[w].value, e); });
    }

    // Every value of the expression goes on to event `e`. False: too many.
    bool pass(ExprId root, size_t e) {
        std::vector<Expr> leaves;
        size_t combinations = 1;
        for_each_leaf(p_.exprs, root, [&](const Expr& leaf) {
            leaves.push_back(leaf);
            combinations = std::min(combinations * ways_of(leaf).size(), max_ways);
        });
        if (combinations > max_combinations) return false;
        for (size_t n = 0; n < combinations; ++n) {
            size_t rest = n;
            uint64_t passed = 0;
            std::map<std::pair<Expr::Op, uint32_t>, uint64_t> chosen;
            for (const Expr& leaf : leaves) {
                const std::vector<Way>& ways = ways_of(leaf);
                const Way way = ways[rest % ways.size()];
                rest /= ways.size();
                passed |= way.passed;
                chosen[{leaf.op, leaf.index}] = way.value;
            }
            if ((passed & bit_[e]) != 0) continue;
            add(e, {evaluate(p_.exprs, root, [&](const Expr& leaf) { return chosen.at({leaf.op, leaf.index}); }), passed | bit_[e]});
        }
        return total_ <= max_ways;
    }

    const std::vector<Way>& ways_of(const Expr& leaf) const {
        static const std::vector<Way> either{{0, 0}, {1, 0}};
        return leaf.op == Expr::Op::choice ? either : ways_[leaf.index];
    }

    void add(size_t e, const Way& way) {
        for (const Way& known : ways_[e]) {
            if (known.value == way.value && (known.passed & ~way.passed) == 0) return;
        }
        ways_[e].push_back(way);
        ++total_;
    }

    const Program& p_;
    const Relation sources_;
    std::vector<std::vector<Way>> ways_;  // by event
    std::vector<uint64_t> bit_;           // by event: of a circular read
    size_t circles_ = 0;
    size_t total_ = 0;
};

}  // namespace

bool needs_constants(const Expr& e) {
    if (!is_float(e.type)) return false;
    if (e.op == Expr::Op::convert) return true;
    if (e.op == Expr::Op::compare) return lanes(e.type) == 1;
    return e.op == Expr::Op::apply && row(e.operation).on != OperatorRow::Domain::bits;
}

bool needs_constants(const ExprPool& exprs) {
    for (ExprId id = 0; id < exprs.size(); ++id) {
        if (needs_constants(exprs[id])) return true;
    }
    return false;
}

std::optional<std::vector<std::vector<uint64_t>>> possible_values(const Program& program, const Relation& rf,
                                                                  const std::vector<bool>& circular) {
    return Flow(program, rf, circular).run();
}

}  // namespace litmus
