"""cuSolverRf as a peer: the cost of a second system of one pattern after a factorisation on the host."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csc_array

from fillpath.errors import InputError
from fillpath.nouns import Array, Filled, Pattern, Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda.transfer import on_host
from impl.peers.cusolver_rf import Factors, System, available, opened
from impl.peers.superlu import factorise
from impl.solve.device_system import on_device
from impl.solve.right_hand_side import as_matrix
from impl.symbolic.fill1_pruned import fill1_pruned


@dataclass(frozen=True, eq=False)
class _Analysed:
    """The analysis that a second system of a pattern takes from the first.

    pattern : of its matrix, held so that no other pattern takes its address
    system : after its analysis
    facts : of its factors
    """

    pattern: Pattern
    system: System
    facts: dict[str, float]


# The analysis of the last call with analysis="kept", and the stack that frees it; at most one entry.
_kept: list[tuple[_Analysed, ExitStack]] = []


@implementation(stage="solve", device="gpu", available=available, peer="cusolver_rf")
def cusolver_rf(
    prepared: Prepared, *, analysis: Literal["fresh", "kept"] = "fresh", refine: int = 1
) -> tuple[Solution, Work]:
    """Factorise again and solve by NVIDIA's cuSolverRf (GPU), after SuperLU on the host.

    prepared : n x n, on the device, factorised in its own order
    analysis : "kept" reuses the factors' pattern, the pivots and the analysis of the last call, if that had
        the same pattern. This is the purpose of cuSolverRf
    refine : as in lu_cpu, with residuals by cuSPARSE

    The first factors come from `impl.peers.superlu`, whose pivots leave the diagonal only where that is 0.
    They are stored in the whole filled pattern. cuSolverRf has its defaults, and the fast way to take new
    values, as NVIDIA's example. Returns x, float64, for the b of `right_hand_side`, on the device. Phases:
    right_hand_side; on a fresh analysis to_host, convert, factorise, traverse, set_up and analysis; numeric;
    triangular; refine. Facts: nnz_factor, entries of L and U; moved, rows whose pivot left the diagonal.
    cuSolverRf's memory is outside of CuPy's pool and not in `peak_memory`. Raises InputError for refine < 0;
    UnsupportedError for a singular matrix and a pivot of 0; MemoryBudgetError if it runs out of memory.
    """
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = on_device(prepared)
    kept = _last_analysed(prepared, analysis == "kept")
    with kept[1] if kept else ExitStack() as stack:
        analysed = kept[0] if kept else _analysed(prepared, stack)
        system = analysed.system
        with phase("numeric"):
            system.factorise(prepared.values)
        with phase("triangular"):
            x = system.solved(b)
        with phase("refine"):
            for _ in range(refine):
                x += system.solved(matrix.residual(b, x))
        if analysis == "kept":
            _kept.append((analysed, stack.pop_all()))
    return Solution(x), Work(facts=analysed.facts)


def _last_analysed(prepared: Prepared, keep: bool) -> tuple[_Analysed, ExitStack] | None:
    """Take the kept analysis and the stack that frees it, or free it if it does not fit."""
    if not _kept:
        return None
    analysed, closing = _kept.pop()
    if keep and analysed.pattern is prepared.pattern:
        return analysed, closing
    closing.close()
    return None


def _analysed(prepared: Prepared, stack: ExitStack) -> _Analysed:
    """Return the analysis of a new pattern. stack : frees it."""
    with phase("to_host"):
        here: Prepared = on_host(prepared)
    factors = _first_factors(here)
    with phase("set_up"):
        system = stack.enter_context(opened(prepared.pattern, here.pattern, factors))
    with phase("analysis"):
        system.analyse()
    moved = int(np.count_nonzero(factors.rows != np.arange(prepared.pattern.n)))
    facts = {"nnz_factor": float(len(factors.values)), "moved": float(moved)}
    return _Analysed(prepared.pattern, system, facts)


def _first_factors(prepared: Prepared) -> Factors:
    """Return SuperLU's factors in the whole filled pattern: SuperLU leaves out what is 0 by chance."""
    matrix = as_matrix(prepared)
    with phase("convert"):
        columns = matrix.tocsc()
    with phase("factorise"):
        found = factorise(columns)
    rows = np.argsort(found.perm_r).astype(np.int32)
    moved = matrix[rows]
    filled, _ = fill1_pruned(Pattern(moved.indptr.astype(np.int64), moved.indices.astype(np.int32)))
    assert isinstance(filled, Filled)
    with phase("convert"):
        values, keys = np.zeros(filled.pattern.nnz), _keys(filled.pattern)
        for triangle in (found.L, found.U):
            # The diagonal of L, which is 1, comes before U's.
            values[np.searchsorted(keys, _keys_of(triangle))] = triangle.data
    return Factors(rows, filled, values)


def _keys(pattern: Pattern) -> Array:
    keys: Array = pattern.rows() * pattern.n + pattern.indices
    return keys


def _keys_of(triangle: csc_array) -> Array:
    n = triangle.shape[0]
    keys: Array = triangle.indices.astype(np.int64) * n + np.repeat(np.arange(n), np.diff(triangle.indptr))
    return keys
