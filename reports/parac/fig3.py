"""Figure 3: time of the factor against threads, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames.device import columns_of
from reports.frames.parac import ORDERINGS, PAPER, cores_of, ordered_how
from reports.frames.seconds import RATIO, add_columns, ratio_of, seconds_how, timed_frame
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.multiples import TimeLines, line_look
from reports.shapes.style import SMALL

CLAIM = "fig3_cpu_scaling"
# Threads from which on the printed speed-up can be asked for: the paper does not say of how many it is.
ENOUGH = 16
TOO_MANY = "fewer_cores"
# The colour of one thread's time over the threads.
EVEN = "#777777"
SPAN = "the graph resident in memory to its factor resident there"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: seconds, and `ratio`, those of one thread over them in one run. `pair`
    says `ok` or why there is none: `fewer_cores` where the machine has fewer than threads were asked for.
    most : the most threads of that matrix, ordering and machine with a ratio, on their row alone."""
    timed = timed_frame(inputs)
    timed["ordering"] = timed["preparation"]
    cores = {name: cores_of(name) for name in timed["machine"].dropna().unique()}
    timed["cores"] = pd.Series([cores.get(name) for name in timed["machine"]], dtype="float64")
    rows = timed.to_dict("records")
    alone = {_key(row): row for row in rows if row["threads"] == 1}
    add_columns(timed, [_ratio(row, alone) for row in rows], RATIO)
    ok = timed[timed["pair"] == "ok"]
    last = ok.groupby(["label", "ordering", "machine"])["threads"].idxmax().dropna()
    timed["most"] = pd.Series(timed.index.isin(last), index=timed.index) & (timed["threads"] > 1)
    return columns_of(timed, "ordering", "cores", "median", "low", "high", *RATIO, "most")


def by_threads(frame: pd.DataFrame) -> list[Subset]:
    """The most threads of each matrix and machine; judged where they are enough."""
    ends = frame[frame["most"]]
    enough = ends["threads"] >= ENOUGH
    many = Subset(ends[enough])
    few = Subset(
        ends[~enough], f"{{}}, {ends['threads'].max()}".format, untestable=f"fewer than {ENOUGH} threads"
    )
    if not len(ends) or enough.all():
        return [many]
    return [many, few] if enough.any() else [few]


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """What is left out, what the seconds are and how matrices were ordered."""
    left_out = int((frame["pair"] == TOO_MANY).sum())
    fewer = f"{left_out} cases of more threads than the machine has cores are left out. " if left_out else ""
    return {"fewer": fewer, "seconds": seconds_how(frame, SPAN), "ordered": ordered_how(frame)}


def _key(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return row["label"], row["preparation"], row["machine"]


def _ratio(row: Mapping[Any, Any], alone: Mapping[tuple[Any, ...], Mapping[Any, Any]]) -> Mapping[str, Any]:
    if not pd.isna(row["cores"]) and row["threads"] > row["cores"]:
        return {"pair": TOO_MANY}
    return ratio_of(alone.get(_key(row)), row, ("one thread", ""))


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    """A line per ordering, seconds against threads; written: the speed-up at its end."""
    drawn = panel[(panel["status"] == "ok") & (panel["pair"] != TOO_MANY)]
    axes.text(0.02, 0.02, "\n".join(_absent(panel)), transform=axes.transAxes, fontsize=SMALL, va="bottom")
    if drawn.empty:
        axes.set_xticks([])
        axes.set_yticks([])
        return
    for i, name in enumerate(ORDERINGS):
        line = drawn[drawn["ordering"] == name].sort_values("threads")
        if not line.empty:
            _line(axes, line, i)
    one = drawn.loc[drawn["threads"] == 1, "median"]
    threads = sorted(int(t) for t in set(drawn["threads"]))
    if len(one):
        axes.plot(threads, [one.max() / t for t in threads], color=EVEN, linestyle=":", zorder=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(threads, [str(t) for t in threads])
    seconds_axis(axes)
    low, high = axes.get_ylim()
    # Room for what is written at the top.
    axes.set_ylim(low, high * (high / low) ** 0.35)
    axes.text(
        0.02, 0.98, "\n".join(_gains(drawn)), transform=axes.transAxes, fontsize=SMALL, va="top",
        bbox=bars.GROUND,
    )  # fmt: skip


def _absent(panel: pd.DataFrame) -> list[str]:
    """The orderings without a result, and why."""
    rows = {text: panel[panel["ordering"] == name] for name, text in ORDERINGS.items()}
    return [
        f"{text}: {str(group['status'].iloc[0]).replace('_', ' ')}"
        for text, group in rows.items()
        if len(group) and not (group["status"] == "ok").any()
    ]


def _gains(drawn: pd.DataFrame) -> list[str]:
    """How much faster the most threads are than one, by ordering."""
    most = drawn[drawn["most"]]
    return [
        f"{text} {bars.times(row['ratio'])} on {row['threads']} threads"
        for name, text in ORDERINGS.items()
        for row in most[most["ordering"] == name].to_dict("records")
    ]


def _line(axes: Axes, line: pd.DataFrame, i: int) -> None:
    whiskers = [line["median"] - line["low"], line["high"] - line["median"]]
    axes.errorbar(
        line["threads"].astype(float), line["median"], yerr=[side.clip(lower=0) for side in whiskers],
        **line_look(i), markeredgecolor="black", markersize=7, capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 3",
    "time of the factor against threads",
    frame,
    TimeLines(
        _panel,
        "threads",
        4.0,
        tuple(ORDERINGS.values()),
        (EVEN, "one thread's time over the threads"),
    ),
    """parac_cpu; written: seconds of one thread over those of the most threads, in one run. The factor is the
    same, to the last bit, on any number of threads. {fewer}{seconds} {ordered}""",
    facts,
    held=(
        Held(
            CLAIM, "ratio", ("mean",), "pair", "seconds, one thread over the most", subsets=by_threads,
        ),
    ),
    one_run=True,
)  # fmt: skip
