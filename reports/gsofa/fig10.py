"""Figure 10: TEPS of the plain parallel fill2 on CPU and GPU, and of GSoFA."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.symbolic import SPAN
from reports.shapes.bars import Panel
from reports.shapes.strip import CodedBars, StripLine, ratio_lines
from reports.table import KEY
from reports.verbs import in_papers_order, of, over, scaled

PAPER, CPU, GPU, GSOFA = "gsofa", "fill2_cpu", "fill2_gpu", "gsofa"
# What the paper's TEPS counts; fill1 and its kin traverse the filled graph.
TRAVERSE_A = (CPU, GPU, GSOFA)
# What is printed of a code over another.
OVER = {
    (GSOFA, CPU): "fig10_vs_fill2_cpu",
    (GSOFA, GPU): "fig10_vs_fill2_gpu",
    (GPU, CPU): "fig10_fill2_gpu_vs_cpu",
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case with its TEPS.

    A row of gsofa or fill2_gpu has its ratios over another code, `<code>_teps` in TEPS and `<code>_ratio` in
    seconds, and what is printed of the matrix, `<code>_paper`.
    """
    rows = in_papers_order(cases[cases["implementation"].isin(TRAVERSE_A)], PAPER)
    # The interval of a rate runs the other way: most seconds, fewest edges per second.
    for name, seconds in {"teps": "median", "teps_low": "high", "teps_high": "low"}.items():
        rows[name] = rows["edges"] / rows[seconds]
    # Both fill2 examine the same edges: one that was stopped has the other's.
    fill2 = rows["edges"].where(rows["implementation"] != GSOFA).groupby([rows[name] for name in KEY])
    rows = rows.assign(series=rows["implementation"], examined=rows["edges"].fillna(fill2.transform("first")))
    for base in (CPU, GPU):
        ratios = {code: _over(rows, code, base) for code, other in OVER if other == base}
        columns = pd.concat(ratios, names=["implementation"]).add_prefix(f"{base}_")
        rows = rows.join(columns, on=["implementation", *KEY], validate="many_to_one")
    return rows


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """Return the ratios as text: in TEPS as the paper has them, and in seconds."""
    return [line for code, base in OVER for line in _lines(frame, code, base)]


def _over(rows: pd.DataFrame, code: str, base: str) -> pd.DataFrame:
    ours, theirs = (of(rows, name, "implementation") for name in (code, base))
    ratio = over(theirs.reindex(ours.index), ours, (base, ""))
    paper = ours["abbr"].map(subject(PAPER, OVER[code, base]).value, na_action="ignore").astype(float)
    return ratio.join(scaled(ratio, ours["edges"] / theirs["examined"], "teps")).assign(paper=paper)


def _lines(frame: pd.DataFrame, code: str, base: str) -> list[StripLine]:
    # Both fill2 examine the same edges; of two codes on the GPU both move the same.
    in_seconds = {"in seconds": f"{base}_ratio"} if code == GSOFA else {}
    in_all = {"with transfers": f"{base}_moved_ratio"} if (code, base) == (GSOFA, CPU) else {}
    columns = {"in TEPS": f"{base}_teps", **in_seconds, **in_all, "printed": f"{base}_paper"}
    rows, title = frame[frame["implementation"] == code], f"{code} over {base}"
    return ratio_lines(rows, title, columns, f"{base}_pair", f"printed {_printed(OVER[code, base])}")


def _printed(claim: str) -> str:
    """Return the printed mean with the extremes, or what the text says."""
    ratios = subject(PAPER, claim)
    low, high = ratios.extreme("min"), ratios.extreme("max")
    if low is None or high is None:
        return "in words: above 1x"
    return f"{ratios.mean:g}x, {low[1]:g}x ({low[0]}) to {high[1]:g}x ({high[0]})"


def _held(code: str, base: str) -> tuple[Held, ...]:
    """Return a code over another, in TEPS as the paper has it; the mean in seconds beside it."""
    claim, pair, only = OVER[code, base], f"{base}_pair", {"implementation": code}
    in_teps = Held(claim, f"{base}_teps", (), pair, "TEPS", only)
    in_seconds = Held(claim, f"{base}_ratio", ("mean",), pair, "seconds", only, beside=True)
    return (in_teps, in_seconds) if code == GSOFA else (in_teps,)


EXHIBIT = Exhibit(
    PAPER,
    "GSoFA, Figure 10",
    "fill2 and GSoFA in TEPS",
    frame,
    CodedBars(Panel("teps", "teps_low", "teps_high", "TEPS (log scale)"), lines),
    """TEPS: entries of A examined per second; GSoFA examines more than fill2. Means are geometric; what is
    printed is in TEPS, of 42 POWER9 cores and six V100. With transfers: the way to the GPU and back is added
    to its seconds.""",
    held=tuple(held for code, base in OVER for held in _held(code, base)),
    one_run=True,
    topic="fill2 and GSoFA (TEPS)",
    span=SPAN,
)
