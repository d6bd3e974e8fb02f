"""LU end to end, added up from records of its stages: what Figures 4 and 5 share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from reports.how import UNTRIED
from reports.shapes.ratios import BASELINE
from reports.shapes.stacked import Part, with_shares
from reports.shapes.style import PALETTE
from reports.table import NOT_MEASURED, SECONDS, phases, timed
from reports.verbs import fact, first_failure, inputs, of, over

NUMERIC = "glu3.static_pivoting=true"
# Bars beside the paper's ways.
FRONTS, DIRECT = "bitfronts_gpu, not the paper's", "direct_gpu, not the paper's"
ADDED = (
    "Bars of bitfronts_gpu and direct_gpu are not the paper's; the latter's are of one record the phases "
    "fronts, maps (of indices, in place of levels) and numeric, in float64, without its solves. Each other "
    f"bar adds records of stages of one run (numeric: {NUMERIC}); time between stages is in none."
)
PARTS = (
    Part("symbolic", "symbolic", PALETTE[0]),
    Part("levels", "levels", PALETTE[1]),
    Part("numeric", "numeric", PALETTE[4]),
)


def chain(cases: pd.DataFrame, symbolic: str, levels: str = "kahn_gpu") -> pd.DataFrame:
    """Return by input the sum of a symbolic code, a levels code and the numeric one, as `summed` has it."""
    return summed(cases, [of(cases, code) for code in (symbolic, levels, NUMERIC)])


def direct(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the chain on fronts: of one record the phases that stand for the stages.

    `not_measured` where it left the matrix to another chain, whose phases its record then has.
    """
    rows = of(cases, "direct_gpu.static_pivoting=true").assign(transfers=np.nan)
    left = (rows["status"] == "ok") & (fact(rows, "on_fronts") != 1)
    rows["status"] = rows["status"].mask(left, NOT_MEASURED)
    return summed(cases, [timed(rows, phases(name)) for name in ("fronts", "maps", "numeric")])


def summed(cases: pd.DataFrame, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return by input the sum of three stages of one run and host, that of the paper's numeric stage.

    `low`, `high` : the sums of the ends of the stages' intervals
    `seconds_<stage>` : the median of each
    `before_numeric` : the share of the seconds that the other stages take
    `status` : `ok`, or which stage failed and how; what was not tried, where none failed
    """
    index = inputs(cases).index
    base, *stages = (rows.reindex(index) for rows in (of(cases, NUMERIC), *parts))
    symbolic, levels, numeric = stages
    added = [*SECONDS, "transfers"]
    rows = symbolic[added] + levels[added] + numeric[added]
    medians = {part.seconds: rows["median"] for part, rows in zip(PARTS, stages, strict=True)}
    rows = rows.assign(**medians, before_numeric=1 - numeric["median"] / rows["median"])
    rows["processes"] = pd.concat([part["processes"] for part in stages], axis=1).min(axis=1)
    status = _status([base, *stages], stages)
    last = {"run_id": numeric["run_id"].fillna(base["run_id"]), "host": numeric["host"]}
    return rows.where(status == "ok").assign(status=status, rounds=None, **last)


def _status(every: list[pd.DataFrame], stages: list[pd.DataFrame]) -> pd.Series[str]:
    statuses = pd.concat([part["status"] for part in stages], axis=1, keys=range(3)).fillna("not_run")
    named = pd.concat([part["stage"] + " " + part["status"] for part in stages], axis=1, keys=range(3))
    failed = named.where(~statuses.isin(["ok", NOT_MEASURED, *UNTRIED]), "ok")
    status = first_failure(failed).where(lambda first: first != "ok", first_failure(statuses))
    runs, hosts = (pd.concat([part[name] for part in every], axis=1) for name in ("run_id", "host"))
    status = status.mask((status == "ok") & (runs.nunique(axis=1, dropna=False) > 1), "two_runs")
    return status.mask((status == "ok") & (hosts.nunique(axis=1) > 1), "two_hosts")


def compared(cases: pd.DataFrame, ways: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row per input and way: `ratio`, its seconds over those of the first; the shares of its
    stages in the seconds of the second way."""
    first, second = list(ways)[:2]
    ratios = {way: rows.join(over(rows, ways[first], ("", first))) for way, rows in ways.items()}
    parts = ratios | {first: ways[first].assign(pair=BASELINE)}
    rows = pd.concat(parts, names=["way"]).reset_index("way")
    # A matrix is as near to the paper's as its numeric case says, which counts no fill-in.
    numeric_first = cases.sort_values("stage", key=lambda stages: stages != "numeric", kind="stable")
    rows = rows.join(inputs(numeric_first)).join(of(cases, NUMERIC)[["case", "card"]])
    whole = ways[second]["median"].reindex(rows.index)
    return with_shares(rows.assign(series=rows["way"]), PARTS, whole).reset_index()
