"""Figure 12: GSoFA beside SuperLU_DIST's parallel symbolic factorisation, on ranks of the GPU's host."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import GOOD, SPAN, SYMBOLIC, fastest_how, spread
from reports.shapes.strip import CodedBars, Ratios
from reports.table import KEY, cores_of, timed
from reports.verbs import beside, by_code, fastest, in_papers_order, of, on, option, over

CLAIM = "fig12_vs_superlu_dist"
DATA = subject("gsofa", CLAIM).data
RANKED, GSOFA, SIX, BEST = "superlu_dist_parallel", "gsofa", "gsofa on six GPUs", "sequential, one core"
SPEEDUPS = {"speedup": "ratio", "with transfers": "moved_ratio"}
SIX_GPUS = {"six GPUs": "six_ratio", "printed, six": "paper"}
RANKS = "SuperLU_DIST on its best ranks (in brackets) over gsofa on one GPU"
STRIP = [
    Ratios(RANKS, SPEEDUPS | SIX_GPUS, only={"best": True}, mark="mark"),
    Ratios("The fastest sequential code over the same", SPEEDUPS, only={"series": BEST}, mark="mark"),
]
ONE_NODE = ", ".join(f"{abbr} {ratio:.3g}x" for abbr, ratio in DATA["one_node"].items())


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and series: SuperLU_DIST on each number of `ranks`, of which `best` takes
    least, gsofa on one GPU and on six, and the fastest sequential code, which `code` names; `ratio`, its
    seconds over those of gsofa on one GPU in one run, `six_ratio` over those on six."""
    rows = timed(cases, SYMBOLIC)
    rows["series"] = rows["implementation"].where(rows["gpus"] != 6, SIX)
    ours = rows["series"].isin([GSOFA, SIX])
    others = rows[~ours]
    for name, prefix in ((GSOFA, ""), (SIX, "six_")):
        ratio = over(others, on(others, rows[rows["series"] == name]), ("", name), bounds=False)
        others = others.join(ratio.add_prefix(prefix))
    ranked = others[others["series"] == RANKED]
    ranks = option(ranked["variant"], "ranks").fillna("1")
    least = ranked.fillna({"median": np.inf}).groupby(KEY)["median"].idxmin()
    ranked = ranked.assign(series="SuperLU_DIST on " + ranks, ranks=ranks.astype(int))
    ranked = ranked.assign(mark="(" + ranks + ")", best=ranked.index.isin(least))
    codes = by_code(others, {name: name for name in GOOD}, "implementation")
    best = fastest(codes, of(rows, GSOFA, "series")["run_id"]).dropna(subset="case").reset_index()
    code = best["code"].where(best["status"] == "ok")
    best = best.assign(series=BEST, code=code, mark=code.map(GOOD))
    whole = pd.concat([ranked, best, rows[ours]], ignore_index=True)
    whole = beside(whole, "gsofa", {"paper": DATA["one_node"]})
    is_best = whole["best"].eq(True) | whole["series"].isna()
    return in_papers_order(whole.assign(best=is_best), "gsofa")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return the host's cores, the ranks that it cannot have, and which sequential code is the fastest."""
    good = frame[frame["series"] == BEST]
    idle = frame[frame["ranks"].notna() & (frame["status"] == "unavailable")].sort_values("ranks")
    numbers = ", ".join(idle["ranks"].map("{:g}".format).unique())
    cores = [cores_of(machine) for machine in frame["machine"].dropna().unique()]
    return {
        "host": "".join(f"Host: {count:g} cores. " for count in cores if count > 0),
        "idle": f"Unavailable on {numbers} ranks: {idle['reason'].iloc[0]}. " if numbers else "",
        "fastest": fastest_how(good["code"], good["untimed"]),
    }


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 12",
    "GSoFA on one GPU and SuperLU_DIST on ranks of its host",
    frame,
    CodedBars(STRIP, "seconds (log scale)"),
    f"""SuperLU_DIST's seconds are of symbfact_dist alone, which pdgssvx calls SYMBFACT, in the same order; it
    keeps subscripts by supernodes, gsofa the rows of F. {{host}}{{idle}}{{fastest}}Below 1 the GPU is slower;
    means are geometric; with transfers: the way to the GPU and back is added to its seconds. Printed, each
    node's POWER9 cores over its six GPUs: on one node {ONE_NODE}; on six above 1x
    {", ".join(DATA["faster_at_6_nodes"])}; on 44 {spread(CLAIM, "nodes_44")}. One GPU here is another
    quantity, beside the print, and six GPUs of one host are judged.""",
    facts,
    claims=(CLAIM,),
    one_run=True,
    topic="SuperLU_DIST's parallel symbolic factorisation (seconds)",
    span=SPAN,
)
