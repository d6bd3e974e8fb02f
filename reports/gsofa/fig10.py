"""Figure 10: TEPS of the plain parallel fill2 on CPU and GPU, and of GSoFA."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import SPAN, printed_of, spread
from reports.shapes.strip import CodedBars, StripLine, ratio_lines
from reports.table import KEY
from reports.verbs import in_papers_order, on, over, scaled

CPU, GPU, GSOFA = "fill2_cpu", "fill2_gpu", "gsofa"
# What is set over what.
OVER = ((GSOFA, CPU), (GSOFA, GPU), (GPU, CPU))


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case of a code that traverses A, with its TEPS.

    A row of gsofa or fill2_gpu has its ratios over another code, `<code>_teps` in TEPS and `<code>_ratio` in
    seconds, and what is printed of the matrix, `<code>_paper`.
    """
    rows = in_papers_order(cases[cases["implementation"].isin((CPU, GPU, GSOFA))], "gsofa")
    # The interval of a rate runs the other way: most seconds, fewest edges per second.
    for name, seconds in {"teps": "median", "teps_low": "high", "teps_high": "low"}.items():
        rows[name] = rows["edges"] / rows[seconds]
    # Both fill2 examine the same edges: one that was stopped has the other's.
    fill2 = rows["edges"].where(rows["implementation"] != GSOFA).groupby([rows[name] for name in KEY])
    rows = rows.assign(series=rows["implementation"], examined=rows["edges"].fillna(fill2.transform("first")))
    for base in (CPU, GPU):
        ours = rows[rows["implementation"].isin([code for code, other in OVER if other == base])]
        theirs = on(ours, rows[rows["implementation"] == base])
        ratio = over(theirs, ours, (base, ""))
        in_teps = scaled(ratio, ours["edges"] / theirs["examined"], "teps")
        paper = printed_of(ours, f"fig10_vs_{base}").where(ours["implementation"] == GSOFA)
        rows = rows.join(ratio.join(in_teps).assign(paper=paper).add_prefix(f"{base}_"))
    return rows


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """Return the ratios as text: in TEPS as the paper has them, and in seconds."""
    found = []
    for code, base in OVER:
        columns, printed = {"in TEPS": f"{base}_teps"}, "in words: above 1x"
        # Both fill2 examine the same edges; of two codes on the GPU both move the same.
        if code == GSOFA:
            columns["in seconds"], printed = f"{base}_ratio", spread(f"fig10_vs_{base}")
        if code == GSOFA and base == CPU:
            columns["with transfers"] = f"{base}_moved_ratio"
        columns["printed"] = f"{base}_paper"
        rows = frame[frame["implementation"] == code]
        found += ratio_lines(rows, f"{code} over {base}", columns, f"{base}_pair", f"printed {printed}")
    return found


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 10",
    "fill2 and GSoFA in TEPS",
    frame,
    CodedBars(lines, "TEPS (log scale)", "teps"),
    """TEPS: entries of A examined per second; GSoFA examines more than fill2. Means are geometric; what is
    printed is in TEPS, of 42 POWER9 cores and six V100. With transfers: the way to the GPU and back is added
    to its seconds.""",
    claims=("fig10_vs_fill2_cpu", "fig10_vs_fill2_gpu", "fig10_fill2_gpu_vs_cpu"),
    one_run=True,
    topic="fill2 and GSoFA (TEPS)",
    span=SPAN,
)
