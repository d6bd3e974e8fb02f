// L U x = b with factors by rows, without levels: a row is computed as soon as those that it needs are there (W. Liu,
// A. Li, J. Hogg, I. S. Duff and B. Vinter, Euro-Par 2016). A value of y or x is all ones in bits, a number that no
// arithmetic makes, until it is there.
//
// A warp takes a row at a time, in the order in which rows can be computed, so that whom it waits for is running or
// done. Writers: y and x of a row by the first lane of the warp that took it.
//
// REAL : float or double

#include "visibility.cuh"

typedef REAL real;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 WARP = 0xFFFFFFFFu;
// Entries of a row that a lane has under way at a time.
constexpr int TOGETHER = 4;

__device__ __forceinline__ bool is_missing(double value) { return (u64)__double_as_longlong(value) == ~0ull; }
__device__ __forceinline__ bool is_missing(float value) { return __float_as_uint(value) == ~0u; }

// The sum of values[p] * known[indices[p]] over [from, to), in each lane.
__device__ __forceinline__ real row_sum(const int *indices, const real *values, const real *known, i64 from, i64 to) {
    real sum = 0;
    for (i64 p = from + (threadIdx.x & 31u); p < to; p += 32 * TOGETHER) {
        real factor[TOGETHER], value[TOGETHER];
        const real *place[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) {
            const bool in = p + 32 * k < to;
            place[k] = known + (in ? indices[p + 32 * k] : indices[p]);
            factor[k] = in ? values[p + 32 * k] : 0;
        }
        bool missing;
        do {
            missing = false;
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) value[k] = load(place[k]);
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) missing = missing || is_missing(value[k]);
        } while (missing);
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) sum += factor[k] * value[k];
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(WARP, sum, d);
    return sum;
}

// A number of arithmetic's, whose bits are not all ones.
__device__ __forceinline__ real number(double value) {
    return (real)(value == value ? value : __longlong_as_double(0x7FF8000000000000ll));
}

// indptr (n + 1,), indices : of L + U by rows. upper : (n,) where each row's diagonal is. values : of L + U - I.
// b, out : (n,) float64. y, x : (n,) all ones at the launch. ticket : rows taken, 0 at the launch
extern "C" __global__ void __launch_bounds__(256, 4) sw_solve(
    const i64 *indptr, const int *indices, const i64 *upper, const real *values, i64 n, const double *b, real *y, real *x,
    u64 *ticket, double *out) {
    const u32 lane = threadIdx.x & 31u;
    while (true) {
        u64 turn = lane == 0u ? atomicAdd(ticket, 1ull) : 0ull;
        turn = __shfl_sync(WARP, turn, 0);
        if ((i64)turn >= 2 * n) return;
        const bool forward = (i64)turn < n;
        const i64 row = forward ? (i64)turn : 2 * n - 1 - (i64)turn;
        if (forward) {
            const real sum = row_sum(indices, values, y, indptr[row], upper[row]);
            if (lane == 0u) store(y + row, number(b[row]) - sum);
            continue;
        }
        const real sum = row_sum(indices, values, x, upper[row] + 1, indptr[row + 1]);
        if (lane != 0u) continue;
        real right = load(y + row);
        while (is_missing(right)) right = load(y + row);
        const real value = (right - sum) / values[upper[row]];
        store(x + row, value);
        out[row] = (double)value;
    }
}
