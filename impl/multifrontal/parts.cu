// Parts of fronts: their lists, the products that invert their pivot blocks, and the tasks of solves with them.
//
// mf_parts counts, and is launched cooperatively; the host allocates; mf_part_lists writes what all widths share, and
// mf_part_tasks, cooperative, the tasks of one width. Forward a part begins as late as the longest path allows. Backward ONE
// takes first whatever has the longest path below, others what is nearest to a root. Both orders are topological.
//
// Writers: counters by atomics; what they give a place to, by the thread that got the place; a front's lists and products by
// the warp that has it. Where tasks of one time, fours of `more` and products of one depth lie depends on who was first, and
// no value does.

#include "multifrontal.cuh"
#include "front_parts.cuh"
#include "grid_barrier.cuh"
#include "grid_scan.cuh"
#include "visibility.cuh"

// Times that a part is thought to take, and the pivots above which it takes longer. They decide the order of tasks.
constexpr int PART_TIME = 2, LONG_TIME = 4, LONG_PART = 256;
// Rows of a task GATHER by width, and of a task forward of BLOCK: with at most PANEL pivots, with those it gathers, with more.
__device__ __forceinline__ int gathered_rows(int width) { return width == ONE ? 256 : width == EIGHT ? 64 : 32; }
constexpr int SHALLOW_ROWS = 128, HELD_ROWS = 64, DEEP_ROWS = 32;
// Columns from which on a task backward of BLOCK has 16 rows.
constexpr int THIN = 512;

__device__ __forceinline__ int parts(i64 count, int each) { return (int)((count + each - 1) / each); }

__device__ __forceinline__ int duration(int s) { return s > LONG_PART ? LONG_TIME : PART_TIME; }

__device__ __forceinline__ int front_duration(const Maps &m, const Parts &p, int front) {
    const int before = part_count(m, p, front) - 1, most = (int)p.most;
    return before * duration(most) + duration(pivots(m, front) - before * most);
}

// Whether the right-hand sides of a part's pivots are gathered by tasks of their own.
__device__ __forceinline__ bool is_gathered(const Parts &p, int s, int width) {
    return s > (width == ONE ? LONG_PART : width == EIGHT ? PANEL : p.held);
}

__device__ __forceinline__ bool taken_by_warp(const Part &part, int width) {
    return width != BLOCK && solved_by_warp(part.f, part.s);
}

// Tasks of a kind: rows [from, end), `each` a task.
struct Range {
    int type, time, from, end, each, shape;
};

// How eight warps share rows: `parts` of the depth, and of tiles of `high` rows what is left.
__device__ __forceinline__ int shared_rows(int wanted, int high, int &shape) {
    int depths = 1;
    while (depths < wanted && depths < WARPS) depths *= 2;
    shape |= depths << 8;
    return WARPS / depths * high;
}

// Rows of a task of ONE, 1 << lg of them a tile, whose columns a warp takes 16 times 32 >> lg at a time.
__device__ __forceinline__ int rows_of_one(int lg, int depth, int &shape) {
    shape = lg;
    return shared_rows(parts(depth, 16 << (5 - lg)), 1 << lg, shape);
}

// Lower tiles have more of the depth before a value is waited for.
__device__ __forceinline__ int forward_rows(const Parts &p, int s, int width, int &shape) {
    shape = 0;
    if (width == ONE) return rows_of_one(s <= 128 ? 5 : is_gathered(p, s, ONE) ? 3 : 4, s, shape);
    if (width == EIGHT) return shared_rows(parts(s, 32), 16, shape);
    return s <= PANEL ? SHALLOW_ROWS : s <= p.held ? HELD_ROWS : DEEP_ROWS;
}

__device__ __forceinline__ int backward_rows(int s, int r, int width, int &shape) {
    shape = 0;
    if (width == EIGHT) return shared_rows(parts(r, 32), 16, shape);
    if (width == BLOCK) return s <= 16 || r > THIN ? 16 : 32;
    const int most = r <= 128 ? 5 : r <= 256 ? 4 : 3;
    int lg = 3;
    while (lg < most && 1 << lg < s) lg++;
    return rows_of_one(lg, r, shape);
}

// A stage of BLOCK: rows a power of two, and all columns, or as many as there is room for twice.
__device__ __forceinline__ int stage_of(int rows, int depth) {
    int lg = 4;
    while (1 << lg < rows) lg++;
    const int pitch = (1 << lg) + 4, all = (depth + 31) & ~31;
    return lg | (all * pitch <= STAGE_ROOM ? all : STAGE_ROOM / (2 * pitch) & ~31) << 8;
}

// Visit the tasks of a part that no warp takes. Rows that the parent waits for come before those that are needed backward.
template <class Visit>
__device__ __forceinline__ void each_range(const Parts &p, const Part &part, int width, int begin, int back, const Visit &visit) {
    if (taken_by_warp(part, width)) return;
    const int s = part.s, f = part.f;
    const bool gathered = is_gathered(p, s, width);
    if (gathered) visit(Range{GATHER, begin, 0, s, gathered_rows(width), 0});
    int shape;
    const int each = forward_rows(p, s, width, shape), type = gathered ? FORWARD_GATHERED : FORWARD;
    const bool together = s <= PANEL;
    visit(Range{type, begin + 1, together ? 0 : s, f, each, shape});
    if (!together) visit(Range{type, begin + (part.r ? 2 : 1), 0, s, each, shape});
    if (part.r == 0) return;
    const int rows = backward_rows(s, part.r, width, shape);
    visit(Range{BACKWARD, back, 0, s, rows, shape});
}

// How many signals the tasks of a part give: of u to the parent, of v, of x, of the gathered right-hand sides. With EIGHT
// every warp with 16 rows gives one, with BLOCK every task, for each tile of columns.
struct Signals {
    int u, v, x, y;
};

__device__ __forceinline__ Signals signals_of(const Parts &p, const Part &part, int width) {
    const int s = part.s, r = part.r, f = part.f;
    if (taken_by_warp(part, width)) return Signals{r > 0, 1, 1, 0};
    int shape;
    const int forward = forward_rows(p, s, width, shape), each = width == EIGHT ? 16 : forward;
    const int backward = width == EIGHT ? 16 : backward_rows(s, r, width, shape);
    const bool together = s <= PANEL;
    Signals signals{r ? parts(together ? f : r, each) : 0, parts(together ? min(f, forward) : s, each), 0, 0};
    signals.x = r ? parts(s, backward) : signals.v;
    if (is_gathered(p, s, width)) signals.y = parts(s, gathered_rows(width)) * (width == EIGHT ? WARPS : 1);
    return signals;
}

// ---- products ----

// Visit this lane's tiles of a rectangle: (i0, i1, j0, j1).
template <class Visit>
__device__ __forceinline__ void each_tile(int top, int bottom, int left, int right, const Visit &visit) {
    const int down = parts(bottom - top, TILE), count = down * parts(right - left, TILE);
    for (int z = threadIdx.x & 31; z < count; z += 32) {
        const int i = top + TILE * (z % down), j = left + TILE * (z / down);
        visit(i, min(i + TILE, bottom), j, min(j + TILE, right));
    }
}

// Where the values of a part lie in the factor, and their columns apart.
struct Place {
    i64 square, list;  // its pivots' first column from the diagonal on, its rows of the front's list
    int f, s;          // of the front
};

// M = L^-1 and N = U^-1 by doubling: of two neighbouring blocks a and b on the diagonal, M_ba = -M_bb (L_ba M_aa) and
// N_ab = -N_aa (U_ab N_bb), the first product of each apart. Visit (step, product).
template <class Visit>
__device__ __forceinline__ void each_doubling(const Part &t, const Place &at, const Visit &visit) {
    const i64 in = at.square, to = t.from;
    const int ld = at.f;
    for (int width = PANEL, step = 0; width < t.s; width *= 2, step += 2)
        for (int a = 0; a + width < t.s; a += 2 * width) {
            const int b = a + width, end = min(b + width, t.s);
            each_tile(b, end, a, b, [&](int i0, int i1, int j0, int j1) {
                visit(step, Product{in, in, to, ld, ld, t.f, i0, i1, j0, j1, j0, b, FULL | UNIT_LOWER << 2 | C_APART});
                visit(step + 1, Product{in, to, in, ld, t.f, ld, i0, i1, j0, j1, b, i1, UNIT_LOWER | FULL << 2 | B_APART | NEGATED});
            });
            each_tile(a, b, b, end, [&](int i0, int i1, int j0, int j1) {
                visit(step, Product{in, in, to, ld, ld, t.f, i0, i1, j0, j1, b, j1, FULL | UPPER << 2 | C_APART});
                visit(step + 1, Product{in, to, in, ld, t.f, ld, i0, i1, j0, j1, i0, b, UPPER | FULL << 2 | B_APART | NEGATED});
            });
        }
}

// N M, L21 M, and N U12: of the later pivots of the front, and of its list.
template <class Visit>
__device__ __forceinline__ void each_result(const Part &t, const Place &at, int later, const Visit &visit) {
    const i64 in = at.square;
    const int s = t.s, last = STEPS - 1;
    each_tile(0, s, 0, s, [&](int i0, int i1, int j0, int j1) {
        visit(last, Product{in, in, t.from, at.f, at.f, t.f, i0, i1, j0, j1, max(i0, j0), s, UPPER | UNIT_LOWER << 2 | C_APART});
    });
    each_tile(s, t.f, 0, s, [&](int i0, int i1, int j0, int j1) {
        visit(last, Product{in, in, t.from, at.f, at.f, t.f, i0, i1, j0, j1, j0, s, FULL | UNIT_LOWER << 2 | C_APART});
    });
    const auto upper = [&](int from, int to, i64 right, int ld) {
        each_tile(0, s, from, to, [&](int i0, int i1, int j0, int j1) {
            visit(last, Product{in, right, t.upper, at.f, ld, s, i0, i1, j0, j1, i0, s, UPPER | FULL << 2 | C_APART});
        });
    };
    upper(0, later, in + (i64)s * at.f, at.f);
    upper(later, t.r, at.list - (i64)later * at.s, at.s);
}

// Visit the products of a front, by the lanes of a warp. With at most PANEL pivots the factorisation leaves none.
template <class Visit>
__device__ __forceinline__ void each_product(const Maps &m, const Parts &p, int front, const Visit &visit) {
    const int s = pivots(m, front), r = listed(m, front), f = s + r;
    if (!lies_apart(s)) return;
    const i64 lower = m.factor_at[front], upper = lower + (i64)f * s;
    for (int rank = 0; rank < part_count(m, p, front); rank++) {
        const Part part = part_of(m, p, front, rank);
        const int begin = rank * (int)p.most;
        const Place at{lower + (i64)begin * (f + 1), upper + begin, f, s};
        each_doubling(part, at, visit);
        each_result(part, at, s - begin - part.s, visit);
    }
}

__device__ __forceinline__ int product_bin(int step, const Product &product) {
    return step * DEPTHS + DEPTHS - 1 - min(DEPTHS - 1, (product.k1 - product.k0 - 1) / PANEL);
}

// ---- what is counted ----

__device__ __forceinline__ void size_parts(const Maps &m, const Parts &p, const Threads &threads) {
    i64 warps = 0, tasks[WIDTHS] = {}, more = 0;
    EACH(front, m.fronts) {
        const i64 s = pivots(m, (int)front), r = listed(m, (int)front), f = s + r, count = part_count(m, p, (int)front);
        p.part_at[front] = count;
        p.list_at[front] = (count - 1) * f - p.most * count * (count - 1) / 2 + r;
        p.inverse_at[front] = lies_apart((int)s) ? s * (f + r) : 0;
        for (int rank = 0; rank < count; rank++) {
            const Part part = part_of(m, p, (int)front, rank);
            if (taken_by_warp(part, ONE)) warps += part.r ? 2 : 1;
            for (int width = 0; width < WIDTHS; width++)
                each_range(p, part, width, 0, 0, [&](const Range &of) { tasks[width] += parts(of.end - of.from, of.each); });
        }
    }
    EACH(k, m.n + m.entries) {
        const i64 count = m.source_start[k + 1] - m.source_start[k];
        if (count > 3) more += (count - 3) / 4 + 1;
    }
    const i64 sums[] = {more, warps, tasks[ONE], tasks[EIGHT], tasks[BLOCK]};
    for (int k = 0; k < 2 + WIDTHS; k++) {
        i64 total;
        block_scan(sums[k], total);
        if (threadIdx.x == 0u && total) atomicAdd((u64 *)p.totals + PART_MORE + k, (u64)total);
    }
}

__device__ __forceinline__ void count_products(const Maps &m, const Parts &p, const Threads &threads) {
    EACH_WARP(front, m.fronts)
        each_product(m, p, (int)front, [&](int step, const Product &product) {
            atomicAdd((u64 *)p.product_start + product_bin(step, product), 1ull);
        });
}

// When each front could begin: from those without children upwards, the last child to arrive goes on.
__device__ __forceinline__ void climb(const Maps &m, const Parts &p, const Threads &threads) {
    EACH(lowest, m.fronts) {
        if (m.child_start[lowest] != m.child_start[lowest + 1]) continue;
        int front = (int)lowest, time = 0;
        while (true) {
            const int end = time + front_duration(m, p, front), parent = m.up[front];
            if (parent < 0) {
                atomicMax((u64 *)p.totals + PART_PATH, (u64)end);
                break;
            }
            atomicMax(p.early + parent, end);
            fence();
            if (atomicAdd(p.pending + parent, 1) + 1 != m.child_start[parent + 1] - m.child_start[parent]) break;
            fence();
            front = parent;
            time = load(p.early + parent);
        }
    }
}

// How many fronts the longest path can have, doubled up from one: rounds until every front knows all above it.
__device__ __forceinline__ int rounds_of(const Parts &p) {
    int rounds = 0;
    for (i64 reach = 1; 2 * reach < load(p.totals + PART_PATH); reach *= 2) rounds++;
    return rounds;
}

// The time of the front above each. Halves alternate so that the last round writes the first.
__device__ __forceinline__ void begin_tails(const Maps &m, const Parts &p, const Threads &threads, int half) {
    EACH(front, m.fronts) {
        const int parent = m.up[front];
        p.tail[half * m.fronts + front] = parent >= 0 ? front_duration(m, p, parent) : 0;
        p.above[half * m.fronts + front] = parent;
    }
}

// The same for twice as many fronts above each.
__device__ __forceinline__ void lengthen_tails(const Maps &m, const Parts &p, const Threads &threads, int half) {
    const int *tail = p.tail + half * m.fronts, *above = p.above + half * m.fronts;
    int *longer = p.tail + (half ^ 1) * m.fronts, *higher = p.above + (half ^ 1) * m.fronts;
    EACH(front, m.fronts) {
        const int at = load(above + front), own = load(tail + front);
        longer[front] = at >= 0 ? own + load(tail + at) : own;
        higher[front] = at >= 0 ? load(above + at) : -1;
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) mf_parts(const __grid_constant__ Maps m, const __grid_constant__ Parts p) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(p.arrived, passed); };

    size_parts(m, p, threads);
    count_products(m, p, threads);
    climb(m, p, threads);
    barrier();
    const int rounds = rounds_of(p);
    scan_sums(p.part_at, m.fronts, p.partial);
    scan_sums(p.list_at, m.fronts, p.partial + gridDim.x);
    scan_sums(p.inverse_at, m.fronts, p.partial + 2 * gridDim.x);
    scan_sums(p.product_start, STEPS * DEPTHS, p.partial + 3 * gridDim.x);
    begin_tails(m, p, threads, rounds & 1);
    barrier();
    scan_apply(p.part_at, m.fronts, p.partial);
    scan_apply(p.list_at, m.fronts, p.partial + gridDim.x);
    scan_apply(p.inverse_at, m.fronts, p.partial + 2 * gridDim.x);
    scan_apply(p.product_start, STEPS * DEPTHS, p.partial + 3 * gridDim.x);
    for (int round = 0; round < rounds; round++) {
        lengthen_tails(m, p, threads, (rounds - round) & 1);
        barrier();
    }
    if (blockIdx.x != gridDim.x - 1u || threadIdx.x != 0u) return;
    p.totals[PART_COUNT] = p.part_at[m.fronts];
    p.totals[PART_ENTRIES] = p.list_at[m.fronts];
    p.totals[INVERTED] = p.inverse_at[m.fronts];
}

// ---- lists ----

__device__ __forceinline__ void write_lists(const Maps &m, const Parts &p, int front, int rank) {
    const Part part = part_of(m, p, front, rank);
    const int later = m.first[front + 1] - part.first - part.s;
    const int *own = m.list + m.list_start[front];
    for (int j = threadIdx.x & 31; j < part.r; j += 32)
        p.list[part.list + j] = j < later ? part.first + part.s + j : own[j - later];
    if (rank == 0) return;
    // Its rows are the list of the part before.
    const i64 before = part_of(m, p, front, rank - 1).list;
    for (int i = threadIdx.x & 31; i < part.f; i += 32)
        p.source[part.first + part.list + i] = make_int4((int)(before + i), -1, -1, -1);
}

// The entry of a child's last part where the front's list has entry source_entry[k]; -1 from `end` on.
__device__ __forceinline__ int entry_at(const Maps &m, const Parts &p, i64 k, i64 end) {
    if (k >= end) return -1;
    const int e = m.source_entry[k], child = m.entry_front[e];
    return (int)(p.list_at[child + 1] - (m.list_start[child + 1] - e));
}

__device__ __forceinline__ int4 entries_at(const Maps &m, const Parts &p, i64 k, i64 end) {
    return make_int4(entry_at(m, p, k, end), entry_at(m, p, k + 1, end), entry_at(m, p, k + 2, end), entry_at(m, p, k + 3, end));
}

// The terms of the rows of a front; those beyond the third of a row by all lanes.
__device__ __forceinline__ void write_sources(const Maps &m, const Parts &p, int front) {
    const int lane = threadIdx.x & 31, f = pivots(m, front) + listed(m, front);
    const i64 old = slot(m, front), at = m.first[front] + p.list_at[front];
    for (int row = 0; row < f; row += 32) {
        const bool in = row + lane < f;
        const i64 from = in ? m.source_start[old + row + lane] : 0, end = in ? m.source_start[old + row + lane + 1] : 0;
        const int fours = end - from > 3 ? (int)((end - from - 3) / 4 + 1) : 0;
        const int place = fours ? (int)atomicAdd(p.placed, (u64)fours) : -1;
        if (in) {
            int4 source = entries_at(m, p, from, min(end, from + 3));
            source.w = place;
            p.source[at + row + lane] = source;
        }
        for (u32 long_rows = __ballot_sync(LANES, fours > 0); long_rows; long_rows &= long_rows - 1) {
            const int of = __ffs(long_rows) - 1, count = __shfl_sync(LANES, fours, of), to = __shfl_sync(LANES, place, of);
            const i64 first = __shfl_sync(LANES, from, of) + 3, last = __shfl_sync(LANES, end, of);
            for (int k = lane; k < count; k += 32) p.more[to + k] = entries_at(m, p, first + 4 * k, last);
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) mf_part_lists(const __grid_constant__ Maps m, const __grid_constant__ Parts p) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    EACH_WARP(front, m.fronts) {
        for (int rank = 0; rank < part_count(m, p, (int)front); rank++) write_lists(m, p, (int)front, rank);
        write_sources(m, p, (int)front);
        each_product(m, p, (int)front, [&](int step, const Product &product) {
            const int bin = product_bin(step, product);
            p.products[p.product_start[bin] + atomicAdd(p.product_count + bin, 1)] = product;
        });
    }
}

// ---- tasks ----

// Visit the parts of a front with the times at which they begin, forward and backward.
template <class Visit>
__device__ __forceinline__ void each_part(const Maps &m, const Parts &p, int front, int width, const Visit &visit) {
    const int path = (int)p.totals[PART_PATH], count = part_count(m, p, front);
    int early = p.early[front], tail = p.tail[front] + front_duration(m, p, front);
    for (int rank = 0; rank < count; rank++) {
        const Part part = part_of(m, p, front, rank);
        const int own = duration(part.s);
        tail -= own;
        visit(part, rank, path - tail - own, width == ONE ? 2 * path - early - own : path + tail);
        early += own;
    }
}

__device__ __forceinline__ void count_part_tasks(const Maps &m, const Parts &p, const TaskList &t, const Threads &threads) {
    const int width = (int)t.width;
    EACH(front, m.fronts)
        each_part(m, p, (int)front, width, [&](const Part &part, int, int begin, int back) {
            if (width != ONE && part.parent >= 0) atomicAdd(t.need + part.parent, signals_of(p, part, width).u);
            each_range(p, part, width, begin, back, [&](const Range &of) {
                atomicAdd((u64 *)t.start + of.time, (u64)parts(of.end - of.from, of.each));
            });
            if (!taken_by_warp(part, width)) return;
            atomicAdd((u64 *)t.warp_start + begin, 1ull);
            if (part.r) atomicAdd((u64 *)t.warp_start + back, 1ull);
        });
}

// A task of a part, without the signals that it waits for.
__device__ __forceinline__ SolveTask task_of(const Part &part, int type, int row, int rows, int shape) {
    SolveTask task;
    task.type = type;
    task.f = part.f, task.s = part.s, task.r = part.r;
    task.row = row, task.rows = rows;
    task.shape = shape | (part.apart ? APART : 0);
    task.first = part.first;
    task.slot = (int)(part.first + part.list), task.list = (int)part.list;
    task.part = part.number, task.parent = part.parent;
    task.from = type == BACKWARD || type == BACKWARD_PARTS ? part.upper : part.from;
    task.need = task.also = 0;
    return task;
}

// A task waits forward for the children or for what was gathered, backward for v and for x of the parent.
__device__ __forceinline__ void set_waits(const Maps &m, const Parts &p, const TaskList &t, const Part &part, int front, int rank, SolveTask &task) {
    const int width = (int)t.width;
    if (width == ONE) return;
    const Signals own = signals_of(p, part, width);
    task.need = task.type == FORWARD_GATHERED ? own.y : load(t.need + part.number);
    if (task.type != BACKWARD && task.type != BACKWARD_PARTS) return;
    const bool last = rank + 1 == part_count(m, p, front);
    const Part above = last ? part_of(m, p, m.up[front], 0) : part_of(m, p, front, rank + 1);
    task.need = own.v;
    task.also = signals_of(p, above, width).x;
}

__device__ __forceinline__ void write_part_tasks(const Maps &m, const Parts &p, const TaskList &t, const Threads &threads) {
    const int lane = threadIdx.x & 31, width = (int)t.width;
    EACH_WARP(front, m.fronts)
        each_part(m, p, (int)front, width, [&](const Part &part, int rank, int begin, int back) {
            const auto finished = [&](int type, int row, int rows, int shape) {
                SolveTask task = task_of(part, type, row, rows, shape);
                set_waits(m, p, t, part, (int)front, rank, task);
                return task;
            };
            each_range(p, part, width, begin, back, [&](const Range &of) {
                const int count = parts(of.end - of.from, of.each), depth = of.type == BACKWARD ? part.r : part.s;
                int at = lane == 0 ? atomicAdd(t.count + of.time, count) : 0;
                at = __shfl_sync(LANES, at, 0);
                for (int z = lane; z < count; z += 32) {
                    const int row = of.from + of.each * z, rows = min(of.each, of.end - row);
                    const int shape = width == BLOCK ? stage_of(rows, depth) : of.shape;
                    t.tasks[t.start[of.time] + at + z] = finished(of.type, row, rows, shape);
                }
            });
            if (!taken_by_warp(part, width) || lane > (part.r > 0)) return;
            // The first lane writes what is done forward, the second backward.
            const int bin = lane ? back : begin;
            const SolveTask task = finished(lane ? BACKWARD_PARTS : FORWARD_PARTS, 0, lane ? part.s : part.f, 0);
            t.warps[t.warp_start[bin] + atomicAdd(t.warp_count + bin, 1)] = task;
        });
    // Those that take several parts stand behind the others of their time.
    EACH(bin, t.bins) {
        const i64 from = t.warp_start[bin], to = t.warp_start[bin + 1];
        SolveTask *task = t.tasks + t.start[bin + 1] - parts(to - from, WARPS), several{};
        several.type = bin < p.totals[PART_PATH] ? FORWARD_PARTS : BACKWARD_PARTS;
        for (i64 k = from; k < to; k += WARPS) {
            several.row = (int)k;
            several.rows = (int)min((i64)WARPS, to - k);
            *task++ = several;
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 1) mf_part_tasks(
    const __grid_constant__ Maps m, const __grid_constant__ Parts p, const __grid_constant__ TaskList t) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(t.arrived, passed); };

    count_part_tasks(m, p, t, threads);
    barrier();
    EACH(bin, t.bins) t.start[bin] += parts(t.warp_start[bin], WARPS);
    barrier();
    scan_sums(t.start, t.bins, t.partial);
    scan_sums(t.warp_start, t.bins, t.partial + gridDim.x);
    barrier();
    scan_apply(t.start, t.bins, t.partial);
    scan_apply(t.warp_start, t.bins, t.partial + gridDim.x);
    barrier();
    write_part_tasks(m, p, t, threads);
}
