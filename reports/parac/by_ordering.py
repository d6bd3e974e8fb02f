"""The paper's three orderings: rows in their order, and what those of a matrix say together."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from reports.parac.solution import PAPER
from reports.shapes import bars
from reports.shapes.style import looks
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
    first = frame["stand_in_for"].astype("object").str.split(", ").str[0]
    return frame.assign(preparation=None, stand_in_for=first)


def by_matrix(rows: pd.DataFrame, needed: Sequence[str] = tuple(ORDERINGS)) -> pd.DataFrame:
    """Return the first row of each matrix by its label, with `status`: `ok`, or the first of the needed
    orderings that is not and why.

    rows : one per matrix and ordering
    """
    first = rows.drop_duplicates("label").set_index("label")
    statuses = rows.pivot(index="label", columns="preparation", values="status")
    statuses = statuses.reindex(index=first.index, columns=list(needed)).astype("object").fillna("not_run")
    named = statuses.apply(lambda each: each.where(each == "ok", f"{ORDERINGS[each.name]} " + each))
    failed = (statuses != "ok").all(axis=1)
    return first.assign(status=first_failure(named).mask(failed, statuses[needed[0]]))


def over_others(
    rows: pd.DataFrame, ordering: str, needed: Sequence[str] = tuple(ORDERINGS), slowest: bool = False
) -> pd.DataFrame:
    """Return by matrix the ratio of an ordering and the others, whose results are of one run and host.

    It is the seconds of the fastest other ordering over those of this one; or of this one over the slowest.

    needed : the orderings without which there is no ratio
    """
    matrices = by_matrix(rows, needed)
    ok = rows[rows["status"] == "ok"].sort_values("median", ascending=not slowest, kind="stable")
    is_own = ok["preparation"] == ordering
    own, other = (ok[each].drop_duplicates("label").set_index("label") for each in (is_own, ~is_own))
    found = (over(own, other) if slowest else over(other, own)).reindex(matrices.index)
    several = ok.groupby("label")[["run_id", "host"]].nunique().gt(1)
    several = several.reindex(matrices.index, fill_value=False)
    pair = found["pair"].mask(several["host"], "two_hosts").mask(several["run_id"], "two_runs")
    pair = pair.where(matrices["status"] == "ok", matrices["status"])
    return matrices.assign(pair=pair, **found[RATIO[1:]].where(pair == "ok")).reset_index()


def draw_seconds(axes: Axes, frame: pd.DataFrame, label: str, code: str = "") -> None:
    """Draw bars of seconds. code : whose, empty for all."""
    shown = frame[frame["implementation"].str.startswith(code)]
    bars.bar_panel(axes, shown, label, known=looks(frame["series"]))
