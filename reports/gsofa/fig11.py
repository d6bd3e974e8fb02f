"""Figure 11: GSoFA over sequential Gilbert-Peierls, over KLU's, and over good sequential codes."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import NAMED, SPAN, SYMBOLIC, fastest_how, fastest_sequential, printed_of, spread
from reports.shapes.strip import CodedBars, Ratios
from reports.table import timed
from reports.verbs import by_input, in_papers_order, on, over

CLAIM, GSOFA = "fig11_vs_glu3_symbolic", "gsofa"
# What the paper sets GSoFA over, another author's code of the same algorithm, and the fastest of good codes.
BASELINE, KLU, SEQUENTIAL = "gilbert_peierls", "klu", "sequential"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case with its seconds, of peers those of their symbolic phases.

    A row of gsofa has its speedups over gilbert_peierls and over KLU, `<code>_ratio`, and over the fastest of
    the good sequential codes, `sequential_ratio`, which `sequential_code` names; `<code>_paper` is printed.
    """
    rows = in_papers_order(timed(cases, SYMBOLIC), "gsofa")
    ours = rows[rows["implementation"] == GSOFA]
    good = fastest_sequential(rows, by_input(ours)).reset_index()
    for base in (BASELINE, KLU):
        theirs = on(ours, rows[rows["implementation"] == base])
        rows = rows.join(over(theirs, ours, (base, "")).add_prefix(f"{base}_"))
    rows = rows.join(on(ours, good).add_prefix(f"{SEQUENTIAL}_"))
    printed = printed_of(rows, CLAIM).where(rows["implementation"] == GSOFA)
    return rows.assign(series=rows["implementation"], gilbert_peierls_paper=printed)


SPEEDUPS = {"speedup": "ratio", "with transfers": "moved_ratio"}
AUTHORS, OTHERS = f"printed mean {spread(CLAIM)}", "not in the paper"
STRIP = [
    Ratios(f"gsofa over {BASELINE}, {AUTHORS}", SPEEDUPS | {"printed": "paper"}, f"{BASELINE}_"),
    Ratios(f"gsofa over {NAMED[KLU]}, {OTHERS}", SPEEDUPS, f"{KLU}_"),
    Ratios(f"gsofa over the fastest sequential code, {OTHERS}", SPEEDUPS, f"{SEQUENTIAL}_", mark="letter"),
]
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 11",
    "GSoFA on one GPU and sequential symbolic factorisation",
    frame,
    CodedBars(STRIP, "seconds (log scale)"),
    f"""{BASELINE}: the algorithm of GLU3.0's symbolic phase. The other sequential codes are not in the paper.
    Of other authors' codes: {NAMED["superlu_dist"]}, {NAMED[KLU]}. {{fastest}}The paper's: a V100, a POWER9.
    Two runs, or hosts: the two times are not of one, so their ratio is not taken. A dash: one of the two
    codes has no time. Means are geometric. With transfers: the way to the GPU and back is added to its
    seconds.""",
    lambda frame: {"fastest": fastest_how(frame[f"{SEQUENTIAL}_code"], frame[f"{SEQUENTIAL}_untimed"])},
    claims=(CLAIM,),
    one_run=True,
    topic="GSoFA and sequential symbolic factorisation (seconds)",
    span=SPAN,
)
