// From a pattern to the elimination tree of A | A^T, row counts of a structurally symmetric A, and fronts: one
// cooperative kernel.
//
// S is the pattern of A | A^T. A vertex is a row and its column. Labels are a postorder of the tree: the subtree of v
// has the labels start[v] to label[v]. Ancestors have larger vertices and larger labels.
//
// Etree, without an order. parent[v] is the smallest ancestor of v seen so far, and falls by atomicMin. insert(v, t)
// asserts that t is an ancestor of v. If v has the parent p < t, then p and t are both ancestors of v, so t is one of p.
// If p > t, then t replaces p, and p, which was displaced, is asserted of t. An assertion ends where it is stored, and a
// displaced one is asserted again: none is lost, and all of them together have one closure, whose smallest ancestors are
// the etree, whatever the interleaving (docs/bitfronts.md has the proof). skip[v] is any ancestor of v, or v: a hint that
// shortens the way; each value ever stored there is an ancestor, so threads that overwrite each other do no harm.
//
// Races, all harmless: flags are only ever set to 1, by several threads at once; skip as above; children take their
// places in the postorder, long rows and large fronts theirs in a list, in any order: every postorder gives the same
// counts and the same fronts, apart from their numbers.
//
// A grid barrier lies between phases; in a phase each word that is not named above has one writer.

#include "bitfronts.cuh"
#include "grid_barrier.cuh"
#include "grid_scan.cuh"
#include "visibility.cuh"

// Rows of S with more entries below the diagonal are sorted by a block; in shorter ones a thread looks at each entry.
constexpr i64 LONG_ROW = 64;

__device__ __forceinline__ void initialise(const Tree &t, const Threads &threads) {
    EACH(v, t.n) {
        t.parent[v] = NONE;
        t.skip[v] = (int)v;
        t.last_child[v] = -1;
        t.taken[v] = t.path_count[v] = t.union_length[v] = 0;
        t.carry[v] = t.carry[t.n + v] = t.carry[2 * t.n + v] = 0;
        t.weight[v] = t.lower[v] = 0;
    }
    EACH(w, 8 * t.n) {
        const i64 v = w >> 3;
        for (i64 q = t.indptr[v] + (w & 7); q < t.indptr[v + 1]; q += 8) t.row[q] = (int)v;
    }
}

// Whether A[i, j] is there.
__device__ __forceinline__ bool stored(const Tree &t, int i, int j) {
    i64 low = t.indptr[i], high = t.indptr[i + 1];
    while (low < high) {
        const i64 middle = (low + high) >> 1;
        const int column = t.indices[middle];
        if (column == j) return true;
        if (column < j)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

// Assert that `to` > from is an ancestor of `from`.
__device__ __forceinline__ void insert(const Tree &t, int from, int to) {
    int v = from;  // An ancestor of `from`, or itself.
    for (;;) {
        const int hint = load(t.skip + v), known = load(t.parent + v);
        if (known == to || hint == to) break;
        if (hint > v && hint < to) {
            v = hint;
            continue;
        }
        if (known < to) {
            v = known;
            continue;
        }
        const int before = atomicMin(t.parent + v, to);
        if (before == NONE || before == to) break;
        if (before < to) {
            v = before;
            continue;
        }
        if (v > from) store(t.skip + from, v);
        from = v = to;
        to = before;
    }
    if (v > from) store(t.skip + from, v);
}

// The entries right of the diagonal, as a path: (i, j1), (j1, j2), ...; each must have its mirror in a symmetric A.
__device__ __forceinline__ void insert_upper(const Tree &t, const Threads &threads) {
    u32 uppers = 0;
    bool lacks = false;
    EACH(w, t.nnz) {
        const i64 q = t.nnz - 1 - w;
        const int i = t.row[q], j = t.indices[q];
        if (j == i) t.diagonal[i] = q;
        if (j <= i) continue;
        uppers++;
        lacks = lacks || !stored(t, j, i);
        insert(t, t.indices[q - 1], j);  // The diagonal is there: indices[q - 1] >= i.
    }
    i64 total;
    block_scan(uppers, total);
    if (threadIdx.x == 0u) atomicAdd(t.state + UPPERS, (u32)total);
    if (lacks) t.state[UNSYMMETRIC] = 1u;
}

__device__ __forceinline__ void insert_lower(const Tree &t, const Threads &threads) {
    EACH(w, t.nnz) {
        const i64 q = t.nnz - 1 - w;
        const int i = t.row[q], j = t.indices[q];
        if (j < i) insert(t, j, i);
    }
}

__device__ __forceinline__ void adopt(const Tree &t, const Threads &threads) {
    bool alive = false;
    EACH(v, t.n) {
        const int parent = t.parent[v] == NONE ? -1 : t.parent[v];
        t.ancestor[v] = parent;
        t.size[v] = 1;
        t.depth[v] = parent >= 0;
        if (parent < 0) continue;
        alive = true;
        atomicMax(t.last_child + parent, (int)v);
    }
    if (alive) t.state[ALIVE] = 1u;
}

// counts[at] += count in each lane, none where `at` is negative. Neighbouring vertices share most of their far ancestors:
// a warp of which all lanes have the same adds once.
__device__ __forceinline__ void add_from_warp(int *counts, int at, int count) {
    if (!__all_sync(LANES, at == __shfl_sync(LANES, at, 0))) {
        if (at >= 0) atomicAdd(counts + at, count);
        return;
    }
    for (int d = 16; d > 0; d >>= 1) count += __shfl_xor_sync(LANES, count, d);
    if (at >= 0 && (threadIdx.x & 31u) == 0u) atomicAdd(counts + at, count);
}

// Round k: from what holds for the next 2^k levels to the next 2^(k + 1). Sizes go up: carry k holds what vertices
// 2^k levels below bring, and is added in the next round.
__device__ __forceinline__ void lift(const Tree &t, const Threads &threads, u32 k) {
    const int *ancestor = t.ancestor + k * t.n, *depth = t.depth + (k & 1u) * t.n;
    int *further = t.ancestor + (k + 1) * t.n, *deeper = t.depth + (~k & 1u) * t.n;
    const int *brought = t.carry + (k + 2) % 3 * t.n;
    int *bring = t.carry + k % 3 * t.n, *next = t.carry + (k + 1) % 3 * t.n;
    bool alive = false;
    for (i64 base = threads.first - (threadIdx.x & 31u); base < t.n; base += threads.count) {
        const i64 v = base + (threadIdx.x & 31u);
        int size = 0, u = -1;
        if (v < t.n) {
            size = t.size[v] + brought[v];
            u = ancestor[v];
            t.size[v] = size;
            next[v] = 0;
            further[v] = u < 0 ? -1 : ancestor[u];
            deeper[v] = depth[v] + (u < 0 ? 0 : depth[u]);
            alive = alive || (u >= 0 && ancestor[u] >= 0);
        }
        add_from_warp(bring, u, size);
    }
    if (alive) t.state[ALIVE + k + 1] = 1u;
}

__device__ __forceinline__ void close_sizes(const Tree &t, const Threads &threads, u32 tables) {
    const int *brought = t.carry + (tables + 2) % 3 * t.n, *depth = t.depth + (tables & 1u) * t.n;
    EACH(v, t.n) {
        t.size[v] += brought[v];
        t.level[v] = depth[v];
    }
}

// The place of a subtree inside its parent's: the last child's is the last.
__device__ __forceinline__ void place_children(const Tree &t, const Threads &threads) {
    EACH(v, t.n) {
        const int parent = t.ancestor[v], size = t.size[v];
        if (parent < 0)
            t.offset[v] = (int)atomicAdd(t.state + ROOTS, (u32)size);
        else if (t.last_child[parent] == (int)v)
            t.offset[v] = t.size[parent] - 1 - size;
        else
            t.offset[v] = atomicAdd(t.taken + parent, size);
    }
}

__device__ __forceinline__ void add_offsets(const Tree &t, const Threads &threads, u32 k) {
    const int *ancestor = t.ancestor + k * t.n, *offset = t.offset + (k & 1u) * t.n;
    int *further = t.offset + (~k & 1u) * t.n;
    EACH(v, t.n) {
        const int u = ancestor[v];
        further[v] = offset[v] + (u < 0 ? 0 : offset[u]);
    }
}

__device__ __forceinline__ void set_labels(const Tree &t, const Threads &threads, u32 tables) {
    const int *offset = t.offset + (tables & 1u) * t.n;
    EACH(v, t.n) {
        const int start = offset[v], size = t.size[v], label = start + size - 1, parent = t.ancestor[v];
        const int above = parent < 0 ? -1 : offset[parent] + t.size[parent] - 1;
        t.start[v] = start;
        t.label[v] = label;
        t.old[label] = (int)v;
        t.label_parent[label] = above;
        t.label_size[label] = size;
        t.label_level[label] = t.level[v];
        if (size == 1) atomicAdd((u64 *)t.weight + label, 1ull);
        if (above >= 0) atomicAdd((u64 *)t.weight + above, ~0ull);
    }
}

// S below the diagonal where A is not symmetric: entries of A, and mirrors of those whose mirror is not there.
__device__ __forceinline__ void count_union(const Tree &t, const Threads &threads) {
    EACH(q, t.nnz) {
        const int i = t.row[q], j = t.indices[q];
        int slot = -1;
        if (j < i)
            slot = atomicAdd(t.union_length + i, 1);
        else if (j > i && !stored(t, j, i))
            slot = atomicAdd(t.union_length + j, 1);
        t.union_slot[q] = slot;
    }
}

__device__ __forceinline__ void fill_union(const Tree &t, const Threads &threads) {
    EACH(q, t.nnz) {
        const int slot = t.union_slot[q], i = t.row[q], j = t.indices[q];
        if (slot < 0) continue;
        const int row = max(i, j);
        const i64 at = t.union_start[row] + slot;
        t.union_row[at] = row;
        t.union_label[at] = t.label[min(i, j)];
    }
}

__device__ __forceinline__ void list_long_rows(const Tree &t, const Threads &threads, const Below &below) {
    EACH(v, t.n)
    if (below.end((int)v) - below.begin((int)v) > LONG_ROW) t.long_rows[atomicAdd(t.state + LONG_ROWS, 1u)] = (int)v;
}

__device__ __forceinline__ void sort_long_rows(const Tree &t, const Below &below) {
    for (u32 k = blockIdx.x; k < t.state[LONG_ROWS]; k += gridDim.x) {
        const int v = t.long_rows[k];
        block_sort(below.labels + below.begin(v), (u32)(below.end(v) - below.begin(v)));
    }
}

// The largest label before position q's in its row, or -1.
__device__ __forceinline__ int predecessor(const Below &below, int i, i64 q) {
    const i64 from = below.begin(i), to = below.end(i);
    if (to - from > LONG_ROW) return q > from ? below.labels[q - 1] : -1;
    const int label = below.labels[q];
    int largest = -1;
    for (i64 r = from; r < to; r++) {
        const int other = below.labels[r];
        if (other < label && other > largest) largest = other;
    }
    return largest;
}

// The lowest common ancestor of the vertex labelled `left` and one labelled `right` > left that is outside its path.
__device__ __forceinline__ int common_ancestor(const Tree &t, int left, int right, u32 tables) {
    int u = t.old[left];
    for (int k = (int)tables - 1; k >= 0; k--) {
        const int x = t.ancestor[k * t.n + u];
        if (x >= 0 && t.label[x] < right) u = x;
    }
    return t.ancestor[u];
}

// Gilbert, Ng and Peyton's skeleton. The row subtree of i is the disjoint union of the paths from its leaves, by
// ascending labels, each up to its branch: the first leaf's up to i, the others' up to what they share with the leaf
// before.
__device__ __forceinline__ void find_leaves(const Tree &t, const Threads &threads, const Below &below, u32 tables) {
    EACH(q, below.length) {
        const int i = below.rows[q];
        if (q < below.begin(i) || q >= below.end(i)) continue;
        const int label = below.labels[q], v = t.old[label], before = predecessor(below, i, q);
        t.branch[q] = -1;
        if (before >= t.start[v]) continue;
        atomicAdd((u64 *)t.weight + label, 1ull);
        int branch = i;
        if (before >= 0) {
            branch = common_ancestor(t, before, label, tables);
            atomicAdd((u64 *)t.weight + t.label[branch], ~0ull);
        }
        t.branch[q] = t.label[branch];
        atomicAdd(t.path_count + i, t.level[v] - t.level[branch]);
    }
}

__device__ __forceinline__ int column_count(const Tree &t, int label) {
    return (int)(t.weight[label + 1] - t.weight[label + 1 - t.label_size[label]]);
}

// A symmetric: the subtree of row i is row i of L, and column i of L row i of U.
__device__ __forceinline__ void write_counts(const Tree &t, const Threads &threads) {
    i64 entries = 0, total;
    EACH(v, t.n) {
        t.lower[v] = t.path_count[v];
        t.upper[v] = column_count(t, t.label[v]);
        entries += t.lower[v] + t.upper[v];
    }
    block_scan(entries, total);
    if (threadIdx.x == 0u) atomicAdd((u64 *)t.totals + ENTRIES, (u64)total);
}

// ---- fronts: pivots with consecutive labels, and the list of the rows below them that any of them reaches ----

__device__ __forceinline__ bool exact(const Tree &t, int label) {
    return t.label_parent[label - 1] == label && t.label_count[label - 1] == t.label_count[label] + 1;
}

// What is merged to fronts: subtrees of at most `leaf` columns; a column with its last child where both have the same
// rows below; and without that fewer than `chain` columns, within the same 16 levels.
struct Merging {
    i64 leaf, chain;
};

__device__ __forceinline__ bool begins_front(const Tree &t, int label, const Merging &merging) {
    const int size = t.label_size[label];
    if (size <= merging.leaf) {
        if (size > 1) return false;
        int top = label, above;
        while ((above = t.label_parent[top]) >= 0 && t.label_size[above] <= merging.leaf) top = above;
        return top - t.label_size[top] + 1 == label;
    }
    if (label == 0 || t.label_parent[label - 1] != label) return true;
    if (exact(t, label)) return false;
    if ((t.label_level[label] & 15) == 0) return true;
    i64 columns = 0;
    for (int below = label - 1; columns < merging.chain; below--) {
        const int within = t.label_size[below];
        columns += within <= merging.leaf ? within : 1;
        if (within <= merging.leaf || !exact(t, below)) break;
    }
    return columns >= merging.chain;
}

__device__ __forceinline__ void label_counts(const Tree &t, const Threads &threads) {
    EACH(label, t.n) t.label_count[label] = column_count(t, (int)label);
}

// With the tree alone nothing may be merged that adds entries.
__device__ __forceinline__ void mark_fronts(const Tree &t, const Threads &threads, bool tree) {
    const Merging merging = tree ? Merging{1, 0} : Merging{t.leaf, t.chain};
    EACH(label, t.n) t.begins[label] = begins_front(t, (int)label, merging);
}

__device__ __forceinline__ void number_fronts(const Tree &t, const Threads &threads) {
    EACH(label, t.n) {
        const i64 at = t.begins[label], next = t.begins[label + 1];
        t.front_of[label] = (int)next - 1;
        if (next > at) t.first[at] = (int)label;
        if (label == t.n - 1) t.first[next] = (int)t.n;
    }
}

__device__ __forceinline__ void size_fronts(const Tree &t, const Threads &threads, i64 fronts, bool tree) {
    EACH(front, fronts) {
        const int first = t.first[front], last = t.first[front + 1] - 1, pivots = last + 1 - first;
        const int list = t.label_count[last] - 1, parent = t.label_parent[last];
        const i64 size = (i64)pivots + list, words = size * ((size + 31) >> 5);
        const i64 team = size <= t.small ? 0 : min((words + t.share - 1) / t.share, t.most);
        t.front_size[front] = (int)size;
        t.up[front] = parent < 0 ? -1 : t.front_of[parent];
        t.team[front] = (int)team;
        t.list_start[front] = list;
        t.bits_start[front] = tree ? 0 : (words + 3) & ~3ll;
        t.panel_start[front] = (pivots + 31) >> 5;
        if (list > LONG_LIST) t.long_lists[atomicAdd(t.state + LONG_LISTS, 1u)] = (int)front;
        if (size > load(t.totals + LARGEST)) atomicMax((u64 *)t.totals + LARGEST, (u64)size);
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) bitfronts_tree(const Tree t) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const bool single = threads.first == 0;
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(t.state + ARRIVED, passed); };
    const auto scan = [&](i64 *array, i64 length) {
        scan_sums(array, length, t.partial);
        barrier();
        scan_apply(array, length, t.partial);
        barrier();
    };

    initialise(t, threads);
    barrier();
    insert_upper(t, threads);
    barrier();
    const bool symmetric = !t.state[UNSYMMETRIC] && 2 * (i64)t.state[UPPERS] + t.n == t.nnz;
    const bool tree = symmetric && t.path != PATH_FRONTS;
    if (single) t.totals[SYMMETRIC] = symmetric;
    if (!symmetric && t.path == PATH_TREE) return;
    if (!symmetric) {
        insert_lower(t, threads);
        barrier();
    }

    adopt(t, threads);
    barrier();
    u32 tables = 0;
    while (t.state[ALIVE + tables]) {
        lift(t, threads, tables++);
        barrier();
    }
    close_sizes(t, threads, tables);
    barrier();
    place_children(t, threads);
    barrier();
    for (u32 k = 0; k < tables; k++) {
        add_offsets(t, threads, k);
        barrier();
    }
    set_labels(t, threads, tables);
    barrier();

    if (symmetric) {
        EACH(q, t.nnz) t.entry_label[q] = t.label[t.indices[q]];
    } else {
        count_union(t, threads);
        barrier();
        EACH(v, t.n) t.union_start[v] = t.union_length[v];
        barrier();
        scan(t.union_start, t.n);
        fill_union(t, threads);
    }
    const Below below = below_diagonal(t, symmetric);
    list_long_rows(t, threads, below);
    barrier();
    if (t.state[LONG_ROWS]) {
        sort_long_rows(t, below);
        barrier();
    }
    find_leaves(t, threads, below, tables);
    barrier();
    scan(t.weight, t.n);
    if (tree) write_counts(t, threads);
    if (single) t.totals[TABLES] = tables;
    if (tree && !t.columns) return;

    label_counts(t, threads);
    barrier();
    mark_fronts(t, threads, tree);
    barrier();
    scan(t.begins, t.n);
    number_fronts(t, threads);
    barrier();
    const i64 fronts = t.begins[t.n];
    size_fronts(t, threads, fronts, tree);
    barrier();
    scan_sums(t.list_start, fronts, t.partial);
    scan_sums(t.bits_start, fronts, t.partial + gridDim.x);
    scan_sums(t.panel_start, fronts, t.partial + 2 * gridDim.x);
    barrier();
    scan_apply(t.list_start, fronts, t.partial);
    scan_apply(t.bits_start, fronts, t.partial + gridDim.x);
    scan_apply(t.panel_start, fronts, t.partial + 2 * gridDim.x);
    barrier();
    if (!single) return;
    t.totals[FRONT_COUNT] = fronts;
    t.totals[LISTS] = t.list_start[fronts];
    t.totals[WORDS] = t.bits_start[fronts];
    t.totals[PANELS] = t.panel_start[fronts];
}
