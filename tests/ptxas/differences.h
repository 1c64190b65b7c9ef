// The classes of known differences between the table and the assembler: differences.txt, which says how to read it.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace litmus::ptxas {

struct Difference {
    std::string title;
    std::string pattern;
    std::regex forms;
    bool example = false;   // of a page: `forms` is then of its text, and neither side accepts it
    bool accepted = false;  // by the table; for a form, the assembler does the opposite
    std::string page;
    std::string assembler;  // part of its message, or "accepted"
};

struct Differences {
    std::string release;  // of the assembler
    std::vector<Difference> classes;
};

// Throws std::runtime_error that names the line where the text is not well formed.
Differences read_differences(const std::string& text);

// Those of the repository.
Differences known_differences();

// Whether the class is of forms and explains that the table says `accepted` of the name and the assembler `message` (empty: it accepts).
bool explains(const Difference& difference, const std::string& name, bool accepted, const std::string& message);

}  // namespace litmus::ptxas
