"""Figure 5: out of core and unified memory."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.ooclu import arrays
from reports.ooclu.arrays import PREFETCHED
from reports.ooclu.chains import KAHN, SUMS, added, compared, picture

RANGE = subject(arrays.PAPER, "fig5_vs_unified_memory")["range"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and way, of the seven matrices that fit into the paper's host memory."""
    ways = {way: (code, KAHN) for code, way in arrays.WAYS.items() if "keep" not in code}
    return arrays.by_density(compared(cases, ways), arrays.SEVEN)


CAPTION = f"""Stages over the seconds with unified memory. Above each group: these seconds over out_of_core.
    The symbolic phases alone differ; without prefetching they are in the CSV. {arrays.REGIMES}
    {SUMS}{{added}}"""
SHAPE = picture(PREFETCHED, RANGE, memory=True)
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, added, subsets={"regimes": arrays.by_regime})
