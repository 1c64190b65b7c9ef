// Where advice holds, and where another one does: findings made by hand, which differ in the one thing that a rule asks about. Remedies
// are not tried here; seeds_test.cpp does that.
#include <doctest/doctest.h>

#include "analysis/sweep/advised_kernel.h"

using namespace litmus;

namespace {

using sweep::Breach;

const std::string read_then_written = "ld.shared.u32 %r1, [%rd1];\nst.shared.u32 [%rd1], %r2;\n";

}  // namespace

TEST_CASE("advice rules: who meets is a warp, a warpgroup or a block that has both") {
    AdvisedKernel kernel = made_of(read_then_written);
    const std::string of_warp = "`__syncwarp()`", of_warpgroup = "a barrier of the warpgroup", of_block = "`__syncthreads()`";
    CHECK(proposes(said_of_race(kernel, {0, 0}, {1, 31}), of_warp));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 32}), of_warp));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 1, 1}), of_warp));
    CHECK(proposes(said_of_race(kernel, {0, 0}, {1, 127}), of_warpgroup));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 128}), of_warpgroup));
    const auto asynchronous = [](sweep::Finding& finding) { finding.clash->later.apart = true; };
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 1, 1}, asynchronous), of_warpgroup));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 1, 1}, asynchronous), of_block));
    CHECK(proposes(said_of_race(kernel, {0, 0}, {1, 128}), of_block));
    kernel.block = {128, 1, 1};
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 127}), of_warpgroup));
    kernel.block = {256, 2, 1};
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 127}), of_warpgroup));
    // a block of one warp meets as a block, unless the kernel has warps in mind
    kernel.block = {32, 1, 1};
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 31}), of_warp));
    AdvisedKernel warps = made_of(read_then_written + "bar.warp.sync 0xffffffff;\n");
    warps.block = {32, 1, 1};
    CHECK(proposes(said_of_race(warps, {0, 0}, {1, 31}), of_warp));
    CHECK(proposes(said_of_race(warps, {0, 0}, {1, 31}), "`__syncwarp()` (`__syncthreads()` where a block has more warps than here)"));
    // another kernel of the file may have warps in mind
    AdvisedKernel beside{kernel::testing::module_of(".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n" + read_then_written +
                                                    "ret;\n}\n.visible .entry other()\n{\nbar.warp.sync 0xffffffff;\nret;\n}\n")};
    beside.block = {32, 1, 1};
    CHECK_FALSE(proposes(said_of_race(beside, {0, 0}, {1, 31}), of_warp));
    for (const auto& [barrier, meets] : {std::pair("", true), std::pair("bar.sync 0;\n", false), std::pair("barrier.sync 0;\n", false)}) {
        CAPTURE(barrier);
        AdvisedKernel shuffles = made_of(read_then_written + "shfl.sync.idx.b32 %r3, %r4, 0, 31, 0xffffffff;\n" + barrier);
        shuffles.block = {32, 1, 1};
        CHECK(proposes(said_of_race(shuffles, {0, 0}, {1, 31}), of_warp) == meets);
    }
}

TEST_CASE("advice rules: one thread issues a copy, where each lane of a warp does") {
    const AdvisedKernel kernel = made_of("st.shared.u32 [%rd1], %r2;\nst.shared.u32 [%rd1], %r2;\n");
    const std::string elected = "`cuda::ptx::elect_sync`";
    const auto copies = [](bool earlier, bool later) {
        return [=](sweep::Finding& finding) {
            finding.clash->earlier = {Op::bulk_copy, true, earlier, Scope::none, 0, {}};
            finding.clash->later = {Op::bulk_copy, true, later, Scope::none, 0, {}};
        };
    };
    CHECK(proposes(said_of_race(kernel, {0, 0}, {0, 1}, copies(true, true)), elected));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {0, 32}, copies(true, true)), elected));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {0, 0}, copies(true, true)), elected));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 1}, copies(true, true)), elected));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {0, 1}, copies(true, false)), elected));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {0, 1}, copies(false, true)), elected));
    const auto initialises = [](bool earlier, bool later) {
        return [=](sweep::Finding& finding) {
            if (earlier) finding.clash->earlier.op = Op::mbarrier_init;
            if (later) finding.clash->later.op = Op::mbarrier_init;
        };
    };
    const std::string once = "see async/init/by-every-thread.litmus";
    CHECK(proposes(said_of_race(kernel, {0, 0}, {0, 1}, initialises(true, true)), once));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {0, 1}, initialises(false, true)), once));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 1}, initialises(true, true)), once));
}

TEST_CASE("advice rules: who reads too early waits for the object that completes the write") {
    const AdvisedKernel kernel = made_of(read_then_written);
    const auto early = [](bool fresh, bool before_writes, bool writes) {
        return [=](sweep::Finding& finding) {
            finding.clash->fresh = fresh;
            finding.clash->earlier.writes = before_writes;
            finding.clash->later = {Op::bulk_copy, writes, true, Scope::none, 0, "`full`"};
        };
    };
    const std::string waits = "or: a wait for `full` before";
    // in every order the wait is behind the initialisation
    const std::string init = "mbarrier.init.shared::cta.b64 [%r3], 1;\n";
    CHECK(proposes(said_of_race(made_of(read_then_written + init), {0, 0}, {1, 32}, early(true, false, true)),
                   "or: `ld.shared.u32` behind `mbarrier.init.shared::cta.b64` and a wait for `full`"));
    CHECK(proposes(said_of_race(made_of(init + read_then_written), {1, 0}, {2, 32}, early(true, false, true)), waits));
    CHECK(proposes(said_of_race(kernel, {0, 0}, {1, 32}, early(true, false, true)), waits));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 32}, early(false, false, true)), waits));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 32}, early(true, true, true)), waits));
    CHECK_FALSE(proposes(said_of_race(kernel, {0, 0}, {1, 32}, early(true, false, false)), waits));
    const auto of_group = [&](bool apart) {
        return said_of_race(kernel, {0, 0}, {1, 32}, [=](sweep::Finding& finding) {
            finding.clash->fresh = true;
            finding.clash->later.apart = apart;
        });
    };
    const std::string given_back = "or: the arrival that gives the place back behind";
    CHECK(proposes(of_group(true), given_back));
    CHECK_FALSE(proposes(of_group(false), given_back));
}

TEST_CASE("advice rules: what an earlier asynchronous operation is says what tells of its end") {
    const AdvisedKernel kernel = made_of("st.shared.u32 [%rd1], %r2;\nld.shared.u32 %r1, [%rd1];\n");
    const auto said = [&](const sweep::Clash::Side& earlier, const sweep::Clash::Side& later, bool fresh = false, bool again = false) {
        return said_of_race(kernel, {0, 0}, {1, 32}, [&](sweep::Finding& finding) {
            finding.clash = sweep::Clash{earlier, later, fresh, again, false};
        });
    };
    const sweep::Clash::Side reads{};
    const sweep::Clash::Side writes{.writes = true};
    CHECK(proposes(said({.op = Op::tcgen_copy}, writes), "or: `tcgen05.commit` behind"));
    CHECK(proposes(said({.op = Op::tcgen_mma}, writes), "or: `tcgen05.commit` behind"));
    CHECK(proposes(said({.op = Op::wgmma_mma, .apart = true}, writes), "`__syncthreads()`"));
    // of cp.async a proxy fence, where another proxy comes behind it
    const sweep::Clash::Side copy{.op = Op::async_copy, .writes = true, .apart = true};
    const std::string fence = "`cuda::ptx::fence_proxy_async()`";
    CHECK(proposes(said(copy, {.op = Op::bulk_copy, .apart = true}), fence));
    CHECK_FALSE(proposes(said(copy, copy), fence));
    CHECK_FALSE(proposes(said(copy, reads), fence));
    // of a group
    const sweep::Clash::Side bulk{.op = Op::bulk_copy, .writes = true, .apart = true}, bulk_reads{.op = Op::bulk_copy, .apart = true};
    const std::string between = "or: a barrier between";
    CHECK(proposes(said({.op = Op::bulk_copy, .writes = true, .apart = true}, writes, true), between));
    CHECK_FALSE(proposes(said(bulk, reads, true), between));
    CHECK_FALSE(proposes(said(bulk, writes), between));
    CHECK(proposes(said(bulk_reads, writes), "`__syncthreads()`"));
    CHECK(proposes(said(bulk_reads, writes), "see async/wait-group/wg-overwrite-too-early.litmus"));
    // of a phase
    const sweep::Clash::Side of_phase{.op = Op::bulk_copy, .writes = true, .apart = true, .object = "`full`"};
    CHECK(proposes(said(of_phase, reads, false, true), "see lessons/12-slots.md"));
    CHECK(proposes(said(of_phase, reads, false, false), "see async/kernel-bugs/kb-one-warp-waits.litmus"));
    CHECK(proposes(said(of_phase, writes, false, false), "see async/kernel-bugs/kb-output-over-load.litmus"));
    // before an asynchronous one
    CHECK(proposes(said(writes, {.op = Op::bulk_copy, .apart = true}), fence + " and `__syncthreads()` before"));
    CHECK_FALSE(proposes(said(reads, bulk), fence + " and `__syncthreads()` before"));
    // who waits for its own copies needs no barrier
    for (const uint32_t block : {0U, 1U}) {
        const std::string same_number = said_of_race(kernel, {0, 0}, {1, 0, block}, [&](sweep::Finding& finding) {
            finding.clash->earlier = bulk_reads;
            finding.clash->later = writes;
        });
        CHECK(proposes(same_number, "in the thread that issues it") == (block == 1));
    }
    // who is asynchronous waits for no group of copies alone
    CHECK(proposes(said(copy, reads), "`cp.async.wait_all` (`__pipeline_wait_prior(0)`) before `"));
    CHECK_FALSE(proposes(said(copy, {.op = Op::bulk_copy, .apart = true}), "`cp.async.wait_all`, " + fence + " before `"));
}

TEST_CASE("advice rules: a proxy fence stands where the waiting thread, or the writing one, can execute it") {
    const AdvisedKernel kernel = made_of("st.shared.u32 [%rd1], %r2;\nld.shared.u32 %r1, [%rd1];\n");
    const auto said = [&](bool apart, bool writes, uint32_t block) {
        return said_of_race(kernel, {0, 0}, {1, 32, block}, [&](sweep::Finding& finding) {
            finding.breach = Breach::proxy;
            finding.clash->earlier.apart = apart;
            finding.clash->earlier.writes = writes;
        });
    };
    const std::string before = "`cuda::ptx::fence_proxy_async()` before `ld.shared.u32` {";
    const AdvisedKernel waits =
        made_of("st.shared.u32 [%rd1], %r2;\nld.shared.u32 %r1, [%rd1];\ncp.async.wait_all;\ncp.async.commit_group;\n");
    for (const bool apart : {false, true}) {
        CAPTURE(apart);
        const std::string of_waits = said_of_race(waits, {0, 0}, {1, 32}, [&](sweep::Finding& finding) {
            finding.breach = Breach::proxy;
            finding.clash->earlier.apart = apart;
        });
        CHECK(proposes(of_waits, "behind the wait at `cp.async.wait_all`") == apart);
        CHECK_FALSE(proposes(of_waits, "behind the wait at `cp.async.commit_group`"));
    }
    CHECK(proposes(said(true, true, 0), before));
    CHECK_FALSE(proposes(said(false, true, 0), before));
    CHECK(proposes(said(true, true, 0), "or: `cuda::ptx::fence_proxy_async()` behind the wait for"));
    CHECK(proposes(said(false, true, 0), "or: `cuda::ptx::fence_proxy_async()` between"));
    CHECK(proposes(said(false, false, 0), "or: `cuda::ptx::fence_proxy_async()` between"));
    CHECK(proposes(said(false, false, 0), ", in each thread that reads there"));
    CHECK_FALSE(proposes(said(false, true, 0), ", behind what orders it"));
    CHECK(proposes(said(false, true, 1), ", behind what orders it"));
}

TEST_CASE("advice rules: an arrival goes behind the access of which it tells, and not one that expects bytes or stands there") {
    const std::string arrival = "mbarrier.arrive.shared::cta.b64 _, [%rd2];\n";
    const std::string behind = "the arrival at `mbarrier.arrive.shared::cta.b64` behind ";
    const auto said = [](const std::string& before, const std::string& rest, size_t line) {
        return said_of_race(made_of(before + "ld.shared.u32 %r1, [%rd1];\n" + rest + "st.shared.u32 [%rd1], %r2;\n"), {line, 0},
                            {line, 32});
    };
    CHECK(proposes(said(arrival, "", 1), behind + "`ld.shared.u32`"));
    CHECK_FALSE(proposes(said("", arrival, 0), behind));
    CHECK_FALSE(proposes(said("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%rd2], 16;\n", "", 1), "the arrival at "));
    // also behind the store of what is read, through what is made of it; not behind one of something else
    const std::string stores = ", which stores what is read";
    CHECK(proposes(said(arrival, "st.global.u32 [%rd3], %r1;\n", 1), behind + "`st.global.u32`" + stores));
    CHECK(proposes(said(arrival, "st.global.u16 [%rd3], %r3;\nadd.u32 %r4, %r1, 1;\nst.global.u32 [%rd3], %r4;\n", 1),
                   behind + "`st.global.u32`" + stores));
    CHECK_FALSE(proposes(said(arrival, "st.global.u16 [%rd3], %r3;\nadd.u32 %r4, %r1, 1;\n", 1), stores));
    CHECK_FALSE(proposes(said(arrival, "add.u32 %r4, %r3, 1;\nst.global.u32 [%rd3], %r4;\n", 1), stores));
    CHECK_FALSE(proposes(said(arrival, "add.u32 %r4, %r3, 1;\nadd.u32 %r5, %r4, %r1;\nst.global.u32 [%rd3], %r4;\n", 1), stores));
    // an address is no value
    CHECK_FALSE(proposes(said(arrival, "st.shared.u32 [%r1], %r3;\n", 1), stores));
    CHECK_FALSE(proposes(said(arrival, "red.shared.add.u32 [%r5], %r1;\nst.global.u32 [%rd3], %r5;\n", 1), stores));
    CHECK_FALSE(proposes(said(arrival + "st.shared.u32 [%r5], %r2;\n", "st.global.u32 [%rd3], %r5;\n", 1), stores));
    // one that is asynchronous waits for what was read, and not for what was written
    const auto before_copy = [&](bool writes) {
        return said_of_race(made_of(arrival + read_then_written), {1, 0}, {2, 32}, [&](sweep::Finding& finding) {
            finding.clash->earlier.writes = writes;
            finding.clash->later = {.op = Op::bulk_copy, .writes = true, .apart = true};
        });
    };
    CHECK(proposes(before_copy(false), behind));
    CHECK_FALSE(proposes(before_copy(true), behind));
    // one place is said once
    const std::string once = said(arrival, "", 1);
    CHECK(once.find(behind) == once.rfind(behind));
}

TEST_CASE("advice rules: one thread writes what all write alike, where one instruction does") {
    const AdvisedKernel kernel = made_of("st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1], %r3;\n");
    const std::string one = "or: one thread that comes to";
    const auto said = [&](size_t other, uint32_t block, bool earlier, bool later) {
        return said_of_race(kernel, {0, 0}, {other, 32, block, block}, [&](sweep::Finding& finding) {
            finding.clash->earlier.writes = earlier;
            finding.clash->later.writes = later;
        });
    };
    for (const uint32_t block : {0U, 1U}) {
        CAPTURE(block);
        CHECK(proposes(said(0, block, true, true), one));
        CHECK_FALSE(proposes(said(1, block, true, true), one));
        CHECK_FALSE(proposes(said(0, block, false, true), one));
        CHECK_FALSE(proposes(said(0, block, true, false), one));
    }
}

TEST_CASE("advice rules: strong accesses race by their scopes, or by their sizes") {
    const AdvisedKernel kernel = made_of("ld.relaxed.cta.global.u32 %r1, [%rd1];\nst.relaxed.gpu.global.u32 [%rd1], %r2;\n");
    const auto said = [&](uint32_t block, uint32_t cluster, Scope one, Scope other, bool apart = false) {
        return said_of_race(kernel, {0, 0}, {1, 32, block, cluster}, [&](sweep::Finding& finding) {
            finding.clash->earlier.scope = one;
            finding.clash->later.scope = other;
            finding.clash->apart = apart;
        });
    };
    const std::string of_device = "`thread_scope_device`", of_system = "`thread_scope_system`", of_size = "or: one size of both accesses";
    CHECK(proposes(said(1, 0, Scope::cta, Scope::gpu), of_device));
    CHECK(proposes(said(1, 0, Scope::gpu, Scope::cta), of_device));
    CHECK(proposes(said(0, 0, Scope::cta, Scope::gpu), of_size));
    CHECK(proposes(said(1, 0, Scope::cluster, Scope::gpu), of_size));
    CHECK(proposes(said(1, 1, Scope::cluster, Scope::gpu), of_device));
    CHECK(proposes(said(1, 1, Scope::gpu, Scope::gpu), of_size));
    for (const Scope narrow : {Scope::cta, Scope::cluster, Scope::gpu}) CHECK(proposes(said(1, 1, narrow, Scope::sys, true), of_system));
    CHECK(proposes(said(1, 1, Scope::sys, Scope::sys, true), of_size));
    for (const auto& [one, other] : {std::pair(Scope::gpu, Scope::none), std::pair(Scope::none, Scope::gpu)})
        CHECK_FALSE(proposes(said(1, 1, one, other), of_size));
    const std::string with_itself =
        said_of_race(made_of("st.relaxed.cta.global.u32 [%rd1], %r2;\n"), {0, 0}, {0, 32, 1},
                     [](sweep::Finding& finding) { finding.clash->earlier.scope = finding.clash->later.scope = Scope::cta; });
    CHECK(proposes(with_itself, "`.gpu` at"));
    CHECK_FALSE(proposes(with_itself, ", and `"));
    // a scope that has both, and the order as it is
    const auto changed = [](const std::string& one, const std::string& other) {
        return said_of_race(made_of(one + ";\n" + other + ";\n"), {0, 0}, {1, 32, 1}, [](sweep::Finding& finding) {
            finding.clash->earlier.scope = Scope::cta;
            finding.clash->later.scope = Scope::sys;
        });
    };
    const std::string wide = changed("st.release.cta.global.u32 [%rd1], %r2", "ld.volatile.global.u32 %r1, [%rd1]");
    CHECK(proposes(wide, "`.gpu` at `st.release.cta.global.u32` (`st.release.cta.global.u32`) {st.release.gpu.global.u32 [%rd1], %r2;}"));
    CHECK_FALSE(proposes(wide, "`ld.volatile.global.u32`) {"));
    CHECK(proposes(changed("st.relaxed.cta.shared::cluster.u32 [%r3], %r2", "ld.volatile.shared::cluster.u32 %r1, [%r3]"),
                   "{st.relaxed.gpu.shared::cluster.u32 [%r3], %r2;}"));
}

TEST_CASE("advice rules: strong accesses of global memory may tell threads of another block, and nothing else may") {
    const auto said = [](const std::string& sign, bool apart = false, size_t last = 2) {
        const AdvisedKernel kernel = made_of("ld.global.u32 %r1, [%rd1];\n" + sign + ";\nst.global.u32 [%rd1], %r2;\n");
        return said_of_race(kernel, {0, 0}, {last, 0, 1, 1}, [&](sweep::Finding& finding) { finding.clash->apart = apart; });
    };
    const std::string flag = said("st.release.gpu.global.u32 [%rd2], 1");
    for (const std::string place : {"before", "behind", "on both sides of"})
        CHECK(proposes(flag, "`__threadfence()` " + place + " `st.release.gpu.global.u32`"));
    CHECK(proposes(flag, "`__threadfence()` behind `ld.global.u32` and before `st.global.u32`"));
    const std::string by_one = said("@%p1 bra END;\nst.release.gpu.global.u32 [%rd2], 1;\nEND:\nmov.u32 %r3, 1", false, 4);
    for (const std::string place : {"before", "behind"}) {
        const std::string meets = "`__syncthreads()` " + place + " `st.release.gpu.global.u32`, where all threads of the block come by";
        CHECK(proposes(by_one, meets));
        CHECK_FALSE(proposes(flag, meets));
    }
    CHECK_FALSE(proposes(said("fence.acq_rel.gpu"), "before `fence"));
    CHECK_FALSE(proposes(said("st.release.cta.shared.u32 [%rd2], 1"), "before `st.release"));
    CHECK_FALSE(proposes(said("st.global.u32 [%rd2], 1"), "on both sides"));
    CHECK(proposes(said("st.release.gpu.global.u32 [%rd2], 1", true), "`__threadfence_system()` before"));
    CHECK(proposes(said("st.relaxed.cluster.global.u32 [%rd2], 1"), "`.release.gpu` at `st.relaxed.cluster.global.u32`"));
    CHECK(proposes(said("atom.acq_rel.cluster.global.add.u32 %r3, [%rd2], 1"), "`.acq_rel.gpu` at"));
    CHECK_FALSE(proposes(said("st.release.gpu.global.u32 [%rd2], 1"), ".sys"));
    CHECK(proposes(said("st.release.gpu.global.u32 [%rd2], 1", true), "`.release.sys` at `st.release.gpu.global.u32`"));
    CHECK(proposes(said("st.release.gpu.global.u32 [%rd2], 1", true), "{st.release.sys.global.u32 [%rd2], 1;}"));
    CHECK_FALSE(proposes(flag, "`.release` at"));  // it is that
    CHECK_FALSE(proposes("\n" + flag, "\n \n"));
    CHECK_FALSE(proposes(said("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3], %r2, [%r4]"),
                         "on both sides"));
    // each flag alone, where no line tells that two are one
    CHECK(proposes(said("st.relaxed.gpu.global.u32 [%rd2], 1;\nst.relaxed.gpu.global.u32 [%rd2], 2", false, 3),
                   "{st.release.gpu.global.u32 [%rd2], 1;}\n"));
    CHECK(said("st.relaxed.gpu.global.u32 [%rd2], 1").find("`.release` at `st.relaxed.gpu.global.u32`") == 0);
    CHECK(proposes(said("st.relaxed.cta.global.u32 [%rd2], 1"), "{st.release.gpu.global.u32 [%rd2], 1;}"));
    CHECK(proposes(said("st.volatile.global.u32 [%rd2], 1"), "{st.release.gpu.global.u32 [%rd2], 1;}"));
    for (const std::string order : {"acquire", "release"})
        CHECK(proposes(said("atom." + order + ".gpu.global.add.u32 %r3, [%rd2], 1"), "{atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;}"));
    for (const std::string update : {"red.global.add.u32 [%rd2], 1", "atom.global.add.u32 %r3, [%rd2], 1"})
        CHECK(proposes(said(update), "on both sides of `" + update.substr(0, update.find(' '))));
    // a fence comes before an order that CUDA has no word for
    const std::string poll = said("ld.volatile.global.u32 %r3, [%rd2]");
    const std::string fence = "`__threadfence()` behind `ld.volatile.global.u32`", acquires = "`.acquire` at `ld.volatile.global.u32`";
    REQUIRE(proposes(poll, acquires));
    CHECK(poll.find(fence) < poll.find(acquires));
    CHECK(poll.find(acquires) == poll.rfind(acquires));  // one flag is said once
    const std::string relaxed = said("ld.relaxed.gpu.global.u32 %r3, [%rd2]");
    const std::string acquires_it = "`.acquire` at `ld.relaxed.gpu.global.u32`";
    REQUIRE(proposes(relaxed, acquires_it));
    CHECK(relaxed.find(acquires_it) < relaxed.find("`__threadfence()` behind `ld.relaxed"));
    CHECK(relaxed.find(acquires_it) == relaxed.rfind(acquires_it));
    // of many the first few
    std::string many = "st.release.gpu.global.u32 [%rd2], 0";
    for (size_t i = 1; i < 8; ++i) many += ";\nst.release.gpu.global.u32 [%rd2], " + std::to_string(i);
    const std::string of_many = said(many, false, 9), sides = "on both sides of";
    size_t found = 0;
    for (size_t at = of_many.find(sides); at != std::string::npos; at = of_many.find(sides, at + 1)) ++found;
    CHECK(found == 6);
}

TEST_CASE("advice rules: a fence behind a flag that a loop reads goes behind the loop, and behind one that is written directly") {
    const auto goes_to = [](const std::string& flag) {
        const AdvisedKernel kernel =
            made_of("st.global.u32 [%rd1], %r2;\nWAIT:\n" + flag + ";\n@%p1 bra WAIT;\nld.global.u32 %r1, [%rd1];\n");
        const Advice advice = advice_on({kernel.module, kernel.block, kernel.swept}, race_of(kernel, {0, 0}, {3, 0, 1, 1}));
        for (const Remedy& remedy : advice.remedies)
            if (remedy.change == "`__threadfence()` behind `" + flag.substr(0, flag.find(' ')) + "`")
                return static_cast<size_t>(remedy.edits.front().at - line_of(kernel, 0));
        return SIZE_MAX;
    };
    CHECK(goes_to("ld.relaxed.gpu.global.u32 %r3, [%rd2]") == 2);
    CHECK(goes_to("st.relaxed.gpu.global.u32 [%rd2], 1") == 1);
    CHECK(goes_to("red.relaxed.gpu.global.add.u32 [%rd2], 1") == 1);
}

TEST_CASE("advice rules: a loop that reads a flag weakly reads it strongly, and what it waits for is written so") {
    const auto said = [](const std::string& read, bool loops, bool earlier_apart = false, bool later_apart = false) {
        AdvisedKernel kernel = made_of("st.global.u32 [%rd1], %r2;\nWAIT:\n" + read + ";\nsetp.eq.u32 %p1, %r1, 0;\n" +
                                       std::string(loops ? "@%p1 bra WAIT;\n" : ""));
        sweep::Finding race = race_of(kernel, {0, 0}, {1, 32});
        race.clash->earlier.apart = earlier_apart;
        race.clash->later.apart = later_apart;
        kernel.swept.findings = {race, race};
        sweep::Finding asked = race_of(kernel, {0, 0}, {1, 32});
        return said_on(kernel, asked);
    };
    const auto count = [](const std::string& text, const std::string& part) {
        size_t found = 0;
        for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    const std::string load = "ld.global.u32 %r1, [%rd1]";
    const std::string polls = said(load, true);
    CHECK(count(polls, "`.relaxed.gpu` at `st.global.u32`") == 1);  // told once
    CHECK(proposes(polls, "`.relaxed.gpu` at `ld.global.u32`"));
    CHECK(proposes(polls, "`.acquire.gpu` at `ld.global.u32`"));
    CHECK(proposes(polls, "{st.relaxed.gpu.global.u32 [%rd1], %r2;}"));
    CHECK_FALSE(proposes(said(load, false), "`.relaxed.gpu`"));
    CHECK_FALSE(proposes(said(load, true, true, false), "`.relaxed.gpu`"));
    CHECK_FALSE(proposes(said(load, true, false, true), "`.relaxed.gpu`"));
    CHECK(proposes(said("ld.weak.global.u32 %r1, [%rd1]", true), "{ld.relaxed.gpu.global.u32 %r1, [%rd1];}"));
    CHECK(proposes(said("ld.global.nc.u32 %r1, [%rd1]", true), "{ld.relaxed.gpu.global.u32 %r1, [%rd1];}"));
    CHECK(proposes(said("atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], 0, 1", true), "`.relaxed.gpu` at `st.global.u32`"));
    CHECK_FALSE(proposes(said("atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1", true), "`.relaxed.gpu`"));
    // of a strong store and a weak load the load, and no access of another kind
    const auto beside = [](const std::string& write) {
        AdvisedKernel kernel = made_of(write + ";\nWAIT:\nld.global.u32 %r1, [%rd1];\n@%p1 bra WAIT;\n");
        kernel.swept.findings = {race_of(kernel, {0, 0}, {1, 32})};
        return said_on(kernel, race_of(kernel, {0, 0}, {1, 32}));
    };
    CHECK(proposes(beside("st.release.gpu.global.u32 [%rd1], %r2"), "\n`.relaxed.gpu` at `ld.global.u32`"));
    CHECK_FALSE(proposes(beside("st.release.gpu.global.u32 [%rd1], %r2"), "relaxed.gpu.release"));
    std::string far = "WAIT:\nld.global.u32 %r1, [%rd1];\n";
    for (size_t i = 0; i < 9; ++i) far += "mov.u32 %r3, 1;\n";
    AdvisedKernel works = made_of("st.global.u32 [%rd1], %r2;\n" + far + "@%p1 bra WAIT;\n");  // it is no wait
    works.swept.findings = {race_of(works, {0, 0}, {1, 32})};
    CHECK_FALSE(proposes(said_on(works, race_of(works, {0, 0}, {1, 32})), "`.relaxed"));
    CHECK_FALSE(proposes(beside("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r5}"), "stmatrix.relaxed"));
}

TEST_CASE("advice rules: of a map what is not there yet, and of two addresses and two launches a word of their own") {
    const auto said = [](Breach breach, const std::string& writes) {
        const AdvisedKernel kernel = made_of(writes + ";\nld.global.u32 %r1, [%rd1];\n");
        return said_of_race(kernel, {0, 0}, {1, 32}, [&](sweep::Finding& finding) { finding.breach = breach; });
    };
    const std::string store = "st.global.u32 [%rd1], %r2";
    const std::string release = "generic.release.gpu` behind";
    CHECK(proposes(said(Breach::tensor_map, store), release));
    CHECK_FALSE(proposes(said(Breach::tensor_map,
                              "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128"),
                         release));
    CHECK(proposes(said(Breach::tensor_map, "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2"), release));
    CHECK(proposes(said(Breach::alias, store), "or: `fence.proxy.alias` before"));
    CHECK(proposes(said(Breach::overlap, store), "or: `griddepcontrol.wait` before"));
}

TEST_CASE("advice rules: a copy into a block that has ended is waited for there, and a load is not") {
    const auto said = [](const std::string& access) {
        const AdvisedKernel kernel = made_of(access + ";\n");
        sweep::Finding finding = race_of(kernel, {0, 0}, {0, 32});
        for (const sweep::BreachRow& row : sweep::breaches())
            if (row.breach == Breach::block_ended) finding.kind = row.kind;
        finding.breach = Breach::block_ended;
        return said_on(kernel, finding);
    };
    CHECK(proposes(said("ld.shared::cluster.u32 %r1, [%r2]"), "or: `cluster.sync()` as the last thing"));
    CHECK(proposes(said("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [%r3]"),
                   "or: a wait in that block for what"));
    // before each end of the kernel, and not of a function
    AdvisedKernel ends = {
        kernel::testing::module_of(".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\nld.shared::cluster.u32 %r1, "
                                   "[%r2];\n@%p1 exit;\nret;\n}\n.func f()\n{\nret;\n}\n")};
    sweep::Finding finding = race_of(ends, {0, 0}, {0, 32});
    finding.kind = sweep::Kind::undefined;
    finding.breach = Breach::block_ended;
    const Advice advice = advice_on({ends.module, ends.block, ends.swept}, finding);
    REQUIRE(advice.remedies.size() == 1);
    REQUIRE(advice.remedies[0].edits.size() == 2);
    CHECK(advice.remedies[0].edits[0].at == line_of(ends, 1));
    CHECK(advice.remedies[0].edits[1].at == line_of(ends, 2));
}

TEST_CASE("advice rules: waits and arrivals are widened where they say less than the cluster") {
    const AdvisedKernel kernel = made_of(
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\nmbarrier.arrive.shared::cta.b64 _, [%r1];\n"
        "mbarrier.arrive.release.cta.b64 _, [%rd1];\nmbarrier.arrive.b64 _, [%rd1];\ncp.async.mbarrier.arrive.shared::cta.b64 [%r1];\n");
    const Advice advice = advice_on_narrow_waits(kernel.module, {{{0, 0, 0}, line_of(kernel, 0)}});
    REQUIRE(advice.remedies.size() == 2);
    REQUIRE(advice.remedies[0].edits.size() == 1);
    CHECK(proposes(advice.remedies[0].edits[0].ptx, "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1"));
    std::string all;
    for (const PtxEdit& edit : advice.remedies[1].edits) all += edit.ptx + "\n";
    CHECK(proposes(all, "mbarrier.arrive.release.cluster.shared::cta.b64 _"));
    CHECK(proposes(all, "mbarrier.arrive.release.cluster.b64 _, [%rd1]"));
    CHECK(advice.remedies[1].edits.size() == 4);
    CHECK_FALSE(proposes(all, "cp.async"));
    CHECK_FALSE(proposes(all, "cluster.release"));
    CHECK(proposes(all, "mbarrier.arrive.release.cluster.b64 _, [%rd1];\nmbarrier.arrive.release.cluster.b64 _, [%rd1];"));
    const AdvisedKernel wide = made_of("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], 0;\n");
    const Advice none = advice_on_narrow_waits(wide.module, {{{0, 0, 0}, line_of(wide, 0)}});
    CHECK(proposes(none.remedies[0].edits[0].ptx, "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1"));
    const sweep::Place wait = {{0, 0, 0}, line_of(kernel, 0)};
    CHECK(advice_on_narrow_waits(kernel.module, {wait, wait}).remedies[0].edits.size() == 1);
}

namespace {

// All that is proposed about a phase of the object that line 0 initialises.
std::string said_of_phase(const std::string& body, Breach breach, const sweep::Tally& tally, size_t line, size_t other) {
    AdvisedKernel kernel = made_of("mbarrier.init.shared::cta.b64 [%r1], 3;\n" + body);
    sweep::Finding finding;
    finding.breach = breach;
    for (const sweep::BreachRow& row : sweep::breaches())
        if (row.breach == breach) finding.kind = row.kind;
    for (const size_t at : {line, other}) finding.places.push_back({{0, 0, 0}, line_of(kernel, at)});
    finding.tally = tally;
    finding.tally->init = line_of(kernel, 0);
    return said_on(kernel, finding);
}

const std::string waits_in_loop = "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra WAIT;\n";

}  // namespace

TEST_CASE("advice rules: a count is that of the arrivals that come, where it is another one and some come") {
    const auto said = [](int64_t lacks) {
        return said_of_phase(waits_in_loop, Breach::few_arrivals, {.count = 3, .arrivals = lacks}, 1, 1);
    };
    CHECK(proposes(said(1), "the count 2 in place of 3"));
    CHECK_FALSE(proposes(said(0), "the count"));
    CHECK_FALSE(proposes(said(3), "the count"));
    // a wait that is late may have a count that is too low, the other parity, or nobody who meets it
    const std::string late = said_of_phase(waits_in_loop, Breach::wait_late, {.count = 3}, 1, 1);
    CHECK(proposes(late, "the count 256 in place of 3"));
    CHECK(proposes(late, "the other parity at"));
    CHECK(proposes(late, "`__syncthreads()` behind the wait at"));
    CHECK_FALSE(proposes(said_of_phase("mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %rd1;\n", Breach::wait_late, {.count = 3}, 1, 1),
                         "the other parity"));
    const std::string by_register = "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;\n";
    const std::string once = said_of_phase(by_register, Breach::wait_late, {.count = 255}, 1, 1);
    CHECK(proposes(late, "{mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;}"));
    CHECK(proposes(once, "xor.b32 %litmus_n, %r2, 1; mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %litmus_n; }"));
    CHECK_FALSE(proposes(once, "`__syncthreads()` behind the wait at"));  // no loop
    CHECK(once.find("the count 256") == once.rfind("the count 256"));     // all threads, and one more than now
    // a parity that stays the same is changed in each round
    const std::string changes = "a parity that changes each time the wait is over (`phase ^= 1`) at ";
    CHECK(proposes(late, changes));
    CHECK(proposes(late, "xor.b32 %litmus_n, 0, %litmus_turn; mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %litmus_n; }"));
    CHECK(proposes(late, "{xor.b32 %litmus_turn, %litmus_turn, 1;}"));
    CHECK_FALSE(proposes(once, changes));  // no loop
}

TEST_CASE("advice rules: bytes are expected by who arrives and expects none yet") {
    const auto said = [](const std::string& body, int64_t lacks) {
        return said_of_phase(body, Breach::bytes_unexpected, {.count = 3, .bytes = lacks}, 1, 1);
    };
    const std::string arrives = "mbarrier.arrive.shared::cta.b64 _, [%r1];\n";
    CHECK(proposes(said(arrives, -16), "{mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;}"));
    CHECK_FALSE(proposes(said(arrives, 16), "`mbarrier.arrive.expect_tx` of"));
    CHECK_FALSE(proposes(said("cp.async.mbarrier.arrive.shared::cta.b64 [%r1];\n", -16), "`mbarrier.arrive.expect_tx` of"));
    CHECK_FALSE(proposes(said("mbarrier.arrive.shared::cta.b64 _, [%r1], 2;\n", -16), "`mbarrier.arrive.expect_tx` of"));
    const std::string by_register = said("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], %r2;\n", -16), more = "16 more bytes";
    CHECK(proposes(by_register, "add.s32 %litmus_n, %r2, 16; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], %litmus_n; }"));
    CHECK(by_register.find(more) == by_register.rfind(more));  // one call, one change
    const std::string expects = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;\n";
    CHECK(proposes(said(expects, -16), "16 more bytes for `expect_tx` at"));
    CHECK_FALSE(proposes(said(expects, -16), "`mbarrier.arrive.expect_tx` of"));
    CHECK_FALSE(proposes(said(expects, 0), "bytes for `expect_tx`"));
}

TEST_CASE("advice rules: who waits for a phase in which nobody arrives arrives before its loop") {
    const std::string arrival = "`mbarrier.arrive` before the wait at";
    CHECK(proposes(said_of_phase(waits_in_loop, Breach::no_arrival, {.count = 3}, 1, 1), arrival));
    CHECK_FALSE(proposes(said_of_phase("bar.sync 0, 32;\n", Breach::no_arrival, {.count = 3}, 1, 1), arrival));
    // what a function begins with has nothing before it
    const AdvisedKernel first = made_of(waits_in_loop);
    sweep::Finding finding;
    finding.kind = sweep::Kind::stuck;
    finding.breach = Breach::no_arrival;
    finding.places = {{{0, 0, 0}, line_of(first, 0)}};
    finding.tally = sweep::Tally{.count = 3};
    CHECK_FALSE(proposes(said_on(first, finding), arrival));
    // bytes are of another place than the wait, and of one that is known
    finding.breach = Breach::few_bytes;
    finding.tally->bytes = 16;
    CHECK_FALSE(proposes(said_on(first, finding), "bytes for `expect_tx`"));
    finding.places.push_back({{0, 0, 0}, nullptr});
    CHECK_FALSE(proposes(said_on(first, finding), "bytes for `expect_tx`"));
    finding.places.pop_back();
    // an object whose initialisation is not known has no count to change
    finding.breach = Breach::few_arrivals;
    finding.tally->arrivals = 1;
    CHECK_FALSE(proposes(said_on(first, finding), "the count 2"));
}

TEST_CASE("advice rules: where threads wait at a barrier that some pass by, moving that comes first") {
    const std::string body = "ld.shared.u32 %r1, [%rd1];\n@%p1 bra END;\nbar.sync 0;\nEND:\nst.shared.u32 [%rd1], %r2;\n";
    AdvisedKernel kernel = made_of(body);
    kernel.swept.uneven = {line_of(kernel, 2)};
    const auto ends_with_moves = [&] {
        const Advice advice = advice_on({kernel.module, kernel.block, kernel.swept}, race_of(kernel, {0, 0}, {3, 32}));
        REQUIRE_FALSE(advice.remedies.empty());
        return std::pair(proposes(advice.remedies.front().change, "the barrier at"),
                         proposes(advice.remedies.back().change, "the barrier at"));
    };
    CHECK(ends_with_moves() == std::pair(false, true));
    sweep::Finding stuck;
    stuck.kind = sweep::Kind::stuck;
    stuck.places = {{{0, 0, 0}, line_of(kernel, 2)}};
    kernel.swept.findings = {stuck};
    CHECK(ends_with_moves() == std::pair(true, false));
    // a wait for an object is none
    stuck.places.front().statement = line_of(kernel, 0);
    kernel.swept.findings = {stuck};
    kernel.swept.uneven = {};
    CHECK_FALSE(proposes(said_on(kernel, race_of(kernel, {0, 0}, {3, 32})), "the barrier at"));
    // nor is the barrier of a race
    AdvisedKernel other = made_of("ld.shared.u32 %r1, [%rd1];\n@%p1 bra END;\nbarrier.sync 0;\nEND:\nst.shared.u32 [%rd1], %r2;\n");
    sweep::Finding race = race_of(other, {2, 0}, {3, 32});
    other.swept.findings = {race};
    CHECK_FALSE(proposes(said_on(other, race_of(other, {0, 0}, {3, 32})), "the barrier at"));
    race.kind = sweep::Kind::stuck;
    other.swept.findings = {race};
    CHECK(proposes(said_on(other, race_of(other, {0, 0}, {3, 32})), "the barrier at `barrier.sync`"));
    // of a thread that waits at the end, or at no place, there is no barrier to be moved
    stuck.places = {{{0, 0, 0}, line_of(kernel, 2)}};
    sweep::Finding ended = stuck, nowhere = stuck;
    ended.places.front().statement = nullptr;
    nowhere.places = {};
    kernel.swept.findings = {ended, nowhere};
    CHECK_FALSE(proposes(said_on(kernel, race_of(kernel, {0, 0}, {3, 32})), "the barrier at"));
    kernel.swept.findings = {ended, nowhere, stuck};
    CHECK(proposes(said_on(kernel, race_of(kernel, {0, 0}, {3, 32})), "the barrier at `bar.sync`"));
    ended.breach = Breach::few_threads;
    for (const sweep::BreachRow& row : sweep::breaches())
        if (proposes(std::string(row.change), "{}")) {
            sweep::Finding at_end = ended;
            at_end.breach = row.breach;
            at_end.kind = sweep::Kind::undefined;
            if (row.kind == at_end.kind) CHECK(proposes(said_on(kernel, at_end), "the kernel's end"));
        }
}

TEST_CASE("advice rules: of the branches around a place the nearest three are asked, and of the places behind them three") {
    std::string body;
    for (size_t i = 0; i < 5; ++i) body += "@%p1 bra END" + std::to_string(i) + ";\n";
    body += "ld.shared.u32 %r1, [%rd1];\n";
    for (size_t i = 0; i < 5; ++i) body += "END" + std::to_string(i) + ":\nmov.u32 %r3, " + std::to_string(i) + ";\n";
    const std::string said = said_of_race(made_of(body), {5, 0}, {5, 32}), meets = "`__syncthreads()` ",
                      all = ", where all threads come by";
    const auto count = [&](const std::string& place) {
        size_t found = 0;
        for (size_t at = said.find(place); at != std::string::npos; at = said.find(place, at + 1)) ++found;
        return found;
    };
    CHECK(count(meets + "before `ld.shared.u32`" + all) == 3);
    CHECK(count(meets + "behind `ld.shared.u32`" + all) == 3);
    CHECK(count(meets + "before `ld.shared.u32` {") == 1);  // one place is said once
}

TEST_CASE("advice rules: a load past the coherent caches becomes another one, alone and with each order") {
    const AdvisedKernel kernel = made_of("st.global.u32 [%rd1], %r2;\nld.global.nc.u32 %r1, [%rd1];\n");
    const std::string said = said_of_race(kernel, {0, 0}, {1, 32}, [](sweep::Finding& finding) {
        finding.breach = Breach::uncached;
        finding.clash->earlier.writes = true;
        finding.clash->later.writes = false;
    });
    CHECK(said.find("a load without `__ldg` and `const __restrict__` at `ld.global.nc.u32` {ld.global.u32 %r1, [%rd1];}\n") == 0);
    // not with another change of the load, and with changes of others
    AdvisedKernel polls =
        made_of("st.global.u32 [%rd1], %r2;\nWAIT:\nld.global.nc.u32 %r1, [%rd1];\n@%p1 bra WAIT;\nst.relaxed.gpu.global.u32 [%rd2], 1;\n");
    polls.swept.findings = {race_of(polls, {0, 0}, {1, 32, 1, 1})};
    const std::string between =
        said_of_race(polls, {0, 0}, {1, 32, 1, 1}, [](sweep::Finding& finding) { finding.breach = Breach::uncached; });
    CHECK_FALSE(proposes(between, "{ld.relaxed"));
    CHECK(proposes(between, "at `ld.global.nc.u32`, and `.release` at `st.relaxed.gpu.global.u32`"));
    CHECK(
        proposes(said, "at `ld.global.nc.u32`, and `__syncthreads()` before `ld.global.nc.u32` {bar.sync 0;}{ld.global.u32 %r1, [%rd1];}"));
}

TEST_CASE("advice rules: an access goes to the right side of what tells of it") {
    const std::string flag = "st.release.gpu.global.u32 [%rd2], 1;\n", wait = "ld.acquire.gpu.global.u32 %r3, [%rd2];\n";
    const auto said = [](const std::string& body, size_t one, size_t other) {
        return said_of_race(made_of(body), {one, 0}, {other, 0, 1, 1});
    };
    const std::string store = "st.global.u32 [%rd1], %r2;\n", load = "ld.global.u32 %r1, [%rd1];\n";
    CHECK(proposes(said(flag + store + wait + load, 1, 3),
                   "`st.global.u32` before `st.release.gpu.global.u32` {}{st.global.u32 [%rd1], %r2;}"));
    CHECK(proposes(said(store + flag + load + wait, 0, 2),
                   "`ld.global.u32` behind `ld.acquire.gpu.global.u32` {}{ld.global.u32 %r1, [%rd1];}"));
    CHECK_FALSE(proposes(said(store + flag + load + wait, 0, 2), "`st.global.u32` behind"));
    CHECK(proposes(said("barrier.sync 0;\n" + flag + store + wait + load, 2, 4), "`st.global.u32` before the barrier before"));
    CHECK(proposes(said("bar.sync 0;\n" + flag + store + wait + load, 2, 4), "`st.global.u32` before the barrier before"));
    CHECK_FALSE(proposes(said("mov.u32 %r4, 0;\n" + flag + store + wait + load, 2, 4), "before the barrier before"));
    // an update stays
    const std::string update = "red.relaxed.gpu.global.add.u32 [%rd1], 1;\n";
    CHECK_FALSE(proposes(said(flag + update + wait + load, 1, 3), "`red.relaxed.gpu.global.add.u32` before `st.release"));
}

TEST_CASE("advice rules: tensor memory is waited for by the commit, where one of the two is a product") {
    const AdvisedKernel kernel = made_of("st.global.u32 [%rd1], %r2;\nld.global.u32 %r1, [%rd1];\n");
    const auto said = [&](Op earlier, Op later) {
        return said_of_race(kernel, {0, 0}, {1, 32}, [&](sweep::Finding& finding) {
            finding.breach = Breach::tensor_memory;
            finding.clash->earlier.op = earlier;
            finding.clash->later.op = later;
        });
    };
    const std::string commit = "or: a wait for the object at which `tcgen05.commit` arrives, before ";
    CHECK(proposes(said(Op::tcgen_mma, Op::tcgen_load), commit + "`ld.global.u32`"));
    CHECK(proposes(said(Op::tcgen_load, Op::tcgen_mma), commit + "`st.global.u32`"));
    CHECK(proposes(said(Op::tcgen_mma, Op::tcgen_mma), commit + "`ld.global.u32`"));
    CHECK_FALSE(proposes(said(Op::tcgen_load, Op::tcgen_store), commit));
    for (const std::string edit : {"`tcgen05.wait::ld` behind `st.global.u32`", "`tcgen05.fence::before_thread_sync` behind"}) {
        CHECK(proposes(said(Op::tcgen_load, Op::tcgen_store), edit));
        CHECK_FALSE(proposes(said(Op::tcgen_store, Op::tcgen_load), edit));
    }
}

TEST_CASE("advice rules: a fence of fewer threads becomes one that has both, and fences of other things stay") {
    const auto said = [](const std::string& fence, bool apart = false, uint32_t other_block = 1) {
        const AdvisedKernel kernel = made_of("st.global.u32 [%rd1], %r2;\n" + fence + ";\nld.global.u32 %r1, [%rd1];\n");
        return said_of_race(kernel, {0, 0}, {2, 32, other_block, other_block}, [&](sweep::Finding& race) { race.clash->apart = apart; });
    };
    CHECK(proposes(said("membar.cta"), "`__threadfence()` in place of `__threadfence_block()` at `membar.cta` {membar.gl;}"));
    CHECK(proposes(said("fence.acq_rel.cta"), "in place of `__threadfence_block()` at `fence.acq_rel.cta` {fence.acq_rel.gpu;}"));
    CHECK(proposes(said("@%p1 fence.sc.cta"), "{@%p1 fence.sc.gpu;}"));
    CHECK(proposes(said("fence.acq_rel.cluster"), "in place of a fence of the cluster at `fence.acq_rel.cluster` {fence.acq_rel.gpu;}"));
    CHECK_FALSE(proposes(said("membar.cta", false, 0), "in place of"));
    CHECK_FALSE(proposes(said("membar.gl"), "in place of"));
    CHECK(proposes(said("membar.gl", true), "`__threadfence_system()` in place of `__threadfence()` at `membar.gl` {membar.sys;}"));
    CHECK(proposes(said("fence.acq_rel.gpu", true), "{fence.acq_rel.sys;}"));
    CHECK(proposes(said("membar.cta", true), "{membar.sys;}"));
    CHECK_FALSE(proposes(said("membar.sys", true), "in place of"));
    CHECK_FALSE(proposes(said("fence.mbarrier_init.release.cluster"), "in place of"));
    CHECK_FALSE(proposes(said("fence.proxy.tensormap::generic.release.cta"), "in place of"));
    // each line alone, and then all
    const std::string two = said("membar.cta;\nfence.sc.cta");
    CHECK(proposes(two, "at `membar.cta` {membar.gl;}\n"));
    CHECK(proposes(two, "at `fence.sc.cta` {fence.sc.gpu;}\n"));
    const std::string one = said("membar.cta");
    CHECK(one.find("{membar.gl;}") == one.rfind("{membar.gl;}"));
    CHECK(proposes(
        two, "at `membar.cta`, and `__threadfence()` in place of `__threadfence_block()` at `fence.sc.cta` {membar.gl;}{fence.sc.gpu;}\n"));
}

TEST_CASE("advice rules: what an atomic sets back, or compares, is written and read strongly") {
    const auto said = [](const std::string& first, const std::string& second, uint32_t block = 1) {
        const AdvisedKernel kernel = made_of(first + ";\n" + second + ";\n");
        return said_of_race(kernel, {0, 0}, {1, 32, block, block});
    };
    const std::string store = "st.global.u32 [%rd1], %r2", load = "ld.global.u32 %r1, [%rd1]";
    const std::string draw = "atom.global.add.u32 %r1, [%rd1], 1", compare = "atom.global.cas.b32 %r3, [%rd1], 0, 1";
    const std::string stores = "{st.relaxed.gpu.global.u32 [%rd1], %r2;}", loads = "{ld.relaxed.gpu.global.u32 %r1, [%rd1];}";
    CHECK(proposes(said(draw, store), stores));
    CHECK(proposes(said(draw, store, 0), stores));     // in a block, too
    CHECK_FALSE(proposes(said(store, draw), stores));  // it gives the first value
    CHECK_FALSE(proposes(said("red.global.add.u32 [%rd1], 1", store), stores));
    CHECK(proposes(said(load, compare), loads));
    CHECK(proposes(said(compare, load), loads));
    CHECK_FALSE(proposes(said(load, draw), loads));
    CHECK_FALSE(proposes(said(load, store), loads));
    CHECK_FALSE(proposes(said("st.relaxed.gpu.global.u32 [%rd1], %r2", compare), "`.relaxed"));
    // memory of a block has no other threads
    CHECK(proposes(said("atom.shared.add.u32 %r1, [%rd1], 1", "st.shared.u32 [%rd1], %r2", 0), "{st.relaxed.cta.shared.u32 [%rd1], %r2;}"));
}

TEST_CASE("advice rules: a vector of two becomes the word that the other access is of") {
    const auto said = [](const std::string& first, const std::string& second) {
        const AdvisedKernel kernel = made_of(".reg .b128 %q<2>; .reg .b16 %rs<3>;\n" + first + ";\n" + second + ";\n");
        return said_of_race(kernel, {0, 0}, {1, 32, 1, 1},
                            [](sweep::Finding& race) { race.clash->earlier.scope = race.clash->later.scope = Scope::gpu; });
    };
    const std::string pair = "ld.relaxed.gpu.global.v2.b64 {%rd2, %rd3}, [%rd1]", word = "st.relaxed.gpu.global.b128 [%rd1], %q1";
    const std::string one = "{{ .reg .b128 %litmus_q; ld.relaxed.gpu.global.b128 %litmus_q, [%rd1]; mov.b128 {%rd2, %rd3}, %litmus_q; }}";
    CHECK(proposes(said(pair, word), "`ld.relaxed.gpu.global.b128` at `ld.relaxed.gpu.global.v2.b64`"));
    CHECK(proposes(said(pair, word), one));
    CHECK(proposes(said(word, pair), one));
    CHECK(proposes(said("@%p1 " + pair, word), "@%p1 ld.relaxed.gpu.global.b128 %litmus_q, [%rd1]; @%p1 mov.b128"));
    CHECK(proposes(said("st.relaxed.gpu.global.v2.u32 [%rd1], {%r1, %r2}", "ld.relaxed.gpu.global.u64 %rd2, [%rd1]"),
                   "{{ .reg .b64 %litmus_q; mov.b64 %litmus_q, {%r1, %r2}; st.relaxed.gpu.global.b64 [%rd1], %litmus_q; }}"));
    CHECK_FALSE(proposes(said(pair, "st.relaxed.gpu.global.b64 [%rd1], %rd4"), "%litmus_q"));
    CHECK_FALSE(
        proposes(said("ld.relaxed.gpu.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1]", "st.relaxed.gpu.global.b64 [%rd1], %rd4"), "%litmus_q"));
    CHECK_FALSE(proposes(said("ld.relaxed.gpu.global.v2.b32 {%r1, %r2}, [%rd1]", "st.relaxed.gpu.global.v2.b64 [%rd1], {%rd3, %rd4}"),
                         "%litmus_q"));
    CHECK_FALSE(proposes(
        said("atom.relaxed.gpu.global.add.noftz.v2.f16 {%rs1, %rs2}, [%rd1], {%rs1, %rs2}", "ld.relaxed.gpu.global.b32 %r1, [%rd1]"),
        "%litmus_q"));
}

TEST_CASE("advice rules: a barrier counts a few warps less, where it counts and too few come") {
    const auto said = [](const std::string& barrier, Breach breach) {
        const AdvisedKernel kernel = made_of(barrier + ";\n");
        sweep::Finding finding;
        finding.kind = sweep::Kind::stuck;
        finding.breach = breach;
        finding.places.push_back({{}, line_of(kernel, 0)});
        return said_on(kernel, finding);
    };
    const std::string counted = said("bar.sync 1, 256", Breach::few_threads);
    CHECK(proposes(counted, "a count of 224 threads in place of 256 at `bar.sync` {bar.sync 1, 224;}"));
    CHECK(proposes(counted, "{bar.sync 1, 128;}"));
    CHECK_FALSE(proposes(counted, "{bar.sync 1, 96;}"));  // so far it is no count that was meant
    CHECK_FALSE(proposes(said("bar.sync 1, 64", Breach::few_threads), "{bar.sync 1, 0;}"));
    CHECK(proposes(said("bar.sync 1, 64", Breach::few_threads), "{bar.sync 1, 32;}"));
    CHECK_FALSE(proposes(said("bar.sync 1", Breach::few_threads), "a count of"));
    CHECK_FALSE(proposes(said("bar.sync 1, %r1", Breach::few_threads), "a count of"));
    CHECK_FALSE(proposes(said("bar.sync 1, 64", Breach::stuck), "a count of"));
}

TEST_CASE("advice on an address that is not generic: the state space, which stands before the type") {
    const auto said_of = [](const std::string& instruction) {
        const AdvisedKernel kernel = made_of(instruction);
        sweep::Finding finding;
        finding.kind = sweep::Kind::undefined;
        finding.breach = Breach::not_generic;
        finding.places.push_back({{0, 0, 0}, line_of(kernel, 0)});
        return said_on(kernel, finding);
    };
    CHECK(proposes(said_of("@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%r1], %r2;\n"),
                   "{@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %r2;}"));
    CHECK(proposes(said_of("mbarrier.init.b64 [%r1], 1;\n"), "{mbarrier.init.shared::cta.b64 [%r1], 1;}"));
    CHECK(proposes(said_of("mbarrier.init.b64 [%r1], 1;\n"), "or a generic address (`cvta.shared`)"));
}
