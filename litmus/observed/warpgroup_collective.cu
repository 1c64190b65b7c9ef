// Is wgmma collective? Whether a warp that has waited for its wgmma-group knows that the other three warps' parts of the instruction are
// complete, too, as far as an H100 or H200 shows it, in CUDA C++ and nothing else.
//
//     nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o warpgroup_collective warpgroup_collective.cu && ./warpgroup_collective
//     [seconds, 90] [all.tsv]
//
// The four warps of a warpgroup multiply A (ones) by B (ones), in one to four groups of one wgmma.mma_async each, every group with a B of
// its own. Warp 0 waits for the first group (wgmma.wait_group with as many pending as there are later ones) and writes twos into the first
// B, while some of the warps 1-3 come late. By the letter (PTX ISA 9.1, 9.7.15.7.3) a warp waits for its own part; if that were all, the
// late warps would multiply the twos. Each of their results is checked: old is 16 for every group, anything else has read some of the new
// B.
//
// Where the delay is: before wgmma.fence (cycles), or between it and wgmma.mma_async (nanoseconds of nanosleep). Who is late: warps 1-3
// together, or one of them alone. How B is written: by the lanes of warp 0 with st.shared and fence.proxy.async, or by a bulk copy that
// lane 0 issues and whose mbarrier it waits for. In the way, in half of the settings: four more warps of the CTA that load and store shared
// memory, and a second CTA on each multiprocessor that streams through L2.
//
// The first rows are the control: warp 0 does not wait, and the late warps must be seen to multiply the new B. Without that a zero says
// nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace {

constexpr int depth = 16;  // k: halves in a row of A, and in a column of B
constexpr int most_columns = 256;
constexpr uint32_t one = 0x3c003c00, two = 0x40004000;  // of half2
constexpr int matrix_bytes = most_columns * depth * 2;  // of the widest B
constexpr int line_words = 1 << 22;                     // of the array that the streaming CTAs walk through: 16 MiB, well inside L2

enum class Place { before_fence, before_multiply };
enum class Refill { stores, copy };

struct Setting {
    int columns, groups;
    Place place;
    Refill refill;
    int late_warps;  // bit w: warp w is late
    int cycles;
    bool traffic, waits;
};

struct Counts {
    unsigned long long old_b[4], new_b[4];  // by warp: rounds in which a lane's results were all of the old B, or not
};

__device__ uint32_t address(const void* shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// A matrix without swizzling, its core matrices one behind the other (9.7.15.5.1.2). All elements are alike, so that their order is no
// matter.
__device__ uint64_t descriptor(const void* shared) {
    return (uint64_t(address(shared) >> 4) & 0x3fff) | (uint64_t{8} << 16) | (uint64_t{8} << 32);
}

__device__ void delay(int cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

// The same without a branch, roughly: a branch between wgmma.fence and wgmma.mma_async has ptxas put another warpgroup.arrive behind it, at
// which the warps may meet.
__device__ void nap(int nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}

template <int columns>
__device__ void multiply(uint32_t (&d)[columns / 4], uint64_t a, uint64_t b, int adds);

template <>
__device__ void multiply<8>(uint32_t (&d)[2], uint64_t a, uint64_t b, int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %4, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 "
        "{%0, %1}, "
        "%2, %3, adds, 1, 1, 0, 0; }"
        : "+r"(d[0]), "+r"(d[1])
        : "l"(a), "l"(b), "r"(adds)
        : "memory");
}

template <>
__device__ void multiply<64>(uint32_t (&d)[16], uint64_t a, uint64_t b, int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %18, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
        "%16, %17, adds, 1, 1, 0, 0; }"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]),
          "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
        : "l"(a), "l"(b), "r"(adds)
        : "memory");
}

template <>
__device__ void multiply<256>(uint32_t (&d)[64], uint64_t a, uint64_t b, int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, adds, 1, 1, 0, 0; }"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]),
          "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]),
          "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]),
          "+r"(d[30]), "+r"(d[31]), "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]),
          "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]), "+r"(d[49]),
          "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]),
          "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
        : "l"(a), "l"(b), "r"(adds)
        : "memory");
}

// Keeps the compiler from moving what it does with the registers past this place.
template <int registers>
__device__ void pin(uint32_t (&d)[registers]) {
    for (uint32_t& x : d) asm volatile("" : "+r"(x)::"memory");
}

template <int pending>
__device__ void wait_for_groups() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// All four warps; the barrier of the CTA is left to nobody.
__device__ void meet() {
    asm volatile("barrier.cta.sync 1, 128;" ::: "memory");
}

__device__ void fence() {
    asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ void fill(uint4* matrix, int words, uint32_t value, int first, int step) {
    for (int i = first; i < words / 4; i += step) {
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(address(matrix + i)), "r"(value) : "memory");
    }
}

__device__ void copy(uint4* matrix, const uint32_t* twos, int bytes, uint64_t* barrier, int parity) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(matrix)),
                 "l"(twos), "r"(bytes), "r"(address(barrier))
                 : "memory");
    asm volatile(
        "{ .reg .pred done;\n"
        "AGAIN: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN; }" ::"r"(address(barrier)),
        "r"(parity)
        : "memory");
}

// A CTA that does nothing but stream through L2, until the others are done.
__device__ void stream(uint32_t* lines, const volatile int* done, int workers) {
    const long long start = clock64();
    uint32_t at = (blockIdx.x * 65537U + threadIdx.x * 8U) % line_words, sum = 0;
    while (*done < workers && clock64() - start < (1LL << 31)) {
        for (int i = 0; i < 64; ++i, at = (at + 8192U) % line_words) sum += __ldcg(lines + at);
        __stcg(lines + at, sum);
    }
}

// Warps that keep shared memory busy until the warpgroup is done.
__device__ void jostle(volatile uint32_t* words, const volatile int* over) {
    for (uint32_t i = threadIdx.x; *over == 0; ++i) words[i * 32 % 1024] = words[i * 33 % 1024] + 1;
}

template <int columns, int groups>
__device__ void rounds(const Setting& s, int count, const uint32_t* twos, Counts* counts, uint4* a, uint4 (*b)[columns * depth / 8],
                       uint64_t* barrier) {
    constexpr int words = columns * depth / 2;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned long long olds = 0, news = 0;
    uint32_t d[columns / 4] = {};
    for (int round = 0; round < count; ++round) {
        for (int g = 0; g < groups; ++g) fill(b[g], words, one, threadIdx.x, 128);
        fence();
        meet();
        const int cycles = (s.late_warps >> warp & 1) != 0 ? s.cycles + round * 7 % 64 : 0;
        pin(d);
        if (s.place == Place::before_fence && cycles != 0) delay(cycles);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        nap(s.place == Place::before_multiply ? cycles : 0);
        for (int g = 0; g < groups; ++g) {
            multiply<columns>(d, descriptor(a), descriptor(b[g]), g != 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        }
        if (warp == 0) {
            if (s.waits) wait_for_groups<groups - 1>();
            if (s.refill == Refill::stores) {
                fill(b[0], words, two, lane, 32);
                fence();
            } else if (lane == 0) {
                copy(b[0], twos, words * 4, barrier, round & 1);
            }
            __syncwarp();
        }
        wait_for_groups<0>();
        pin(d);
        bool old = true;
        for (const uint32_t x : d) old = old && x == (groups == 1 ? 0x4c004c00U : groups == 2 ? 0x50005000U : 0x54005400U);  // 16, 32, 64
        (__all_sync(~0U, old) ? olds : news) += 1;
        meet();
    }
    if (lane == 0) {
        atomicAdd(&counts->old_b[warp], olds);
        atomicAdd(&counts->new_b[warp], news);
    }
}

template <int columns, int groups>
__global__ void __launch_bounds__(256)
    run(Setting s, int count, const uint32_t* twos, uint32_t* lines, int* done, int workers, Counts* counts) {
    __shared__ __align__(1024) uint4 a[64 * depth / 8];
    __shared__ __align__(1024) uint4 b[groups][columns * depth / 8];
    __shared__ uint32_t busy[1024];
    __shared__ uint64_t barrier;
    __shared__ int over;
    if (blockIdx.x >= workers) return stream(lines, done, workers);
    if (threadIdx.x == 0) {
        over = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
    }
    fill(a, 64 * depth / 2, one, threadIdx.x, blockDim.x);
    fence();
    __syncthreads();
    if (threadIdx.x >= 128) return jostle(busy, &over);
    rounds<columns, groups>(s, count, twos, counts, a, b, &barrier);
    if (threadIdx.x == 0) {
        *reinterpret_cast<volatile int*>(&over) = 1;
        atomicAdd(done, 1);
    }
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

struct Device {
    int multiprocessors = 0;
    uint32_t *twos = nullptr, *lines = nullptr;
    int* done = nullptr;
    Counts* counts = nullptr;
};

Device prepare() {
    Device device;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "no device");
    std::printf("%s, %d multiprocessors\n", properties.name, properties.multiProcessorCount);
    device.multiprocessors = properties.multiProcessorCount;
    const std::vector<uint32_t> twos(matrix_bytes / 4, two);
    check(cudaMalloc(&device.twos, matrix_bytes), "memory");
    check(cudaMalloc(&device.lines, size_t{line_words} * 4), "memory");
    check(cudaMalloc(&device.done, sizeof(int)), "memory");
    check(cudaMalloc(&device.counts, sizeof(Counts)), "memory");
    check(cudaMemset(device.lines, 0, size_t{line_words} * 4), "memory");
    check(cudaMemcpy(device.twos, twos.data(), matrix_bytes, cudaMemcpyHostToDevice), "memory");
    return device;
}

template <int columns, int groups>
void launch(const Device& device, const Setting& s, int count) {
    const int workers = device.multiprocessors;
    run<columns, groups><<<s.traffic ? 2 * workers : workers, s.traffic ? 256 : 128>>>(s, count, device.twos, device.lines, device.done,
                                                                                       workers, device.counts);
}

using Launch = void (*)(const Device&, const Setting&, int);
struct Shape {
    int columns, groups;
    Launch launch;
};
constexpr Shape shapes[] = {{8, 1, launch<8, 1>},     {8, 2, launch<8, 2>},     {8, 4, launch<8, 4>},
                            {64, 1, launch<64, 1>},   {64, 2, launch<64, 2>},   {64, 4, launch<64, 4>},
                            {256, 1, launch<256, 1>}, {256, 2, launch<256, 2>}, {256, 4, launch<256, 4>}};

Counts measure(const Device& device, const Shape& shape, const Setting& s, double seconds) {
    const double cycles = 1.7e9 * seconds / (s.cycles + 3000 + shape.columns * shape.groups * 10);
    const int count = cycles < 20 ? 20 : static_cast<int>(cycles);
    Counts counts{};
    check(cudaMemset(device.done, 0, sizeof(int)), "memory");
    check(cudaMemset(device.counts, 0, sizeof(Counts)), "memory");
    shape.launch(device, s, count);
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(&counts, device.counts, sizeof(Counts), cudaMemcpyDeviceToHost), "memory");
    return counts;
}

std::vector<Setting> settings_of(const Shape& shape) {
    std::vector<Setting> settings;
    for (const bool waits : {false, true})
        for (const Place place : {Place::before_fence, Place::before_multiply})
            for (const Refill refill : {Refill::stores, Refill::copy})
                for (const bool traffic : {false, true})
                    for (const int late_warps : {0xe, 0x2, 0x4, 0x8})
                        for (const int cycles : {0, 30, 300, 1000, 5000, 20000})
                            if (waits || (late_warps == 0xe && cycles >= 1000))
                                settings.push_back({shape.columns, shape.groups, place, refill, late_warps, cycles, traffic, waits});
    return settings;
}

const char* name_of(Place place) {
    return place == Place::before_fence ? "wgmma.fence" : "mma_async";
}
const char* name_of(Refill refill) {
    return refill == Refill::stores ? "st.shared" : "bulk copy";
}

}  // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 90;
    std::FILE* all = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
    const Device device = prepare();
    size_t launches = 0;
    for (const Shape& shape : shapes) launches += settings_of(shape).size();
    if (all != nullptr)
        std::fprintf(all, "waits\tcolumns\tgroups\tlate before\trefill\tlate warps\tcycles\ttraffic\told 0-3\t\t\t\tnew 0-3\n");
    std::printf("results of warps 1-3, by what stands in the rows; delays of 0 to 20,000 cycles and all sets of late warps together\n");
    std::printf("%-12s %7s %6s  %-12s %-10s %-8s %15s %15s\n", "warp 0", "columns", "groups", "late before", "refill", "traffic", "old B",
                "new B");
    unsigned long long total_old = 0, total_new = 0, control_new = 0;
    for (const Shape& shape : shapes) {
        const std::vector<Setting> settings = settings_of(shape);
        for (size_t i = 0; i < settings.size();) {
            unsigned long long olds = 0, news = 0;
            const Setting row = settings[i];
            const auto key = [](const Setting& s) { return std::make_tuple(s.waits, s.place, s.refill, s.traffic); };
            for (; i < settings.size() && key(settings[i]) == key(row); ++i) {
                const Setting& s = settings[i];
                const Counts c = measure(device, shape, s, seconds / static_cast<double>(launches));
                for (int w = 1; w < 4; ++w) {
                    olds += c.old_b[w];
                    news += c.new_b[w];
                }
                if (all == nullptr) continue;
                std::fprintf(all, "%d\t%d\t%d\t%s\t%s\t%x\t%d\t%d", s.waits, s.columns, s.groups, name_of(s.place), name_of(s.refill),
                             s.late_warps, s.cycles, s.traffic);
                for (const auto& counts : {c.old_b, c.new_b})
                    for (int w = 0; w < 4; ++w) std::fprintf(all, "\t%llu", counts[w]);
                std::fprintf(all, "\n");
            }
            std::printf("%-12s %7d %6d  %-12s %-10s %-8s %15llu %15llu\n", row.waits ? "waits" : "(control)", row.columns, row.groups,
                        name_of(row.place), name_of(row.refill), row.traffic ? "yes" : "no", olds, news);
            (row.waits ? total_new : control_new) += news;
            total_old += row.waits ? olds : 0;
        }
    }
    std::printf("warp 0 waited: %llu of %llu results of warps 1-3 had some of the new B; without the wait (control): %llu\n", total_new,
                total_old + total_new, control_new);
    if (all != nullptr) std::fclose(all);
    return 0;
}
