"""LU end to end, added up from records of its stages: what Figures 4 and 5 share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fillpath.record import UNTRIED
from reports.ooclu.arrays import over_baseline
from reports.shapes.stacked import Part, with_shares
from reports.shapes.style import PALETTE
from reports.table import KEY, NOT_MEASURED, SECONDS, phases, timed
from reports.verbs import fact, first_failure, inputs, of, on

KAHN, NUMERIC = "kahn_gpu", "glu3.static_pivoting=true"
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

# Columns of a stage: of which a chain has the sums, and what it says by them.
ADDED_UP, SAID = [*SECONDS, "transfers"], ["stage", "status", "run_id", "host", "processes"]


def compared(cases: pd.DataFrame, ways: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return one row per input and way, and of FRONTS and DIRECT: the sums of `summed`; `ratio`, over the
    first way; the shares of its stages in the seconds of the second.

    ways : the symbolic code and the levels code of each; the numeric one is that of all
    """
    first, second = list(ways)[:2]
    rows = summed(cases, {**ways, FRONTS: ("bitfronts_gpu", KAHN)}).reset_index()
    rows = over_baseline(rows, first, first)
    whole = on(rows, rows[rows["way"] == second])["median"]
    # A matrix is as near to the paper's as its numeric case says, which counts no fill-in.
    numeric_first = cases.sort_values("stage", key=lambda stages: stages != "numeric", kind="stable")
    named = inputs(numeric_first).join(of(cases, NUMERIC)[["case", "card"]])
    return with_shares(rows.join(named, on=KEY).assign(series=rows["way"]), PARTS, whole)


def summed(cases: pd.DataFrame, ways: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return by way and input the sum of three stages of one run and host, that of the paper's numeric stage.

    `low`, `high` : the sums of the ends of the stages' intervals
    `seconds_<stage>` : the median of each
    `before_numeric` : the share of the seconds that the other stages take
    `status` : `ok`, or which stage failed and how; what was not tried, where none failed
    """
    names = pd.DataFrame({"way": [*ways, DIRECT]})
    index = pd.MultiIndex.from_frame(names.merge(cases[KEY].drop_duplicates(), how="cross"))
    codes = zip(*((symbolic, levels, NUMERIC) for symbolic, levels in ways.values()), strict=True)
    parts = [dict(zip(ways, (of(cases, code) for code in stage), strict=True)) for stage in codes]
    whole = [part | {DIRECT: rows} for part, rows in zip(parts, _direct(cases), strict=True)]
    stages = [pd.concat(part, names=["way"]).reindex(index)[[*ADDED_UP, *SAID]] for part in whole]
    symbolic, levels, numeric = stages
    rows = symbolic[ADDED_UP] + levels[ADDED_UP] + numeric[ADDED_UP]
    medians = {part.seconds: rows["median"] for part, rows in zip(PARTS, stages, strict=True)}
    rows = rows.assign(**medians, before_numeric=1 - numeric["median"] / rows["median"])
    rows["processes"] = pd.concat([part["processes"] for part in stages], axis=1).min(axis=1)
    base = of(cases, NUMERIC).reindex(index.droplevel("way")).set_axis(index)
    status = _status(stages, base)
    last = {"run_id": numeric["run_id"].fillna(base["run_id"]), "host": numeric["host"]}
    return rows.where(status == "ok").assign(status=status, rounds=None, **last)


def _direct(cases: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the phases of the chain on fronts that stand for the stages.

    `not_measured` where it left the matrix to another chain, whose phases its record then has.
    """
    rows = of(cases, "direct_gpu.static_pivoting=true").assign(transfers=np.nan)
    left = (rows["status"] == "ok") & (fact(rows, "on_fronts") != 1)
    rows["status"] = rows["status"].mask(left, NOT_MEASURED)
    return [timed(rows, phases(name)) for name in ("fronts", "maps", "numeric")]


def _status(stages: list[pd.DataFrame], base: pd.DataFrame) -> pd.Series[str]:
    """Return the status of each row. base : of whose run and host all stages are."""
    statuses = pd.concat([part["status"] for part in stages], axis=1, keys=range(3)).fillna("not_run")
    named = pd.concat([part["stage"] + " " + part["status"] for part in stages], axis=1, keys=range(3))
    failed = named.where(~statuses.isin(["ok", NOT_MEASURED, *UNTRIED]), "ok")
    status = first_failure(failed).where(lambda first: first != "ok", first_failure(statuses))
    runs, hosts = (pd.concat([part[name] for part in (base, *stages)], axis=1) for name in ("run_id", "host"))
    status = status.mask((status == "ok") & (runs.nunique(axis=1, dropna=False) > 1), "two_runs")
    return status.mask((status == "ok") & (hosts.nunique(axis=1) > 1), "two_hosts")
