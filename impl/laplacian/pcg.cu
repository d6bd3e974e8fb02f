// Conjugate gradients with a graph Laplacian L, its vectors and scalars on the device.
//
// All vectors have n doubles, one per vertex. `vectors`, (3 n,), holds r, then y and z, the results of a triangular
// solve, which contain MISSING where it has yet to write. `rows` is the number of vertices without the ground; the
// ground, if there is one, is the last vertex, and 0 in p and z. What a launch writes to an array is read
// within that launch by the same kernel alone, and each element belongs to one thread.

#include "pcg_state.cuh"
#include "row_tasks.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

// The bits of a NaN that no arithmetic produces.
constexpr u64 MISSING = ~0ull;
// Entries that a lane has in flight.
constexpr u32 BATCH = 4;
constexpr u32 NO_ROW = (1u << 29) - 1u;

// lanes[b] = how many lanes of a warp take a row of bundle b, which is 32 rows of a matrix by rows: so many that a lane
// has `entries` entries on average, at most 32. A grid over the bundles of the rows begin, ..., end - 1.
extern "C" __global__ void pcg_lanes(const s64 *indptr, u32 begin, u32 end, u32 entries, int *lanes) {
    const u32 bundle = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 first = begin + 32u * bundle;
    if (first >= end) return;
    const u64 length = (u64)(indptr[min(first + 32u, end)] - indptr[first]);
    u32 wanted = 1u;
    while (wanted < 32u && length > (u64)wanted * entries * 32u) wanted <<= 1;
    lanes[bundle] = (int)wanted;
}

// The tasks of the same bundles, as many per bundle as it has lanes; those after the last row get rows beyond all
// others. after : (bundles,), inclusive sums of lanes.
extern "C" __global__ void pcg_tasks(const int *lanes, const s64 *after, u32 begin, u32 end, u32 *tasks) {
    const u32 bundle = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 first = begin + 32u * bundle;
    if (first >= end) return;
    const u32 wanted = (u32)lanes[bundle], rows = 32u / wanted;
    const u32 log = __popc(wanted - 1u);
    u32 *to = tasks + (after[bundle] - wanted);
    for (u32 i = 0u; i < wanted; i++) to[i] = (first + i * rows < end ? first + i * rows : NO_ROW) << 3 | log;
}

// y = L x, and state[PQ] = x.y. Warps take tasks in turn.
extern "C" __global__ void __launch_bounds__(256) pcg_product(
    const u32 *tasks, u32 count, const s64 *indptr, const int *indices, const double *weights, u32 rows,
    const double *x, double *y, double *state, double *sums, u32 *arrived) {
    if (state[DONE] != 0.0) return;
    const u32 lane = threadIdx.x & 31u, warps = gridDim.x * blockDim.x >> 5;
    double dot = 0.0;
    for (u32 t = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; t < count; t += warps) {
        const Task task = task_of(tasks[t]);
        const u32 row = task.first + lane / task.lanes, sub = lane & (task.lanes - 1u);
        const bool mine = row < rows;
        const s64 end = mine ? indptr[row + 1] : 0;
        const double own = mine ? x[row] : 0.0;
        double total = 0.0;
        for (s64 p = mine ? indptr[row] + sub : 0; p < end; p += BATCH * task.lanes) {
            double weight[BATCH], other[BATCH];
#pragma unroll
            for (u32 i = 0u; i < BATCH; i++) {
                const s64 at = p + (s64)i * task.lanes;
                weight[i] = at < end ? weights[at] : 0.0;
                other[i] = at < end ? x[indices[at]] : own;
            }
#pragma unroll
            for (u32 i = 0u; i < BATCH; i++) total += weight[i] * (own - other[i]);
        }
        total = lanes_sum(total, task.lanes);
        if (mine && sub == 0u) {
            y[row] = total;
            dot += own * total;
        }
    }
    if (grid_sum(dot, sums, arrived, dot)) state[PQ] = dot;
}

// p = z + beta p, with the ground left at 0.
extern "C" __global__ void __launch_bounds__(256)
    pcg_turn(const double *z, u32 rows, double *p, const double *state) {
    if (state[DONE] != 0.0) return;
    const double beta = state[RZ] / state[OLD];
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x)
        p[i] = z[i] + beta * p[i];
}

// x += alpha p and r -= alpha q; y and z are set to MISSING.
extern "C" __global__ void __launch_bounds__(256) pcg_step(
    const double *p, const double *q, u32 n, u32 rows, double *x, double *vectors, double *state, double *sums,
    u32 *arrived) {
    if (state[DONE] != 0.0) return;
    if (!(state[RZ] > 0.0 && state[PQ] > 0.0)) {
        if (blockIdx.x == 0u && threadIdx.x == 0u) state[DONE] = 2.0;
        return;
    }
    const double alpha = state[RZ] / state[PQ];
    u64 *bits = (u64 *)vectors;
    double rr = 0.0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        const double left = vectors[i] - alpha * q[i];
        x[i] += alpha * p[i];
        vectors[i] = left;
        bits[(u64)n + i] = bits[2ull * n + i] = MISSING;
        rr += left * left;
    }
    if (grid_sum(rr, sums, arrived, rr)) {
        state[RR] = rr;
        state[ITERATIONS] += 1.0;
        if (rr <= state[BOUND]) state[DONE] = 1.0;
    }
}

// r = b - q and state[RR] = r.r; y and z are set to MISSING.
extern "C" __global__ void __launch_bounds__(256) pcg_residual(
    const double *b, const double *q, u32 n, u32 rows, double *vectors, double *state, double *sums, u32 *arrived) {
    u64 *bits = (u64 *)vectors;
    double rr = 0.0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        const double left = b[i] - q[i];
        vectors[i] = left;
        bits[(u64)n + i] = bits[2ull * n + i] = MISSING;
        rr += left * left;
    }
    if (grid_sum(rr, sums, arrived, rr)) state[RR] = rr;
}

// state[RZ] = r.z, after a preconditioner that does not compute it.
extern "C" __global__ void __launch_bounds__(256)
    pcg_close(const double *r, const double *z, u32 rows, double *state, double *sums, u32 *arrived) {
    if (state[DONE] != 0.0) return;
    double rz = 0.0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) rz += r[i] * z[i];
    if (grid_sum(rz, sums, arrived, rz)) close_application(state, rz);
}
