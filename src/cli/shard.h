// One part of a run: which files are its own.
#pragma once

#include <cstddef>
#include <string>

#include "cli/inputs.h"
#include "options.h"

namespace litmus {

// The I-th of N parts. Files are shared out by what they hold, so that a file stays in its part when others come and go.
struct Shard {
    size_t index = 1, count = 1;

    bool whole() const { return count == 1; }
    // Whether this file, which has been read, belongs to the part. One that cannot be read goes by its name.
    bool has(const InputFile& file) const;
};

// What the command line asks for, else what a build system asks for in the environment (TEST_TOTAL_SHARDS, TEST_SHARD_INDEX from 0; the
// file TEST_SHARD_STATUS_FILE is made, to say that this was understood), else the whole. Throws Failure where these are no numbers
// or the file cannot be made.
Shard shard_of(const Options& options);

// Where a build system wants JUnit XML, beside what is printed: XML_OUTPUT_FILE; empty: nowhere.
std::string xml_output_file();

}  // namespace litmus
