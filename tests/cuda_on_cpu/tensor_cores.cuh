// In place of impl/cuda/tensor_cores.cuh, whose products and copies are PTX.
typedef REAL real;

#define ON_TENSOR_CORES TENSOR

inline void mma(real *sum, const real *a, const real *b, CUDA_ON_CPU_CALLER) {
    cuda_on_cpu::Part<real> part = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {}};
    cuda_on_cpu::cuda_on_cpu_collective(
        cuda_on_cpu::PRODUCT, 0xFFFFFFFFu, (unsigned long long)&part, sizeof(real), false, CUDA_ON_CPU_SITE("mma"));
    for (int q = 0; q < 4; q++) sum[q] += part.product[q];
}

inline real reciprocal(real value) { return (real)1 / value; }

inline void copy_async(real *to, const real *from, bool wanted) { *to = wanted ? *from : 0; }
inline void commit_copies() {}
template <int PENDING>
inline void wait_for_copies() {}
