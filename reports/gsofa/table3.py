"""Table 3: use of the frontier queues, per cent."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import told, with_and_without
from reports.gsofa.symbolic import beside_prints
from reports.shapes.sheet import Sheet, columns, plain
from reports.verbs import fact

# The fact behind each printed column.
USE = {"average_usage_percent": "queue_mean", "peak_usage_percent": "queue_peak"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: shares of the queues in use, in per cent; `small_...`, of an eighth."""
    rows = with_and_without(cases)
    for name, source in USE.items():
        rows[name], rows[f"small_{name}"] = 100 * fact(rows, source), 100 * fact(rows, f"other_{source}")
    return beside_prints(rows.assign(told=told(rows, *USE)), "gsofa_table3_queue_usage", tuple(USE))


COLUMNS = [
    *columns("of whole queues", plain, "told", average_usage_percent="mean"),
    *columns("of whole queues", plain, "told", peak_usage_percent="peak"),
    *columns("of an eighth", small_average_usage_percent="mean", small_peak_usage_percent="peak"),
]
CAPTION = """Share of the frontier queues in use: mean over iterations (here steps of a block), and peak.
    Whole: space optimisations off. An eighth: all on; above 100: in pinned host memory."""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION, one_run=False)
