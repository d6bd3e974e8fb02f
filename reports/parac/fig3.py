"""Figure 3: time of the factor against threads, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.parac import ORDERINGS, PAPER, cores_of, ordered_how, sorted_orderings
from reports.frames.scaling import NEAR, REACHED, by_matrix, exception, most_matrices
from reports.frames.seconds import RATIO, add_columns, ratio_of, seconds_how, timed_frame
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.style import MARKERS, PALETTE, SMALL, headline, new_figure

CLAIM = "fig3_cpu_scaling"
TOO_MANY = "fewer_cores"
UNTRIED = ("not_run", "unavailable")
# Of the height of a panel, a line of text.
LINE = 0.045
# The colour of one thread's time over the threads.
EVEN = "#777777"
SPAN = "the graph resident in memory to its factor resident there"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: seconds, and `ratio`, those of one thread over them in one run. `pair`
    says `ok` or why there is none: `fewer_cores` where the machine has fewer than threads were asked for.
    most : the most threads of that matrix, ordering and machine with a ratio, on their row alone.
    density : nonzeros per row."""
    timed = sorted_orderings(timed_frame(inputs))
    cores = {name: cores_of(name) for name in timed["machine"].dropna().unique()}
    timed["cores"] = pd.Series([cores.get(name) for name in timed["machine"]], dtype="float64")
    timed["density"] = (timed["nnz"] / timed["n"]).astype("float64")
    rows = dicts(timed)
    alone = {_key(row): row for row in rows if row["threads"] == 1}
    add_columns(timed, [_ratio(row, alone) for row in rows], RATIO)
    ok = timed[timed["pair"] == "ok"]
    last = ok.groupby(["label", "ordering", "machine"])["threads"].idxmax().dropna()
    timed["most"] = pd.Series(timed.index.isin(last), index=timed.index) & (timed["threads"] > 1)
    return columns_of(timed, "ordering", "cores", "median", "low", "high", *RATIO, "most", "density")


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """What is left out, what the seconds are and how matrices were ordered."""
    left_out = int((frame["pair"] == TOO_MANY).sum())
    fewer = f"{left_out} cases of more threads than the machine has cores are left out. " if left_out else ""
    seconds = seconds_how(frame, SPAN)
    return {"fewer": fewer, "only": _only(frame), "seconds": seconds, "ordered": ordered_how(frame)}


def _only(frame: pd.DataFrame) -> str:
    """Which matrices have a line in one ordering only, and which a point without a line."""
    drawn = _drawn(frame)
    if drawn["ordering"].nunique() < 2:
        return ""
    points = drawn.groupby(["label", "ordering"], sort=False)["threads"].nunique()
    scaled = points[points > 1].reset_index()
    once = scaled[~scaled["label"].duplicated(keep=False)]
    single = points[points == 1].reset_index()
    texts = [
        f"{how} {text}{also}: {', '.join(rows.loc[rows['ordering'] == name, 'label'])}. "
        for how, also, rows in (("Scaled in", " only", once), ("A single point in", "", single))
        for name, text in ORDERINGS.items()
        if (rows["ordering"] == name).any()
    ]
    return "".join(texts)


def _drawn(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[(frame["status"] == "ok") & (frame["pair"] != TOO_MANY)]


def _key(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return row["label"], row["preparation"], row["machine"]


def _ratio(row: Mapping[Any, Any], alone: Mapping[tuple[Any, ...], Mapping[Any, Any]]) -> Mapping[str, Any]:
    if not pd.isna(row["cores"]) and row["threads"] > row["cores"]:
        return {"pair": TOO_MANY}
    return ratio_of(alone.get(_key(row)), row, ("one thread", ""), bounds=False)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel per ordering, as in the paper, with a line per matrix; written: the speed-up at its end."""
    drawn = _drawn(frame)
    looks = {label: _look(i) for i, label in enumerate(drawn["label"].drop_duplicates())}
    figure = new_figure(13.0, 6.4)
    headline(figure, title)
    panels = figure.subplots(1, len(ORDERINGS), sharex=True, sharey=True)
    for axes, (name, text) in zip(panels, ORDERINGS.items(), strict=True):
        axes.set_title(text, loc="left")
        axes.set_xlabel("threads (log)")
        _panel(axes, drawn[drawn["ordering"] == name], looks)
        _write_failures(axes, frame[frame["ordering"] == name])
    if len(drawn):
        _scale(panels[0], drawn)
        for axes, name in zip(panels, ORDERINGS, strict=True):
            _write_ends(axes, drawn[(drawn["ordering"] == name) & drawn["most"]])
    panels[0].set_ylabel("time of the factor (log)")
    legend_above(figure, _handles(drawn, looks))
    return figure


def _look(i: int) -> Mapping[str, Any]:
    """How the line of the i-th matrix is drawn; no two share colour and marker."""
    count = len(PALETTE)
    return {"color": PALETTE[i % count], "marker": MARKERS[(i + i // count) % count], "linewidth": 1.8}


def _write_failures(axes: Axes, rows: pd.DataFrame) -> None:
    """The matrices without a line, and why."""
    failed = rows[(rows["status"] != "ok") & ~rows["status"].isin(UNTRIED)].drop_duplicates(
        ["label", "status"]
    )
    pairs = zip(failed["label"], failed["status"], strict=True)
    text = "\n".join(f"{label}: {str(status).replace('_', ' ')}" for label, status in pairs)
    axes.text(0.02, 0.02, text, transform=axes.transAxes, fontsize=SMALL, va="bottom")


def _panel(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Mapping[str, Any]]) -> None:
    for label, line in rows.sort_values("threads").groupby("label", sort=False):
        _line(axes, line, looks[str(label)])
        if len(line) == 1:
            _name_point(axes, line.iloc[0], looks[str(label)])
        one = line.loc[line["threads"] == 1, "median"]
        if len(one):
            threads = line["threads"].astype(float)
            axes.plot(threads, one.iloc[0] / threads, color=EVEN, linestyle=":", linewidth=1.0, zorder=1)
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")


def _name_point(axes: Axes, row: pd.Series[Any], look: Mapping[str, Any]) -> None:
    """A point without a line: a ring that another's marker does not hide, and its matrix."""
    place = (float(row["threads"]), float(row["median"]))
    axes.plot(
        *place, marker="o", markersize=13, color="none", markeredgecolor=look["color"], markeredgewidth=2
    )
    axes.annotate(
        row["label"], place, (0, -13), textcoords="offset points", ha="center", va="top", fontsize=SMALL,
        color=look["color"], bbox=bars.GROUND,
    )  # fmt: skip


def _write_ends(axes: Axes, ends: pd.DataFrame) -> None:
    """The speed-ups right of the lines' ends, one a line of text above the other where these are close."""
    low, high = axes.get_ylim()
    gap, least = (high / low) ** LINE, 0.0
    for row in dicts(ends.sort_values("median")):
        height = max(row["median"], least)
        least = height * gap
        axes.annotate(
            bars.times(row["ratio"]), (row["threads"], height), (9, 0), textcoords="offset points",
            va="center", fontsize=SMALL, bbox=bars.GROUND,
        )  # fmt: skip


def _line(axes: Axes, line: pd.DataFrame, look: Mapping[str, Any]) -> None:
    whiskers = [line["median"] - line["low"], line["high"] - line["median"]]
    axes.errorbar(
        line["threads"].astype(float), line["median"], yerr=[side.clip(lower=0) for side in whiskers],
        **look, markeredgecolor="black", markersize=7, capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


def _scale(axes: Axes, drawn: pd.DataFrame) -> None:
    threads = sorted(int(t) for t in set(drawn["threads"]))
    axes.set_xscale("log", base=2)
    axes.set_xticks(threads, [str(t) for t in threads])
    axes.set_xlim(0.85, 2.1 * threads[-1])
    seconds_axis(axes)


def _handles(drawn: pd.DataFrame, looks: Mapping[str, Mapping[str, Any]]) -> list[Artist]:
    rows = dicts(drawn.drop_duplicates("label"))
    named = [
        Line2D([], [], **looks[row["label"]], markeredgecolor="black", label=lines(row).replace("\n", ", "))
        for row in rows
    ]
    return [*named, Line2D([], [], color=EVEN, linestyle=":", label="one thread's time over the threads")]


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 3",
    "time of the factor against threads",
    frame,
    draw,
    """parac_cpu; written: seconds of one thread over those of the most threads, in one run (printed: about
    10x on most). The factor is the same, to the last bit, on any number of threads. {only}{fewer}{seconds}
    {ordered}""",
    facts,
    held=(
        Held(CLAIM, "nearness", ("tenfold",), "pair", subsets=most_matrices, above=NEAR),
        Held(CLAIM, "ratio", ("livejournal",), "pair", subsets=exception, above=REACHED),
        Held(CLAIM, "ratio", ("density",), "pair", subsets=by_matrix, against="density"),
    ),
    one_run=True,
)  # fmt: skip
