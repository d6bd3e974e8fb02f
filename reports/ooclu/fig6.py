"""Figure 6: the symbolic phase out of core, and in unified memory with and without prefetching."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from fillpath.dicts import Row, dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames import arrays
from reports.frames.arrays import OUT_OF_CORE, PAPER, PLAIN, PREFETCHED, by_regime, printed_range
from reports.frames.device import add_printed, columns_of, pair_frame
from reports.frames.seconds import RATIO, SYMBOLIC, add_columns, beside
from reports.shapes.panels import Panels
from reports.shapes.ratios import Over

CLAIM = "fig6_symbolic_three_ways"
# What unified memory does beside the traversal: its share of the seconds, and the phase that has it.
SHARES = {"pages_share": "prefetch", "release_share": "release"}
CONTENTS = (
    "Unified memory's include allocating the arrays, making their pages and releasing them, except where "
    "arrays are kept; out_of_core has its memory from a pool. "
)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way and machine, by nnz/n: its seconds, `ratio`, over those of out_of_core in the
    same run, and the regime of unified memory; prefetched_ratio : on the rows without prefetching, of the
    row with it; pages_share, release_share : of its seconds, in per cent, moving pages ahead and releasing
    the arrays, empty where no phase says it."""
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
    add_columns(frame, [_shares(inputs.records, row) for row in dicts(frame)], list(SHARES))
    memory = ("n", "nnz_per_row", "paper_nnz_per_row", "managed_bytes", "card_bytes", "times_card", "regime")
    return columns_of(
        arrays.by_density(frame), "variant", "median", "low", "high", *RATIO, "prefetched_ratio",
        "prefetched_ratio_processes", *SHARES, *memory,
    )  # fmt: skip


def _shares(records: Records, row: Row) -> dict[str, float]:
    """SHARES in per cent; nothing of a record without the phase."""
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    phases = record.phases if record else {}
    return {
        name: 100 * float(np.median(phases[phase])) / float(np.median(record.samples))
        for name, phase in SHARES.items()
        if record and phase in phases
    }


def _contents(frame: pd.DataFrame) -> str:
    """What the seconds contain, and how much of the prefetched ones the traversal is not."""
    rows = frame[(frame["variant"] == PREFETCHED) & frame[list(SHARES)].notna().all(axis=1)]
    if rows.empty:
        return CONTENTS
    pages, release = (f"{rows[name].min():.0f} to {rows[name].max():.0f} %" for name in SHARES)
    return f"{CONTENTS}Of the prefetched seconds pages are {pages} and release {release}. "


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    return {
        "contents": _contents(frame),
        "regimes": arrays.REGIMES,
        "how": arrays.how(frame, SYMBOLIC),
    }


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
    """Seconds over those of out_of_core, which stand above its bars, by nnz/n. {contents}{regimes} {how}""",
    _facts,
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
