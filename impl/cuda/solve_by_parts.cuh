// Solves by parts of fronts: the arguments of their kernels, and how a block takes tasks.
//
// REAL : of the factor

typedef REAL real;
constexpr u32 WARP = 0xFFFFFFFFu;

// Vectors lie one behind the other: u by list entry, then the gathered right-hand sides, v and x by label.
struct Solve {
    const real *factor, *inverse;  // of fronts of at most PANEL pivots in the factor's place, of others apart
    const double *b;               // (columns, n), by rows of the matrix
    double *out;                   // likewise: x, added to with `add`, or written
    i64 n, entries, columns, add, parts;
    const i64 *tasks;              // how many
    const int *vertex, *list;
    const int4 *source, *more;     // as in Parts
    const SolveTask *task, *warps;
    real *values, *next;           // of this solve, and of ONE those of the next
    u32 *ticket, *next_ticket;     // tasks taken: of ONE all ones for none, else 0
    u32 *counters;                 // of EIGHT and BLOCK: (4, parts, tiles), 0 at the launch
};

__device__ __forceinline__ const real *values_of(const Solve &v, const SolveTask &t) {
    return (t.shape & APART ? v.inverse : v.factor) + t.from;
}

// Places of vectors, below 2^31.
__device__ __forceinline__ int gathered_at(const Solve &v, int label) { return (int)v.entries + label; }
__device__ __forceinline__ int v_at(const Solve &v, int label) { return (int)(v.entries + v.n) + label; }
__device__ __forceinline__ int x_at(const Solve &v, int label) { return (int)(v.entries + 2 * v.n) + label; }

__device__ __forceinline__ int4 nothing() { return make_int4(-1, -1, -1, -1); }

// x of a pivot in one column.
__device__ __forceinline__ void deliver(const Solve &v, i64 column, int vertex, real value) {
    double *out = v.out + column * v.n + vertex;
    *out = v.add ? *out + (double)value : (double)value;
}

// A task of the list; its type is negative behind the last. Parts that warps take, and the task that comes much later, are
// fetched ahead.
__device__ __forceinline__ void take(const Solve &v, SolveTask *to, i64 number) {
    constexpr int WORDS = sizeof(SolveTask) / sizeof(int4), LATER = 1024;
    const i64 count = *v.tasks;
    if (number >= count) {
        to->type = -1;
        return;
    }
    if (number + LATER < count) prefetch(v.task + number + LATER);
    const int4 *from = (const int4 *)(v.task + number);
    int4 held[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; k++) held[k] = from[k];
#pragma unroll
    for (int k = 0; k < WORDS; k++) ((int4 *)to)[k] = held[k];
    if (to->type != FORWARD_PARTS && to->type != BACKWARD_PARTS) return;
    for (int k = 0; k < to->rows; k += 2) prefetch(v.warps + to->row + k);
}
