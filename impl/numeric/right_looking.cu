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
// Levels that go together (rl_levels) are searched. Where a thread's first updates of a level stand does not depend
// on values: it looks that up while it waits for the level before, so that between two levels there are one round of
// loads and one of atomic additions.
//
// Compile-time: REAL, float or double.

#include "grid_barrier.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef REAL real;

constexpr u32 ALL = 0xFFFFFFFFu;
constexpr u32 THREADS = 1024;
// One block does a level alone, the others waiting, if it has at most so many columns and updates.
constexpr u32 FEW_COLUMNS = 64, FEW_UPDATES = 4096;
// Updates that a thread has under way in rl_levels.
constexpr u32 AHEAD = 2;

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

__device__ __forceinline__ bool is_small(real pivot, real least) { return fabs(pivot) < least; }

__device__ __forceinline__ real replaced(real pivot, real least) {
    return is_small(pivot, least) ? (pivot < (real)0 ? -least : least) : pivot;
}

__device__ __forceinline__ Column column_of(const Matrix &m, u32 j) {
    Column c;
    c.down = m.lower_start[j];
    c.right = m.upper_start[j] + 1;
    c.length = (u32)(m.columns[j + 1] - c.down);
    c.sub_columns = (u32)(m.rows[j + 1] - c.right);
    c.pivot = replaced(m.values[c.down - 1], m.least);
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

__device__ __forceinline__ Target target_of(const Matrix &m, const Column &c, u32 s) {
    const long long place = m.to_column[c.right + s];
    Target target;
    target.at = place + 1;
    target.length = (u32)(m.columns[m.row_columns[c.right + s] + 1] - target.at);
    target.factor = m.values[place] / c.pivot;
    return target;
}

__device__ __forceinline__ void update(const Matrix &m, const Column &c, const Target &target, u32 t) {
    const long long first = target.at + t;
    const u32 slack = target.length - c.length;
    const u32 behind = slack ? find(m.column_rows + first, slack + 1, m.column_rows[c.down + t]) : 0u;
    atomicAdd(m.values + first + behind, -(m.values[c.down + t] * target.factor));
}

// The block's share of a column: sub-columns part, part + parts, ..., each by `share` warps, whose lanes take its
// entries in turn. share: 1 or all warps. scratch: null, or the block's n words holding column j.
__device__ __forceinline__ void sub_columns(
    const Matrix &m, const Column &c, u32 part, u32 parts, u32 share, const real *scratch) {
    const u32 warps = blockDim.x / 32u, warp = threadIdx.x / 32u;
    const u32 rank = 32u * (warp % share) + (threadIdx.x & 31u), size = 32u * share;
    for (u32 s = part + parts * (warp / share); s < c.sub_columns; s += parts * (warps / share)) {
        const Target target = target_of(m, c, s);
        if (!scratch) {
            for (u32 t = rank; t < c.length; t += size) update(m, c, target, t);
            continue;
        }
        for (u32 t = rank; t < target.length; t += size) {
            const real value = scratch[m.column_rows[target.at + t]];
            if (value != (real)0) atomicAdd(m.values + target.at + t, -(value * target.factor));
        }
    }
}

// The same with the column spread over the block's scratch before and cleared from it afterwards.
__device__ __forceinline__ void dense_column(
    const Matrix &m, const Column &c, u32 part, u32 parts, u32 share, real *scratch) {
    if (part >= c.sub_columns || c.length == 0u) return;
    for (u32 t = threadIdx.x; t < c.length; t += blockDim.x)
        scratch[m.column_rows[c.down + t]] = m.values[c.down + t];
    __syncthreads();
    sub_columns(m, c, part, parts, share, scratch);
    __syncthreads();
    for (u32 t = threadIdx.x; t < c.length; t += blockDim.x) scratch[m.column_rows[c.down + t]] = (real)0;
    __syncthreads();
}

// Updates under way in a thread: of which entry of L, by which of U, where. upper : -1 for none.
struct Updates {
    long long upper[AHEAD], target[AHEAD];
    u32 t[AHEAD];
};

// A thread's share of a column: sub-columns and entries are dealt out together to the threads of a team. Of the
// column there is only what does not depend on values.
struct Share {
    long long down, right;
    u32 length, sub_columns;
    u32 s, t, whole, rest;  // the next update, and how far the one after it is
};

__device__ __forceinline__ Share share_of(const Matrix &m, u32 j, u32 rank, u32 size) {
    Share a;
    a.down = m.lower_start[j];
    a.right = m.upper_start[j] + 1;
    a.length = (u32)(m.columns[j + 1] - a.down);
    a.sub_columns = a.length ? (u32)(m.rows[j + 1] - a.right) : 0u;
    const u32 length = max(a.length, 1u);
    a.s = rank / length;
    a.t = rank % length;
    a.whole = size / length;
    a.rest = size % length;
    return a;
}

// The next updates of the share. All of them search at once, so that their loads are under way together.
__device__ __forceinline__ Updates next_of(const Matrix &m, Share &a) {
    Updates u;
    long long end[AHEAD];
    u32 length[AHEAD], longest = 0;
    int row[AHEAD];
#pragma unroll
    for (u32 r = 0; r < AHEAD; ++r) {
        u.upper[r] = -1;
        u.t[r] = a.t;
        if (a.s < a.sub_columns) {
            u.upper[r] = m.to_column[a.right + a.s];
            end[r] = m.columns[m.row_columns[a.right + a.s] + 1];
            row[r] = m.column_rows[a.down + a.t];
        }
        a.s += a.whole;
        a.t += a.rest;
        if (a.t >= a.length) {
            a.t -= a.length;
            a.s += 1;
        }
    }
#pragma unroll
    for (u32 r = 0; r < AHEAD; ++r) {
        u.target[r] = u.upper[r] + 1 + u.t[r];
        length[r] = u.upper[r] < 0 ? 1u : (u32)(end[r] - u.upper[r]) - a.length;
        longest = max(longest, length[r]);
    }
    while (longest > 1) {
#pragma unroll
        for (u32 r = 0; r < AHEAD; ++r) {
            const u32 half = length[r] >> 1;
            if (half && m.column_rows[u.target[r] + half] <= row[r]) u.target[r] += half;
            length[r] -= half;
        }
        longest -= longest >> 1;
    }
    return u;
}

// Other blocks have written values since the kernel began, which this multiprocessor may hold older. Volatile loads
// are L2's, and are not moved across a barrier.
__device__ __forceinline__ real latest(const real *value) { return *(const volatile real *)value; }

__device__ __forceinline__ void apply(const Matrix &m, const Share &a, const Updates &u) {
    if (u.upper[0] < 0) return;
    const real pivot = replaced(latest(m.values + a.down - 1), m.least);
    real upper[AHEAD], lower[AHEAD];
#pragma unroll
    for (u32 r = 0; r < AHEAD; ++r) {
        if (u.upper[r] < 0) continue;
        upper[r] = latest(m.values + u.upper[r]);
        lower[r] = latest(m.values + a.down + u.t[r]);
    }
#pragma unroll
    for (u32 r = 0; r < AHEAD; ++r)
        if (u.upper[r] >= 0) atomicAdd(m.values + u.target[r], -(lower[r] * (upper[r] / pivot)));
}

// What a thread does in a level: of columns k, k + teams, ..., of which `share` and `first` are of the first. A level
// that goes alone is block 0's.
struct Turn {
    const int *columns;
    u32 count, k, teams, rank, size;
    Share share;
    Updates first;
};

__device__ __forceinline__ bool is_alone(const long long *pointers, const u64 *work, u32 level) {
    return (u32)(pointers[level + 1] - pointers[level]) <= FEW_COLUMNS && work[level] <= FEW_UPDATES;
}

__device__ __forceinline__ Turn turn_of(
    const Matrix &m, const int *order, const long long *pointers, u32 level, bool alone) {
    Turn turn;
    turn.columns = order + pointers[level];
    turn.count = (u32)(pointers[level + 1] - pointers[level]);
    const u32 blocks = alone ? 1u : gridDim.x, in_block = blockDim.x / 32u;
    const u32 warp = blockIdx.x * in_block + threadIdx.x / 32u, warps = blocks * in_block;
    const u32 share = turn.count < warps ? warps / turn.count : 1u;
    turn.k = blockIdx.x < blocks ? warp / share : turn.count;
    turn.teams = warps / share;
    turn.rank = 32u * (warp % share) + (threadIdx.x & 31u);
    turn.size = 32u * share;
    if (turn.k >= turn.count) return turn;
    turn.share = share_of(m, (u32)turn.columns[turn.k], turn.rank, turn.size);
    turn.first = next_of(m, turn.share);
    return turn;
}

__device__ __forceinline__ void take(const Matrix &m, Turn &turn) {
    if (turn.k >= turn.count) return;
    apply(m, turn.share, turn.first);
    for (;;) {
        while (turn.share.s < turn.share.sub_columns) apply(m, turn.share, next_of(m, turn.share));
        turn.k += turn.teams;
        if (turn.k >= turn.count) return;
        turn.share = share_of(m, (u32)turn.columns[turn.k], turn.rank, turn.size);
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
        const Column c = column_of(m, (u32)order[first + k]);
        if (scratch)
            dense_column(m, c, part, parts, share, scratch + (u64)blockIdx.x * n);
        else
            sub_columns(m, c, part, parts, share, nullptr);
    }
}

// Levels `from` to `to` - 1, launched cooperatively. pointers : (depth + 1,), of the levels in `order`. work :
// (depth,), updates of each.
extern "C" __global__ void __launch_bounds__(THREADS, 1) rl_levels(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *to_column,
    const long long *columns, const long long *lower_start, const int *column_rows, real *values, real least,
    u32 n, const int *order, const long long *pointers, const u64 *work, u32 from, u32 to, u32 *arrived) {
    const Matrix m{rows, upper_start, row_columns, to_column, columns, lower_start, column_rows, values, least};
    u32 passed = 0;
    bool alone = is_alone(pointers, work, from);
    Turn turn = turn_of(m, order, pointers, from, alone);
    for (u32 level = from + 1; level < to; ++level) {
        take(m, turn);
        const bool was_alone = alone;
        alone = is_alone(pointers, work, level);
        const bool together = !(alone && was_alone);
        if (together) grid_arrive(arrived, passed);
        turn = turn_of(m, order, pointers, level, alone);
        if (together)
            grid_wait(arrived, passed);
        else
            __syncthreads();
    }
    take(m, turn);
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
