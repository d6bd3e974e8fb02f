// What has no name in C++: products on tensor cores, copies that go on by themselves, an approximate reciprocal.
//
// REAL, TENSOR : as in front_tiles.cuh

typedef REAL real;

#define ON_TENSOR_CORES (TENSOR && __CUDA_ARCH__ >= 800)

#if TENSOR && __CUDA_ARCH__ >= 900
// sum += a b, 16 x 8 = 16 x 8 times 8 x 8. With g = lane / 4 and t = lane % 4: a is rows g, g + 8 of column t, then of
// column t + 4; b is rows t, t + 4 of column g; sum is row g, then g + 8, of columns 2 t, 2 t + 1.
__device__ __forceinline__ void mma(real *sum, const real *a, const real *b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#elif ON_TENSOR_CORES
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

// 1 / value, to the last bit or two; of a subnormal value infinity.
__device__ __forceinline__ real reciprocal(real value) {
#if ON_TENSOR_CORES
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
#if ON_TENSOR_CORES
    const u32 address = (u32)__cvta_generic_to_shared(to), bytes = wanted ? sizeof(real) : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#else
    *to = wanted ? *from : 0;
#endif
}

__device__ __forceinline__ void commit_copies() {
#if ON_TENSOR_CORES
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until at most PENDING of this thread's groups of copies are still under way.
template <int PENDING>
__device__ __forceinline__ void wait_for_copies() {
#if ON_TENSOR_CORES
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
