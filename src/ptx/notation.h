// Reads the notation of the instruction table's rows (rows.h) into forms.
//
// Private to the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/table.h"

namespace litmus {

// Every form, in the order of the rows. The rows are ours: a mistake in one throws std::logic_error.
std::vector<Form> read_table();

// The parts between separators; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace litmus
