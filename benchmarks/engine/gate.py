"""The gate: no result is timed that was not verified first, and none is verified by its own code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from benchmarks.checks.laplacians import verify_potentials, verify_preconditioner
from benchmarks.checks.levels import verify_levels
from benchmarks.checks.residuals import verify_factor, verify_residual, verify_solution
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import (
    Array,
    Counts,
    Factorised,
    Filled,
    Prepared,
    Reference,
    Supernodes,
    System,
    TwoWay,
)
from fillpath.record import Verified

# Stages whose gate reads F, and those whose gate reads its places by columns too.
ON_FILLED = ("supernodes", "levels")
ON_TWO_WAY = ("numeric",)


@dataclass(frozen=True, eq=False)
class Context:
    """What a result is held against. options : the implementation's, defaults included. peer : whether a
    whole factorisation is an answer. filled : F, equal to the reference, and two_way : it by rows and by
    columns; system : of the graph that the matrix stands for; factored_by, columns : who made the factor of
    the same seed, and `column_hashes` of it. None where nothing reads them."""

    prepared: Prepared
    reference: Reference | None
    options: Mapping[str, Any]
    peer: bool = False
    filled: Filled | None = None
    two_way: TwoWay | None = None
    system: System | None = None
    factored_by: str = ""
    columns: Array | None = None


def require(stage: str) -> None:
    """Raise UnsupportedError for a stage without a gate: what cannot be verified is not measured."""
    if stage not in _GATES:
        raise UnsupportedError(f"stage {stage} has no gate yet, so that nothing of it is measured")


def verify(stage: str, result: Any, context: Context) -> Verified:
    """Hold a result of a stage against what it should be. Passed where value <= bound.

    Raises UnsupportedError for a stage without a gate.
    """
    require(stage)
    return _GATES[stage](result, context)


def _verify_symbolic_stage(result: Any, context: Context) -> Verified:
    """By what it returns, where that is what was asked for: row counts and a peer's factorisation are other
    work than the pattern, and are measured under another name only."""
    if context.reference is None:
        raise FillpathError("stage symbolic: its gate needs the reference")
    if isinstance(result, Factorised) and context.peer:
        return verify_residual(result, context.prepared)
    if isinstance(result, Counts) and context.options.get("output") == "counts":
        return verify_counts(result, context.reference)
    return verify_symbolic(result, context.reference)


def _verify_supernodes_stage(result: Any, context: Context) -> Verified:
    if context.filled is None or "maxsup" not in context.options:
        raise FillpathError("stage supernodes: its gate needs the filled pattern and an option maxsup")
    return verify_supernodes(result, context.filled, context.options["maxsup"])


def _verify_levels_stage(result: Any, context: Context) -> Verified:
    if context.filled is None:
        raise FillpathError("stage levels: its gate needs the filled pattern")
    return verify_levels(result, context.filled)


def _verify_numeric_stage(result: Any, context: Context) -> Verified:
    if isinstance(result, Factorised) and context.peer:
        return verify_residual(result, context.prepared)
    if context.two_way is None:
        raise FillpathError("stage numeric: its gate needs the filled pattern by rows and by columns")
    options = context.options
    static = bool(options.get("static_pivoting"))
    return verify_factor(result, context.prepared, context.two_way, options.get("dtype"), static)


def _verify_solve_stage(result: Any, context: Context) -> Verified:
    return verify_solution(result, context.prepared, context.options.get("dtype"))


def _verify_cholesky_stage(result: Any, context: Context) -> Verified:
    if context.system is None or context.columns is None:
        raise FillpathError("stage cholesky: its gate needs the graph and the factor of the same seed")
    graph, by = context.system.laplacian, context.factored_by
    return verify_preconditioner(result, graph, by, context.columns)


def _verify_laplacian_stage(result: Any, context: Context) -> Verified:
    if context.system is None:
        raise FillpathError("stage laplacian: its gate needs the system")
    return verify_potentials(result, context.system, product=context.options.get("rhs") == "product")


_GATES: Mapping[str, Callable[[Any, Context], Verified]] = {
    "symbolic": _verify_symbolic_stage,
    "supernodes": _verify_supernodes_stage,
    "levels": _verify_levels_stage,
    "numeric": _verify_numeric_stage,
    "solve": _verify_solve_stage,
    "cholesky": _verify_cholesky_stage,
    "laplacian": _verify_laplacian_stage,
}


def verify_symbolic(result: Any, reference: Reference) -> Verified:
    """Row counts of L and U and 64-bit row hashes equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    differing = _differing_rows(result, reference) if _well_formed(result, n) else n
    return Verified(_by(reference), method="row counts and row hashes", value=float(differing), bound=0.0)


def verify_counts(result: Counts, reference: Reference) -> Verified:
    """Row counts of L and U equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    well_formed = all(_is_row_array(counts, n) for counts in (result.lower, result.upper))
    differing = int(np.count_nonzero(~_same_counts(result, reference))) if well_formed else n
    return Verified(_by(reference), method="row counts", value=float(differing), bound=0.0)


def verify_supernodes(result: Any, filled: Filled, maxsup: int) -> Verified:
    """T3 by its definition; value: rows that are joined to the row before, or parted from it, wrongly.

    Row s joins the supernode of s - 1, which begins at r, if and only if s is no multiple of maxsup,
    nnz(U[s,:]) == nnz(U[s-1,:]) - 1 and L[s,r] != 0. Boundaries that cannot be are wrong in all rows.
    """
    n = filled.pattern.n
    wrong = _wrong_boundaries(result.starts, filled, maxsup) if _is_partition(result, n) else n
    by = "filled pattern, equal to the reference"
    return Verified(by, method="definition of T3, row by row", value=float(wrong), bound=0.0)


def row_hashes(filled: Filled) -> Array:
    """(n,) uint64: a hash of each row that depends on its columns and on their order."""
    hashes: Array = _row_hashes(filled.pattern.indptr, filled.pattern.indices)
    return hashes


def _by(reference: Reference) -> str:
    return f"reference ({reference.made_by}, checked by {reference.checked_by})"


def _well_formed(result: Any, n: int) -> bool:
    """Whether the arrays can be read at all without leaving them."""
    if not isinstance(result, Filled) or result.pattern.n != n or not _is_row_array(result.upper_start, n):
        return False
    indptr = result.pattern.indptr
    try:
        result.pattern.validate()
    except InputError:
        return False
    return bool(np.all(result.upper_start >= indptr[:-1]) and np.all(result.upper_start < indptr[1:]))


def _differing_rows(result: Filled, reference: Reference) -> int:
    same = _same_counts(result.counts(), reference) & (row_hashes(result) == reference.row_hashes)
    return int(np.count_nonzero(~same))


def _same_counts(counts: Counts, reference: Reference) -> Array:
    expected = reference.counts
    same: Array = (counts.lower == expected.lower) & (counts.upper == expected.upper)
    return same


def _is_row_array(array: Any, n: int) -> bool:
    return isinstance(array, np.ndarray) and array.shape == (n,) and array.dtype == np.int64


def _is_partition(result: Any, n: int) -> bool:
    """Whether the boundaries cut rows 0 to n - 1 into non-empty ranges."""
    if not isinstance(result, Supernodes) or not _is_row_array(result.starts, np.size(result.starts)):
        return False
    ascending = bool(np.all(np.diff(result.starts) > 0))
    return len(result.starts) > 1 and result.starts[0] == 0 and result.starts[-1] == n and ascending


def _wrong_boundaries(starts: Array, filled: Filled, maxsup: int) -> int:
    """The recurrence is on rows, but each row is judged by itself, given the start that the result names."""
    n = filled.pattern.n
    rows = np.arange(1, n)
    joined = np.ones(n, np.bool_)
    joined[starts[:-1]] = False
    first = np.repeat(starts[:-1], np.diff(starts))[: n - 1]
    upper = filled.counts().upper
    by_count = (rows % maxsup != 0) & (upper[1:] == upper[:-1] - 1)
    expected = by_count & _row_holds(filled.pattern.indptr, filled.pattern.indices, rows, first, by_count)
    return int(np.count_nonzero(joined[1:] != expected))


@njit(cache=True)
def _row_holds(indptr, indices, rows, columns, asked):
    """(len(rows),) bool: whether columns[k] stands in row rows[k], where it is asked for."""
    holds = np.zeros(len(rows), np.bool_)
    for k in range(len(rows)):
        if asked[k]:
            for p in range(indptr[rows[k]], indptr[rows[k] + 1]):
                holds[k] |= indices[p] == columns[k]
    return holds


@njit(cache=True)
def _row_hashes(indptr, indices):
    """Per row, Steele, Lea and Flood's SplitMix64 finaliser folded over the columns."""
    n = len(indptr) - 1
    hashes = np.empty(n, np.uint64)
    for row in range(n):
        state = np.uint64(0x9E3779B97F4A7C15)
        for p in range(indptr[row], indptr[row + 1]):
            state = (state ^ np.uint64(indices[p])) + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state ^= state >> np.uint64(31)
        hashes[row] = state
    return hashes
