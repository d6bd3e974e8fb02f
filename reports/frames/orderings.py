"""Orderings against each other: one row per matrix and machine, made of its rows by ordering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts, grouped
from reports.frames.parac import ORDERINGS
from reports.frames.seconds import of_several_hosts, ratio_of

ByOrdering = Mapping[str, Row]


def across_orderings(
    frame: pd.DataFrame,
    numbers: Callable[[ByOrdering], Mapping[str, Any]],
    columns: Sequence[str],
    needed: Sequence[str] = tuple(ORDERINGS),
) -> pd.DataFrame:
    """One row per matrix and machine with what its orderings say together.

    frame : one row per matrix, `ordering` and machine.
    numbers : of the verified rows by ordering.
    columns : what `numbers` gives; text where the name ends in `pair`.
    needed : the orderings without which there is no number; `status` says what is missing.
    """
    rows = []
    for group in grouped(dicts(frame), "label", "machine").values():
        by_ordering = {str(row["ordering"]): row for row in group}
        status = _status(by_ordering, needed)
        ok = {name: row for name, row in by_ordering.items() if row["status"] == "ok"}
        empty = {name: status if name.endswith("pair") else float("nan") for name in columns}
        rows.append({**group[0], **empty, **(numbers(ok) if status == "ok" else {}), "status": status})
    return pd.DataFrame(rows) if rows else frame.reindex(columns=[*frame, *columns])


def in_one_run(
    by_ordering: ByOrdering, name: str, which: Callable[..., Row], *, inverse: bool = False
) -> dict[str, Any]:
    """Seconds of the fastest or slowest other ordering over those of this one, as `ratio_of` gives them; of
    several runs or hosts none.

    which : min or max, of the others by `median`.
    inverse : those of this one over the other's.
    """
    row = by_ordering[name]
    if len({each["run_id"] for each in by_ordering.values()}) > 1:
        return {"pair": "two_runs"}
    if of_several_hosts(by_ordering.values()):
        return {"pair": "two_hosts"}
    others = [each for each in by_ordering.values() if each is not row]
    other = which(others, key=lambda each: each["median"])
    return ratio_of(row, other, ("", "")) if inverse else ratio_of(other, row, ("", ""))


def _status(by_ordering: ByOrdering, needed: Sequence[str]) -> str:
    """`ok`, or the first that is missing and why."""
    statuses = {
        name: str(by_ordering[name]["status"]) if name in by_ordering else "not_run" for name in needed
    }
    missing = [f"{ORDERINGS[name]} {status}" for name, status in statuses.items() if status != "ok"]
    if len(missing) == len(needed):
        return next(iter(statuses.values()))
    return missing[0] if missing else "ok"
