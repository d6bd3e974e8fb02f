// A barrier of all blocks of a grid that was launched cooperatively, so that all are resident.
//
// arrived : a word of global memory, 0 at the launch. passed : each thread's own, 0 at first. Every thread of every
// block calls it equally often. What any thread wrote before it is visible to every thread after it.

__device__ __forceinline__ void grid_barrier(unsigned int *arrived, unsigned int &passed) {
    passed += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while ((int)(*(volatile unsigned int *)arrived - passed) < 0) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}
