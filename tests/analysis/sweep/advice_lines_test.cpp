// Advice changes CUDA lines: at each call that a line was inlined at, and nowhere else.
#include <doctest/doctest.h>

#include "analysis/sweep/advised_kernel.h"

using namespace litmus;

namespace {

// A kernel of k.cu, with a function behind it.
AdvisedKernel lined(const std::string& body, const std::string& function = "ret;") {
    return {kernel::testing::module_of(".visible .entry k()\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" + body +
                                       ".loc 1 99 1\nret;\n}\n.func f()\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" + function +
                                       "\n}\n.file 1 \"k.cu\"\n.file 2 \"cuda/include/x.h\"\n.section .debug_str\n{\n$L0:\n.b8 0\n}\n")};
}

std::string at_line(int line, const std::string& text) {
    return ".loc 1 " + std::to_string(line) + " 1\n" + text + "\n";
}
std::string in_call(int line, int call, const std::string& text) {
    return ".loc 1 " + std::to_string(line) + " 1, function_name $L0, inlined_at 1 " + std::to_string(call) + " 1\n" + text + "\n";
}

const std::string data_written = at_line(20, "st.global.u32 [%rd1], %r2;"), data_read = at_line(29, "ld.global.u32 %r1, [%rd1];");

// The advice on a race of two blocks at these statements.
Advice advice_between(const AdvisedKernel& kernel, size_t one, size_t other) {
    return advice_on({kernel.module, kernel.block, kernel.swept}, race_of(kernel, {one, 0}, {other, 0, 1, 1}));
}

// The statements of the edits of the remedy with these words; none: it is not proposed.
std::vector<size_t> places_of(const AdvisedKernel& kernel, const Advice& advice, const std::string& change) {
    std::vector<size_t> places;
    for (const Remedy& remedy : advice.remedies)
        if (remedy.change == change)
            for (const PtxEdit& edit : remedy.edits) places.push_back(static_cast<size_t>(edit.at - line_of(kernel, 0)));
    return places;
}

using Places = std::vector<size_t>;

}  // namespace

TEST_CASE("advice on lines: a line is changed at each call, by the registers of that call") {
    const auto call = [](int at, const std::string& base) {
        return in_call(4, at, "st.relaxed.gpu.global.u32 [" + base + "], 0;") + in_call(5, at, "mov.u32 %r4, 0;") +
               in_call(5, at, "st.relaxed.gpu.global.u32 [" + base + "], 1;") +
               in_call(5, at, "st.relaxed.gpu.global.u32 [" + base + "], 2;");
    };
    const AdvisedKernel kernel = lined(data_written + call(21, "%rd2") + call(22, "%rd3") + data_read);
    const Advice advice = advice_between(kernel, 0, 9);
    const std::string fence = "`__threadfence()` before k.cu:";
    CHECK(places_of(kernel, advice, fence + "29") == Places{9});
    CHECK(places_of(kernel, advice, fence + "4") == Places{1, 5});
    CHECK(places_of(kernel, advice, fence + "5") == Places{3, 7});
    CHECK(places_of(kernel, advice, fence + "5 (called at k.cu:21)") == Places{3});
    CHECK(advice.remedies.back().change.find("(called at k.cu:21)") != std::string::npos);  // one call comes last
    const std::string release = "`.release` (`cuda::atomic_ref` with `cuda::memory_order_release`) at k.cu:5 (`st.relaxed.gpu.global.u32`)";
    CHECK(places_of(kernel, advice, release) == Places{3, 4, 7, 8});
    std::string texts;
    for (const Remedy& remedy : advice.remedies)
        if (remedy.change == release)
            for (const PtxEdit& edit : remedy.edits) texts += edit.ptx;
    CHECK(texts ==
          "st.release.gpu.global.u32 [%rd2], 1;st.release.gpu.global.u32 [%rd2], 2;st.release.gpu.global.u32 [%rd3], "
          "1;st.release.gpu.global.u32 [%rd3], 2;");
}

TEST_CASE("advice on lines: one call is named, and a line that is none of a call names none") {
    const AdvisedKernel kernel = lined(data_written + in_call(5, 21, "st.relaxed.gpu.global.u32 [%rd2], 1;") + data_read);
    const Advice advice = advice_between(kernel, 0, 2);
    CHECK(places_of(kernel, advice,
                    "`.release` (`cuda::atomic_ref` with `cuda::memory_order_release`) at k.cu:5 (called at k.cu:21) "
                    "(`st.relaxed.gpu.global.u32`)") == Places{1});
    CHECK(places_of(kernel, advice, "`__threadfence()` before k.cu:5 (called at k.cu:21)") == Places{1});
    CHECK(places_of(kernel, advice, "`__threadfence()` behind k.cu:20") == Places{0});
}

TEST_CASE("advice on lines: functions of a header are not the line, and the calls of other lines stay") {
    const auto atomic = [](int line) {
        return ".loc 2 7 1, function_name $L0, inlined_at 1 " + std::to_string(line) +
               " 1\natom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n";
    };
    const AdvisedKernel kernel = lined(data_written + atomic(21) + atomic(22) + data_read);
    const Advice advice = advice_between(kernel, 0, 3);
    CHECK(places_of(kernel, advice, "`__threadfence()` before k.cu:21") == Places{1});
    CHECK(places_of(kernel, advice,
                    "`.acq_rel` (`cuda::atomic_ref` with `cuda::memory_order_acq_rel`) at k.cu:22 (`atom.relaxed.gpu.global.add.u32`)") ==
          Places{2});
}

TEST_CASE("advice on lines: a narrow fence of two calls is widened at both, once") {
    const AdvisedKernel kernel = lined(data_written + in_call(5, 21, "membar.cta;") + in_call(5, 22, "membar.cta;") + data_read);
    const Advice advice = advice_between(kernel, 0, 3);
    CHECK(places_of(kernel, advice, "`__threadfence()` in place of `__threadfence_block()` at k.cu:5") == Places{1, 2});
}

TEST_CASE("advice on lines: what moves goes to the place of its own call") {
    const auto call = [](int at, const std::string& flag) {
        return in_call(5, at, "st.release.gpu.global.u32 [" + flag + "], 1;") + in_call(6, at, "st.global.u32 [%rd1], %r2;");
    };
    const AdvisedKernel both = lined(call(21, "%rd2") + call(22, "%rd3") + data_read);
    CHECK(places_of(both, advice_between(both, 1, 4), "k.cu:6 before k.cu:5") == Places{1, 0, 3, 2});
    // the flag is of one call, and what moves of two
    const AdvisedKernel one = lined(at_line(5, "st.release.gpu.global.u32 [%rd2], 1;") + in_call(6, 21, "st.global.u32 [%rd1], %r2;") +
                                    in_call(6, 22, "st.global.u32 [%rd1], %r2;") + data_read);
    CHECK(places_of(one, advice_between(one, 1, 3), "k.cu:6 (called at k.cu:21) before k.cu:5") == Places{1, 0});
}

TEST_CASE("advice on lines: a load goes behind where those meet again who wait and who do not") {
    const AdvisedKernel kernel = lined(data_written + data_read + "@%p1 bra END;\n" +
                                       at_line(30, "ld.acquire.gpu.global.u32 %r3, [%rd2];") + "END:\n" + at_line(31, "mov.u32 %r4, 0;"));
    CHECK(places_of(kernel, advice_between(kernel, 0, 1), "k.cu:29 behind k.cu:30") == Places{1, 4});
}

TEST_CASE("advice on lines: what stands in another function comes neither before nor behind") {
    const std::string arrival = "mbarrier.arrive.shared::cta.b64 _, [%r1];\n", init = "mbarrier.init.shared::cta.b64 [%r1], 1;\n";
    // an arrival, and an initialisation
    const AdvisedKernel arrives = lined("ld.shared.u32 %r1, [%rd1];\nst.shared.u32 [%rd1], %r2;\n", arrival + "ret;");
    CHECK_FALSE(proposes(said_of_race(arrives, {1, 0}, {1, 32}), "the arrival at"));
    const AdvisedKernel initialises =
        lined("ld.shared.u32 %r1, [%rd1];\nst.shared.u32 [%rd1], %r2;\n", "mov.u32 %r2, 0;\n" + init + "ret;");
    CHECK_FALSE(proposes(said_of_race(initialises, {0, 0}, {1, 32},
                                      [](sweep::Finding& finding) {
                                          finding.clash->fresh = true;
                                          finding.clash->later = {Op::bulk_copy, true, true, Scope::none, 0, "`full`"};
                                      }),
                         "behind `mbarrier.init"));
    // a store beside an atomic, and an access beside a flag
    const AdvisedKernel draws = lined("atom.global.add.u32 %r1, [%rd1], 1;\n", "mov.u32 %r2, 0;\nst.global.u32 [%rd1], %r2;\nret;");
    sweep::Finding race = race_of(draws, {0, 0}, {0, 0, 1, 1});
    race.places.back().statement = &draws.module.functions.back().code.at(1);
    CHECK_FALSE(proposes(said_on(draws, race), "{st.relaxed.gpu.global.u32 [%rd1], %r2;}"));
    const AdvisedKernel flags =
        lined("mov.u32 %r2, 0;\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r1, [%rd1];\n", "st.release.gpu.global.u32 [%rd2], 1;\nret;");
    CHECK_FALSE(proposes(said_of_race(flags, {1, 0}, {2, 0, 1, 1}), "`st.global.u32` before `st.release"));
    // without lines a statement of it is no copy, though it is spelled alike
    const AdvisedKernel alone = lined("st.global.u32 [%rd1], %r2;\nst.relaxed.gpu.global.u32 [%rd2], 1;\nld.global.u32 %r1, [%rd1];\n",
                                      "st.relaxed.gpu.global.u32 [%rd2], 1;\nret;");
    CHECK(places_of(alone, advice_between(alone, 0, 2), "`__threadfence()` before `st.relaxed.gpu.global.u32`").front() == 1);
    CHECK(
        proposes(said_of_race(alone, {0, 0}, {2, 0, 1, 1}), "`__threadfence()` before `st.relaxed.gpu.global.u32` {fence.acq_rel.gpu;}\n"));
}

TEST_CASE("advice on lines: a barrier between two lines is one in each branch") {
    const std::string branches = at_line(4, "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra FIRST;") +
                                 at_line(5, "ld.shared.u32 %r2, [%rd1];\nbra MET;") +
                                 at_line(4, "FIRST:\nst.shared.u32 [%rd1], %r2;\nadd.u32 %r3, %r3, 1;");
    // thread 0 keeps what it has written in a register, and the others read it in a branch of their own
    const AdvisedKernel kernel = lined(branches + at_line(5, "MET:\nadd.u32 %r2, %r2, 1;"));
    const Advice advice = advice_on({kernel.module, kernel.block, kernel.swept}, race_of(kernel, {2, 33}, {4, 0}));
    const std::string change = "`__syncthreads()` between k.cu:4 and k.cu:5, outside of the branch, where all threads come by";
    CHECK(places_of(kernel, advice, change) == Places{5, 1});
    for (const Remedy& remedy : advice.remedies)
        if (remedy.change == change) {
            CHECK(remedy.edits[0].where == PtxEdit::Where::behind);
            CHECK(remedy.edits[1].where == PtxEdit::Where::behind);
            for (const PtxEdit& edit : remedy.edits) CHECK(edit.ptx == "barrier.sync 0;");
        }
    // where one branch leads on into the other there is a place for both
    const std::string through = at_line(4, "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra FIRST;") +
                                at_line(5, "ld.shared.u32 %r2, [%rd1];\nmov.u32 %r3, 1;") +
                                at_line(4, "FIRST:\nst.shared.u32 [%rd1], %r2;");
    const AdvisedKernel other = lined(through);
    for (const Remedy& remedy : advice_on({other.module, other.block, other.swept}, race_of(other, {2, 33}, {4, 0})).remedies)
        CHECK_FALSE(proposes(remedy.change, "outside of the branch"));
}

TEST_CASE("advice on lines: a change within a line says that the line has to be split, and comes last") {
    const AdvisedKernel kernel = lined(at_line(5, "st.shared.u32 [%rd1], %r2;\nld.shared.u32 %r3, [%rd2];"));
    const Advice advice = advice_on({kernel.module, kernel.block, kernel.swept}, race_of(kernel, {0, 33}, {1, 0}));
    const std::string split = ", within that line, which has to become two";
    CHECK(places_of(kernel, advice, "`__syncthreads()` before k.cu:5" + split) == Places{1});
    CHECK(places_of(kernel, advice, "`__syncthreads()` behind k.cu:5" + split) == Places{0});
    CHECK(places_of(kernel, advice, "`__syncthreads()` before k.cu:5") == Places{0});
    CHECK(places_of(kernel, advice, "`__syncthreads()` behind k.cu:5") == Places{1});
    bool is_split = false;
    for (const Remedy& remedy : advice.remedies) {
        CHECK((!is_split || proposes(remedy.change, split)));
        is_split = proposes(remedy.change, split);
    }
    CHECK(is_split);
    // a flag of the same line is on the other side, too
    const AdvisedKernel flag = lined(at_line(5, "st.global.u32 [%rd1], %r2;\nst.relaxed.gpu.global.u32 [%rd2], 1;") + data_read);
    const Advice fence = advice_between(flag, 0, 2);
    CHECK(places_of(flag, fence, "`__threadfence()` behind k.cu:5" + split) == Places{0});
    CHECK(places_of(flag, fence, "`__threadfence()` before k.cu:29") == Places{2});
}

TEST_CASE("advice on lines: what CUDA has a name for is called by it, too, where the kernel has lines of CUDA") {
    const std::string store = "st.global.u32 [%rd1], 0;", compare = "atom.global.cas.b32 %r1, [%rd1], 0, 1;";
    const AdvisedKernel lock = lined(at_line(5, compare) + at_line(6, store));
    const auto has = [](const Advice& advice, const std::string& part) {
        return std::any_of(advice.remedies.begin(), advice.remedies.end(), [&](const Remedy& one) { return proposes(one.change, part); });
    };
    CHECK(has(advice_between(lock, 0, 1),
              "`.relaxed.gpu` (`cuda::atomic_ref` with `cuda::thread_scope_device` and `cuda::memory_order_relaxed`, or `atomicExch()`) at "
              "k.cu:6"));
    const AdvisedKernel bare = made_of(compare + store);
    CHECK(proposes(said_of_race(bare, {0, 0}, {1, 0, 1, 1}), "`.relaxed.gpu` at "));
    const AdvisedKernel copies = lined(at_line(5, "cp.async.ca.shared.global [%r1], [%rd1], 4;") + at_line(6, "cp.async.wait_group 2;") +
                                       at_line(7, "ld.shared.u32 %r3, [%r2];"));
    sweep::Finding finding = race_of(copies, {0, 0}, {2, 33});
    finding.clash->earlier = {Op::async_copy, true, true, Scope::none, 0, {}};
    finding.clash->later.writes = false;
    const Advice advice = advice_on({copies.module, copies.block, copies.swept}, finding);
    CHECK(has(advice, "`cp.async.wait_group 1` (`__pipeline_wait_prior(1)`) in place of 2 at k.cu:6"));
    CHECK(has(advice, "`cp.async.wait_group 0` (`__pipeline_wait_prior(0)`) in place of 2 at k.cu:6"));
}

TEST_CASE("advice on lines: strong accesses of another kernel of the file tell threads of this one nothing") {
    const auto beside = [](const std::string& kind) {
        return AdvisedKernel{kernel::testing::module_of(".visible .entry k()\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" + data_written +
                                                        data_read + "ret;\n}\n" + kind + " f()\n{\n.reg .b64 %rd<10>;\n" +
                                                        at_line(50, "st.relaxed.gpu.global.u32 [%rd2], 1;") +
                                                        "ret;\n}\n.file 1 \"k.cu\"\n.section .debug_str\n{\n$L0:\n.b8 0\n}\n")};
    };
    const AdvisedKernel function = beside(".func"), other = beside(".visible .entry");
    CHECK(places_of(function, advice_between(function, 0, 1), "`__threadfence()` before k.cu:50").size() == 1);
    CHECK(places_of(other, advice_between(other, 0, 1), "`__threadfence()` before k.cu:50").empty());
}
