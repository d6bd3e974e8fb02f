// Kahn's algorithm on the relaxed dependency graph of GLU3.0 (PPoPP'23, Algorithm 5), level by level.
//
// Column k waits for i < k if U[i,k] != 0 and L[:,i] is not empty, and if L[k,i] != 0. The graph is not built: row i of
// U and column i of L are the successors of i, and a successor in both is counted twice in its degree. A column whose L
// is empty has no successors; those in its row of U are released before the first level.
//
// The queue is never emptied: its parts, one after another, are the levels.

#include "grid_barrier.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 ALL = 0xFFFFFFFFu;
constexpr u32 THREADS = 1024;
// Block 0 works alone, and the others wait, while a level has at most this many columns and successors.
constexpr u32 FEW_COLUMNS = 64, FEW_SUCCESSORS = 4096;

struct Graph {
    const long long *rows, *upper_start;     // (n + 1,), (n,): F by rows, and the position of each row's diagonal
    const int *row_columns;
    const long long *columns, *lower_start;  // (n + 1,), (n,): F by columns, and where each column's L begins
    const int *column_rows;
    u32 n;
};

struct Queue {
    u32 *degree;  // (n,) dependencies still waited for
    int *queue;   // (n,)
    int *level;   // (n,) of each column
};

// The state after block 0 has worked alone.
struct Left {
    u32 first, last, level, successors;
};

__device__ __forceinline__ u32 upper_length(const Graph &graph, u32 i) {
    return (u32)(graph.rows[i + 1] - graph.upper_start[i] - 1);
}

__device__ __forceinline__ u32 lower_length(const Graph &graph, u32 i) {
    return (u32)(graph.columns[i + 1] - graph.lower_start[i]);
}

__device__ __forceinline__ u32 successors(const Graph &graph, u32 i) {
    const u32 lower = lower_length(graph, i);
    return lower ? lower + upper_length(graph, i) : 0u;
}

// A warp appends its lanes' ready columns. added : successors << 32 | columns appended behind `last`.
__device__ __forceinline__ void append(
    const Graph &graph, const Queue &work, bool ready, u32 column, u32 last, u32 level, u64 *added) {
    const u32 mask = __ballot_sync(ALL, ready);
    if (mask == 0u) return;
    const u32 lane = threadIdx.x & 31u;
    u32 follow = ready ? successors(graph, column) : 0u;
    for (u32 d = 16; d > 0; d >>= 1) follow += __shfl_xor_sync(ALL, follow, d);
    u32 at = 0;
    if (lane == 0) at = (u32)atomicAdd(added, (u64)follow << 32 | (u32)__popc(mask));
    at = last + __shfl_sync(ALL, at, 0) + __popc(mask & ((1u << lane) - 1u));
    if (!ready) return;
    work.queue[at] = (int)column;
    work.level[column] = (int)level;
}

// Decrement the degrees of all columns that wait for the columns first..last-1 of the queue, and append those that
// become ready. Each column has an equal share of the warps, of which this one is number `warp`.
__device__ __forceinline__ void expand(
    const Graph &graph, const Queue &work, u32 first, u32 last, u32 level, u64 *added, u32 warp, u32 warps) {
    const u32 lane = threadIdx.x & 31u;
    const u32 count = last - first;
    const u32 share = count < warps ? warps / count : 1u;
    const u32 teams = warps / share;
    const u32 rank = warp % share;
    for (u32 c = warp / share; c < count; c += teams) {
        const u32 i = (u32)__ldcg(work.queue + first + c);
        const u32 lower = lower_length(graph, i);
        if (lower == 0u) continue;
        const u32 upper = upper_length(graph, i);
        const int *right = graph.row_columns + graph.upper_start[i] + 1;
        const int *down = graph.column_rows + graph.lower_start[i];
        for (u32 base = 32u * rank; base < upper + lower; base += 32u * share) {
            const u32 t = base + lane;
            bool ready = false;
            u32 column = 0;
            if (t < upper + lower) {
                column = (u32)(t < upper ? right[t] : down[t - upper]);
                ready = atomicSub(work.degree + column, 1u) == 1u;
            }
            append(graph, work, ready, column, last, level + 1, added);
        }
    }
}

// One thread per column: the entries above the diagonal in its column of F, and left of it in its row.
extern "C" __global__ void kahn_degrees(
    const long long *rows, const long long *upper_start, const long long *columns, const long long *lower_start,
    u32 n, u32 *degree) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) degree[k] = (u32)(lower_start[k] - 1 - columns[k] + upper_start[k] - rows[k]);
}

// One warp per column: no other column waits for one whose L is empty.
extern "C" __global__ void kahn_release(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *columns,
    const long long *lower_start, u32 n, u32 *degree) {
    const u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    if (i >= n || columns[i + 1] != lower_start[i]) return;
    const long long end = rows[i + 1];
    for (long long p = upper_start[i] + 1 + (threadIdx.x & 31u); p < end; p += 32)
        atomicSub(degree + row_columns[p], 1u);
}

// One thread per column: the first level. added : (3,), of which the first is written.
extern "C" __global__ void kahn_ready(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *columns,
    const long long *lower_start, const int *column_rows, u32 n, u32 *degree, int *queue, int *level, u64 *added) {
    const Graph graph{rows, upper_start, row_columns, columns, lower_start, column_rows, n};
    const Queue work{degree, queue, level};
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    append(graph, work, k < n && degree[min(k, n - 1)] == 0u, k, 0u, 0u, added);
}

// One level: the host reads `added` and launches the next. added : one entry, 0 before.
extern "C" __global__ void __launch_bounds__(THREADS) kahn_level(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *columns,
    const long long *lower_start, const int *column_rows, u32 n, u32 *degree, int *queue, int *level, u64 *added,
    u32 first, u32 last, u32 number) {
    const Graph graph{rows, upper_start, row_columns, columns, lower_start, column_rows, n};
    const Queue work{degree, queue, level};
    const u32 warps = blockDim.x / 32u;
    expand(graph, work, first, last, number, added, blockIdx.x * warps + threadIdx.x / 32u, gridDim.x * warps);
}

// All levels, launched cooperatively. A round is a level of the whole grid, or some levels of block 0 alone.
// added : (3,), the first as kahn_ready left it, else 0; a round appends by one entry while the next one's is
// cleared, so that an entry is cleared only when no block can still be reading it.
// pointers : (n + 1,), of which depth + 1 are written. stats : depth, levels of block 0 alone, rounds.
extern "C" __global__ void __launch_bounds__(THREADS) kahn_levels(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *columns,
    const long long *lower_start, const int *column_rows, u32 n, u32 *degree, int *queue, int *level, u64 *added,
    long long *pointers, u32 *left, u32 *arrived, u32 *stats) {
    const Graph graph{rows, upper_start, row_columns, columns, lower_start, column_rows, n};
    const Queue work{degree, queue, level};
    __shared__ u64 alone[3];
    const u32 warps = blockDim.x / 32u, warp = threadIdx.x / 32u;
    const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    u32 passed = 0, round = 1, number = 0, lonely = 0;
    u32 first = 0, last = (u32)__ldcg(added), follow = (u32)(__ldcg(added) >> 32);
    if (leads) pointers[0] = 0;
    while (first < last) {
        if (leads) added[(round + 1) % 3] = 0;
        if (last - first > FEW_COLUMNS || follow > FEW_SUCCESSORS) {
            expand(graph, work, first, last, number, added + round % 3, blockIdx.x * warps + warp, gridDim.x * warps);
            grid_barrier(arrived, passed);
            const u64 found = __ldcg(added + round % 3);
            number += 1;
            if (leads) pointers[number] = last;
            first = last;
            last += (u32)found;
            follow = (u32)(found >> 32);
        } else {
            if (blockIdx.x == 0) {
                if (threadIdx.x < 3) alone[threadIdx.x] = 0;
                __syncthreads();
                while (first < last && last - first <= FEW_COLUMNS && follow <= FEW_SUCCESSORS) {
                    if (threadIdx.x == 0) alone[(number + 1) % 3] = 0;
                    expand(graph, work, first, last, number, alone + number % 3, warp, warps);
                    __syncthreads();
                    const u64 found = *(volatile u64 *)(alone + number % 3);
                    number += 1;
                    lonely += 1;
                    if (leads) pointers[number] = last;
                    first = last;
                    last += (u32)found;
                    follow = (u32)(found >> 32);
                }
                if (leads) *(Left *)left = Left{first, last, number, follow};
            }
            grid_barrier(arrived, passed);
            first = __ldcg(left);
            last = __ldcg(left + 1);
            number = __ldcg(left + 2);
            follow = __ldcg(left + 3);
        }
        round += 1;
    }
    if (leads) {
        stats[0] = number;
        stats[1] = lonely;
        stats[2] = round - 1;
    }
}

#ifdef RELOCATABLE
// The columns of a level are known when the previous launch is done. So this kernel launches that level and then itself
// again, until a level is empty. One thread. most : blocks of a launch. pointers : (n + 1,), of which depth + 1 are
// written. depth : one word.
extern "C" __global__ void kahn_tail(
    const long long *rows, const long long *upper_start, const int *row_columns, const long long *columns,
    const long long *lower_start, const int *column_rows, u32 n, u32 *degree, int *queue, int *level, u64 *added,
    long long *pointers, u32 *depth, u32 most, u32 first, u32 number) {
    const u32 found = (u32)*added, follow = (u32)(*added >> 32), last = first + found;
    pointers[number] = first;
    if (found == 0u) {
        *depth = number;
        return;
    }
    *added = 0;
    const u32 warps = THREADS / 32u, blocks = max((found + warps - 1u) / warps, (follow + THREADS - 1u) / THREADS);
    kahn_level<<<min(most, blocks), THREADS, 0, cudaStreamTailLaunch>>>(
        rows, upper_start, row_columns, columns, lower_start, column_rows, n, degree, queue, level, added, first, last,
        number);
    kahn_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(
        rows, upper_start, row_columns, columns, lower_start, column_rows, n, degree, queue, level, added, pointers,
        depth, most, last, number + 1u);
}
#endif
