// What `litmus record` asks of the library that it preloads, as variables of the environment.
#pragma once

namespace litmus::record {

inline constexpr const char* folder_variable = "LITMUS_RECORD";         // where to write; none: nothing is recorded
inline constexpr const char* kernel_variable = "LITMUS_RECORD_KERNEL";  // only this one, by its whole name or the plain part of it
inline constexpr const char* launch_variable = "LITMUS_RECORD_LAUNCH";  // only this one of each kernel, from 1
inline constexpr const char* bytes_variable = "LITMUS_RECORD_BYTES";    // at most so many of memory from each address on

inline constexpr const char* log_file = "log.jsonl";  // in that folder: a line for each thing that happened, in all processes together

}  // namespace litmus::record
