"""Figure 21: the size of the chunks in which sources are dealt out."""

from __future__ import annotations

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import (
    by_kind,
    gain_frame,
    panels_of,
    printed_columns,
    simulated_how,
    with_option,
)
from reports.frames.seconds import RATIO
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig21_chunk_size"
DATA = subject("gsofa", CLAIM).data
SMALLEST = "64"
SIZES = ("128", "256")
CHUNKS = "chunks of "
JUDGED = {"128": ("mean_128", "slower_128"), "256": ("mean_256", "largest_256", "slower_256")}
# What the paper prints by matrix.
PRINTED = {"256": DATA["max_256"]}


def frame(inputs: Inputs) -> pd.DataFrame:
    """Two rows per matrix, number of workers and machine: `ratio`, seconds with chunks of 128 and of 256
    sources over those with 64."""
    rows = gain_frame(inputs, _pairing)
    # The pair has the seconds at 64 on top.
    rows[list(RATIO[1:4])] = 1 / rows[["ratio", "ratio_high", "ratio_low"]].astype(float).to_numpy()
    return printed_columns(rows, PRINTED)


def _pairing(case: Case) -> tuple[Case, str] | None:
    """128 is the default, which a case does not write."""
    size = dict(case.options).get("maxsup", "128")
    return (with_option(case, "maxsup", SMALLEST), size) if size in SIZES else None


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """Both sizes over the smallest."""
    shown = [
        marks_of(part, "ratio", "pair", step=CHUNKS + part["what"], panel=part["series"])
        for part in panels_of(frame)
    ]
    return pd.concat(shown or [marks_of(frame[:0], "ratio", "pair", step="", panel="")])


ROW = PanelRow(
    f"seconds over those\nwith chunks of {SMALLEST}", [CHUNKS + size for size in SIZES],
    {"mean": {CHUNKS + size: DATA["mean"][int(size)] for size in SIZES}}
    | {abbr: {CHUNKS + "256": value} for abbr, value in DATA["max_256"].items()},
    points=True,
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 21",
    "size of the chunks",
    frame,
    BesidePrint([ROW], "printed: six nodes of six V100", _marks, height=5.2),
    """Seconds with chunks of 128 and 256 sources over those with 64; a whisker that leaves the axis is cut.
    {simulated}{gpu}""",
    lambda frame: {"simulated": simulated_how(frame), "gpu": gpu_caption(frame, "gsofa")},
    # Beside the print: no machine here has 36 GPUs.
    held=tuple(
        Held(CLAIM, "ratio", names, "pair", "seconds", {"what": size}, by_kind, beside=True)
        for size, names in JUDGED.items()
    ),
    one_run=True,
    topic="size of the chunks of sources",
)  # fmt: skip
