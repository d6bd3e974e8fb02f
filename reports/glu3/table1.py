"""Table I: kernel time of GLU2.0 and of GLU3.0."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fillpath.record import interval
from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED, add_printed, device_frame
from reports.frames.glu3 import KERNELS, PAPER, milliseconds, prepared_how, where
from reports.frames.variant_table import VariantTable
from reports.frames.variants import finished, spanning
from reports.shapes.bars import times
from reports.shapes.tables import COUNT, MEASURED_ON, Column, Table, Words, matrix_column

CLAIM = "table1_kernel_time"
FACTS = ("levels", "levels_a", "levels_b", "levels_c", "launches", "small_pivots")
# Of each column, where its numbers stand: see `VariantTable.values`.
SECONDS = {f"ms_{short}": ("ms", short) for short in ("fixed", "modes", "batched")}
COUNTS = {name: (name, "modes") for name in FACTS} | {"launches_batched": ("launches", "batched")}
WIDE = VariantTable(
    variants={
        "fixed": "glu2.static_pivoting=true",
        "modes": "glu3.static_pivoting=true",
        "batched": "glu3.batched=true.static_pivoting=true",
    },
    values=SECONDS | COUNTS,
    ratios={"": ("fixed", "modes"), "batched_": ("modes", "batched")},
    deciding=("fixed", "modes"),
    called={"batched": "batched"},
)
# The columns of the printed table.
PRINTED = {
    "paper_rows": "rows",
    "paper_nz": "nz",
    "paper_ms_fixed": "glu2_ms",
    "paper_ms_modes": "glu3_ms",
    "paper_ratio": "speedup_over_glu2",
    "paper_over_lee": "speedup_over_lee",
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, preparation and machine: kernel milliseconds of glu2, of glu3 and of glu3 with
    batched levels beside the print; `ratio`, glu2 over glu3, `batched_ratio`, glu3 over batched, each of one
    run; levels in each mode, launches of glu3 and pivots that it replaced. over_lee : that nothing here can
    be held against the last column."""
    frame = device_frame(inputs, FACTS)
    _use_kernel_seconds(frame, inputs.records)
    frame["ms"] = 1e3 * frame["median"]
    columns = {name: printed_column(PAPER, KERNELS, column) for name, column in PRINTED.items()}
    frame = add_printed(WIDE.rows(frame), PAPER, columns)
    frame["over_lee"] = "not testable"
    numbers = ["n", "nz", *PRINTED, *SECONDS, *WIDE.ratio_columns, *COUNTS]
    return finished(frame, [*WIDE.texts, "over_lee"], numbers)


def _use_kernel_seconds(frame: pd.DataFrame, records: Records) -> None:
    """Put the seconds between the events around the call in place of the call's, and `not_measured` where a
    record has none."""
    for place, row in frame[frame["status"] == "ok"].iterrows():
        record = records.result(row["case"], row["machine"])
        if record is None or not record.kernel_seconds:
            frame.loc[place, "status"] = NOT_MEASURED
        else:
            seconds = record.kernel_seconds
            frame.loc[place, ["median", "low", "high"]] = [float(np.median(seconds)), *interval(seconds)]


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0, Table I",
    "kernel time of GLU2.0 and GLU3.0",
    frame,
    Table(
        [
            matrix_column(),
            Column("rows", 1.15, "printed", "paper_rows", COUNT),
            Column("nz", 1.15, "printed", "paper_nz", COUNT),
            Column("GLU2.0", 1.1, "kernel ms, printed", "paper_ms_fixed", milliseconds),
            Column("GLU3.0", 1.1, "kernel ms, printed", "paper_ms_modes", milliseconds),
            Column("glu2", 1.2, "kernel ms, here", "ms_fixed", milliseconds, "status_fixed"),
            Column("glu3", 1.2, "kernel ms, here", "ms_modes", milliseconds, "status_modes"),
            Column("glu3,\nbatched", 1.2, "kernel ms, here", "ms_batched", milliseconds, "status_batched"),
            Column("printed", 1.05, "GLU2.0 over GLU3.0", "paper_ratio", times),
            Column("here", 1.05, "GLU2.0 over GLU3.0", "ratio", times),
            Column("glu3 over\nbatched", 1.15, "", "batched_ratio", times),
            Column("printed", 0.95, "Lee's over GLU3.0", "paper_over_lee", times),
            Column("here", 1.25, "Lee's over GLU3.0", "over_lee"),
            Column("A", 0.7, "levels in mode", "levels_a", COUNT),
            Column("B", 0.7, "levels in mode", "levels_b", COUNT),
            Column("C", 0.8, "levels in mode", "levels_c", COUNT),
            Words(MEASURED_ON, 2.0, where),
        ]
    ),
    """Numeric factorisation of relaxed levels in float32. glu2: blocks of 32 warps in every level (our
    reading of the slides); glu3: modes A, B and C by the columns of the level; batched, not in the paper:
    consecutive levels of at most 2048 columns in one launch. Medians between device events around the call,
    launches included. Lee's code (the paper's last column) is not public. {prepared}""",
    lambda frame: {"prepared": prepared_how(frame)},
    held=(
        Held(CLAIM, "n", ("order",), "status_modes"),
        Held(CLAIM, "nz", ("nnz",), "status_modes"),
        Held(
            CLAIM, "ratio", ("mean", "geometric", "each"), "pair",
            basis="kernel seconds, GLU2.0 over GLU3.0",
        ),
        Held(
            CLAIM, "batched_ratio", status="batched_pair", basis="kernel seconds, glu3 over batched",
            remark=lambda rows: f"{spanning(rows, 'batched_ratio')}, not in the paper",
        ),
    ),
    one_run=True,
)  # fmt: skip
