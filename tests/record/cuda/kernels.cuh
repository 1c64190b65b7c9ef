// The kernels of these programs: each block takes its tile from its neighbour's thread. UNSYNCED leaves out what orders that.
#pragma once

constexpr int width = 64;

struct Job {
    const int* in;
    int* out;
    int add;
};

__device__ inline void shift_tile(const int* in, int* out, int add) {
    __shared__ int tile[width];
    tile[threadIdx.x] = in[blockIdx.x * width + threadIdx.x];  // @write
#ifndef UNSYNCED
    __syncthreads();
#endif
    out[blockIdx.x * width + threadIdx.x] = tile[(threadIdx.x + 33) % width] + add;  // @read
}

__global__ void shift(const int* in, int* out, int add) {
    shift_tile(in, out, add);
}

// The same with its arguments in a struct.
__global__ void shift_job(Job job) {
    shift_tile(job.in, job.out, job.add);
}

#define CHECK(call)                                                               \
    do {                                                                          \
        if (const auto result = (call); result != 0) {                            \
            std::printf("%s:%d: error %d\n", __FILE__, __LINE__, static_cast<int>(result)); \
            std::exit(1);                                                         \
        }                                                                         \
    } while (false)
