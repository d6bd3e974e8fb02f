"""What figures of GLU3.0 share: its printed tables, how matrices were prepared, how times are written."""

from __future__ import annotations

import pandas as pd

from reports.facts.naming import listed, measured_on
from reports.frames.seconds import STAND_INS
from reports.shapes.tables import Row, status_text

PAPER = "glu3"
KERNELS, LEVELS = "glu3_table1_kernel_time", "glu3_table2_levelization"
# The preparation of the paper, whose counts are exact targets.
OWN_WAY = "mc64+amd"
WAYS = f"{OWN_WAY}: MC64 and AMD, as in the paper; metis: METIS alone"


def prepared_how(frame: pd.DataFrame, *, printed: bool = True) -> str:
    """How the matrices were prepared, and where they were measured. printed : all that the paper prints stand
    in the figure."""
    ok = frame[frame["status"] == "ok"]
    measured = (
        f"Measured on: {measured_on(ok['where'])}. " if len(ok) else "Nothing of it was measured here. "
    )
    absent = " Matrices that we do not have are shown as not run." if printed else ""
    return f"{measured}Preparation: {listed(frame['preparation'].dropna())} ({WAYS}). {STAND_INS}{absent}"


def milliseconds(value: float) -> str:
    """A time of a table, in three or four digits."""
    form = ",.0f" if value >= 1000 else ".1f" if value >= 100 else ".2f" if value >= 10 else ".3f"
    return format(value, form)


def where(row: Row) -> str:
    """The machine, or why there is no ratio."""
    if not isinstance(row["machine"], str):
        return status_text(str(row["status"]))
    return str(row["where"]) if row["pair"] == "ok" else f"{row['where']}: {status_text(str(row['pair']))}"
