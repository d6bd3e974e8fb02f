"""Figure 10: fill2 and GSoFA in TEPS."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import SPAN, printed_of, spread
from reports.shapes.strip import CodedBars, Ratios
from reports.verbs import ENDS, KEY, in_papers_order, on, over

CPU, GPU, GSOFA = "fill2_cpu", "fill2_gpu", "gsofa"
OVER = {CPU: (GPU, GSOFA), GPU: (GSOFA,)}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: its TEPS; over each fill2 `<fill2>_teps` and `<fill2>_ratio` of seconds."""
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
        edges = ours["edges"] / theirs["examined"]
        in_teps = pd.DataFrame({f"teps{end}": ratio[f"ratio{end}"] * edges for end in ENDS})
        in_teps["teps_processes"] = ratio["ratio_processes"].where(edges.notna())
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
CAPTION = """TEPS: entries of A examined per second; GSoFA examines more than fill2. Means are geometric.
    Printed: TEPS of 42 POWER9 cores and six V100. With transfers: the GPU's seconds with copies to and
    fro."""
EXHIBIT = Exhibit(frame, CodedBars(STRIP, "TEPS (log scale)", "teps"), CAPTION, span=SPAN)
