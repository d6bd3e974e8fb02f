"""Figure 21: the size of the chunks in which sources are dealt out."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.gpus import SIMULATED, by_kind, compared, parallel, picture
from reports.gsofa.symbolic import SPAN
from reports.shapes.beside import PanelRow, Step
from reports.verbs import option, with_option

CLAIM = "fig21_chunk_size"
DATA = subject("gsofa", CLAIM).data
SMALLEST, DEFAULT = "64", "128"
CHUNKS = {size: f"chunks of {size}" for size in (DEFAULT, "256")}
JUDGED = {"128": ("mean_128", "slower_128"), "256": ("mean_256", "largest_256", "slower_256")}
# What the paper prints by matrix.
PRINTED = {"256": DATA["max_256"]}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return two rows per matrix and number of workers: `ratio`, seconds with chunks of 128 and of 256
    sources over those with 64."""
    rows = parallel(cases)
    size = option(rows["variant"], "maxsup").fillna(DEFAULT)
    base = with_option(rows["variant"], "maxsup", SMALLEST)
    rows = compared(rows, {each: (size == each, base) for each in CHUNKS}, PRINTED)
    # The pair has the seconds at 64 on top.
    rows[["ratio", "ratio_low", "ratio_high"]] = 1 / rows[["ratio", "ratio_high", "ratio_low"]].to_numpy()
    return rows


ROW = PanelRow(
    f"seconds over those\nwith chunks of {SMALLEST}",
    [Step(name, "ratio", {"what": size}) for size, name in CHUNKS.items()],
    {"mean": {name: DATA["mean"][int(size)] for size, name in CHUNKS.items()}}
    | {abbr: {CHUNKS["256"]: value} for abbr, value in DATA["max_256"].items()},
    points=True,
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 21",
    "size of the chunks",
    frame,
    picture(ROW, "printed: six nodes of six V100"),
    f"""Seconds with chunks of 128 and 256 sources over those with 64; a whisker that leaves the axis is cut.
    {SIMULATED}""",
    # Beside the print: no machine here has 36 GPUs.
    held=tuple(
        Held(CLAIM, "ratio", names, "pair", "seconds", {"what": size}, by_kind, beside=True)
        for size, names in JUDGED.items()
    ),
    one_run=True,
    topic="size of the chunks of sources",
    span=SPAN,
)
