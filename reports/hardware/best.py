"""What each machine achieves at best on a problem, whoever implements it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reports.facts.means import geometric_mean
from reports.hardware.questions import asked, with_copies
from reports.hardware.solved import NO_RECORD, RATIO, each, first_of, means, over_first
from reports.table import timed

# Where input and result are: on the device that works, or on the host before and after.
RESIDENT, COPIED = "resident", "copied"
HOUR = 3600.0
_ANSWER = [
    "problem", "input", "span", "machine", "case", "seconds", "low", "high", "processes", "device", "cores",
    "joules", "cost", *RATIO,
]  # fmt: skip


@dataclass(frozen=True)
class Best:
    """What machines achieve at best, by problems, inputs and machines in their order.

    answers : the least seconds of a machine by input and span, where the first machine and another have
        solved it, with `ratio`, the first's seconds over its own; the index is the input's number
    means : by problem, span and machine of the ratios, over the inputs that the first and it have solved;
        `first_faster` and `other_faster` count inputs whose interval says so; `cost` is the first's over its
    unanswered : inputs that another machine has solved and this one has not, each with the reason
    not_pooled : by machine and reason, how many records are of other work than the whole problem alone
    """

    answers: pd.DataFrame
    means: pd.DataFrame
    unanswered: pd.DataFrame
    not_pooled: pd.DataFrame

    @property
    def of_one_process(self) -> bool:
        """Whether a time is of a single process, whose interval is too narrow."""
        return bool((self.answers["processes"] == 1).any())

    @property
    def reasons(self) -> Mapping[tuple[str, str, str], list[str]]:
        """The inputs that a machine has not solved, by problem, machine and reason."""
        groups: dict[tuple[str, str, str], list[str]] = {}
        for row in each(self.unanswered):
            groups.setdefault((row.problem, row.machine, row.reason), []).append(row.input)
        return groups


# A problem, an input, and the answer of each machine: with data where the work is, and with copies.
ByInput = tuple[str, str, Mapping[str, Any], Mapping[str, Any]]


def by_input(answers: pd.DataFrame) -> Iterator[ByInput]:
    """Yield the answers of each input, in their order."""
    for _, rows in answers.groupby(level=0):
        resident, copied = (
            {row.machine: row for row in each(rows[rows["span"] == span])} for span in (RESIDENT, COPIED)
        )
        yield rows["problem"].iloc[0], rows["input"].iloc[0], resident, copied


def best_of(rows: pd.DataFrame, prices: Mapping[str, float]) -> Best:
    """Return what each machine achieves.

    rows : of `solved`
    prices : of a machine's hour
    """
    rows = asked(rows)
    done = rows[rows["question"].notna()]
    pooled = _numbered(done[done["unlike"] == ""])
    answers = _answers(pooled, prices)
    left = done[done["unlike"] != ""].groupby(["machine", "unlike"], observed=True).size()
    return Best(
        answers=answers[_ANSWER],
        means=_means(answers),
        unanswered=_unanswered(rows, pooled),
        not_pooled=left.rename_axis(["machine", "reason"]).rename("records").reset_index(),
    )


def _numbered(pooled: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, short names of cases first, with the number and the name of their input."""
    pooled = pooled.assign(length=pooled["case"].str.len()).sort_values(["length", "case"], kind="stable")
    inputs = pooled[["question", "problem", "input"]].drop_duplicates("question")
    inputs = inputs.sort_values(["problem", "input"], kind="stable", ignore_index=True)
    names = inputs[["question", "input"]].assign(number=inputs.index)
    return pooled.drop(columns="input").merge(names, on="question", validate="many_to_one")


def _answers(pooled: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """Return the least seconds of each machine on each input, where the first and another have solved it."""
    spans = pd.CategoricalDtype([RESIDENT, COPIED])
    times = pd.concat(
        [pooled.assign(span=RESIDENT), timed(pooled, with_copies).assign(span=COPIED)], ignore_index=True
    ).astype({"span": spans})
    asked = ["number", "span"]
    ordered = times[times["status"] == "ok"].sort_values([*asked, "machine", "median"], kind="stable")
    least = ordered.drop_duplicates([*asked, "machine"])
    price = least["machine"].astype("object").map(prices).astype(float)
    found = over_first(least.assign(seconds=least["median"], cost=price * least["median"] / HOUR), *asked)
    several = found.groupby(asked, observed=True)["machine"].transform("size") > 1
    found.loc[found["machine"] == first_of(found), RATIO] = np.nan
    return found[several].set_index("number")


def _means(answers: pd.DataFrame) -> pd.DataFrame:
    others = answers[answers["machine"] != first_of(answers)]
    others = others.assign(
        first_faster=others["ratio_high"] < 1,
        other_faster=others["ratio_low"] > 1,
        cost=others["first_cost"] / others["cost"],
    )
    by = ["problem", "span", "machine"]
    groups = others.groupby(by, observed=True)
    counts = groups[["first_faster", "other_faster"]].sum()
    return means(others, *by).join([counts, groups["cost"].agg(geometric_mean)]).reset_index()


def _unanswered(rows: pd.DataFrame, pooled: pd.DataFrame) -> pd.DataFrame:
    """Return the inputs that a machine has not solved, by what its records of these inputs say."""
    key = ["number", "machine"]
    inputs = pooled.drop_duplicates("number").set_index("number")[["problem", "input"]].sort_index()
    every = pd.MultiIndex.from_product([inputs.index, rows["machine"].cat.categories], names=key)
    gaps = every.difference(pd.MultiIndex.from_frame(pooled[key]), sort=False)
    tried = rows[rows["failure"] != NO_RECORD]
    said = tried["failure"].where(tried["failure"] != "", tried["unlike"])
    tried = tried.assign(reason=said.where(said != "", "records of other inputs only"))
    found = pooled[["number", "place"]].drop_duplicates().merge(tried, on="place")
    # What was tried and failed says more than what cannot be tried there.
    found = found.assign(unable=found["reason"].str.startswith("unavailable"))
    found = found.sort_values(["unable", "case"], kind="stable").drop_duplicates(key)
    reasons = found.set_index(key)["reason"].reindex(gaps).fillna(NO_RECORD)
    named = reasons.reset_index().join(inputs, on="number")
    return named.astype({"machine": rows["machine"].dtype})[["problem", "input", "machine", "reason"]]
