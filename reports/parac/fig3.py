"""Figure 3: time of the factor against threads, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.exhibit import Exhibit, Held, Subset
from reports.parac.by_ordering import ORDERINGS, in_order
from reports.parac.solution import PAPER, by_threads
from reports.shapes.lines import Lines
from reports.table import cores_of
from reports.verbs import ENDS, RATIO, mean, on, over

CLAIM, EXCEPTION = "fig3_cpu_scaling", "com-LiveJournal"
TOO_MANY = "fewer_cores"
# What most matrices are said to reach. A matrix does within 25 % of it: it is as near, and has at least this.
PRINTED, NEAR, REACHED = 10.0, 0.75, 7.5


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: seconds, and `ratio`, those of one thread over them in one run.

    `pair` says `ok` or why there is none: `fewer_cores` where the machine has fewer than threads were asked
    for. `most` is true on the row of the most threads with a ratio of a matrix and ordering. `density`:
    nonzeros per row.
    """
    rows = in_order(cases)
    rows = rows.join(over(on(rows, rows[rows["threads"] == 1]), rows, ("one thread", ""), bounds=False))
    too_many = (rows["threads"] > cores_of(rows["machine"].iloc[0])) & (rows["status"] != "not_run")
    rows["pair"] = rows["pair"].mask(too_many, TOO_MANY)
    rows[RATIO[1:]] = rows[RATIO[1:]].mask(too_many)
    last = rows[rows["pair"] == "ok"].groupby(["label", "preparation"])["threads"].idxmax()
    most = rows.index.isin(last) & (rows["threads"] > 1)
    return rows.assign(most=most, density=rows["nnz"] / rows["n"])


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return the speed-up of each matrix at the most threads, the geometric mean of its orderings.

    `nearness` is 1 less the share of the printed 10x that the speed-up is off by, with the least and the most
    that its interval allows.
    """
    rows = frame.assign(threads=frame["threads"].where(frame["most"]).astype(float))
    ends = rows[rows["threads"] == rows.groupby("label")["threads"].transform("max")]
    numbers = {f"ratio{end}": mean for end in ENDS} | {"ratio_processes": "min"}
    speed_ups = ends.groupby("label").agg(numbers)
    rows = rows.sort_values("threads", ascending=False, kind="stable").drop_duplicates("label")
    rows = rows.set_index("label").loc[frame["label"].unique()].assign(**speed_ups)
    near = pd.concat([1 - (rows[f"ratio{end}"] / PRINTED - 1).abs() for end in ENDS], axis=1)
    reached = (rows["ratio_low"] <= PRINTED) & (rows["ratio_high"] >= PRINTED)
    nearness = {
        "nearness": near["ratio"],
        "nearness_low": near[["ratio_low", "ratio_high"]].min(axis=1),
        "nearness_high": near.max(axis=1).mask(reached, 1.0),
        "nearness_processes": rows["ratio_processes"],
    }
    return by_threads(rows.assign(**nearness).reset_index(), "threads")


def is_exception(frame: pd.DataFrame) -> pd.Series[bool]:
    """Return which rows are of the matrix that is said not to scale."""
    return (frame["abbr"] == EXCEPTION) | (frame["stand_in_for"] == EXCEPTION)


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """Return what is left out, and which matrices are not in all orderings."""
    count = int((frame["pair"] == TOO_MANY).sum())
    fewer = f"{count} cases of more threads than the machine has cores are left out." if count else ""
    return {"fewer": fewer, "only": _only(frame)}


def _only(frame: pd.DataFrame) -> str:
    """Say which matrices have a line in one ordering only, and which a point without a line."""
    drawn = frame[(frame["status"] == "ok") & (frame["pair"] != TOO_MANY)]
    if drawn["series"].nunique() < 2:
        return ""
    points = drawn.groupby(["label", "series"], sort=False)["threads"].nunique().reset_index()
    scaled = points[points["threads"] > 1]
    once = scaled[~scaled["label"].duplicated(keep=False)].groupby("series")["label"].agg(", ".join)
    single = points[points["threads"] == 1].groupby("series")["label"].agg(", ".join)
    texts = [f"Scaled in {name} only: {labels}." for name, labels in once.items()]
    return " ".join([*texts, *(f"A single point in {name}: {labels}." for name, labels in single.items())])


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 3",
    "time of the factor against threads",
    frame,
    Lines(
        "threads", tuple(ORDERINGS.values()), "time of the factor (log)", without=TOO_MANY,
        even="one thread's time over the threads",
    ),
    """parac_cpu; written: seconds of one thread over those of the most threads, in one run (printed: about
    10x on most). The factor is the same, to the last bit, on any number of threads. {only} {fewer}""",
    facts,
    held=(
        Held(
            CLAIM, "nearness", ("tenfold",), "pair", above=NEAR,
            subsets=lambda frame: by_matrix(frame[~is_exception(frame)]),
        ),
        Held(
            CLAIM, "ratio", ("livejournal",), "pair", above=REACHED,
            subsets=lambda frame: by_matrix(frame[is_exception(frame)]),
        ),
        Held(CLAIM, "ratio", ("density",), "pair", subsets=by_matrix, against="density"),
    ),
    one_run=True,
    span="the graph resident in memory to its factor resident there",
)  # fmt: skip
