"""Table II: levels, and the time that finding them takes, by exact and by relaxed dependencies."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.device import add_printed, device_frame
from reports.frames.glu3 import KERNELS, LEVELS, PAPER, milliseconds, prepared_how, where
from reports.frames.variant_table import VariantTable
from reports.frames.variants import finished, spanning
from reports.shapes.bars import times
from reports.shapes.counts import MARKS, Counted, equality
from reports.shapes.tables import COUNT, MEASURED_ON, Column, Table, Words, matrix_column

CLAIM, EXACT_COUNTS = "table2_levelization", "counts"
FACTS = ("levels", "filled", "dependencies", "double_u", "searched")
# Of each column, where its numbers stand: see `VariantTable.values`.
COUNTS = {
    "filled": ("filled", "relaxed"),
    "levels_exact": ("levels", "exact", "closed"),
    "levels_relaxed": ("levels", "relaxed", "kahn"),
    "dependencies_exact": ("dependencies", "exact"),
    "dependencies_relaxed": ("dependencies", "relaxed"),
    "double_u": ("double_u", "exact"),
    "searched": ("searched", "exact"),
}
SECONDS = {f"ms_{short}": ("ms", short) for short in ("exact", "closed", "relaxed", "kahn")}
WIDE = VariantTable(
    variants={"exact": "glu2", "closed": "glu2.search=closed", "relaxed": "glu3_relaxed", "kahn": "kahn_gpu"},
    values=SECONDS | COUNTS,
    ratios={"": ("exact", "relaxed"), "closed_": ("closed", "relaxed")},
    deciding=("exact", "relaxed"),
)
# Exact targets: the printed table and its column.
TARGETS = {
    "filled": (KERNELS, "nnz_filled"),
    "levels_exact": (LEVELS, "levels_glu2"),
    "levels_relaxed": (LEVELS, "levels_glu3"),
}
PRINTED = {
    "nz": (KERNELS, "nz"),
    **TARGETS,
    "ms_exact": (LEVELS, "glu2_ms"),
    "ms_relaxed": (LEVELS, "glu3_ms"),
    "ratio": (LEVELS, "speedup"),
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, preparation and machine: entries, filled entries and levels as printed and as
    counted, `<count>_is` : equal or differs; milliseconds of each variant, and of the exact search, as the
    paper has it (`ratio`) and without its third loop (`closed_ratio`), over the relaxed one in the same
    run."""
    frame = device_frame(inputs, FACTS)
    frame["ms"] = 1e3 * frame["median"]
    columns = {f"paper_{name}": printed_column(PAPER, *source) for name, source in PRINTED.items()}
    frame = add_printed(WIDE.rows(frame), PAPER, columns)
    equal = {f"{name}_is": equality(frame, name, "") for name in TARGETS}
    numbers = ["n", *columns, "nz", *COUNTS, *SECONDS, *WIDE.ratio_columns]
    return finished(frame.assign(**equal), [*WIDE.texts, *equal], numbers)


def _closed(frame: pd.DataFrame) -> str:
    """What the exact search costs without its third loop; empty where that was not measured."""
    ok = frame[(frame["closed_pair"] == "ok") & (frame["pair"] == "ok")]
    if ok.empty:
        return ""
    return (
        f"It takes {_span(ok['closed_ratio'])} as long as glu3_relaxed, where the three loops take "
        f"{_span(ok['ratio'])}: these ratios, and so the printed ones, measure that search, and not what "
        "exact dependencies cost. "
    )


def _span(values: pd.Series[float]) -> str:
    ends = dict.fromkeys(times(float(value)) for value in (values.min(), values.max()))
    return " to ".join(ends)


def _held_counts(frame: pd.DataFrame) -> str:
    """How many counts are equal, where any is held against the print."""
    marks = [text for name in TARGETS for text in frame[f"{name}_is"] if text in MARKS]
    return f"{marks.count('equal')} of {len(marks)} counts here are equal. " if marks else ""


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    return {"closed": _closed(frame), "counts": _held_counts(frame), "prepared": prepared_how(frame)}


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0, Table II",
    "levels by exact and by relaxed dependencies",
    frame,
    Table(
        [
            matrix_column(),
            Column("printed", 1.2, "nnz after fill-in", "paper_filled", COUNT),
            Counted("here", 1.4, "nnz after fill-in", "filled"),
            Column("GLU2.0", 0.9, "levels, printed", "paper_levels_exact", COUNT),
            Column("GLU3.0", 0.9, "levels, printed", "paper_levels_relaxed", COUNT),
            Counted("glu2", 1.0, "levels, here", "levels_exact"),
            Counted("glu3_\nrelaxed", 1.0, "levels, here", "levels_relaxed"),
            Column("GLU2.0", 1.2, "ms, printed", "paper_ms_exact", milliseconds),
            Column("GLU3.0", 0.95, "ms, printed", "paper_ms_relaxed", milliseconds),
            Column("glu2", 1.2, "ms, here", "ms_exact", milliseconds, "status_exact"),
            Column("search=\nclosed", 1.2, "ms, here", "ms_closed", milliseconds, "status_closed"),
            Column("glu3_\nrelaxed", 1.2, "ms, here", "ms_relaxed", milliseconds, "status_relaxed"),
            Column("kahn_gpu", 1.2, "ms, here", "ms_kahn", milliseconds, "status_kahn"),
            Column("printed", 1.1, "exact over relaxed", "paper_ratio", times),
            Column("here", 1.0, "exact over relaxed", "ratio", times),
            Column("search=\nclosed", 1.0, "exact over relaxed", "closed_ratio", times),
            Words(MEASURED_ON, 2.0, where),
        ]
    ),
    """glu2 finds the exact dependencies by three nested loops, glu3_relaxed a superset of them by two, both
    on one core; kahn_gpu: relaxed levels on the GPU; search=closed, not in the paper: the exact levels
    without the third loop. {closed}Counts are exact targets (= equal, \N{NOT EQUAL TO} not); they depend on
    ties of MC64 and AMD. {counts}{prepared}""",
    _facts,
    held=(
        Held(CLAIM, "ratio", status="pair", basis="seconds, exact over relaxed"),
        Held(
            CLAIM, "closed_ratio", status="closed_pair",
            basis="seconds, exact without its third loop over relaxed",
            remark=lambda rows: f"{spanning(rows, 'closed_ratio')}, not in the paper",
        ),
        *(Held(EXACT_COUNTS, name, (name,), "status_relaxed") for name in TARGETS),
    ),
    one_run=True,
)  # fmt: skip
