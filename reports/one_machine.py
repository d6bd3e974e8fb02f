"""Which machine a picture is of: one, whose name begins its caption.

Machines against each other are what `fillpath compare` draws.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from fillpath.case import Case
from fillpath.record import Status
from reports.exhibit import Exhibit
from reports.facts.entries import Entries
from reports.facts.naming import listed
from reports.facts.records import Records
from reports.facts.standings import JUDGED, Outcome


@dataclass(frozen=True)
class Evidence:
    """What a machine's records say to a figure.

    decided : claims that the figure judges by a number of that machine
    ok : cases of the figure that have a verified result there
    silent : the figure holds nothing against a claim
    """

    machine: str
    decided: int
    ok: int
    silent: bool

    @property
    def suffices(self) -> bool:
        """Whether a picture of that machine shows what the figure is for."""
        return self.decided > 0 or (self.silent and self.ok > 0)


def picture_machine(
    shown: Exhibit, cases: Sequence[Case], records: Records, entries: Entries, here: Collection[str]
) -> str | None:
    """The machine that a figure's picture is of; None where no machine has a record of its cases.

    It is the machine that runs the command, if its records decide a claim of the figure; for a figure
    without claims, if it has a verified result of any case. Otherwise it is, of all machines, the one that
    decides most claims of the figure; of several the one with most verified results, then the first by name.

    here : names of the machine that runs the command: several on a cluster, of which the same order decides.
    """
    names = {case.name for case in cases}
    machines = sorted({record.machine for record in records.rows if record.case in names})
    own = [_evidence(name, shown, cases, records, entries) for name in machines if name in here]
    if any(each.suffices for each in own):
        return _best(own)
    others = [_evidence(name, shown, cases, records, entries) for name in machines if name not in here]
    return _best([*own, *others])


def recorded(cases: Sequence[Case], records: Records) -> list[Case]:
    """The cases that have one of these records; all where none has."""
    names = {record.case for record in records.rows}
    return [case for case in cases if case.name in names] or list(cases)


def place(rows: pd.DataFrame) -> str:
    """`Measured on h200 (NVIDIA H200).`, by the rows of `Records.frame`, with the processor where no GPU was
    met; empty where nothing was measured."""
    ok = rows[rows["status"] == str(Status.OK)]
    if ok.empty:
        return ""
    chips = set(ok["device"].dropna()) or set(ok["host_cpu"].dropna())
    return f"Measured on {listed(ok['machine'])}{f' ({listed(chips)})' if chips else ''}."


def _evidence(
    machine: str, shown: Exhibit, cases: Sequence[Case], records: Records, entries: Entries
) -> Evidence:
    there = records.of_machine(machine)
    of_run = there.of_one_run(cases) if shown.one_run else there
    verdicts = shown.verdicts(shown.frame(of_run, entries, recorded(cases, there)))
    names = {case.name for case in cases}
    return Evidence(
        machine,
        decided=len({v.claim for v in verdicts if v.outcome in JUDGED and v.machine == machine}),
        ok=sum(record.case in names and record.status is Status.OK for record in there.rows),
        silent=all(v.outcome is Outcome.BESIDE for v in verdicts),
    )


def _best(evidence: Sequence[Evidence]) -> str | None:
    ordered = sorted(evidence, key=lambda each: (-each.decided, -each.ok, each.machine))
    return ordered[0].machine if ordered else None
