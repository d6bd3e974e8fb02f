"""Incomplete Cholesky without fill by cuSPARSE: the baseline of the paper's Table 3.

The factor's triangular solves are SpSV's, as in the paper, or those that `parac_gpu` solves with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Preconditioner, Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.laplacian.launches import launch
from impl.laplacian.pcg_cpu import RightHandSide
from impl.laplacian.pcg_gpu import solved
from impl.laplacian.spsv import Rows, Spsv, transposed
from impl.laplacian.triangular_gpu import Solves
from impl.peers.csric02 import Policy, factorise

KERNEL = Path(__file__).with_name("ic0.cu")
VARIANTS: tuple[tuple[str, ...], ...] = ((),)
NAMES = ("ic0_last", "ic0_lengths", "ic0_entries")
MOST_ENTRIES = 2**31 - 1


@implementation(
    stage="laplacian",
    device="gpu",
    paper="parac",
    section="6.2, Table 3",
    available=kernels.available,
    kernels=("ic0.cu", "pcg.cu", "triangular.cu"),
)
def ic0_gpu(
    system: System,
    *,
    policy: Policy = "none",
    triangular: Literal["own", "cusparse"] = "cusparse",
    tail: int = 0,
    rhs: RightHandSide = "random",
) -> tuple[Solution, Work]:
    """Solve by cuSPARSE's csric02 and SpSV, then conjugate gradients, all on the GPU.

    system : on the device
    policy : of csric02, without levels ("none") or by levels; the factor is the same
    triangular : solver with L: "cusparse", SpSV as in the paper, or "own", as in parac_gpu
    tail : as in parac_gpu, with default 0: only fill makes a path of the last vertices, and L has no fill
    rhs : as in parac_cpu

    In each component without the ground, the last diagonal is multiplied by 1 + 1e-6, so that the matrix is
    not singular. Phases and facts as in parac_cpu, and the phase matrix: forming the triangle to be
    factorised. The phase factor includes csric02's analysis; the phase analysis is the solves' own, with L
    and with its transpose. Raises UnsupportedError for a pivot that is not positive, for 2^31 entries in the
    triangle, with "own" beyond 2^28 vertices, and as parac_cpu does. A negative tail raises InputError.
    """
    graph = system.laplacian
    with phase("matrix"):
        indptr, columns, values = _triangle(graph)
    with phase("factor"):
        factorise(indptr, columns, values, policy)
    with phase("analysis"):
        lower = indptr, columns, values
        own = triangular == "own"
        solves = Solves(_factor(graph.n, lower), len(indptr) - 1, tail) if own else Spsv(*_triangles(*lower))
    facts = {"nnz_factor": len(columns) - len(indptr) + 1}
    return solved(system, solves, rhs, facts)


def _triangle(graph: Laplacian) -> tuple[Array, Array, Array]:
    """Return (indptr int32, columns int32, values) of the lower triangle that is factorised."""
    import cupy

    compiled: dict[str, Any] = kernels.load(KERNEL, NAMES)
    rows = graph.n - graph.grounded
    last = cupy.full(graph.components, -1, np.int32)
    launch(compiled["ic0_last"], graph.n, graph.component, np.uint32(graph.n), last)
    structure = graph.pattern.indptr, graph.pattern.indices
    lengths = cupy.zeros(rows + 1, np.int32)
    launch(compiled["ic0_lengths"], rows, *structure, np.uint32(rows), lengths[1:])
    ends = cupy.cumsum(lengths, dtype=np.int64)
    entries = int(ends[-1])
    if entries > MOST_ENTRIES:
        raise UnsupportedError(
            f"{entries} entries of the triangle exceed what csric02 counts ({MOST_ENTRIES})"
        )
    indptr, columns = ends.astype(np.int32), cupy.empty(entries, np.int32)
    values = cupy.empty(len(columns))
    ends_of = graph.component, last, np.uint32(rows)
    launch(compiled["ic0_entries"], rows, *structure, graph.weights, *ends_of, indptr, columns, values)
    return indptr, columns, values


def _triangles(indptr: Array, columns: Array, values: Array) -> tuple[Rows, Rows]:
    """Return L S^-1 and S L^T, where S is the diagonal of L; their product is L L^T."""
    scale = values[indptr[1:] - 1][columns]
    starts, rows, scaled = transposed((indptr, columns, values * scale))
    return (indptr, columns, values / scale), (starts, rows, scaled)


def _factor(n: int, lower: Rows) -> Preconditioner:
    """Return G D G^T = L L^T by columns, where D is the square of L's diagonal.

    n : int, vertices with the ground, whose column is empty, as in ParAC's factor
    """
    import cupy

    indptr, columns, values = lower
    rows = len(indptr) - 1
    scale = values[indptr[1:] - 1]
    starts, indices, entries = transposed((indptr, columns, values / scale[columns]))
    below = cupy.ones(len(indices), np.bool_)
    # The diagonal is the first entry of a column.
    below[starts[:-1]] = False
    ends, diagonal = cupy.zeros(n + 1, np.int64), cupy.zeros(n)
    ends[: rows + 1] = starts - cupy.arange(rows + 1)
    ends[rows:] = len(indices) - rows
    diagonal[:rows] = scale * scale
    return Preconditioner(Pattern(ends, indices[below]), entries[below], diagonal)
