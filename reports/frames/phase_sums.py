"""Phases in place of a record's whole seconds, where it does more than a figure compares: of a peer its
symbolic factorisation, of the chain on fronts its stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fillpath.dicts import Row, dicts
from fillpath.processes import Rounds
from fillpath.record import Record
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED

_ENDS = ("median", "low", "high")


@dataclass(frozen=True)
class PhaseSum:
    """Phases that stand in place of a record's seconds.

    phases : that are added.
    less : that are taken off.
    """

    phases: tuple[str, ...]
    less: tuple[str, ...] = ()

    def samples(self, record: Record) -> list[float]:
        """Seconds of each sample; none of a record that lacks one of the phases."""
        names = (*self.phases, *self.less)
        if not all(record.phases.get(name) for name in names):
            return []
        parts = zip(*(record.phases[name] for name in names), strict=True)
        first = len(self.phases)
        return [float(sum(part[:first]) - sum(part[first:])) for part in parts]

    @property
    def words(self) -> str:
        """`etree + symbolic`, `factor - refactor`."""
        return " - ".join(" + ".join(names) for names in (self.phases, self.less) if names)


# SuperLU_DIST: what pdgssvx calls SYMBFACT, of the sequential code with the tree that it is given; neither
# conversion to its format nor counting, which are for the check. KLU refactors in the pattern that its factor
# found: what that took more is the search for the pattern.
SYMBOLIC: Mapping[str, PhaseSum] = {
    "superlu_dist": PhaseSum(("etree", "symbolic")),
    "superlu_dist_parallel": PhaseSum(("symbolic",)),
    "klu": PhaseSum(("factor",), less=("refactor",)),
    "cudss": PhaseSum(("symbolic",)),
}


def put_symbolic_phases(frame: pd.DataFrame, records: Records) -> None:
    """Put the seconds of the peers' symbolic factorisations in place of their whole ones: `median`, `low`,
    `high` and `rounds`. Where a record does not say, or they come to nothing, the status is `not_measured`.

    frame : as `timed_frame` has it.
    """
    shown = list(frame["rounds"])
    for place, row in enumerate(dicts(frame)):
        if row["status"] != "ok" or row["implementation"] not in SYMBOLIC:
            continue
        shown[place] = _rounds(row, SYMBOLIC[row["implementation"]], records)
    of_phases = frame["implementation"].isin(SYMBOLIC) & (frame["status"] == "ok")
    frame["rounds"] = pd.Series(shown, index=frame.index, dtype="object")
    for index, rounds in frame.loc[of_phases, "rounds"].items():
        seconds = (rounds.median, *rounds.interval) if rounds else (np.nan,) * 3
        frame.loc[index, list(_ENDS)] = seconds
    frame.loc[of_phases & frame["median"].isna(), "status"] = NOT_MEASURED
    # A call that was stopped says nothing of one of its phases.
    frame.loc[frame["implementation"].isin(SYMBOLIC) & (frame["status"] != "ok"), list(_ENDS)] = np.nan


def row_of_phases(row: Row, phases: PhaseSum, records: Records) -> Row:
    """An ok row with the seconds of these phases in place of its whole ones, `not_measured` where its record
    does not say. Transfers are of the whole record, and left out."""
    rounds = _rounds(row, phases, records)
    if rounds is None:
        return {**row, "status": NOT_MEASURED, "reason": f"no seconds of {phases.words} in its record"}
    seconds = dict(zip(_ENDS, (rounds.median, *rounds.interval), strict=True))
    return {**row, **seconds, "rounds": rounds, "transfers": np.nan}


def _rounds(row: Row, phases: PhaseSum, records: Records) -> Rounds | None:
    """Of these phases of the row's record. None where no record says, or they come to nothing."""
    record = records.result(row["case"], row["machine"])
    rounds = None if record is None else records.rounds(record, phases.samples)
    return rounds if rounds and rounds.numbers and rounds.median > 0 else None


def phases_of(name: str) -> str:
    """`superlu_dist (etree + symbolic)`: a code with the phases that are drawn of it, if not all are."""
    return f"{name} ({SYMBOLIC[name].words})" if name in SYMBOLIC else name
