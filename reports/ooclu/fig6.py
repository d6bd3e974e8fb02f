"""Figure 6: the symbolic phase out of core, and in unified memory with and without prefetching."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames import arrays
from reports.frames.arrays import OUT_OF_CORE, PAPER, PLAIN, PREFETCHED, by_regime, printed_range
from reports.frames.device import add_printed, columns_of, gpu_caption, pair_frame
from reports.frames.seconds import RATIO, beside
from reports.shapes.panels import Panels
from reports.shapes.ratios import Over
from reports.shapes.seconds import OnOne, seconds_panel

CLAIM = "fig6_symbolic_three_ways"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine: its seconds, `ratio`, over those of out_of_core in the same run,
    and the regime of unified memory; prefetched_ratio : on the rows without prefetching, of the row with
    it."""
    frame = pair_frame(inputs, arrays.over_out_of_core, role="out of core", facts=())
    arrays.stand_in_among(frame, arrays.the_seven())
    frame["variant"] = arrays.variants_of(frame)
    arrays.over_baseline(frame, OUT_OF_CORE)
    prefetched = beside(frame, frame["variant"] == PREFETCHED, "ratio")
    frame["prefetched_ratio"] = prefetched.where(frame["variant"] == PLAIN)
    printed = arrays.printed_of(arrays.MATRICES, arrays.the_seven())
    frame = add_printed(frame, PAPER, {"paper_nnz_per_row": printed})
    frame["variant"] = frame["variant"].astype("object").fillna("")
    arrays.add_memory(frame, inputs.records)
    memory = ("n", "managed_bytes", "card_bytes", "times_card", "regime")
    return columns_of(
        frame, "variant", "median", "low", "high", *RATIO, "prefetched_ratio", *memory, "paper_nnz_per_row"
    )


def _least_steps(frame: pd.DataFrame) -> list[Subset]:
    """Both steps of the paper's order at once: prefetched over out_of_core, and the other over prefetched."""
    plain = frame[(frame["variant"] == PLAIN) & frame["prefetched_ratio"].notna()]
    steps = plain["prefetched_ratio"].clip(upper=plain["ratio"] / plain["prefetched_ratio"])
    return by_regime(plain.assign(least_step=steps), "pair")


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 6",
    "out of core and unified memory",
    frame,
    OnOne(
        Panels(
            [Over(OUT_OF_CORE, printed_range(CLAIM), ", of prefetched", regimes=True), seconds_panel],
            height=9.5,
        )
    ),
    """Above: seconds of unified_memory over those of out_of_core, each bar with its regime; the printed range
    is the abstract's, with prefetching. {regimes} Where everything fits nothing is judged. {gpu}""",
    lambda frame: {"regimes": arrays.REGIMES, "gpu": gpu_caption(frame, PAPER)},
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", only={"variant": PREFETCHED},
            subsets=partial(by_regime, status="pair"),
        ),
        Held(CLAIM, "least_step", ("order",), "pair", subsets=_least_steps),
    ),
    one_run=True,
)  # fmt: skip
