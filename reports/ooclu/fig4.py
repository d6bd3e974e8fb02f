"""Figure 4: LU end to end, the symbolic phase out of core on the GPU or on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import abbreviations, claim, subject
from reports.figures import Entries, FigureSpec
from reports.ooclu.arrays import OUT_OF_CORE, PAPER
from reports.ooclu.composed import Way, composed_caption, composed_frame, draw_composed, is_part
from reports.records import Records
from reports.standings import Verdict
from reports.verdicts import judge, remarks

CLAIM = "fig4_vs_modified_glu3"
ON_CPU = "glu3_relaxed"
PARALLEL, SEQUENTIAL, PRUNED = (
    Way("fill2_cpu, all cores", "fill2_cpu", ON_CPU),
    Way("gilbert_peierls, one core", "gilbert_peierls.threads=1", ON_CPU),
    Way("fill1_pruned, one core", "fill1_pruned.threads=1", ON_CPU),
)
WAYS = (Way(OUT_OF_CORE, "out_of_core", "kahn_gpu"), PARALLEL, SEQUENTIAL, PRUNED)
# Matrices from which on a rank correlation is said.
ENOUGH = 3


def is_shown(case: Case) -> bool:
    """A stage of one of the four."""
    return is_part(case, WAYS)


def fig4_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """As `composed_frame` has it, of the 18 matrices of Table 2."""
    return composed_frame(records, entries, cases, WAYS, list(abbreviations(PAPER).values()))


def fig4(frame: pd.DataFrame) -> Figure:
    """What each takes over out_of_core, and of what it is made up."""
    low, high = subject(PAPER, CLAIM).data["range"]
    title = "PPoPP'23, Figure 4: end to end, symbolic on the GPU or on the CPU"
    return draw_composed(frame, title, OUT_OF_CORE, (low, high))


def fig4_caption(frame: pd.DataFrame) -> str:
    """What stands for the paper's baseline."""
    return (
        "Above: seconds over those of out_of_core, whose levels are kahn_gpu's; those of the others are "
        f"{ON_CPU}'s. The paper's baseline is a parallel CPU code modified from GLU3.0, on 14 cores, of "
        "which it says no more: fill2_cpu on all cores stands for it, gilbert_peierls is the sequential "
        "symbolic phase of GLU3.0 itself, and fill1_pruned, not in the paper, what a good sequential code "
        "takes. "
        f"{composed_caption(frame)}"
    )


def fig4_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much longer each takes than out_of_core: what stands for the paper's baseline, judged by; the
    sequential ones beside the print; how the first goes with nnz/n."""
    found = []
    for way in (PARALLEL, SEQUENTIAL, PRUNED):
        rows = frame[frame["way"] == way.name]
        found += judge(
            rows, claim(PAPER, CLAIM, "range"), "ratio", status="pair", beside=way is not PARALLEL,
            basis=f"seconds end to end, {way.name}, over out_of_core",
        )  # fmt: skip
    rows = frame[(frame["way"] == PARALLEL.name) & frame["nnz_per_row"].notna()]
    along = remarks(
        rows, f"{PAPER}.{CLAIM}", "ratio", _along, status="pair", basis="rank correlation with nnz/n"
    )
    return found + along


def _along(rows: pd.DataFrame) -> str:
    """How the ratio goes with nnz/n, which the paper explains it by."""
    if rows["label"].nunique() < ENOUGH or rows["ratio"].nunique() == 1:
        return "of too few matrices; printed: larger with it"
    ranks = float(rows["ratio"].corr(rows["nnz_per_row"], "spearman"))
    return f"{ranks:+.2f}; printed: larger with it"


SPEC = FigureSpec(
    "Figure 4: end to end, symbolic on the GPU or on the CPU",
    is_shown,
    fig4_frame,
    fig4,
    fig4_caption,
    claims=(CLAIM,),
    judge=fig4_verdicts,
    one_run=True,
)
