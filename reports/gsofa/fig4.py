"""Figure 4: how the frontier grows with the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.entries import MatrixEntry
from reports.facts.inputs import Inputs
from reports.facts.naming import among, label, listed, stand_in
from reports.facts.printed import abbreviation
from reports.facts.verdicts import Subset
from reports.frames.frontiers import BINS, bins_of
from reports.shapes.axes import empty_panel
from reports.shapes.multiples import Grid, Multiples
from reports.shapes.style import NORMAL, PALETTE

CLAIM = "fig4_frontier_growth"
# The paper's ratio by matrix, in its order.
PRINTED: Mapping[str, float] = subject("gsofa", CLAIM).data["per"]
DRAWN = ("gsofa_cpu", "gsofa")
# Below every average frontier that is not zero, which is at least 1.
FLOOR = 0.6


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per bin of sources of each case and machine; a single one without numbers, with the reason,
    where there is no series.

    ratio : largest over smallest average frontier, 0 left out
    paper_ratio : of paper_matrix.
    """
    rows = inputs.rows().to_dict("records")
    parts = [_case_frame(row, inputs.entry(row["matrix"])) for row in rows]
    parts.sort(key=_place)
    columns = [
        "case", "implementation", "matrix", "label", "stand_in_for", "preparation", "threads", "machine",
        "status", "reason", "n", *BINS, "smallest", "largest", "ratio", "paper_matrix", "paper_ratio",
    ]  # fmt: skip
    numbers = (*BINS, "n", "smallest", "largest", "ratio", "paper_ratio")
    empty = pd.DataFrame(columns=columns)
    result = pd.concat(parts, ignore_index=True)[columns] if parts else empty
    return result.astype(dict.fromkeys(numbers, "float64") | dict.fromkeys(("n", "first", "last"), "Int64"))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel for each case: mean and range of each bin of sources on a log axis. An implementation that
    cannot run anywhere has none: the caption says so."""
    return PANELS(frame[frame["status"] != "unavailable"], title)


def by_implementation(frame: pd.DataFrame) -> list[Subset]:
    """One row per case, on the GPU and on one thread of the CPU, a stand-in's without the paper's name."""
    rows = frame.drop_duplicates(["case", "machine"])
    names = rows["paper_matrix"].where(rows["stand_in_for"].isna()).astype("object")
    rows = rows.assign(abbr=names)
    return [Subset(rows[rows["implementation"] == name], f"{{}}, {name}".format) for name in reversed(DRAWN)]


def _threads(frame: pd.DataFrame) -> str:
    """On how many threads the CPU's panels were measured."""
    on_cpu = frame[frame["implementation"] == DRAWN[0]]
    return listed(str(count) if count else "all cores" for count in on_cpu["threads"])


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    drawn = frame[frame["frontier_mean"].notna()]
    return {
        "drawn": listed(drawn["implementation"]),
        "threads": _threads(drawn),
        "absent": _absent(frame),
        "prepared": listed(frame["preparation"].dropna()),
        "not_at_hand": _not_at_hand(frame),
    }


def _case_frame(row: Mapping[Any, Any], entry: MatrixEntry | None) -> pd.DataFrame:
    """The rows of one case."""
    stood_for = among(stand_in(entry, "gsofa"), PRINTED)
    short = abbreviation(entry, "gsofa") or (stood_for or "").partition(", ")[0]
    bins, reason = bins_of(row)
    kept = ("case", "implementation", "matrix", "preparation", "threads", "machine", "status")
    return bins.assign(
        **{name: row[name] for name in kept},
        label=label(row["matrix"], entry, "gsofa"),
        stand_in_for=stood_for,
        reason=reason,
        n=row["n"],
        **_growth(bins),
        paper_matrix=short if short in PRINTED else None,
        paper_ratio=PRINTED.get(short),
    )


def _not_at_hand(frame: pd.DataFrame) -> str:
    """Which of the matrices that the paper shows have no panel."""
    present = set(frame.loc[frame["stand_in_for"].isna(), "paper_matrix"])
    absent = [short for short in PRINTED if short not in present]
    return f"Not run, because they are not at hand: {listed(absent)}. " if absent else ""


def _absent(frame: pd.DataFrame) -> str:
    """What could not run on any machine, and why."""
    absent = frame[frame["status"] == "unavailable"]
    names, reasons = listed(absent["implementation"]), listed(absent["reason"])
    return "" if absent.empty else f"Without a panel: {names}, unavailable ({reasons}). "


def _place(part: pd.DataFrame) -> int:
    """The paper's order; what it does not show comes last."""
    shown = list(PRINTED)
    return shown.index(short) if (short := part["paper_matrix"].iloc[0]) in shown else len(shown)


def _growth(bins: pd.DataFrame) -> dict[str, float | None]:
    """The smallest average frontier above 0 and the largest, and their ratio."""
    values = bins[["frontier_min", "frontier_max"]].astype(float)
    values = values[values > 0]
    smallest, largest = values.min().min(), values.max().max()
    return {"smallest": smallest, "largest": largest, "ratio": largest / smallest}


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    row = panel.iloc[0].to_dict()
    axes.set_xlabel("source")
    if pd.isna(row["ratio"]):
        empty_panel(axes, row["status"], row["reason"])
        return
    middle = (panel["first"] + panel["last"]).astype(float) / 2
    low = panel["frontier_min"].clip(lower=FLOOR)
    axes.fill_between(middle, low, panel["frontier_max"].clip(lower=FLOOR), color=PALETTE[4], alpha=0.55)
    mean = panel["frontier_mean"].where(panel["frontier_mean"] > 0)
    axes.plot(middle, mean, color=PALETTE[0], marker=".", markersize=3, linewidth=0.25)
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, row["largest"] * 12)
    axes.set_xlim(0, row["n"])
    axes.text(0.02, 0.97, _ratios(row), transform=axes.transAxes, va="top", fontsize=NORMAL)


def _ratios(row: Mapping[Any, Any]) -> str:
    measured = f"largest / smallest: {row['ratio']:,.0f}x ({row['largest']:,.4g} / {row['smallest']:,.3g})"
    if pd.isna(row["paper_ratio"]):
        return measured
    return f"{measured}\nthe paper, on {row['paper_matrix']}: {row['paper_ratio']:,.0f}x"


PANELS = Multiples(
    _panel, "average frontier size", Grid(height=4.4), "case", lambda row: f", {row['implementation']}"
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 4",
    "average frontier size of each source",
    frame,
    draw,
    """Mean frontier of a source: vertices expanded over iterations, by {drawn}. Line: mean over the sources
    of a bin; band: least to most. Ratio: largest over smallest mean above 0. gsofa_cpu on threads: {threads};
    preparation: {prepared} (the paper orders by ParMETIS). {absent}{not_at_hand}Stand-ins are indicative
    only.""",
    _facts,
    held=(
        Held(
            CLAIM, "ratio", ("each",), basis="largest over smallest mean frontier",
            subsets=by_implementation,
        ),
    ),
)  # fmt: skip
