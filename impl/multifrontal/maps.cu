// Index maps of fronts, and the tasks of their factorisation and of their solves: two cooperative kernels. Between them
// the host allocates what the first has counted.
//
// Tasks are sorted by the time at which they would begin if nobody had to wait for a block. That is a topological order:
// whoever takes tasks in this order waits only for tasks that somebody has taken before.
//
// Writers: counters by atomics; what they give a place to, by the thread that got the place. A front's times are written
// by its children through atomicMax, and read by the last of them to arrive, which goes on with the parent.

#include "multifrontal.cuh"
#include "grid_barrier.cuh"
#include "grid_scan.cuh"
#include "visibility.cuh"

// Times that tasks are thought to take, in microseconds or so: they decide the order of tasks, nothing else.
constexpr int WARP_TIME = 8, BLOCK_TIME = 10, BLOCK_PANEL_TIME = 8, ASSEMBLE_TIME = 8, TILE_TIME = 9, UPDATE_TIME = 12;
constexpr int SOLVE_WARP_TIME = 4, SOLVE_BLOCK_TIME = 3, SOLVE_PANEL_TIME = 2, SOLVE_ROWS_TIME = 3;

__device__ __forceinline__ int parts(i64 count, int each) { return (int)((count + each - 1) / each); }

// Tasks of a front that may run together. band : of TILE_TASK, tiles that are updated in each row of tiles, or column.
struct Step {
    int type, time, count, k, end, need, across, band;
    bool last;
};

// Visit the steps of a front that begins at some time, in order; returns when it ends.
template <class Visit>
__device__ __forceinline__ int each_step(Kind kind, int f, int s, int time, const Visit &visit) {
    if (kind == WARP_KIND) return time + WARP_TIME;
    if (kind == BLOCK_KIND) {
        visit(Step{BLOCK_TASK, time, 1, 0, 0, -1, 1, 1, true});
        return time + BLOCK_TIME + BLOCK_PANEL_TIME * parts(s, PANEL);
    }
    Step step{ASSEMBLE, time, parts(f, ASSEMBLED), 0, 0, -1, 1, 1, false};
    int need = step.count;
    time += ASSEMBLE_TIME;
    // A step is visited once it is known whether another one follows.
    const auto next = [&](const Step &following) {
        visit(step);
        step = following;
        need += following.count;
    };
    const bool direct = f <= LARGE_FRONT || s <= OUTER;
    const int outer = direct ? s : f > HUGE_FRONT ? 2 * OUTER : OUTER;
    for (int from = 0; from < s; from += outer) {
        const int end = min(from + outer, s), limit = direct ? f : end;
        for (int k = from; k < end; k += PANEL) {
            const int after = min(k + PANEL, s), across = parts(f - after, TILE);
            if (across == 0) break;
            const bool diagonal = after < s && after < limit;
            const int band = max(1, min(across, parts(limit - after, TILE)));
            const int tiles = across * across - (across - band) * (across - band);
            next(Step{diagonal ? TILE_BESIDE : TILE_TASK, time, tiles + diagonal, k, limit, need, across, band, false});
            time += TILE_TIME;
        }
        if (direct || f == end) continue;
        const int rows = parts(f - end, UPDATE_ROWS);
        next(Step{UPDATE, time, rows * parts(f - end, TILE), from, end, need, rows, 1, false});
        time += UPDATE_TIME;
    }
    step.last = true;
    visit(step);
    return time;
}

// Task z of a step.
__device__ __forceinline__ Task task_of(const Maps &m, int front, Kind kind, int f, int s, const Step &step, int z) {
    Task task{step.type, front, 0, 0, step.k, step.end, step.need, step.last, f, s, 0, 0, 0};
    task.block = m.block_at[front];
    task.lower = m.factor_at[front];
    task.upper = task.lower + (i64)f * s;
    if (step.type == ASSEMBLE) {
        task.a = ASSEMBLED * z;
        task.b = min(task.a + ASSEMBLED, f);
        // How many tasks have columns of the first panel, of those.
        task.k = task.a < min(PANEL, s) ? parts(min(PANEL, s), ASSEMBLED) : 0;
        return task;
    }
    if (step.type == UPDATE) {
        task.a = z % step.across;
        task.b = z / step.across;
        return task;
    }
    if (step.type == TILE_BESIDE) {
        if (z == 0) {
            task.type = NEXT_DIAGONAL;
            return task;
        }
        z--;
    }
    if (step.type == BLOCK_TASK) return task;
    // The first `band` columns of tiles, then of the others the first `band` rows.
    const int whole = step.band * step.across, rest = z - whole;
    task.a = rest < 0 ? z % step.across : rest % step.band;
    task.b = rest < 0 ? z / step.across : step.band + rest / step.band;
    return task;
}

__device__ __forceinline__ int solve_duration(int f, int s) {
    if (solved_by_warp(f, s)) return SOLVE_WARP_TIME;
    if (solved_by_block(f, s)) return SOLVE_BLOCK_TIME;
    return SOLVE_PANEL_TIME * parts(s, PANEL) + SOLVE_ROWS_TIME;
}

__device__ __forceinline__ i64 row_in(const Maps &m, int front, int label) {
    if (label < m.first[front + 1]) return label - m.first[front];
    i64 low = m.list_start[front], high = m.list_start[front + 1];
    const i64 from = low;
    while (low < high) {
        const i64 middle = (low + high) >> 1;
        if (m.list[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return pivots(m, front) + low - from;
}

__device__ __forceinline__ void count_children(const Maps &m, const Threads &threads) {
    const int lane = threadIdx.x & 31;
    EACH_WARP(front, m.fronts) {
        for (int label = m.first[front] + lane; label < m.first[front + 1]; label += 32) m.front_of[label] = (int)front;
        for (i64 e = m.list_start[front] + lane; e < m.list_start[front + 1]; e += 32) m.entry_front[e] = (int)front;
        const int parent = m.up[front];
        if (lane || parent < 0) continue;
        atomicAdd((u64 *)m.child_start + parent, 1ull);
        atomicAdd(m.pending + parent, 1);
    }
}

// How many columns of children, and how many entries of A, each slot adds up.
__device__ __forceinline__ void count_sources(const Maps &m, const Threads &threads) {
    EACH(i, m.n) m.vertex[m.label[i]] = (int)i;
    EACH(e, m.entries) atomicAdd((u64 *)m.source_start + slot(m, m.up[m.entry_front[e]]) + m.place[e], 1ull);
    const int lane = threadIdx.x & 31;
    EACH_WARP(i, m.n) {
        const int row = m.label[i];
        for (i64 q = m.indptr[i] + lane; q < m.indptr[i + 1]; q += 32) {
            const int column = m.label[m.indices[q]], front = m.front_of[min(row, column)];
            const int at = (int)(slot(m, front) + row_in(m, front, column));
            m.entry_slot[q] = at;
            m.unplaced[q] = (int)row_in(m, front, row);
            atomicAdd((u64 *)m.entry_start + at, 1ull);
        }
    }
}

// The vertex of its last pivot, which stands for a child: unlike numbers of fronts it does not depend on who was first
// to number siblings.
__device__ __forceinline__ int name_of(const Maps &m, int front) { return m.vertex[m.first[front + 1] - 1]; }

__device__ __forceinline__ void place_sources(const Maps &m, const Threads &threads) {
    EACH(front, m.fronts) {
        const int parent = m.up[front];
        if (parent < 0) continue;
        m.child[m.child_start[parent] + atomicAdd(m.child_count + parent, 1)] = name_of(m, (int)front);
    }
    EACH(e, m.entries) {
        const int child = m.entry_front[e];
        const i64 at = slot(m, m.up[child]) + m.place[e];
        m.source_entry[m.source_start[at] + atomicAdd(m.source_count + at, 1)] = name_of(m, child);
    }
    EACH(q, m.nnz) {
        const int at = m.entry_slot[q], row = m.unplaced[q];
        const i64 to = m.entry_start[at] + atomicAdd(m.entry_count + at, 1);
        m.entry_from[to] = (int)q;
        m.entry_place[to] = (u32)row;
    }
}

// Columns of A's entries within their fronts; a warp a front.
__device__ __forceinline__ void place_columns(const Maps &m, const Threads &threads) {
    EACH_WARP(front, m.fronts) {
        const i64 from = slot(m, (int)front), f = pivots(m, (int)front) + listed(m, (int)front);
        for (i64 c = threadIdx.x & 31; c < f; c += 32)
            for (i64 q = m.entry_start[from + c]; q < m.entry_start[from + c + 1]; q++)
                m.entry_place[q] |= (u32)c << 16;
    }
}

__device__ __forceinline__ void sort_short(int *keys, int length) {
    for (int k = 1; k < length; k++) {
        const int key = keys[k];
        int to = k;
        for (; to > 0 && keys[to - 1] > key; to--) keys[to] = keys[to - 1];
        keys[to] = key;
    }
}

// Children and columns of children, each by ascending names. Long segments are left to blocks: of slots as they are, of fronts
// behind them.
__device__ __forceinline__ void sort_segments(const Maps &m, const Threads &threads) {
    const i64 slots = m.n + m.entries;
    EACH(k, slots + m.fronts) {
        const i64 *start = k < slots ? m.source_start + k : m.child_start + (k - slots);
        const i64 length = start[1] - start[0];
        if (length <= LONG_SEGMENT)
            sort_short((k < slots ? m.source_entry : m.child) + start[0], (int)length);
        else
            m.long_segments[atomicAdd((u64 *)m.totals + LONG_SEGMENTS, 1ull)] = (int)k;
    }
}

__device__ __forceinline__ void sort_long_segments(const Maps &m) {
    const i64 slots = m.n + m.entries, count = load(m.totals + LONG_SEGMENTS);
    for (i64 z = blockIdx.x; z < count; z += gridDim.x) {
        const i64 k = m.long_segments[z];
        const i64 *start = k < slots ? m.source_start + k : m.child_start + (k - slots);
        block_sort((k < slots ? m.source_entry : m.child) + start[0], (u32)(start[1] - start[0]));
    }
}

// Names to the numbers of children, and to the list entries of a slot's row.
__device__ __forceinline__ void resolve_names(const Maps &m, const Threads &threads) {
    EACH(k, m.child_start[m.fronts]) m.child[k] = m.front_of[m.label[m.child[k]]];
    EACH_WARP(front, m.fronts) {
        const i64 from = slot(m, (int)front);
        const int f = pivots(m, (int)front) + listed(m, (int)front);
        for (int row = threadIdx.x & 31; row < f; row += 32)
            for (i64 k = m.source_start[from + row]; k < m.source_start[from + row + 1]; k++) {
                const int child = m.front_of[m.label[m.source_entry[k]]];
                i64 low = m.list_start[child], high = m.list_start[child + 1];
                while (low < high) {
                    const i64 middle = (low + high) >> 1;
                    if (m.place[middle] < row)
                        low = middle + 1;
                    else
                        high = middle;
                }
                m.source_entry[k] = (int)low;
            }
    }
}

__device__ __forceinline__ void size_blocks(const Maps &m, const Threads &threads) {
    EACH(front, m.fronts) {
        const i64 s = pivots(m, (int)front), r = listed(m, (int)front), f = s + r;
        const Kind kind = kind_of(m, (int)front);
        m.panel[front] = kind == WARP_KIND ? 0 : PANEL;
        // Even numbers of values, so that what begins there is aligned.
        m.block_at[front] = ((kind == GLOBAL_KIND ? f * f : r * r) + 1) & ~1ll;
        m.factor_at[front] = (f * s + r * s + 1) & ~1ll;
    }
}

// When each front begins: from those without children upwards, the last child to arrive goes on.
__device__ __forceinline__ void climb(const Maps &m, const Threads &threads) {
    EACH(lowest, m.fronts) {
        if (m.child_start[lowest] != m.child_start[lowest + 1]) continue;
        int front = (int)lowest, time = 0, solve_time = 0;
        while (true) {
            const int s = pivots(m, front), f = s + listed(m, front), parent = m.up[front];
            int signals = 1;
            const int end = each_step(kind_of(m, front), f, s, time, [&](const Step &step) {
                if (step.last) signals = step.count;
            });
            const int solve_end = solve_time + solve_duration(f, s);
            if (parent < 0) {
                atomicMax((u64 *)m.totals + PATH, (u64)end);
                atomicMax((u64 *)m.totals + SOLVE_PATH, (u64)solve_end);
                break;
            }
            atomicMax(m.time + parent, end);
            atomicMax(m.solve_time + parent, solve_end);
            atomicAdd(m.awaited + parent, signals);
            fence();
            if (atomicSub(m.pending + parent, 1) != 1) break;
            fence();
            front = parent;
            time = load(m.time + parent);
            solve_time = load(m.solve_time + parent);
        }
    }
}

__device__ __forceinline__ void count_all(const Maps &m, const Threads &threads) {
    i64 tasks = 0, solve_tasks = 0, flops = 0;
    EACH(front, m.fronts) {
        const int s = pivots(m, (int)front), r = listed(m, (int)front), f = s + r;
        const Kind kind = kind_of(m, (int)front);
        tasks += kind == WARP_KIND;
        each_step(kind, f, s, 0, [&](const Step &step) { tasks += step.count; });
        const bool whole = solved_by_warp(f, s) || solved_by_block(f, s);
        solve_tasks += whole ? 2 : 2 * parts(s, PANEL) + parts(r, PANEL);
        // Divisions, and updates as two operations.
        const auto sum = [](i64 k) { return k * (k - 1) / 2; };
        const auto squares = [](i64 k) { return k * (k - 1) * (2 * k - 1) / 6; };
        flops += sum(f) - sum(r) + 2 * (squares(f) - squares(r));
        if (f > load(m.totals + LARGEST)) atomicMax((u64 *)m.totals + LARGEST, (u64)f);
    }
    i64 total;
    const i64 sums[] = {tasks, solve_tasks, flops};
    const int places[] = {TASKS, SOLVE_TASKS, FLOPS};
    for (int k = 0; k < 3; k++) {
        block_scan(sums[k], total);
        if (threadIdx.x == 0u && total) atomicAdd((u64 *)m.totals + places[k], (u64)total);
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) mf_maps(const Maps m) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    const i64 slots = m.n + m.entries;
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(m.arrived, passed); };

    count_children(m, threads);
    barrier();
    count_sources(m, threads);
    barrier();
    scan_sums(m.child_start, m.fronts, m.partial);
    scan_sums(m.source_start, slots, m.partial + gridDim.x);
    scan_sums(m.entry_start, slots, m.partial + 2 * gridDim.x);
    barrier();
    scan_apply(m.child_start, m.fronts, m.partial);
    scan_apply(m.source_start, slots, m.partial + gridDim.x);
    scan_apply(m.entry_start, slots, m.partial + 2 * gridDim.x);
    barrier();
    place_sources(m, threads);
    size_blocks(m, threads);
    climb(m, threads);
    count_all(m, threads);
    barrier();
    sort_segments(m, threads);
    place_columns(m, threads);
    scan_sums(m.block_at, m.fronts, m.partial);
    scan_sums(m.factor_at, m.fronts, m.partial + gridDim.x);
    barrier();
    sort_long_segments(m);
    scan_apply(m.block_at, m.fronts, m.partial);
    scan_apply(m.factor_at, m.fronts, m.partial + gridDim.x);
    barrier();
    resolve_names(m, threads);
    if (threads.first != 0) return;
    m.totals[BLOCKS] = m.block_at[m.fronts];
    m.totals[FACTOR] = m.factor_at[m.fronts];
}

__device__ __forceinline__ i64 bin_of(const Maps &m, int front, int time) {
    return (m.wave ? m.wave[front] * m.wave_bins : 0) + time;
}

// Visit the steps of a front's solves, forward and backward: (type, time, tasks, first row). Backward the times run from
// the end, so that a front begins when its parent has ended.
template <class Visit>
__device__ __forceinline__ void each_solve_step(const Maps &m, int front, const Visit &visit) {
    const int s = pivots(m, front), r = listed(m, front), f = s + r, time = m.solve_time[front];
    const int end = (int)(2 * m.totals[SOLVE_PATH]) - time - solve_duration(f, s), panels = parts(s, PANEL);
    if (solved_by_warp(f, s)) return;
    if (solved_by_block(f, s)) {
        visit(FORWARD_BLOCK, time, 1, 0);
        visit(BACKWARD_BLOCK, end, 1, 0);
        return;
    }
    for (int k = 0; k < panels; k++) {
        visit(FORWARD_ROWS, time + SOLVE_PANEL_TIME * k + 1, 1, PANEL * k);
        visit(BACKWARD_ROWS, end + SOLVE_PANEL_TIME * (panels - 1 - k) + 1, 1, PANEL * k);
    }
    if (r) visit(FORWARD_ROWS, time + SOLVE_PANEL_TIME * panels + 1, parts(r, PANEL), s);
}

// Times of the two tasks of a front that is solved with others.
__device__ __forceinline__ int2 warp_times(const Maps &m, int front) {
    const int time = m.solve_time[front];
    return make_int2(time, (int)(2 * m.totals[SOLVE_PATH]) - time - SOLVE_WARP_TIME);
}

__device__ __forceinline__ void count_tasks(const Maps &m, const Threads &threads) {
    EACH(front, m.fronts) {
        const int s = pivots(m, (int)front), f = s + listed(m, (int)front), time = m.time[front];
        const Kind kind = kind_of(m, (int)front);
        if (kind == WARP_KIND) atomicAdd((u64 *)m.warp_start + bin_of(m, (int)front, time), 1ull);
        each_step(kind, f, s, time, [&](const Step &step) {
            atomicAdd((u64 *)m.task_start + bin_of(m, (int)front, step.time), (u64)step.count);
        });
        const bool inside = kind == GLOBAL_KIND;
        m.handed_at[front] = m.block_at[front] + (inside ? (i64)s * (f + 1) : 0);
        m.handed_stride[front] = inside ? f : f - s;
        each_solve_step(m, (int)front, [&](int, int at, int count, int) {
            atomicAdd((u64 *)m.solve_start + at, (u64)count);
        });
        if (!solved_by_warp(f, s)) continue;
        const int2 times = warp_times(m, (int)front);
        atomicAdd((u64 *)m.solve_warp_start + times.x, 1ull);
        atomicAdd((u64 *)m.solve_warp_start + times.y, 1ull);
    }
}

__device__ __forceinline__ void write_sources(const Maps &m, const Threads &threads) {
    EACH(q, m.source_start[m.n + m.entries]) {
        const int e = m.source_entry[q], child = m.entry_front[e];
        const i64 from = m.handed_at[child] + (e - m.list_start[child]) * m.handed_stride[child];
        m.source[q] = Source{from, (int)m.list_start[child], listed(m, child)};
    }
}

__device__ __forceinline__ void write_tasks(const Maps &m, const Threads &threads) {
    const int lane = threadIdx.x & 31;
    EACH_WARP(front, m.fronts) {
        const int s = pivots(m, (int)front), f = s + listed(m, (int)front), time = m.time[front];
        const Kind kind = kind_of(m, (int)front);
        if (kind == WARP_KIND && lane == 0) {
            const i64 bin = bin_of(m, (int)front, time);
            m.warp_fronts[m.warp_start[bin] + atomicAdd(m.warp_count + bin, 1)] = (int)front;
        }
        each_step(kind, f, s, time, [&](const Step &step) {
            const i64 bin = bin_of(m, (int)front, step.time);
            int at = lane == 0 ? atomicAdd(m.task_count + bin, step.count) : 0;
            at = __shfl_sync(LANES, at, 0);
            for (int z = lane; z < step.count; z += 32)
                m.tasks[m.task_start[bin] + at + z] = task_of(m, (int)front, kind, f, s, step, z);
        });
        if (solved_by_warp(f, s) && lane == 0) {
            const int2 times = warp_times(m, (int)front);
            m.solve_warp_fronts[m.solve_warp_start[times.x] + atomicAdd(m.solve_warp_count + times.x, 1)] = (int)front;
            m.solve_warp_fronts[m.solve_warp_start[times.y] + atomicAdd(m.solve_warp_count + times.y, 1)] = (int)front;
        }
        each_solve_step(m, (int)front, [&](int type, int bin, int count, int row) {
            int at = lane == 0 ? atomicAdd(m.solve_count + bin, count) : 0;
            at = __shfl_sync(LANES, at, 0);
            const int limit = row < s ? s : f;
            for (int z = lane; z < count; z += 32) {
                const int from = row + PANEL * z;
                m.solve_tasks[m.solve_start[bin] + at + z] = make_int4(type, (int)front, from, min(PANEL, limit - from));
            }
        });
    }
    // Those that take several fronts stand behind the others of their time.
    EACH(bin, m.bins) {
        const i64 from = m.warp_start[bin], to = m.warp_start[bin + 1];
        Task *task = m.tasks + m.task_start[bin + 1] - parts(to - from, WARPS);
        for (i64 k = from; k < to; k += WARPS)
            *task++ = Task{WARP_TASK, 0, (int)k, (int)min((i64)WARPS, to - k), 0, 0, -1, 1, 0, 0, 0, 0, 0};
    }
    EACH(bin, m.solve_bins) {
        const i64 from = m.solve_warp_start[bin], to = m.solve_warp_start[bin + 1];
        int4 *task = m.solve_tasks + m.solve_start[bin + 1] - parts(to - from, WARPS);
        const int type = bin < m.totals[SOLVE_PATH] ? FORWARD_WARPS : BACKWARD_WARPS;
        for (i64 k = from; k < to; k += WARPS) *task++ = make_int4(type, (int)k, (int)min((i64)WARPS, to - k), 0);
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) mf_tasks(const Maps m) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    u32 passed = 0;
    const auto barrier = [&]() { grid_barrier(m.arrived + 1, passed); };

    count_tasks(m, threads);
    barrier();
    EACH(bin, m.bins) m.task_start[bin] += parts(m.warp_start[bin], WARPS);
    EACH(bin, m.solve_bins) m.solve_start[bin] += parts(m.solve_warp_start[bin], WARPS);
    barrier();
    scan_sums(m.task_start, m.bins, m.partial);
    scan_sums(m.warp_start, m.bins, m.partial + gridDim.x);
    scan_sums(m.solve_start, m.solve_bins, m.partial + 2 * gridDim.x);
    scan_sums(m.solve_warp_start, m.solve_bins, m.partial + 3 * gridDim.x);
    barrier();
    scan_apply(m.task_start, m.bins, m.partial);
    scan_apply(m.warp_start, m.bins, m.partial + gridDim.x);
    scan_apply(m.solve_start, m.solve_bins, m.partial + 2 * gridDim.x);
    scan_apply(m.solve_warp_start, m.solve_bins, m.partial + 3 * gridDim.x);
    barrier();
    write_sources(m, threads);
    write_tasks(m, threads);
}
