"""The end of conjugate gradients: one rule for every preconditioner.

The papers' codes use four different rules. Here the recurrence runs until its residual is small enough. Then
b - L y is computed from scratch; if that is too large, the iteration starts again from y.
"""

from __future__ import annotations

from dataclasses import dataclass

from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Array

# ||b - L y|| / ||b||, Euclidean norms over the vertices without the ground.
TOLERANCE = 1e-6
MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class Reached:
    """The state when conjugate gradients stop.

    y : (n,) float64 by vertices, the ground's 0
    residual : float, ||b - L y|| / ||b||, at most TOLERANCE
    """

    y: Array
    iterations: int
    residual: float

    def facts(self) -> dict[str, float]:
        return {"iterations": self.iterations, "residual": self.residual}


def unconverged(residual: float) -> UnsupportedError:
    return UnsupportedError(
        f"{MOST_ITERATIONS} iterations of conjugate gradients left a relative residual of {residual:.3g}, "
        f"where {TOLERANCE:g} is asked for"
    )


def broken_down(iterations: int, curvature: float) -> UnsupportedError:
    """Return the error for a curvature, r.z or p.Lp, that shows a preconditioner not to be positive."""
    return UnsupportedError(
        f"conjugate gradients break down after {iterations} iterations: the preconditioner is not positive "
        f"definite ({curvature:.3g})"
    )


def waited_in_vain(iterations: int) -> FillpathError:
    """Return the error for triangular solves whose elements wait for each other."""
    return FillpathError(
        f"the triangular solves wait for an element that never comes, after {iterations} iterations of "
        "conjugate gradients: the factor is not lower triangular, or the device was stopped"
    )
