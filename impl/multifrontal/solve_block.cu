// As solve_eight.cu, for up to 64 right-hand sides: each warp of a block has eight of them, and the block's rows of the factor
// come into shared memory once, by copies that go on while warps wait for what they are multiplied by.
//
// REAL, TENSOR : as in front_tiles.cuh. HELD : pivots whose right-hand sides a warp has room for, 32 or 64

#define TILES 8
#include "multifrontal.cuh"
#include "front_parts.cuh"
#include "prefetch.cuh"
#include "solve_by_parts.cuh"
#include "tensor_cores.cuh"
#include "visibility.cuh"
#include "solve_columns.cuh"

constexpr int THREADS = 256;
// Columns of the factor that a warp multiplies by before it looks at the stage again; of them a lane has SIDES right-hand sides.
constexpr int GROUP = 32, SIDES = GROUP / 4;

// A task's right-hand sides, as in solve_eight.cu.
enum Side { OWN, OTHERS, SOLUTION };

// A task's rows of the factor, by stages of `width` columns.
struct Stages {
    const real *values;
    real *room;
    int lg, width, pitch, rows, depth, stride;

    __device__ __forceinline__ real *at(int chunk) const { return room + (chunk & 1 ? width * pitch : 0); }

    // Begins the copies of a chunk, if there is one; 0 beyond the rows and columns.
    __device__ __forceinline__ void fetch(int chunk) const {
        const int from = chunk * width, count = min(width, (depth - from + 7) & ~7);
        for (int e = threadIdx.x; e < count << lg; e += THREADS) {
            const int i = e & ((1 << lg) - 1), k = e >> lg;
            const bool wanted = i < rows && from + k < depth;
            copy_async(at(chunk) + k * pitch + i, wanted ? values + i + (i64)(from + k) * stride : values, wanted);
        }
        commit_copies();
    }
};

__device__ __forceinline__ Stages stages_of(const Solve &v, const SolveTask &t, bool forward, real *room) {
    Stages all;
    all.values = values_of(v, t) + t.row;
    all.room = room;
    all.lg = t.shape & 255, all.width = t.shape >> 8 & 0xFFFF, all.pitch = (1 << all.lg) + 4;
    all.rows = t.rows, all.depth = forward ? t.s : t.r, all.stride = forward ? t.f : t.s;
    return all;
}

// Right-hand sides of a lane's columns of a group: where they lie, known a group ahead, and their values.
struct Sides {
    int place[SIDES];
    real value[SIDES];
};

template <int SIDE>
__device__ __forceinline__ void locate(Sides &sides, const Solve &v, const SolveTask &t, int group, int depth) {
    const int *list = v.list + t.list;
#pragma unroll
    for (int q = 0; q < SIDES; q++) {
        const int k = GROUP * group + 4 * q + (threadIdx.x & 3);
        sides.place[q] = k >= depth ? -1 : SIDE == OTHERS ? gathered_at(v, t.first + k) : x_at(v, list[k]);
    }
}

__device__ __forceinline__ void load_sides(real (&value)[SIDES], const Sides &sides, const real *vectors) {
#pragma unroll
    for (int q = 0; q < SIDES; q++) value[q] = sides.place[q] >= 0 ? vectors[(i64)sides.place[q] * COLUMNS] : 0;
}

// The sums of the task's pivots, 32 at a time, in the warp's shared memory.
__device__ __forceinline__ void gather_pivots(Rows<4> &pivots, const Solve &v, const SolveTask &t, int column, real *held) {
    const int g = (threadIdx.x & 31) >> 2;
    for (int from = 0;;) {
        Pair sum[4];
        collect(sum, pivots, v, column);
        hold_rows(held, sum, from);
        from += 32;
        if (HELD == 32 || from >= t.s) break;
        describe<true>(pivots, v, t, column, [&](int q) { return from + 8 * q + g < t.s ? from + 8 * q + g : -1; });
    }
    __syncwarp();
}

// sum += 16 or 32 rows of the factor times a group of right-hand sides.
__device__ __forceinline__ void multiply(real (&sum)[2][4], const real *a, int pitch, const real (&b)[SIDES], int left, bool both) {
#pragma unroll
    for (int step = 0; step < SIDES / 2; step++) {
        if (8 * step >= left) break;
        const real *at = a + 8 * step * pitch;
        const real low[4] = {at[0], at[8], at[4 * pitch], at[4 * pitch + 8]};
        add_product(sum[0], low, b + 2 * step);
        if (!both) continue;
        const real high[4] = {at[16], at[24], at[4 * pitch + 16], at[4 * pitch + 24]};
        add_product(sum[1], high, b + 2 * step);
    }
}

template <int SIDE, class Claim>
__device__ __forceinline__ void rows_of(const Solve &v, const SolveTask &t, real *shared, const Claim &claim) {
    constexpr bool forward = SIDE != SOLUTION;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, column = 8 * warp + 2 * (lane & 3);
    const Stages all = stages_of(v, t, forward, shared);
    const int groups = (all.depth + GROUP - 1) / GROUP;
    const real *vectors = v.values + 8 * warp + g;
    real *held = shared + STAGE_ROOM + HELD * HELD_LD * warp;
    all.fetch(0);
    if (all.width < all.depth) all.fetch(1);
    else commit_copies();
    Rows<4> pivots, own;
    Sides sides;
    // Rows of the list: what children hand on.
    const auto describe_own = [&](int base) {
        describe<false>(own, v, t, column, [&](int q) {
            const int i = base + 8 * q + g;
            return i < t.rows && t.row + i >= t.s ? t.row + i : -1;
        });
    };
    if (SIDE == OWN) describe<true>(pivots, v, t, column, [&](int q) { return 8 * q + g < t.s ? 8 * q + g : -1; });
    else locate<SIDE>(sides, v, t, 0, all.depth);
    if (forward) describe_own(0);
    await_values(v, t, warp);
    claim();
    if (SIDE == OWN) {
        gather_pivots(pivots, v, t, column, held);
    } else {
        load_sides(sides.value, sides, vectors);
        locate<SIDE>(sides, v, t, 1, all.depth);
    }
    for (int base = 0; base < t.rows; base += 32) {
        Pair right[4];
        if (forward) {
            collect(right, own, v, column);
            if (base + 32 < t.rows) describe_own(base + 32);
        } else {
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int i = base + 8 * q + g;
                right[q] = i < t.rows ? pair_at(v, v_at(v, t.first + t.row + i), column) : Pair{0, 0};
            }
        }
        // What is to be added is taken away from the product, whose sign changes in the end; but for v.
        real sum[2][4];
#pragma unroll
        for (int q = 0; q < 4; q++) sum[q >> 1][2 * (q & 1)] = -right[q].a, sum[q >> 1][2 * (q & 1) + 1] = -right[q].b;
        for (int group = 0, chunk = 0, within = 0; group < groups; group++) {
            // All rows that do not fit into 32 find the whole depth in one stage.
            if (within == 0 && base == 0) {
                wait_for_copies<1>();
                __syncthreads();
            }
            real next[SIDES];
            if (SIDE == OWN) {
#pragma unroll
                for (int q = 0; q < SIDES; q++) sides.value[q] = held[(GROUP * group + 4 * q + (lane & 3)) * HELD_LD + g];
            } else if (group + 1 < groups) {
                load_sides(next, sides, vectors);
                locate<SIDE>(sides, v, t, group + 2, all.depth);
            }
            const real *a = all.at(chunk) + (within + (lane & 3)) * all.pitch + base + g;
            multiply(sum, a, all.pitch, sides.value, all.depth - GROUP * group, base + 16 < t.rows);
            if (SIDE != OWN && group + 1 < groups)
#pragma unroll
                for (int q = 0; q < SIDES; q++) sides.value[q] = next[q];
            within += GROUP;
            if (within < all.width || group + 1 == groups) continue;
            // The other stage is under way; the one after it takes this one's place.
            __syncthreads();
            if ((chunk + 2) * all.width < all.depth) all.fetch(chunk + 2);
            else commit_copies();
            within = 0;
            chunk++;
        }
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = t.row + base + 8 * q + g;
            const real sign = forward && i < t.s ? 1 : -1;
            const Pair value{sign * sum[q >> 1][2 * (q & 1)], sign * sum[q >> 1][2 * (q & 1) + 1]};
            if (base + 8 * q + g < t.rows) put_row(v, t, forward, i, column, value);
        }
    }
    signal_values(v, t, forward, warp);
}

// The right-hand sides of at most 32 pivots.
template <class Claim>
__device__ __forceinline__ void gather_rows(const Solve &v, const SolveTask &t, const Claim &claim) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, column = 8 * warp + 2 * (lane & 3);
    Rows<4> rows;
    Pair sum[4];
    describe<true>(rows, v, t, column, [&](int q) { return 8 * q + g < t.rows ? t.row + 8 * q + g : -1; });
    await_values(v, t, warp);
    claim();
    collect(sum, rows, v, column);
#pragma unroll
    for (int q = 0; q < 4; q++)
        if (8 * q + g < t.rows) put(v, gathered_at(v, t.first + t.row + 8 * q + g), column, sum[q]);
    __syncwarp();
    if (lane) return;
    fence();
    signal(v, GATHERED, t.part, warp);
}

template <class Claim>
__device__ __forceinline__ void execute(const Solve &v, const SolveTask &t, real *shared, const Claim &claim) {
    switch (t.type) {
        case GATHER: return gather_rows(v, t, claim);
        case FORWARD: return rows_of<OWN>(v, t, shared, claim);
        case FORWARD_GATHERED: return rows_of<OTHERS>(v, t, shared, claim);
        case BACKWARD: return rows_of<SOLUTION>(v, t, shared, claim);
    }
}

// The next task's number is asked for once this one's values are there, and looked at when this one is done.
extern "C" __global__ void __launch_bounds__(THREADS, 2) mf_solve_block(const __grid_constant__ Solve v) {
    extern __shared__ __align__(16) real shared[];
    __shared__ SolveTask tasks[2];
    if (threadIdx.x == 0) take(v, tasks, atomicAdd(v.ticket, 1u));
    __syncthreads();
    for (int turn = 0; tasks[turn].type >= 0; turn ^= 1) {
        u32 number = 0;
        execute(v, tasks[turn], shared, [&]() {
            if (threadIdx.x == 224) number = atomicAdd(v.ticket, 1u);
        });
        if (threadIdx.x == 224) take(v, tasks + (turn ^ 1), number);
        wait_for_copies<0>();
        __syncthreads();
    }
}
