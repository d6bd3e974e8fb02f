// z = (G D G^T)^+ r with ParAC's factor, without levels: an element is computed as soon as those that it needs are
// available. 1 / 0 counts as 0.
//
// `vectors`, (3 n,) doubles, is r, y and z, each by vertices. Down the triangle y_k = r_k - sum g_ki y_i, up the
// triangle z_k = y_k / d_k - sum g_ik z_i. Both are rows of one sparse matrix of `elements` rows, in an order in which
// they can be computed, each the dot product of its entries (position in vectors, factor) with the vectors: first the
// vertices 0, 1, ..., down - 1, then body - 1, ..., 0. The vertices from `body` on are the tail, where z = M y for a
// dense M: their rows have entries of the body only. The ground, vertex `down` if there is one, has no row, and z = 0.
//
// A value is its own flag: its place holds MISSING until it is written. It is one aligned word of 8 bytes, which needs
// no ordering with other values.

#include "pcg_state.cuh"
#include "row_tasks.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

constexpr u64 MISSING = ~0ull;
// Entries that a lane has in flight.
constexpr u32 BATCH = 4;

__device__ __forceinline__ bool is_missing(double value) { return (u64)__double_as_longlong(value) == MISSING; }

__device__ __forceinline__ bool gave_up(const double *state) { return ((const volatile double *)state)[DONE] != 0.0; }

// The end of a column without the ground, whose row would be the last.
__device__ __forceinline__ s64 column_end(const s64 *indptr, const int *indices, u32 column, u32 down) {
    const s64 end = indptr[column + 1];
    return end > indptr[column] && (u32)indices[end - 1] >= down ? end - 1 : end;
}

// The following kernels take G by columns, as ParAC stores it: indptr (n + 1,), indices and values (nnz,), with rows
// ascending in each column.

// For each entry in the columns of the body: its column; also counts the entries of each row. One thread per column.
extern "C" __global__ void tri_columns(
    const s64 *indptr, const int *indices, u32 body, int *column_of, int *row_lengths) {
    const u32 column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= body) return;
    for (s64 p = indptr[column]; p < indptr[column + 1]; p++) {
        column_of[p] = (int)column;
        atomicAdd(row_lengths + indices[p], 1);
    }
}

// The number of entries of each element. One thread per element.
extern "C" __global__ void tri_lengths(
    const s64 *indptr, const int *indices, u32 body, u32 down, const int *row_lengths, s64 *lengths) {
    const u32 element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= down + body) return;
    const u32 column = down + body - 1u - element;
    lengths[element] = 1 + (element < down ? (s64)row_lengths[element]
                                           : column_end(indptr, indices, column, down) - indptr[column]);
}

// The rows down. order : (entries,), the entries in the columns of the body by rows, columns ascending in each. One
// thread per entry, and one per row for its r_k.
extern "C" __global__ void tri_down(
    const int *indices, const double *values, u32 down, const s64 *order, u64 entries, const int *column_of, u32 n,
    const s64 *starts, int *places, double *factors) {
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < down) {
        places[starts[thread]] = (int)thread;
        factors[starts[thread]] = 1.0;
    }
    if (thread >= entries) return;
    const s64 p = order[thread];
    const u32 row = (u32)indices[p];
    if (row >= down) return;
    const u64 to = thread + row + 1u;
    places[to] = (int)(n + (u32)column_of[p]);
    factors[to] = -values[p];
}

// The rows up. One thread per column of the body.
extern "C" __global__ void tri_up(
    const s64 *indptr, const int *indices, const double *values, u32 body, u32 down, const double *diagonal, u32 n,
    const s64 *starts, int *places, double *factors) {
    const u32 column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= body) return;
    s64 to = starts[down + body - 1u - column];
    places[to] = (int)(n + column);
    factors[to++] = diagonal[column] != 0.0 ? 1.0 / diagonal[column] : 0.0;
    for (s64 p = indptr[column]; p < column_end(indptr, indices, column, down); p++, to++) {
        places[to] = (int)(2u * n + (u32)indices[p]);
        factors[to] = -values[p];
    }
}

// The tail's rows and columns of G into a unit matrix, (down - body, down - body) by rows. One thread per column.
extern "C" __global__ void tri_tail(
    const s64 *indptr, const int *indices, const double *values, u32 body, u32 down, double *dense) {
    const u32 column = body + blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= down) return;
    for (s64 p = indptr[column]; p < column_end(indptr, indices, column, down); p++)
        dense[(u64)((u32)indices[p] - body) * (down - body) + (column - body)] = values[p];
}

// The part of an element that a lane computes.
struct Share {
    s64 at, end;
    double total;
};

// Adds the available values, in order, up to the first that is missing.
__device__ __forceinline__ void add_found(
    Share &share, u32 lanes, const int *places, const double *factors, const volatile double *vectors) {
    while (share.at < share.end) {
        double factor[BATCH], value[BATCH];
#pragma unroll
        for (u32 i = 0u; i < BATCH; i++) {
            const s64 at = share.at + (s64)i * lanes;
            const bool there = at < share.end;
            factor[i] = there ? factors[at] : 0.0;
            value[i] = there ? vectors[places[at]] : 0.0;
        }
#pragma unroll
        for (u32 i = 0u; i < BATCH; i++) {
            if (is_missing(value[i])) return;
            share.total += factor[i] * value[i];
            share.at += lanes;
        }
    }
}

// The elements of tasks[begin], ..., tasks[end - 1]. Warps take them in turn, in that order. The launch is cooperative,
// so all warps are resident and the first missing element can always be computed. With `closing` state[RZ] = r.z, of
// which state[DENSE] is the tail's part. patience : attempts to read a missing value, after which a warp writes NaN
// and sets state[DONE]; then no warp waits for an element that it takes later. Only an invalid factor could make a warp
// wait for ever. Checking state[DONE] during the wait made the sweeps a fifth slower.
extern "C" __global__ void __launch_bounds__(256) tri_sweep(
    const u32 *tasks, u32 begin, u32 end, const s64 *starts, const int *places, const double *factors, u32 down,
    u32 elements, u32 n, volatile double *vectors, u32 closing, u32 patience, double *state, double *sums,
    u32 *arrived) {
    if (state[DONE] != 0.0) return;
    const u32 lane = threadIdx.x & 31u, warps = gridDim.x * blockDim.x >> 5;
    double dot = 0.0;
    for (u32 t = begin + ((blockIdx.x * blockDim.x + threadIdx.x) >> 5); t < end; t += warps) {
        const Task task = task_of(tasks[t]);
        const u32 element = task.first + lane / task.lanes, sub = lane & (task.lanes - 1u);
        const bool mine = element < (task.first < down ? down : elements);
        const u32 most = gave_up(state) ? 0u : patience;
        Share share = {mine ? starts[element] + sub : 0, mine ? starts[element + 1] : 0, 0.0};
        const u32 group = (task.lanes == 32u ? WARP : (1u << task.lanes) - 1u) << (lane - sub);
        bool waited_for = mine;
        for (u32 looks = 0u; __ballot_sync(WARP, waited_for) != 0u; looks++) {
            if (waited_for) add_found(share, task.lanes, places, factors, vectors);
            if (looks == most) {
                share.at = share.end;
                share.total = __longlong_as_double(0x7FF8000000000000ll);
                state[DONE] = 3.0;
            }
            const bool found = (__ballot_sync(WARP, share.at >= share.end) & group) == group;
            const double total = lanes_sum(share.total, task.lanes);
            if (!waited_for || !found) continue;
            waited_for = false;
            if (sub != 0u) continue;
            const u32 vertex = element < down ? element : elements - 1u - element;
            vectors[(element < down ? 1ull : 2ull) * n + vertex] = total;
            if (element >= down) dot += vectors[vertex] * total;
        }
    }
    if (closing != 0u && grid_sum(dot, sums, arrived, dot)) close_application(state, dot + state[DENSE]);
}

// z = M y on the tail, and state[DENSE] = its part of r.z. M : (wide, wide), by rows. Each warp takes rows in turn.
extern "C" __global__ void __launch_bounds__(256) tri_dense(
    const double *matrix, u32 wide, u32 body, u32 n, double *vectors, double *state, double *sums, u32 *arrived) {
    if (state[DONE] != 0.0) return;
    const u32 lane = threadIdx.x & 31u, warps = gridDim.x * blockDim.x >> 5;
    const double *y = vectors + n + body;
    double dot = 0.0;
    for (u32 row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row < wide; row += warps) {
        const double *entries = matrix + (u64)row * wide;
        double total = 0.0;
#pragma unroll 8
        for (u32 column = lane; column < wide; column += 32u) total += entries[column] * y[column];
        total = lanes_sum(total, 32u);
        if (lane == 0u) {
            vectors[2ull * n + body + row] = total;
            dot += vectors[body + row] * total;
        }
    }
    if (grid_sum(dot, sums, arrived, dot)) state[DENSE] = dot;
}
