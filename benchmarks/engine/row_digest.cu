// The digest of a filled pattern on the device: `digest` of benchmarks/checks/rows.py, bit for bit.
//
// Shared with device_digest.py; `entries` is the length of `indices`:
//   indptr       (n + 1,)   int64   in    whatever it holds: nothing outside of the arrays is read
//   indices      (entries,) int32   in
//   upper_start  (n,)       int64   in
//   lower, upper (n,)       int64   out   row counts of L and U; 0 and 0 where the row is malformed
//   hashes       (n,)       uint64  out   0 likewise
//
// Grid: as many blocks as have a thread for each row; block: THREADS threads. The fold of a row is a chain, so
// a lane takes a row, a warp 32 neighbouring ones, which are of like length in most orders. The warp brings
// the next 32 columns of each of them to its own tile, one row after another, so that reads are contiguous;
// then each lane folds its row of the tile. Tiles are of one warp, outputs of one thread: nothing races.

constexpr int LANES = 32, THREADS = 128;
constexpr unsigned ALL = 0xFFFFFFFF;
constexpr unsigned long long GAMMA = 0x9E3779B97F4A7C15;

// SplitMix64's finaliser (Steele, Lea and Flood) with the column folded into the state.
__device__ unsigned long long folded(unsigned long long state, int column)
{
    state = (state ^ static_cast<unsigned long long>(column)) + GAMMA;
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
    return state ^ (state >> 31);
}

extern "C" __global__ void __launch_bounds__(THREADS)
row_digest(const long long *indptr, const int *indices, const long long *upper_start, long long n,
           long long entries, long long *lower, long long *upper, unsigned long long *hashes)
{
    // A column more than lanes: the lanes' rows begin in different banks.
    __shared__ int tiles[THREADS / LANES][LANES][LANES + 1];
    const int lane = threadIdx.x % LANES;
    auto &tile = tiles[threadIdx.x / LANES];
    const long long row = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;

    // A lane without a row, and one whose row is not within the arrays, has an empty range.
    long long start = 0, above = 0, end = 0;
    if (row < n) {
        start = indptr[row];
        above = upper_start[row];
        end = indptr[row + 1];
    }
    const bool spans = (row > 0 || start == 0) && (row < n - 1 || end == entries);
    bool formed = row < n && spans && 0 <= start && start <= above && above < end && end <= entries;
    const long long last = formed ? end : 0;
    long long at = formed ? start : 0;

    unsigned long long state = GAMMA;
    int before = -1;
    while (__any_sync(ALL, at < last)) {
        #pragma unroll 8
        for (int r = 0; r < LANES; r++) {
            const long long place = __shfl_sync(ALL, at, r) + lane;
            if (place < __shfl_sync(ALL, last, r)) tile[r][lane] = indices[place];
        }
        __syncwarp();
        const int count = last - at < LANES ? static_cast<int>(last - at) : LANES;
        for (int k = 0; k < count; k++) {
            const int column = tile[lane][k];
            formed = formed && before < column && column < n;
            before = column;
            state = folded(state, column);
        }
        at += count;
        __syncwarp();
    }

    if (row < n) {
        lower[row] = formed ? above - start : 0;
        upper[row] = formed ? end - above : 0;
        hashes[row] = formed ? state : 0;
    }
}
