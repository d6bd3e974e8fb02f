"""Exact symbolic LU without a search for paths, on the GPU: the elimination tree, and fronts of bits.

The method is the project's own; we know of no publication. Where the pattern is structurally symmetric, its
elimination tree suffices: J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix
Anal. Appl. 11 (1990); J. R. Gilbert, E. G. Ng and B. W. Peyton, An efficient algorithm to compute row and
column counts for sparse Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994). Any other pattern is
eliminated on the fronts of A | A^T (I. S. Duff and J. K. Reid, The multifrontal solution of indefinite sparse
symmetric linear equations, ACM Trans. Math. Softw. 9 (1983)), with one bit for each entry. docs/bitfronts.md
has the steps, the proof and an example.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.symbolic.bitfronts_analysis import Request, Shape, analyse, list_fronts
from impl.symbolic.bitfronts_elimination import eliminate, team_limit
from impl.symbolic.bitfronts_output import least_bytes, write_rows

VARIANTS = ((), ("COLUMNS=0",), ("COLUMNS=1",), ("FULL=0",), ("FULL=1",))


@implementation(
    stage="symbolic",
    device="gpu",
    available=kernels.available,
    kernels=("bitfronts_tree.cu", "bitfronts_lists.cu", "bitfronts_bits.cu", "bitfronts_rows.cu"),
)
def bitfronts_gpu(
    pattern: Pattern,
    *,
    path: Literal["auto", "tree", "fronts"] = "auto",
    memory_budget: int | None = None,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by elimination trees and fronts of bits, on the GPU (no paper's).

    pattern : n x n, sorted, diagonal present; on the device
    path : "tree", for structurally symmetric patterns only; "fronts", for any; "auto", by a check in the
        first step
    memory_budget : int, bytes of all arrays but the result's; None is half of what is free. If the bits of
        all fronts do not fit, they are eliminated in waves by height
    output : "pattern", or "counts", which leaves the columns out

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work. It has
    fills, peak_memory and facts, but no edges. Raises UnsupportedError for path=tree where the pattern is not
    symmetric. Raises MemoryBudgetError, with the bytes needed, before they are allocated.
    """
    if pattern.n == 0:
        return _nothing(output)
    columns = output == "pattern"
    shape = Shape()
    with phase("tree"):
        most = min(shape.most, team_limit(columns))
        analysis = analyse(Request(pattern, path, columns, memory_budget, shape, most))
    if path == "tree" and not analysis.totals.symmetric:
        raise UnsupportedError("path=tree: the pattern is not structurally symmetric; path=fronts takes any")
    totals, facts = analysis.totals, {"tree": float(analysis.is_tree)}
    if analysis.is_tree and not columns:
        return analysis.counts, _work(pattern, totals.entries, analysis.nbytes, facts)
    with phase("lists"):
        fronts = list_fronts(analysis)
    facts |= {"fronts": float(totals.fronts), "largest_front": float(totals.largest)}
    elimination = None
    if not analysis.is_tree:
        with phase("eliminate"):
            elimination = eliminate(fronts, least_bytes(pattern.n) if columns else 0)
        facts |= {"waves": float(elimination.waves), "bytes_bits": float(elimination.bits.nbytes)}
    if elimination is not None and not columns:
        return analysis.counts, _work(pattern, elimination.entries, elimination.nbytes, facts)
    with phase("rows"):
        filled, nbytes = write_rows(fronts, elimination)
    return filled, _work(pattern, int(filled.pattern.indices.size), nbytes, facts)


def _work(pattern: Pattern, entries: int, peak_memory: int, facts: dict[str, float]) -> Work:
    return Work(fills=entries - int(pattern.indices.size), peak_memory=peak_memory, facts=facts)


def _nothing(output: str) -> tuple[Filled | Counts, Work]:
    import cupy

    none = cupy.zeros(0, np.int64)
    if output == "counts":
        return Counts(none, none), Work(fills=0, peak_memory=0)
    return Filled(Pattern(cupy.zeros(1, np.int64), cupy.zeros(0, np.int32)), none), Work(
        fills=0, peak_memory=0
    )
