"""LU on one CPU core, end to end: the pattern, its levels, the values, the triangular solves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Filled, Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import assembled, by_both
from impl.numeric.left_looking import left_looking
from impl.solve.right_hand_side import as_matrix, right_hand_side
from impl.solve.triangular import solved
from impl.symbolic.fill1_pruned import fill1_pruned


@implementation(stage="solve", paper="glu3", section="flowchart of GLU, on the CPU")
def lu_cpu(
    prepared: Prepared,
    *,
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
    refine: int = 1,
) -> tuple[Solution, Work]:
    """Solve by fill1_pruned, glu3_relaxed, left_looking and triangular solves (sequential).

    prepared : n x n
    dtype, static_pivoting : as in `left_looking`
    refine : int, steps of iterative refinement in float64, which recover digits lost without pivoting

    Returns x, float64, for the b of `right_hand_side`. Its phases are the stages; levels are computed as in
    every other implementation, although left-looking does not read them. Facts: of `left_looking` and
    `glu3_relaxed`. Raises the errors of `left_looking`, and InputError for refine < 0.
    """
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    with phase("right_hand_side"):
        matrix, b = as_matrix(prepared), right_hand_side(prepared)
    with phase("symbolic"):
        filled, work = fill1_pruned(prepared.pattern)
        assert isinstance(filled, Filled)
    with phase("columns"):
        both = by_both(filled)
    with phase("levels"):
        levels, found = glu3_relaxed(both)
    with phase("assemble"):
        values = assembled(prepared, both, levels)
    with phase("numeric"):
        factor, done = left_looking(values, dtype=dtype, static_pivoting=static_pivoting)
    with phase("triangular"):
        x = solved(factor, b).astype(np.float64)
    with phase("refine"):
        for _ in range(refine):
            x += solved(factor, b - matrix @ x)
    facts = {**(found.facts or {}), **(done.facts or {})}
    return Solution(x), Work(fills=work.fills, facts=facts)
