"""Figure 3: how the frontiers grow with the iterations, and where the paper begins its second part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.facts.naming import add_names, among
from reports.facts.series import series_bins
from reports.frames.arrays import PAPER, how
from reports.frames.frontiers import joined, with_case, without_case
from reports.shapes.axes import empty_panel
from reports.shapes.bars import GROUND
from reports.shapes.multiples import Grid, Multiples
from reports.shapes.style import NORMAL, PALETTE

CLAIM = "fig3_frontiers"
# What the figure shows; Table 2, which has the abbreviations, leaves the second out.
SHOWN = ("pre2", "audikw_1")
HALF = 0.5
# The paper's iterations are chunks of rows that its card holds; of smaller matrices that is one or two.
ITERATIONS = 100
EDGES = ("first", "last", "edges_mean")
TEXTS = (
    "case", "matrix", "label", "abbr", "stand_in_for", "near", "distance", "preparation", "machine", "device",
    "status", "reason",
)  # fmt: skip
NUMBERS = ("n", "iteration", "frontier", "largest", "split", "before")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per iteration, a hundredth of the rows, of each case; a single one without numbers, with the
    reason, where there is no series or no case of a matrix that the paper shows.

    frontier : vertices that the frontiers of a row have in all its steps, mean over the rows of the
        iteration: the entries that they examine over nnz/n.
    largest : of all iterations.
    split : the first iteration above half of it.
    before : per cent of the iterations that are before the split.
    """
    rows = inputs.rows()
    add_names(rows, inputs.entries, PAPER)
    rows["stand_in_for"] = [among(_stood_for(inputs, matrix), SHOWN) for matrix in rows["matrix"]]
    # The paper has no abbreviation of the second.
    rows["abbr"] = rows["abbr"].where(rows["matrix"] != SHOWN[1], SHOWN[1])
    parts = [_case_frame(row) for row in dicts(rows)]
    present = set(rows["matrix"])
    parts += [without_case(name) for name in SHOWN if name not in present]
    parts.sort(key=_place)
    return joined(parts, TEXTS, NUMBERS, ("n", "iteration", "split"))


def _stood_for(inputs: Inputs, matrix: str) -> str | None:
    entry = inputs.entry(matrix)
    return ", ".join(entry.stands_for) if entry else None


def _case_frame(row: Mapping[Any, Any]) -> pd.DataFrame:
    """The rows of one case."""
    bins, reason = series_bins(row, EDGES, "examined entries")
    names = {name: row[name] for name in ("label", "abbr", "stand_in_for", "near", "distance")}
    iterations = bins[[]].iloc[:1] if reason else _iterations(bins, row["entries"] / row["n"])
    return with_case(iterations, row, reason, **names)


def _iterations(bins: pd.DataFrame, per_row: float) -> pd.DataFrame:
    """per_row : nnz/n."""
    first, rows = bins["first"].to_numpy(), (bins["last"] + 1 - bins["first"]).to_numpy()
    n, count = int(rows.sum()), min(ITERATIONS, len(bins))
    starts = np.searchsorted(first, np.arange(count) * n // count)
    entries = np.add.reduceat(bins["edges_mean"].to_numpy() * rows, starts)
    frontier = pd.Series(entries / np.add.reduceat(rows, starts) / per_row)
    split = int((frontier > HALF * frontier.max()).to_numpy().argmax())
    return pd.DataFrame(
        {
            "iteration": range(count), "frontier": frontier, "largest": frontier.max(), "split": split,
            "before": 100 * split / count,
        }
    )  # fmt: skip


def _place(part: pd.DataFrame) -> tuple[int, bool]:
    """By the matrix of the paper's; its own before what stands in for it."""
    first = part.iloc[0]
    name = first.get("matrix") if isinstance(first.get("matrix"), str) else first["label"]
    stood_for = first.get("stand_in_for")
    shown = stood_for.partition(", ")[0] if isinstance(stood_for, str) else name
    return SHOWN.index(shown) if shown in SHOWN else len(SHOWN), name not in SHOWN


def cases(frame: pd.DataFrame) -> list[Subset]:
    """One row per case: what its iterations have in common."""
    return [Subset(frame.drop_duplicates(["label", "preparation", "machine"]))]


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    """The frontier of each iteration, half of the largest, and the split."""
    row = panel.iloc[0].to_dict()
    axes.set_xlabel("iteration (1% of the rows each)")
    if pd.isna(row["largest"]):
        empty_panel(axes, row["status"], row["reason"])
        return
    axes.bar(panel["iteration"], panel["frontier"], width=1.0, align="edge", color=PALETTE[0])
    axes.axhline(HALF * row["largest"], color="black", linestyle="--", linewidth=1.2)
    axes.axvline(row["split"], color="black", linestyle=":", linewidth=1.8)
    axes.set_xlim(0, len(panel))
    axes.set_ylim(0, 1.05 * row["largest"])
    axes.text(
        0.02, 0.55, f"half of the largest is exceeded\nafter {row['before']:.0f}% of the iterations",
        transform=axes.transAxes, va="bottom", fontsize=NORMAL, bbox=GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 3",
    "frontier size per iteration",
    frame,
    Multiples(_panel, "frontier vertices of a row", Grid(height=4.4)),
    """Vertices in all frontiers of a row of out_of_core (the entries that it examines over nnz/n; one counts
    each time it is entered), mean over the rows of an iteration. Dashed: half of the largest; dotted: where
    the paper begins its second part. The paper prints no number. {how}""",
    lambda frame: {"how": how(frame)},
    held=(Held(CLAIM, "before", ("late",), above=90.0, subsets=cases),),
)
