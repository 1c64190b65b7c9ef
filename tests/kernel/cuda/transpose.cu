// A block of two dimensions transposes a tile.
extern "C" __global__ void transpose(const int* in, int* out) {
    __shared__ int tile[8][9];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[8 * y + x];  // @write
#ifndef UNSYNCED
    __syncthreads();
#endif
    out[8 * y + x] = tile[x][y];  // @read
}
