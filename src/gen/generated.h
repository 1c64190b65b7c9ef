// Generated tests, and what they are made of, in words.
#pragma once

#include <string>

#include "gen/cycle.h"

namespace litmus {

// One line without its end; the keys, always all and in this order:
//   name, shape  of the cycle; the shape is null where the literature has no name for it
//   events, threads
//   file         that was written; null: none
//   test         the text
std::string generated_json(const gen::Cycle& cycle, const Test& test, const std::string& file);

// All families with their words, and all shapes.
std::string vocabulary_text();

}  // namespace litmus
