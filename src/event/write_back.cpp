// Loops that poll by an atomic which writes back what it reads: whether the rest of the test lets them be awaits (model/semantics.md
// section 1).
//
// `atom.or [f], 0`, `atom.cas [f], x, x`, or `atom.exch [l], 1` where the lock l is held: a failing iteration reads v and writes v. To drop
// such iterations loses nothing if each execution with one is, without it, an execution with the same outcome and with the races of
// before. (It adds nothing: executions without failing iterations are there in any case.) Let r and w be the iteration's read and write, w0
// the write that r reads from. Without r and w, who has read from w reads v from w0. All else stays, so each order that is left was there
// before, since orders through w become orders from w0; what may be new is communication from w0 to those readers. It is none of these:
//
// * Coherence, atomicity, SC per location. Of two writes one of which is w, morally strong with all others, atomicity leaves no room
// between w0 and
//   w: what is after w0 is after w. And morally strong communication from w0 to a reader was there by way of r and w. Both want that every
//   access of other threads to the location is morally strong with the atomic: otherwise the iteration may break a chain of atomics, or
//   leave its value behind as a final one. Hence `is_strong_everywhere`.
// * Causality: a reader x of w that comes before w0 in causality order could read w, yet not w0. If x belongs to an atomic that writes,
//   what it writes comes before w0, too, and coherence forbids that already; so does program order of the poller's own reads. So no other
//   read may return v: `reads_plainly`.
// * No thin air: a read x of w on which w0 depends could read w if w does not depend on r, as in an exchange. So of an exchange nothing may
//   depend on a read that returns v: `has_dependents`.
//
// A read in a failing iteration that the program keeps for races and undefined behaviour (await.cpp), with no accesses to other locations
// in the iteration, is no such x: its iteration races with nothing, so that it can be dropped as well, or its thread stays there, and
// nothing follows it.
//
// Whether v is written where v was read is seen from the expressions, or, as for the exchange, from the values that the location can have:
// those that arise when each write to it happens at most once, in any order.
#include "event/write_back.h"

#include <algorithm>
#include <optional>

#include "event/influence.h"
#include "event/scope.h"

namespace litmus {

namespace {

constexpr size_t most_values = 4096;  // of a location, with the writes that led there
constexpr size_t most_writes = 16;    // to a location

class WriteBacks {
public:
    WriteBacks(const SymbolicRun& run, const Notes& notes, const Test& test, ExprPool& exprs, const Budget& budget)
        : run_(run), notes_(notes), test_(test), exprs_(exprs), budget_(budget) {}

    bool is_justified(const Notes::WriteBack& poll) {
        if (!is_strong_everywhere(poll)) return false;
        const std::optional<std::set<uint64_t>> values = values_of(event(poll.read).cell);
        if (!writes_what_it_read(poll, values)) return false;
        for (size_t x = 0; x < run_.events.size(); ++x) {
            budget_.check();
            const Event& e = event(x);
            if (e.kind != Event::Kind::read || e.cell != event(poll.read).cell || x == poll.read || polls_alone(x)) continue;
            const auto conflicts = [&](std::optional<uint64_t> v) {
                return can_return(x, v) && (reads_plainly(poll, x, v) || (!depends_on_read(poll) && has_dependents(x)));
            };
            if (!values && conflicts(std::nullopt)) return false;
            if (values && std::any_of(values->begin(), values->end(), [&](uint64_t v) { return fails_at(poll, v) && conflicts(v); }))
                return false;
        }
        return true;
    }

private:
    const Event& event(size_t e) const { return run_.events[e]; }

    const Placement& placement(const Event& e) const { return test_.threads[static_cast<size_t>(e.thread)].at; }

    // `e` where the read returns `value`.
    ExprId where(ExprId e, size_t read, uint64_t value) {
        return substitute(exprs_, e, [&](const Expr& leaf) -> std::optional<ExprId> {
            if (leaf.op != Expr::Op::read || leaf.index != read) return std::nullopt;
            return exprs_.constant(value, leaf.bits);
        });
    }

    // Whether every access to the location is morally strong with both halves of the atomic (ISA 8.7).
    bool is_strong_everywhere(const Notes::WriteBack& poll) const {
        const Event& own = event(poll.read);
        return std::all_of(run_.events.begin(), run_.events.end(), [&](const Event& e) {
            if (e.cell != own.cell || e.kind == Event::Kind::init) return true;
            if (e.asynchronous || e.proxy != own.proxy || e.address != own.address) return false;
            const Placement &here = placement(own), &there = placement(e);
            return e.thread == own.thread ||
                   (e.sem != Sem::weak && in_scope_at(own.scope, here, there) && in_scope_at(e.scope, there, here));
        });
    }

    // What the location can hold; nothing where that is not known.
    std::optional<std::set<uint64_t>> values_of(int cell) {
        std::set<uint64_t> values;
        std::vector<size_t> writes;
        std::set<std::pair<uint64_t, uint32_t>> reached;  // a value, and the writes that led to it
        for (size_t e = 0; e < run_.events.size(); ++e) {
            if (event(e).cell != cell || !event(e).is_write()) continue;
            if (event(e).kind == Event::Kind::init)
                reached.emplace(exprs_[event(e).value].value, 0);
            else
                writes.push_back(e);
        }
        if (writes.size() > most_writes) return std::nullopt;
        std::vector<std::pair<uint64_t, uint32_t>> next(reached.begin(), reached.end());
        while (!next.empty()) {
            budget_.check();
            const auto [value, led] = next.back();
            next.pop_back();
            values.insert(value);
            for (size_t i = 0; i < writes.size(); ++i) {
                if ((led >> i & 1U) != 0) continue;
                const Event& w = event(writes[i]);
                ExprId stored = w.value, happens = w.guard;
                if (w.partner >= 0) {
                    stored = where(stored, static_cast<size_t>(w.partner), value);
                    happens = where(happens, static_cast<size_t>(w.partner), value);
                }
                if (happens == ExprPool::no) continue;
                if (!exprs_.is_constant(stored)) return std::nullopt;
                const auto [state, fresh] = reached.emplace(exprs_[stored].value, led | 1U << i);
                if (fresh) next.push_back(*state);
                if (reached.size() > most_values) return std::nullopt;
            }
        }
        return values;
    }

    // The poll fails, writes, and writes something else.
    ExprId changes(const Notes::WriteBack& poll) {
        const Event &r = event(poll.read), &w = event(poll.write);
        return exprs_.both(exprs_.both(poll.failing, w.guard),
                           exprs_.negate(exprs_.compare(Operator::eq, untyped(w.type), w.value, r.value)));
    }
    bool writes_what_it_read(const Notes::WriteBack& poll, const std::optional<std::set<uint64_t>>& values) {
        const ExprId other = changes(poll);
        if (contradict(exprs_, other, ExprPool::yes)) return true;
        return values && std::all_of(values->begin(), values->end(),
                                     [&](uint64_t v) { return contradict(exprs_, where(other, poll.read, v), ExprPool::yes); });
    }

    bool fails_at(const Notes::WriteBack& poll, uint64_t value) {
        const ExprId writes = exprs_.both(poll.failing, event(poll.write).guard);
        return !contradict(exprs_, where(writes, poll.read, value), ExprPool::yes);
    }

    bool depends_on_read(const Notes::WriteBack& poll) const {
        const Event& w = event(poll.write);
        const auto read = static_cast<uint32_t>(poll.read);
        return has_read(exprs_, w.value, read) || has_read(exprs_, w.guard, read);
    }

    // Whether nothing denies that x returns this value, or any.
    bool can_return(size_t x, std::optional<uint64_t> value) {
        if (!value) return true;
        return std::none_of(run_.constraints.begin(), run_.constraints.end(), [&](ExprId constraint) {
            return has_read(exprs_, constraint, static_cast<uint32_t>(x)) &&
                   contradict(exprs_, event(x).guard, where(constraint, x, *value));
        });
    }

    // Whether x, in another thread than the poll, belongs to no atomic that writes where it returns this value.
    bool reads_plainly(const Notes::WriteBack& poll, size_t x, std::optional<uint64_t> value) {
        const Event& e = event(x);
        if (e.thread == event(poll.read).thread) return false;
        if (e.partner < 0) return true;
        const ExprId happens = event(static_cast<size_t>(e.partner)).guard;
        return (value ? where(happens, x, *value) : happens) != e.guard;
    }

    bool has_dependents(size_t x) const {
        return std::any_of(notes_.dependencies.begin(), notes_.dependencies.end(), [&](const Notes::Dependency& d) { return d.read == x; });
    }

    // Whether x belongs to a failing iteration that is kept and accesses nothing but the location.
    bool polls_alone(size_t x) const {
        return std::any_of(notes_.failing_iterations.begin(), notes_.failing_iterations.end(), [&](const auto& range) {
            if (x < range.first || x >= range.second) return false;
            for (size_t e = range.first; e < range.second; ++e)
                if (event(e).kind != Event::Kind::fence && event(e).kind != Event::Kind::init && event(e).cell != event(x).cell)
                    return false;
            return true;
        });
    }

    // Bits are compared, not numbers.
    static Type untyped(Type type) {
        switch (bits(type)) {
            case 8:
                return Type::u8;
            case 16:
                return Type::u16;
            case 32:
                return Type::u32;
            case 64:
                return Type::u64;
            default:
                return type;
        }
    }

    const SymbolicRun& run_;
    const Notes& notes_;
    const Test& test_;
    ExprPool& exprs_;
    const Budget& budget_;
};

}  // namespace

std::set<Loop> loops_that_write(const SymbolicRun& run, const Notes& notes, const Test& test, ExprPool& exprs, const Budget& budget) {
    std::set<Loop> loops;
    WriteBacks all(run, notes, test, exprs, budget);
    for (const Notes::WriteBack& poll : notes.write_backs)
        if (loops.count({poll.thread, poll.loop}) == 0 && !all.is_justified(poll)) loops.insert({poll.thread, poll.loop});
    return loops;
}

}  // namespace litmus
