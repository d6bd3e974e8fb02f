"""The reference of a prepared matrix: made by fill1_pruned, checked by bitfronts_cpu, then cached.

The two share no code. Where F is small gilbert_peierls, a third method, checks as well: its work is that of
the numerical factorisation, which in three dimensions grows with n^2. It checks alone where A | A^T fills so
much more than A that the fronts of bits would take more memory than F.
"""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.checks.rows import digest, updates, verify_symbolic
from fillpath.errors import FillpathError
from fillpath.nouns import Counts, Filled, Pattern, Prepared, Reference
from fillpath.paths import atomic_write, cache
from impl.symbolic.bitfronts_cpu import bitfronts_cpu
from impl.symbolic.elimination_tree import NONE, elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.fill1_pruned import fill1_pruned
from impl.symbolic.gilbert_peierls import gilbert_peierls

# A change of what a reference holds, or of how its hashes are made, is another version.
VERSION = "v1"
# Entries of F up to which gilbert_peierls checks as well. An update belongs to an entry of each of L, U and
# F, any two of which name the third. So m entries take at most m^(3/2) / 2 updates (Loomis and Whitney 1949).
# Here that is 2.6e9, or 1.6 s at 0.6 ns an update. A full F has two thirds of that, and took 0.35 s.
MOST_ENTRIES = 3_000_000
# Updates up to which gilbert_peierls checks alone where fronts of bits would take too much memory: a minute
# at 0.6 ns an update. With more, bitfronts_cpu checks all the same.
MOST_UPDATES = 100_000_000_000
# Bytes of bits that bitfronts_cpu may hold whatever F takes: few for a process.
LEAST_ROOM = 16_000_000


def reference_path(prepared_hash: str) -> Path:
    """Return the place of a prepared matrix's reference in the cache."""
    return cache() / "references" / f"{VERSION}-{prepared_hash}.npz"


def reference(prepared: Prepared) -> Reference:
    """Return the reference of a prepared matrix, from the cache or made now."""
    path = reference_path(prepared.hash)
    made = load_reference(path)
    if made is None:
        made = make_reference(prepared.pattern)
        _save(path, made)
    return made


def make_reference(pattern: Pattern) -> Reference:
    """Factorise with fill1_pruned and hold independent implementations against it.

    Only digests are kept, so that one pattern is held at a time. Raises FillpathError where they differ.
    """
    filled, _ = fill1_pruned(pattern)
    checkers = _checkers(pattern, filled)
    first = digest(filled)
    del filled
    names = " and ".join(checker.__name__ for checker in checkers)
    reference = Reference(first.counts, first.hashes, "fill1_pruned", names)
    for checker in checkers:
        verdict = verify_symbolic(digest(checker(pattern)[0]), reference)
        if not verdict.passes:
            differ = f"{checker.__name__} and fill1_pruned differ in {verdict.value:.0f} rows"
            raise FillpathError(f"reference: {differ}; report this")
    return reference


def _checkers(pattern: Pattern, filled: Filled) -> tuple[Callable[[Pattern], tuple[Any, Any]], ...]:
    """Return bitfronts_cpu, with gilbert_peierls where F is small.

    gilbert_peierls checks alone where it can and bitfronts_cpu's bits would take more memory than F.
    """
    few = filled.pattern.nnz <= MOST_ENTRIES
    large = front_bytes(pattern) > max(LEAST_ROOM, filled.pattern.indices.nbytes)
    if large and updates(filled) <= MOST_UPDATES:
        return (gilbert_peierls,)
    return (bitfronts_cpu, gilbert_peierls) if few else (bitfronts_cpu,)


def front_bytes(pattern: Pattern) -> float:
    """Estimate what the bits of bitfronts_cpu take at once, as if each column were a front of its own.

    The entries of A | A^T's factor and of its transpose are kept. A column adds its own bits and those of
    subtrees that wait for a parent.
    """
    tree = elimination_tree(pattern)
    size = factor_counts(tree).columns.astype(np.float64)
    left = (size - 1) ** 2
    child = tree.parent != NONE
    joined = np.bincount(tree.parent[child], left[child], minlength=pattern.n)
    # A column's own bits are there before what is joined to them is free.
    most = np.max(np.cumsum(left - joined) - left + joined + size**2)
    return float(most + 2 * size.sum()) / 8


def load_reference(path: Path) -> Reference | None:
    """Return the cached reference, None where it is absent or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            made_by, checked_by = json.loads(str(stored["provenance"]))
            counts = Counts(stored["lower"], stored["upper"])
            return Reference(counts, stored["row_hashes"], made_by, checked_by)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _save(path: Path, reference: Reference) -> None:
    provenance = np.array(json.dumps([reference.made_by, reference.checked_by]))
    arrays = {**vars(reference.counts), "row_hashes": reference.row_hashes, "provenance": provenance}
    with atomic_write(path, "wb") as handle:
        np.savez(handle, **arrays)
