// Fetch the line of an address into the L2 cache, without waiting for it.
__device__ __forceinline__ void prefetch(const void *from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }
