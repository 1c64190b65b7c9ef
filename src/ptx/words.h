// The words of a dotted name in the slots of a form.
//
// A form accepts a name when its words can be assigned to the form's slots, one each, and no slot that must be filled
// is left empty. Order does not matter, but a word prefers earlier slots, so cvt's two types keep theirs. Private to the table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/table.h"

namespace litmus {

constexpr int nowhere = -1;

// Which slot each word goes to, and which word each slot holds.
struct Assignment {
    std::vector<int> slot_of;
    std::vector<int> word_of;
};

bool contains(const std::vector<std::string>& words, std::string_view word);

// The alternative of the slot that is this word; null where it has none.
const Alternative* member(const Slot& slot, std::string_view word);

// Places as many words as it can.
Assignment assign(const Form& form, const std::vector<std::string>& words);

// The assignment by which the form accepts the words, if there is one.
std::optional<Assignment> match(const Form& form, const std::vector<std::string>& words);

// The slot of a hint that stands beside a shared state space, to which it does not apply; `held` tells what a slot holds.
int misplaced_hint(const Form& form, const std::function<std::string_view(size_t slot)>& held);

}  // namespace litmus
