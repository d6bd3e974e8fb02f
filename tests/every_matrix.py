"""By hand: every implementation of `symbolic` on every real matrix at hand, against the Reference.

    python -m tests.every_matrix [--device gpu] [--work 2e10] [--entries 1e9]

Takes the matrices of a folder laid out as the collection ($FILLPATH_MIRROR), natural and METIS ordering, no
matching, and holds each result against that of fill1_pruned. What may take more than --work operations, or a
filled pattern of more than --entries, is left out and listed. Exit status 1 if anything differs, or nothing
was compared.
"""

import argparse
import csv
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.checks.rows import digest, verify_symbolic
from benchmarks.engine import device_digest
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Filled, Pattern, Reference
from impl.cuda.transfer import on_device, on_host
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts

# The bound that an implementation's time is proportional to: edges of fill2 for the others.
WORK = {"fill1": "updates", "gilbert_peierls": "updates"}
# What an edge takes of gsofa_cpu, which keeps its frontiers through atomics.
EDGES_OF_GSOFA = 20
# Options with which an implementation runs once more where the pattern is symmetric, and takes another way.
SYMMETRIC_OPTIONS: dict[str, dict[str, Any]] = {"bitfronts_gpu": {"path": "fronts"}}


class Bounds(NamedTuple):
    """Upper bounds by the elimination tree of A | A^T, exact where A is symmetric.

    filled : entries of F
    edges : of fill2
    updates : of fill1
    """

    filled: int
    edges: int
    updates: float


def bounds(pattern: Pattern) -> Bounds:
    tree = elimination_tree(pattern)
    counts = factor_counts(tree)
    before = np.append(0, np.cumsum(np.diff(pattern.indptr)[tree.vertex]))
    labels = np.arange(pattern.n)
    # A source expands its proper descendants, whose labels end before its own.
    edges = before[labels] - before[labels + 1 - tree.size.astype(np.int64)]
    updates = counts.columns.astype(float) @ (counts.columns - 1)
    return Bounds(int(counts.rows.sum() + counts.columns.sum()), int(edges.sum()), float(updates))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--work", type=float, default=2e10)
    parser.add_argument("--entries", type=float, default=1e9)
    arguments = parser.parse_args()
    registry.load_all()
    chosen = [e for e in registry.registered("symbolic") if e.device == arguments.device and not e.peer]
    chosen = [e for e in chosen if e.name != "fill1_pruned" and e.available()[0]]
    counts = {"same": 0, "differs": 0, "left out": 0, "refused": 0, "unsymmetric": 0}
    for name in names(Path(os.environ["FILLPATH_MIRROR"])):
        for ordering in ("natural", "metis"):
            for told in compare(name, ordering, chosen, arguments.work, arguments.entries):
                verdict = told.partition(":")[0]
                counts[verdict] += 1
                if verdict not in ("same", "unsymmetric"):
                    print(f"{name} {ordering}: {told}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(counts["differs"] > 0 or counts["same"] == 0)


def names(folder: Path) -> list[str]:
    with (folder / "here.csv").open(newline="") as handle:
        return [f"{row['group']}/{row['name']}" for row in csv.DictReader(handle)]


def compare(
    name: str, ordering: str, chosen: list[registry.Implementation], work: float, entries: float
) -> list[str]:
    """What each implementation made of it: `same`, `differs: ..`, `left out: ..`, `refused: ..`, or, of one
    that takes symmetric patterns alone, `unsymmetric: ..`."""
    try:
        pattern = prepare(resolve(name).text, Preparation("none", ordering)).pattern
    except FillpathError as problem:
        return [f"refused: {problem}"]
    most = bounds(pattern)
    if most.filled > entries:
        return [f"left out: up to {most.filled:.2g} entries of F"]
    filled, _ = registry.lookup("symbolic", "fill1_pruned").function(pattern)
    expected = digest(filled)
    made = Reference(expected.counts, expected.hashes, "fill1_pruned", "")
    again = [e for e in chosen if e.name in SYMMETRIC_OPTIONS] if is_symmetric(pattern) else []
    runs = [(e, {}) for e in chosen] + [(e, SYMMETRIC_OPTIONS[e.name]) for e in again]
    return [run(entry, options, pattern, made, most, work) for entry, options in runs]


def is_symmetric(pattern: Pattern) -> bool:
    """Whether each entry has its mirror: a sort of both, which shares nothing with the implementations."""
    rows, columns = pattern.rows().astype(np.int64), pattern.indices.astype(np.int64)
    return np.array_equal(np.sort(rows * pattern.n + columns), np.sort(columns * pattern.n + rows))


def run(
    entry: registry.Implementation,
    options: dict[str, Any],
    pattern: Pattern,
    made: Reference,
    most: Bounds,
    work: float,
) -> str:
    label = " ".join([entry.name, *(f"{name}={value}" for name, value in options.items())])
    expected = getattr(most, WORK.get(entry.name, "edges"))
    expected *= EDGES_OF_GSOFA if entry.name == "gsofa_cpu" else 1
    if expected > work:
        return f"left out: {label}, up to {expected:.2g} operations"
    on_gpu = entry.device == "gpu"
    if on_gpu:
        _empty_pool()
    start = time.perf_counter()
    try:
        result, _ = entry.function(on_device(pattern) if on_gpu else pattern, **options)
    except MemoryBudgetError as problem:
        return f"left out: {label}, {problem}"
    except UnsupportedError as problem:
        if is_symmetric(pattern):
            return f"differs: {label} refuses a symmetric pattern, {problem}"
        return f"unsymmetric: {label}"
    assert isinstance(result, Filled)
    rows = verify_symbolic(on_host(device_digest.digest(result)) if on_gpu else result, made).value
    seconds = time.perf_counter() - start
    return f"differs: {label} in {rows:.0f} rows ({seconds:.1f} s)" if rows else "same"


def _empty_pool() -> None:
    """Give back what the last implementation left in CuPy's pool, as in a process of its own."""
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
    cupy.get_default_pinned_memory_pool().free_all_blocks()


if __name__ == "__main__":
    sys.exit(main())
