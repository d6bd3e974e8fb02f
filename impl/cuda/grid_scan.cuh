// Prefix sums over a block and over a grid, and sorting by a block. Blocks are whole warps.

constexpr unsigned int LANES = 0xFFFFFFFFu;

// The sum of `value` over the threads before this one, and over all in `total`. Each thread of the block calls it.
__device__ __forceinline__ long long block_scan(long long value, long long &total) {
    __shared__ long long sums[32];
    const unsigned int lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    long long through = value;
    for (unsigned int d = 1; d < 32u; d <<= 1) {
        const long long before = __shfl_up_sync(LANES, through, d);
        if (lane >= d) through += before;
    }
    if (lane == 31u) sums[warp] = through;
    __syncthreads();
    if (warp == 0u) {
        long long sum = lane < warps ? sums[lane] : 0;
        for (unsigned int d = 1; d < 32u; d <<= 1) {
            const long long before = __shfl_up_sync(LANES, sum, d);
            if (lane >= d) sum += before;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    total = sums[warps - 1u];
    const long long earlier = warp ? sums[warp - 1u] : 0;
    __syncthreads();  // The next call writes to sums.
    return earlier + through - value;
}

// An exclusive prefix sum in place over `length` entries, the total behind the last: scan_sums by every block, a
// barrier of the grid, scan_apply by every block. Block b has an equal share of the entries, the b-th.
//
// partial : (gridDim.x,), the sum of each block's share
__device__ __forceinline__ void scan_sums(const long long *array, long long length, long long *partial) {
    const long long from = length * blockIdx.x / gridDim.x, to = length * (blockIdx.x + 1ll) / gridDim.x;
    long long sum = 0, total;
    for (long long i = from + threadIdx.x; i < to; i += blockDim.x) sum += array[i];
    block_scan(sum, total);
    if (threadIdx.x == 0u) partial[blockIdx.x] = total;
}

__device__ __forceinline__ void scan_apply(long long *array, long long length, const long long *partial) {
    const long long from = length * blockIdx.x / gridDim.x, to = length * (blockIdx.x + 1ll) / gridDim.x;
    long long sum = 0, before;
    for (unsigned int b = threadIdx.x; b < blockIdx.x; b += blockDim.x) sum += partial[b];
    block_scan(sum, before);
    for (long long tile = from; tile < to; tile += blockDim.x) {
        const long long i = tile + threadIdx.x;
        long long total;
        const long long place = block_scan(i < to ? array[i] : 0, total);
        if (i < to) array[i] = before + place;
        before += total;
    }
    if (blockIdx.x == gridDim.x - 1u && threadIdx.x == 0u) array[length] = before;
}

// Sort ascending, by one block: the bitonic network whose comparators all point the same way, so that it may be cut
// off at any length.
__device__ __forceinline__ void block_compare(int *keys, unsigned int low, unsigned int high, unsigned int length) {
    if (high >= length) return;
    const int a = keys[low], b = keys[high];
    if (a > b) {
        keys[low] = b;
        keys[high] = a;
    }
}

// length : below 2^31
__device__ __forceinline__ void block_sort(int *keys, unsigned int length) {
    unsigned int half = 1;
    while (2u * half < length) half *= 2u;
    __syncthreads();
    for (unsigned int width = 1; width < length; width *= 2u) {
        for (unsigned int t = threadIdx.x; t < half; t += blockDim.x) {
            const unsigned int offset = t & (width - 1u), first = 2u * (t - offset);
            block_compare(keys, first + offset, first + 2u * width - 1u - offset, length);
        }
        __syncthreads();
        for (unsigned int step = width / 2u; step > 0u; step /= 2u) {
            for (unsigned int t = threadIdx.x; t < half; t += blockDim.x) {
                const unsigned int offset = t & (step - 1u), low = 2u * (t - offset) + offset;
                block_compare(keys, low, low + step, length);
            }
            __syncthreads();
        }
    }
}
