// b - A x for several right-hand sides, or A x, and how large the difference is beside what it is made of.
//
// A lane takes a row, and a warp one that is longer. Every sum is in an order of its own.
//
// Writers: each value of `out` by one lane; `worst` by atomics.
//
// RHS : right-hand sides that are taken at a time

#include "multifrontal.cuh"

constexpr u32 WARP = 0xFFFFFFFFu;
// Entries of a row that a lane takes alone.
constexpr i64 ALONE = 32;

struct System {
    i64 n, columns;
    const i64 *indptr;
    const int *indices;
    const double *values, *b, *x;  // b, x : (columns, n); b may be null, for A x
    double *out;                   // as x, or null
    u64 *worst;  // bits of the largest |b - A x| / (|b| + |A| |x|), not a number above all; or null; 0 at the launch
};

struct Sums {
    double sum[RHS], modulus[RHS];
};

// Entries [at, end) of a row, each `step`-th, times x from right-hand side `first` on.
__device__ __forceinline__ void add_entries(const System &a, Sums &s, i64 at, i64 end, int step, i64 first) {
    for (; at < end; at += step) {
        const double value = a.values[at], *x = a.x + first * a.n + a.indices[at];
#pragma unroll
        for (int c = 0; c < RHS; c++)
            if (first + c < a.columns) {
                const double term = value * x[c * a.n];
                s.sum[c] += term;
                s.modulus[c] += fabs(term);
            }
    }
}

// Returns the larger of `worst` and the row's ratio, as bits.
__device__ __forceinline__ u64 put_row(const System &a, const Sums &s, i64 row, i64 first, u64 worst) {
#pragma unroll
    for (int c = 0; c < RHS; c++)
        if (first + c < a.columns) {
            const i64 at = (first + c) * a.n + row;
            const double b = a.b ? a.b[at] : 0, left = a.b ? b - s.sum[c] : s.sum[c], scale = fabs(b) + s.modulus[c];
            if (a.out) a.out[at] = left;
            if (left == 0) continue;
            const u64 ratio = (u64)__double_as_longlong(fabs(left / scale));
            worst = ratio > worst ? ratio : worst;
        }
    return worst;
}

extern "C" __global__ void __launch_bounds__(256) mf_residual(const __grid_constant__ System a) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const int lane = threadIdx.x & 31;
    const i64 groups = (a.columns + RHS - 1) / RHS;
    u64 worst = 0;
    EACH_WARP(task, groups * ((a.n + 31) / 32)) {
        const i64 first = RHS * (task % groups), base = 32 * (task / groups), row = base + lane;
        const i64 at = row < a.n ? a.indptr[row] : 0, end = row < a.n ? a.indptr[row + 1] : 0;
        const bool alone = end - at <= ALONE;
        if (row < a.n && alone) {
            Sums s{};
            add_entries(a, s, at, end, 1, first);
            worst = put_row(a, s, row, first, worst);
        }
        for (u32 lanes = __ballot_sync(WARP, !alone); lanes; lanes &= lanes - 1u) {
            const int from = __ffs((int)lanes) - 1;
            const i64 begin = __shfl_sync(WARP, at, from), stop = __shfl_sync(WARP, end, from);
            Sums s{};
            add_entries(a, s, begin + lane, stop, 32, first);
#pragma unroll
            for (int c = 0; c < RHS; c++)
#pragma unroll
                for (int d = 16; d > 0; d >>= 1) {
                    s.sum[c] += __shfl_xor_sync(WARP, s.sum[c], d);
                    s.modulus[c] += __shfl_xor_sync(WARP, s.modulus[c], d);
                }
            if (lane == 0) worst = put_row(a, s, base + from, first, worst);
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
