// A x = b for up to eight right-hand sides, by parts of fronts whose pivot blocks are inverted, on tensor cores where the card
// has them for this type. Each warp of a block has other tiles of 16 rows, or another part of the depth.
//
// Every value is a sum in an order that does not depend on who is first. Values of the factor are loaded before a warp waits.
//
// Writers: each value by one lane, before the signals of its warp.
//
// REAL, TENSOR : as in front_tiles.cuh

#define TILES 1
#include "multifrontal.cuh"
#include "front_parts.cuh"
#include "prefetch.cuh"
#include "solve_by_parts.cuh"
#include "tensor_cores.cuh"
#include "visibility.cuh"
#include "solve_columns.cuh"

// Columns of the factor that a warp multiplies by at a time, and steps of eight of them.
constexpr int CHUNK = 32, KSTEPS = CHUNK / 8;
typedef real Room[WARPS][CHUNK * HELD_LD];

// A warp's share of a task: tile `tile` of every `tiles` tiles of 16 rows, chunk `part` of every `parts` chunks of the depth.
struct Share {
    int tile, tiles, part, parts;
};

// A task as a lane sees it. end: behind its rows.
struct Rectangle {
    const real *values;
    int depth, stride, end;

    // The chunk from column z on of the 16 rows from `base` on, as `mma` has it.
    __device__ __forceinline__ void load(real (&a)[KSTEPS][4], int z, int base) const {
        const int g = (threadIdx.x & 31) >> 2, t = threadIdx.x & 3;
#pragma unroll
        for (int step = 0; step < KSTEPS; step++)
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int k = z + 8 * step + t + 4 * (q >> 1), i = base + g + 8 * (q & 1);
                a[step][q] = k < depth && i < end ? values[i + (i64)k * stride] : 0;
            }
    }
};

// A task's right-hand sides: those of its pivots, which it gathers or others have gathered; or the solution, backward.
enum Side { OWN, OTHERS, SOLUTION };

// A row's right-hand sides of a chunk, from the task's own gathering or from the vectors.
template <int SIDE>
__device__ __forceinline__ void load_sides(real (&b)[KSTEPS][2], const Solve &v, const SolveTask &t, const real *held, int z, int depth) {
    const int g = (threadIdx.x & 31) >> 2, lane = threadIdx.x & 3;
    const real *vectors = v.values + g;
#pragma unroll
    for (int step = 0; step < KSTEPS; step++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int k = z + 8 * step + lane + 4 * half;
            real value = 0;
            if (k < depth) {
                if (SIDE == OWN) value = held[k * HELD_LD + g];
                else if (SIDE == OTHERS) value = vectors[(i64)gathered_at(v, t.first + k) * COLUMNS];
                else value = vectors[(i64)x_at(v, v.list[t.list + k]) * COLUMNS];
            }
            b[step][half] = value;
        }
}

// Adds up the sums of the parts of the depth, in their order, in the warp of the first. Every warp of the block calls it.
__device__ __forceinline__ void add_parts(real (&sum)[4], Room &room, const Share &share) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 4; q++) room[warp][q * 32 + lane] = sum[q];
    __syncthreads();
    if (share.part) return;
    for (int k = 1; k < share.parts; k++)
#pragma unroll
        for (int q = 0; q < 4; q++) sum[q] += room[warp + k][q * 32 + lane];
}

template <int SIDE, class Claim>
__device__ __forceinline__ void rows_of(const Solve &v, const SolveTask &t, const Share &share, Room &room, const Claim &claim) {
    constexpr bool forward = SIDE != SOLUTION;
    const int g = (threadIdx.x & 31) >> 2, column = 2 * (threadIdx.x & 3);
    const Rectangle all{values_of(v, t), forward ? t.s : t.r, forward ? t.f : t.s, t.row + t.rows};
    const int first = t.row + 16 * share.tile, apart = 16 * share.tiles, begin = CHUNK * share.part;
    real a[KSTEPS][4], b[KSTEPS][2], *held = room[threadIdx.x >> 5];
    all.load(a, begin, first);
    Rows<4> pivots;
    Rows<2> own;
    const auto describe_own = [&](int base) {
        describe<false>(own, v, t, column, [&](int q) {
            const int i = base + 8 * q + g;
            return share.part == 0 && i < all.end && i >= t.s ? i : -1;
        });
    };
    if (SIDE == OWN) describe<true>(pivots, v, t, column, [&](int q) { return 8 * q + g < t.s ? 8 * q + g : -1; });
    if (forward) describe_own(first);
    await_values(v, t, 0);
    claim();
    if (SIDE == OWN) {
        Pair sum[4];
        collect(sum, pivots, v, column);
        hold_rows(held, sum, 0);
        __syncwarp();
    }
    // Where warps share the depth all of them take part in the barrier, once.
    for (int base = first; base < all.end || (share.parts > 1 && base == first); base += apart) {
        Pair right[2];
        if (forward) {
            collect(right, own, v, column);
            if (base + apart < all.end) describe_own(base + apart);
        } else {
#pragma unroll
            for (int q = 0; q < 2; q++) {
                const int i = base + 8 * q + g;
                right[q] = share.part == 0 && i < all.end ? pair_at(v, v_at(v, t.first + i), column) : Pair{0, 0};
            }
        }
        // What is to be added is taken away from the product, whose sign changes in the end; but for v.
        real sum[4] = {-right[0].a, -right[0].b, -right[1].a, -right[1].b};
        for (int z = begin; z < all.depth; z += CHUNK * share.parts) {
            if (z != begin || base != first) all.load(a, z, base);
            load_sides<SIDE>(b, v, t, held, z, all.depth);
#pragma unroll
            for (int step = 0; step < KSTEPS; step++) add_product(sum, a[step], b[step]);
        }
        if (share.parts > 1) add_parts(sum, room, share);
        if (share.part) continue;
#pragma unroll
        for (int q = 0; q < 2; q++) {
            const int i = base + 8 * q + g;
            const real sign = forward && i < t.s ? 1 : -1;
            if (i < all.end) put_row(v, t, forward, i, column, Pair{sign * sum[2 * q], sign * sum[2 * q + 1]});
        }
    }
    if (share.part == 0 && first < all.end) signal_values(v, t, forward, 0);
}

// The right-hand sides of pivots; every warp of the block signals.
__device__ __forceinline__ void gather_rows(const Solve &v, const SolveTask &t) {
    const int g = (threadIdx.x & 31) >> 2, warp = threadIdx.x >> 5, column = 2 * (threadIdx.x & 3);
    const int row = 8 * warp + g, i = row < t.rows ? t.row + row : -1;
    Rows<1> rows;
    Pair sum[1];
    describe<true>(rows, v, t, column, [&](int) { return i; });
    await_values(v, t, 0);
    collect(sum, rows, v, column);
    if (i >= 0) put(v, gathered_at(v, t.first + i), column, sum[0]);
    __syncwarp();
    if (threadIdx.x & 31) return;
    fence();
    signal(v, GATHERED, t.part, 0);
}

template <class Claim>
__device__ __forceinline__ void execute(const Solve &v, const SolveTask &t, Room &room, const Claim &claim) {
    const int warp = threadIdx.x >> 5, parts = max(1, t.shape >> 8 & 255);
    const Share whole{0, 1, 0, 1}, share{warp / parts, WARPS / parts, warp % parts, parts};
    switch (t.type) {
        case FORWARD_PARTS:
            if (warp < t.rows) rows_of<OWN>(v, v.warps[t.row + warp], whole, room, claim);
            return;
        case BACKWARD_PARTS:
            if (warp < t.rows) rows_of<SOLUTION>(v, v.warps[t.row + warp], whole, room, claim);
            return;
        case GATHER: return gather_rows(v, t);
        case FORWARD: return rows_of<OWN>(v, t, share, room, claim);
        case FORWARD_GATHERED: return rows_of<OTHERS>(v, t, share, room, claim);
        case BACKWARD: return rows_of<SOLUTION>(v, t, share, room, claim);
    }
}

// The next task's number is asked for once this one's values are there, and looked at when this one is done.
extern "C" __global__ void __launch_bounds__(256, 2) mf_solve_eight(const __grid_constant__ Solve v) {
    __shared__ __align__(16) Room room;
    __shared__ SolveTask tasks[2];
    if (threadIdx.x == 0) take(v, tasks, atomicAdd(v.ticket, 1u));
    __syncthreads();
    for (int turn = 0; tasks[turn].type >= 0; turn ^= 1) {
        u32 number = 0;
        bool claimed = false;
        execute(v, tasks[turn], room, [&]() {
            if (threadIdx.x == 224) number = atomicAdd(v.ticket, 1u);
            claimed = true;
        });
        if (threadIdx.x == 224) take(v, tasks + (turn ^ 1), claimed ? number : atomicAdd(v.ticket, 1u));
        __syncthreads();
    }
}
