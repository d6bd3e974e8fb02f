// fill2 with one source per thread: the GSoFA paper's GPU baseline (Section 7, Figure 3(b)).
//
// A thread takes one source after the other, those with the most work first. `visited` holds, for each vertex, which of
// the thread's sources reached it last. Thresholds ascend, and every vertex below the source that was marked while it
// was above the threshold becomes a threshold itself: the search for the next threshold finds the row of L in order.
// The marks above the source are the row of U. `touched` holds the same for groups of 256 vertices, so that most of a
// search is skipped. A thread is limited by memory latency, not by arithmetic: it loads AHEAD words at a time, and
// none of its writes depends on a load.
//
// Compile-time: COLUMNS (write the rows themselves, not only their counts).

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 AHEAD = 8;
constexpr u32 GROUP = 256;

struct Marks {
    u32 *visited, *touched;
    u32 use;

    __device__ __forceinline__ void set(u32 vertex) const {
        visited[vertex] = use;
        touched[vertex / GROUP] = use;
    }

    // One step of the search for the smallest marked vertex >= vertex and < limit: moves `vertex` on, to that vertex or
    // to where the search continues. Returns whether the vertex was found.
    __device__ __forceinline__ bool seek(u32 &vertex, u32 limit) const {
        u32 found = AHEAD;
        if (vertex % GROUP == 0) {
            const u32 group = vertex / GROUP, groups = (limit + GROUP - 1) / GROUP;
#pragma unroll
            for (u32 k = AHEAD; k-- > 0;)
                if (group + k < groups && touched[group + k] == use) found = k;
            vertex = (group + found) * GROUP;
            if (found == AHEAD || vertex >= limit) return false;
            found = AHEAD;
        }
        const u32 end = min(limit, (vertex / GROUP + 1) * GROUP);
#pragma unroll
        for (u32 k = AHEAD; k-- > 0;)
            if (vertex + k < end && visited[vertex + k] == use) found = k;
        const u32 next = vertex + found;
        vertex = found < AHEAD ? next : min(next, end);
        return found < AHEAD;
    }
};

extern "C" __global__ void fill2_traverse(
    const long long *indptr, const int *indices, const int *sources, u32 count, u32 n,
    u32 *all_visited, u32 *all_stacks, u32 *all_touched, u32 groups,
    long long *lower, long long *upper, u64 *edges, int *columns, long long *start, u64 *tail, u64 room,
    u32 *counter) {
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    Marks marks{all_visited + thread * n, all_touched + thread * groups, 0u};
    // The stack grows from the front, the thresholds found so far from the end: together they hold fewer than n.
    u32 *stack = all_stacks + thread * n;
    // The lanes of a warp run their steps together, wherever their sources are: a step looks for the next threshold, or
    // takes a vertex, and examines up to AHEAD entries of its row.
    u32 source = n, threshold = 0, below = 0, above = 0, depth = 0;
    u64 examined = 0;
    long long p = 0, last = 0;
    while (true) {
        if (source == n) {
            const u32 number = atomicAdd(counter, 1u);
            if (number >= count) break;
            source = (u32)sources[number];
            marks.use += 1;
            threshold = below = above = 0;
            examined = 0;
            for (long long q = indptr[source]; q < indptr[source + 1]; ++q) {
                marks.set((u32)indices[q]);
                above += (u32)indices[q] >= source;
            }
        }
        u32 vertex = n;
        if (p == last && depth > 0) {
            vertex = stack[--depth];
        } else if (p == last && threshold < source) {
            if (marks.seek(threshold, source)) {
                vertex = threshold;
                below += 1;
                stack[n - below] = vertex;
            }
        }
        if (vertex < n) {
            p = indptr[vertex];
            last = indptr[vertex + 1];
            examined += (u64)(last - p);
        }
        if (p < last) {
            u32 neighbour[AHEAD], seen[AHEAD];
#pragma unroll
            for (u32 k = 0; k < AHEAD; ++k) neighbour[k] = p + k < last ? (u32)indices[p + k] : source;
#pragma unroll
            for (u32 k = 0; k < AHEAD; ++k) seen[k] = marks.visited[neighbour[k]];
#pragma unroll
            for (u32 k = 0; k < AHEAD; ++k) {
                if (seen[k] == marks.use) continue;
                marks.set(neighbour[k]);
                above += neighbour[k] > source;
                if (neighbour[k] < threshold) stack[depth++] = neighbour[k];
            }
            p = min(p + AHEAD, last);
            // The threshold is complete when nothing is left to expand: the search continues behind it.
            if (p == last && depth == 0) threshold += 1;
            continue;
        }
        if (depth > 0 || threshold < source) continue;
        lower[source] = below;
        upper[source] = above;
        edges[source] = examined;
#if COLUMNS
        const u64 at = atomicAdd(tail, (u64)(below + above));
        const bool fits = at + below + above <= room;
        start[source] = fits ? (long long)at : -1;
        if (fits) {
            for (u32 k = 0; k < below; ++k) columns[at + k] = (int)stack[n - 1 - k];
            u32 member = source;
            for (u32 k = 0; k < above; ++k) {
                columns[at + below + k] = (int)member;
                member += 1;
                while (k + 1 < above && !marks.seek(member, n)) {}
            }
        }
#endif
        source = n;
    }
}
