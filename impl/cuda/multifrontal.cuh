// What the kernels on fronts share: fronts, their index maps, where values lie, and tasks.
//
// A front has f rows and columns: s pivots, then its list of r rows. What is left of it once its pivots are eliminated,
// r x r, is its contribution, which its parent adds to itself: row and column k of it at row and column place[k].
// A *slot* is a column of a front: those of front F are slot(F) to slot(F) + f - 1.
//
// Matrices are stored by columns.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Pivots that are eliminated together; rows and columns of a tile; columns that one task assembles, a warp each.
constexpr int PANEL = 32, TILE = 64, ASSEMBLED = 8;
// Warps of a block, and so the fronts of a task that takes several.
constexpr int WARPS = 8;
// The largest front that a warp eliminates: smaller where a block has not the shared memory for eight of these.
#ifndef WARP_FRONT
#define WARP_FRONT 40
#endif
// The most children of a larger front in shared memory, and their rows from which on all warps share one.
constexpr int MOST_CHILDREN = 64, SHARED_CHILD = 20;
// Larger fronts with more pivots than OUTER are eliminated OUTER at a time, from HUGE_FRONT on 2 OUTER, so that
// most of what is left is read and written once for all of them.
constexpr int OUTER = 128, LARGE_FRONT = 768, HUGE_FRONT = 2048;
// Rows of tiles of the updates by outer panels.
constexpr int UPDATE_ROWS = 128;
// Segments of more entries than these are sorted by a block.
constexpr int LONG_SEGMENT = 32;

// A front lies in a warp's part of shared memory, in a block's, or in global memory. The first kind is stored as L and
// U, the others with the inverses of their diagonal blocks.
enum Kind { WARP_KIND, BLOCK_KIND, GLOBAL_KIND };

// A task waits until `need` tasks of its front are done; with -1, for the children of the front.
enum Type { WARP_TASK, BLOCK_TASK, ASSEMBLE, TILE_TASK, NEXT_DIAGONAL, TILE_BESIDE, UPDATE };
struct __align__(16) Task {
    int type, front, a, b, k, end, need, last;
    int f, s;
    i64 block, lower, upper;
};

// A column of a child's contribution: where it lies, and its rows in the list entries.
struct __align__(16) Source {
    i64 from;
    int entry, rows;
};

// What is counted of fronts before anything is allocated for their values. PATH: the last time at which a task begins.
enum Totals { BLOCKS, FACTOR, PATH, TASKS, SOLVE_TASKS, SOLVE_PATH, LARGEST, LONG_SEGMENTS, FLOPS, TOTALS };

// Of the solves: eight fronts, a warp each; a front; 32 of its rows. Fields of int4: type, front, a, b.
enum SolveType { FORWARD_WARPS, BACKWARD_WARPS, FORWARD_ROWS, BACKWARD_ROWS, FORWARD_BLOCK, BACKWARD_BLOCK };

// Fields are eight bytes each; impl/multifrontal/arena.py places the arrays.
struct Maps {
    i64 n, fronts, entries, nnz, shared_front;
    i64 bins, wave_bins, solve_bins;  // times of all tasks, of those of a wave, of those of the solves
    // The matrix and its fronts, as the noun Fronts.
    const i64 *indptr;
    const int *indices;
    const int *label, *first, *up, *list, *place;
    const i64 *list_start;
    u32 *arrived;  // of a grid barrier; 0 at the launch
    i64 *totals, *partial;
    int *front_of, *vertex;  // by label
    int *entry_front;        // by list entry
    // By front. Children are in the order of the vertices of their last pivots, here and below.
    i64 *child_start;  // (fronts + 1,); 0 at the launch
    int *child, *child_count;
    int *panel;                  // as in FrontFactor
    int *pending, *awaited;      // children to come; tasks that have to be done before it begins; 0 at the launch
    int *time, *solve_time;      // when it begins, in the order of tasks; 0 at the launch
    i64 *block_at, *factor_at;   // (fronts + 1,) where its block of `blocks` and of the factor begins
    i64 *handed_at;              // where its contribution begins, and the values between its columns
    int *handed_stride;
    // By slot: the entries of A, and the columns of children. All 0 at the launch.
    i64 *entry_start, *source_start;  // (slots + 1,)
    int *entry_count, *source_count;
    int *entry_slot, *unplaced;  // by entry of A, as A has them: its slot, its row in the front
    u32 *entry_place;            // by slots: column << 16 | row
    int *entry_from;             // by slots: where its value is in A
    int *source_entry;           // by slots: the list entry
    int *long_segments;
    Source *source;              // by slots
    // Tasks, and the fronts of those that take several; by time: (bins + 1,), 0 at the launch.
    i64 *task_start, *warp_start, *solve_start, *solve_warp_start;
    int *task_count, *warp_count, *solve_count, *solve_warp_count;
    const int *wave;  // by front; null for one wave
    Task *tasks;
    int4 *solve_tasks;
    int *warp_fronts, *solve_warp_fronts;
};

struct Threads {
    i64 first, count;
};

#define EACH(v, limit) for (i64 v = threads.first; v < (limit); v += threads.count)
#define EACH_WARP(v, limit) for (i64 v = threads.first >> 5; v < (limit); v += threads.count >> 5)

__device__ __forceinline__ i64 slot(const Maps &m, int front) { return m.first[front] + m.list_start[front]; }
__device__ __forceinline__ int pivots(const Maps &m, int front) { return m.first[front + 1] - m.first[front]; }
__device__ __forceinline__ int listed(const Maps &m, int front) {
    return (int)(m.list_start[front + 1] - m.list_start[front]);
}

__device__ __forceinline__ Kind kind_of(const Maps &m, int f, int s, int children) {
    if (f <= WARP_FRONT && s <= PANEL) return WARP_KIND;
    return f <= m.shared_front && (children <= MOST_CHILDREN || f <= 48) ? BLOCK_KIND : GLOBAL_KIND;
}

__device__ __forceinline__ Kind kind_of(const Maps &m, int front) {
    const int s = pivots(m, front);
    return kind_of(m, s + listed(m, front), s, (int)(m.child_start[front + 1] - m.child_start[front]));
}

// Whether the solves take a front with others, a warp each; or as a whole, a block; or else 32 rows a task.
__device__ __forceinline__ bool solved_by_warp(int f, int s) { return s <= PANEL && f <= 64; }
__device__ __forceinline__ bool solved_by_block(int f, int s) { return s <= PANEL && f <= 1024; }
