"""Figure 12: SuperLU_DIST's parallel symbolic factorisation by its printed ratios; it is not measured."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA, add_printed, columns_of, gpu_caption, pair_frame
from reports.frames.seconds import RATIO
from reports.shapes import bars
from reports.shapes.gains import Gains
from reports.shapes.panels import Panels

CLAIM = "fig12_vs_superlu_dist"
DATA = subject("gsofa", CLAIM).data
# What a good sequential code takes, beside which the print stands.
BASELINE = "fill1_pruned"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: `ratio`, seconds of fill1_pruned over gsofa's in one run; superlu_dist,
    why there is none of SuperLU_DIST's; what the paper prints of that over GSoFA's on one node."""
    rows = pair_frame(inputs, _by_gsofa, role=GSOFA)
    rows = add_printed(rows, "gsofa", {"paper": DATA["one_node"]})
    rows["superlu_dist"] = "unavailable"
    return columns_of(rows, "median", *RATIO, "superlu_dist", "paper")


def _by_gsofa(case: Case) -> Case | None:
    """GSoFA with its defaults, for a case of the sequential code."""
    return replace(case, implementation=GSOFA, threads=0) if case.implementation == BASELINE else None


GAIN = bars.Panel(
    "ratio", "ratio_low", "ratio_high", "seconds of fill1_pruned, one core,\nover gsofa, one GPU", "pair",
    points=True,
)  # fmt: skip
STARS = "printed: SuperLU_DIST's parallel symbolic over GSoFA, one node of each"
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 12",
    "SuperLU_DIST (unavailable here; printed ratios only)",
    frame,
    Panels([Gains(GAIN, "paper", legend=(("star", STARS), ("slot", "no ratio of ours")))], 7.0),
    """SuperLU_DIST's parallel symbolic factorisation is unavailable here. Stars: its printed ratios on one
    node; on 44 nodes the paper prints {mean}x on average, {least[1]}x ({least[0]}) to {most[1]}x ({most[0]}).
    Points are another comparison: fill1_pruned, sequential, over gsofa on one GPU. {gpu}""",
    lambda frame: {
        "mean": DATA["nodes_44"]["mean"],
        "most": next(iter(DATA["nodes_44"]["max"].items())),
        "least": next(iter(DATA["nodes_44"]["min"].items())),
        "gpu": gpu_caption(frame, "gsofa"),
    },
    claims=(CLAIM,),
    one_run=True,
    topic="SuperLU_DIST's parallel symbolic factorisation (printed)",
)
