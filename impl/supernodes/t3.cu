// T3 supernodes in two phases (GSoFA, Sections 2.2 and 5): one block per chunk of maxsup rows.
//
// Phase 1: every row tests whether U has one entry fewer than in the row before. A row that fails leads a supernode.
// Phase 2: each leader extends its supernode over the rows that passed, as long as L holds its first column. Where it
// does not, the same thread begins a new supernode and continues to the next leader.

typedef unsigned int u32;

__device__ bool holds(const int *indices, long long start, long long end, int column) {
    const long long stop = end;
    while (start < end) {
        const long long middle = (start + end) >> 1;
        if (indices[middle] < column)
            start = middle + 1;
        else
            end = middle;
    }
    return start < stop && indices[start] == column;
}

// passed : ceil(maxsup / 32) words of dynamic shared memory, one bit per row of the chunk.
extern "C" __global__ void t3_supernodes(
    const long long *indptr, const int *indices, const long long *upper_start, bool *starts, u32 n, u32 maxsup) {
    extern __shared__ u32 passed[];
    for (long long chunk = blockIdx.x; chunk * maxsup < n; chunk += gridDim.x) {
        const u32 first = (u32)(chunk * maxsup);
        const u32 rows = min(maxsup, n - first);
        for (u32 w = threadIdx.x; w < (maxsup + 31) / 32; w += blockDim.x) passed[w] = 0u;
        __syncthreads();
        for (u32 k = threadIdx.x; k < rows; k += blockDim.x) {
            const u32 row = first + k;
            const bool joins = k > 0 && indptr[row + 1] - upper_start[row] == indptr[row] - upper_start[row - 1] - 1;
            if (joins) atomicOr(&passed[k >> 5], 1u << (k & 31u));
        }
        __syncthreads();
        for (u32 k = threadIdx.x; k < rows; k += blockDim.x) {
            if (passed[k >> 5] >> (k & 31u) & 1u) continue;
            u32 leader = first + k;
            starts[leader] = true;
            for (u32 next = k + 1; next < rows && (passed[next >> 5] >> (next & 31u) & 1u); ++next) {
                const u32 row = first + next;
                const bool joins = holds(indices, indptr[row], upper_start[row], (int)leader);
                starts[row] = !joins;
                if (!joins) leader = row;
            }
        }
        __syncthreads();
    }
}
