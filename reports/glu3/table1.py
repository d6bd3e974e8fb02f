"""Table I: kernel time of GLU2.0 and of GLU3.0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import pandas as pd

from fillpath.dicts import Row, dicts
from fillpath.processes import Rounds
from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.facts.probes import KernelSeconds, read_kernel_seconds
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED, add_printed, device_frame
from reports.frames.glu3 import KERNELS, PAPER, milliseconds, prepared_how
from reports.frames.variant_table import VariantTable
from reports.frames.variants import finished
from reports.shapes.bars import times
from reports.shapes.counts import Counted, equality
from reports.shapes.printed import Beside, Solutions
from reports.shapes.tables import COUNT

CLAIM = "table1_kernel_time"
FACTS = ("levels", "levels_a", "levels_b", "levels_c", "launches", "small_pivots")
VARIANTS = {
    "fixed": "glu2.static_pivoting=true",
    "modes": "glu3.static_pivoting=true",
    "batched": "glu3.batched=true.static_pivoting=true",
    "graph_fixed": "glu2.graph=true.static_pivoting=true",
    "graph_modes": "glu3.graph=true.static_pivoting=true",
}
DECIDING = ("fixed", "modes")
# Of each column, where its numbers stand: see `VariantTable.values`.
SECONDS = {f"ms_{short}": ("ms", short) for short in VARIANTS}
COUNTS = {name: (name, "modes") for name in FACTS} | {"launches_batched": ("launches", "batched")}
CALLS = VariantTable(
    variants=VARIANTS,
    values=SECONDS | COUNTS,
    ratios={"": DECIDING, "batched_": ("modes", "batched"), "graph_": ("graph_fixed", "graph_modes")},
    deciding=DECIDING,
    called={"batched": "batched", "graph_fixed": "glu2 by a graph", "graph_modes": "glu3 by a graph"},
)
DURATIONS = {f"ms_kernels_{short}": ("ms", short) for short in DECIDING}
KERNELS_ALONE = replace(CALLS, values=DURATIONS, ratios={"kernels_": DECIDING})
# The columns of the printed table.
PRINTED = {
    "paper_n": "rows",
    "paper_nz": "nz",
    "paper_ms_fixed": "glu2_ms",
    "paper_ms_modes": "glu3_ms",
    "paper_ratio": "speedup_over_glu2",
    "paper_over_lee": "speedup_over_lee",
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, preparation and machine: milliseconds of a call of glu2, of glu3, with batched
    levels and by graphs beside the print, and of the kernels of glu2 and glu3 alone; `ratio`, glu2 over glu3,
    `batched_ratio`, glu3 over batched, `graph_ratio` and `kernels_ratio`, glu2 over glu3, each of one run;
    levels in each mode, launches of glu3 and pivots that it replaced; `n_is`, `nz_is` : equal to the print or
    differs. over_lee : that nothing here can be held against the last column."""
    frame = device_frame(inputs, FACTS)
    rows = CALLS.rows(_timed_by(frame, [_of_events(row, inputs.records) for row in _rows(frame)]))
    rows = rows.join(_kernels_alone(frame, inputs.records))
    columns = {name: printed_column(PAPER, KERNELS, column) for name, column in PRINTED.items()}
    rows = add_printed(rows, PAPER, columns)
    equal = {f"{name}_is": equality(rows, name, "") for name in ("n", "nz")}
    rows = rows.assign(over_lee="not testable", **equal)
    numbers = ["n", "nz", *PRINTED, *SECONDS, *CALLS.ratio_columns, *DURATIONS]
    numbers += [*KERNELS_ALONE.ratio_columns, *COUNTS]
    return finished(rows, [*CALLS.texts, "kernels_pair", "over_lee", *equal], numbers)


def _kernels_alone(frame: pd.DataFrame, records: Records) -> pd.DataFrame:
    """What stands beside the rows of calls, of the durations of kernels. They are of runs apart, which make a
    ratio where they are of one host."""
    durations = [_of_kernels(row, records) for row in _rows(frame)]
    rounds = [None if each is None else Rounds((1,), (each.seconds,)) for each in durations]
    timed = _timed_by(frame, rounds)
    timed["host"] = [None if each is None else each.host for each in durations]
    rows = KERNELS_ALONE.rows(timed.assign(run_id="durations"))
    return rows.reindex(columns=[*DURATIONS, "kernels_pair", *KERNELS_ALONE.ratio_columns])


def _kernels_how(frame: pd.DataFrame) -> str:
    """What the durations are, where there is one."""
    if frame["ms_kernels_modes"].notna().any():
        return "the sum of their durations by CUPTI, medians of calls in a run apart"
    return "`fillpath durations` has not timed them here"


def _rows(frame: pd.DataFrame) -> Sequence[Row]:
    return dicts(frame)


def _timed_by(frame: pd.DataFrame, rounds: Sequence[Rounds | None]) -> pd.DataFrame:
    """The frame with these in place of the seconds of its calls, and `not_measured` where there is none."""
    frame = frame.copy()
    absent = pd.Series([each is None for each in rounds], index=frame.index, dtype=bool)
    frame.loc[absent & (frame["status"] == "ok"), "status"] = NOT_MEASURED
    for place, each in zip(frame.index, rounds, strict=True):
        if each is not None:
            frame.loc[place, ["median", "low", "high"]] = [each.median, *each.interval]
    frame["rounds"] = pd.Series(list(rounds), index=frame.index, dtype="object")
    return frame.assign(ms=1e3 * frame["median"])


def _of_events(row: Row, records: Records) -> Rounds | None:
    """Seconds between the events around the call; None where a record has none."""
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    if record is None or not record.kernel_samples:
        return None
    return records.rounds(record, attrgetter("kernel_samples"))


def _of_kernels(row: Row, records: Records) -> KernelSeconds | None:
    """What was collected beside the row's record."""
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    return None if record is None else read_kernel_seconds(record.machine, record.case, record.key)


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0, Table I",
    "kernel time of GLU2.0 and GLU3.0",
    frame,
    Solutions(
        [
            Counted("rows", 0.7, "", "n"),
            Counted("nz", 0.7, "", "nz"),
            Beside("GLU2.0", 0.7, "a call, ms", "ms_fixed", milliseconds, "status_fixed"),
            Beside("GLU3.0", 0.7, "a call, ms", "ms_modes", milliseconds, "status_modes"),
            Beside("batched", 0.7, "a call, ms", "ms_batched", milliseconds, "status_batched"),
            Beside("GLU2.0", 0.7, "by a graph, ms", "ms_graph_fixed", milliseconds, "status_graph_fixed"),
            Beside("GLU3.0", 0.7, "by a graph, ms", "ms_graph_modes", milliseconds, "status_graph_modes"),
            Beside("GLU2.0", 0.7, "kernels alone, ms", "ms_kernels_fixed", milliseconds),
            Beside("GLU3.0", 0.7, "kernels alone, ms", "ms_kernels_modes", milliseconds),
            Beside("call", 0.6, "GLU3.0 over GLU2.0", "ratio", times, "pair"),
            Beside("graph", 0.6, "GLU3.0 over GLU2.0", "graph_ratio", times),
            Beside("kernels", 0.6, "GLU3.0 over GLU2.0", "kernels_ratio", times),
            Beside("over\nLee's", 0.8, "", "over_lee", times),
            Beside("batched,\nover GLU3.0", 0.8, "", "batched_ratio", times),
            Beside("A", 0.4, "levels in mode", "levels_a", COUNT),
            Beside("B", 0.4, "levels in mode", "levels_b", COUNT),
            Beside("C", 0.4, "levels in mode", "levels_c", COUNT),
        ]
    ),
    """Numeric factorisation of relaxed levels in float32. GLU2.0: blocks of 32 warps in every level (our
    reading of the slides); GLU3.0: modes A, B and C by the columns of the level; batched, not in the paper:
    consecutive levels of at most 2048 columns in one launch. Three clocks. A call: medians between device
    events around it, launches from Python included. By a graph: the same, where a captured CUDA graph, kept
    from an earlier call of the pattern, launches all levels. Kernels alone: {kernels}. The slides print "GPU
    kernel runtimes" and do not say what they span; the timer of the authors' public code spans allocation,
    copies and launches. So the call is held against the print, and the others stand beside. Lee's code is not
    public. {prepared}""",
    lambda frame: {"prepared": prepared_how(frame), "kernels": _kernels_how(frame)},
    held=(
        Held(CLAIM, "n", ("order",), "status_modes"),
        Held(CLAIM, "nz", ("nnz",), "status_modes"),
        Held(CLAIM, "ratio", ("geometric", "each"), "pair"),
        Held(CLAIM, "kernels_ratio", ("geometric",), "kernels_pair", "durations of kernels", beside=True),
        Held(
            CLAIM, "graph_ratio", ("geometric",), "graph_pair", "seconds of the call by a graph", beside=True
        ),
    ),
    one_run=True,
)  # fmt: skip
