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
    const std::string release = "`.release` at k.cu:5 (`st.relaxed.gpu.global.u32`)";
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
    CHECK(places_of(kernel, advice, "`.release` at k.cu:5 (called at k.cu:21) (`st.relaxed.gpu.global.u32`)") == Places{1});
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
    CHECK(places_of(kernel, advice, "`.acq_rel` at k.cu:22 (`atom.relaxed.gpu.global.add.u32`)") == Places{2});
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
