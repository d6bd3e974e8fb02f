// Right-looking factorisation by columns, level by level, as in GLU (Algorithm 2 of PPoPP'23).
//
// Column j: for each k > j with U[j,k] != 0 (a sub-column), for each i > j with L[i,j] != 0:
// A[i,k] -= A[i,j] * (U[j,k] / U[j,j]). The columns of a level may have sub-columns in common, which is why A[i,k]
// is updated atomically; none of them reads or writes another's column. L = A[:,j] / U[j,j] is left to rl_finish,
// after all levels: nothing in a level has to wait for a division then, however many blocks work on a column.
//
// A[i,k] is found in column k, sorted, in one of two ways. Search: L[:,j] is a part of column k below j, so that
// its t-th entry stands t to t + slack entries behind the first there, slack being how many more column k has; a
// binary search decides. Dense: a block spreads column j over n words of its own, zero elsewhere, and walks through
// column k below j. The block clears those words when it is done with column j.
//
// Compile-time: REAL, float or double.

#include "grid_barrier.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef REAL real;

constexpr u32 ALL = 0xFFFFFFFFu;
constexpr u32 THREADS = 1024;
// One block does a level alone, the others waiting, if it has at most so many columns and updates.
constexpr u32 FEW_COLUMNS = 64, FEW_UPDATES = 8192;

// What all blocks tell: the first columns with a zero pivot and with a value that is not finite (n: none), pivots
// replaced, updates.
enum { ZERO, NOT_FINITE, SMALL, UPDATES };

struct Matrix {
    const long long *rows, *upper_start;     // (n + 1,), (n,): F by rows, and where each row's diagonal stands
    const int *row_columns;
    const long long *to_column;              // where each entry of row_columns stands in column_rows
    const long long *columns, *lower_start;  // (n + 1,), (n,): F by columns, and where each column's L begins
    const int *column_rows;
    real *values;                            // parallel to column_rows
    real least;                              // pivots below it are replaced; 0: none
};

struct Column {
    long long down, right;  // of L[:,j] in column_rows, of the sub-columns in row_columns
    u32 length, sub_columns;
    real pivot;
};

// FRESH: other blocks have written values since the kernel began, which this multiprocessor may hold older.
template <bool FRESH>
__device__ __forceinline__ real load(const real *value) {
    return FRESH ? __ldcg(value) : *value;
}

__device__ __forceinline__ bool is_small(real pivot, real least) { return fabs(pivot) < least; }

__device__ __forceinline__ real replaced(real pivot, real least) {
    return is_small(pivot, least) ? (pivot < (real)0 ? -least : least) : pivot;
}

template <bool FRESH>
__device__ __forceinline__ Column column_of(const Matrix &m, u32 j) {
    Column c;
    c.down = m.lower_start[j];
    c.right = m.upper_start[j] + 1;
    c.length = (u32)(m.columns[j + 1] - c.down);
    c.sub_columns = (u32)(m.rows[j + 1] - c.right);
    c.pivot = replaced(load<FRESH>(m.values + c.down - 1), m.least);
    return c;
}

// How far behind `rows` the row stands, which is among the first `length` of them, ascending.
__device__ __forceinline__ u32 find(const int *rows, u32 length, int row) {
    u32 at = 0;
    while (length > 1) {
        const u32 half = length >> 1;
        if (rows[at + half] <= row) at += half;
        length -= half;
    }
    return at;
}

struct Target {
    long long at;  // below the diagonal of column j, in column k
    u32 length;
    real factor;
};

template <bool FRESH>
__device__ __forceinline__ Target target_of(const Matrix &m, const Column &c, u32 s) {
    const long long place = m.to_column[c.right + s];
    Target target;
    target.at = place + 1;
    target.length = (u32)(m.columns[m.row_columns[c.right + s] + 1] - target.at);
    target.factor = load<FRESH>(m.values + place) / c.pivot;
    return target;
}

template <bool FRESH>
__device__ __forceinline__ void update(const Matrix &m, const Column &c, const Target &target, u32 t) {
    const long long first = target.at + t;
    const u32 slack = target.length - c.length;
    const u32 behind = slack ? find(m.column_rows + first, slack + 1, m.column_rows[c.down + t]) : 0u;
    atomicAdd(m.values + first + behind, -(load<FRESH>(m.values + c.down + t) * target.factor));
}

// The block's share of a column: sub-columns part, part + parts, ..., each by `share` warps, whose lanes take its
// entries in turn. share: 1, all warps, or so many that all sub-columns go at once. scratch: null, or the block's n
// words holding column j.
template <bool FRESH>
__device__ __forceinline__ void sub_columns(
    const Matrix &m, const Column &c, u32 part, u32 parts, u32 share, const real *scratch) {
    const u32 warps = blockDim.x / 32u, warp = threadIdx.x / 32u;
    const u32 rank = 32u * (warp % share) + (threadIdx.x & 31u), size = 32u * share;
    for (u32 s = part + parts * (warp / share); s < c.sub_columns; s += parts * (warps / share)) {
        const Target target = target_of<FRESH>(m, c, s);
        if (!scratch) {
            for (u32 t = rank; t < c.length; t += size) update<FRESH>(m, c, target, t);
            continue;
        }
        for (u32 t = rank; t < target.length; t += size) {
            const real value = scratch[m.column_rows[target.at + t]];
            if (value != (real)0) atomicAdd(m.values + target.at + t, -(value * target.factor));
        }
    }
}

// The same with the column spread over the block's scratch before and cleared from it afterwards.
// share: 0 for as many warps a sub-column as there are.
template <bool FRESH>
__device__ __forceinline__ void dense_column(
    const Matrix &m, const Column &c, u32 part, u32 parts, u32 share, real *scratch) {
    if (part >= c.sub_columns || c.length == 0u) return;
    const u32 warps = blockDim.x / 32u, own = (c.sub_columns - part - 1u) / parts + 1u;
    if (share == 0u) share = own < warps ? warps / own : 1u;
    for (u32 t = threadIdx.x; t < c.length; t += blockDim.x)
        scratch[m.column_rows[c.down + t]] = load<FRESH>(m.values + c.down + t);
    __syncthreads();
    sub_columns<FRESH>(m, c, part, parts, share, scratch);
    __syncthreads();
    for (u32 t = threadIdx.x; t < c.length; t += blockDim.x) scratch[m.column_rows[c.down + t]] = (real)0;
    __syncthreads();
}

// A team's share of a column, sub-columns and entries dealt out together to its threads.
template <bool FRESH>
__device__ __forceinline__ void dealt(const Matrix &m, const Column &c, u32 rank, u32 size) {
    if (c.length == 0u) return;
    u32 s = rank / c.length, t = rank % c.length;
    const u32 whole = size / c.length, rest = size % c.length;
    while (s < c.sub_columns) {
        update<FRESH>(m, c, target_of<FRESH>(m, c, s), t);
        s += whole;
        t += rest;
        if (t >= c.length) {
            t -= c.length;
            s += 1;
        }
    }
}

// ||A||_1 of float64 values, as the bits of a float64, which order as the numbers do. A warp a column.
extern "C" __global__ void rl_norm(const long long *columns, const double *values, u32 n, u64 *norm) {
    const u32 j = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    if (j >= n) return;
    double sum = 0;
    for (long long p = columns[j] + (threadIdx.x & 31u); p < columns[j + 1]; p += 32) sum += fabs(values[p]);
    for (u32 d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL, sum, d);
    if ((threadIdx.x & 31u) == 0) atomicMax(norm, (u64)__double_as_longlong(sum));
}

// Updates of each level. work : (depth,), 0 before. A thread a column, in the order of the levels.
extern "C" __global__ void rl_work(
    const long long *rows, const long long *upper_start, const long long *columns, const long long *lower_start,
    const long long *pointers, const int *order, u32 depth, u32 n, u64 *work, u64 *status) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 place = min(at, n - 1);
    // The last level that begins at or before the column's place.
    u32 level = 0, length = depth;
    while (length > 1) {
        const u32 half = length >> 1;
        if (pointers[level + half] <= place) level += half;
        length -= half;
    }
    const u32 j = (u32)order[place];
    u64 updates = (u64)(rows[j + 1] - upper_start[j] - 1) * (u64)(columns[j + 1] - lower_start[j]);
    if (at >= n) updates = 0;
    const bool same = __all_sync(ALL, __shfl_sync(ALL, level, 0) == level);
    if (!same && updates) atomicAdd(work + level, updates);
    for (u32 d = 16; d > 0; d >>= 1) updates += __shfl_xor_sync(ALL, updates, d);
    if ((threadIdx.x & 31u) != 0) return;
    if (same) atomicAdd(work + level, updates);
    atomicAdd(status + UPDATES, updates);
}

// One level. parts : blocks a column. share : warps a sub-column. scratch : null, or (blocks, n), zero before and
// after.
extern "C" __global__ void __launch_bounds__(THREADS, 2) rl_level(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *to_column,
    const long long *columns, const long long *lower_start, const int *column_rows, real *values, real least,
    u32 n, const int *order, real *scratch, long long first, u32 count, u32 parts, u32 share) {
    const Matrix m{rows, upper_start, row_columns, to_column, columns, lower_start, column_rows, values, least};
    const u32 part = blockIdx.x % parts;
    for (u32 k = blockIdx.x / parts; k < count; k += gridDim.x / parts) {
        const Column c = column_of<false>(m, (u32)order[first + k]);
        if (scratch)
            dense_column<false>(m, c, part, parts, share, scratch + (u64)blockIdx.x * n);
        else
            sub_columns<false>(m, c, part, parts, share, nullptr);
    }
}

// Levels `from` to `to` - 1, launched cooperatively. What one block does alone is searched; with scratch, what all
// do is dense. pointers : (depth + 1,), of the levels in `order`. work : (depth,), updates of each.
extern "C" __global__ void __launch_bounds__(THREADS, 2) rl_levels(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *to_column,
    const long long *columns, const long long *lower_start, const int *column_rows, real *values, real least,
    u32 n, const int *order, real *scratch, const long long *pointers, const u64 *work, u32 from, u32 to,
    u32 *arrived) {
    const Matrix m{rows, upper_start, row_columns, to_column, columns, lower_start, column_rows, values, least};
    u32 passed = 0;
    bool was_alone = false;
    for (u32 level = from; level < to; ++level) {
        const int *const level_columns = order + pointers[level];
        const u32 count = (u32)(pointers[level + 1] - pointers[level]);
        const bool alone = count <= FEW_COLUMNS && work[level] <= FEW_UPDATES;
        if (alone && was_alone)
            __syncthreads();
        else if (level > from)
            grid_barrier(arrived, passed);
        was_alone = alone;
        if (alone && blockIdx.x > 0) continue;
        if (scratch && !alone) {
            const u32 parts = count < gridDim.x ? gridDim.x / count : 1u;
            for (u32 k = blockIdx.x / parts; k < count; k += gridDim.x / parts)
                dense_column<true>(m, column_of<true>(m, (u32)level_columns[k]), blockIdx.x % parts, parts, 0u,
                                   scratch + (u64)blockIdx.x * n);
            continue;
        }
        const u32 warps = (alone ? 1u : gridDim.x) * (blockDim.x / 32u);
        const u32 warp = blockIdx.x * (blockDim.x / 32u) + threadIdx.x / 32u;
        const u32 share = count < warps ? warps / count : 1u;
        for (u32 k = warp / share; k < count; k += warps / share)
            dealt<true>(m, column_of<true>(m, (u32)level_columns[k]), 32u * (warp % share) + (threadIdx.x & 31u),
                        32u * share);
    }
}

// The division, and what became of each column. A warp a column.
extern "C" __global__ void rl_finish(
    const long long *columns, const long long *lower_start, real *values, real least, u32 n, u64 *status) {
    const u32 j = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x & 31u;
    if (j >= n) return;
    const long long down = lower_start[j], end = columns[j + 1];
    const real found = values[down - 1], pivot = replaced(found, least);
    __syncwarp();
    bool finite = true;
    for (long long p = columns[j] + lane; p < end; p += 32) {
        real value = values[p];
        if (p >= down - 1) {
            value = p < down ? pivot : value / pivot;
            values[p] = value;
        }
        finite = finite && isfinite(value);
    }
    if (!__all_sync(ALL, finite) && lane == 0) atomicMin(status + NOT_FINITE, (u64)j);
    if (lane == 0 && pivot == (real)0) atomicMin(status + ZERO, (u64)j);
    if (lane == 0 && is_small(found, least)) atomicAdd(status + SMALL, 1ull);
}
