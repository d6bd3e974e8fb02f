// Inverses of the pivot blocks of a factor on fronts: [A11^-1; A21 A11^-1] and A11^-1 A12 of every part (front_parts.cuh).
//
// Fronts of at most PANEL pivots have them from the factorisation. Of others the factor holds L (unit, by blocks of PANEL), the
// inverses of its diagonal blocks and U; products of tiles make the rest, one launch a step, all fronts at a time.
//
// Writers: of a product's result each value by one thread. Nobody reads in a launch what another block writes in it.
//
// REAL, TENSOR : as in front_tiles.cuh

#include "multifrontal.cuh"
#include "front_parts.cuh"
#include "front_tiles.cuh"

constexpr int TILE_LD = 68, DEPTH = 32;

// A value of an operand in its view.
__device__ __forceinline__ real seen(const real *from, int ld, int view, int i, int j) {
    if (view == UNIT_LOWER && i / PANEL <= j / PANEL) return i == j;
    if (view == UPPER && i / PANEL > j / PANEL) return 0;
    return from[i + (i64)j * ld];
}

// One tile of 64 x 64 a block; the next columns of a and rows of b are loaded beside the multiplication.
extern "C" __global__ void __launch_bounds__(256, 2) mf_products(const Product *products, real *factor, real *inverse) {
    __shared__ real left[DEPTH * TILE_LD], right[DEPTH * TILE_LD];
    const Product p = products[blockIdx.x];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, row = 16 * (warp & 3), column = 32 * (warp >> 2);
    const real *a = (p.views & A_APART ? inverse : factor) + p.a, *b = (p.views & B_APART ? inverse : factor) + p.b;
    real *c = (p.views & C_APART ? inverse : factor) + p.c;
    real sum[4][4], next_left[8], next_right[8];
    const auto fetch = [&](int from) {
        const int i = p.i0 + (tid & 63), k = from + lane;
#pragma unroll
        for (int q = 0; q < 8; q++) {
            const int depth = from + (tid >> 6) + 4 * q, j = p.j0 + warp + 8 * q;
            next_left[q] = i < p.i1 && depth < p.k1 ? seen(a, p.lda, p.views & 3, i, depth) : 0;
            next_right[q] = k < p.k1 && j < p.j1 ? seen(b, p.ldb, p.views >> 2 & 3, k, j) : 0;
        }
    };
    clear(sum);
    fetch(p.k0);
    for (int from = p.k0; from < p.k1; from += DEPTH) {
#pragma unroll
        for (int q = 0; q < 8; q++) {
            left[((tid >> 6) + 4 * q) * TILE_LD + (tid & 63)] = next_left[q];
            right[lane * TILE_LD + warp + 8 * q] = next_right[q];
        }
        __syncthreads();
        if (from + DEPTH < p.k1) fetch(from + DEPTH);
        multiply<DEPTH>(sum, DEPTH, [&](int k, int i) { return left[k * TILE_LD + row + i]; },
                        [&](int k, int j) { return right[k * TILE_LD + column + j]; });
        __syncthreads();
    }
    const Lane mine = lane_of();
    const real sign = p.views & NEGATED ? -1 : 1;
#pragma unroll
    for (int n = 0; n < 4; n++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = p.i0 + row + mine.row + 8 * (q >> 1), j = p.j0 + column + mine.column + 8 * n + (q & 1);
            if (i < p.i1 && j < p.j1) c[i + (i64)j * p.ldc] = sign * sum[n][q];
        }
}
