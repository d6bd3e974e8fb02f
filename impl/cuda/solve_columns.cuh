// Solves for several right-hand sides: vectors of COLUMNS side by side, counters, sums over children.
//
// A warp has tiles of 8 columns, of which a lane has two, `column` and the next. A warp that waits looks at a counter of a part
// and a tile: signals of u by the children, of the gathered right-hand sides, of v, of x of the parent. Values are written before the
// signal, and read after the wait (visibility.cuh).
//
// REAL, TENSOR : as in front_tiles.cuh. TILES : of 8 columns

constexpr int COLUMNS = 8 * TILES;
// Between rows of right-hand sides in shared memory, in values.
constexpr int HELD_LD = 12;
enum Counter { U_DONE, GATHERED, V_DONE, X_DONE };

__device__ __forceinline__ u32 *counter(const Solve &v, int kind, int part, int tile) {
    return v.counters + (kind * v.parts + part) * TILES + tile;
}

__device__ __forceinline__ void await(const Solve &v, int kind, int part, int tile, int need) {
    if (need == 0) return;
    const u32 *word = counter(v, kind, part, tile);
    while ((int)acquire(word) < need);
}

// Until a task may read what it is multiplied by. All lanes of a warp call it.
__device__ __forceinline__ void await_values(const Solve &v, const SolveTask &t, int tile) {
    if ((threadIdx.x & 31) == 0) {
        const bool backward = t.type == BACKWARD || t.type == BACKWARD_PARTS;
        await(v, backward ? V_DONE : t.type == FORWARD_GATHERED ? GATHERED : U_DONE, t.part, tile, t.need);
        if (backward) await(v, X_DONE, t.parent, tile, t.also);
    }
    __syncwarp();
}

__device__ __forceinline__ void signal(const Solve &v, int kind, int part, int tile) {
    atomicAdd(counter(v, kind, part, tile), 1u);
}

// After rows [t.row, end) of a tile are written. All lanes of a warp call it.
__device__ __forceinline__ void signal_values(const Solve &v, const SolveTask &t, bool forward, int tile) {
    __syncwarp();
    if (threadIdx.x & 31) return;
    fence();
    if (forward && t.row + t.rows > t.s) signal(v, U_DONE, t.parent, tile);
    if (!forward || t.row < t.s) signal(v, forward && t.r ? V_DONE : X_DONE, t.part, tile);
}

// Values of two columns.
struct __align__(2 * sizeof(real)) Pair {
    real a, b;
};

__device__ __forceinline__ Pair pair_at(const Solve &v, int place, int column) {
    return *(const Pair *)(v.values + (i64)place * COLUMNS + column);
}

__device__ __forceinline__ void put(const Solve &v, int place, int column, Pair value) {
    *(Pair *)(v.values + (i64)place * COLUMNS + column) = value;
}

__device__ __forceinline__ void add(Pair &sum, Pair value) { sum.a += value.a, sum.b += value.b; }

// A row of a part once it is computed.
__device__ __forceinline__ void put_row(const Solve &v, const SolveTask &t, bool forward, int i, int column, Pair value) {
    if (forward && i >= t.s) return put(v, t.list + i - t.s, column, value);
    const int label = t.first + i;
    if (forward && t.r) return put(v, v_at(v, label), column, value);
    put(v, x_at(v, label), column, value);
    const int vertex = v.vertex[label];
    if (column < v.columns) deliver(v, column, vertex, value.a);
    if (column + 1 < v.columns) deliver(v, column + 1, vertex, value.b);
}

// The terms of rows of right-hand sides, known before anything is there: b, and entries of children.
template <int COUNT>
struct Rows {
    int4 from[COUNT];
    Pair base[COUNT];
};

// row(q) : of the part, negative for none. PIVOTS : whether they are pivots, or in the list
template <bool PIVOTS, int COUNT, class Row>
__device__ __forceinline__ void describe(Rows<COUNT> &rows, const Solve &v, const SolveTask &t, int column, const Row &row) {
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        const int i = row(q);
        rows.from[q] = i >= 0 ? v.source[t.slot + i] : nothing();
        rows.base[q] = Pair{0, 0};
        if (!PIVOTS || i < 0) continue;
        const i64 vertex = v.vertex[t.first + i];
        if (column < v.columns) rows.base[q].a = v.b[column * v.n + vertex];
        if (column + 1 < v.columns) rows.base[q].b = v.b[(column + 1) * v.n + vertex];
    }
}

// Four entries of children, those that there are, loaded side by side.
__device__ __forceinline__ void add_four(Pair &sum, const Solve &v, int4 from, int column) {
    const int index[4] = {from.x, from.y, from.z, from.w};
    Pair value[4];
#pragma unroll
    for (int k = 0; k < 4; k++) value[k] = index[k] >= 0 ? pair_at(v, index[k], column) : Pair{0, 0};
#pragma unroll
    for (int k = 0; k < 4; k++) add(sum, value[k]);
}

// The sums, once the children are done: the first three entries of all rows are loaded side by side.
template <int COUNT>
__device__ __forceinline__ void collect(Pair (&sum)[COUNT], const Rows<COUNT> &rows, const Solve &v, int column) {
    Pair value[COUNT][3];
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        const int index[3] = {rows.from[q].x, rows.from[q].y, rows.from[q].z};
#pragma unroll
        for (int k = 0; k < 3; k++) value[q][k] = index[k] >= 0 ? pair_at(v, index[k], column) : Pair{0, 0};
    }
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        sum[q] = rows.base[q];
#pragma unroll
        for (int k = 0; k < 3; k++) add(sum[q], value[q][k]);
    }
#pragma unroll
    for (int q = 0; q < COUNT; q++)
        for (int more = rows.from[q].w; more >= 0; more++) {
            const int4 four = v.more[more];
            add_four(sum[q], v, four, column);
            if (four.w < 0) break;
        }
}

// sum += a b as `mma` has them, whose operands other lanes hold where there are no tensor cores for them. All lanes call it.
__device__ __forceinline__ void add_product(real (&sum)[4], const real *a, const real *b) {
#if ON_TENSOR_CORES
    mma(sum, a, b);
#else
    const int g = (threadIdx.x & 31) >> 2, t = threadIdx.x & 3;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int half = k >> 2, row = 4 * g + (k & 3), column = 8 * t + (k & 3);
        const real left[2] = {__shfl_sync(WARP, a[2 * half], row), __shfl_sync(WARP, a[2 * half + 1], row)};
        const real right[2] = {__shfl_sync(WARP, b[half], column), __shfl_sync(WARP, b[half], column + 4)};
#pragma unroll
        for (int q = 0; q < 4; q++) sum[q] += left[q >> 1] * right[q & 1];
    }
#endif
}

// Right-hand sides from row `from` on, in shared memory; 8 q + lane / 4 has those of `sum[q]`.
__device__ __forceinline__ void hold_rows(real *held, const Pair (&sum)[4], int from) {
    const int g = (threadIdx.x & 31) >> 2, column = 2 * (threadIdx.x & 3);
#pragma unroll
    for (int q = 0; q < 4; q++) *(Pair *)(held + (from + 8 * q + g) * HELD_LD + column) = sum[q];
}
