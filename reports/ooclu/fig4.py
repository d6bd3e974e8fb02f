"""Figure 4: LU end to end, the symbolic phase out of core on the GPU or on the CPU."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import abbreviations
from reports.frames.arrays import OUT_OF_CORE, PAPER, printed_range
from reports.frames.end_to_end import Way, composed, composed_caption, composed_frame
from reports.shapes.ratios import Over

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


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, as `composed_frame` has it, of the 18 matrices of Table 2."""
    return composed_frame(inputs, WAYS, list(abbreviations(PAPER).values()))


def _along(rows: pd.DataFrame) -> str:
    """How the ratio goes with nnz/n, which the paper explains it by."""
    rows = rows[rows["nnz_per_row"].notna()]
    if rows["label"].nunique() < ENOUGH or rows["ratio"].nunique() == 1:
        return "of too few matrices; printed: larger with it"
    ranks = float(rows["ratio"].corr(rows["nnz_per_row"], "spearman"))
    return f"{ranks:+.2f}; printed: larger with it"


def _held(way: Way, *, beside: bool = False) -> Held:
    """How much longer it takes than out_of_core."""
    basis = f"seconds end to end, {way.name}, over out_of_core"
    return Held(CLAIM, "ratio", ("range",), "pair", basis, only={"way": way.name}, beside=beside)


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 4",
    "end to end, symbolic on the GPU or on the CPU",
    frame,
    composed(Over(OUT_OF_CORE, printed_range(CLAIM))),
    """Above: seconds over those of out_of_core; the others find levels by {on_cpu}. The paper's baseline is a
    parallel CPU code modified from GLU3.0: fill2_cpu on all cores stands for it; fill1_pruned is not in the
    paper. {composed}""",
    lambda frame: {"on_cpu": ON_CPU, "composed": composed_caption(frame)},
    held=(
        _held(PARALLEL),
        _held(SEQUENTIAL, beside=True),
        _held(PRUNED, beside=True),
        Held(
            CLAIM, "ratio", status="pair", basis="rank correlation with nnz/n", only={"way": PARALLEL.name},
            remark=_along,
        ),
    ),
    one_run=True,
)  # fmt: skip
