"""Table 3: GPU page faults."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.printed import printed_column
from reports.ooclu import arrays
from reports.ooclu.arrays import FAULTS, OUT_OF_CORE, PAPER, PLAIN, PREFETCHED, counted
from reports.shapes.sheet import Sheet, columns, plain
from reports.table import NOT_MEASURED
from reports.verbs import KEY, beside, by_code, fact, first_failure, in_papers_order, inputs

PRINTED = {
    "groups": "gpu_fault_groups_without_prefetch",
    "prefetched_groups": "gpu_fault_groups_with_prefetch",
    "share": "fault_time_percent_without_prefetch",
    "prefetched_share": "fault_time_percent_with_prefetch",
    "movement": "data_movement_percent_out_of_core",
}
# Bytes of a queue entry: eight, to the host and back.
ENTRY = 16


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: fault groups, their `share` of time in per cent, `movement`, reasons."""
    rows = counted(cases)
    plain, ahead, ours = (by_code(rows, {"": way}, "way")[""] for way in (PLAIN, PREFETCHED, OUT_OF_CORE))
    first = pd.concat([ours, plain, ahead]).groupby(KEY, sort=False).first()
    moved = _movement(ours, first["link_bytes_per_second"])
    known = first[["status", "card", "nnz_per_row", "managed_bytes", "regime"]]
    table = inputs(rows).join([known, _faults(plain, ""), _faults(ahead, "prefetched_"), moved])
    printed = {f"paper_{name}": printed_column(PAPER, FAULTS, column) for name, column in PRINTED.items()}
    table = in_papers_order(beside(table, PAPER, printed), PAPER, arrays.SEVEN)
    told = table.filter(regex="told$").fillna("not_run")
    shares = table[["share", "prefetched_share"]].min(axis=1, skipna=False)
    return table.assign(
        **told,
        both=first_failure(told[["told", "prefetched_told"]]),
        all_told=first_failure(told[["share_told", "prefetched_share_told", "out_of_core_told"]]),
        regime=table["regime"].fillna(""),
        over_movement=shares / table["movement"],
        reduction=table["groups"] / table["prefetched_groups"].replace(0.0, np.nan),
        paper_reduction=table["paper_groups"] / table["paper_prefetched_groups"],
    )


def _faults(rows: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """Return what was counted of a way. Groups serviced at once add up: above 100 % is no share."""
    share_told = rows["told"].mask(rows["fault_share"] > 1, "groups_overlap")
    shares = rows[["told", "groups", "overhead"]].assign(share_told=share_told)
    return shares.assign(share=100 * rows["fault_share"].where(rows["fault_share"] <= 1)).add_prefix(prefix)


def _movement(rows: pd.DataFrame, rate: "pd.Series[float]") -> pd.DataFrame:
    """Return the share of out_of_core's seconds that its data takes at that rate, with its interval."""
    moved = 100 * (fact(rows, "bytes_matrix") + ENTRY * fact(rows, "spilled")) / rate
    ends = {"movement": "median", "movement_low": "high", "movement_high": "low"}
    shares = pd.DataFrame({name: moved / rows[seconds] for name, seconds in ends.items()})
    told = rows["status"].mask((rows["status"] == "ok") & moved.isna(), NOT_MEASURED)
    shares["movement_processes"] = rows["processes"]
    return shares.where(told == "ok").assign(out_of_core_told=told)


PER_CENT, WITHOUT = "{:.1f}".format, "without\nprefetching"
COLUMNS = [
    *columns("fault groups", plain, "told", groups=WITHOUT),
    *columns("fault groups", plain, "prefetched_told", prefetched_groups="with"),
    *columns("time of faults, %", PER_CENT, "share_told", share=WITHOUT),
    *columns("time of faults, %", PER_CENT, "prefetched_share_told", prefetched_share="with"),
    *columns("out_of_core", "{:.2f}".format, "out_of_core_told", movement="movement,\n%"),
    *columns("CUPTI's overhead", "{:.2f}x".format, overhead=WITHOUT, prefetched_overhead="with"),
    *columns("", PER_CENT, nnz_per_row="nnz / n", regime="regime"),
]
CAPTION = f"""Groups: page faults serviced together, counted by CUPTI in separate calls (overhead: over calls
    without it). Time: servicing over the counted call, none above 100 %. Movement: input and spilled queue
    entries ({ENTRY} bytes each) at a pinned copy's rate, over out_of_core's median. {arrays.REGIMES}"""
SHAPE = Sheet(COLUMNS, lambda frame: frame.assign(regime=frame["regime"].replace("", "-")))
SUBSETS = {
    "regimes": arrays.by_regime,
    "some_left": lambda frame: arrays.by_regime(frame[~frame["has_number"] | frame["reduction"].notna()]),
}
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=SUBSETS, one_run=False)
