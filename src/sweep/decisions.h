// Conditions of the verdict: a value decides something, and another run, or a GPU, may give another value (doubt.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "sweep/code.h"
#include "sweep/doubt.h"
#include "sweep/findings.h"

namespace litmus::sweep {

class Decisions {
public:
    // `began`: why what began in statements of earlier launches might be another value; they have the first numbers of doubts.
    Decisions(const kernel::Module& module, const std::vector<Step>& code, std::vector<std::string> began, Doubts& doubts)
        : module_(module), code_(code), began_(std::move(began)), doubts_(doubts), contended_(code.size()) {}

    size_t earlier() const { return began_.size(); }

    // By a value that may be another one where it began there, the statement does what it does.
    void decide(uint32_t began, uint32_t statement) { decided_.try_emplace(began, statement); }
    void decide(Doubt doubt, const Step& step) {
        if ((doubt & names_block) != 0 && by_block_ == nullptr) by_block_ = step.original;
        for (const uint32_t began : doubts_.statements(doubt)) decide(began, static_cast<uint32_t>(&step - code_.data()));
    }
    // That what the statement gives might be another value.
    Doubt doubt_of(const Step& step) {
        return doubts_.of(static_cast<uint32_t>(began_.size()) + static_cast<uint32_t>(&step - code_.data()));
    }
    // Whether a doubt began in an instruction of that kind.
    bool is_of(Traits::Kind kind, uint32_t began) const;
    // Whether it depends on the order of strong accesses of this launch, and on nothing else but the number of the block.
    bool is_of_order(Doubt doubt) const;
    Doubt join(Doubt a, Doubt b) { return doubts_.join(a, b); }
    // A value that is not computed decides; `why`: it is not, where that is known.
    void guess(uint32_t statement, const std::string& why) { guessed_.emplace(statement, why); }
    // A statement that a value decides which names the block of its thread; null: there is none, or it was no matter.
    const kernel::Statement* by_block() const { return by_block_; }
    bool has_guessed(uint32_t statement) const { return guessed_.contains(statement); }
    // Strong, of one place, in no order. Those of earlier launches have numbers behind the code.
    void contend(uint32_t statement, uint32_t other) {
        for (const uint32_t one : {statement, other})
            if (one < contended_.size()) contended_[one] = true;
    }

    void report(Findings& findings) const;
    std::vector<std::string> left() const;  // `began` of the next launch
    bool are_contended() const;             // something is decided by what a strong access finds, which depends on the order

private:
    // Why what the statement gives might be another value; none: it is not. `from`: where the statement is.
    std::optional<std::string> why_another(uint32_t statement, const std::string& from) const;

    const kernel::Module& module_;
    const std::vector<Step>& code_;
    const std::vector<std::string> began_;
    Doubts& doubts_;
    std::vector<bool> contended_;              // by statement
    std::map<uint32_t, std::string> guessed_;  // statements, and why
    std::map<uint32_t, uint32_t> decided_;     // where a doubt began, and a statement that is decided by it
    const kernel::Statement* by_block_ = nullptr;
};

}  // namespace litmus::sweep
