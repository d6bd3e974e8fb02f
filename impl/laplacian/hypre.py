"""HYPRE's row in the paper's tables: fillpath has no driver for it."""

from __future__ import annotations

from fillpath.errors import UnsupportedError
from fillpath.nouns import Solution, System, Work
from fillpath.registry import Available, implementation
from impl.peers.optional import importable


def available() -> Available:
    return importable("hypre", "HYPRE is not installed: there is no Python package hypre")


@implementation(
    stage="laplacian",
    device="cpu",
    paper="parac",
    section="6.1, Table 2",
    available=available,
    peer="hypre",
)
def hypre(system: System) -> tuple[Solution, Work]:
    """HYPRE's algebraic multigrid: a row of the paper's table that fillpath does not measure.

    Raises UnsupportedError: even if the package is installed, there is no driver for it.
    """
    raise UnsupportedError("fillpath has no driver of HYPRE: its row shows the paper's figures only")
