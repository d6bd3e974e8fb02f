"""Figure 11: GSoFA on one GPU and sequential symbolic factorisation."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import (
    NAMED,
    SPAN,
    SYMBOLIC,
    fastest_facts,
    fastest_sequential,
    printed_of,
    spread,
)
from reports.shapes.strip import CodedBars, Ratios
from reports.table import timed
from reports.verbs import by_input, in_papers_order, on, over

CLAIM, GSOFA = "fig11_vs_glu3_symbolic", "gsofa"
# The paper's baseline, another author's code of the same algorithm, and the fastest good code.
BASELINE, KLU, SEQUENTIAL = "gilbert_peierls", "klu", "sequential"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case; on gsofa's `<code>_ratio`, and over good ones `sequential_ratio`."""
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
CAPTION = f"""{BASELINE}: the algorithm of GLU3.0's symbolic phase, printed for a V100 and a POWER9. Not in
    the paper: other sequential codes, such as {NAMED["superlu_dist"]}, {NAMED[KLU]}. {{fastest}}Dash: a code
    has no time. Means are geometric. With transfers: the GPU's seconds with copies to and fro."""
EXHIBIT = Exhibit(frame, CodedBars(STRIP, "seconds (log scale)"), CAPTION, fastest_facts, span=SPAN)
