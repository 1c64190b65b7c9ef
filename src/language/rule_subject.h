// What the static rules share: one instruction with what is known of it, and what has been found wrong.
//
// Private to static_rules.cpp, static_rules_async.cpp and static_rules_tensor.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/static_rules.h"
#include "ptx/demands.h"

namespace litmus::rules {

std::string in_ticks(std::string_view text);

class Subject {
public:
    explicit Subject(const KnownInstruction& known) : known_(known) {}

    const Test& test() const { return known_.test; }
    const Thread& thread() const { return known_.thread; }
    const Placement& here() const { return known_.thread.at; }
    const Instruction& instruction() const { return known_.instruction; }
    const Form& form() const { return *known_.instruction.row.form; }
    bool whole_test() const { return known_.whole_test; }
    std::string isa() const { return " (ISA " + form().section + ")"; }

    // An operand with what is known of it.
    struct Part {
        const Operand* text = nullptr;  // null: the instruction has no such operand
        KnownOperand known;
        explicit operator bool() const { return text != nullptr; }
        bool has_number() const { return text && known.value.has_value(); }
        uint64_t number() const { return truncate(*known.value, 32); }  // in the 32 bits that the instruction reads
        bool has_place() const { return text && known.location; }
        const Location& location() const { return *known.location; }
        bool is_shared() const { return has_place() && known.location->space == Space::shared; }
    };
    // The n-th operand in this role.
    Part in(Role role, size_t nth = 0) const;

    // All of them, in the order of the text.
    std::vector<Part> parts() const;
    // The multiple that an address has to be (ptx/demands.h).
    int64_t alignment(const Part& address) const;
    // A form that can name one state space only reaches no other through generic addresses, either.
    bool reaches(Space space) const;
    OwnerDemand::Owner owner(const Part& address) const { return owner_demand(instruction(), address.text->role).owner; }

    void report(const Part& at, std::string message, std::string hint = {});
    void report(Span at, std::string message, std::string hint = {});
    // The ISA allows it, and the model does not have it.
    void report_unmodelled(const Part& at, std::string message, std::string hint = {});

    // The CTAs of the executing thread's cluster, by number.
    std::vector<int> cluster() const;

    // Shared memory is reached from its own CTA, by .shared::cluster and generic addresses from its cluster (ISA 5.1.7).
    // `space` is the state space that the text names for this address, or empty. False: reported.
    bool check_reach(const Part& address, std::string_view space);
    // `mov` gives the address of a shared location in its window, which is no generic address; `cvta` makes one of it. False: reported.
    bool check_window(const Part& address, std::string_view space);
    // The location lies in the state space that the text names. False: reported.
    bool check_named_space(const Part& address, std::string_view space);

    bool is_unmodelled() const { return !found_.empty() && unmodelled_ == found_.size(); }
    std::vector<Diagnostic> take() { return std::move(found_); }

private:
    const KnownInstruction& known_;
    std::vector<Diagnostic> found_;
    size_t unmodelled_ = 0;  // of them
};

// The rules of asynchronous operations, mbarrier objects and redux.sync.
void check_async(Subject& subject);
// The rules of a place in a tensor (static_rules_tensor.cpp). False: the map is not one for this instruction.
bool check_tensor_place(Subject& subject);

// The rules of tensor maps in memory, and whether the instruction's `[addr]` names one.
void check_maps(Subject& subject);
bool names_map(const Subject& subject);

}  // namespace litmus::rules
