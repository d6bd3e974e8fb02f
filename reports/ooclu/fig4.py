"""Figure 4: LU end to end, the symbolic phase out of core on the GPU or on the CPU."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import abbreviations
from reports.frames.arrays import OUT_OF_CORE, PAPER, by_regime, labelled, printed_range
from reports.frames.end_to_end import LEVELS, PARTS, Way, composed_caption, composed_frame
from reports.frames.means import means_with_transfers
from reports.shapes.end_to_end import Composed

CLAIM = "fig4_vs_modified_glu3"
ON_CPU = "glu3_relaxed"
PARALLEL, SEQUENTIAL, PRUNED = (
    Way("fill2_cpu, all cores", "fill2_cpu", ON_CPU),
    Way("gilbert_peierls, one core", "gilbert_peierls.threads=1", ON_CPU),
    Way("fill1_pruned, one core", "fill1_pruned.threads=1", ON_CPU),
)
ON_THE_CPU = f"matrices on which the numeric phase is less than half of {PARALLEL.name}, oversubscribed"
WAYS = (Way(OUT_OF_CORE, "out_of_core", "kahn_gpu"), PARALLEL, SEQUENTIAL, PRUNED)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, as `composed_frame` has it, of the 18 matrices of Table 2."""
    return composed_frame(inputs, WAYS, list(abbreviations(PAPER).values()))


def _over(way: Way, claim: str, basis: str = "", beside: bool = False, above: float = 1.0) -> Held:
    """How much longer it takes than out_of_core, on matrices whose arrays do not fit, as the paper chose its
    18. basis : of what stands beside the claim's metric."""
    return Held(
        CLAIM, "ratio", (claim,), "pair", basis, only={"way": way.name},
        subsets=partial(by_regime, status="pair"), beside=beside, above=above,
    )  # fmt: skip


def _beside(way: Way) -> Held:
    return _over(
        way, "range", f"seconds end to end, {way.name}, over out_of_core, oversubscribed", beside=True
    )


def _numeric(way: str, basis: str = "", beside: bool = False) -> Held:
    """Where the numeric phase has less than half of the seconds."""
    return Held(
        "numeric_share", "before_numeric", basis=basis, only={"way": way},
        subsets=partial(by_regime, status="status"), above=0.5, beside=beside,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 4",
    "end to end, symbolic on the GPU or on the CPU",
    frame,
    Composed((OUT_OF_CORE, PARALLEL.name), PARTS, printed_range(CLAIM), labelled),
    """Ordered by nnz/n. Stages over the seconds of the baseline; above each pair, the baseline's seconds over
    those of out_of_core. {moved}The paper's baseline is a parallel CPU code modified from GLU3.0: fill2_cpu,
    with levels by {on_cpu}, stands for it; sequential codes are in the CSV. {composed}""",
    lambda frame: {
        "moved": means_with_transfers(frame[frame["way"] == PARALLEL.name]),
        "on_cpu": ON_CPU,
        "composed": composed_caption(frame),
    },
    held=(
        _over(PARALLEL, "range"),
        _beside(SEQUENTIAL),
        _beside(PRUNED),
        Held(
            CLAIM, "ratio", ("density",), "pair", only={"way": PARALLEL.name}, against="nnz_per_row",
        ),
        _over(PARALLEL, "several_fold", above=2.0),
        _numeric(OUT_OF_CORE),
        _numeric(PARALLEL.name, ON_THE_CPU, beside=True),
        Held(
            "levels_on_gpu", LEVELS[1], status=LEVELS[0], only={"way": PARALLEL.name}
        ),
    ),
    one_run=True,
)  # fmt: skip
