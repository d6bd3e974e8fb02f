// Products of small tiles by a warp, on the tensor cores where they multiply this type.
//
// A warp computes 16 rows by 8 COLUMNS columns. sum[n][q] of a lane is row lane / 4 + 8 (q / 2), column
// 8 n + 2 (lane % 4) + q % 2, as mma.m16n8k8 has it.
//
// REAL : float or double. TENSOR : 90 for mma.m16n8k8 of doubles, 80 for m8n8k4, 0 for neither

typedef REAL real;

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

#if TENSOR == 90
__device__ __forceinline__ void mma(real *sum, const real *a, const real *b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#elif TENSOR == 80
__device__ __forceinline__ void mma_part(real *sum, real a, real b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(a), "d"(b));
}
__device__ __forceinline__ void mma(real *sum, const real *a, const real *b) {
    mma_part(sum, a[0], b[0]);
    mma_part(sum + 2, a[1], b[0]);
    mma_part(sum, a[2], b[1]);
    mma_part(sum + 2, a[3], b[1]);
}
#endif

// sum += left right, of DEPTH columns and rows of which those from `depth` on are not read.
//
// left(k, i) : row i < 16 of column k. right(k, j) : column j < 8 COLUMNS of row k
template <int DEPTH, int COLUMNS, class Left, class Right>
__device__ __forceinline__ void multiply(
    real (&sum)[COLUMNS][4], int depth, const Left &left, const Right &right) {
    const int g = (threadIdx.x & 31u) >> 2, t = threadIdx.x & 3u;
#if TENSOR
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

// 1 / value, to the last bit or two; of a subnormal value infinity.
__device__ __forceinline__ real reciprocal(real value) {
#if TENSOR
    real r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(value));
#pragma unroll
    for (int step = 0; step < 3; step++) r = fma(r, fma(-value, r, 1.0), r);
    return r;
#else
    return (real)1 / value;
#endif
}

// A value to shared memory while the thread goes on; 0 where it is not wanted.
__device__ __forceinline__ void copy_async(real *to, const real *from, bool wanted) {
#if TENSOR
    const u32 address = (u32)__cvta_generic_to_shared(to), bytes = wanted ? sizeof(real) : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#else
    *to = wanted ? *from : 0;
#endif
}

__device__ __forceinline__ void commit_copies() {
#if TENSOR
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until at most PENDING of this thread's groups of copies are still under way.
template <int PENDING>
__device__ __forceinline__ void wait_for_copies() {
#if TENSOR
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
