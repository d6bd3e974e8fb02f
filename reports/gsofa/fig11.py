"""Figure 11: GSoFA over sequential Gilbert-Peierls, and what a better sequential code would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA, not_at_hand
from reports.frames.seconds import (
    SLOTS,
    add_columns,
    add_printed_ratios,
    idle_series,
    measured_how,
    ratio_of,
    timed_frame,
)
from reports.shapes import bars
from reports.shapes.gains import PRINTED_LINE, STAR
from reports.shapes.groups import name_matrices, width
from reports.shapes.seconds import on_one, seconds_panel
from reports.shapes.style import SMALL, headline, new_figure

CLAIM = "fig11_vs_glu3_symbolic"
BASELINE, BETTER = "gilbert_peierls", "fill1_pruned"
RATIO = bars.Panel(
    "speedup", "speedup_low", "speedup_high", f"speedup over\n{BASELINE}", status="pair", points=True
)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds. On the rows of gsofa and of fill1_pruned the speedup over
    gilbert_peierls of the same input, machine and run, from the least to the most that the two intervals
    allow, and in `pair` what became of the two; on gilbert_peierls' rows what the paper prints of GSoFA over
    it."""
    result = timed_frame(inputs)
    rows = result.to_dict("records")
    others = {_input(row): row for row in rows if row["implementation"] == BASELINE}
    ratios = [_speedup(row, others.get(_input(row))) for row in rows]
    add_columns(result, ratios, ("pair", "speedup", "speedup_low", "speedup_high"))
    add_printed_ratios(result, {BASELINE: CLAIM})
    return result


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """The speedups of GSoFA and of fill1_pruned above the seconds of all three."""
    idle, absent = idle_series(frame)
    shown = frame[~idle]
    figure = new_figure(width(shown), 9.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    headline(figure, f"{title}{on_one(shown)}")
    bars.bar_panel(top, shown, RATIO, shown["implementation"].isin((BETTER, GSOFA)))
    _printed(top, shown, absent)
    seconds_panel(bottom, shown)
    bars.legend(bottom, shown, {})
    name_matrices(bottom, shown)
    return figure


def _is_measured(frame: pd.DataFrame) -> bool:
    """Whether there is a ratio of GSoFA's."""
    return bool(((frame["implementation"] == GSOFA) & (frame["pair"] == "ok")).any())


def _input(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """What has to be the same. A GPU's row is held against one core, whatever the host's threads."""
    threads = 1 if row["implementation"] == GSOFA else row["threads"]
    return (*(str(row[name]) for name in ("matrix", "preparation", "machine")), str(threads))


def _speedup(row: Mapping[Any, Any], baseline: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The speedup of a row of GSoFA or fill1_pruned, or why there is none; nothing for other rows."""
    if row["implementation"] not in (BETTER, GSOFA):
        return {}
    failed = {} if row["status"] == "ok" else {"pair": row["status"]}
    ratio = failed or ratio_of(baseline, row, ("baseline", ""))
    return {name.replace("ratio", "speedup"): value for name, value in ratio.items()}


def _printed(axes: Axes, frame: pd.DataFrame, absent: str) -> None:
    """The baseline itself, and the paper's mean and own matrices, with room for all of them."""
    printed = subject("gsofa", CLAIM)
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high and printed.mean
    starred = frame[frame["paper_gsofa_over_this"].notna()]
    axes.axhline(1, color="black", linewidth=1)
    axes.axhline(printed.mean, **PRINTED_LINE)
    axes.plot(starred["group"], starred["paper_gsofa_over_this"].astype(float), linestyle="none", **STAR)
    drawn = np.array([low[1], high[1], *frame["speedup_low"].dropna(), *frame["speedup_high"].dropna()])
    axes.set_yscale("log")
    axes.set_ylim(drawn.min() / 3, drawn.max() * 2)
    here = "" if _is_measured(frame) else "; not measured here"
    notes = [
        f"points: {BETTER}, the line that the paper did not plot"
        f"{', and gsofa' if _is_measured(frame) else ''}; solid line: {BASELINE}, 1x",
        f"paper: GSoFA on one GPU, {printed.mean:g}x on average (dashed line), {low[1]:g} ({low[0]}) to "
        f"{high[1]:g} ({high[0]}){here}",
        *([absent] if absent else []),
        *(["stars: GSoFA, where the paper prints the matrix's own"] if len(starred) else []),
    ]
    axes.set_title("\n".join(notes), loc="left", fontsize=SMALL + 1)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 11",
    lambda frame: (
        "GSoFA on one GPU over the baseline" if _is_measured(frame) else "the baseline, on one core"
    ),
    frame,
    draw,
    """Speedup over gilbert_peierls on one core, the algorithm of GLU3.0's symbolic phase; fill1_pruned, also
    sequential, is not in the paper. {absent}{how} The paper's are one V100 and a POWER9.
    {not_at_hand}{slots}""",
    lambda frame: {
        "absent": "" if _is_measured(frame) else "GSoFA on a GPU is not measured here. ",
        "how": measured_how(frame, "gsofa"),
        "not_at_hand": not_at_hand(frame, "gsofa"),
        "slots": SLOTS,
    },
    held=(Held(CLAIM, "speedup", status="pair", basis="seconds", only={"implementation": GSOFA}),),
    one_run=True,
    topic="GSoFA and sequential symbolic factorisation (seconds and speedup)",
)
