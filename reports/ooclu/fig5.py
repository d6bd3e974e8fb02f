"""Figure 5: LU end to end, the symbolic phase out of core or in unified memory."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim, subject
from reports.figures import Entries, FigureSpec
from reports.ooclu.arrays import (
    OUT_OF_CORE,
    PAPER,
    PLAIN,
    PREFETCHED,
    REGIMES,
    by_regime,
    the_seven,
)
from reports.ooclu.composed import Way, composed_caption, composed_frame, draw_composed, is_part
from reports.records import Records
from reports.standings import Verdict

CLAIM = "fig5_vs_unified_memory"
WAYS = (
    Way(OUT_OF_CORE, "out_of_core", "kahn_gpu"),
    Way(PREFETCHED, "unified_memory.prefetch=true", "kahn_gpu"),
    Way(PLAIN, "unified_memory", "kahn_gpu"),
)


def is_shown(case: Case) -> bool:
    """A stage of one of the three."""
    return is_part(case, WAYS)


def fig5_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """As `composed_frame` has it, of the seven matrices that fit into the paper's host memory."""
    return composed_frame(records, entries, cases, WAYS, the_seven())


def fig5(frame: pd.DataFrame) -> Figure:
    """What unified memory takes over out_of_core, and of what it is made up."""
    low, high = subject(PAPER, CLAIM).data["range"]
    title = "PPoPP'23, Figure 5: end to end, out of core and unified memory"
    return draw_composed(frame, title, OUT_OF_CORE, (low, high), ", of prefetched", regimes=True)


def fig5_caption(frame: pd.DataFrame) -> str:
    """What differs between the bars, and in which regime."""
    return (
        "Above: seconds over those of out_of_core, each bar with its regime. Only the symbolic phase "
        "differs: levels (kahn_gpu) and numeric factorisation are the same records in all three. The paper's "
        f"figure has prefetching alone; without it stands beside. {REGIMES} Where everything fits the order "
        f"may be another for that reason alone: nothing is judged there. {composed_caption(frame)}"
    )


def fig5_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much longer unified memory takes with prefetching."""
    rows = frame[frame["way"] == PREFETCHED]
    return by_regime(rows, claim(PAPER, CLAIM, "range"), "ratio", status="pair")


SPEC = FigureSpec(
    "Figure 5: end to end, out of core and unified memory",
    is_shown,
    fig5_frame,
    fig5,
    fig5_caption,
    claims=(CLAIM,),
    judge=fig5_verdicts,
    one_run=True,
)
