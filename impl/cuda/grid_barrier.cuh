// A barrier of all blocks of a grid that was launched cooperatively, so that all blocks are resident.
//
// arrived : a word of global memory, 0 at the launch. passed : private to each thread, 0 at first. Every thread of
// every block calls the barrier equally often. What any thread wrote before it is visible to every thread after it. If
// it is called in two halves, the code between them runs while others arrive, and must not read what they write.

__device__ __forceinline__ void grid_arrive(unsigned int *arrived, unsigned int &passed) {
    passed += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
    }
}

__device__ __forceinline__ void grid_wait(const unsigned int *arrived, unsigned int passed) {
    if (threadIdx.x == 0) {
        while ((int)(*(const volatile unsigned int *)arrived - passed) < 0) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}

__device__ __forceinline__ void grid_barrier(unsigned int *arrived, unsigned int &passed) {
    grid_arrive(arrived, passed);
    grid_wait(arrived, passed);
}
