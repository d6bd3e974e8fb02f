"""Hardware against hardware: what each machine achieves at best, then the same cases side by side.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. A mean is over what
the first and the other have both solved, of the very same input; the rest is listed, each with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from fillpath.errors import UnknownNameError
from reports.facts.records import Records
from reports.hardware.best import Best, best_of
from reports.hardware.same import means_of, pairs_of
from reports.hardware.solved import each, solved


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
    left_out : cases in no mean, with the first machine that has no comparable result
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
        """How many cases are in no mean, by machine and kind of reason."""
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
    pairs, left_out = pairs_of(rows)
    means, scaled = means_of(pairs)
    return Comparison(tuple(machines), prices, best_of(rows, prices), pairs, means, scaled, left_out)


def plain(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return a table's rows, with None for what is unknown."""
    return dicts(table.astype("object").where(table.notna(), None))
