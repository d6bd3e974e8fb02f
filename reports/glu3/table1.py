"""Table I: kernel time of GLU2.0 and of GLU3.0."""

from __future__ import annotations

import pandas as pd

from fillpath.processes import Rounds
from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED, add_printed, device_frame
from reports.frames.glu3 import KERNELS, PAPER, milliseconds, prepared_how
from reports.frames.variant_table import VariantTable
from reports.frames.variants import finished, spanning
from reports.shapes.bars import times
from reports.shapes.counts import Counted, equality
from reports.shapes.printed import Beside, Solutions
from reports.shapes.tables import COUNT, Row

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
    "paper_n": "rows",
    "paper_nz": "nz",
    "paper_ms_fixed": "glu2_ms",
    "paper_ms_modes": "glu3_ms",
    "paper_ratio": "speedup_over_glu2",
    "paper_over_lee": "speedup_over_lee",
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, preparation and machine: kernel milliseconds of glu2, of glu3 and of glu3 with
    batched levels beside the print; `ratio`, glu2 over glu3, `batched_ratio`, glu3 over batched, each of one
    run; levels in each mode, launches of glu3 and pivots that it replaced; `n_is`, `nz_is` : equal to the
    print or differs. over_lee : that nothing here can be held against the last column."""
    frame = device_frame(inputs, FACTS)
    _use_kernel_seconds(frame, inputs.records)
    frame["ms"] = 1e3 * frame["median"]
    columns = {name: printed_column(PAPER, KERNELS, column) for name, column in PRINTED.items()}
    frame = add_printed(WIDE.rows(frame), PAPER, columns)
    equal = {f"{name}_is": equality(frame, name, "") for name in ("n", "nz")}
    frame = frame.assign(over_lee="not testable", **equal)
    numbers = ["n", "nz", *PRINTED, *SECONDS, *WIDE.ratio_columns, *COUNTS]
    return finished(frame, [*WIDE.texts, "over_lee", *equal], numbers)


def _use_kernel_seconds(frame: pd.DataFrame, records: Records) -> None:
    """Put the seconds between the events around the call in place of the call's, and `not_measured` where a
    record has none."""
    rounds = [_kernel_rounds(row, records) for row in frame.to_dict("records")]
    absent = pd.Series([each is None for each in rounds], index=frame.index, dtype=bool)
    frame.loc[absent & (frame["status"] == "ok"), "status"] = NOT_MEASURED
    for place, each in zip(frame.index, rounds, strict=True):
        if each is not None:
            frame.loc[place, ["median", "low", "high"]] = [each.median, *each.interval]
    frame["rounds"] = pd.Series(rounds, index=frame.index, dtype="object")


def _kernel_rounds(row: Row, records: Records) -> Rounds | None:
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    if record is None or not record.kernel_seconds:
        return None
    return records.rounds(record, lambda each: each.kernel_seconds or ())


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0, Table I",
    "kernel time of GLU2.0 and GLU3.0",
    frame,
    Solutions(
        [
            Counted("rows", 0.8, "", "n"),
            Counted("nz", 0.8, "", "nz"),
            Beside("GLU2.0", 0.8, "kernel time, ms", "ms_fixed", milliseconds, "status_fixed"),
            Beside("GLU3.0", 0.8, "kernel time, ms", "ms_modes", milliseconds, "status_modes"),
            Beside("batched", 0.8, "kernel time, ms", "ms_batched", milliseconds, "status_batched"),
            Beside("over\nGLU2.0", 0.8, "speed-up of GLU3.0", "ratio", times, "pair"),
            Beside("over\nLee's", 0.8, "speed-up of GLU3.0", "over_lee", times),
            Beside("batched,\nover GLU3.0", 0.8, "", "batched_ratio", times),
            Beside("A", 0.5, "levels in mode", "levels_a", COUNT),
            Beside("B", 0.5, "levels in mode", "levels_b", COUNT),
            Beside("C", 0.5, "levels in mode", "levels_c", COUNT),
        ]
    ),
    """Numeric factorisation of relaxed levels in float32. GLU2.0: blocks of 32 warps in every level (our
    reading of the slides); GLU3.0: modes A, B and C by the columns of the level; batched, not in the paper:
    consecutive levels of at most 2048 columns in one launch. The paper's are of kernels; here medians between
    device events around the call, launches included. Lee's code is not public. {prepared}""",
    lambda frame: {"prepared": prepared_how(frame)},
    held=(
        Held(CLAIM, "n", ("order",), "status_modes"),
        Held(CLAIM, "nz", ("nnz",), "status_modes"),
        Held(CLAIM, "ratio", ("geometric", "each"), "pair"),
        Held(
            CLAIM, "batched_ratio", status="batched_pair", basis="seconds of the call, glu3 over batched",
            remark=lambda rows: f"{spanning(rows, 'batched_ratio')}, not in the paper",
        ),
    ),
    one_run=True,
)  # fmt: skip
