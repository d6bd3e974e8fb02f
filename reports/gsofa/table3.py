"""Table 3: how much of the frontier queues is in use."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.gsofa.printed import beside_prints
from reports.gsofa.space import told, with_and_without
from reports.shapes.sheet import Column, Sheet
from reports.verbs import fact

CLAIM, PRINT = "table3_queue_usage", "gsofa_table3_queue_usage"
# By our column, the column of the printed table.
PRINTED = {"paper_mean_percent": "average_usage_percent", "paper_peak_percent": "peak_usage_percent"}
# By our column, the fact that it is of.
USE = {
    "mean_percent": "queue_mean",
    "peak_percent": "queue_peak",
    "small_mean_percent": "other_queue_mean",
    "small_peak_percent": "other_queue_peak",
}
HERE, EIGHTH = "of whole queues", "of an eighth of them"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: mean and peak share of the queues in use, in per cent.

    `mean_percent` and `peak_percent` are of whole queues, with the space optimisations off; `small_...` are
    of an eighth of them, with all on, above 100 in pinned memory. `told` says `ok` where the first are known.
    What is printed is of `paper_matrix`.
    """
    rows = with_and_without(cases)
    rows = rows.assign(**{name: 100 * fact(rows, source) for name, source in USE.items()})
    rows["told"] = told(rows, ["mean_percent", "peak_percent"])
    return beside_prints(rows, PRINT, PRINTED)


PER_CENT = "{:.3g}".format
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 3",
    "use of the frontier queues, per cent",
    frame,
    Sheet(
        [
            Column("mean", "mean_percent", PER_CENT, HERE, "told"),
            Column("peak", "peak_percent", PER_CENT, HERE, "told"),
            Column("mean", "small_mean_percent", PER_CENT, EIGHTH),
            Column("peak", "small_peak_percent", PER_CENT, EIGHTH),
        ]
    ),
    """Share of the frontier queues in use: mean over iterations, and peak. Whole: space optimisations off; an
    eighth: all on, above 100 in pinned host memory. An iteration is a block's step here, the card's in the
    paper.""",
    held=(
        Held(CLAIM, "mean_percent", ("average",), "told", "mean percent"),
        Held(CLAIM, "peak_percent", ("peak",), "told", "peak percent"),
    ),
)
