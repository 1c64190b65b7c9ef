// What can keep a piece of work from being done, told apart once.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/source.h"
#include "solve/sat/backend.h"

namespace litmus {

struct Trouble {
    std::optional<Failure> failure;  // what the user gave cannot be used
    std::string undecided;           // time, memory or the solver ended: why
    std::string internal_error;      // a bug of the tool

    bool none() const { return !failure && undecided.empty() && internal_error.empty(); }
    // The failure's; none where there is no failure.
    std::vector<Diagnostic> errors() const { return failure ? failure->diagnostics() : std::vector<Diagnostic>(); }
};

// Does the work, and says what kept it from being done.
template <class Work>
Trouble attempt(const Work& work) {
    Trouble trouble;
    try {
        work();
    } catch (const Failure& failure) {
        trouble.failure = failure;
    } catch (const OverBudget& over) {
        trouble.undecided = over.what();
    } catch (const GaveUp& gave_up) {
        trouble.undecided = "the solver gave up: " + gave_up.reason;
    } catch (const std::bad_alloc&) {
        trouble.undecided = "the machine has no more memory";
    } catch (const std::exception& error) {
        trouble.internal_error = error.what();
    }
    return trouble;
}

}  // namespace litmus
