"""Figure 6: the symbolic phase, out of core and in unified memory."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.facts.claims import subject
from reports.ooclu import arrays
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.stacked import Over
from reports.verbs import on, phase_medians

RANGE = subject(arrays.PAPER, "fig6_symbolic_three_ways")["range"]
# Unified memory's work outside the traversal: the column of its share, and its phases.
SHARES = {"pages_share": ["prefetch"], "release_share": ["release"]}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and way: `ratio` over out_of_core; `prefetched_ratio`; shares in per cent."""
    rows = cases.assign(way=cases["variant"].map(arrays.WAYS)).dropna(subset="way")
    rows = arrays.over_baseline(rows, arrays.OUT_OF_CORE, "out of core").assign(series=rows["way"])
    prefetched = on(rows, rows[rows["way"] == arrays.PREFETCHED])[["ratio", "ratio_processes"]]
    rows = rows.join(prefetched[rows["way"] == arrays.PLAIN].add_prefix("prefetched_"))
    shares = 100 * phase_medians(rows, SHARES).replace(0.0, np.nan).div(rows["median"], axis=0)
    return arrays.by_density(rows.join(shares), arrays.SEVEN)


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return how much of the prefetched seconds the traversal is not."""
    shares = frame.loc[frame["way"] == arrays.PREFETCHED, list(SHARES)].dropna()
    pages, release = (bars.ends(shares[name], "{:.0f}".format) for name in SHARES)
    text = f"Pages take {pages} % and release {release} % of the prefetched seconds. "
    return {"shares": text if len(shares) else ""}


def least_steps(frame: pd.DataFrame) -> list[Subset]:
    """Return the lesser step of the paper's order: prefetched over out_of_core, not prefetched over that."""
    plain = frame[frame["prefetched_ratio"].notna()]
    steps = plain["prefetched_ratio"].clip(upper=plain["ratio"] / plain["prefetched_ratio"])
    processes = plain[["ratio_processes", "prefetched_ratio_processes"]].min(axis=1)
    return arrays.by_regime(plain.assign(least_step=steps, least_step_processes=processes))


CAPTION = f"""Seconds over seconds of out_of_core. Unified memory includes allocating and releasing the
    arrays, except where the arrays are kept. {{shares}}{arrays.REGIMES}"""
SHAPE = Panels([Over(arrays.OUT_OF_CORE, RANGE, ", of prefetched")], 7.5, arrays.labelled)
SUBSETS = {"regimes": arrays.by_regime, "steps": least_steps}
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, facts, subsets=SUBSETS, span=arrays.SYMBOLIC)
