// The backend over Z3's incremental SAT solver for finite domains (QF_FD).
//
// Z3 has a bound on memory of its own, which ends in a crash or in memory that it never gives back. Interrupting it, as its
// time limit does, leaves it whole: a watch on the side does so when it holds too much.
#include <z3++.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "solve/backend.h"

namespace litmus {

namespace {

constexpr size_t max_clauses = 8'000'000;  // about 2 GB in Z3

// The time that the library takes to free its variables and clauses: at most this share of the time it took to add them, and at
// most so many seconds for each of them. It is spent after the deadline, so it is set aside before.
constexpr double share_to_forget = 0.25, most_to_forget = 2e-6;

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

// Z3's failures as ours: of memory that the machine does not have, std::bad_alloc.
template <typename Work>
auto with_failures(const Work& work) {
    try {
        return work();
    } catch (const z3::exception& e) {
        if (std::string_view(e.msg()).find("memory") != std::string_view::npos) throw std::bad_alloc();
        throw std::runtime_error(std::string("the solver failed: ") + e.msg());
    }
}

}  // namespace

struct Backend::Impl {
    Impl() { ++backends; }
    ~Impl() { --backends; }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    z3::context context;
    z3::solver solver{context, "QF_FD"};
    std::vector<z3::expr> literals;  // by variable number
    z3::model model{context};
    size_t clauses = 0;
    Budget budget;
    double first_told = now();  // since the last reset
    double asking = 0;          // seconds since then that the solver searched

    z3::expr literal(Lit l) {
        const z3::expr& v = literals[static_cast<size_t>(l < 0 ? -l : l)];
        return l < 0 ? !v : v;
    }
    void count() {
        if (++clauses > max_clauses) throw GaveUp{};
        if (clauses % 1024 == 0) check_budget();
    }
    double seconds_to_forget() const {
        return std::min(share_to_forget * ((now() - first_told) - asking), most_to_forget * static_cast<double>(clauses + literals.size()));
    }
    void check_budget() const {
        budget.check(seconds_to_forget());
        if (holds_too_much(budget)) throw OverBudget(OverBudget::What::memory);
    }
    Lit fresh() {
        const auto n = static_cast<Lit>(literals.size());
        if (n == always_true + 1) first_told = now();
        if (n % 1024 == 0) check_budget();
        literals.push_back(context.constant(context.int_symbol(n), context.bool_sort()));
        return n;
    }
};

Backend::Backend() : impl_(with_failures([] { return std::make_unique<Impl>(); })) {
    reset({});
}
Backend::~Backend() = default;

void Backend::reset(const Budget& budget) {
    Impl& z = *impl_;
    z.budget = budget;
    with_failures([&] { z.solver = z3::solver(z.context, "QF_FD"); });
    z.literals.clear();
    z.literals.push_back(z.context.bool_val(false));  // variable 0 does not exist
    z.literals.push_back(z.context.bool_val(true));   // variable 1 is true
    z.clauses = 0;
    z.asking = 0;
}

Lit Backend::fresh() {
    return with_failures([this] { return impl_->fresh(); });
}

void Backend::clause(const std::vector<Lit>& literals) {
    if (std::find(literals.begin(), literals.end(), always_true) != literals.end()) return;
    Impl& z = *impl_;
    z.count();
    with_failures([&] {
        z3::expr_vector terms(z.context);
        for (const Lit l : literals)
            if (l != always_false) terms.push_back(z.literal(l));
        z.solver.add(terms.empty() ? z.context.bool_val(false) : terms.size() == 1 ? terms[0] : z3::mk_or(terms));
    });
}

Backend::Result Backend::check(const std::vector<Lit>& assumptions) {
    Impl& z = *impl_;
    z.check_budget();
    if (std::find(assumptions.begin(), assumptions.end(), always_false) != assumptions.end()) return Result::unsat;
    const z3::check_result found = with_failures([&] {
        z3::params p(z.context);
        p.set("timeout", static_cast<unsigned>(z.budget.milliseconds_left(z.seconds_to_forget())));  // of -1 the largest: none
        z.solver.set(p);
        const Watch watch(z.context, z.budget);
        z3::expr_vector terms(z.context);
        for (const Lit l : assumptions)
            if (l != always_true) terms.push_back(z.literal(l));
        const double start = now();
        const z3::check_result result = z.solver.check(terms);
        z.asking += now() - start;
        if (result == z3::sat) z.model = z.solver.get_model();
        return result;
    });
    if (found != z3::unknown) return found == z3::sat ? Result::sat : Result::unsat;
    z.check_budget();
    return Result::unknown;
}

bool Backend::value(Lit literal) {
    return impl_->model.eval(impl_->literal(literal), true).is_true();
}

}  // namespace litmus
