// What CUDA's functions give, one row of `words` per function, for tests/test_cuda_on_cpu.py. One warp.
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 ALL = 0xFFFFFFFFu;

extern "C" __global__ void collectives(const u32 *input, u32 *words) {
    const u32 lane = threadIdx.x, value = input[lane];
    u32 row = 0;
    const auto put = [&](u32 result) { words[32 * row++ + lane] = result; };
    put(__shfl_sync(ALL, value, lane + 5));
    put(__shfl_sync(ALL, value, 3, 8));
    put(__shfl_up_sync(ALL, value, 3));
    put(__shfl_up_sync(ALL, value, 3, 8));
    put(__shfl_down_sync(ALL, value, 3));
    put(__shfl_down_sync(ALL, value, 3, 8));
    put(__shfl_xor_sync(ALL, value, 17));
    put((u32)(__shfl_xor_sync(ALL, (u64)value << 32, 1) >> 32));
    put(__ballot_sync(ALL, value & 1u));
    put(__any_sync(ALL, lane == 9u) + 2 * __all_sync(ALL, lane != 9u));
    put(__match_any_sync(ALL, value % 3u));
    put(__reduce_add_sync(ALL, value));
    put((u32)__reduce_min_sync(ALL, (int)value));
    put(__reduce_max_sync(ALL, value));
    // Halves of a warp by themselves.
    const u32 half = lane < 16u ? 0x0000FFFFu : 0xFFFF0000u;
    put(__reduce_xor_sync(half, value));
    put(__ballot_sync(half, lane % 3u == 0u));
}

extern "C" __global__ void arithmetic(const u32 *input, u32 *words) {
    const u32 lane = threadIdx.x, value = input[lane], other = input[lane ^ 1u];
    u32 row = 0;
    const auto put = [&](u32 result) { words[32 * row++ + lane] = result; };
    put(__popc(value));
    put(__clz((int)value));
    put(__ffs((int)value));
    put(__brev(value));
    put(__funnelshift_l(value, other, lane));
    put(__funnelshift_r(value, other, lane));
    put(__byte_perm(value, other, 0x2704u));
    put(__umulhi(value, other));
    put((u32)min((int)value, (int)other));
    put(max(value, other));
}

// Of a grid: each word is the result of one atomic of all threads.
extern "C" __global__ void atomics(u32 *words, u64 *wide, double *sums) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(words, thread);
    atomicSub(words + 1, thread);
    atomicMin(words + 2, 1000u - thread);
    atomicMax(words + 3, thread);
    atomicOr(words + 4, 1u << thread % 32u);
    atomicAnd(words + 5, ~(1u << thread % 7u));
    atomicXor(words + 6, thread);
    atomicInc(words + 7, 6u);
    for (u32 seen = ~thread; seen != thread;) seen = atomicCAS(words + 8, thread, thread + 1u);
    atomicAdd(wide, (u64)thread << 32);
    atomicAdd(sums, 0.5);
}

extern "C" __global__ void votes(u32 *words) {
    const u32 at = 4 * threadIdx.x;
    words[at] = __syncthreads_count(threadIdx.x % 3u == 0u);
    words[at + 1] = __syncthreads_or(threadIdx.x == 7u);
    words[at + 2] = __syncthreads_and(threadIdx.x != 7u);
    // Who has exited is not waited for.
    if (threadIdx.x % 2u) return;
    words[at + 3] = __syncthreads_count(1);
}

extern "C" __global__ void places(u32 *words) {
    const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    words[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1u;
}
