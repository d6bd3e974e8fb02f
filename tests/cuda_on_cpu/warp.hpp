// Collectives of the lanes of a warp. A lane waits until all lanes of the mask have come with the same mask.
#pragma once

namespace cuda_on_cpu {
template <class T>
inline unsigned long long bits_of(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle is of 8 bytes at most");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
inline T value_of(unsigned long long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
inline unsigned int lane() {
    const Place &place = cuda_on_cpu_place();
    return (place.thread.x + place.threads.x * (place.thread.y + place.threads.y * place.thread.z)) & 31u;
}
template <class T>
inline T shuffle(unsigned int mask, T value, unsigned int from, Site site) {
    return value_of<T>(cuda_on_cpu_collective(SHUFFLE, mask, bits_of(value), from, false, site));
}
inline unsigned int ballot(unsigned int mask, int predicate, Site site) {
    return (unsigned int)cuda_on_cpu_collective(BALLOT, mask, predicate != 0, 0, false, site);
}
template <class T>
inline T reduce(Collective kind, unsigned int mask, T value, bool is_signed, Site site) {
    const unsigned long long bits = is_signed ? (unsigned long long)(long long)value : (unsigned long long)value;
    return (T)cuda_on_cpu_collective(kind, mask, bits, 0, is_signed, site);
}
}  // namespace cuda_on_cpu

inline void __syncwarp(unsigned int mask = 0xFFFFFFFFu, CUDA_ON_CPU_CALLER) {
    cuda_on_cpu::cuda_on_cpu_collective(cuda_on_cpu::SYNC, mask, 0, 0, false, CUDA_ON_CPU_SITE("__syncwarp"));
}

template <class T>
inline T __shfl_sync(unsigned int mask, T value, int source, int width = 32, CUDA_ON_CPU_CALLER) {
    const unsigned int first = cuda_on_cpu::lane() & ~(width - 1u);
    return cuda_on_cpu::shuffle(mask, value, first + (source & (width - 1)), CUDA_ON_CPU_SITE("__shfl_sync"));
}
template <class T>
inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32, CUDA_ON_CPU_CALLER) {
    const unsigned int lane = cuda_on_cpu::lane(), inside = lane & (width - 1u);
    return cuda_on_cpu::shuffle(mask, value, inside >= delta ? lane - delta : lane, CUDA_ON_CPU_SITE("__shfl_up_sync"));
}
template <class T>
inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32, CUDA_ON_CPU_CALLER) {
    const unsigned int lane = cuda_on_cpu::lane(), inside = lane & (width - 1u);
    return cuda_on_cpu::shuffle(
        mask, value, inside + delta < (unsigned)width ? lane + delta : lane, CUDA_ON_CPU_SITE("__shfl_down_sync"));
}
template <class T>
inline T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32, CUDA_ON_CPU_CALLER) {
    const unsigned int lane = cuda_on_cpu::lane(), other = lane ^ (unsigned int)bits;
    const bool ahead = other / width > lane / width;
    return cuda_on_cpu::shuffle(mask, value, ahead ? lane : other, CUDA_ON_CPU_SITE("__shfl_xor_sync"));
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::ballot(mask, predicate, CUDA_ON_CPU_SITE("__ballot_sync"));
}
inline int __any_sync(unsigned int mask, int predicate, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::ballot(mask, predicate, CUDA_ON_CPU_SITE("__any_sync")) != 0;
}
inline int __all_sync(unsigned int mask, int predicate, CUDA_ON_CPU_CALLER) {
    return cuda_on_cpu::ballot(mask, predicate, CUDA_ON_CPU_SITE("__all_sync")) == mask;
}
template <class T>
inline unsigned int __match_any_sync(unsigned int mask, T value, CUDA_ON_CPU_CALLER) {
    return (unsigned int)cuda_on_cpu::cuda_on_cpu_collective(
        cuda_on_cpu::MATCH, mask, cuda_on_cpu::bits_of(value), 0, false, CUDA_ON_CPU_SITE("__match_any_sync"));
}
template <class T>
inline unsigned int __match_all_sync(unsigned int mask, T value, int *predicate, CUDA_ON_CPU_CALLER) {
    *predicate = (unsigned int)cuda_on_cpu::cuda_on_cpu_collective(
        cuda_on_cpu::MATCH, mask, cuda_on_cpu::bits_of(value), 0, false, CUDA_ON_CPU_SITE("__match_all_sync")) == mask;
    return *predicate ? mask : 0u;
}

#define CUDA_ON_CPU_REDUCE(name, kind, type, is_signed)                                                           \
    inline type name(unsigned int mask, type value, CUDA_ON_CPU_CALLER) {                                         \
        return cuda_on_cpu::reduce(cuda_on_cpu::kind, mask, value, is_signed, CUDA_ON_CPU_SITE(#name));           \
    }
CUDA_ON_CPU_REDUCE(__reduce_add_sync, REDUCE_ADD, unsigned int, false)
CUDA_ON_CPU_REDUCE(__reduce_add_sync, REDUCE_ADD, int, true)
CUDA_ON_CPU_REDUCE(__reduce_min_sync, REDUCE_MIN, unsigned int, false)
CUDA_ON_CPU_REDUCE(__reduce_min_sync, REDUCE_MIN, int, true)
CUDA_ON_CPU_REDUCE(__reduce_max_sync, REDUCE_MAX, unsigned int, false)
CUDA_ON_CPU_REDUCE(__reduce_max_sync, REDUCE_MAX, int, true)
CUDA_ON_CPU_REDUCE(__reduce_and_sync, REDUCE_AND, unsigned int, false)
CUDA_ON_CPU_REDUCE(__reduce_or_sync, REDUCE_OR, unsigned int, false)
CUDA_ON_CPU_REDUCE(__reduce_xor_sync, REDUCE_XOR, unsigned int, false)

// The lanes that run together: a lane may always be alone.
inline unsigned int __activemask() { return 1u << cuda_on_cpu::lane(); }
