// Parts of fronts, for solves with inverted pivot blocks: what the kernels share that make lists, inverses and solutions.
//
// A *part* is `most` pivots of a front, or fewer in its last part, with all later rows of the front: a front of its own,
// whose parent is the next part, or the first part of the parent. It has s pivots and a list of r rows, f = s + r.
// Forward [v; u] = [0; g] + [A11^-1; -A21 A11^-1] g1, backward x1 = v - A11^-1 A12 x2: one product each.
//
// Stored by columns are [A11^-1; A21 A11^-1], f x s, then A11^-1 A12, s x r, as the factor is. Fronts of at most PANEL
// pivots have them in place of the factor, larger ones in an array of their own.

// Right-hand sides that are solved at a time, by number of the list of tasks.
enum Width { ONE, EIGHT, BLOCK, WIDTHS };
__device__ __forceinline__ int tiles_of(int width) { return width == BLOCK ? 8 : 1; }

// Counts that are known before lists are allocated. PATH: the time of all tasks forward. TASKS: by width, those that are no warp's.
// WARPS: fronts of tasks that take several. MORE: entries of `more`.
enum PartTotals { PART_COUNT, PART_ENTRIES, INVERTED, PART_PATH, PART_MORE, PART_WARPS, PART_TASKS, PART_TOTALS = PART_TASKS + WIDTHS };

// Values of the factor that a block has room for in BLOCK, in one stage or in two.
constexpr int STAGE_ROOM = 36 * 128;
// Products of tiles come in steps, one launch each, and within a step the deepest first.
constexpr int STEPS = 23, DEPTHS = 16;

// c[i0:i1, j0:j1] = a[i0:i1, k0:k1] b[k0:k1, j0:j1], each stored by columns from its element (0, 0) on.
struct __align__(16) Product {
    i64 a, b, c;
    int lda, ldb, ldc, i0, i1, j0, j1, k0, k1, views;
};
// How an operand is read: as it is; below the diagonal blocks of PANEL, with ones on the diagonal; on and above them.
enum View { FULL, UNIT_LOWER, UPPER };
// Bits of `views`: the view of a, of b << 2; which lie apart from the factor; whether c is negated.
constexpr int A_APART = 16, B_APART = 32, C_APART = 64, NEGATED = 128;

// Tasks of the solves: a part a warp, up to eight of them; rows of a part; the right-hand sides of its pivots.
// FORWARD gathers these for itself, FORWARD_GATHERED has them from the tasks GATHER.
enum SolveTaskType { FORWARD_PARTS, BACKWARD_PARTS, GATHER, FORWARD, FORWARD_GATHERED, BACKWARD };

// A task, or a part that a warp takes.
//
// row, rows : of the part; of several parts the first and how many. first : label of the first pivot. from : where its
// values begin. need, also : signals that it waits for, of the children or what was gathered or v, and of x.
//
// shape : how many rows and columns are taken at a time; with APART the values do not lie in the factor's place. ONE: log2
// of a tile's rows, parts of the depth << 8. EIGHT: parts of the depth << 8. BLOCK: log2 of a stage's rows, its
// columns << 8
struct __align__(16) SolveTask {
    int type, f, s, r;
    int row, rows, shape, first;
    int slot, list, part, parent;
    i64 from;
    int need, also;
};
constexpr int APART = 1 << 24;

// Fields are eight bytes each, as those of Maps.
struct Parts {
    i64 most, held;              // held: pivots whose right-hand sides a task of BLOCK has room for
    u32 *arrived;                // of a grid barrier; 0 at the launch
    i64 *totals, *partial;
    // By front: its first part, where its lists begin and its values if they lie apart; (fronts + 1,).
    i64 *part_at, *list_at, *inverse_at;
    int *pending, *early;        // children that have arrived; when it could begin; 0 at the launch
    int *tail, *above;           // (2, fronts): the time of those above it; the ancestor up to which that is known
    i64 *product_start;          // (STEPS DEPTHS + 1,), 0 at the launch
    int *product_count;          // likewise
    u64 *placed;                 // entries of `more` that are given away; 0 at the launch
    Product *products;
    int *list;                   // labels, by entry
    // By slot what a row of right-hand sides is the sum of: three entries of children, -1 for none, and the first four
    // others in `more`, or -1. Fours go on up to the first -1.
    int4 *source, *more;
};

// The tasks of one width.
struct TaskList {
    i64 width, bins;
    u32 *arrived;             // 0 at the launch, as all up to warp_count
    int *need;                // by part: signals of its children
    i64 *start, *warp_start;  // by time, (bins + 1,)
    int *count, *warp_count;
    i64 *partial;
    SolveTask *tasks, *warps;
};

struct Part {
    int f, s, r, first, number, parent;
    i64 list, from, upper;
    bool apart;
};

__device__ __forceinline__ int part_count(const Maps &m, const Parts &p, int front) {
    return (int)((pivots(m, front) + p.most - 1) / p.most);
}

// Where values lie apart.
__device__ __forceinline__ bool lies_apart(int pivots) { return pivots > PANEL; }

// Part `rank` of a front.
__device__ __forceinline__ Part part_of(const Maps &m, const Parts &p, int front, int rank) {
    const int all = pivots(m, front), whole = all + listed(m, front), most = (int)p.most, begin = rank * most;
    const bool last = begin + most >= all, apart = lies_apart(all);
    Part part;
    part.s = last ? all - begin : most;
    part.f = whole - begin;
    part.r = part.f - part.s;
    part.first = m.first[front] + begin;
    part.number = (int)p.part_at[front] + rank;
    part.parent = !last ? part.number + 1 : m.up[front] >= 0 ? (int)p.part_at[m.up[front]] : -1;
    part.list = p.list_at[front] + (i64)rank * whole - (i64)most * rank * (rank + 1) / 2;
    part.from = (apart ? p.inverse_at[front] : m.factor_at[front]) + (i64)begin * (2 * whole - begin);
    part.upper = part.from + (i64)part.f * part.s;
    part.apart = apart;
    return part;
}
