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

// Where doubts begin: in a statement, and where it reads or writes a vector, in each of its elements, which are accesses of their own (ISA
// 8.2.4). The first element has the number of its statement.
class Parts {
public:
    explicit Parts(const std::vector<Step>& code);
    uint32_t of(uint32_t statement, uint32_t element) const { return element == 0 ? statement : behind_.at(statement) + element - 1; }
    // All elements of a vector: what each of them gives by itself. A single access has its statement.
    uint32_t whole(const Step& step, uint32_t statement) const { return step.elements == 1 ? statement : of(statement, step.elements); }
    uint32_t statement(uint32_t part) const { return part < statements_ ? part : extra_[part - statements_]; }
    size_t count() const { return statements_ + extra_.size(); }

private:
    size_t statements_;
    std::map<uint32_t, uint32_t> behind_;  // by statement with a vector: the number of its second element
    std::vector<uint32_t> extra_;          // the statement of each number behind those of statements
};

class Decisions {
public:
    // `began`: why what began in statements of earlier launches might be another value; they have the first numbers of doubts.
    Decisions(const kernel::Module& module, const std::vector<Step>& code, std::vector<std::string> began, Doubts& doubts)
        : module_(module), code_(code), parts_(code), began_(std::move(began)), doubts_(doubts), contended_(parts_.count()) {}

    size_t earlier() const { return began_.size(); }

    // By a value that may be another one where it began there, the statement does what it does.
    void decide(uint32_t began, uint32_t statement) { decided_.try_emplace(began, statement); }
    void decide(Doubt doubt, const Step& step) {
        if ((doubt & names_block) != 0 && by_block_ == nullptr) by_block_ = step.original;
        for (const uint32_t began : doubts_.statements(doubt)) decide(began, number_of(step));
    }
    // That what the statement gives might be another value; of a vector, what this element gives.
    Doubt doubt_of(const Step& step, uint32_t element = 0) { return doubt_in(parts_.of(number_of(step), element)); }
    // Likewise what each element of a vector gives by itself.
    Doubt doubt_of_whole(const Step& step) { return doubt_in(parts_.whole(step, number_of(step))); }
    const Parts& parts() const { return parts_; }
    // Whether something is decided by what this part gives. Where each element gives what decides, another one that decides is enough;
    // else the last one stands for all.
    bool is_decided_by(uint32_t part) const;
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
    // A part of a strong access that is not ordered with another one.
    void contend(uint32_t part) {
        const uint32_t statement = parts_.statement(part);
        contended_[part] = contended_[parts_.whole(code_[statement], statement)] = true;
    }

    void report(Findings& findings) const;
    std::vector<std::string> left() const;  // `began` of the next launch
    bool are_contended() const;             // something is decided by what a strong access finds, which depends on the order

private:
    uint32_t number_of(const Step& step) const { return static_cast<uint32_t>(&step - code_.data()); }
    Doubt doubt_in(uint32_t part) { return doubts_.of(static_cast<uint32_t>(began_.size()) + part); }
    // Why what the part gives might be another value; none: it is not. `from`: where its statement is.
    std::optional<std::string> why_another(uint32_t part, const std::string& from) const;

    const kernel::Module& module_;
    const std::vector<Step>& code_;
    const Parts parts_;
    const std::vector<std::string> began_;
    Doubts& doubts_;
    std::vector<bool> contended_;              // by part
    std::map<uint32_t, std::string> guessed_;  // statements, and why
    std::map<uint32_t, uint32_t> decided_;     // where a doubt began, and a statement that is decided by it
    const kernel::Statement* by_block_ = nullptr;
};

}  // namespace litmus::sweep
