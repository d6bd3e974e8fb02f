"""Solutions of several implementations by matrix, beside the print: what Tables 2 and 3 of ParAC share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts
from reports.facts.inputs import Inputs
from reports.frames.device import add_printed
from reports.frames.order import in_papers_order
from reports.frames.parac import FACTS, PAPER, PARTS, solved_frame
from reports.frames.seconds import RATIO, groups_of
from reports.frames.variants import by_matrix, finished, number, status_of

Print = Mapping[str, Mapping[str, float | None]]


def matrices_frame(
    inputs: Inputs,
    variants: Sequence[str],
    names: Sequence[str],
    numbers: Callable[[Mapping[str, Row]], Mapping[str, Any]],
    printed: Print,
    others: Sequence[str],
    more: Sequence[str] = (),
) -> pd.DataFrame:
    """One row per matrix, ordering and machine, beside the print.

    variants : as experiments write them.
    names : what the columns of each variant begin with.
    numbers : of the rows by variant, what the row says of them.
    printed : by column, numbers by matrix.
    others : what the columns of further ratios begin with.
    more : columns of numbers beside.
    """
    frame = _tried(by_matrix(solved_frame(inputs), variants, numbers), names)
    frame = in_print_order(in_papers_order(add_printed(frame, PAPER, printed), PAPER), printed)
    frame["group"] = groups_of(frame)
    columns = [f"{name}_{shown}" for name in names for shown in (*PARTS, "total", *FACTS)]
    ratios = [f"{prefix}{name}" for prefix in ("", *others) for name in RATIO if name != "pair"]
    texts = [*(f"status_{name}" for name in names), *(f"{prefix}pair" for prefix in ("", *others))]
    return finished(frame, texts, [*printed, *columns, *ratios, *more])


def beside_print(frame: pd.DataFrame, printed: Print) -> pd.DataFrame:
    """For a picture: on the rows of stand-ins too what is printed, of the matrix that they stand for, whose
    name is in `printed_of`. printed : as in `matrices_frame`."""
    targets = [_target(row) for row in dicts(frame)]
    frame = frame.assign(printed_of=[name or "printed" for name in targets])
    for column, numbers in printed.items():
        values = [
            numbers.get(name) if name else value for name, value in zip(targets, frame[column], strict=True)
        ]
        frame[column] = pd.Series(values, index=frame.index, dtype="float64")
    return frame


def in_print_order(frame: pd.DataFrame, printed: Print) -> pd.DataFrame:
    """The rows in the order of the printed table, a stand-in behind the matrix whose print stands below it;
    rows of one matrix stay together. printed : as in `matrices_frame`."""
    order = list(next(iter(printed.values())))
    names = [_target(row) or row["abbr"] for row in dicts(frame)]
    places = [order.index(name) if name in order else len(order) for name in names]
    # A copy joins the columns, which were made one by one.
    keyed = frame.copy().assign(place=places, other=frame["abbr"].isna())
    keyed = keyed.sort_values(["place", "other", "label"], kind="stable", ignore_index=True)
    return keyed.drop(columns=["place", "other"])


def _target(row: Row) -> str:
    """The matrix that a row's stands in for, the first of those that it is near to; empty for the paper's."""
    names = [row[name] for name in ("near", "stand_in_for") if isinstance(row[name], str)]
    return "" if isinstance(row["abbr"], str) or not names else str(names[0]).partition(", ")[0]


def numbers_of(rows: Mapping[str, Row | None], ours: str, unit: float = 1.0) -> dict[str, Any]:
    """Status, times and facts of the variants, by what their columns begin with.

    ours : the variant whose status is the row's.
    unit : how many of the times' units a second is.
    """
    numbers: dict[str, Any] = {f"status_{name}": status_of(row) for name, row in rows.items()}
    for name, row in rows.items():
        seconds = {part: number(row, part) for part in (*PARTS, "total")}
        numbers |= {f"{name}_{part}": None if s is None else unit * s for part, s in seconds.items()}
        numbers |= {f"{name}_{fact}": number(row, fact) for fact in FACTS}
    ok = [row for row in rows.values() if row is not None and row["status"] == "ok"]
    return {**numbers, "status": numbers[f"status_{ours}"], "samples": ok[0]["samples"] if ok else 0}


def _tried(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Without the machines that could run no variant on a matrix which others ran."""
    statuses = [f"status_{name}" for name in names if f"status_{name}" in frame]
    ran = ~frame[statuses].isin(["not_run", "unavailable"]).all(axis=1)
    somewhere = ran.groupby(frame["label"]).transform("any")
    return frame[ran | ~somewhere].reset_index(drop=True)
