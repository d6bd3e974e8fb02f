// GSoFA's traversal: label correction over maxId from many sources at once.
//
// Z. Li and others, GSoFA: Scalable Sparse Symbolic LU Factorization on GPUs, Sections 4 and 6, Figure 6.
// A block works on up to SLOTS sources at a time; their frontiers share one queue, in which an entry names its
// source's slot (the paper's tracker). A step takes up to blockDim.x entries, spreads their adjacency entries
// over the lanes of each warp, and appends what they reach. When the queue no longer fills the block, the next
// sources enter free slots. Blocks never wait for each other.
//
// maxId of a vertex, in the value range of the slot's current use: base + 2 label + pending. label is 0 if the source
// has the vertex in its own row, else 1 + the largest intermediate vertex, so the vertex is filled iff label <= vertex.
// pending: the vertex is in the queue. A queue entry reads the label only when it is taken, so no vertex is queued
// twice and n entries per source always suffice. Ranges descend: what earlier uses left behind is larger than any
// label.
//
// fill is a bit set in two levels: each bit of the summary says whether one word is not zero.
//
// Compile-time:
//   BUBBLE      maxId only below the source
//   RANGES      one value range per use
//   FILL_FIRST  line 9.5
//   COLUMNS     write the rows themselves, not only their counts
//   SPILL       the queue has fewer than n entries per source
//   TOP         where value ranges descend from, even
//   OWN         each source, not each slot, has its own arrays; one slot per block (unified_memory.py)
//   THREADS     per block
//   SLOTS       sources that a block works on at a time, 32 at most
//   RESIDENT    blocks per multiprocessor (0: as many as fit)
//   ENTERING    sources per step
//   AHEAD       adjacency entries in flight per lane
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 NONE = 0xFFFFFFFFu;
constexpr u32 ALL = 0xFFFFFFFFu;
constexpr u32 WARPS = THREADS / 32;

// Statistics of a block: steps, entries waiting (sum, most), cycles (all, re-initialising), entries spilled and taken,
// words initialised.
enum { STEPS, WAITING, MOST, CYCLES, INITIALISING, SPILLED, TAKEN, CLEARED, STATS };

struct Input {
    const long long *indptr;  // (n + 1,)
    const int *indices;
    const int *sources;  // (count,) in the order in which they are taken
    u32 n, count;
};

struct Space {
    u32 *maxid;  // (slots, stride)
    u32 *fill;   // (slots, words + summary words)
    u64 *queue;  // (slots, capacity): slot << 32 | vertex; the slots of a block share theirs
    u64 *host;   // (slots, outside) in pinned host memory: entries that found the queue full
    u64 stride, capacity, outside;
    u32 words, summary, slots, wider;  // slots: of a block; the first `wider` blocks have one more
};

struct Output {
    long long *lower, *upper;  // (n,) row counts; upper counts the diagonal
    u64 *edges;          // (n,)
    double *frontier;    // (n,) entries per step
    u32 *longest;        // (n,) most entries in the queue
    int *columns;        // rows one after another, in the order in which they were finished
    long long *start;    // (n,) where a row stands in columns; -1: there was no room
    u64 *tail;           // entries of columns in use
    u64 room;
    u64 *stats;  // (blocks, STATS) of all launches of this layout
    u32 *taken;  // sources taken so far
};

struct Slot {
    u32 source, base, use, active, lower, upper, entries, steps, seen, longest;
    u64 edges;
};

__device__ __forceinline__ u32 lane_id() { return threadIdx.x & 31u; }

__device__ __forceinline__ u32 inclusive_sum(u32 value) {
    for (u32 d = 1; d < 32; d <<= 1) {
        const u32 left = __shfl_up_sync(ALL, value, d);
        if (lane_id() >= d) value += left;
    }
    return value;
}

__device__ __forceinline__ u64 warp_sum(u64 value) {
    for (u32 d = 16; d > 0; d >>= 1) value += __shfl_xor_sync(ALL, value, d);
    return value;
}

// Marks a vertex as filled. Returns whether it was not marked before.
__device__ __forceinline__ bool mark(u32 *fill, u32 words, u32 vertex) {
    u32 *word = fill + (vertex >> 5);
    const u32 bit = 1u << (vertex & 31u);
    if (*(volatile u32 *)word & bit) return false;
    const u32 before = atomicOr(word, bit);
    if (before == 0u) atomicOr(fill + words + (vertex >> 10), 1u << ((vertex >> 5) & 31u));
    return !(before & bit);
}

// A warp empties the set. With COLUMNS it writes the members to `out`, ascending, unless that is null.
__device__ void drain(u32 *fill, u32 words, u32 summary, int *out) {
    const u32 lane = lane_id();
    for (u32 first = 0; first < summary; first += 32) {
        const u32 mine = first + lane < summary ? fill[words + first + lane] : 0u;
        u32 left = __ballot_sync(ALL, mine != 0u);
        if (mine) fill[words + first + lane] = 0u;
        while (left) {
            const u32 k = __ffs(left) - 1;
            left &= left - 1;
            const u32 held = __shfl_sync(ALL, mine, k);
            const u32 word = (first + k) * 32 + lane;
            u32 bits = 0u;
            if (held >> lane & 1u) {
                bits = fill[word];
                fill[word] = 0u;
            }
#if COLUMNS
            const u32 sum = inclusive_sum(__popc(bits));
            if (out) {
                int *at = out + (sum - __popc(bits));
                while (bits) {
                    *at++ = (int)(word * 32 + __ffs(bits) - 1);
                    bits &= bits - 1;
                }
                out += __shfl_sync(ALL, sum, 31);
            }
#endif
        }
    }
}

// A warp writes the results of a finished source and empties its fill.
__device__ void finish(const Slot &slot, u32 *fill, const Space &space, const Output &output) {
    const u32 lane = lane_id();
    const u32 length = slot.lower + slot.upper;
    int *out = nullptr;
#if COLUMNS
    u64 at = 0;
    if (lane == 0) at = atomicAdd(output.tail, (u64)length);
    at = __shfl_sync(ALL, at, 0);
    const bool fits = at + length <= output.room;
    if (fits) out = output.columns + at;
    if (lane == 0) output.start[slot.source] = fits ? (long long)at : -1;
#endif
    if (lane == 0) {
        output.lower[slot.source] = slot.lower;
        output.upper[slot.source] = slot.upper;
        output.edges[slot.source] = slot.edges;
        output.longest[slot.source] = slot.longest;
        output.frontier[slot.source] = slot.steps ? (double)slot.entries / slot.steps : 0.0;
    }
    __syncwarp();
    drain(fill, space.words, space.summary, out);
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) gsofa_traverse(
    const long long *indptr, const int *indices, const int *sources, u32 n, u32 count,
    u32 *maxid, u32 *fill_sets, u64 *queues, u64 *host, u64 stride, u64 queue_capacity, u64 host_capacity,
    u32 words, u32 summary, u32 slots_a_block, u32 wider,
    long long *lower, long long *upper, u64 *edges, double *frontier_sizes, u32 *longest, int *columns,
    long long *start, u64 *tail, u64 room, u64 *all_stats, u32 *counter) {
    const Input in{indptr, indices, sources, n, count};
    const Space space{maxid, fill_sets, queues, host, stride, queue_capacity, host_capacity,
                      words, summary, slots_a_block, wider};
    const Output output{lower, upper, edges, frontier_sizes, longest, columns, start, tail, room, all_stats, counter};
    __shared__ Slot slots[SLOTS];
    // fresh: sources that enter, whose maxId has to be initialised. done: sources with no entries left.
    __shared__ u32 length, head, pushed, fresh, done, running;
    __shared__ u64 outside;
    // Counted by the first thread alone: registers are scarce.
    __shared__ u64 counted[STATS];
    const u32 lane = lane_id(), warp = threadIdx.x >> 5;
    const u64 first_slot = (u64)blockIdx.x * space.slots + min(blockIdx.x, space.wider);
    const u32 slot_count = space.slots + (blockIdx.x < space.wider ? 1u : 0u);
    const u64 set = OWN ? space.stride : (u64)space.words + space.summary;
    u32 *labels = space.maxid + first_slot * space.stride;
    u32 *sets = space.fill + first_slot * set;
    u64 *queue = space.queue + first_slot * space.capacity;
#if SPILL
    u64 *host_queue = space.host + first_slot * space.outside;
#endif
    const u32 capacity = (u32)(slot_count * space.capacity);
    const u32 width = 2u * (in.n + 1u);
    const u32 uses = RANGES && !OWN ? TOP / width : 1u;
    u32 step = 0;
    if (threadIdx.x < SLOTS) {
        slots[threadIdx.x].source = NONE;
        slots[threadIdx.x].use = uses;
    }
    if (threadIdx.x == 0) {
        length = head = pushed = 0;
        outside = 0;
        for (u32 k = 0; k < STATS; ++k) counted[k] = 0;
        counted[CYCLES] = 0 - (u64)clock64();
    }
    __syncthreads();
    while (true) {
        // Which sources are finished, which ones enter.
        if (warp == 0) {
            if (lane == 0) {
                const u32 kept = length + pushed;
#if SPILL
                if (kept > capacity) outside += kept - capacity;
                if (kept > capacity) counted[SPILLED] += kept - capacity;
                length = min(kept, capacity);
#else
                length = kept;
#endif
                pushed = 0;
            }
            __syncwarp();
            const bool held = lane < slot_count && slots[min(lane, SLOTS - 1)].source != NONE;
            if (held) slots[lane].longest = max(slots[lane].longest, slots[lane].active);
            const bool ended = held && slots[lane].active == 0;
            const u32 ended_mask = __ballot_sync(ALL, ended);
            if (lane == 0) done = ended_mask;
        }
        __syncthreads();
        if (done) {
            for (u32 g = warp; g < slot_count; g += WARPS)
                if (done >> g & 1u)
                    finish(slots[g], sets + g * set, space, output);
            __syncthreads();
        }
        if (warp == 0) {
            const bool mine = lane < slot_count;
            if (mine && (done >> lane & 1u)) slots[lane].source = NONE;
            bool free_slot = mine && slots[min(lane, SLOTS - 1)].source == NONE;
            u32 enters = 0;
            const u32 held = length;
            if (held < THREADS && outside == 0) {
                u32 mask = __ballot_sync(ALL, free_slot);
                const u32 wanted = min(min((u32)__popc(mask), capacity - held), ENTERING);
                u32 start = 0;
                if (lane == 0 && wanted > 0) {
                    start = *(volatile u32 *)output.taken;
                    if (start < in.count) start = atomicAdd(output.taken, wanted);
                }
                start = __shfl_sync(ALL, start, 0);
                const u32 got = start < in.count ? min(wanted, in.count - start) : 0u;
                const u32 rank = __popc(mask & ((1u << lane) - 1u));
                bool stale = false;
                if (free_slot && rank < got) {
                    Slot &slot = slots[lane];
                    slot.source = (u32)in.sources[start + rank];
                    stale = slot.use == uses;
                    slot.use = stale ? 1u : slot.use + 1u;
                    slot.base = TOP - slot.use * width;
                    slot.active = 1;
                    slot.lower = 0;
                    slot.upper = 0;
                    slot.entries = 0;
                    slot.steps = 0;
                    slot.seen = 0;
                    slot.longest = 0;
                    slot.edges = 0;
                    u32 at = head + held + rank;
                    if (at >= capacity) at -= capacity;
                    // The paper's four words per vertex for queues and trackers, of which one queue uses half.
                    u64 *entered = OWN ? space.queue + (u64)slot.source * 2 * space.capacity : queue;
                    entered[at] = (u64)lane << 32 | slot.source;
                }
                enters = __ballot_sync(ALL, stale);
                if (lane == 0) length = held + got;
            }
            const u32 busy = __ballot_sync(ALL, mine && slots[min(lane, SLOTS - 1)].source != NONE);
            if (lane == 0) {
                fresh = enters;
                running = busy;
            }
        }
        __syncthreads();
        if (running == 0) break;
#if OWN
        labels = space.maxid + slots[0].source * space.stride;
        sets = space.fill + slots[0].source * set;
        queue = space.queue + (u64)slots[0].source * 2 * space.capacity;
#endif
        if (fresh) {
            const long long start = clock64();
            for (u32 g = 0; g < slot_count; ++g) {
                if (!(fresh >> g & 1u)) continue;
                u32 *maxid = labels + g * space.stride;
                const u64 end = BUBBLE ? (u64)slots[g].source : (u64)in.n;
                const u64 stop = RANGES && !OWN ? space.stride : end;
                for (u64 v = threadIdx.x; v < stop; v += THREADS) maxid[v] = NONE;
                if (threadIdx.x == 0) counted[CLEARED] += stop;
#if OWN
                for (u32 v = threadIdx.x; v < space.words + space.summary; v += THREADS) sets[v] = 0u;
#endif
            }
            __syncthreads();
            if (threadIdx.x == 0) counted[INITIALISING] += clock64() - start;
        }
#if SPILL
        if (length == 0) {
            const u64 held = outside;
            const u32 loaded = (u32)min((u64)capacity, held);
            const u64 *from = host_queue + (held - loaded);
            for (u32 k = threadIdx.x; k < loaded; k += THREADS) queue[k] = from[k];
            __syncthreads();
            if (threadIdx.x == 0) {
                head = 0;
                length = loaded;
                outside = held - loaded;
            }
            __syncthreads();
        }
#endif
        // Take entries, distributed as evenly over the warps as possible.
        const u32 taken = min(length, THREADS);
        const u32 share = (taken + WARPS - 1) / WARPS;
        const u32 number = warp * share + lane;
        const bool has = lane < share && number < taken;
        u64 entry = 0;
        if (has) {
            u32 at = head + number;
            if (at >= capacity) at -= capacity;
            entry = queue[at];
        }
        __syncthreads();
        step += 1;
        if (threadIdx.x == 0) {
            counted[STEPS] += 1;
            counted[WAITING] += length + outside;
            counted[MOST] = max(counted[MOST], (u64)length + outside);
            counted[TAKEN] += taken;
            length -= taken;
            head += taken;
            if (head >= capacity) head -= capacity;
        }
        const u32 g = (u32)(entry >> 32), frontier = (u32)entry;
        u32 degree = 0, through = 0;
        long long begin = 0;
        if (has) {
            begin = in.indptr[frontier];
            degree = (u32)(in.indptr[frontier + 1] - begin);
            Slot &slot = slots[g];
            if (frontier != slot.source) {
                const u32 label = atomicAnd(labels + g * space.stride + frontier, ~1u);
                through = max(frontier + 1u, (label - slot.base) >> 1);
            }
        }
        // The number taken from each source of the warp's entries, added by one lane for all.
        for (u32 left = __ballot_sync(ALL, has); left;) {
            const u32 shared_by = __shfl_sync(ALL, g, __ffs(left) - 1);
            const bool mine = has && g == shared_by;
            const u32 mask = __ballot_sync(ALL, mine);
            left &= ~mask;
            const u32 opened = __popc(__ballot_sync(ALL, mine && through > 0u));
            const u64 examined = warp_sum(mine && through > 0u ? degree : 0u);
            if (lane != 0) continue;
            Slot &slot = slots[shared_by];
            atomicSub(&slot.active, (u32)__popc(mask));
            if (opened == 0u) continue;
            atomicAdd(&slot.entries, opened);
            atomicAdd(&slot.edges, examined);
            if (atomicExch(&slot.seen, step) != step) atomicAdd(&slot.steps, 1u);
        }
        __syncthreads();
        // Spread the adjacency entries over the lanes.
        const u32 ends = inclusive_sum(degree);
        const u32 total = __shfl_sync(ALL, ends, 31);
        const long long place = begin - (long long)(ends - degree);
        const u32 tail_room = length;
        for (u32 low = 0; low < total; low += 32 * AHEAD) {
            // A lane has AHEAD entries in flight at a time; each stage issues all its accesses before the next.
            u32 vertex[AHEAD], reach[AHEAD], which[AHEAD], old[AHEAD];
#pragma unroll
            for (u32 u = 0; u < AHEAD; ++u) {
                const u32 k = low + 32 * u + lane;
                u32 owner = 0;
#pragma unroll
                for (u32 d = 16; d > 0; d >>= 1)
                    if (__shfl_sync(ALL, ends, owner + d - 1) <= k) owner += d;
                owner = min(owner, 31u);
                const long long row = __shfl_sync(ALL, place, owner);
                reach[u] = __shfl_sync(ALL, through, owner);
                which[u] = __shfl_sync(ALL, g, owner);
                vertex[u] = k < total ? (u32)in.indices[row + k] : NONE;
            }
#pragma unroll
            for (u32 u = 0; u < AHEAD; ++u) {
                if (vertex[u] == NONE) continue;
                const bool labelled = !BUBBLE || vertex[u] < slots[which[u]].source;
                const u32 *word = labelled ? labels + which[u] * space.stride + vertex[u]
                                           : sets + which[u] * set + (vertex[u] >> 5);
                old[u] = *(const volatile u32 *)word;
            }
#pragma unroll
            for (u32 u = 0; u < AHEAD; ++u) {
                if (vertex[u] == NONE) continue;
                const u32 source = slots[which[u]].source, base = slots[which[u]].base;
                const bool below = vertex[u] < source;
                if (reach[u] == 0 || vertex[u] == source) continue;
                if (below || !BUBBLE) {
                    const u32 value = base + 2u * reach[u] + (below ? 1u : 0u);
                    bool lowers = (old[u] | 1u) > (value | 1u);
#if FILL_FIRST
                    lowers = lowers && !(old[u] < base + 2u * (vertex[u] + 1u));
#endif
                    if (lowers) old[u] = atomicMin(labels + which[u] * space.stride + vertex[u], value);
                    if (!lowers || (old[u] | 1u) <= (value | 1u)) vertex[u] = NONE;
                } else {
                    const u32 bit = 1u << (vertex[u] & 31u);
                    if (!(old[u] & bit)) old[u] = atomicOr(sets + which[u] * set + (vertex[u] >> 5), bit);
                    if (old[u] & bit) vertex[u] = NONE;
                }
            }
#pragma unroll
            for (u32 u = 0; u < AHEAD; ++u) {
                bool push = false;
                if (vertex[u] != NONE) {
                    Slot &slot = slots[which[u]];
                    u32 *fill = sets + which[u] * set;
                    const bool below = vertex[u] < slot.source;
                    const bool labelled = below || !BUBBLE;
                    bool fills = false;
                    if (reach[u] == 0) {
                        // The source's own row: no other entry of its slot is processed at the same time.
                        fills = true;
                        push = below;
                        if (COLUMNS || !below) mark(fill, space.words, vertex[u]);
                        if (labelled && vertex[u] != slot.source)
                            labels[which[u] * space.stride + vertex[u]] = slot.base + (below ? 1u : 0u);
                    } else if (vertex[u] != slot.source) {
                        const bool filled = labelled && old[u] < slot.base + 2u * (vertex[u] + 1u);
                        const bool waits = labelled && old[u] < slot.base + width && (old[u] & 1u);
                        fills = vertex[u] >= reach[u] && !filled;
                        push = below && !waits && (fills || vertex[u] < reach[u]);
                        if (fills && !labelled && old[u] == 0u)
                            atomicOr(fill + space.words + (vertex[u] >> 10), 1u << ((vertex[u] >> 5) & 31u));
                        if (fills && labelled && (COLUMNS || !below)) fills = mark(fill, space.words, vertex[u]);
                    }
                    if (fills) atomicAdd(below ? &slot.lower : &slot.upper, 1u);
                    if (push) atomicAdd(&slot.active, 1u);
                }
                const u32 pushes = __ballot_sync(ALL, push);
                if (pushes == 0u) continue;
                u32 at = 0;
                if (lane == 0) at = atomicAdd(&pushed, (u32)__popc(pushes));
                at = __shfl_sync(ALL, at, 0) + __popc(pushes & ((1u << lane) - 1u)) + tail_room;
                if (!push) continue;
                const u64 made = (u64)which[u] << 32 | vertex[u];
#if SPILL
                if (at >= capacity) {
                    host_queue[outside + (at - capacity)] = made;
                    continue;
                }
#endif
                u32 position = head + at;
                if (position >= capacity) position -= capacity;
                queue[position] = made;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        counted[CYCLES] += clock64();
        u64 *stats = output.stats + (u64)blockIdx.x * STATS;
        for (u32 k = 0; k < STATS; ++k) stats[k] = k == MOST ? max(stats[k], counted[k]) : stats[k] + counted[k];
    }
}
