// In place of impl/cuda/visibility.cuh, whose accesses are PTX.
template <class T>
CUDA_ON_CPU_QUIET inline T load(const T *from) {
    return __ldcv(from);
}

template <class T>
CUDA_ON_CPU_QUIET inline void store(T *to, T value) {
    __stcg(to, value);
}

inline void fence() { __threadfence(); }

CUDA_ON_CPU_QUIET inline unsigned int acquire(const unsigned int *from) {
    cuda_on_cpu::cuda_on_cpu_yield(true);
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

CUDA_ON_CPU_QUIET inline unsigned long long add_acquire(unsigned long long *to, unsigned long long value) {
    cuda_on_cpu::cuda_on_cpu_yield(true);
    return __atomic_fetch_add(to, value, __ATOMIC_ACQUIRE);
}
