"""Figure 3: time of the factor against threads."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import ORDERINGS, in_order
from reports.parac.solution import by_threads
from reports.shapes.axes import legend_above, names
from reports.shapes.bars import label_log, seconds, times
from reports.shapes.lines import draw_panels
from reports.shapes.style import looks, new_figure
from reports.table import cores_of
from reports.verbs import ENDS, RATIO, mean, on, over

# The matrix that is said not to scale, and what most others are said to reach.
EXCEPTION, PRINTED = "com-LiveJournal", 10.0
TOO_MANY = "fewer_cores"
# One thread's seconds over the threads.
EVEN: dict[str, Any] = {"color": "#777777", "linestyle": ":", "linewidth": 1.0, "zorder": 1}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: `ratio` of one thread's seconds; `most`, whether of the most threads."""
    rows = in_order(cases)
    rows = rows.join(over(on(rows, rows[rows["threads"] == 1]), rows, ("one thread", ""), bounds=False))
    cores = rows["machine"].map(cores_of).astype(float)
    too_many = (rows["threads"] > cores) & (rows["status"] != "not_run")
    rows["pair"] = rows["pair"].mask(too_many, TOO_MANY)
    rows[RATIO[1:]] = rows[RATIO[1:]].mask(too_many)
    last = rows[rows["pair"] == "ok"].groupby(["label", "preparation"])["threads"].idxmax()
    most = rows.index.isin(last) & (rows["threads"] > 1)
    is_exception = (rows["abbr"] == EXCEPTION) | (rows["stand_in_for"] == EXCEPTION)
    return rows.assign(most=most, density=rows["nnz"] / rows["n"], is_exception=is_exception)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel per ordering, with a line per matrix over the threads, and `ratio` at its end."""
    rows = frame[frame["pair"] != TOO_MANY].assign(family=frame["series"], preparation=None)
    rows = rows.assign(code=names(rows, ", "), n=rows["threads"].astype(float))
    ok, figure = rows[rows["status"] == "ok"], new_figure(13.0, 6.4, title)
    panels = figure.subplots(1, len(ORDERINGS), sharex=True, sharey=True)
    # A single point has the name of its matrix.
    single = ok["label"].where(ok.groupby(["family", "code"])["n"].transform("size") == 1)
    ends = rows["ratio"].map(times).where(rows["most"]).astype("object").fillna(single)
    families = [*ORDERINGS.values()]
    draw_panels(panels, rows.assign(written=ends), families, looks(ok["code"]), named=False)
    for axes, family in zip(panels, families, strict=True):
        axes.set_title(family, loc="left")
        axes.set_xlabel("threads (log)")
        for _, line in ok[ok["family"] == family].sort_values("n").groupby("code"):
            for one in line.loc[line["n"] == 1, "median"]:
                axes.plot(line["n"], one / line["n"], **EVEN)
    panels[0].set_ylabel("time of the factor (log)")
    if len(ok):
        panels[0].set_yscale("log")
        label_log(panels[0].yaxis, seconds)
        panels[0].set_xticks(ticks := sorted(ok["n"].unique()), list(map("{:g}".format, ticks)))
    legend_above(figure, [Line2D([], [], **EVEN, label="one thread's time over the threads")])
    return figure


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return each matrix's mean speed-up at the most threads; `nearness`, 1 less how far it is off."""
    rows = frame.assign(threads=frame["threads"].where(frame["most"]).astype(float))
    ends = rows[rows["threads"] == rows.groupby("label")["threads"].transform("max")]
    means = ends.groupby("label").agg({f"ratio{end}": mean for end in ENDS} | {"ratio_processes": "min"})
    rows = rows.sort_values("threads", ascending=False, kind="stable").drop_duplicates("label").sort_index()
    # A matrix with a single thread's seconds alone has no speed-up.
    rows = rows.set_index("label").assign(**means)
    nearest = np.clip(PRINTED, rows["ratio_low"], rows["ratio_high"])
    near = 1 - (rows[["ratio", "ratio_low", "ratio_high"]].assign(nearest=nearest) / PRINTED - 1).abs()
    sides = {"nearness": near["ratio"], "nearness_low": near.min(axis=1), "nearness_high": near["nearest"]}
    rows = rows.assign(**sides, nearness_processes=rows["ratio_processes"])
    return by_threads(rows.reset_index(), "threads")


CAPTION = """Code: parac_cpu. Written: seconds of one thread over seconds of the most threads (printed: about
    10x on most), with the same factor. {fewer} cases with more threads than cores are left out."""
EXHIBIT = Exhibit(
    frame,
    draw,
    CAPTION,
    lambda frame: {"fewer": (frame["pair"] == TOO_MANY).sum() or "No"},
    subsets={"by_matrix": by_matrix},
    span="the graph resident in memory to its factor resident there",
)
