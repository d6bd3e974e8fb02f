"""Table 3: GPU page faults, and the time that servicing them takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from fillpath.dicts import Row
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames import arrays
from reports.frames.device import NOT_MEASURED, add_printed, columns_of
from reports.frames.page_faults import counted_frame
from reports.frames.variants import by_matrix
from reports.shapes.printed import Beside, Solutions
from reports.shapes.tables import COUNT

CLAIM = "table3_page_faults"
# The paper's columns, and the names of their numbers here.
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
WAYS = (arrays.PLAIN, arrays.PREFETCHED, arrays.OUT_OF_CORE)
OVERHEAD = ("overhead", "prefetched_overhead")
# A queue entry: eight bytes, to the host and back.
ENTRY = 16
# Of the share that data movement has.
MOVEMENT = tuple(f"movement_{name}" for name in ("low", "high", "processes"))
NUMBERS = (*PRINTED, *MOVEMENT, *OVERHEAD)
SHARES_TOLD = ("share_told", "prefetched_share_told")
STATUSES = ("told", "prefetched_told", *SHARES_TOLD, "out_of_core_told", "both", "all_told")
# Of a share above 100 %: groups that are serviced at once are added up, so that it is none.
OVERLAP = "groups_overlap"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: fault groups and the share of time that servicing them takes without
    and with prefetching (none above 100), the share that data movement has of out_of_core, all in per cent,
    and what counting cost; each with what the paper prints. reduction : groups without prefetching over with,
    empty where none is left. over_movement : the smaller share of faults over that of data movement."""
    rows = by_matrix(counted_frame(inputs), WAYS, _numbers)
    columns = dict.fromkeys([*rows.columns, *NUMBERS, *STATUSES])
    frame = rows.reindex(columns=list(columns)).astype(dict.fromkeys(NUMBERS, "float64"))
    printed = {
        f"paper_{name}": printed_column(arrays.PAPER, arrays.FAULTS_TABLE, column)
        for name, column in PRINTED.items()
    }
    frame = add_printed(frame, arrays.PAPER, printed)
    for name in STATUSES:
        frame[name] = frame[name].astype("object").fillna("not_run")
    frame["regime"] = frame["regime"].astype("object").fillna("")
    for prefix in ("", "paper_"):
        left = frame[f"{prefix}prefetched_groups"]
        frame[f"{prefix}reduction"] = frame[f"{prefix}groups"] / left.where(left > 0)
    frame["over_movement"] = (
        frame[["share", "prefetched_share"]].min(axis=1, skipna=False) / frame["movement"]
    )
    return columns_of(
        frame, "n", "nnz_per_row", "managed_bytes", "card_bytes", "regime", *printed, "paper_reduction",
        *NUMBERS, "reduction", "over_movement", *STATUSES,
    )  # fmt: skip


def _some_left(frame: pd.DataFrame) -> list[Subset]:
    return arrays.by_regime(frame[~_none_left(frame)], "both")


def _none_left(frame: pd.DataFrame) -> pd.Series[bool]:
    """Where no fault group is left with prefetching."""
    return (frame["both"] == "ok") & frame["reduction"].isna()


def _numbers(ways: Mapping[str, Row]) -> dict[str, Any]:
    """What a row of the table says of the three."""
    numbers: dict[str, Any] = {}
    for prefix, name in (("", arrays.PLAIN), ("prefetched_", arrays.PREFETCHED)):
        row = ways.get(name)
        numbers[f"{prefix}told"] = row["told"] if row else "not_run"
        if row and row["told"] == "ok":
            numbers[f"{prefix}groups"] = row["gpu_fault_groups"]
            numbers[f"{prefix}overhead"] = row["overhead"]
        numbers |= _share(prefix, row, numbers[f"{prefix}told"])
    numbers["both"] = numbers["told"] if numbers["told"] != "ok" else numbers["prefetched_told"]
    rows = [ways[name] for name in (arrays.OUT_OF_CORE, arrays.PLAIN, arrays.PREFETCHED) if name in ways]
    numbers |= _movement(ways.get(arrays.OUT_OF_CORE), rows)
    told = [numbers[name] for name in (*SHARES_TOLD, "out_of_core_told")]
    return numbers | {"all_told": next((word for word in told if word != "ok"), "ok")}


def _share(prefix: str, row: Row | None, told: str) -> dict[str, Any]:
    """The share of time that faults take, in per cent."""
    if not row or told != "ok":
        return {f"{prefix}share_told": told}
    if row["fault_share"] > 1:
        return {f"{prefix}share_told": OVERLAP}
    return {f"{prefix}share_told": "ok", f"{prefix}share": 100 * row["fault_share"]}


def _movement(row: Row | None, rows: Sequence[Row]) -> dict[str, Any]:
    """The share of out_of_core's seconds; by the first rate of the link that is known."""
    rates = [other["link_bytes_per_second"] for other in rows]
    rate = next((rate for rate in rates if not pd.isna(rate)), None)
    if not row or row["status"] != "ok":
        return {"out_of_core_told": row["status"] if row else "not_run"}
    moved = row["bytes_matrix"] + ENTRY * row["spilled"]
    if rate is None or pd.isna(moved):
        return {"out_of_core_told": NOT_MEASURED}
    shares = {
        f"movement{end}": 100 * moved / rate / row[seconds]
        for end, seconds in (("", "median"), ("_low", "high"), ("_high", "low"))
    }
    return {"out_of_core_told": "ok", "movement_processes": row["processes"], **shares}


PER_CENT = "{:.1f}".format
TABLE = Solutions(
    [
        Beside("without\nprefetching", 1.1, "fault groups", "groups", COUNT, "told"),
        Beside("with", 1.0, "fault groups", "prefetched_groups", COUNT, "prefetched_told"),
        Beside("without\nprefetching", 1.1, "time of faults, %", "share", PER_CENT, "share_told"),
        Beside("with", 0.9, "time of faults, %", "prefetched_share", PER_CENT, "prefetched_share_told"),
        Beside("movement,\n%", 1.0, "out_of_core", "movement", "{:.2f}".format, "out_of_core_told"),
        Beside("without\nprefetching", 1.1, "CUPTI's overhead", "overhead", "{:.2f}x".format),
        Beside("with", 0.8, "CUPTI's overhead", "prefetched_overhead", "{:.2f}x".format),
        Beside("nnz / n", 0.8, "", "nnz_per_row", PER_CENT),
        Beside("regime", 0.9, "", "regime"),
    ],
    lambda frame: frame.assign(paper_ratio=frame["paper_groups"], regime=frame["regime"].replace("", "-")),
)


EXHIBIT = Exhibit(
    arrays.PAPER,
    "PPoPP'23, Table 3",
    "GPU page faults",
    frame,
    TABLE,
    """Groups: page faults that the driver serviced together, counted by CUPTI in calls of their own, on the
    right over calls without it. Time: servicing, added up, over the counted call; none where groups overlap
    to more than 100 %. Movement: the input and the
    spilled queue entries ({entry} bytes each) at a pinned copy's rate, over out_of_core's median. {regimes}
    {how}""",
    lambda frame: {
        "entry": ENTRY,
        "regimes": arrays.REGIMES,
        "how": arrays.how(frame),
    },
    held=(
        Held(CLAIM, "reduction", ("reduction",), "both", subsets=_some_left),
        *(
            Held(CLAIM, column, (name,), status, subsets=partial(arrays.by_regime, status=status))
            for name, (column, status) in COLUMNS.items()
        ),
        Held(CLAIM, "movement", ("movement",), "out_of_core_told"),
        Held(
            CLAIM, "share", ("density",), "share_told", against="nnz_per_row",
            subsets=partial(arrays.by_regime, status="share_told"),
        ),
        Held(
            CLAIM, "over_movement", ("above_movement",), "all_told",
            subsets=partial(arrays.by_regime, status="all_told"),
        ),
    ),
)  # fmt: skip
