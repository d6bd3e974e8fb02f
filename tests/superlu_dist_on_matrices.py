"""By hand: superlu_dist_parallel's row counts on real matrices, against those of fill1_pruned.

    mpirun -n 4 python -m tests.superlu_dist_on_matrices [--ordering natural] [--entries 2e8] [MATRIX ...]

Takes the matrices that are named, or MATRICES, from $FILLPATH_MIRROR or the generators, in METIS order if no
other is asked for, no matching. Prints one row per matrix: the ranks, the rows whose counts differ, the
milliseconds of the phase `symbolic`, the least of REPEATS, and the vertices of the largest leaf and of all
separators. What may fill with more than --entries is left out. Exit status 1 if anything differs,
or nothing was compared.
"""

import argparse
import sys
from typing import Any

import numpy as np

from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath.case import Preparation
from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Pattern
from fillpath.phase import recording
from fillpath.registry import load_all, lookup
from impl.cpu.ranks import everyone, rank_of
from impl.symbolic.separator_tree import separator_tree
from tests.every_matrix import bounds
from tests.phase_nesting import Clock

MATRICES = (
    "bcsstk18", "onetone2", "G2_circuit", "cage11", "ex40", "memplus", "orani678", "gemat11", "west2021",
    "bcsstk32", "rajat12", "poisson3d:40",
)  # fmt: skip
REPEATS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ordering", choices=("metis", "natural"), default="metis")
    parser.add_argument("--entries", type=float, default=2e8)
    parser.add_argument("matrices", nargs="*", default=MATRICES)
    arguments = parser.parse_args()
    load_all()
    from mpi4py import MPI

    communicator = everyone(MPI.COMM_WORLD.Get_size())
    standings = []
    for name in arguments.matrices:
        pattern, reason = prepared(communicator, name, arguments.ordering, arguments.entries)
        row = reason or compared(communicator, pattern)
        standings.append(row)
        if rank_of(communicator) == 0:
            print(f"{name:<14}{arguments.ordering:<9}{communicator.Get_size():>3}  {row}", flush=True)
    if rank_of(communicator) > 0:
        return 0
    same = sum(row.startswith("same") for row in standings)
    return int(same == 0 or any("rows differ" in row for row in standings))


def prepared(communicator: Any, name: str, ordering: str, entries: float) -> tuple[Pattern, str]:
    """The pattern, as rank 0 prepares it, and why it is left out."""
    pattern, reason = None, ""
    if rank_of(communicator) == 0:
        pattern = prepare(resolve(name).text, Preparation("none", ordering)).pattern
        filled = bounds(pattern).filled
        reason = f"left out: up to {filled:.2g} entries of F" if filled > entries else ""
    shared: tuple[Pattern, str] = communicator.bcast((pattern, reason))
    return shared


def compared(communicator: Any, pattern: Pattern) -> str:
    ranks = communicator.Get_size()
    try:
        tree = separator_tree(pattern, ranks)
    except UnsupportedError as problem:
        return f"refused: {problem}"
    seconds = []
    for _ in range(REPEATS):
        communicator.Barrier()
        with recording(Clock()) as clock:
            counts, _ = lookup("symbolic", "superlu_dist_parallel").function(pattern, ranks=ranks)
        seconds.append(clock.seconds["symbolic"])
    if rank_of(communicator) > 0:
        return ""
    assert isinstance(counts, Counts)
    expected, _ = lookup("symbolic", "fill1_pruned").function(pattern, output="counts")
    assert isinstance(expected, Counts)
    differ = np.count_nonzero((counts.lower != expected.lower) | (counts.upper != expected.upper))
    separators = tree.sizes[ranks:].sum()
    shape = f"largest leaf {tree.sizes[:ranks].max()}, separators {separators} of {pattern.n}"
    verdict = f"{differ} rows differ" if differ else "same"
    return f"{verdict}, {1e3 * min(seconds):8.1f} ms, {shape}"


if __name__ == "__main__":
    sys.exit(main())
