"""Table 3: how much of the frontier queues is in use."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.device import NOT_MEASURED, add_printed, columns_of, gpu_caption
from reports.frames.order import in_papers_order
from reports.frames.prints import add_prints
from reports.frames.space import space_frame
from reports.shapes.paper_table import PaperTable
from reports.shapes.printed import Beside

CLAIM = "table3_queue_usage"
FILE = "gsofa_table3_queue_usage"
# The columns of the print, by ours.
PRINTED = {"paper_mean_percent": "average_usage_percent", "paper_peak_percent": "peak_usage_percent"}
# The facts that ours are of.
WHOLE = {"mean_percent": "queue_mean", "peak_percent": "queue_peak"}
SMALL = {"small_mean_percent": "other_queue_mean", "small_peak_percent": "other_queue_peak"}
PER_CENT = "{:.3g}".format
HERE, EIGHTH = "of whole queues", "of an eighth of them"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: mean and peak share of the queues in use, in per cent: of whole queues
    (space optimisations off), and of an eighth of them (all on; above 100 in pinned memory); what is printed,
    of paper_matrix. told : `ok` where the first are known."""
    rows = space_frame(inputs)
    for name, fact in {**WHOLE, **SMALL}.items():
        rows[name] = 100 * rows[fact]
    known = rows[list(WHOLE)].notna().all(axis=1)
    rows["told"] = rows["status"].where((rows["status"] != "ok") | known, NOT_MEASURED)
    printed = {name: printed_column("gsofa", FILE, column) for name, column in PRINTED.items()}
    rows = add_prints(add_printed(rows, "gsofa", printed), "gsofa", printed)
    return columns_of(
        in_papers_order(rows, inputs.paper), "paper_matrix", *PRINTED, *WHOLE, *SMALL, "concurrent_sources",
        "other_concurrent_sources", "told",
    )  # fmt: skip


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 3",
    "use of the frontier queues, per cent",
    frame,
    PaperTable(
        [
            Beside("mean", 1.5, HERE, "mean_percent", PER_CENT, "told"),
            Beside("peak", 1.5, HERE, "peak_percent", PER_CENT, "told"),
            Beside("mean", 1.5, EIGHTH, "small_mean_percent", PER_CENT),
            Beside("peak", 1.5, EIGHTH, "small_peak_percent", PER_CENT),
        ]
    ),
    """Share of the frontier queues in use: mean over iterations, and peak. Whole: space optimisations off; an
    eighth: all on, above 100 in pinned host memory. An iteration is a block's step here, the card's in the
    paper. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa", timed=False, slots=False)},
    held=(
        Held(CLAIM, "mean_percent", ("average",), "told", "mean percent"),
        Held(CLAIM, "peak_percent", ("peak",), "told", "peak percent"),
    ),
)
