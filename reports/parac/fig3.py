"""Figure 3: time of the factor against threads, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.case import Case
from reports import bars
from reports.claims import claim
from reports.device import columns_of
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.parac.panels import line_handles, line_look, panel_figure
from reports.parac.paper import ORDERINGS, PAPER, cores_of, ordered_how, seconds_axis
from reports.records import Records
from reports.standings import Verdict
from reports.style import SMALL
from reports.timed import add_columns, ratio_of, seconds_how, timed_frame
from reports.verdicts import judge

CLAIM = "fig3_cpu_scaling"
# Threads from which on the printed speed-up can be asked for: the paper does not say of how many it is.
ENOUGH = 16
TOO_MANY = "fewer_cores"
SPAN = "the graph resident in memory to its factor resident there"


def is_scaled(case: Case) -> bool:
    """ParAC's factor on the CPU, on a given number of threads."""
    return case.stage == "cholesky" and case.implementation == "parac_cpu" and case.threads > 0


def fig3_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case and machine: seconds, and `ratio`, those of one thread over them in one run. `pair` says
    `ok` or why there is none: `fewer_cores` where the machine has fewer than threads were asked for. most :
    the most threads of that matrix, ordering and machine with a ratio, on their row alone."""
    frame = timed_frame(records, entries, [case for case in cases if is_scaled(case)], PAPER)
    frame["ordering"] = frame["preparation"]
    cores = {name: cores_of(name) for name in frame["machine"].dropna().unique()}
    frame["cores"] = pd.Series([cores.get(name) for name in frame["machine"]], dtype="float64")
    rows = frame.to_dict("records")
    alone = {_key(row): row for row in rows if row["threads"] == 1}
    add_columns(frame, [_ratio(row, alone) for row in rows], ["pair", "ratio", "ratio_low", "ratio_high"])
    ok = frame[frame["pair"] == "ok"]
    last = ok.groupby(["label", "ordering", "machine"])["threads"].idxmax().dropna()
    frame["most"] = pd.Series(frame.index.isin(last), index=frame.index) & (frame["threads"] > 1)
    own = ("ordering", "cores", "median", "low", "high", "pair", "ratio", "ratio_low", "ratio_high", "most")
    return columns_of(frame, *own)


def fig3(frame: pd.DataFrame) -> Figure:
    """A panel a matrix and machine, a line an ordering, seconds against threads; the speed-up at the end."""
    even = Line2D([], [], color="#777777", linestyle=":", label="one thread's time over the threads")
    handles = [*line_handles(tuple(ORDERINGS.values())), even]
    title = "ParAC, Figure 3: time of the factor against threads"
    return panel_figure(title, frame, ["label"], 4.0, _panel, handles)


def fig3_caption(frame: pd.DataFrame) -> str:
    """What is drawn, and what is left out."""
    left_out = int((frame["pair"] == TOO_MANY).sum())
    fewer = f"{left_out} cases of more threads than the machine has cores are left out. " if left_out else ""
    return (
        "parac_cpu; written: one thread's seconds over those of the most threads, in one run. The factor "
        "is the "
        f"same, to the last bit, on any number of threads. {fewer}{seconds_how(frame, SPAN)} "
        f"{ordered_how(frame)}"
    )


def fig3_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much faster the most threads are than one; judged where they are enough."""
    ends = frame[frame["most"]]
    enough = ends["threads"] >= ENOUGH
    few = judge(
        ends[~enough], claim(PAPER, CLAIM, "mean"), "ratio", status="pair", by_edges=False,
        basis=f"seconds, one thread over the most, {ends['threads'].max()}",
        untestable=f"fewer than {ENOUGH} threads",
    )  # fmt: skip
    many = judge(
        ends[enough], claim(PAPER, CLAIM, "mean"), "ratio", status="pair", by_edges=False,
        basis="seconds, one thread over the most",
    )  # fmt: skip
    return few if enough.sum() == 0 and len(ends) else many + [v for v in few if v.measured]


def _key(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return row["label"], row["preparation"], row["machine"]


def _ratio(row: Mapping[Any, Any], alone: Mapping[tuple[Any, ...], Mapping[Any, Any]]) -> Mapping[str, Any]:
    if not pd.isna(row["cores"]) and row["threads"] > row["cores"]:
        return {"pair": TOO_MANY}
    return ratio_of(alone.get(_key(row)), row, ("one thread", ""))


def _panel(axes: Axes, panel: pd.DataFrame, machine: str) -> None:
    host = f"\non {machine}" if machine else ""
    axes.set_title(f"{lines(panel.iloc[0].to_dict())}{host}", loc="left")
    axes.set_xlabel("threads")
    axes.set_ylabel("time")
    drawn = panel[(panel["status"] == "ok") & (panel["pair"] != TOO_MANY)]
    said = [
        f"{text}: {str(own['status'].iloc[0]).replace('_', ' ')}"
        for name, text in ORDERINGS.items()
        if not (own := panel[panel["ordering"] == name]).empty and not (own["status"] == "ok").any()
    ]
    axes.text(0.02, 0.02, "\n".join(said), transform=axes.transAxes, fontsize=SMALL, va="bottom")
    if drawn.empty:
        axes.set_xticks([])
        axes.set_yticks([])
        return
    for i, name in enumerate(ORDERINGS):
        own = drawn[drawn["ordering"] == name].sort_values("threads")
        if not own.empty:
            _line(axes, own, i)
    one = drawn.loc[drawn["threads"] == 1, "median"]
    threads = sorted(int(t) for t in set(drawn["threads"]))
    if len(one):
        axes.plot(threads, [one.max() / t for t in threads], color="#777777", linestyle=":", zorder=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(threads, [str(t) for t in threads])
    seconds_axis(axes)
    low, high = axes.get_ylim()
    # Room for what is written at the top.
    axes.set_ylim(low, high * (high / low) ** 0.35)
    gained = drawn[drawn["most"]]
    written = [
        f"{text} {bars.times(row['ratio'])} on {row['threads']} threads"
        for name, text in ORDERINGS.items()
        for row in gained[gained["ordering"] == name].to_dict("records")
    ]
    axes.text(
        0.02, 0.98, "\n".join(written), transform=axes.transAxes, fontsize=SMALL, va="top", bbox=bars.GROUND
    )


def _line(axes: Axes, own: pd.DataFrame, i: int) -> None:
    whiskers = [own["median"] - own["low"], own["high"] - own["median"]]
    axes.errorbar(
        own["threads"].astype(float), own["median"], yerr=[side.clip(lower=0) for side in whiskers],
        **line_look(i), markeredgecolor="black", markersize=7, capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


SPEC = FigureSpec(
    "Figure 3: time of the factor against threads",
    is_scaled,
    fig3_frame,
    fig3,
    fig3_caption,
    claims=(CLAIM,),
    judge=fig3_verdicts,
    one_run=True,
)
