"""Figure 11: GSoFA over sequential Gilbert-Peierls, over KLU's, and over good sequential codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.gsofa.symbolic import NAMED, SPAN, SYMBOLIC, fastest_how, fastest_sequential
from reports.shapes.bars import Panel
from reports.shapes.strip import CodedBars, StripLine, ratio_lines
from reports.table import timed
from reports.verbs import attach, in_papers_order, of, over

PAPER, CLAIM, GSOFA = "gsofa", "fig11_vs_glu3_symbolic", "gsofa"
# What the paper sets GSoFA over, another author's code of the same algorithm, and the fastest of good codes.
BASELINE, KLU, SEQUENTIAL = "gilbert_peierls", "klu", "sequential"
PRINT = subject(PAPER, CLAIM)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case with its seconds, of peers those of their symbolic phases.

    A row of gsofa has its speedups over gilbert_peierls and over KLU, `<code>_ratio`, and over the fastest of
    the good sequential codes, `sequential_ratio`, which `sequential_code` names. `paper` is printed.
    """
    rows = in_papers_order(timed(cases, SYMBOLIC), PAPER)
    ours = of(rows, GSOFA, "implementation")
    for base in (BASELINE, KLU):
        theirs = of(rows, base, "implementation").reindex(ours.index)
        rows = attach(rows, GSOFA, over(theirs, ours, (base, "")).add_prefix(f"{base}_"))
    rows = attach(rows, GSOFA, fastest_sequential(rows, ours).add_prefix(f"{SEQUENTIAL}_"))
    printed = rows["abbr"].map(PRINT.value, na_action="ignore").astype(float)
    return rows.assign(series=rows["implementation"], paper=printed.where(rows["implementation"] == GSOFA))


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """Return the speedups as text."""
    low, high = PRINT.extreme("min"), PRINT.extreme("max")
    assert low and high
    printed = f"printed mean {PRINT.mean:g}x, {low[1]:g}x ({low[0]}) to {high[1]:g}x ({high[0]})"
    return [
        *_lines(frame, BASELINE, BASELINE, printed, {"printed": "paper"}),
        *_lines(frame, KLU, NAMED[KLU], "not in the paper"),
        *_lines(frame, SEQUENTIAL, "the fastest sequential code", "not in the paper"),
    ]


def _lines(
    frame: pd.DataFrame, base: str, name: str, remark: str, printed: Mapping[str, str] | None = None
) -> list[StripLine]:
    columns = {"speedup": f"{base}_ratio", "with transfers": f"{base}_moved_ratio", **(printed or {})}
    mark = f"{SEQUENTIAL}_letter" if base == SEQUENTIAL else ""
    rows = frame[frame["implementation"] == GSOFA]
    return ratio_lines(rows, f"gsofa over {name}", columns, f"{base}_pair", remark, mark)


def _held(base: str, claims: tuple[str, ...], basis: str = "", **more: Any) -> Held:
    return Held(CLAIM, f"{base}_ratio", claims, f"{base}_pair", basis, {"implementation": GSOFA}, **more)


EXHIBIT = Exhibit(
    PAPER,
    "GSoFA, Figure 11",
    "GSoFA on one GPU and sequential symbolic factorisation",
    frame,
    CodedBars(Panel("median", "low", "high", "seconds (log scale)"), lines),
    f"""{BASELINE}: the algorithm of GLU3.0's symbolic phase. The other sequential codes are not in the paper.
    Of other authors' codes: {NAMED["superlu_dist"]}, {NAMED[KLU]}. {{fastest}}The paper's: a V100, a POWER9.
    Two runs, or hosts: the two times are not of one, so their ratio is not taken. A dash: one of the two
    codes has no time. Means are geometric. With transfers: the way to the GPU and back is added to its
    seconds.""",
    lambda frame: {"fastest": fastest_how(frame[f"{SEQUENTIAL}_code"], frame[f"{SEQUENTIAL}_untimed"])},
    held=(
        _held(BASELINE, ("mean", "largest", "smallest"), "seconds"),
        _held(BASELINE, ("with_work",), against="edges"),
        _held(KLU, ("mean",), "seconds of KLU (factor - refactor) over gsofa", beside=True),
    ),
    one_run=True,
    topic="GSoFA and sequential symbolic factorisation (seconds)",
    span=SPAN,
)
