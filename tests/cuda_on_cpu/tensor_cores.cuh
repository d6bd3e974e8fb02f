// In place of impl/cuda/tensor_cores.cuh, whose products and copies are PTX.
typedef REAL real;

#define ON_TENSOR_CORES TENSOR

inline void mma(real *sum, const real *a, const real *b) {
    const int g = (threadIdx.x & 31u) >> 2, t = threadIdx.x & 3u;
    real product[4] = {0, 0, 0, 0};
    for (int k = 0; k < 8; k++) {
        real left[2], right[2];
        for (int half = 0; half < 2; half++) {
            const real held = __shfl_sync(0xFFFFFFFFu, a[half], 4 * g + (k & 3));
            const real later = __shfl_sync(0xFFFFFFFFu, a[2 + half], 4 * g + (k & 3));
            left[half] = k < 4 ? held : later;
            const real first = __shfl_sync(0xFFFFFFFFu, b[0], 4 * (2 * t + half) + (k & 3));
            const real second = __shfl_sync(0xFFFFFFFFu, b[1], 4 * (2 * t + half) + (k & 3));
            right[half] = k < 4 ? first : second;
        }
        for (int q = 0; q < 4; q++) product[q] += left[q >> 1] * right[q & 1];
    }
    for (int q = 0; q < 4; q++) sum[q] += product[q];
}

inline real reciprocal(real value) { return (real)1 / value; }

inline void copy_async(real *to, const real *from, bool wanted) { *to = wanted ? *from : 0; }
inline void commit_copies() {}
template <int PENDING>
inline void wait_for_copies() {}
