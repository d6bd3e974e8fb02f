// CUDA's language for g++; included before every kernel. What NVRTC knows without an include, as far as it is used.
#pragma once
#include "runtime.hpp"

#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1

#define __global__
#define __device__
#define __host__
#define __constant__
// A block is an OS thread.
#define __shared__ static __thread
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__
#define warpSize 32

#define threadIdx (cuda_on_cpu::cuda_on_cpu_place().thread)
#define blockIdx (cuda_on_cpu::cuda_on_cpu_place().block)
#define blockDim (cuda_on_cpu::cuda_on_cpu_place().threads)
#define gridDim (cuda_on_cpu::cuda_on_cpu_place().blocks)

// Memory accesses below this line are made by the functions themselves, not watched by the scheduler.
#define CUDA_ON_CPU_QUIET __attribute__((no_sanitize("thread")))
#define CUDA_ON_CPU_SITE(name) cuda_on_cpu::Site{name, file, line}
#define CUDA_ON_CPU_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

typedef decltype(sizeof(0)) size_t;

// Vectors.
#define CUDA_ON_CPU_VECTORS(type, name, bytes)                                                     \
    struct __align__(2 * bytes) name##2 {                                                          \
        type x, y;                                                                                 \
    };                                                                                             \
    struct __align__(4 * bytes > 16 ? 16 : 4 * bytes) name##4 {                                    \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                               \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_ON_CPU_VECTORS(signed char, char, 1)
CUDA_ON_CPU_VECTORS(unsigned char, uchar, 1)
CUDA_ON_CPU_VECTORS(short, short, 2)
CUDA_ON_CPU_VECTORS(unsigned short, ushort, 2)
CUDA_ON_CPU_VECTORS(int, int, 4)
CUDA_ON_CPU_VECTORS(unsigned int, uint, 4)
CUDA_ON_CPU_VECTORS(float, float, 4)
CUDA_ON_CPU_VECTORS(long long, longlong, 8)
CUDA_ON_CPU_VECTORS(unsigned long long, ulonglong, 8)
CUDA_ON_CPU_VECTORS(double, double, 8)
struct int3 {
    int x, y, z;
};
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }

// Barriers of a block.
inline void __syncthreads(CUDA_ON_CPU_CALLER) {
    cuda_on_cpu::cuda_on_cpu_barrier(cuda_on_cpu::NOTHING, 0, CUDA_ON_CPU_SITE("__syncthreads"));
}
inline int __syncthreads_or(int value, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::cuda_on_cpu_barrier(cuda_on_cpu::ANY, value, CUDA_ON_CPU_SITE("__syncthreads_or"));
}
inline int __syncthreads_and(int value, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::cuda_on_cpu_barrier(cuda_on_cpu::ALL, value, CUDA_ON_CPU_SITE("__syncthreads_and"));
}
inline int __syncthreads_count(int value, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::cuda_on_cpu_barrier(cuda_on_cpu::COUNT, value, CUDA_ON_CPU_SITE("__syncthreads_count"));
}

#include "warp.hpp"
#include "atomics.hpp"
#include "intrinsics.hpp"

// A kernel's arguments by their addresses, and what Python has to know of its parameters.
namespace cuda_on_cpu {
template <class T>
struct Parameter {
    static constexpr int pointee = 0;
};
template <class T>
struct Parameter<T *> {
    static constexpr int pointee = sizeof(T);
};
template <>
struct Parameter<void *> {
    static constexpr int pointee = 1;
};
template <>
struct Parameter<const void *> {
    static constexpr int pointee = 1;
};

template <int... K>
struct Places {};
template <int N, int... K>
struct Count : Count<N - 1, N - 1, K...> {};
template <int... K>
struct Count<0, K...> {
    using type = Places<K...>;
};

template <class... P, int... K>
inline void call(void (*kernel)(P...), void **arguments, Places<K...>) {
    kernel(*(P *)arguments[K]...);
}
template <class... P>
inline void call(void (*kernel)(P...), void **arguments) {
    call(kernel, arguments, typename Count<sizeof...(P)>::type());
}

// Writes, for each parameter, its size and the size of what it points to (0: it is no pointer). Returns their number.
template <class... P>
inline int parameters(void (*)(P...), int *sizes) {
    const int all[] = {sizeof(P)..., Parameter<P>::pointee..., 0};
    for (unsigned int k = 0; k < 2 * sizeof...(P); ++k) sizes[k] = all[k];
    return sizeof...(P);
}
}  // namespace cuda_on_cpu
