// The rows of L + U, sorted, from lists and bits: after bitfronts_lists, and after bitfronts_eliminate where the bits
// were needed.
//
// Row i of U is its row in the front of which it is a pivot: all of its columns lie on the path from i to the root, where
// larger labels are larger vertices, so that it comes out in order. Row i of L is spread over the fronts whose list has
// i, its holders, and its own. Their pivots need not be in order, unless the matrix is numbered in a postorder. A warp
// joins them in a bit set of all columns, and reads the set in order. Pivots with consecutive vertices, 32 at a time, go
// into the set as a word.
//
// Where every entry of a front is there, U's row is two segments that are copied. L's row is a sequence of runs, if each
// holder's pivots have consecutive vertices: the warp puts the runs in order, and needs no set.
//
// Each warp writes to its own set alone, and leaves it empty; each row is written by one warp.
//
// Compile-time:
//   FULL  every entry of a front is there (the tree of a symmetric pattern, fronts merged only where that adds nothing)

#include "bitfronts.cuh"

constexpr u32 ALL = 0xFFFFFFFFu;
// Words of pivots that a lane takes alone; the warp shares longer fronts.
constexpr int LANE_WORDS = 4;
#if FULL
// Runs of a row of L that a warp puts in order; more are joined in a set.
constexpr int MOST_RUNS = 256;
// Of a block, at most.
constexpr int WARPS = 8;
// Words of a set in flight for each lane. Where few rows need a set, fewer registers are worth more.
constexpr int AHEAD = 1;
#else
constexpr int AHEAD = 2;
#endif

__device__ __forceinline__ u32 below_bit(int bits) { return bits >= 32 ? ALL : (1u << bits) - 1u; }

// A set of n columns in two levels: each bit of the summary says whether one word is not zero.
struct Set {
    u32 *words, *summary;

    __device__ __forceinline__ void join(i64 word, u32 bits) const {
        // Nobody waits for either.
        atomicOr(words + word, bits);
        atomicOr(summary + (word >> 5), 1u << (word & 31));
    }
};

struct Row {
    int front, number;  // in the front
};

__device__ __forceinline__ u32 front_word(const Tree &t, const Fronts &f, const Row &row, int word) {
#if FULL
    return below_bit(t.front_size[row.front] - 32 * word);
#else
    return f.bits[row_start(t, f, row.front, row.number) + word];
#endif
}

// Pivots 32 word to 32 word + 31 of a front, of those before column `stop`, into the set.
__device__ __forceinline__ void join_pivots(
    const Tree &t, const Fronts &f, const Row &row, int word, int stop, const Set &set) {
    u32 bits = front_word(t, f, row, word) & below_bit(stop - 32 * word);
    if (!bits) return;
    const int *vertices = t.old + t.first[row.front] + 32 * word;
    if (f.straight[t.panel_start[row.front] + word]) {
        const u32 shift = vertices[0] & 31;
        if (bits << shift) set.join(vertices[0] >> 5, bits << shift);
        if (shift && bits >> (32u - shift)) set.join((vertices[0] >> 5) + 1, bits >> (32u - shift));
        return;
    }
    for (; bits; bits &= bits - 1u) {
        const int vertex = vertices[__ffs((int)bits) - 1];
        set.join(vertex >> 5, 1u << (vertex & 31));
    }
}

// All of the warp for one front.
__device__ __forceinline__ void join_front(
    const Tree &t, const Fronts &f, const Row &row, int stop, const Set &set) {
    for (int word = threadIdx.x & 31; 32 * word < stop; word += 32) join_pivots(t, f, row, word, stop, set);
}

// Each lane has a word; its bit b stands for the column column(lane, b). Returns where the next goes.
template <class Column>
__device__ __forceinline__ i64 emit(u32 word, int *indices, i64 at, const Column &column) {
    const int lane = threadIdx.x & 31;
    int through = __popc(word);
    for (int d = 1; d < 32; d <<= 1) {
        const int before = __shfl_up_sync(ALL, through, d);
        if (lane >= d) through += before;
    }
    const int before = through - __popc(word);
    // Two words at a time: the second one's columns are under way while the first waits for its own.
    for (u32 lanes = __ballot_sync(ALL, word != 0u); lanes;) {
        const int one = __ffs((int)lanes) - 1;
        lanes &= lanes - 1u;
        const int other = lanes ? __ffs((int)lanes) - 1 : one;
        lanes &= lanes - 1u;
        const u32 bits = __shfl_sync(ALL, word, one), more = __shfl_sync(ALL, word, other);
        const int offset = __shfl_sync(ALL, before, one) + __popc(bits & below_bit(lane));
        const int further = __shfl_sync(ALL, before, other) + __popc(more & below_bit(lane));
        int first = 0, second = 0;
        if (bits >> lane & 1u) first = column(one, lane);
        if (more >> lane & 1u) second = column(other, lane);
        if (bits >> lane & 1u) indices[at + offset] = first;
        if (more >> lane & 1u) indices[at + further] = second;
    }
    return at + __shfl_sync(ALL, through, 31);
}

__device__ __forceinline__ void collect_lower(
    const Tree &t, const Fronts &f, int label, const Row &own, const Set &set) {
    const int lane = threadIdx.x & 31;
    join_front(t, f, own, own.number, set);
    const i64 end = f.holder_start[label + 1];
    for (i64 base = f.holder_start[label]; base < end; base += 32) {
        const i64 k = base + lane;
        Row row{-1, 0};
        int pivots = 0;
        if (k < end) {
            row = {f.holder[k], f.holder_row[k]};
            pivots = t.first[row.front + 1] - t.first[row.front];
        }
        if (pivots <= 32 * LANE_WORDS)
            for (int word = 0; 32 * word < pivots; word++) join_pivots(t, f, row, word, pivots, set);
        for (u32 lanes = __ballot_sync(ALL, pivots > 32 * LANE_WORDS); lanes; lanes &= lanes - 1u) {
            const int from = __ffs((int)lanes) - 1;
            const Row shared{__shfl_sync(ALL, row.front, from), __shfl_sync(ALL, row.number, from)};
            join_front(t, f, shared, __shfl_sync(ALL, pivots, from), set);
        }
    }
    __syncwarp();
}

// Writes the columns of the set, all below v, in order, and empties it.
__device__ __forceinline__ void drain(const Set &set, int v, int *indices, i64 at) {
    const int lane = threadIdx.x & 31;
    for (i64 base = 0; base << 10 < v; base += 32) {
        const i64 mine = base + lane;
        const u32 summary = mine << 10 < v ? __ldcg(set.summary + mine) : 0u;
        if (summary) __stcg(set.summary + mine, 0u);
        for (u32 lanes = __ballot_sync(ALL, summary != 0u); lanes;) {
            i64 first[AHEAD];
            u32 word[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const int from = (__ffs((int)lanes) - 1) & 31;
                first[k] = 32 * (base + from);
                const bool there = lanes && __shfl_sync(ALL, summary, from) >> lane & 1u;
                lanes &= lanes - 1u;
                word[k] = there ? __ldcg(set.words + first[k] + lane) : 0u;
                if (there) __stcg(set.words + first[k] + lane, 0u);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                at = emit(word[k], indices, at, [&](int j, int b) { return (int)(32 * (first[k] + j)) + b; });
        }
    }
    __syncwarp();
}

#if FULL

// Columns column(0) to column(count - 1), from `at` on: 16 bytes at a time, apart from both ends. A lane's ascend.
template <class Column>
__device__ __forceinline__ void write(int *indices, i64 at, int count, const Column &column) {
    for (int k = 4 * (int)(threadIdx.x & 31) - (int)(at & 3); k < count; k += 128) {
        if (k >= 0 && k + 4 <= count) {
            const int first = column(k), second = column(k + 1), third = column(k + 2);
            __stcs((int4 *)(indices + at + k), make_int4(first, second, third, column(k + 3)));
        } else {
            for (int c = max(k, 0); c < min(k + 4, count); c++) indices[at + c] = column(c);
        }
    }
}

// (first vertex, length) of each run; (end, first vertex less start) within the row, in order.
struct Runs {
    int2 run[MOST_RUNS], place[MOST_RUNS];
};

// The runs of a row of L; false where they are too many, or some front's pivots have other vertices between them.
__device__ __forceinline__ bool find_runs(
    const Tree &t, const Fronts &f, const Row &own, const int *holder, i64 count, Runs &runs) {
    bool straight = count <= MOST_RUNS;
    for (int k = threadIdx.x & 31; straight && k < count; k += 32) {
        const int front = k ? holder[k - 1] : own.front, first = t.first[front];
        const int length = k ? t.first[front + 1] - first : own.number;
        runs.run[k] = make_int2(t.old[first], length);
        straight = t.old[first + max(length - 1, 0)] == t.old[first] + max(length - 1, 0);
    }
    return __all_sync(ALL, straight);
}

// Each run goes behind all that begin below it.
__device__ __forceinline__ void order_runs(int count, Runs &runs) {
    __syncwarp();
    for (int k = threadIdx.x & 31; k < count; k += 32) {
        const int2 run = runs.run[k];
        int rank = 0, start = 0;
        for (int other = 0; other < count; other++) {
            const int2 another = runs.run[other];
            rank += another.x < run.x;
            start += another.x < run.x ? another.y : 0;
        }
        runs.place[rank] = make_int2(start + run.y, run.x - start);
    }
    __syncwarp();
}

// False, and nothing is written, where the row needs a set.
__device__ __forceinline__ bool write_runs(
    const Tree &t, const Fronts &f, int label, const Row &own, int *indices, i64 at, int columns) {
    __shared__ Runs shared[WARPS];
    Runs &runs = shared[threadIdx.x >> 5];
    const i64 from = f.holder_start[label], count = f.holder_start[label + 1] - from + 1;
    if (!find_runs(t, f, own, f.holder + from, count, runs)) return false;
    order_runs((int)count, runs);
    int k = 0;
    write(indices, at, columns, [&](int column) {
        while (runs.place[k].x <= column) k++;
        return runs.place[k].y + column;
    });
    __syncwarp();
    return true;
}

__device__ __forceinline__ void write_upper(const Tree &t, const Fronts &f, const Row &own, int *indices, i64 at) {
    const int first = t.first[own.front] + own.number, pivots = t.first[own.front + 1] - first;
    const int *pivot = t.old + first, *list = f.list_vertex + t.list_start[own.front] - pivots;
    write(indices, at, t.front_size[own.front] - own.number, [=](int k) { return (k < pivots ? pivot : list)[k]; });
}

#else

__device__ __forceinline__ bool write_runs(
    const Tree &t, const Fronts &f, int label, const Row &own, int *indices, i64 at, int columns) {
    return false;
}

__device__ __forceinline__ void write_upper(const Tree &t, const Fronts &f, const Row &own, int *indices, i64 at) {
    const int lane = threadIdx.x & 31, first = t.first[own.front], pivots = t.first[own.front + 1] - first;
    const int size = t.front_size[own.front], words = (int)row_words(size);
    const int *pivot = t.old + first, *list = f.list_vertex + t.list_start[own.front];
    for (int base = own.number >> 5; base < words; base += 32) {
        const int w = base + lane;
        u32 word = w < words ? front_word(t, f, own, w) : 0u;
        if (w == own.number >> 5) word &= ~below_bit(own.number & 31);
        at = emit(word, indices, at, [=](int j, int b) {
            const int column = 32 * (base + j) + b;
            return column < pivots ? pivot[column] : list[column - pivots];
        });
    }
}

#endif

// sets : 0 before and after, (warps of the grid, stride), a set's words and then its summary
extern "C" __global__ void bitfronts_rows(
    const Tree t, const Fronts f, const i64 *indptr, int *indices, u32 *sets, const i64 stride,
    const i64 words) {
    const i64 warp = (blockIdx.x * (i64)blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * (i64)blockDim.x >> 5;
    const Set set{sets + warp * stride, sets + warp * stride + words};
    for (i64 v = warp; v < t.n; v += warps) {
        const int label = t.label[v], front = t.front_of[label];
        const Row own{front, label - t.first[front]};
        if (!write_runs(t, f, label, own, indices, indptr[v], (int)t.lower[v])) {
            collect_lower(t, f, label, own, set);
            drain(set, (int)v, indices, indptr[v]);
        }
        write_upper(t, f, own, indices, indptr[v] + t.lower[v]);
    }
}
