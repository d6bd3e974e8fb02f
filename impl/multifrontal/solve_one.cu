// A x = b for one right-hand side, by parts of fronts whose pivot blocks are inverted: one kernel, by data flow of values.
//
// A value is all ones in bits, a number that no arithmetic makes, until it is there; whoever needs it looks at it. Whoever
// writes a value sets its twin for the next solve back to all ones, so that a solve is one launch.
//
// Blocks take tasks in topological order, so that whoever is waited for runs or is done. Values of the factor are loaded before
// a task waits. Every value is a sum in an order that does not depend on who is first.
//
// Writers: each value by one thread, once; its twin by the same one.
//
// REAL : of the factor

#include "multifrontal.cuh"
#include "front_parts.cuh"
#include "prefetch.cuh"
#include "solve_by_parts.cuh"
#include "visibility.cuh"

// Columns that a lane loads before it waits for what they are multiplied by.
constexpr int AHEAD = 16;
// Values in a line of the L2 cache.
constexpr int LINE = 128 / sizeof(real);

template <int BYTES>
struct Bits;
template <>
struct Bits<4> {
    typedef u32 type;
};
template <>
struct Bits<8> {
    typedef u64 type;
};
typedef Bits<sizeof(real)>::type bits;
constexpr bits ABSENT = (bits)-1;

// Values once all of them are there, 0 for a negative index; each lane asks again for what it misses.
template <int COUNT>
__device__ __forceinline__ void poll(real (&value)[COUNT], const Solve &v, const int (&index)[COUNT]) {
    const bits *base = (const bits *)v.values;
    bits word[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) word[k] = index[k] >= 0 ? load(base + index[k]) : 0;
    while (true) {
        bool missing = false;
#pragma unroll
        for (int k = 0; k < COUNT; k++) missing = missing || word[k] == ABSENT;
        if (!missing) break;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            if (word[k] == ABSENT) word[k] = load(base + index[k]);
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) value[k] = *(const real *)(word + k);
}

__device__ __forceinline__ void post(const Solve &v, int at, real value) {
    store(v.values + at, value);
    ((bits *)v.next)[at] = ABSENT;
}

// x of a pivot, for those who wait for it and for the caller.
__device__ __forceinline__ void finish(const Solve &v, int label, real value) {
    post(v, x_at(v, label), value);
    deliver(v, 0, v.vertex[label], value);
}

// The terms of a row of right-hand sides: b, whose bits are made others than all ones, and entries of children.
struct Row {
    real base;
    int4 from;
};

__device__ __forceinline__ Row row_of(const Solve &v, const SolveTask &t, int i, bool in) {
    Row row{0, nothing()};
    if (!in) return row;
    row.from = v.source[t.slot + i];
    if (i >= t.s) return row;
    const double value = v.b[v.vertex[t.first + i]];
    row.base = (real)(value == value ? value : __longlong_as_double(0x7FF8000000000000ll));
    return row;
}

// Adds the sources beyond the third, four at a time. All lanes of a warp call it.
__device__ __forceinline__ void add_more(const Solve &v, real &value, int more) {
    while (__any_sync(WARP, more >= 0)) {
        const int4 from = more >= 0 ? v.more[more] : nothing();
        const int index[4] = {from.x, from.y, from.z, from.w};
        real four[4];
        poll(four, v, index);
        value += ((four[0] + four[1]) + four[2]) + four[3];
        more = more >= 0 && from.w >= 0 ? more + 1 : -1;
    }
}

// Two rows of a lane, waited for together. All lanes of a warp call it.
__device__ __forceinline__ void gather(const Solve &v, const Row &one, const Row &two, real &first, real &second) {
    const int index[6] = {one.from.x, one.from.y, one.from.z, two.from.x, two.from.y, two.from.z};
    real value[6];
    poll(value, v, index);
    first = ((one.base + value[0]) + value[1]) + value[2];
    second = ((two.base + value[3]) + value[4]) + value[5];
    add_more(v, first, one.from.w);
    add_more(v, second, two.from.w);
}

// Row i of a part, forward: `product` of its values and the right-hand sides of the pivots, `right` its own.
__device__ __forceinline__ void put_row(const Solve &v, const SolveTask &t, int i, real product, real right) {
    if (i >= t.s) return post(v, t.list + i - t.s, right - product);
    if (t.r == 0) return finish(v, t.first + i, product);
    post(v, v_at(v, t.first + i), product);
}

// ---- a warp a part: at most 32 pivots and 64 rows ----

// Lane i has the rows i and i + 32.
__device__ __forceinline__ void forward_part(const Solve &v, const SolveTask &t, real *held) {
    constexpr int EACH_TIME = 8;
    const int lane = threadIdx.x & 31, f = t.f, s = t.s;
    const bool low = lane < f, high = lane + 32 < f;
    const real *values = values_of(v, t), *from = values + lane;
    const Row one = row_of(v, t, lane, low), two = row_of(v, t, lane + 32, high);
    for (int k = EACH_TIME * f + LINE * lane; k < f * s; k += 32 * LINE) prefetch(values + k);
    real column[EACH_TIME], lower[EACH_TIME], sum[2] = {0, 0}, g[2];
    const auto load_columns = [&](int k) {
#pragma unroll
        for (int q = 0; q < EACH_TIME; q++) {
            column[q] = low && k + q < s ? from[(k + q) * f] : 0;
            lower[q] = high && k + q < s ? from[(k + q) * f + 32] : 0;
        }
    };
    load_columns(0);
    gather(v, one, two, g[0], g[1]);
    held[lane] = lane < s ? g[0] : 0;
    __syncwarp();
    for (int k = 0;;) {
#pragma unroll
        for (int q = 0; q < EACH_TIME; q++) {
            sum[0] += column[q] * held[k + q];
            sum[1] += lower[q] * held[k + q];
        }
        k += EACH_TIME;
        if (k >= s) break;
        load_columns(k);
    }
    if (low) put_row(v, t, lane, sum[0], g[0]);
    if (high) put_row(v, t, lane + 32, sum[1], g[1]);
}

// As many lanes as a power of two holds the pivots have the rows; groups of them take columns in turn.
__device__ __forceinline__ void backward_part(const Solve &v, const SolveTask &t, real *held) {
    const int lane = threadIdx.x & 31, s = t.s, r = t.r;
    int lg = 0;
    while (1 << lg < s) lg++;
    const int rows = 1 << lg, groups = 32 >> lg, row = lane & (rows - 1), group = lane >> lg;
    const real *from = values_of(v, t) + row;
    const int index[3] = {lane < s ? v_at(v, t.first + lane) : -1,
                          lane < r ? x_at(v, v.list[t.list + lane]) : -1,
                          lane + 32 < r ? x_at(v, v.list[t.list + lane + 32]) : -1};
    real column[AHEAD], value[3], sum[2] = {0, 0};
    const auto load_columns = [&](int first) {
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            const int j = first + groups * q;
            column[q] = row < s && j < r ? from[j * s] : 0;
        }
    };
    load_columns(group);
    poll(value, v, index);
    held[lane] = value[1];
    held[lane + 32] = value[2];
    __syncwarp();
    for (int k = 0; k < r; k += groups * AHEAD) {
        if (k) load_columns(group + k);
#pragma unroll
        for (int q = 0; q < AHEAD; q++) sum[q & 1] += column[q] * held[min(group + k + groups * q, 63)];
    }
    real total = sum[0] + sum[1];
    for (int d = rows; d < 32; d <<= 1) total += __shfl_xor_sync(WARP, total, d);
    if (lane < s) finish(v, t.first + lane, value[0] - total);
}

// ---- rows of a part, a block ----

struct Room {
    real held[WARPS][64], sum[WARPS][32];
};

// A lane's share of a task: row `row`, and one of every 32 >> lg columns. A warp has a tile of 1 << lg rows, and AHEAD times
// 32 >> lg columns of the depth at a time, in turn with others.
struct Share {
    int row, group, groups, part, parts;
    bool in, leads;  // whether there is such a row; whether this lane puts it down
};

__device__ __forceinline__ Share share_of(const SolveTask &t) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, lg = t.shape & 255, depths = t.shape >> 8 & 255;
    Share own;
    own.row = ((warp / depths) << lg) + (lane & ((1 << lg) - 1));
    own.group = lane >> lg, own.groups = 32 >> lg;
    own.part = warp & (depths - 1), own.parts = depths;
    own.in = own.row < t.rows;
    own.leads = own.part == 0 && own.in && own.group == 0;
    return own;
}

// Right-hand sides of a turn's columns, from z on, go to `held`, and what is to be added to row i to `right`, in the first turn
// of the lane that leads. All lanes of a warp call it.
template <bool FORWARD_TASK, bool OWN>
__device__ __forceinline__ void hold_sides(
    const Solve &v, const SolveTask &t, const Share &own, int z, int depth, bool first, real *held, real &right) {
    const int lane = threadIdx.x & 31, width = AHEAD * own.groups, k = z + lane, i = t.row + own.row;
    const bool low = lane < width && k < depth, high = lane + 32 < width && k + 32 < depth, leads = own.leads && first;
    if (OWN) {
        // At most 32 columns a turn.
        real value, more;
        gather(v, row_of(v, t, k, low), row_of(v, t, i, leads && i >= t.s), value, more);
        held[lane] = value;
        right += more;
        return;
    }
    int index[5] = {-1, -1, -1, -1, -1}, beyond = -1;
    if (low) index[0] = FORWARD_TASK ? gathered_at(v, t.first + k) : x_at(v, v.list[t.list + k]);
    if (high) index[1] = FORWARD_TASK ? gathered_at(v, t.first + k + 32) : x_at(v, v.list[t.list + k + 32]);
    if (FORWARD_TASK) {
        const Row row = row_of(v, t, i, leads && i >= t.s);
        index[2] = row.from.x, index[3] = row.from.y, index[4] = row.from.z;
        beyond = row.from.w;
    } else if (leads) {
        index[2] = v_at(v, t.first + i);
    }
    real value[5];
    poll(value, v, index);
    held[lane] = value[0];
    held[lane + 32] = value[1];
    right += (value[2] + value[3]) + value[4];
    add_more(v, right, beyond);
}

// Fetch a row's columns of later turns.
__device__ __forceinline__ void fetch_later(const real *from, const Share &own, int begin, int step, int depth, int stride) {
    for (int z = begin; z < depth; z += step)
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            const int k = z + own.group + own.groups * q;
            if (k < depth) prefetch(from + (i64)k * stride);
        }
}

// FORWARD_TASK : or backward. OWN : whether the task gathers the right-hand sides of the pivots
template <bool FORWARD_TASK, bool OWN>
__device__ __forceinline__ void tile_rows(const Solve &v, const SolveTask &t, Room &room) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const Share own = share_of(t);
    const int depth = FORWARD_TASK ? t.s : t.r, i = t.row + own.row;
    const int stride = FORWARD_TASK ? t.f : t.s, lg = t.shape & 255;
    const int width = AHEAD * own.groups, begin = own.part * width, step = own.parts * width;
    const real *from = values_of(v, t) + i;
    real *held = room.held[warp], column[AHEAD], sum[2] = {0, 0}, right = 0;
    for (int z = begin; z < depth || z == 0; z += step) {
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            const int k = z + own.group + own.groups * q;
            column[q] = own.in && k < depth ? from[(i64)k * stride] : 0;
        }
        if (z == begin && own.in && (lane & ((1 << lg) - 1)) == 0) fetch_later(from, own, z + step, step, depth, stride);
        hold_sides<FORWARD_TASK, OWN>(v, t, own, z, depth, z == 0, held, right);
        __syncwarp();
#pragma unroll
        for (int q = 0; q < AHEAD; q++) sum[q & 1] += column[q] * held[own.group + own.groups * q];
        __syncwarp();
    }
    real total = sum[0] + sum[1];
    for (int d = 1 << lg; d < 32; d <<= 1) total += __shfl_xor_sync(WARP, total, d);
    if (own.parts > 1) {
        room.sum[warp][lane] = total;
        __syncthreads();
        if (own.part == 0) {
            total = 0;
            for (int k = 0; k < own.parts; k++) total += room.sum[warp + k][lane];
        }
    }
    if (!own.leads) return;
    if (FORWARD_TASK) put_row(v, t, i, total, right);
    else finish(v, t.first + i, right - total);
}

// The right-hand sides of pivots, a thread a row.
__device__ __forceinline__ void gather_rows(const Solve &v, const SolveTask &t) {
    const int i = t.row + threadIdx.x;
    const bool in = (int)threadIdx.x < t.rows;
    real value, none;
    gather(v, row_of(v, t, i, in), row_of(v, t, i, false), value, none);
    if (in) post(v, gathered_at(v, t.first + i), value);
}

__device__ __forceinline__ void execute(const Solve &v, const SolveTask &t, Room &room) {
    const int warp = threadIdx.x >> 5;
    switch (t.type) {
        case FORWARD_PARTS:
            if (warp < t.rows) forward_part(v, v.warps[t.row + warp], room.held[warp]);
            return;
        case BACKWARD_PARTS:
            if (warp < t.rows) backward_part(v, v.warps[t.row + warp], room.held[warp]);
            return;
        case GATHER: return gather_rows(v, t);
        case FORWARD: return tile_rows<true, true>(v, t, room);
        case FORWARD_GATHERED: return tile_rows<true, false>(v, t, room);
        case BACKWARD: return tile_rows<false, false>(v, t, room);
    }
}

// Tasks are taken by a thread of the last warp, when it is done with its own part of the one before.
extern "C" __global__ void __launch_bounds__(256, 3) mf_solve_one(const __grid_constant__ Solve v) {
    __shared__ Room room;
    __shared__ SolveTask tasks[2];
    if (blockIdx.x == 0 && threadIdx.x == 32) *v.next_ticket = ~0u;
    if (threadIdx.x == 0) take(v, tasks, (u32)(atomicAdd(v.ticket, 1u) + 1u));
    __syncthreads();
    for (int turn = 0; tasks[turn].type >= 0; turn ^= 1) {
        execute(v, tasks[turn], room);
        if (threadIdx.x == 224) take(v, tasks + (turn ^ 1), (u32)(atomicAdd(v.ticket, 1u) + 1u));
        __syncthreads();
    }
}
