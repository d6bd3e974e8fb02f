"""Figure 10: TEPS of the plain parallel fill2 on CPU and GPU, and of GSoFA."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import SPAN, printed_of, spread
from reports.shapes.strip import CodedBars, Ratios
from reports.table import KEY
from reports.verbs import in_papers_order, on, over, scaled

CPU, GPU, GSOFA = "fill2_cpu", "fill2_gpu", "gsofa"
# What each is set over.
OVER = {CPU: (GPU, GSOFA), GPU: (GSOFA,)}


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
    for base, codes in OVER.items():
        ours = rows[rows["implementation"].isin(codes)]
        theirs = on(ours, rows[rows["implementation"] == base])
        ratio = over(theirs, ours, (base, ""))
        in_teps = scaled(ratio, ours["edges"] / theirs["examined"], "teps")
        paper = printed_of(ours, f"fig10_vs_{base}").where(ours["implementation"] == GSOFA)
        rows = rows.join(ratio.join(in_teps).assign(paper=paper).add_prefix(f"{base}_"))
    return rows


TEPS, SECONDS = {"in TEPS": "teps"}, {"in seconds": "ratio"}
PRINTS, MOVED = {"printed": "paper"}, {"with transfers": "moved_ratio"}
# Both fill2 examine the same edges; of two codes on the GPU both move the same.
STRIP = [
    Ratios(f"{code} over {base}, printed {printed}", columns, f"{base}_", {"series": code})
    for code, base, columns, printed in (
        (GSOFA, CPU, TEPS | SECONDS | MOVED | PRINTS, spread(f"fig10_vs_{CPU}")),
        (GSOFA, GPU, TEPS | SECONDS | PRINTS, spread(f"fig10_vs_{GPU}")),
        (GPU, CPU, TEPS, "in words: above 1x"),
    )
]
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 10",
    "fill2 and GSoFA in TEPS",
    frame,
    CodedBars(STRIP, "TEPS (log scale)", "teps"),
    """TEPS: entries of A examined per second; GSoFA examines more than fill2. Means are geometric; what is
    printed is in TEPS, of 42 POWER9 cores and six V100. With transfers: the way to the GPU and back is added
    to its seconds.""",
    claims=("fig10_vs_fill2_cpu", "fig10_vs_fill2_gpu", "fig10_fill2_gpu_vs_cpu"),
    one_run=True,
    topic="fill2 and GSoFA (TEPS)",
    span=SPAN,
)
