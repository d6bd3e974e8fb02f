"""Figure 21: the size of the chunks in which sources are dealt out."""

from __future__ import annotations

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import by_kind, gain_frame, printed_columns, simulated_how, with_option
from reports.frames.seconds import RATIO
from reports.shapes.pairs import Pair, Pairs

CLAIM = "fig21_chunk_size"
DATA = subject("gsofa", CLAIM).data
SMALLEST = "64"
SIZES = ("128", "256")
# What the paper prints by matrix.
PRINTED = {"256": DATA["max_256"]}


def frame(inputs: Inputs) -> pd.DataFrame:
    """Two rows per matrix, number of workers and machine: `ratio`, seconds with chunks of 128 and of 256
    sources over those with 64."""
    rows = gain_frame(inputs, _pairing)
    # The pair has the seconds at 64 on top.
    rows[list(RATIO[1:])] = 1 / rows[["ratio", "ratio_high", "ratio_low"]].astype(float).to_numpy()
    return printed_columns(rows, PRINTED)


def _pairing(case: Case) -> tuple[Case, str] | None:
    """128 is the default, which a case does not write."""
    size = dict(case.options).get("maxsup", "128")
    return (with_option(case, "maxsup", SMALLEST), size) if size in SIZES else None


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 21",
    "size of the chunks",
    frame,
    Pairs(
        [
            Pair(
                size, f"seconds, chunks of {size}\nover chunks of {SMALLEST}", DATA["mean"][int(size)],
                PRINTED.get(size, {}),
            )
            for size in SIZES
        ]
    ),
    """Seconds with chunks of 128 (above) and 256 (below) sources over those with 64, intra_node. The paper
    has six nodes of six V100. {simulated}{gpu}""",
    lambda frame: {"simulated": simulated_how(), "gpu": gpu_caption(frame, "gsofa")},
    # Beside the print: no machine here has 36 GPUs.
    held=tuple(
        Held(CLAIM, "ratio", (name,), "pair", "seconds", {"what": size}, by_kind, beside=True)
        for size, name in (("128", "mean_128"), ("256", "mean_256"), ("256", "largest_256"))
    ),
    one_run=True,
    topic="size of the chunks of sources",
)  # fmt: skip
