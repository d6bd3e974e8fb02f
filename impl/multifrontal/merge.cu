// Fronts merged with their last child where that adds few zeros, before bitfronts_lists: a merged front costs one
// hand-over less. After it, the pivots of each front in an order that is always the same. Two cooperative kernels.

#include "bitfronts.cuh"
#include "grid_barrier.cuh"
#include "grid_scan.cuh"

// Fewer columns than CHAIN are merged with the next front, whatever that adds; more, while the zeros that merging has
// added are at most a share of these columns, as long as they are then.
constexpr i64 CHAIN = 16;
constexpr double ZEROS = 0.2;

// Fields are eight bytes each; impl/multifrontal/arena.py places the arrays.
struct Merged {
    u32 *arrived;  // (2,), of grid barriers; 0 at the launch
    i64 *totals;   // (2,), fronts and list entries
    i64 *partial;
    i64 *begins;      // (fronts + 1,) whether a front begins a merged one; then the number of those before it
    i64 *list_start;  // (merged + 1,)
    int *first, *up, *size, *team, *long_lists;
    int *front_of;  // by label
};

// Whether the front after this one begins with the parent of its last pivot. A front before one that begins with a leaf
// may hang from it as well, higher up; which one comes to lie there is chance.
__device__ __forceinline__ bool is_last_child(const Tree &t, i64 fronts, i64 front) {
    return front + 1 < fronts && t.label_parent[t.first[front + 1] - 1] == t.first[front + 1];
}

// A run of fronts, each the last child of the next, by one thread.
__device__ __forceinline__ void mark_run(const Tree &t, const Merged &m, i64 fronts, i64 front) {
    m.begins[front] = 1;
    double zeros = 0;
    i64 columns = t.first[front + 1] - t.first[front];
    for (; is_last_child(t, fronts, front); front++) {
        const i64 list = t.list_start[front + 1] - t.list_start[front], following = front + 1;
        const i64 more = t.first[following + 1] - t.first[following];
        const i64 above = t.list_start[following + 1] - t.list_start[following];
        const double added = zeros + (double)columns * (double)(more + above - list);
        const bool joins = columns < CHAIN || added <= ZEROS * (double)columns * (double)(columns + more + above);
        m.begins[following] = !joins;
        zeros = joins ? added : 0;
        columns = joins ? columns + more : more;
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) mf_merge(const Tree t, const Merged m) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const i64 fronts = t.totals[FRONT_COUNT];
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(m.arrived, passed); };
    const auto merged = [&](i64 front) { return (int)m.begins[front + 1] - 1; };

    EACH(front, fronts) {
        if (front == 0 || !is_last_child(t, fronts, front - 1)) mark_run(t, m, fronts, front);
    }
    barrier();
    scan_sums(m.begins, fronts, m.partial);
    barrier();
    scan_apply(m.begins, fronts, m.partial);
    if (threads.first == 0) t.state[LONG_LISTS] = 0;
    barrier();
    const i64 count = m.begins[fronts];
    EACH(front, fronts) {
        const int into = merged(front);
        if (m.begins[front] == into) m.first[into] = t.first[front];
        if (front + 1 < fronts && merged(front + 1) == into) continue;
        const i64 list = t.list_start[front + 1] - t.list_start[front];
        m.list_start[into] = list;
        m.up[into] = t.up[front] < 0 ? -1 : merged(t.up[front]);
        m.team[into] = 0;
        if (list > LONG_LIST) m.long_lists[atomicAdd(t.state + LONG_LISTS, 1u)] = into;
    }
    EACH(label, t.n) m.front_of[label] = merged(t.front_of[label]);
    if (threads.first == 0) m.first[count] = (int)t.n;
    barrier();
    EACH(into, count) m.size[into] = m.first[into + 1] - m.first[into] + (int)m.list_start[into];
    barrier();
    scan_sums(m.list_start, count, m.partial);
    barrier();
    scan_apply(m.list_start, count, m.partial);
    barrier();
    if (threads.first != 0) return;
    m.totals[0] = count;
    m.totals[1] = m.list_start[count];
}

// bitfronts_tree numbers siblings as they come. Within a front that concerns merged subtrees alone, of 32 columns at
// most, which come first; what follows are ancestors of all before. In the order of vertices a child comes before its
// parent as well, so those first 32 are sorted by them; a list lies on one path, where both orders are one.
//
// label : (n,), by vertex, written. list, place : rewritten
extern "C" __global__ void __launch_bounds__(512, 2) mf_settle(
    const Tree t, const Merged m, const i64 fronts, int *label, int *list, int *place) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const int lane = threadIdx.x & 31;
    for (i64 front = threads.first >> 5; front < fronts; front += threads.count >> 5) {
        const int first = m.first[front], pivots = m.first[front + 1] - first;
        const int vertex = lane < pivots ? t.old[first + lane] : NONE;
        int rank = 0;
        for (int k = 0; k < 32; k++) rank += __shfl_sync(LANES, vertex, k) < vertex;
        if (lane < pivots) label[vertex] = first + rank;
        for (int k = 32 + lane; k < pivots; k += 32) label[t.old[first + k]] = first + k;
    }
    u32 passed = 0;
    grid_barrier(m.arrived + 1, passed);
    for (i64 front = threads.first >> 5; front < fronts; front += threads.count >> 5) {
        const int parent = m.up[front];
        for (i64 e = m.list_start[front] + lane; e < m.list_start[front + 1]; e += 32) {
            const int settled = label[t.old[list[e]]];
            list[e] = settled;
            if (settled < m.first[parent + 1]) place[e] = settled - m.first[parent];
        }
    }
}
