// b - A x for several right-hand sides, or A x, and how large the difference is beside what it is made of.
//
// A warp takes ROWS rows and RHS right-hand sides, a lane each pair of them, with one right-hand side SLICES lanes; a row
// of more than LONG entries all lanes. Every sum is in an order of its own.
//
// Writers: each value of `out` by one lane; `worst` by atomics.
//
// RHS : right-hand sides that are taken at a time, 1 or 8

#include "multifrontal.cuh"

constexpr u32 WARP = 0xFFFFFFFFu;
constexpr int SLICES = RHS == 1 ? 4 : 1, ROWS = 32 / (RHS * SLICES);
constexpr i64 LONG = 32;

struct System {
    i64 n, columns;
    const i64 *indptr;
    const int *indices;
    const double *values, *b, *x;  // b, x : (columns, n); b may be null, for A x
    double *out;                   // as x, or null
    u64 *worst;  // bits of the largest |b - A x| / (|b| + |A| |x|), not a number above all; or null; 0 at the launch
};

struct Sums {
    double sum, modulus;
};

// Entries [at, end) of a row, each `step`-th, times one x.
__device__ __forceinline__ Sums product(const System &a, i64 at, i64 end, int step, const double *x) {
    Sums s{};
#pragma unroll 4
    for (; at < end; at += step) {
        const double term = a.values[at] * x[a.indices[at]];
        s.sum += term;
        s.modulus += fabs(term);
    }
    return s;
}

// Adds up over `lanes` lanes that lie RHS apart.
__device__ __forceinline__ void add_up(Sums &s, int lanes) {
    for (int d = RHS; d < RHS * lanes; d <<= 1) {
        s.sum += __shfl_xor_sync(WARP, s.sum, d);
        s.modulus += __shfl_xor_sync(WARP, s.modulus, d);
    }
}

// Returns the larger of `worst` and the ratio of a row of a right-hand side, as bits. at : its place in b
__device__ __forceinline__ u64 put(const System &a, const Sums &s, i64 at, u64 worst) {
    const double b = a.b ? a.b[at] : 0, left = a.b ? b - s.sum : s.sum;
    if (a.out) a.out[at] = left;
    if (left == 0) return worst;
    const u64 ratio = (u64)__double_as_longlong(fabs(left / (fabs(b) + s.modulus)));
    return ratio > worst ? ratio : worst;
}

extern "C" __global__ void __launch_bounds__(256) mf_residual(const __grid_constant__ System a) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const int lane = threadIdx.x & 31, slice = lane / RHS % SLICES;
    const i64 groups = (a.columns + RHS - 1) / RHS;
    u64 worst = 0;
    EACH_WARP(task, groups * ((a.n + ROWS - 1) / ROWS)) {
        const i64 row = ROWS * (task / groups) + lane / (RHS * SLICES), column = RHS * (task % groups) + lane % RHS;
        const bool is = row < a.n && column < a.columns;
        const i64 begin = row < a.n ? a.indptr[row] : 0, end = row < a.n ? a.indptr[row + 1] : 0, place = column * a.n;
        const bool longer = end - begin > LONG;
        Sums s = product(a, begin + slice, is && !longer ? end : 0, SLICES, a.x + place);
        add_up(s, SLICES);
        if (is && !longer && slice == 0) worst = put(a, s, place + row, worst);
        for (u32 rows = __ballot_sync(WARP, longer && lane % (RHS * SLICES) == 0); rows; rows &= rows - 1u) {
            const int from = __ffs((int)rows) - 1;
            const i64 first = __shfl_sync(WARP, begin, from), last = __shfl_sync(WARP, end, from);
            const i64 its_row = __shfl_sync(WARP, row, from);
            s = product(a, first + lane / RHS, column < a.columns ? last : 0, 32 / RHS, a.x + place);
            add_up(s, 32 / RHS);
            if (lane < RHS && column < a.columns) worst = put(a, s, place + its_row, worst);
        }
    }
    if (!a.worst) return;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const u64 other = __shfl_xor_sync(WARP, worst, d);
        worst = other > worst ? other : worst;
    }
    if (lane == 0 && worst) atomicMax(a.worst, worst);
}
