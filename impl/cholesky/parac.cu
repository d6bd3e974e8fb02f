// ParAC's factor of a graph Laplacian (Section 5.3, Algorithm 4): one persistent kernel that eliminates every vertex
// as soon as it has no smaller neighbour left. What one elimination computes, and in which order it adds, is specified
// in elimination.py: the factor is the same, bit for bit, whichever blocks compute it.
//
// Who does what. A team eliminates a vertex: a warp, if the vertex has at most SMALL multi-edges, else a block, one of
// the first `teams`, which take nothing else. Ready vertices are in two queues, one per kind of team; a team takes a
// ticket and waits until that place is filled. A team continues at once with one of the vertices that it made ready
// itself: so the longest path through the graph of dependencies mostly needs no queue.
//
// Where pending edges are. The paper keeps them in one hash table, in which a vertex searches until it has found as
// many as it was given. Here each vertex has its own list: the first INLINE edges beside its counters, then chunks of
// a pool, each three times as large as everything before it. A slot is the value of a counter before an atomic
// addition: so there is no search, no collision, no table that fills up, and the edges of a vertex lie side by side.
// A chunk is made by the team that reserved its first slot. Chunks are not reused: all lists together stay below a few
// times the factor. The column of the factor, which is never longer than the list, replaces the list, and is copied to
// its final place when all lengths are known.
//
// When a vertex is ready. Its state counts the multi-edges to smaller vertices. Eliminating k replaces the ones to k by
// the sampled edges that have the vertex as their larger end; the difference is the vertex's balance. Balances that
// are not negative are added first, while slots are reserved. Then the edges are written. Then, after a fence, the
// negative balances are added, and each may make its vertex ready. No neighbour of k can be ready before that: the
// first one to be ready would have to have lost its edges to k to another neighbour that was eliminated earlier.
//
// There is no deadlock: all blocks are resident, chunks are made without waiting, and a team that waits for a chunk has
// made its own. A team that finds the pool exhausted leaves before the negative balances, so no vertex with a broken
// list becomes ready. A team that waits watches the number of eliminated vertices: the kernel ends when it is n, and
// with an error when it does not change for too long.
//
// The input may not be a Laplacian. Rows that cannot become lists are found before anything is eliminated. If W is not
// symmetric, a vertex either waits for ever, or becomes ready too early and then loses more edges than it counts, which
// is an error at once. Otherwise the kernel ends: the counts together decrease with every vertex that has edges. A
// vertex that is ready too early may find its list half written, so whatever is read from a list is checked.
// edges. A vertex that leaves too early may find its list half written, so that what is read of a list is looked at.

#include "visibility.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 ALL = 0xFFFFFFFFu, NONE = 0xFFFFFFFFu;
constexpr u32 WARPS = 8, THREADS = 32 * WARPS;
// Edges of a list beside its counters, a power of two; the most chunks of a list: 8 * 4^14 = 2^31 edges.
constexpr u32 INLINE = 8, CHUNKS = 14;
// The most multi-edges that a warp takes, and that a block takes in shared memory. More than those go through the pool,
// up to MOST, which can be counted twice.
constexpr u32 SMALL = 64, LARGE = SMALL * WARPS, MOST = 0x7FFFFFFFu;
// Words of 8 bytes per unit of the pool, in which chunks are numbered; chunk numbers for: not made yet, never made.
constexpr u32 UNIT = 4, UNMADE = 0, NEVER = 0xFFFFFFFFu;
// Entries that a warp copies if rows or columns are of any length.
constexpr u32 TILE = 256;
// After REPORT vertices a team adds its number of eliminated vertices; a waiting team checks the total after GLANCE
// attempts.
constexpr u32 REPORT = 32, GLANCE = 16;
// Attempts to read a chunk that is not made yet, and attempts between two checks of the status. Its maker is working on
// it, so the limit, some seconds, is reached only if a list is broken.
constexpr u32 LOOKS = 1u << 24, GLANCE_OF_LOOKS = 1024;

// What all blocks share, each in its own cache line: places in `control`, in lines of 128 bytes.
enum { STATUS, ELIMINATED, ENTRIES, POOL, BY_BLOCKS, TICKETS, QUEUED = TICKETS + 2 };
enum { FINE, POOL_EXHAUSTED, NO_PROGRESS, MALFORMED };
constexpr u32 LINE = 16;

// state : multi-edges in the list << 32 | multi-edges to smaller vertices; once eliminated, entries of the column
// << 32. chunks : where they begin in the pool. ids, weights : of the first edges: the larger end, the weight.
struct __align__(32) Vertex {
    u64 state;
    u32 chunks[CHUNKS];
    u32 ids[INLINE];
    double weights[INLINE];
};

struct Graph {
    Vertex *vertices;  // (n,)
    u64 *pool;         // (units, UNIT), of which the first unit stays empty
    u32 *queues;       // (2, n), NONE where not filled: small vertices, large ones
    u64 *control;
    u32 n, units;
};

// An entry of a team's scratch. weight : the bits of a non-negative float64, which are ordered as the numbers are.
struct __align__(16) Entry {
    u64 weight;
    u32 id, extra;
};

// A team's scratch: each array has one element per multi-edge of the vertex. c : (m,), by weight. balance, added : by
// neighbour, see `eliminate`.
struct Space {
    Entry *x, *y;
    double *c;
    int *balance;
    u32 *added;
};

struct Shared {
    Entry x[LARGE], y[LARGE];
    double c[LARGE];
    int balance[LARGE];
    u32 added[LARGE];
    u32 counts[WARPS];
    u32 chunk, room;  // the block's scratch in the pool
    bool broken;
};

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31u; }

__device__ __forceinline__ u32 below() { return (1u << lane()) - 1u; }

// Teams. Every thread of a team calls these functions.

template <bool BLOCK>
constexpr u32 SIZE = BLOCK ? THREADS : 32u;

template <bool BLOCK>
__device__ __forceinline__ u32 rank() {
    return BLOCK ? threadIdx.x : lane();
}

template <bool BLOCK>
__device__ __forceinline__ void sync() {
    if (BLOCK)
        __syncthreads();
    else
        __syncwarp();
}

// Also a barrier.
template <bool BLOCK>
__device__ __forceinline__ bool any(bool one) {
    if (BLOCK) return __syncthreads_or(one) != 0;
    // A warp vote does not order memory.
    __syncwarp();
    return __any_sync(ALL, one) != 0;
}

// Broadcast the first thread's value. room : a shared word that nobody uses before the next barrier.
template <bool BLOCK>
__device__ __forceinline__ u32 agreed(u32 said, u32 *room) {
    if (!BLOCK) return __shfl_sync(ALL, said, 0);
    if (threadIdx.x == 0) *room = said;
    __syncthreads();
    return *room;
}

// Number of threads before this one with `one`. total : all threads with it. counts : (WARPS,), shared.
template <bool BLOCK>
__device__ __forceinline__ u32 count_before(bool one, u32 *counts, u32 &total) {
    const u32 mask = __ballot_sync(ALL, one);
    u32 before = __popc(mask & below());
    total = __popc(mask);
    if (!BLOCK) return before;
    const u32 warp = threadIdx.x / 32u;
    if (lane() == 0) counts[warp] = total;
    __syncthreads();
    total = 0;
    for (u32 w = 0; w < WARPS; ++w) {
        if (w == warp) before += total;
        total += counts[w];
    }
    __syncthreads();
    return before;
}

// Lists.

__device__ __forceinline__ u32 level_of(u32 slot) {
    return slot < INLINE ? 0u : (31u - __clz(slot / INLINE)) / 2u + 1u;
}

// The first slot of a level >= 1; the level has three times as many slots.
__device__ __forceinline__ u32 start_of(u32 level) { return INLINE << 2u * (level - 1u); }

// Set the status to the reason of failure, and move tickets beyond the last place, so that takers check the status.
__device__ __forceinline__ void fail(const Graph &g, u64 why) {
    atomicCAS(g.control + STATUS * LINE, (u64)FINE, why);
    atomicAdd(g.control + TICKETS * LINE, (u64)g.n);
    atomicAdd(g.control + (TICKETS + 1) * LINE, (u64)g.n);
}

// Returns UNMADE if the pool has no room; the run then fails.
__device__ __forceinline__ u32 take_units(const Graph &g, u64 units) {
    const u64 at = atomicAdd(g.control + POOL * LINE, units) + 1;
    if (at + units <= g.units) return (u32)at;
    fail(g, POOL_EXHAUSTED);
    return UNMADE;
}

// Make the chunks that begin within `count` slots from `first`.
__device__ __forceinline__ void make_chunks(const Graph &g, Vertex *v, u32 first, u32 count) {
    for (u32 level = level_of(first + count - 1u); level > 0u && start_of(level) >= first; --level) {
        if (level > CHUNKS) {
            fail(g, MALFORMED);
            continue;
        }
        const u64 words = 9u * (u64)start_of(level) / 2u;  // 12 bytes per edge, three times as many as before it
        const u32 chunk = take_units(g, (words + UNIT - 1u) / UNIT);
        store(v->chunks + level - 1u, chunk == UNMADE ? NEVER : chunk);
    }
}

struct Place {
    u32 *id;
    double *weight;
};

// chunk : the chunk of the slot's level, unless that is 0.
__device__ __forceinline__ Place place_of(const Graph &g, Vertex *v, u32 slot, u32 chunk) {
    if (slot < INLINE) return Place{v->ids + slot, v->weights + slot};
    const u32 start = start_of(level_of(slot));
    u64 *words = g.pool + (u64)chunk * UNIT;
    return Place{(u32 *)words + (slot - start), (double *)(words + 3u * start / 2u) + (slot - start)};
}

__device__ __forceinline__ Place place_of(const Graph &g, Vertex *v, u32 slot) {
    const u32 level = level_of(slot);
    return place_of(g, v, slot, level ? load(v->chunks + level - 1u) : UNMADE);
}

// The chunk of a level >= 1, or NEVER if the run failed before it was made.
__device__ __forceinline__ u32 chunk_of(const Graph &g, const Vertex *v, u32 level) {
    if (level > CHUNKS) {
        fail(g, MALFORMED);
        return NEVER;
    }
    for (u32 looks = 1;; ++looks) {
        const u32 chunk = load(v->chunks + level - 1u);
        if (chunk != UNMADE) return chunk;
        if (looks == LOOKS) fail(g, MALFORMED);
        if (looks % GLANCE_OF_LOOKS == 0u && load(g.control + STATUS * LINE) != FINE) return NEVER;
        __nanosleep(20);
    }
}

// Write an edge to a reserved slot. Returns false if its chunk is never made.
__device__ __forceinline__ bool append(const Graph &g, Vertex *v, u32 slot, u32 id, double weight) {
    const u32 level = level_of(slot), chunk = level ? chunk_of(g, v, level) : UNMADE;
    if (chunk == NEVER) return false;
    const Place place = place_of(g, v, slot, chunk);
    store(place.id, id);
    store(place.weight, weight);
    return true;
}

// Queues. large : for blocks.

// A warp appends its lanes' vertices.
__device__ __forceinline__ void push(const Graph &g, bool ready, bool large, u32 vertex) {
    for (u32 kind = 0; kind < 2; ++kind) {
        const u32 mask = __ballot_sync(ALL, ready && large == (kind == 1u));
        if (mask == 0u) continue;
        u64 at = 0;
        if (lane() == 0) at = atomicAdd(g.control + (QUEUED + kind) * LINE, (u64)__popc(mask));
        at = __shfl_sync(ALL, at, 0) + __popc(mask & below());
        // A vertex that became ready twice (W is not symmetric) is dropped: the kernel ends itself.
        if ((mask >> lane() & 1u) && at < g.n) store(g.queues + (u64)kind * g.n + at, vertex);
    }
}

// What a team has done since its last report.
struct Report {
    u32 vertices;
    u64 entries;
};

__device__ __forceinline__ void send(const Graph &g, Report &report, bool block) {
    if (report.vertices == 0u) return;
    atomicAdd(g.control + ENTRIES * LINE, report.entries);
    if (block) atomicAdd(g.control + BY_BLOCKS * LINE, (u64)report.vertices);
    atomicAdd(g.control + ELIMINATED * LINE, (u64)report.vertices);
    report = Report{0, 0};
}

// One thread of a team waits for a vertex. Returns NONE when there is nothing more to do.
__device__ __forceinline__ u32 wait(const Graph &g, Report &report, bool block, u64 patience) {
    const u64 ticket = atomicAdd(g.control + (TICKETS + block) * LINE, 1ull);
    const u32 *place = g.queues + (u64)block * g.n + ticket;
    u64 seen = ~0ull;
    i64 since = 0;
    for (u32 looks = 0;; ++looks) {
        if (ticket < g.n) {
            const u32 vertex = acquire(place);
            if (vertex != NONE) return vertex;
        }
        // Others may be waiting for this team's report.
        send(g, report, block);
        if (looks % GLANCE == 0u) {
            const u64 eliminated = load(g.control + ELIMINATED * LINE);
            if (eliminated == g.n || load(g.control + STATUS * LINE) != FINE) return NONE;
            if (eliminated != seen) {
                seen = eliminated;
                since = clock64();
            } else if ((u64)(clock64() - since) > patience) {
                atomicCAS(g.control + STATUS * LINE, (u64)FINE, (u64)NO_PROGRESS);
                return NONE;
            }
        }
        __nanosleep(40);
    }
}

// Sorting.

// Branch-free: all of an entry is loaded at once.
struct ById {
    static __device__ __forceinline__ bool before(const Entry &a, const Entry &b) {
        return (a.id < b.id) |
               ((a.id == b.id) & ((a.weight < b.weight) | ((a.weight == b.weight) & (a.extra < b.extra))));
    }
};

struct Heaviest {
    static __device__ __forceinline__ bool before(const Entry &a, const Entry &b) {
        return (a.weight > b.weight) | ((a.weight == b.weight) & (a.id > b.id));
    }
};

// Sort `from`, whose entries are all different, using `to`; afterwards `from` points to them. A warp sorts 32 at a
// time, each lane counting the entries before its own; then runs are merged in pairs, each entry by its own search.
template <bool BLOCK, class Order>
__device__ __forceinline__ void sort(Entry *&from, Entry *&to, u32 count) {
    for (u32 first = BLOCK ? threadIdx.x & ~31u : 0u; first < count; first += SIZE<BLOCK>) {
        const u32 last = min(first + 32u, count);
        const u32 e = min(first + lane(), last - 1u);
        const Entry own = from[e];
        u32 at = first;
        for (u32 other = first; other < last; ++other) at += Order::before(from[other], own);
        if (first + lane() == e) to[at] = own;
    }
    sync<BLOCK>();
    Entry *swap = from;
    from = to;
    to = swap;
    for (u32 run = 32; run < count; run *= 2u) {
        for (u32 e = rank<BLOCK>(); e < count; e += SIZE<BLOCK>) {
            const Entry own = from[e];
            const u32 pair = e & ~(2u * run - 1u);
            const u32 other = e & run ? pair : min(pair + run, count);
            u32 low = other, high = min(other + run, count);
            while (low < high) {
                const u32 middle = (low + high) / 2u;
                if (Order::before(from[middle], own))
                    low = middle + 1u;
                else
                    high = middle;
            }
            to[pair + (e & (run - 1u)) + (low - other)] = own;
        }
        sync<BLOCK>();
        swap = from;
        from = to;
        to = swap;
    }
}

// Elimination.

__device__ __forceinline__ double number(u64 bits) { return __longlong_as_double((i64)bits); }

__device__ __forceinline__ u64 bits(double number) { return (u64)__double_as_longlong(number); }

__device__ __forceinline__ u64 mix(u64 z) {
    z ^= z >> 30;
    z *= 0xBF58476D1CE4E5B9ull;
    z ^= z >> 27;
    z *= 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// What a thread reads of a vertex at once: its state, and where its first slot is, or its content.
struct First {
    u64 state;
    double weight;
    u32 id, chunk;
};

template <bool BLOCK>
__device__ __forceinline__ First first_of(Vertex *v) {
    const u32 slot = rank<BLOCK>(), level = level_of(slot);
    First first{load(&v->state), 0.0, NONE, UNMADE};
    if (level) {
        first.chunk = load(v->chunks + level - 1u);
    } else {
        first.id = load(v->ids + slot);
        first.weight = load(v->weights + slot);
    }
    return first;
}

// The multi-edges of v, written to s.x, unordered. Returns whether they could be read.
template <bool BLOCK>
__device__ __forceinline__ bool gather(const Graph &g, Vertex *v, const First &first, const Space &s, u32 count) {
    bool broken = false;
    for (u32 e = rank<BLOCK>(); e < count; e += SIZE<BLOCK>) {
        if (e < INLINE) {
            s.x[e] = Entry{bits(first.weight), first.id, e};
            broken |= first.id >= g.n;
            continue;
        }
        const u32 chunk = e < SIZE<BLOCK> ? first.chunk : load(v->chunks + level_of(e) - 1u);
        if (chunk == UNMADE || chunk == NEVER) {
            broken = true;
            break;
        }
        const Place place = place_of(g, v, e, chunk);
        const u32 id = load(place.id);
        s.x[e] = Entry{bits(load(place.weight)), id, e};
        broken |= id >= g.n;
    }
    if (broken) fail(g, MALFORMED);
    return !any<BLOCK>(broken);
}

// Merge equal neighbours of sorted entries, adding from the left, into `to`: extra : the position by id, where
// s.balance is -(multi-edges merged). Returns the number of neighbours.
template <bool BLOCK>
__device__ __forceinline__ u32 merge(const Space &s, const Entry *from, Entry *to, u32 count, u32 *counts) {
    u32 m = 0;
    for (u32 first = 0; first < count; first += SIZE<BLOCK>) {
        const u32 e = first + rank<BLOCK>();
        const u32 id = e < count ? from[e].id : NONE;
        const bool head = e < count && (e == 0u || from[e - 1u].id != id);
        u32 heads;
        const u32 at = m + count_before<BLOCK>(head, counts, heads);
        m += heads;
        if (!head) continue;
        double weight = number(from[e].weight);
        u32 end = e + 1u;
        for (; end < count && from[end].id == id; ++end) weight = __dadd_rn(weight, number(from[end].weight));
        to[at] = Entry{bits(weight), id, at};
        s.balance[at] = (int)(e - end);
    }
    sync<BLOCK>();
    return m;
}

// s.c : inclusive scan of the weights in canonical order. carries : room for one per 32 entries. Clears s.added.
template <bool BLOCK>
__device__ __forceinline__ void scan(const Space &s, const Entry *by_weight, Entry *carries, u32 m) {
    for (u32 first = BLOCK ? threadIdx.x & ~31u : 0u; first < m; first += SIZE<BLOCK>) {
        const u32 p = first + lane(), length = min(m - first, 32u);
        double x = p < m ? number(by_weight[p].weight) : 0.0;
        for (u32 d = 1; d < length; d *= 2u) {
            const double left = __shfl_up_sync(ALL, x, d);
            if (lane() >= d) x = __dadd_rn(left, x);
        }
        if (p >= m) continue;
        s.c[p] = x;
        s.added[p] = 0;
    }
    sync<BLOCK>();
    if (m <= 32u) return;
    // For each chunk but the first, the sum of what comes before it, by one warp.
    const u32 chunks = (m + 31u) / 32u;
    if (rank<BLOCK>() < 32u) {
        double carry = s.c[31];
        for (u32 first = 1; first < chunks; first += 32u) {
            const u32 chunk = first + lane();
            const u32 last = min(32u * chunk + 31u, m - 1u);
            const double total = chunk < chunks ? s.c[last] : 0.0;
            double own = 0.0;
            for (u32 i = 0; i < min(chunks - first, 32u); ++i) {
                if (lane() == i) own = carry;
                carry = __dadd_rn(carry, __shfl_sync(ALL, total, i));
            }
            if (chunk < chunks) carries[chunk].weight = bits(own);
        }
    }
    sync<BLOCK>();
    for (u32 p = 32u + rank<BLOCK>(); p < m; p += SIZE<BLOCK>)
        s.c[p] = __dadd_rn(number(carries[p / 32u].weight), s.c[p]);
    sync<BLOCK>();
}

// Sample an edge for each neighbour but the heaviest: edges[q] is its weight, its larger end, and the position of its
// smaller end in `by_weight`. s.added counts the edges per smaller end, s.balance, by id, the larger ends.
template <bool BLOCK>
__device__ __forceinline__ void sample(const Space &s, const Entry *by_weight, Entry *edges, u32 m, u64 stream) {
    const double l = s.c[m - 1u];
    for (u32 q = 1u + rank<BLOCK>(); q < m; q += SIZE<BLOCK>) {
        const double sum = s.c[q - 1u];
        const u64 random = mix(stream + 0xD1B54A32D192ED03ull * q);
        const double target = __dmul_rn(__dmul_rn((double)(random >> 11), 0x1p-53), sum);
        u32 low = 0, high = q - 1u;
        while (low < high) {
            const u32 middle = (low + high) / 2u;
            if (s.c[middle] > target)
                high = middle;
            else
                low = middle + 1u;
        }
        const Entry one = by_weight[q], other = by_weight[low];
        const bool smaller = one.id < other.id;
        const u32 at = smaller ? q : low;
        const double weight = __dmul_rn(__ddiv_rn(sum, l), number(one.weight));
        edges[q] = Entry{bits(weight), smaller ? other.id : one.id, at};
        atomicAdd(s.added + at, 1u);
        atomicAdd(s.balance + (smaller ? other.extra : one.extra), 1);
    }
    sync<BLOCK>();
}

// Reserve slots for sampled edges, s.added becoming the first of them, and add the positive balances.
template <bool BLOCK>
__device__ __forceinline__ void reserve(const Graph &g, const Space &s, const Entry *by_weight, u32 m) {
    for (u32 p = rank<BLOCK>(); p < m; p += SIZE<BLOCK>) {
        const u32 added = s.added[p];
        const int balance = max(s.balance[by_weight[p].extra], 0);
        if (added == 0u && balance == 0) continue;
        Vertex *v = g.vertices + by_weight[p].id;
        const u32 first = (u32)(atomicAdd(&v->state, ((u64)added << 32) + (u64)balance) >> 32);
        s.added[p] = first;
        if (added) make_chunks(g, v, first, added);
    }
    sync<BLOCK>();
}

// Write the sampled edges. Returns whether all threads succeeded.
template <bool BLOCK>
__device__ __forceinline__ bool write(
    const Graph &g, const Space &s, const Entry *by_weight, const Entry *edges, u32 m) {
    bool failed = false;
    for (u32 q = 1u + rank<BLOCK>(); q < m; q += SIZE<BLOCK>) {
        const Entry edge = edges[q];
        const u32 slot = atomicAdd(s.added + edge.extra, 1u);
        Vertex *v = g.vertices + by_weight[edge.extra].id;
        failed |= !append(g, v, slot, edge.id, number(edge.weight));
    }
    return !any<BLOCK>(failed);
}

// Add the negative balances, and queue the vertices that are ready then, except one that this kind of team may continue
// with. next : that vertex, in shared memory for a block; NONE before.
template <bool BLOCK>
__device__ __forceinline__ void release(const Graph &g, const Space &s, const Entry *by_weight, u32 m, u32 *next) {
    for (u32 first = 0; first < m; first += SIZE<BLOCK>) {
        const u32 p = first + rank<BLOCK>();
        const int balance = p < m ? s.balance[by_weight[p].extra] : 0;
        const u32 id = p < m ? by_weight[p].id : NONE;
        bool ready = false, large = false;
        if (balance < 0) {
            const u64 before = add_acquire(&g.vertices[id].state, (u64)(i64)balance);
            if ((u32)before < (u32)-balance) fail(g, MALFORMED);
            ready = (u32)before == (u32)-balance;
            large = (u32)(before >> 32) > SMALL;
        }
        const u32 mask = __ballot_sync(ALL, ready && large == BLOCK);
        if (mask) {
            const u32 chosen = __ffs(mask) - 1u;
            if (lane() == chosen) ready = atomicCAS(next, NONE, id) != NONE;
        }
        if (__any_sync(ALL, ready)) {
            fence();
            push(g, ready, large, id);
        }
    }
}

// Eliminate vertex k, which has `count` multi-edges. Returns the entries of its column, or NONE if the run has failed.
template <bool BLOCK>
__device__ __forceinline__ u32 eliminate(
    const Graph &g, Space s, u32 k, u32 count, const First &first, u64 seed, double *diagonal, u32 *counts,
    u32 *next) {
    Vertex *v = g.vertices + k;
    if (!gather<BLOCK>(g, v, first, s, count)) return NONE;
    sort<BLOCK, ById>(s.x, s.y, count);
    const u32 m = merge<BLOCK>(s, s.x, s.y, count, counts);
    Entry *by_weight = s.y, *edges = s.x;
    sort<BLOCK, Heaviest>(by_weight, edges, m);
    scan<BLOCK>(s, by_weight, edges, m);
    sample<BLOCK>(s, by_weight, edges, m, mix(seed + 0x9E3779B97F4A7C15ull * ((u64)k + 1u)));
    reserve<BLOCK>(g, s, by_weight, m);
    if (!write<BLOCK>(g, s, by_weight, edges, m)) return NONE;
    fence();
    release<BLOCK>(g, s, by_weight, m, next);
    // No other team waits for the column.
    const double l = s.c[m - 1u];
    for (u32 p = rank<BLOCK>(); p < m; p += SIZE<BLOCK>) {
        const Entry entry = by_weight[p];
        const Place place = place_of(g, v, entry.extra);
        *place.id = entry.id;
        *place.weight = -__ddiv_rn(number(entry.weight), l);
    }
    if (rank<BLOCK>() == 0u) {
        diagonal[k] = l;
        v->state = (u64)m << 32;
    }
    sync<BLOCK>();
    return m;
}

// Make room for `count` multi-edges of a block in the pool, unless it has enough. Returns false if there is none.
__device__ __forceinline__ bool make_room(const Graph &g, Shared &shared, u32 count) {
    if (threadIdx.x == 0 && load(&shared.room) < count) {
        shared.room = 2u * count;
        shared.chunk = take_units(g, 48ull * shared.room / (8u * UNIT) + 1u);
    }
    __syncthreads();
    return shared.chunk != UNMADE;
}

__device__ __forceinline__ Space room_of(const Graph &g, const Shared &shared) {
    Entry *x = (Entry *)(g.pool + (u64)shared.chunk * UNIT), *y = x + shared.room;
    double *c = (double *)(y + shared.room);
    int *balance = (int *)(c + shared.room);
    return Space{x, y, c, balance, (u32 *)(balance + shared.room)};
}

// A team takes vertices until there are none. first : its first entry in shared memory.
template <bool BLOCK>
__device__ __forceinline__ void work(
    const Graph &g, Shared &shared, u32 first, u32 *next, u64 seed, double *diagonal, u64 patience) {
    const bool leads = rank<BLOCK>() == 0u;
    Report report{0, 0};
    for (;;) {
        // By load(), here and below: otherwise threads could read ahead of the condition while this one writes.
        if (leads && load(next) == NONE) *next = wait(g, report, BLOCK, patience);
        sync<BLOCK>();
        const u32 k = *next;
        sync<BLOCK>();
        if (k == NONE) return;
        if (leads) *next = NONE;
        const First found = first_of<BLOCK>(g.vertices + k);
        // The state of a vertex that was ready too early may change in the meantime.
        const u32 count = agreed<BLOCK>((u32)(found.state >> 32), shared.counts);
        u32 m = 0;
        if (count > (BLOCK ? MOST : SMALL)) {
            // Edges were added after it was ready.
            if (leads) fail(g, MALFORMED);
            m = NONE;
        } else if (count == 0u) {
            if (leads) diagonal[k] = 0.0;
        } else if (!BLOCK || count <= LARGE) {
            const Space s{shared.x + first, shared.y + first, shared.c + first, shared.balance + first,
                          shared.added + first};
            m = eliminate<BLOCK>(g, s, k, count, found, seed, diagonal, shared.counts, next);
        } else {
            m = make_room(g, shared, count)
                    ? eliminate<BLOCK>(g, room_of(g, shared), k, count, found, seed, diagonal, shared.counts, next)
                    : NONE;
        }
        if (m == NONE) return;
        report.entries += m;
        report.vertices += 1u;
        if (leads && report.vertices >= REPORT) send(g, report, BLOCK);
    }
}

// All vertices, launched cooperatively. diagonal : (n,), written. control : as the other kernels left it. teams : the
// blocks that take a vertex as a whole, at least one and not all. patience : clocks of a multiprocessor.
extern "C" __global__ void __launch_bounds__(THREADS, 4) parac_factor(
    Vertex *vertices, u64 *pool, u32 *queues, u64 *control, u32 n, u32 units, u64 seed, double *diagonal, u32 teams,
    u64 patience) {
    __shared__ Shared shared;
    __shared__ u32 nexts[WARPS];
    const Graph g{vertices, pool, queues, control, n, units};
    const u32 warp = threadIdx.x / 32u;
    if (lane() == 0) nexts[warp] = NONE;
    if (threadIdx.x == 0) {
        shared.room = 0;
        shared.chunk = UNMADE;
        // Set by parac_lists or parac_edges: vertices may be ready whose lists are broken.
        shared.broken = load(control + STATUS * LINE) != FINE;
    }
    __syncthreads();
    if (shared.broken) return;
    if (blockIdx.x < teams)
        work<true>(g, shared, 0, nexts, seed, diagonal, patience);
    else
        work<false>(g, shared, SMALL * warp, nexts + warp, seed, diagonal, patience);
}

// Kernels before and after.

// The last row from low to high - 1 that begins at or before entry p.
__device__ __forceinline__ u32 row_of(const i64 *indptr, u32 low, u32 high, u64 p) {
    while (high - low > 1u) {
        const u32 middle = low + (high - low) / 2u;
        if ((u64)indptr[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// One thread per vertex: its state, room for its original edges, and its place in a queue if it is ready. vertices :
// zero. queues : NONE. indptr, indices (nnz,) : the pattern of W; if more than half of it lies right of the diagonal of
// one row, that is an error.
extern "C" __global__ void parac_lists(
    const i64 *indptr, const int *indices, u64 nnz, Vertex *vertices, u64 *pool, u32 *queues, u64 *control, u32 n,
    u32 units) {
    const Graph g{vertices, pool, queues, control, n, units};
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    const u64 first = k < n ? (u64)indptr[k] : 0, last = k < n ? (u64)indptr[k + 1] : 0;
    const bool whole = first <= last && last <= nnz;
    u32 lower = 1, upper = 0;
    if (k < n && whole) {
        u64 low = first, high = last;
        while (low < high) {
            const u64 middle = (low + high) / 2u;
            if ((u32)indices[middle] < k)
                low = middle + 1u;
            else
                high = middle;
        }
        lower = (u32)(low - first);
        upper = (u32)(last - low);
    }
    if (!whole || upper > nnz / 2u) {
        fail(g, MALFORMED);
    } else if (k < n) {
        vertices[k].state = (u64)upper << 32 | lower;
        if (upper) make_chunks(g, vertices + k, 0, upper);
    }
    push(g, lower == 0u, upper > SMALL, k);
}

// One warp per tile of the entries of W: those right of the diagonal become edges. An entry on the diagonal, or on the
// other side of it than parac_lists counted, as in a row that does not ascend, is an error. weights : (nnz,).
extern "C" __global__ void parac_edges(
    const i64 *indptr, const int *indices, const double *weights, u64 nnz, Vertex *vertices, u64 *pool, u64 *control,
    u32 n) {
    const Graph g{vertices, pool, nullptr, control, n, 0};
    const u64 first = (u64)TILE * ((blockIdx.x * (u64)blockDim.x + threadIdx.x) / 32u), last = min(first + TILE, nnz);
    if (first >= nnz) return;
    const u32 low = row_of(indptr, 0, n, first), high = row_of(indptr, low, n, last - 1u);
    for (u64 p = first + lane(); p < last; p += 32u) {
        const u32 k = row_of(indptr, low, high + 1u, p), id = (u32)indices[p];
        const u64 state = vertices[k].state, place = p - (u64)indptr[k];
        const u32 lower = (u32)state;
        if (id == k || id >= n || (id < k) != (place < lower) || place >= lower + (state >> 32)) {
            fail(g, MALFORMED);
            continue;
        }
        if (id < k) continue;
        append(g, vertices + k, (u32)place - lower, id, weights[p]);
    }
}

// One thread per vertex: the entries of its column, or more than possible if the vertex still waits. counts : (n + 1,),
// of which the first is 0.
extern "C" __global__ void parac_counts(const Vertex *vertices, u32 n, i64 *counts) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) counts[k + 1u] = (u32)vertices[k].state == 0u ? (i64)(vertices[k].state >> 32) : 1ll << 32;
}

// One warp per tile of the factor's entries. indptr : (n + 1,), of its columns. indices, values : (nnz,), written.
extern "C" __global__ void parac_columns(
    Vertex *vertices, u64 *pool, u32 n, const i64 *indptr, u64 nnz, int *indices, double *values) {
    const Graph g{vertices, pool, nullptr, nullptr, n, 0};
    const u64 first = (u64)TILE * ((blockIdx.x * (u64)blockDim.x + threadIdx.x) / 32u), last = min(first + TILE, nnz);
    if (first >= nnz) return;
    const u32 low = row_of(indptr, 0, n, first), high = row_of(indptr, low, n, last - 1u);
    for (u64 p = first + lane(); p < last; p += 32u) {
        const u32 k = row_of(indptr, low, high + 1u, p);
        const Place place = place_of(g, vertices + k, (u32)(p - (u64)indptr[k]));
        indices[p] = (int)*place.id;
        values[p] = *place.weight;
    }
}
