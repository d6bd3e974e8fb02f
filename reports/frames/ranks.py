"""SuperLU_DIST's parallel symbolic factorisation by ranks of MPI, beside GSoFA on GPUs of the same host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import Row, dicts
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA, add_printed, columns_of
from reports.frames.order import in_papers_order
from reports.frames.phase_sums import put_symbolic_phases
from reports.frames.seconds import RATIO, add_columns, groups_of, ratio_of, timed_frame, with_transfers
from reports.frames.sequential import SEQUENTIAL, TEXTS, fastest_rows

# GSoFA on as many GPUs as a node of the paper's has.
SIX, SIX_GPUS = "gsofa on six GPUs", 6
RANKED, GOOD = "superlu_dist_parallel", "sequential, one core"
SERIES = (RANKED, GSOFA, SIX, GOOD)
ENDS = ("median", "low", "high")
OVER_SIX = ("pair_six", *(f"six_{name}" for name in RATIO if name != "pair"))
RATIOS = (*RATIO, "moved_ratio", *OVER_SIX)


def ranks_frame(inputs: Inputs, printed: Mapping[str, float]) -> pd.DataFrame:
    """One row per matrix, machine and `series`: SuperLU_DIST on each number of `ranks`, gsofa on one GPU and
    on six, and the fastest sequential code, which `sequential` names. Of peers the seconds are those of their
    symbolic phases.

    ratio : seconds over those of gsofa on one GPU, of one run; `six_ratio` over those on six
    best : whether SuperLU_DIST takes least on these ranks; of a matrix that nothing was measured of, its row
    paper : what is printed of the matrix. printed : by matrix
    """
    timed = timed_frame(inputs)
    put_symbolic_phases(timed, inputs.records)
    timed["series"] = [_series(str(case)) for case in timed["case"]]
    timed["ranks"] = pd.Series([_ranks(str(case)) for case in timed["case"]], timed.index, dtype="Int64")
    good = timed["implementation"].isin(SEQUENTIAL)
    _add_ratios(timed)
    best = _fastest(timed[good]) if good.any() else timed[:0]
    rows = pd.concat([timed[~good], best], ignore_index=True)
    rows["best"] = _is_best(rows)
    rows = add_printed(rows, inputs.paper, {"paper": printed})
    rows["best"] = rows["best"].astype("object").where(rows["series"].isin(SERIES), True).astype(bool)
    rows = in_papers_order(rows, inputs.paper)
    rows["group"] = groups_of(rows)
    for name in set(TEXTS) - set(rows):
        rows[name] = pd.Series(None, rows.index, dtype="object")
    return columns_of(rows, "ranks", "best", *TEXTS, *ENDS, *RATIOS, "paper")


def _add_ratios(timed: pd.DataFrame) -> None:
    """Over gsofa's seconds on one GPU and on six; of gsofa's own rows none."""
    rows = dicts(timed)
    ours = {(row["matrix"], row["preparation"], row["machine"], row["series"]): row for row in rows}
    ratios = [_ratios(row, ours) for row in rows]
    add_columns(timed, ratios, RATIOS)


def _fastest(rows: pd.DataFrame) -> pd.DataFrame:
    """The row of the fastest sequential code of each matrix and machine: of gsofa's run, if that has one."""
    alone = rows["pair"].astype("object").str.startswith(f"{GSOFA} ")
    chosen = fastest_rows(rows.assign(pair=rows["pair"].mask(alone, rows["status"]), pair_of=rows["pair"]))
    return chosen.assign(pair=chosen["pair_of"]).drop(columns="pair_of")


def _ratios(row: Row, ours: Mapping[tuple[Any, ...], Row]) -> dict[str, Any]:
    if row["series"] in (GSOFA, SIX):
        return {}
    one, six = (ours.get((row["matrix"], row["preparation"], row["machine"], name)) for name in (GSOFA, SIX))
    over_six = ratio_of(row, six, ("", SIX), bounds=False)
    return {
        **ratio_of(row, one, ("", GSOFA), bounds=False),
        "moved_ratio": with_transfers(row, one),
        **dict(zip(OVER_SIX, map(over_six.get, RATIO), strict=True)),
    }


def _series(case: str) -> str:
    """What a case's rows are called."""
    parsed = Case.parse(case)
    if parsed.implementation == GSOFA:
        return GSOFA
    if parsed.gpus == SIX_GPUS:
        return SIX
    return RANKED if parsed.implementation == RANKED else GOOD


def _ranks(case: str) -> int | None:
    parsed = Case.parse(case)
    return int(dict(parsed.options).get("ranks", 1)) if parsed.implementation == RANKED else None


def _is_best(rows: pd.DataFrame) -> pd.Series[bool]:
    """Of each matrix and machine the row of the ranks that take least; without any time the first one."""
    ranked = rows[rows["series"] == RANKED]
    seconds = ranked["median"].where(ranked["status"] == "ok", float("inf")).astype("float64")
    keys = [ranked["group"], ranked["machine"]]
    first = list(seconds.groupby(keys, dropna=False, sort=False).idxmin()) if len(ranked) else []
    return pd.Series(rows.index.isin(first), index=rows.index)
