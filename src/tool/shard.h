// One part of a run: which files are its own.
#pragma once

#include <optional>
#include <string>

#include "base/share.h"
#include "tool/inputs.h"

namespace litmus {

// Whether this file, which has been read, belongs to the share. Files are shared out by what they hold, so that one stays in its
// part when others come and go; one that cannot be read goes by its name.
bool is_in(const Share& share, const InputFile& file);

// What was asked for, else what a build system asks for in the environment (TEST_TOTAL_SHARDS, TEST_SHARD_INDEX from 0; the
// file TEST_SHARD_STATUS_FILE is made, to say that this was understood), else the whole. Throws Failure where these are no numbers
// or the file cannot be made.
Share share_of(const std::optional<Share>& asked);

// Where a build system wants JUnit XML, beside what is printed: XML_OUTPUT_FILE; empty: nowhere.
std::string xml_output_file();

}  // namespace litmus
