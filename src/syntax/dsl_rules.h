// What the static rules of a native test share: the test, its CTAs, and where the violations are collected.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "ptx/table.h"
#include "test/test.h"

namespace litmus::dsl {

class Rules {
public:
    // Not `complete`: some instructions or threads could not be read, so nothing is said to be missing.
    Rules(const Test& of, bool is_complete);

    void report(Span span, std::string message, std::string hint = {});

    // The CTA whose shared memory an operand that names a location means.
    static int owner(const Thread& thread, const Operand& operand, const Location& location);
    bool same_cluster(int cta, const Thread& thread) const;
    // The CTAs of a thread's cluster, by number.
    std::vector<int> cluster_of(const Thread& thread) const;

    // `x@cta1`: of shared locations only, of an instance that exists. These report what is wrong and return whether
    // all is well.
    bool check_instance(Span span, int cta, const Location& location);
    // Shared memory is reached from its own CTA, by .shared::cluster and generic addresses from its cluster (ISA 5.1.7).
    // `space` is the state space that the text names for this operand, or empty.
    bool check_reach(const Thread& thread, const Operand& operand, const Location& location, std::string_view space);
    // The location lies in the state space that the text names.
    bool check_named_space(const Operand& operand, const Location& location, std::string_view space);

    const Test& test;
    const bool complete;
    std::map<int, Placement> ctas;
    std::vector<Diagnostic> found;
};

// "the nearest is `x`", or nothing.
std::string near_hint(const std::string& name, const std::vector<std::string>& known);

// The rules of asynchronous operations, mbarrier objects and redux.sync for one instruction whose form is known.
void check_async(Rules& rules, const Thread& thread, const Instruction& instruction, const Form& form);

// Whether this address is check_async's in full: of an mbarrier object, or of a copy.
bool is_async_operand(const Instruction& instruction, const Form& form, const Operand& operand);

}  // namespace litmus::dsl
