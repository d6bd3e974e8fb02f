"""Quantities that a record counts without a clock: compared exactly, because identical runs count the same.

`LEFT_OUT` lists what varies between runs of the same key, with reasons. docs/notes/exact.md counts the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch

from fillpath.record import Record, Status


@dataclass(frozen=True)
class Quantity:
    """A number and its unit: `bytes`, `ratio` or `count`."""

    value: float
    unit: str

    @property
    def text(self) -> str:
        """`1,200`, `4,096 bytes`."""
        return f"{self.value:,.17g}" + (f" {self.unit}" if self.unit == "bytes" else "")


@dataclass(frozen=True)
class LeftOut:
    """Quantities that are not compared.

    names, implementations : patterns of fnmatch; the latter of a case before its matrix
    """

    names: tuple[str, ...]
    implementations: tuple[str, ...]
    reason: str

    def covers(self, implementation: str, name: str) -> bool:
        """Return whether it leaves out this quantity of that implementation."""
        return any(fnmatch(name, pattern) for pattern in self.names) and any(
            fnmatch(implementation, pattern) for pattern in self.implementations
        )


EVERY = ("*",)
TRAVERSALS = ("symbolic.gsofa*", "symbolic.out_of_core*", "symbolic.unified_memory*")
LEFT_OUT = (
    LeftOut(
        ("edges", "bytes", "iterations", "taken", "cleared", "queue_mean", "queue_peak", "load_balance"),
        TRAVERSALS,
        "blocks lower the labels of a vertex in the order in which they happen to run: how often a vertex is "
        "examined again follows that order, the filled pattern does not",
    ),
    LeftOut(
        (
            "bytes_fill",
            "bytes_maxid",
            "bytes_queue",
            "concurrent_sources",
            "launches",
            "spilled",
            "peak_memory",
        ),
        ("symbolic.out_of_core.memory_budget=*",),
        "the longest queue of the rows before decides how many rows fit the budget, and follows that order",
    ),
    LeftOut(
        ("reinit_share", "gpu*_seconds", "slowest_gpu_seconds"), EVERY, "read from a clock of the device"
    ),
    LeftOut(
        ("waits",),
        ("cholesky.parac_cpu*", "laplacian.parac_cpu*"),
        "how often a thread comes to an empty place of the queue follows the order in which threads run",
    ),
    LeftOut(
        ("bytes_pool",),
        ("cholesky.parac_gpu*", "laplacian.parac_gpu*"),
        "teams take space of the pool in the order in which they happen to run",
    ),
    LeftOut(
        ("growth",),
        ("numeric.glu2*", "numeric.glu3*"),
        "products are subtracted in the order in which blocks happen to run, which rounds L and U otherwise",
    ),
    LeftOut(
        ("normwise_error", "forward_error"),
        ("solve.lu_gpu*",),
        "roundings of L and U, whose products glu3 subtracts in the order in which blocks happen to run",
    ),
    LeftOut(
        ("normwise_error", "forward_error"),
        ("solve.cudss*",),
        "roundings of cuDSS's L and U, whose sums have no fixed order",
    ),
    LeftOut(("residual",), EVERY, "a rounding error, which the gate holds against its bound"),
    LeftOut(("simulated", "peer_access"), EVERY, "says how the case was run, not what it did"),
)
RATIOS = ("drop_tolerance", "load_balance")
NAMES = {"peak_memory": "structures"}


def quantities(record: Record) -> Mapping[str, Quantity]:
    """Return the quantities of a record by name; none unless its status is ok.

    `structures` are the bytes of the algorithm's own data structures (`Work.peak_memory`). `peak_memory` is a
    GPU's pool; on the CPU it is what a process grew by, which is not the same twice, and is left out.
    """
    implementation = record.case.partition("@")[0]
    return {
        name: Quantity(value, _unit(name))
        for name, value in sorted(_counts(record))
        if not any(rule.covers(implementation, name) for rule in LEFT_OUT)
    }


def agreed(records: Iterable[Record]) -> Mapping[str, Quantity]:
    """Return the quantities on which all processes of a run agree."""
    first, *others = [quantities(record) for record in records]
    return {name: value for name, value in first.items() if all(o.get(name) == value for o in others)}


def differences(base: Record, record: Record) -> tuple[str, ...]:
    """List the changes from one record of a case to another, such as `edges 1,000 to 1,200`.

    Nothing where one has no result, or where input, device or number of threads are others: then another
    number is no change of the code.
    """
    comparable = base.case == record.case and conditions(base) == conditions(record)
    if not comparable or {base.status, record.status} != {Status.OK}:
        return ()
    before, after = quantities(base), quantities(record)
    return tuple(
        f"{name} {_text(before.get(name))} to {_text(after.get(name))}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def conditions(record: Record) -> tuple[object, ...]:
    """Return what two records of a case need in common to be compared at all."""
    return (record.prepared or {}).get("hash"), record.device, record.threads_used


def _counts(record: Record) -> Iterator[tuple[str, float]]:
    if record.status is not Status.OK:
        return
    if record.device is not None and record.peak_memory is not None:
        yield "peak_memory", record.peak_memory
    work = record.work or {}
    for name, value in work.items():
        if name != "facts" and value is not None:
            yield NAMES.get(name, name), value
    yield from (work.get("facts") or {}).items()


def _unit(name: str) -> str:
    if name in RATIOS:
        return "ratio"
    return "bytes" if name in ("peak_memory", "structures") or name.startswith("bytes") else "count"


def _text(quantity: Quantity | None) -> str:
    return "none" if quantity is None else quantity.text
