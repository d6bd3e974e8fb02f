"""Table II: levels, and the time that finding them takes, by exact and by relaxed dependencies."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.printed import printed_column
from reports.shapes.bars import times
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.verbs import beside, by_code, equality, first_failure, in_papers_order, inputs, over, wide

KERNELS, LEVELS = "glu3_table1_kernel_time", "glu3_table2_levelization"
CODES = {"exact": "glu2", "closed": "glu2.search=closed", "relaxed": "glu3_relaxed", "kahn": "kahn_gpu"}
HEADINGS = {"exact": "GLU2.0", "relaxed": "GLU3.0", "closed": "search=\nclosed", "kahn": "kahn_gpu"}
FACTS = ["levels", "filled", "dependencies", "double_u", "searched"]
# By our column, the printed table and its column.
PRINTED = {
    "nz": (KERNELS, "nz"),
    "filled": (KERNELS, "nnz_filled"),
    "levels_exact": (LEVELS, "levels_glu2"),
    "levels_relaxed": (LEVELS, "levels_glu3"),
    "exact_ms": (LEVELS, "glu2_ms"),
    "relaxed_ms": (LEVELS, "glu3_ms"),
    "ratio": (LEVELS, "speedup"),
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and preparation: entries, filled entries and levels, `<count>_is` the print;
    `<code>_ms` of each search; `ratio` and `closed_ratio`, without its third loop, the exact search over the
    relaxed one of the same run; `levels_ratio`, relaxed over exact levels."""
    codes = by_code(cases.assign(ms=1e3 * cases["median"]), CODES)
    rows = wide(codes, ["ms", *FACTS], inputs(cases))
    for prefix, code in (("", "exact"), ("closed_", "closed")):
        ratio = over(codes[code], codes["relaxed"], (CODES[code], CODES["relaxed"]))
        rows = rows.join(ratio.add_prefix(prefix))
    exact = rows["exact_levels"].fillna(rows["closed_levels"])
    relaxed = rows["relaxed_levels"].fillna(rows["kahn_levels"])
    rows = rows.assign(
        nz=rows["entries"],
        status=first_failure(rows[["status_exact", "status_relaxed"]]),
        filled=rows["relaxed_filled"],
        levels_exact=exact,
        levels_relaxed=relaxed,
        levels_ratio=relaxed / exact,
    )
    printed = {f"paper_{name}": printed_column("glu3", *source) for name, source in PRINTED.items()}
    rows = in_papers_order(beside(rows, "glu3", printed), "glu3")
    counts = {f"{name}_is": equality(rows, name) for name in ("filled", "levels_exact", "levels_relaxed")}
    return rows.assign(**counts).sort_values("abbr", key=pd.isna, kind="stable")


EXHIBIT = Exhibit(
    "levels by exact and by relaxed dependencies",
    frame,
    Sheet(
        [
            Column("nnz after\nfill-in", "filled", COUNT),
            Column("GLU2.0", "levels_exact", COUNT, "number of levels"),
            Column("GLU3.0", "levels_relaxed", COUNT, "number of levels"),
            *(
                Column(text, f"{code}_ms", group="levelization time, ms", why=f"status_{code}")
                for code, text in HEADINGS.items()
            ),
            Column("over\nGLU2.0", "ratio", times, "speed-up of GLU3.0", "pair"),
            Column("over\nclosed", "closed_ratio", times, "speed-up of GLU3.0"),
        ]
    ),
    """Exact dependencies by three nested loops (GLU2.0: glu2), a superset of them by two (GLU3.0:
    glu3_relaxed), both on one core. Not in the paper: kahn_gpu, relaxed levels on the GPU; search=closed,
    exact levels without the third loop: what exact dependencies cost is the speed-up over these. = equal to
    the print, \N{NOT EQUAL TO} not, which may be ties of MC64 and AMD.""",
    more_claims=("counts",),
    numbered="Table II",
)
