// The matrix that cuSPARSE factorises: the lower triangle of a Laplacian's rows, by rows, the diagonal last in each.
//
// W is given by rows: indptr (n + 1,), indices and weights (nnz,), ascending in each row, parallel edges apart. `rows`
// is the number of vertices without the ground. One thread per vertex; each thread writes only elements of its own.

typedef unsigned int u32;
typedef long long s64;

// By how much the diagonal of the last vertex of a component without the ground is lifted, as L is singular there.
// Holding that vertex at 0 instead would take up to half as many iterations more, as the omitted fill does not cancel.
constexpr double LIFT = 1e-6;

// last : (components,), -1 before: the last vertex of each component.
extern "C" __global__ void ic0_last(const int *component, u32 n, int *last) {
    const u32 vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex < n) atomicMax(last + component[vertex], (int)vertex);
}

// lengths : (rows,), the number of entries of each row of the triangle.
extern "C" __global__ void ic0_lengths(
    const s64 *indptr, const int *indices, u32 rows, int *lengths) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int length = 1;
    for (s64 p = indptr[row]; p < indptr[row + 1] && (u32)indices[p] < row; p++)
        length += p == indptr[row] || indices[p - 1] != indices[p];
    lengths[row] = length;
}

// starts : (rows + 1,). columns, values : of the triangle. The row of a vertex without edges is a 1, as b is 0 there.
extern "C" __global__ void ic0_entries(
    const s64 *indptr, const int *indices, const double *weights, const int *component, const int *last, u32 rows,
    const int *starts, int *columns, double *values) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int end = starts[row + 1] - 1;
    int at = starts[row] - 1;
    double degree = 0.0;
    for (s64 p = indptr[row]; p < indptr[row + 1]; p++) {
        degree += weights[p];
        if ((u32)indices[p] >= row) continue;
        if (at < starts[row] || columns[at] != indices[p]) values[++at] = 0.0;
        columns[at] = indices[p];
        values[at] -= weights[p];
    }
    columns[end] = (int)row;
    const double lift = last[component[row]] == (int)row ? 1.0 + LIFT : 1.0;
    values[end] = degree > 0.0 ? lift * degree : 1.0;
}
