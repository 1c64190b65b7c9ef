// The rows are what nvcc 13.0 writes for sm_90a, and what the headers of CUTLASS 4 and TileLang have in their `asm` statements (of August
// 2026).
#include "ptx/cuda.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>

#include "ptx/table.h"

namespace litmus {

const std::vector<CudaGroup>& cuda_groups() {
    static const std::vector<CudaGroup> groups = {
        {"Functions of CUDA C++",
         {
             {"__syncthreads()", "bar.sync 0", "all threads of the CTA"},
             {"__syncthreads_count(n)", "bar.red.popc.u32 r0, 0, p", ""},
             {"__syncthreads_or(n)", "bar.red.or.pred p, 0, q", ""},
             {"__syncwarp()", "bar.warp.sync 0xffffffff", "orders memory among the lanes"},
             {"__threadfence_block()", "membar.cta", "the same as `fence.sc.cta`"},
             {"__threadfence()", "membar.gl", "the same as `fence.sc.gpu`"},
             {"__threadfence_system()", "membar.sys", "the same as `fence.sc.sys`"},
             {"atomicAdd(x, 1)", "atom.global.add.u32 r0, [x], 1",
              "the same as `atom.relaxed.gpu.global.add.u32 r0, [x], 1`: it orders nothing else"},
             {"atomicAdd_block(x, 1)", "atom.global.cta.add.u32 r0, [x], 1", "relaxed"},
             {"atomicAdd_system(x, 1)", "atom.global.sys.add.u32 r0, [x], 1", "relaxed"},
             {"atomicExch(x, 1)", "atom.global.exch.b32 r0, [x], 1", "relaxed"},
             {"atomicCAS(x, 0, 1)", "atom.global.cas.b32 r0, [x], 0, 1", "relaxed"},
             {"*(volatile int*)x", "ld.volatile.global.u32 r0, [x]", "relaxed, of the scope `.sys`"},
             {"*(volatile int*)x = 1", "st.volatile.global.u32 [x], 1", "relaxed, of the scope `.sys`"},
             {"__pipeline_memcpy_async(t, x, 16)", "cp.async.cg.shared.global [t], [x], 16", "of 4 and 8 bytes: `.ca`"},
             {"__pipeline_commit()", "cp.async.commit_group", ""},
             {"__pipeline_wait_prior(1)", "cp.async.wait_group 1", "the thread's own copies alone"},
             {"__pipeline_arrive_on(&b)", "cp.async.mbarrier.arrive.shared.b64 [b]", ""},
             {"cudaGridDependencySynchronize()", "griddepcontrol.wait", ""},
             {"cudaTriggerProgrammaticLaunchCompletion()", "griddepcontrol.launch_dependents", ""},
         }},
        {"libcu++: atomics and fences",
         {
             {"a.load(cuda::memory_order_relaxed)", "ld.relaxed.gpu.b32 r0, [x]", ""},
             {"a.load(cuda::memory_order_acquire)", "ld.acquire.gpu.b32 r0, [x]", ""},
             {"a.load()", "fence.sc.gpu; ld.acquire.gpu.b32 r0, [x]", "`cuda::memory_order_seq_cst`"},
             {"a.store(1, cuda::memory_order_relaxed)", "st.relaxed.gpu.b32 [x], 1", ""},
             {"a.store(1, cuda::memory_order_release)", "st.release.gpu.b32 [x], 1", ""},
             {"a.store(1)", "fence.sc.gpu; st.relaxed.gpu.b32 [x], 1", "`cuda::memory_order_seq_cst`"},
             {"a.fetch_add(1, cuda::memory_order_relaxed)", "atom.add.relaxed.gpu.s32 r0, [x], 1", ""},
             {"a.fetch_add(1, cuda::memory_order_acquire)", "atom.add.acquire.gpu.s32 r0, [x], 1", ""},
             {"a.fetch_add(1, cuda::memory_order_release)", "atom.add.release.gpu.s32 r0, [x], 1", ""},
             {"a.fetch_add(1, cuda::memory_order_acq_rel)", "atom.add.acq_rel.gpu.s32 r0, [x], 1", ""},
             {"a.fetch_add(1)", "fence.sc.gpu; atom.add.acquire.gpu.s32 r0, [x], 1", "`cuda::memory_order_seq_cst`"},
             {"a.exchange(1, cuda::memory_order_acq_rel)", "atom.exch.acq_rel.gpu.b32 r0, [x], 1", ""},
             {"a.compare_exchange_strong(n, 1, cuda::memory_order_acq_rel)", "atom.cas.acq_rel.gpu.b32 r0, [x], r1, 1",
              "strong and weak alike"},
             {"a.wait(0, cuda::memory_order_acquire)", "ld.acquire.gpu.b32 r0, [x]", "again and again: in a test, `await`"},
             {"cuda::atomic_ref<int, cuda::thread_scope_thread>(*x).load(cuda::memory_order_acquire)", "ld.acquire.cta.b32 r0, [x]", ""},
             {"cuda::atomic_ref<int, cuda::thread_scope_block>(*x).load(cuda::memory_order_acquire)", "ld.acquire.cta.b32 r0, [x]", ""},
             {"cuda::atomic_ref<int, cuda::thread_scope_device>(*x).load(cuda::memory_order_acquire)", "ld.acquire.gpu.b32 r0, [x]", ""},
             {"cuda::atomic_ref<int, cuda::thread_scope_system>(*x).load(cuda::memory_order_acquire)", "ld.acquire.sys.b32 r0, [x]", ""},
             {"cuda::atomic_ref<int>(*x).load(cuda::memory_order_acquire)", "ld.acquire.sys.b32 r0, [x]",
              "no scope is the widest; `cuda::atomic` likewise"},
             {"cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device)", "fence.acq_rel.gpu",
              "`block`: `.cta`, `system`: `.sys`"},
             {"cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device)", "fence.sc.gpu", ""},
             {"cuda::atomic_thread_fence(cuda::memory_order_seq_cst)", "fence.sc.sys", "no scope is the widest"},
             {"cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device)", "fence.acq_rel.gpu", ""},
             {"cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device)", "fence.acq_rel.gpu", ""},
         }},
        {"libcu++: `cuda::barrier`, `cuda::pipeline`, `cuda::memcpy_async`",
         {
             {"init(&bar, 32)", "mbarrier.init.shared.b64 [b], 32", ""},
             {"bar.arrive()", "mbarrier.arrive.shared::cta.b64 s, [b], 1", "releases, of the scope `.cta`"},
             {"bar.wait(bar.arrive())", "mbarrier.arrive.shared::cta.b64 s, [b], 1; mbarrier.try_wait.shared.b64 p, [b], s",
              "again and again: in a test, `await`"},
             {"bar.arrive_and_wait()", "mbarrier.arrive.shared::cta.b64 s, [b], 1; mbarrier.try_wait.shared.b64 p, [b], s", ""},
             {"bar.wait_parity(false)", "mbarrier.try_wait.parity.shared.b64 p, [b], 0", "again and again"},
             {"bar.arrive_and_drop()", "mbarrier.arrive_drop.shared.b64 _, [b]", ""},
             {"cuda::device::barrier_expect_tx(bar, 64)", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], 64", ""},
             {"cuda::device::barrier_arrive_tx(bar, 1, 64)", "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 s, [b], 64", ""},
             {"cuda::memcpy_async(t, x, 4, bar)", "cp.async.ca.shared.global [t], [x], 4; cp.async.mbarrier.arrive.shared.b64 [b]",
              "where 4 bytes are known to be aligned"},
             {"cuda::memcpy_async(t, x, cuda::aligned_size_t<16>(64), bar)",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [x], 64, [b]; "
              "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], 64",
              "aligned to 16 bytes, on sm_90 and later"},
             {"cuda::device::memcpy_async_tx(t, x, cuda::aligned_size_t<16>(64), bar)",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [x], 64, [b]", ""},
             {"cuda::memcpy_async(t, x, cuda::aligned_size_t<16>(16), pipe)", "cp.async.cg.shared.global [t], [x], 16",
              "no bulk copy: a pipeline of one thread"},
             {"pipe.producer_commit()", "cp.async.commit_group", "`producer_acquire` and `consumer_release` are no instruction here"},
             {"cuda::pipeline_consumer_wait_prior<1>(pipe)", "cp.async.wait_group 1", ""},
         }},
        {"Cooperative groups",
         {
             {"cg::this_thread_block().sync()", "barrier.sync 0", ""},
             {"cg::tiled_partition<32>(cg::this_thread_block()).sync()", "bar.warp.sync 0xffffffff", ""},
             {"cg::this_cluster().sync()", "barrier.cluster.arrive; barrier.cluster.wait", ""},
             {"cg::this_cluster().barrier_arrive()", "barrier.cluster.arrive", "releases"},
             {"cg::this_cluster().barrier_wait()", "barrier.cluster.wait", "acquires"},
             {"*cg::this_cluster().map_shared_rank(t, 1) = 1", "mapa.u64 a, t, 1; st.u32 [a], 1", ""},
             {"cg::this_grid().sync()", "barrier.sync 0; atom.add.release.gpu.u32 r0, [x], 1; ld.acquire.gpu.u32 r1, [x]; barrier.sync 0",
              "one thread of each CTA adds, and loads again and again"},
             {"cg::memcpy_async(cg::this_thread_block(), t, x, 64)", "cp.async.ca.shared.global [t], [x], 4; cp.async.commit_group",
              "each thread copies a part"},
             {"cg::wait(cg::this_thread_block())", "cp.async.wait_group 0; barrier.sync 0", ""},
         }},
        {"`cuda::ptx`: the instruction of that name, its qualifiers as arguments",
         {
             {"ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu)", "fence.acq_rel.gpu", ""},
             {"ptx::fence_proxy_async()", "fence.proxy.async", ""},
             {"ptx::fence_proxy_async(ptx::space_shared)", "fence.proxy.async.shared::cta", ""},
             {"ptx::fence_proxy_alias()", "fence.proxy.alias", ""},
             {"ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)", "fence.mbarrier_init.release.cluster", ""},
             {"ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu)", "fence.proxy.tensormap::generic.release.gpu", ""},
             {"ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, tm, ptx::n32_t<128>())",
              "fence.proxy.tensormap::generic.acquire.gpu [tm], 128", ""},
             {"ptx::mbarrier_init(&b, 1)", "mbarrier.init.shared.b64 [b], 1", ""},
             {"ptx::mbarrier_arrive(&b)", "mbarrier.arrive.shared.b64 s, [b]", ""},
             {"ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &b)",
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]", ""},
             {"ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, 64)",
              "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 s, [b], 64", ""},
             {"ptx::mbarrier_try_wait_parity(&b, 0)", "mbarrier.try_wait.parity.shared::cta.b64 p, [b], 0", "it may return false"},
             {"ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &b, 0)",
              "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [b], 0", ""},
             {"ptx::mbarrier_test_wait_parity(&b, 0)", "mbarrier.test_wait.parity.shared.b64 p, [b], 0", ""},
             {"ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, t, x, 64, &b)",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [x], 64, [b]", ""},
             {"ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x, t, 64)",
              "cp.async.bulk.global.shared::cta.bulk_group [x], [t], 64", ""},
             {"ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, x, t, 64)",
              "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [x], [t], 64", ""},
             {"ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, t, tm, {0, 0}, &b)",
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [t], [tm, {0, 0}], [b]", ""},
             {"ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, tm, {0, 0}, t)",
              "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [t]", ""},
             {"ptx::cp_async_bulk_commit_group()", "cp.async.bulk.commit_group", ""},
             {"ptx::cp_async_bulk_wait_group(ptx::n32_t<0>())", "cp.async.bulk.wait_group 0", ""},
             {"ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>())", "cp.async.bulk.wait_group.read 0",
              "the sources have been read, no more"},
             {"ptx::st_async(t, 1, &b)", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [t], 1, [b]", ""},
             {"ptx::barrier_cluster_arrive(ptx::sem_relaxed)", "barrier.cluster.arrive.relaxed", ""},
             {"ptx::barrier_cluster_wait()", "barrier.cluster.wait", ""},
         }},
        {"CUTLASS and CuTe",
         {
             {"cutlass::arch::fence_view_async_shared()", "fence.proxy.async.shared::cta", ""},
             {"cutlass::arch::fence_barrier_init()", "fence.mbarrier_init.release.cluster", ""},
             {"cutlass::arch::ClusterBarrier::init(&b, 1)", "mbarrier.init.shared::cta.b64 [b], 1", ""},
             {"cutlass::arch::ClusterBarrier::arrive(&b)", "mbarrier.arrive.shared::cta.b64 _, [b]", ""},
             {"cutlass::arch::ClusterBarrier::arrive(&b, 1, true)",
              "mapa.shared::cluster.u32 a, b, 1; mbarrier.arrive.shared::cluster.b64 _, [a]", "at the object of CTA 1"},
             {"cutlass::arch::ClusterBarrier::wait(&b, 0)", "mbarrier.try_wait.parity.shared::cta.b64 p, [b], 0",
              "again and again: in a test, `await`"},
             {"cutlass::arch::ClusterBarrier::try_wait(&b, 0)", "mbarrier.try_wait.parity.shared::cta.b64 p, [b], 0",
              "it may return false"},
             {"cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&b, 64)",
              "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 64", ""},
             {"cutlass::arch::ClusterTransactionBarrier::expect_transaction(&b, 64)", "mbarrier.expect_tx.shared::cta.b64 [b], 64", ""},
             {"cutlass::arch::NamedBarrier::sync(128, 1u)", "bar.sync 9, 128", "CUTLASS keeps the first 8 numbers for itself"},
             {"cutlass::arch::NamedBarrier::arrive(128, 1u)", "bar.arrive 9, 128", ""},
             {"cutlass::arch::cpasync_barrier_arrive_noinc(&b)", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [b]", ""},
             {"cutlass::arch::wait_on_dependent_grids()", "griddepcontrol.wait", "nothing unless `CUTLASS_ENABLE_GDC_FOR_SM90` is defined"},
             {"cutlass::arch::launch_dependent_grids()", "griddepcontrol.launch_dependents", "likewise"},
             {"cute::cluster_sync()", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned", ""},
             {"cute::cluster_arrive_relaxed()", "barrier.cluster.arrive.relaxed.aligned", "publishes nothing"},
             {"cute::cluster_wait()", "barrier.cluster.wait.aligned", ""},
             {"cute::set_block_rank(n, 1)", "mapa.shared::cluster.u32 a, t, 1", ""},
             {"cute::cp_async_fence()", "cp.async.commit_group", "no fence"},
             {"cute::cp_async_wait<1>()", "cp.async.wait_group 1", ""},
             {"cute::tma_store_fence()", "fence.proxy.async.shared::cta", ""},
             {"cute::tma_store_arrive()", "cp.async.bulk.commit_group", "no arrival at an mbarrier object"},
             {"cute::tma_store_wait<0>()", "cp.async.bulk.wait_group.read 0", "the sources have been read, no more"},
             {"cute::SM90_TMA_LOAD::copy(tm, &b, 0, t, 0, 0)",
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [t], [tm, {0, 0}], [b], policy",
              ""},
             {"cute::SM90_TMA_STORE::copy(tm, t, 0, 0)", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [tm, {0, 0}], [t]", ""},
             {"cute::SM90_TMA_REDUCE_ADD::copy(tm, t, 0, 0)",
              "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [tm, {0, 0}], [t]", ""},
             {"cute::SM90_BULK_COPY_G2S::copy(x, &b, t, 64)",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [x], 64, [b]", ""},
             {"cute::SM90_BULK_COPY_S2G::copy(t, x, 64)", "cp.async.bulk.global.shared::cta.bulk_group [x], [t], 64", ""},
             {"cute::warpgroup_arrive()", "wgmma.fence.sync.aligned", "about registers alone"},
             {"cute::warpgroup_commit_batch()", "wgmma.commit_group.sync.aligned", ""},
             {"cute::warpgroup_wait<0>()", "wgmma.wait_group.sync.aligned 0", ""},
             {"cute::tma_descriptor_fence_release()", "fence.proxy.tensormap::generic.release.gpu", ""},
             {"cute::tma_descriptor_fence_acquire((const cute::TmaDescriptor*)tm)", "fence.proxy.tensormap::generic.acquire.gpu [tm], 128",
              ""},
         }},
        {"TileLang",
         {
             {"tl::mbarrier_init(b, 1)", "mbarrier.init.shared::cta.b64 [b], 1", ""},
             {"tl::mbarrier_arrive(b)", "mbarrier.arrive.shared::cta.b64 _, [b]", ""},
             {"tl::mbarrier_arrive_expect_tx(b, 64)", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 64", ""},
             {"tl::mbarrier_wait(b, 0)", "mbarrier.try_wait.parity.shared::cta.b64 p, [b], 0", "again and again: in a test, `await`"},
             {"tl::fence_proxy_async()", "fence.proxy.async.shared::cta", ""},
             {"tl::tma_store_arrive()", "cp.async.bulk.commit_group", ""},
             {"tl::tma_store_wait<0>()", "cp.async.bulk.wait_group.read 0", "the sources have been read, no more"},
         }},
    };
    return groups;
}

std::string cuda_of(std::string_view instruction) {
    const auto is_number = [](std::string_view text) {
        return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    const auto last_word = [](std::string_view text) { return text.substr(text.rfind(' ') + 1); };
    const std::string_view number = last_word(instruction);
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows) {
            std::string cuda(row.cuda);
            if (cuda.rfind("ptx::", 0) == 0)
                for (size_t at = 0; (at = cuda.find("ptx::", at)) != std::string::npos; at += 11) cuda.insert(at, "cuda::");
            if (row.ptx == instruction) return cuda;
            const std::string_view own = last_word(row.ptx);
            if (!is_number(number) || !is_number(own) || row.ptx.find(';') != std::string_view::npos) continue;
            if (row.ptx.substr(0, row.ptx.size() - own.size()) != instruction.substr(0, instruction.size() - number.size())) continue;
            const size_t at = cuda.find_last_of("0123456789");
            if (at == std::string::npos || own.size() != 1) continue;
            return cuda.replace(at, 1, number);
        }
    return {};
}

std::string_view cuda_name(const CudaRow& row) {
    return row.cuda.substr(0, row.cuda.find_first_of("(< ="));
}

std::vector<std::string_view> cuda_instructions(const CudaRow& row) {
    std::vector<std::string_view> instructions;
    for (size_t begin = 0; begin < row.ptx.size();) {
        const size_t end = std::min(row.ptx.find("; ", begin), row.ptx.size());
        instructions.push_back(row.ptx.substr(begin, end - begin));
        begin = end + 2;
    }
    return instructions;
}

std::string_view dotted_name(std::string_view instruction) {
    return instruction.substr(0, instruction.find(' '));
}

namespace {

// Whether the longer name is the shorter one in some namespace.
bool qualifies(std::string_view longer, std::string_view shorter) {
    if (longer.size() < shorter.size() || longer.substr(longer.size() - shorter.size()) != shorter) return false;
    const std::string_view before = longer.substr(0, longer.size() - shorter.size());
    return before.empty() || before.back() == ':';
}

// Whether the name is the row's, with more or fewer namespaces; of a member function (`a.load`), whatever the object is called.
bool is_named(const CudaRow& row, std::string_view name) {
    const std::string_view whole = cuda_name(row);
    if (qualifies(whole, name) || qualifies(name, whole)) return true;
    const size_t member = whole.find('.'), named = name.find('.');
    return member != std::string_view::npos && named != std::string_view::npos && whole.substr(member) == name.substr(named);
}

// The names and numbers of a line.
std::multiset<std::string_view> words_of(std::string_view line) {
    const auto is_of_word = [&](size_t at) { return std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_'; };
    std::multiset<std::string_view> words;
    for (size_t begin = 0; begin < line.size();) {
        size_t end = begin;
        while (end < line.size() && is_of_word(end)) ++end;
        if (end > begin) words.insert(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

// How many words two lines do not share.
size_t unlike(std::string_view one, std::string_view other) {
    const auto a = words_of(one), b = words_of(other);
    std::vector<std::string_view> differing;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(differing));
    return differing.size();
}

// A row without a name, `*(volatile int*)x`, is about its longest word.
bool has_longest_word(std::string_view pasted, std::string_view cuda) {
    const auto words = words_of(cuda);
    const auto longest = std::max_element(words.begin(), words.end(), [](auto a, auto b) { return a.size() < b.size(); });
    return longest != words.end() && words_of(pasted).count(*longest) > 0;
}

// Atomic operations other than the addition, of which the rows are.
struct AtomicOperation {
    std::string_view function, member;  // "atomicMin", "fetch_min"; empty: there is none
    std::string_view operation;         // "min"
    bool of_bits;                       // its types are .b32, not .u32 or .s32
    std::string_view operand;           // for the 1 that is added
};
constexpr std::array<AtomicOperation, 10> other_operations = {{
    {"atomicSub", "fetch_sub", "add", false, "-1"},
    {"atomicMin", "fetch_min", "min", false, "1"},
    {"atomicMax", "fetch_max", "max", false, "1"},
    {"atomicInc", "", "inc", false, "1"},
    {"atomicDec", "", "dec", false, "1"},
    {"atomicAnd", "fetch_and", "and", true, "1"},
    {"atomicOr", "fetch_or", "or", true, "1"},
    {"atomicXor", "fetch_xor", "xor", true, "1"},
    {"atomicExch", "", "exch", true, "1"},
    {"atomicCAS", "", "cas", true, "0, 1"},
}};

void replace(std::string& text, std::string_view old, std::string_view by) {
    if (const size_t at = text.find(old); at != std::string::npos) text.replace(at, old.size(), by);
}

// The line of an addition with another operation in it.
CudaAnswer with_operation(const CudaRow& addition, const AtomicOperation& other) {
    CudaAnswer line{std::string(addition.cuda), std::string(addition.ptx), std::string(addition.note)};
    replace(line.cuda, "atomicAdd", other.function);
    replace(line.cuda, "fetch_add", other.member);
    if (other.function == "atomicCAS") replace(line.cuda, ", 1)", ", 0, 1)");
    const std::string operation = "." + std::string(other.operation);
    for (std::string* ptx : {&line.ptx, &line.note}) {
        replace(*ptx, ".add", operation);
        for (const std::string_view type : {".u32", ".s32"})
            if (other.of_bits) replace(*ptx, type, ".b32");
        replace(*ptx, "[x], 1", "[x], " + std::string(other.operand));
    }
    return line;
}

std::vector<const CudaRow*> rows_named(std::string_view name) {
    std::vector<const CudaRow*> rows;
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows)
            if (is_named(row, name)) rows.push_back(&row);
    return rows;
}

}  // namespace

bool begins_in_ptx(std::string_view name) {
    const std::string_view first = name.substr(0, name.find('.'));
    return std::any_of(forms().begin(), forms().end(), [&](const Form& form) { return form.mnemonic_words.front() == first; });
}

std::vector<const CudaRow*> cuda_rows(std::string_view name) {
    if (name.empty() || begins_in_ptx(name)) return {};
    return rows_named(name);
}

std::vector<CudaAnswer> cuda_lines(std::string_view pasted) {
    std::vector<CudaAnswer> lines;
    const auto add = [&](const CudaRow& row) { lines.push_back({std::string(row.cuda), std::string(row.ptx), std::string(row.note)}); };
    const std::string_view name = pasted.substr(0, pasted.find_first_of("(< =;"));
    const size_t behind = std::min(pasted.find_first_not_of(' ', name.size()), pasted.size());
    const bool called = behind < pasted.size() && (pasted[behind] == '(' || pasted[behind] == '<');
    if (pasted.substr(0, 1) == "*") {
        for (const CudaGroup& group : cuda_groups())
            for (const CudaRow& row : group.rows)
                if (row.cuda.front() == '*' && has_longest_word(pasted, row.cuda)) add(row);
    } else if (!name.empty() && (called || !begins_in_ptx(name))) {
        for (const CudaRow* row : rows_named(name)) add(*row);
    }
    if (lines.empty())
        for (const AtomicOperation& other : other_operations) {
            const std::string function(other.function), member = "." + std::string(other.member);
            const bool is_member = member.size() > 1 && name.size() > member.size() && name.substr(name.size() - member.size()) == member;
            if (!is_member && name.substr(0, function.size()) != function) continue;
            const std::string suffix(is_member ? "" : name.substr(function.size()));  // "_block"
            for (const CudaRow* row : rows_named(is_member ? "a.fetch_add" : "atomicAdd" + suffix))
                lines.push_back(with_operation(*row, other));
        }
    std::stable_sort(lines.begin(), lines.end(),
                     [&](const CudaAnswer& a, const CudaAnswer& b) { return unlike(a.cuda, pasted) < unlike(b.cuda, pasted); });
    return lines;
}

std::string cuda_hint(std::string_view pasted) {
    constexpr size_t shown = 3;
    const std::vector<CudaAnswer> lines = cuda_lines(pasted);
    if (lines.empty()) return {};
    std::string hint = "that is CUDA: ";
    for (size_t i = 0; i < std::min(lines.size(), shown); ++i) {
        hint += std::string(i == 0 ? "" : "; ") + "`" + lines[i].cuda + "` is `" + lines[i].ptx + "` in PTX";
        if (!lines[i].note.empty()) hint += " (" + lines[i].note + ")";
    }
    return hint + (lines.size() > shown ? "; more of them in litmus/language.md, \"Reading CUDA\"" : "");
}

std::string cuda_table() {
    std::string text = "| CUDA | PTX | |\n|---|---|---|\n";
    for (const CudaGroup& group : cuda_groups()) {
        text += "| *" + std::string(group.title) + "* | | |\n";
        for (const CudaRow& row : group.rows) {
            text += "| `" + std::string(row.cuda) + "` | ";
            std::string_view between;
            for (const std::string_view instruction : cuda_instructions(row)) {
                text += std::string(between) + "`" + std::string(instruction) + "`";
                between = "; ";
            }
            text += " | " + std::string(row.note) + (row.note.empty() ? "|\n" : " |\n");
        }
    }
    return text;
}

}  // namespace litmus
