"""Time to solution by ordering."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.parac.solution import PAPER, RULE, SPAN, by_threads, solved
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import looks
from reports.table import phases, timed
from reports.verbs import RATIO, first_failure, in_papers_order, over

ORDERINGS = {"amd": "AMD", "nnz": "nnz-sort", "random": "random"}
SOLVE = phases("solve")


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: seconds of a solution and of its parts, of the solve with their interval."""
    rows = in_order(solved(cases))
    solve = timed(rows, SOLVE)
    return rows.assign(solve_low=solve["low"], solve_high=solve["high"])


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by the paper's matrices, each a `group`, and by its orderings, the `series`."""
    rows = rows.sort_values("preparation", key=lambda names: names.map([*ORDERINGS].index), kind="stable")
    rows = in_papers_order(rows.assign(series=rows["preparation"].map(ORDERINGS)), PAPER)
    return rows.assign(group=pd.factorize(rows["label"])[0])


def first_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for a picture: without preparations, and a stand-in for the first matrix alone."""
    first = frame["stand_in_for"].astype("object").str.split(", ").str[0]
    return frame.assign(preparation=None, stand_in_for=first)


def by_matrix(rows: pd.DataFrame, needed: Sequence[str] = tuple(ORDERINGS)) -> pd.DataFrame:
    """Return the first row of each matrix, with the first failure of the needed orderings as `status`."""
    first = rows.drop_duplicates("label").set_index("label")
    statuses = rows.pivot(index="label", columns="preparation", values="status")
    statuses = statuses.reindex(index=first.index, columns=list(needed)).astype("object").fillna("not_run")
    named = statuses.apply(lambda each: each.where(each == "ok", f"{ORDERINGS[each.name]} " + each))
    failed = (statuses != "ok").all(axis=1)
    return first.assign(status=first_failure(named).mask(failed, statuses[needed[0]]))


def over_others(rows: pd.DataFrame, ordering: str, slowest: bool = False) -> pd.DataFrame:
    """Return by matrix the fastest other ordering over this one, or this one over the slowest other.

    Both are seconds of one run and host. A ratio needs AMD and nnz-sort, one over the slowest all orderings.
    """
    matrices = by_matrix(rows, tuple(ORDERINGS) if slowest else ("amd", "nnz"))
    ok = rows[rows["status"] == "ok"].sort_values("median", ascending=not slowest, kind="stable")
    is_own = ok["preparation"] == ordering
    own, other = (ok[each].drop_duplicates("label").set_index("label") for each in (is_own, ~is_own))
    found = (over(own, other) if slowest else over(other, own)).reindex(matrices.index)
    several = ok.groupby("label")[["run_id", "host"]].nunique().reindex(matrices.index) > 1
    pair = found["pair"].mask(several["host"], "two_hosts").mask(several["run_id"], "two_runs")
    pair = pair.where(matrices["status"] == "ok", matrices["status"])
    return matrices.assign(pair=pair, **found[RATIO[1:]].where(pair == "ok")).reset_index()


def _amd_on_cpu(rows: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the fastest other ordering over those of AMD."""
    return by_threads(over_others(rows, "amd"), "threads_used")


def draw_device(axes: Axes, frame: pd.DataFrame, device: str) -> None:
    """Draw bars of the seconds of a device's code."""
    shown = frame[frame["implementation"].str.endswith(device.lower())]
    bars.bar_panel(axes, shown, f"time on the {device} (log)", known=looks(frame["series"]))


CAPTION = f"The factor and the iterations depend on the ordering. {RULE}"
SHAPE = Panels([partial(draw_device, device=name) for name in ("CPU", "GPU")], 9.0, first_names)
SUBSETS = {
    "amd": _amd_on_cpu,
    "amd_solve": lambda rows: _amd_on_cpu(timed(rows, SOLVE)),
    "nnz": lambda rows: [Subset(over_others(rows, "nnz"))],
    "amd_slowest": lambda rows: [Subset(over_others(rows, "amd", slowest=True))],
}
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=SUBSETS, span=SPAN)
