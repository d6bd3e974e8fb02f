"""Figure 3: how the frontiers grow along the rows, and where the paper splits them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.facts.entries import MatrixEntry
from reports.facts.inputs import Inputs
from reports.facts.naming import among, label, listed
from reports.frames.arrays import PAPER
from reports.frames.frontiers import BINS, bins_of, joined, with_case, without_case
from reports.frames.seconds import prepared_how
from reports.shapes.axes import empty_panel
from reports.shapes.bars import GROUND
from reports.shapes.multiples import Multiples
from reports.shapes.style import NORMAL, PALETTE

# What the figure shows; Table 2, which has the abbreviations, leaves the second out.
SHOWN = ("pre2", "audikw_1")
HALF = 0.5


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per bin of rows of each case; a single one without numbers, with the reason, where there is no
    series or no case of a matrix that the paper shows.

    largest : frontier of any row.
    split : the first row of the first bin in which one exceeds half of it
    share_before : of all rows.
    """
    rows = inputs.rows().to_dict("records")
    parts = [_case_frame(row, inputs.entry(row["matrix"])) for row in rows]
    there = {part["label"].iloc[0].partition(" (")[0] for part in parts}
    parts += [without_case(name) for name in SHOWN if name not in there]
    parts.sort(key=_place)
    texts = (
        "case", "matrix", "label", "stand_in_for", "preparation", "machine", "device", "status", "reason",
    )  # fmt: skip
    numbers = ("n", *BINS, "largest", "split", "share_before")
    return joined(parts, texts, numbers, ("n", "first", "last", "split"))


def _case_frame(row: Mapping[Any, Any], entry: MatrixEntry | None) -> pd.DataFrame:
    """The rows of one case."""
    bins, reason = bins_of(row)
    stood_for = among(", ".join(entry.stands_for) if entry else None, SHOWN)
    name = label(row["matrix"], entry, PAPER)
    return with_case(bins, row, reason, label=name, stand_in_for=stood_for, **_split(bins, row["n"]))


def _split(bins: pd.DataFrame, n: Any) -> dict[str, float | None]:
    """The largest frontier and where more than half of it is first seen."""
    most = bins["frontier_max"].astype(float)
    if most.isna().all():
        return {}
    split = int(bins.loc[most > HALF * most.max(), "first"].iloc[0])
    return {"largest": most.max(), "split": split, "share_before": split / n}


def _place(part: pd.DataFrame) -> tuple[int, bool]:
    """By the matrix of the paper's; its own before what stands in for it."""
    name_of, stood_for = part["label"].iloc[0].partition(" (")[0], part.get("stand_in_for")
    name = name_of if name_of in SHOWN or stood_for is None else str(stood_for.iloc[0]).partition(", ")[0]
    return SHOWN.index(name) if name in SHOWN else len(SHOWN), name_of not in SHOWN


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    """Mean and range of each bin of rows, the half of the largest, and the split."""
    row = panel.iloc[0].to_dict()
    axes.set_xlabel("row")
    if pd.isna(row["largest"]):
        empty_panel(axes, row["status"], row["reason"])
        return
    middle = (panel["first"] + panel["last"]).astype(float) / 2
    axes.fill_between(middle, panel["frontier_min"], panel["frontier_max"], color=PALETTE[4], alpha=0.55)
    axes.plot(middle, panel["frontier_mean"], color=PALETTE[0], linewidth=1.0)
    axes.axhline(HALF * row["largest"], color="black", linestyle="--", linewidth=1.2)
    axes.axvline(row["split"], color="black", linestyle=":", linewidth=1.8)
    axes.set_xlim(0, row["n"])
    axes.set_ylim(0, 1.25 * row["largest"])
    text = f"largest {row['largest']:,.4g}; over half of it from row {row['split']:,}"
    axes.text(
        0.02, 0.97, f"{text} on ({row['share_before']:.0%} are before)", transform=axes.transAxes, va="top",
        fontsize=NORMAL, bbox=GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 3",
    "frontiers along the rows",
    frame,
    Multiples(_panel, "frontier of a row"),
    """Mean frontier of a row by out_of_core. Line: mean over the rows of a bin; band: least to most. Dashed:
    half of the largest; dotted: the first bin in which a row exceeds it, where the paper begins its second
    part. A step takes at most 512 entries here, which bounds the frontier. Measured on: {devices}. {prepared}
    Stand-ins are indicative only.""",
    lambda frame: {
        "devices": listed(frame.loc[frame["frontier_mean"].notna(), "device"].dropna()),
        "prepared": prepared_how(frame, PAPER),
    },
    claims=("fig3_frontiers",),
)
