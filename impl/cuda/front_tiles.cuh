// Products of small tiles by a warp, on the tensor cores where they multiply this type.
//
// A warp computes 16 rows by 8 COLUMNS columns. sum[n][q] of a lane is row lane / 4 + 8 (q / 2), column
// 8 n + 2 (lane % 4) + q % 2, as mma.m16n8k8 has it.
//
// REAL : float or double. TENSOR : whether tensor cores multiply doubles, where the card has them

#include "tensor_cores.cuh"

constexpr u32 WARP = 0xFFFFFFFFu;

struct Lane {
    int row, column;  // of sum[0][0]
};

__device__ __forceinline__ Lane lane_of() { return {(int)(threadIdx.x & 31u) >> 2, 2 * (int)(threadIdx.x & 3u)}; }

template <int COLUMNS>
__device__ __forceinline__ void clear(real (&sum)[COLUMNS][4]) {
#pragma unroll
    for (int n = 0; n < COLUMNS; n++)
#pragma unroll
        for (int q = 0; q < 4; q++) sum[n][q] = 0;
}

// sum += left right, of DEPTH columns and rows of which those from `depth` on are not used. Without tensor cores the
// compiler may load four rows of `right` at a time, the last beyond `depth`: racecheck reports such loads.
//
// left(k, i) : row i < 16 of column k. right(k, j) : column j < 8 COLUMNS of row k
template <int DEPTH, int COLUMNS, class Left, class Right>
__device__ __forceinline__ void multiply(
    real (&sum)[COLUMNS][4], int depth, const Left &left, const Right &right) {
    const int g = (threadIdx.x & 31u) >> 2, t = threadIdx.x & 3u;
#if ON_TENSOR_CORES
#pragma unroll
    for (int from = 0; from < DEPTH; from += 8) {
        if (from >= depth) break;
        const int k = from + t;
        const bool in = k < depth, also = k + 4 < depth;
        const real a[4] = {in ? left(k, g) : 0, in ? left(k, g + 8) : 0, also ? left(k + 4, g) : 0,
                           also ? left(k + 4, g + 8) : 0};
#pragma unroll
        for (int n = 0; n < COLUMNS; n++) {
            const real b[2] = {in ? right(k, 8 * n + g) : 0, also ? right(k + 4, 8 * n + g) : 0};
            mma(sum[n], a, b);
        }
    }
#else
#pragma unroll 4
    for (int k = 0; k < depth; k++) {
        const real a[2] = {left(k, g), left(k, g + 8)};
#pragma unroll
        for (int n = 0; n < COLUMNS; n++) {
            const real b[2] = {right(k, 8 * n + 2 * t), right(k, 8 * n + 2 * t + 1)};
#pragma unroll
            for (int q = 0; q < 4; q++) sum[n][q] += a[q >> 1] * b[q & 1];
        }
    }
#endif
}
