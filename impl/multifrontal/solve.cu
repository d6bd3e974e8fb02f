// L U x = b on fronts, by data flow: one kernel whose blocks take tasks in topological order, forward and then backward.
//
// Forward a front has y of its pivots and u, what its parent has to add to the right-hand sides of its list; backward
// x of its pivots. Every value of y, u and x is all ones in bits, a number that no arithmetic makes, until it is there:
// readers look at the value itself, and nothing else says that it is ready. Factors are loaded before that.
//
// Right-hand sides are taken RHS at a time, of one group; in all vectors those of a group lie side by side. Every value
// is a sum in an order that does not depend on who is first.
//
// Writers: each value of y, u and x by one thread, once.
//
// REAL : of the factor. RHS : 1 or 8. PIVOTING : as in factor.cu

#include "multifrontal.cuh"
#include "grid_barrier.cuh"
#include "visibility.cuh"

typedef REAL real;
constexpr u32 WARP = 0xFFFFFFFFu;
// Columns of a factor that a warp loads before it waits for what they are multiplied by.
constexpr int AHEAD = 16;

struct Vectors {
    const real *factor;
    const int *exchange;  // as in factor.cu
    const double *b;      // (columns, n), by rows of the matrix
    double *out;          // likewise: x, added to with `add`, or written
    i64 columns, groups, add;
    real *y, *u, *x;      // (groups, n, RHS), (groups, entries, RHS), (groups, n, RHS), by label and list entry
    const i64 *tasks;     // how many
    u32 *ticket;          // tasks taken, all ones for none
};

// A front, and where the vectors of a group of right-hand sides lie.
struct Front {
    const Maps &m;
    const Vectors &v;
    const int number, first, f, s, r;
    const i64 group;
    const real *lower, *upper;
    real *y, *u;        // of its pivots; of its list
    real *all_x, *all_u;

    __device__ __forceinline__ Front(const Maps &maps, const Vectors &vectors, int front, i64 of)
        : m(maps), v(vectors), number(front), first(m.first[front]), f(pivots(m, front) + listed(m, front)),
          s(pivots(m, front)), r(f - s), group(of), lower(v.factor + m.factor_at[front]), upper(lower + (i64)f * s),
          y(v.y + (of * m.n + first) * RHS), u(v.u + (of * m.entries + m.list_start[front]) * RHS),
          all_x(v.x + of * m.n * RHS), all_u(v.u + of * m.entries * RHS) {}

    // Whether the diagonal blocks are inverses.
    __device__ __forceinline__ bool inverted() const { return f > WARP_FRONT; }
};

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

// Values once all of them are there; loaded side by side.
template <int COUNT, class From>
__device__ __forceinline__ void poll(real (&value)[COUNT], const From &from) {
    bits word[COUNT];
    bool missing;
    do {
        missing = false;
#pragma unroll
        for (int k = 0; k < COUNT; k++) word[k] = load((const bits *)from(k));
#pragma unroll
        for (int k = 0; k < COUNT; k++) missing = missing || word[k] == (bits)-1;
    } while (missing);
#pragma unroll
    for (int k = 0; k < COUNT; k++) value[k] = *(const real *)(word + k);
}

__device__ __forceinline__ void poll_all(real (&value)[RHS], const real *from) {
    poll(value, [&](int c) { return from + c; });
}

__device__ __forceinline__ void zero(real (&value)[RHS]) {
#pragma unroll
    for (int c = 0; c < RHS; c++) value[c] = 0;
}

__device__ __forceinline__ void post(real *to, const real (&value)[RHS]) {
#pragma unroll
    for (int c = 0; c < RHS; c++) store(to + c, value[c]);
}

// A value of the right-hand sides, whose bits are not all ones.
__device__ __forceinline__ real given(const Front &front, int row, int c) {
    const i64 column = front.group * RHS + c;
    if (column >= front.v.columns) return 0;
    const double value = front.v.b[column * front.m.n + front.m.vertex[front.first + row]];
    return (real)(value == value ? value : __longlong_as_double(0x7FF8000000000000ll));
}

// x of pivot `row`: for those who wait for it, and for the caller.
__device__ __forceinline__ void finish(const Front &front, int row, const real (&value)[RHS]) {
    post(front.all_x + (i64)(front.first + row) * RHS, value);
    const int vertex = front.m.vertex[front.first + row];
#pragma unroll
    for (int c = 0; c < RHS; c++) {
        const i64 column = front.group * RHS + c;
        if (column >= front.v.columns) break;
        double *out = front.v.out + column * front.m.n + vertex;
        *out = front.v.add ? *out + (double)value[c] : (double)value[c];
    }
}

// Row `row` of a front's right-hand sides: those of the matrix, and what the children hand on, in their order; of
// several children at a time, so that their latencies overlap.
__device__ __forceinline__ void gather(real (&value)[RHS], const Front &front, int row) {
    constexpr int TOGETHER = RHS == 1 ? 2 : 1;
    zero(value);
    if (row < front.s)
#pragma unroll
        for (int c = 0; c < RHS; c++) value[c] = given(front, row, c);
    const i64 at = slot(front.m, front.number) + row, end = front.m.source_start[at + 1];
    const int *entry = front.m.source_entry;
    i64 k = front.m.source_start[at];
    for (; k + TOGETHER <= end; k += TOGETHER) {
        real several[TOGETHER * RHS];
        const real *from[TOGETHER];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) from[q] = front.all_u + (i64)entry[k + q] * RHS;
        poll(several, [&](int z) { return from[z / RHS] + z % RHS; });
#pragma unroll
        for (int z = 0; z < TOGETHER * RHS; z++) value[z % RHS] += several[z];
    }
    for (; k < end; k++) {
        real one[RHS];
        poll_all(one, front.all_u + (i64)entry[k] * RHS);
#pragma unroll
        for (int c = 0; c < RHS; c++) value[c] += one[c];
    }
}

// sum[c] += factor * what lane k has
__device__ __forceinline__ void add_product(real (&sum)[RHS], real factor, const real (&value)[RHS], int k) {
#pragma unroll
    for (int c = 0; c < RHS; c++) sum[c] += factor * __shfl_sync(WARP, value[c], k);
}

// sum += columns[k] times what lane k has, over k, in two sums side by side.
__device__ __forceinline__ void add_products(real (&sum)[RHS], const real (&columns)[AHEAD], const real (&value)[RHS]) {
    real odd[RHS];
    zero(odd);
#pragma unroll
    for (int k = 0; k < AHEAD; k += 2) {
        add_product(sum, columns[k], value, k);
        add_product(odd, columns[k + 1], value, k + 1);
    }
#pragma unroll
    for (int c = 0; c < RHS; c++) sum[c] += odd[c];
}

// Columns of a factor: of this lane's row those from `from` on, `count` of them, 0 beyond.
__device__ __forceinline__ void load_columns(real (&columns)[AHEAD], const real *from, i64 stride, int count, bool in) {
#pragma unroll
    for (int k = 0; k < AHEAD; k++) columns[k] = in && k < count ? from[k * stride] : 0;
}

// The sums over the warps, in warp 0 or, with `all`, in each of them; in an order of their own.
__device__ __forceinline__ void sum_warps(real (&sum)[RHS], real *room, bool all) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int c = 0; c < RHS; c++) room[(warp * RHS + c) * 32 + lane] = sum[c];
    __syncthreads();
    if (warp == 0 || all)
#pragma unroll
        for (int c = 0; c < RHS; c++) {
            real total[2] = {0, 0};
#pragma unroll
            for (int w = 0; w < WARPS; w++) total[w & 1] += room[(w * RHS + c) * 32 + lane];
            sum[c] = total[0] + total[1];
        }
    __syncthreads();
}

// ---- fronts of at most 32 pivots and 64 rows: a warp each ----

// Forward, LU of the pivots: lane i has row i.
__device__ __forceinline__ void solve_lower(real (&value)[RHS], const Front &front) {
    const int lane = threadIdx.x & 31, s = front.s;
#if PIVOTING
    for (int k = 0; k < s; k++) {
        const int row = front.v.exchange[front.first + k], from = lane == k ? row : lane == row ? k : lane;
#pragma unroll
        for (int c = 0; c < RHS; c++) value[c] = __shfl_sync(WARP, value[c], from);
    }
#endif
    for (int from = 0; from < s; from += 8) {
        real column[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            column[k] = from + k < s && lane > from + k && lane < s ? -front.lower[lane + (from + k) * front.f] : 0;
#pragma unroll
        for (int k = 0; k < 8; k++) add_product(value, column[k], value, (from + k) & 31);
    }
}

__device__ __forceinline__ void solve_upper(real (&value)[RHS], const Front &front) {
    const int lane = threadIdx.x & 31, s = front.s;
    const real inverse = lane < s ? (real)1 / front.lower[lane + lane * front.f] : 1;
    for (int from = (s - 1) & ~7; from >= 0; from -= 8) {
        real column[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            column[k] = from + k < s && lane < from + k ? -front.lower[lane + (from + k) * front.f] : 0;
#pragma unroll
        for (int k = 7; k >= 0; k--) {
            if (from + k >= s) continue;
            if (lane == from + k)
#pragma unroll
                for (int c = 0; c < RHS; c++) value[c] *= inverse;
            add_product(value, column[k], value, from + k);
        }
    }
}

__device__ __forceinline__ void forward_warp(const Maps &m, const Vectors &v, int number, i64 group) {
    const Front front(m, v, number, group);
    const int lane = threadIdx.x & 31, s = front.s, f = front.f;
    real value[RHS];
    zero(value);
    if (lane < s) gather(value, front, lane);
    __syncwarp();
    if (!front.inverted()) solve_lower(value, front);
    if (lane < s) post(front.y + lane * RHS, value);
    for (int from = s; from < f; from += 32) {
        const int i = from + lane;
        const bool in = i < f;
        real sum[RHS], right[RHS];
        zero(sum);
#pragma unroll 4
        for (int k = 0; k < s; k++) add_product(sum, in ? front.lower[i + (i64)k * f] : 0, value, k);
        zero(right);
        if (in) gather(right, front, i);
        __syncwarp();
#pragma unroll
        for (int c = 0; c < RHS; c++) right[c] -= sum[c];
        if (in) post(front.u + (i64)(i - s) * RHS, right);
    }
}

__device__ __forceinline__ void backward_warp(const Maps &m, const Vectors &v, int number, i64 group) {
    const Front front(m, v, number, group);
    const int lane = threadIdx.x & 31, s = front.s, r = front.r;
    // `width` lanes each take columns in turn.
    int width = 1;
    while (width < s) width <<= 1;
    const int row = lane & (width - 1), part = lane / width, parts = 32 / width;
    const int *list = front.m.list + front.m.list_start[front.number];
    real sum[RHS], value[RHS];
    zero(sum);
    for (int from = 0; from < r; from += 32) {
        zero(value);
        if (from + lane < r) poll_all(value, front.all_x + (i64)list[from + lane] * RHS);
        __syncwarp();
        const int count = min(32, r - from);
#pragma unroll 4
        for (int j = 0; j < count; j += parts) {
            const bool in = row < s && j + part < count;
            add_product(sum, in ? front.upper[row + (i64)(from + j + part) * s] : 0, value, (j + part) & 31);
        }
    }
    for (int d = width; d < 32; d <<= 1)
#pragma unroll
        for (int c = 0; c < RHS; c++) sum[c] += __shfl_xor_sync(WARP, sum[c], d);
    zero(value);
    if (lane < s) {
        poll_all(value, front.y + lane * RHS);
#pragma unroll
        for (int c = 0; c < RHS; c++) value[c] -= sum[c];
    }
    __syncwarp();
    if (front.inverted()) {
        zero(sum);
#pragma unroll 8
        for (int k = 0; k < s; k++) add_product(sum, lane < s ? front.lower[lane + k * front.f] : 0, value, k);
#pragma unroll
        for (int c = 0; c < RHS; c++) value[c] = sum[c];
    } else {
        solve_upper(value, front);
    }
    if (lane < s) finish(front, lane, value);
}

// ---- fronts of at most 32 pivots: a block each ----

__device__ __forceinline__ void forward_block(const Maps &m, const Vectors &v, int number, i64 group) {
    const Front front(m, v, number, group);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = front.s, f = front.f;
    int from = s + 32 * warp;
    if (warp && from >= f) return;
    real value[RHS], columns[AHEAD], sum[RHS], right[RHS];
    load_columns(columns, front.lower + from + lane, f, s, from + lane < f);
    zero(value);
    if (lane < s) gather(value, front, lane);
    __syncwarp();
    if (warp == 0 && lane < s) post(front.y + lane * RHS, value);
    for (; from < f; from += 32 * WARPS) {
        const int i = from + lane;
        const bool in = i < f;
        zero(sum);
        if (from != s + 32 * warp) load_columns(columns, front.lower + i, f, s, in);
        add_products(sum, columns, value);
        if (s > AHEAD) {
            load_columns(columns, front.lower + i + (i64)AHEAD * f, f, s - AHEAD, in);
            real high[RHS];
#pragma unroll
            for (int c = 0; c < RHS; c++) high[c] = __shfl_sync(WARP, value[c], (lane + AHEAD) & 31);
            add_products(sum, columns, high);
        }
        zero(right);
        if (in) gather(right, front, i);
        __syncwarp();
#pragma unroll
        for (int c = 0; c < RHS; c++) right[c] -= sum[c];
        if (in) post(front.u + (i64)(i - s) * RHS, right);
    }
}

// x of `rows` pivots from `row` on: -D^-1 sum, D being their diagonal block. Each warp has a part of the sum, and its
// four columns of D^-1 in `inverse`.
__device__ __forceinline__ void finish_rows(const Front &front, real (&sum)[RHS], const real (&inverse)[4], int row, int rows, real *room) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool in = lane < rows;
    sum_warps(sum, room, true);
    real value[RHS];
    zero(value);
#pragma unroll
    for (int q = 0; q < 4; q++) add_product(value, -inverse[q], sum, 4 * warp + q);
    sum_warps(value, room, false);
    if (warp == 0 && in) finish(front, row + lane, value);
}

__device__ __forceinline__ void load_inverse(real (&inverse)[4], const Front &front, int row, int rows) {
    const int lane = threadIdx.x & 31, from = 4 * (threadIdx.x >> 5);
#pragma unroll
    for (int q = 0; q < 4; q++)
        inverse[q] = lane < rows && from + q < rows ? front.lower[row + lane + (i64)(row + from + q) * front.f] : 0;
}

// Pivots [row, row + rows), rows <= 32, of any front: what is right of them, 16 columns a warp in turn, the list first,
// then the later pivots from the last one down, as they come to be known.
__device__ __forceinline__ void backward_rows(
    const Maps &m, const Vectors &v, int number, i64 group, int row, int rows, real *room) {
    const Front front(m, v, number, group);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = front.s, r = front.r, after = row + rows;
    const int *list = front.m.list + front.m.list_start[front.number];
    const int lists = (r + AHEAD - 1) / AHEAD, later = (s - after + AHEAD - 1) / AHEAD;
    const bool in = lane < rows;
    real inverse[4], columns[AHEAD], sum[RHS], value[RHS];
    load_inverse(inverse, front, row, rows);
    zero(sum);
    // Of y, which is there since the solve forward, warp 0 takes the sums away.
    if (warp == 0 && in) {
        poll_all(sum, front.y + (row + lane) * RHS);
#pragma unroll
        for (int c = 0; c < RHS; c++) sum[c] = -sum[c];
    }
    __syncwarp();
    for (int z = warp; z < lists + later; z += WARPS) {
        const bool listed = z < lists;
        const int from = listed ? AHEAD * z : after + AHEAD * (later - 1 - (z - lists));
        const int count = min(AHEAD, (listed ? r : s) - from);
        const real *first = listed ? front.upper + row + lane + (i64)from * s : front.lower + row + lane + (i64)from * front.f;
        load_columns(columns, first, listed ? s : front.f, count, in);
        zero(value);
        if (lane < count)
            poll_all(value, front.all_x + (i64)(listed ? list[from + lane] : front.first + from + lane) * RHS);
        __syncwarp();
        add_products(sum, columns, value);
    }
    finish_rows(front, sum, inverse, row, rows, room);
}

// Rows [row, row + rows), rows <= 32, of any front: what is left of them, 16 columns a warp in turn.
__device__ __forceinline__ void forward_rows(
    const Maps &m, const Vectors &v, int number, i64 group, int row, int rows, real *room) {
    const Front front(m, v, number, group);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = front.s, end = min(row, s);
    const bool in = lane < rows;
    real columns[AHEAD], sum[RHS], value[RHS], right[RHS];
    const real *first = front.lower + row + lane;
    load_columns(columns, first + (i64)AHEAD * warp * front.f, front.f, end - AHEAD * warp, in);
    zero(sum);
    zero(right);
    if (warp == 0 && in) gather(right, front, row + lane);
    __syncwarp();
    for (int from = AHEAD * warp; from < end; from += AHEAD * WARPS) {
        const int count = min(AHEAD, end - from);
        if (from != AHEAD * warp) load_columns(columns, first + (i64)from * front.f, front.f, count, in);
        zero(value);
        if (lane < count) poll_all(value, front.y + (from + lane) * RHS);
        __syncwarp();
        add_products(sum, columns, value);
    }
    sum_warps(sum, room, false);
    if (warp != 0 || !in) return;
#pragma unroll
    for (int c = 0; c < RHS; c++) right[c] -= sum[c];
    post(row < s ? front.y + (row + lane) * RHS : front.u + (i64)(row - s + lane) * RHS, right);
}

extern "C" __global__ void __launch_bounds__(256, RHS == 1 ? 4 : 2) mf_solve(
    const __grid_constant__ Maps m, const __grid_constant__ Vectors v) {
    __shared__ real room[WARPS * RHS * 32];
    __shared__ i64 numbers[2];
    const int warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) numbers[0] = (u32)(atomicAdd(v.ticket, 1u) + 1u);
    __syncthreads();
    for (int turn = 0;; turn ^= 1) {
        const i64 number = numbers[turn], group = number % v.groups;
        if (number >= *v.tasks * v.groups) return;
        const int4 task = m.solve_tasks[number / v.groups];
        switch (task.x) {
            case FORWARD_WARPS:
                if (warp < task.z) forward_warp(m, v, m.solve_warp_fronts[task.y + warp], group);
                break;
            case BACKWARD_WARPS:
                if (warp < task.z) backward_warp(m, v, m.solve_warp_fronts[task.y + warp], group);
                break;
            case FORWARD_BLOCK: forward_block(m, v, task.y, group); break;
            case BACKWARD_BLOCK: backward_rows(m, v, task.y, group, 0, pivots(m, task.y), room); break;
            case FORWARD_ROWS: forward_rows(m, v, task.y, group, task.z, task.w, room); break;
            case BACKWARD_ROWS: backward_rows(m, v, task.y, group, task.z, task.w, room); break;
        }
        __syncthreads();
        if (threadIdx.x == 0) numbers[turn ^ 1] = (u32)(atomicAdd(v.ticket, 1u) + 1u);
        __syncthreads();
    }
}
