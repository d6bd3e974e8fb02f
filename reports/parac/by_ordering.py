"""The paper's three orderings: rows in their order, and what those of a matrix say together."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reports.parac.solution import PAPER
from reports.verbs import RATIO, first_failure, in_papers_order, over

ORDERINGS = {"amd": "AMD", "nnz": "nnz-sort", "random": "random"}


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by the paper's matrices, each by its orderings, which are the `series`; a `group` is a
    matrix."""
    rank = {name: place for place, name in enumerate(ORDERINGS)}
    rows = rows.sort_values("preparation", key=lambda names: names.map(rank), kind="stable")
    rows = in_papers_order(rows.assign(series=rows["preparation"].map(ORDERINGS)), PAPER)
    return rows.assign(group=pd.factorize(rows["label"])[0])


def first_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for a picture: without preparations, and of what a matrix stands in for the first."""
    return frame.assign(preparation=None, stand_in_for=frame["stand_in_for"].str.split(", ").str[0])


def by_matrix(rows: pd.DataFrame, needed: Sequence[str] = tuple(ORDERINGS)) -> pd.DataFrame:
    """Return the first row of each matrix by its label, with `status`: `ok`, or the first of the needed
    orderings that is not and why.

    rows : one per matrix and ordering
    """
    first = rows.drop_duplicates("label").set_index("label")
    statuses = rows.pivot(index="label", columns="preparation", values="status")
    statuses = statuses.reindex(index=first.index, columns=list(needed)).astype("object").fillna("not_run")
    failed = statuses != "ok"
    named = statuses.mask(failed, statuses.apply(lambda column: f"{ORDERINGS[column.name]} " + column))
    return first.assign(status=first_failure(named).mask(failed.all(axis=1), statuses[needed[0]]))


def over_others(
    rows: pd.DataFrame,
    ordering: str,
    needed: Sequence[str] = tuple(ORDERINGS),
    slowest: bool = False,
) -> pd.DataFrame:
    """Return by matrix the ratio of an ordering and the others, whose results are of one run and host.

    It is the seconds of the fastest other ordering over those of this one; or of this one over the slowest.

    needed : the orderings without which there is no ratio
    """
    matrices = by_matrix(rows, needed)
    ok = rows[rows["status"] == "ok"]
    is_own = ok["preparation"] == ordering
    own = ok[is_own].set_index("label")
    others = ok[~is_own].sort_values("median", ascending=not slowest, kind="stable")
    other = others.drop_duplicates("label").set_index("label")
    found = (over(own, other) if slowest else over(other, own)).reindex(matrices.index)
    runs, hosts = (ok.groupby("label")[name].nunique() > 1 for name in ("run_id", "host"))
    pair = found["pair"].mask(hosts.reindex(matrices.index, fill_value=False), "two_hosts")
    pair = pair.mask(runs.reindex(matrices.index, fill_value=False), "two_runs")
    pair = pair.where(matrices["status"] == "ok", matrices["status"])
    numbers = found[RATIO[1:]].where(pair == "ok")
    return matrices.assign(pair=pair, **numbers).reset_index()
