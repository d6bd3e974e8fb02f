// The matrix that cuSPARSE factorises: the lower triangle of a Laplacian's rows, by rows, the diagonal last in each.
//
// W is given by rows, indptr (n + 1,), indices and weights (nnz,), ascending in each row, parallel edges apart. Of
// each component one vertex is held at 0, the last: its row is that of the unit matrix, its column empty. `rows` are
// the vertices without the ground. A thread a vertex, that writes what is its own.

typedef unsigned int u32;
typedef long long s64;

// last : (components,), -1 before: the last vertex of each component.
extern "C" __global__ void ic0_last(const int *component, u32 n, int *last) {
    const u32 vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex < n) atomicMax(last + component[vertex], (int)vertex);
}

struct Held {
    const int *component, *last;

    __device__ __forceinline__ bool operator()(u32 vertex) const { return last[component[vertex]] == (int)vertex; }
};

// lengths : (rows,), entries of each row of the triangle.
extern "C" __global__ void ic0_lengths(
    const s64 *indptr, const int *indices, const int *component, const int *last, u32 rows, int *lengths) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const Held held{component, last};
    int length = 1;
    for (s64 p = indptr[row]; !held(row) && p < indptr[row + 1] && (u32)indices[p] < row; p++)
        length += !held((u32)indices[p]) && (p == indptr[row] || indices[p - 1] != indices[p]);
    lengths[row] = length;
}

// starts : (rows + 1,). columns, values : of the triangle.
extern "C" __global__ void ic0_entries(
    const s64 *indptr, const int *indices, const double *weights, const int *component, const int *last, u32 rows,
    const int *starts, int *columns, double *values) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const Held held{component, last};
    const int end = starts[row + 1] - 1;
    int at = starts[row] - 1;
    double degree = 0.0;
    for (s64 p = indptr[row]; p < indptr[row + 1]; p++) {
        degree += weights[p];
        if (held(row) || (u32)indices[p] >= row || held((u32)indices[p])) continue;
        if (at < starts[row] || columns[at] != indices[p]) values[++at] = 0.0;
        columns[at] = indices[p];
        values[at] -= weights[p];
    }
    columns[end] = (int)row;
    values[end] = held(row) ? 1.0 : degree;
}
