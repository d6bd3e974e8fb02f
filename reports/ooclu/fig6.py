"""Figure 6: the symbolic phase out of core, and in unified memory with and without prefetching."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Panels
from reports.facts.claims import claim
from reports.facts.records import Entries, Records
from reports.facts.standings import Verdict
from reports.frames.arrays import (
    MATRICES,
    OUT_OF_CORE,
    PAPER,
    PLAIN,
    PREFETCHED,
    REGIMES,
    add_memory,
    by_regime,
    over_out_of_core,
    printed_of,
    stand_in_among,
    the_seven,
    variant_of,
)
from reports.frames.device import add_printed, columns_of, gpu_caption, pair_frame
from reports.frames.timed import RATIO
from reports.shapes.ratios import BASELINE, Over, printed_range
from reports.shapes.seconds import OnOne, seconds_panel

CLAIM = "fig6_symbolic_three_ways"


def frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """One row per matrix, way and machine: its seconds, `ratio`, over those of out_of_core in the same run,
    and the regime of unified memory; prefetched_ratio : on the rows without prefetching, of the row with
    it."""
    frame = pair_frame(records, entries, cases, over_out_of_core, role="out of core", facts=(), paper=PAPER)
    stand_in_among(frame, the_seven())
    variants = [variant_of(Case.parse(case)) for case in frame["case"]]
    frame["variant"] = pd.Series(variants, index=frame.index, dtype="object")
    own = frame["variant"] == OUT_OF_CORE
    frame.loc[own, "pair"] = BASELINE
    frame.loc[own, list(RATIO[1:])] = float("nan")
    several = frame["machine"].nunique() > 1
    frame["series"] = frame["variant"] + (", " + frame["machine"].fillna("no machine") if several else "")
    by = ["matrix", "preparation", "machine"]
    prefetched = frame[frame["variant"] == PREFETCHED].set_index(by)["ratio"].to_dict()
    keys = frame[by].itertuples(index=False, name=None)
    ratios = pd.Series([prefetched.get(key) for key in keys], index=frame.index, dtype="float64")
    frame["prefetched_ratio"] = ratios.where(frame["variant"] == PLAIN)
    frame = add_printed(frame, {"paper_nnz_per_row": printed_of(MATRICES, the_seven())}, paper=PAPER)
    frame["variant"] = frame["variant"].astype("object").fillna("")
    add_memory(frame, records)
    memory = ("n", "managed_bytes", "card_bytes", "times_card", "regime")
    return columns_of(
        frame, "variant", "median", "low", "high", *RATIO, "prefetched_ratio", *memory, "paper_nnz_per_row"
    )


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much longer unified memory takes with prefetching, and whether the three stand in the order that
    the paper has them in."""
    prefetched = frame[frame["variant"] == PREFETCHED]
    plain = frame[(frame["variant"] == PLAIN) & frame["prefetched_ratio"].notna()]
    # Both steps of the order at once: prefetched over out_of_core, and the other over prefetched.
    steps = plain["prefetched_ratio"].clip(upper=plain["ratio"] / plain["prefetched_ratio"])
    return by_regime(prefetched, claim(PAPER, CLAIM, "range"), "ratio", status="pair") + by_regime(
        plain.assign(least_step=steps), claim(PAPER, CLAIM, "order"), "least_step", status="pair"
    )


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
    """Above: seconds of unified_memory, with prefetching and without, over those of out_of_core: the ratio
    of their medians in one run (the paper normalises its bars, by what it does not say, and prints no
    numbers of theirs). Each bar is labelled with its regime. {regimes} The printed range is that of the
    abstract, for the symbolic phase with prefetching; the paper has the gap larger for R15 and OT2, whose
    nnz/n is small. Where everything fits the order may be another for that reason alone: nothing is judged
    there. unified_memory refuses to ask for more than half of the card's free memory (out of memory).
    {gpu}""",
    lambda frame: {"regimes": REGIMES, "gpu": gpu_caption(frame, paper=PAPER)},
    held=(verdicts,),
    claims=(CLAIM,),
    edges=True,
    one_run=True,
)
