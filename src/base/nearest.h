// What a misspelt word was most likely meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace litmus {

// Levenshtein's distance, the least cost of the changes that make one word the other: two for a letter that is added, dropped
// or replaced, one for a letter whose case alone is changed. Words of more than 80 letters are not compared: they are as far
// apart as all their letters.
size_t edit_cost(std::string_view a, std::string_view b);

// What is near: what a third of a word's letters, or one where that is less, make of it.
struct Near {
    size_t shortest = 3;  // a word of fewer letters has none: P0 is not meant for P7
    size_t more = 0;      // letters beyond the third
};

// The first of the closest candidates; empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates, Near near = {});

}  // namespace litmus
