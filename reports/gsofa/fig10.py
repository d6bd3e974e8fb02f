"""Figure 10: TEPS and seconds of the plain parallel fill2 on CPU and GPU, and of GSoFA over both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from reports.shapes.gains import PRINTED_LINE, draw_gains, gains_legend
from reports.shapes.groups import name_matrices, width
from reports.shapes.seconds import on_one, seconds_panel
from reports.shapes.style import SMALL, headline, new_figure

# These traverse A, as the paper's TEPS counts it; fill1 and its kin traverse the filled graph instead.
TRAVERSE_A = ("fill2_cpu", "fill2_gpu", GSOFA)
TEPS = bars.Panel("teps", "teps_low", "teps_high", "TEPS (edges / second)")
# What the paper sets GSoFA over, and the claim.
OVER = {"fill2_gpu": "fig10_vs_fill2_gpu", "fill2_cpu": "fig10_vs_fill2_cpu"}
BASES = ("seconds", "teps")
GAIN = bars.Panel("over", "over_low", "over_high", "GSoFA over fill2", "pair", points=True)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds and TEPS. On the rows of fill2, GSoFA over it on the same
    machine and in the same run, in seconds and in TEPS (`pair` says why there is none), and what the paper
    prints for the matrix, if any."""
    result = timed_frame(inputs)
    counts = result["implementation"].isin(TRAVERSE_A)
    edges = result["edges"].astype("Float64").where(counts)
    # the interval of a rate runs the other way: most seconds, fewest edges per second
    for name, seconds in (("teps", "median"), ("teps_low", "high"), ("teps_high", "low")):
        result[name] = (edges / result[seconds].astype("Float64")).astype(float)
    result["counts_edges"] = counts
    rows = result.to_dict("records")
    gsofa = {_input(row): row for row in rows if row["implementation"] == GSOFA and not row["options"]}
    ratios = [_over(row, gsofa.get(_input(row))) for row in rows]
    names = [f"gsofa_over_this_{basis}{end}" for basis in BASES for end in ("", "_low", "_high")]
    add_columns(result, ratios, ("pair", *names))
    add_printed_ratios(result, OVER)
    return result


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """TEPS above seconds, one group per matrix; where GSoFA was measured, its ratios above both."""
    idle, absent = idle_series(frame)
    shown = frame[~idle]
    ratios = _ratios(shown)
    figure = new_figure(width(shown), 9.0 if ratios.empty else 13.5)
    panels = figure.subplots(2 if ratios.empty else 3, 1, sharex=True)
    top, bottom = panels[-2:]
    headline(figure, f"{title}{on_one(shown)}")
    counts = shown["counts_edges"].astype(bool)
    bars.bar_panel(top, shown, TEPS, counts)
    seconds_panel(bottom, shown)
    silent = {name: f"{name} (seconds only)" for name in shown.loc[~counts, "series"]}
    above = bars.legend(top, shown, silent)
    name_matrices(bottom, shown)
    if ratios.empty:
        note = "\n".join([text for text in (absent, _paper_ratio("fig10_vs_fill2_cpu")) if text])
        note += "; the GPU side is not measured here"
        top.set_title(note, loc="left", fontsize=SMALL + 1, pad=10 + 21 * above)
    else:
        _gains(panels[0], ratios)
    return figure


def _title(frame: pd.DataFrame) -> str:
    idle, _ = idle_series(frame)
    return "the CPU side" if _ratios(frame[~idle]).empty else "GSoFA and fill2"


def _input(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("matrix", "preparation", "machine"))


def _over(row: Mapping[Any, Any], gsofa: Mapping[Any, Any] | None) -> dict[str, Any]:
    """GSoFA over a row of fill2: in seconds, and in TEPS, whose edges differ."""
    if row["implementation"] not in OVER:
        return {}
    ratio = ratio_of(row, gsofa, ("", GSOFA))
    if ratio["pair"] != "ok" or gsofa is None:
        return ratio
    more = gsofa["edges"] / row["edges"] if row["edges"] and not pd.isna(gsofa["edges"]) else None
    ends = {"": ratio["ratio"], "_low": ratio["ratio_low"], "_high": ratio["ratio_high"]}
    seconds = {f"gsofa_over_this_seconds{end}": value for end, value in ends.items()}
    teps = {f"gsofa_over_this_teps{end}": value * more for end, value in ends.items() if more}
    return {"pair": "ok", **seconds, **teps}


def _ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per ratio: of fill2's rows where GSoFA was tried, one in TEPS and one in seconds."""
    tried = set(frame.loc[(frame["implementation"] == GSOFA) & (frame["status"] != "not_run"), "machine"])
    rows = frame[frame["implementation"].isin(OVER) & frame["machine"].isin(tried)]
    several = frame["machine"].nunique() > 1
    parts = []
    for name in OVER:
        part = rows[rows["implementation"] == name]
        for basis, text in (("teps", "TEPS"), ("seconds", "seconds")):
            series = f"over {name}, {text}" + (" on " + part["machine"] if several else "")
            ends = {f"over{end}": part[f"gsofa_over_this_{basis}{end}"] for end in ("", "_low", "_high")}
            parts.append(part.assign(series=series, **ends))
    return pd.concat(parts) if len(rows) else rows


def _gains(axes: Axes, ratios: pd.DataFrame) -> None:
    # A star only where the paper prints it, in TEPS: it says nothing of seconds.
    in_teps = ratios["series"].str.contains("TEPS")
    ratios = ratios.assign(printed=ratios["paper_gsofa_over_this"].astype(float).where(in_teps))
    draw_gains(axes, ratios, GAIN, "printed", None)
    more = [("star", "printed, of the matrix, in TEPS"), ("slot", "no ratio")]
    for style, (name, id) in zip(("--", ":"), OVER.items(), strict=True):
        mean = subject("gsofa", id).mean
        assert mean
        axes.axhline(mean, **(PRINTED_LINE | {"linestyle": style}))
        more.append((style, f"printed mean over {name}, {mean:g}x"))
    low, high = axes.get_ylim()
    means = [printed.mean for id in OVER.values() if (printed := subject("gsofa", id)).mean]
    axes.set_ylim(min(low, *means), max(high, *(1.3 * mean for mean in means if mean)))
    gains_legend(axes, ratios, more)


def _paper_ratio(id: str) -> str:
    printed = subject("gsofa", id)
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high
    return (
        f"paper: GSoFA is {printed.mean:g}x {id.partition('_vs_')[2]}'s TEPS on average, {low[1]:g} "
        f"({low[0]}) to {high[1]:g} ({high[0]})"
    )


def _held(implementation: str, id: str) -> tuple[Held, Held]:
    """GSoFA over a fill2, in TEPS as the paper has it; the mean in seconds beside it."""
    only = {"implementation": implementation}
    return (
        Held(id, "gsofa_over_this_teps", (), "pair", "TEPS", only),
        Held(id, "gsofa_over_this_seconds", ("mean",), "pair", "seconds", only, beside=True),
    )


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 10",
    _title,
    frame,
    draw,
    """TEPS: entries of A examined per second, only of implementations that traverse A; GSoFA examines more of
    them than fill2; fill1_pruned is sequential. The paper prints ratios in TEPS, of 42 POWER9 cores and six
    V100. {how} {not_at_hand}{slots}""",
    lambda frame: {
        "how": measured_how(frame, "gsofa"),
        "not_at_hand": not_at_hand(frame, "gsofa"),
        "slots": SLOTS,
    },
    held=tuple(held for over in OVER.items() for held in _held(*over)),
    one_run=True,
    topic="fill2 and GSoFA (TEPS and seconds)",
)
