"""Figure 5: LU end to end, the symbolic phase out of core or in unified memory."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames import arrays
from reports.frames.end_to_end import DIRECT, FRONTS, PARTS, Way, beside_how, composed_caption, composed_frame
from reports.shapes.end_to_end import Composed

CLAIM = "fig5_vs_unified_memory"
WAYS = (
    Way(arrays.OUT_OF_CORE, "out_of_core", "kahn_gpu"),
    Way(arrays.PREFETCHED, "unified_memory.prefetch=true", "kahn_gpu"),
    Way(arrays.PLAIN, "unified_memory", "kahn_gpu"),
    FRONTS,
    DIRECT,
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
    Composed(
        (arrays.OUT_OF_CORE, arrays.PREFETCHED, FRONTS.name, DIRECT.name),
        PARTS,
        arrays.printed_range(CLAIM),
        partial(arrays.labelled, memory=True),
    ),
    """Ordered by nnz/n. Stages over the seconds with unified memory; above each group of
    bars the ratio of the first two, these over the seconds of out_of_core. Only their symbolic phase differs;
    without prefetching it is in the CSV. {regimes}
    {beside}{composed}""",
    lambda frame: {
        "regimes": arrays.REGIMES,
        "beside": beside_how(frame),
        "composed": composed_caption(frame),
    },
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", only={"way": arrays.PREFETCHED},
            subsets=partial(arrays.by_regime, status="pair"),
        ),
        Held(
            CLAIM, "ratio", ("density",), "pair", only={"way": arrays.PREFETCHED}, against="nnz_per_row",
            subsets=partial(arrays.by_regime, status="pair"),
        ),
    ),
    one_run=True,
)  # fmt: skip
