"""Figure 12: GSoFA beside SuperLU_DIST's parallel symbolic factorisation, on ranks of the GPU's host."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.symbolic import GOOD, SPAN, SYMBOLIC, fastest_how
from reports.shapes.strip import CodedBars, Ratios
from reports.table import KEY, cores_of, timed
from reports.verbs import beside, by_code, fastest, in_papers_order, of, on, option, over

ONE_NODE = subject("gsofa", "fig12_vs_superlu_dist").data["one_node"]
RANKED, GSOFA, SIX, BEST = "superlu_dist_parallel", "gsofa", "gsofa on six GPUs", "sequential, one core"
SPEEDUPS = {"speedup": "ratio", "with transfers": "moved_ratio"}
SIX_GPUS = {"six GPUs": "six_ratio", "printed, six": "paper"}
RANKS = "SuperLU_DIST on its best ranks (in brackets) over gsofa on one GPU"
STRIP = [
    Ratios(RANKS, SPEEDUPS | SIX_GPUS, only={"best": True}, mark="mark"),
    Ratios("The fastest sequential code over the same", SPEEDUPS, only={"series": BEST}, mark="mark"),
]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and series, `best` on its best ranks: `ratio`, `six_ratio` over gsofa's."""
    rows = timed(cases, SYMBOLIC)
    rows["series"] = rows["implementation"].where(rows["gpus"] != 6, SIX)
    ours = rows["series"].isin([GSOFA, SIX])
    others = rows[~ours]
    for name, prefix in ((GSOFA, ""), (SIX, "six_")):
        ratio = over(others, on(others, rows[rows["series"] == name]), ("", name), bounds=False)
        others = others.join(ratio.add_prefix(prefix))
    ranked = others[others["series"] == RANKED]
    ranks = option(ranked["variant"], "ranks").fillna("1").astype(int)
    least = ranked.fillna({"median": np.inf}).groupby(KEY)["median"].idxmin()
    ranked = ranked.assign(ranks=ranks, best=ranked.index.isin(least))
    codes = by_code(others, {name: name for name in GOOD}, "implementation")
    best = fastest(codes, of(rows, GSOFA, "series")["run_id"]).dropna(subset="case").reset_index()
    best = best.assign(series=BEST, code=best["code"].where(best["status"] == "ok"))
    whole = pd.concat([ranked, best, rows[ours]], ignore_index=True)
    whole = beside(whole, "gsofa", {"paper": ONE_NODE})
    is_best = whole["best"].eq(True) | whole["series"].isna()
    return in_papers_order(whole.assign(best=is_best), "gsofa")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a bar per code and number of ranks, under lines of their ratios."""
    ranks = frame["ranks"].map("{:g}".format).astype("object")
    mark = frame["code"].map(GOOD).where(frame["series"] == BEST, "(" + ranks + ")")
    series = frame["series"].mask(frame["series"] == RANKED, f"{RANKED} on " + ranks)
    return CodedBars(STRIP, "seconds (log scale)")(frame.assign(mark=mark, series=series), title)


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
    "GSoFA on one GPU and SuperLU_DIST on ranks of its host",
    frame,
    draw,
    """Seconds of symbfact_dist alone. {host}{idle}{fastest}Means are geometric; with transfers: the GPU's
    seconds with the way to it and back. Printed: six GPUs of a node over its POWER9 cores, not one GPU.""",
    facts,
    span=SPAN,
)
