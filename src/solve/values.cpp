// Case splitting on few values, bit-vectors for the rest.
#include "solve/values.h"

#include <algorithm>
#include <map>

#include "ptx/mbarrier.h"
#include "ptx/value.h"
#include "solve/possible.h"

namespace litmus {

namespace {

constexpr size_t max_cases = 48;
constexpr size_t max_cases_combined = 512;
// where there is no word to fall back on
constexpr size_t max_constants = 1024;
constexpr size_t max_constant_combinations = 65536;

// What literal() defines, and not value().
bool is_boolean(Expr::Op op) {
    return op == Expr::Op::choice || op == Expr::Op::not_ || op == Expr::Op::and_ || op == Expr::Op::or_;
}

}  // namespace

Values::Values(const Program& program, Backend& backend, Gates& gates, Words& words, std::function<Value(const Expr&)> leaf)
    : program_(program),
      max_cases_(needs_constants(program.exprs) ? max_constants : max_cases),
      max_combinations_(needs_constants(program.exprs) ? max_constant_combinations : max_cases_combined),
      backend_(backend),
      gates_(gates),
      words_(words),
      leaf_(std::move(leaf)) {}

Lit Values::choice(uint32_t index) {
    while (choices_.size() <= index) choices_.push_back(backend_.fresh());
    return choices_[index];
}

Word Values::as_word(const Value& value, int bits) {
    if (value.word) return *value.word;
    std::vector<std::pair<Lit, Word>> options;
    for (const auto& [constant, when] : value.cases) options.emplace_back(when, Words::constant(constant, bits));
    return one_of(options, bits);
}

// The word whose condition holds: a bit in which all agree is that bit.
Word Values::one_of(const std::vector<std::pair<Lit, Word>>& options, int bits) {
    Word result;
    for (size_t i = 0; i < static_cast<size_t>(bits); ++i) {
        const bool agreed = std::all_of(options.begin(), options.end(), [&](const auto& o) { return o.second[i] == options[0].second[i]; });
        result.push_back(agreed && !options.empty() ? options[0].second[i] : backend_.fresh());
    }
    for (const auto& [when, word] : options) words_.require_equal(when, result, word);
    return result;
}

Word Values::word(ExprId e) {
    return as_word(value(e), program_.exprs[e].bits);
}

Lit Values::equals(const Value& value, uint64_t constant, int bits) {
    if (value.word) return words_.equal(*value.word, Words::constant(constant, bits));
    for (const auto& [c, when] : value.cases) {
        if (c == constant) return when;
    }
    return always_false;
}

Value Values::select(const std::vector<std::pair<Lit, Value>>& options, int bits) {
    bool small = true;
    std::map<uint64_t, std::vector<Conjunction>> cases;
    for (const auto& [when, value] : options) {
        small = small && !value.word;
        for (const auto& [constant, lit] : value.cases) cases[constant].push_back({when, lit});
    }
    Value result;
    if (small && cases.size() <= max_cases_) {
        for (auto& [constant, disjuncts] : cases) result.cases.emplace_back(constant, gates_.define(std::move(disjuncts), {true, true}));
        return result;
    }
    std::vector<std::pair<Lit, Word>> words;
    for (const auto& [when, value] : options)
        if (when != always_false) words.emplace_back(when, as_word(value, bits));
    result.word = one_of(words, bits);
    return result;
}

Lit Values::literal(ExprId id) {
    if (const auto it = literals_.find(id); it != literals_.end()) return it->second;
    define_operands(id);
    const Expr e = program_.exprs[id];
    Lit l = always_false;
    switch (e.op) {
        case Expr::Op::constant:
            l = e.value ? always_true : always_false;
            break;
        case Expr::Op::choice:
            l = choice(e.index);
            break;
        case Expr::Op::not_:
            l = -literal(e.a);
            break;
        case Expr::Op::and_:
            l = gates_.both(literal(e.a), literal(e.b));
            break;
        case Expr::Op::or_:
            l = gates_.either(literal(e.a), literal(e.b));
            break;
        default:
            l = equals(value(id), 1, 1);
    }
    literals_[id] = l;
    return l;
}

// Everything below the expression first, with a stack of its own: literal() and value() recurse only where a read takes
// the values of writes.
void Values::define_operands(ExprId root) {
    struct Visit {
        ExprId id;
        bool operands_done;
    };
    const auto known = [&](ExprId id) { return is_boolean(program_.exprs[id].op) ? literals_.count(id) > 0 : values_.count(id) > 0; };
    std::vector<Visit> open;
    const auto visit_operands = [&](ExprId id) {
        std::vector<ExprId> next = operands(program_.exprs[id]);
        for (auto operand = next.rbegin(); operand != next.rend(); ++operand)
            if (!known(*operand)) open.push_back({*operand, false});
    };
    visit_operands(root);
    while (!open.empty()) {
        Visit& visit = open.back();
        const ExprId id = visit.id;
        if (!known(id) && !visit.operands_done) {
            visit.operands_done = true;
            visit_operands(id);
            continue;
        }
        open.pop_back();
        is_boolean(program_.exprs[id].op) ? void(literal(id)) : void(value(id));
    }
}

Value Values::value(ExprId id) {
    if (const auto it = values_.find(id); it != values_.end()) return it->second;
    program_.budget.check();
    define_operands(id);
    const Expr e = program_.exprs[id];
    Value v;
    switch (e.op) {
        case Expr::Op::constant:
            v.cases = {{e.value, always_true}};
            break;
        case Expr::Op::choice:
        case Expr::Op::not_:
        case Expr::Op::and_:
        case Expr::Op::or_: {
            const Lit l = literal(id);
            v.cases = {{0, -l}, {1, l}};
            break;
        }
        case Expr::Op::read:
        case Expr::Op::final_value:
            v = leaf_(e);
            break;
        case Expr::Op::ite: {
            const Lit c = literal(e.a);
            v = select({{c, value(e.b)}, {-c, value(e.c)}}, e.bits);
            break;
        }
        case Expr::Op::apply:
        case Expr::Op::compare:
        case Expr::Op::resize:
        case Expr::Op::convert:
            v = compute(e);
            break;
    }
    values_[id] = v;
    return v;
}

// Applies an operation case by case; nullopt when an operand is a word or the cases get many.
std::optional<Value> Values::combine(const Expr& e) {
    const Value a = value(e.a);
    const bool unary = e.op == Expr::Op::resize || e.op == Expr::Op::convert;
    const Value b = unary ? Value{{{0, always_true}}, {}} : value(e.b);
    if (a.word || b.word || a.cases.size() * b.cases.size() > max_combinations_) return std::nullopt;
    std::map<uint64_t, std::vector<Conjunction>> cases;
    const int from = program_.exprs[e.a].bits;
    for (const auto& [x, when_x] : a.cases) {
        for (const auto& [y, when_y] : b.cases) {
            uint64_t result = 0;
            if (e.op == Expr::Op::apply) {
                result = *apply(e.operation, e.type, x, y);
            } else if (e.op == Expr::Op::compare) {
                result = compare(e.operation, e.type, x, y) ? 1 : 0;
            } else if (e.op == Expr::Op::convert) {
                result = converted(e, x);
            } else {
                result = truncate(is_signed(e.type) ? static_cast<uint64_t>(sign_extend(x, from)) : x, e.bits);
            }
            cases[result].push_back({when_x, when_y});
        }
    }
    if (cases.size() > max_cases_) return std::nullopt;
    Value v;
    for (auto& [constant, disjuncts] : cases) v.cases.emplace_back(constant, gates_.define(std::move(disjuncts), {true, true}));
    return v;
}

Value Values::compute(const Expr& e) {
    if (auto v = combine(e)) return *v;
    Value v;
    if (e.op == Expr::Op::apply && e.operation == Operator::mbarrier_step) {
        v.word = after_step(word(e.a), unpack_step(program_.exprs[e.b].value));
    } else if (e.op == Expr::Op::apply) {
        v.word = words_.apply(e.operation, e.type, word(e.a), word(e.b));
    } else if (e.op == Expr::Op::resize) {
        v.word = Words::resize(word(e.a), e.bits, is_signed(e.type));
    } else if (e.op == Expr::Op::convert) {
        throw too_many_floats(e.type);
    } else {
        const Lit l = words_.compare(e.operation, e.type, word(e.a), word(e.b));
        v.cases = {{0, -l}, {1, l}};
    }
    return v;
}

// after_step of ptx/mbarrier.h, field by field.
Word Values::after_step(const Word& state, const MbarrierStep& step) {
    const auto get = [&](Field f) { return Words::part(state, f.at, f.width); };
    const auto minus = [&](Field f, int64_t n) { return words_.difference(get(f), Words::constant(static_cast<uint64_t>(n), f.width)); };
    const auto zero = [&](const Word& w, Field f) { return words_.equal(w, Words::constant(0, f.width)); };
    const Word tx = minus(mbarrier_tx, -int64_t{step.tx});
    const Word expected = minus(mbarrier_expected, step.drops);
    const Word pending = minus(mbarrier_pending, step.arrivals);
    const Lit done = gates_.both(zero(pending, mbarrier_pending), zero(tx, mbarrier_tx));
    Word result = state;
    const auto put = [&](Field f, const Word& w) { std::copy(w.begin(), w.end(), result.begin() + f.at); };
    put(mbarrier_phase, words_.choose(done, minus(mbarrier_phase, -1), get(mbarrier_phase)));
    put(mbarrier_pending, words_.choose(done, expected, pending));
    put(mbarrier_expected, expected);
    put(mbarrier_tx, tx);
    return result;
}

}  // namespace litmus
