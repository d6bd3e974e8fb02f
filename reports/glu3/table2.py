"""Table II: levels, and the time that finding them takes, by exact and by relaxed dependencies."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.device import add_printed, device_frame
from reports.frames.glu3 import KERNELS, LEVELS, PAPER, milliseconds, prepared_how
from reports.frames.variant_table import VariantTable
from reports.frames.variants import finished
from reports.shapes.bars import times
from reports.shapes.counts import Counted, equality
from reports.shapes.printed import Beside, Solutions

TIME = "levelization time, ms"
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
    paper has it (`ratio`) and without its third loop (`closed_ratio`), over the relaxed one in the same run;
    `levels_ratio` : relaxed over exact levels."""
    frame = device_frame(inputs, FACTS)
    frame["ms"] = 1e3 * frame["median"]
    columns = {f"paper_{name}": printed_column(PAPER, *source) for name, source in PRINTED.items()}
    frame = add_printed(WIDE.rows(frame), PAPER, columns)
    equal = {f"{name}_is": equality(frame, name, "") for name in TARGETS}
    numbers = ["n", *columns, "nz", *COUNTS, *SECONDS, *WIDE.ratio_columns]
    frame = finished(frame.assign(**equal), [*WIDE.texts, *equal], numbers)
    return frame.assign(levels_ratio=frame["levels_relaxed"] / frame["levels_exact"])


def _closed(frame: pd.DataFrame) -> str:
    """What the exact search costs without its third loop; empty where that was not measured."""
    ok = frame[(frame["closed_pair"] == "ok") & (frame["pair"] == "ok")]
    if ok.empty:
        return ""
    return (
        f"It takes {_span(ok['closed_ratio'])} as long as GLU3.0, the three loops {_span(ok['ratio'])}: the "
        "ratio is of that search, not of what exact dependencies cost. "
    )


def _span(values: pd.Series[float]) -> str:
    ends = dict.fromkeys(times(float(value)) for value in (values.min(), values.max()))
    return " to ".join(ends)


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    return {"closed": _closed(frame), "prepared": prepared_how(frame)}


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0, Table II",
    "levels by exact and by relaxed dependencies",
    frame,
    Solutions(
        [
            Counted("nnz after\nfill-in", 0.9, "", "filled"),
            Counted("GLU2.0", 0.8, "number of levels", "levels_exact"),
            Counted("GLU3.0", 0.8, "number of levels", "levels_relaxed"),
            Beside("GLU2.0", 0.9, TIME, "ms_exact", milliseconds, "status_exact"),
            Beside("GLU3.0", 0.9, TIME, "ms_relaxed", milliseconds, "status_relaxed"),
            Beside("search=\nclosed", 0.9, TIME, "ms_closed", milliseconds, "status_closed"),
            Beside("kahn_gpu", 0.9, TIME, "ms_kahn", milliseconds, "status_kahn"),
            Beside("over\nGLU2.0", 0.9, "speed-up of GLU3.0", "ratio", times, "pair"),
            Beside("over\nclosed", 0.9, "speed-up of GLU3.0", "closed_ratio", times),
        ]
    ),
    """Exact dependencies by three nested loops (GLU2.0: glu2), a superset of them by two (GLU3.0:
    glu3_relaxed), both on one core. Not in the paper: kahn_gpu, relaxed levels on the GPU; search=closed,
    exact levels without the third loop. {closed}= equal to the print, \N{NOT EQUAL TO} not, which may be ties
    of MC64 and AMD. {prepared}""",
    _facts,
    held=(
        Held(CLAIM, "ratio", ("geometric", "each"), "pair", "seconds, exact over relaxed"),
        Held(CLAIM, "ratio", ("order_of_magnitude",), "pair", above=10.0),
        *(Held(EXACT_COUNTS, name, (name,), "status_relaxed") for name in TARGETS),
        Held(EXACT_COUNTS, "levels_ratio", ("relaxed_over_exact",), "status_relaxed"),
    ),
    one_run=True,
)  # fmt: skip
