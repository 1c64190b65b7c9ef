// litmus: from a litmus test to the outcomes its memory model allows.
//
// The commands are files of tool/commands. The way of a test through the tool is tool/pipeline.cpp.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#include "base/visible.h"
#include "tool/attempt.h"
#include "tool/command_line.h"
#include "tool/commands.h"
#include "tool/interruption.h"
#include "tool/output.h"
#include "tool/pipeline.h"

namespace litmus {

namespace {

// Makes the memory cheap that every Z3 context takes for its tables (17 MB) and gives back: the allocator keeps it, so that it is
// not mapped and cleared anew for each test, and the kernel is asked for large pages, since 4,000 faults of small ones were half of
// the time of a small test. Where the system grants none of this, nothing is lost but time.
void prepare_memory() {
#ifdef __GLIBC__
    constexpr int kept = 32 << 20;  // bytes; the largest that glibc takes as a threshold for mmap
    mallopt(M_MMAP_THRESHOLD, kept);
    mallopt(M_TRIM_THRESHOLD, 4 * kept);
    mallopt(M_TOP_PAD, kept / 8);
#ifdef MADV_HUGEPAGE
    constexpr uintptr_t large_page = 2 << 20;
    // From the heap, which grows by it and keeps it.
    if (char* const block = static_cast<char*>(std::malloc(3 * (kept / 4)))) {
        char* const first = block + (large_page - reinterpret_cast<uintptr_t>(block) % large_page) % large_page;
        const char* const end = static_cast<const char*>(sbrk(0));
        if (end > first) madvise(first, static_cast<size_t>(end - first) / large_page * large_page, MADV_HUGEPAGE);
        std::free(block);
    }
#endif
#endif
}

// Says what ended the whole run, and gives its exit status. What keeps single tests from an answer, their commands say.
int told(const Trouble& trouble) {
    complain(trouble.errors());
    complain_internal(trouble.internal_error);
    if (trouble.failure) return 2;
    if (!trouble.internal_error.empty()) return internal_status;
    const bool begun = trouble.undecided.rfind("not decided", 0) == 0;
    std::fprintf(stderr, "litmus: %s%s\n", begun ? "" : "not decided: ", visible(trouble.undecided).c_str());
    return 3;
}

int run_command_line(int argc, const char* const* argv) {
    prepare_streams();
    prepare_signals();
    prepare_memory();
    Output out;
    int status = 0;
    const Trouble trouble = attempt([&] {
        CommandLine line(all_commands());
        if (const Command* const command = line.parse(argc, argv, status)) status = command->run(out);
    });
    if (!trouble.none()) status = told(trouble);
    return trouble.internal_error.empty() ? out.finish(status) : status;
}

}  // namespace

}  // namespace litmus

int main(int argc, char** argv) {
    try {
        return litmus::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        litmus::complain_internal(error.what());
    } catch (...) {
        litmus::complain_internal("an exception of an unknown type");
    }
    return litmus::internal_status;
}
