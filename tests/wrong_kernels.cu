// Kernels with one mistake each, for tests/test_cuda_on_cpu.py. SOUND=1 mends them.
typedef unsigned int u32;

constexpr u32 ALL = 0xFFFFFFFFu;

// Reverses a block's part of an array; the mistake: no barrier.
extern "C" __global__ void reverse(u32 *words) {
    __shared__ u32 part[64];
    part[threadIdx.x] = words[blockIdx.x * 64 + threadIdx.x];
#if SOUND
    __syncthreads();
#endif
    words[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

// Adds one to a word per thread; the mistake: not atomic.
extern "C" __global__ void count(u32 *word) {
#if SOUND
    atomicAdd(word, 1u);
#else
    *word += 1u;
#endif
}

// The mistake: half of the block waits at one barrier, half at another.
extern "C" __global__ void diverge(u32 *words) {
    if (threadIdx.x < 32 || SOUND)
        __syncthreads();
    else
        __syncthreads();
    words[threadIdx.x] = threadIdx.x;
}

// The mistake: one thread waits for a word that only a later part of the block would write.
extern "C" __global__ void stuck(u32 *words) {
    if (threadIdx.x == 0) words[0] = 0u;
    __syncthreads();
    if (threadIdx.x == 0 && !SOUND) __syncwarp(3u);
    __syncthreads();
}

// The mistake: the upper lanes are gone.
extern "C" __global__ void shuffle(u32 *words) {
    if (threadIdx.x >= 16 && !SOUND) return;
    words[threadIdx.x] = __shfl_sync(ALL, threadIdx.x, 31);
}

// The mistake: lanes name different masks.
extern "C" __global__ void masks(u32 *words) {
    const u32 mask = SOUND || threadIdx.x < 8 ? ALL : 0xFFFFFF00u;
    words[threadIdx.x] = __ballot_sync(mask, true);
}

// The mistake: one word more than the array has.
extern "C" __global__ void outside(u32 *words, u32 count) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count + !SOUND) words[at] = at;
}

// The mistake: one element more than the declared array has.
extern "C" __global__ void beyond(u32 *words) {
    __shared__ u32 part[64];
    part[threadIdx.x + !SOUND] = threadIdx.x;
    __syncthreads();
    words[threadIdx.x] = part[threadIdx.x];
}

// The mistake: it writes where its dynamic shared memory has ended.
extern "C" __global__ void dynamic(u32 *words) {
    extern __shared__ u32 part[];
    part[threadIdx.x + 4 * !SOUND] = threadIdx.x;
    words[threadIdx.x] = part[threadIdx.x + 4 * !SOUND];
}

// The mistake: shared memory that nobody wrote.
extern "C" __global__ void unwritten(u32 *words) {
    __shared__ u32 sum;
#if SOUND
    if (threadIdx.x == 0) sum = 0u;
    __syncthreads();
#endif
    atomicAdd(&sum, 1u);
    __syncthreads();
    words[threadIdx.x] = sum;
}

// The mistake: a wide access to an address that is none of its multiples.
extern "C" __global__ void misaligned(u32 *words) {
    *(uint2 *)(words + 2 * threadIdx.x + !SOUND) = make_uint2(1u, 2u);
}

// The mistake: on a GPU, a shift by 32 gives 0.
extern "C" __global__ void shift(u32 *words, u32 bits) { words[0] = 1u << (bits - SOUND); }

// The mistake: a block waits for one that starts when it has ended.
extern "C" __global__ void wait(u32 *words) {
    if (threadIdx.x > 0) return;
    atomicAdd(words, 1u);
    while (*(volatile u32 *)words < gridDim.x && !SOUND) __nanosleep(20);
}

// The mistake: a shuffle between a write and another lane's read, where only __syncwarp orders memory.
extern "C" __global__ void neighbours(u32 *words) {
    __shared__ u32 part[32];
    part[threadIdx.x] = threadIdx.x;
    const u32 sum = __shfl_sync(ALL, threadIdx.x, 7);
#if SOUND
    __syncwarp();
#endif
    words[threadIdx.x] = sum + part[threadIdx.x ^ 1u];
}
