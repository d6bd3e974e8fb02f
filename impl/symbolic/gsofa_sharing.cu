// T3 supernodes of rows that lie on several GPUs: what each GPU publishes about its rows, and how it is used.
//
// Z. Li and others, GSoFA, Section 5. Other GPUs need two things about a row: its count in U, and which columns of the
// row's own chunk L holds. Worker w has a list of its rows, and two arrays in the order of that list:
//
//     counts   (rows,) u32    entries of U, the diagonal included
//     flags    (rows, words) u32   one bit per column of the chunk left of the diagonal; words = ceil(maxsup / 32)
//
// where : (n,) u64, worker << 32 | position in its list. Only the worker that has a row publishes it.

typedef unsigned int u32;
typedef unsigned long long u64;

// One thread per row. rows, start, lower, upper : (count,), the rows in `columns`, each ascending from `start`.
extern "C" __global__ void rows_publish(
    const int *columns, const int *rows, const long long *start, const long long *lower, const long long *upper,
    const u64 *where, u32 *counts, u32 *flags, u32 count, u32 maxsup, u32 words) {
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
        const u32 place = (u32)where[rows[k]];
        const int first = rows[k] / (int)maxsup * (int)maxsup;
        counts[place] = (u32)upper[k];
        u32 *own = flags + (u64)place * words;
        for (u32 w = 0; w < words; ++w) own[w] = 0u;
        // From the diagonal to the left: the columns of the chunk are the last ones of L.
        for (long long at = start[k] + lower[k] - 1; at >= start[k] && columns[at] >= first; --at) {
            const u32 bit = (u32)(columns[at] - first);
            own[bit >> 5] |= 1u << (bit & 31u);
        }
    }
}

// One block per chunk, in the two phases of t3.cu. chunks : (count,) to look at. counts, flags : (workers,) addresses
// of the workers' arrays, readable from this device. passed : words of dynamic shared memory, one bit per row.
extern "C" __global__ void shared_supernodes(
    const int *chunks, u32 count, const u64 *where, const u64 *counts, const u64 *flags, bool *starts, u32 n,
    u32 maxsup, u32 words) {
    extern __shared__ u32 passed[];
    for (u32 c = blockIdx.x; c < count; c += gridDim.x) {
        const u32 first = (u32)chunks[c] * maxsup;
        const u32 rows = min(maxsup, n - first);
        for (u32 w = threadIdx.x; w < words; w += blockDim.x) passed[w] = 0u;
        __syncthreads();
        for (u32 k = threadIdx.x; k < rows; k += blockDim.x) {
            if (k == 0) continue;
            const u64 own = where[first + k], before = where[first + k - 1];
            const u32 here = ((const u32 *)counts[own >> 32])[(u32)own];
            if (here + 1u == ((const u32 *)counts[before >> 32])[(u32)before]) atomicOr(&passed[k >> 5], 1u << (k & 31u));
        }
        __syncthreads();
        for (u32 k = threadIdx.x; k < rows; k += blockDim.x) {
            if (passed[k >> 5] >> (k & 31u) & 1u) continue;
            u32 leader = k;
            starts[first + k] = true;
            for (u32 next = k + 1; next < rows && (passed[next >> 5] >> (next & 31u) & 1u); ++next) {
                const u64 own = where[first + next];
                const u32 *held = (const u32 *)flags[own >> 32] + (u64)(u32)own * words;
                const bool joins = held[leader >> 5] >> (leader & 31u) & 1u;
                starts[first + next] = !joins;
                if (!joins) leader = next;
            }
        }
        __syncthreads();
    }
}
