// All edits that are tried on a test.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/edits/edit.h"
#include "ptx/traits.h"

namespace litmus {

class Catalogue;

inline constexpr size_t most_edits = 4000;  // of one test; a test with more is too large for them

struct EditList {
    const Test& test;
    const Catalogue& catalogue;
    std::vector<Edit> edits = {};
    std::optional<int> left_out = {};  // there are more edits than these: what the cheapest of them may cost

    void leave_out(int price) { left_out = std::min(left_out.value_or(price), price); }
    const Thread& thread(int t) const { return test.threads[static_cast<size_t>(t)]; }
    // Adds an edit that may do more than order.
    void put(Edit edit) {
        edit.only_orders = false;
        edits.push_back(std::move(edit));
    }
    // Whether no more shall be added.
    bool full() {
        if (edits.size() >= most_edits) leave_out(0);
        return edits.size() >= most_edits;
    }
};

// In no order of price. Not all of them need be legal: a text that the reader refuses is no repair. The test has a source.
EditList edits_of(const Test& test, const Catalogue& catalogue);

// Edits that are one edit of the kernel's source become one, which costs as much as one of them. Those of places whose line is not known
// stay.
std::vector<Edit> joined_by_line(const Test& test, std::vector<Edit> edits);

// The parts, each with its kinds of edits.
void add_fences(EditList& list);        // fences and proxy fences put in
void add_respellings(EditList& list);   // semantics, scopes and spaces of what is there
void add_waits(EditList& list);         // waits put in, waits for more, other parities
void add_moves(EditList& list);         // what synchronizes, at another place of its thread
void add_barriers(EditList& list);      // barriers put in, in several threads at once
void add_counts(EditList& list);        // arrivals and bytes
void add_uses(EditList& list);          // values used, atomics in place of what is none
void add_asynchronous(EditList& list);  // synchronous operations in place of asynchronous ones, their values awaited or acquired
void add_control(EditList& list);       // what branches skip or repeat

std::string as_code(const std::string& text);  // as messages show it: `text`

// The source at a span.
std::string source_text(const Test& test, Span span);

// A name that neither a location nor a register has.
std::string fresh_name(const Test& test, const std::string& wish);

// The name `dotted` of the instruction, as written, with other words for how strong it is, and without hints that it then cannot have.
std::string renamed(const Instruction& instruction, const std::string& dotted, Sem sem, Scope scope);

// The greatest number of arrivals on the object. Nothing: the test does not say it, as an instruction branches back, or takes its object or
// count from a register.
std::optional<uint64_t> most_arrivals(const Test& test, const Location& object);

// How many arrivals a phase of the object takes; nothing where the number is not written.
std::optional<uint64_t> arrivals_now(const Test& test, const Location& object);

// Where something may be put into a thread, so that the places differ in what they order: before which instructions, the end
// included where `at_end`.
std::vector<int> gaps(const Thread& thread, bool at_start, bool at_end);

// The fences of tcgen05, by their names: what the one is put before, the other behind, is no operation on tensor memory.
inline constexpr std::string_view before_sync = "tcgen05.fence::before_thread_sync";
inline constexpr std::string_view after_sync = "tcgen05.fence::after_thread_sync";

// Whether it accesses tensor memory, or gives it back.
bool on_tensor_memory(const Instruction& instruction);

// Whether some such instruction of the thread is executed before that place, or behind it; where something branches, at any place.
template <class Wanted>
bool is_before(const Thread& thread, int gap, const Wanted& wanted) {
    const auto branches = [](const Instruction& i) { return kind(i.op) == Traits::Kind::branch; };
    const bool any = std::any_of(thread.body.begin(), thread.body.end(), branches);
    return std::any_of(thread.body.begin(), any ? thread.body.end() : thread.body.begin() + gap, wanted);
}
template <class Wanted>
bool is_behind(const Thread& thread, int gap, const Wanted& wanted) {
    const auto branches = [](const Instruction& i) { return kind(i.op) == Traits::Kind::branch; };
    const bool any = std::any_of(thread.body.begin(), thread.body.end(), branches);
    return std::any_of(any ? thread.body.begin() : thread.body.begin() + gap, thread.body.end(), wanted);
}

}  // namespace litmus
