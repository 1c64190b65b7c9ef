// CUDA that is pasted into a test: the hint says what it is in PTX.
#include <doctest/doctest.h>

#include "language/syntax/read.h"
#include "ptx/cuda.h"

using namespace litmus;

namespace {

// What a test is refused with that has the line among its instructions: the hint.
std::string hint_of(const std::string& line) {
    try {
        parse_tests(make_source("pasted.litmus",
                                "test \"pasted\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n  " + line + ";\n}\nexists (x == 0)\n"));
    } catch (const Failure& failure) {
        return failure.diagnostics().front().hint;
    }
    return "no error";
}

}  // namespace

TEST_CASE("a line of CUDA, pasted into a test, is answered by its own row first") {
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows)
            CHECK(hint_of(std::string(row.cuda))
                      .rfind("that is CUDA: `" + std::string(row.cuda) + "` is `" + std::string(row.ptx) + "` in PTX", 0) == 0);
}

TEST_CASE("a line that is no row is answered by the one most like it, with its own operation") {
    const auto first = [](const std::string& line) {
        const std::string hint = hint_of(line);
        const size_t is = hint.find("` is `"), end = hint.find("` in PTX");
        return end == std::string::npos ? hint : hint.substr(is + 6, end - is - 6);
    };
    CHECK(first("flag.load(cuda::memory_order_acquire)") == "ld.acquire.gpu.b32 r0, [x]");
    CHECK(first("done.store(n, cuda::std::memory_order_release)") == "st.release.gpu.b32 [x], 1");
    CHECK(first("cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst)") == "fence.sc.sys");
    CHECK(first("atomicMin(x, 1)") == "atom.global.min.u32 r0, [x], 1");
    CHECK(first("atomicMax_system(&p[i], 4)") == "atom.global.sys.max.u32 r0, [x], 1");
    CHECK(first("atomicSub(x, 1)") == "atom.global.add.u32 r0, [x], -1");
    CHECK(first("atomicOr_block(x, 1)") == "atom.global.cta.or.b32 r0, [x], 1");
    CHECK(first("atomicInc(x, 1)") == "atom.global.inc.u32 r0, [x], 1");
    CHECK(first("atomicExch_system(x, 1)") == "atom.global.sys.exch.b32 r0, [x], 1");
    CHECK(first("atomicCAS_block(x, 0, 1)") == "atom.global.cta.cas.b32 r0, [x], 0, 1");
    CHECK(first("n.fetch_sub(1, cuda::memory_order_release)") == "atom.add.release.gpu.s32 r0, [x], -1");
    CHECK(first("n.fetch_or(2, cuda::memory_order_acq_rel)") == "atom.or.acq_rel.gpu.b32 r0, [x], 1");
    CHECK(first("*(volatile float*)p") == "ld.volatile.global.u32 r0, [x]");
    for (const char* other : {"*x = 1", "atomicNothing(x)", "bar.nothing(b)", "mov.u32(r0)"}) {
        INFO(other);
        CHECK(first(other).find("CUDA") == std::string::npos);
    }
    // Whatever is said of another operation can be pasted, too.
    for (const char* function : {"Sub", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "Exch", "CAS"})
        for (const char* scope : {"", "_block", "_system"})
            for (const CudaAnswer& line : cuda_lines("atomic" + std::string(function) + scope + "(x, 1)")) {
                INFO(line.ptx);
                CHECK_NOTHROW(parse_tests(make_source("pasted.litmus", "test \"p\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + line.ptx +
                                                                           ";\n}\nthread P1 @ cta1 {\n}\nexists (x == 1)\n")));
            }
}
