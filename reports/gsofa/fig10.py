"""Figure 10: TEPS of the plain parallel fill2 on CPU and GPU, and of GSoFA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA
from reports.frames.means import add_means
from reports.frames.order import in_papers_order
from reports.frames.seconds import (
    STAND_INS,
    add_columns,
    groups_of,
    measured_how,
    moved_how,
    ratio_of,
    slots_how,
    timed_frame,
    with_transfers,
)
from reports.shapes import bars
from reports.shapes.coded_bars import CodedBars
from reports.shapes.strip import StripLine, mean_of, number_line

CPU, GPU = "fill2_cpu", "fill2_gpu"
# What the paper's TEPS counts; fill1 and its kin traverse the filled graph.
TRAVERSE_A = (CPU, GPU, GSOFA)
# What is printed of a code over another.
OVER = {
    (GSOFA, CPU): "fig10_vs_fill2_cpu",
    (GSOFA, GPU): "fig10_vs_fill2_gpu",
    (GPU, CPU): "fig10_fill2_gpu_vs_cpu",
}
TEPS = bars.Panel("teps", "teps_low", "teps_high", "TEPS (log scale)")
ENDS = ("", "_low", "_high")
WHOLE = (*ENDS, "_processes")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds and TEPS. On the rows of gsofa and of fill2_gpu their TEPS
    over those of another code on the same machine and in the same run (`teps_over_<code>`), the same in
    seconds, and with transfers (`moved_over_<code>`), all also as geometric means, and what is printed of the
    matrix; `pair_<code>` says `ok` or why there is none."""
    chosen = [case for case in inputs.cases if case.implementation in TRAVERSE_A]
    result = in_papers_order(timed_frame(replace(inputs, cases=chosen)), inputs.paper)
    result["group"] = groups_of(result)
    edges = result["edges"].astype("Float64")
    # the interval of a rate runs the other way: most seconds, fewest edges per second
    for name, seconds in (("teps", "median"), ("teps_low", "high"), ("teps_high", "low")):
        result[name] = (edges / result[seconds].astype("Float64")).astype(float)
    rows = dicts(result)
    by_code = {(*_input(row), row["implementation"]): row for row in rows}
    for base in (CPU, GPU):
        ratios = [_over(row, base, _with_edges(by_code, row, base)) for row in rows]
        names = [f"{basis}_over_{base}" for basis in ("teps", "seconds")]
        add_columns(result, ratios, (f"moved_over_{base}",))
        add_columns(result, ratios, (f"pair_{base}", *(f"{name}{end}" for name in names for end in WHOLE)))
        add_columns(result, ratios, (f"paper_over_{base}",))
        add_means(result, [*names, f"moved_over_{base}"])
    return result


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """The ratios as text: in TEPS as the paper has them, and in seconds."""
    return [
        line for code, base in OVER for line in _lines(frame[frame["implementation"] == code], code, base)
    ]


def _input(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("matrix", "preparation", "machine"))


def _over(row: Mapping[Any, Any], name: str, base: Mapping[Any, Any] | None) -> dict[str, Any]:
    """A row over that of the code `name`, in seconds and in TEPS, whose edges may differ; nothing where the
    paper does not compare the two."""
    id = OVER.get((row["implementation"], name))
    if id is None:
        return {}
    ratio = ratio_of(base, row, (name, ""))
    printed = subject("gsofa", id).value(row["abbr"]) if isinstance(row["abbr"], str) else None
    numbers = {f"pair_{name}": ratio["pair"], f"paper_over_{name}": printed}
    if base is None:
        return numbers
    numbers |= {f"seconds_over_{name}{end}": ratio.get(f"ratio{end}") for end in WHOLE}
    numbers[f"moved_over_{name}"] = with_transfers(base, row)
    if pd.isna(row["edges"]) or pd.isna(base["edges"]) or not base["edges"]:
        return numbers
    more = row["edges"] / base["edges"]
    ends = {end: ratio.get(f"ratio{end}") for end in ENDS}
    numbers |= {f"teps_over_{name}{end}": more * value for end, value in ends.items() if value is not None}
    return numbers | {f"teps_over_{name}_processes": ratio.get("ratio_processes")}


def _with_edges(
    by_code: Mapping[tuple[str, ...], Mapping[Any, Any]], row: Mapping[Any, Any], name: str
) -> Mapping[Any, Any] | None:
    """The row of that code on the input of another; where it was stopped before it could count its edges,
    with those of the other fill2, which examines the same."""
    codes = {code: by_code.get((*_input(row), code)) for code in (CPU, GPU)}
    base = codes[name]
    known = next((r["edges"] for r in codes.values() if r is not None and pd.notna(r["edges"])), None)
    return {**base, "edges": known} if base is not None and pd.isna(base["edges"]) and known else base


def _lines(rows: pd.DataFrame, code: str, base: str) -> list[StripLine]:
    """None where a machine has no row of the code."""
    teps, seconds, status = f"teps_over_{base}", f"seconds_over_{base}", f"pair_{base}"
    in_teps = number_line(rows, "TEPS", teps, status)
    # both fill2 examine the same edges
    in_seconds = number_line(rows, "seconds", seconds, status) if code == GSOFA else []
    # Of two codes on the GPU both move the same.
    moved = f"moved_over_{base}"
    in_all = number_line(rows, "with transfers", moved) if in_seconds and base == CPU else []
    means = f"{mean_of(rows, teps)} in TEPS"
    if in_seconds:
        means += f", {mean_of(rows, seconds)} in seconds"
    if in_all:
        means += f", {mean_of(rows, moved)} with transfers"
    means += f" (mean of {rows[teps].notna().sum()})"
    title = StripLine(title=f"{code} over {base}: {means}; printed {_printed(OVER[code, base])}")
    printed = number_line(rows, "printed", f"paper_over_{base}")
    return [title, *in_teps, *in_seconds, *in_all, *printed] if in_teps else []


def _printed(id: str) -> str:
    """The printed mean with the extremes, or what the text says."""
    ratios = subject("gsofa", id)
    low, high = ratios.extreme("min"), ratios.extreme("max")
    if low is None or high is None:
        return "in words: above 1x"
    return f"{ratios.mean:g}x, {low[1]:g}x ({low[0]}) to {high[1]:g}x ({high[0]})"


def _held(code: str, base: str) -> tuple[Held, ...]:
    """A code over another, in TEPS as the paper has it; the mean in seconds beside it."""
    id, status, only = OVER[code, base], f"pair_{base}", {"implementation": code}
    in_teps = Held(id, f"teps_over_{base}", (), status, "TEPS", only)
    in_seconds = Held(id, f"seconds_over_{base}", ("mean",), status, "seconds", only, beside=True)
    return (in_teps, in_seconds) if code == GSOFA else (in_teps,)


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 10",
    "fill2 and GSoFA in TEPS",
    frame,
    CodedBars(TEPS, lines),
    """TEPS: entries of A examined per second; GSoFA examines more than fill2. Means are geometric; what is
    printed is in TEPS, of 42 POWER9 cores and six V100. {moved}{how} {slots}""",
    lambda frame: {
        "moved": moved_how(frame.loc[frame["implementation"] == GSOFA, f"moved_over_{CPU}"]),
        "how": measured_how(frame, "gsofa"),
        "slots": slots_how(frame) + STAND_INS,
    },
    held=tuple(held for code, base in OVER for held in _held(code, base)),
    one_run=True,
    topic="fill2 and GSoFA (TEPS)",
)
