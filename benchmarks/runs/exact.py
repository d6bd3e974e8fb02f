"""Quantities of a record that need no clock: compared exactly, because identical runs count the same.

LEFT_OUT holds the quantities that vary between runs of one key; docs/notes/exact.md counts how often.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatch

from fillpath.record import Record, Status

# Quantities that are not compared: patterns of implementations, with options, and of names.
LEFT_OUT = (
    # Blocks lower the labels of a vertex in the order in which they run. The order decides how often a vertex
    # is examined again, but not the filled pattern.
    (
        "symbolic.gsofa* symbolic.out_of_core* symbolic.unified_memory*",
        "edges bytes iterations taken cleared queue_mean queue_peak load_balance",
    ),
    # That order decides how full the queues become too.
    ("symbolic.gsofa*", "spilled"),
    # The longest queue of the rows before, which follows that order, decides how many rows fit the budget.
    (
        "symbolic.out_of_core.memory_budget=*",
        "bytes_external bytes_fill bytes_maxid bytes_queue concurrent_sources launches spilled structures "
        "peak_memory",
    ),
    # A clock of the device.
    ("*", "reinit_share gpu*_seconds slowest_gpu_seconds"),
    # The order in which threads run decides how often a thread comes to an empty place of the queue.
    ("cholesky.parac_cpu* laplacian.parac_cpu*", "waits"),
    # Teams take space of the pool in the order in which they run.
    ("cholesky.parac_gpu* laplacian.parac_gpu*", "bytes_pool"),
    # Blocks subtract products in the order in which they run, which rounds L and U otherwise.
    ("numeric.glu2* numeric.glu3*", "growth"),
    ("solve.lu_gpu*", "normwise_error forward_error"),
    # The sums of cuDSS and cuSolverRf have no fixed order.
    ("solve.cudss* solve.cusolver_rf* symbolic.cudss*", "normwise_error forward_error"),
    # AmgX builds its aggregates in the order in which threads run.
    ("laplacian.amgx*", "iterations normwise_error"),
    # A rounding error, which the gate compares with its bound, and two conditions of the run.
    ("*", "residual simulated peer_access"),
)


def quantities(record: Record) -> Mapping[str, float]:
    """Return the quantities of a record that are compared, by name; none unless its status is ok.

    `structures` are the bytes of the algorithm's own data structures (`Work.peak_memory`). `peak_memory` is a
    GPU's pool. On the CPU it is the growth of a process, which varies, and is left out.
    """
    if record.status is not Status.OK:
        return {}
    implementation, work = record.case.partition("@")[0], record.work or {}
    pool = None if record.device is None else record.peak_memory
    counts = {name: value for name, value in work.items() if name not in ("facts", "peak_memory")}
    counts |= {**(work.get("facts") or {}), "structures": work.get("peak_memory"), "peak_memory": pool}
    if "growth" in counts:
        # The gate's next form may add |L| |U| in another order.
        counts["growth"] = float(f"{counts['growth']:.12g}")
    left_out = [names for each, names in LEFT_OUT if _matches(implementation, each)]
    return {
        name: value
        for name, value in sorted(counts.items())
        if value is not None and not any(_matches(name, names) for names in left_out)
    }


def agreed(records: Iterable[Record]) -> Mapping[str, float]:
    """Return the quantities on which all processes of a run agree."""
    first, *others = [quantities(record) for record in records]
    return {name: value for name, value in first.items() if all(o.get(name) == value for o in others)}


def differences(base: Record, record: Record) -> tuple[str, ...]:
    """Return the changes from one record of a case to another, such as `edges 1,000 to 1,200`.

    Returns none where a record has no result, or where input, device or number of threads differ: then
    another number is no change of the code.
    """
    comparable = base.case == record.case and conditions(base) == conditions(record)
    if not comparable or {base.status, record.status} != {Status.OK}:
        return ()
    before, after = quantities(base), quantities(record)
    return tuple(
        f"{name} {_text(name, before.get(name))} to {_text(name, after.get(name))}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def conditions(record: Record) -> tuple[object, ...]:
    """Return the input, the device and the threads, which comparable records of a case have in common."""
    return (record.prepared or {}).get("hash"), record.device, record.threads_used


def _matches(name: str, patterns: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns.split())


def unit_of(name: str) -> str:
    """Return the unit of a quantity: `bytes`, `ratio` or `count`."""
    if name in ("drop_tolerance", "load_balance"):
        return "ratio"
    return "bytes" if name in ("peak_memory", "structures") or name.startswith("bytes") else "count"


def _text(name: str, value: float | None) -> str:
    """Write `1,200`, `4,096 bytes` or `none`."""
    if value is None:
        return "none"
    return f"{value:,.17g}" + (" bytes" if unit_of(name) == "bytes" else "")
