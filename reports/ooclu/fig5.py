"""Figure 5: LU end to end, the symbolic phase out of core or in unified memory."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.facts.records import Entries, Records
from reports.facts.standings import Verdict
from reports.frames.arrays import (
    OUT_OF_CORE,
    PAPER,
    PLAIN,
    PREFETCHED,
    REGIMES,
    by_regime,
    the_seven,
)
from reports.frames.end_to_end import Way, composed, composed_caption, composed_frame
from reports.shapes.ratios import Over, printed_range

CLAIM = "fig5_vs_unified_memory"
WAYS = (
    Way(OUT_OF_CORE, "out_of_core", "kahn_gpu"),
    Way(PREFETCHED, "unified_memory.prefetch=true", "kahn_gpu"),
    Way(PLAIN, "unified_memory", "kahn_gpu"),
)


def frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """One row per matrix, way and machine, as `composed_frame` has it, of the seven matrices that fit into
    the paper's host memory."""
    return composed_frame(records, entries, cases, WAYS, the_seven())


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much longer unified memory takes with prefetching."""
    rows = frame[frame["way"] == PREFETCHED]
    return by_regime(rows, claim(PAPER, CLAIM, "range"), "ratio", status="pair")


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 5",
    "end to end, out of core and unified memory",
    frame,
    composed(Over(OUT_OF_CORE, printed_range(CLAIM), ", of prefetched", regimes=True)),
    """Above: seconds over those of out_of_core, each bar with its regime. Only the symbolic phase differs:
    levels (kahn_gpu) and numeric factorisation are the same records in all three. The paper's figure has
    prefetching alone; without it stands beside. {regimes} Where everything fits the order may be another
    for that reason alone: nothing is judged there. {composed}""",
    lambda frame: {"regimes": REGIMES, "composed": composed_caption(frame)},
    held=(verdicts,),
    claims=(CLAIM,),
    edges=True,
    one_run=True,
)
