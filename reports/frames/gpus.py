"""GSoFA on several GPUs, measured or simulated in turn, and ratios of two cases that differ in how."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.dicts import dicts
from fillpath.record import Record
from reports.exhibit import Subset
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames.device import add_printed, columns_of, device_frame
from reports.frames.order import in_papers_order
from reports.frames.seconds import RATIO, add_columns, groups_of, ratio_of

SEVERAL = ("gsofa_multi", "fill2_multi")
FACTS = ("workers", "load_balance", "simulated")
# The parallel seconds by the columns of seconds that they stand for.
PARALLEL = {"median": "parallel", "low": "parallel_low", "high": "parallel_high"}
COLUMNS = ("other", "what", "workers", "simulated", "parallel", "other_parallel", *RATIO, "load_balance")

# The case that one is held against, and what the ratio of the two shows; None for a case that is no pair's.
Pairing = Callable[[Case], tuple[Case, str] | None]


def is_several(case: Case) -> bool:
    """A case of several workers, whatever its options."""
    return case.stage == "symbolic" and case.implementation in SEVERAL


def with_option(case: Case, name: str, value: str | None) -> Case:
    """The same case with that option; None: at its default."""
    options = {**dict(case.options), name: value}
    kept = {key: text for key, text in options.items() if text is not None}
    return replace(case, options=tuple(sorted(kept.items())))


def parallel_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine with its facts, and `parallel`, parallel_low and parallel_high: the
    seconds of a measured case; of a simulated one those of its slowest worker, which are its `rounds` too.
    simulated : whether workers ran in turn."""
    frame = device_frame(inputs, FACTS)
    slowest = [
        _slowest(inputs.records, str(row["case"]), row["machine"]) if row["status"] == "ok" else {}
        for row in dicts(frame)
    ]
    add_columns(frame, slowest, tuple(PARALLEL.values()))
    for seconds, parallel in PARALLEL.items():
        frame[parallel] = frame[parallel].fillna(frame[seconds])
    frame["rounds"] = [
        each.get("rounds", of_row) for each, of_row in zip(slowest, frame["rounds"], strict=True)
    ]
    frame["simulated"] = frame["simulated"].fillna(0) > 0
    frame["series"] = [_series(row) for row in dicts(frame)]
    return frame


def gain_frame(inputs: Inputs, *pairings: Pairing) -> pd.DataFrame:
    """One row per pair of cases and machine, of one pairing after the other: `ratio`, the parallel seconds of
    the other over the case's in the same run; `what` it shows."""
    rows = parallel_frame(inputs)
    frame = pd.concat([_paired(rows, inputs.cases, pairing) for pairing in pairings], ignore_index=True)
    frame["group"] = groups_of(frame)
    return frame


def _paired(rows: pd.DataFrame, cases: Sequence[Case], pairing: Pairing) -> pd.DataFrame:
    """The rows of the cases that have another, with what `gain_frame` adds."""
    pairs = {case.name: pair for case in cases if (pair := pairing(case)) is not None and pair[0] in cases}
    by_case = {(row["case"], row["machine"]): row for row in dicts(rows)}
    frame = rows[rows["case"].isin(pairs)].reset_index(drop=True)
    ratios = []
    for row in dicts(frame):
        other = by_case.get((pairs[row["case"]][0].name, row["machine"]))
        own_first = {"pair": str(row["status"])} if row["status"] != "ok" else None
        # What was stopped says nothing of its parallel seconds.
        ratio = own_first or ratio_of(_in_parallel(other), _in_parallel(row), ("baseline", ""), bounds=False)
        ratios.append(ratio | {"other_parallel": other["parallel"] if other else None})
    frame["other"] = [pairs[case][0].name for case in frame["case"]]
    frame["what"] = pd.Series([pairs[case][1] for case in frame["case"]], index=frame.index, dtype="object")
    add_columns(frame, ratios, (*RATIO, "other_parallel"))
    return frame


def printed_columns(
    frame: pd.DataFrame, printed: Mapping[str, Mapping[str, float]], *more: str
) -> pd.DataFrame:
    """What the figures of ratios write. printed : by what is shown, and by matrix."""
    whole = {abbr: value for each in printed.values() for abbr, value in each.items()}
    result = add_printed(frame, "gsofa", {"paper": whole})
    # Of a matrix that is not at hand, whatever is printed.
    rows = zip(result["what"], result["abbr"], result["paper"], strict=True)
    result["paper"] = [
        value if pd.isna(what) else printed.get(what, {}).get(abbr) for what, abbr, value in rows
    ]
    result["paper"] = result["paper"].astype("float64")
    # A matrix of the paper's that is not at hand has a row without workers.
    result["simulated"] = result["simulated"].fillna(0).astype(bool) & result["workers"].notna()
    return columns_of(result, *COLUMNS, "paper", *more)


def by_kind(frame: pd.DataFrame) -> list[Subset]:
    """What was measured on so many GPUs, and each kind of simulation, apart: a mean never mixes them. A frame
    without a number is of one kind."""
    known = frame[frame["pair"] == "ok"]
    kinds = dict.fromkeys(map(_kind, known["case"]))
    if not kinds:
        return [Subset(frame, "{}, not run".format)]
    of_rows = pd.Series(list(map(_kind, frame["case"])), index=frame.index, dtype="object")
    return [Subset(frame[of_rows == kind], f"{{}}, {kind}".format) for kind in kinds]


def panels_of(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of pairs that were tried, which of the other case says `pair`, in the order of the paper's
    matrices: what was measured and each kind of simulation apart, fewer workers first."""
    tried = ~frame["pair"].astype(str).str.endswith(("not_run", "unavailable"))
    rows = frame[tried].sort_values(["simulated", "workers"], kind="stable")
    return [in_papers_order(rows[rows["series"] == kind], "gsofa") for kind in dict.fromkeys(rows["series"])]


def simulated_how(frame: pd.DataFrame) -> str:
    """The caption's part on what is measured and what is simulated, of what has a number."""
    kinds = list(map(_kind, frame.loc[frame["pair"] == "ok", "case"]))
    slowest = "simulated: the slowest of the workers, which run in turn:"
    ways = {
        "measured": "measured: gsofa_multi on GPUs of one host",
        "by gsofa": f"{slowest} gsofa on one GPU",
        "by fill2": f"{slowest} fill2 on CPU threads",
    }
    text = "; ".join(how for way, how in ways.items() if any(way in kind for kind in kinds))
    return f"{text[0].upper()}{text[1:]}. " if text else ""


def _slowest(records: Records, case: str, machine: str) -> dict[str, Any]:
    """Of the workers that ran in turn; empty where none did."""
    record = records.result(case, machine)
    if record is None or not _in_turn(record):
        return {}
    rounds = records.rounds(record, lambda each: np.max(_in_turn(each), axis=0).tolist())
    low, high = rounds.interval
    return {"parallel": rounds.median, "parallel_low": low, "parallel_high": high, "rounds": rounds}


def _in_turn(record: Record) -> list[list[float]]:
    """The seconds of each worker by sample, where they ran in turn."""
    return [values for name, values in record.phases.items() if re.fullmatch(r"gpu[0-9]+", name)]


def _in_parallel(row: Any) -> Any:
    """The row with its parallel seconds where `ratio_of` reads seconds."""
    if row is None:
        return None
    return {**row, **{seconds: row[parallel] for seconds, parallel in PARALLEL.items()}}


def _series(row: Mapping[Any, Any]) -> str:
    """`measured: 4 GPUs, h200`, `simulated: 6 nodes of 6 by fill2 in turn, laptop`."""
    return f"{_kind(row['case'])}, {row['where']}"


def _kind(name: Any) -> str:
    """What the case of that name was run on; of a matrix that is not at hand `not run`."""
    if pd.isna(name):
        return "not run"
    case = Case.parse(str(name))
    options = dict(case.options)
    nodes, each = int(options.get("nodes", "1")), int(options.get("virtual_gpus", "1"))
    if nodes * each == 1:
        return f"measured: {max(1, case.gpus)} {'GPU' if case.gpus < 2 else 'GPUs'}"
    by = {"gsofa_multi": "gsofa", "fill2_multi": "fill2"}[case.implementation]
    node = "1 node" if nodes == 1 else f"{nodes} nodes"
    return f"simulated: {node} of {each}, by {by} in turn"
