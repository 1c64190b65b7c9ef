// What `litmus kernel` reads: PTX, CUDA that nvcc makes PTX of, and folders of recorded launches; files of arguments; the lines of CUDA.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/source.h"
#include "kernel/module.h"
#include "record/recording.h"

namespace litmus {

// Which files the command may read, and which it must not write over.
struct KernelReading {
    std::vector<std::string> outputs = {};  // files that the command writes; "" is none
    std::vector<std::string> sources = {};  // folders below which CUDA sources are quoted
    Budget budget = {};

    // Throws Failure where something that is read would be written over.
    void require_apart_from_outputs(const std::string& read) const;
};

// A kernel's text, as it was named.
struct KernelFile {
    std::string input;  // as named; of a recorded launch its PTX
    SourcePtr ptx;
    std::string folder = {};           // of a recorded launch; empty: it is none
    record::Recording recording = {};  // that it has
};

// The files that are named: one of PTX or CUDA, or folders, which may be several. Throws Failure where they are something else, do not go
// together, or cannot be read or compiled.
std::vector<KernelFile> read_kernel_files(const std::vector<std::string>& inputs, const KernelReading& how);

// The bytes of a file that an argument names.
std::string read_argument_bytes(const std::string& path, const KernelReading& how);

// The lines of the CUDA files that are there to be read, of those that the PTX names. A stranger's PTX may name any file. A file is
// quoted if it is called like a source, and lies below the folder of the input, the current one, or one that the user has named.
std::map<int, std::vector<std::string>> cuda_lines(const kernel::Module& module, const std::string& input, const KernelReading& how);

}  // namespace litmus
