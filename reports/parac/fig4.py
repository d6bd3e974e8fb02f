"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from fillpath.case import Case
from reports import bars
from reports.claims import claim
from reports.device import columns_of, device_frame
from reports.figures import Entries, FigureSpec
from reports.labels import legend_above
from reports.naming import lines
from reports.parac.paper import ORDERINGS, PAPER, names_of, ordered_how, seconds_axis
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, SMALL, new_figure
from reports.timed import NO_RESULT, seconds_how
from reports.verdicts import judge, remarks

CLAIM = "fig4_dependency_depth"
DEPTHS = {
    "height_classical": ("o", "white", "classical e-tree height"),
    "height_actual": ("o", "own", "actual e-tree height"),
    "critical_path": ("_", "own", "critical path of a triangular solve"),
}
FACTS = (*DEPTHS, "nnz_l", "nnz_g")
# The GPU's first: its time is the paper's.
FACTORS = ("parac_gpu", "parac_cpu")
SPAN = "the graph resident where it is factorised to its factor resident there"
SECONDS = bars.Panel("median", "low", "high", "seconds")


def is_depth(case: Case) -> bool:
    """ParAC's factor by the GPU, or on one thread."""
    known = case.stage == "cholesky" and case.implementation in FACTORS and not case.options
    return known and (case.threads == 1 or case.implementation == "parac_gpu")


def fig4_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, ordering and machine: both heights and the critical path, in vertices, `fill`, 2 nnz(G)
    over nnz(L) with both diagonals, and seconds of the factor by `implementation`: on the GPU where the
    machine has a result of it, else on one thread. shrinks : the classical height over the actual one."""
    frame = device_frame(records, entries, [case for case in cases if is_depth(case)], FACTS, paper=PAPER)
    frame["ordering"] = frame["preparation"]
    frame["place"] = [FACTORS.index(name) + 2 * (status != "ok") for name, status in
                      zip(frame["implementation"], frame["status"], strict=True)]  # fmt: skip
    keys = ["label", "ordering", "machine"]
    frame = frame.sort_values("place", kind="stable").drop_duplicates(keys).sort_index(ignore_index=True)
    frame["fill"] = 2 * frame["nnz_g"] / frame["nnz_l"]
    frame["shrinks"] = frame["height_classical"] / frame["height_actual"]
    frame["series"] = names_of(frame, [ORDERINGS[name] for name in frame["ordering"]])
    places = list(dict.fromkeys(frame["label"]))
    frame["group"] = [places.index(label) for label in frame["label"]]
    rank = list(ORDERINGS)
    frame = frame.sort_values(
        ["group", "machine", "ordering"], key=lambda c: c.map(rank.index) if c.name == "ordering" else c,
        kind="stable", ignore_index=True,
    )  # fmt: skip
    return columns_of(frame, "ordering", "implementation", *FACTS, "fill", "shrinks", "median", "low", "high")


def fig4(frame: pd.DataFrame) -> Figure:
    """Depths above, then the time of the factor and the fill ratio, a colour an ordering."""
    groups = max(1, frame["group"].nunique())
    figure = new_figure(min(24.0, max(11.0, 3.0 + 1.7 * groups)), 12.5)
    figure.suptitle(
        "ParAC, Figure 4: depth, time and fill of the factor by ordering", x=0.01, ha="left", fontsize=LARGE,
        weight="bold",
    )  # fmt: skip
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[1.5, 1.0, 0.8])
    _depths(top, frame)
    everything = pd.Series(True, index=frame.index)
    bars.bar_panel(middle, frame, SECONDS, everything)
    middle.set_ylabel("time of the factor")
    if (frame["status"] == "ok").any():
        seconds_axis(middle)
    bars.bar_panel(bottom, frame, _FILL, everything)
    if (frame["status"] == "ok").any():
        bottom.set_ylim(0, 1.15 * float(frame["fill"].max()))
    rows = frame.drop_duplicates("group")
    labels = [lines(row) for row in rows.to_dict("records")]
    bottom.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    bottom.set_xlim(-0.6, groups - 0.4)
    looks = bars.look_of(frame)
    series = [Patch(facecolor=c, hatch=h, edgecolor="black", label=name) for name, (c, h) in looks.items()]
    marks = [
        Line2D([], [], linestyle="none", marker=marker, markersize=9, markeredgecolor="black",
               markeredgewidth=2.0, color="white" if fill == "white" else "#777777", label=text)
        for marker, fill, text in DEPTHS.values()
    ]  # fmt: skip
    legend_above(figure, [*series, *marks])
    return figure


def fig4_caption(frame: pd.DataFrame) -> str:
    """What the depths are."""
    ok = frame[frame["status"] == "ok"]
    timed = ", ".join(sorted(set(ok["implementation"]))) or "nothing"
    return (
        "In vertices: the height of the elimination tree of L, as if its factor filled wholly "
        "(classical); of "
        "that of ParAC's factor G, the parent of a vertex being the first row of its column; the longest "
        "path "
        "of G as a graph. The three are counted of the verified factor, outside of the clock. Fill ratio: "
        f"2 nnz(G) / nnz(L), diagonals counted. Time: {timed} (parac_cpu: on one thread, where the machine "
        f"has "
        f"no GPU; the paper's is a GPU's). {seconds_how(frame, SPAN)} {NO_RESULT} {ordered_how(frame)}"
    )


def fig4_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether the actual tree is the lower one, how much lower by ordering, and how far fill depends on the
    ordering."""
    ok = frame[frame["status"] == "ok"]
    spread = ok.groupby(["label", "machine"])["fill"].transform(lambda fill: fill.max() / fill.min())
    several = ok.groupby(["label", "machine"])["fill"].transform("size") > 1
    frame = frame.assign(spread=spread.where(several))
    named = f"{PAPER}.{CLAIM}"

    def shrinks(rows: pd.DataFrame) -> str:
        means = rows.groupby("ordering")["shrinks"].mean()
        parts = [f"{bars.times(means[name])} {text}" for name, text in ORDERINGS.items() if name in means]
        return f"{', '.join(parts)} on average; printed: least so for AMD"

    def depends(rows: pd.DataFrame) -> str:
        most = max(rows.to_dict("records"), key=lambda row: row["spread"])
        return f"at most {bars.times(most['spread'])} ({most['label']}); printed: hardly"

    basis = "classical over actual e-tree height"
    return [
        *judge(frame, claim(PAPER, CLAIM, "lower"), "shrinks", by_edges=False),
        *remarks(frame, named, "shrinks", shrinks, basis=basis, by_edges=False),
        *remarks(frame, named, "spread", depends, basis="fill, most over least ordering", by_edges=False),
    ]


_FILL = bars.Panel("fill", "fill", "fill", "fill ratio", log=False)


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Three marks a row, joined, on a log axis."""
    looks = bars.look_of(frame)
    places, width = bars.positions(frame)
    for x, row in zip(places, frame.to_dict("records"), strict=True):
        if row["status"] != "ok" or pd.isna(row["height_actual"]):
            said = str(row["status"]) if row["status"] != "ok" else "not measured"
            bars.draw_slot(axes, x, 0.92 * width, said)
            continue
        _marks(axes, x, row, looks[row["series"]][0])
    drawn = frame[list(DEPTHS)].to_numpy(dtype=float)
    axes.set_ylabel("vertices")
    if np.isfinite(drawn).any():
        axes.set_yscale("log")
        axes.set_ylim(np.nanmin(drawn) / 2, np.nanmax(drawn) * 8)


def _marks(axes: Axes, x: float, row: Mapping[Any, Any], colour: str) -> None:
    values = [float(row[name]) for name in DEPTHS]
    axes.plot([x, x], [min(values), max(values)], color="black", linewidth=1.0, zorder=1)
    for value, (marker, fill, _) in zip(values, DEPTHS.values(), strict=True):
        hollow = fill == "white"
        axes.plot(
            x, value, marker=marker, markersize=12 if marker == "_" else 8,
            color="white" if hollow else colour,
            markeredgecolor=colour if hollow or marker == "_" else "black",
            markeredgewidth=3.0 if marker == "_" else 2.0 if hollow else 1.0, zorder=3,
        )  # fmt: skip
    axes.annotate(
        f"{values[0]:,.0f}", (x, values[0]), (0, 8), textcoords="offset points", rotation=90, ha="center",
        va="bottom", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


SPEC = FigureSpec(
    "Figure 4: depth, time and fill of the factor by ordering",
    is_depth,
    fig4_frame,
    fig4,
    fig4_caption,
    claims=(CLAIM,),
    judge=fig4_verdicts,
)
