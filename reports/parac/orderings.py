"""The text's orderings, and what figures say of the three of a matrix: AMD is said to be the best on the CPU,
nnz-sort on the GPU."""

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
    """Return the rows by the paper's matrices, each by its orderings, which are the `series`; a `group` is a
    matrix."""
    rows = rows.sort_values("preparation", key=lambda names: names.map([*ORDERINGS].index), kind="stable")
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
    several = ok.groupby("label")[["run_id", "host"]].nunique().reindex(matrices.index) > 1
    pair = found["pair"].mask(several["host"], "two_hosts").mask(several["run_id"], "two_runs")
    pair = pair.where(matrices["status"] == "ok", matrices["status"])
    return matrices.assign(pair=pair, **found[RATIO[1:]].where(pair == "ok")).reset_index()


def slowest_amd(rows: pd.DataFrame) -> list[Subset]:
    """Return the seconds of AMD over those of the slowest other ordering."""
    return [Subset(over_others(rows, "amd", slowest=True))]


def _amd_on_cpu(rows: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the fastest other ordering over those of AMD."""
    return by_threads(over_others(rows, "amd", needed=("amd", "nnz")), "threads_used")


def draw_seconds(axes: Axes, frame: pd.DataFrame, label: str, device: str = "") -> None:
    """Draw bars of seconds. device : of whose code, empty for all."""
    shown = frame[frame["implementation"].str.endswith(device.lower())]
    bars.bar_panel(axes, shown, label, known=looks(frame["series"]))


PANELS = [partial(draw_seconds, label=f"time on the {name} (log)", device=name) for name in ("CPU", "GPU")]
EXHIBIT = Exhibit(
    "time to solution by ordering",
    frame,
    Panels(PANELS, 9.0, first_names),
    f"""The factor differs by the ordering, and so do the iterations. {RULE}""",
    subsets={
        "amd": _amd_on_cpu,
        "amd_solve": lambda rows: _amd_on_cpu(timed(rows, SOLVE)),
        "nnz": lambda rows: [Subset(over_others(rows, "nnz", needed=("amd", "nnz")))],
        "amd_slowest": slowest_amd,
    },
    span=SPAN,
)
