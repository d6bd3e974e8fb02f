"""Figure 3: time of the factor against threads, for three orderings."""

from functools import partial

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import ORDERINGS, in_order
from reports.parac.solution import by_threads
from reports.shapes.lines import draw_scaling
from reports.table import cores_of
from reports.verbs import ENDS, RATIO, mean, on, over

EXCEPTION = "com-LiveJournal"
TOO_MANY = "fewer_cores"
# What most matrices are said to reach.
PRINTED = 10.0


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: seconds, and `ratio`, those of one thread over them in one run.

    `pair` says `ok` or why there is none: `fewer_cores` where the machine has fewer than threads were asked
    for. `most` is true on the row of the most threads with a ratio of a matrix and ordering. `density`:
    nonzeros per row. `is_exception`: of the matrix that is said not to scale.
    """
    rows = in_order(cases)
    rows = rows.join(over(on(rows, rows[rows["threads"] == 1]), rows, ("one thread", ""), bounds=False))
    cores = rows["machine"].map(cores_of).astype(float)
    too_many = (rows["threads"] > cores) & (rows["status"] != "not_run")
    rows["pair"] = rows["pair"].mask(too_many, TOO_MANY)
    rows[RATIO[1:]] = rows[RATIO[1:]].mask(too_many)
    last = rows[rows["pair"] == "ok"].groupby(["label", "preparation"])["threads"].idxmax()
    most = rows.index.isin(last) & (rows["threads"] > 1)
    is_exception = (rows["abbr"] == EXCEPTION) | (rows["stand_in_for"] == EXCEPTION)
    return rows.assign(most=most, density=rows["nnz"] / rows["n"], is_exception=is_exception)


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return the speed-up of each matrix at the most threads, the geometric mean of its orderings.

    `nearness` is 1 less the share of the printed 10x that the speed-up is off by, with the least and the most
    that its interval allows.
    """
    rows = frame.assign(threads=frame["threads"].where(frame["most"]).astype(float))
    ends = rows[rows["threads"] == rows.groupby("label")["threads"].transform("max")]
    means = ends.groupby("label").agg({f"ratio{end}": mean for end in ENDS} | {"ratio_processes": "min"})
    rows = rows.sort_values("threads", ascending=False, kind="stable").drop_duplicates("label").sort_index()
    # A matrix with a single thread's seconds alone has no speed-up.
    rows = rows.set_index("label").assign(**means)
    nearest = np.clip(PRINTED, rows["ratio_low"], rows["ratio_high"])
    near = 1 - (rows[["ratio", "ratio_low", "ratio_high"]].assign(nearest=nearest) / PRINTED - 1).abs()
    sides = {"nearness": near["ratio"], "nearness_low": near.min(axis=1), "nearness_high": near["nearest"]}
    rows = rows.assign(**sides, nearness_processes=rows["ratio_processes"])
    return by_threads(rows.reset_index(), "threads")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return how many cases are left out."""
    count = (frame["pair"] == TOO_MANY).sum()
    return {"fewer": f"{count} cases of more threads than cores are left out." if count else ""}


EXHIBIT = Exhibit(
    "time of the factor against threads",
    frame,
    partial(
        draw_scaling, panels=tuple(ORDERINGS.values()), label="time of the factor (log)", without=TOO_MANY
    ),
    """parac_cpu; written: seconds of one thread over those of the most threads, in one run (printed: about
    10x on most). The factor is the same, to the last bit, on any number of threads. {fewer}""",
    facts,
    subsets={"by_matrix": by_matrix},
    span="the graph resident in memory to its factor resident there",
)
