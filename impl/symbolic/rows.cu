// From rows in the order in which they were finished to compressed sparse rows: one warp per row.

extern "C" __global__ void rows_gather(
    const int *columns, const long long *start, const long long *indptr, int *indices, unsigned int n) {
    const unsigned int lane = threadIdx.x & 31u;
    const unsigned int warps = gridDim.x * blockDim.x >> 5;
    for (unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row < n; row += warps) {
        const long long from = start[row];
        if (from < 0) continue;  // The row did not fit, and lies elsewhere.
        const long long to = indptr[row], length = indptr[row + 1] - to;
        for (long long k = lane; k < length; k += 32) indices[to + k] = columns[from + k];
    }
}
