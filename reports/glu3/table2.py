"""Table II: levels by exact and by relaxed dependencies."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.printed import printed_column
from reports.shapes.bars import times
from reports.shapes.sheet import Sheet, columns, plain
from reports.verbs import beside, by_code, equality, first_failure, in_papers_order, inputs, over, wide

KERNELS, LEVELS = "glu3_table1_kernel_time", "glu3_table2_levelization"
CODES = {"exact": "glu2", "closed": "glu2.search=closed", "relaxed": "glu3_relaxed", "kahn": "kahn_gpu"}
FACTS = ["levels", "filled", "dependencies", "double_u", "searched"]
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
    """Return one row per input: counts, which `<count>_is` the print; `<code>_ms` of each search; ratios."""
    codes = by_code(cases.assign(ms=1e3 * cases["median"]), CODES)
    rows = wide(codes, ["ms", *FACTS], inputs(cases))
    for prefix, code in (("", "exact"), ("closed_", "closed")):
        ratio = over(codes[code], codes["relaxed"], (CODES[code], CODES["relaxed"]))
        rows = rows.join(ratio.add_prefix(prefix))
    rows["status"] = first_failure(rows[["status_exact", "status_relaxed"]])
    rows["nz"], rows["filled"] = rows["entries"], rows["relaxed_filled"]
    rows["levels_exact"] = rows["exact_levels"].fillna(rows["closed_levels"])
    rows["levels_relaxed"] = rows["relaxed_levels"].fillna(rows["kahn_levels"])
    rows["levels_ratio"] = rows["levels_relaxed"] / rows["levels_exact"]
    printed = {f"paper_{name}": printed_column("glu3", *source) for name, source in PRINTED.items()}
    rows = in_papers_order(beside(rows, "glu3", printed), "glu3")
    counts = {f"{name}_is": equality(rows, name) for name in ("filled", "levels_exact", "levels_relaxed")}
    return rows.assign(**counts).sort_values("abbr", key=pd.isna, kind="stable")


COLUMNS = [
    *columns(filled="nnz after\nfill-in"),
    *columns("number of levels", levels_exact="GLU2.0", levels_relaxed="GLU3.0"),
    *columns("levelization time, ms", plain, "status_{}", exact_ms="GLU2.0", relaxed_ms="GLU3.0"),
    *columns("levelization time, ms", plain, "status_{}", closed_ms="search=\nclosed", kahn_ms="kahn_gpu"),
    *columns("speed-up of GLU3.0", times, "pair", ratio="over\nGLU2.0", closed_ratio="over\nclosed"),
]
CAPTION = """Exact dependencies need three nested loops (glu2), a superset two (glu3_relaxed), on one core.
    Not in the paper: kahn_gpu, relaxed levels on the GPU; search=closed, exact levels without the third loop.
    = equals the print, ≠ differs, perhaps by ties of MC64 and AMD."""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION, more_claims=("counts",))
