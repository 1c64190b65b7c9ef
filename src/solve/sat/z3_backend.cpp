// The backend over Z3's incremental SAT solver for finite domains (QF_FD).
//
// Z3 has a bound on memory of its own, which ends in a crash or in memory that it never gives back. Interrupting it, as its
// time limit does, leaves it whole: a watch on the side does so when it holds too much.
#ifdef LITMUS_Z3

#include <z3++.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "solve/sat/backend.h"

namespace litmus {

namespace {

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

// Z3's failures as ours: of memory that the machine does not have, std::bad_alloc; where it was cancelled, OverBudget. Only a Watch
// cancels: time ends a search with "unknown". It may come to that between the end of a search and its own, so that what is asked next
// fails.
template <typename Work>
auto with_failures(const Work& work) {
    try {
        return work();
    } catch (const z3::exception& e) {
        if (std::string_view(e.msg()).find("cancel") != std::string_view::npos) throw OverBudget(OverBudget::What::memory);
        if (std::string_view(e.msg()).find("memory") != std::string_view::npos) throw std::bad_alloc();
        throw std::runtime_error(std::string("the solver failed: ") + e.msg());
    }
}

class Z3Backend : public Backend {
public:
    Z3Backend() {
        ++backends;
        with_failures([this] { z_ = std::make_unique<Library>(); });
    }
    ~Z3Backend() override { --backends; }
    Z3Backend(const Z3Backend&) = delete;
    Z3Backend& operator=(const Z3Backend&) = delete;

    std::string_view engine() const override { return name(Engine::z3); }

protected:
    void forget() override {
        with_failures([this] { z_->solver = z3::solver(z_->context, "QF_FD"); });
        literals_.clear();
    }

    void add_variable(Lit) override {}  // made when it is first used

    void add_clause(std::span<const Lit> literals) override {
        with_failures([&] {
            terms_.clear();
            for (const Lit l : literals) terms_.push_back(literal(l));
            z_->solver.add(z3::expr(z_->context, Z3_mk_or(z_->context, static_cast<unsigned>(terms_.size()), terms_.data())));
        });
    }

    Result search(std::span<const Lit> assumptions) override {
        const z3::check_result found = with_failures([&] {
            z3::params p(z_->context);
            p.set("ctrl_c", false);  // whose handlers, one for each search, are none for several threads
            const Watch watch(z_->context, budget());
            z3::expr_vector terms(z_->context);
            for (const Lit l : assumptions) terms.push_back(literal(l));
            // Z3's limit is on the clock. A budget of work may have time left when Z3 stops, where another program had the processor.
            z3::check_result result = z3::unknown;
            do {
                check_budget();
                p.set("timeout", static_cast<unsigned>(budget().milliseconds_left(seconds_to_forget())));  // of -1 the largest: none
                z_->solver.set(p);
                result = z_->solver.check(terms);
            } while (result == z3::unknown && z_->solver.reason_unknown() == "timeout");
            if (result == z3::sat) z_->model = z_->solver.get_model();
            return result;
        });
        return found == z3::sat ? Result::sat : found == z3::unsat ? Result::unsat : Result::unknown;
    }

    bool value_of(Lit l) override {
        return with_failures([&] { return z_->model.eval(literal(l), true).is_true(); });
    }

    void check_budget() const override {
        Backend::check_budget();
        if (holds_too_much(budget())) throw OverBudget(OverBudget::What::memory);
    }

private:
    struct Library {
        z3::context context;
        z3::solver solver{context, "QF_FD"};
        z3::model model{context};
    };

    const z3::expr& literal(Lit l) {
        const size_t index = 2 * static_cast<size_t>(l < 0 ? -l : l) + (l < 0 ? 1 : 0);
        if (index >= literals_.size()) literals_.resize(std::max(index + 1, 2 * variables()), z3::expr(z_->context));
        if (static_cast<Z3_ast>(literals_[index]) == nullptr) {
            z3::context& context = z_->context;
            literals_[index] = l < 0 ? !literal(-l) : context.constant(context.int_symbol(l), context.bool_sort());
        }
        return literals_[index];
    }

    std::unique_ptr<Library> z_;
    std::vector<z3::expr> literals_;  // by variable and sign; null: not used yet
    std::vector<Z3_ast> terms_;       // of the clause that is added
};

}  // namespace

constinit const Maker make_z3 = []() -> std::unique_ptr<Backend> {
    auto backend = std::make_unique<Z3Backend>();
    backend->reset({});
    return backend;
};

}  // namespace litmus

#else

#include "solve/sat/backend.h"

constinit const litmus::Maker litmus::make_z3 = nullptr;

#endif
