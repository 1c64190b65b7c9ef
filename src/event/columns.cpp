// Columns of tensor memory (ISA 9.1, 9.7.16.7.1; model/semantics.md section 6).
//
// A CTA has 512 columns. It serves its uses one after the other: those of one thread in program order, two of different threads as a choice
// says, which agrees with whatever leads from one thread to another (`columns-in-turn` of the model). An allocation is served when there
// are columns enough. What was allocated before the test began is not known: a deallocation gives back what the test has allocated, as far
// as there is any, and else something of before. So as many columns are held at a time as the largest of these sums: what was allocated
// less what was given back, from any of the allocations on.
//
// Of `.cta_group::2` the k-th use of a CTA and the k-th of its peer are one operation: the first to come may wait for the second
// (9.7.16.5).
#include "event/columns.h"

#include <algorithm>

namespace litmus {

namespace {

constexpr int64_t all_columns = 512;  // of a CTA (9.7.16.1)
constexpr size_t most_uses = 24;

// The uses of one CTA.
class Columns {
public:
    Columns(Program& program, std::vector<const ColumnUse*> uses, const std::map<int, size_t>& exits)
        : p_(program), x_(program.exprs), uses_(std::move(uses)) {
        choose_order();
        for (size_t t = 0; t < p_.test->threads.size(); ++t) {
            const auto exit = exits.find(static_cast<int>(t));
            if (!same_cta(p_.test->threads[t].at, p_.ctas[static_cast<size_t>(uses_.front()->cta)])) continue;
            all_exit_ = x_.both(all_exit_, exit == exits.end() ? ExprPool::no : p_.events[exit->second].guard);
        }
    }

    // `peer`: the uses of the other CTA of the pair.
    void add(const std::vector<const ColumnUse*>& peer) {
        for (size_t u = 0; u < uses_.size(); ++u) {
            p_.budget.check();
            const ColumnUse& use = *uses_[u];
            ExprId passes = met_by(peer, u), later = passes;
            if (use.instruction->op == Op::tcgen_alloc) {
                passes = x_.both(passes, has_room(u, false));
                later = x_.both(later, has_room(u, true));
                check(u);
            }
            require(x_.either(x_.negate(served(u)), passes));
            require(x_.negate(x_.both(use.stays, later)));
        }
    }

private:
    bool allocates(size_t u) const { return uses_[u]->instruction->op == Op::tcgen_alloc; }
    ExprId served(size_t u) const { return p_.events[uses_[u]->event].guard; }
    ExprId number(int64_t n) { return x_.constant(static_cast<uint64_t>(n), bits(Type::s32)); }
    void require(ExprId e) {
        if (e != ExprPool::yes) p_.constraints.push_back(e);
    }

    // The order of service: uses stand in program order, thread by thread.
    void choose_order() {
        const size_t n = uses_.size();
        before_.assign(n, std::vector<ExprId>(n, ExprPool::no));
        for (size_t a = 0; a < n; ++a)
            for (size_t b = a + 1; b < n; ++b) {
                const bool known = uses_[a]->thread == uses_[b]->thread;
                before_[a][b] = known ? ExprPool::yes : x_.choice(p_.choices++);
                before_[b][a] = x_.negate(before_[a][b]);
                if (known) continue;
                p_.conditional["allots"].push_back({uses_[a]->event, uses_[b]->event, before_[a][b]});
                p_.conditional["allots"].push_back({uses_[b]->event, uses_[a]->event, before_[b][a]});
            }
        for (size_t a = 0; a < n; ++a)
            for (size_t b = 0; b < n; ++b)
                for (size_t c = 0; c < n; ++c)
                    if (a != b && b != c && a != c) require(x_.either(x_.negate(x_.both(before_[a][b], before_[b][c])), before_[a][c]));
    }

    // The columns that are held of what has been allocated from the use `first` on, before `end` or in the end.
    ExprId held(size_t first, std::optional<size_t> end) {
        ExprId sum = number(uses_[first]->columns);
        for (size_t u = 0; u < uses_.size(); ++u) {
            if (u == first || u == end || uses_[u]->columns == 0) continue;
            ExprId counts = x_.both(served(u), before_[first][u]);
            if (end) counts = x_.both(counts, before_[u][*end]);
            sum = x_.apply(Operator::add, Type::s32, sum,
                           x_.ite(counts, number(allocates(u) ? uses_[u]->columns : -uses_[u]->columns), number(0)));
        }
        return sum;
    }

    // Whether the allocation finds columns enough at its turn, or in the end.
    ExprId has_room(size_t u, bool in_the_end) {
        ExprId result = ExprPool::yes;
        for (size_t first = 0; first < uses_.size(); ++first) {
            if (first == u || !allocates(first)) continue;
            const ExprId counts = in_the_end ? served(first) : x_.both(served(first), before_[first][u]);
            const ExprId columns = held(first, in_the_end ? std::nullopt : std::optional(u));
            const ExprId fits = x_.compare(Operator::le, Type::s32, columns, number(all_columns - uses_[u]->columns));
            result = x_.both(result, x_.either(x_.negate(counts), fits));
        }
        return result;
    }

    // Of `.cta_group::2`, whether as many uses of the kind come in the peer as in this CTA up to this one.
    ExprId met_by(const std::vector<const ColumnUse*>& peer, size_t u) {
        if (uses_[u]->peer < 0) return ExprPool::yes;
        const auto is_alike = [&](const ColumnUse& other) { return other.instruction->op == uses_[u]->instruction->op; };
        const auto add_if = [&](ExprId sum, ExprId when) {
            return x_.apply(Operator::add, Type::s32, sum, x_.ite(when, number(1), number(0)));
        };
        ExprId index = number(0), there = number(0);
        for (size_t v = 0; v < uses_.size(); ++v)
            if (v != u && is_alike(*uses_[v])) index = add_if(index, x_.both(uses_[v]->reached, before_[v][u]));
        for (const ColumnUse* other : peer)
            if (is_alike(*other)) there = add_if(there, other->reached);
        return x_.compare(Operator::lt, Type::s32, index, there);
    }

    // What is wrong with an allocation: it comes when the CTA has given up its right, it asks for more than one before did, or it is not
    // given back when the CTA is done.
    void check(size_t u) {
        ExprId late = ExprPool::no, grows = ExprPool::no;
        for (size_t v = 0; v < uses_.size(); ++v) {
            if (u == v) continue;
            const ExprId before = x_.both(served(v), before_[v][u]);
            if (uses_[v]->instruction->op == Op::tcgen_relinquish) late = x_.either(late, before);
            if (allocates(v) && uses_[v]->columns < uses_[u]->columns) grows = x_.either(grows, before);
        }
        violate(u, late, "the CTA has given up its right to allocate tensor memory before this (ISA 9.7.16.7.1)");
        violate(u, grows, "this allocates more columns than the CTA did before (ISA 9.7.16.7.1)");
        const ExprId kept = x_.compare(Operator::lt, Type::s32, number(0), held(u, std::nullopt));
        violate(u, x_.both(all_exit_, kept), "these columns are not given back before the CTA ends (ISA 9.7.16.7.1)");
    }

    void violate(size_t u, ExprId when, const char* what) {
        if (when == ExprPool::no) return;
        const size_t event = uses_[u]->event;
        p_.violations.push_back({event, when, what});
        p_.conditional["faulty"].push_back({event, event, when});
    }

    Program& p_;
    ExprPool& x_;
    std::vector<const ColumnUse*> uses_;
    std::vector<std::vector<ExprId>> before_;  // whether the one is served before the other
    ExprId all_exit_ = ExprPool::yes;
};

}  // namespace

void add_columns(Program& program, const std::vector<ColumnUse>& uses, const std::map<int, size_t>& exits) {
    std::map<int, std::vector<const ColumnUse*>> of_cta;
    for (const ColumnUse& use : uses) of_cta[use.cta].push_back(&use);
    for (const auto& [cta, some] : of_cta) {
        if (some.size() > most_uses)
            throw Failure(
                program.test->source, some[most_uses]->instruction->span,
                "more than " + std::to_string(most_uses) + " allocations and deallocations of tensor memory in a CTA: not modelled");
        const auto peer = of_cta.find(some.front()->peer);
        Columns(program, some, exits).add(peer != of_cta.end() ? peer->second : std::vector<const ColumnUse*>{});
    }
}

}  // namespace litmus
