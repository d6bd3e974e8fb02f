"""What each machine achieves at best on a problem, whoever implements it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath.record import Record
from reports.facts.means import geometric_mean
from reports.facts.record_rows import transfers_of
from reports.hardware.solved import NO_RECORD, PROBLEMS, RATIO, each, first_of, means, over_first
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
        by = ["problem", "machine", "reason"]
        return dict(self.unanswered.groupby(by, sort=False, observed=True)["input"].agg(list).items())


# A problem, an input, and the answer of each machine: with data where the work is, and with copies.
ByInput = tuple[str, str, Mapping[str, Any], Mapping[str, Any]]


def by_input(answers: pd.DataFrame) -> Iterator[ByInput]:
    """Yield the answers of each input, in their order."""
    for _, rows in answers.groupby(level=0):
        found = {(row.span, row.machine): row for row in each(rows)}
        by_span = ({m: row for (s, m), row in found.items() if s == span} for span in (RESIDENT, COPIED))
        yield rows["problem"].iloc[0], rows["input"].iloc[0], *by_span


def best_of(rows: pd.DataFrame, prices: Mapping[str, float]) -> Best:
    """Return what each machine achieves.

    rows : of `solved`
    prices : of a machine's hour
    """
    rows = rows[rows["stage"].isin(PROBLEMS)]
    rows = rows.assign(problem=pd.Categorical(rows["stage"], list(PROBLEMS)))
    done = rows[rows["question"].notna()]
    pooled = _numbered(done[done["unlike"] == ""])
    answers = _answers(pooled, prices)
    left = done[done["unlike"] != ""].groupby(["machine", "unlike"], observed=True).size()
    return Best(
        answers[_ANSWER],
        _means(answers),
        _unanswered(rows, pooled),
        left.rename_axis(["machine", "reason"]).rename("records").reset_index(),
    )


def _numbered(pooled: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, short names of cases first, with the number and the name of their input."""
    pooled = pooled.assign(length=pooled["case"].str.len()).sort_values(["length", "case"], kind="stable")
    inputs = pooled.drop_duplicates("question").sort_values(["problem", "input"], kind="stable")
    numbers = pd.Series(range(len(inputs)), inputs["question"])
    names = inputs.set_index("question")["input"]
    return pooled.assign(number=pooled["question"].map(numbers), input=pooled["question"].map(names))


def _with_copies(record: Record) -> list[float]:
    """Return the seconds of each sample with those of copying the input to the device and the result back,
    none where a GPU's copies were not measured."""
    copies = transfers_of(record)
    return [] if copies is None else [seconds + copies for seconds in record.samples]


def _answers(pooled: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """Return the least seconds of each machine on each input, where the first and another have solved it."""
    by = ["number", "span"]
    copied = timed(pooled, _with_copies).assign(span=COPIED)
    times = pd.concat([pooled.assign(span=RESIDENT), copied], ignore_index=True)
    times = times[times["status"] == "ok"].assign(seconds=times["median"])
    times["span"] = pd.Categorical(times["span"], [RESIDENT, COPIED])
    least = times.sort_values([*by, "machine", "seconds"], kind="stable").drop_duplicates([*by, "machine"])
    price = least["machine"].astype("object").map(prices).astype(float)
    found = over_first(least.assign(cost=price * least["seconds"] / HOUR), *by)
    several = found.groupby(by, observed=True)["machine"].transform("size") > 1
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
    counts = pooled.groupby(key, observed=False).size()
    gaps = counts.index[counts == 0].to_frame(index=False)
    tried = rows[rows["failure"] != NO_RECORD]
    said = tried["failure"].where(tried["failure"] != "", tried["unlike"])
    tried = tried.assign(reason=said.where(said != "", "records of other inputs only"))
    found = pooled[["number", "place"]].drop_duplicates().merge(tried, on="place")
    # What was tried and failed says more than what cannot be tried there.
    found = found.assign(unable=found["reason"].str.startswith("unavailable"))
    found = found.sort_values(["unable", "case"], kind="stable").drop_duplicates(key)
    inputs = pooled[["number", "problem", "input"]].drop_duplicates("number")
    named = gaps.merge(inputs, on="number").merge(found[[*key, "reason"]], on=key, how="left")
    return named.fillna({"reason": NO_RECORD})[["problem", "input", "machine", "reason"]]
