"""LU end to end as the sum of its stages' records, shared by Figures 4 and 5."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from fillpath.record import UNTRIED
from reports.ooclu.arrays import OUT_OF_CORE, labelled, over_baseline
from reports.shapes.axes import Panels
from reports.shapes.stacked import Part, Stacked, with_shares
from reports.shapes.style import PALETTE
from reports.table import NOT_MEASURED, SECONDS, phases, timed
from reports.verbs import KEY, fact, first_failure, inputs, of, on

KAHN, NUMERIC = "kahn_gpu", "glu3.static_pivoting=true"
FRONTS, DIRECT = "bitfronts_gpu, not the paper's", "direct_gpu, not the paper's"
SUMS = f"Bars add up records of stages of one run (numeric: {NUMERIC})."
ADDED = " Not the paper's: bitfronts_gpu, and direct_gpu by the phases of one record, in float64."
# The stages, and the phases of direct_gpu that do their work.
STAGES = {"symbolic": "fronts", "levels": "maps", "numeric": "numeric"}
PARTS = [Part(name, name, PALETTE[place]) for name, place in zip(STAGES, (0, 1, 4), strict=True)]


def compared(cases: pd.DataFrame, ways: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return a row per input and way (its symbolic and levels codes) with the sum of three stages.

    `ratio` is over the first way, `share_<stage>` over the second; `before_numeric` is the share of two.
    """
    given, direct = of(cases, NUMERIC), of(cases, "direct_gpu.static_pivoting=true").assign(transfers=np.nan)
    # It left the matrix to another chain, whose phases its record then has.
    left = (direct["status"] == "ok") & (fact(direct, "on_fronts") != 1)
    direct["status"] = direct["status"].mask(left, NOT_MEASURED)
    stages = {
        way: {"symbolic": of(cases, symbolic), "levels": of(cases, levels), "numeric": given}
        for way, (symbolic, levels) in {**ways, FRONTS: ("bitfronts_gpu", KAHN)}.items()
    } | {DIRECT: {stage: timed(direct, phases(name)) for stage, name in STAGES.items()}}
    given = given.reindex(pd.MultiIndex.from_frame(cases[KEY].drop_duplicates()))
    sums = pd.concat({way: _sum(given, parts) for way, parts in stages.items()}, names=["way"])
    first, second = list(ways)[:2]
    rows = over_baseline(sums.reset_index(), first, first)
    whole = on(rows, rows[rows["way"] == second])["median"]
    # The distance to the paper's matrix is that of the numeric case, which counts no fill-in.
    numeric_first = cases.sort_values("stage", key=lambda stages: stages != "numeric", kind="stable")
    named = inputs(numeric_first).join(given[["case", "card"]])
    return with_shares(rows.join(named, on=KEY).assign(series=rows["way"]), PARTS, whole)


def _sum(given: pd.DataFrame, stages: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the sum of the stages by input. given : the rows of whose run and host all are."""
    added = (*SECONDS, "transfers")
    by = {
        name: pd.DataFrame({stage: rows[name] for stage, rows in stages.items()}, given.index)
        for name in (*added, "stage", "status", "run_id", "host", "processes")
    }
    rows = pd.DataFrame({name: by[name].sum(axis=1, skipna=False) for name in added})
    rows = rows.join(by["median"].add_prefix("seconds_")).assign(processes=by["processes"].min(axis=1))
    rows["before_numeric"] = 1 - rows["seconds_numeric"] / rows["median"]
    statuses = by["status"].fillna("not_run")
    failed = (by["stage"] + " " + by["status"]).where(~statuses.isin(["ok", NOT_MEASURED, *UNTRIED]), "ok")
    status = first_failure(failed).where(lambda first: first != "ok", first_failure(statuses))
    runs, hosts = (by[name].assign(given=given[name]) for name in ("run_id", "host"))
    status = status.mask((status == "ok") & (runs.nunique(axis=1, dropna=False) > 1), "two_runs")
    status = status.mask((status == "ok") & (hosts.nunique(axis=1) > 1), "two_hosts")
    last = {"run_id": runs["numeric"].fillna(runs["given"]), "host": hosts["numeric"]}
    return rows.where(status == "ok").assign(status=status, rounds=None, **last)


def added(frame: pd.DataFrame) -> dict[str, str]:
    """Return `added`, what is said of the codes that are not the paper's, empty where neither has a bar."""
    bars = frame["series"].isin((FRONTS, DIRECT)) & (frame["status"] == "ok")
    return {"added": ADDED if bars.any() else ""}


def picture(over: str, printed: tuple[float, float], memory: bool) -> Panels:
    """Return what draws out_of_core, the way it is held against, and the codes that are not the paper's."""
    series = (OUT_OF_CORE, over, FRONTS, DIRECT)

    def shown(frame: pd.DataFrame) -> pd.DataFrame:
        return labelled(frame[frame["series"].isin(series)].reset_index(drop=True), memory)

    return Panels([Stacked(over, PARTS, printed)], 7.5, shown)
