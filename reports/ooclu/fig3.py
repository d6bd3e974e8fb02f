"""Figure 3: frontier size per iteration."""

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.ooclu.arrays import standing_in
from reports.series import per_case
from reports.shapes.axes import Multiples
from reports.shapes.bars import GROUND
from reports.shapes.style import NORMAL, PALETTE
from reports.verbs import with_absent

# Table 2, which has the abbreviations, leaves the second out.
SHOWN = ["pre2", "audikw_1"]
HALF = 0.5
# The paper's iterations are chunks of rows that its card holds; of smaller matrices that is one or two.
ITERATIONS = 100
BINS = ["first", "last", "edges_mean"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per iteration, a hundredth of the rows, of each case: its `frontier`; the `split`."""
    bins = per_case(standing_in(cases, SHOWN, "stands_for"), BINS)
    case, size = bins["case"], bins["last"] + 1 - bins["first"]
    count = size.groupby(case).transform("count").clip(upper=ITERATIONS)
    iteration = ((bins["first"] + 1) * count - 1) // size.groupby(case).transform("sum")
    sums = (own.groupby([case, iteration]).transform("sum") for own in (bins["edges_mean"] * size, size))
    frontier = next(sums) / next(sums) * bins["n"] / bins["entries"]
    largest = frontier.groupby(case).transform("max")
    split = iteration.where(frontier > HALF * largest).groupby(case).transform("min")
    numbers = {"iteration": iteration, "frontier": frontier, "largest": largest, "split": split}
    rows = bins.drop(columns=BINS).assign(**numbers, before=100 * split / count)
    rows = with_absent(rows.drop_duplicates(["case", "iteration"]), SHOWN)
    return rows.assign(abbr=rows["abbr"].mask(rows["matrix"].isin(SHOWN), rows["matrix"]))


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the frontier of each iteration, half of the largest, and the split."""
    first = rows.iloc[0]
    axes.bar(rows["iteration"], rows["frontier"], width=1.0, align="edge", color=PALETTE[0])
    axes.axhline(HALF * first["largest"], color="black", linestyle="--", linewidth=1.2)
    axes.axvline(first["split"], color="black", linestyle=":", linewidth=1.8)
    text = f"half of the largest is exceeded\nafter {first['before']:.0f}% of the iterations"
    axes.text(0.02, 0.55, text, transform=axes.transAxes, va="bottom", fontsize=NORMAL, bbox=GROUND)
    axes.set(xlim=(0, len(rows)), ylim=(0, 1.05 * first["largest"]), xlabel="iteration (1% of the rows each)")


CAPTION = """Vertices in all frontiers of a row of out_of_core (examined entries over nnz/n), counted at each
    entry; mean over the rows of an iteration. Dashed: half of the largest. Dotted: the start of the paper's
    second part."""
SHAPE = Multiples(draw, "frontier vertices of a row", known="largest")
SUBSETS = {"cases": lambda frame: [Subset(frame.drop_duplicates(["label", "preparation"]))]}
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=SUBSETS, one_run=False)
