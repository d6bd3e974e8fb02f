"""Beyond the paper: row counts by traversals, elimination trees, fronts of bits, and libraries."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import COUNTS, NAMED, SYMBOLIC, fastest_facts, fastest_sequential
from reports.shapes.bars import times
from reports.shapes.sheet import Column, Sheet, columns
from reports.table import timed
from reports.verbs import KEY, by_code, fastest, inputs, over, wide

GSOFA, FRONTS, RANKED = "gsofa", "bitfronts_gpu_fronts", "superlu_dist_parallel"
OURS = {name: f"{name}\none core" for name in ("fill1_pruned", "fill1_supernodal", "etree_cpu")}
OURS |= {"bitfronts_cpu": "bitfronts_cpu\nall cores", "fill2_gpu": "fill2_gpu", GSOFA: "gsofa"}
OURS |= {"bitfronts_gpu": "bitfronts_gpu", FRONTS: "the same,\nby fronts"}
THEIRS = {"superlu_dist": "SuperLU_DIST,\none core", RANKED: "on ranks,\nthe best"}
THEIRS |= {"klu": "KLU,\none core", "cudss": "cuDSS,\nits own count"}
RANKS = {"1": RANKED} | {ranks: f"{RANKED}.ranks={ranks}" for ranks in ("2", "4", "8", "16")}
OVER = "over gsofa, seconds"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: `<code>_median`, `<code>_ratio` over gsofa's, `sequential_ratio`."""
    rows = timed(cases, SYMBOLIC)
    rows["name"] = rows["implementation"].mask(rows["options"].str.contains("path=fronts"), FRONTS)
    codes = by_code(rows, {name: name for name in (*OURS, *THEIRS) if name != RANKED}, "name")
    ours = codes[GSOFA]
    codes[RANKED] = fastest(by_code(rows, RANKS), ours["run_id"])
    others = {name: code for name, code in codes.items() if name != GSOFA}
    ratios = [over(code, ours, (name, GSOFA)).add_prefix(f"{name}_") for name, code in others.items()]
    good = fastest_sequential(rows, ours).add_prefix("sequential_")
    whole = pd.concat([wide(codes, ["median", "edges"], inputs(rows)), *ratios, good], axis=1)
    return whole.assign(
        fills=rows[rows["status"] == "ok"].groupby(KEY)["fills"].first(),
        ranks=codes[RANKED]["code"].where(codes[RANKED]["status"] == "ok").astype(float),
        edges_ratio=whole["gsofa_edges"] / whole["fill2_gpu_edges"],
    ).reset_index()


SECONDS = [
    Column(heading, f"{code}_median", lambda s: f"{1e3 * s:,.3f}", f"milliseconds, {whose}", f"status_{code}")
    for whose, headings in {"row counts only": OURS, "other authors' libraries": THEIRS}.items()
    for code, heading in headings.items()
]
COLUMNS = [
    *columns(n="n", nnz="nnz", fills="fill-ins"),
    *SECONDS,
    *columns(ranks="SuperLU_DIST's\nbest ranks"),
    *columns(OVER, times, sequential_ratio="sequential,\nthe fastest", sequential_letter="which"),
    *columns(OVER, times, sequential_moved_ratio="the same, with\ntransfers", fill2_gpu_ratio="fill2_gpu"),
    *columns(OVER, times, bitfronts_gpu_ratio="bitfronts_gpu"),
    *columns("", "{:.2f}".format, edges_ratio="edges,\ngsofa / fill2"),
]
CAPTION = f"""Codes count rows and store none. bitfronts_gpu counts by the elimination tree where A is
    symmetric. {{fastest}}Libraries: {", ".join(NAMED.values())}. cuDSS counts the entries of its own
    factors."""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION, fastest_facts, span=COUNTS)
