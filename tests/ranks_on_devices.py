"""fill2_multi on MPI ranks, and gsofa_multi, whose devices are played by NumPy.

Exit status 1 where rank 0 has other rows or supernodes than fill1 and t3."""

import itertools
import sys

import numpy as np
import pytest

from fillpath.nouns import Filled, Pattern
from fillpath.registry import load_all, lookup
from impl.cpu.ranks import rank_of, world
from impl.cuda.transfer import on_host
from tests import numpy_cupy
from tests.patterns import random_pattern

ORDERS = ("contiguous", "inter_node", "intra_node")


def fill2_agrees(pattern: Pattern, expected: Filled, ranks: int, rank: int, order: str) -> bool:
    """Whether rank 0 has the rows, and the counts, that fill1 has."""
    function = lookup("symbolic", "fill2_multi").function
    filled, work = function(pattern, ranks=ranks, order=order)
    counts, _ = function(pattern, ranks=ranks, virtual_gpus=2, order=order, output="counts")
    same = np.array_equal(filled.pattern.indices, expected.pattern.indices)
    same &= np.array_equal(counts.upper, expected.counts().upper)
    return bool(work.facts["workers"] == ranks and (same or rank > 0))


def main() -> int:
    load_all()
    ranks = int(sys.argv[1])
    rank = rank_of(world(ranks))
    pattern = random_pattern(170, 0.04, 5)
    expected, _ = lookup("symbolic", "fill1").function(pattern)
    found, _ = lookup("supernodes", "t3").function(expected, maxsup=16)
    function = lookup("symbolic", "gsofa_multi").function
    wrong = sum(not fill2_agrees(pattern, expected, ranks, rank, order) for order in ORDERS)
    with pytest.MonkeyPatch.context() as patch:
        numpy_cupy.pretend(patch)
        taken = Pattern(numpy_cupy.placed(pattern.indptr), numpy_cupy.placed(pattern.indices))
        for order, gpus in itertools.product(ORDERS, (1, 3)):
            filled, work = function(
                taken, ranks=ranks, gpus=gpus, order=order, maxsup=16, sharing="peer_copy"
            )
            counts, _ = function(taken, ranks=ranks, gpus=gpus, order=order, maxsup=16, output="counts")
            filled, counts = on_host(filled), on_host(counts)
            right = work.facts["supernodes"] == len(found.starts) - 1 and work.facts["load_balance"] >= 1
            right &= work.facts["workers"] == ranks * gpus and work.facts["simulated"] == 0
            if rank == 0:
                right &= np.array_equal(filled.pattern.indices, expected.pattern.indices)
                right &= np.array_equal(filled.pattern.indptr, expected.pattern.indptr)
                right &= np.array_equal(counts.lower, expected.counts().lower)
            wrong += not right
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
