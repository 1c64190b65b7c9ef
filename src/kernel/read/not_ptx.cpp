// Files that people hand over in place of PTX, told by what they begin with (see not_ptx.h).
#include "kernel/read/not_ptx.h"

#include <array>
#include <string>
#include <string_view>

namespace litmus::kernel {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view from_binary =
    "where it has PTX in it, `cuobjdump -ptx FILE` writes that; else compile the source with `nvcc -ptx -lineinfo`";
constexpr std::string_view from_source = "compile it first: `nvcc -std=c++17 -ptx -arch=sm_90a -lineinfo k.cu -o k.ptx`";
constexpr std::string_view from_test = "`litmus check` reads tests";

struct Sign {
    std::string_view text;
    std::string_view what;
    std::string_view hint;
};

// Beginnings of files that are not texts.
constexpr std::array<Sign, 6> binaries{
    {{"\x7f"
      "ELF"sv,
      "this is an ELF file (a program, an object or a cubin), no PTX", from_binary},
     {"\x50\xed\x55\xba"sv, "this is a fatbin, no PTX", from_binary},
     {"BC\xc0\xde"sv, "this is LLVM bitcode, no PTX", "`llc -mcpu=sm_90a FILE` makes PTX of it"},
     {"\x1f\x8b"sv, "this file is compressed", "unpack it first"},
     {"\xff\xfe"sv, "this file is UTF-16, and PTX is ASCII", "`iconv -f utf-16 -t ascii FILE` makes that of it"},
     {"PK\x03\x04"sv, "this file is an archive", "unpack it first"}}};

// What stands in the beginning of other texts, which is looked at behind a line feed.
constexpr std::array<Sign, 10> texts{{{"__global__", "this is CUDA C++, no PTX", from_source},
                                      {"\n#include", "this is C++, no PTX", from_source},
                                      {"__device__", "this is CUDA C++, no PTX", from_source},
                                      {"target triple", "this is LLVM IR, no PTX", "`llc -mcpu=sm_90a FILE` makes PTX of it"},
                                      {"\n; ModuleID", "this is LLVM IR, no PTX", "`llc -mcpu=sm_90a FILE` makes PTX of it"},
                                      {"tt.func", "this is Triton's IR, no PTX", "the compiled kernel has its PTX as `.asm[\"ptx\"]`"},
                                      {"Fatbin elf code", "this is what cuobjdump writes, no PTX alone",
                                       "`cuobjdump -ptx FILE` writes PTX; cut off what stands before `.version`"},
                                      {"Function : ", "this is machine code (SASS), no PTX", from_binary},
                                      {"\ntest \"", "this is a litmus test, no PTX", from_test},
                                      {"\nimport ", "this is Python, no PTX", "hand over the PTX that it compiles"}}};

[[noreturn]] void refuse(const SourcePtr& source, std::string_view what, std::string_view hint) {
    throw Failure(make_source(source->name, source->text, false), {}, std::string(what), std::string(hint));
}

}  // namespace

// A PTX file has `.version` first, behind comments (11.1.1). What a text is that has none is guessed from its first part.
void require_ptx(const SourcePtr& source) {
    const std::string_view text = source->text;
    for (const Sign& sign : binaries)
        if (text.substr(0, sign.text.size()) == sign.text) refuse(source, sign.what, sign.hint);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse(source, "this file is empty", from_source);
    constexpr size_t looked_at = 1U << 16;
    const std::string_view head = text.substr(0, looked_at);
    if (head.find('\0') != std::string_view::npos) refuse(source, "this file is binary, no PTX", from_binary);
    if (head.find(".version") != std::string_view::npos) return;
    const std::string lines = "\n" + std::string(head);
    for (const Sign& sign : texts)
        if (lines.find(sign.text) != std::string::npos) refuse(source, sign.what, sign.hint);
    if (head.find(".entry") != std::string_view::npos || head.find(".target") != std::string_view::npos)
        refuse(source, "there is no `.version` in the beginning of this file", "a PTX file begins with `.version`, as in `.version 9.0`");
    refuse(source, "this is no PTX: there is no `.version` in its beginning", from_source);
}

}  // namespace litmus::kernel
