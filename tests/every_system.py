"""By hand: systems with every real matrix at hand, by one implementation, through the gate.

    python -m tests.every_system [--stage numeric] [--implementation direct_gpu] [--work 1e11]

Takes the matrices of a folder laid out as the collection ($FILLPATH_MIRROR), matched by mc64. Prints the
first of WAYS whose result passes, with the gate's number, and why those before it did not. What needs more
than --work multiply-adds is left out. Exit status 1 if no way passes for a matrix, or the first for none.
"""

import argparse
import os
import sys
from pathlib import Path

from benchmarks.checks.rows import digest, updates
from benchmarks.engine import operands
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import FillpathError
from fillpath.nouns import Filled, Prepared, Reference
from impl.symbolic.fill1_pruned import fill1_pruned
from tests.devices import hosted
from tests.every_matrix import names
from tests.verdicts import verdict_on

# The ordering, and options; those that the implementation lacks are left out.
WAYS = (
    ("metis", {"static_pivoting": "false", "refine": "1"}),
    ("metis", {"static_pivoting": "true", "refine": "5"}),
    ("amd", {"static_pivoting": "false", "refine": "1"}),
    ("amd", {"static_pivoting": "true", "refine": "20"}),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", choices=("solve", "numeric"), default="solve")
    parser.add_argument("--implementation", default="lu_cpu")
    parser.add_argument("--work", type=float, default=1e11)
    arguments = parser.parse_args()
    registry.load_all()
    entry = registry.lookup(arguments.stage, arguments.implementation)
    counts = dict.fromkeys((*ways(entry), "refused", "left out", "fails"), 0)
    for name in names(Path(os.environ["FILLPATH_MIRROR"])):
        told = tell(entry, name, arguments.work)
        counts[told.partition(":")[0]] += 1
        print(f"{name}: {told}", flush=True)
    print("; ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(counts["fails"] > 0 or counts[next(iter(ways(entry)))] == 0)


def ways(entry: registry.Implementation) -> dict[str, tuple[str, dict[str, str]]]:
    """Name each ordering, and the options of the implementation."""
    has = {option.name for option in entry.options}
    chosen = [(order, {name: text for name, text in given.items() if name in has}) for order, given in WAYS]
    return {
        ", ".join([order, *(f"{k}={v}" for k, v in given.items())]): (order, given) for order, given in chosen
    }


def tell(entry: registry.Implementation, name: str, work: float) -> str:
    """`<way>: pivots, value; what came of those before`, or `refused: ..`, `left out: ..`, `fails: ..`."""
    tried: list[str] = []
    for way, (ordering, options) in ways(entry).items():
        try:
            prepared = prepare(resolve(name).text, Preparation("mc64", ordering))
            filled, _ = fill1_pruned(prepared.pattern)
        except FillpathError as problem:
            return f"refused: {problem}"
        assert isinstance(filled, Filled)
        if (needed := updates(filled)) > work:
            return f"left out: {needed:.2g} multiply-adds"
        passed, what = attempt(entry, prepared, filled, options)
        if passed:
            return "; ".join([f"{way}: {what}", *tried])
        tried.append(f"{way} gave {what}")
    return f"fails: {'; '.join(tried)}"


def attempt(
    entry: registry.Implementation, prepared: Prepared, filled: Filled, options: dict[str, str]
) -> tuple[bool, str]:
    """Whether the result passes, and the gate's number or why there is none."""
    expected = digest(filled)
    reference = Reference(expected.counts, expected.hashes, "fill1_pruned", "")
    try:
        context = operands.context(prepared, reference, entry, options)
        arguments = operands.arguments(entry, options, 0)
        result, did = hosted(entry)(operands.operand(entry, context), **arguments)
        verdict = verdict_on(entry.stage, result, context)
    except FillpathError as problem:
        return False, str(problem)
    pivots = (did.facts or {}).get("small_pivots", 0)
    return verdict.passes, f"{pivots:.0f} pivots, {verdict.value:.1e}"


if __name__ == "__main__":
    sys.exit(main())
