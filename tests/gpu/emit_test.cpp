// Emission: golden text of small tests, what stands between instructions, placement, refusals; and that every test of the
// library assembles, where ptxas is there. LITMUS_PROMOTE=1 rewrites the goldens from what is emitted now.
#include "gpu/emit/emit.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "gpu/emitted.h"
#include "gpu/parts.h"
#include "gpu/run/observed.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"
#include "ptxas/assembler.h"
#include "turn.h"

namespace fs = std::filesystem;
using namespace litmus;
using namespace litmus::gpu;

namespace {

const fs::path root = LITMUS_SOURCE_DIR;

std::vector<std::string> shown(const Plan& plan) {
    std::vector<std::string> names;
    for (const Word& w : plan.words)
        if (w.shown) names.push_back(w.name);
    return names;
}

const std::string message_passing = R"(
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.global.u32 [x], 1;
  st.relaxed.gpu.global.u32 [f], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [f];
  ld.relaxed.gpu.global.u32 r1, [x];
}
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const std::string red_async = R"(
.shared.cta1 .u32 x = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 {
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x], 1, [bar];
}
thread P1 @ cta1 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 4;
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [x];
}
~exists (P1:r0 == 0)
)";

const std::string bar_sync = R"(
.shared.cta0 .u32 s = 0;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 0;
}
thread P1 @ cta0 {
  bar.sync 0;
  ld.weak.shared::cta.u32 r0, [s];
}
thread P2 @ cta0 {
  ld.weak.shared::cta.u32 r0, [s];
}
exists (P1:r0 == 0 /\ s == 1)
)";

void compare_with_golden(const std::string& name, const std::string& text) {
    const fs::path path = root / "tests/gpu/golden" / (name + ".ptx");
    if (std::getenv("LITMUS_PROMOTE")) std::ofstream(path) << text;
    std::ifstream file(path);
    std::ostringstream golden;
    golden << file.rdbuf();
    CHECK_MESSAGE(golden.str() == text, "differs from ", path.string(), "; read `LITMUS_PROMOTE=1` above");
}

// ---- all tests of a folder, assembled --------------------------------------------------------------

struct Job {
    std::string name;
    std::string target;
    std::string ptx;
};

struct Collected {
    std::vector<Job> jobs;
    std::vector<std::string> refused;
};

void collect(const fs::path& folder, const Turn& turn, Collected& all) {
    if (!fs::exists(folder)) return;
    std::set<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".litmus") files.insert(entry.path());
    size_t number = 0;
    for (const fs::path& file : files) {
        if (!turn.has(number++)) continue;
        std::vector<Test> tests;
        try {
            tests = parse_tests(read_source(file.string()));
        } catch (const Failure&) {
            continue;  // an example that is there to be refused
        }
        for (const Test& test : tests) {
            try {
                const Emitted e = emit(test);
                all.jobs.push_back({test.name, "sm_" + std::to_string(e.plan.sm) + (e.plan.specific ? "a" : ""), e.ptx});
            } catch (const Failure& failure) {
                all.refused.emplace_back(failure.what());
            }
        }
    }
}

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    const int status = pclose(pipe);
    return status == 0 ? std::string() : "failed: " + text;
}

// The messages about modules that ptxas refuses; two run at a time.
std::vector<std::string> assemble_all(const std::string& ptxas, const std::vector<Job>& jobs) {
    const fs::path folder = fs::temp_directory_path() / ("litmus-emit-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::vector<std::string> messages(jobs.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t j = next++; j < jobs.size(); j = next++) {
            const std::string file = (folder / (std::to_string(j) + ".ptx")).string();
            std::ofstream(file) << jobs[j].ptx;
            messages[j] = output_of("'" + ptxas + "' -O1 -arch=" + jobs[j].target + " -o /dev/null '" + file + "'");
        }
    };
    std::thread other(work);
    work();
    other.join();
    fs::remove_all(folder);
    return messages;
}

}  // namespace

// Two GPUs, a cluster of three on the second.
const std::string two_gpus = R"(
.global .u32 x = 0;
.global .u32 f = 0;
.shared.cta3 .u32 s = 0;
thread P0 @ gpu0.cta0 {
  st.relaxed.sys.global.u32 [x], 1;
  st.relaxed.sys.global.u32 [f], 1;
}
thread P1 @ gpu1.cta1 { ld.relaxed.sys.global.u32 r0, [f]; }
thread P2 @ gpu1.cta2 { ld.relaxed.cluster.shared::cluster.u32 r0, [s]; }
thread P3 @ gpu1.cta3 { ld.relaxed.sys.global.u32 r0, [x]; }
exists (P1:r0 == 1 /\ P3:r0 == 0)
)";

TEST_CASE("registers of one vector are of one width, whatever else they are for") {
    const std::string ptx = emitted(R"(
.global .b16 h[2] = 0;
thread P0 @ cta0 {
  ld.weak.global.v2.b16 {r0, r1}, [h];
  ld.weak.global.v2.b16 {r1, r2}, [h];
  setp.lt.u32 p, r0, 1;
  @p st.weak.global.b16 [h], r1;
}
exists (P0:r2 == 0)
)");
    CHECK(ptx.find(".reg .b32 %r0, %r1, %r2;") != std::string::npos);
}

TEST_CASE("golden modules") {
    compare_with_golden("two-gpus", emitted(two_gpus));
    compare_with_golden("message-passing", emitted(message_passing));
    compare_with_golden("red-async", emitted(red_async));
    compare_with_golden("bar-sync", emitted(bar_sync));
}

TEST_CASE("every test of the library is emitted and assembles, or is refused for a reason that is known") {
    const Turn turn;
    Collected all;
    collect(root / "litmus", turn, all);
    collect(root / "../shared/examples", turn, all);
    // Families that no module is made of, and single tests of the others.
    const char* const families[] = {"surfaces, textures and constant memory",
                                    "multimem addresses",
                                    "instructions of sm_100",
                                    "newer than PTX 9.0",
                                    "`discard`",
                                    "grids of several streams",
                                    "`trap`",
                                    "about an address",
                                    "readings of `%",
                                    "is in the warpgroup of"};
    const char* const cases[] = {"matrices in registers",
                                 "branches of a thread that multiplies matrices",
                                 "leave the tensor at its end",
                                 "several images",
                                 "products of a warp",
                                 "beside other lanes of it",
                                 "`brkpt`",
                                 "`setmaxnreg`"};
    size_t single = 0;
    for (const std::string& reason : all.refused) {
        const auto says = [&](const char* what) { return contains(reason, what); };
        const bool of_family = std::any_of(std::begin(families), std::end(families), says);
        CHECK_MESSAGE((of_family || std::any_of(std::begin(cases), std::end(cases), says)), reason);
        if (!of_family) ++single;
    }
    MESSAGE(all.jobs.size(), " emitted; refused: ", all.refused.size(), ", ", single, " of them in families that are emitted");
    CHECK(all.jobs.size() >= turn.share(1300));
    CHECK(single <= all.jobs.size() / 50);

    const auto assembler = ptxas::find_assembler();
    if (!assembler) {
        MESSAGE("skipped: no ptxas on the PATH or in /usr/local/cuda*/bin");
        return;
    }
    const Turn of_jobs(4);  // to assemble takes longer than to emit
    std::vector<Job> jobs;
    for (size_t j = 0; j < all.jobs.size(); ++j)
        if (of_jobs.has(j)) jobs.push_back(all.jobs[j]);
    const std::vector<std::string> messages = assemble_all(assembler->path, jobs);
    for (size_t j = 0; j < jobs.size(); ++j) CHECK_MESSAGE(messages[j].empty(), jobs[j].name, ": ", messages[j]);
}

TEST_CASE("ptxas would see a mistake") {
    const auto assembler = ptxas::find_assembler();
    if (!assembler) return;
    std::string ptx = emitted(message_passing);
    ptx.replace(ptx.find("st.relaxed.gpu"), 14, "st.relaxed.gpv");
    CHECK(contains(assemble_all(assembler->path, {{"broken", "sm_90", ptx}}).at(0), "failed"));
}

TEST_CASE("layouts: packed for tests in global memory, grouped for everything else") {
    const Plan mp = emit(parse(message_passing)).plan;
    CHECK(mp.layout == Plan::ThreadLayout::packed);
    CHECK(mp.units == 2);  // no .cluster scope: the CTAs go singly
    CHECK(mp.cluster == 1);
    CHECK(mp.hang.empty());

    std::string clustered = message_passing;
    for (size_t at = clustered.find("gpu"); at != std::string::npos; at = clustered.find("gpu")) clustered.replace(at, 3, "cluster");
    const Plan same_cluster = emit(parse(clustered)).plan;
    CHECK(same_cluster.layout == Plan::ThreadLayout::packed);
    CHECK(same_cluster.units == 1);
    CHECK(same_cluster.cluster == 2);

    const Plan async = emit(parse(red_async)).plan;
    CHECK(async.layout == Plan::ThreadLayout::grouped);
    CHECK(async.cluster == 2);
    CHECK(async.ptx == 81);  // red.async
    CHECK(async.sm == 90);

    const Plan barrier = emit(parse(bar_sync)).plan;
    CHECK(barrier.layout == Plan::ThreadLayout::grouped);
    CHECK(barrier.warps == 3);
}

TEST_CASE("locations: declaration order, those of every CTA first, arrays 16-byte and mbarriers 8-byte aligned") {
    const Plan plan = emit(parse(R"(
.shared.cta1 .u8 a = 0;
.shared .u32 every = 0;
.shared.cta1 .u32 s[4] = {1,2,3,4};
.shared.cta0 .mbarrier bar = 1;
.global .u64 g[3] = 7;
thread P0 @ cta0 { ld.weak.global.u64 r0, [g+8]; }
thread P1 @ cta1 { ld.weak.shared::cta.u32 r0, [s]; }
exists (P0:r0 == 7 /\ P1:r0 == 1 /\ every@cta1 == 0 /\ s[2] == 3 /\ g[1] == 7)
)"))
                          .plan;
    CHECK(plan.offset == std::vector<int>{4, 0, 16, 8, -1});
    CHECK(plan.region == std::vector<int>{-1, -1, -1, -1, 0});
    CHECK(plan.slot_bytes == 32);
    CHECK(shown(plan) == std::vector<std::string>{"P0:r0", "P1:r0", "every@cta1", "s[2]", "g[1]"});
}

TEST_CASE("without a condition the registers of an outcome are those of the model, in its order: no addresses, no states") {
    const Test test = parse(R"(
.global .u32 x = 0;
.shared .u32 s = 0;
.shared .mbarrier bar = 2;
thread P0 @ cta0 {
  mbarrier.arrive.shared::cta.b64 t, [bar];
  mov.u64 a, x;
  mapa.shared::cluster.u32 b, s, 1;
  cvta.global.u64 c, a;
  ld.weak.global.u32 r, [a];
  mov.u32 d, 7;
}
thread P1 @ cta1 { mov.u32 a, 1; }
)");
    const std::vector<std::string> names = shown(make_plan(test, std::nullopt));
    REQUIRE(names.size() > 3);
    CHECK(std::vector<std::string>(names.begin(), names.begin() + 3) == std::vector<std::string>{"P0:d", "P0:r", "P1:a"});
    CHECK(names[3] == "x");
}

TEST_CASE("an await is a bounded loop that goes on when it gives up") {
    const std::string ptx = emitted(R"(
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.release.gpu.global.u32 [f], 1; }
thread P1 @ cta1 {
  await ld.acquire.gpu.global.u32 r0, [f] == 1;
  ld.weak.global.u32 r1, [x];
}
exists (P1:r1 == 0)
)");
    CHECK(contains(ptx, "ld.acquire.gpu.global.u32 %r0, [f];"));
    CHECK(contains(ptx, "setp.eq.b32 $go, %r0, 1;"));
    CHECK(contains(ptx, "mov.b32 $timeout, 1;"));
    CHECK(ptx.find("mov.b32 $timeout, 1;") < ptx.find("ld.weak.global.u32 %r1, [x];"));
    CHECK(contains(ptx, "P1:timeout"));
}

TEST_CASE("a backward branch costs fuel, a forward one nothing") {
    const std::string ptx = emitted(R"(
.global .u32 f = 0;
thread P0 @ cta0 {
again:
  ld.relaxed.gpu.global.u32 r0, [f];
  setp.ne.u32 p, r0, 1;
  @p bra again;
  @!p bra out;
  mov.u32 r0, 7;
out:
}
exists (P0:r0 == 7)
)");
    CHECK(occurrences(ptx, "sub.s32 $fuel, $fuel, 1;") == 1);
    CHECK(contains(ptx, "@!%p bra $P0$out;"));
}

TEST_CASE("registers have the widest of their uses, with conversions where PTX wants equal widths") {
    const std::string ptx = emitted(R"(
.global .u64 x = 0;
.global .s16 y = -1;
thread P0 @ cta0 {
  ld.weak.global.s16 r0, [y];
  add.s32 r1, r0, 1;
  add.u64 r1, r1, 1;
  st.weak.global.u64 [x], r1;
}
exists (x == 1)
)");
    CHECK(contains(ptx, ".reg .b32 %r0;"));
    CHECK(contains(ptx, ".reg .b64 %r1;"));
    CHECK(contains(ptx, "ld.weak.global.s16 %r0, [y];"));
    CHECK(contains(ptx, "cvt.s64.s32 %r1, $t32$0;"));
}

TEST_CASE("a register of 128 bits is observed by halves") {
    const std::string ptx = emitted(R"(
.shared.cta0 .u32 before = 0;
.shared.cta0 .b128 s = {1, 2};
.global .b128 x = 0;
thread P0 @ cta0 {
  ld.shared.b128 q, [s];
  st.release.gpu.global.b128 [x], q;
  mov.b128 {a, _}, q;
  atom.relaxed.gpu.global.exch.b128 r, [x], q;
}
exists (P0:q.hi == 2 /\ P0:r == {1, 2} /\ x.lo == 1)
)");
    CHECK(contains(ptx, ".version 8.3"));
    CHECK(contains(ptx, ".reg .b128 %q, %r;"));
    CHECK(contains(ptx, "mov.b128 %q, {0, 0};"));
    CHECK(contains(ptx, "st.shared.b64 [$shared+16], 1;"));  // aligned to 16 bytes
    CHECK(contains(ptx, "st.shared.b64 [$shared+24], 2;"));
    CHECK(contains(ptx, "st.release.gpu.global.b128 [x], %q;"));
    CHECK(contains(ptx, "mov.b128 {%a, _}, %q;"));
    CHECK(contains(ptx, "atom.relaxed.gpu.global.exch.b128 %r, [x], %q;"));
    CHECK(contains(ptx, "mov.b128 {_, $value}, %q;"));
    CHECK(contains(ptx, "mov.b128 {$value, _}, %r;"));
}

TEST_CASE("a thread with barriers is run by its whole warp, its accesses by one lane; who lacks a barrier makes up for it") {
    const std::string ptx = emitted(bar_sync);
    CHECK(contains(ptx, "@$own st.weak.shared::cta.u32 [s], 1;"));
    CHECK(contains(ptx, "bar.warp.sync 0xffffffff;\n        bar.sync 0;"));
    CHECK(contains(ptx, "setp.ne.u32 $go, $place, 2;"));  // P2 counts as arrived
    CHECK(occurrences(ptx, "bar.sync 0;") - occurrences(ptx, "// bar.sync 0;") == 3);
}

TEST_CASE("addresses: own, of a peer, generic") {
    const std::string ptx = emitted(R"(
.shared.cta1 .u32 x = 0;
.shared.cta0 .u32 y = 0;
thread P0 @ cta0 {
  st.relaxed.cluster.shared::cluster.u32 [x], 1;
  st.relaxed.cluster.u32 [x], 2;
  st.relaxed.cta.u32 [y], 3;
}
thread P1 @ cta1 { ld.relaxed.cluster.shared::cta.u32 r0, [x]; }
exists (P1:r0 == 1)
)");
    CHECK(contains(ptx, "mapa.shared::cluster.u32 x$cta1, x$cta1, $rank1;"));
    CHECK(contains(ptx, "st.relaxed.cluster.shared::cluster.u32 [x$cta1], 1;"));
    CHECK(contains(ptx, "mapa.u64 x$cta1$generic, x$cta1$generic, $rank1;"));
    CHECK(contains(ptx, "st.relaxed.cluster.u32 [x$cta1$generic], 2;"));
    CHECK(contains(ptx, "st.relaxed.cta.u32 [y$generic], 3;"));
}

// In a cluster the bits from 24 on have the rank of the CTA, and would make another matrix of it (ISA 9.7.15.5.1.2.2).
TEST_CASE("a matrix descriptor has 18 bits of the address") {
    const std::string ptx = emitted(R"(
.shared.cta0 .u32 a[512] = 0x01010101;
.shared.cta0 .u32 b[64] = 0;
thread P0 @ cta0 {
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {d0, d1, d2, d3}, [a], [b], 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
}
exists (P0:d0 == 0)
)");
    CHECK(contains(ptx, "and.b64 b$descriptor, b$descriptor, 262143;"));
}

TEST_CASE("the CTAs of a cluster change places, unless a mask names them") {
    CHECK(emit(parse(red_async)).plan.turns);
    CHECK_FALSE(emit(parse(message_passing)).plan.turns);  // no clusters
    const Emitted multicast = emit(parse(R"(
.global .u32 g[4] = 1;
.shared .u32 s[4] = 0;
.shared .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [bar], 3;
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
}
thread P1 @ cta1 { mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16; st.weak.shared::cluster.u32 [s@cta0], 2; }
exists (s@cta0[0] == 1)
)"));
    CHECK_FALSE(multicast.plan.turns);
    CHECK_FALSE(contains(multicast.ptx, "$rank"));
    CHECK(contains(multicast.ptx, "mapa.shared::cluster.u32 s$cta0, s$cta0, 0;"));
}

TEST_CASE("several GPUs: one kernel for all, clusters of each, every second location elsewhere") {
    const Emitted e = emit(parse(R"(
.global .u32 x = 0;
.global .u32 y = 0;
.shared.cta5 .u32 s = 0;
thread P0 @ gpu2.cta0 { st.relaxed.sys.global.u32 [x], 1; }
thread P1 @ gpu7.cta5 { ld.relaxed.sys.global.u32 r0, [y]; }
thread P2 @ gpu7.cta6 { ld.relaxed.cluster.shared::cluster.u32 r0, [s]; }
thread P3 @ gpu7.cluster1.cta7 { st.relaxed.sys.global.u32 [y], 1; }
exists (P1:r0 == 1 /\ P2:r0 == 0)
)"));
    const Plan& plan = e.plan;
    CHECK(plan.gpus == 2);
    CHECK(plan.units == 2);
    CHECK(plan.cluster == 2);
    const auto cta = [&](int thread) { return plan.ctas.at(static_cast<size_t>(plan.cta_of.at(static_cast<size_t>(thread)))); };
    CHECK(cta(0).gpu == 0);
    CHECK(cta(0).unit == 0);
    CHECK(cta(1).gpu == 1);
    CHECK(cta(1).unit == 2);  // behind the two that the first GPU has room for
    CHECK(cta(2).unit == 2);
    CHECK(cta(2).rank == 1);
    CHECK(cta(3).unit == 3);
    CHECK(contains(e.ptx, "mad.lo.u64 $region1, $pitch, 1, $memory2;"));
    CHECK(contains(e.ptx, "mad.lo.u32 $corner, $gpu, 4, $corner;"));
    CHECK(contains(e.ptx, "mad.lo.u32 $goal, $round, 8, 8;"));       // 2 GPUs with 2 clusters of 2 CTAs of a warp
    CHECK(occurrences(e.ptx, "@$alone mov.b32 $timeout, 1;") == 4);  // an instance that waited in vain counts as timed out
    CHECK(contains(e.ptx, "// P0:timeout"));
    CHECK_FALSE(contains(emitted(message_passing), "$meeting]"));
    CHECK(contains(refusal(R"(
.shared.cta0 .u32 s = 0;
thread P0 @ cta0 { st.relaxed.cluster.shared::cluster.u32 [s], 1; }
thread P1 @ gpu1.cta1 { ld.relaxed.cluster.shared::cluster.u32 r0, [s]; }
exists (P1:r0 == 1)
)"),
                   "not in the cluster"));
}

TEST_CASE("grids: a kernel for each, in which the CTAs of the others end at once") {
    const std::string pair = R"(
.grid 1 programmatic 0;
.global .u32 x = 0;
thread P0 @ grid0.cta0 {
  griddepcontrol.launch_dependents;
  st.weak.global.u32 [x], 1;
}
thread P1 @ grid1.cta0 {
  griddepcontrol.wait;
  ld.weak.global.u32 r0, [x];
}
forall (P1:r0 == 1)
)";
    const Emitted result = emit(parse(pair));
    CHECK(result.plan.layout == Plan::ThreadLayout::grouped);
    CHECK(result.plan.units == 2);
    REQUIRE(result.plan.grids.size() == 2);
    CHECK_FALSE(result.plan.grids[0].programmatic);
    CHECK(result.plan.grids[1].programmatic);
    const size_t first = result.ptx.find(".entry litmus_test("), second = result.ptx.find(".entry litmus_test_1("),
                 tally = result.ptx.find(".entry litmus_tally(");
    REQUIRE((first < second && second < tally && tally != std::string::npos));
    const std::string of_first = result.ptx.substr(first, second - first), of_second = result.ptx.substr(second, tally - second);
    CHECK(contains(of_first, "griddepcontrol.launch_dependents;"));
    CHECK_FALSE(contains(of_first, "griddepcontrol.wait;"));
    CHECK(contains(of_second, "griddepcontrol.wait;"));
    CHECK_FALSE(contains(of_second, "griddepcontrol.launch_dependents;"));
    CHECK(contains(of_first, "setp.eq.u32 $go, $unit, 1;"));
    CHECK(contains(of_second, "setp.eq.u32 $go, $unit, 0;"));
    for (const std::string& kernel : {of_first, of_second}) CHECK(occurrences(kernel, "@$go exit;") == 1);

    const std::string boundary = pair.substr(pair.find(".global"));
    CHECK_FALSE(emit(parse(boundary.substr(0, boundary.find("  griddep")) + boundary.substr(boundary.find("  st.weak"))))
                    .plan.grids[1]
                    .programmatic);
    CHECK(contains(refusal(".grid 1 apart;\n" + boundary), "grids of several streams"));
}

TEST_CASE("each object of an array of mbarriers is initialised and invalidated") {
    const std::string ptx = emitted(R"(
.shared.cta0 .mbarrier bar[2] = 1;
.shared.cta0 .u32 x = 0;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [x], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar+8];
}
exists (x == 1)
)");
    CHECK(contains(ptx, "mbarrier.init.shared::cta.b64 [$shared+0], 1;"));
    CHECK(contains(ptx, "mbarrier.init.shared::cta.b64 [$shared+8], 1;"));
    CHECK(contains(ptx, "mbarrier.inval.shared::cta.b64 [$shared+8];"));
    CHECK(contains(ptx, "st.shared.b32 [$shared+16], 0;"));
}

TEST_CASE("an operation that may outlive its round is followed by a pause") {
    const std::string head = R"(
.global .u32 g[4] = 1;
.shared.cta0 .u32 d[4];
.shared.cta0 .u32 e[4];
.shared.cta0 .mbarrier bar = 1;
thread again @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [d], [g], 16, [bar];
)";
    const std::string wait = "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], ";
    const std::string tail = "}\nexists (d[0] == 1)\n";
    const auto pauses = [&](const std::string& rest) { return contains(emitted(head + rest + tail), "$pause80000:"); };
    CHECK(pauses(""));
    CHECK_FALSE(pauses(wait + "0;\n"));
    const std::string second = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [e], [g], 16, [bar];\n";
    CHECK(pauses(wait + "0;\n" + second));  // completes a phase that nobody waits for
    const std::string expected = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;\n";
    CHECK(pauses(wait + "0;\n" + expected + second));
    CHECK_FALSE(pauses(wait + "0;\n" + expected + second + wait + "1;\n"));
}

TEST_CASE("noise before a thread: its own locations are touched, but no mbarrier; only global ones are fetched") {
    const std::string ptx = emitted(R"(
.global .u64 g = 0;
.shared.cta1 .u8 x = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 {
  st.relaxed.cluster.shared::cluster.u8 [x], 1;
  st.relaxed.gpu.u64 [g], 1;
touched:
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];
}
thread P1 @ cta1 { bar.sync 0; ld.weak.shared::cta.u8 r0, [x]; }
exists (P1:r0 == 1)
)");
    CHECK(contains(ptx, "ld.relaxed.cluster.shared::cluster.b8 $value, [x$cta1];"));
    CHECK(contains(ptx, "ld.relaxed.cta.b64 $value, [g$generic];"));
    CHECK(contains(ptx, "@$own ld.relaxed.cta.shared::cta.b8 $value, [x];"));  // bar.sync: the whole warp is there
    CHECK(contains(ptx, "cvta.to.global.u64 $at, g$generic;"));
    CHECK(occurrences(ptx, "cp.async.bulk.prefetch.L2.global [$at], 16;") == 1);
    CHECK(occurrences(ptx, "xor.b64 $touched, $touched, $value;") == 3);
    CHECK_FALSE(contains(ptx, "$value, [bar"));
    CHECK(contains(ptx, "$P0$touched:"));  // the test's label beside the emitter's
    CHECK(contains(ptx, "$P0$$touched:"));
    CHECK(occurrences(ptx, "$before_next:") == 1);
    CHECK(contains(ptx, "shr.u32 $wait, $lag, 4;"));  // P1's
    CHECK(occurrences(ptx, "@!$late bra") == 2);      // nothing of it runs when it is off
    CHECK(occurrences(ptx, "@!$touching bra") == 2);
    CHECK(occurrences(ptx, "@!$stressing bra") == 1);
    const auto assembler = ptxas::find_assembler();
    if (assembler) CHECK(assemble_all(assembler->path, {{"noise", "sm_90", ptx}}).at(0).empty());
}

TEST_CASE("the lines of instructions that act") {
    const std::string text = R"(
.global .u32 x = 0;
.shared.cta0 .u32 s = 0;
thread P0 @ cta0 {
  ld.weak.shared::cta.u32 r0, [s];
  add.u32 r1, r0, 1;
  setp.eq.u32 p, r1, 1;
  @p st.weak.global.u32 [x], r1;
  bar.sync 0;
}
thread P1 @ cta0 {
  bar.sync 0;
  await ld.relaxed.gpu.global.u32 r0, [x] == 1;
}
exists (x == 1)
)";
    for (const Pins pins : {Pins::none, Pins::between}) {
        const Emitted result = emit(parse(text), std::nullopt, pins);
        std::vector<std::string> lines;
        std::istringstream all(result.ptx);
        for (std::string line; std::getline(all, line);) lines.push_back(line);
        std::vector<std::string> found;
        for (const PtxText::Mark& mark : result.lines)
            found.push_back(std::to_string(mark.thread) + "." + std::to_string(mark.instruction) + " " + lines.at(mark.line - 1));
        REQUIRE(found.size() == 5);
        CHECK(contains(found[0], "0.0 "));
        CHECK(contains(found[0], "@$own ld.weak.shared::cta.u32 %r0, [s];"));
        CHECK(contains(found[1], "0.3 "));
        CHECK(contains(found[1], "@$go st.weak.global.u32 [x], %r1;"));
        CHECK(contains(found[2], "bar.sync 0;"));
        CHECK(contains(found[4], "1.1 "));
        CHECK(contains(found[4], "ld.relaxed.gpu.global.u32 %r0, [x];"));
        // one before each, and one at the end of each thread
        CHECK(occurrences(result.ptx, "@$never membar.sys;") == (pins == Pins::between ? 7 : 0));
        CHECK(contains(result.ptx, "setp.eq.u32 $never, $rounds, 0;") == (pins == Pins::between));
    }
}

TEST_CASE("parameters are read before the rounds") {
    const std::string ptx = emitted(red_async);
    const size_t test = ptx.find(".entry litmus_test"), loop = ptx.find("$again:"), end = ptx.find(".entry litmus_tally");
    REQUIRE(test < loop);
    CHECK(ptx.find("ld.param", loop) > end);
}

TEST_CASE("targets: the least, or the one asked for") {
    const std::string release = R"(
.global .u32 x = 0;
thread P0 @ cta0 { red.async.release.gpu.global.add.u32 [x], 1; }
exists (x == 1)
)";
    const Plan plan = emit(parse(release)).plan;
    CHECK(plan.sm == 100);
    CHECK(plan.specific);
    CHECK(contains(refusal(release, 90), "needs sm_100a"));
    CHECK(emit(parse(message_passing), 100).plan.ptx == 86);
    CHECK(emit(parse(message_passing)).plan.ptx == 80);
}

TEST_CASE("refusals name the reason") {
    const std::string copy =
        "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [sm], 128;\n}\nracefree\n";
    const std::string maps =
        ".global .u64 g[2] = 1;\n.global .tensormap tm = g, dim 2, box 2;\n.shared.cta0 .tensormap sm = g, dim 2, box 2;\n"
        ".global .u32 x = 0;\nthread P0 @ cta0.warp0 {\n  st.weak.global.u32 [x], 1;\n}\n";
    CHECK(contains(refusal(maps + "thread P1 @ cta0.warp0.lane1 {\n" + copy), "beside other lanes of it"));
    CHECK(emitted(maps + "thread P1 @ cta0.warp1 {\n" + copy).find("tensormap.cp_fenceproxy") != std::string::npos);
    CHECK(contains(refusal(".global .u32 x = 0;\n.global .u32 y alias surface x;\n"
                           "thread P0 @ cta0 { sust.weak.u32 [y], 1; }\nexists (x == 0)\n"),
                   "surfaces"));
}

TEST_CASE("tests that may wait at a barrier for ever are marked") {
    CHECK(emit(parse(bar_sync)).plan.hang.empty());
    CHECK(contains(emit(parse(R"(
.global .u32 f = 0;
thread P0 @ cta0 {
  ld.relaxed.cta.global.u32 r0, [f];
  setp.ne.u32 p, r0, 1;
  @p bar.sync 1, 64;
}
thread P1 @ cta0 { bar.sync 1, 64; }
exists (P0:r0 == 1)
)"))
                       .plan.hang,
                   "P0 may not come"));
}

TEST_CASE("conditions on observed values agree with the types they are written for") {
    const Test test = parse(R"(
.global .s32 x = -1;
.global .u8 y = 0;
thread P0 @ cta0 { ld.weak.global.s32 r0, [x]; ld.weak.global.u8 r1, [y]; }
filter (y == 0)
exists (P0:r0 < 0 /\ ~(P0:r1 == 255) \/ x == 5)
)");
    const Plan plan = emit(test).plan;
    REQUIRE(shown(plan) == std::vector<std::string>{"P0:r0", "P0:r1", "x", "y"});
    CHECK(satisfied(test, plan, {0xffffffff, 0, 0, 0}));
    CHECK_FALSE(satisfied(test, plan, {0, 0, 0, 0}));
    CHECK_FALSE(satisfied(test, plan, {0xffffffff, 255, 0, 0}));
    CHECK(satisfied(test, plan, {0, 0, 5, 0}));
    CHECK_FALSE(satisfied(test, plan, {0, 0, 5, 1}));  // the filter
}

TEST_CASE("observations as text and JSON") {
    const Test test = parse(message_passing);
    Observation o = describe(test, emit(test).plan, "mp.litmus");
    o.instances = 1000;
    o.seconds = 0.5;
    o.outcomes = {{{0, 0}, 900, false}, {{1, 0}, 90, true}};
    o.timeouts = 10;
    const std::string text = to_text(o);
    CHECK(contains(text, "Test t (packed, sm_90): 1000 instances in 0.50 s, 2e+03 a second\n"));
    CHECK(contains(text, "           900   90.0000000 %   P1:r0=0; P1:r1=0;\n"));
    CHECK(contains(text, "            90    9.0000000 % * P1:r0=1; P1:r1=0;\n"));
    CHECK(contains(text, "(timed out)"));
    CHECK(contains(text, "Condition exists (P1:r0 == 1 /\\ P1:r1 == 0): 90 marked * satisfy it\n"));
    const std::string json = to_json({"NVIDIA H100", 90, 13000, 13000, 132, 80, 1}, {o});
    CHECK(contains(json, "\"schema\": \"litmus-observed\""));
    CHECK(contains(json, "\"P1:r0\":\"1\""));
    CHECK(o.hash.size() == 22);
    CHECK(describe(parse(message_passing), emit(test).plan, "other").hash == o.hash);
    CHECK(describe(parse(bar_sync), emit(parse(bar_sync)).plan, "other").hash != o.hash);
}
