"""AmgX's row in the paper's tables: fillpath has no driver for it."""

from __future__ import annotations

from fillpath.errors import UnsupportedError
from fillpath.nouns import Solution, System, Work
from fillpath.registry import Available, implementation
from impl.peers.optional import importable


def available() -> Available:
    return importable("pyamgx", "AmgX is not installed: there is no Python package pyamgx")


@implementation(
    stage="laplacian",
    device="gpu",
    paper="parac",
    section="6.2, Table 3",
    available=available,
    peer="pyamgx",
)
def amgx(system: System) -> tuple[Solution, Work]:
    """AmgX's algebraic multigrid: a row of the paper's table that fillpath does not measure.

    Raises UnsupportedError: even if the package is installed, there is no driver for it.
    """
    raise UnsupportedError("fillpath has no driver of AmgX: its row shows the paper's figures only")
