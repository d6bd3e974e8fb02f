"""The system of the stage `solve`, made on the device."""

from __future__ import annotations

from fillpath.nouns import Array, Prepared
from impl.peers.cusparse import Matrix
from impl.solve.right_hand_side import known_solution


def on_device(prepared: Prepared) -> tuple[Matrix, Array]:
    """Return the prepared matrix, its arrays not copied, and b = A times `known_solution`, (n,) float64."""
    import cupy

    matrix = Matrix(prepared.pattern, prepared.values)
    return matrix, matrix.product(cupy.asarray(known_solution(prepared.pattern.n)))
