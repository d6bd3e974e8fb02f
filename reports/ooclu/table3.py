"""Table 3: GPU page faults, and the time that servicing them takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim
from reports.device import NOT_MEASURED, add_printed, columns_of, gpu_caption
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.ooclu.arrays import (
    FAULTS_TABLE,
    OUT_OF_CORE,
    PAPER,
    PLAIN,
    PREFETCHED,
    REGIMES,
    by_regime,
    in_regimes,
    is_variant,
    printed_numbers,
)
from reports.ooclu.counted import counted_frame
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.timed import groups_of
from reports.verdicts import judge, remarks

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
    "time": ("share", "told"),
    "time_prefetched": ("prefetched_share", "prefetched_told"),
}
OVERHEAD = ("overhead", "prefetched_overhead")
# A queue entry: eight bytes, to the host and back.
ENTRY = 16
NUMBERS = (*PRINTED, *OVERHEAD)
STATUSES = ("told", "prefetched_told", "out_of_core_told", "both")


def table3_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: fault groups and the share of time that servicing them takes without and
    with prefetching, the share that data movement has of out_of_core, all in per cent, and what counting
    cost; each with what the paper prints. reduction : groups without prefetching over with, empty where none
    is left."""
    frame = _by_matrix(counted_frame(records, entries, [case for case in cases if is_variant(case)]))
    printed = {f"paper_{name}": printed_numbers(FAULTS_TABLE, column) for name, column in PRINTED.items()}
    frame = add_printed(frame, printed, paper=PAPER)
    for name in STATUSES:
        frame[name] = frame[name].astype("object").fillna("not_run")
    frame["regime"] = frame["regime"].astype("object").fillna("")
    for prefix in ("", "paper_"):
        left = frame[f"{prefix}prefetched_groups"]
        frame[f"{prefix}reduction"] = frame[f"{prefix}groups"] / left.where(left > 0)
    return columns_of(
        frame, "n", "nnz_per_row", "managed_bytes", "card_bytes", "regime", *printed, "paper_reduction",
        *NUMBERS, "reduction", *STATUSES,
    )  # fmt: skip


def table3(frame: pd.DataFrame) -> Figure:
    """The print beside what was counted, one row a matrix and machine."""
    rows = [_row(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        *_columns("printed in the paper"),
        *_columns("counted here"),
        Column("without", 0.95, "counting slows by"),
        Column("with", 0.85, "counting slows by"),
        Column("regime", 1.6),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("PPoPP'23, Table 3: GPU page faults", columns, rows, shaded)


def table3_caption(frame: pd.DataFrame) -> str:
    """What each share is of."""
    return (
        "Fault groups: groups of page faults that the driver serviced together, without prefetching and "
        "with, counted by CUPTI in calls of their own (medians of three), which it slows by the factors on "
        "the right. Time, in per cent: seconds of servicing over those of the counted call, the median of "
        "three; groups serviced at the same time are added up, so that it can be more than 100. Movement, in "
        "per cent: of out_of_core, the input's upload and the queue entries that go to pinned host memory "
        "and come back (16 bytes each), at the rate of a pinned copy, over its median seconds, of which the "
        "upload is no "
        f"part. The paper does not say what its own is of. {REGIMES} Rows on grey are stand-ins. "
        f"{gpu_caption(frame, timed=False, slots=False, paper=PAPER)}"
    )


def table3_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How many times fewer fault groups there are with prefetching; where none is left, that; the columns of
    the table."""
    none_left = frame[(frame["both"] == "ok") & frame["reduction"].isna()]
    rest = frame.drop(none_left.index)
    found = by_regime(rest, claim(PAPER, CLAIM, "reduction"), "reduction", status="both")
    basis = "fault groups without prefetching over with"

    def none(rows: pd.DataFrame) -> str:
        return f"no group is left with prefetching on {len(rows)} matrices, printed {_reductions()}"

    for regime, rows in in_regimes(none_left, "both"):
        found += remarks(rows, f"{PAPER}.{CLAIM}", "groups", none, basis=f"{basis}, {regime}", status="both")
    for name, (column, status) in COLUMNS.items():
        found += by_regime(frame, claim(PAPER, CLAIM, name), column, status=status)
    return found + judge(frame, claim(PAPER, CLAIM, "movement"), "movement", status="out_of_core_told")


def _reductions() -> str:
    numbers = claim(PAPER, CLAIM, "reduction").by_matrix.values()
    return f"{min(numbers):.2g}x to {max(numbers):.2g}x"


def _by_matrix(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a matrix and machine, with the numbers of all three ways; of a machine, where there is one."""
    rows = []
    for _, own in frame.groupby(["label", "preparation"], sort=False):
        for machine in own["machine"].dropna().unique().tolist() or [None]:
            there = own[own["machine"] == machine] if machine else own
            found = {str(row["variant"]): row for row in there.to_dict("records")}
            first = next(found[name] for name in (PLAIN, PREFETCHED, OUT_OF_CORE) if name in found)
            rows.append(first | _numbers(*(found.get(name) for name in (PLAIN, PREFETCHED, OUT_OF_CORE))))
    merged = pd.DataFrame(rows, columns=list(dict.fromkeys([*frame.columns, *NUMBERS, *STATUSES])))
    merged = merged.astype(frame.dtypes.to_dict() | dict.fromkeys(NUMBERS, "float64"))
    merged["group"] = groups_of(merged)
    return merged


Row = Mapping[Any, Any] | None


def _numbers(plain: Row, prefetched: Row, out_of_core: Row) -> dict[str, Any]:
    """What a row of the table says of the three."""
    found: dict[str, Any] = {}
    for prefix, row in (("", plain), ("prefetched_", prefetched)):
        found[f"{prefix}told"] = row["told"] if row else "not_run"
        if row and row["told"] == "ok":
            found[f"{prefix}groups"] = row["gpu_fault_groups"]
            found[f"{prefix}share"] = 100 * row["fault_share"]
            found[f"{prefix}overhead"] = row["overhead"]
    found.setdefault("overhead", None)
    found["both"] = found["told"] if found["told"] != "ok" else found["prefetched_told"]
    return found | _movement(out_of_core, [row for row in (out_of_core, plain, prefetched) if row])


def _movement(row: Row, rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """The share of out_of_core's seconds; by the first rate of the link that is known."""
    rates = [other["link_bytes_per_second"] for other in rows]
    rate = next((rate for rate in rates if not pd.isna(rate)), None)
    if not row or row["status"] != "ok":
        return {"out_of_core_told": row["status"] if row else "not_run"}
    moved = row["bytes_matrix"] + ENTRY * row["spilled"]
    if rate is None or pd.isna(moved):
        return {"out_of_core_told": NOT_MEASURED}
    return {"out_of_core_told": "ok", "movement": 100 * moved / rate / row["median"]}


def _columns(group: str) -> list[Column]:
    headings = ("groups", "groups,\nprefetched", "time, %", "time, %,\nprefetched", "movement,\n%")
    return [Column(heading, 1.15, group) for heading in headings]


def _row(row: Mapping[Any, Any]) -> list[str]:
    forms = (",.0f", ",.0f", ".1f", ".1f", ".2f")
    numbers = [
        "-" if pd.isna(row[f"{prefix}{name}"]) else format(row[f"{prefix}{name}"], form)
        for prefix in ("paper_", "")
        for name, form in zip(PRINTED, forms, strict=True)
    ]
    slowed = ["-" if pd.isna(row[name]) else f"{row[name]:.2f}x" for name in OVERHEAD]
    return [lines(row).replace("\n", ", "), *numbers, *slowed, str(row["regime"]) or "-", _where(row)]


def _where(row: Mapping[Any, Any]) -> str:
    """The machine, or why there is no number."""
    ways = zip(("unified memory", "prefetched", OUT_OF_CORE), STATUSES[:3], strict=True)
    lacking = [(way, str(row[name]).replace("_", " ")) for way, name in ways if row[name] != "ok"]
    if len(lacking) == 3 and len({why for _, why in lacking}) == 1:
        return lacking[0][1]
    return "; ".join([str(row["where"]), *(f"{way}: {why}" for way, why in lacking)])


SPEC = FigureSpec(
    "Table 3: GPU page faults",
    is_variant,
    table3_frame,
    table3,
    table3_caption,
    claims=(CLAIM,),
    judge=table3_verdicts,
)
