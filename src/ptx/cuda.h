// What CUDA C++ and the libraries on top of it are in PTX: the names that kernels use for what the model is about.
//
// One table, from which the table of litmus/language.md is written ("Reading CUDA"), and which the hints for pasted code and the search of
// a report look up. tests/documents/cuda_test.cpp compiles every line of CUDA and compares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace litmus {

// One line of CUDA, with the names that the page declares.
struct CudaRow {
    std::string_view cuda;  // "__threadfence()"
    std::string_view ptx;   // its instructions in PTX, with `; ` between them: "membar.gl"
    std::string_view note;  // Markdown; may be empty
};

// Rows of one origin.
struct CudaGroup {
    std::string_view title;
    std::vector<CudaRow> rows;
};

const std::vector<CudaGroup>& cuda_groups();

// What the line calls, without arguments: "cuda::atomic_thread_fence", "cute::tma_store_wait", "a.load".
std::string_view cuda_name(const CudaRow& row);

// The instructions of a row, each as PTX writes it: "bar.sync 0".
std::vector<std::string_view> cuda_instructions(const CudaRow& row);

// The dotted name of an instruction: "bar.sync".
std::string_view dotted_name(std::string_view instruction);

// The rows of a name, which may have fewer namespaces or more ("tma_store_wait") and call an object otherwise ("flag.load"). None for what
// begins like an instruction of PTX.
std::vector<const CudaRow*> cuda_rows(std::string_view name);

// Whether an instruction of PTX begins with the first word of a dotted name: "bar.wait".
bool begins_in_ptx(std::string_view name);

// The line of CUDA that is this one instruction, with another number in it where the instruction ends with one: "__pipeline_wait_prior(0)"
// for "cp.async.wait_group 0". The first row that is so; empty: none is. Names of `cuda::ptx` are whole.
std::string cuda_of(std::string_view instruction);

// What a line of CUDA is in PTX: a row, or a row with another operation in it, "atomicMin" for "atomicAdd".
struct CudaAnswer {
    std::string cuda, ptx, note;
};

// Of a line that begins as CUDA does, "flag.load(cuda::memory_order_acquire)", "*(volatile int*)p", what it may be, best first. Where a
// name goes on with `(` or `<` it is a call, even if an instruction of PTX begins likewise ("bar.wait(...)").
std::vector<CudaAnswer> cuda_lines(std::string_view pasted);

// The same as a hint: "that is CUDA: `__syncthreads()` is `bar.sync 0` in PTX". Empty where nothing is known.
std::string cuda_hint(std::string_view pasted);

// All groups as a table in Markdown.
std::string cuda_table();

}  // namespace litmus
