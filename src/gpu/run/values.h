// Runs the value table (value_table.h) on a GPU.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace litmus::gpu {

struct ValuesOptions {
    std::string only;        // forms whose text contains this; empty: all
    size_t differences = 5;  // of each form, printed
    bool ptx_only = false;   // print the PTX for `sm` and run nothing
    int sm = 90;             // for ptx_only
    int device = 0;
};

// Runs the table and prints, per form, its cases, how many agree, and the first differences. Returns 1 when
// something differs, 0 otherwise; what the driver refuses is thrown as DriverError.
int run_values(const ValuesOptions& options, std::ostream& out);

}  // namespace litmus::gpu
