"""The nouns: small frozen dataclasses, defined once. Their arrays may live on the host or on a device.

Rows and columns count from 0. Row pointers are int64 (audikw_1's filled pattern has 2.5e9 entries), column
indices int32. F is the filled pattern of L + U without pivoting; the diagonal is always part of U.

    pattern = Pattern(indptr=np.array([0, 2, 4]), indices=np.array([0, 1, 0, 1], np.int32))
    pattern.n, pattern.nnz    # 2, 4
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fillpath.case import Preparation
from fillpath.errors import InputError

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pattern:
    """The structure of a square sparse matrix in CSR.

    indptr : (n + 1,) int64
    indices : (nnz,) int32, ascending and without repetitions in each row
    """

    indptr: Array
    indices: Array

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def nnz(self) -> int:
        return int(self.indptr[-1])

    def validate(self) -> None:
        """Raise InputError unless dtypes, bounds, order and the structural diagonal are as documented."""
        if self.indptr.dtype != np.int64 or self.indices.dtype != np.int32:
            raise InputError(f"pattern: int64/int32 expected, got {self.indptr.dtype}/{self.indices.dtype}")
        if self.n < 1 or self.indptr[0] != 0 or len(self.indices) != self.nnz:
            raise InputError("pattern: empty, or indptr does not span indices")
        if np.any(self.indptr[1:] < self.indptr[:-1]):
            raise InputError("pattern: indptr decreases")
        if self.nnz and (self.indices.min() < 0 or self.indices.max() >= self.n):
            raise InputError(f"pattern: a column index lies outside 0..{self.n - 1}")
        rows = self.rows()
        if np.any((np.diff(self.indices) <= 0) & (np.diff(rows) == 0)):
            raise InputError("pattern: a row's columns are not strictly ascending")
        if np.count_nonzero(rows == self.indices) != self.n:
            raise InputError("pattern: the structural diagonal is incomplete")

    def rows(self) -> Array:
        """(nnz,) int64: the row of each entry."""
        return np.repeat(np.arange(self.n), np.diff(self.indptr))


@dataclass(frozen=True)
class Provenance:
    """Where a prepared matrix came from: everything that determines its content hash.

    matrix : str, its id
    preparation : str, its name in a case; empty in older records
    source : str, where it came from
    checksum : str, SHA-256 of the archive or file, or of the content of a generated matrix
    matching, ordering : str, those used; of `best`, the ordering that it chose
    seed : int, 0 if nothing random was involved
    versions : dict of str, by library involved
    synthetic_values : bool, whether the values were made up for a pattern
    explicit_zeros, entries : int, entries of the source that are 0, and all
    diagonal_added : int, entries added to complete the diagonal
    diagonal : float, the value in place of zeros on the diagonal, 0 for none
    field : str, kind of the source's values: real, integer, complex (the values are moduli) or pattern
    structural_symmetry : float, share of the off-diagonal entries whose mirror is an entry too; 1 without any
    """

    matrix: str
    source: str
    checksum: str
    matching: str
    ordering: str
    seed: int
    versions: dict[str, str]
    synthetic_values: bool = False
    explicit_zeros: int = 0
    entries: int = 0
    diagonal_added: int = 0
    diagonal: float = 0.0
    field: str = "real"
    structural_symmetry: float = 1.0
    preparation: str = ""


@dataclass(frozen=True, eq=False)
class Raw:
    """A square matrix as it comes, and how it is to be prepared.

    pattern : n x n, whose diagonal may have holes
    values : (nnz,) float64, parallel to pattern.indices
    field : str, real, integer, complex (the values are moduli) or pattern (the values are 1)
    name : str, for errors
    preparation, seed : Preparation, int, as in a case
    side, dimensions : int, points along each side of a generated grid; 0 for any other matrix
    """

    pattern: Pattern
    values: Array
    field: str
    name: str
    preparation: Preparation
    seed: int = 0
    side: int = 0
    dimensions: int = 0


@dataclass(frozen=True, eq=False)
class _Permuted:
    """A matrix P_r D_r A D_c P_c with a complete structural diagonal.

    pattern : n x n
    values : (nnz,) float64, parallel to pattern.indices
    row_permutation, column_permutation : (n,) int32, new position -> old index
    row_scale, column_scale : (n,) float64, by old index
    """

    pattern: Pattern
    values: Array
    row_permutation: Array
    column_permutation: Array
    row_scale: Array
    column_scale: Array


@dataclass(frozen=True, eq=False)
class Arranged(_Permuted):
    """A matrix matched, scaled and ordered.

    matching, ordering : str, those taken where the preparation leaves a choice
    diagonal_added : int, entries added to complete the diagonal
    """

    matching: str
    ordering: str
    diagonal_added: int


@dataclass(frozen=True, eq=False)
class Prepared(_Permuted):
    """A matrix ready to be factorised.

    provenance : Provenance, where it came from
    hash : str, of pattern and values
    """

    provenance: Provenance
    hash: str


@dataclass(frozen=True, eq=False)
class Counts:
    """Row counts of the filled pattern.

    lower : (n,) int64, strictly below the diagonal
    upper : (n,) int64, the diagonal and right of it
    """

    lower: Array
    upper: Array

    @property
    def nnz(self) -> int:
        return int(self.lower.sum() + self.upper.sum())


@dataclass(frozen=True, eq=False)
class Filled:
    """The filled pattern F = pattern(L + U).

    pattern : n x n
    upper_start : (n,) int64, position in pattern.indices where each row's upper part (its diagonal) begins
    """

    pattern: Pattern
    upper_start: Array

    def counts(self) -> Counts:
        indptr = self.pattern.indptr
        return Counts(lower=self.upper_start - indptr[:-1], upper=indptr[1:] - self.upper_start)


@dataclass(frozen=True, eq=False)
class Supernodes:
    """Supernode boundaries. starts : (k + 1,) int64, first row of each supernode, and n last."""

    starts: Array


@dataclass(frozen=True, eq=False)
class Levels:
    """Columns grouped by level.

    pointers : (depth + 1,) int64, into columns
    columns : (n,) int32
    """

    pointers: Array
    columns: Array


@dataclass(frozen=True, eq=False)
class TwoWay:
    """The filled pattern by rows and by columns.

    filled : by rows
    columns : by columns, as the pattern of the transpose, so its indices are rows
    lower_start : (n,) int64, position in columns.indices where each column's part below the diagonal begins
    to_column : (nnz of F,) int64, position in columns.indices of each entry of filled.pattern.indices
    """

    filled: Filled
    columns: Pattern
    lower_start: Array
    to_column: Array


@dataclass(frozen=True, eq=False)
class Assembled:
    """The input of a numeric factorisation.

    two_way : F
    values : (nnz of F,) float64, those of the prepared matrix on F by columns, 0 where it fills
    levels : of the columns; those of one level may be factorised at the same time
    """

    two_way: TwoWay
    values: Array
    levels: Levels


@dataclass(frozen=True, eq=False)
class Factor:
    """L + U - I by columns: the ones on L's diagonal are not stored.

    two_way : F
    values : (nnz of F,) float32 or float64, parallel to two_way.columns.indices
    small_pivots : int, pivots that were replaced
    """

    two_way: TwoWay
    values: Array
    small_pivots: int = 0


@dataclass(frozen=True, eq=False)
class Fronts:
    """A matrix and the m fronts that it is factorised on: dense blocks along the elimination tree of A | A^T.

    A front has f rows and columns: its pivots, s consecutive labels, then its list, r labels, ascending.
    Labels number rows and columns in the order of elimination, a postorder of that tree. Fronts are in
    postorder too: a child comes before its parent.

    prepared : n x n
    label : (n,) int32, of each row and column of the prepared matrix
    first : (m + 1,) int32, the label of each front's first pivot, and n
    up : (m,) int32, the parent of each front, -1 for a root, whose list is empty
    list_start : (m + 1,) int64, where the list of each front begins
    list : (list_start[m],) int32, labels of the rows below the pivots that any of them reaches
    place : (list_start[m],) int32, the row of each list entry in the parent front
    """

    prepared: Prepared
    label: Array
    first: Array
    up: Array
    list_start: Array
    list: Array
    place: Array


@dataclass(frozen=True, eq=False)
class FrontFactor:
    """L and U of A = L U on fronts, in blocks by columns: what front k keeps begins at values[start[k]].

    First f x s, by columns of f: the pivots' columns. Then s x r, by columns of s: the pivots' rows right of
    them. With panel[k] = 0 that is L without its ones below the diagonal and U on and right of it. With
    panel[k] = w > 0 pivots are eliminated w at a time and block by block, A_IJ - (A_IK D^-1) A_KJ. The w x w
    block D on the diagonal of each panel is stored as its inverse; the last block may be smaller. Below D
    follows A_IK D^-1; right of D follows A_KJ as it is when the panel begins.

    fronts : of the matrix
    start : (m,) int64
    panel : (m,) int32
    values : float
    small_pivots : int, pivots that were replaced
    """

    fronts: Fronts
    start: Array
    panel: Array
    values: Array
    small_pivots: int = 0


@dataclass(frozen=True, eq=False)
class Factorised:
    """A peer's whole factorisation, in its own form.

    solve : b (n,) float64 -> x with A x = b, in the order of the prepared matrix
    nnz : entries of L + U that it stores, with the diagonal counted once
    """

    solve: Callable[[Array], Array]
    nnz: int


@dataclass(frozen=True, eq=False)
class Solution:
    """x : (n,) float, the solution in the order of the prepared matrix; or (k, n), those of k systems."""

    x: Array


@dataclass(frozen=True, eq=False)
class Laplacian:
    """The Laplacian L = Deg - W of a weighted graph on n vertices, numbered in the order of elimination.

    pattern : W by rows, symmetric, without a diagonal, indices ascending in each row. The weights of a
        repeated index, a parallel edge, add up
    weights : (nnz,) float64, finite and positive, symmetric
    component : (n,) int32, the connected component of each vertex, numbered from 0 by first vertices
    components : int, how many there are
    unknowns : int, rows of the matrix that the graph represents
    grounded : bool, whether vertex n - 1 is the ground, held at 0, whose edges carry the excess of diagonals
        over their rows
    doubled : bool, whether this is the double cover of a matrix with positive entries off the diagonal. Row r
        is the vertices 2 r and 2 r + 1, b is (b, -b), and x is (x[2 r] - x[2 r + 1]) / 2
    """

    pattern: Pattern
    weights: Array
    component: Array
    components: int
    unknowns: int
    grounded: bool = False
    doubled: bool = False

    @property
    def n(self) -> int:
        return self.pattern.n


@dataclass(frozen=True, eq=False)
class System:
    """L y = b.

    b : (n,) float64 by vertices, made by `impl.laplacian.system`. The sum over each component of L is zero,
        up to rounding, so that a solution exists
    """

    laplacian: Laplacian
    b: Array


@dataclass(frozen=True, eq=False)
class Preconditioner:
    """ParAC's factor of a Laplacian L: G D G^T, with G unit lower triangular by columns, its ones not stored.

    pattern : indptr (n + 1,) int64, indices (nnz,) int32, the rows below the diagonal, strictly ascending in
        each column
    values : (nnz,) float64, parallel to pattern.indices: -w / l_kk, so that a column that is not empty sums
        to -1, up to rounding
    diagonal : (n,) float64, D: l_kk, or 0 for a vertex without later neighbours, whose column is empty. The
        inverse of 0 counts as 0 when the factor is applied
    """

    pattern: Pattern
    values: Array
    diagonal: Array


@dataclass(frozen=True, eq=False)
class Series:
    """How the work grows along the rows, by source. None: not counted.

    frontier : (n,) float64, mean frontier per iteration of the source's traversal, 0 without any
    edges, fills : (n,) int64, as in Work
    """

    frontier: Array | None = None
    edges: Array | None = None
    fills: Array | None = None


@dataclass(frozen=True, eq=False)
class LevelSeries:
    """Sizes of the levels.

    columns : (depth,) int64, number of columns
    subcolumns : (depth,) int64, the most sub-columns of one of them: entries of its row of U right of the
        diagonal
    """

    columns: Array
    subcolumns: Array


@dataclass(frozen=True)
class Work:
    """Counted work of a call, without its time. None: this implementation does not count it.

    edges : int, adjacency entries examined while expanding frontiers, repetitions included, without the
        initial scan of the source's own row
    fills : int, entries of F outside pattern(A)
    bytes : int, moved, bytes
    page_faults : int, groups of page faults
    peak_memory : int, of the algorithm's own data structures, bytes
    series : Series | LevelSeries, the same by source, or the sizes of levels
    facts : mapping of float, other counts of an implementation, for instance of its device (bytes_queue,
        queue_peak, reinit_share): finite, not negative
    """

    edges: int | None = None
    fills: int | None = None
    bytes: int | None = None
    page_faults: int | None = None
    peak_memory: int | None = None
    series: Series | LevelSeries | None = field(default=None, compare=False, repr=False)
    facts: Mapping[str, float] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Reference:
    """The filled pattern that symbolic results are checked against.

    counts : Counts, of F
    row_hashes : (n,) uint64, one per row of F
    made_by : str, the implementation that made it
    checked_by : str, the independent implementations that agreed with it
    """

    counts: Counts
    row_hashes: Array
    made_by: str
    checked_by: str


def content_hash(*parts: bytes | str | Array) -> str:
    """SHA-256 over the parts, each with its kind, dtype and length: 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"array {part.dtype.str} {part.shape} ".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            data = part.encode() if isinstance(part, str) else part
            digest.update(f"bytes {len(data)} ".encode())
            digest.update(data)
    return digest.hexdigest()
