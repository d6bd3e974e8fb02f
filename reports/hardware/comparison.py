"""Hardware against hardware: the best of each machine, then the same cases on all.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. A mean is geometric,
over what the first and the other have both solved, of the very same input; the rest is listed with reasons.

    compare(["h200", "vm"], Records.load()).means[["group", "machine", "ratio"]]
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath import holdings
from fillpath.dicts import dicts
from fillpath.errors import UnknownNameError
from fillpath.record import UNTRIED, Record
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.hardware.solved import NO_RECORD, PROBLEMS, RATIO, each, means, over_first, solved
from reports.shapes.style import Look, looks
from reports.table import timed, transfers_of

# Where input and result are: on the device that works, or on the host before and after.
RESIDENT, COPIED = "resident", "copied"
# Copies of older records went through pageable memory (docs/run-on-a-gpu.md).
PINNED_SINCE = "2026-11-26"
EVERYTHING = "all"
_ANSWER = [
    "problem", "input", "span", "machine", "case", "seconds", "low", "high", "processes", "device",
    "joules", "cost", "untried", "older", "started_at", *RATIO,
]  # fmt: skip
_PAIR = [
    "case", "machine", "first_seconds", "seconds", *RATIO, "first_joules", "joules", "other_sources",
]  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Machines against the first of them, by problems, inputs and machines in their order.

    prices : of an hour of those machines that have one
    best : the best of each machine by any implementation, as four tables.
        answers : the least seconds of a machine by input and span, where the first and another have solved
        it, with `ratio`; the index is the input's number. `untried`, whether one of the two machines never
        tried the other's case, though it has such a device; `older`, whether its sources are older.
        means : of these ratios by problem, span and machine, over the `n` inputs that are not `untried`;
        `first_faster`, `other_faster` (by interval) and `older` count inputs; `cost` is the first's over its.
        unanswered : inputs that another machine has solved and this one has not, each with the reason.
        not_pooled : by machine and reason, how many records are of other work than the whole problem alone
    pairs : cases that the first and another have solved, with `ratio`, and `other_sources`, whether one was
        measured with other sources than today's
    means : of the pairs of a group by machine, over `n` cases, `older` of them with `other_sources`
    left_out : cases that a mean lacks, each with the first machine, or each other, that has no result, and
        why
    """

    machines: tuple[str, ...]
    prices: Mapping[str, float]
    best: Mapping[str, pd.DataFrame]
    pairs: pd.DataFrame
    means: pd.DataFrame
    left_out: pd.DataFrame

    @property
    def looks(self) -> Mapping[str, Look]:
        """Return the look of each machine, which is the same in all pictures of machines."""
        return looks([*holdings.machines(), *self.machines])

    @property
    def of_one_process(self) -> bool:
        """Whether an answer is of a single process, whose interval is too narrow."""
        return bool((self.best["answers"]["processes"] == 1).any())

    def to_json(self) -> dict[str, Any]:
        best = {name: plain(table) for name, table in self.best.items()}
        own = {name: plain(getattr(self, name)) for name in ("pairs", "means", "left_out")}
        return {"machines": self.machines, "prices": self.prices, "best": best, **own}


def by_input(answers: pd.DataFrame) -> Iterator[tuple[str, str, Mapping[tuple[str, str], Any]]]:
    """Yield of each input its problem, its name, and the answers by span and machine."""
    for _, rows in answers.groupby(level=0):
        found = {(row.span, row.machine): row for row in each(rows)}
        yield rows["problem"].iloc[0], rows["input"].iloc[0], found


def compare(machines: Sequence[str], records: Records, prices: Mapping[str, float] = {}) -> Comparison:
    """Compare the other machines with the first.

    Raises UnknownNameError for fewer than two machines, one named twice, and a price of another.
    """
    if others := sorted(prices.keys() - set(machines)):
        raise UnknownNameError(f"price of {', '.join(others)}: expected one of {', '.join(machines)}")
    if len(set(machines)) != len(machines) or len(machines) < 2:
        raise UnknownNameError(f"compare {' '.join(machines)}: name two machines or more, each once")
    rows = solved(machines, records)
    pairs, left_out = _pairs(rows)
    whole = means(_grouped(pairs.assign(older=pairs["other_sources"])), ["machine", "group"], older="sum")
    return Comparison(tuple(machines), prices, _best(rows, prices), pairs[_PAIR], whole, left_out)


def plain(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return a table's rows, with None for what is unknown."""
    return dicts(table.astype("object").where(table.notna(), None))


def _pairs(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the pairs of cases of one input that the first machine and another have solved, and the rest."""
    both = over_first(rows, "case")
    both = both[both["machine"] != both["first_machine"]]
    lacks, first = both["first_why"] != "", both["first_machine"]
    others = both["input_hash"] != both["first_input_hash"]
    why = both["first_why"].where(lacks, both["why"])
    differs = "another input than " + first.astype(str) + "'s: its content differs"
    why = why.mask((why == "") & others, differs)
    left = both.assign(machine=both["machine"].mask(lacks, first), reason=why)[why != ""]
    pairs = both.assign(
        seconds=both["median"],
        first_seconds=both["first_median"],
        other_sources=~(both["current"].eq(True) & both["first_current"].eq(True)),
    )[why == ""]
    return pairs, left[["case", "machine", "reason"]].drop_duplicates()


def _grouped(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs once for each `group` that they count in: the implementation, the stage, and all.

    A case with fewer threads than a machine has is in groups apart, a draw of random numbers after the first
    in none.
    """
    pairs = pairs[~pairs["case"].str.contains(".seed=", regex=False)]
    threads = (".threads=" + pairs["threads"].astype(str)).where(pairs["part"], "")
    codes, stages = pairs["stage"] + "." + pairs["implementation"] + threads, pairs["stage"] + threads
    every = pd.Series(EVERYTHING, pairs.index).mask(pairs["part"])
    grouped = pd.concat([pairs.assign(group=group) for group in (codes, stages, every)])
    names = sorted(pd.concat([codes, stages]).unique())
    return grouped.assign(group=pd.Categorical(grouped["group"], [*names, EVERYTHING]))


def _best(rows: pd.DataFrame, prices: Mapping[str, float]) -> dict[str, pd.DataFrame]:
    done = rows[rows["stage"].isin(PROBLEMS) & rows["question"].notna()]
    done = done.assign(problem=pd.Categorical(done["stage"], list(PROBLEMS)), length=done["case"].str.len())
    left = done[done["unlike"] != ""].groupby(["machine", "unlike"], observed=True).size()
    # Short names of cases first; an input has a number and one name.
    pooled = done[done["unlike"] == ""].sort_values(["length", "case"], kind="stable")
    inputs = pooled.drop_duplicates("question").sort_values(["problem", "input"], kind="stable")
    names = inputs[["question", "input"]].assign(number=range(len(inputs)))
    pooled = pooled.drop(columns="input").merge(names, on="question", validate="many_to_one")
    answers = _answers(rows, pooled, prices)
    faster = {"first_faster": answers["ratio_high"] < 1, "other_faster": answers["ratio_low"] > 1}
    either = {"older": answers["older"] | answers["first_older"]}
    others = answers.assign(**faster, **either, cost=answers["first_cost"] / answers["cost"])
    others = others[(others["machine"] != others["first_machine"]) & ~others["untried"]]
    more = {"first_faster": "sum", "other_faster": "sum", "older": "sum", "cost": geometric_mean}
    return {
        "answers": answers[_ANSWER],
        "means": means(others, ["problem", "span", "machine"], **more),
        "unanswered": _unanswered(rows, pooled),
        "not_pooled": left.rename_axis(["machine", "reason"]).reset_index(name="records"),
    }


def _answers(rows: pd.DataFrame, pooled: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """Return the least seconds of each machine on each input, where the first and another have solved it."""

    def with_copies(record: Record) -> list[float]:
        copies = transfers_of(record)
        pageable = bool(copies) and record.started_at < PINNED_SINCE
        return [] if copies is None or pageable else [seconds + copies for seconds in record.samples]

    by, copied = ["number", "span"], timed(pooled, with_copies).assign(span=COPIED)
    # A case whose copies are not known may be the best with them.
    unknown = pooled["median"].where((pooled["status"] == "ok") & (copied["status"] != "ok"))
    copied["unknown"] = unknown.groupby([pooled["number"], pooled["machine"]]).transform("min")
    times = pd.concat([pooled.assign(span=RESIDENT), copied], ignore_index=True)
    known = (times["status"] == "ok") & ~(times["median"] > times["unknown"])
    times = times[known].assign(seconds=times["median"], older=times["current"].eq(False))
    times["span"] = pd.Categorical(times["span"], [RESIDENT, COPIED])
    least = times.sort_values([*by, "machine", "seconds"], kind="stable").drop_duplicates([*by, "machine"])
    price = least["machine"].astype("object").map(prices).astype(float)
    found = over_first(least.assign(cost=price * least["seconds"] / 3600), *by)
    several = found.groupby(by, observed=True)["machine"].transform("size") > 1
    found.loc[found["machine"] == found["first_machine"], RATIO] = np.nan
    return found.assign(untried=_untried(rows, found))[several].set_index("number")


def _untried(rows: pd.DataFrame, found: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether a machine of a pair never tried the other's case, though it has such a device."""
    tried = rows[~rows["status"].isin(UNTRIED)]
    cases = set(zip(tried["machine"], tried["case"], strict=True))
    devices = set(zip(tried["machine"], tried["device"].notna(), strict=True))

    def lacks(machine: str, of: str) -> "pd.Series[bool]":
        asked = zip(found[machine], found[f"{of}case"], found[f"{of}device"].notna(), strict=True)
        lacking = [(name, case) not in cases and (name, gpu) in devices for name, case, gpu in asked]
        return pd.Series(lacking, found.index, dtype=bool)

    return lacks("machine", "first_") | lacks("first_machine", "")


def _unanswered(rows: pd.DataFrame, pooled: pd.DataFrame) -> pd.DataFrame:
    """Return the inputs that a machine has not solved, with the reason in its records."""
    key, inputs = ["number", "machine"], pooled[["number", "problem", "input", "place"]].drop_duplicates()
    said = rows["why"].mask(rows["why"] == "", rows["unlike"])
    tried = rows[["place", "machine", "case"]].assign(reason=said.replace("", "records of other inputs only"))
    found = inputs.merge(tried[said != NO_RECORD], on="place")
    # A failure is a better reason than a case that cannot be tried.
    unable = found["reason"].str.startswith("unavailable")
    found = found.assign(unable=unable).sort_values(["unable", "case"], kind="stable")
    reasons = found.groupby(key, observed=False)["reason"].first().fillna(NO_RECORD)
    gaps = reasons[pooled.groupby(key, observed=False).size() == 0].reset_index()
    named = gaps.merge(inputs.drop_duplicates("number"), on="number")
    return named[["problem", "input", "machine", "reason"]]
