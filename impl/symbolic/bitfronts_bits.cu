// Boolean elimination of fronts of bits: entries of A into their fronts, then a persistent kernel over tasks in
// topological order, after bitfronts_lists.
//
// Pivots come first in a front. 32 of them are a panel: their diagonal word is closed first, and with each row its
// closure c is kept, the panel's rows whose union it is. Rows below do the same with their word of the panel. All
// words to the right then change by one operation, new = old | union of the panel's rows in c, through tables of the
// unions of four rows, eight look-ups a word. If one pivot of the panel is in every row below, and its row is full, all
// that is left of the front is full, and nothing more has to be done. What is left below and right of the pivots is
// spread over the parent's words and joined to them.
//
// A front of at most SMALL rows is a warp's, in shared memory. A larger one has a team of blocks: member m has row
// base + m, base + m + team, ... of what is below a panel, so that owners change from panel to panel, and the team waits
// for all its members after each. Every member closes the diagonal itself and reads the panel's rows, which nobody
// changes but, with COLUMNS, for their own union: one who reads some words before and some after that has rows between
// the panel's and their closure, whose unions are the same.
//
// A parent's words are changed by its children through atomicOr. A front waits until `arrived` says that all of them
// are done, and then is written by its team alone. Tasks are given out in order, children before parents and a team's
// side by side, and the grid is resident: whoever is waited for is running or done.
//
// Row counts are added up by label, and by list entry, where no look-up delays a panel, and brought to the matrix's
// order at the end.
//
// Compile-time:
//   COLUMNS  the panel's rows are written back too: the pattern is read from the bits

#include "bitfronts.cuh"
#include "grid_scan.cuh"
#include "visibility.cuh"

constexpr u32 ALL = 0xFFFFFFFFu;
constexpr int BLOCK = 256;
constexpr int SMALL = 128;
// Words of a small front's row, odd, so that rows lie in different banks; shared words of a warp on one.
constexpr int STRIDE = 5, WARP_WORDS = SMALL * STRIDE + 128 * 4 + 64 + SMALL;
// Words of the panel's rows in the tables at a time, and rows of a member below the panel.
constexpr int CHUNK = 64, ROWS = 1024;
// Parent words whose masks are in shared memory at a time.
constexpr int TARGETS = 512;
// Blocks that share the rows of a front where they are copied.
constexpr i64 SLICES = 16;
// Words in flight per thread.
constexpr int AHEAD = 4;

extern __shared__ u32 shared[];

__device__ __forceinline__ u32 below_bit(int bits) { return bits >= 32 ? ALL : (1u << bits) - 1u; }

// One thread of eight for each entry of a row.
extern "C" __global__ void bitfronts_assemble(const Tree t, const Fronts f, const int wave) {
    const i64 first = blockIdx.x * (i64)blockDim.x + threadIdx.x, count = gridDim.x * (i64)blockDim.x;
    for (i64 w = first; w < 8 * t.n; w += count) {
        const i64 i = w >> 3;
        const int row = t.label[i];
        for (i64 q = t.indptr[i] + (w & 7); q < t.indptr[i + 1]; q += 8) {
            const int column = t.label[t.indices[q]], front = t.front_of[min(row, column)];
            if (f.birth && f.birth[front] != wave) continue;
            const int r = row_of(t, f, front, row), c = row_of(t, f, front, column);
            u32 *bits = f.bits + f.bits_at[front];
            atomicOr(bits + r * row_words(t.front_size[front]) + (c >> 5), 1u << (c & 31));
        }
    }
}

// A front as those who eliminate it see it.
struct Member {
    int front, rank, team;  // of the task
    int first, size, pivots, words;
    i64 list;
    u32 *bits;

    // Of the rows from `base` on: how many are this member's, and the j-th of them.
    __device__ __forceinline__ int rows(int base) const {
        return base + rank < size ? (size - base - rank + team - 1) / team : 0;
    }
    __device__ __forceinline__ int row(int base, int j) const { return base + rank + team * j; }
};

__device__ __forceinline__ Member member_of(const Tree &t, const Fronts &f, int front, int rank, int team) {
    const int first = t.first[front], size = t.front_size[front];
    return {front, rank, team, first, size, t.first[front + 1] - first, (int)row_words(size), t.list_start[front],
            f.bits + f.bits_at[front]};
}

__device__ __forceinline__ void add_lower(const Fronts &f, const Member &m, int row, int entries) {
    if (entries) atomicAdd(row < m.pivots ? f.pivot_lower + m.first + row : f.member_lower + m.list + row - m.pivots, entries);
}

__device__ __forceinline__ void set_upper(const Fronts &f, const Member &m, int row, int entries) {
    f.pivot_upper[m.first + row] = entries;
}

// Unions of four rows' words: entry e, of 16 with `stride` words between them, is the union of those in the bits of e.
__device__ __forceinline__ void tabulate(u32 *table, int stride, u32 a, u32 b, u32 c, u32 d) {
#pragma unroll
    for (u32 e = 0; e < 16u; e++)
        table[e * stride] = (e & 1u ? a : 0u) | (e & 2u ? b : 0u) | (e & 4u ? c : 0u) | (e & 8u ? d : 0u);
}

// The union of the rows in c, from the tables of eight times four rows.
__device__ __forceinline__ u32 unite(const u32 *tables, u32 c, int stride) {
    u32 word = tables[(c & 15u) * stride];
#pragma unroll
    for (int g = 1; g < 8; g++) word |= tables[(16 * g + (c >> 4 * g & 15u)) * stride];
    return word;
}

// A warp closes a panel's diagonal: word and closure c of lane's row.
__device__ __forceinline__ void close_diagonal(u32 &word, u32 &c, int lane, int pivots) {
#pragma unroll 4
    for (int k = 0; k < pivots; k++) {
        const u32 row = __shfl_sync(ALL, word, k), rows = __shfl_sync(ALL, c, k);
        const bool takes = lane > k && (word >> k & 1u);
        word |= takes ? row & ~1u << k : 0u;
        c |= takes ? rows : 0u;
    }
}

// A row below: its word of the panel, and the panel's rows that it takes in.
__device__ __forceinline__ void descend(u32 &word, u32 &c, const u32 *diagonal, const u32 *closure, int pivots) {
#pragma unroll 8
    for (int k = 0; k < pivots; k++) {
        const u32 takes = 0u - (word >> k & 1u);
        word |= diagonal[k] & ~1u << k & takes;
        c |= closure[k] & takes;
    }
}

// Spreading the low bits of a word over the bits of a mask (Warren, Hacker's Delight, Section 7-5): what a mask needs
// once, and then five steps a word.
struct Spread {
    u32 mask, moves[5];
};

__device__ __forceinline__ Spread spread_over(u32 mask) {
    Spread spread{mask, {}};
    u32 gaps = ~mask << 1;
#pragma unroll
    for (int i = 0; i < 5; i++) {
        u32 parity = gaps ^ (gaps << 1);
        parity ^= parity << 2;
        parity ^= parity << 4;
        parity ^= parity << 8;
        parity ^= parity << 16;
        const u32 move = parity & mask;
        spread.moves[i] = move;
        mask = (mask ^ move) | (move >> (1 << i));
        gaps &= ~parity;
    }
    return spread;
}

__device__ __forceinline__ u32 spread_word(u32 word, u32 mask, const u32 *moves, int stride) {
#pragma unroll
    for (int i = 4; i >= 0; i--) {
        const u32 move = moves[i * stride];
        word = (word & ~move) | (word << (1 << i) & move);
    }
    return word & mask;
}

// Where the entries of a list from k on go in the parent: to one word of its rows, as many as lie in that word.
__device__ __forceinline__ u32 target_mask(const int *place, int k, int members, int &length) {
    const int word = place[k] >> 5;
    u32 mask = 0u;
    int end = k;
    for (; end < members && place[end] >> 5 == word; end++) mask |= 1u << (place[end] & 31);
    length = end - k;
    return mask;
}

// A thread waits for all of a front's children. It fences once: a load that acquires empties the multiprocessor's cache.
__device__ __forceinline__ void await_children(const Fronts &f, int front) {
    const int awaited = f.awaited[front];
    while (load(f.arrived + front) < awaited) {
    }
    fence();
}

// ---- small fronts: a warp each ----

// Panel by panel, in shared memory: `rows` of STRIDE words.
__device__ __forceinline__ void eliminate_small(u32 *rows, u32 *tables, u32 *diagonal, u32 *closure, int size, int pivots) {
    const int lane = threadIdx.x & 31, words = (int)row_words(size);
    for (int w0 = 0; 32 * w0 < pivots; w0++) {
        const int k0 = 32 * w0, panel = min(32, pivots - k0), right = words - w0 - 1;
        u32 word = lane < panel ? rows[(k0 + lane) * STRIDE + w0] : 0u, c = 1u << lane;
        if (lane < 8 * right) {
            const int group = lane / right, w = lane % right;
            u32 four[4];
#pragma unroll
            for (int b = 0; b < 4; b++) {
                const int row = 4 * group + b;
                four[b] = row < panel ? rows[(k0 + row) * STRIDE + w0 + 1 + w] : 0u;
            }
            tabulate(tables + 16 * group * right + w, right, four[0], four[1], four[2], four[3]);
        }
        close_diagonal(word, c, lane, panel);
        diagonal[lane] = word;
        closure[lane] = c;
        __syncwarp();
        if (lane < panel) {
            u32 *row = rows + (k0 + lane) * STRIDE + w0;
            row[0] = word;
            for (int w = 0; w < right; w++) row[1 + w] = unite(tables + w, c, right);
        }
        for (int i = k0 + panel + lane; i < size; i += 32) {
            u32 *row = rows + i * STRIDE + w0, reached = row[0], union_of = 0u;
            if (!(reached & below_bit(panel))) continue;
            descend(reached, union_of, diagonal, closure, panel);
            row[0] = reached;
            for (int w = 0; w < right; w++) row[1 + w] |= unite(tables + w, union_of, right);
        }
        __syncwarp();
    }
}

__device__ __forceinline__ void count_small(const Fronts &f, const Member &m, const u32 *rows) {
    for (int i = threadIdx.x & 31; i < m.size; i += 32) {
        const int stop = min(i, m.pivots);
        int lower = 0, upper = 0;
        for (int w = 0; w < m.words; w++) {
            const u32 word = rows[i * STRIDE + w], left = stop > 32 * w ? below_bit(stop - 32 * w) : 0u;
            lower += __popc(word & left);
            upper += __popc(word & ~left);
        }
        add_lower(f, m, i, lower);
        if (i < m.pivots) set_upper(f, m, i, upper);
    }
}

// Lanes share the parent's words that the list goes to, and the rows.
__device__ __forceinline__ void contribute_small(
    const Tree &t, const Fronts &f, const Member &m, const u32 *rows, int *heads, int parent) {
    const int members = m.size - m.pivots, lane = threadIdx.x & 31;
    const int *place = f.place + m.list;
    const i64 width = row_words(t.front_size[parent]);
    u32 *bits = f.bits + f.bits_at[parent];
    int targets = 0;
    for (int base = 0; base < members; base += 32) {
        const int k = base + lane;
        const bool head = k < members && (k == 0 || place[k] >> 5 != place[k - 1] >> 5);
        const u32 those = __ballot_sync(ALL, head);
        if (head) heads[targets + __popc(those & below_bit(lane))] = k;
        targets += __popc(those);
    }
    __syncwarp();
    int shift = 0;
    while (1 << shift < targets && shift < 5) shift++;
    for (int e = lane & ((1 << shift) - 1); e < targets; e += 1 << shift) {
        int length;
        const int k = heads[e], column = m.pivots + k, w = column >> 5;
        const u32 mask = target_mask(place, k, members, length);
        const Spread spread = spread_over(mask);
        for (int i = m.pivots + (lane >> shift); i < m.size; i += 32 >> shift) {
            const u32 low = rows[i * STRIDE + w], high = w + 1 < m.words ? rows[i * STRIDE + w + 1] : 0u;
            const u32 word = __funnelshift_r(low, high, column & 31) & below_bit(length);
            if (!word) continue;
            u32 *target = bits + place[i - m.pivots] * width + (place[k] >> 5);
            atomicOr(target, spread_word(word, spread.mask, spread.moves, 1));
        }
    }
}

__device__ __forceinline__ void small_front(const Tree &t, const Fronts &f, int front, u32 *own) {
    u32 *rows = own, *tables = rows + SMALL * STRIDE, *diagonal = tables + 128 * 4, *closure = diagonal + 32;
    int *heads = (int *)(closure + 32);
    const int lane = threadIdx.x & 31, parent = t.up[front];
    const Member m = member_of(t, f, front, 0, 1);
    if (lane == 0) await_children(f, front);
    __syncwarp();
    for (int k = lane; k < m.size * m.words; k += 32) rows[k / m.words * STRIDE + k % m.words] = __ldcg(m.bits + k);
    __syncwarp();
    eliminate_small(rows, tables, diagonal, closure, m.size, m.pivots);
    count_small(f, m, rows);
#if COLUMNS
    for (int k = lane; k < m.size * m.words; k += 32) m.bits[k] = rows[k / m.words * STRIDE + k % m.words];
#endif
    if (parent < 0) return;
    if (m.size > m.pivots) contribute_small(t, f, m, rows, heads, parent);
    __syncwarp();
    if (lane == 0) {
        fence();
        atomicAdd(f.arrived + parent, 1);
    }
}

// ---- large fronts: a team of blocks each ----

// What a block knows of the panel it works on. The first five are shared memory.
struct Panel {
    u32 *diagonal, *closure, *common;
    int *upper;         // entries of U in each row
    u32 *tables, *words, *closures;  // dynamic: (128, CHUNK), (32, CHUNK), (ROWS,)
    int start, count, first_word;

    __device__ __forceinline__ int end() const { return start + count; }
};

// Words `chunk` to chunk + width - 1 right of the panel, of its rows.
__device__ __forceinline__ void load_panel(const Member &m, const Panel &p, int chunk, int width, int helpers) {
    const int from = blockDim.x - helpers;  // Threads before that have the diagonal.
    for (int k = (int)threadIdx.x - from; k >= 0 && k < 32 * width; k += helpers) {
        const int row = k / width, w = k % width;
        const u32 *word = m.bits + (i64)(p.start + row) * m.words + p.first_word + 1 + chunk + w;
        p.words[k] = row < p.count ? __ldcg(word) : 0u;
    }
}

__device__ __forceinline__ void close_panel(const Fronts &f, const Member &m, const Panel &p) {
    const int lane = threadIdx.x;
    u32 *place = m.bits + (i64)(p.start + lane) * m.words + p.first_word;
    u32 word = lane < p.count ? __ldcg(place) : 0u, c = 1u << lane;
    close_diagonal(word, c, lane, p.count);
    p.diagonal[lane] = word;
    p.closure[lane] = c;
    p.upper[lane] = __popc(word & ALL << lane);
    if (m.rank != 0 || lane >= p.count) return;
    add_lower(f, m, p.start + lane, __popc(word & below_bit(lane)));
#if COLUMNS
    __stcg(place, word);
#endif
}

__device__ __forceinline__ void tabulate_panel(const Panel &p, int width) {
    for (int k = threadIdx.x; k < 8 * width; k += blockDim.x) {
        const int group = k / width, w = k % width;
        const u32 *four = p.words + 4 * group * width + w;
        tabulate(p.tables + 16 * group * width + w, width, four[0], four[width], four[2 * width], four[3 * width]);
    }
}

// The panel's word of the member's rows `from` to from + count - 1 below the panel.
__device__ __forceinline__ void descend_rows(
    const Fronts &f, const Member &m, const Panel &p, int from, int count) {
    u32 common = ALL;
    for (int j = threadIdx.x; j < count; j += blockDim.x) {
        const int i = m.row(p.end(), from + j);
        u32 *place = m.bits + (i64)i * m.words + p.first_word;
        const u32 before = __ldcg(place);
        u32 word = before, c = 0u;
        descend(word, c, p.diagonal, p.closure, p.count);
        common &= word;
        p.closures[j] = c;
        if (word != before) __stcg(place, word);
        add_lower(f, m, i, __popc(word & below_bit(p.count)));
    }
    if (common != ALL) atomicAnd(p.common, common);
}

// All words of a chunk, of the member's rows and, with `panel`, of the panel's own.
__device__ __forceinline__ void unite_rows(
    const Member &m, const Panel &p, int from, int count, int chunk, int width, bool panel) {
    const int pairs = (count + (panel ? p.count : 0)) * width;
    for (int base = threadIdx.x; base < pairs; base += AHEAD * (int)blockDim.x) {
        u32 *place[AHEAD], before[AHEAD], c[AHEAD];
        int row[AHEAD];  // Of the panel, or -1.
#pragma unroll
        for (int b = 0; b < AHEAD; b++) {
            const int pair = base + b * (int)blockDim.x, j = pair / width, w = pair % width;
            c[b] = before[b] = 0u;
            row[b] = -1;
            if (pair >= pairs) continue;
            if (j >= count) row[b] = j - count;
            c[b] = row[b] < 0 ? p.closures[j] : p.closure[row[b]];
            const int i = row[b] < 0 ? m.row(p.end(), from + j) : p.start + row[b];
            place[b] = m.bits + (i64)i * m.words + p.first_word + 1 + chunk + w;
            if (c[b] && row[b] < 0) before[b] = __ldcg(place[b]);
        }
#pragma unroll
        for (int b = 0; b < AHEAD; b++) {
            if (!c[b] || before[b] == ALL) continue;
            const u32 word = unite(p.tables + (base + b * (int)blockDim.x) % width, c[b], width);
            if (row[b] >= 0) {
                atomicAdd(p.upper + row[b], __popc(word));
#if COLUMNS
                if (row[b] % m.team == m.rank) __stcg(place[b], word);
#endif
            } else if (word & ~before[b]) {
                __stcg(place[b], before[b] | word);
            }
        }
    }
}

// One panel, by one member. Its rows below are done ROWS at a time.
__device__ __forceinline__ void eliminate_panel(const Fronts &f, const Member &m, const Panel &p) {
    const int right = m.words - p.first_word - 1, rows = m.rows(p.end());
    for (int from = 0; from == 0 || from < rows; from += ROWS) {
        const int count = min(ROWS, rows - from);
        for (int chunk = 0; chunk == 0 || chunk < right; chunk += CHUNK) {
            const int width = min(CHUNK, right - chunk);
            const bool diagonal = from == 0 && chunk == 0;
            load_panel(m, p, chunk, width, diagonal ? blockDim.x - 32 : blockDim.x);
            if (diagonal && threadIdx.x < 32u) close_panel(f, m, p);
            __syncthreads();
            tabulate_panel(p, width);
            if (chunk == 0) descend_rows(f, m, p, from, count);
            __syncthreads();
            unite_rows(m, p, from, count, chunk, width, from == 0);
            __syncthreads();
        }
    }
}

// All members have done a panel. Returns the columns of it that all rows below have; to all threads of the block.
__device__ __forceinline__ u32 meet(const Fronts &f, const Member &m, const Panel &p, u32 *lacking, int passed) {
    if (m.team > 1 && threadIdx.x == 0u) {
        atomicOr(lacking, ~*p.common);
        fence();
        atomicAdd(f.passed + m.front, 1);
        while (load(f.passed + m.front) < m.team * passed) {
        }
        fence();
        *p.common = ~__ldcg(lacking);
    }
    __syncthreads();
    return *p.common;
}

// Whether some pivot in `common` has a full row: all rows below are full then.
__device__ __forceinline__ bool rest_is_full(const Member &m, const Panel &p, u32 common) {
    for (int k = 0; k < p.count; k++)
        if (common >> k & 1u && p.upper[k] == m.size - p.start - k) return true;
    return false;
}

__device__ __forceinline__ void count_full(const Fronts &f, const Member &m, int full) {
    for (int j = threadIdx.x; j < m.rows(full); j += blockDim.x) {
        const int i = m.row(full, j);
        add_lower(f, m, i, min(i, m.pivots) - full);
        if (i < m.pivots) set_upper(f, m, i, m.size - i);
    }
}

// The member's rows below the pivots, of those from `base` on, into the parent.
__device__ __forceinline__ void contribute(const Tree &t, const Fronts &f, const Member &m, int base, int parent) {
    __shared__ int targets;
    const int members = m.size - m.pivots;
    const int *place = f.place + m.list;
    const i64 width = row_words(t.front_size[parent]);
    u32 *bits = f.bits + f.bits_at[parent], *mask = shared, *moves = mask + TARGETS;
    int *head = (int *)(moves + 5 * TARGETS), *length = head + TARGETS;
    const int skip = max(0, m.pivots - base - m.rank + m.team - 1) / m.team, rows = m.rows(base) - skip;
    for (int window = place[0] >> 5; window <= place[members - 1] >> 5; window += TARGETS) {
        __syncthreads();
        if (threadIdx.x == 0u) targets = 0;
        __syncthreads();
        for (int k = threadIdx.x; k < members; k += blockDim.x) {
            const int word = place[k] >> 5;
            if (word < window || word >= window + TARGETS || (k > 0 && place[k - 1] >> 5 == word)) continue;
            const int e = atomicAdd(&targets, 1);
            const Spread spread = spread_over(target_mask(place, k, members, length[e]));
            head[e] = k;
            mask[e] = spread.mask;
#pragma unroll
            for (int i = 0; i < 5; i++) moves[i * TARGETS + e] = spread.moves[i];
        }
        __syncthreads();
        const int pairs = max(rows, 0) * targets;
        for (int first = threadIdx.x; first < pairs; first += AHEAD * (int)blockDim.x) {
            u32 low[AHEAD], high[AHEAD];
#pragma unroll
            for (int b = 0; b < AHEAD; b++) {
                const int pair = first + b * (int)blockDim.x;
                low[b] = high[b] = 0u;
                if (pair >= pairs) continue;
                const int i = m.row(base, skip + pair / targets);
                const int w = (m.pivots + head[pair % targets]) >> 5;
                const u32 *word = m.bits + (i64)i * m.words + w;
                low[b] = __ldcg(word);
                if (w + 1 < m.words) high[b] = __ldcg(word + 1);
            }
#pragma unroll
            for (int b = 0; b < AHEAD; b++) {
                const int pair = first + b * (int)blockDim.x;
                if (pair >= pairs) continue;
                const int e = pair % targets, i = m.row(base, skip + pair / targets);
                const u32 word = __funnelshift_r(low[b], high[b], (m.pivots + head[e]) & 31) & below_bit(length[e]);
                if (!word) continue;
                u32 *target = bits + place[i - m.pivots] * width + (place[head[e]] >> 5);
                atomicOr(target, spread_word(word, mask[e], moves + e, TARGETS));
            }
        }
    }
}

__device__ __forceinline__ void large_front(const Tree &t, const Fronts &f, int front, int rank, int team) {
    __shared__ u32 diagonal[32], closure[32], common;
    __shared__ int upper[32];
    const Member m = member_of(t, f, front, rank, team);
    const int parent = t.up[front], panels = (m.pivots + 31) >> 5;
    u32 *lacking = f.lacking + t.panel_start[front];
    u32 *tables = shared, *words = tables + 128 * CHUNK, *closures = words + 32 * CHUNK;
    if (threadIdx.x == 0u) await_children(f, front);
    __syncthreads();
    int base = 0;
    bool full = false;
    for (int k = 0; k < panels && !full; k++) {
        const Panel p{diagonal, closure, &common, upper, tables, words, closures, 32 * k, min(32, m.pivots - 32 * k), k};
        if (threadIdx.x == 0u) common = ALL;
        __syncthreads();
        eliminate_panel(f, m, p);
        base = p.end();
        if (rank == 0 && (int)threadIdx.x < p.count) set_upper(f, m, p.start + threadIdx.x, upper[threadIdx.x]);
        if (k + 1 == panels) break;
        full = rest_is_full(m, p, meet(f, m, p, lacking + k, k + 1));
        __syncthreads();
    }
    if (full) count_full(f, m, base);
    if (parent < 0) return;
    if (m.size > m.pivots) contribute(t, f, m, base, parent);
    __syncthreads();
    if (threadIdx.x == 0u) {
        fence();
        atomicAdd(f.arrived + parent, 1);
    }
}

// Tasks `next` to limit - 1, or all that are left: (1, front, rank, team), or (0, first, count, 0), small fronts, a warp each.
extern "C" __global__ void __launch_bounds__(BLOCK, 2) bitfronts_eliminate(
    const Tree t, const Fronts f, const u32 limit) {
    __shared__ u32 number;
    const u32 last = min(limit, (u32)f.task_start[f.count]);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0u) number = atomicAdd(f.next, 1u);
        __syncthreads();
        if (number >= last) return;
        const int4 task = f.tasks[number];
        if (task.x != 0) {
            large_front(t, f, task.y, task.z, task.w);
            continue;
        }
        const int warp = (int)threadIdx.x >> 5, warps = (int)blockDim.x >> 5;
        for (int k = warp; k < task.z; k += warps)
            small_front(t, f, f.small_fronts[task.y + k], shared + warp * WARP_WORDS);
    }
}

// What rows are read from, of the fronts from height `low` up to, and without, `high`. SLICES blocks share a front.
// kept : as f, with the place of what is kept
extern "C" __global__ void bitfronts_keep(
    const Tree t, const Fronts f, const Fronts kept, const int low, const int high) {
    const int warps = (int)blockDim.x >> 5, lane = threadIdx.x & 31;
    for (i64 k = blockIdx.x; k < SLICES * f.count; k += gridDim.x) {
        const int front = (int)(k / SLICES), size = t.front_size[front], pivots = t.first[front + 1] - t.first[front];
        if (f.height[front] < low || f.height[front] >= high) continue;
        for (int row = (int)(k % SLICES) * warps + ((int)threadIdx.x >> 5); row < size; row += SLICES * warps) {
            const u32 *from = f.bits + row_start(t, f, front, row);
            u32 *to = kept.bits + row_start(t, kept, front, row);
            for (int w = lane; w < row_words(row < pivots ? size : pivots); w += 32) to[w] = from[w];
        }
    }
}

// Row counts in the order of the matrix, and their sum in totals[ENTRIES], which is 0 before.
extern "C" __global__ void bitfronts_counts(const Tree t, const Fronts f) {
    const Threads threads{blockIdx.x * (i64)blockDim.x + threadIdx.x, gridDim.x * (i64)blockDim.x};
    i64 entries = 0, total;
    EACH(label, t.n) {
        const int v = t.old[label], lower = f.pivot_lower[label], upper = f.pivot_upper[label];
        t.upper[v] = upper;
        if (lower) atomicAdd((u64 *)t.lower + v, (u64)lower);
        entries += lower + upper;
    }
    EACH(k, t.totals[LISTS]) {
        const int lower = f.member_lower[k];
        if (lower) atomicAdd((u64 *)t.lower + t.old[f.list[k]], (u64)lower);
        entries += lower;
    }
    block_scan(entries, total);
    if (threadIdx.x == 0u) atomicAdd((u64 *)t.totals + ENTRIES, (u64)total);
}
