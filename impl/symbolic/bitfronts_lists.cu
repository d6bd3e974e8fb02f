// The lists of all fronts, sorted, and the order in which fronts are eliminated: one cooperative kernel, after
// bitfronts_tree.
//
// Row i is in the list of each front that its row subtree meets, other than its own. The paths of that subtree are
// disjoint (bitfronts_tree.cu), so a path that stops where the front of its branch begins enters each front once: of two
// paths in one front the upper one has the front's highest vertex of the subtree, and the lower one's branch lies in
// that front. Nothing has to be marked.
//
// Writers: a list entry is written by the thread that its front's counter gave the place to; a front's height by its
// children through atomicMax, and read by the last of them to arrive, which goes on with the parent.

#include "bitfronts.cuh"
#include "grid_barrier.cuh"
#include "grid_scan.cuh"
#include "visibility.cuh"

// 32 times as many levels of the tree a block sorts by a bitmap in shared memory; lists over more by comparisons.
constexpr int LEVEL_WORDS = 2048;
// Small fronts that one task takes, a warp each.
constexpr i64 TOGETHER = 8;

__device__ __forceinline__ void count_children(const Tree &t, const Fronts &f, const Threads &threads) {
    EACH(front, f.count) {
        const int parent = t.up[front];
        if (parent < 0) continue;
        atomicAdd(f.pending + parent, 1);
        atomicAdd(f.awaited + parent, max(t.team[front], 1));
    }
}

// What is done with a path: from the front of a leaf up to, and without, that of its branch.
template <class Visit>
__device__ __forceinline__ void walk_paths(const Tree &t, const Fronts &f, const Threads &threads, const Visit &visit) {
    const Below below = below_diagonal(t, t.totals[SYMMETRIC]);
    EACH(q, below.length) {
        const int i = below.rows[q];
        if (q >= below.end(i) || t.branch[q] < 0) continue;
        visit(t.label[i], t.front_of[below.labels[q]], t.front_of[t.branch[q]]);
    }
}

__device__ __forceinline__ void list_members(const Tree &t, const Fronts &f, const Threads &threads) {
    walk_paths(t, f, threads, [&](int label, int front, int stop) {
        for (; front != stop; front = t.up[front])
            f.members[t.list_start[front] + atomicAdd(f.length + front, 1)] = label;
    });
}

// The fronts of each label, for the rows: their numbers first, then, with the lists, the fronts.
__device__ __forceinline__ void count_holders(const Tree &t, const Fronts &f, const Threads &threads) {
    walk_paths(t, f, threads, [&](int label, int front, int stop) {
        int fronts = 0;
        for (; front != stop; front = t.up[front]) fronts++;
        if (fronts) atomicAdd(f.holder_length + label, fronts);
    });
}

__device__ __forceinline__ void list_holders(const Tree &t, const Fronts &f, const Threads &threads) {
    walk_paths(t, f, threads, [&](int label, int front, int stop) {
        int fronts = 0;
        for (int u = front; u != stop; u = t.up[u]) fronts++;
        if (!fronts) return;
        i64 at = f.holder_start[label] + atomicSub(f.holder_length + label, fronts) - fronts;
        for (; front != stop; front = t.up[front], at++) {
            const i64 member = t.list_start[front] + atomicAdd(f.length + front, 1);
            f.members[member] = label;
            f.member_holder[member] = (int)(at - f.holder_start[label]);
            f.holder[at] = front;
        }
    });
}

// Member k of a front is entry `rank` of its list, `row` of the front.
__device__ __forceinline__ void put(const Tree &t, const Fronts &f, i64 from, i64 k, int rank, int pivots) {
    const int label = f.members[from + k];
    f.list[from + rank] = label;
    if (!t.columns) return;
    f.list_vertex[from + rank] = t.old[label];
    f.holder_row[f.holder_start[label] + f.member_holder[from + k]] = pivots + rank;
}

// A warp a list: the rank of each label is the number of smaller ones.
__device__ __forceinline__ void sort_short_lists(const Tree &t, const Fronts &f, const Threads &threads) {
    __shared__ int staged[32][LONG_LIST];
    constexpr int EACH_LANE = LONG_LIST / 32;
    int *keys = staged[threadIdx.x >> 5];
    const int lane = threadIdx.x & 31;
    for (i64 front = threads.first >> 5; front < f.count; front += threads.count >> 5) {
        const i64 from = t.list_start[front];
        const int length = (int)(t.list_start[front + 1] - from);
        if (length > LONG_LIST) continue;
        int label[EACH_LANE], rank[EACH_LANE];
        for (int c = 0; c < EACH_LANE; c++) {
            const int k = lane + 32 * c;
            label[c] = k < length ? f.members[from + k] : NONE;
            rank[c] = 0;
            keys[k] = label[c];
        }
        __syncwarp();
        for (int k = 0; k < length; k++)
            for (int c = 0; c < EACH_LANE; c++) rank[c] += keys[k] < label[c];
        const int pivots = t.first[front + 1] - t.first[front];
        for (int c = 0; c < EACH_LANE; c++)
            if (lane + 32 * c < length) put(t, f, from, lane + 32 * c, rank[c], pivots);
        __syncwarp();
    }
}

// A block a list. The labels lie on one path to the root, so that a label's level tells it from the others: a bit for
// each level, and the number of bits before it is its rank.
__device__ __forceinline__ void sort_long_list(const Tree &t, const Fronts &f, int front) {
    __shared__ u32 levels[LEVEL_WORDS];
    __shared__ int ranks[LEVEL_WORDS];
    __shared__ int deepest;
    const i64 from = t.list_start[front], length = t.list_start[front + 1] - from;
    const int parent = t.label_level[t.first[front + 1] - 1] - 1, pivots = t.first[front + 1] - t.first[front];
    __syncthreads();
    if (threadIdx.x == 0u) deepest = 0;
    for (int w = threadIdx.x; w < LEVEL_WORDS; w += blockDim.x) levels[w] = 0u;
    __syncthreads();
    int distance = 0;
    for (i64 k = threadIdx.x; k < length; k += blockDim.x)
        distance = max(distance, parent - t.label_level[f.members[from + k]]);
    atomicMax(&deepest, distance);
    __syncthreads();
    if (deepest >= 32 * LEVEL_WORDS) {
        for (i64 k = threadIdx.x; k < length; k += blockDim.x) f.list[from + k] = f.members[from + k];
        block_sort(f.list + from, (u32)length);
        // Of each member its place among the sorted.
        for (i64 k = threadIdx.x; t.columns && k < length; k += blockDim.x) {
            const int label = f.members[from + k], row = row_of(t, f, front, label);
            f.list_vertex[from + row - pivots] = t.old[label];
            f.holder_row[f.holder_start[label] + f.member_holder[from + k]] = row;
        }
        return;
    }
    for (i64 k = threadIdx.x; k < length; k += blockDim.x) {
        const int level = parent - t.label_level[f.members[from + k]];
        atomicOr(levels + (level >> 5), 1u << (level & 31));
    }
    __syncthreads();
    i64 before = 0;
    for (int tile = 0; 32 * tile <= deepest; tile += blockDim.x) {
        const int w = tile + (int)threadIdx.x;
        i64 total;
        const i64 place = block_scan(w < LEVEL_WORDS ? __popc(levels[w]) : 0, total);
        if (w < LEVEL_WORDS) ranks[w] = (int)(before + place);
        before += total;
    }
    __syncthreads();
    for (i64 k = threadIdx.x; k < length; k += blockDim.x) {
        const int level = parent - t.label_level[f.members[from + k]];
        const int rank = ranks[level >> 5] + __popc(levels[level >> 5] & ((1u << (level & 31)) - 1u));
        put(t, f, from, k, rank, pivots);
    }
}

__device__ __forceinline__ void find_straight(const Tree &t, const Fronts &f, const Threads &threads) {
    for (i64 front = threads.first >> 5; front < f.count; front += threads.count >> 5) {
        const int first = t.first[front], end = t.first[front + 1];
        for (int k = threadIdx.x & 31; first + 32 * k < end; k += 32) {
            const int from = first + 32 * k, last = min(from + 32, end);
            bool consecutive = true;
            for (int label = from + 1; label < last; label++)
                consecutive = consecutive && t.old[label] == t.old[label - 1] + 1;
            f.straight[t.panel_start[front] + k] = consecutive;
        }
    }
}

// Levels of fronts below each: from the fronts without children upwards, the last child to arrive goes on.
__device__ __forceinline__ void climb(const Tree &t, const Fronts &f, const Threads &threads) {
    EACH(lowest, f.count) {
        if (f.awaited[lowest]) continue;
        int front = (int)lowest, height = 0, parent;
        while ((parent = t.up[front]) >= 0) {
            atomicMax(f.height + parent, height + 1);
            fence();
            if (atomicSub(f.pending + parent, 1) != 1) break;
            fence();
            height = load(f.height + parent);
            front = parent;
        }
    }
}

__device__ __forceinline__ void place_members(const Tree &t, const Fronts &f, const Threads &threads) {
    for (i64 front = threads.first >> 5; front < f.count; front += threads.count >> 5) {
        const int parent = t.up[front];
        if (parent < 0) continue;
        for (i64 k = t.list_start[front] + (threadIdx.x & 31); k < t.list_start[front + 1]; k += 32)
            f.place[k] = row_of(t, f, parent, f.list[k]);
    }
}

__device__ __forceinline__ void take_slots(const Tree &t, const Fronts &f, const Threads &threads) {
    EACH(front, f.count) {
        const int team = t.team[front], height = f.height[front];
        u64 *counter = (u64 *)(team ? f.teams : f.smalls) + height;
        f.slot[front] = (int)atomicAdd(counter, (u64)max(team, 1));
    }
}

__device__ __forceinline__ void count_tasks(const Fronts &f, const Threads &threads) {
    EACH(height, f.count) f.task_start[height] = f.teams[height] + (f.smalls[height] + TOGETHER - 1) / TOGETHER;
}

// At each height the members of teams, those of a team side by side, then small fronts, eight to a task.
__device__ __forceinline__ void write_tasks(const Tree &t, const Fronts &f, const Threads &threads) {
    EACH(front, f.count) {
        const int team = t.team[front], height = f.height[front], slot = f.slot[front];
        if (team == 0) f.small_fronts[f.smalls[height] + slot] = (int)front;
        int4 *task = f.tasks + f.task_start[height] + slot;
        for (int member = 0; member < team; member++) task[member] = make_int4(1, (int)front, member, team);
    }
    EACH(height, f.count) {
        const i64 from = f.smalls[height], to = f.smalls[height + 1];
        int4 *task = f.tasks + f.task_start[height + 1] - (to - from + TOGETHER - 1) / TOGETHER;
        for (i64 k = from; k < to; k += TOGETHER) *task++ = make_int4(0, (int)k, (int)min(TOGETHER, to - k), 0);
    }
}

// partial : (2 gridDim.x,)
extern "C" __global__ void __launch_bounds__(512, 2) bitfronts_lists(const Tree t, const Fronts f, i64 *partial) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(f.next + 1, passed); };

    count_children(t, f, threads);
    if (t.columns) {
        count_holders(t, f, threads);
        find_straight(t, f, threads);
        barrier();
        EACH(label, t.n) f.holder_start[label] = f.holder_length[label];
        barrier();
        scan_sums(f.holder_start, t.n, partial);
        barrier();
        scan_apply(f.holder_start, t.n, partial);
        barrier();
        list_holders(t, f, threads);
    } else {
        list_members(t, f, threads);
    }
    barrier();
    sort_short_lists(t, f, threads);
    for (u32 k = blockIdx.x; k < t.state[LONG_LISTS]; k += gridDim.x) sort_long_list(t, f, t.long_lists[k]);
    if (!t.totals[WORDS]) return;
    climb(t, f, threads);
    barrier();
    place_members(t, f, threads);
    take_slots(t, f, threads);
    barrier();
    count_tasks(f, threads);
    scan_sums(f.smalls, f.count, partial);
    barrier();
    // The number of tasks of a height needs its small fronts, whose scan replaces them.
    scan_apply(f.smalls, f.count, partial);
    scan_sums(f.task_start, f.count, partial + gridDim.x);
    barrier();
    scan_apply(f.task_start, f.count, partial + gridDim.x);
    barrier();
    write_tasks(t, f, threads);
}
