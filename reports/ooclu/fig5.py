"""Figure 5: LU end to end, the symbolic phase out of core or in unified memory."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.frames import arrays
from reports.frames.end_to_end import Way, composed, composed_caption, composed_frame
from reports.shapes.ratios import Over

CLAIM = "fig5_vs_unified_memory"
WAYS = (
    Way(arrays.OUT_OF_CORE, "out_of_core", "kahn_gpu"),
    Way(arrays.PREFETCHED, "unified_memory.prefetch=true", "kahn_gpu"),
    Way(arrays.PLAIN, "unified_memory", "kahn_gpu"),
)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, as `composed_frame` has it, of the seven matrices that fit into
    the paper's host memory."""
    return composed_frame(inputs, WAYS, arrays.the_seven())


EXHIBIT = Exhibit(
    arrays.PAPER,
    "PPoPP'23, Figure 5",
    "end to end, out of core and unified memory",
    frame,
    composed(Over(arrays.OUT_OF_CORE, arrays.printed_range(CLAIM), ", of prefetched", regimes=True)),
    """Above: seconds over those of out_of_core, each bar with its regime; only the symbolic phase differs.
    The paper's figure has prefetching alone. {regimes} {composed}""",
    lambda frame: {"regimes": arrays.REGIMES, "composed": composed_caption(frame)},
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", only={"way": arrays.PREFETCHED},
            subsets=partial(arrays.by_regime, status="pair"),
        ),
    ),
    one_run=True,
)  # fmt: skip
