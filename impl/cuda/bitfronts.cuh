// What the kernels of bitfronts_gpu share: their arrays, which bitfronts_arena.py places, and how they are read.
//
// Vertices are rows and columns of A; labels number them in a postorder of the elimination tree. A front has pivots of
// consecutive labels, then its list: the labels of the rows below, ascending. The list lies on one path to the root, and
// so do the columns of each pivot by itself; pivots of merged subtrees branch.
// Its bits are `size` rows of row_words(size) words; bit c of a row is column c of the front. What is kept for rows after
// a wave has row_words(pivots) words of each row of the list.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

constexpr int NONE = 0x7FFFFFFF;
// Fronts with longer lists are sorted by a block.
constexpr i64 LONG_LIST = 128;

enum Path { PATH_AUTO, PATH_TREE, PATH_FRONTS };
// Words of `state`, all 0 at the launch. ALIVE + k: some vertex has an ancestor 2^k levels up.
enum State { UNSYMMETRIC, UPPERS, ROOTS, LONG_ROWS, LONG_LISTS, ARRIVED, ALIVE = 16 };
// What the host reads; 0 at the launch.
enum Totals { SYMMETRIC, TABLES, FRONT_COUNT, LISTS, WORDS, PANELS, ENTRIES, LARGEST };

// Fields are eight bytes each; bitfronts_arena.py places the arrays.
struct Tree {
    const i64 *indptr;  // (n + 1,), of A
    const int *indices;
    i64 *lower, *upper;  // (n,) row counts of L and U
    i64 n, nnz;
    i64 path, columns;     // of Path; whether the rows will be wanted
    i64 leaf, chain, small, share, most;  // as in bitfronts_analysis.Shape
    u32 *state;
    i64 *totals, *partial;
    // By vertex.
    int *parent, *skip, *size, *level, *start, *label, *last_child, *taken, *path_count;
    int *carry, *depth, *offset;  // (3, n), (2, n), (2, n): of the doubling
    int *ancestor;                // (tables, n): 2^k levels up, or -1
    i64 *diagonal;                // position in indices
    // By entry of A, or of S below the diagonal.
    int *row, *entry_label, *branch;
    int *union_slot, *union_row, *union_label;
    int *union_length;
    i64 *union_start;  // (n + 1,)
    int *long_rows;
    // By label.
    int *old, *label_parent, *label_size, *label_level, *label_count, *front_of;
    i64 *weight, *begins;  // (n + 1,)
    // By front.
    int *first;  // (fronts + 1,), the label of its first pivot
    int *front_size, *up, *team, *long_lists;
    i64 *list_start, *bits_start, *panel_start;  // (fronts + 1,)
};

// The entries of S below the diagonal: those of row i are at begin(i) to end(i) - 1.
struct Below {
    const i64 *first, *last;
    int *labels;
    const int *rows;
    i64 length;

    __device__ __forceinline__ i64 begin(int i) const { return first[i]; }
    __device__ __forceinline__ i64 end(int i) const { return last[i]; }
};

__device__ __forceinline__ Below below_diagonal(const Tree &t, bool symmetric) {
    if (symmetric) return {t.indptr, t.diagonal, t.entry_label, t.row, t.nnz};
    return {t.union_start, t.union_start + 1, t.union_label, t.union_row, t.union_start[t.n]};
}

// Fields as of Tree. By front, unless said otherwise.
struct Fronts {
    i64 count;
    // Entries of all lists, front by front.
    int *members;  // labels, in any order
    int *list;     // labels, ascending
    int *place;    // row in the parent front
    // 0 at the launch: entries so far; children still to come; arrivals to wait for; levels of fronts below.
    int *length, *pending, *awaited, *height;
    int *slot;
    i64 *teams, *smalls, *task_start;  // by height: (count,), (count + 1,), (count + 1,); the first two 0 at the launch
    int4 *tasks;
    int *small_fronts;
    i64 *bits_at;     // where its bits begin
    int *birth;       // the wave whose fronts first write to it; null for one wave
    i64 kept;         // whether, of the list's rows, only the pivots' words are there
    u32 *bits;        // 0 before the front's wave
    int *arrived;     // contributions so far; 0 at the launch
    int *passed;      // team members past their panels; 0 at the launch
    u32 *lacking;     // by panel: columns that some row below it lacks; 0 at the launch
    int *pivot_lower, *pivot_upper;  // by label: entries of L, of U in its front; the first 0 at the launch
    int *member_lower;               // by list entry: entries of L in its front; 0 at the launch
    u32 *next;        // (2,), tasks given out, and a grid barrier; 0 at the launch
    // The fronts of a label's list entries. By label.
    i64 *holder_start;  // (n + 1,)
    int *holder_length;  // 0 at the launch
    int *holder, *holder_row;  // by entry: the front, and the label's row in it
    int *member_holder;        // by member: its entry among the holders
    int *list_vertex;          // the vertices of `list`
    int *straight;             // by panel: whether its pivots have consecutive vertices
};

struct Threads {
    i64 first, count;
};

#define EACH(v, limit) for (i64 v = threads.first; v < (limit); v += threads.count)

__device__ __forceinline__ i64 row_words(int size) { return (size + 31) >> 5; }

// The word at which a row of a front begins.
__device__ __forceinline__ i64 row_start(const Tree &t, const Fronts &f, int front, int row) {
    const int pivots = t.first[front + 1] - t.first[front], listed = f.kept ? max(row - pivots, 0) : 0;
    return f.bits_at[front] + (row - listed) * row_words(t.front_size[front]) + listed * row_words(pivots);
}

// The row of a label in a front that has it.
__device__ __forceinline__ int row_of(const Tree &t, const Fronts &f, int front, int label) {
    const int first = t.first[front], end = t.first[front + 1];
    if (label < end) return label - first;
    i64 low = t.list_start[front], high = t.list_start[front + 1];
    const i64 from = low;
    while (low < high) {
        const i64 middle = (low + high) >> 1;
        if (f.list[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return end - first + (int)(low - from);
}
