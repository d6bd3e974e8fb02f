"""What figures of GLU3.0 share: its printed tables, how matrices were prepared, how times are written."""

from __future__ import annotations

import pandas as pd

from reports.facts.naming import listed
from reports.frames.seconds import STAND_INS

PAPER = "glu3"
KERNELS, LEVELS = "glu3_table1_kernel_time", "glu3_table2_levelization"
# The preparation of the paper, whose counts are exact targets.
OWN_WAY = "mc64+amd"
WAYS = {OWN_WAY: f"{OWN_WAY}: MC64 and AMD, as in the paper", "metis": "metis: METIS alone"}


def prepared_how(frame: pd.DataFrame) -> str:
    """How the matrices were prepared, of those that were measured."""
    prepared = set(frame.loc[frame["status"] == "ok", "preparation"])
    if not prepared:
        return "Nothing of it was measured here."
    return f"Preparation: {listed(WAYS.get(name, name) for name in prepared)}. {STAND_INS}"


def milliseconds(value: float) -> str:
    """A time of a table, in three or four digits."""
    form = ",.0f" if value >= 1000 else ".1f" if value >= 100 else ".2f" if value >= 10 else ".3f"
    return format(value, form)
