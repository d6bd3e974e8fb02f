// Atomics, fences, and loads and stores that name a cache.
#pragma once

namespace cuda_on_cpu {
template <class T>
CUDA_ON_CPU_QUIET inline T load_now(const T *from, int order) {
    if constexpr (sizeof(T) <= 8) {
        T value;
        __atomic_load(const_cast<T *>(from), &value, order);
        return value;
    } else {
        return *from;
    }
}
template <class T>
CUDA_ON_CPU_QUIET inline void store_now(T *to, T value, int order) {
    if constexpr (sizeof(T) <= 8)
        __atomic_store(to, &value, order);
    else
        *to = value;
}
// By compare and swap; `next` is the value after it. code : where the kernel does it.
template <class T, class Next>
CUDA_ON_CPU_QUIET inline T replace(T *at, const void *code, Next next) {
    cuda_on_cpu_atomic(at, sizeof(T), code);
    T before, after;
    __atomic_load(at, &before, __ATOMIC_RELAXED);
    do after = next(before);
    while (!__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return before;
}
}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_ATOMIC(name, type, expression)                                                                \
    CUDA_ON_CPU_QUIET inline type name(type *at, type value) {                                                    \
        const void *code = __builtin_return_address(0);                                                           \
        return cuda_on_cpu::replace(at, code, [=](type old) CUDA_ON_CPU_QUIET -> type { return expression; });    \
    }                                                                                                             \
    CUDA_ON_CPU_QUIET inline type name##_block(type *at, type value) { return name(at, value); }                  \
    CUDA_ON_CPU_QUIET inline type name##_system(type *at, type value) { return name(at, value); }
#define CUDA_ON_CPU_INTEGERS(name, expression)                                                                    \
    CUDA_ON_CPU_ATOMIC(name, int, expression)                                                                     \
    CUDA_ON_CPU_ATOMIC(name, unsigned int, expression)                                                            \
    CUDA_ON_CPU_ATOMIC(name, unsigned long long, expression)
CUDA_ON_CPU_INTEGERS(atomicAdd, old + value)
CUDA_ON_CPU_ATOMIC(atomicAdd, float, old + value)
CUDA_ON_CPU_ATOMIC(atomicAdd, double, old + value)
CUDA_ON_CPU_ATOMIC(atomicSub, int, old - value)
CUDA_ON_CPU_ATOMIC(atomicSub, unsigned int, old - value)
CUDA_ON_CPU_INTEGERS(atomicMin, value < old ? value : old)
CUDA_ON_CPU_ATOMIC(atomicMin, long long, value < old ? value : old)
CUDA_ON_CPU_INTEGERS(atomicMax, value > old ? value : old)
CUDA_ON_CPU_ATOMIC(atomicMax, long long, value > old ? value : old)
CUDA_ON_CPU_INTEGERS(atomicAnd, old & value)
CUDA_ON_CPU_INTEGERS(atomicOr, old | value)
CUDA_ON_CPU_INTEGERS(atomicXor, old ^ value)
CUDA_ON_CPU_INTEGERS(atomicExch, (void(old), value))
CUDA_ON_CPU_ATOMIC(atomicExch, float, (void(old), value))
CUDA_ON_CPU_ATOMIC(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
CUDA_ON_CPU_ATOMIC(atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)

#define CUDA_ON_CPU_SWAP(type)                                                                                    \
    CUDA_ON_CPU_QUIET inline type atomicCAS(type *at, type expected, type value) {                                \
        cuda_on_cpu::cuda_on_cpu_atomic(at, sizeof(type), __builtin_return_address(0));                           \
        if (!__atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))        \
            cuda_on_cpu::cuda_on_cpu_yield(true);                                                                 \
        return expected;                                                                                          \
    }
CUDA_ON_CPU_SWAP(int)
CUDA_ON_CPU_SWAP(unsigned int)
CUDA_ON_CPU_SWAP(unsigned short)
CUDA_ON_CPU_SWAP(unsigned long long)

CUDA_ON_CPU_QUIET inline void __threadfence() {
    cuda_on_cpu::cuda_on_cpu_yield(false);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }

// These may be what a thread spins on.
#define CUDA_ON_CPU_LOAD(name)                                                                                    \
    template <class T>                                                                                            \
    CUDA_ON_CPU_QUIET inline T name(const T *from) {                                                              \
        cuda_on_cpu::cuda_on_cpu_yield(true);                                                                     \
        return cuda_on_cpu::load_now(from, __ATOMIC_RELAXED);                                                     \
    }
CUDA_ON_CPU_LOAD(__ldcg)
CUDA_ON_CPU_LOAD(__ldcv)
// These may not: they may be answered by a cache.
#define CUDA_ON_CPU_CACHED(name)                                                                                  \
    template <class T>                                                                                            \
    CUDA_ON_CPU_QUIET inline T name(const T *from) {                                                              \
        cuda_on_cpu::cuda_on_cpu_yield(false);                                                                    \
        return cuda_on_cpu::load_now(from, __ATOMIC_RELAXED);                                                     \
    }
CUDA_ON_CPU_CACHED(__ldg)
CUDA_ON_CPU_CACHED(__ldca)
CUDA_ON_CPU_CACHED(__ldcs)
CUDA_ON_CPU_CACHED(__ldlu)
#define CUDA_ON_CPU_STORE(name)                                                                                   \
    template <class T>                                                                                            \
    CUDA_ON_CPU_QUIET inline void name(T *to, T value) {                                                          \
        cuda_on_cpu::cuda_on_cpu_yield(false);                                                                    \
        cuda_on_cpu::store_now(to, value, __ATOMIC_RELAXED);                                                      \
    }
CUDA_ON_CPU_STORE(__stcg)
CUDA_ON_CPU_STORE(__stcs)
CUDA_ON_CPU_STORE(__stwb)
CUDA_ON_CPU_STORE(__stwt)

inline void __nanosleep(unsigned int) { cuda_on_cpu::cuda_on_cpu_yield(true); }
