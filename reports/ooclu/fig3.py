"""Figure 3: how the frontiers grow with the iterations, and where the paper begins its second part."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.facts.naming import among
from reports.ooclu.arrays import PAPER
from reports.series import per_case
from reports.shapes.axes import Multiples, empty_panel
from reports.shapes.bars import GROUND
from reports.shapes.style import NORMAL, PALETTE
from reports.verbs import with_absent

# What the figure shows; Table 2, which has the abbreviations, leaves the second out.
SHOWN = ["pre2", "audikw_1"]
HALF = 0.5
# The paper's iterations are chunks of rows that its card holds; of smaller matrices that is one or two.
ITERATIONS = 100
BINS = ["first", "last", "edges_mean"]
NUMBERS = ["iteration", "frontier", "largest", "split", "before"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per iteration, a hundredth of the rows, of each case; a single one with the reason where
    there is no series or no case of a matrix that the paper shows.

    frontier : vertices that the frontiers of a row have in all its steps, mean over the rows of the
        iteration: the entries that they examine over nnz/n
    split : the first iteration above half of the largest
    before : per cent of the iterations that are before the split
    """
    instead = cases["stands_for"].map(lambda names: among(names, SHOWN)).astype("object")
    abbr = cases["abbr"].where(cases["matrix"] != SHOWN[1], SHOWN[1])
    bins = per_case(cases.assign(stand_in_for=instead, abbr=abbr), BINS)
    parts = [_iterations(own) for _, own in bins.groupby("case", sort=False)]
    none = bins[:0].assign(**dict.fromkeys(NUMBERS, np.nan))
    rows = with_absent(pd.concat([none, *parts]).drop(columns=BINS), SHOWN)
    shown = rows["stand_in_for"].str.partition(", ")[0].fillna(rows["matrix"])
    place = shown.map({name: number for number, name in enumerate(SHOWN)}) + rows["stand_in_for"].notna() / 2
    return rows.iloc[place.argsort(kind="stable")].astype(dict.fromkeys(NUMBERS, "float64"))


def _iterations(bins: pd.DataFrame) -> pd.DataFrame:
    """Return a row per iteration of a case, or the one without bins."""
    rows, count = bins["last"] + 1 - bins["first"], min(ITERATIONS, len(bins))
    if rows.isna().any():
        return bins.assign(**dict.fromkeys(NUMBERS, np.nan))
    starts = np.searchsorted(bins["first"], np.arange(count) * int(rows.sum()) // count)
    examined, size = (np.add.reduceat(part.to_numpy(), starts) for part in (bins["edges_mean"] * rows, rows))
    frontier = examined / size / (bins["entries"] / bins["n"]).iloc[0]
    split = int((frontier > HALF * frontier.max()).argmax())
    numbers = (range(count), frontier, frontier.max(), split, 100 * split / count)
    return bins.iloc[[0] * count].assign(**dict(zip(NUMBERS, numbers, strict=True)))


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the frontier of each iteration, half of the largest, and the split."""
    first = rows.iloc[0]
    if pd.isna(first["largest"]):
        empty_panel(axes, first["status"], first["reason"])
        return
    axes.bar(rows["iteration"], rows["frontier"], width=1.0, align="edge", color=PALETTE[0])
    axes.axhline(HALF * first["largest"], color="black", linestyle="--", linewidth=1.2)
    axes.axvline(first["split"], color="black", linestyle=":", linewidth=1.8)
    text = f"half of the largest is exceeded\nafter {first['before']:.0f}% of the iterations"
    axes.text(0.02, 0.55, text, transform=axes.transAxes, va="bottom", fontsize=NORMAL, bbox=GROUND)
    axes.set(xlim=(0, len(rows)), ylim=(0, 1.05 * first["largest"]), xlabel="iteration (1% of the rows each)")


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 3",
    "frontier size per iteration",
    frame,
    Multiples(draw, "frontier vertices of a row"),
    """Vertices in all frontiers of a row of out_of_core (the entries that it examines over nnz/n; one counts
    each time it is entered), mean over the rows of an iteration. Dashed: half of the largest; dotted: where
    the paper begins its second part. The paper prints no number.""",
    claims=("fig3_frontiers",),
    subsets={"cases": lambda frame: [Subset(frame.drop_duplicates(["label", "preparation"]))]},
)
