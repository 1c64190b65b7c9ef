// The backend over Z3's incremental SAT solver for finite domains (QF_FD): clauses and bit-vectors.
//
// A term that is the result of an operation gets a name, a fresh constant equal to it: Z3's simplifier works on terms as
// trees, and of a chain x1 = x0 * x0, x2 = x1 * x1, ... it makes one of exponential size.
//
// Z3 has a bound on memory of its own, which ends in a crash or in memory that it never gives back. Interrupting it, as its
// time limit does, leaves it whole: a watch on the side does so when it holds too much.
#include <z3++.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "solve/backend.h"

namespace litmus {

namespace {

constexpr size_t max_clauses = 8'000'000;  // about 2 GB in Z3

GaveUp too_many_floats(Type type) {
    return {"a ." + std::string(name(type)) + " operation has too many possible operands to split into cases"};
}

std::atomic<uint64_t> backends{0};  // of this process

bool holds_too_much(const Budget& budget) {
    return budget.bounds_memory() && Z3_get_estimated_alloc_size() > backends * budget.bytes();
}

// While it lives, interrupts the context as soon as the library holds too much.
class Watch {
public:
    Watch(z3::context& context, const Budget& budget) {
        if (budget.bounds_memory()) thread_ = std::thread([this, &context, &budget] { watch(context, budget); });
    }
    ~Watch() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ended_.notify_one();
        thread_.join();
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void watch(z3::context& context, const Budget& budget) {
        constexpr std::chrono::milliseconds step{5};
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, step, [this] { return over_; }))
            if (holds_too_much(budget)) context.interrupt();
    }

    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace

struct Backend::Impl {
    Impl() { ++backends; }
    ~Impl() { --backends; }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    z3::context context;
    z3::solver solver{context, "QF_FD"};
    std::vector<z3::expr> literals;  // by variable number
    std::vector<z3::expr> words;
    z3::model model{context};
    size_t clauses = 0;
    Budget budget;

    z3::expr literal(Lit l) {
        const z3::expr& v = literals[static_cast<size_t>(l < 0 ? -l : l)];
        return l < 0 ? !v : v;
    }
    Word keep(const z3::expr& e) {
        words.push_back(e);
        return static_cast<Word>(words.size()) - 1;
    }
    // The result of an operation.
    Word result(const z3::expr& e) {
        const auto n = static_cast<int>(words.size());
        const Word named = keep(context.bv_const(("w" + std::to_string(n)).c_str(), e.get_sort().bv_size()));
        solver.add(words.back() == e);
        count();
        return named;
    }
    void count() {
        if (++clauses > max_clauses) throw GaveUp{};
        if (clauses % 1024 == 0) check_budget();
    }
    void check_budget() const {
        budget.check();
        if (holds_too_much(budget)) throw OverBudget(OverBudget::What::memory);
    }
    const z3::expr& at(Word w) const { return words[static_cast<size_t>(w)]; }
    // A literal for a term. It gets a name of its own: newer versions take only names as assumptions.
    Lit name(const z3::expr& e) {
        if (e.is_true()) return always_true;
        if (e.is_false()) return always_false;
        const Lit n = fresh();
        solver.add(literals.back() == e);
        return n;
    }
    Lit fresh() {
        const auto n = static_cast<Lit>(literals.size());
        if (n % 1024 == 0) check_budget();
        literals.push_back(context.constant(context.int_symbol(n), context.bool_sort()));
        return n;
    }
};

Backend::Backend() : impl_(std::make_unique<Impl>()) {
    reset({});
}
Backend::~Backend() = default;

void Backend::reset(const Budget& budget) {
    Impl& z = *impl_;
    z.budget = budget;
    z.solver = z3::solver(z.context, "QF_FD");
    z.literals.clear();
    z.words.clear();
    z.literals.push_back(z.context.bool_val(false));  // variable 0 does not exist
    z.literals.push_back(z.context.bool_val(true));   // variable 1 is true
    z.clauses = 0;
}

Lit Backend::fresh() {
    return impl_->fresh();
}

void Backend::clause(const std::vector<Lit>& literals) {
    Impl& z = *impl_;
    z3::expr_vector terms(z.context);
    for (const Lit l : literals) {
        if (l == always_true) return;
        if (l != always_false) terms.push_back(z.literal(l));
    }
    z.count();
    if (terms.empty()) {
        z.solver.add(z.context.bool_val(false));
    } else if (terms.size() == 1) {
        z.solver.add(terms[0]);
    } else {
        z.solver.add(z3::mk_or(terms));
    }
}

Word Backend::word(int bits) {
    Impl& z = *impl_;
    const auto n = static_cast<int>(z.words.size());
    return z.keep(z.context.bv_const(("w" + std::to_string(n)).c_str(), static_cast<unsigned>(bits)));
}

Word Backend::constant(uint64_t value, int bits) {
    return impl_->keep(impl_->context.bv_val(value, static_cast<unsigned>(bits)));
}

Word Backend::apply(std::string_view operation, Type type, Word a, Word b) {
    Impl& z = *impl_;
    const z3::expr x = z.at(a), y = z.at(b);
    if (is_float(type) && operation != "and" && operation != "or" && operation != "xor") throw too_many_floats(type);
    const bool sign = is_signed(type);
    const z3::expr zero = z.context.bv_val(0, x.get_sort().bv_size());
    const z3::expr one = z.context.bv_val(1, x.get_sort().bv_size());
    if (operation == "add") return z.result(x + y);
    if (operation == "sub") return z.result(x - y);
    if (operation == "mul") return z.result(x * y);
    if (operation == "and") return z.result(x & y);
    if (operation == "or") return z.result(x | y);
    if (operation == "xor") return z.result(x ^ y);
    if (operation == "exch") return b;
    if (operation == "min") return z.result(z3::ite(sign ? x <= y : z3::ule(x, y), x, y));
    if (operation == "max") return z.result(z3::ite(sign ? x >= y : z3::uge(x, y), x, y));
    if (operation == "shl") return z.result(z3::shl(x, y));
    if (operation == "shr") return z.result(sign ? z3::ashr(x, y) : z3::lshr(x, y));
    if (operation == "inc") return z.result(z3::ite(z3::uge(x, y), zero, x + one));
    if (operation == "dec") return z.result(z3::ite(x == zero || z3::ugt(x, y), y, x - one));
    throw std::logic_error("operation the solver does not know: " + std::string(operation));
}

Lit Backend::compare(std::string_view comparison, Type type, Word a, Word b) {
    Impl& z = *impl_;
    if (is_float(type) && lanes(type) == 1) throw too_many_floats(type);
    const z3::expr x = z.at(a), y = z.at(b);
    const bool sign = is_signed(type) && !is_float(type);
    if (comparison == "==") return z.name((x == y).simplify());
    if (comparison == "<") return z.name((sign ? x < y : z3::ult(x, y)).simplify());
    if (comparison == "<=") return z.name((sign ? x <= y : z3::ule(x, y)).simplify());
    throw std::logic_error("comparison the solver does not know: " + std::string(comparison));
}

Word Backend::ite(Lit condition, Word a, Word b) {
    return impl_->result(z3::ite(impl_->literal(condition), impl_->at(a), impl_->at(b)));
}

Word Backend::resize(Word a, int bits, bool sign) {
    Impl& z = *impl_;
    const z3::expr x = z.at(a);
    const int from = static_cast<int>(x.get_sort().bv_size());
    if (bits == from) return a;
    if (bits < from) return z.keep(x.extract(static_cast<unsigned>(bits) - 1, 0));
    const auto more = static_cast<unsigned>(bits - from);
    return z.keep(sign ? z3::sext(x, more) : z3::zext(x, more));
}

Backend::Result Backend::check(const std::vector<Lit>& assumptions) {
    Impl& z = *impl_;
    z.check_budget();
    try {
        constexpr unsigned never = 4294967295U;
        z3::params p(z.context);
        p.set("timeout", z.budget.has_deadline() ? static_cast<unsigned>(z.budget.seconds_left() * 1000) + 1U : never);
        z.solver.set(p);
        const Watch watch(z.context, z.budget);
        z3::expr_vector terms(z.context);
        for (const Lit l : assumptions) {
            if (l == always_false) return Result::unsat;
            if (l != always_true) terms.push_back(z.literal(l));
        }
        switch (z.solver.check(terms)) {
            case z3::sat:
                z.model = z.solver.get_model();
                return Result::sat;
            case z3::unsat:
                return Result::unsat;
            default:
                break;
        }
    } catch (const z3::exception& e) {
        throw std::runtime_error(std::string("the solver failed: ") + e.msg());
    }
    z.check_budget();
    return Result::unknown;
}

bool Backend::value(Lit literal) {
    return impl_->model.eval(impl_->literal(literal), true).is_true();
}

uint64_t Backend::word_value(Word word) {
    return impl_->model.eval(impl_->at(word), true).get_numeral_uint64();
}

}  // namespace litmus
