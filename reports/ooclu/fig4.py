"""Figure 4: LU end to end, the symbolic phase out of core on the GPU or on the CPU."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.printed import abbreviations
from reports.frames.arrays import OUT_OF_CORE, PAPER, by_regime, labelled, printed_range
from reports.frames.end_to_end import (
    DIRECT,
    FRONTS,
    LEVELS,
    PARTS,
    Bar,
    Way,
    beside_how,
    composed_caption,
    composed_frame,
)
from reports.frames.means import means_with_transfers
from reports.frames.sequential import FILLING, TEXTS, fastest_of, fastest_rows, sequential_how
from reports.shapes.end_to_end import Composed

CLAIM = "fig4_vs_modified_glu3"
ON_CPU = "glu3_relaxed"
PARALLEL, SEQUENTIAL = (
    Way("fill2_cpu, all cores", "fill2_cpu", ON_CPU),
    Way("gilbert_peierls, one core", "gilbert_peierls.threads=1", ON_CPU),
)
# The good sequential codes whose F the levels can be found in, and the fastest of a matrix.
GOOD = {name: Way(f"{name}, one core", f"{name}.threads=1", ON_CPU) for name in FILLING}
BEST = f"{fastest_of(FILLING)}, one core"
ON_THE_CPU = f"matrices on which the numeric phase is less than half of {PARALLEL.name}, oversubscribed"
WAYS: tuple[Bar, ...] = (
    Way(OUT_OF_CORE, "out_of_core", "kahn_gpu"), PARALLEL, FRONTS, DIRECT, SEQUENTIAL, *GOOD.values()
)  # fmt: skip


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, as `composed_frame` has it, of the 18 matrices of Table 2; a way
    more is the fastest of the good sequential codes, which `sequential` names."""
    rows = composed_frame(inputs, WAYS, list(abbreviations(PAPER).values()))
    good = rows[rows["way"].isin([way.name for way in GOOD.values()])]
    codes = good["way"].map({way.name: name for name, way in GOOD.items()})
    best = fastest_rows(good.assign(implementation=codes), FILLING).assign(way=BEST)
    best["series"] = BEST
    whole = pd.concat([rows, best[[*rows.columns, *TEXTS]]], ignore_index=True)
    return whole.sort_values("group", kind="stable", ignore_index=True)


def _over(way: str, claim: str, basis: str = "", beside: bool = False, above: float = 1.0) -> Held:
    """How much longer it takes than out_of_core, on matrices whose arrays do not fit, as the paper chose its
    18. basis : of what stands beside the claim's metric."""
    return Held(
        CLAIM, "ratio", (claim,), "pair", basis, only={"way": way},
        subsets=partial(by_regime, status="pair"), beside=beside, above=above,
    )  # fmt: skip


def _beside(way: str) -> Held:
    return _over(way, "range", f"seconds end to end, {way}, over out_of_core, oversubscribed", beside=True)


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
    Composed((OUT_OF_CORE, PARALLEL.name, FRONTS.name, DIRECT.name), PARTS, printed_range(CLAIM), labelled),
    """Ordered by nnz/n. Stages over the seconds of the baseline; above each group of
    bars the ratio of the first two, the baseline's seconds over those of out_of_core. {moved}The paper's
    baseline is a parallel CPU code modified from GLU3.0: fill2_cpu, with levels by {on_cpu}, stands for it;
    sequential codes are in the CSV. {sequential}{beside}{composed}""",
    lambda frame: {
        "sequential": sequential_how(frame[frame["way"] == BEST], FILLING),
        "beside": beside_how(frame),
        "moved": means_with_transfers(frame[frame["way"] == PARALLEL.name]),
        "on_cpu": ON_CPU,
        "composed": composed_caption(frame),
    },
    held=(
        _over(PARALLEL.name, "range"),
        _beside(SEQUENTIAL.name),
        _beside(BEST),
        Held(
            CLAIM, "ratio", ("density",), "pair", only={"way": PARALLEL.name}, against="nnz_per_row",
        ),
        _over(PARALLEL.name, "several_fold", above=2.0),
        _numeric(OUT_OF_CORE),
        _numeric(PARALLEL.name, ON_THE_CPU, beside=True),
        Held(
            "levels_on_gpu", LEVELS[1], status=LEVELS[0], only={"way": PARALLEL.name}
        ),
    ),
    one_run=True,
)  # fmt: skip
