"""Figure 4: average frontier size of each source."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from impl.symbolic.gsofa_device import THREADS
from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.means import trend
from reports.facts.naming import NAMES
from reports.gsofa.symbolic import printed_matrix
from reports.series import per_case
from reports.shapes.axes import Multiples
from reports.shapes.style import PALETTE
from reports.verbs import ENDS, KEY, in_papers_order

CLAIM, CPU, GPU = "fig4_frontier_growth", "gsofa_cpu", "gsofa"
PRINTED = subject("gsofa", CLAIM)["per"]
BINS = ["first", "last", "frontier_mean", "frontier_min", "frontier_max"]
KEPT = [*KEY, *NAMES, "case", "implementation", "machine", "status", "reason", "series_file", "n"]
# Sources that the moving average is over, as a share of all.
WINDOW = 0.02
LOOKS: dict[str, dict[str, Any]] = {CPU: {"color": PALETTE[0]}, GPU: {"color": PALETTE[5], "ls": "--"}}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of each case: its moving `average`; of the case `ratio` and `growth`."""
    rows = per_case(cases[KEPT], BINS)
    none = rows.groupby("case")["frontier_max"].transform("max") <= 0
    reason = rows["reason"].mask(none, "no source has a frontier")
    rows = rows.assign(reason=reason, **rows[BINS].mask(none))[~none | ~rows.duplicated("case")]
    of_case, sizes = rows.groupby("case"), rows[["frontier_min", "frontier_max"]]
    largest = of_case["frontier_max"].transform("max")
    smallest = sizes.where(sizes > 0).min(axis=1).groupby(rows["case"]).transform("min")
    series = {case: bins[BINS].to_dict("list") for case, bins in of_case if len(bins) > 1}
    trends = {case: trend(bins["first"], bins["frontier_mean"], len(bins)) for case, bins in series.items()}
    growth = pd.DataFrame.from_dict(trends, "index", float, [f"growth{end}" for end in ENDS])
    average = of_case["frontier_mean"].transform(
        lambda mean: mean.rolling(max(1, round(WINDOW * len(mean))), 1, center=True).mean()
    )
    # Claims are held against the first bin of a case.
    rows = rows.assign(first=rows["first"].fillna(0), average=average, smallest=smallest, largest=largest)
    rows["ratio"] = largest / smallest
    rows = in_papers_order(rows.join(growth, on="case"), "gsofa", PRINTED)
    matrix = printed_matrix(rows, PRINTED)
    return rows.assign(paper_matrix=matrix, paper_ratio=matrix.map(PRINTED))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel per printed matrix: its own, or the stand-in with the most codes, then the largest."""
    known = frame["implementation"].where(frame["ratio"].notna())
    codes = known.groupby(frame["matrix"]).transform("nunique")
    rows = frame.assign(own=frame["abbr"].notna(), codes=codes).sort_values(
        ["own", "codes", "n"], kind="stable"
    )
    shown = rows.groupby("paper_matrix")["matrix"].last()
    return Multiples(_panel, "average frontier of a source", known="ratio")(
        frame[frame["matrix"].isin(shown)], title
    )


def _panel(axes: Axes, measured: pd.DataFrame) -> None:
    """Draw a line for each code; in the legend, the largest over the smallest average frontier."""
    texts, marks = [], []
    for code, rows in measured.groupby("implementation", sort=False):
        middle, look = (rows["first"] + rows["last"]) / 2, LOOKS[str(code)]
        if code == CPU:
            axes.plot(middle, rows["frontier_mean"], linewidth=0.4, alpha=0.5, **look)
        ratio, largest, smallest = rows[["ratio", "largest", "smallest"]].iloc[0]
        texts.append(f"{code}: {ratio:,.0f}x ({largest:,.4g} / {smallest:,.3g})")
        marks += axes.plot(middle, rows["average"], linewidth=2, **look)
    matrix = measured["paper_matrix"].iloc[0]
    texts.append(f"printed of {matrix}: {PRINTED[matrix]:,.0f}x")
    marks += axes.plot([], [], " ")
    axes.legend(marks, texts, title="largest over smallest", loc="upper left", alignment="left")
    axes.set(xlabel="source", xlim=(0, measured["n"].iloc[0]), ylim=(0, None))


CAPTION = f"""One panel per printed matrix, of {{measured}} measured. Average frontier of a source: expanded
    vertices over iterations, as a moving average over {WINDOW:.0%} of the sources. Thin: averages of a few
    sources. The ratio leaves out frontiers of 0. An iteration of gsofa_cpu expands the whole frontier, as in
    the paper; a block of gsofa at most {THREADS} vertices."""
EXHIBIT = Exhibit(
    frame,
    draw,
    CAPTION,
    lambda frame: {"measured": frame.dropna(subset="ratio")["matrix"].nunique()},
    one_run=False,
)
