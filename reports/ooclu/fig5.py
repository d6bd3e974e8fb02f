"""Figure 5: LU end to end, the symbolic phase out of core or in unified memory."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.ooclu.arrays import (
    OUT_OF_CORE,
    PAPER,
    PLAIN,
    PREFETCHED,
    REGIMES,
    by_density,
    by_regime,
    labelled,
    printed_range,
    the_seven,
)
from reports.ooclu.chains import DIRECT, DIRECT_HOW, FRONTS, NUMERIC, PARTS, chain, compared, direct
from reports.shapes.stacked import Stacked

CLAIM = "fig5_vs_unified_memory"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and way, of the seven matrices that fit into the paper's host memory."""
    ways = {
        OUT_OF_CORE: chain(cases, "out_of_core"),
        PREFETCHED: chain(cases, "unified_memory.prefetch=true"),
        PLAIN: chain(cases, "unified_memory"),
        FRONTS: chain(cases, "bitfronts_gpu"),
        DIRECT: direct(cases),
    }
    return by_density(compared(cases, ways), the_seven())


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 5",
    "end to end, out of core and unified memory",
    frame,
    Stacked(
        (OUT_OF_CORE, PREFETCHED, FRONTS, DIRECT),
        PARTS,
        printed_range(CLAIM),
        partial(labelled, memory=True),
    ),
    f"""Ordered by nnz/n. Stages over the seconds with unified memory; above each group of bars the ratio of
    the first two, these over the seconds of out_of_core. Only their symbolic phase differs; without
    prefetching it is in the CSV. {REGIMES} {DIRECT_HOW} Each other bar adds records of stages of one run
    (numeric: {NUMERIC}); time between stages is in none.""",
    held=tuple(
        Held(
            CLAIM,
            "ratio",
            (claim,),
            "pair",
            only={"way": PREFETCHED},
            subsets=partial(by_regime, status="pair"),
            against=against,
        )
        for claim, against in (("range", ""), ("density", "nnz_per_row"))
    ),
    one_run=True,
)
