// A = L U on fronts: one kernel whose blocks take tasks in topological order and wait for those before.
//
// Pivots are eliminated by panels of 32. The block D on the diagonal is inverted (Gauss-Jordan, whose pivots are those
// of LU), and what is below and right of it is updated by tiles, A_IJ - (A_IK D^-1) A_KJ; each tile computes its own
// A_IK D^-1. With LU of D a tile would have to wait for two triangular solves instead of one product.
//
// Every value is a sum in an order that does not depend on who is first: the same input gives the same bits.
//
// All but the inverse is inlined: a call takes the kernel's parameters by their addresses, which cost 13 to 27 % of a
// factorisation on an H200.
//
// Writers: a front's values by the tasks of the front, one step after the other, a tile each; its counters by atomics.
// A task is done by a whole block; thread 0 waits and signals, with a barrier of the block on the inner side.
//
// REAL, TENSOR : as in front_tiles.cuh. SHARED : values that a block has in shared memory. RESIDENT : blocks on a
// multiprocessor. PIVOTING : whether rows are exchanged within a panel's diagonal block. INVERT : whether fronts of at most
// PANEL pivots become [A11^-1; A21 A11^-1] and A11^-1 A12 (front_parts.cuh)

#include "multifrontal.cuh"
#include "front_tiles.cuh"
#include "grid_barrier.cuh"
#include "visibility.cuh"

// Between columns, in values, so that a warp's accesses fall into different banks.
constexpr int TILE_LD = 68, PANEL_LD = 36;
#if PIVOTING
constexpr int DIAGONAL_LD = 33;
#endif
constexpr int UPDATE_DEPTH = 16, LEFT_LD = 132, RIGHT_LD = 20, STAGE = UPDATE_DEPTH * LEFT_LD + TILE * RIGHT_LD;
constexpr int STAGES = SHARED / STAGE > 4 ? 4 : SHARED / STAGE;
static_assert(STAGES >= 2 && SHARED >= 3 * PANEL * TILE_LD + PANEL * PANEL_LD, "too little shared memory");

// Words of the status, 0 at the launch: n less the first label without a pivot, n less the first whose pivot is not
// finite, pivots replaced.
enum Status { ZERO_PIVOT, NOT_FINITE, REPLACED };

struct Values {
    i64 n;
    const double *matrix;  // (nnz,) of A
    real *blocks, *factor;
    int *exchange;  // by label, with PIVOTING: the row of a small front that came to be the label's
    const double *small;   // what a pivot must not be smaller than in modulus, 0 for none
    u32 *status;
    u32 *ticket;           // by wave: tasks taken; 0 at the launch
    u32 *ready, *done;     // by front: signals of its children; its own tasks that are done; 0 at the launch
    u32 *early;            // by front: tasks of its first panel's columns that are done; 0 at the launch
};

__device__ __forceinline__ void wait_for(const u32 *counter, int needed) {
    for (int turn = 0; (int)acquire(counter) < needed; turn++)
        if (turn > 64) __nanosleep(20);
}

// The pivot as it is used: not smaller than `small` in modulus, unless it is no number.
__device__ __forceinline__ real large_enough(real pivot, real small, u32 *status, bool counts) {
    if (fabs(pivot) >= small || pivot != pivot) return pivot;
    if (counts) atomicAdd(status + REPLACED, 1u);
    return pivot < 0 ? -small : small;
}

// Notes a pivot that is zero, not a number, or too large or small to be divided by.
__device__ __forceinline__ void require_usable(real pivot, real inverse, u32 *status, u32 distance) {
    const real modulus = fabs(inverse);
    if (modulus > 0 && isfinite((double)modulus)) return;
    atomicMax(status + (pivot == 0 ? ZERO_PIVOT : NOT_FINITE), distance);
}

// The inverse of a w x w block, w <= 32, by Gauss-Jordan. A thread holds four columns of row `lane`, those from
// 4 warp on; beyond w the block is the identity. One barrier a pivot: the pivot's row and column are handed on by those
// who hold them as soon as they have updated them.
//
// room : 128 values of shared memory. distance : n less the label of the first pivot
__device__ __noinline__ void invert(real (&held)[4], real *room, int w, real small, u32 *status, u32 distance) {
    const int lane = threadIdx.x & 31, from = 4 * (threadIdx.x >> 5);
    real x[4] = {held[0], held[1], held[2], held[3]};
#if PIVOTING
    // Rows stay where they are: `taken` says which have been pivots, and the places are put right at the end.
    __shared__ int pivot_row[32];
    u32 taken = 0;
    int step_of = lane;
    for (int k = 0; k < w; k++) {
        if (from <= k && k < from + 4) {
            real best = x[0];
#pragma unroll
            for (int q = 1; q < 4; q++) best = k - from == q ? x[q] : best;
            room[32 + lane] = best;
            best = lane < w && !(taken >> lane & 1u) ? fabs(best) : (real)-1;
            int row = lane;
#pragma unroll
            for (int d = 16; d > 0; d >>= 1) {
                const real other = __shfl_xor_sync(WARP, best, d);
                const int place = __shfl_xor_sync(WARP, row, d);
                const bool better = other > best || (other == best && place < row);
                best = better ? other : best;
                row = better ? place : row;
            }
            if (lane == 0) pivot_row[k] = row;
        }
        __syncthreads();
        const int row = pivot_row[k];
        if (lane == row) {
            step_of = k;
#pragma unroll
            for (int q = 0; q < 4; q++) room[from + q] = x[q];
        }
        taken |= 1u << row;
        __syncthreads();
        const real pivot = large_enough(room[32 + row], small, status, threadIdx.x == 0);
        const real r = reciprocal(pivot), l = room[32 + lane] * r;
        if (threadIdx.x == 0) require_usable(pivot, r, status, distance - k);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const real u = room[from + q];
            const bool pivot_column = from + q == k;
            const real other = pivot_column ? -l : x[q] - l * u;
            x[q] = lane == row ? (pivot_column ? r : u * r) : other;
        }
        __syncthreads();
    }
    // Row `lane` is row step_of of the inverse, and column k its column pivot_row[k].
    real *block = room + 128;
    if (lane < w)
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (from + q < w) block[pivot_row[from + q] * DIAGONAL_LD + step_of] = x[q];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 4; q++) held[q] = lane < w && from + q < w ? block[(from + q) * DIAGONAL_LD + lane] : x[q];
    __syncthreads();
#else
    if (lane == 0)
#pragma unroll
        for (int q = 0; q < 4; q++) room[from + q] = x[q];
    if (from == 0) room[32 + lane] = x[0];
    __syncthreads();
    for (int four = 0; four < w; four += 4)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const int k = four + c, next = k + 1;
            if (k >= w) break;
            const real *now = room + 64 * (k & 1);
            real *then = room + 64 * (next & 1);
            const real pivot = large_enough(now[k], small, status, threadIdx.x == 0);
            const real r = reciprocal(pivot), l = now[32 + lane] * r;
            if (threadIdx.x == 0) require_usable(pivot, r, status, distance - k);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const real u = now[from + q];
                const real value = lane == k ? u * r : x[q] - l * u;
                x[q] = from + q == k ? (lane == k ? r : -l) : value;
            }
            if (next < w) {
                if (lane == next)
#pragma unroll
                    for (int q = 0; q < 4; q++) then[from + q] = x[q];
                if (from == (next & ~3)) then[32 + lane] = x[(c + 1) & 3];
            }
            __syncthreads();
        }
#pragma unroll
    for (int q = 0; q < 4; q++) held[q] = x[q];
#endif
}

// Values of a block for `invert`. at(i, j) : of row i and column j below w
template <class At>
__device__ __forceinline__ void hold(real (&held)[4], int w, const At &at) {
    const int i = threadIdx.x & 31, j = 4 * (threadIdx.x >> 5);
#pragma unroll
    for (int q = 0; q < 4; q++) held[q] = i < w && j + q < w ? at(i, j + q) : (real)(i == j + q);
}

template <class Put>
__device__ __forceinline__ void release(const real (&held)[4], int w, const Put &put) {
    const int i = threadIdx.x & 31, j = 4 * (threadIdx.x >> 5);
#pragma unroll
    for (int q = 0; q < 4; q++)
        if (i < w && j + q < w) put(i, j + q, held[q]);
}

// The diagonal block at pivot k of a front in global memory, inverted.
__device__ __forceinline__ void diagonal_of(const Maps &m, const Values &v, real *room, const Task &task, int k) {
    const int f = task.f, w = min(PANEL, task.s - k);
    const real *block = v.blocks + task.block;
    real *lower = v.factor + task.lower, held[4];
    hold(held, w, [&](int i, int j) { return block[k + i + (i64)(k + j) * f]; });
    invert(held, room, w, (real)*v.small, v.status, (u32)(v.n - m.first[task.front] - k));
    release(held, w, [&](int i, int j, real value) { lower[k + i + (i64)(k + j) * f] = value; });
}

// ---- fronts in global memory ----

// Columns [a, b) of a front: entries of A, then the children's columns in their order, a warp a column.
__device__ __forceinline__ void assemble(const Maps &m, const Values &v, real *shared, const Task &task) {
    constexpr int MOST = SHARED / WARPS;
    const int f = task.f, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool inside = f <= MOST;
    for (int c = task.a + warp; c < task.b; c += WARPS) {
        real *to = v.blocks + task.block + (i64)c * f, *column = inside ? shared + MOST * warp : to;
        const i64 at = slot(m, task.front) + c;
        i64 k = m.source_start[at];
        const i64 end = m.source_start[at + 1];
        Source source{};
        if (k < end) source = m.source[k];
        for (int i = lane; i < f; i += 32) column[i] = 0;
        __syncwarp();
        for (i64 q = m.entry_start[at] + lane; q < m.entry_start[at + 1]; q += 32)
            column[m.entry_place[q] & 0xFFFFu] = (real)v.matrix[m.entry_from[q]];
        __syncwarp();
        for (; k < end; k++) {
            const real *from = v.blocks + source.from;
            const int *place = m.place + source.entry, rows = source.rows;
            if (k + 1 < end) source = m.source[k + 1];
            int i = lane;
            for (; i + 96 < rows; i += 128) {
                int row[4];
                real value[4];
#pragma unroll
                for (int q = 0; q < 4; q++) row[q] = place[i + 32 * q], value[q] = from[i + 32 * q];
#pragma unroll
                for (int q = 0; q < 4; q++) value[q] += column[row[q]];
#pragma unroll
                for (int q = 0; q < 4; q++) column[row[q]] = value[q];
            }
            for (; i < rows; i += 32) column[place[i]] += from[i];
            __syncwarp();
        }
        if (inside)
            for (int i = lane; i < f; i += 32) to[i] = column[i];
        __syncwarp();
    }
    if (!task.k) return;
    // The last of the tasks with columns of the first panel inverts its diagonal block.
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        fence();
        last = (int)atomicAdd(v.early + task.front, 1u) == task.k - 1;
        fence();
    }
    __syncthreads();
    if (last) diagonal_of(m, v, shared, task, 0);
}

// 16 x 32 values of a front, those of `multiply`; where neither the row nor the column is before `limit` they are not
// looked at, and not written where both are before `spared`.
__device__ __forceinline__ void load_tile(real (&value)[4][4], const real *block, int f, int row, int column, int limit) {
#pragma unroll
    for (int n = 0; n < 4; n++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = row + 8 * (q >> 1), j = column + 8 * n + (q & 1);
            value[n][q] = i < f && j < f && (i < limit || j < limit) ? block[i + (i64)j * f] : 0;
        }
}

__device__ __forceinline__ void subtract_tile(const real (&value)[4][4], const real (&sum)[4][4], real *block, int f,
                                              int row, int column, int limit, int spared) {
#pragma unroll
    for (int n = 0; n < 4; n++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = row + 8 * (q >> 1), j = column + 8 * n + (q & 1);
            if (i < f && j < f && (i < limit || j < limit) && (i >= spared || j >= spared))
                block[i + (i64)j * f] = value[n][q] - sum[n][q];
        }
}

// 16 x 16 values of A11^-1 A12 of a front of one panel, by a warp. inverse : A11^-1. right : A12, whose rows lie `down`
// apart and columns `across`. Not inlined, since the kernel's registers are too few already
__device__ __noinline__ void put_product(
    real *upper, int s, int r, const real *inverse, int row, int column, const real *right, int down, int across) {
    const Lane mine = lane_of();
    real sum[2][4];
    clear(sum);
    multiply<PANEL>(sum, s, [&](int k, int i) { return inverse[k * PANEL_LD + min(row + i, s - 1)]; },
                    [&](int k, int j) { return right[k * down + min(column + j, r - 1) * across]; });
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = row + mine.row + 8 * (q >> 1), j = column + 8 * n + mine.column + (q & 1);
            if (i < s && j < r) upper[i + (i64)j * s] = sum[n][q];
        }
}

// A 64 x 64 tile after panel k: A_IK D^-1, A_KJ, and the update where the row or the column is before task.end.
__device__ __forceinline__ void tile(const Values &v, real *shared, const Task &task) {
    const int f = task.f, s = task.s, k0 = task.k, w = min(PANEL, s - k0), after = k0 + w;
    const int row0 = after + TILE * task.a, column0 = after + TILE * task.b;
    real *block = v.blocks + task.block, *lower = v.factor + task.lower, *upper = v.factor + task.upper;
    real *left = shared, *right = left + PANEL * TILE_LD, *scaled = right + PANEL * TILE_LD;
    real *inverse = scaled + PANEL * TILE_LD;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const Lane mine = lane_of();
    const int row = 16 * (warp & 3), column = 32 * (warp >> 2);
    {
        const int i = tid & 63, r = row0 + i;
#pragma unroll
        for (int q = 0; q < 8; q++) {
            const int k = (tid >> 6) + 4 * q;
            left[k * TILE_LD + i] = k < w && r < f ? block[r + (i64)(k0 + k) * f] : 0;
        }
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const int j = warp + 8 * q;
        inverse[j * PANEL_LD + lane] = lane < w && j < w ? lower[k0 + lane + (i64)(k0 + j) * f] : 0;
    }
#pragma unroll
    for (int q = 0; q < 8; q++) {
        const int j = warp + 8 * q;
        right[lane * TILE_LD + j] = lane < w && column0 + j < f ? block[k0 + lane + (i64)(column0 + j) * f] : 0;
    }
    real value[4][4], sum[4][4];
    load_tile(value, block, f, row0 + row + mine.row, column0 + column + mine.column, task.end);
    __syncthreads();
    {
        real half[2][4];
        const int first = 16 * (warp >> 2);
        clear(half);
        multiply<PANEL>(half, PANEL, [&](int k, int i) { return left[k * TILE_LD + row + i]; },
                        [&](int k, int j) { return inverse[(first + j) * PANEL_LD + k]; });
#pragma unroll
        for (int n = 0; n < 2; n++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                scaled[(first + 8 * n + mine.column + (q & 1)) * TILE_LD + row + mine.row + 8 * (q >> 1)] = half[n][q];
    }
    __syncthreads();
    if (row0 < task.end || column0 < task.end) {
        clear(sum);
        multiply<PANEL>(sum, PANEL, [&](int k, int i) { return scaled[k * TILE_LD + row + i]; },
                        [&](int k, int j) { return right[k * TILE_LD + column + j]; });
        // The next diagonal block is read meanwhile by the task NEXT_DIAGONAL, and by nobody later.
        const bool shares = task.type == TILE_BESIDE && task.a == 0 && task.b == 0;
        const int spared = shares ? after + min(PANEL, s - after) : 0;
        subtract_tile(value, sum, block, f, row0 + row + mine.row, column0 + column + mine.column, task.end, spared);
    }
    if (task.b == 0) {
        const int i = tid & 63;
        if (row0 + i < f)
            for (int k = tid >> 6; k < w; k += 4) lower[row0 + i + (i64)(k0 + k) * f] = scaled[k * TILE_LD + i];
    }
    if (task.a != 0) return;
    if (INVERT && s <= PANEL)
        return put_product(upper + (i64)(column0 - s) * s, s, min(TILE, f - column0), inverse, 16 * (warp & 1),
                           16 * (warp >> 1), right, TILE_LD, 1);
    if (lane < w)
        for (int j = warp; j < TILE; j += 8) {
            const int c = column0 + j;
            const real u = right[lane * TILE_LD + j];
            if (c < s) lower[k0 + lane + (i64)c * f] = u;
            else if (c < f) upper[k0 + lane + (i64)(c - s) * s] = u;
        }
}

// The diagonal block after panel k, updated and inverted beside the tiles of that panel.
__device__ __forceinline__ void next_diagonal(const Maps &m, const Values &v, real *shared, const Task &task) {
    const int f = task.f, s = task.s, k0 = task.k, w = min(PANEL, s - k0), k1 = k0 + w, w1 = min(PANEL, s - k1);
    const real *block = v.blocks + task.block;
    real *lower = v.factor + task.lower;
    real *left = shared, *right = left + PANEL * PANEL_LD, *inverse = right + PANEL * PANEL_LD;
    real *scaled = inverse + PANEL * PANEL_LD, *update = scaled + PANEL * PANEL_LD, *room = update + PANEL * PANEL_LD;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = 16 * (warp & 1), column = 8 * (warp >> 1);
    const Lane mine = lane_of();
    real held[4], sum[1][4];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const int j = warp + 8 * q;
        left[j * PANEL_LD + lane] = j < w && lane < w1 ? block[k1 + lane + (i64)(k0 + j) * f] : 0;
        right[j * PANEL_LD + lane] = lane < w && j < w1 ? block[k0 + lane + (i64)(k1 + j) * f] : 0;
        inverse[j * PANEL_LD + lane] = lane < w && j < w ? lower[k0 + lane + (i64)(k0 + j) * f] : 0;
    }
    hold(held, w1, [&](int i, int j) { return block[k1 + i + (i64)(k1 + j) * f]; });
    const auto put = [&](real *to) {
#pragma unroll
        for (int q = 0; q < 4; q++)
            to[(column + mine.column + (q & 1)) * PANEL_LD + row + mine.row + 8 * (q >> 1)] = sum[0][q];
        __syncthreads();
    };
    __syncthreads();
    clear(sum);
    multiply<PANEL>(sum, PANEL, [&](int k, int i) { return left[k * PANEL_LD + row + i]; },
                    [&](int k, int j) { return inverse[(column + j) * PANEL_LD + k]; });
    put(scaled);
    clear(sum);
    multiply<PANEL>(sum, PANEL, [&](int k, int i) { return scaled[k * PANEL_LD + row + i]; },
                    [&](int k, int j) { return right[(column + j) * PANEL_LD + k]; });
    put(update);
#pragma unroll
    for (int q = 0; q < 4; q++) held[q] -= update[(4 * warp + q) * PANEL_LD + lane];
    invert(held, room, w1, (real)*v.small, v.status, (u32)(v.n - m.first[task.front] - k1));
    release(held, w1, [&](int i, int j, real value) { lower[k1 + i + (i64)(k1 + j) * f] = value; });
}

// A 128 x 64 tile after the pivots [k, end): minus L U of the factor, whose columns come in through a ring of stages.
__device__ __forceinline__ void update(const Maps &m, const Values &v, real *shared, const Task &task) {
    const int f = task.f, s = task.s, row0 = task.end + UPDATE_ROWS * task.a, column0 = task.end + TILE * task.b;
    real *block = v.blocks + task.block;
    const real *lower = v.factor + task.lower, *upper = v.factor + task.upper;
    const int tid = threadIdx.x, warp = tid >> 5, row = 32 * (warp & 3), column = 32 * (warp >> 2);
    const Lane mine = lane_of();
    const int chunks = (task.end - task.k + UPDATE_DEPTH - 1) / UPDATE_DEPTH;
    real sum[2][4][4];
    clear(sum[0]);
    clear(sum[1]);
    const auto fetch = [&](int chunk) {
        if (chunk < chunks) {
            const int from = task.k + UPDATE_DEPTH * chunk;
            real *left = shared + chunk % STAGES * STAGE, *right = left + UPDATE_DEPTH * LEFT_LD;
            const int i = tid & 127, r = row0 + i;
#pragma unroll
            for (int q = 0; q < 8; q++) {
                const int k = (tid >> 7) + 2 * q;
                const bool in = from + k < task.end && r < f;
                copy_async(left + k * LEFT_LD + i, in ? lower + r + (i64)(from + k) * f : lower, in);
            }
            const int k = tid & 15;
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int j = (tid >> 4) + 16 * q, c = column0 + j;
                const bool in = from + k < task.end && c < f;
                const real *u = c < s ? lower + from + k + (i64)c * f : upper + from + k + (i64)(c - s) * s;
                copy_async(right + j * RIGHT_LD + k, in ? u : lower, in);
            }
        }
        commit_copies();
    };
    for (int chunk = 0; chunk < STAGES - 1; chunk++) fetch(chunk);
    for (int chunk = 0; chunk < chunks; chunk++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        fetch(chunk + STAGES - 1);
        const real *left = shared + chunk % STAGES * STAGE, *right = left + UPDATE_DEPTH * LEFT_LD;
#pragma unroll
        for (int half = 0; half < 2; half++)
            multiply<UPDATE_DEPTH>(sum[half], UPDATE_DEPTH,
                                   [&](int k, int i) { return left[k * LEFT_LD + row + 16 * half + i]; },
                                   [&](int k, int j) { return right[(column + j) * RIGHT_LD + k]; });
    }
    wait_for_copies<0>();
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int i = row0 + row + 16 * half + mine.row, j = column0 + column + mine.column;
        real value[4][4];
        load_tile(value, block, f, i, j, f);
        subtract_tile(value, sum[half], block, f, i, j, f, 0);
    }
    if (task.a || task.b || task.end >= s) return;
    __syncthreads();
    diagonal_of(m, v, shared, task, task.end);
}

// ---- smaller fronts: in a block's shared memory ----

// The children's contributions in their order: those of SHARED_CHILD rows and more by all warps, then the others.
__device__ __forceinline__ void add_children(const Maps &m, const Values &v, real *front, int stride, int number, void *room) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const i64 first = m.child_start[number], end = m.child_start[number + 1];
    i64 *from = (i64 *)room, *entry = from + 32;
    int *rows = (int *)(entry + 32), *strides = rows + 32;
    bool small = false;
    for (i64 group = first; group < end; group += 32) {
        const int count = (int)min((i64)32, end - group);
        if (warp == 0 && lane < count) {
            const int child = m.child[group + lane];
            from[lane] = m.handed_at[child];
            strides[lane] = m.handed_stride[child];
            entry[lane] = m.list_start[child];
            rows[lane] = listed(m, child);
        }
        __syncthreads();
        for (int c = 0; c < count; c++) {
            const int r = rows[c];
            if (r < SHARED_CHILD) {
                small = true;
                continue;
            }
            const real *block = v.blocks + from[c];
            const int *place = m.place + entry[c];
            for (int j = warp; j < r; j += WARPS) {
                real *column = front + place[j] * stride;
                for (int i = lane; i < r; i += 32) column[place[i]] += block[i + (i64)j * strides[c]];
            }
            __syncthreads();
        }
        __syncthreads();
    }
    if (!small) return;
    // A warp has every eighth column of the front, so that each value is added to in the children's order.
    for (i64 k = first; k < end; k++) {
        const int child = m.child[k], r = listed(m, child);
        if (r >= SHARED_CHILD) continue;
        const int step = m.handed_stride[child];
        const real *block = v.blocks + m.handed_at[child];
        const int mine = lane < r ? m.place[m.list_start[child] + lane] : 0;
        for (int j = 0; j < r; j++) {
            const int c = __shfl_sync(WARP, mine, j);
            if ((c & 7) == warp && lane < r) front[c * stride + mine] += block[lane + (i64)j * step];
        }
        __syncwarp();
    }
}

__device__ __forceinline__ void block_front(const Maps &m, const Values &v, real *shared, const Task &task) {
    const int f = task.f, s = task.s, r = f - s, stride = (f + 3) / 8 * 8 + 4, number = task.front;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const Lane mine = lane_of();
    real *inverse = shared, *room = inverse + PANEL * PANEL_LD;
#if PIVOTING
    real *front = room + 128 + PANEL * DIAGONAL_LD;
#else
    real *front = room + 160;
#endif
    for (int e = tid; e < stride * f; e += 256) front[e] = 0;
    __syncthreads();
    const i64 at = slot(m, number);
    for (i64 q = m.entry_start[at] + tid; q < m.entry_start[at + f]; q += 256) {
        const u32 place = m.entry_place[q];
        front[(place >> 16) * stride + (place & 0xFFFFu)] = (real)v.matrix[m.entry_from[q]];
    }
    __syncthreads();
    add_children(m, v, front, stride, number, inverse);
    __syncthreads();
    for (int k0 = 0; k0 < s; k0 += PANEL) {
        const int w = min(PANEL, s - k0), after = k0 + w;
        real held[4];
        hold(held, w, [&](int i, int j) { return front[(k0 + j) * stride + k0 + i]; });
        invert(held, room, w, (real)*v.small, v.status, (u32)(v.n - m.first[number] - k0));
        release(held, w, [&](int i, int j, real value) {
            inverse[j * PANEL_LD + i] = value;
            front[(k0 + j) * stride + k0 + i] = value;
        });
        __syncthreads();
        const int strips = (f - after + 15) / 16;
        // Rows beyond the front are those of its last row: nobody keeps what comes of them.
        for (int z = warp; z < strips; z += WARPS) {
            const int row = after + 16 * z;
            real sum[4][4];
            clear(sum);
            multiply<PANEL>(sum, w, [&](int k, int i) { return front[(k0 + k) * stride + min(row + i, f - 1)]; },
                            [&](int k, int j) { return inverse[min(j, w - 1) * PANEL_LD + k]; });
            __syncwarp();
#pragma unroll
            for (int n = 0; n < 4; n++)
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    const int k = 8 * n + mine.column + (q & 1), i = row + mine.row + 8 * (q >> 1);
                    if (k < w && i < f) front[(k0 + k) * stride + i] = sum[n][q];
                }
        }
        __syncthreads();
        for (int z = warp; z < strips * strips; z += WARPS) {
            const int row = after + 16 * (z % strips), column = after + 16 * (z / strips);
            real sum[2][4];
            clear(sum);
            multiply<PANEL>(sum, w, [&](int k, int i) { return front[(k0 + k) * stride + min(row + i, f - 1)]; },
                            [&](int k, int j) { return front[min(column + j, f - 1) * stride + k0 + k]; });
#pragma unroll
            for (int n = 0; n < 2; n++)
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    const int i = row + mine.row + 8 * (q >> 1), j = column + 8 * n + mine.column + (q & 1);
                    if (i < f && j < f) front[j * stride + i] -= sum[n][q];
                }
        }
        __syncthreads();
    }
    real *lower = v.factor + task.lower, *upper = v.factor + task.upper, *left_over = v.blocks + task.block;
    for (int k = warp; k < s; k += WARPS)
        for (int i = lane; i < f; i += 32) lower[i + (i64)k * f] = front[k * stride + i];
    const bool inverted = INVERT && s <= PANEL;
    const int strips = (r + 15) / 16;
    for (int z = warp; inverted && z < strips * ((s + 15) / 16); z += WARPS)
        put_product(upper, s, r, inverse, 16 * (z / strips), 16 * (z % strips), front + s * stride, 1, stride);
    for (int j = warp; j < r; j += WARPS) {
        const real *column = front + (s + j) * stride;
        for (int k = lane; k < s && !inverted; k += 32) upper[k + (i64)j * s] = column[k];
        for (int i = lane; i < r; i += 32) left_over[i + (i64)j * r] = column[s + i];
    }
}

// ---- the smallest fronts: in a warp's part of shared memory ----

#if PIVOTING
// The row with the largest value of column k among [k, s), and both rows exchanged. place : where this lane's row came to lie
__device__ __forceinline__ void exchange_rows(
    const Maps &m, const Values &v, real *front, int stride, int f, int s, int k, int number, int &place) {
    const int lane = threadIdx.x & 31;
    real best = lane >= k && lane < s ? fabs(front[k * stride + lane]) : (real)-1;
    int row = lane;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const real other = __shfl_xor_sync(WARP, best, d);
        const int its_row = __shfl_xor_sync(WARP, row, d);
        const bool better = other > best || (other == best && its_row < row);
        best = better ? other : best;
        row = better ? its_row : row;
    }
    if (best < 0) row = k;  // Not a number.
    if (lane == 0) v.exchange[m.first[number] + k] = row;
    place = place == k ? row : place == row ? k : place;
    if (row != k)
        for (int j = lane; j < f; j += 32) {
            const real value = front[j * stride + k];
            front[j * stride + k] = front[j * stride + row];
            front[j * stride + row] = value;
        }
    __syncwarp();
}
#endif

// Sums of of(k, q) over [k, end) for each q, in four parts side by side. Loops stay loops: the kernel's code is longer than
// what a multiprocessor keeps of it.
template <int COUNT, class Of>
__device__ __forceinline__ void add_up(real (&sum)[COUNT], int k, int end, const Of &of) {
    real part[COUNT][4] = {};
#pragma unroll 1
    for (; k + 4 <= end; k += 4)
#pragma unroll
        for (int q = 0; q < 4 * COUNT; q++) part[q / 4][q % 4] += of(k + q % 4, q / 4);
#pragma unroll 1
    for (; k < end; k++)
#pragma unroll
        for (int q = 0; q < COUNT; q++) part[q][0] += of(k, q);
#pragma unroll
    for (int q = 0; q < COUNT; q++) sum[q] = (part[q][0] + part[q][1]) + (part[q][2] + part[q][3]);
}

// Inverses in place of L and U of a front of at most 32 COUNT rows, whose diagonal holds reciprocals.
template <int COUNT>
__device__ __noinline__ void invert_front(real *front, int stride, int f, int s) {
    const int lane = threadIdx.x & 31;
    real sum[COUNT];
    // U^-1 and U^-1 U12, from the last row on. A lane has columns.
    for (int i = s - 1; i >= 0; i--) {
        add_up(sum, i + 1, s, [&](int k, int q) {
            const int j = lane + 32 * q;
            return j < k ? 0 : front[k * stride + i] * front[min(j, f - 1) * stride + k];
        });
        const real r = front[i * stride + i];
        __syncwarp();
#pragma unroll
        for (int q = 0; q < COUNT; q++) {
            const int j = lane + 32 * q;
            if (j > i && j < f) front[j * stride + i] = ((j < s ? 0 : front[j * stride + i]) - sum[q]) * r;
        }
        __syncwarp();
    }
    // Times L^-1, from the last column on. A lane has rows.
    for (int j = s - 2; j >= 0; j--) {
        real *column = front + j * stride;
        add_up(sum, j + 1, s, [&](int k, int q) { return front[k * stride + min(lane + 32 * q, f - 1)] * column[k]; });
        __syncwarp();
#pragma unroll
        for (int q = 0; q < COUNT; q++) {
            const int i = lane + 32 * q;
            if (i < f) column[i] = (i > j && i < s ? 0 : column[i]) - sum[q];
        }
        __syncwarp();
    }
}

__device__ __forceinline__ void signal_parent(const Maps &m, const Values &v, int front) {
    const int parent = m.up[front];
    if (parent >= 0) atomicAdd(v.ready + parent, 1u);
}

// The parent is signalled before the factor is written, which nobody reads here.
__device__ __forceinline__ void warp_front(const Maps &m, const Values &v, real *front, int number) {
    const int s = pivots(m, number), r = listed(m, number), f = s + r, stride = f | 1, lane = threadIdx.x & 31;
    const real small = (real)*v.small;
    int place = lane;
    for (int e = lane; e < stride * f; e += 32) front[e] = 0;
    __syncwarp();
    const i64 at = slot(m, number);
    for (i64 q = m.entry_start[at] + lane; q < m.entry_start[at + f]; q += 32) {
        const u32 place = m.entry_place[q];
        front[(place >> 16) * stride + (place & 0xFFFFu)] = (real)v.matrix[m.entry_from[q]];
    }
    __syncwarp();
    const i64 last = m.child_start[number + 1];
    for (i64 group = m.child_start[number]; group < last; group += 32) {
        // What is to be known of 32 children is loaded side by side.
        const int count = (int)min((i64)32, last - group), child = lane < count ? m.child[group + lane] : number;
        const i64 own_from = m.handed_at[child], own_entry = m.list_start[child];
        const int own_stride = m.handed_stride[child], own_rows = (int)(m.list_start[child + 1] - own_entry);
        for (int c = 0; c < count; c++) {
            const real *block = v.blocks + __shfl_sync(WARP, own_from, c);
            const int *place = m.place + __shfl_sync(WARP, own_entry, c);
            const int step = __shfl_sync(WARP, own_stride, c), rows = __shfl_sync(WARP, own_rows, c);
            for (int e = lane; e < rows * rows; e += 32) {
                const int j = e / rows, i = e - j * rows;
                front[place[j] * stride + place[i]] += block[i + (i64)j * step];
            }
            __syncwarp();
        }
    }
    for (int k = 0; k < s; k++) {
#if PIVOTING
        exchange_rows(m, v, front, stride, f, s, k, number, place);
#endif
        const real pivot = large_enough(front[k * stride + k], small, v.status, lane == 0);
        const real inverse = reciprocal(pivot);
        if (lane == 0) require_usable(pivot, inverse, v.status, (u32)(v.n - m.first[number] - k));
        __syncwarp();
        if (lane == 0) front[k * stride + k] = INVERT ? inverse : pivot;
        for (int i = k + 1 + lane; i < f; i += 32) {
            const real l = front[k * stride + i] * inverse;
            front[k * stride + i] = l;
#pragma unroll 4
            for (int j = k + 1; j < f; j++) front[j * stride + i] -= l * front[j * stride + k];
        }
        __syncwarp();
    }
    real *lower = v.factor + m.factor_at[number], *upper = lower + (i64)f * s, *left_over = v.blocks + m.block_at[number];
    for (int j = 0; j < r; j++)
        for (int i = lane; i < r; i += 32) left_over[i + j * r] = front[(s + j) * stride + s + i];
    __syncwarp();
    if (lane == 0) {
        fence();
        signal_parent(m, v, number);
    }
    if (INVERT) f > 32 ? invert_front<2>(front, stride, f, s) : invert_front<1>(front, stride, f, s);
    __syncwarp();
    for (int k = 0; k < s; k++) {
        const real *column = front + (INVERT ? __shfl_sync(WARP, place, k) : k) * stride;
        for (int i = lane; i < f; i += 32) lower[i + k * f] = column[i];
    }
    for (int j = 0; j < r; j++)
        for (int k = lane; k < s; k += 32) upper[k + j * s] = front[(s + j) * stride + k];
}

// ---- tasks ----

__device__ __forceinline__ void take(Task *to, const Task *tasks, u32 *ticket, i64 end) {
    const i64 number = atomicAdd(ticket, 1u);
    if (number >= end) {
        to->type = -1;
        return;
    }
    const int4 *from = (const int4 *)(tasks + number);
    int4 *words = (int4 *)to;
#pragma unroll
    for (int k = 0; k < 4; k++) words[k] = from[k];
}

__device__ __forceinline__ void wait_for_children(const Maps &m, const Values &v, int front) {
    if (m.awaited[front]) wait_for(v.ready + front, m.awaited[front]);
}

// Calls `take_next` once, in the thread whose warp is done first.
template <class TakeNext>
__device__ __forceinline__ void warp_fronts(const Maps &m, const Values &v, real *shared, const Task &task, const TakeNext &take_next) {
    __shared__ int done;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (threadIdx.x == 0) done = 0;
    __syncthreads();
    if (warp >= task.b) return;
    const int front = m.warp_fronts[task.a + warp];
    if (lane == 0) wait_for_children(m, v, front);
    __syncwarp();
    warp_front(m, v, shared + SHARED / WARPS * warp, front);
    __syncwarp();
    if (lane == 0 && atomicAdd(&done, 1) == 0) take_next();
}

__device__ __forceinline__ void execute(const Maps &m, const Values &v, real *shared, const Task &task) {
    switch (task.type) {
        case BLOCK_TASK: return block_front(m, v, shared, task);
        case ASSEMBLE: return assemble(m, v, shared, task);
        case TILE_TASK:
        case TILE_BESIDE: return tile(v, shared, task);
        case NEXT_DIAGONAL: return next_diagonal(m, v, shared, task);
        case UPDATE: return update(m, v, shared, task);
    }
}

// The tasks of a wave. A ticket starts at the wave's first task.
extern "C" __global__ void __launch_bounds__(256, RESIDENT) mf_factor(
    const __grid_constant__ Maps m, const __grid_constant__ Values v, i64 wave) {
    extern __shared__ __align__(16) real shared[];
    __shared__ Task tasks[2];
    const i64 first = m.task_start[wave * m.wave_bins], end = m.task_start[(wave + 1) * m.wave_bins];
    if (threadIdx.x == 0) take(tasks, m.tasks + first, v.ticket + wave, end - first);
    __syncthreads();
    for (int turn = 0;; turn ^= 1) {
        if (tasks[turn].type < 0) return;
        const Task task = tasks[turn];
        const auto take_next = [&]() { take(tasks + (turn ^ 1), m.tasks + first, v.ticket + wave, end - first); };
        if (task.type == WARP_TASK) {
            warp_fronts(m, v, shared, task, take_next);
            __syncthreads();
            continue;
        }
        if (threadIdx.x == 0) {
            if (task.need < 0) wait_for_children(m, v, task.front);
            else wait_for(v.done + task.front, task.need);
        }
        __syncthreads();
        execute(m, v, shared, task);
        __syncthreads();
        // The next task is taken beside the signal, by another warp.
        if (threadIdx.x == 224) take_next();
        if (threadIdx.x == 0) {
            fence();
            if (task.last) signal_parent(m, v, task.front);
            else atomicAdd(v.done + task.front, 1u);
        }
        __syncthreads();
    }
}

// What small pivots are measured by: `share` of ||A||_1, the largest sum of a column's moduli. Columns are added up as
// integers, which does not depend on the order, in units that leave the largest modulus 30 bits.
//
// units : (n,) 0 at the launch. largest : (2,) 0 at the launch. arrived : of a grid barrier, 0 at the launch
extern "C" __global__ void __launch_bounds__(512, 2) mf_small(
    const int *indices, const double *values, i64 n, i64 nnz, double share, u64 *units, u64 *largest, u32 *arrived, double *small) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    u32 passed = 0;
    u64 most = 0;
    // Positive doubles are ordered as their bits; what is not finite is found by the factorisation.
    EACH(q, nnz) {
        const double modulus = fabs(values[q]);
        if (isfinite(modulus)) most = max(most, (u64)__double_as_longlong(modulus));
    }
    if (most) atomicMax(largest, most);
    grid_barrier(arrived, passed);
    const double unit = __longlong_as_double((i64)load(largest)) / 1073741824.0;
    if (!(unit > 0)) {
        if (threads.first == 0) *small = 0;
        return;
    }
    EACH(q, nnz) {
        const double modulus = fabs(values[q]);
        if (isfinite(modulus)) atomicAdd(units + indices[q], (u64)(modulus / unit));
    }
    grid_barrier(arrived, passed);
    most = 0;
    EACH(j, n) most = max(most, load(units + j));
    if (most) atomicMax(largest + 1, most);
    grid_barrier(arrived, passed);
    if (threads.first == 0) *small = share * unit * (double)load(largest + 1);
}
