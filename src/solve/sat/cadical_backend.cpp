// The backend over CaDiCaL, an incremental SAT solver. It is deterministic and takes clauses as they are.
#ifdef LITMUS_CADICAL

#include <cadical.hpp>

#include "solve/sat/backend.h"

namespace litmus {

namespace {

class CadicalBackend : public Backend, CaDiCaL::Terminator {
public:
    std::string_view engine() const override { return name(Engine::cadical); }

protected:
    void forget() override {
        solver_ = std::make_unique<CaDiCaL::Solver>();
        solver_->set("quiet", 1);
        solver_->connect_terminator(this);
        add_clause(std::array{always_true});
    }

    void add_variable(Lit) override {}  // known by its first use

    void add_clause(std::span<const Lit> literals) override {
        for (const Lit l : literals) solver_->add(l);
        solver_->add(0);
    }

    Result search(std::span<const Lit> assumptions) override {
        for (const Lit l : assumptions) solver_->assume(l);
        const int status = solver_->solve();
        return status == 10 ? Result::sat : status == 20 ? Result::unsat : Result::unknown;
    }

    bool value_of(Lit l) override { return solver_->val(l) > 0; }

private:
    // Asked now and then while it searches.
    bool terminate() override { return is_spent(); }

    std::unique_ptr<CaDiCaL::Solver> solver_;
};

}  // namespace

constinit const Maker make_cadical = []() -> std::unique_ptr<Backend> {
    auto backend = std::make_unique<CadicalBackend>();
    backend->reset({});
    return backend;
};

}  // namespace litmus

#else

#include "solve/sat/backend.h"

constinit const litmus::Maker litmus::make_cadical = nullptr;

#endif
