// Rows of a sparse matrix distributed over warps, and sums over a grid.
//
// A task is what a warp takes at a time: 32 / lanes rows, each computed by `lanes` of its lanes, a power of two. It is
// stored in one word as first << 3 | log2(lanes), where first is its first row.

constexpr unsigned int WARP = 0xFFFFFFFFu;

struct Task {
    unsigned int first, lanes;
};

__device__ __forceinline__ Task task_of(unsigned int word) { return {word >> 3, 1u << (word & 7u)}; }

// The sum over groups of `lanes` lanes, in each of them.
__device__ __forceinline__ double lanes_sum(double value, unsigned int lanes) {
    for (unsigned int d = lanes >> 1; d > 0u; d >>= 1) value += __shfl_xor_sync(WARP, value, d);
    return value;
}

// The sum over a block of whole warps, in thread 0.
__device__ __forceinline__ double block_sum(double value) {
    __shared__ double warps[32];
    value = lanes_sum(value, 32u);
    __syncthreads();
    if ((threadIdx.x & 31u) == 0u) warps[threadIdx.x >> 5] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x >> 5 ? warps[threadIdx.x] : 0.0;
    return threadIdx.x < 32u ? lanes_sum(value, 32u) : 0.0;
}

// The sum over a grid. Returns true in exactly one thread, which has the total; it is in the last block to arrive, so
// it can read what the other blocks wrote before. Each thread of the grid calls it once. The order is always the same.
//
// sums : (gridDim.x,). arrived : a word, 0 before and after.
__device__ __forceinline__ bool grid_sum(double value, double *sums, unsigned int *arrived, double &total) {
    __shared__ bool last;
    value = block_sum(value);
    if (threadIdx.x == 0u) {
        sums[blockIdx.x] = value;
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1u;
    }
    __syncthreads();
    if (!last) return false;
    __threadfence();
    value = 0.0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) value += __ldcg(sums + i);
    total = block_sum(value);
    if (threadIdx.x == 0u) *arrived = 0u;
    return threadIdx.x == 0u;
}
