"""By hand: linear systems with every real matrix at hand, by an implementation of `solve`, through its gate.

    python -m tests.every_system [--implementation direct_gpu] [--work 1e11]

Takes the matrices of a folder laid out as the collection ($FILLPATH_MIRROR), matched by mc64, and says the
residual of the first of WAYS whose solution passes; what cannot be factorised is listed with the reason. What
needs more than --work multiply-adds is left out. Exit status 1 if no way passes for a matrix, or none does.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.checks.residuals import verify_solution
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Filled, Prepared
from impl.symbolic.fill1_pruned import fill1_pruned
from tests.devices import hosted
from tests.every_matrix import names


@dataclass(frozen=True)
class Way:
    """ordering : after mc64. static : whether small pivots are replaced. refine : steps."""

    ordering: str
    static: bool
    refine: int

    def __str__(self) -> str:
        return (
            f"{self.ordering}, {'small pivots replaced' if self.static else 'as it is'}, refine={self.refine}"
        )


WAYS = (Way("metis", False, 1), Way("metis", True, 5), Way("amd", False, 1), Way("amd", True, 20))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--implementation", default="lu_cpu")
    parser.add_argument("--work", type=float, default=1e11)
    arguments = parser.parse_args()
    registry.load_all()
    solve = hosted(registry.lookup("solve", arguments.implementation))
    counts = dict.fromkeys((*map(str, WAYS), "refused", "left out", "wrong"), 0)
    for name in names(Path(os.environ["FILLPATH_MIRROR"])):
        told = tell(solve, name, arguments.work)
        counts[told.partition(":")[0]] += 1
        print(f"{name}: {told}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(counts["wrong"] > 0 or counts[str(WAYS[0])] == 0)


def tell(solve: Any, name: str, work: float) -> str:
    """`<way>: pivots, residual; what came of those before`, or `refused: ..`, `left out: ..`, `wrong: ..`."""
    tried: list[str] = []
    for way in WAYS:
        try:
            prepared = prepare(resolve(name).text, Preparation("mc64", way.ordering))
            if (needed := updates(prepared)) > work:
                return f"left out: {needed:.2g} multiply-adds"
        except FillpathError as problem:
            return f"refused: {problem}"
        passed, what = attempt(solve, prepared, way)
        if passed:
            return "; ".join([f"{way}: {what}", *tried])
        tried.append(f"{way} gave {what}")
    return f"wrong: {'; '.join(tried)}"


def attempt(solve: Any, prepared: Prepared, way: Way) -> tuple[bool, str]:
    """Whether the solution passes, and its residual or why there is none."""
    try:
        solution, did = solve(prepared, static_pivoting=way.static, refine=way.refine)
    except FillpathError as problem:
        return False, str(problem)
    verdict = verify_solution(solution, prepared, "float64")
    pivots = f"{did.facts['small_pivots']:.0f} pivots, " if way.static else ""
    return bool(verdict.value <= verdict.bound), f"{pivots}{verdict.value:.1e}"


def updates(prepared: Prepared) -> float:
    """Multiply-adds of the factorisation: of each column, those below its diagonal by those right of it."""
    filled, _ = fill1_pruned(prepared.pattern)
    assert isinstance(filled, Filled)
    indptr, upper = filled.pattern.indptr, filled.upper_start
    right = indptr[1:] - upper - 1
    below = np.bincount(filled.pattern.indices, minlength=prepared.pattern.n) - 1
    above = np.bincount(_upper_columns(filled), minlength=prepared.pattern.n)
    return float(((below - above) * right).sum())


def _upper_columns(filled: Filled) -> Any:
    """Columns of what stands right of the diagonals."""
    indptr = filled.pattern.indptr
    places = np.arange(indptr[-1])
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return filled.pattern.indices[places > filled.upper_start[rows]]


if __name__ == "__main__":
    sys.exit(main())
