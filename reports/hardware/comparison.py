"""Hardware against hardware: what each machine achieves at best, then the same cases side by side.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. A mean is over what
the first and the other have both solved, of the very same input; the rest is listed, each with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import dicts
from fillpath.errors import UnknownNameError
from reports.facts.records import Records
from reports.hardware.best import Best, best_of
from reports.hardware.solved import RATIO, each, first_of, means, over_first, solved

EVERYTHING = "all"
_PAIR = [
    "case", "machine", "first_seconds", "seconds", *RATIO, "equal_cores", "first_joules", "joules",
    "other_sources",
]  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Machines against the first of them.

    prices : of an hour of those machines that have one
    best : what each achieves on a problem, whoever implements it
    pairs : cases that the first and another have solved, with `ratio`, the first's seconds over the other's;
        `equal_cores`, the ratio if the work of both were shared out perfectly among as many cores, none where
        a GPU works; `other_sources`, whether one was measured with other sources than today's
    means : of the pairs of a group by machine, geometric; `n` cases
    scaled : the means of pairs at equal cores
    left_out : cases that a mean lacks, with the machine that has no comparable result and the reason: only
        the first where that has none, else each of the others that has none
    """

    machines: tuple[str, ...]
    prices: Mapping[str, float]
    best: Best
    pairs: pd.DataFrame
    means: pd.DataFrame
    scaled: pd.DataFrame
    left_out: pd.DataFrame

    @property
    def reasons(self) -> Mapping[tuple[str, str], int]:
        """How many cases a mean lacks, by machine and kind of reason."""
        return Counter((row.machine, row.reason.partition(":")[0]) for row in each(self.left_out))

    def to_json(self) -> dict[str, Any]:
        tables = {name: plain(table) for name, table in vars(self.best).items()}
        own = ("pairs", "means", "scaled", "left_out")
        rest = {name: plain(getattr(self, name)) for name in own}
        return {"machines": self.machines, "prices": self.prices, "best": tables, **rest}


def compare(
    machines: Sequence[str], records: Records, prices: Mapping[str, float] | None = None
) -> Comparison:
    """Compare the other machines with the first.

    prices : of an hour of those machines that have one

    Raises UnknownNameError for fewer than two machines, one named twice, and a price of another.
    """
    prices = prices or {}
    for name in prices:
        if name not in machines:
            raise UnknownNameError(f"price of {name}: expected one of {', '.join(machines)}")
    if len(set(machines)) != len(machines) or len(machines) < 2:
        raise UnknownNameError(f"compare {' '.join(machines)}: name two machines or more, each once")
    rows = solved(machines, records)
    pairs, left_out = _pairs(rows)
    grouped = _grouped(pairs)
    factor = grouped["equal_cores"] / grouped["ratio"]
    ends = {name: grouped[name] * factor for name in RATIO}
    by = ["machine", "group"]
    whole, scaled = means(grouped, *by), means(grouped.assign(**ends)[factor.notna()], *by)
    # Of a group in which a GPU works somewhere there is no mean at equal cores.
    every = scaled["n"].reindex(whole.index) == whole["n"]
    whole["equal_cores"] = scaled["ratio"].reindex(whole.index).where(every)
    rest = pairs[_PAIR], whole.reset_index(), scaled.reset_index(), left_out
    return Comparison(tuple(machines), prices, best_of(rows, prices), *rest)


def plain(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return a table's rows, with None for what is unknown."""
    return dicts(table.astype("object").where(table.notna(), None))


def _pairs(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cases of the very same input that the first machine and another have solved, and what is
    left out of a mean."""
    first = first_of(rows)
    both = over_first(rows, "case")
    both = both[both["machine"] != first]
    lacks = both["first_why"] != ""
    known = both["input_hash"].notna() & both["first_input_hash"].notna()
    others = known & (both["input_hash"] != both["first_input_hash"])
    why = both["first_why"].where(lacks, both["why"])
    why = why.mask((why == "") & others, f"another input than {first}'s: its content differs")
    left = both.assign(machine=both["machine"].mask(lacks, first), reason=why)[why != ""]
    # With the seconds of whichever has more cores as they would be on as many as the other's.
    cores = both[["first_cores", "cores"]].astype(float).replace(0.0, np.nan)
    pairs = both.assign(
        seconds=both["median"],
        first_seconds=both["first_median"],
        equal_cores=both["ratio"] * cores["first_cores"] / cores["cores"],
        other_sources=~(both["current"].eq(True) & both["first_current"].eq(True)),
    )[why == ""]
    left = left[["case", "machine", "reason"]].drop_duplicates()
    return pairs.reset_index(drop=True), left.reset_index(drop=True)


def _grouped(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs once for each `group` that they count in: the implementation, the stage, and all.

    With fewer threads than a machine has a case says nothing of the machine, so that its stage is a group
    apart. Of several draws of random numbers the first one counts.
    """
    pairs = pairs[~pairs["draw"]]
    apart = pairs["stage"] + ".threads=" + pairs["threads"].astype(str)
    groups = [pairs["case"].str.split("@").str[0], apart.where(pairs["part"], pairs["stage"])]
    parts = [pairs.assign(group=group) for group in groups]
    names = sorted(pd.concat(parts)["group"].unique())
    grouped = pd.concat([*parts, pairs[~pairs["part"]].assign(group=EVERYTHING)], ignore_index=True)
    return grouped.assign(group=pd.Categorical(grouped["group"], [*names, EVERYTHING]))
