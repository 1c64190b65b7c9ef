// A slot of shared memory that is refilled under its reader, as an H100 shows it, in CUDA C++ and nothing else.
//
//     nvcc -arch=sm_90 -o overwritten_slot overwritten_slot.cu && ./overwritten_slot [seconds of each cell, 1]
//
// A consumer warp and a producer thread share one slot, as in every pipeline of asynchronous copies. For each tile t the
//     consumer  waits on `full`; reads its words of the slot (ld.shared); arrives on `empty` (mbarrier.arrive, release.cta)
//     producer  waits on `empty` (mbarrier.try_wait, acquire.cta); refills the slot with tile t + 1 (cp.async.bulk, which
//               completes on `full`)
// The consumer compares what it read only after it has arrived. PTX ISA 9.1, section 9.7.13.15.16, item 4, says of a wait that
// returned true with acquire semantics that all memory accesses before the arrivals (release) of that phase are performed:
// a read should give tile t. The arrival does not wait until the load has its value, and the load may be answered after the
// copy has written: it then gives tile t + 1.
//
// Each row puts something between the four loads of each lane and the arrival, and has other warps of the CTA in the way: all
// their lanes access one bank of shared memory, by loads or by atomics, which keeps the consumer's loads waiting. Every tile has its
// own value, so that every read is checked. A branch waits for the value that it mentions only: on one of the four, it leaves
// three unprotected (ptxas 13.0 has that one loaded first).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int words = 128;         // of a tile: four for each lane of the consumer
constexpr int tiles = 64;          // in global memory; tile t holds t in all its words
constexpr int rounds = 20000;      // of a launch: tiles that pass through the slot of each CTA
constexpr uint32_t no_tile = ~0u;  // a value that no tile has

enum class Between { nothing, proxy_fence, fence, branch_on_one, branch, elected };

struct Row {
    Between between;
    const char* name;
};
constexpr Row rows[] = {
    {Between::nothing, "nothing; every lane arrives"},         {Between::elected, "__syncwarp(); one lane arrives"},
    {Between::branch_on_one, "a branch on one of the values"}, {Between::branch, "a branch on all values"},
    {Between::proxy_fence, "fence.proxy.async.shared::cta"},   {Between::fence, "fence.acq_rel.cta"},
};

struct Counts {
    unsigned long long reads, next, stale, other;  // of the next tile; of the one before; of none of these
};

__device__ uint32_t address(const void* shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

__device__ void init(uint64_t* barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
}

__device__ void wait(uint64_t* barrier, uint32_t parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "AGAIN: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN; }" ::"r"(address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ void arrive(uint64_t* barrier) {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ uint32_t load(const uint32_t* word) {
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address(word)) : "memory");
    return value;
}

__device__ void refill(uint32_t* slot, const uint32_t* tile, uint64_t* full) {
    const uint32_t bytes = words * sizeof(uint32_t);
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address(full)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(slot)), "l"(tile),
                 "r"(bytes), "r"(address(full))
                 : "memory");
}

// What keeps the consumer's loads waiting.
struct Crowd {
    int warps;
    bool atomics;  // rather than loads
    const char* name;
};
constexpr Crowd crowds[] = {
    {0, false, "nobody"}, {14, false, "14 warps, loads"}, {6, true, "6 warps, atomics"}, {14, true, "14 warps, atomics"}};

// The consumer's arrival, with what stands before it.
template <Between between>
__device__ void give_back(uint64_t* empty, const uint32_t (&read)[4], int lane) {
    if constexpr (between == Between::proxy_fence) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if constexpr (between == Between::fence) asm volatile("fence.acq_rel.cta;" ::: "memory");
    if constexpr (between == Between::branch || between == Between::branch_on_one) {
        const uint32_t value = between == Between::branch ? read[0] & read[1] & read[2] & read[3] : read[3];
        asm volatile(
            "{ .reg .pred p;\n"
            "setp.eq.u32 p, %0, %1;\n"
            "@p bra LEAVE;\n"
            "mbarrier.arrive.release.cta.shared::cta.b64 _, [%2];\n"
            "LEAVE: }" ::"r"(value),
            "r"(no_tile), "r"(address(empty))
            : "memory");
    } else if constexpr (between == Between::elected) {
        __syncwarp();
        if (lane == 0) arrive(empty);
    } else {
        arrive(empty);
    }
}

template <Between between>
__device__ void consume(const uint32_t* slot, uint64_t* full, uint64_t* empty, int lane, Counts* counts) {
    unsigned long long next = 0, stale = 0, other = 0;
    for (int t = 0; t < rounds; ++t) {
        wait(full, t & 1);
        uint32_t read[4];
        for (int k = 0; k < 4; ++k) read[k] = load(slot + lane + 32 * k);
        give_back<between>(empty, read, lane);
        for (int k = 0; k < 4; ++k) {  // the values are used only now
            if (read[k] == t % tiles) continue;
            if (read[k] == (t + 1) % tiles)
                ++next;
            else if (read[k] == (t + tiles - 1) % tiles)
                ++stale;
            else
                ++other;
        }
    }
    atomicAdd(&counts->reads, 4ull * rounds);
    atomicAdd(&counts->next, next);
    atomicAdd(&counts->stale, stale);
    atomicAdd(&counts->other, other);
}

// Warp 0 consumes, the first thread of warp 1 produces, the others are in the way.
template <Between between>
__global__ void pipeline(const uint32_t* global, bool atomics, Counts* counts) {
    __shared__ alignas(128) uint32_t slot[words];
    __shared__ alignas(8) uint64_t full, empty;
    __shared__ uint32_t crowded[32 * 32];
    __shared__ volatile bool over;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, between == Between::elected ? 1 : 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        over = false;
    }
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) crowded[i] = 0;
    __syncthreads();
    if (warp == 0) {
        consume<between>(slot, &full, &empty, lane, counts);
        over = true;
    } else if (warp == 1) {
        for (int t = 0; lane == 0 && t < rounds; ++t) {
            if (t > 0) wait(&empty, (t - 1) & 1);
            refill(slot, global + t % tiles * words, &full);
        }
    } else {
        uint32_t sum = 0;
        while (!over)
            for (int k = 0; k < 32; ++k) {
                uint32_t* const word = crowded + 32 * lane + (atomics ? 0 : (warp + k) % 32);
                sum += atomics ? atomicAdd(word, 0) : load(word);
            }
        if (sum != 0) counts->other = sum;  // never: they are all zero
    }
}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

void launch(Between between, const Crowd& crowd, int blocks, const uint32_t* global, Counts* counts) {
    const int threads = 64 + 32 * crowd.warps;
    switch (between) {
        case Between::nothing:
            return pipeline<Between::nothing><<<blocks, threads>>>(global, crowd.atomics, counts);
        case Between::proxy_fence:
            return pipeline<Between::proxy_fence><<<blocks, threads>>>(global, crowd.atomics, counts);
        case Between::fence:
            return pipeline<Between::fence><<<blocks, threads>>>(global, crowd.atomics, counts);
        case Between::branch_on_one:
            return pipeline<Between::branch_on_one><<<blocks, threads>>>(global, crowd.atomics, counts);
        case Between::branch:
            return pipeline<Between::branch><<<blocks, threads>>>(global, crowd.atomics, counts);
        case Between::elected:
            return pipeline<Between::elected><<<blocks, threads>>>(global, crowd.atomics, counts);
    }
}

// Launches for so many seconds and adds up what was read.
Counts measure(Between between, const Crowd& crowd, double seconds, int blocks, const uint32_t* global) {
    Counts* counts = nullptr;
    cudaEvent_t begin, end;
    check(cudaMallocManaged(&counts, sizeof(Counts)));
    *counts = {};
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    for (float spent = 0; spent < 1000 * seconds;) {
        check(cudaEventRecord(begin));
        launch(between, crowd, blocks, global, counts);
        check(cudaGetLastError());
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        spent += milliseconds;
    }
    const Counts result = *counts;
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    check(cudaFree(counts));
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    std::vector<uint32_t> words_of_tiles;
    for (int t = 0; t < tiles; ++t) words_of_tiles.insert(words_of_tiles.end(), words, static_cast<uint32_t>(t));
    uint32_t* global = nullptr;
    check(cudaMalloc(&global, words_of_tiles.size() * sizeof(uint32_t)));
    check(cudaMemcpy(global, words_of_tiles.data(), words_of_tiles.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    std::printf(
        "%s\n\n| between `ld.shared` and `mbarrier.arrive` | in the way | reads | next tile | stale | other |\n"
        "|---|---|---|---|---|---|\n",
        device.name);
    for (const Row& row : rows) {
        for (const Crowd& crowd : crowds) {
            const Counts seen = measure(row.between, crowd, seconds, device.multiProcessorCount, global);
            std::printf("| %s | %s | %.3g | %llu | %llu | %llu |\n", row.name, crowd.name, static_cast<double>(seen.reads), seen.next,
                        seen.stale, seen.other);
            std::fflush(stdout);
        }
    }
    return 0;
}
