// How blocks communicate while they run: accesses that reach the L2 cache, where all blocks see the same values, and
// what orders them (the PTX memory model at the scope of the GPU, sm_70 and later).
//
// One thread writes data by store(), fences, and adds to a word or stores one. Another thread that reads that word by
// acquire() or add_acquire(), and finds it written, reads the data by load(). Other threads of a warp or a block take
// part through a barrier: before the fence on the one side, after the acquire on the other.

template <class T>
__device__ __forceinline__ T load(const T *from) {
    return *(const volatile T *)from;
}

template <class T>
__device__ __forceinline__ void store(T *to, T value) {
    *(volatile T *)to = value;
}

// __threadfence() would also order all fences of the GPU among themselves, which takes longer.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

__device__ __forceinline__ unsigned int acquire(const unsigned int *from) {
    unsigned int value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

// Returns the previous value.
__device__ __forceinline__ unsigned long long add_acquire(unsigned long long *to, unsigned long long value) {
    unsigned long long before;
    asm volatile("atom.acquire.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
    return before;
}
