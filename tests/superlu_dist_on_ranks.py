"""superlu_dist_parallel on MPI ranks, as many as its argument says. Exit status 1 where rank 0 has other row
counts than fill1, or where most patterns are refused."""

import sys
from collections.abc import Iterator

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Counts, Pattern
from fillpath.registry import load_all, lookup
from impl.cpu.ranks import rank_of, world
from tests.patterns import FAMILIES, from_entries, mirrored, random_pattern


def patterns(ranks: int) -> Iterator[Pattern]:
    """Some with fewer vertices than ranks, or without a vertex for each; most with separators."""
    for n in (1, ranks, 50):
        yield from (family(n) for family in FAMILIES.values())
    for seed in range(80):
        pattern = dissected(ranks, seed)
        yield mirrored(pattern) if seed % 2 else pattern


def dissected(ranks: int, seed: int) -> Pattern:
    """Random blocks, one a rank, and behind every two blocks a separator, which may be empty."""
    rng = np.random.default_rng(seed)
    parts = [random_pattern(int(rng.integers(1, 20)), 0.2, seed + rank) for rank in range(ranks)]
    while len(parts) > 1:
        parts = [_joined(*parts[k : k + 2], rng) for k in range(0, len(parts), 2)]
    return parts[0]


def _joined(left: Pattern, right: Pattern, rng: np.random.Generator) -> Pattern:
    halves, n = left.n + right.n, left.n + right.n + int(rng.integers(0, 9))
    rows, columns = rng.integers(0, n, (2, 4 * (n - halves)))
    behind = np.maximum(rows, columns) >= halves
    entries = [(left.rows(), left.indices), (right.rows() + left.n, right.indices + left.n)]
    entries.append((rows[behind], columns[behind]))
    return from_entries(n, *(np.concatenate(each).astype(np.int64) for each in zip(*entries, strict=True)))


def is_right(pattern: Pattern, ranks: int, rank: int) -> bool | None:
    """None of a pattern that is refused."""
    filled, _ = lookup("symbolic", "fill1").function(pattern)
    expected = filled.counts()
    try:
        counts, _ = lookup("symbolic", "superlu_dist_parallel").function(pattern, ranks=ranks)
    except UnsupportedError:
        return None
    assert isinstance(counts, Counts)
    equal = np.array_equal(counts.lower, expected.lower) and np.array_equal(counts.upper, expected.upper)
    return rank > 0 or equal


def main() -> int:
    load_all()
    ranks = int(sys.argv[1])
    rank = rank_of(world(ranks))
    right = [is_right(pattern, ranks, rank) for pattern in patterns(ranks)]
    return int(False in right or right.count(True) < 60)


if __name__ == "__main__":
    sys.exit(main())
