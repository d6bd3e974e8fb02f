"""Figure 6: the symbolic phase out of core, and in unified memory with and without prefetching."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames import arrays
from reports.frames.arrays import OUT_OF_CORE, PAPER, PLAIN, PREFETCHED, by_regime, printed_range
from reports.frames.device import add_printed, columns_of, pair_frame
from reports.frames.seconds import RATIO, SYMBOLIC, beside
from reports.shapes.panels import Panels
from reports.shapes.ratios import Over

CLAIM = "fig6_symbolic_three_ways"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, by nnz/n: its seconds, `ratio`, over those of out_of_core in the
    same run, and the regime of unified memory; prefetched_ratio : on the rows without prefetching, of the
    row with it."""
    frame = pair_frame(inputs, arrays.over_out_of_core, role="out of core", facts=())
    arrays.stand_in_among(frame, arrays.the_seven())
    frame["variant"] = arrays.variants_of(frame)
    arrays.over_baseline(frame, OUT_OF_CORE)
    for name in ("ratio", "ratio_processes"):
        prefetched = beside(frame, frame["variant"] == PREFETCHED, name)
        frame[f"prefetched_{name}"] = prefetched.where(frame["variant"] == PLAIN)
    frame["nnz_per_row"] = frame["entries"].astype("float64") / frame["n"].astype("float64")
    printed = arrays.printed_of(arrays.MATRICES, arrays.the_seven())
    frame = add_printed(frame, PAPER, {"paper_nnz_per_row": printed})
    frame["variant"] = frame["variant"].astype("object").fillna("")
    arrays.add_memory(frame, inputs.records)
    memory = ("n", "nnz_per_row", "paper_nnz_per_row", "managed_bytes", "card_bytes", "times_card", "regime")
    return columns_of(
        arrays.by_density(frame), "variant", "median", "low", "high", *RATIO, "prefetched_ratio",
        "prefetched_ratio_processes", *memory,
    )  # fmt: skip


def _least_steps(frame: pd.DataFrame) -> list[Subset]:
    """Both steps of the paper's order at once: prefetched over out_of_core, and the other over prefetched."""
    plain = frame[(frame["variant"] == PLAIN) & frame["prefetched_ratio"].notna()]
    steps = plain["prefetched_ratio"].clip(upper=plain["ratio"] / plain["prefetched_ratio"])
    processes = plain[["ratio_processes", "prefetched_ratio_processes"]].min(axis=1)
    return by_regime(plain.assign(least_step=steps, least_step_processes=processes), "pair")


def _density(claim: str, variant: str) -> Held:
    return Held(
        CLAIM, "ratio", (claim,), "pair", only={"variant": variant}, against="nnz_per_row",
        subsets=partial(arrays.by_regime, status="pair"),
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 6",
    "the symbolic phase, out of core and in unified memory",
    frame,
    Panels(
        [Over(OUT_OF_CORE, printed_range(CLAIM), ", of prefetched")],
        height=7.5,
        shown=partial(arrays.labelled, memory=True),
    ),
    """Seconds over those of out_of_core, which stand above its bars, by nnz/n. {regimes} {how}""",
    lambda frame: {"regimes": arrays.REGIMES, "how": arrays.how(frame, SYMBOLIC)},
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", only={"variant": PREFETCHED},
            subsets=partial(by_regime, status="pair"),
        ),
        Held(CLAIM, "least_step", ("order",), "pair", subsets=_least_steps),
        _density("density", PLAIN),
        _density("density_prefetched", PREFETCHED),
    ),
    one_run=True,
)  # fmt: skip
