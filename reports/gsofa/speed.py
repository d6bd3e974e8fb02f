"""Beyond the paper: row counts alone, which is all that the paper's GSoFA and fill2 compute, against good
sequential codes, against trees and fronts of bits, and against other authors' libraries."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import NAMED, SYMBOLIC, fastest_how, fastest_sequential
from reports.shapes.bars import times
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.table import KEY, timed
from reports.verbs import by_code, fastest, inputs, over, wide

GSOFA, FRONTS, RANKED = "gsofa", "bitfronts_gpu_fronts", "superlu_dist_parallel"
# The codes with the headings of their columns.
OURS = {name: f"{name}\none core" for name in ("fill1_pruned", "fill1_supernodal", "etree_cpu")}
OURS |= {"bitfronts_cpu": "bitfronts_cpu\nall cores", "fill2_gpu": "fill2_gpu", GSOFA: "gsofa"}
OURS |= {"bitfronts_gpu": "bitfronts_gpu", FRONTS: "the same,\nby fronts"}
THEIRS = {"superlu_dist": "SuperLU_DIST,\none core", RANKED: "on ranks,\nthe best"}
THEIRS |= {"klu": "KLU,\none core", "cudss": "cuDSS,\nits own count"}
# SuperLU_DIST by its ranks, of which those that take least are shown.
RANKS = {"1": RANKED} | {ranks: f"{RANKED}.ranks={ranks}" for ranks in ("2", "4", "8", "16")}
OVER = "over gsofa, seconds"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and preparation: `<code>_median` seconds, of SuperLU_DIST on the `ranks` that
    take least; `<code>_ratio` over gsofa's, and `sequential_ratio`; `edges_ratio`, gsofa's over fill2's."""
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
EXHIBIT = Exhibit(
    "row counts by traversals, elimination trees, fronts of bits, and libraries",
    frame,
    Sheet(
        [
            Column("n", "n", COUNT),
            Column("nnz", "nnz", COUNT),
            Column("fill-ins", "fills", COUNT),
            *SECONDS,
            Column("SuperLU_DIST's\nbest ranks", "ranks"),
            Column("sequential,\nthe fastest", "sequential_ratio", times, OVER),
            Column("which", "sequential_letter", group=OVER),
            Column("the same, with\ntransfers", "sequential_moved_ratio", times, OVER),
            Column("fill2_gpu", "fill2_gpu_ratio", times, OVER),
            Column("bitfronts_gpu", "bitfronts_gpu_ratio", times, OVER),
            Column("edges,\ngsofa / fill2", "edges_ratio", "{:.2f}".format),
        ]
    ),
    f"""Rows are counted, none is stored (output=counts). Ours: bitfronts_cpu eliminates fronts of bits,
    bitfronts_gpu counts by the elimination tree where A is symmetric, by fronts elsewhere.
    {{fastest}}Libraries: {", ".join(NAMED.values())}. cuDSS counts the entries of its own factors.""",
    lambda frame: {"fastest": fastest_how(frame["sequential_code"], frame["sequential_untimed"])},
    span="from the input pattern to the counts of the filled rows, both resident",
)
