"""Table 3: how much of the frontier queues is in use."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import told, with_and_without
from reports.gsofa.symbolic import beside_prints
from reports.shapes.sheet import Column, Sheet
from reports.verbs import fact

# By the printed column the fact that it is of.
USE = {"average_usage_percent": "queue_mean", "peak_usage_percent": "queue_peak"}
HERE, EIGHTH = "of whole queues", "of an eighth of them"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: average and peak share of the queues in use, in per cent; `small_...`, of an
    eighth of them, with all space optimisations on; `told` says `ok` where the others are known."""
    rows = with_and_without(cases)
    for name, source in USE.items():
        rows[name], rows[f"small_{name}"] = 100 * fact(rows, source), 100 * fact(rows, f"other_{source}")
    return beside_prints(rows.assign(told=told(rows, *USE)), "gsofa_table3_queue_usage", tuple(USE))


EXHIBIT = Exhibit(
    "use of the frontier queues, per cent",
    frame,
    Sheet(
        [
            Column("mean", "average_usage_percent", group=HERE, why="told"),
            Column("peak", "peak_usage_percent", group=HERE, why="told"),
            Column("mean", "small_average_usage_percent", group=EIGHTH),
            Column("peak", "small_peak_usage_percent", group=EIGHTH),
        ]
    ),
    """Share of the frontier queues in use: mean over iterations (here a block's steps), and peak. Whole:
    space optimisations off; an eighth: all on, above 100 in pinned host memory.""",
    one_run=False,
)
