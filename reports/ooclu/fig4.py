"""Figure 4: symbolic factorisation on the GPU or on the CPU."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.naming import fastest_how
from reports.facts.printed import abbreviations
from reports.ooclu.arrays import OUT_OF_CORE, PAPER, by_density, by_regime
from reports.ooclu.chains import KAHN, SUMS, added, compared, picture
from reports.shapes.bars import times
from reports.verbs import KEY, fastest, mean, of, over

ON_CPU, RANGE = "glu3_relaxed", subject(PAPER, "fig4_vs_modified_glu3")["range"]
PARALLEL = "fill2_cpu, all cores"
# The good sequential codes whose F the levels can be found in.
GOOD = {f"{code}, one core": code for code in ("fill1_pruned", "etree_cpu", "fill1_supernodal")}
CODES = {PARALLEL: "fill2_cpu", "gilbert_peierls, one core": "gilbert_peierls", **GOOD}
WHICH = "fill1_pruned, etree_cpu and fill1_supernodal"
FASTEST = f"the fastest of {WHICH}, one core"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and way, the last the fastest good `code`; `levels_ratio` of levels alone."""
    ways = {OUT_OF_CORE: ("out_of_core", KAHN), **{way: (code, ON_CPU) for way, code in CODES.items()}}
    levels = over(of(cases, ON_CPU), of(cases, KAHN), ("", OUT_OF_CORE)).add_prefix("levels_")
    rows = compared(cases, ways).set_index(KEY).join(levels)
    rows.loc[~rows["way"].isin(CODES), list(levels)] = np.nan
    best = fastest({code: rows[rows["way"] == way] for way, code in GOOD.items()}, status="pair")
    best = best.assign(way=FASTEST, series=FASTEST, code=best["code"].where(best["pair"] == "ok"))
    return by_density(pd.concat([rows, best]).reset_index(), list(abbreviations(PAPER).values()))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return the mean with transfers, the fastest sequential codes, and what is not the paper's."""
    moved = frame[(frame["way"] == PARALLEL) & frame["moved_ratio"].notna()]
    alone, whole = times(mean(moved["ratio"])), times(mean(moved["moved_ratio"]))
    means = f"Geometric mean of {len(moved)}: {alone}, with the transfers to the GPU and back {whole}. "
    codes = fastest_how(frame, WHICH, {code: code for code in GOOD.values()})
    return {"moved": means if len(moved) else "", "sequential": codes, **added(frame)}


CAPTION = f"""Stages over the seconds of the baseline. Above each group: the baseline over out_of_core.
    {{moved}}The paper's baseline is a parallel CPU code modified from GLU3.0. Here fill2_cpu with levels by
    {ON_CPU} replaces it; sequential codes are in the CSV. {{sequential}}{SUMS}{{added}}"""
SHAPE = picture(PARALLEL, RANGE, memory=False)
MORE = ("numeric_share", "levels_on_gpu")
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, facts, subsets={"regimes": by_regime}, more_claims=MORE)
