"""Table I: kernel time of GLU2.0 and GLU3.0."""

from operator import attrgetter

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.printed import printed_column
from reports.shapes.bars import times
from reports.shapes.sheet import Sheet, columns, plain
from reports.table import timed, with_kernel_seconds
from reports.verbs import beside, by_code, equality, first_failure, in_papers_order, inputs, over, wide

PRINT = "glu3_table1_kernel_time"
CODES = {
    "fixed": "glu2.static_pivoting=true",
    "modes": "glu3.static_pivoting=true",
    "batched": "glu3.batched=true.static_pivoting=true",
    "graph_fixed": "glu2.graph=true.static_pivoting=true",
    "graph_modes": "glu3.graph=true.static_pivoting=true",
}
ALONE = {"kernels_fixed": CODES["fixed"], "kernels_modes": CODES["modes"]}
CALLED = CODES | ALONE
CALLED |= {"batched": "batched", "graph_fixed": "glu2 by a graph", "graph_modes": "glu3 by a graph"}
RATIOS = {"": ("fixed", "modes"), "batched_": ("modes", "batched")}
RATIOS |= {f"{way}_": (f"{way}_fixed", f"{way}_modes") for way in ("graph", "kernels")}
FACTS = ["levels", "levels_a", "levels_b", "levels_c", "launches", "small_pivots"]
PRINTED = {
    "n": "rows",
    "nz": "nz",
    "fixed_ms": "glu2_ms",
    "modes_ms": "glu3_ms",
    "ratio": "speedup_over_glu2",
    "over_lee": "speedup_over_lee",
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: `<code>_ms` of a call, `kernels_<code>_ms` of its kernels; RATIOS."""
    codes = by_code(timed(cases, attrgetter("kernel_samples")), CODES)
    codes |= by_code(with_kernel_seconds(cases), ALONE)
    timings = {short: rows.assign(ms=1e3 * rows["median"]) for short, rows in codes.items()}
    rows = wide(timings, ["ms"], inputs(cases)).join(codes["modes"].reindex(columns=FACTS))
    for prefix, (top, bottom) in RATIOS.items():
        rows = rows.join(over(codes[top], codes[bottom], (CALLED[top], CALLED[bottom])).add_prefix(prefix))
    rows["status"] = first_failure(rows[["status_fixed", "status_modes"]])
    printed = {f"paper_{name}": printed_column("glu3", PRINT, theirs) for name, theirs in PRINTED.items()}
    rows = beside(rows.rename(columns={"entries": "nz"}), "glu3", printed).assign(over_lee="not testable")
    rows = in_papers_order(rows.assign(n_is=equality(rows, "n"), nz_is=equality(rows, "nz")), "glu3")
    return rows.sort_values("abbr", key=pd.isna, kind="stable")


COLUMNS = [
    *columns(n="rows", nz="nz"),
    *columns("a call, ms", plain, "status_{}", fixed_ms="GLU2.0", modes_ms="GLU3.0", batched_ms="batched"),
    *columns("by a graph, ms", plain, "status_{}", graph_fixed_ms="GLU2.0", graph_modes_ms="GLU3.0"),
    *columns("kernels alone, ms", plain, "status_{}", kernels_fixed_ms="GLU2.0", kernels_modes_ms="GLU3.0"),
    *columns("GLU3.0 over GLU2.0", times, "pair", ratio="call", graph_ratio="graph", kernels_ratio="kernels"),
    *columns("", times, over_lee="over\nLee's", batched_ratio="batched,\nover GLU3.0"),
    *columns("levels in mode", levels_a="A", levels_b="B", levels_c="C"),
]
CAPTION = """float32. GLU2.0: blocks of 32 warps. GLU3.0: modes by level. Batched (ours): consecutive levels
    of at most 2048 columns in one launch. Call (judged): between device events, with launches from Python. By
    a graph: kept from an earlier call. Alone: kernels' durations by CUPTI, in a separate run."""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION)
