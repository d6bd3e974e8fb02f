"""Table 3: GPU page faults, and the time that servicing them takes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Held, Subset
from reports.facts.printed import printed_column
from reports.ooclu import arrays
from reports.ooclu.arrays import FAULTS, OUT_OF_CORE, PAPER, PLAIN, PREFETCHED, held_in_regimes
from reports.ooclu.page_faults import counted
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.table import NOT_MEASURED
from reports.verbs import beside, fact, first_failure, in_papers_order, inputs, of

CLAIM = "table3_page_faults"
# By our column, the column of the printed table.
PRINTED = {
    "groups": "gpu_fault_groups_without_prefetch",
    "prefetched_groups": "gpu_fault_groups_with_prefetch",
    "share": "fault_time_percent_without_prefetch",
    "prefetched_share": "fault_time_percent_with_prefetch",
    "movement": "data_movement_percent_out_of_core",
}
# The claims that are of one column: ours, and the status of its numbers.
COLUMNS = {
    "groups": ("groups", "told"),
    "groups_prefetched": ("prefetched_groups", "prefetched_told"),
    "time": ("share", "share_told"),
    "time_prefetched": ("prefetched_share", "prefetched_share_told"),
}
# Bytes of a queue entry: eight, to the host and back.
ENTRY = 16


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: fault groups, and the share of time that servicing them takes, without and
    with prefetching; the share that data movement has of out_of_core; each with what the paper prints.

    Shares are in per cent; `told` and the like say `ok` where a number is known.

    reduction : groups without prefetching over with, unknown where none is left
    over_movement : the smaller share of faults over that of data movement
    """
    rows = counted(cases)
    rows = pd.concat([rows[rows["way"] == way] for way in (PLAIN, PREFETCHED, OUT_OF_CORE)])
    index = inputs(rows).index
    plain, ahead, ours = (of(rows, way, "way").reindex(index) for way in (PLAIN, PREFETCHED, OUT_OF_CORE))
    known = rows.groupby(["matrix", "preparation"], sort=False)
    first = known[["status", "card", "nnz_per_row", "managed_bytes", "regime"]].first()
    links = pd.concat([part["link_bytes_per_second"] for part in (ours, plain, ahead)], axis=1)
    moved = _movement(ours, links.bfill(axis=1).iloc[:, 0])
    table = inputs(rows).join(first).join(_faults(plain, "")).join(_faults(ahead, "prefetched_")).join(moved)
    printed = {f"paper_{name}": printed_column(PAPER, FAULTS, column) for name, column in PRINTED.items()}
    table = in_papers_order(beside(table, PAPER, printed), PAPER, arrays.the_seven())
    told = table.filter(regex="told$").fillna("not_run")
    shares = ["share_told", "prefetched_share_told", "out_of_core_told"]
    least = table[["share", "prefetched_share"]].min(axis=1, skipna=False)
    return table.assign(
        **told,
        both=first_failure(told[["told", "prefetched_told"]]),
        all_told=first_failure(told[shares]),
        regime=table["regime"].fillna(""),
        over_movement=least / table["movement"],
        reduction=_reduction(table, ""),
        paper_reduction=_reduction(table, "paper_"),
    )


def _faults(rows: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """Return what was counted of a way. Groups that are serviced at once add up: above 100 % is no share."""
    ok, whole = rows["told"] == "ok", rows["fault_share"] <= 1
    numbers = pd.DataFrame(
        {
            "told": rows["told"],
            "groups": rows["gpu_fault_groups"].where(ok),
            "overhead": rows["overhead"].where(ok),
            "share": 100 * rows["fault_share"].where(ok & whole),
            "share_told": rows["told"].mask(ok & ~whole, "groups_overlap"),
        }
    )
    return numbers.add_prefix(prefix)


def _movement(rows: pd.DataFrame, rate: pd.Series[float]) -> pd.DataFrame:
    """Return the share of out_of_core's seconds that its data takes at that rate, with its interval."""
    ok = rows["status"] == "ok"
    moved = 100 * (fact(rows, "bytes_matrix") + ENTRY * fact(rows, "spilled")) / rate
    numbers = {"movement": "median", "movement_low": "high", "movement_high": "low"}
    shares = pd.DataFrame({name: (moved / rows[seconds]).where(ok) for name, seconds in numbers.items()})
    told = rows["status"].mask(ok & moved.isna(), NOT_MEASURED)
    return shares.assign(movement_processes=rows["processes"].where(told == "ok"), out_of_core_told=told)


def _reduction(table: pd.DataFrame, prefix: str) -> pd.Series[float]:
    left = table[f"{prefix}prefetched_groups"]
    return table[f"{prefix}groups"] / left.where(left > 0, np.nan)


def some_left(frame: pd.DataFrame) -> list[Subset]:
    """Return the rows of each regime, without those in which prefetching leaves no fault."""
    return arrays.by_regime(frame[(frame["both"] != "ok") | frame["reduction"].notna()], "both")


PER_CENT, TIMES = "{:.1f}".format, "{:.2f}x".format
WITHOUT = "without\nprefetching"
EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Table 3",
    "GPU page faults",
    frame,
    Sheet(
        [
            Column(WITHOUT, "groups", COUNT, "fault groups", "told"),
            Column("with", "prefetched_groups", COUNT, "fault groups", "prefetched_told"),
            Column(WITHOUT, "share", PER_CENT, "time of faults, %", "share_told"),
            Column("with", "prefetched_share", PER_CENT, "time of faults, %", "prefetched_share_told"),
            Column("movement,\n%", "movement", "{:.2f}".format, "out_of_core", "out_of_core_told"),
            Column(WITHOUT, "overhead", TIMES, "CUPTI's overhead"),
            Column("with", "prefetched_overhead", TIMES, "CUPTI's overhead"),
            Column("nnz / n", "nnz_per_row", PER_CENT),
            Column("regime", "regime"),
        ],
        lambda frame: frame.assign(regime=frame["regime"].replace("", "-")),
    ),
    f"""Groups: page faults that the driver serviced together, counted by CUPTI in calls of their own, on the
    right over calls without it. Time: servicing, added up, over the counted call; none where groups overlap
    to more than 100 %. Movement: the input and the spilled queue entries ({ENTRY} bytes each) at a pinned
    copy's rate, over out_of_core's median. {arrays.REGIMES}""",
    held=(
        Held(CLAIM, "reduction", ("reduction",), "both", subsets=some_left),
        *(held_in_regimes(CLAIM, column, claim, status) for claim, (column, status) in COLUMNS.items()),
        Held(CLAIM, "movement", ("movement",), "out_of_core_told"),
        held_in_regimes(CLAIM, "share", "density", "share_told", against="nnz_per_row"),
        held_in_regimes(CLAIM, "over_movement", "above_movement", "all_told"),
    ),
)
