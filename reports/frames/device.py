"""Facts that implementations on the GPU counted, and pairs of cases that differ in an option."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.facts.inputs import Inputs
from reports.facts.measured import measured
from reports.facts.naming import printed_label
from reports.facts.printed import abbreviations
from reports.frames.seconds import (
    NO_RESULT,
    RATIO,
    STAND_INS,
    add_columns,
    groups_of,
    prepared_how,
    ratio_of,
    seconds_how,
    timed_frame,
    with_transfers,
)

GSOFA = "gsofa"
MEMORY = ("bytes_fill", "bytes_maxid", "bytes_queue")
NOT_MEASURED = "not_measured"
OTHER_CONCURRENCY = "other_concurrency"
# Columns beside `status` that say `ok` or why there is no number.
STATUSES = {"pair", "pair_status", "default_status", "told", "both", "stack"}

# The case that one is held against; None for a case that is no pair's first.
Partner = Callable[[Case], Case | None]


def device_frame(inputs: Inputs, facts: Sequence[str]) -> pd.DataFrame:
    """One row per case and machine as `timed_frame` has it, with a column for each fact; empty where the
    record does not have it. The series is the machine."""
    frame = timed_frame(inputs)
    known = [
        {} if pd.isna(machine) else inputs.records.facts(case, machine)
        for case, machine in zip(frame["case"], frame["machine"], strict=True)
    ]
    add_columns(frame, known, facts)
    frame["series"] = frame["where"]
    return frame


def pair_frame(
    inputs: Inputs,
    partner: Partner,
    *,
    role: str,
    facts: Sequence[str] = (),
    same: str = "",
    inverse: bool = False,
) -> pd.DataFrame:
    """One row per case that has a partner, and machine: `ratio`, its seconds over the partner's in the same
    run, and its interval; `moved_ratio`, the same with transfers to the GPU and back; `pair` says `ok` or why
    there is none; `pair_status` is the partner's.

    role : what `pair` calls the partner.
    facts : of the case, and as `other_<fact>` of its partner.
    same : a fact that both must have, and equal.
    inverse : the partner's seconds over the case's.
    """
    others = {case: other for case in inputs.cases if (other := partner(case)) is not None}
    whole = list(dict.fromkeys([*others, *others.values()]))
    rows = device_frame(replace(inputs, cases=whole), facts)
    by_name = {(row["case"], row["machine"]): row for row in dicts(rows)}
    names = {case.name: other.name for case, other in others.items()}
    frame = rows[rows["case"].isin(names)].reset_index(drop=True)
    frame["other"] = [names[case] for case in frame["case"]]
    pairs = []
    for row in dicts(frame):
        other_row = by_name.get((row["other"], row["machine"]))
        ratio = ratio_of(other_row, row, (role, "")) if inverse else ratio_of(row, other_row, ("", role))
        numbers = {f"other_{name}": other_row[name] if other_row else None for name in ("median", *facts)}
        status = {"pair_status": other_row["status"] if other_row else "not_run"}
        moved = with_transfers(other_row, row) if inverse else with_transfers(row, other_row)
        pairs.append(numbers | status | {"moved_ratio": moved} | _at_the_same(same, ratio, row, other_row))
    names_of_other = ("other_median", *(f"other_{name}" for name in facts))
    add_columns(frame, pairs, (*RATIO, "moved_ratio", "pair_status", *names_of_other))
    frame["group"] = groups_of(frame)
    return frame


def add_gains(frame: pd.DataFrame) -> None:
    """Add `gain` and its interval, gain_low and gain_high: by how many per cent `ratio` is above 1."""
    for end in ("", "_low", "_high"):
        frame[f"gain{end}"] = 100 * (frame[f"ratio{end}"] - 1)
    frame["gain_processes"] = frame["ratio_processes"]


def total(frame: pd.DataFrame, names: Sequence[str]) -> pd.Series[float]:
    """The sum of these columns, unknown where any is."""
    return frame[list(names)].sum(axis=1, min_count=len(names))


def is_gsofa(case: Case) -> bool:
    """A case of the GPU's GSoFA, whatever its options."""
    return case.stage == "symbolic" and case.implementation == GSOFA


def option_of(case: str, name: str) -> str | None:
    """An option as the case of that name writes it, None where it stands at its default."""
    return dict(Case.parse(case).options).get(name)


def add_printed(
    frame: pd.DataFrame, paper: str, printed: Mapping[str, Mapping[str, float | None]]
) -> pd.DataFrame:
    """The frame with one more column for each printed one, the paper's matrices first in its order; one that
    has numbers and no row is `not_run`.

    printed : by column, numbers by matrix.
    """
    order = list(abbreviations(paper).values())
    named = [abbr for abbr in order if any(abbr in numbers for numbers in printed.values())]
    absent = [abbr for abbr in named if abbr not in set(frame["abbr"])]
    frame = with_rows_for(frame, {abbr: printed_label(abbr, paper) for abbr in absent})
    names = [abbr if isinstance(abbr, str) else "" for abbr in frame["abbr"]]
    for column, numbers in printed.items():
        values = [numbers.get(abbr) for abbr in names]
        frame[column] = pd.Series(values, index=frame.index, dtype="float64")
    places = [order.index(abbr) if abbr else len(order) for abbr in names]
    frame = frame.assign(place=places).sort_values("place", kind="stable", ignore_index=True)
    frame["group"] = groups_of(frame)
    return frame.drop(columns="place")


def with_rows_for(frame: pd.DataFrame, missing: Mapping[str, str]) -> pd.DataFrame:
    """The frame and a row for each of the paper's matrices that is not at hand. missing : label by
    abbreviation."""
    if not missing:
        return frame
    rows = pd.DataFrame({"abbr": list(missing), "label": list(missing.values())})
    rows = rows.reindex(columns=frame.columns)
    for name in ("status", *(STATUSES & set(frame))):
        rows[name] = "not_run"
    rows["reason"] = "the matrix is not at hand"
    rows["series"] = rows["where"] = "no machine"
    rows["group"] = 0
    return pd.concat([frame, rows.astype(frame.dtypes)], ignore_index=True) if len(frame) else rows


def columns_of(frame: pd.DataFrame, *more: str) -> pd.DataFrame:
    """The columns that every such frame has, and those of a figure."""
    first = (
        "case", "matrix", "label", "abbr", "stand_in_for", "near", "distance", "preparation", "machine",
        "device", "where",
    )  # fmt: skip
    last = (
        "status", "reason", "edges", "samples", "processes", "run_id", "host_cpu", "threads", "series",
        "group",
    )  # fmt: skip
    return frame[[*first, *more, *last]]


def gpu_caption(frame: pd.DataFrame, paper: str, *, timed: bool = True, slots: bool = True) -> str:
    """The caption's part on how it was measured, or that it was not.

    timed : it shows seconds, or ratios of them.
    slots : it is no table.
    """
    ok = frame[frame["status"] == "ok"]
    slots_say = f"{_slots_how(frame) if slots else ''}{STAND_INS}"
    if ok.empty:
        return f"No record of a GPU here. {slots_say}"
    how = f"{seconds_how(frame)} " if timed else ""
    return f"{how}{prepared_how(frame, paper)} {slots_say}"


def _slots_how(frame: pd.DataFrame) -> str:
    """What a hatched slot is, where the picture has one: of what was tried, a row without a number."""
    tried = measured(frame)
    columns = [name for name in ("status", "pair", "told") if name in tried]
    without = tried[columns].astype("object").fillna("ok") != "ok"
    return f"{NO_RESULT} " if without.any(axis=None) else ""


def _at_the_same(
    fact: str, ratio: dict[str, Any], row: Mapping[Any, Any], other: Mapping[Any, Any] | None
) -> dict[str, Any]:
    """The ratio, unless the fact is not known of both or differs."""
    if not fact or ratio["pair"] != "ok" or other is None:
        return ratio
    if pd.isna(row[fact]) or pd.isna(other[fact]):
        return {"pair": NOT_MEASURED}
    return ratio if row[fact] == other[fact] else {"pair": OTHER_CONCURRENCY}
