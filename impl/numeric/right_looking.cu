// Right-looking factorisation by columns, level by level, as in GLU (Algorithm 2 of PPoPP'23).
//
// Column j: for each k > j with U[j,k] != 0 (a sub-column), for each i > j with L[i,j] != 0:
// A[i,k] -= A[i,j] * (U[j,k] / U[j,j]). The columns of a level may share sub-columns, so A[i,k] is updated atomically;
// none of them reads or writes another's column. L = A[:,j] / U[j,j] is left to rl_finish, after all levels: so nothing
// in a level has to wait for a division, however many blocks work on a column.
//
// A[i,k] is found in column k, whose rows are sorted, in one of two ways.
//
// Search. The rows of L[:,j] are a subset of the rows of column k below j. If column k has `slack` entries more there,
// the t-th entry of L[:,j] lies between positions t and t + slack. First guess: as far from the end of the column as in
// the previous sub-column, which is right within a supernode (in the first sub-column: position t). If the guess is
// wrong, a binary search follows.
//
// Dense. A block spreads column j over n words of its own, zero elsewhere, and walks through column k below j. It
// clears those words when it is done with j.
//
// Levels that run together (rl_levels) use the search and are divided into tiles: HEIGHT entries of L[:,j] per lane,
// for some of the column's sub-columns. The tiles of a level are distributed over all warps, regardless of their
// columns. Where a warp's first tile is, and where its updates go, does not depend on values, so that is looked up
// while waiting for the previous level: between two levels there is only one round of loads and one of atomic
// additions.
//
// Compile-time: REAL, float or double.

#include "grid_barrier.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef REAL real;

constexpr u32 ALL = 0xFFFFFFFFu;
// The most threads per block of rl_level and of rl_levels, which needs more registers.
constexpr u32 THREADS = 1024, BATCHED = 512;
// Block 0 runs a level alone, and the others wait, if it has at most this many columns and updates.
constexpr u32 FEW_COLUMNS = 16, FEW_UPDATES = 1024;
// Updates that a thread has in flight, in a level that runs by itself and in a tile. The most sub-columns of a tile,
// which the lanes look up, one each. Tiles per warp in a level with many updates.
constexpr u32 ROWS = 4, HEIGHT = 2, WIDEST = 32, TILES = 2;

// What the updates of a column need, in the order of the levels.
struct Dealt {
    long long down, right;
    u32 length, sub_columns;
};

// What all blocks report: the first columns with a zero pivot and with a value that is not finite (n: none), pivots
// replaced, updates.
enum { ZERO, NOT_FINITE, SMALL, UPDATES };

struct Matrix {
    const long long *rows, *upper_start;     // (n + 1,), (n,): F by rows, and the position of each row's diagonal
    const int *row_columns;
    const long long *to_column;              // the position of each entry of row_columns in column_rows
    const long long *columns, *lower_start;  // (n + 1,), (n,): F by columns, and where each column's L begins
    const int *column_rows;
    real *values;                            // parallel to column_rows
    real least;                              // pivots below it are replaced; 0: none
};

struct Column {
    long long down, right;  // where L[:,j] begins in column_rows, and its sub-columns in row_columns
    u32 length, sub_columns;
    real pivot;
};

// The modulus below which pivots are replaced: the fraction `small` of ||A||_1, whose bits rl_norm writes. It is no
// parameter, so that a captured graph of the launches serves other values too. small 0: no pivot is replaced.
__device__ __forceinline__ real least_of(double small, const u64 *norm) {
    return (real)(small * __longlong_as_double((long long)*norm));
}

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

// Where the rows of the entries t, t + stride, ... of L[:,j] are in a sub-column, whose part below row j has `slack`
// entries more: `behind` positions further. Entries beyond `length` repeat the last one. behind, slack_before : of any
// earlier sub-column, as a first guess. All entries are looked up together, so that their loads are in flight together.
template <u32 COUNT>
__device__ __forceinline__ void find(
    const int *rows, u32 slack, u32 slack_before, u32 t, u32 stride, u32 length, const int (&row)[COUNT],
    u32 (&behind)[COUNT]) {
    bool same = true;
#pragma unroll
    for (u32 r = 0; r < COUNT; ++r) {
        behind[r] += slack - slack_before;
        same = same && behind[r] <= slack && rows[min(t + stride * r, length - 1u) + behind[r]] == row[r];
    }
    if (__all_sync(ALL, same)) return;
#pragma unroll
    for (u32 r = 0; r < COUNT; ++r) behind[r] = 0;
    for (u32 left = slack + 1u; left > 1u;) {
        const u32 half = left >> 1;
#pragma unroll
        for (u32 r = 0; r < COUNT; ++r)
            if (rows[min(t + stride * r, length - 1u) + behind[r] + half] <= row[r]) behind[r] += half;
        left -= half;
    }
}

struct Target {
    long long at;  // below row j, in column k
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

// A team's share of a column: sub-columns s, s + step, ..., and of each the entries rank, rank + size, ... of L[:,j].
// The next sub-column is looked up before the current one is updated.
__device__ __forceinline__ void searched(const Matrix &m, const Column &c, u32 s, u32 step, u32 rank, u32 size) {
    if (s >= c.sub_columns) return;
    // The lanes of a warp stay together.
    for (u32 t = rank; t - (threadIdx.x & 31u) < c.length; t += ROWS * size) {
        int row[ROWS];
        real lower[ROWS];
        u32 behind[ROWS] = {};
#pragma unroll
        for (u32 r = 0; r < ROWS; ++r) {
            const long long entry = c.down + min(t + size * r, c.length - 1u);
            row[r] = m.column_rows[entry];
            lower[r] = m.values[entry];
        }
        Target next = target_of(m, c, s);
        u32 slack = next.length - c.length;
        for (u32 k = s; k < c.sub_columns; k += step) {
            const Target target = next;
            if (k + step < c.sub_columns) next = target_of(m, c, k + step);
            const u32 slack_before = slack;
            slack = target.length - c.length;
            find(m.column_rows + target.at, slack, slack_before, t, size, c.length, row, behind);
#pragma unroll
            for (u32 r = 0; r < ROWS; ++r)
                if (t + size * r < c.length)
                    atomicAdd(m.values + target.at + t + size * r + behind[r], -(lower[r] * target.factor));
        }
    }
}

// The same with L[:,j] spread over scratch; the entries walked through are those of the sub-columns.
__device__ __forceinline__ void walked(
    const Matrix &m, const Column &c, u32 s, u32 step, u32 rank, u32 size, const real *scratch) {
    if (s >= c.sub_columns) return;
    Target next = target_of(m, c, s);
    for (; s < c.sub_columns; s += step) {
        const Target target = next;
        if (s + step < c.sub_columns) next = target_of(m, c, s + step);
        for (u32 t = rank; t < target.length; t += ROWS * size) {
            real value[ROWS];
#pragma unroll
            for (u32 r = 0; r < ROWS; ++r)
                value[r] = scratch[m.column_rows[target.at + min(t + size * r, target.length - 1u)]];
#pragma unroll
            for (u32 r = 0; r < ROWS; ++r)
                if (value[r] != (real)0 && t + size * r < target.length)
                    atomicAdd(m.values + target.at + t + size * r, -(value[r] * target.factor));
        }
    }
}

// The block's share of a column: sub-columns part, part + parts, ..., each by `share` warps, whose lanes take its
// entries in turn. share: 1 or all warps. scratch: null, or the block's n words holding column j.
__device__ __forceinline__ void sub_columns(
    const Matrix &m, const Column &c, u32 part, u32 parts, u32 share, const real *scratch) {
    const u32 warps = blockDim.x / 32u, warp = threadIdx.x / 32u;
    const u32 rank = 32u * (warp % share) + (threadIdx.x & 31u), size = 32u * share;
    const u32 s = part + parts * (warp / share), step = parts * (warps / share);
    if (scratch)
        walked(m, c, s, step, rank, size, scratch);
    else
        searched(m, c, s, step, rank, size);
}

// The same with the column spread over the block's scratch first and cleared from it afterwards.
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

// A value that other blocks may have written since the kernel began, of which this multiprocessor may hold an older
// copy. Volatile loads read the L2 cache, and are not moved across a barrier.
__device__ __forceinline__ real latest(const real *value) { return *(const volatile real *)value; }

// The tiles of a level from the view of one warp. Columns are looked up 32 at a time, one per lane; tiles are numbered
// within those 32 columns, and the warp has the tiles `tile`, tile + warps, ...
struct Deal {
    const Dealt *columns;
    u32 count, first;  // columns of the level, and the first of the current 32
    u32 warps, width;  // warps that take part; sub-columns per tile
    u32 tile, total;   // the warp's next tile among those of the 32 columns, and the number of those
    Dealt column;      // the lane's column, the number of its tiles, and of those before them
    u32 before, tiles;
};

__device__ __forceinline__ u32 high_of(u32 length) { return (length + 32u * HEIGHT - 1u) / (32u * HEIGHT); }

__device__ __forceinline__ void look_up_columns(Deal &deal) {
    const u32 lane = threadIdx.x & 31u, k = deal.first + lane;
    deal.tiles = 0;
    if (k < deal.count) {
        deal.column = deal.columns[k];
        deal.tiles = high_of(deal.column.length) * ((deal.column.sub_columns + deal.width - 1u) / deal.width);
    }
    u32 sum = deal.tiles;
#pragma unroll
    for (u32 d = 1; d < 32u; d *= 2u) {
        const u32 below = __shfl_up_sync(ALL, sum, d);
        if (lane >= d) sum += below;
    }
    deal.before = sum - deal.tiles;
    deal.total = __shfl_sync(ALL, sum, 31);
}

// Whether the warp has another tile. Moves on to the tile's columns.
__device__ __forceinline__ bool has_tile(Deal &deal) {
    while (deal.tile >= deal.total) {
        deal.tile -= deal.total;
        deal.first += 32u;
        if (deal.first >= deal.count) return false;
        look_up_columns(deal);
    }
    return true;
}

// HEIGHT entries of L[:,j] per lane, 32 apart, from `t` on, where the last row stands in for rows beyond the end, and
// `width` sub-columns, one per lane: where U[j,k] is, and how many entries more than L[:,j] column k has below it.
// behind : as found in the first sub-column. width 0: no tile.
struct Tile {
    long long down, upper;
    u32 length, t, width, slack;
    int row[HEIGHT];
    u32 behind[HEIGHT];
};

__device__ __forceinline__ Tile next_tile(const Matrix &m, Deal &deal) {
    Tile tile;
    tile.width = 0;
    if (!has_tile(deal)) return tile;
    const u32 lane = threadIdx.x & 31u;
    const int owner = __ffs(__ballot_sync(ALL, deal.tile - deal.before < deal.tiles)) - 1;
    const u32 place = deal.tile - __shfl_sync(ALL, deal.before, owner);
    const long long right = __shfl_sync(ALL, deal.column.right, owner);
    const u32 sub_columns = __shfl_sync(ALL, deal.column.sub_columns, owner);
    tile.down = __shfl_sync(ALL, deal.column.down, owner);
    tile.length = __shfl_sync(ALL, deal.column.length, owner);
    const u32 high = high_of(tile.length), first = deal.width * (place / high);
    tile.t = 32u * HEIGHT * (place % high) + lane;
    tile.width = min(deal.width, sub_columns - first);
    const long long mine = right + first + min(lane, tile.width - 1u);
    tile.upper = m.to_column[mine];
    tile.slack = (u32)(m.columns[m.row_columns[mine] + 1] - tile.upper - 1) - tile.length;
#pragma unroll
    for (u32 r = 0; r < HEIGHT; ++r)
        tile.row[r] = m.column_rows[tile.down + min(tile.t + 32u * r, tile.length - 1u)];
    const u32 slack = __shfl_sync(ALL, tile.slack, 0);
    const int *const rows = m.column_rows + __shfl_sync(ALL, tile.upper, 0) + 1;
#pragma unroll
    for (u32 r = 0; r < HEIGHT; ++r) tile.behind[r] = 0;
    find(rows, slack, slack, tile.t, 32u, tile.length, tile.row, tile.behind);
    deal.tile += deal.warps;
    return tile;
}

__device__ __forceinline__ void apply(const Matrix &m, Tile &tile) {
    const real pivot = replaced(latest(m.values + tile.down - 1), m.least);
    const real mine = latest(m.values + tile.upper);
    real lower[HEIGHT];
#pragma unroll
    for (u32 r = 0; r < HEIGHT; ++r) lower[r] = latest(m.values + tile.down + min(tile.t + 32u * r, tile.length - 1u));
    const real factor = mine / pivot;
    u32 slack = __shfl_sync(ALL, tile.slack, 0);
    for (u32 s = 0; s < tile.width; ++s) {
        const long long upper = __shfl_sync(ALL, tile.upper, s);
        const real times = __shfl_sync(ALL, factor, s);
        const u32 slack_before = slack;
        slack = __shfl_sync(ALL, tile.slack, s);
        if (s > 0u)
            find(m.column_rows + upper + 1, slack, slack_before, tile.t, 32u, tile.length, tile.row, tile.behind);
#pragma unroll
        for (u32 r = 0; r < HEIGHT; ++r) {
            const u32 t = tile.t + 32u * r;
            if (t < tile.length) atomicAdd(m.values + upper + 1 + t + tile.behind[r], -(lower[r] * times));
        }
    }
}

// What a warp does in a level. A level that runs alone is run by block 0.
struct Turn {
    Deal deal;
    Tile first;
};

__device__ __forceinline__ bool is_alone(const long long *pointers, const u64 *work, u32 level) {
    return (u32)(pointers[level + 1] - pointers[level]) <= FEW_COLUMNS && work[level] <= FEW_UPDATES;
}

__device__ __forceinline__ Turn turn_of(
    const Matrix &m, const Dealt *dealt, const long long *pointers, const u64 *work, u32 level, bool alone) {
    Turn turn;
    Deal &deal = turn.deal;
    const u32 in_block = blockDim.x / 32u;
    deal.columns = dealt + pointers[level];
    deal.count = !alone || blockIdx.x == 0 ? (u32)(pointers[level + 1] - pointers[level]) : 0u;
    deal.first = 0;
    deal.tile = blockIdx.x * in_block + threadIdx.x / 32u;
    deal.warps = (alone ? 1u : gridDim.x) * in_block;
    // As wide as possible while each warp still has its TILES.
    const u64 width = work[level] / (TILES * 32u * HEIGHT * deal.warps);
    deal.width = (u32)min((u64)WIDEST, max((u64)1, width));
    deal.total = 0;
    turn.first.width = 0;
    if (deal.count == 0u) return turn;
    look_up_columns(deal);
    turn.first = next_tile(m, deal);
    return turn;
}

__device__ __forceinline__ void take(const Matrix &m, Turn &turn) {
    for (Tile tile = turn.first; tile.width > 0u; tile = next_tile(m, turn.deal)) apply(m, tile);
}

// ||A||_1 of float64 values, as the bits of a float64, which are ordered as the numbers are. One warp per column.
extern "C" __global__ void rl_norm(const long long *columns, const double *values, u32 n, u64 *norm) {
    const u32 j = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    if (j >= n) return;
    double sum = 0;
    for (long long p = columns[j] + (threadIdx.x & 31u); p < columns[j + 1]; p += 32) sum += fabs(values[p]);
    for (u32 d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(ALL, sum, d);
    if ((threadIdx.x & 31u) == 0) atomicMax(norm, (u64)__double_as_longlong(sum));
}

// The updates of each level, and its columns. work : (depth,), 0 before. dealt : (n,). One thread per column, in the
// order of the levels.
extern "C" __global__ void rl_work(
    const long long *rows, const long long *upper_start, const long long *columns, const long long *lower_start,
    const long long *pointers, const int *order, u32 depth, u32 n, Dealt *dealt, u64 *work, u64 *status) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 place = min(at, n - 1);
    // The last level that begins at or before this position.
    u32 level = 0, length = depth;
    while (length > 1) {
        const u32 half = length >> 1;
        if (pointers[level + half] <= place) level += half;
        length -= half;
    }
    const u32 j = (u32)order[place];
    Dealt column;
    column.down = lower_start[j];
    column.right = upper_start[j] + 1;
    column.length = (u32)(columns[j + 1] - column.down);
    column.sub_columns = (u32)(rows[j + 1] - column.right);
    if (at < n) dealt[at] = column;
    u64 updates = at < n ? (u64)column.sub_columns * column.length : 0;
    const bool same = __all_sync(ALL, __shfl_sync(ALL, level, 0) == level);
    if (!same && updates) atomicAdd(work + level, updates);
    for (u32 d = 16; d > 0; d >>= 1) updates += __shfl_xor_sync(ALL, updates, d);
    if ((threadIdx.x & 31u) != 0) return;
    if (same) atomicAdd(work + level, updates);
    atomicAdd(status + UPDATES, updates);
}

// One level. parts : blocks per column. share : warps per sub-column. scratch : null, or (blocks, n), zero before and
// after.
extern "C" __global__ void __launch_bounds__(THREADS, 1) rl_level(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *to_column,
    const long long *columns, const long long *lower_start, const int *column_rows, real *values, double small,
    const u64 *norm, u32 n, const int *order, real *scratch, long long first, u32 count, u32 parts,
    u32 share) {
    const Matrix m{rows, upper_start, row_columns, to_column, columns, lower_start, column_rows,
                   values, least_of(small, norm)};
    const u32 part = blockIdx.x % parts;
    for (u32 k = blockIdx.x / parts; k < count; k += gridDim.x / parts) {
        const Column c = column_of(m, (u32)order[first + k]);
        if (scratch)
            dense_column(m, c, part, parts, share, scratch + (u64)blockIdx.x * n);
        else
            sub_columns(m, c, part, parts, share, nullptr);
    }
}

// Levels `from` to `to` - 1, launched cooperatively. pointers : (depth + 1,), of the levels in `dealt`. work :
// (depth,), updates per level.
extern "C" __global__ void __launch_bounds__(BATCHED, 2) rl_levels(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *to_column,
    const long long *columns, const long long *lower_start, const int *column_rows, real *values, double small,
    const u64 *norm, const Dealt *dealt, const long long *pointers, const u64 *work, u32 from, u32 to,
    u32 *arrived) {
    const Matrix m{rows, upper_start, row_columns, to_column, columns, lower_start, column_rows,
                   values, least_of(small, norm)};
    u32 passed = 0;
    bool alone = is_alone(pointers, work, from);
    Turn turn = turn_of(m, dealt, pointers, work, from, alone);
    for (u32 level = from + 1; level < to; ++level) {
        take(m, turn);
        const bool was_alone = alone;
        alone = is_alone(pointers, work, level);
        const bool together = !(alone && was_alone);
        if (together) grid_arrive(arrived, passed);
        turn = turn_of(m, dealt, pointers, work, level, alone);
        if (together)
            grid_wait(arrived, passed);
        else
            __syncthreads();
    }
    take(m, turn);
}

// The division, and the checks of each column. One warp per column.
extern "C" __global__ void rl_finish(
    const long long *columns, const long long *lower_start, real *values, double small, const u64 *norm, u32 n,
    u64 *status) {
    const u32 j = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x & 31u;
    if (j >= n) return;
    const real least = least_of(small, norm);
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
