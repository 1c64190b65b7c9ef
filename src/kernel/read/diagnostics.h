// Errors of a file, collected until there are enough of them.
#pragma once

#include <vector>

#include "base/source.h"

namespace litmus::kernel {

class Diagnostics {
public:
    // Does `action`; false, and the errors kept, when it throws Failure. Throws all when there are too many.
    template <typename Action>
    bool attempt(const Action& action) {
        try {
            action();
            return true;
        } catch (const Failure& failure) {
            add(failure);
            return false;
        }
    }

    void add(const Failure& failure) {
        constexpr size_t most = 20;
        for (const Diagnostic& diagnostic : failure.diagnostics())
            if (found_.size() < most) found_.push_back(diagnostic);
        if (found_.size() >= most) throw TooMany{};
    }

    struct TooMany {};  // enough to go home with

    // Throws Failure when there are any.
    void finish() const {
        if (!found_.empty()) throw Failure(found_);
    }

private:
    std::vector<Diagnostic> found_;
};

}  // namespace litmus::kernel
