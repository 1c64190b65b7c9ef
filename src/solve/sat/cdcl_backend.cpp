// The backend over our own solver. It is deterministic and takes clauses as they are.
#include "solve/sat/backend.h"
#include "solve/sat/cdcl.h"

namespace litmus {

namespace {

class CdclBackend : public Backend {
public:
    std::string_view engine() const override { return name(Engine::cdcl); }
    void try_first(Lit l) override { solver_->try_first(l); }

protected:
    void forget() override {
        solver_.emplace([this] { return is_spent(); });
        solver_->add_clause(std::array{always_true});
    }

    void add_variable(Lit) override {}  // known by its first use

    void add_clause(std::span<const Lit> literals) override { solver_->add_clause(literals); }

    Result search(std::span<const Lit> assumptions) override {
        const std::optional<bool> result = solver_->solve(assumptions);
        if (!result) return Result::unknown;
        return *result ? Result::sat : Result::unsat;
    }

    bool value_of(Lit l) override { return l > 0 ? solver_->value(l) : !solver_->value(-l); }

private:
    std::optional<Cdcl> solver_;
};

}  // namespace

constinit const Maker make_cdcl = []() -> std::unique_ptr<Backend> {
    auto backend = std::make_unique<CdclBackend>();
    backend->reset({});
    return backend;
};

}  // namespace litmus
